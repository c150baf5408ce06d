"""The daemon of a node: runs the job's script (on the first node), starts ranks for mpiexec, carries their output.   mom.py LOGDIR SERVER"""
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time

from common import MOM_PORT, SERVER_PORT, CredentialError, Line, Log, check, clock, dial, listen, stamp

HOST = socket.gethostname()
folder, server = sys.argv[1:3]
log = Log(folder + "/mom_logs", "pbs_mom")
BUSY = set()
OWN = json.loads(os.environ.get("PBS_ENVIRONMENT", "{}"))


def main():
    log(0x0002, "Svr", "Log", "Log opened")
    log(0x0002, "Svr", "pbs_mom", "pbs_version=23.06.06")
    log(0x0002, "n/a", "read_config", "max_load=%d ideal_load=%d" % (4, 2))
    s = listen(MOM_PORT)
    log(0x0006, "Svr", "pbs_mom", "Mom pid = %d ready, using ports Server:%d MOM:%d RM:%d" % (os.getpid(), SERVER_PORT, MOM_PORT, MOM_PORT + 1))
    threading.Thread(target=talk_to_server, daemon=True).start()
    while True:
        c, addr = s.accept()
        threading.Thread(target=serve_tasks, args=(Line(c), addr[0]), daemon=True).start()


def talk_to_server():
    for k in range(120):
        try:
            line = dial(server, SERVER_PORT, 5)
            break
        except OSError:
            if k == 20:
                log(0x0001, "Svr", "pbs_mom", "could not connect to server %s" % server)
            time.sleep(0.3)
    else:
        return
    line.send(do="hello", host=HOST)
    log(0x0002, "Svr", "pbs_mom", "Hello exchange with server %s complete" % server)

    def beat():
        while True:
            time.sleep(1)
            try:
                line.send(do="beat")
            except OSError:
                return
    threading.Thread(target=beat, daemon=True).start()
    job = None
    while True:
        try:
            m = line.recv()
        except (OSError, ValueError):
            m = None
        if m is None:
            if BUSY:
                log(0x0001, "Svr", "pbs_mom", "connection to server %s closed" % server)
            return
        if m["do"] == "run":
            job = Script(m["job"], line)
        elif m["do"] == "signal" and job:
            log(0x0008, "Job", job.id, "signal job request received, %s" % m["why"])
            job.kill("delete job request received" if m["why"] == "delete" else "kill_job")


class Script:
    """The job's script, on mother superior."""

    def __init__(self, job, line):
        self.id, self.line, self.job, self.t0 = job["id"], line, job, time.time()
        self.nodefile = "/var/lib/node/" + self.id
        with open(self.nodefile, "w") as f:
            f.write("".join(h + "\n" for h in job["hosts"]))
        self.out = open("/mnt/logs/%s.o%s" % (job["name"], self.id.split(".")[0]), "ab", buffering=0)
        env = dict(os.environ, PBS_JOBID=self.id, PBS_NODEFILE=self.nodefile, PBS_O_WORKDIR="/workspace", PBS_O_HOST=server, PBS_QUEUE=job["queue"], PBS_JOBNAME=job["name"], NCPUS=str(job["ppn"]), **job["env"])
        self.p = subprocess.Popen(["/bin/bash", job["script"]], env=env, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.out, start_new_session=True, cwd="/workspace")
        log(0x0008, "Job", self.id, "Started, pid = %d" % self.p.pid)
        line.send(do="started", session=self.p.pid)
        threading.Thread(target=self.watch, daemon=True).start()

    def kill(self, why):
        log(0x0008, "Job", self.id, why)
        try:
            os.killpg(self.p.pid, signal.SIGTERM)
            time.sleep(8)
            if self.p.poll() is None:
                log(0x0008, "Job", self.id, "task 00000001 force exited")
                os.killpg(self.p.pid, signal.SIGKILL)
        except OSError:
            pass

    def watch(self):
        late = False
        while self.p.poll() is None:
            time.sleep(0.2)
            used = time.time() - self.t0
            if used > self.job["walltime"] and not late:
                late = True
                text = "walltime %d exceeded limit %d" % (used, self.job["walltime"])
                self.out.write(("=>> PBS: job killed: %s\n" % text).encode())
                log(0x0008, "Job", self.id, text)
                threading.Thread(target=self.kill, args=("kill_job",), daemon=True).start()
        rc = self.p.returncode
        status = 256 - rc if rc < 0 else rc
        cpu = resource.getrusage(resource.RUSAGE_CHILDREN)
        cput = cpu.ru_utime + cpu.ru_stime
        log(0x0008, "Job", self.id, "task 00000001 terminated")
        log(0x0008, "Job", self.id, "Terminated")
        log(0x0100, "Job", self.id, "task 00000001 cput=%s" % clock(cput))
        log(0x0008, "Job", self.id, "kill_job")
        log(0x0100, "Job", self.id, "%s cput=%s mem=%dkb" % (HOST, clock(cput), cpu.ru_maxrss))
        log(0x0008, "Job", self.id, "no active tasks")
        used = "resources_used.cput=%s resources_used.mem=%dkb resources_used.ncpus=%d resources_used.walltime=%s" % (clock(cput), cpu.ru_maxrss, self.job["ppn"] * len(self.job["hosts"]), clock(time.time() - self.t0))
        try:
            self.line.send(do="obit", status=status, used=used)
            log(0x0100, "Job", self.id, "Obit sent")
        except OSError:
            log(0x0001, "Job", self.id, "Obit could not be sent")


def serve_tasks(line, addr):
    """A connection of mpiexec: starts ranks, sends their output, tells how they end."""
    m = line.recv()
    if m is None:
        return
    try:
        check(m["cred"])
    except CredentialError as e:
        t = m["cred"][0]
        log(0x0001, "Svr", "pbs_mom", "authentication of %s failed: %s (encoded at %s, decoded at %s)" % (addr, e, time.strftime("%F %T", time.localtime(t)), time.strftime("%F %T")))
        line.send(refused=str(e))
        line.close()
        return
    jid, tasks = m["job"], {}
    BUSY.add(jid)
    log(0x0008, "Job", jid, "JOIN_JOB as node %d" % m["node"])

    def carry(rank, name, stream):
        for text in stream:
            try:
                line.send(rank=rank, stream=name, text=text.rstrip("\n"))
            except OSError:
                break

    def attend(rank, p, threads):
        rc = p.wait()
        for t in threads:
            t.join(3)
        log(0x0008, "Job", jid, "task %08X terminated" % (0x20000001 + rank))
        try:
            line.send(rank=rank, status=rc)
        except OSError:
            pass
    for rank, local in m["ranks"]:
        env = dict(m["env"], PMI_RANK=str(rank), PMI_SIZE=str(m["size"]), PMI_LOCAL_RANK=str(local), PMI_LOCAL_SIZE=str(len(m["ranks"])), PALS_RANKID=str(rank), PALS_NODEID=str(m["node"]))
        env.update({k: v for k, v in os.environ.items() if k in ("LD_PRELOAD", "CLOCK_SKEW_MS")}, **OWN)
        try:
            p = subprocess.Popen(m["cmd"], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True, cwd=m["cwd"])
        except OSError as e:
            log(0x0001, "Job", jid, "task not started, %s: %s" % (m["cmd"][0], e.strerror))
            line.send(rank=rank, status=127, error=e.strerror)
            continue
        tasks[rank] = p
        log(0x0008, "Job", jid, "task %08X started, %s" % (0x20000001 + rank, os.path.basename(m["cmd"][0])))
        threads = [threading.Thread(target=carry, args=(rank, n, s), daemon=True) for n, s in (("out", p.stdout), ("err", p.stderr))]
        for t in threads:
            t.start()
        threading.Thread(target=attend, args=(rank, p, threads), daemon=True).start()

    def tick():
        while True:
            time.sleep(2)
            try:
                line.send(tick=1)
            except OSError:
                return
    threading.Thread(target=tick, daemon=True).start()
    while True:
        try:
            q = line.recv()
        except (OSError, ValueError):
            q = None
        sig = q["signal"] if q else signal.SIGKILL
        live = [p for p in tasks.values() if p.poll() is None]
        if q is None and live:
            log(0x0008, "Job", jid, "connection of mpiexec at %s closed, %d task(s) killed" % (addr, len(live)))
        for p in live:
            try:
                os.killpg(p.pid, sig)
            except OSError:
                pass
        if q is None:
            break
    BUSY.discard(jid)
    log(0x0008, "Job", jid, "DELETE_JOB received")


main()
