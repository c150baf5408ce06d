# --- wren: Ruby, a pipeline of stages; capistrano over ssh
import json, os, random
from run2 import BUILD
from cluster import ROOT, R, sh
def wren(j, per=1, steps=50, conf={}, node_env={}, retries=0, warm=False):
    from fams8 import tree, dress
    tree(j, "wren", per, ROOT + "/base/wren")
    rng = random.Random(j.id)
    a, k0 = rng.choice(["kea", "moa", "tui", "huia"]), rng.randrange(2, 30)
    dress(j, ["%s-%s" % (a, "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"[k0 + i:k0 + i + 1] * 1 + str(rng.randrange(10, 99))) for i in range(j.n)], "envoy", "watchd.log", "10.%d.7" % rng.randrange(20, 240), rng.randrange(20, 180), "deploy-%s" % a, "hub.log", "JST-9")
    c = dict(attempts=retries + 1, per_node=per, steps=steps, seed=j.seed + 3, width=20, vocab=40, activation="tanh", micro_batches=4, rows=6, lr=0.2, pad_s=0.012, port=7400, register=j.names[0], join_s=30, link_s=12, dial_tries=20, slow_s=1.2, save_every=15, trace_kb=700,
             data="/mnt/local/data", local="/mnt/local/snapshots", shared="/mnt/dfs/ckpt", warm_start="/mnt/local/data" if warm else "", hub=j.ctrlname)
    c.update(conf)
    open(j.w + "/code/wren.yml", "w").write("".join("%s: %s\n" % (k, json.dumps(v)) for k, v in c.items()))
    open(j.w + "/code/site.env", "w").write("export TZ=JST-9 LANG=C.UTF-8\n")
    for i, x in node_env.items(): open(j.w + "/code/node-%s.env" % j.names[i], "w").write("export %s\n" % x)
    open(j.w + "/code/config/deploy/cluster.rb", "w").write("".join('server "%s", user: "root", roles: %%w[stage], index: %d\n' % (n, i) for i, n in enumerate(j.names)))
    for i in range(j.n): j.nodes[i]["launch"] = [dict(cmd=["/usr/sbin/sshd", "-D", "-e"], log="sshd.log", daemon=True)]
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["bash", "-c", "sleep 1; exec cap cluster train"], log="cap.log")])
    j.headcmd = "/cap"; j.cancel_wait = 7
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    j.rank_var = "RANK"
    j.is_rank = lambda p: (lambda a: a[0].endswith("ruby") and "wren.rb" in a)(j._cmd(p) or [""])
    j.rank_pids = lambda i: [p for p in j.pids(i) if j.is_rank(p)]
    def build():
        if warm:
            open(R + "/opt/b8/mkwarm.rb", "w").write("%d.times { |k| r = Random.new(900 + k); File.binwrite(\"/opt/b8/stage-#{k}.bin\", Marshal.dump([Array.new(20) { Array.new(20) { r.rand(-0.3..0.3) } }, Array.new(20, 0.0), nil])) }\n" % j.world)
            sh("chroot %s ruby /opt/b8/mkwarm.rb && mv %s/opt/b8/stage-*.bin %s/dfs/data/" % (R, R, j.w))
    j.build = build
    j.settings = dict(model="next-symbol model (a layer of width 20 a stage, 40 symbols)", framework="own Ruby 3.3 program (TCP links); capistrano", parallelism="pipeline %d" % j.world, ranks_per_node=per, iterations=steps, attempts=retries + 1)
BUILD.update(wren=wren)
