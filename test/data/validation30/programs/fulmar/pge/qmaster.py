"""The batch system's master, in small: hosts, one parallel job, users, administrators.   qmaster.py SPEC LOGS CTL"""
import json, os, signal, socket, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import *
SP, LOGS, CTL = json.load(open(sys.argv[1])), sys.argv[2], sys.argv[3]; os.makedirs(LOGS + "/qmaster", exist_ok=True)
M = Messages(SP["daemons"], LOGS + "/qmaster/messages", LOGS + "/qmaster/messages", SP["qm"], "pge_qmaster"); lock = threading.RLock(); hosts = {}; JID = SP["job"]; st = dict(prep={}, rc=None, why="", failed=0, running=False, t0=time.time())


def end(failed, why, rc):
    with lock:
        if st["rc"] is None: st.update(rc=rc, why=why, failed=failed)


def serve(c):
    h = None
    try:
        for l in c.makefile():
            m = json.loads(l)
            with lock:
                if m["do"] == "hello":
                    h = m["host"]; old = hosts.get(h); hosts[h] = dict(c=c, ip=m["ip"], t=time.time(), up=True, n=(old or {}).get("n", 0) + 1)
                    if old and st["running"]: M("W", "listen", "execd on host %s registered a second time, it was restarted" % h); st.setdefault("kill", (time.time() + 1.5, "execution host %s was restarted" % h)) if h in use() else None
                    else: M("I", "listen", "execd on host %s registered" % h)
                if m["do"] == "load":
                    hosts[h]["t"] = time.time()
                    if not hosts[h]["up"]: hosts[h]["up"] = True; M("I", "worker", "host %s reports again" % h)
                if m["do"] == "prep": st["prep"][h] = m["rc"]
                if m["do"] == "limit": st["why"] = m["what"]
                if m["do"] == "jobend" and not st.get("end"): st["end"] = m["rc"]
    except (OSError, ValueError): pass
    with lock:
        if h and hosts[h]["c"] is c and st["rc"] is None: M("W", "listen", "commlib: stream of execd on %s is closed" % h); hosts[h]["c"] = None


def use(): return SP["order"][:SP["use"]]
def to(h, **m):
    try: send(hosts[h]["c"], **m); return True
    except (OSError, KeyError, AttributeError): return False


def unheard():
    for h, d in list(hosts.items()):
        a = time.time() - d["t"]
        if d["up"] and a > SP["unheard"]:
            d["up"] = False; M("E", "timer", "execd on host %s has not reported for %.0f s, gpu.q@%s goes to state u" % (h, a, h))
            if h in use(): st.setdefault("kill", (time.time() + SP["kill_wait"], "host %s is unknown" % h)); st["lost_master"] = st.get("lost_master") or h == use()[0]


def commands(done=[0]):
    try: ls = open(CTL).read().splitlines()
    except OSError: return
    for l in ls[done[0]:]:
        done[0] += 1; m = json.loads(l)
        if m["do"] == "qdel": M("I", "worker", "%s has requested the deletion of job %s from %s" % (SP["user"], JID, SP["submit"])); st["why"] = "deleted"; to(use()[0], do="stop", job=JID)
        if m["do"] == "maintain":
            M("W", "worker", "%s has shut down the queue instance gpu.q@%s, jobs there are terminated: %s" % (m["who"], m["host"], m["reason"])); to(m["host"], do="end", why="queue instance is shut down by %s" % m["who"])
        if m["do"] == "subordinate": M("W", "worker", "gpu.q@%s suspended by subordination, job %d of %s was started in urgent.q@%s" % (m["host"], m["other"], m["who"], m["host"])); to(m["host"], do="suspend", job=JID)
        if m["do"] == "grow": M("I", "worker", "job %s: host %s added to the granted resources" % (JID, m["host"])); SP["use"] += 1; to(m["host"], do="prep", job=JID, name=SP["name"], master=False); time.sleep(2); to(use()[0], do="hosts", hosts=[(h, SP["slots"]) for h in use()])


def account():
    with open(LOGS + "/qmaster/accounting", "a") as o: o.write("gpu.q:%s:users:%s:%s:%s:pge:0:%d:%d:%d:%d:%d:%d:fulmar:%d\n" % (use()[0], SP["user"], SP["name"], JID, st["t0"], st.get("t1", 0), time.time(), st["failed"], st["rc"], time.time() - st.get("t1", time.time()), SP["slots"] * SP["use"]))


def main():
    M("I", "main", "qmaster of cell default starts, max_unheard %d s" % SP["unheard"]); s = socket.create_server(("0.0.0.0", 6444))
    def acc():
        while True: threading.Thread(target=serve, args=(s.accept()[0],), daemon=True).start()
    threading.Thread(target=acc, daemon=True).start(); t0 = time.time(); signal.signal(signal.SIGTERM, lambda *a: (M("C", "main", "shut down by signal"), os._exit(1))); M("I", "worker", "job %s \"%s\" submitted by %s on %s, pe fulmar %d" % (JID, SP["name"], SP["user"], SP["submit"], SP["slots"] * SP["use"]))
    while len(hosts) < len(SP["order"]) and time.time() - t0 < 40: time.sleep(.05)
    st["t1"] = time.time(); M("I", "schedd", "job %s.1: reserved %d slots on %s" % (JID, SP["slots"] * SP["use"], ", ".join("gpu.q@%s" % h for h in use())))
    for h in use(): to(h, do="prep", job=JID, name=SP["name"], master=h == use()[0])
    t0 = time.time()
    while time.time() - t0 < 20 and not all(h in st["prep"] for h in use()):
        time.sleep(.05)
        with lock: unheard()
    bad = [h for h in use() if st["prep"].get(h) != 0]
    if bad:
        for h in bad: M("E", "worker", "job %s.1 failed on host %s before job: %s" % (JID, h, "prolog exit status %d" % st["prep"][h] if h in st["prep"] else "no report of the prolog")); M("W", "worker", "gpu.q@%s is set to state E" % h)
        end(8, "prolog", 1)
    else:
        st["running"] = True; to(use()[0], do="run", job=JID, name=SP["name"], hosts=[(h, SP["slots"]) for h in use()], script=SP["script"], discovery=SP["discovery"], h_rt=SP["h_rt"])
    while st["rc"] is None:
        time.sleep(.05)
        with lock: unheard()
        commands()
        if "end" in st:
            rc, w = st["end"], st["why"]
            if w == "h_rt": end(37, "h_rt", rc or 1); M("W", "worker", "job %s.1 failed on host %s assumedly after job: it exceeded h_rt" % (JID, use()[0]))
            elif w == "deleted": end(100, w, rc or 1); M("W", "worker", "job %s.1 was deleted by %s" % (JID, SP["user"]))
            elif rc: end(0, "", rc); M("W", "worker", "job %s.1 finished on host %s with exit status %d" % (JID, use()[0], rc))
            else: end(0, "", 0); M("I", "worker", "job %s.1 finished, exit status 0" % JID)
        k = st.get("kill")
        if k and time.time() > k[0] and not st.get("killed"):
            st["killed"] = time.time(); M("E", "worker", "job %s.1 is aborted: %s" % (JID, k[1])); to(use()[0], do="stop", job=JID)
            for h in use(): to(h, do="end", why="job %s is aborted by qmaster" % JID) if h != use()[0] else None
        if st.get("killed") and time.time() - st["killed"] > 7: end(21, k[1], 1); M("E", "worker", "job %s.1 failed on host %s: no report of its end" % (JID, use()[0]))
    account(); time.sleep(.8); os._exit(st["rc"] and 1)


main()
