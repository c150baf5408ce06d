#!/usr/bin/env python3
"""Labelled jobs as other software would have logged them: other headers, names of hosts and places of the rank, the messages
untouched.

    restyle.py RECORDS FORMATS JOBS OUT HALF SEED [STYLE...]

RECORDS: the records of the jobs as l4 has read them, one JSON object a line (restyled.sql), in the order of the files; FORMATS:
the built-in rows of l4_format, likewise; JOBS: family, folder and job.json (on one line) of each job, parted by tabs.
Writes OUT/logs/JOB/..., OUT/jobs.tsv like JOBS, and OUT/styles.tsv: job, and the styles of header, system's header, hosts and
place that it was given.

Each family gets one style of each kind by lot, which SEED seeds. HALF (1, 2) takes the first or the second half of the styles,
0 all of them; which half a style is in was drawn by lot, once and for all. With STYLEs only these are given, and what is of no
kind named stays as it is; "identity" changes nothing.

A line is rewritten where a logger of the program wrote its header: headers of libraries, of access logs, of JSON and those that
state a rank stay. A label whose pattern no longer finds the very lines that it found is written anew, as these lines.
"""
import collections
import fnmatch
import heapq
import json
import os
import random
import re
import sys

import restyle_headers

# Headers that no logger of the program wrote, or that say more than time, level and name.
FOREIGN = set("mlperf c10_glog c10_old nccl nccl_numeric_host ucx ascend_plog torch_npu neuron oneccl absl_uptime tsl json "
              "logfmt_time_first logfmt_level_first elapsed opensm kmsg dmesg dmesg_time cluster_syslog cluster_ras "
              "slurm_tool condor_event access_log syslog_bare parallel_ssh fabricmanager".split())
SYSTEM = set("syslog syslog_5424 syslog_iso".split())
SYSTEM_HEAD = re.compile(r"(?P<host>[^\s:\[]+) (?P<proc>[^\s:\[\]]+)(?: [\d.]+)?(?:\[(?P<pid>\d+)\]:| (?P<pid5424>\S+) |:)")
# A label's pattern written anew is at most so long; what pcre2 takes.
PATTERN_LIMIT = 30000

HOSTS = {
    "ec2": lambda i: "ip-10-3-%d-%d" % (4 + i // 200, 17 + i % 200),
    "cray_ex": lambda i: "x12%02dc%ds%db%dn%d" % (i // 64, i // 8 % 8, i // 2 % 4, i // 16 % 2, i % 2),
    "fqdn": lambda i: "gpu-a3-%02d.dc2.example.com" % (i + 4),
    "frontier": lambda i: "frontier%05d" % (4521 + i),
    "pods": lambda i: "trainer-worker-%d" % i,
    "job_pods": lambda i: "train-7b-worker-0-%s" % hash_name(i, 5),
    "addresses": lambda i: "10.31.%d.%d" % (4 + i // 200, 17 + i % 200),
    "nid": lambda i: "nid%06d" % (1203 + i),
    "icex": lambda i: "r%di%dn%d" % (1 + i // 36, i // 9 % 4, i % 9),
    "ec2_ids": lambda i: "i-0%s" % hash_name(i, 16, "0123456789abcdef"),
    "gke": lambda i: "gke-train-a3-pool-1-%s-%s" % (hash_name(7, 8, "0123456789abcdef"), hash_name(i, 4)),
    "superpod": lambda i: "dgx-h100-su3-%03d" % (i + 17),
    "words": lambda i: "athena hera apollo hermes ares demeter hestia artemis zeus hades".split()[i % 10] + "abcdefgh"[i // 10]
    * (i >= 10),
    "parallelcluster": lambda i: "queue1-dy-p5-48xlarge-%d" % (i + 1),
    "upper": lambda i: "GPU-%d" % (719 + 3 * i),
    "letters": lambda i: "lab" + "abcdefghijklmnopqrstuvwxyz"[i // 26] + "abcdefghijklmnopqrstuvwxyz"[i % 26],
    "statefulset": lambda i: "llama-%d" % i,
    "internal": lambda i: "ip-172-31-%d-%d.us-west-2.compute.internal" % (i // 200, 11 + i % 200),
}


def hash_name(number, size, letters="bcdfghjklmnpqrstvwxz2456789"):
    draw = random.Random("name %d" % number)
    return "".join(draw.choice(letters) for _ in range(size))


# Each: path of the file, and what stands before each line (a text, or a function of the line). Where of, node and local are
# not needed they say nothing. The last field: what tells the node of a rank ("path", "line": itself; "" the job's list alone).
PLACES = {
    "rank_log": ("logs/rank_{rank}.log", None, ""),
    "node_rank": ("{node}/rank{rank}.out", None, "path"),
    "rank_suffix": ("train.log.{rank}", None, ""),
    "worker_log": ("worker-{rank}.log", None, ""),
    "task_folder": ("task_{rank}/stdout", None, ""),
    "rank_folder": ("logs/rank_{rank}/stdout.log", None, ""),
    "node_under_rank": ("{node}_{rank}.log", None, "path"),
    "slurm_node_task": ("slurm-4711-{node}-{rank}.out", None, "path"),
    "bracket": ("train.log", "[rank{rank}]: ", ""),
    "srun": ("slurm-4711.out", "{rank:>2}: ", ""),
    "mpirun": ("mpirun.out", "[1,{rank}]<stderr>: ", ""),
    "prterun": ("mpirun.out", "[prterun-head-4711@1,{rank}]<stdout>: ", ""),
    "hydra": ("mpiexec.out", "[{rank}] ", ""),
    "of_world": ("train.log", "({rank}/{of}) ", ""),
    "rank_paren": ("train.log", "(rank {rank}) ", ""),
    "short_rank": ("train.log", "R{rank}| ", ""),
    "parallel_tag": ("parallel.out", "{rank}\t", ""),
    "node_out": ("{node}.out", "{many}", "path"),
    "node_folder": ("{node}/stdout.log", "{many}", "path"),
    "pdsh": ("pdsh.out", "{node}: {many}", "line"),
    "compose": ("compose.log", "{node}  | {many}", "line"),
    "stern": ("pods.log", "{node} trainer {many}", "line"),
    "kubectl": ("pods.log", "[pod/{node}/trainer] {many}", "line"),
    "ansible_host": ("run.out", "[{node}] {many}", "line"),
    "cri": ("{node}/trainer/0.log", lambda f: f.iso(9) + " stderr F {many}", "path"),
    "docker_json": ("{node}/trainer-json.log", "docker_json", "path"),
    "logs_timestamps": ("{node}/trainer.log", lambda f: f.iso(9) + " {many}", "path"),
    "journal": ("{node}/train.journal", lambda f: f.format("%b %d %H:%M:%S") + " {node} train[4711]: {many}", "path"),
    "moreutils": ("{node}/run.log", lambda f: f.format("%b %d %H:%M:%S") + " {many}", "path"),
    "torchrun": ("{node}/none_x8dk3/attempt_0/{local}/stderr.log", None, "path"),
}


def halves(names, half):
    """Of these names, those of a half that was drawn by lot."""
    names = sorted(names)
    random.Random("the lot of the styles").shuffle(names)
    middle = (len(names) + 1) // 2
    return sorted(names if half == 0 else names[:middle] if half == 1 else names[middle:])


class Format:
    def __init__(self, row):
        self.name, self.kind = row["name"], row["kind"]
        self.pattern = re.compile(re.sub(r"\(\?<(?=[a-z])", "(?P<", row["pattern"]).replace(r"\e", r"\x1b"))


class Line:
    """A line of a record: what a launcher put before it, the header, and the rest."""

    def __init__(self, prefix, header, message):
        self.prefix, self.header, self.message = prefix, header, message
        self.head = []              # lines that the header has before this one
        self.said = message         # without any style

    def text(self):
        return self.prefix + self.header + self.message


class Record:
    def __init__(self, row, formats):
        self.job, self.source, self.node, self.rank, self.time = (row[k] for k in ("job", "source", "node", "rank", "ts"))
        self.level, self.name, self.raw, self.tail = row["level"], row["component"], row["raw"], row["tail"]
        self.begins, self.bytes = row["part"] == 0, bytes.fromhex(row["bytes"]) if row["bytes"] else None
        self.match = self.format = None
        raw, message = self.raw.split("\n"), (row["message"] or "").split("\n")
        if len(raw) != len(message) or not all(r.endswith(m) for r, m in zip(raw, message)):
            self.lines = [Line("", "", r) for r in raw]
            return
        self.lines = [Line(r[:len(r) - len(m)], "", m) for r, m in zip(raw, message)]
        self.find_header(row["formats"], formats, raw[0])

    def find_header(self, names, formats, raw):
        head = self.lines[0].prefix
        at = 0
        for name in names:
            form = formats[name]
            match = form.pattern.match(raw, at)
            if match is None or match.end() > len(head):
                return
            if form.kind == "header":
                if match.end() == len(head):
                    self.lines[0].prefix, self.lines[0].header = head[:at], head[at:]
                    self.match, self.format = match, name
                return
            at = match.end()

    def restylable(self):
        if self.match is None or self.format in FOREIGN or self.time is None or self.bytes is not None:
            return False
        said = {k: v for k, v in self.match.groupdict().items() if v is not None}
        if "rank" in said and self.match.end("rank") <= self.match.end():
            return False
        return any(k in said for k in ("ts", "epoch", "time"))


def fact_of(record, offset):
    """What the header of a record says; None where the header of a system's log is of no known form."""
    name, number, host, level = record.name or "main", 1000 + (record.rank or 0), record.node or "head0", record.level
    if record.format in SYSTEM:
        text = record.lines[0].header[record.match.end("ts") - record.match.start():].lstrip(" ")
        head = SYSTEM_HEAD.match(text)
        if head is None:
            return None
        host, name = head["host"], head["proc"]
        number = int(head["pid"] or head["pid5424"] or 1) if (head["pid"] or head["pid5424"] or "1").isdigit() else 1
        if not record.lines[0].header.startswith("<") and not record.lines[0].header.endswith("> "):
            level = None
    return restyle_headers.Fact(record.time, level, name, record.lines[0].message, host, number, offset)


class Hosts:
    """Other names for the nodes of a family, wherever they stand."""

    def __init__(self, style, nodes, texts):
        self.names = {}
        nodes = sorted(nodes)
        if style == "identity" or not nodes:
            return
        # a list in brackets, which these names have no form for
        stems = {re.escape(n.rstrip("0123456789")) for n in nodes if n.rstrip("0123456789") != n}
        if stems and any(re.search(r"(?:%s)\[\d" % "|".join(sorted(stems)), t) for t in texts):
            return
        self.names = {n: HOSTS[style](i) for i, n in enumerate(nodes)}
        self.pattern = re.compile(r"(?<![\w-])(?:%s)(?!\w)" % "|".join(map(re.escape, sorted(nodes, key=len, reverse=True))))

    def __call__(self, text):
        return self.pattern.sub(lambda m: self.names[m[0]], text) if self.names and text else text


class Job:
    def __init__(self, family, folder, job):
        self.family, self.folder, self.job = family, folder, job
        self.records = []
        self.rank_nodes = {r: n for n, ranks in (job.get("ranks_by_node") or {}).items() for r in ranks}
        if not self.rank_nodes and job["settings"].get("ranks_per_node") == 1:
            self.rank_nodes = dict(enumerate(job["nodes"]))
        per = job["settings"].get("ranks_per_node") or 1
        self.in_blocks = all(job["nodes"].index(n) == r // per for r, n in self.rank_nodes.items() if n in job["nodes"])
        counts = collections.Counter(self.rank_nodes.values())
        self.many = {r: counts[n] > 1 for r, n in self.rank_nodes.items()}
        self.local = {r: sorted(x for x, m in self.rank_nodes.items() if m == n).index(r) for r, n in self.rank_nodes.items()}

    def labelling(self):
        """The sources in which a launcher's labels say the rank: they are of several, or of most lines."""
        ranks, labelled, all_lines = collections.defaultdict(set), collections.Counter(), collections.Counter()
        for record in self.records:
            ranks[record.source].add(record.rank)
            labelled[record.source] += bool(record.lines[0].prefix)
            all_lines[record.source] += 1
        return {s for s in all_lines if len(ranks[s]) > 1 or labelled[s] * 5 >= all_lines[s] * 4}

    def hits(self, pattern, glob, lines):
        """Which (record, line) a label's pattern finds, of a list of (record, line, source, text); None: it is no pattern."""
        try:
            pattern = re.compile(pattern)
        except re.error:
            return None
        glob = re.compile(fnmatch.translate(glob)) if glob else None
        return {(r, n) for r, n, source, text in lines
                if (glob is None or glob.match(source)) and pattern.search(text)}


class Restyled:
    """A job in other styles: its files, and its labels."""

    def __init__(self, job, header, system, hosts, place, offset):
        self.job, self.hosts, self.place = job, hosts, PLACES.get(place)
        if self.place is not None and self.place[2] == "" and not job.in_blocks:
            self.place = PLACES["node_rank"]
        self.plain = [(i, n, r.source, line.text()) for i, r in enumerate(job.records) for n, line in enumerate(r.lines)]
        labelling = job.labelling() if self.place else ()
        self.moved = set()
        self.files = collections.defaultdict(list)      # path: of each source in turn, (time, record, lines)
        first = min((r.time for r in job.records if r.time is not None), default=0)
        last = collections.defaultdict(lambda: first)   # of each source
        for number, record in enumerate(job.records):
            self.restyle(record, header, system, offset)
            last[record.source] = max(last[record.source], record.time or 0)
            path = self.move(record, record.source in labelling, last[record.source])
            self.files[path].append((last[record.source], record.source, number, record))

    def restyle(self, record, header, system, offset):
        line = record.lines[0]
        style = None
        if record.restylable():
            style = restyle_headers.SYSTEM.get(system) if record.format in SYSTEM else restyle_headers.APP.get(header)
        fact = fact_of(record, offset) if style else None
        for each in record.lines:
            each.prefix, each.header, each.message = map(self.hosts, (each.prefix, each.header, each.message))
            each.said = each.message
        if fact is not None:
            fact.host, fact.name, fact.message = self.hosts(fact.host), self.hosts(fact.name), line.message
            *line.head, line.message = style(fact).split("\n")
            line.header = ""

    def move(self, record, labelled, time):
        """Puts what the place's style has before the lines; the path of the record's new file."""
        rank, job = record.rank, self.job
        node = job.rank_nodes.get(rank)
        if self.place is None or rank is None or node is None or record.bytes is not None:
            return self.hosts(record.source)
        path, before, _ = self.place
        words = dict(rank=rank, of=len(job.rank_nodes), node=self.hosts(node), local=job.local[rank])
        words["many"] = "[rank%d]: " % rank if job.many[rank] else ""
        self.moved.add(record.source)
        fact = restyle_headers.Fact(time, None, "", "")
        for line in record.lines if record.begins else ():
            if labelled:
                line.prefix = ""
            lead = "" if before is None else before if isinstance(before, str) else before(fact)
            if before == "docker_json":
                line.message = json.dumps(dict(log=words["many"] + line.text() + "\n", stream="stderr", time=fact.iso(9)),
                                          separators=(",", ":"), ensure_ascii=False)
                line.prefix = line.header = ""
            else:
                line.prefix = lead.format(**words) + line.prefix
            line.head = [lead.format(**words) + h if before != "docker_json" else h for h in line.head]
        return path.format(**words)

    def lines(self):
        """(record, line, source, text) of all lines that were lines before."""
        return [(number, n, path, line.text()) for path, rows in self.files.items() for _, _, number, record in rows
                for n, line in enumerate(record.lines)]

    def write(self, folder):
        for path, rows in self.files.items():
            by_source = collections.defaultdict(list)
            for row in rows:
                by_source[row[1]].append(row)
            target = os.path.join(folder, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as out:
                for _, _, _, record in heapq.merge(*by_source.values(), key=lambda row: row[:3]):
                    self.write_record(out, record, len(by_source) > 1)

    def write_record(self, out, record, merged):
        if record.bytes is not None:
            out.write(record.bytes)
            return
        lines = [text for line in record.lines for text in line.head + [line.text()]]
        out.write("\n".join(lines).encode() + (bytes.fromhex(record.tail) or (b"\n" if merged else b"")))

    def label(self, pattern, glob):
        """The pattern and glob that find the lines that these found, and no other ones if that can be."""
        wanted = self.job.hits(pattern, glob, self.plain)
        if not wanted:
            return pattern, glob
        now = self.lines()
        found = {r for r, _ in wanted}
        texts = {t.rstrip("\r") for r, n, _, t in now if (r, n) in wanted}
        said = {self.job.records[r].lines[n].said.rstrip("\r") for r, n in wanted}
        paths = sorted({re.sub(r"([*?[])", r"[\1]", path) for r, _, path, _ in now if r in found})
        globs = [glob, self.hosts(glob), paths[0] if len(paths) == 1 else None, None]
        # What was said stands in the line whatever is before it, and however l4 parts the line.
        patterns = [pattern, "|".join(sorted(map(re.escape, said))), "|".join(sorted(map(re.escape, texts))),
                    "^(?:%s)\\r?$" % "|".join(sorted({re.sub(r"\d+", r"\\d+", re.escape(t)) for t in texts}))]
        best = {}
        for new in (p for p in patterns if len(p) <= PATTERN_LIMIT):
            for glob in globs:
                hits = self.job.hits(new, glob, now)
                if hits == wanted:
                    return new, glob
                if hits is not None and hits >= wanted:
                    best.setdefault(len(hits), (new, glob))
        if not best:
            raise ValueError("%s: no pattern finds what %s finds" % (self.job.job["job_id"], pattern))
        return best[min(best)]

    def labels(self):
        job = dict(self.job.job)
        indicating, neutral = job.pop("failure_indicating", None) or [], job.pop("neutral", None) or []
        job = json.loads(self.hosts(json.dumps(job)))
        job["failure_indicating"], job["neutral"] = [], []
        for label in indicating:
            pattern, glob = self.label(label["regex"], label.get("files"))
            job["failure_indicating"].append(dict(role=label.get("role"), files=glob, regex=pattern))
        for pattern in neutral:
            try:
                job["neutral"].append(self.label(pattern, None)[0])
            except ValueError:
                job["neutral"] += self.in_parts(pattern)
        return job

    def in_parts(self, pattern):
        """Several patterns that find together what one finds, as a neutral one may be many."""
        wanted = self.job.hits(pattern, None, self.plain)
        texts = sorted({re.escape(t.rstrip("\r")) for r, n, _, t in self.lines() if (r, n) in wanted})
        return ["^(?:%s)\\r?$" % "|".join(texts[i:i + 100]) for i in range(0, len(texts), 100)]


def read_jobs(path, records, formats):
    jobs = {}
    for line in open(path, encoding="utf-8"):
        family, folder, job = line.rstrip("\n").split("\t", 2)
        job = json.loads(job.replace("\\\\", "\\"))
        jobs[job["job_id"]] = Job(family, folder, job)
    for line in open(records, encoding="utf-8"):
        row = json.loads(line)
        jobs[row["job"]].records.append(Record(row, formats))
    return {name: job for name, job in jobs.items() if job.records}


def styles_of(family, half, seed, wanted):
    """A style of each kind for a family, by lot."""
    draw = random.Random("%s %s %s" % (seed, half, family))
    given = []
    for names in (restyle_headers.APP, restyle_headers.SYSTEM, HOSTS, PLACES):
        choice = [n for n in wanted if n in names] if wanted else halves(names, half)
        given.append(draw.choice(choice) if choice else "identity")
    offset = draw.choice([0, 0, 480, -420]) if "identity" not in wanted else 0
    return given, offset


def main(records, formats, jobs, out, half, seed, *wanted):
    known = {*restyle_headers.APP, *restyle_headers.SYSTEM, *HOSTS, *PLACES, "identity"}
    if set(wanted) - known:
        sys.exit("restyle.py: no such style: %s; there are %s" % (", ".join(set(wanted) - known), ", ".join(sorted(known))))
    formats = {row["name"]: Format(row) for row in map(json.loads, open(formats, encoding="utf-8"))}
    families = collections.defaultdict(list)
    for job in read_jobs(jobs, records, formats).values():
        families[job.family].append(job)
    with open(os.path.join(out, "jobs.tsv"), "w", encoding="utf-8") as new_jobs, \
            open(os.path.join(out, "styles.tsv"), "w", encoding="utf-8") as new_styles:
        for family, members in sorted(families.items()):
            (header, system, host, place), offset = styles_of(family, int(half), seed, wanted)
            nodes = {n for job in members for n in job.job["nodes"]}
            hosts = Hosts(host, nodes, (r.raw for job in members for r in job.records))
            for job in members:
                restyled = Restyled(job, header, system, hosts, place, offset)
                name = job.job["job_id"]
                row = json.dumps(restyled.labels(), ensure_ascii=False).replace("\\", "\\\\")
                restyled.write(os.path.join(out, "logs", name))
                new_jobs.write("%s\t%s\t%s\n" % (family, job.folder, row))
                host_given = host if hosts.names else "identity"
                place_given = place if restyled.moved else "identity"
                new_styles.write("\t".join((name, family, header, system, host_given, place_given)) + "\n")


main(*sys.argv[1:])
