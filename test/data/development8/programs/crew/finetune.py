"""Controller of a crew of learners (dask actors): hands out updates, averages, evaluates, saves."""
import argparse
import json
import logging
import os
import shutil
import sys
import time
import urllib.error
import urllib.request

import numpy as np
from distributed import Client
from tqdm import tqdm

import crew.learner

logging.basicConfig(format="[%(levelname)s|%(filename)s:%(lineno)s] %(asctime)s >> %(message)s", level=logging.INFO, stream=sys.stderr)
for noisy in ("distributed", "asyncio", "tornado"):
    logging.getLogger(noisy).setLevel(logging.WARNING)
logger = logging.getLogger("crew")


def relay(event):
    _, m = event
    print("(Learner pid=%d, ip=%s) %s%s" % (m["pid"], m["ip"], "" if m["level"] == "INFO" else m["level"] + ": ", m["text"]), file=sys.stderr, flush=True)


def push(conf, update, loss):
    try:
        urllib.request.urlopen("http://%s/metrics/job/crew" % conf["gateway"], data=b"loss %f\n" % loss, timeout=3)
    except Exception:
        logger.warning("could not push metrics of update %d", update, exc_info=update <= 15)


def upload(conf, path, name):
    for attempt in range(1, 5):
        try:
            q = urllib.request.Request("%s/crew/%s" % (conf["blob"], name), data=open(path, "rb").read(), method="PUT")
            return urllib.request.urlopen(q, timeout=5).status
        except (urllib.error.URLError, OSError) as e:
            logger.warning("Upload of %s failed (attempt %d of 4): %s", name, attempt, e)
            time.sleep(.5 * attempt)
    raise RuntimeError("%s could not be uploaded to %s" % (name, conf["blob"]))


def answers(conf, futures, what):
    """the results of all learners, or an error that says whose is missing"""
    end, out = time.time() + (conf["answer_timeout"] or 1e6), []
    for k, f in enumerate(futures):
        try:
            out.append(f.result(timeout=max(.1, end - time.time())) if conf["answer_timeout"] else f.result())
        except TimeoutError:
            late = [i for i, x in enumerate(futures) if not x.done()]
            raise TimeoutError("%s: no answer from learners %s within %d s" % (what, late, conf["answer_timeout"])) from None
        except Exception as e:
            logger.error("%s: learner %d failed: %s: %s", what, k, type(e).__name__, e)
            raise
    return out


def save(conf, learners, update):
    d = os.path.join(conf["output_dir"], "checkpoint-%d" % update)
    logger.info("Saving model checkpoint to %s", d)
    os.makedirs(d, exist_ok=True)
    sizes = answers(conf, [a.save(update) for a in learners], "save %d" % update)
    np.savez(os.path.join(d, "policy.npz"), **answers(conf, [learners[0].weights()], "weights %d" % update)[0])
    json.dump({"global_step": update, "sizes": sizes}, open(os.path.join(d, "trainer_state.json"), "w"))
    upload(conf, os.path.join(d, "policy.npz"), "checkpoint-%d.npz" % update)
    for old in sorted(os.listdir(conf["output_dir"]), key=lambda x: int(x.split("-")[1]))[:-2]:
        logger.info("Deleting older checkpoint [%s] due to args.save_total_limit", os.path.join(conf["output_dir"], old))
        shutil.rmtree(os.path.join(conf["output_dir"], old))


def main():
    a = argparse.ArgumentParser()
    a.add_argument("recipe")
    a.add_argument("--scheduler", default="login1:8786")
    a = a.parse_args()
    conf = json.load(open(a.recipe))
    try:
        import flash_attn                                      # noqa: F401
    except ImportError as e:
        logger.warning("%s: falling back to eager attention", e)
    client = Client(a.scheduler, timeout=60)
    client.subscribe_topic("crew", relay)
    logger.info("Waiting for %d workers", conf["world"])
    client.wait_for_workers(conf["world"], timeout=conf["start_timeout"])
    names = sorted((w["name"], addr) for addr, w in client.scheduler_info(n_workers=-1)["workers"].items())
    logger.info("Placing learners: %s", " ".join("%d=%s" % (k, n) for k, (n, _) in enumerate(names)))
    versions = client.run(lambda: os.environ.get("CREW_RELEASE", "2.8.1"))
    mine = os.environ.get("CREW_RELEASE", "2.8.1")
    for n, addr in names:
        if versions[addr] != mine:
            raise RuntimeError("worker %s (%s) runs crew %s, the controller runs %s" % (n, addr, versions[addr], mine))
    learners = [f.result(timeout=60) for f in [client.submit(crew.learner.Learner, k, conf, actor=True, workers=[addr], pure=False, key="learner-%d" % k) for k, (_, addr) in enumerate(names)]]
    start, last = 0, sorted((int(x.split("-")[1]) for x in os.listdir(conf["output_dir"]) if os.path.exists(os.path.join(conf["output_dir"], x, "trainer_state.json"))), reverse=True)
    src = os.path.join(conf["output_dir"], "checkpoint-%d" % last[0], "policy.npz") if last else conf["pretrained"]
    if last:
        start = last[0]
        logger.info("Continuing training from global step %d", start)
    logger.info("loading weights file %s", src)
    weights = dict(np.load(src))
    numbers = answers(conf, [x.load(weights) for x in learners], "load")
    answers(conf, [x.open_data(start) for x in learners], "open data")
    total, per_epoch = conf["updates"], 30
    logger.info("***** Running training *****")
    logger.info("  Num examples = %d", per_epoch * conf["batch"] * conf["world"])
    logger.info("  Num Epochs = %d", -(-total // per_epoch))
    logger.info("  Total optimization steps = %d", total)
    logger.info("  Learning rate = %g, steps %s", conf["lr"], conf["lr_steps"])
    logger.info("  Number of trainable parameters = %d", numbers[0])
    bar = tqdm(total=total, initial=start, file=sys.stderr, mininterval=0)
    t0, window = time.time(), []
    for update in range(start + 1, total + 1):
        t1 = time.time()
        got = answers(conf, [x.step(update) for x in learners], "update %d" % update)
        loss = float(np.mean([g[0] for g in got]))
        mean = {k: sum(g[1][k] for g in got) / len(got) for k in got[0][1]}
        norm = float(np.sqrt(sum((v ** 2).sum() for v in mean.values())))
        if not np.isfinite(norm):
            raise FloatingPointError("grad_norm is %s at global step %d" % (norm, update))
        for at, base in conf["lr_steps"]:
            if update == at:
                conf["lr"] = base
                logger.info("base learning rate is %g from step %d on", base, at)
        lr = conf["lr"] * (1 - update / (total + 1))
        answers(conf, [x.apply(mean, lr) for x in learners], "apply %d" % update)
        bar.update(1)
        window.append(time.time() - t1)
        if len(window) > 10 and window[-1] > 4 * sorted(window[-11:])[5]:
            slow = max(range(len(got)), key=lambda k: got[k][2])
            logger.warning("global step %d took %.2f s (slowest learner %d: %.2f s)", update, window[-1], slow, got[slow][2])
        if update % 5 == 0:
            tqdm.write(str({"loss": round(loss, 4), "grad_norm": round(norm, 4), "learning_rate": float("%.3g" % lr), "epoch": round(update / per_epoch, 2)}), file=sys.stderr)
        if update % 15 == 0:
            push(conf, update, loss)
        if update % conf["eval_steps"] == 0:
            logger.info("***** Running Evaluation *****")
            logger.info("  Num examples = %d", 24 * conf["world"])
            e = answers(conf, [x.evaluate(update) for x in learners], "evaluation %d" % update)
            tqdm.write(str({"eval_loss": round(float(np.mean(e)), 4), "eval_runtime": round(time.time() - t1, 3), "epoch": round(update / per_epoch, 2)}), file=sys.stderr)
        if update % conf["save_steps"] == 0:
            save(conf, learners, update)
    bar.close()
    tqdm.write(str({"train_runtime": round(time.time() - t0, 2), "train_steps_per_second": round((total - start) / (time.time() - t0), 3), "epoch": round(total / per_epoch, 2)}), file=sys.stderr)
    logger.info("Training completed. Do not forget to share your model :)")
    client.shutdown()


if __name__ == "__main__":
    main()
