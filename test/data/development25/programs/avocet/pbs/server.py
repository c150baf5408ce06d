"""The batch server: one queue, one job at a time.   server.py LOGDIR"""
import json
import os
import sys
import threading
import time

from common import SERVER_PORT, Line, Log, clock, dial, listen, stamp, MOM_PORT

DOWN_AFTER, REQUEUE_AFTER = 9, 22
HOST = os.uname()[1]
folder = sys.argv[1]
log = Log(folder + "/server_logs", "Server@" + HOST)
os.makedirs(folder + "/accounting", exist_ok=True)
acct = open("%s/accounting/%s" % (folder, time.strftime("%Y%m%d")), "a", buffering=1)
nodes, lock, job = {}, threading.Lock(), {}


def account(kind, text):
    acct.write("%s;%s;%s;%s\n" % (stamp().split(".")[0], kind, job["id"], text))


def tell_mother(**k):
    try:
        nodes[job["hosts"][0]]["line"].send(**k)
    except (KeyError, OSError):
        log(0x0001, "Job", job["id"], "could not send %s to mother superior %s" % (k["do"], job["hosts"][0]))


def over(status, used):
    if job.get("over"):
        return
    job["over"] = True
    log(0x0010, "Job", job["id"], "Exit_status=%d %s" % (status, used))
    log(0x0008, "Job", job["id"], "dequeuing from %s, state E" % job["queue"])
    account("E", "user=%s group=users project=_pbs_project_default jobname=%s queue=%s exec_host=%s Resource_List.walltime=%s session=%s end=%d Exit_status=%d %s run_count=1" % (
        job["user"], job["name"], job["queue"], "+".join("%s/0*%d" % (h, job["ppn"]) for h in job["hosts"]), clock(job["walltime"]), job.get("session", 0), time.time(), status, used))
    job["status"] = status
    job["done"].set()


def serve(line):
    host = None
    while True:
        try:
            m = line.recv()
        except (OSError, ValueError):
            m = None
        if m is None:
            break
        if m["do"] == "hello":
            host = m["host"]
            with lock:
                nodes[host] = dict(line=line, seen=time.time(), down=False)
            log(0x0002, "Node", host, "Hello (no inventory required) from mom, hook_copy 0")
            log(0x0002, "Node", host, "set_vnode_state; vnode.state=0x0 vnode_o.state=0x402 vnode_o.last_state_change_time=0 state_bits=0xfffffffffffffbfd state_bit_op_type_str=Nd_State_And state_bit_op_type_enum=2")
        elif m["do"] == "beat":
            nodes[host]["seen"] = time.time()
        elif m["do"] == "started":
            job["session"] = m["session"]
        elif m["do"] == "obit":
            log(0x0100, "Req", "", "Type 6 request received from root@%s, sock=%d" % (host, line.sock.fileno()))
            over(m["status"], m["used"])
        elif m["do"] == "submit":
            threading.Thread(target=run, args=(m["job"], line), daemon=True).start()
        elif m["do"] == "delete":
            log(0x0100, "Req", "", "Type 6 request received from %s@%s, sock=%d" % (job["user"], HOST, line.sock.fileno()))
            log(0x0008, "Job", job["id"], "Job to be deleted at request of %s@%s" % (job["user"], HOST))
            account("D", "requestor=%s@%s" % (job["user"], HOST))
            tell_mother(do="signal", why="delete")
    if host and nodes.get(host, {}).get("line") is line and not nodes[host]["down"] and not job.get("over"):
        nodes[host]["down"] = time.time()
        log(0x0001, "Node", host, "node down: communication closed")


def run(j, line):
    job.update(j, done=threading.Event())
    log(0x0100, "Req", "", "Type 5 request received from %s@%s, sock=%d" % (job["user"], HOST, line.sock.fileno()))
    log(0x0100, "Job", job["id"], "enqueuing into %s, state Q hop 1" % job["queue"])
    account("Q", "user=%s group=users project=_pbs_project_default jobname=%s queue=%s ctime=%d" % (job["user"], job["name"], job["queue"], time.time()))
    log(0x0008, "Job", job["id"], "Job Queued at request of %s@%s, owner = %s@%s, job name = %s, queue = %s" % (job["user"], HOST, job["user"], HOST, job["name"], job["queue"]))
    end = time.time() + 40
    while time.time() < end and any(h not in nodes for h in job["hosts"]):
        time.sleep(0.1)
    missing = [h for h in job["hosts"] if h not in nodes]
    if missing:
        log(0x0001, "Job", job["id"], "Job not run: %s" % ", ".join("node %s is in state down" % h for h in missing))
        return
    log(0x0008, "Job", job["id"], "Job Run at request of Scheduler@%s on exec_vnode %s" % (HOST, "+".join("(%s:ncpus=%d)" % (h, job["ppn"]) for h in job["hosts"])))
    account("S", "user=%s group=users jobname=%s queue=%s exec_host=%s Resource_List.nodect=%d Resource_List.walltime=%s" % (job["user"], job["name"], job["queue"], "+".join("%s/0*%d" % (h, job["ppn"]) for h in job["hosts"]), len(job["hosts"]), clock(job["walltime"])))
    tell_mother(do="run", job={k: v for k, v in job.items() if k not in ("done", "over")})
    while not job["done"].wait(0.5):
        now = time.time()
        for h in job["hosts"]:
            n = nodes[h]
            if not n["down"] and now > n["seen"] + DOWN_AFTER:
                n["down"] = now
                log(0x0001, "Node", h, "node down: no heartbeat for %d seconds" % (now - n["seen"]))
            if n["down"] and now > n["down"] + REQUEUE_AFTER and not n.get("told"):
                n["told"] = True
                log(0x0001, "Job", job["id"], "Job deleted, execution node %s down" % h)
                tell_mother(do="signal", why="node_fail")
                if h == job["hosts"][0]:
                    over(-11, "resources_used.walltime=00:00:00")
                else:
                    job["kill_at"] = now + 12
        if job.get("kill_at") and now > job["kill_at"]:
            over(-11, "resources_used.walltime=00:00:00")
    line.send(status=job["status"])


s = listen(SERVER_PORT)
log(0x0002, "Svr", "Log", "Log opened")
log(0x0002, "Svr", "Server@" + HOST, "pbs_version=23.06.06")
log(0x0006, "Svr", "Server@" + HOST, "Server Ready, pid = %d, loglevel=0" % os.getpid())
while True:
    c, _ = s.accept()
    threading.Thread(target=serve, args=(Line(c),), daemon=True).start()
