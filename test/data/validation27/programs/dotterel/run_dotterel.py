"""Pre-training of Dotterel.   run_dotterel.py --config FILE [--KEY VALUE]..."""
import faulthandler, logging, os, platform, signal, socket, sys, time, traceback, types
faulthandler.enable()
import json
import numpy as np
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ms import hccl, log as mslog
from ms.cluster import Cluster
from ms.log import me, ms, plog

DEFAULTS = dict(run_name="dotterel", hidden_size=32, num_layers=4, num_heads=4, ffn_hidden_size=96, vocab_size=256,
    seq_length=24, batch_size=2,
    micro_batch_num=2, model_parallel=1, pipeline_stage=1, epochs=1, steps_per_epoch=50, learning_rate=0.003,
    warmup_steps=5, clip_grad=1.0,
    loss_scale=65536.0, scale_window=20, max_skips=10, seed=42, dataset_dir="/cache/dataset", eval_dir="/mnt/sfs/eval",
    eval_interval=0,
    output_dir="/mnt/sfs/output", local_ckpt="/cache/ckpt", load_checkpoint="", save_interval=10, save_timeout=9,
    upload_seconds=0.3,
    prefetch_size=4, getnext_timeout=9, device_ms=12, per_print_times=2, progress_bar=False, profile_interval=10,
    checksum_interval=0,
    silent_check=True, check_loss=True, max_loss=0.0, workspace_mb=0, hold_steps=0, max_device_memory=0, exec_timeout=9,
    connect_timeout=9, hb_lost=6, strict_link=True)


class Digest(logging.Formatter):
    def format(self, r):
        t = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(time.time())) + ",%03d" % (time.time() * 1e3 % 1000)
        return "%s - mindformers./output/log[mindformers/%s:%d] - %s - %s" % (t, {"trainer": "trainer/trainer.py", "ckpt":
            "core/callback/callback.py", "config": "tools/register/config.py"}[r.name], r.lineno, r.levelname, r.getMessage())


def config():
    a = sys.argv[1:]; c = dict(DEFAULTS); f = a[a.index("--config") + 1]
    def put(k, v, where):
        if k not in DEFAULTS: raise KeyError("%s: '%s' is not a config item of run_dotterel" % (where, k))
        t = type(DEFAULTS[k]); c[k] = v.lower() in ("1", "true") if t is bool else t(v)
    for n, l in enumerate(open(f)):
        l = l.split("#")[0].rstrip()
        if not l: continue
        if ":" not in l or l[0] == " ":
            raise ValueError("while parsing a block mapping in \"%s\", line %d: could not find expected ':'" % (f, n + 1))
        k, v = l.split(":", 1); put(k.strip(), v.strip().strip("'\""), f)
    for k, v in zip(a[0::2], a[1::2]):
        if k != "--config": put(k.lstrip("-"), v, "command line")
    return types.SimpleNamespace(**c)


def main():
    rank, dev = int(os.environ["RANK_ID"]), int(os.environ["DEVICE_ID"]); host = socket.gethostname(); cl = comm = None
    h = logging.StreamHandler(sys.stdout); h.setFormatter(Digest()); logging.basicConfig(level=logging.INFO, handlers=[h])
    from formers import trainer
    trainer.note("init", -1); plog.open(); log = logging.getLogger("config")
    try:
        me("WARNING", "mindspore/run_check/_check_version.py:329", "MindSpore version %s and Ascend AI software package "
            "(Ascend Data Center Solution) "
           "version 7.6 does not match, the version of software package expect one of ['7.7', '7.8']." % mslog.__version__)
        c = config()
        log.info("run_name %s, host %s, rank %d, device %d, python %s, numpy %s, mindspore %s", c.run_name, host, rank, dev,
        platform.python_version(),
                 np.__version__, mslog.__version__)
        if rank == 0:
            for k in sorted(vars(c)): log.info("config %s: %s", k, getattr(c, k))
        table = json.load(open(os.environ["RANK_TABLE_FILE"])); rt = {}
        for s in table["server_list"]:
            for d in s["device"]: rt[int(d["rank_id"])] = (d["device_ip"], int(d["device_id"]), s["host"])
        world = int(os.environ["MS_WORKER_NUM"])
        if sorted(rt) != list(range(world)):
            plog("ERROR", "HCCL", "topoinfo_ranktableParser.cc:152", "[Parse]rank table has %d ranks, rankSize is %d" %
            (len(rt), world))
            raise hccl.HcclError("EI0004", "The ranktable or rank is invalid, Reason:[rank table has %d ranks, but "
                "worker_num is %d]. Please check the "
                                 "configured ranktable. [%s]" % (len(rt), world, os.environ["RANK_TABLE_FILE"]))
        cl = Cluster(rank, host); trainer.note("cluster", -1)
        comm = hccl.Comm(rank, [rt[r] for r in range(world)], c.exec_timeout, c.connect_timeout, c.strict_link,
        hb_lost=c.hb_lost)
        trainer.device.LIMIT = c.max_device_memory
        t = trainer.Trainer(c, rank, world, comm, cl)
        t.same()
        t.train()
        comm.close()
        cl.finalize()
        plog("INFO", "HCCL", "hccl_comm.cc:133", "[Destroy]rank[%d] destroy communicator success" % rank)
    except hccl.HcclError as e:
        line = "-" * 52
        x = "\n".join(traceback.format_exc().splitlines()[:-1])
        hal = "plugin/device/ascend/hal/"
        if comm:
            ms("ERROR", "DEVICE", hal + "device/ascend_kernel_runtime.cc:1117", "SyncStream",
                "Sync stream failed, hccl error code " + e.code)
        else:
            ms("ERROR", "DEVICE", hal + "hccl_adapter/hccl_adapter.cc:63", "InitHccl", "Hccl init failed, error code " + e.code)
        print("%s\nRuntimeError: %s\n\n%s\n- Ascend Error Message:\n%s\n%s: %s %s\n\n(Please search \"CANN Common Error "
            "Analysis\" at "
              "https://www.mindspore.cn/en for error code description)\n\n%s\n- C++ Call Stack: (For framework "
              "developers)\n%s\n%s" % (x,
                  "Sync stream error!" if comm else "Call hccl init failed.", line, line, e.code, mslog.stamp(
                      ), e.text, line, line,
                  "mindspore/ccsrc/%sdevice/ascend_kernel_runtime.cc:1117 SyncStream" % hal), file=sys.stderr, flush=True)
        if cl: cl.abnormal("%s %s" % (e.code, e.text.split(".")[0]))
        os._exit(1)
    except Exception as e:
        traceback.print_exc(); sys.stderr.flush()
        if cl: cl.abnormal("%s: %s" % (type(e).__name__, str(e).split("\n")[0][:150]))
        os._exit(1)


main()
sys.stdout.flush(); os._exit(0)
