"""Labels and archives; checks each pattern against the failed job and the successful ones.   pack17.py OUT [FAMILY..] | pack17.py --leftover FAMILY [JOB..]"""
import fnmatch, glob, json, os, re, shutil, subprocess, sys
import jobs_17
from labels17 import LABELS, NEUTRAL
try: import labels17b
except ImportError: pass
RAW = "/tmp/lab/raw17"
jobs = {d["id"]: d for d in jobs_17.JOBS}
left = sys.argv[1] == "--leftover"
only = sys.argv[2:3] if left else sys.argv[2:]
want = sys.argv[3:] if left else []

def files(jd):
    return sorted((os.path.relpath(d + "/" + f, jd + "/logs"), d + "/" + f) for d, _, fs in os.walk(jd + "/logs") for f in fs)
def lines(p): return re.split(r"\r\n|\n|\r", open(p, encoding="utf8", errors="replace").read())
def norm(l): return re.sub(r"\d+", "#", re.sub(r"0x[0-9a-f]+|dgx-\d+|worker-[0-9a-f]{5}|lambda-r\du\d+|vision\d+|swarm-mgr-1|leader0|bastion|vit-pretrain|seg_worker|train_worker|cls-imnet|dipper:(1\.3\.0-cpu|1\.3\.0|nightly)|\b[0-9a-z]{25}\b|gke-cml-1126-\w{6}-a2-highgpu-\w{4}|cmle-training-\d+-\w\w|vm-\w{5}-\w{3}|control-plane|aiplatform-cp|cp-usc1|nlp-prod-41c2|speech-research|lm-dev-0099|pipit:(0\.12\.3|main-f41c)|\b(CET|EST|UTC|PST)\b|\b[0-9a-f]{8,}(-[0-9a-f]{4,})*\b|\b[0-9a-z]{12}\b(?=[/ ])|\[?[\w./:-]*\d[\w./:-]*\]?", "#", l))
def natural(n): return [int(x) if x.isdigit() else x for x in re.split(r"(\d+)", n)]

UNTOLD = ("image_missing", "mount_missing", "old_source", "port_one_node", "interface_one_node", "dns_one_node")
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
    told = {(int(r), h) for rel, ls in content for l in ls if " Hosts: 0:" in l for r, h in re.findall(r"(\d+):(\S+)", l.split("Hosts: ")[1])} | {(int(r), h) for rel, ls in content for l in ls for h, r in re.findall(r"initialized host (\S+) as rank (\d+)", l)}
    if not told and s["faultname"] not in UNTOLD: problems.append(jid + ": ranks are not told")
    for r, h in told:
        if r not in m["ranks_by_node"].get(h, []): problems.append("%s: rank %d is on %s" % (jid, r, h))
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
        addr = {n: l.split()[0] for l in open("/tmp/lab/work17/%s/hosts" % jid) for n in l.split()[1:]}
        alt = lambda v: "(?:%s)" % "|".join(re.escape(str(k)) for k in v)
        order = sorted(m["node_names"], key=lambda n: m["ranks_by_node"][n])
        place = {n: k + 1 if fam == "dipper_swarm" else "workerpool0-0" if k == 0 else "workerpool1-%d" % (k - 1) for k, n in enumerate(order)}   # slots of the service, replicas of the job
        ft = alt(place[n] for n in nodes)
        cells = [l.split() for rel, ls in content if rel == "_controller/deploy.log" for l in ls if re.match(r"[0-9a-z]{12} ", l)]
        fq = alt({c[0] for c in cells for n in nodes if n in c} | {i[:12] for rel, ls in content if rel == "_controller/events.log" for l in ls for i, n in re.findall(r"node update (\w{25}) \(name=([^,]+),", l) if n in nodes} or {"-"})
        ind, hit = [], {}
        for scope, rx, role in pats:
            if all_ and re.search(r"FN|FR|FI|FT|FQ", scope + rx): continue
            wide = re.sub(r"^FN/", "*/", scope).replace("FR", "*").replace("FN", "*")
            rx = rx.replace("FT", ft).replace("FQ", fq).replace("FR", alt(ranks)).replace("FI", alt(addr[n] for n in nodes))
            if "FR" in scope: todo = [(scope.replace("FR", str(k)), rx.replace("FN", alt(nodes))) for k in ranks]
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
        test = "--eval-only" in str(s["kw"]) or s["kw"].get("test") or s["kw"].get("eval_only")
        per = None if test else m["settings"].get("iterations_per_epoch", 12)   # within the epoch; the second family prints both, the count of updates is what counts
        pr = lambda k: (k - 1) % per + 1 if per and k > 0 else k
        its = [e["progress"][1] for e in m["injections"] if e.get("progress") and e["progress"][1] > 0]
        g = x["it"] if "it" in x else its[-1] if its else None
        more = set(x.get("also", [])) | set(its) | set(range(g + 1, x["also_to"] + 1) if "also_to" in x else []) | ({g - 1, g + 1} if g is not None else set())
        it = None if g is None else pr(g) if fam == "dipper_swarm" else g
        also = sorted({k for v in more | ({g} if g is not None else set()) for k in ((v, pr(v)) if per else (v,)) if k >= 0})
        also = [k for k in also if k != it]
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
    tmp = "/tmp/lab/packtmp17/" + jid; shutil.rmtree(tmp, ignore_errors=True); shutil.copytree(jd + "/logs", tmp)
    subprocess.run("tar --sort=name --owner=0 --group=0 --numeric-owner -C /tmp/lab/packtmp17 -cf - %s | gzip -9n > %s/%s.tar.gz" % (jid, d, jid), shell=True, check=True); shutil.rmtree(tmp)
if not left:
    for r in sorted(rows, key=lambda r: r["job"]):
        print("| " + " | ".join(str(r.get(k, "")) for k in ("job", "status", "nodes", "fault", "cause", "symptom", "stage", "faulty", "it", "cl", "lines")) + " |")
print("\n".join(problems), file=sys.stderr)
