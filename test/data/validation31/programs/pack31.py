"""Labels and archives; checks each pattern against the failed job and the successful ones.   pack31.py OUT | pack31.py --leftover [JOB..]"""
import fnmatch, glob, json, os, re, shutil, subprocess, sys
import jobs_31
from labels31 import LABELS, NEUTRAL
ROOT = os.environ.get("PIPIT_ROOT", "/tmp/lab"); RAW, TMP = ROOT + "/raw", ROOT + "/packtmp"
jobs = {d["id"]: d for d in jobs_31.JOBS}; left = sys.argv[1] == "--leftover"; want = sys.argv[2:] if left else []
TO_END = ("slow_cpu", "throttled_rank", "slow_link", "slow_data")


def files(jd): return sorted((os.path.relpath(d + "/" + f, jd + "/logs"), d + "/" + f) for d, _, fs in os.walk(jd + "/logs") for f in fs)
def lines(p): return re.split(r"\r\n|\n|\r", open(p, encoding="utf8", errors="replace").read())
def alt(v): return "|".join(re.escape(str(k)) for k in v)
STRIP = r"^ *\d+: |^[\w-]+: (?=\[|\S|  )|^\[rank\d+\]: |^\[\d\d\d\d-[^\]]*\] |^\w{3} [ \d]\d [\d:]{8} \S+ |^\d{4}-\d\d-\d\dT[\d:.+]+ \S+ "
PEAKS = "eiger|moench|jungfrau|piz-buin|ortler|dufour|weissmies|dom|lyskamm|rimpfisch"
HOST = r"ip-\d+-\d+-\d+-\d+|c\dr\d\dn\d\d|hgx-\w\d\d|trn\d{3}|\d+\.\d+\.\d+\.\d+|\b(?:" + PEAKS + r")\b"
def norm(l): return re.sub(r"[\d.]+", "#", re.sub(HOST, "HOST", re.sub(STRIP, "", re.sub(STRIP, "", l))))
RK = r"(?:\[rank\d+\]: ?)?"


def where(m, scope, nodes, ranks):
    """[(files, prefix)] of a scope"""
    lay = m["layout"]; f = scope.endswith("F"); k = scope[0]; who = "(?:%s)" % alt(ranks) if f else r"\d+"; host = "(?:%s)" % alt(nodes) if f else r"[\w-]+"
    if k == "D":
        if lay in ("pdsh", "dsrank"): return [("*.log", "^" + host + ": ")] if f else [("*.log", "^(?:[\\w-]+: )?")]
        if lay == "dsin": return [("slurm-*.out", "^" + host + ": ")] if f else [("slurm-*.out", "^(?:[\\w-]+: )?")]
        return [] if f else [({"one": "slurm-*.out", "rank": "slurm-*.out", "label": "*-[0-9]*.log", "nodeerr": "*_[0-9]*.out"}[lay], r"^(?: *\d+: )?" if lay == "label" else "^")] + ([("*_[0-9]*.err", "^")] if lay == "nodeerr" else []) + ([("ranks/*.log", "^")] if lay == "rank" else [])
    rk = r"\[rank%s\]: " % who
    if lay == "one": return [("slurm-*.out", "^" + (rk if f else RK))]
    if lay == "label": return [("*-[0-9]*.log", r"^ *%s: " % who + RK)]
    if lay == "nodeerr": return [("*_%s.%s" % (n, x), "^" + (rk if len(m["ranks_by_node"][n]) > 1 and len([r for r in ranks if r in m["ranks_by_node"][n]]) < len(m["ranks_by_node"][n]) else RK)) for n in nodes for x in ("err", "out")] if f else [("*_[0-9]*.err", "^" + RK), ("*_[0-9]*.out", "^" + RK)]
    if lay == "rank": return [("ranks/*_%04d.log" % r, "^" + RK) for r in ranks] if f else [("ranks/*.log", "^" + RK)]
    if lay == "dsrank": return [("ranks/*_rank%s.log" % r, "^" + RK) for r in ranks] if f else [("ranks/*.log", "^" + RK)]
    g = "*.log" if lay == "pdsh" else "slurm-*.out"
    if f:
        out = []
        for n in nodes:
            mine = m["ranks_by_node"][n]; sub = [r for r in ranks if r in mine]
            out.append((g, "^(?:%s): " % re.escape(n) + (RK if len(sub) == len(mine) else r"\[rank(?:%s)\]: " % alt(sub))))
        return out
    return [(g, r"^[\w-]+: " + RK)]


def daemons(m, scope, nodes):
    k = scope[0]
    if k == "C": return ["slurmctld.log"]
    if k == "Z": return ["scontrol_show_job.txt", "sinfo.txt", "jobcomp.log"]
    fs = {"S": ["syslog"], "K": ["dmesg"], "X": ["slurmd.log"], "N": ["nhc.log", "prolog.log"], "Y": ["sshd.log"]}[k]
    return ["%s/%s" % (n, f) for f in fs for n in nodes] if scope[-1] == "F" else ["*/" + f for f in fs]


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
        val = {"(?:FN)": "(?:%s)" % alt(nodes), "(?:FR)": "(?:%s)" % alt(ranks), "(?:FA)": "(?:%s)" % alt(x for n in nodes for x in m["addresses"][n])}
        ind, hit = [], {}
        for scope, rx, role in pats:
            if all_ and (scope[-1] == "F" or re.search(r"\(\?:F[NRA]\)", rx)): continue
            rx0 = rx
            for k, v in val.items(): rx = rx.replace(k, v)
            if scope[0] in "SKXNCZY": todo = [(g, rx) for g in daemons(m, scope, nodes)]
            else: todo = [(a, p + "(?:%s)" % rx if "|" in rx else p + rx) for a, p in where(m, scope, nodes, ranks)]
            for sc, rx2 in todo:
                c = re.compile(rx2); w = [(rel, [k for k, l in enumerate(ls) if c.search(l)]) for rel, ls in content if fnmatch.fnmatch(rel, sc)]; w = [(rel, ks) for rel, ks in w if ks]
                if not w: continue
                for rel, ks in w:
                    for k in ks: hit.setdefault((rel, k), role)
                bad, ex = 0, ""
                for gm, gc in good.values():      # the same pattern in the layout of the successful job, with any node and rank
                    ry = rx0.replace("(?:FN)", r"[\w-]+").replace("(?:FR)", r"\d+").replace("(?:FA)", r"\d+\.\d+\.\d+\.\d+")
                    if scope[0] in "SKXNCZY": gt = [(g, ry) for g in daemons(gm, scope[0], [])]
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
            it += 1      # the iteration in work
            more |= {it - 1, it + 1} | set(range(it + 1, x.get("also_to", 0) + 1))
        lastlog = max([int(a or b) for _, ls in content for l in ls for a, b in re.findall(r"iteration +(\d+)/|Epoch 0: .*?(\d+)/\d+ \[", l)] or [-1])
        if it is not None and not m["all_exit_zero"] and it <= lastlog + 1: more |= set(range(it, min(lastlog + 1, it + 5) + 1))
        also = sorted(k for k in more if k != it and 0 <= k <= m["settings"]["iterations"])
        out.update(symptom=symptom, root_cause=dict(category=cat, subtype=sub), fault=s["faultname"], stage=stage, faulty_nodes=nodes, all_nodes_alike=all_, faulty_ranks=ranks if not all_ else [], injections=inj,
            injected_iteration=it, classes=sorted(set(x["cl"]) | {6, 14}), diagnosable=diag, failure_indicating=ind, neutral=NEUTRAL + x.get("neutral", []), note=x.get("note", ""))
        if also: out["iteration_also"] = also
        last = [int(a or b) for _, ls in content for l in ls for a, b in re.findall(r"iteration +(\d+)/|Epoch 0: .*?(\d+)/\d+ \[", l)]
        out["last_logged_iteration"] = max(last) if last else None
        if x.get("stage_also"): out["stage_also"] = x["stage_also"]
        if x.get("cause_also"): out["root_cause_also"] = [dict(category=a, subtype=b) for a, b in x["cause_also"]]
        if m["all_exit_zero"]: out["ran_to_the_end"] = True
        out["reference_jobs"] = sorted(good)
        row.update(cl=" ".join(map(str, out["classes"])), fault=s["faultname"], cause=cat + "/" + sub, symptom=symptom, stage="; ".join([stage] + x.get("stage_also", [])), faulty=" ".join(nodes) or "all",
            it=(str(it) if it is not None else "") + (", also " if it is not None and also else "also " if also else "") + ", ".join(map(str, also)))
        if left:
            known = {norm(l) for _, g in good.values() for _, ls in g for l in ls}; neu = [re.compile(r) for r in NEUTRAL + x.get("neutral", [])]
            print("=====", jid, s["faultname"], m["layout"], m["settings"]["parallelism"], m["launcher_exit_codes"], nodes, "ranks", ranks, "roots", sum(v == "root" for v in hit.values()), "effects", sum(v == "effect" for v in hit.values()),
                "it", it, also, "last", max([int(a or b) for _, ls in content for l in ls for a, b in re.findall(r"iteration +(\d+)/|Epoch 0: .*?(\d+)/\d+ \[", l)] or [-1]), "ok", m["all_exit_zero"], [e.get("progress") for e in m["injections"]]); seen = {}
            for rel, ls in content:
                for k, l in enumerate(ls):
                    if (rel, k) in hit: tag = hit[rel, k][0].upper()
                    elif norm(l) not in known and not any(n.search(l) for n in neu) and not re.search(r"iteration +\d+/|Epoch 0:|\.\.\.\.\. |step=\d|micro_step|node-stats|: \([\d.]+, |rank +\d+:|spawned with|WORLD INFO|memory \(MB\)|number of param|launch task|slurmd |CPUs=|initialized on|rank +\d+ host|validation loss|sched: |NodeList=|   \S+=\S+|cmd = |export |Accepted pub|port \d+|staged|\+ srun", l): tag = "?"
                    else: continue
                    key = (tag, norm(l)[30:80] if tag == "E" else norm(l)[:60]); seen[key] = seen.get(key, 0) + 1
                    if seen[key] <= 1: print("  %s %s: %s" % (tag[0], rel[-26:], l[:230]))
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
