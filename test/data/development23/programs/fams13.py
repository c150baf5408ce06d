"""Builder of the family.   fams13.py TABLE SLOT [JOB..]"""
import glob, json, os, random, shutil, sys
import run2
from cluster import ROOT, OUT, R, sh
from run2 import BUILD

def dress(j, names, style, agentlog, subnet, ip0, ctrlname, ctrllog, tz):
    j.names = names
    for i, n in enumerate(names): j.nodes[i]["name"] = n
    j.style, j.agentlog, j.subnet, j.ip0, j.ctrlname, j.ctrllog, j.tz = style, agentlog, subnet, ip0, ctrlname, ctrllog, tz
    j.env["TZ"] = tz; j.ctrl_flake = 0.25
    # ranks tell their pid in the file of their progress
    def rank_pid(rank, script=None):
        try: inner = open("%s/rank-%d" % (j.run, rank)).read().split()[3]
        except (OSError, IndexError): return None
        for p in j.pids(rank // j.nproc):
            try: ns = [l for l in open("/proc/%d/status" % p) if l.startswith("NSpid")][0].split()
            except (OSError, IndexError): continue
            if ns[-1] == inner: return p
    j.rank_pid = rank_pid
    j.rank_pids = lambda i: [p for p in (rank_pid(r) for r in j.nodes[i].get("ranks", [])) if p]
    def loader_pids(i):
        rs = j.rank_pids(i)
        return [p for p in j.pids(i) if j._ppid(p) in rs]
    j.loader_pids = loader_pids

def siskin(j, per=1, tp=None, steps=40, model={}, opt={}, train={}, backoff=0, node_prep={}, cdi={}, deadline=None, cordoned=(), memory=48, tag="0.5.1", secret=False, init=False, settle=14, all_prep=(), taken=False, stale=(), mirror={}):
    shutil.copytree(ROOT + "/code/siskin", j.w + "/code")
    os.makedirs(j.w + "/code/images"); os.rename(j.w + "/code/image", j.w + "/code/images/0.5.1")
    for f in os.listdir(ROOT + "/base/siskin"): shutil.copy(ROOT + "/base/siskin/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * per, (i + 1) * per))
    j.nproc, j.world, tp = per, per * j.n, tp or per
    rng = random.Random(j.id)
    sub, ip0 = "10.%d.%d" % (rng.randrange(30, 90), rng.randrange(3, 200)), rng.randrange(20, 180)
    h = lambda n: "".join(rng.choice("bcdfghjklmnpqrstvwxz0123456789") for _ in range(n))
    kind = rng.randrange(4)
    if kind == 0: pool = "gke-train-a3-%s-" % h(8); names = [pool + h(4) for _ in range(j.n)]
    elif kind == 1: names = ["ip-%s-%d.ec2.internal" % (sub.replace(".", "-"), ip0 + i) for i in range(j.n)]
    elif kind == 2: pool, k = "aks-h100-%d-vmss0000" % rng.randrange(10**7, 10**8), rng.randrange(1, 20); names = [pool + "%02x" % (k + i) for i in range(j.n)]
    else: k = sorted(rng.sample(range(1, 80), j.n)); names = ["gpu-worker-%02d" % x for x in k]
    dress(j, names, "siskin", "node-problem-detector.log", sub, ip0, rng.choice(["kube-cp", "cp-0", "master-a"]), "pods.ndjson", "UTC0")
    name, ns = rng.choice(["olive-350m", "lm-pretrain", "siskin-base", "pt-nightly"]) + "-" + h(4), rng.choice(["research", "ml-train", "nlp", "default"])
    y = lambda d, s="": "".join("%s%s:\n%s" % (s, k, y(v, s + "  ")) if isinstance(v, dict) else "%s%s: %s\n" % (s, k, json.dumps(v)) for k, v in d.items())
    t = dict(run_name=name, seed=6100 + j.seed, max_steps=steps, tensor_parallel=tp, remote_save_folder="http://%s:9000/checkpoints/%s" % (j.ctrlname, name))
    if init: shutil.copytree(ROOT + "/base/siskin_ckpt_tp%d" % tp, j.w + "/dfs/pretrained/step40"); t["load_path"] = "/mnt/dfs/pretrained/step40"
    t.update(train)
    if model: t["model"] = model
    if opt: t["optimizer"] = opt
    j.port = 23456
    spec = dict(name=name, namespace=ns, workers=j.n - 1, nproc=per, port=j.port, image="registry.%s:5000/train/siskin:%s" % (j.ctrlname, tag), nodes={n: j.ip(i) for i, n in enumerate(names)}, cordoned=[names[i] for i in cordoned],
                memory_gib=memory, node_memory_gib=62, backoff=backoff, deadline=deadline, settle=settle, command=["python3", "launch.py", "/etc/siskin/train.yaml"], files={"train.yaml": y(t)}, secret=("wandb-api-key" if secret else None), secrets=["registry-pull"],
                volumes=[dict(name="shared", path="/mnt/dfs", source="nas-01:/export/train")],
                env=dict(USE_LIBUV="0", GLOO_SOCKET_IFNAME="eth0", OMP_NUM_THREADS="1", TORCH_CPP_LOG_LEVEL="WARNING", RUN_STATE="/run/rr"))
    json.dump(spec, open(j.w + "/code/pytorchjob.json", "w"), indent=1)
    if taken: node_prep = {0: ["(cd /run; exec python3 -m http.server %d >/dev/null 2>&1) &" % j.port]}
    for i in range(j.n):
        p = ["mount -t tmpfs -o size=16m tmpfs /var/log/pods", "mount -t tmpfs -o size=1m tmpfs /etc/siskin", "echo %s.2 registry.%s >> /run/hosts" % (sub, j.ctrlname)] + list(all_prep) + list(node_prep.get(i, []))
        if i in cdi: p.append("mkdir -p /var/run/cdi; echo '%s' > /var/run/cdi/vendor.json" % json.dumps(dict(cdiVersion="0.6.0", kind="vendor.com/nic", containerEdits=dict(env=cdi[i]))))
        if i in mirror: p.append("mkdir -p /run/containerd/certs.d; echo 'server = \"http://%s\"' > /run/containerd/certs.d/hosts.toml" % mirror[i])
        if i in stale: p.append("mkdir -p /var/lib/node/images; cp -r /workspace/images/old /var/lib/node/images/%s; touch /var/lib/node/images/%s/.complete" % (tag, tag))
        j.nodes[i]["prep"] = p
        j.nodes[i]["launch"] = [dict(cmd=["/usr/bin/python3", "/workspace/kube/kubelet.py", names[i], "%s.2:6443" % sub, "/rr2/%s/%s" % (j.id, names[i])], log="kubelet.log", daemon=True),
                                dict(cmd=["/usr/bin/python3", "/workspace/kube/shipper.py", names[i], "%s:3100" % j.ctrlname], log="fluent-bit.log", daemon=True)]
    if stale:
        o = j.w + "/code/images/old"; shutil.copytree(j.w + "/code/images/0.5.1", o)
        open(o + "/siskin/__init__.py", "w").write('__version__ = "0.5.0"\n')
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["/usr/bin/python3", "/workspace/kube/controlplane.py", "/workspace/pytorchjob.json", "/mnt/logs"], log="training-operator.log")])
    j.headcmd, j.cancel_wait = "controlplane.py", 7
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    def collect():
        d = j.w + "/dfs/ckpt/step40"; b = ROOT + "/base/siskin_ckpt_tp%d" % tp
        if os.path.exists(d + "/complete.json") and not model and not os.path.exists(b): shutil.copytree(d, b)
    j.collect = collect
    j.settings = dict(model="decoder-only language model (2 layers, d_model 64, sequences of 64)", framework="PyTorch 2.6 (own tensor parallel layers, sharded optimizer, gloo), ranks forked by torch.multiprocessing in each pod", launcher="a PyTorchJob on Kubernetes (env:// from the operator)", parallelism="data %d x tensor %d" % (j.world // tp, tp), ranks_per_node=per, iterations=steps, attempts=backoff + 1)
BUILD.update(siskin=siskin)
sys.modules.setdefault("fams13", sys.modules[__name__])

if __name__ == "__main__":
    import importlib, time, traceback
    mod = importlib.import_module(sys.argv[1]); slot = int(sys.argv[2]); want = sys.argv[3:]
    for s in mod.JOBS:
        if want and s["id"] not in want and s["build"] not in want and s["name"] not in want: continue
        if s["id"] not in want and s["name"] not in want and os.path.exists("%s/%s/%s/job.json" % (OUT, s["family"], s["id"])): continue
        if os.path.exists("/tmp/l4lab/r13/stop"): break
        s["slot"] = slot
        for attempt in range(2):
            try:
                m = run2.run_job(s)
                print(s["name"], flush=True)
                if not (m["injector_error"] or (s["split"] == "ok" and not m["all_exit_zero"])): break
                os.rename("%s/%s/%s" % (OUT, s["family"], s["id"]), "/tmp/l4lab/r13/bad-%s-%d" % (s["id"], time.time()))
            except Exception: traceback.print_exc(); break
