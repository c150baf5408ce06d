"""Builders of the families.   fams7.py TABLE SLOT [JOB..]"""
import json, os, random, shutil, sys
import run2
from cluster import ROOT, OUT, R, sh
from run2 import BUILD

def tree(j, code, nproc, data):
    shutil.copytree(ROOT + "/code/" + code, j.w + "/code", ignore=shutil.ignore_patterns("src", "classes*", "*.java"))
    for f in os.listdir(data): shutil.copy(data + "/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * nproc, (i + 1) * nproc))
    j.nproc, j.world = nproc, nproc * j.n

def dress(j, names, style, agentlog, subnet, ip0, ctrlname, ctrllog, tz):
    j.names = names
    for i, n in enumerate(names): j.nodes[i]["name"] = n
    j.style, j.agentlog, j.subnet, j.ip0, j.ctrlname, j.ctrllog, j.tz = style, agentlog, subnet, ip0, ctrlname, ctrllog, tz
    j.env["TZ"] = tz; j.ctrl_flake = 0.3

# --- heron: GRPO with learners and rollout workers, PyTorch; ansible-playbook from the head
def heron(j, per=1, steps=50, learners=2, conf={}, node_env={}, retries=0, limit=0, base=False, hosts=None):
    tree(j, "heron", per, ROOT + "/base/heron")
    rng = random.Random(j.id)
    z, k0 = rng.choice(["ams", "fra", "osl", "mad", "waw"]), rng.randrange(3, 60)
    dress(j, ["%s-h100-%02d" % (z, k0 + i) for i in range(j.n)], "nginx", "nodeprobe.error.log", "10.%d.16" % rng.randrange(40, 200), 20 + k0, z + "-login", "collector.error.log", "CST6")
    c = dict(total_steps=steps, learners=learners, seed=j.seed + 5, vocab=40, dim=64, prompt_len=10, max_new_tokens=12, prompts_per_step=6, group_size=4, lr=0.004, clip=0.2, pad_s=0.1, join_s=40, comm_s=14, slow_s=1.2, log_every=2,
             val_every=20, save_every=15, max_skipped=3, replay_kb=600, init_from="/mnt/local/data/sft.pt" if base else "", data_dir="/mnt/local/data", val_file="/mnt/dfs/data/val.txt", local_dir="/mnt/local/snapshots", ckpt_dir="/mnt/dfs/ckpt", hub=j.ctrlname)
    c.update(conf)
    open(j.w + "/code/heron.yaml", "w").write("".join("%s: %s\n" % (k, json.dumps(v)) for k, v in c.items()))
    open(j.w + "/code/inventory.ini", "w").write("[train]\n" + "".join("%s index=%d\n" % (n, i) for i, n in enumerate(hosts(j.names) if hosts else j.names)) + "\n[train:vars]\nper=%d\nnodes=%d\nmaster=%s\nansible_python_interpreter=/usr/bin/python3\n" % (per, j.n, j.names[0]))
    open(j.w + "/code/ansible.cfg", "w").write("[defaults]\ninventory=/workspace/inventory.ini\nhost_key_checking=False\nforks=16\nlog_path=/var/log/job/ansible.log\nretry_files_enabled=False\n[ssh_connection]\npipelining=True\nssh_args=-o ControlMaster=auto -o ControlPersist=60s -o ServerAliveInterval=4 -o ServerAliveCountMax=3\nretries=0\n")
    y = open(j.w + "/code/train.yml").read().replace("      RETRY\n", ("      retries: %d\n      delay: 3\n      until: run.rc == 0\n" % retries if retries else "") + ("      timeout: %d\n" % limit if limit else ""))
    open(j.w + "/code/train.yml", "w").write(y)
    for i, x in node_env.items(): open(j.w + "/code/node-%s.env" % j.names[i], "w").write("export %s\n" % x)
    for i in range(j.n): j.nodes[i]["launch"] = [dict(cmd=["/usr/sbin/sshd", "-D", "-e"], log="sshd.log", daemon=True)]
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["bash", "-c", "sleep 1; export ANSIBLE_CONFIG=/workspace/ansible.cfg; exec ansible-playbook train.yml > /dev/null"], log="ansible.err")])
    j.headcmd = "ansible-playbook"; j.cancel_wait = 6
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    j.rank_var = "RANK"
    j.is_rank = lambda p: (lambda a: "python3" in a[0] and "heron.main" in a)(j._cmd(p) or [""])
    j.rank_pids = lambda i: [p for p in j.pids(i) if j.is_rank(p)]
    def collect():
        p = "%s/logs/_controller/ansible.err" % j.w
        if os.path.exists(p) and not os.path.getsize(p): os.remove(p)
    j.collect = collect
    def build():
        if base:
            open(R + "/opt/mkbase.py", "w").write("import sys, torch\nsys.path.insert(0, '/opt/b')\nfrom heron import conf, policy\ntorch.manual_seed(8)\ntorch.save({'model': policy.Policy(conf.load('/opt/b/heron.yaml')).state_dict()}, '/opt/base.pt')\n")
            sh("rm -rf %s/opt/b; cp -r %s/code %s/opt/b; chroot %s python3 -B /opt/mkbase.py && mv %s/opt/base.pt %s/dfs/data/sft.pt && rm -r %s/opt/b" % (R, j.w, R, R, R, j.w, R))
    j.build = build
    j.settings = dict(model="recurrent policy (2 layers, dim 64, 40 symbols)", framework="own GRPO trainer on PyTorch 2.6 (gloo): learners and rollout workers apart; ansible-playbook", parallelism="%d learners (data parallel), %d rollout workers" % (learners, j.world - learners), ranks_per_node=per, iterations=steps, attempts=retries + 1)
BUILD.update(heron=heron)
try: import fams7b
except ImportError: pass

if __name__ == "__main__":
    import importlib, time, traceback
    sys.modules["fams7"] = sys.modules["__main__"]
    mod = importlib.import_module(sys.argv[1]); slot = int(sys.argv[2]); want = sys.argv[3:]
    for s in mod.JOBS:
        if want and s["id"] not in want and s["build"] not in want: continue
        if s["id"] not in want and os.path.exists("%s/%s/%s/job.json" % (OUT, s["family"], s["id"])): continue
        s["slot"] = slot
        for attempt in range(2):
            try:
                m = run2.run_job(s)
                if not (m["injector_error"] or (s["split"] == "ok" and not m["all_exit_zero"])): break
                os.rename("%s/%s/%s" % (OUT, s["family"], s["id"]), "%s-bad-%s-%d" % (OUT, s["id"], time.time()))
            except Exception: traceback.print_exc(); break
