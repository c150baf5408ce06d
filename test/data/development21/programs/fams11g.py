# --- godwit: PyTorch detector, processes forked by its own launch(), make -j over ssh, output in the nodes' journals
import glob, os, random, shutil
from run2 import BUILD
from cluster import ROOT, R, sh
from fams11 import tree, dress
MAKEFILE = """# starts the training on all machines:  make -j train ATTEMPT=1
SSH   := ssh -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/tmp/kh -o LogLevel=ERROR -o ConnectTimeout=10 -o ServerAliveInterval=5 -o ServerAliveCountMax=3
HOSTS := %(hosts)s
ATTEMPT ?= 1

.PHONY: train stop
train: $(HOSTS:%%=train/%%)
	@echo "all machines are done"

train/%%:
	@$(SSH) $* /workspace/run.sh $(ATTEMPT)

stop: $(HOSTS:%%=stop/%%)
stop/%%:
	-@$(SSH) $* pkill -TERM -f tools/train.py
"""
RUN = """#!/bin/bash
# one machine: everything goes to the journal
cd /workspace
[ -r /run/site.env ] && . /run/site.env
rank=$(($(grep -nx "$(hostname)" hosts | cut -d: -f1) - 1))
args=(-f exps/%(exp)s.py -d %(per)d --num_machines %(n)d --machine_rank $rank --dist-url %(url)s -b %(batch)d %(args)s)
[ "$1" -gt 1 ] && args+=(--resume)
exec systemd-cat -t godwit --level-prefix=false python3 -u tools/train.py "${args[@]}" %(opts)s
"""
JOB = """#!/bin/bash
cd /workspace
trap 'echo "$(date "+%%F %%T %%Z"): stopped by the user"; stop=1; make -j stop; sleep 2; kill $pid' TERM
for attempt in $(seq %(attempts)d); do
    echo "$(date "+%%F %%T %%Z"): make train, attempt $attempt of %(attempts)d"
    %(pre)smake -j train ATTEMPT=$attempt & pid=$!
    wait $pid; rc=$?
    while kill -0 $pid 2>/dev/null; do wait $pid; rc=$?; done
    echo "$(date "+%%F %%T %%Z"): make ended with status $rc"
    [ $rc -eq 0 ] && exit 0
    [ -n "$stop" ] && exit 130
    sleep 3
done
exit $rc
"""
EXP = """import os
from godwit.exp import Exp as MyExp


class Exp(MyExp):
    def __init__(self):
        super().__init__()
        self.exp_name = os.path.split(os.path.realpath(__file__))[1].split(".")[0].lstrip("_")
%s"""
CONF = "[Journal]\\nStorage=volatile\\nReadKMsg=no\\nAudit=no\\nForwardToSyslog=no\\nRateLimitIntervalSec=0\\nRuntimeMaxUse=10M\\nRuntimeKeepFree=1M\\nRuntimeMaxFileSize=4M\\n"
def godwit(j, per=2, epochs=3, iters=15, exp={}, node_exp={}, args="", opts="", attempts=1, node_prep={}, all_prep=(), url=None, node_url={}, no_sshd=(), init=False, before="", node_env={}, taken=False):
    tree(j, "godwit", per, ROOT + "/base/godwit")
    rng = random.Random(j.id)
    a, k0 = rng.choice(["vision", "dgx", "a100", "trainbox"]), rng.randrange(3, 60)
    ks = sorted(rng.sample(range(k0, k0 + 3 * j.n), j.n))
    dress(j, ["%s-%03d" % (a, k) for k in ks], "godwit", "agent", "192.168.%d" % rng.randrange(10, 200), rng.randrange(20, 180), rng.choice(["bastion", "head", "mgmt1"]), "collector.log", "JST-9")
    name = rng.choice(["det_s", "det_tiny", "traffic_s", "signs_m"])
    e = dict(seed=500 + j.seed, max_epoch=epochs, iters_per_epoch=iters, tracking_url="http://%s:9000" % j.ctrlname); e.update(exp)
    src = lambda d: EXP % "".join("        self.%s = %r\n" % x for x in d.items())
    open(j.w + "/code/exps/%s.py" % name, "w").write(src(e))
    for i, x in node_exp.items():
        open(j.w + "/code/exps/_%s_%d.py" % (name, i), "w").write(src(dict(e, **x)))
    if init:
        shutil.copytree(ROOT + "/base/godwit_ckpt", j.w + "/dfs/init/epoch_3"); args += " -c /mnt/dfs/init/epoch_3"
    port = rng.choice([29500, 23456, 50152])
    if taken: node_prep = {0: ["(cd /tmp; exec python3 -m http.server %d >/dev/null 2>&1) &" % port]}
    u = url or "tcp://%s:%d" % (j.ip(0), port)
    open(j.w + "/code/hosts", "w").write("".join(n + "\n" for n in j.names))
    open(j.w + "/code/Makefile", "w").write(MAKEFILE % dict(hosts=" ".join(j.names)))
    def run(u): return RUN % dict(exp=name, per=per, n=j.n, url=u, batch=4 * j.world, args=args, opts=opts)
    open(j.w + "/code/run.sh", "w").write(run(u)); os.chmod(j.w + "/code/run.sh", 0o755)
    for i, x in node_url.items():
        open(j.w + "/code/.run-%d.sh" % i, "w").write(run(x)); os.chmod(j.w + "/code/.run-%d.sh" % i, 0o755)
    open(j.w + "/code/job.sh", "w").write(JOB % dict(attempts=attempts, pre=before))
    for i in range(j.n):
        p = ["mount -t cgroup2 none /sys/fs/cgroup; mkdir -p /run/systemd/journald.conf.d /run/log/journal; printf '%s' > /run/systemd/journald.conf.d/node.conf" % CONF] + list(all_prep) + list(node_prep.get(i, [])) + ["echo 'export %s' >> /run/site.env" % x for x in node_env.get(i, [])]
        if i in node_exp: p.append("mount --bind /workspace/exps/_%s_%d.py /workspace/exps/%s.py" % (name, i, name))
        if i in node_url: p.append("mount --bind /workspace/.run-%d.sh /workspace/run.sh" % i)
        j.nodes[i]["prep"] = p
        j.nodes[i]["launch"] = [dict(cmd=["/usr/lib/systemd/systemd-journald"], log="journald.out", daemon=True),
            dict(cmd=["bash", "-c", "until [ -S /run/systemd/journal/stdout ]; do sleep .05; done; exec journalctl -q -f --no-tail --boot=all -o short-iso --no-pager "], log="journal.log", daemon=True),
            dict(cmd=["sleep", "1000"] if i in no_sshd else ["bash", "-c", "until [ -S /run/systemd/journal/stdout ]; do sleep .05; done; export USE_LIBUV=0; exec systemd-cat -t sshd /usr/sbin/sshd -D -e -o SetEnv='USE_LIBUV=0 TORCH_CPP_LOG_LEVEL=WARNING TZ=JST-9 GLOO_SOCKET_IFNAME=eth0 OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 LANG=C.UTF-8'"], log="sshd.out", daemon=True)]
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["bash", "-c", "sleep 2; exec bash /workspace/job.sh"], log="make.log")])
    j.headcmd, j.cancel_wait = "job.sh", 7
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    def collect():
        for f in glob.glob(j.w + "/logs/*/*.out"): os.remove(f)
        d = glob.glob(j.w + "/dfs/ckpt/*/epoch_3")
        if d and j.world == 8 and not os.path.exists(ROOT + "/base/godwit_ckpt"): shutil.copytree(d[0], ROOT + "/base/godwit_ckpt")
    j.collect = collect
    j.settings = dict(model="anchor-free detector (48 x 48 images, 6 classes)", framework="PyTorch 2.6 (DDP over gloo, processes forked by a launch() of its own, loguru); make -j over ssh, output in the nodes' journals (systemd-cat)", parallelism="data %d" % j.world, ranks_per_node=per, iterations=epochs * iters, attempts=attempts)
BUILD.update(godwit=godwit)
