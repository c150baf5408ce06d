"""Labels and archives; checks each pattern against the failed job and the successful ones.   pack23.py OUT [FAMILY..] | pack23.py --leftover FAMILY [JOB..]"""
import fnmatch, glob, json, os, re, shutil, subprocess, sys
import jobs_23
from labels23 import LABELS, NEUTRAL, NOISE
RAW, WORK, TMP = "/tmp/lab/raw23", "/tmp/lab/work23", "/tmp/lab/packtmp23"
jobs = {d["id"]: d for d in jobs_23.JOBS}
left = sys.argv[1] == "--leftover"
only = sys.argv[2:3] if left else sys.argv[2:]
want = sys.argv[3:] if left else []


def files(jd): return sorted((os.path.relpath(d + "/" + f, jd + "/logs"), d + "/" + f) for d, _, fs in os.walk(jd + "/logs") for f in fs)
def lines(p): return re.split(r"\r\n|\n|\r", open(p, encoding="utf8", errors="replace").read())
def norm(l): return re.sub(r"\d+", "#", re.sub(r"0x[0-9a-f]+|\S*-(?:head|worker)-\w{8}-compute|computeinstance-e00\w+|lam-h100-\d+|(?:nt-350m-pt|swiss-1b|fw-edu-abl3|decoder-lr-sweep)(?:-\d+)?|jobs-controller(?!-)|sky-api|devbox-2", "#", l))
def alt(v): return "(?:%s)" % "|".join(re.escape(str(k)) for k in v)


good, problems, rows = {}, [], []
for f in glob.glob(RAW + "/*/*/job.json"):
    m = json.load(open(f))
    if m["job_id"] in jobs and jobs[m["job_id"]]["split"] == "ok" and m["all_exit_zero"] and not m["cancelled_by_operator"]:
        good.setdefault(m["family"], {})[m["job_id"]] = [(rel, lines(p)) for rel, p in files(os.path.dirname(f))]
for f in sorted(glob.glob(RAW + "/*/*/job.json")):
    m = json.load(open(f)); jid, fam, jd = m["job_id"], m["family"], os.path.dirname(f)
    if jid not in jobs or only and fam not in only or want and jid not in want: continue
    s = jobs[jid]; ok = s["split"] == "ok"
    m["settings"].pop("_dims", None)
    fs = files(jd); content = [(rel, lines(p)) for rel, p in fs]
    out = dict(job_id=jid, family=fam, status="success" if ok else "failed", settings=m["settings"], start_time=m["start_time"], end_time=m["end_time"], nodes=m["node_names"], ranks_by_node=m["ranks_by_node"], launcher_exit_codes=m["launcher_exit_codes"],
               cancelled_by_operator=m["cancelled_by_operator"], clock_skew_seconds=m["clock_skew"], logs_missing=m["logs_missing"], log_files=len(fs), log_lines=sum(len(c) - 1 for _, c in content), log_bytes=sum(os.path.getsize(p) for _, p in fs))
    if m["injector_error"]: problems.append(jid + ": injector error")
    # what the launcher calls the nodes must be what job.json says of them
    addr = {n: l.split()[0] for l in open("%s/%s/hosts" % (WORK, jid)) for n in l.split()[1:]}
    told = {}
    for rel, ls in content:
        if rel == "_controller/provision.log":
            for l in ls:
                k = re.search(r"(?:Worker (\d+)|Head node) of '\S+' is instance (\S+), internal ip (\S+)", l)
                if k: told[int(k[1] or 0)] = k[2]; problems += ["%s: %s has not the address %s" % (jid, k[2], k[3])] if addr[k[2]] != k[3] else []
    if [told.get(i) for i in range(len(m["node_names"]))] != m["node_names"]: problems.append(jid + ": not all nodes are told")
    row = dict(job=jid, status=out["status"], nodes=len(m["node_names"]), lines=out["log_lines"])
    if ok:
        if jid not in good.get(fam, {}): problems.append(jid + ": not clean"); continue
    else:
        if (fam, s["faultname"]) not in LABELS: problems.append("%s: no label (%s)" % (jid, s["faultname"])); continue
        symptom, cat, sub, stage, diag, pats, x = LABELS[(fam, s["faultname"])]
        t = s["truth"]; all_ = t["nodes"] == "all"
        idx = [] if all_ else t["nodes"]
        nodes = [m["node_names"][i] for i in idx]
        ranks = t.get("ranks") or sorted(r for n in nodes for r in m["ranks_by_node"][n])
        ind, hit = [], {}
        for scope, rx, role in pats:
            if all_ and re.search(r"FN|FR|FI|FK", scope + rx): continue
            wide = re.sub(r"^FN/", "*/", scope)
            rx = rx.replace("FR", alt(ranks)).replace("FI", alt(addr[n] for n in nodes)).replace("FK", alt(idx))
            if "FN" in scope: todo = [(scope.replace("FN", n), rx.replace("FN", re.escape(n))) for n in nodes]
            else: todo = [(scope, rx.replace("FN", alt(nodes)))]
            for sc, r in todo:
                c = re.compile(r); where = [(rel, [k for k, l in enumerate(ls) if c.search(l)]) for rel, ls in content if fnmatch.fnmatch(rel, sc)]
                where = [(rel, ks) for rel, ks in where if ks]
                if not where: continue
                for rel, ks in where:
                    for k in ks: hit.setdefault((rel, k), role)
                bad = sum(1 for g in good.get(fam, {}).values() for rel, ls in g if fnmatch.fnmatch(rel, wide) for l in ls if c.search(l))
                ind.append(dict(files=sc, regex=r, role=role, lines=sum(len(ks) for _, ks in where), in_files=len(where), nodes=sorted({rel.split("/")[0] for rel, _ in where}), lines_in_successful_jobs=bad))
                if bad: problems.append("%s: %r matches %d lines of good jobs" % (jid, r, bad))
        if "root" not in {i["role"] for i in ind}: problems.append("%s (%s): no root line" % (jid, s["faultname"]))
        inj = [dict(time=e["time"], action=e["what"][:300], progress=e.get("progress")) for e in m["injections"]]
        for a in x.get("action", []): inj.append(dict(time=m["start_time"], action=a, progress=None))
        # progress counts the steps done, the program prints a step's number once it is done: the step in work is one more
        its = [e["progress"][1] for e in m["injections"] if e.get("progress") and e["progress"][1] >= 0]
        if x.get("it", 0) is None: its = []   # ended from outside
        g = x["it"] if "it" in x else its[-1] if its else None
        more = set(x.get("also", [])) | set(its) | ({g} if g is not None else set())
        more |= set(range(g + 1, x["also_to"] + 1)) if "also_to" in x else set()
        it = None if g is None else g + 1
        also = sorted({k for v in more for k in (v, v + 1)} | ({g + 2} if g is not None else set()))
        also = [k for k in also if k != it and k >= 0]
        out.update(symptom=symptom, root_cause=dict(category=cat, subtype=sub), fault=s["faultname"], stage=stage, faulty_nodes=nodes, all_nodes_alike=all_, faulty_ranks=ranks if not all_ else [], injections=inj, injected_iteration=it,
                   classes=sorted(set(x["cl"]) | {6} | ({9} if len(m["node_names"]) <= 2 else set())), diagnosable=diag, failure_indicating=ind, neutral=NEUTRAL[fam] + x.get("neutral", []), note=x.get("note", ""))
        if also: out["iteration_also"] = also
        if x.get("stage_also"): out["stage_also"] = x["stage_also"]
        if x.get("cause_also"): out["root_cause_also"] = [dict(category=a, subtype=b) for a, b in x["cause_also"]]
        if m["all_exit_zero"]: out["ran_to_the_end"] = True
        out["reference_jobs"] = sorted(good.get(fam, {}))
        row.update(cl=" ".join(map(str, out["classes"])), fault=s["faultname"], cause=cat + "/" + sub, symptom=symptom, stage="; ".join([stage] + x.get("stage_also", [])), faulty=" ".join(nodes) or "all", it=", also ".join(([str(it)] if it is not None else []) + ([", ".join(map(str, also))] if also else [])) if it is not None else ("also " + ", ".join(map(str, also)) if also else ""))
        if left:
            known = {norm(l) for g in good.get(fam, {}).values() for _, ls in g for l in ls}
            neu = [re.compile(r) for r in NEUTRAL[fam] + NOISE]
            print("=====", jid, s["faultname"], "roots", sum(v == "root" for v in hit.values()), "effects", sum(v == "effect" for v in hit.values()), "it", it, also, "cancelled", m["cancelled_by_operator"])
            for rel, ls in content:
                for k, l in enumerate(ls):
                    if (rel, k) in hit: print("  %s %s: %s" % (hit[rel, k][0].upper(), rel, l[:900]))
                    elif norm(l) not in known and not any(n.search(l) for n in neu): print("  ? %s: %s" % (rel, l[:900]))
    for rel, ls in content:
        for l in ls:
            if os.path.dirname(WORK) in l or re.search(r"(?<![\w-])" + re.escape(jid) + r"(?!\w)", l): problems.append("%s: leak in %s: %s" % (jid, rel, l[:120])); break
    rows.append(row)
    if left: continue
    d = "%s/%s/%s" % (sys.argv[1], fam, jid); shutil.rmtree(d, ignore_errors=True); os.makedirs(d); json.dump(out, open(d + "/job.json", "w"), indent=1)
    tmp = TMP + "/" + jid; shutil.rmtree(tmp, ignore_errors=True); shutil.copytree(jd + "/logs", tmp)
    subprocess.run("tar --sort=name --owner=0 --group=0 --numeric-owner -C %s -cf - %s | gzip -9n > %s/%s.tar.gz" % (TMP, jid, d, jid), shell=True, check=True); shutil.rmtree(tmp)
if not left:
    for r in sorted(rows, key=lambda r: r["job"]):
        print("| " + " | ".join(str(r.get(k, "")) for k in ("job", "status", "nodes", "fault", "cause", "symptom", "stage", "faulty", "it", "cl", "lines")) + " |")
print("\n".join(problems), file=sys.stderr)
