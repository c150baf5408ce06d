"""What an expert would call failure-indicating in each job, written after reading the logs and before any diagnosis.

LABELS[family, fault] = (symptom, category, subtype, stage, diagnosable, [(files, pattern, role), ..], extras)
FN stands for a faulty node, FR for its faulty rank(s), FW for the name(s) the log gives them.  A pattern that matches nothing in a job is left out.
extras: it (iteration as the log prints it), also (further iterations that are right), also_to, stage_also, action, note, cause_also.
"""
R, E = "root", "effect"
TC, LF, AB = "training crash", "launching failure", "abnormal behavior"
IT, EN, DA, MO, CK = "iterative training", "environment initialization", "data loading", "model loading", "checkpointing"
LABELS, NEUTRAL = {}, {}


def label(family, fault, symptom, category, sub, stage, diag, lines, **extras):
    LABELS[(family, fault)] = (symptom, category, sub, stage, diag, lines, extras)


# --- otter_clush: all ranks' lines in _controller/clush.out, prefix `host: rank@host| `; reports of Erlang's logger have a head line with the time, then lines of their own
F, O, V = "otter_clush", "_controller/clush.out", "FN/events.jsonl"
W = r"^FN: FW\| "
THREE = r"(\*\* \{+|exception exit: \{|reason: \{)"
LOST = [(O, r"\| mesh: lost FW, ", R), (O, r"\| 'global' at node \S+ requested disconnect from node FW in order", R)]
ACC = [(O, THREE + r"all_reduce_failed,\{step,\d+\},\{peer,FW\}", R)]
TICK = [(O, r"\| \*\* Node FW not responding \*\*", R), (O, r"\| shard \d+: step \d+ waits for \[FW\]", R)]
SINK = [("_controller/events.jsonl", r'"nothing from FN in the last \d+ s"', R)]
DIES = [(O, r"^FN: rank\.sh: rank FR ended, status [1-9]", R)]
ENDS = [(O, THREE + r"all_reduce_failed,\{step,\d+\},", E), (O, r"\| mesh: lost ", E), (O, r"\| 'global' at node \S+ (requested disconnect from|disconnected) node ", E), (O, r"\| \*\* Node \S+ not responding", E), (O, r"\| \*\* Removing \(timedout\) connection", E),
        (O, r"\| \*\* Generic server otter_train terminating", E), (O, r"\|     reason: (shutdown|reached_max_restart_intensity)$", E), (O, r"\| Kernel pid terminated \(application_controller\)", E), (O, r"^\S+: rank\.sh: rank \d+ ended, status [1-9]", E),
        (O, r"\| shard \d+: step \d+ waits for ", E), (O, r"^--- .* clush status [1-9]", E)]
KILLED = [(O, r"^FN: /workspace/rank\.sh: line \d+: +\d+ Killed ", R), (O, r"^FN: rank\.sh: rank FR ended, status 137", R)]
label(F, "killed", TC, "platform", "preemption", IT, "logs", KILLED + LOST + ACC + ENDS, cause_also=[["hardware", "node"]], note="a rank is killed in step 34, the others lose it at once")
label(F, "frozen", AB, "hardware", "accelerator", IT, "hybrid", TICK + LOST + ACC + [(O, r"^Terminated$", E)] + ENDS, note="a rank stops dead; after some ten seconds the first of the others drops it, `global` makes all drop it and they end; clush waits for the node until the operator cancels the job")
label(F, "cgroup_oom", TC, "platform", "resource limit", IT, "logs", [(V, r"oom-kill:constraint=CONSTRAINT_MEMCG", R), (V, r"Memory cgroup out of memory: Killed process", R), (O, r"^FN: /workspace/rank\.sh: line \d+: +\d+ Killed ", R), (O, r"^FN: rank\.sh: rank FR ended, status 137", R)] + LOST + ACC + ENDS, also_to=27,
      note="memory grows on all nodes, one node's control group is limited in step 18; one of its two ranks is killed some steps later, the other one ends as all others do (its last line is effect)")
label(F, "link_down", TC, "hardware", "network", IT, "logs", [(V, r"NIC Link is Down", R), (V, r"sink has not answered for \d+ s|beacon \d+ not sent", R)] + SINK + TICK + LOST + ACC + ENDS, note="the link of one node goes down; nothing that its rank says after that comes to the head")
label(F, "lossy_link", AB, "hardware", "network", IT, "hybrid", [(O, r"\| step \d+ slow: ", E)], also=[23, 25, 26, 27], it=24, note="a quarter of what the node receives by TCP is lost from step 24 on; nothing fails, some steps take seconds, on all ranks alike; no line names the node")
label(F, "bad_record", TC, "hardware", "storage", IT, "logs", [(O, W + r".*\{bad_checksum,", R), (O, W + r"\*\* Generic server otter_reader terminating", R)] + DIES + ACC + [(O, r"^--- .* attempt 2/2", E)] + ENDS, it=28, also=[27], stage_also=[DA], cause_also=[["user", "misoperation"]],
      note="a byte of a record is changed on one node; its reader fails at step 28, run.sh starts all ranks again, they go on from step 20 and fail at the same record")
label(F, "disk_full", TC, "hardware", "storage", CK, "logs", [(V, r"/mnt/local \d+% used, 0 blocks available", R), (O, W + r".*\{error,\{enospc,", R)] + DIES + ACC + ENDS, also_to=41, stage_also=[IT], note="the node's disk is full from step 29 on; it shows at the snapshot after step 40")
label(F, "cookie_one_node", LF, "user", "configuration", EN, "logs", [(O, r"\| \*\* Connection attempt (from|to) node FW ", R), (O, W + r"\*\* Connection attempt (from|to) node ", R), (O, r"\| mesh: not connected yet: \[FW\]", R), (O, r"\{mesh_incomplete,\[FW\]\}", R), (O, W + r".*\{mesh_incomplete,", R)] + DIES + [(O, r"\{mesh_incomplete,", E), (O, r"\| mesh: not connected yet: ", E)] + ENDS,
      cause_also=[["user", "misoperation"]], note="one node starts its rank with another cookie: no other node lets it in; all give up after 25 s")
label(F, "test_bug", TC, "user", "program bug", IT, "logs", [(O, r"(\*\* |reason: )\{\{badkey,2\}|exception error: bad key: 2", R)] + ENDS, it=50, also=[49, 51], note="the second test (after step 50) fails on all ranks alike")
label(F, "time_limit", TC, "user", "configuration", IT, "logs", [(O, r"^clush: .*command timeout", R)] + ENDS, action=["submitted with a limit of 24 s (clush -u 24), the job needs more"], cause_also=[["platform", "preemption"]], note="clush ends all ranks at its limit; nothing is wrong with them")
label(F, "two_readonly", TC, "platform", "storage mount", CK, "logs", [(V, r"/mnt/local remounted: ro", R), (O, W + r".*\{error,\{?erofs", R), (O, W + r".*\{badmatch,\{error,erofs", R)] + DIES + ACC + ENDS, also_to=41, stage_also=[IT], cause_also=[["hardware", "storage"]], note="the local disks of two nodes become read-only in step 33; it shows at the snapshot after step 40")
label(F, "slow_cpu", AB, "hardware", "node", IT, "hybrid", [], note="one node gets 1 % of a processor from step 21 on; all ranks wait for it, the job runs to its end; no failure-indicating line, durations change (grad and test on that node, sum on the others)")
NEUTRAL[F] = [r"^(\S+: )?(\S+\| )?\s*$", r"\| =\S+ REPORT==== ", r"\| (\*\*)?  ", r"\| \*\* (Last message|When Server|Reason for|Client )", r"\| resumed from "]
try: import labels5b
except ImportError: pass
