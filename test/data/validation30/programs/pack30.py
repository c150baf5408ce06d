"""Labels and archives; checks each pattern against the failed job and the successful ones.   pack30.py OUT | pack30.py --leftover [JOB..]"""
import fnmatch, glob, json, os, re, shutil, subprocess, sys
import jobs_30
from labels30 import LABELS, NEUTRAL
ROOT = os.environ.get("FULMAR_ROOT", "/tmp/lab"); RAW, TMP = ROOT + "/raw", ROOT + "/packtmp"
jobs = {d["id"]: d for d in jobs_30.JOBS}; left = sys.argv[1] == "--leftover"; want = sys.argv[2:] if left else []
TO_END = ("slow_cpu", "throttled_rank", "slow_link")


def files(jd): return sorted((os.path.relpath(d + "/" + f, jd + "/logs"), d + "/" + f) for d, _, fs in os.walk(jd + "/logs") for f in fs)
def lines(p): return re.split(r"\r\n|\n|\r", open(p, encoding="utf8", errors="replace").read())
def alt(v): return "|".join(re.escape(str(k)) for k in v)
STRIP = r"^ts=\S+ host=\S+ job=\d+ src=\S+ fd=\w+ msg=\"|^(?:\w{3} \w{3} [ \d]\d [\d:]{8} \d{4})?\[\d+\]<\w+>:|^(?:[\d:.]+ )?t\d!?: |^\d\d/\d\d/\d{4} [\d:]+\||^\w{3} [ \d]\d [\d:]{8} \S+ |^\d{4}-\d\d-\d\d [\d:]+ fulmarrun\[\d+\]: |^\[fulmarrun [\d.]+ s\] |^fulmarrun: "
HOST = r"compute-\d+-\d+|nid\d{5}|g\w{4}\.pool\.lan|\d+\.\d+\.\d+\.\d+|\b(?:skua|dunlin|petrel|gannet|knot|whimbrel|turnstone|kittiwake|eider|scoter|shag)\b"
def norm(l): return re.sub(r"[\d.]+", "#", re.sub(STAMP, "", re.sub(HOST, "HOST", re.sub(STRIP, "", re.sub(STRIP, "", l)))))
STAMP = r"(?:\d{4}-\d\d-\d\d \S+ train_imgs \w+ |\d\d:\d\d:\d\d\.\d+ \w |\d{10}\.\d{3} \w+: )?"
DP = r"(?:fulmarrun: |\d{4}-\d\d-\d\d [\d:]+ fulmarrun\[\d+\]: \w+: |\[fulmarrun [\d.]+ s\] )"


def where(m, scope, nodes, ranks):
    """[(files, prefix)] of a scope"""
    lay = m["layout"]; f = scope.endswith("F"); k = scope[0]
    if k in "DJ":
        p = DP if k == "D" else ""
        if lay == "logfmt": return [("collector/*.logfmt", r'^ts=\S+ host=\S+ job=\d+ src=job fd=\w+ msg="' + p)]
        return [("*.[oe][0-9]*" if lay == "split" else "*.o[0-9]*", "^" + p)]
    who = "(?:%s)" % alt(ranks) if f else r"\d+"
    if lay in ("joined", "split"): return [("*.[oe][0-9]*" if lay == "split" else "*.o[0-9]*", r"^(?:\w{3} \w{3} [ \d]\d [\d:]{8} \d{4})?\[%s\]<\w+>:" % who + STAMP)]
    if lay == "rankdir": return [("out/rank.%s/std*" % r, "^" + STAMP) for r in ranks] if f else [("out/rank.*/std*", "^" + STAMP)]
    if lay == "logfmt": return [("collector/*.logfmt", r'^ts=\S+ host=\S+ job=\d+ src=worker\.%s fd=\w+ msg="' % who + STAMP)]
    if f: return [("tasks/%s.out" % n, r"^(?:[\d:.]+ )?t(?:%s)!?: " % alt(x for x, r in enumerate(m["ranks_by_node"][n]) if r in ranks) + STAMP) for n in nodes]
    return [("tasks/*.out", r"^(?:[\d:.]+ )?t\d!?: " + STAMP)]


def daemons(m, scope, nodes):
    if scope == "Q": return ["qmaster/messages"]
    f = "messages" if scope[0] == "S" or m["daemons"] == "syslog" else "execd_messages"
    return ["%s/%s" % (n, f) for n in nodes] if scope[-1] == "F" else ["*/" + f]


good, problems, rows = {}, [], []
for f in glob.glob(RAW + "/*/*/job.json"):
    m = json.load(open(f))
    if m["job_id"] in jobs and jobs[m["job_id"]]["split"] == "ok" and m["all_exit_zero"] and not m["cancelled_by_operator"]:
        good[m["job_id"]] = (m, [(rel, lines(p)) for rel, p in files(os.path.dirname(f))])
for f in sorted(glob.glob(RAW + "/*/*/job.json")):
    m = json.load(open(f)); jid, fam, jd = m["job_id"], m["family"], os.path.dirname(f)
    if jid not in jobs or want and jid not in want and jobs[jid]["name"] not in want: continue
    s = jobs[jid]; ok = s["split"] == "ok"; fs = files(jd); content = [(rel, lines(p)) for rel, p in fs]
    order = m["node_names"]
    out = dict(job_id=jid, family=fam, status="success" if ok else "failed", settings=m["settings"], start_time=m["start_time"], end_time=m["end_time"], nodes=order, ranks_by_node=m["ranks_by_node"],
        launcher_exit_codes=m["launcher_exit_codes"], cancelled_by_operator=m["cancelled_by_operator"], clock_skew_seconds=m["clock_skew"], logs_missing=m["logs_missing"], log_files=len(fs),
        log_lines=sum(len(c) - 1 for _, c in content), log_bytes=sum(os.path.getsize(p) for _, p in fs))
    if m["injector_error"]: problems.append(jid + " (%s): injector error %s" % (s["name"], m["injector_error"][-1][-100:]))
    addr = m["addresses"]; row = dict(job=jid, status=out["status"], nodes=len(order), lines=out["log_lines"], layout=m["layout"])
    if ok:
        if jid not in good: problems.append(jid + ": not clean"); continue
    else:
        if m["all_exit_zero"] != (s["faultname"] in TO_END): problems.append("%s (%s): ended with %s" % (jid, s["name"], m["all_exit_zero"]))
        if m["cancelled_by_operator"]: problems.append("%s (%s): ended by the operator" % (jid, s["name"]))
        if s["faultname"] not in LABELS: problems.append("%s: no label (%s)" % (jid, s["faultname"])); continue
        symptom, cat, sub, stage, diag, pats, x = LABELS[s["faultname"]]; t = m["truth"]; all_ = t["nodes"] == "all"
        nodes = [] if all_ else [order[i] for i in t["nodes"]]; loc = t.get("local")
        ranks = sorted(r for n in nodes for k, r in enumerate(m["ranks_by_node"][n]) if loc is None or k == loc)
        val = {"(?:FN)": "(?:%s)" % alt(nodes), "(?:FR)": "(?:%s)" % alt(ranks)}
        ind, hit = [], {}
        for scope, rx, role in pats:
            if all_ and (scope[-1] == "F" or re.search(r"\(\?:F[NR]\)", rx)): continue
            rx0 = rx
            for k, v in val.items(): rx = rx.replace(k, v)
            if scope[0] in "SXQ": todo = [(g, rx) for g in daemons(m, scope, nodes)]
            else: todo = [(a, p + "(?:%s)" % rx if "|" in rx else p + rx) for a, p in where(m, scope, nodes, ranks)]
            for sc, rx2 in todo:
                c = re.compile(rx2); w = [(rel, [k for k, l in enumerate(ls) if c.search(l)]) for rel, ls in content if fnmatch.fnmatch(rel, sc)]; w = [(rel, ks) for rel, ks in w if ks]
                if not w: continue
                for rel, ks in w:
                    for k in ks: hit.setdefault((rel, k), role)
                bad, ex = 0, ""
                for gm, gc in good.values():      # the same pattern in the layout of the successful job, with any node and rank
                    ry = rx0.replace("(?:FN)", r"\S+?").replace("(?:FR)", r"\d+")
                    if scope[0] in "SXQ": gt = [(g, ry) for g in daemons(gm, scope[0], [])]
                    else: gt = [(a, p + "(?:%s)" % ry) for a, p in where(gm, scope[0], [], [])]
                    for a, p in gt:
                        c2 = re.compile(p)
                        for rel, ls in gc:
                            if fnmatch.fnmatch(rel, a):
                                for l in ls:
                                    if c2.search(l): bad += 1; ex = l
                ind.append(dict(files=sc, regex=rx2, role=role, lines=sum(len(ks) for _, ks in w), in_files=len(w), nodes=sorted({n for rel, _ in w for n in [rel.split("/")[0] if rel.split("/")[0] in order else "-"]}), lines_in_successful_jobs=bad))
                if bad: problems.append("%s (%s): %s %r matches %d lines of good jobs: %s" % (jid, s["name"], role, rx[:90], bad, ex[:200]))
        if "root" not in {i["role"] for i in ind} and not x.get("noroot"): problems.append("%s (%s): no root line" % (jid, s["faultname"]))
        inj = [dict(time=e["time"], action=e["what"][:300], progress=e.get("progress")) for e in m["injections"]] + [dict(time=m["start_time"], action=a, progress=None) for a in x.get("action", [])]
        its = [e["progress"][1] for e in m["injections"] if e.get("progress") and e["progress"][1] >= 0]
        if x.get("it", 0) is None: its = []
        it = x["it"] if "it" in x else its[-1] if its else None; more = set(x.get("also", [])) | set(its)
        if it is not None:
            it += 1      # the step in work
            more |= {it - 1, it + 1} | set(range(it + 1, x.get("also_to", 0) + 1))
        also = sorted(k for k in more if k != it and 0 <= k <= m["settings"]["iterations"])
        out.update(symptom=symptom, root_cause=dict(category=cat, subtype=sub), fault=s["faultname"], stage=stage, faulty_nodes=nodes, all_nodes_alike=all_, faulty_ranks=ranks if not all_ else [], injections=inj,
            injected_iteration=it, classes=sorted(set(x["cl"]) | {6, 14}), diagnosable=diag, failure_indicating=ind, neutral=NEUTRAL + x.get("neutral", []), note=x.get("note", ""))
        if also: out["iteration_also"] = also
        if x.get("stage_also"): out["stage_also"] = x["stage_also"]
        if x.get("cause_also"): out["root_cause_also"] = [dict(category=a, subtype=b) for a, b in x["cause_also"]]
        if m["all_exit_zero"]: out["ran_to_the_end"] = True
        out["reference_jobs"] = sorted(good)
        row.update(cl=" ".join(map(str, out["classes"])), fault=s["faultname"], cause=cat + "/" + sub, symptom=symptom, stage="; ".join([stage] + x.get("stage_also", [])), faulty=" ".join(nodes) or "all",
            it=(str(it) if it is not None else "") + (", also " if it is not None and also else "also " if also else "") + ", ".join(map(str, also)))
        if left:
            known = {norm(l) for _, g in good.values() for _, ls in g for l in ls}; neu = [re.compile(r) for r in NEUTRAL + x.get("neutral", [])]
            print("=====", jid, s["faultname"], m["layout"], m["settings"]["parallelism"], nodes, "ranks", ranks, "roots", sum(v == "root" for v in hit.values()), "effects", sum(v == "effect" for v in hit.values()),
                "it", it, also, "ok", m["all_exit_zero"], [e.get("progress") for e in m["injections"]]); seen = {}
            for rel, ls in content:
                for k, l in enumerate(ls):
                    if (rel, k) in hit: tag = hit[rel, k][0].upper()
                    elif norm(l) not in known and not any(n.search(l) for n in neu) and not re.search(r"images/sec|step - loss|Train Epoch|\|I\||\]: info |accounting|^gpu\.q:|job \d+ \(|rank \d+ of \d+, local|UNDEFINED|images in|rendezvous server listens|slots: |Started fulmar|stats, step|link is up|model: |copied|startpe", l): tag = "?"
                    else: continue
                    key = (tag, norm(l)[30:80] if tag == "E" else norm(l)[:60]); seen[key] = seen.get(key, 0) + 1
                    if seen[key] <= 1: print("  %s %s: %s" % (tag[0], rel[-22:], re.sub(r"^ts=\S+ host=(\S+) job=\d+ ", r"\1 ", l)[:250]))
    for rel, ls in content:
        for l in ls:
            if ROOT in l or re.search(r"(?<![\w-])" + re.escape(jid) + r"(?!\w)", l): problems.append("%s: leak in %s: %s" % (jid, rel, l[:120])); break
    rows.append(row)
    if left: continue
    d = "%s/%s/%s" % (sys.argv[1], fam, jid); shutil.rmtree(d, ignore_errors=True); os.makedirs(d)
    json.dump(out, open(d + "/job.json", "w"), indent=1); tmp = TMP + "/" + jid; shutil.rmtree(tmp, ignore_errors=True); shutil.copytree(jd + "/logs", tmp)
    subprocess.run("tar --sort=name --owner=0 --group=0 --numeric-owner -C %s -cf - %s | gzip -9n > %s/%s.tar.gz" % (TMP, jid, d, jid), shell=True, check=True); shutil.rmtree(tmp)
if not left:
    for r in sorted(rows, key=lambda r: r["job"]): print("| " + " | ".join(str(r.get(k, "")) for k in ("job", "status", "nodes", "layout", "fault", "cause", "symptom", "stage", "faulty", "it", "cl", "lines")) + " |")
print("\n".join(problems), file=sys.stderr)
