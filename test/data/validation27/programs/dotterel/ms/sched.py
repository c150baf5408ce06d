"""The scheduler: who is there, the topology, heartbeats."""
import json, os, socket, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ms.log import ms
N, PORT = int(os.environ["MS_WORKER_NUM"]), int(os.environ["MS_SCHED_PORT"]); TIMEOUT = float(os.environ["MS_NODE_TIMEOUT"])
CT = float(os.environ["CLUSTER_TIME_OUT"]); MSN = "distributed/cluster/topology/meta_server_node.cc:%d"
say = lambda l, n, f, t: ms(l, "DISTRIBUTED", MSN % n, f, t, sys.stdout)
lock = threading.Lock(); nodes, fin, ready = {}, set(), threading.Event()


def client(c, addr):
    r = None
    try:
        for l in c.makefile():
            m = json.loads(l)
            with lock:
                if m["do"] == "reg":
                    r = m["rank"]
                    if r in nodes:
                        say("WARNING", 331, "ProcessRegister", "The node: %d registers again, from %s" % (r, addr[0]))
                    nodes[r] = dict(c=c, t=time.time(), ip=addr[0], host=m["host"], lost=False)
                    say("WARNING", 356, "ProcessRegister", "The new node: %d(role: MS_WORKER), host %s, ip %s, is registered "
                        "successfully. Currently registered nodes number: %d, expected nodes number: %d" % (r, m["host"],
                            addr[0],
                                                                                                          len(nodes), N))
                elif m["do"] == "beat": nodes[r]["t"] = time.time()
                elif m["do"] == "fin":
                    fin.add(r)
                    say("WARNING", 402, "ProcessUnregister", "The node: %d is unregistered, %d/%d" % (r, len(fin), N))
                elif m["do"] == "abnormal":
                    say("ERROR", 431, "ProcessAbnormal", "The node: %d on host %s reports an exception: %s" % (r,
                        nodes[r]["host"], m["text"]))
            c.sendall(b'{"do": "ok"}\n')
            if len(nodes) == N: ready.set()
    except (OSError, ValueError, KeyError): pass
    with lock:
        if r is not None and r not in fin: say("WARNING", 477, "OnDisconnect",
            "The connection of node: %d, host %s, ip %s is closed." % (
            r, nodes[r]["host"], nodes[r]["ip"]))


def accept():
    while True: threading.Thread(target=client, args=srv.accept(), daemon=True).start()


try: srv = socket.create_server(("", PORT))
except OSError as e:
    ms("ERROR", "DISTRIBUTED", "distributed/rpc/tcp/tcp_comm.cc:217", "StartServerSocket",
        "Failed to bind to the port %d, errno: %d (%s)"
       % (PORT, e.errno, e.strerror), sys.stdout)
    print("RuntimeError: Failed to create the tcp server of the scheduler, port %d is occupied." % PORT, flush=True)
    sys.exit(1)
say("WARNING", 118, "Initialize", "Scheduler starts listening on port %d, expects %d nodes." % (PORT, N))
threading.Thread(target=accept, daemon=True).start(); t0 = time.time(); k = 0
while not ready.wait(3):
    k += 1
    say("WARNING", 203, "WaitTopology", "Topology build: %d of %d nodes are registered (%d s)" % (len(nodes), N, time.time()
    - t0))
    if time.time() - t0 > CT:
        say("ERROR", 214, "WaitTopology", "Failed to register and try to exit, timed out after %d s. Nodes that have not "
            "registered: %s" % (
            CT, [r for r in range(N) if r not in nodes]))
        print("RuntimeError: Failed to build the cluster: %d of %d nodes registered within %d s." % (len(nodes), N, CT),
        flush=True)
        sys.exit(1)
say("WARNING", 226, "UpdateTopoState", "The cluster topology has been constructed successfully")
for r in sorted(nodes):
    try: nodes[r]["c"].sendall(b'{"do": "go"}\n')
    except OSError: pass
while len(fin) < N:
    time.sleep(.3); t = time.time()
    with lock:
        out = [r for r in sorted(nodes) if r not in fin and t - nodes[r]["t"] > TIMEOUT]
        for r in out:
            if not nodes[r]["lost"]:
                nodes[r]["lost"] = True
                say("WARNING", 511, "UpdateTopoState", "The node: %d (host %s) is timed out. It may exit with exception, "
                    "please check "
                    "this node's log." % (r, nodes[r]["host"]))
        if out and t - min(nodes[r]["t"] for r in out) > TIMEOUT + 1:
            say("ERROR", 528, "UpdateTopoState", "The total number of timed out node is %d. Timed out node list is: [const "
                "vector]{%s}, "
                "worker %d is the first one timed out, please check its log." % (len(out), ", ".join(map(str, out)),
                                                                              min(out, key=lambda r: nodes[r]["t"])))
            print("RuntimeError: The total number of timed out node is %d, worker %d is the first one timed out, please "
                "check its log."
                  % (len(out), min(out, key=lambda r: nodes[r]["t"])), flush=True)
            os._exit(1)
say("WARNING", 560, "Finalize", "All nodes are finalized, scheduler exits."); time.sleep(.2)
