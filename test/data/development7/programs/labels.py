"""What an expert would call failure-indicating in each job, written after reading the logs and before any diagnosis.

LABELS[family, fault] = ((symptom, category, subtype, stage, diagnosable), [(files, pattern, role), ..])
FN stands for a faulty node, FR for its faulty rank. A pattern that matches nothing in a job is left out.
ALSO: further stages and iterations that are right; NOTES: for the reader.
"""
R, E = "root", "effect"
TC, LF, AB = "training crash", "launching failure", "abnormal behavior"
IT, EN, DA, MO, CK = "iterative training", "environment initialization", "data loading", "model loading", "checkpointing"
LABELS, ALSO, NOTES = {}, {}, {}


def label(family, fault, symptom, category, sub, where, diagnosable, lines, note="", **also):
    LABELS[(family, fault)] = ((symptom, category, sub, where, diagnosable), lines)
    if note:
        NOTES[(family, fault)] = note
    if also:
        ALSO[(family, fault)] = also


def printed(spec, at):
    """The iteration as the log prints it, then other ways to count it (the last one printed before it)."""
    if spec["build"] == "diloco":
        k = int(spec["kw"].get("conf", {}).get("inner_steps", 6))
        return [(at - 1) // k + 1, (at - 1) // k]
    return [at, at - 1, (at - 1) // 2 * 2]


# --- moe_pdsh: all ranks in _controller/pdsh.out
F, O = "moe_pdsh", "_controller/pdsh.out"
GLOO = [("*", r"gloo/transport/tcp/\w+\.(cc|h):\d+\] (Connection closed by peer|Read error|Write error|Timed out waiting)", E)]
PDSH = [(O, r"^pdsh@controller: node-\d+: ssh exited with exit code \d+", E), (O,
    r"Caught signal 11 \(Segmentation fault", E),
        (O, r"start\.sh: line \d+: +\d+ (Segmentation fault|Aborted|Terminated)", E)]
LOST = [("_controller/controller.log", r"fleetd FN: no report for \d+ s, marked lost", R)]
FULL = ("FN/syslog", r"diskfree \d+ - - /mnt/local (is )?(9[89]|100)% (full|used)", R)
label(F, "kill_rank", TC, "platform", "preemption", IT, "logs", [
    (O, r"^FN: start\.sh: line \d+: +\d+ Killed", R), (O, r"^pdsh@controller: FN: ssh exited with exit code 137", R)]
        + GLOO + PDSH,
    "one rank is killed; every other rank sees its connection closed, raises, and then crashes with a segmentation fault of "
    "their own while the interpreter ends: those are effects")
label(F, "corrupt_shard", LF, "hardware", "storage", DA, "logs", [
    (O, r"^FN: \[rankFR\]: RuntimeError: hash of /mnt/local/data/\S+ does not agree with index\.json", R)] + GLOO + PDSH)
label(F, "cut_off", TC, "hardware", "network", IT, "hybrid", [
    (O, r"^FN: Timeout, server FN not responding", R), (O, r"^pdsh@controller: FN: ssh exited with exit code 255", R),
    ("FN/syslog", r"report \d+ not sent: Operation not permitted|collector silent since", R)] + LOST + GLOO + PDSH,
    "nothing leaves or reaches the node; its ssh session and its reports go silent, all others wait 25 s and name nobody")
label(F, "eval_bug", TC, "user", "program bug", IT, "logs", [
    (O, r"^node-\d+: \[rank\d+\]: TypeError: expected Tensor as element 0 in argument 0, but got float", R)] + GLOO + PDSH,
    "a bug in the evaluation after the first epoch (batch 40): all ranks raise the same at the same place", iteration_is=40)
label(F, "disk_full", TC, "hardware", "storage", CK, "logs", [FULL,
    (O, r"^FN: \[rankFR\]: RuntimeError: \[enforce fail at inline_container\.cc:\d+\] \. "
        r"(PytorchStreamWriter failed writing|unexpected pos)", R)]
    + GLOO + PDSH, "the node's disk is full from batch 18 on; it shows at the checkpoint after batch 25", stage=[IT],
        iteration=[24, 25])
label(F, "straggler_cpu", AB, "hardware", "node", IT, "hybrid", [
    (O, r"^FN: Timeout, server FN not responding", R), (O, r"^pdsh@controller: FN: ssh exited with exit code 255", R),
    ("FN/syslog", r"collector silent since [1-9]\d s", R)] + LOST + [
    (O, r"moe\.trainer: batch took (\d\d|[6-9])\.\d+ s, the last twenty", E)] + PDSH,
      "the node becomes slow at the injection and all ranks with it; all batches are done, but in the end the node is too slow "
      "even to close its ssh session in time", iteration=[25], ran=True)


# --- ps_pods: each rank in <node>/pods/<pod>/trainer/0.log (CRI), the pod runner in <node>/podlet.log
F, P, S = "ps_pods", "*/trainer/*.log", "node-00/pods/*/trainer/*.log"
W = "FN/pods/*/trainer/*.log"
GONE = [(P, r'level=ERROR msg="lost the parameter server"', E), (P, r'level=ERROR msg="push failed"', E),
        (S, r'level=ERROR msg="no gradient from worker"', E), (S, r'level=ERROR msg="round incomplete, giving up"', E),
        ("*/podlet.log", r'"Container exited" .*exitCode=[1-9]', E)]
PEER = [(S, r'level=ERROR msg="no gradient from worker" round=\d+ worker=FR host=FN ', R),
        (S, r'level=ERROR msg="round incomplete, giving up" round=\d+ lost=\[FR\]', R)]
label(F, "cgroup_oom", TC, "platform", "resource limit", IT, "logs", [
    ("FN/syslog", r"oom-kill:constraint=CONSTRAINT_MEMCG", R), ("FN/syslog",
        r"Memory cgroup out of memory: Killed process", R),
    ("FN/podlet.log", r'"Container exited" .*exitCode=137', R)] + PEER + GONE,
    "the worker grows until its node's memory limit, set in round 21, is reached in round 28", iteration=[26, 27, 28])
label(F, "shape_one_node", LF, "user", "configuration", EN, "logs", [
    (W, r'level=ERROR msg="the server refused this worker" reason="parameter shape ', R), (W,
        r'msg="trainps starting" .* hidden=24$', R),
    (S, r'level=ERROR msg="worker refused" worker=FR host=FN ', R), (S,
        r'level=ERROR msg="not all workers joined" .*missing=\[FR\]', R)]
    + GONE, "one node is started with -hidden 24, the others with 16; the server refuses it and waits 45 s for another",
        stage=[MO],
    action=["node-03 is started with -hidden 24, the others with 16"])
label(F, "short_schedule", TC, "user", "configuration", IT, "logs", [
    (P, r"panic: runtime error: index out of range \[34\] with length 34", R)] + GONE,
    "the schedule that all workers read has 34 rows; in round 35 every worker panics, the server is the only one that does not "
    "and reports them all", iteration_is=35, iteration=[34])
label(F, "read_only_dfs", TC, "hardware", "storage", CK, "logs", [
    ("FN/syslog", r"mounts \d+ - - /mnt/dfs: options changed from rw to ro", R),
    (S, r'level=ERROR msg="checkpoint failed" .*read-only file system', R)] + GONE,
    "the server's mount of the shared folder became read-only in round 28; it shows at the checkpoint of round 40",
    stage=[IT], iteration=[38, 39, 40])
label(F, "net_throttle", AB, "hardware", "network", IT, "hybrid", [],
    "what the node sends is limited to 500 kbit/s from the injection on; "
      "nothing fails, only durations change, and the server names the slowest worker of each round")
label(F, "sigstop", AB, "hardware", "accelerator", IT, "hybrid", PEER + GONE,
      "a worker stops dead in round 33; the server waits 20 s for its gradient and gives up")
label(F, "shards_truncated", TC, "hardware", "storage", IT, "logs", [
    (W, r'level=ERROR msg="cannot read batch" file=\S+ offset=\d+ size=8192 err=', R)] + PEER + GONE,
    "the files are cut while they are open: the next batch that lies beyond the cut ends the worker", stage=[DA],
        iteration=[38])

# --- diloco_supervisor: <node>/peer-stdout.log, JSON lines; supervisord.log and node.log of the launcher
F, W = "diloco_supervisor", "FN/peer-stdout.log"
ENDS = [("*/peer-stdout.log", r'"severity": "CRITICAL", .*"message": "peer ends: ', E),
        ("*/supervisord.log", r"(INFO|WARN) exited: peer \((exit status [1-9]|terminated by)\S*.*not expected\)", E)]
label(F, "power_off", TC, "hardware", "node", IT, "hybrid", LOST + GLOO + ENDS,
      "nothing leaves the node any more and all its processes vanish; the others wait 25 s for it and name nobody")
label(F, "umount_dfs", TC, "platform", "storage mount", CK, "logs", [
    ("FN/syslog", r"mounts \d+ - - /mnt/dfs: gone from the mount table", R),
    (W, r'"severity": "CRITICAL", .*"message": "peer ends: RuntimeError: Parent directory /mnt/dfs/ckpt does not exist',
        R)] + GLOO + ENDS,
    "the shared folder vanishes from the node in round 4; it shows at the snapshot after round 6, which "
    "peers of even rank write",
    stage=[IT], iteration=[5, 6])
label(F, "layers_all", LF, "user", "configuration", MO, "logs", [
    ("*/peer-stdout.log", r'"severity": "CRITICAL", .*"message": "peer ends: RuntimeError: Error\(s\) in loading state_dict',
     R)] + GLOO + ENDS,
    "all nodes are told 3 layers, the initial weights have 2",
        action=["all nodes have layers = 3, the weights in /mnt/dfs/pretrained 2"])
label(F, "master_one_node", LF, "user", "configuration", EN, "logs", [
    (W, r'"message": "settings".*"master": "node-00:29778"', R),
    ("FN/peer-stderr.log", r"\[c10d\] (The client socket has timed out|TCP client failed to connect/validate to host "
     r"node-00:29778)", R),
    (W, r'"severity": "CRITICAL", .*"message": "peer ends: ', R)] + GLOO + ENDS,
    "one node is told another port of the master and never meets the others, who wait for it until their time-out",
    action=["node-03 has master = node-00:29778, the others node-00:29777"])
label(F, "rlimit_as", TC, "platform", "resource limit", IT, "logs", [
    (W, r'"severity": "CRITICAL", .*"message": "peer ends: (RuntimeError|MemoryError).*(allocate|memory)', R)] + GLOO
        + ENDS,
    "memory grows on all nodes, one node's process is limited")
label(F, "time_limit", TC, "user", "configuration", IT, "logs", [
    ("*/node.log", r"node\.sh: time limit of \d+ s reached", R), ("*/supervisord.log",
        r"WARN stopped: peer \(terminated by", E)]
    + GLOO + ENDS, "the job was given 100 s and needs more",
    action=["submitted with a limit of 100 s, the job needs more"])

PX = r"^(?:node-\d+: ?|\[rank\d+\]: ?|\d{4}-\d\d-\d\dT\S+ std(?:out|err) F ?)*"
NEUTRAL = [PX + r"(Original )?Traceback \(", PX + r"  +\S", PX + r"\s*$", PX + r"<\d+ lines>\.\.\.$", PX + r"[~^]+$",
           r"The above exception was|During handling of the above", PX + r" *\d+ +\S+\(.*\) \[0x[0-9a-f]+\]$", PX
               + r"={10,}$|==== backtrace",
           r"Exception ignored (in|on)", r"^frame #\d+", r"<omitting python frames>", r"^Exception raised from ",
           r"(INFO|WARN) (stopped: peer|waiting for peer to stop)", PX + r"goroutine \d+ \[", PX
               + r"(main|runtime|panic|created by)[.( ]\S*", PX + r"\t\S+\.go:\d+"]
