"""Starts the ranks of this machine and waits for them; starts them again while attempts are left.   python3 -m topaz.launch --num_machines N .. MODULE"""
import argparse
import os
import signal
import socket
import subprocess
import sys
import time

p = argparse.ArgumentParser(prog="topaz launch")
p.add_argument("--num_machines", type=int, required=True)
p.add_argument("--machine_rank", type=int, required=True)
p.add_argument("--num_processes", type=int, help="in all")
p.add_argument("--main_process_ip", required=True)
p.add_argument("--main_process_port", type=int)
p.add_argument("--max_attempts", type=int, default=1)
p.add_argument("--mixed_precision", default=None)
p.add_argument("module")
a = p.parse_args()
notes = []
if a.num_processes is None:
    a.num_processes = a.num_machines
    notes.append("\t`--num_processes` was set to a value of `%d`" % a.num_processes)
if a.main_process_port is None:
    a.main_process_port = 29711
    notes.append("\t`--main_process_port` was set to a value of `29711`")
if a.mixed_precision is None:
    notes.append("\t`--mixed_precision` was set to a value of `'no'`")
if notes:
    print("\n".join(["The following values were not passed to `topaz launch` and had defaults used instead:"] + notes + ["To avoid this warning pass in values for each of the problematic parameters."]), flush=True)
per = a.num_processes // a.num_machines


def say(text):
    print("%s [launch@%s] %s" % (time.strftime("%H:%M:%S"), socket.gethostname(), text), flush=True)


def attempt(n):
    kids = []
    cmd = [sys.executable, "-u", "-m", a.module]
    for k in range(per):
        env = dict(os.environ, RANK=str(a.machine_rank * per + k), LOCAL_RANK=str(k), WORLD_SIZE=str(a.num_processes), TOPAZ_ATTEMPT=str(n))
        env.setdefault("MASTER_ADDR", a.main_process_ip)
        env["MASTER_PORT"] = str(a.main_process_port + n)
        kids.append(subprocess.Popen(cmd, env=env))
    say("attempt %d of %d: %d process(es), ranks %d to %d, pids %s" % (n, a.max_attempts, per, a.machine_rank * per, a.machine_rank * per + per - 1, [k.pid for k in kids]))
    while True:
        codes = [k.poll() for k in kids]
        bad = [(k, c) for k, c in enumerate(codes) if c]
        if bad:
            for k in kids:
                if k.poll() is None:
                    say("sending SIGTERM to local rank %d" % kids.index(k))
                    k.send_signal(signal.SIGTERM)
            end = time.time() + 4
            while time.time() < end and any(k.poll() is None for k in kids):
                time.sleep(0.1)
            for k in kids:
                if k.poll() is None:
                    k.kill()
            return bad[0][1], cmd
        if all(c == 0 for c in codes):
            return 0, cmd
        time.sleep(0.2)


for n in range(1, a.max_attempts + 1):
    code, cmd = attempt(n)
    if code == 0:
        say("all local processes done")
        sys.exit(0)
    say("local process returned %d%s" % (code, ", starting over in 4 s" if n < a.max_attempts else ""))
    if n < a.max_attempts:
        time.sleep(4)
raise subprocess.CalledProcessError(returncode=code, cmd=cmd)
