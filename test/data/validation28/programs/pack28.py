"""Labels and archives; checks each pattern against the failed job and the successful ones.   pack28.py OUT | pack28.py
--leftover [JOB..]"""
import fnmatch, glob, json, os, re, shutil, subprocess, sys
import jobs_28
from labels28 import LABELS, NEUTRAL, NOISE
ROOT = os.environ.get("SANDPIPER_ROOT", "/tmp/lab"); RAW, TMP = ROOT + "/raw", ROOT + "/packtmp"
jobs = {d["id"]: d for d in jobs_28.JOBS}; left = sys.argv[1] == "--leftover"; want = sys.argv[2:] if left else []


def files(jd):
    return sorted((os.path.relpath(d + "/" + f, jd + "/logs"), d + "/" + f) for d, _, fs in os.walk(jd + "/logs") for f in fs)
def lines(p): return re.split(r"\r\n|\n|\r", open(p, encoding="utf8", errors="replace").read())
def norm(l):
    return re.sub(r"\d+", "#",
        re.sub(r"^\d+: |\[default\d\]:|\[(?:rank\d+|sandpiper)\]|0x[0-9a-f]+|gpu-b3-\d+|tc\d{3}|nid\d{6}|hgx\d{3}", "", l))
def alt(v): return "|".join(re.escape(str(k)) for k in v)


good, problems, rows = {}, [], []
for f in glob.glob(RAW + "/*/*/job.json"):
    m = json.load(open(f))
    if m["job_id"] in jobs and jobs[m["job_id"]]["split"] == "ok" and m["all_exit_zero"] and not m["cancelled_by_operator"]:
        good[m["job_id"]] = [(rel, lines(p)) for rel, p in files(os.path.dirname(f))]
for f in sorted(glob.glob(RAW + "/*/*/job.json")):
    m = json.load(open(f)); jid, fam, jd = m["job_id"], m["family"], os.path.dirname(f)
    if jid not in jobs or want and jid not in want and jobs[jid]["name"] not in want: continue
    s = jobs[jid]; ok = s["split"] == "ok"; fs = files(jd); content = [(rel, lines(p)) for rel, p in fs]
    out = dict(job_id=jid, family=fam, status="success" if ok else "failed", settings=m["settings"], start_time=m["start_time"],
        end_time=m["end_time"],
        nodes=m["node_names"], ranks_by_node=m["ranks_by_node"], launcher_exit_codes=m["launcher_exit_codes"],
        cancelled_by_operator=m["cancelled_by_operator"], clock_skew_seconds=m["clock_skew"], logs_missing=m["logs_missing"],
            log_files=len(fs),
        log_lines=sum(len(c) - 1 for _, c in content), log_bytes=sum(os.path.getsize(p) for _, p in fs))
    if m["injector_error"]: problems.append(jid + " (%s): injector error %s" % (s["name"], m["injector_error"][-1][-100:]))
    addr = m["addresses"]; row = dict(job=jid, status=out["status"], nodes=len(m["node_names"]), lines=out["log_lines"])
    if ok:
        if jid not in good: problems.append(jid + ": not clean"); continue
    else:
        if m["all_exit_zero"] and s["faultname"] not in ("slow_cpu", "throttled_rank",
            "slow_link"): problems.append("%s (%s): ran to the end" % (jid, s["name"]))
        if s["faultname"] not in LABELS: problems.append("%s: no label (%s)" % (jid, s["faultname"])); continue
        symptom, cat, sub, stage, diag, pats, x = LABELS[s["faultname"]]; t = m["truth"]; all_ = t["nodes"] == "all"
        nodes = [] if all_ else [m["node_names"][i] for i in t["nodes"]]
        ranks = t.get("ranks") or sorted(r for n in nodes for r in m["ranks_by_node"][n])
        tasks = [m["order"].index(n) for n in nodes]
        val = {"<FN>": alt(nodes), "<FR>": alt(ranks), "<FI>": alt(a for n in nodes for a in addr[n]), "<FT>": alt(tasks)}
        ind, hit = [], {}
        for scope, rx, role in pats:
            if all_ and re.search(r"<F[NRIT]>|F[NRT]", scope + rx): continue
            for k, v in val.items(): rx = rx.replace(k, v)
            wide = re.sub("F[NRT]", "*", scope); todo = [scope]
            for k, v in (("FN", nodes), ("FR", ranks), ("FT", tasks)): todo = [a.replace(k,
                str(b)) for a in todo for b in (v if k in a else [""])]
            for sc in todo:
                c = re.compile(rx)
                where = [(rel, [k for k, l in enumerate(ls) if c.search(l)]) for rel, ls in content if fnmatch.fnmatch(rel, sc)]
                where = [(rel, ks) for rel, ks in where if ks]
                if not where: continue
                for rel, ks in where:
                    for k in ks: hit.setdefault((rel, k), role)
                bad = sum(1 for g in good.values() for rel, ls in g if fnmatch.fnmatch(rel, wide) for l in ls if c.search(l))
                ind.append(dict(files=sc, regex=rx, role=role, lines=sum(len(ks) for _, ks in where), in_files=len(where),
                    nodes=sorted({n for rel, _ in where for n in [rel.split("/")[0] if rel.split("/")[0] in m["node_names"]
                        else "-"]}),
                    lines_in_successful_jobs=bad))
                if bad: problems.append("%s (%s): %s %r matches %d lines of good jobs" % (jid, s["name"], role, rx[:160], bad))
        if "root" not in {i["role"] for i in ind} and not x.get("noroot"): problems.append("%s (%s): no root line" % (jid,
            s["faultname"]))
        inj = [dict(time=e["time"], action=e["what"][:300], progress=e.get("progress")) for e in m["injections"]]
        inj += [dict(time=m["start_time"], action=a, progress=None) for a in x.get("action", [])]
        its = [e["progress"][1] for e in m["injections"] if e.get("progress") and e["progress"][1] >= 0]
        if x.get("it", 0) is None: its = []
        it = x["it"] if "it" in x else its[-1] if its else None; more = set(x.get("also", [])) | set(its)
        if it is not None: more |= {it - 1, it + 1} | set(range(it + 1, x.get("also_to", 0) + 1))
        also = sorted(k for k in more if k != it and 0 <= k <= m["settings"]["iterations"])
        out.update(symptom=symptom, root_cause=dict(category=cat, subtype=sub), fault=s["faultname"], stage=stage,
            faulty_nodes=nodes,
            all_nodes_alike=all_, faulty_ranks=ranks if not all_ else [], injections=inj, injected_iteration=it,
                classes=sorted(set(x["cl"]) | {6, 14}),
            diagnosable=diag, failure_indicating=ind, neutral=NEUTRAL + x.get("neutral", []), note=x.get("note", ""))
        if also: out["iteration_also"] = also
        if x.get("stage_also"): out["stage_also"] = x["stage_also"]
        if x.get("cause_also"): out["root_cause_also"] = [dict(category=a, subtype=b) for a, b in x["cause_also"]]
        if m["all_exit_zero"]: out["ran_to_the_end"] = True
        out["reference_jobs"] = sorted(good)
        row.update(cl=" ".join(map(str, out["classes"])), fault=s["faultname"], cause=cat + "/" + sub, symptom=symptom,
            stage="; ".join([stage] + x.get("stage_also", [])), faulty=" ".join(nodes) or "all",
                it=(str(it) if it is not None else "") + (
            ", also " if it is not None and also else "also " if also else "") + ", ".join(map(str, also)))
        if left:
            known = {norm(l) for g in good.values() for _, ls in g for l in ls}
            neu = [re.compile(r) for r in NEUTRAL + x.get("neutral", []) + NOISE]
            print("=====", jid, s["faultname"], m["settings"]["log_layout"], m["settings"]["parallelism"], nodes,
                [addr[n] for n in nodes], "ranks", ranks, "roots",
                sum(v == "root" for v in hit.values()), "effects", sum(v == "effect" for v in hit.values()), "it", it, also,
                    "cancelled",
                m["cancelled_by_operator"], "ok", m["all_exit_zero"], [e.get("progress") for e in m["injections"]]); seen = {}
            for rel, ls in content:
                for k, l in enumerate(ls):
                    if (rel, k) in hit: tag = hit[rel, k][0].upper()
                    elif norm(l) not in known and not any(n.search(l) for n in neu): tag = "?"
                    else: continue
                    key = (tag, rel[-12:], norm(l)[:50]); seen[key] = seen.get(key, 0) + 1
                    if seen[key] <= 1: print("  %s %s: %s" % (tag[0], rel[-22:],
                        re.sub(r"2026-11-28[-T ]\S+|^\S+ 28 \S+ ", "~", l)[:190]))
    for rel, ls in content:
        for l in ls:
            if ROOT in l or re.search(r"(?<![\w-])" + re.escape(jid) + r"(?!\w)",
                l): problems.append("%s: leak in %s: %s" % (jid, rel, l[:120])); break
    rows.append(row)
    if left: continue
    d = "%s/%s/%s" % (sys.argv[1], fam, jid); shutil.rmtree(d, ignore_errors=True); os.makedirs(d)
    json.dump(out, open(d + "/job.json", "w"), indent=1); tmp = TMP + "/" + jid; shutil.rmtree(tmp, ignore_errors=True)
    shutil.copytree(jd + "/logs", tmp)
    subprocess.run("tar --sort=name --owner=0 --group=0 --numeric-owner -C %s -cf - %s | gzip -9n > %s/%s.tar.gz" % (TMP, jid,
        d, jid), shell=True,
        check=True)
    shutil.rmtree(tmp)
if not left:
    for r in sorted(rows, key=lambda r: r["job"]):
        print("| " + " | ".join(str(r.get(k, "")) for k in ("job", "status", "nodes", "fault", "cause", "symptom", "stage",
            "faulty", "it", "cl", "lines")) + " |")
print("\n".join(problems), file=sys.stderr)
