"""Runs a job and follows its allocations until all have ended; again while attempts are left.   run.py JOB.json"""
import json, signal, sys, time
from hclog import call
job = json.load(open(sys.argv[1])); S = "127.0.0.1"; asked = []
signal.signal(signal.SIGTERM, lambda *a: asked.append(1))
now = lambda: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
def say(m, head=False): print(("==> " if head else "    ") + now() + ": " + m, flush=True)
while call(S, op="ready")["n"] < job["count"]: time.sleep(.2)
time.sleep(.5)
rc = 1
for attempt in range(job["attempts"]):
    r = call(S, op="submit", job=job); e = r["eval"][:8]
    say('Monitoring evaluation "%s"' % e, True); say('Evaluation triggered by job "%s"' % job["id"])
    for a in r["allocs"]: say('Allocation "%s" created: node "%s", group "trainer" (index %d on %s)' % (a["id"][:8], a["node"][:8], a["index"], a["node_name"]))
    say('Evaluation status changed: "pending" -> "complete"'); say('Evaluation "%s" finished with status "complete"' % e, True)
    seen, bad, stopped, t0 = {}, None, None, time.time()
    while True:
        al = call(S, op="status", id=job["id"])["allocs"]
        for a in al:
            if seen.get(a["id"], "pending") != a["status"]:
                say('Allocation "%s" status changed: "%s" -> "%s"%s' % (a["id"][:8], seen.get(a["id"], "pending"), a["status"], " (%s)" % a["desc"] if a["desc"] else "")); seen[a["id"]] = a["status"]
        done = [a for a in al if a["status"] in ("complete", "failed", "lost")]
        if len(done) == len(al): break
        if bad is None and any(a["status"] in ("failed", "lost") for a in al): bad = time.time()
        if stopped is None and (asked or (bad and time.time() > bad + job["grace"])):
            stopped = time.time(); r = call(S, op="stop", id=job["id"])
            say('Monitoring evaluation "%s"' % r["eval"][:8], True); say('Evaluation triggered by job "%s" (deregister%s)' % (job["id"], ", requested by operator" if asked else ", failed allocations"))
        if stopped and time.time() > stopped + 16: break
        time.sleep(.3)
    ok = all(a["status"] == "complete" for a in al) and not stopped
    say('Job "%s" version %d finished: %s' % (job["id"], attempt, ", ".join("%d %s" % (sum(a["status"] == s for a in al), s) for s in ("complete", "failed", "lost", "running") if any(a["status"] == s for a in al))), True)
    call(S, op="stop", id=job["id"]) if not ok and not stopped else None
    if ok: rc = 0
    if ok or asked: break
    time.sleep(2)
sys.exit(rc)
