"""Builder of the family: a small GPT with tensor, pipeline and data parallelism, a JobSet on a small Kubernetes.   fams22.py TABLE SLOT [JOB..]"""
import glob, json, os, random, shutil, sys, time, uuid
import cluster
cluster.OUT = "/tmp/lab/raw22"
import run2
run2.OUT = cluster.OUT
from cluster import ROOT, R, sh
from run2 import BUILD
from fams17 import dress
OUT = cluster.OUT
REPO = "registry.cluster.local/llm/oriole:"


def oriole(j, tp=2, pp=2, iters=30, opts="", node_prep={}, node_env={}, restarts=0, deadline=0, resume=False, keep=False, image_missing=None, tee=True, secrets=(), save=True, local=True, valid=True, gbs=16, grace=6, rdzv="--rdzv-conf timeout=25", args=None):
    per = 2
    shutil.copytree(ROOT + "/code/oriole", j.w + "/code", ignore=shutil.ignore_patterns("__pycache__"))
    for f in os.listdir(ROOT + "/base/oriole"): shutil.copy(ROOT + "/base/oriole/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * per, (i + 1) * per))
    j.nproc, j.world = per, per * j.n
    rng = random.Random(j.id + "x")
    sub, ip0 = "10.%d.%d" % (rng.randrange(20, 250), rng.randrange(3, 200)), rng.randrange(20, 180)
    kind = rng.randrange(3)
    if kind == 0: names = ["gpu-pool-a-%s" % "".join(rng.choice("0123456789abcdef") for _ in range(6)) for _ in range(j.n)]
    elif kind == 1: names = ["ip-10-%d-%d-%d" % (rng.randrange(200), rng.randrange(200), rng.randrange(4, 250)) for _ in range(j.n)]
    else: names = ["trn%d-rack%d" % (x, rng.randrange(1, 6)) for x in rng.sample(range(10, 90), j.n)]
    dress(j, names, "oriole", "x", sub, ip0, rng.choice(["k8s-cp-0", "cplane1", "apiserver-a"]), "pushgateway-envoy.log", rng.choice(["UTC0", "UTC0", "PST8", "CET-1"]))
    j.ctrl_flake = 0.08
    js = rng.choice(["gpt-1b3-pretrain", "oriole-350m", "lm-base-run7", "gpt-abl-tp2"]); ver = rng.choice(["v0.9.2", "v0.9.2-cpu", "2026.11.3"])
    image = REPO + ver; port = rng.choice([29500, 29400, 6000, 23456])
    if resume: shutil.copytree(ROOT + "/base/oriole_ckpt", j.w + "/dfs/ckpt", dirs_exist_ok=True)
    a = args or ("--tensor-model-parallel-size %d --pipeline-model-parallel-size %d --train-iters %d --global-batch-size %d --lr 4e-3 --seed %d --data-path /mnt/local/data/pile_text_document %s --data-cache-path /mnt/dfs/cache --tokenizer-model /mnt/local/data/tokenizer.json %s %s --metrics-gateway http://%s:9000 %s" % (
        tp, pp, iters, gbs, 1000 + j.seed, "--valid-data-path /mnt/local/data/valid_text_document" if valid else "", "--save /mnt/dfs/ckpt --load /mnt/dfs/ckpt" if save else "", "--non-persistent-local-ckpt-dir /mnt/local/snapshots" if local else "", j.ctrlname, opts))
    env = dict(NNODES=str(j.n), NPROC=str(per), MASTER_ADDR="%s-trainer-0-0.%s" % (js, js), MASTER_PORT=str(port), TRAIN_ARGS=" ".join(a.split()), TORCHRUN_OPTS=("--tee 3 --log-dir /tmp/torchrun " if tee else "") + rdzv)
    spec = dict(name=js, image=image, nodes=names, env=env, maxRestarts=restarts, deadline=deadline, hostpath="/mnt/local/data", secrets=list(secrets), grace=grace)
    json.dump(spec, open(j.w + "/code/job.json", "w"), indent=1)
    y = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata:\n  name: %s\n  namespace: llm\nspec:\n  failurePolicy:\n    maxRestarts: %d\n  replicatedJobs:\n  - name: trainer\n    replicas: 1\n    template:\n      spec:\n        completionMode: Indexed\n        parallelism: %d\n        completions: %d\n        backoffLimit: 0\n%s        template:\n          spec:\n            restartPolicy: Never\n            hostNetwork: true\n            terminationGracePeriodSeconds: %d\n            containers:\n            - name: trainer\n              image: %s\n              command: [/bin/bash, /workspace/run.sh]\n              env:\n%s" % (
        js, restarts, j.n, j.n, "        activeDeadlineSeconds: %d\n" % deadline if deadline else "", grace, image, "".join("              - {name: %s, value: \"%s\"}\n" % x for x in env.items()))
    y += "".join("              envFrom:\n              - secretRef: {name: %s}\n" % s for s in secrets) + "              volumeMounts:\n              - {name: dataset, mountPath: /mnt/local/data}\n            volumes:\n            - {name: dataset, hostPath: {path: /mnt/local/data, type: Directory}}\n"
    open(j.w + "/code/jobset.yaml", "w").write(y)
    for i in range(j.n):
        j.nodes[i]["prep"] = ["echo %s > /run/images; mkdir -p /run/oriole; touch /run/oriole/site.env" % (image if i != image_missing else REPO + "v0.8.5")] + list(node_prep.get(i, [])) + ["echo '%s' >> /run/oriole/site.env" % x for x in node_env.get(i, [])]
        j.nodes[i]["env"] = dict(NODE_CG="/rr2/%s/%s" % (j.id, names[i]))
        j.nodes[i]["agentlog"] = "pods/monitoring_node-health-%s_%s/agent/0.log" % ("".join(rng.choice("bcdfghjklmnpqrstvwxz2456789") for _ in range(5)), uuid.UUID(int=rng.getrandbits(128), version=4))
        j.nodes[i]["launch"] = [dict(cmd=["bash", "-c", "sleep 1; exec python3 -m kube.kubelet %s /var/log/job" % j.ctrlname], log="kubelet.outp", daemon=True)]
    j.env.update(USE_LIBUV="0", PYTHONPATH="/workspace")
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["python3", "-m", "kube.controlplane", "/var/log/job"], log="controlplane.outp", daemon=True), dict(cmd=["bash", "-c", "sleep 2.5; exec /workspace/kube/kubectl"], log="kubectl.log")])
    def hook(q):
        for i in range(q.n):
            os.makedirs(os.path.dirname("%s/logs/%s/%s" % (q.w, names[i], q.nodes[i]["agentlog"])))
        open(q.w + "/hosts", "a").write("".join("%s %s-trainer-0-%d.%s\n" % (q.ip(i), js, i, js) for i in range(q.n)))
    j.ctrl_hook = hook
    j.headcmd, j.cancel_wait = "kube/kubectl", 12
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    def collect():
        for f in glob.glob(j.w + "/logs/*/*.outp"):
            if os.path.getsize(f): print("!!", f, open(f).read()[-900:])
            os.remove(f)
        shutil.copy(j.w + "/code/jobset.yaml", j.w + "/logs/_controller/")
        if keep and not os.path.exists(ROOT + "/base/oriole_ckpt"): shutil.copytree(j.w + "/dfs/ckpt", ROOT + "/base/oriole_ckpt")
    j.collect = collect
    j.js = js
    j.settings = dict(model="GPT (4 layers, width 48, sequences of 32)", framework="PyTorch 2.6, tensor, pipeline and data parallelism written by hand over gloo, torchrun (static rendezvous) in each pod", launcher="a JobSet (Indexed Job) on a small Kubernetes: control plane, kubelets with a runtime in the style of CRI-O", parallelism="tensor %d, pipeline %d, data %d" % (tp, pp, max(1, j.world // tp // pp)), ranks_per_node=per, iterations=iters, iterations_per_epoch=None, attempts=restarts + 1)


BUILD.update(oriole=oriole)

if __name__ == "__main__":
    import importlib, traceback
    mod = importlib.import_module(sys.argv[1]); slot = int(sys.argv[2]); want = sys.argv[3:]
    for s in mod.JOBS:
        if want and s["id"] not in want and s["name"] not in want: continue
        if not want and os.path.exists("%s/%s/%s/job.json" % (OUT, s["family"], s["id"])): continue
        if os.path.exists("/tmp/lab/stop"): break
        s["slot"] = slot
        for attempt in range(2):
            try:
                print(time.strftime("%H:%M:%S"), s["name"], flush=True)
                m = run2.run_job(s)
                if not (m["injector_error"] or (s["split"] == "ok" and not m["all_exit_zero"])): break
                os.makedirs("/tmp/lab/bad", exist_ok=True); os.rename("%s/%s/%s" % (OUT, s["family"], s["id"]), "/tmp/lab/bad/%s-%d" % (s["id"], time.time()))
            except Exception: traceback.print_exc(); break
