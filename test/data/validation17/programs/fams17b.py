"""Builder of the second family: PyTorch, a custom job of a managed platform, log entries as JSON."""
import glob, json, os, random, shutil
from cluster import ROOT
from run2 import BUILD
from fams17 import dress


def pipit(j, per=1, updates=36, args="", eval_only=False, node_prep={}, node_env={}, node_args={}, attempts=1, timeout=0, init=False, keep=False, drain=8, pad=0.15):
    shutil.copytree(ROOT + "/code/pipit", j.w + "/code")
    for f in os.listdir(ROOT + "/base/pipit"): shutil.copy(ROOT + "/base/pipit/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * per, (i + 1) * per))
    j.nproc, j.world = per, per * j.n
    rng = random.Random(j.id)
    sub, ip0 = "10.%d.%d" % (rng.randrange(20, 250), rng.randrange(3, 200)), rng.randrange(20, 180)
    kind, tag = rng.randrange(3), "".join(rng.choice("0123456789abcdef") for _ in range(6))
    word = lambda n: "".join(rng.choice("bcdfghjklmnpqrstvwxz2456789") for _ in range(n))
    if kind == 0: names = ["gke-cml-1126-%s-a2-highgpu-%s" % (tag, word(4)) for _ in range(j.n)]
    elif kind == 1: names = ["cmle-training-%d-%s" % (rng.randrange(10**9, 10**10), word(2)) for _ in range(j.n)]
    else: names = ["vm-%s-%s" % (word(5), word(3)) for _ in range(j.n)]
    dress(j, names, "pipit", "syslog", sub, ip0, rng.choice(["control-plane", "aiplatform-cp", "cp-usc1"]), "requests.jsonl", rng.choice(["UTC0", "UTC0", "EST5"]))
    if init: shutil.copytree(ROOT + "/base/pipit_ckpt", j.w + "/dfs/pretrained")
    a = ["/mnt/local/data", "--max-update", str(updates), "--seed", str(17100 + j.seed), "--nprocs-per-node", str(per), "--pad", str(pad), "--wandb", "http://%s:9000/wandb/files" % j.ctrlname] + args.split()
    if init: a += ["--restore-file", "/mnt/dfs/pretrained/checkpoint_last.pt", "--reset-optimizer"]
    if eval_only: a += ["--eval-only"]
    spec = dict(project=rng.choice(["nlp-prod-41c2", "speech-research", "lm-dev-0099"]), number=str(rng.randrange(10**11, 10**12)), job=str(rng.randrange(10**18, 9 * 10**18)), endpoint="us-central1-aiplatform.googleapis.com", image="us-docker.pkg.dev/train/pipit:%s" % rng.choice(["0.12.3", "main-f41c"]), hosts=j.names, cmd=["python3", "pipit_cli/train.py"] + a, attempts=attempts, timeout=timeout, drain=drain)
    json.dump(spec, open(j.w + "/code/job.json", "w"), indent=1)
    for i in range(j.n):
        j.nodes[i]["prep"] = list(node_prep.get(i, [])) + ["echo '%s' >> /run/site.env" % x for x in node_env.get(i, [])] + (["echo '%s' > /run/site.args" % node_args[i]] if i in node_args else [])
        j.nodes[i]["launch"] = [dict(cmd=["bash", "-c", "sleep 1; exec python3 /workspace/vx/agent.py %s /var/log/job/fluent-bit.log" % j.ctrlname], log="agent.out", daemon=True)]
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["python3", "/workspace/vx/service.py", "/workspace/job.json", "/var/log/job"], log="service.out", daemon=True), dict(cmd=["python3", "/workspace/vx/submit.py", "/workspace/job.json"], log="gcloud.log")])
    j.env.update(USE_LIBUV="0", TORCH_CPP_LOG_LEVEL="WARNING", OMP_NUM_THREADS="1", GLOO_SOCKET_IFNAME="eth0")
    j.headcmd, j.cancel_wait = "submit.py", 14
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    def collect():
        for f in glob.glob(j.w + "/logs/*/agent.out") + glob.glob(j.w + "/logs/_controller/service.out"):
            if os.path.getsize(f): print("!!", f, open(f).read()[-600:])
            os.remove(f)
        if keep and not os.path.exists(ROOT + "/base/pipit_ckpt"): shutil.copytree(j.w + "/dfs/ckpt", ROOT + "/base/pipit_ckpt")
    j.collect = collect
    j.settings = dict(model="transformer language model (3 layers, width 64, 24 tokens)", framework="PyTorch 2.6, gradients averaged in one buffer by all-reduce over gloo, in the style of a well-known toolkit for sequences", launcher="a custom job of a small managed platform (worker pools, a container a machine), torch.multiprocessing.spawn where there are two ranks a machine", parallelism="data %d" % j.world, ranks_per_node=per, iterations=updates, attempts=attempts)


BUILD.update(pipit=pipit)
