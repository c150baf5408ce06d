"""Labels and archives; checks each pattern against the failed job and the successful ones.   pack22.py OUT [FAMILY..] | pack22.py --leftover FAMILY [JOB..]"""
import fnmatch, glob, json, os, re, shutil, subprocess, sys
import jobs_22
from labels22 import LABELS, NEUTRAL
RAW = "/tmp/lab/raw22"
jobs = {d["id"]: d for d in jobs_22.JOBS}
left = sys.argv[1] == "--leftover"
only = sys.argv[2:3] if left else sys.argv[2:]
want = sys.argv[3:] if left else []

def files(jd):
    return sorted((os.path.relpath(d + "/" + f, jd + "/logs"), d + "/" + f) for d, _, fs in os.walk(jd + "/logs") for f in fs)
def lines(p): return re.split(r"\r\n|\n|\r", open(p, encoding="utf8", errors="replace").read())
def norm(l): return re.sub(r"\d+", "#", re.sub(r"0x[0-9a-f]+|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}|ip-10-\d+-\d+-\d+|gpu-pool-a-[0-9a-f]{6}|trn\d+-rack\d|k8s-cp-0|cplane1|apiserver-a|gpt-1b3-pretrain|oriole-350m|lm-base-run7|gpt-abl-tp2|-trainer-0-\d-\w{5}|v0\.9\.2(-cpu)?|2026\.11\.3|PST|CET|UTC|[+-]\d\d:\d\d", "#", l))
def natural(n): return [int(x) if x.isdigit() else x for x in re.split(r"(\d+)", n)]

good, problems, rows = {}, [], []
for f in glob.glob(RAW + "/*/*/job.json"):
    m = json.load(open(f))
    if m["job_id"] in jobs and jobs[m["job_id"]]["split"] == "ok" and m["all_exit_zero"] and not m["cancelled_by_operator"]:
        good.setdefault(m["family"], {})[m["job_id"]] = [(rel, lines(p)) for rel, p in files(os.path.dirname(f))]
for f in sorted(glob.glob(RAW + "/*/*/job.json")):
    m = json.load(open(f)); jid, fam, jd = m["job_id"], m["family"], os.path.dirname(f)
    if jid not in jobs or only and fam not in only or want and jid not in want: continue
    s = jobs[jid]; ok = s["split"] == "ok"
    fs = files(jd); content = [(rel, lines(p)) for rel, p in fs]
    out = dict(job_id=jid, family=fam, status="success" if ok else "failed", settings=m["settings"], start_time=m["start_time"], end_time=m["end_time"], nodes=m["node_names"], ranks_by_node=m["ranks_by_node"], launcher_exit_codes=m["launcher_exit_codes"],
               cancelled_by_operator=m["cancelled_by_operator"], clock_skew_seconds=m["clock_skew"], logs_missing=m["logs_missing"], log_files=len(fs), log_lines=sum(len(c) - 1 for _, c in content), log_bytes=sum(os.path.getsize(p) for _, p in fs))
    if m["injector_error"]: problems.append(jid + ": injector error")
    # the pods of each node, in the order in which they were made
    pods, made = {}, {}
    for rel, ls in content:
        if rel == "_controller/events.jsonl":
            for l in ls:
                k = re.search(r'"Successfully assigned llm/(\S+-trainer-0-(\d+)-\w{5}) to (\S+)"', l)
                if k:
                    pods.setdefault(k[3], []).append(k[1])
                    if m["ranks_by_node"][k[3]][0] != 2 * int(k[2]): problems.append("%s: pod %s is on %s" % (jid, k[1], k[3]))
    if set(pods) != set(m["node_names"]): problems.append(jid + ": not all pods are told")
    row = dict(job=jid, status=out["status"], nodes=len(m["node_names"]), lines=out["log_lines"])
    if ok:
        if jid not in good.get(fam, {}): problems.append(jid + ": not clean"); continue
    else:
        if (fam, s["faultname"]) not in LABELS: problems.append(jid + ": no label"); continue
        symptom, cat, sub, stage, diag, pats, x = LABELS[(fam, s["faultname"])]
        t = s["truth"]; all_ = t["nodes"] == "all"
        idx = [] if all_ else t["nodes"]
        nodes = [m["node_names"][i] for i in idx]
        ranks = t.get("ranks") or sorted(r for n in nodes for r in m["ranks_by_node"][n])
        addr = {n: l.split()[0] for l in open("/tmp/lab/work22/%s/hosts" % jid) for n in l.split()[1:]}
        alt = lambda v: "(?:%s)" % "|".join(re.escape(str(k)) for k in v)
        ind, hit = [], {}
        for scope, rx, role in pats:
            if all_ and re.search(r"FN|FR|FI|FP", scope + rx): continue
            wide = re.sub(r"^FN/", "*/", scope).replace("FR", "*").replace("FN", "*")
            rx = rx.replace("FR", alt(ranks))
            rx1 = rx; rx = rx.replace("FI", alt(addr[n] for n in nodes))
            # of jobs with two attempts the pods of the faulty node of each attempt
            two = max(len(v) for v in pods.values()) > 1
            fp = [pods[n][k] for k, n in enumerate(nodes)] if two else [pods[n][0] for n in nodes]
            rx = rx.replace("FP", alt(fp) if fp else "FP")
            if two and "FI" in rx1: todo = [(scope.replace("llm_*", "llm_%s_*" % p), rx1.replace("FI", alt([addr[n]]))) for k, n in enumerate(nodes) for v in pods.values() for p in v[k:k + 1]]
            elif "FP" in scope:
                todo = [(scope.replace("FP", x), rx.replace("FN", alt(nodes))) for x in fp]
                wide = re.sub("FP", "*", wide)
            elif "FN" in scope: todo = [(scope.replace("FN", n), rx.replace("FN", re.escape(n))) for n in nodes]
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
        roles = {i["role"] for i in ind}
        if "root" not in roles: problems.append("%s (%s): no root line" % (jid, s["faultname"]))
        inj = [dict(time=e["time"], action=e["what"][:300], progress=e.get("progress")) for e in m["injections"]]
        for a in x.get("action", []): inj.append(dict(time=m["start_time"], action=a, progress=None))
        # progress counts the steps done, the program prints a step's number once it is done: the step in work is one more
        its = [e["progress"][1] for e in m["injections"] if e.get("progress") and e["progress"][1] >= 0]
        if x.get("it", 0) is None: its = []   # ended from outside
        g = x["it"] if "it" in x else its[-1] if its else None
        more = set(x.get("also", [])) | set(its) | ({g} if g is not None else set())
        more |= set(range(g + 1, x["also_to"] + 1)) if "also_to" in x else set()
        every_ = 1
        it = None if g is None else g + 1
        also = sorted({k for v in more for k in (v, v + 1, v // every_ * every_)} | ({g + 2} if g is not None else set()))
        also = [k for k in also if k != it and k >= 0]
        out.update(symptom=symptom, root_cause=dict(category=cat, subtype=sub), fault=s["faultname"], stage=stage, faulty_nodes=nodes, all_nodes_alike=all_, faulty_ranks=ranks if not all_ else [], injections=inj, injected_iteration=it,
                   classes=sorted(set(x["cl"]) | ({9} if len(m["node_names"]) <= 2 else set())), diagnosable=diag, failure_indicating=ind, neutral=NEUTRAL[fam], note=x.get("note", ""))
        if also: out["iteration_also"] = also
        if x.get("stage_also"): out["stage_also"] = x["stage_also"]
        if x.get("cause_also"): out["root_cause_also"] = [dict(category=a, subtype=b) for a, b in x["cause_also"]]
        if m["all_exit_zero"]: out["ran_to_the_end"] = True
        out["reference_jobs"] = sorted(good.get(fam, {}))
        row.update(cl=" ".join(map(str, out["classes"])), fault=s["faultname"], cause=cat + "/" + sub, symptom=symptom, stage="; ".join([stage] + x.get("stage_also", [])), faulty=" ".join(nodes) or "all", it=", also ".join(([str(it)] if it is not None else []) + ([", ".join(map(str, also))] if also else [])) if it is not None else ("also " + ", ".join(map(str, also)) if also else ""))
        if left:
            known = {norm(l) for g in good.get(fam, {}).values() for _, ls in g for l in ls}
            neu = [re.compile(r) for r in NEUTRAL[fam]]
            print("=====", jid, s["faultname"], "roots", sum(v == "root" for v in hit.values()), "effects", sum(v == "effect" for v in hit.values()), "cancelled", m["cancelled_by_operator"])
            for rel, ls in content:
                for k, l in enumerate(ls):
                    if (rel, k) in hit: print("  %s %s: %s" % (hit[rel, k][0].upper(), rel, l[:900]))
                    elif norm(l) not in known and not any(n.search(l) for n in neu): print("  ? %s: %s" % (rel, l[:900]))
    for rel, ls in content:
        for l in ls:
            if "/tmp/lab" in l or re.search(r"(?<![\w-])" + re.escape(jid) + r"(?!\w)", l): problems.append("%s: leak in %s: %s" % (jid, rel, l[:120])); break
    rows.append(row)
    if left: continue
    d = "%s/%s/%s" % (sys.argv[1], fam, jid); shutil.rmtree(d, ignore_errors=True); os.makedirs(d); json.dump(out, open(d + "/job.json", "w"), indent=1)
    tmp = "/tmp/lab/packtmp22/" + jid; shutil.rmtree(tmp, ignore_errors=True); shutil.copytree(jd + "/logs", tmp)
    subprocess.run("tar --sort=name --owner=0 --group=0 --numeric-owner -C /tmp/lab/packtmp22 -cf - %s | gzip -9n > %s/%s.tar.gz" % (jid, d, jid), shell=True, check=True); shutil.rmtree(tmp)
if not left:
    for r in sorted(rows, key=lambda r: r["job"]):
        print("| " + " | ".join(str(r.get(k, "")) for k in ("job", "status", "nodes", "fault", "cause", "symptom", "stage", "faulty", "it", "cl", "lines")) + " |")
print("\n".join(problems), file=sys.stderr)
