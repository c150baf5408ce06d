"""Builders of the families.   fams9.py TABLE SLOT [JOB..]"""
import json, os, random, shutil, sys
import run2
from cluster import ROOT, OUT, R, sh
from run2 import BUILD

def tree(j, code, nproc, data):
    shutil.copytree(ROOT + "/code/" + code, j.w + "/code")
    for f in os.listdir(data): shutil.copy(data + "/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * nproc, (i + 1) * nproc))
    j.nproc, j.world = nproc, nproc * j.n

def dress(j, names, style, agentlog, subnet, ip0, ctrlname, ctrllog, tz):
    j.names = names
    for i, n in enumerate(names): j.nodes[i]["name"] = n
    j.style, j.agentlog, j.subnet, j.ip0, j.ctrlname, j.ctrllog, j.tz = style, agentlog, subnet, ip0, ctrlname, ctrllog, tz
    j.env["TZ"] = tz; j.ctrl_flake = 0.3

def merge(d, e):
    for k, v in e.items():
        if isinstance(v, dict) and isinstance(d.get(k), dict): merge(d[k], v)
        else: d[k] = v

# --- tern: Lightning's Trainer (DDP over gloo) under torchrun with a c10d rendezvous
def tern(j, per=1, steps=50, conf={}, node_env={}, restarts=0, endpoint={}, join=60, detail=False, no_start=(), before={}):
    tree(j, "tern", per, ROOT + "/base/tern")
    rng = random.Random(j.id)
    a, k0, dom = rng.choice(["gpu-a3", "gpu-b2", "gpu-c1"]), rng.randrange(2, 60), rng.choice(["cluster.local", "pod%d.cluster.local" % rng.randrange(1, 9), "hpc.internal"])
    ks = sorted(rng.sample(range(k0, k0 + 2 * j.n), j.n))
    dress(j, ["%s-%02d.%s" % (a, k, dom) for k in ks], "journal", "journal.log", "10.%d.%d" % (rng.randrange(20, 240), rng.randrange(1, 250)), rng.randrange(20, 180), "mon-01.%s" % dom, "monitor.log", "America/Los_Angeles")
    c = dict(seed=1000 + j.seed, data=dict(root="/mnt/local/data", batch=4, num_workers=1, val_steps=4), model=dict(vocab=200, d_model=64, layers=2, heads=4, context=64, lr=3e-3, warmup=8),
             trainer=dict(max_steps=steps, max_epochs=-1, limit_train_batches=20, limit_val_batches=4, reload_dataloaders_every_n_epochs=1, log_every_n_steps=5, num_sanity_val_steps=1, gradient_clip_val=1.0, timeout=15),
             callbacks=dict(refresh_rate=2, ckpt_dir="/mnt/dfs/ckpt", ckpt_every=15, csv_dir="/mnt/dfs/logs", local_dir="/mnt/local/snapshots", local_every=10, local_keep=2, slow=3.0, pad=0.08, tracker=j.ctrlname))
    merge(c, conf)
    os.makedirs(j.w + "/code/configs", exist_ok=True)
    import yaml
    open(j.w + "/code/configs/train.yaml", "w").write(yaml.safe_dump(c, sort_keys=False))
    os.makedirs(j.w + "/dfs/logs")
    j.env.update(USE_LIBUV="0", LOGLEVEL="INFO", TORCH_CPP_LOG_LEVEL="INFO" if j.seed % 2 else "WARNING")
    if detail: j.env.update(TORCH_DISTRIBUTED_DEBUG="DETAIL")
    elif j.seed % 5 < 2: j.env.update(TORCH_DISTRIBUTED_DEBUG="INFO")
    rid = "%s-%d" % (rng.choice(["gpt-mini", "tok200", "lm-small"]), rng.randrange(1000, 99999))
    port = rng.choice([29400, 29500, 29603])
    for i in range(j.n):
        ex = "".join("export %s; " % x for x in node_env.get(i, [])) + before.get(i, "")
        cmd = "torchrun --nnodes=%d --nproc-per-node=%d --max-restarts=%d --rdzv-id=%s --rdzv-backend=c10d --rdzv-endpoint=%s --rdzv-conf=join_timeout=%d,timeout=60,read_timeout=40 --monitor-interval=0.5 train.py" % (
            j.n, per, restarts, rid, endpoint.get(i, "%s:%d" % (j.names[0], port)).replace("PORT", str(port)).replace("%s", j.names[0]), join)
        j.nodes[i]["launch"] = [dict(cmd=["bash", "-c", ex.replace("PORT", str(port)) + ("" if i == 0 else "sleep 0.%d; " % (3 + i)) + "echo '+ %s'; exec %s" % (cmd, cmd)], log="train.log")]
    j.script = "train.py"; j.rank_var = "RANK"; j.cancel_wait = 9
    def collect():
        d = j.w + "/logs"
        for f in ("metrics.csv",):
            for p, _, fs in os.walk(j.w + "/dfs/logs"):
                if f in fs: shutil.copy(p + "/" + f, d + "/_controller/metrics-%s.csv" % p.rsplit("_", 1)[1])
        last = j.w + "/dfs/ckpt/last.ckpt"
        if os.path.exists(last) and not os.path.exists(ROOT + "/base/tern.ckpt"): shutil.copy(last, ROOT + "/base/tern.ckpt")
    j.collect = collect
    def cut():
        os.makedirs(j.w + "/dfs/pretrained"); b = open(ROOT + "/base/tern.ckpt", "rb").read()
        open(j.w + "/dfs/pretrained/last.ckpt", "wb").write(b[:-30000]); j.event("last.ckpt lacks its last 30000 bytes (of %d, on the shared folder)" % len(b))
    j.cut = cut
    j.settings = dict(model="GPT (2 blocks, width 64, 200 tokens)", framework="Lightning 2.6.1, PyTorch 2.6 (DDP over gloo); torchrun, c10d rendezvous", parallelism="data %d" % j.world, ranks_per_node=per, iterations=steps, attempts=restarts + 1)
BUILD.update(tern=tern)
try: import fams9b
except ImportError: pass

if __name__ == "__main__":
    import importlib, time, traceback
    sys.modules["fams9"] = sys.modules["__main__"]
    mod = importlib.import_module(sys.argv[1]); slot = int(sys.argv[2]); want = sys.argv[3:]
    for s in mod.JOBS:
        if want and s["id"] not in want and s["build"] not in want and s["name"] not in want: continue
        if s["id"] not in want and s["name"] not in want and os.path.exists("%s/%s/%s/job.json" % (OUT, s["family"], s["id"])): continue
        s["slot"] = slot
        for attempt in range(2):
            try:
                m = run2.run_job(s)
                if not (m["injector_error"] or (s["split"] == "ok" and not m["all_exit_zero"])): break
                os.rename("%s/%s/%s" % (OUT, s["family"], s["id"]), "%s-bad-%s-%d" % (OUT, s["id"], time.time()))
            except Exception: traceback.print_exc(); break
