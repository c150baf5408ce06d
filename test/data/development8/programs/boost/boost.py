"""Boosted trees over several machines: passes of ten trees, a new chunk of rows for every pass."""
import argparse
import concurrent.futures
import json
import logging
import os
import sys
import time
import urllib.request

import numpy as np
import xgboost as xgb
from xgboost import collective

logging.basicConfig(format="%(relativeCreated)8d ms %(levelname).1s %(message)s", level=logging.INFO, stream=sys.stderr)
log = logging.getLogger()


class Place:
    """where this task is, for whoever looks"""
    def __init__(self, task):
        self.path = "/run/rr/rank-%d" % task

    def __call__(self, stage, tree, phase=""):
        try:
            open(self.path + "~", "w").write("%s %d %s" % (stage, tree, phase))
            os.replace(self.path + "~", self.path)
        except OSError:
            pass


def read_chunk(conf, number, task, world):
    p = os.path.join(conf["data"], "chunk-%02d.npz" % (number % conf["chunks"]))
    z = np.load(p)
    x, y = z["x"][task::world], z["y"][task::world]
    time.sleep(conf["read_pad"])
    return p, x, y


class Progress(xgb.callback.TrainingCallback):
    def __init__(self, conf, place, number, task):
        self.conf, self.place, self.number, self.task, self.t = conf, place, number, task, time.time()

    def before_iteration(self, model, tree, evals):
        self.place("iter", self.number * self.conf["trees"] + tree % self.conf["trees"] + 1, "grow")
        return False

    def after_iteration(self, model, tree, evals):
        n, t = tree % self.conf["trees"] + 1, time.time()
        loss = evals["rows"]["logloss"][-1]
        time.sleep(self.conf["pad"])
        took, self.t = time.time() - self.t, time.time()
        if self.task == 0 or n == self.conf["trees"]:
            log.info("pass %d | tree %d/%d | logloss %.5f | %.2f s", self.number + 1, n, self.conf["trees"], loss, took)
        if not np.isfinite(loss):
            raise FloatingPointError("logloss of pass %d, tree %d is %s" % (self.number + 1, n, loss))
        return False


def evaluate(conf, bst, place, number, task, world):
    place("eval", (number + 1) * conf["trees"])
    z = np.load(os.path.join(conf["data"], "holdout.npz"))
    x, y = z["x"][task::world], z["y"][task::world]
    p = bst.predict(xgb.DMatrix(x))
    s = collective.allreduce(np.array([((p > .5) == y).sum(), len(y)], np.float64), collective.Op.SUM)
    if task == 0:
        log.info("pass %d | holdout accuracy %.4f (%d rows)", number + 1, s[0] / s[1], s[1])


def save(conf, bst, place, number, task, y):
    place("ckpt", (number + 1) * conf["trees"])
    t0 = time.time()
    np.save(os.path.join(conf["scratch"], "cache-%02d-%02d.npy" % (task, number + 1)), np.zeros(conf["cache_kb"] * 128))
    if task == 0:
        p = os.path.join(conf["out"], "pass-%02d.ubj" % (number + 1))
        bst.save_model(p)
        for k in range(1, 5):
            try:
                q = urllib.request.Request("%s/boost/pass-%02d.ubj" % (conf["blob"], number + 1), data=open(p, "rb").read(), method="PUT")
                urllib.request.urlopen(q, timeout=5)
                break
            except OSError as e:
                log.warning("pass-%02d.ubj: try %d: %s", number + 1, k, e)
                time.sleep(.4 * k)
        else:
            raise RuntimeError("pass-%02d.ubj was not taken by %s" % (number + 1, conf["blob"]))
        log.info("pass %d | model saved in %.2f s", number + 1, time.time() - t0)


def beacon(conf, number):
    try:
        urllib.request.urlopen("http://%s/beacon?pass=%d" % (conf["beacon"], number + 1), timeout=2)
    except OSError:
        log.error("beacon of pass %d not sent", number + 1, exc_info=number == 0)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("task", type=int)
    a.add_argument("world", type=int)
    a.add_argument("conf")
    a = a.parse_args()
    conf = json.load(open(a.conf))
    place = Place(a.task)
    place("init", 0)
    log.info("xgboost %s, numpy %s, host %s, tracker %s:%d", xgb.__version__, np.__version__, os.uname().nodename, conf["tracker"], conf["port"])
    params = dict(dict(objective="binary:logistic", tree_method="hist", max_depth=conf["depth"], eta=.2, nthread=1, eval_metric="logloss", verbosity=conf["verbosity"], seed=conf["seed"]), **conf["params"])
    with collective.CommunicatorContext(dmlc_tracker_uri=conf["tracker"], dmlc_tracker_port=conf["port"], dmlc_task_id="%03d" % a.task, dmlc_timeout=conf["timeout"], dmlc_retry=conf["retry"]):
        log.info("task %d is rank %d of %d", a.task, collective.get_rank(), collective.get_world_size())
        bst = None
        if conf["start_from"]:
            place("model", 0)
            bst = xgb.Booster(params, model_file=conf["start_from"])
            log.info("%s: %d trees", conf["start_from"], bst.num_boosted_rounds())
        pool = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="reader")
        ahead = pool.submit(read_chunk, conf, 0, a.task, a.world)
        for number in range(conf["passes"]):
            t0 = time.time()
            place("data" if not number else "iter", number * conf["trees"], "data")
            path, x, y = ahead.result()
            ahead = pool.submit(read_chunk, conf, number + 1, a.task, a.world)
            log.info("pass %d | %s: %d rows, waited %.2f s", number + 1, os.path.basename(path), len(y), time.time() - t0)
            d = xgb.DMatrix(x, y)
            result = {}
            bst = xgb.train(params, d, conf["trees"], evals=[(d, "rows")], xgb_model=bst, evals_result=result, verbose_eval=False, callbacks=[Progress(conf, place, number, a.task)])
            evaluate(conf, bst, place, number, a.task, a.world)
            save(conf, bst, place, number, a.task, y)
            if a.task == a.world - 1:
                beacon(conf, number)
        place("done", conf["passes"] * conf["trees"])
        log.info("all %d passes done", conf["passes"])


if __name__ == "__main__":
    main()
