"""What an expert would call failure-indicating in each job, written after reading the logs and before any diagnosis.

LABELS[family, fault] = (symptom, category, subtype, stage, diagnosable, [(files, pattern, role), ..], extras)
FN stands for a faulty node, FR for its faulty rank(s).  A pattern that matches nothing in a job is left out.
extras: it (iteration as the log prints it), also (further iterations that are right), also_from/also_to, stage_also, action, note, cause_also.
"""
R, E = "root", "effect"
TC, LF, AB = "training crash", "launching failure", "abnormal behavior"
IT, EN, DA, MO, CK = "iterative training", "environment initialization", "data loading", "model loading", "checkpointing"
LABELS, NEUTRAL = {}, {}


def label(family, fault, symptom, category, sub, stage, diag, lines, **extras):
    LABELS[(family, fault)] = (symptom, category, sub, stage, diag, lines, extras)


# --- fern_runit: each rank's lines in <node>/rank-<k>/current, stamped by svlogd
F, P, W = "fern_runit", "*/rank-*/current", "FN/rank-*/current"
ACC = [(P, r"AggregationException: iteration \d+: ((partial sum|mean) from rank FR \(FN\) not received|no (partial sum|mean) from rank FR \(FN\) for \d+ ms|could not send to rank FR \(FN\))", R)]
AB_R = [(W, r"ERROR \[main\] n\.f\.Main - Training aborted on rank FR$", R)]
ENDS = [(P, r"AggregationException: iteration \d+: ((partial sum|mean) from rank \d+ \(\S+\) not received|no (partial sum|mean) from rank \d+ \(\S+\) for \d+ ms|could not send to rank)", E),
        (P, r"ERROR \[main\] n\.f\.Main - Training aborted on rank \d+", E), (P, r"^\S+ Caused by: java\.(io|net)\.", E), (P, r"^\S+ finish: fern-\d+ left with exit code [1-9]", E), (P, r"^\S+ finish: fern-\d+ stays down", E),
        ("*/runsvdir.log", r"^node\.sh: \S+ \S+: (0 of \d|1 of 2) ranks finished", E)]
LOST = [("_controller/registrar.log", r"registrar: FN missing, last report \d+s ago", R)]
label(F, "killed_twice", TC, "platform", "preemption", IT, "logs", [(W, r"^\S+ finish: fern-FR ended by signal 9", R)] + ACC + [(P, r"^\S+ run: fern-\d+ start 2 of 2", E)] + ENDS, it=26, also=[25, 27, 36, 37, 38],
      note="a rank is killed in iteration 26, runit starts all ranks again, they go on from iteration 20; it is killed again in iteration 37")
label(F, "heap_one_node", TC, "platform", "resource limit", IT, "logs", [(W, r"^\S+ Terminating due to java\.lang\.OutOfMemoryError: Java heap space", R), (W, r"^\S+ java\.lang\.OutOfMemoryError: Java heap space", R), (W, r"^\S+ finish: fern-FR left with exit code 3", R), (W, r"\[gc\] GC\(\d+\) Pause Full \(Allocation Failure\)", R)] + ACC + ENDS,
      it_last=True, cause_also=[["user", "configuration"]], note="the code keeps too much on all nodes, the ranks of one node run with a heap of 40 MB; at the end its lines show full collection upon full collection")
label(F, "power_off", TC, "hardware", "node", IT, "hybrid", LOST + ACC + ENDS, note="the node goes silent: its logs end, its reports stop; 12 s later all others give up, each accusing its neighbour in the tree")
label(F, "lossy_link", AB, "hardware", "network", IT, "hybrid", [(P, r"WARN  \[main\] n\.f\.Main - iteration \d+ took \d+ ms", E), (W, r"stats for iteration \d+ not delivered to \S+: Connect timed out", E)], note="30 % of what the node receives by TCP is lost from iteration 22 on; nothing fails, iterations take longer")
label(F, "disk_full", TC, "hardware", "storage", CK, "logs", [("FN/journal", r"volume /mnt/local at \d+%, free blocks 0", R), (W, r"^\S+ (Caused by: )?java\.io\.(IOException|SyncFailedException|FileNotFoundException): .*No space left on device", R)] + AB_R + ACC + ENDS, also_from=31, also_to=41, stage_also=[IT],
      note="the node's disk is full from the injection on; it shows at the snapshot after iteration 40")
label(F, "bad_record", TC, "hardware", "storage", IT, "logs", [(W, r"ERROR \[AsyncPrefetch-FR\] n\.f\.Records - prefetch thread stops", R), (W, r"java\.io\.IOException: record \d+ of part-\d+\.rec: CRC mismatch", R), (W, r"java\.lang\.IllegalStateException: no minibatch for iteration 27", R)] + AB_R + ACC + ENDS,
      it=27, also=[22, 23, 24, 25, 26], stage_also=[DA], note="a record is damaged on one node: the prefetch thread stops some iterations ahead, the rank fails in iteration 27")
label(F, "symbols_one_node", LF, "user", "configuration", IT, "logs", [(W, r"n\.f\.Main - Network: 40 symbols, ", R), (P, r"StreamCorruptedException: (partial sum|mean) from rank \d+ \(\S+\) has 2657 floats, expected 2977|StreamCorruptedException: .* has 2977 floats, expected 2657", R)] + AB_R + ACC + ENDS,
      it=1, also=[0], stage_also=[MO, EN], cause_also=[["user", "incompatibility"], ["user", "misoperation"]], note="the symbol list of one node is shorter: its network has fewer parameters, the first sum does not fit")
label(F, "eval_bug", TC, "user", "program bug", IT, "logs", [(P, r"^\S+ java\.lang\.ArrayIndexOutOfBoundsException: Index 1 out of bounds for length 1", R)] + ENDS, it=50, also=[49, 51], note="the second evaluation (after iteration 50) fails on all ranks alike")
label(F, "rate_step", TC, "user", "configuration", IT, "logs", [(P, r"n\.f\.Main - updater rate 0\.6 -> 600\.0", R), (P, r"^\S+ java\.lang\.ArithmeticException: score is (NaN|Infinity) at iteration \d+", R)] + ENDS, it=36, also=[35, 37, 38], note="the schedule, the same for all, raises the rate to 600 in iteration 36")
label(F, "frozen", AB, "hardware", "accelerator", IT, "hybrid", [], note="one rank stops dead and nothing has a time-out: all logs just end until the operator cancels the job")
label(F, "two_links", TC, "hardware", "network", IT, "logs", [("FN/journal", r"device \(eth0\): carrier: link disconnected", R), ("FN/journal", r"warden\[\d+\]: (registrar quiet for|cannot report)", R)] + LOST + ACC + ENDS, note="the links of two neighbouring nodes go down within the same moment")
label(F, "build_one_node", LF, "user", "incompatibility", EN, "logs", [(P, r"member FR at FN runs build 3\.3\.9-b201, coordinator runs \S+: refused", R), (W, r"IllegalStateException: coordinator \S+: REFUSED build", R), (W, r"n\.f\.Main - fern 3\.3\.9-b201, ", R), (P, r"AggregationException: members missing after \d+ ms: \[", R)] + AB_R + [(P, r"EOFException: coordinator \S+ closed the connection before the roster was complete", E)] + ENDS,
      note="one node has an older build; the coordinator refuses its ranks and gives up after 25 s")
NEUTRAL[F] = [r"^(\S+ )?\s*$", r"^\S+ \tat ", r"^\S+ \t?\.\.\. \d+ more", r"n\.f\.Snapshots - Restored model_iter_"]
try: import labels4b
except ImportError: pass
