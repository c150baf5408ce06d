#!/usr/bin/env python3
"""Tails the logs of pods (CRI format), adds what is known of the pod, and sends them on by HTTP.   shipper.py NODE HOST:PORT"""
import glob
import json
import os
import sys
import time
import urllib.error
import urllib.request

NODE, DEST = sys.argv[1:3]


def say(level, msg):
    print("[%s] [%5s] %s" % (time.strftime("%Y/%m/%d %H:%M:%S", time.gmtime()), level, msg), flush=True)


files, queue, tries, again, chunk = {}, [], 0, 0, 0
say("info", "[fluent bit] version=3.2.4, commit=, pid=%d" % os.getpid())
say("info", "[output:http:http.0] worker #0 started")
while True:
    for p in sorted(glob.glob("/var/log/pods/*/*/*.log")):
        if p not in files:
            files[p] = [open(p, "rb"), b""]
            say("info", "[input:tail:tail.0] inotify_fs_add(): inode=%d watch_fd=%d name=%s" % (os.stat(p).st_ino, len(files), p))
        f = files[p]
        *ls, f[1] = (f[1] + f[0].read()).split(b"\n")
        if not ls:
            continue
        ns, pod, uid = p.split("/")[4].split("_")
        cname = p.split("/")[5]
        try:
            labels = json.load(open("/run/podmeta/" + uid))
            cid = open("/run/podmeta/%s-%s" % (uid, cname)).read()
        except (OSError, ValueError):
            labels, cid = {}, ""
        for l in ls:
            ts, stream, tag, text = l.decode("utf8", "replace").split(" ", 3)
            queue.append({"@timestamp": ts[:23] + "Z", "time": ts, "stream": stream, "_p": tag, "log": text, "kubernetes": {"pod_name": pod, "namespace_name": ns, "pod_id": uid, "labels": labels, "host": NODE, "container_name": cname, "docker_id": cid[:12]}})
    if queue and time.time() >= again:
        batch = sorted(queue[:2000], key=lambda r: r["time"])
        try:
            urllib.request.urlopen(urllib.request.Request("http://%s/ingest" % DEST, "\n".join(json.dumps(r, ensure_ascii=False) for r in batch).encode() + b"\n", method="POST"), timeout=3).read()
            if tries:
                say("info", "[engine] flush chunk '%d-%d.flb' succeeded at retry %d: task_id=0, input=tail.0 > output=http.0 (out_id=0)" % (os.getpid(), chunk, tries))
            del queue[:len(batch)]
            tries, chunk = 0, chunk + 1
        except urllib.error.HTTPError as e:
            tries += 1
            again = time.time() + 1
            say("error", "[output:http:http.0] %s, HTTP status=%d" % (DEST, e.code))
            say("warn", "[engine] failed to flush chunk '%d-%d.flb', retry in 1 seconds: task_id=0, input=tail.0 > output=http.0 (out_id=0)" % (os.getpid(), chunk))
        except OSError as e:
            tries += 1
            wait = min(8, 2 ** tries)
            again = time.time() + wait
            say("error", "[net] connection #-1 failed to: %s" % DEST)
            say("error", "[output:http:http.0] no upstream connections available to %s" % DEST)
            say("warn", "[engine] failed to flush chunk '%d-%d.flb', retry in %d seconds: task_id=0, input=tail.0 > output=http.0 (out_id=0)" % (os.getpid(), chunk, wait))
    time.sleep(.4)
