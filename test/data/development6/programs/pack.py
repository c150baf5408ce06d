import json, os, re, sys, tarfile, time, glob, shutil
import lab
RAW = sys.argv[1]; OUT = sys.argv[2]
P = r"^(?:[\d:. ]+w\d\d |[\d. :+]+<\w+> )?"
NEUTRAL = [r"^Traceback \(", r"^\s+\S", r"^\s*$", r"^[~^]+$", "During handling of the above", "The above exception was"]
GONE = (r"(EOFError: (hub|leaf) hung up|ConnectionResetError|BrokenPipeError|RingBroken: left neighbour closed the ring)", "effect")
CREW = (r"^crew .*(member \d+ left with 1$|waiting \d+ s for the others|telling member)", "effect")
WAIT = (r"(no answer within 12 s in generation|TimeoutError: timed out|RingBroken: left neighbour sent nothing)", "effect")
def L(m): return (r"^crew .*member %d ended by signal 9" % m, "root")
T = "training crash"; I = "iterative training"
def ticks(g): return [(g - 1) % 24 + 1, g]
LABEL = {
 "wv-03": dict(faulty=[3], stage=I, it=23, also=[22], f=[L(3), GONE, CREW]),
 "wv-04": dict(faulty=[2], stage=I, it=32, also=[31], f=[WAIT, GONE, CREW, (r"^crew .*member 2 ended by signal", "effect")]),
 "wv-05": dict(faulty=[4], stage=I, it=18, also=[17], f=[("eth0 is down", "root"), WAIT, GONE, CREW]),
 "wv-06": dict(faulty=[1], stage=I, it=31, also=[30, 32], f=[]),
 "wv-07": dict(faulty=[0], stage="checkpointing", stage_also=[I], it=30, also=list(range(20, 31)), f=[("No space left on device|/mnt/vnode (99|100) % used", "root"), GONE, CREW]),
 "wv-08": dict(faulty=[2], stage="environment initialization", f=[("refusing vat3: width 8", "root"), ("told to go: width", "effect"), (r"^crew .*(member 2 left with 6|ended by signal 15)", "effect"), GONE, CREW]),
 "wv-09": dict(faulty=[], alike=True, stage=I, it=27, also=[], f=[("IndexError: list index out of range", "root"), GONE, CREW]),
 "wv-10": dict(faulty=[], alike=True, stage="data loading", f=[("FileNotFoundError", "root"), CREW, (r"^crew .*ended by signal 15", "effect")]),
 "bk-03": dict(faulty=[2], stage=I, it=6, also=[5, 29, 30], f=[L(2), GONE, CREW]),
 "bk-04": dict(faulty=[1], stage=I, it=13, also=[12, 36, 37], f=[WAIT, GONE, CREW, (r"^crew .*member 1 ended by signal", "effect")]),
 "bk-05": dict(faulty=[3], stage=I, it=19, also=[18, 42, 43], f=[("eth0 is down", "root"), WAIT, GONE, CREW]),
 "bk-06": dict(faulty=[3], stage=I, it=5, also=[4, 6, 28, 29, 30], f=[]),
 "bk-07": dict(faulty=[0], stage="checkpointing", stage_also=[I], it=24, also=list(range(6, 24)) + list(range(30, 49)), f=[("No space left on device|/mnt/vnode (99|100) % used", "root"), GONE, CREW]),
 "bk-08": dict(faulty=[2], stage="data loading", f=[("ValueError: table .* is cut", "root"), (r"(cannot reach|nobody came from the left)", "effect"), (r"^crew .*(left with 3|ended by signal 15)", "effect"), GONE, CREW, WAIT]),
 "bk-09": dict(faulty=[], alike=True, stage=I, it=17, also=[16, 40, 41], f=[("IndexError: list index out of range", "root"), GONE, CREW]),
 "bk-10": dict(faulty=[3], stage="data loading", stage_also=["environment initialization"], f=[("ValueError: table .* is cut", "root"), (r"(cannot reach|nobody came from the left)", "effect"), (r"^crew .*(left with 3|ended by signal 15)", "effect"), GONE, CREW, WAIT]),
}
good = {}
def lines(d):
    for f in sorted(glob.glob(d + "/**/*", recursive=True)):
        if os.path.isfile(f):
            for l in re.split(r"[\r\n]", open(f, errors="replace").read()): yield os.path.relpath(f, d), l
for j in lab.JOBS:
    if j.prog not in sys.argv[3:]: continue
    d = "%s/%s" % (RAW, j.id); m = json.load(open("%s/%s.meta" % (RAW, j.id))); l = LABEL.get(j.id, {})
    fam = {"weaver": "weaver_crew", "brook": "brook_crew"}[j.prog]
    o = "%s/%s/%s" % (OUT, fam, j.id); os.makedirs(o, exist_ok=True)
    doc = dict(job_id=j.id, family=fam, status="success" if j.fault == "ok" else "failed",
        settings=dict(program=j.prog, nodes=j.n, ranks=j.n, ranks_per_node=1), start_time=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(m["start"])),
        nodes=j.names, fault=None if j.fault == "ok" else j.fault, injections=m["events"], launcher_exit_codes=m["rc"])
    if j.fault != "ok":
        doc.update(stage=l["stage"], stage_also=l.get("stage_also", []), faulty_nodes=[j.names[i] for i in l["faulty"]], all_nodes_alike=l.get("alike", False),
            injected_iteration=l.get("it"), iteration_also=l.get("also", []), failure_indicating=[dict(files="*", regex=r, role=k) for r, k in l["f"]], neutral=NEUTRAL)
        seen = {r: 0 for r, k in l["f"]}
        for f, t in lines(d):
            for r in seen: seen[r] += bool(re.search(r, t))
        print(j.id, j.fault, [e["iter"] for e in m["events"]], list(seen.values()))
        for gid in [g.id for g in lab.JOBS if g.fault == "ok" and g.prog == j.prog]:
            for f, t in lines("%s/%s" % (RAW, gid)):
                for r in seen:
                    if re.search(r, t): print("  in good", gid, f, t[:100])
        left = [(f, t) for f, t in lines(d) if re.search("rror|roken|signal|refus|cannot|nobody|fail|down|left with [1-9]|telling|9[0-9] % used|100 % used", t) and not any(re.search(r, t) for r in list(seen) + NEUTRAL)]
        for f, t in left[:6]: print("   rest", f, t[:140])
    json.dump(doc, open(o + "/job.json", "w"), indent=1)
    with tarfile.open("%s/%s.tar.gz" % (o, j.id), "w:gz") as t: t.add(d, arcname=j.id)
