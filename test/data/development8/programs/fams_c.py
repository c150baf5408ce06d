# --- boost: XGBoost over its own collectives, GNU parallel over ssh
import glob, json, os, re, shutil
from run2 import BUILD
from cluster import ROOT
def xgb(j, per=1, passes=7, conf={}, node_conf={}, wall=0, check=False, tracker_timeout=0, hosts=None):
    from fams import tree, dress
    tree(j, "boost", per, ROOT + "/base/boost/data")
    k0 = 1000 + j.seed * 37 % 900
    dress(j, ["nid%06d" % (k0 + i) for i in range(j.n)], "uptime", "kmsg.log", "192.168.40", 11 + k0 % 200, "mom2", "fleet.log")
    os.makedirs(j.w + "/dfs/out")
    c = dict(passes=passes, trees=10, depth=4, seed=j.seed, verbosity=2, params={}, tracker="192.168.40.2", port=9099, timeout=25, retry=3, data="/mnt/local/data", scratch="/mnt/local/snapshots", out="/mnt/dfs/out",
             blob="http://mom2:9000", beacon="mom2:8125", chunks=8, pad=0.18, read_pad=0.2, cache_kb=700, start_from=""); c.update(conf)
    json.dump(c, open(j.w + "/code/boost.json", "w"), indent=1)
    for i, x in node_conf.items():
        json.dump(dict(c, **x), open(j.w + "/code/boost-%d.json" % i, "w"), indent=1)
        j.nodes[i].setdefault("prep", []).append("mount --bind /workspace/boost-%d.json /workspace/boost.json" % i)
    if check: open(j.w + "/code/site.env", "w").write("CHECK=1\n")
    open(j.w + "/code/hosts", "w").write("".join(n + "\n" for n in (hosts or [n for n in j.names for _ in range(per)])))
    for i in range(j.n): j.nodes[i]["launch"] = [dict(cmd=["/usr/sbin/sshd", "-D", "-e"], log="sshd.log", daemon=True)]
    j.head = dict(name="mom2", logdir="_controller", noagent=True, cg="", env=dict(LIMIT=str(wall), TRACKER="192.168.40.2", TRACKER_TIMEOUT=str(tracker_timeout)), launch=[dict(cmd=["bash", "-c", "sleep 2; exec bash launch.sh"], log="boost.out")])
    j.headcmd = "/usr/bin/parallel"; j.cancel_wait = 8
    j.over = lambda q: os.path.exists(q.run + "/rc-mom2")
    j.ok = lambda q: q.head_rc == [0]
    j.script, j.rank_var = "boost.py", "TASK_INDEX"
    j.settings = dict(model="boosted trees (hist, depth 4, 10 trees a pass)", framework="XGBoost 3.0 with its own collectives and tracker, driven from Python; GNU parallel over ssh", parallelism="data %d" % j.world, ranks_per_node=per, iterations=passes * 10)
BUILD.update(xgb=xgb)
