"""skua: Go, a multi-controller program over gRPC and a torus of TCP links, in containers that a scheduler starts."""
import json, os, random, shutil
from cluster import ROOT, R, sh
from run2 import BUILD
from fams16 import dress
B = "/tmp/lab/r16"
def skua(j, shape=None, steps=60, conf={}, node_env={}, node_prep={}, attempts=1, init=False, keep=False, old=(), cert=(), grace=25):
    os.makedirs(j.w + "/code")
    shutil.copytree(ROOT + "/code/skua/nomad", j.w + "/code/nomad")
    os.makedirs(j.w + "/code/app"); os.makedirs(j.w + "/code/.certs")
    shutil.copy(B + "/skua094", j.w + "/code/app/skua"); shutil.copy(B + "/skua091", j.w + "/code/app/.skua091")
    sh("%s/mkcerts %s/code/.certs" % (B, j.w))
    for f in os.listdir(ROOT + "/base/skua"): shutil.copy(ROOT + "/base/skua/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = [i]
    j.nproc, j.world = 1, j.n
    rng = random.Random(j.id)
    sub, ip0 = "10.%d.%d" % (rng.randrange(20, 250), rng.randrange(3, 200)), rng.randrange(20, 180)
    kind = rng.randrange(4)
    if kind == 0: names = ["tpu-v5e-w-%d" % x for x in sorted(rng.sample(range(100, 400), j.n))]
    elif kind == 1: names = ["bm-%s-%04x" % (rng.choice(["fra", "iad", "sea"]), x) for x in sorted(rng.sample(range(0x1000, 0xffff), j.n))]
    elif kind == 2: names = ["client-h100-%02d" % x for x in sorted(rng.sample(range(1, 80), j.n))]
    else: names = ["trn%03d.pod%d.int" % (x, 4) for x in sorted(rng.sample(range(1, 640), j.n))]
    dress(j, names, "skua", "datadog-agent.log", sub, ip0, rng.choice(["nomad-srv-1", "ctl0", "scheduler-a"]), "pushgateway.log", "UTC0")
    shape = shape or {2: (2, 1), 3: (3, 1), 4: (2, 2), 6: (3, 2), 8: (4, 2), 5: (5, 1)}[j.n]
    c = dict(run_name=rng.choice(["skua-base-4x", "c4-bigram", "torus-abl-07"]), steps=steps, per_device_batch_size=40, learning_rate=2.0, warmup_steps=8, gradient_clipping_threshold=1.0, seed=1600 + j.seed, mesh_shape=list(shape), emb_dim=16, mlp_dim=48, data_dir="/mnt/local/data", dataset_manifest="/mnt/dfs/data/dataset_info.json",
             checkpoint_dir="/mnt/dfs/ckpt", local_checkpoint_dir="/mnt/local/snapshots", load_parameters_path="", checkpoint_period=20, eval_interval=25, eval_steps=4, replica_check_period=15, stats_period=10, collective_timeout_seconds=20, heartbeat_timeout_seconds=8, barrier_timeout_seconds=15, pushgateway="http://%s:9000/metrics/job/skua" % j.ctrlname)
    if init:
        shutil.copytree(ROOT + "/base/skua_ckpt", j.w + "/dfs/pretrained"); c["load_parameters_path"] = "/mnt/dfs/pretrained"
    c.update(conf); json.dump(c, open(j.w + "/code/app/config.json", "w"), indent=1)
    jid = rng.choice(["skua-pretrain", "lm-torus", "c4-mini"])
    json.dump(dict(id=jid, count=j.n, hosts=names, attempts=attempts, grace=grace, image="registry.int:5000/skua/trainer:0.9.4", command=["/app/skua", "-config", "/app/config.json"], volumes=["/mnt/dfs", "/mnt/local"]), open(j.w + "/code/job.json", "w"))
    for i in range(j.n):
        k = "old" if i in cert else "good"
        j.nodes[i]["prep"] = ["mount --bind /workspace/app /app; mkdir -p /run/tls; cp /workspace/.certs/ca.crt /run/tls/; cp /workspace/.certs/%s.crt /run/tls/tls.crt; cp /workspace/.certs/%s.key /run/tls/tls.key" % (k, k)] + (["mount --bind /app/.skua091 /app/skua"] if i in old else []) + \
            ["for k in $(seq %d); do /bin/true; done" % rng.randrange(2, 60)] + list(node_prep.get(i, [])) + ["echo '%s' >> /run/container.env" % e for e in node_env.get(i, [])]
        j.nodes[i]["launch"] = [dict(cmd=["/usr/bin/python3", "/workspace/nomad/client.py", "/var/log/job", j.ctrlname], log="client.out", daemon=True, cwd="/")]
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="",
                  launch=[dict(cmd=["/usr/bin/python3", "/workspace/nomad/server.py", "/var/log/job"], log="server.out", daemon=True, cwd="/"),
                          dict(cmd=["/bin/bash", "-c", "sleep 1; exec /usr/bin/python3 /workspace/nomad/run.py /workspace/job.json"], log="nomad-run.log")])
    j.headcmd, j.cancel_wait = "run.py", 14
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    def collect():
        for d, _, fs in os.walk(j.w + "/logs"):
            for f in fs:
                if os.path.getsize(d + "/" + f) == 0 and f in ("client.out", "server.out"): os.remove(d + "/" + f)
        if keep and not os.path.exists(ROOT + "/base/skua_ckpt"): shutil.copytree(j.w + "/dfs/ckpt", ROOT + "/base/skua_ckpt")
    j.collect = collect
    j.settings = dict(model="next-token model from two tokens (embeddings, one hidden layer)", framework="Go, multi-controller: coordination service over gRPC (TLS), sums over a torus of TCP links; zap's JSON log", launcher="Nomad-like scheduler (server, client on each node), Docker-like containers with json-file logs", parallelism="data %d (torus %dx%d)" % ((j.n,) + tuple(shape)), ranks_per_node=1, iterations=steps, attempts=attempts)
BUILD.update(skua=skua)
