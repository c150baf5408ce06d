"""Labels and archives; checks each pattern against the failed job and the successful ones.   pack27.py OUT | pack27.py
--leftover [JOB..]"""
import fnmatch, glob, json, os, re, shutil, subprocess, sys
import jobs_27
from labels27 import LABELS, NEUTRAL, NOISE, WL
ROOT = os.environ.get("DOTTEREL_ROOT", "/tmp/lab"); RAW, TMP = ROOT + "/raw", ROOT + "/packtmp"
jobs = {d["id"]: d for d in jobs_27.JOBS}
left = sys.argv[1] == "--leftover"
want = sys.argv[2:] if left else []


def files(jd):
    return sorted((os.path.relpath(d + "/" + f, jd + "/logs"), d + "/" + f) for d, _, fs in os.walk(jd + "/logs") for f in fs)
def lines(p): return re.split(r"\r\n|\n|\r", open(p, encoding="utf8", errors="replace").read())
def norm(l):
    l = re.sub(r"0x[0-9a-f]+|ffff[0-9a-f]{8}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}|bms-a2-[fhk]\d+|npu-pool-\d+-\w{5}|"
        r"cn-gy1b-r\d+u\d+|atlas\d{4}|"
        r"dotterel_130m|dotterel-base|pretrain_dt|dt_ablation|ma_user_zhq|llm-team-03|hw_ops_lj|pool-a2|q-llm|\b(?:eth1|"
        r"enp125s0f0|hccn0|eth4)\b|"
        r"^\[worker_\d+\] ", "", l)
    return re.sub(r"\d+", "#", l)
def alt(v): return "(?:%s)" % "|".join(re.escape(str(k)) for k in v)


good, problems, rows = {}, [], []
for f in glob.glob(RAW + "/*/*/job.json"):
    m = json.load(open(f))
    if m["job_id"] in jobs and jobs[m["job_id"]]["split"] == "ok" and m["all_exit_zero"] and not m["cancelled_by_operator"]:
        good[m["job_id"]] = [(rel, lines(p)) for rel, p in files(os.path.dirname(f))]
for f in sorted(glob.glob(RAW + "/*/*/job.json")):
    m = json.load(open(f)); jid, fam, jd = m["job_id"], m["family"], os.path.dirname(f)
    if jid not in jobs or want and jid not in want and jobs[jid]["name"] not in want: continue
    s = jobs[jid]; ok = s["split"] == "ok"
    fs = files(jd); content = [(rel, lines(p)) for rel, p in fs]
    out = dict(job_id=jid, family=fam, status="success" if ok else "failed", settings=m["settings"],
        start_time=m["start_time"], end_time=m["end_time"], nodes=m["node_names"], ranks_by_node=m[
            "ranks_by_node"], launcher_exit_codes=m["launcher_exit_codes"],
               cancelled_by_operator=m["cancelled_by_operator"], clock_skew_seconds=m["clock_skew"],
               logs_missing=m["logs_missing"], log_files=len(fs), log_lines=sum(len(c) - 1 for _, c in content),
               log_bytes=sum(os.path.getsize(p) for _, p in fs))
    if m["injector_error"]: problems.append(jid + " (%s): injector error %s" % (s["name"], m["injector_error"][-1][-100:]))
    addr = m["addresses"]
    row = dict(job=jid, status=out["status"], nodes=len(m["node_names"]), lines=out["log_lines"])
    if ok:
        if jid not in good: problems.append(jid + ": not clean"); continue
    else:
        if s["faultname"] not in LABELS: problems.append("%s: no label (%s)" % (jid, s["faultname"])); continue
        symptom, cat, sub, stage, diag, pats, x = LABELS[s["faultname"]]
        t = s["truth"]; all_ = t["nodes"] == "all"
        idx = [] if all_ else t["nodes"]
        nodes = [m["node_names"][i] for i in idx]
        ranks = t.get("ranks") or sorted(r for n in nodes for r in m["ranks_by_node"][n])
        pods = x.get("pods", idx)
        ind, hit = [], {}
        for scope, rx, role in pats:
            if not pods and "FX" in scope + rx: continue
            if all_ and (scope == "OWN" or re.search(r"FN|FR|FI|FX", scope + rx)): continue
            wide = WL if scope == "OWN" else scope.replace("FN", "*").replace("FX", "*")
            rx0 = rx = rx.replace("(?:FR)", alt(ranks)).replace("FI", alt(a for n in nodes
                for a in addr[n])).replace("(?:FX)", alt(pods))
            if scope == "OWN":
                todo = [(n + "/msrun_log*/worker_%d.log" % r, "^" + rx) for n in nodes for r in ranks]
                todo += [(n + "/msrun_log*/workers.log", r"^\[worker_%s\] " % alt(ranks) + rx) for n in nodes]
            elif "FX" in scope: todo = [(scope.replace("FX", str(k)), rx.replace("FX", str(k))) for k in pods]
            elif "FN" in scope: todo = [(scope.replace("FN", n), rx.replace("FN", re.escape(n))) for n in nodes]
            else: todo = [(scope, rx.replace("(?:FN)", alt(nodes)).replace("FN", alt(nodes)))]
            for sc, r in todo:
                c = re.compile(r)
                where = [(rel, [k for k, l in enumerate(ls) if c.search(l)]) for rel, ls in content if fnmatch.fnmatch(rel, sc)]
                where = [(rel, ks) for rel, ks in where if ks]
                if not where: continue
                for rel, ks in where:
                    for k in ks: hit.setdefault((rel, k), role)
                bad = sum(1 for g in good.values() for rel, ls in g if fnmatch.fnmatch(rel, wide) for l in ls if c.search(l))
                ind.append(dict(files=sc, regex=r, role=role, lines=sum(len(ks) for _, ks in where), in_files=len(where),
                nodes=sorted({n for rel, _ in where for n in [rel.split("/")[0] if "/" in rel else "-"]}),
                lines_in_successful_jobs=bad))
                if bad: problems.append("%s (%s): %r matches %d lines of good jobs" % (jid, s["name"], r, bad))
        if "root" not in {i["role"] for i in ind} and not x.get("noroot"):
            problems.append("%s (%s): no root line" % (jid, s["faultname"]))
        inj = [dict(time=e["time"], action=e["what"][:300], progress=e.get("progress")) for e in m["injections"]]
        for a in x.get("action", []): inj.append(dict(time=m["start_time"], action=a, progress=None))
        # progress counts the steps done: the step in work is one more
        its = [e["progress"][1] for e in m["injections"] if e.get("progress") and e["progress"][1] >= 0]
        if x.get("it", 0) is None: its = []
        g = x["it"] if "it" in x else its[-1] if its else None
        more = set(x.get("also", [])) | set(its) | ({g} if g is not None else set())
        more |= set(range(g + 1, x["also_to"] + 1)) if "also_to" in x else set()
        it = None if g is None else g + 1
        also = sorted({k for v in more for k in (v, v + 1)} | ({g + 2} if g is not None else set()))
        also = [k for k in also if k != it and 0 <= k <= (m["settings"]["iterations"])]
        if it is not None: it = min(it, m["settings"]["iterations"]); also = [k for k in also if k != it]
        out.update(symptom=symptom, root_cause=dict(category=cat, subtype=sub), fault=s["faultname"], stage=stage,
        faulty_nodes=nodes, all_nodes_alike=all_, faulty_ranks=ranks if not all_ else [], injections=inj, injected_iteration=it,
                   classes=sorted(set(x["cl"]) | {6, 14} | ({9} if len(m["node_names"]) <= 2 else set())), diagnosable=diag,
                   failure_indicating=ind, neutral=NEUTRAL + x.get("neutral", []), note=x.get("note", ""))
        if also: out["iteration_also"] = also
        if x.get("stage_also"): out["stage_also"] = x["stage_also"]
        if x.get("cause_also"): out["root_cause_also"] = [dict(category=a, subtype=b) for a, b in x["cause_also"]]
        if m["all_exit_zero"]: out["ran_to_the_end"] = True
        out["reference_jobs"] = sorted(good)
        row.update(cl=" ".join(map(str, out["classes"])), fault=s["faultname"], cause=cat + "/" + sub, symptom=symptom,
        stage="; ".join([stage] + x.get("stage_also", [])), faulty=" ".join(nodes) or "all", it=(str(it) if it is not None
        else "") + (", also " if it is not None and also else "also " if also else "") + ", ".join(map(str, also)))
        if left:
            known = {norm(l) for g in good.values() for _, ls in g for l in ls}
            neu = [re.compile(r) for r in NEUTRAL + x.get("neutral", []) + NOISE]
            print("=====", jid, s["faultname"], nodes, [addr[n] for n in nodes], "roots", sum(v == "root" for v in
            hit.values()), "effects", sum(v == "effect" for v in hit.values()), "it", it, also, "cancelled",
            m["cancelled_by_operator"], "ok", m["all_exit_zero"], [e.get("progress") for e in m["injections"]])
            seen = {}
            for rel, ls in content:
                for k, l in enumerate(ls):
                    l2 = l
                    if (rel, k) in hit: tag = hit[rel, k][0].upper()
                    elif norm(l) not in known and not any(n.search(l) for n in neu): tag = "?"
                    else: continue
                    key = (tag, rel, norm(l2)[:60]); seen[key] = seen.get(key, 0) + 1
                    if tag != "EFFECT" and seen[key] <= 1: print("  %s %s: %s" % (tag[0], rel[-22:], re.sub(
                        r"\[mindspore/ccsrc/[^\]]*\]|2026-11-28[- ]\S+( - mindformers\S+)?|^\S+ 28 \S+ |\S+,python\)", "~",
                        l2)[:170]))
    for rel, ls in content:
        for l in ls:
            if ROOT in l or re.search(r"(?<![\w-])" + re.escape(jid) + r"(?!\w)", l):
                problems.append("%s: leak in %s: %s" % (jid, rel, l[:120]))
                break
    rows.append(row)
    if left: continue
    d = "%s/%s/%s" % (sys.argv[1], fam, jid)
    shutil.rmtree(d, ignore_errors=True)
    os.makedirs(d)
    json.dump(out, open(d + "/job.json", "w"), indent=1)
    tmp = TMP + "/" + jid; shutil.rmtree(tmp, ignore_errors=True); shutil.copytree(jd + "/logs", tmp)
    subprocess.run("tar --sort=name --owner=0 --group=0 --numeric-owner -C %s -cf - %s | gzip -9n > %s/%s.tar.gz" % (TMP,
    jid, d, jid), shell=True, check=True)
    shutil.rmtree(tmp)
if not left:
    for r in sorted(rows, key=lambda r: r["job"]):
        print("| " + " | ".join(str(r.get(k, "")) for k in ("job", "status", "nodes", "fault", "cause", "symptom", "stage",
        "faulty", "it", "cl", "lines")) + " |")
print("\n".join(problems), file=sys.stderr)
