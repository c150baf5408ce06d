# labels + packing; verifies every label against the logs.   pack5.py OUT_DIR [FAMILY..]
import collections, fnmatch, glob, json, os, re, shutil, subprocess, sys
HERE = os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0, HERE)
RAW = "/tmp/l4lab/raw"; DST = sys.argv[1]; only = sys.argv[2:]
import jobs_5
from labels5 import LABELS, NEUTRAL
jobs = {s["id"]: s for s in jobs_5.JOBS}

def files(jd):
    return sorted((os.path.relpath(d + "/" + f, jd + "/logs"), d + "/" + f) for d, _, fs in os.walk(jd + "/logs") for f in fs)
def lines(p): return re.split(r"\r\n|\n|\r", open(p, encoding="utf8", errors="replace").read())
def norm(l): return re.sub(r"[-+]?\d[\d.,:eE+-]*", "N", re.sub(r"0x[0-9a-f]+|\b[0-9a-f]{8,40}\b", "H", l))

raw, okl = {}, collections.defaultdict(list)
for f in sorted(glob.glob(RAW + "/*/*/job.json")):
    m = json.load(open(f))
    if m["job_id"] not in jobs or only and m["family"] not in only: continue
    fs = files(os.path.dirname(f))
    raw[m["job_id"]] = (m, os.path.dirname(f), fs, [(rel, lines(p)) for rel, p in fs])
    if jobs[m["job_id"]]["split"] == "ok": okl[m["family"]].append((m["job_id"], raw[m["job_id"]][3]))
idx, probs = [], []
for jid, (m, jd, fs, content) in raw.items():
    fam, s = m["family"], jobs[jid]; ok = s["split"] == "ok"
    if m["injector_error"]: probs.append(jid + ": injector error"); continue
    out = dict(job_id=jid, family=fam, status="success" if ok else "failed", settings=m["settings"], start_time=m["start_time"], end_time=m["end_time"], nodes=m["node_names"], ranks_by_node=m["ranks_by_node"], launcher_exit_codes=m["launcher_exit_codes"],
               cancelled_by_operator=m["cancelled_by_operator"], clock_skew_seconds=m["clock_skew"], logs_missing=m["logs_missing"], log_files=len(fs), log_lines=sum(len(c) - 1 for _, c in content), log_bytes=sum(os.path.getsize(p) for _, p in fs))
    if not ok:
        symptom, cat, sub, stage, diag, labs, ex = LABELS[(fam, m["fault"])]
        t = m["truth"]; alike = t["nodes"] == "all"
        nodes = m["node_names"] if alike else [m["node_names"][i] for i in t["nodes"]]
        ranks = t.get("ranks") or sorted(sum([m["ranks_by_node"].get(n, []) for n in nodes], []))
        it = [e["progress"][1] for e in m["injections"] if e.get("progress") and e["progress"][0] == "iter"]
        at = ex.get("it", it[0] if it else None)
        # names that the log gives to the faulty ranks
        T = m["settings"]["nodes"]; per = max(1, m["settings"]["ranks"] // T)
        if fam == "sable_foreman": wn = ["trainer%d" % r if r < T else "shard%d" % (r - T) for r in ranks]
        else: wn = ["%s%d@%s" % ("ab"[r % per], r // per, m["node_names"][r // per]) for r in ranks]
        ind = []
        for sc, rx, role in labs:
            if alike and re.search(r"FN|FR|FW", sc + rx): continue
            for n in (nodes if "FN" in sc + rx else [""]):
                mine = [r for r in ranks if not n or r in m["ranks_by_node"][n]]
                sc2, rx2 = sc.replace("FN", n), rx.replace("FN", n).replace("FR", "(?:%s)" % "|".join(map(str, mine))).replace("FW", "(?:%s)" % "|".join(w for w, r in zip(wn, ranks) if r in mine))
                c, nf, rc = 0, [], re.compile(rx2)
                for rel, ls in content:
                    if fnmatch.fnmatch(rel, sc2):
                        k = sum(1 for l in ls if rc.search(l))
                        if k: c += k; nf.append(rel)
                if not c: probs.append("%s: nothing for %s %r" % (jid, sc2, rx2)) if role == "root" else None; continue
                bad = sum(1 for oj, ol in okl[fam] for rel, ls in ol for l in ls if rc.search(l))
                ind.append(dict(files=sc2, regex=rx2, role=role, lines=c, in_files=len(nf), nodes=sorted({x.split("/")[0] for x in nf}), lines_in_successful_jobs=bad))
                if bad: probs.append("%s: regex %r matches %d lines in ok jobs" % (jid, rx2, bad))
        inj = [dict(time=e["time"], action=e["what"][:300], progress=e.get("progress")) for e in m["injections"]]
        inj += [dict(time=m["start_time"], action=a, progress=None) for a in ex.get("action", [])]
        out.update(symptom=symptom, root_cause=dict(category=cat, subtype=sub), fault=m["fault"], stage=stage, faulty_nodes=[] if alike else nodes, all_nodes_alike=alike, faulty_ranks=[] if alike else ranks, injections=inj, injected_iteration=at,
                   diagnosable=diag, failure_indicating=ind, neutral=NEUTRAL[fam], note=ex.get("note", ""))
        also = ex.get("also", [at - 1, at + 1] if at is not None and "it" not in ex else [])
        if "also_to" in ex: also = [x for x in range(at - 1, ex["also_to"] + 1) if x != at]
        if also: out["iteration_also"] = also
        if ex.get("stage_also"): out["stage_also"] = ex["stage_also"]
        if ex.get("cause_also"): out["root_cause_also"] = [dict(category=a, subtype=b) for a, b in ex["cause_also"]]
        if m["all_exit_zero"]: out["ran_to_the_end"] = True
        out["reference_jobs"] = sorted(o for o, _ in okl[fam])
    elif not m["all_exit_zero"] or m["cancelled_by_operator"]: probs.append(jid + ": not clean"); continue
    for rel, ls in content:
        for l in ls:
            if re.search(r"l4lab|v5q\d|/rr2/", l): probs.append("%s: leak in %s: %s" % (jid, rel, l[:120])); break
    d = "%s/%s/%s" % (DST, fam, jid); shutil.rmtree(d, ignore_errors=True); os.makedirs(d); open(d + "/job.json", "w").write(json.dumps(out, indent=1) + "\n")
    tmp = "/tmp/l4lab/packtmp/" + jid; shutil.rmtree(tmp, ignore_errors=True); shutil.copytree(jd + "/logs", tmp)
    subprocess.run("tar --sort=name --owner=0 --group=0 --numeric-owner -C /tmp/l4lab/packtmp -cf - %s | gzip -9n > %s/%s.tar.gz" % (jid, d, jid), shell=True, check=True); shutil.rmtree(tmp)
    c = out.get("root_cause", {})
    ra = out.get("iteration_also", [])
    idx.append("| %s | %s | %d | %s | %s | %s | %s | %s | %s | %d |" % (jid, out["status"], len(out["nodes"]), out.get("fault", ""), "%s/%s" % (c["category"], c["subtype"]) if c else "", out.get("symptom", ""), "; ".join([out["stage"]] + out.get("stage_also", [])) if c else "",
        " ".join(out.get("faulty_nodes", [])) or ("all" if c else ""), ", ".join([str(out["injected_iteration"])] if c and out["injected_iteration"] is not None else []) + (", also " if c and out["injected_iteration"] is not None and ra else "also " if ra else "") + ", ".join(map(str, ra)), out["log_lines"]))
    print(jid, out.get("fault"), out.get("faulty_nodes"), "it", out.get("injected_iteration"), [(x["role"][0], x["lines"]) for x in out.get("failure_indicating", [])], "CANCELLED" if m["cancelled_by_operator"] else "", "END" if m["all_exit_zero"] and not ok else "")
open("/tmp/l4lab/index.md", "w").write("\n".join(sorted(idx)) + "\n")
print("\n".join(probs)); print(len(idx), "jobs")
# lines that neither a successful job nor a label nor a neutral pattern covers
if os.environ.get("LEFT"):
    for fam in {v[0]["family"] for v in raw.values()}:
        pool = {norm(l) for _, ol in okl[fam] for _, ls in ol for l in ls}; left = collections.OrderedDict()
        for jid, (m, jd, fs, content) in raw.items():
            if m["family"] != fam or jobs[jid]["split"] == "ok" or os.environ["LEFT"] not in ("1", jid): continue
            try: o = json.load(open("%s/%s/%s/job.json" % (DST, fam, jid)))
            except OSError: continue
            lab = [(x["files"], re.compile(x["regex"])) for x in o["failure_indicating"]]; ne = [re.compile(x) for x in NEUTRAL[fam]]
            for p, ls in content:
                for l in ls:
                    n = norm(l)
                    if not l or n in pool or any(r.search(l) for r in ne) or any(fnmatch.fnmatch(p, g) and r.search(l) for g, r in lab): continue
                    left.setdefault(n, [0, set(), l])[0] += 1; left[n][1].add(jid)
        for n, v in sorted(left.items(), key=lambda x: -x[1][0])[:int(os.environ.get("MAX", 100))]: print(v[0], ",".join(sorted(v[1])), "|", v[2][:200])
