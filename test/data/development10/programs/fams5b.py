# --- sable: PyTorch RPC (TensorPipe), tables on shards; foreman on each node
import json, os
from run2 import BUILD
from cluster import ROOT, R, sh
def sable(j, shards=2, steps=50, conf={}, node_env={}, attempts=1, base=False):
    from fams5 import tree, dress
    tree(j, "sable", 1, ROOT + "/base/sable")
    k0 = 11 + j.seed * 3 % 60
    dress(j, ["tethys-%03d" % (k0 + 4 * i) for i in range(j.n)], "rfc", "system.log", "192.168.61", 10 + k0 % 40, "saturn", "system.log", "EET-2")
    os.makedirs(j.w + "/dfs/out")
    j.world = j.n + shards
    for k in range(shards): j.nodes[k]["ranks"] = [k, j.n + k]
    c = dict(version="0.9.4", trainers=j.n, shards=shards, dim=8, rows=4000, fields=6, seed=j.seed, rate=0.3, batch=32, files=8, steps=steps, data_dir="/mnt/local/data", pad_kb=600, pad_s=0.18, slow_s=1.2, call_s=10, join_s=40, overdue_s=4,
             test_every=20, save_every=15, head="saturn", base=base)
    c.update(conf)
    json.dump(c, open(j.w + "/code/sable.json", "w"), indent=1)
    for i, n in enumerate(j.names):
        with open(j.w + "/code/Procfile." + n, "w") as o:
            o.write("trainer: exec env RANK=%d ROLE=trainer INDEX=%d python3 -u train.py\n" % (i, i))
            if i < shards: o.write("shard: exec env RANK=%d ROLE=shard INDEX=%d python3 -u train.py\n" % (j.n + i, i))
        e = dict(ATTEMPTS=str(attempts), WORLD=str(j.world), MASTER_ADDR=j.names[0], WORLD_SIZE=str(j.world), USE_LIBUV="0", TP_SOCKET_IFNAME="eth0", GLOO_SOCKET_IFNAME="eth0"); e.update(node_env.get(i, {}))
        j.nodes[i]["launch"] = [dict(cmd=["bash", "node.sh"], log="foreman.log", env=e)]
    j.script = "train.py"; j.rank_var = "RANK"
    j.is_rank = lambda p: (lambda a: "python3" in a[0] and "train.py" in a)(j._cmd(p) or [""])
    j.rank_pids = lambda i: [p for p in j.pids(i) if j.is_rank(p)]
    def build():
        if base:
            open(R + "/opt/mkbase.py", "w").write("import torch\ntorch.manual_seed(5)\nfor k in range(%d): torch.save({'rows': {'weight': torch.randn(%d, 8) * .05}, 'step': 0, 'pad': torch.randn(20000)}, '/opt/base-table%%d.pt' %% k)\n" % (shards, 4000 // shards))
            sh("chroot %s python3 /opt/mkbase.py && mv %s/opt/base-table*.pt %s/dfs/data/" % (R, R, j.w))
    j.build = build
    j.settings = dict(model="click model (6 fields, dim 8, dense 16)", framework="PyTorch 2.6 torch.distributed.rpc (TensorPipe), trainers and table shards; foreman on each node", parallelism="data %d, tables %d" % (j.n, shards), ranks_per_node=1, iterations=steps, attempts=attempts)
BUILD.update(sable=sable)
