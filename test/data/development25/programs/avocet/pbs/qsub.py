"""Submits a job and waits for its end; SIGTERM deletes the job.   qsub.py JOB.json"""
import json
import signal
import socket
import sys
import time

from common import SERVER_PORT, dial

job = json.load(open(sys.argv[1]))
for k in range(50):
    try:
        line = dial(socket.gethostname(), SERVER_PORT, 5)
        break
    except OSError:
        time.sleep(0.2)


def delete(*_):
    line.send(do="delete")


signal.signal(signal.SIGTERM, delete)
line.send(do="submit", job=job)
print(job["id"], flush=True)
m = line.recv()
sys.exit(0 if m and m["status"] == 0 else 1 if m is None else min(255, abs(m["status"])))
