"""What an expert would call failure-indicating in each job, written after reading the logs and before any diagnosis.

LABELS[family, fault] = (symptom, category, subtype, stage, diagnosable, [(files, pattern, role), ..], extras)
FN stands for a faulty node, FR for its rank(s), FS for their slots (rank + 1), FI for the address(es) of the faulty node(s).  A pattern that matches nothing in a job is left out.
extras: it (iteration as the log prints it), also (further iterations that are right), also_to, stage_also, action, note, cause_also.
"""
R, E = "root", "effect"
TC, LF, AB = "training crash", "launching failure", "abnormal behavior"
IT, EN, DA, MO, CK = "iterative training", "environment initialization", "data loading", "model loading", "checkpointing"
LABELS, NEUTRAL = {}, {}


def label(family, fault, symptom, category, sub, stage, diag, lines, **extras):
    LABELS[(family, fault)] = (symptom, category, sub, stage, diag, lines, extras)


# --- topaz_pssh: loguru's lines of a machine's rank(s) in <node>/stderr.log, what the launcher says in <node>/stdout.log, parallel-ssh in _controller/launch.out
F, S, P, H, G = "topaz_pssh", "FN/stderr.log", "*/stderr.log", "FN/hostd.INFO", "_controller/launch.out"
GAVE = [(S, r"\| CRITICAL \| rank FR \| __main__:<module>:\d+ - training aborted on rank", R)]
PEER = [(P, r"^RuntimeError: \[\./gloo/transport/tcp/pair\.cc:\d+\] (Connection closed by peer|Read error) \[FI\]", R)]
OUT = [(S, r"^subprocess\.CalledProcessError: ", R), ("FN/stdout.log", r"\[launch@FN\] local process returned", R)]
QUIET = [("_controller/registryd.INFO", r"no beat of FN since \d+s, marking it absent", R)]
SSH = [(S, r"^Timeout, server FN not responding", R), (G, r"\[FAILURE\] FN Exited with error code 255", R)]
NIC = [(H, r"eth0: operstate UP -> DOWN", R), (H, r"registry silent for \d+s|sendto failed for beat", R)]
ENDS = [(P, r"^RuntimeError: \[\./gloo/transport/tcp/(pair|unbound_buffer)\.cc:\d+\] ", E), (P, r"\| CRITICAL \| rank \d+ \| __main__:<module>:\d+ - training aborted on rank", E), (P, r"^subprocess\.CalledProcessError: ", E),
        ("*/stdout.log", r"\] local process returned -?\d+", E), ("*/stdout.log", r"\] attempt 2 of 2: ", E) , (G, r"\[FAILURE\] ", E), (G, r"parallel-ssh returned [1-9]", E)]
KILLED = [("FN/stdout.log", r"\[launch@FN\] local process returned -9", R), (S, r"^subprocess\.CalledProcessError: .* died with <Signals\.SIGKILL: 9>", R)]
label(F, "killed_twice", TC, "platform", "preemption", IT, "logs", KILLED + PEER + ENDS, also=[16, 17, 19, 32, 33, 34, 35], cause_also=[["hardware", "node"]], note="a rank is killed in step 18; the launchers start all again, they go on from step 15; the same rank is killed in step 34")
label(F, "power_off", TC, "hardware", "node", IT, "hybrid", QUIET + SSH + ENDS, also=[30, 32], note="the machine goes silent: its logs end, its beats stop; all others time out in the same collective after 14 s, without naming it")
label(F, "frozen", AB, "hardware", "accelerator", IT, "hybrid", [("FN/sshd.log", r"^Connection closed by ", E), (G, r"^Terminated$", E)] + ENDS, note="a rank stops dead; the others time out in a collective after 14 s, without naming it; parallel-ssh waits for its machine until the operator cancels the job; no line names the machine")
label(F, "cgroup_oom", TC, "platform", "resource limit", IT, "logs", [(H, r"oom-kill:constraint=CONSTRAINT_MEMCG", R), (H, r"Memory cgroup out of memory: Killed process", R)] + KILLED + [("FN/stdout.log", r"sending SIGTERM to local rank", E)] + PEER + [("*/stdout.log", r"sending SIGTERM to local rank", E)] + ENDS, also_to=31,
      note="memory grows on all ranks, one machine's control group is limited in step 21; one of its two ranks is killed some steps later, the launcher ends the other one")
label(F, "slow_link", AB, "hardware", "network", IT, "hybrid", [(P, r"\| WARNING  \| rank \d+ \| __main__:fit:\d+ - opt_step \d+ took \S+ s \(", E)], note="what one machine sends is limited to a fraction of what a step needs; all ranks wait in each exchange, the job runs to its end; no line names the machine")
label(F, "disk_full", TC, "hardware", "storage", CK, "logs", [(H, r"/mnt/local \d+% in use, 0 blocks free", R), (S, r"^RuntimeError: \[enforce fail at inline_container\.cc", R)] + GAVE + OUT + PEER + ENDS, also_to=45, stage_also=[IT], cause_also=[["platform", "resource limit"]], note="the machine's disk is full from step 33 on; it shows at the snapshot after step 45")
label(F, "bad_record", TC, "hardware", "storage", IT, "logs", [(S, r"\| ERROR    \| rank FR \| topaz\.data:run:\d+ - read-ahead of \S+ stopped at sample", R), (S, r"^UnicodeDecodeError: ", R), (S, r"^RuntimeError: no more batches from the read-ahead thread", R)] + GAVE + OUT + PEER + ENDS, it=29, also=[26, 27, 28, 30], stage_also=[DA], cause_also=[["user", "misoperation"]],
      note="a byte of a row is changed on one machine: its reading thread fails, some batches later its rank; all start again, go on from step 15 and fail at the same row")
label(F, "seq_one_node", LF, "user", "configuration", MO, "logs", [(S, r"^RuntimeError: \[FR\]: params\[\d+\] in this process with sizes ", R)] + GAVE + OUT + PEER + ENDS, action=["TOPAZ_SEQ_LEN=48 in the environment of one machine"], also=[0, 1], stage_also=[EN], cause_also=[["user", "misoperation"]], note="one machine's environment sets another sequence length, its embedding of positions does not fit those of the others")
label(F, "eval_bug", TC, "user", "program bug", IT, "logs", [(P, r"^RuntimeError: The size of tensor a \(\d+\) must match the size of tensor b \(\d+\)", R)] + [("*/stdout.log", r"sending SIGTERM to local rank", E)] + ENDS, it=40, also=[39, 41], note="the second evaluation (after step 40) fails on all ranks alike; a launcher ends the other rank beside the first that fails, which may not get to say anything")
label(F, "base_corrupt", LF, "hardware", "storage", MO, "logs", [(S, r"^RuntimeError: PytorchStreamReader failed", R)] + GAVE + OUT + PEER + ENDS, also=[0, 1], cause_also=[["user", "misoperation"]], note="the initial weights staged in on one machine lack their end")
label(F, "time_limit", TC, "user", "configuration", IT, "logs", [(G, r"\[FAILURE\] \S+ Timed out(, Killed by signal 9)?$", R), ("*/sshd.log", r"^Connection closed by ", E)] + ENDS, action=["submitted with a limit of 38 s (parallel-ssh -t 38), the job needs more"], cause_also=[["platform", "preemption"]], note="parallel-ssh ends all connections at its limit; nothing is wrong with the ranks")
label(F, "two_links", TC, "hardware", "network", IT, "logs", NIC + QUIET + SSH + ENDS, note="the links of two machines go down within the same moment; nothing that they say after that comes to the head")
label(F, "dfs_readonly", TC, "platform", "storage mount", CK, "logs", [(H, r"/mnt/dfs: mount flags rw -> ro", R), (S, r"^RuntimeError: (Parent directory /mnt/dfs|File /mnt/dfs/\S+ cannot be opened)", R), (S, r"^OSError: \[Errno 30\]|Read-only file system", R)] + GAVE + OUT + PEER + ENDS, also_to=30, stage_also=[IT], cause_also=[["hardware", "storage"]], note="the shared folder becomes read-only on the first machine in step 20; it shows when its rank, which writes all checkpoints, saves the one after step 30")
NEUTRAL[F] = [r"^\s*$", r"^Traceback ", r"^  ", r"^\s+[│└]", r"^During handling|^The above exception", r"^\s+│", r"resumed at optimizer step", r"attempt 2$", r"starting over in 4 s$"]
try: import labels6b
except ImportError: pass
