"""What an expert would call failure-indicating in each job, written after reading the logs and before any diagnosis.

LABELS[family, fault] = (symptom, category, subtype, stage, diagnosable, [(files, pattern, role), ..], extras)
FN stands for a faulty node, FR for its rank(s), FI for the address(es) of the faulty node(s).  A pattern that matches nothing in a job is left out.
extras: it (iteration as the log prints it), also (further iterations that are right), also_to, stage_also, action, note, cause_also.
"""
R, E = "root", "effect"
TC, LF, AB = "training crash", "launching failure", "abnormal behavior"
IT, EN, DA, MO, CK = "iterative training", "environment initialization", "data loading", "model loading", "checkpointing"
LABELS, NEUTRAL = {}, {}


def label(family, fault, symptom, category, sub, stage, diag, lines, **extras):
    LABELS[(family, fault)] = (symptom, category, sub, stage, diag, lines, extras)


# --- plover_condor: a rank's lines in <node>/plover.<k>.err and .out; _controller/ShadowLog, _controller/plover.log (events), <node>/StarterLog
F, S, P, H, U, W, V, K = "plover_condor", "FN/plover.*.err", "*/plover.*.err", "_controller/ShadowLog", "_controller/plover.log", "FN/StarterLog", "FN/hostmon.log", "_controller/statsink.log"
GLOO = r"^\[rank\d+\]: RuntimeError: \[\./gloo/transport/tcp/"
PEER = [(P, GLOO + r"pair\.cc:\d+\] (Connection closed by peer|Read error|Write error|writev) \[FI\]", R), (P, r"RuntimeError: (Rank FR failed to pass monitoredBarrier|.*Rank FR failed)", R)]
KILLED = [(H, r"Node FR on slot1@FN was killed by signal 9", R), (W, r"Process exited, pid=\d+, signal=9", R), (U, r"^\t\(0\) Abnormal termination \(signal 9\)", R)]
FAILED = [(H, r"Node FR on slot1@FN exited with status [1-9]", R), (W, r"Process exited, pid=\d+, status=[1-9]", R)]
QUIET = [(K, r" HOSTLOST - FN has been silent", R), (H, r"Lost connection to starter at <[^>]*alias=FN&", R), (U, r"^    Trying to reconnect to slot1@FN ", R), (U, r"^    Can not reconnect to slot1@FN,", R),
         (U, r"^022 .* Job disconnected, attempting|^024 .* Job reconnection failed|^    Timed out waiting for a keepalive|^    Job disconnected too long|^    Socket between submit", R)]
ENDS = [(P, GLOO, E), (P, r"^\[rank\d+\]: RuntimeError: .*(failed to pass monitoredBarrier|monitored ?barrier)", E), (H, r"Node \d+ on slot1@\S+ (was killed by signal|exited with status [1-9])", E), (U, r"^\t\(0\) Abnormal termination \(signal", E), (U, r"^\t\(1\) Normal termination \(return value [1-9]", E),
        (U, r"^004 .* Job was evicted", E), (H, r"is being requeued", E), (H, r"Job \S+ terminated: exited with status [1-9]", E), (H, r"condor_write\(\): Socket closed", E), ("*/StarterLog", r"Process exited, pid=\d+, (signal=|status=[1-9])|Got SIG(TERM|QUIT)\.|Shutdown(Graceful|Fast) all jobs|condor_write\(\): Socket closed|Lost connection to shadow", E), (H, r"EXITING WITH STATUS 100", E)]
label(F, "rank_killed", TC, "platform", "preemption", IT, "logs", KILLED + PEER + ENDS, cause_also=[["hardware", "node"]], note="a rank is killed in batch 26; its neighbours of the tensor parallel group lose it at once, the rest is removed four seconds later")
label(F, "edge_cut", TC, "hardware", "network", IT, "hybrid", PEER + ENDS, note="nothing passes between two nodes (of one tensor parallel group) from batch 23 on: all ranks time out after 14 s in the same second, no line names the edge and none is root")
label(F, "lossy_node", AB, "hardware", "network", IT, "hybrid", [(P, r"plover\.trainer: batch \d\d took \S+ s \(", E)], also=[18, 20, 21, 22], note="an eighth of what one node receives by TCP is lost from batch 19 on; nothing fails, batches take seconds on all ranks; no line names the node")
label(F, "slow_cpu", AB, "hardware", "node", IT, "hybrid", [(P, r"plover\.trainer: batch \d\d took \S+ s \(", E)], also=[21, 23, 24, 25], note="one node gets 1.2 % of a processor from batch 22 on; the job runs to its end; the tensor parallel group waits in each batch, all ranks tell slow batches alike, none names the node")
label(F, "cgroup_oom", TC, "platform", "resource limit", IT, "logs", [(V, r" KERN - (oom-kill:constraint=CONSTRAINT_MEMCG|Memory cgroup out of memory: Killed process)", R)] + KILLED + PEER + ENDS, also_to=30, note="memory grows on all ranks, one node's control group is limited in batch 25; one of its two ranks is killed in batch 28 or 29, its neighbour on the node and the others lose it")
label(F, "init_corrupt", LF, "hardware", "storage", MO, "logs", [(S, r"^\[rank\d+\]: RuntimeError: PytorchStreamReader failed", R)] + FAILED + PEER + ENDS, cause_also=[["user", "misoperation"]], note="the initial weights staged in on one node lack their end; the others lose its rank in the first collective")
label(F, "old_package", LF, "user", "incompatibility", EN, "logs", [(S, r"^ImportError: cannot import name", R)] + FAILED + ENDS, cause_also=[["user", "misoperation"], ["user", "configuration"]], note="one node has an older package, in which a name is missing: its rank ends at once, the others still wait for it as they are removed")
label(F, "eval_bug", TC, "user", "program bug", IT, "logs", [(P, r"^\[rank\d+\]: RuntimeError: shape '\[", R)] + ENDS, it=40, also=[39, 41], note="the second evaluation (after batch 40) fails on all ranks alike")
label(F, "time_limit", TC, "user", "configuration", IT, "logs", [(H, r"is being removed: The job exceeded allowed job duration", R), (U, r"^\tThe job exceeded allowed job duration", R), (U, r"^009 .* Job was aborted", R)] + ENDS, action=["submitted with an allowed duration of 30 s, the job needs more"], cause_also=[["platform", "preemption"]], note="the batch system removes the job at its limit; nothing is wrong with the ranks")
NEUTRAL[F] = [r"^\[rank\d+\]: (Traceback|  )", r"^Traceback \(most recent", r"^\s", r"^\.\.\.$", r"^015 .* Node \d+ terminated", r"^005 .* Job terminated", r"Loading checkpoint from /mnt/dfs/ckpt", r"^\d\d/\d\d/\d\d .*(Create_Process|set to execute|Starting a PARALLEL|Communicating with shadow)", r"^0(14|01) "]
label(F, "sigstop", AB, "hardware", "accelerator", IT, "hybrid", KILLED + [(W, r"Got SIG(TERM|QUIT)\.|Shutdown(Graceful|Fast) all jobs", R)] + PEER + ENDS, note="a rank stops dead in batch 33; all others time out after 14 s, without naming it; its starter has to end it, which takes SIGKILL")
label(F, "bad_shard", TC, "hardware", "storage", IT, "logs", [(S, r"^\[rank\d+\]: zlib\.error: ", R)] + FAILED + PEER + ENDS, it=31, also=[30, 32], stage_also=[DA], cause_also=[["user", "misoperation"]], note="four bytes of a shard are changed on one node: its rank fails as it reads a sample for batch 31; all start again from the checkpoint of batch 30 and fail at once at the same sample")
label(F, "two_power_off", TC, "hardware", "node", IT, "hybrid", QUIET + PEER + ENDS, note="two nodes go silent in the same moment: their logs end, the schedd misses their keepalives after 9 s, the others time out after 14 s")
NEUTRAL[F] += [r"Loading checkpoint from /mnt/local/data/init\.pt"]
# --- wren_cap: all lines of all stages in _controller/cap.log
F, O, V, K = "wren_cap", "_controller/cap.log", "FN/watchd.log", "_controller/hub.log"
ACCUSE = [(O, r"FATAL -- stage\d+: .*\bstageFR \(FN:", R), (O, r"FATAL -- stage0: .* missing: stageFR ", R)]
OWN = [(O, r"FATAL -- stageFR: ", R)]
SSH = [(O, r"Exception while executing as root@FN: ", R), (O, r"^Net::SSH::\S+ .*FN|^Net::SSH::Timeout: Timeout, server FN not responding", R)]
QUIET = [(K, r"health check of host FN failed", R)]
ENDS = [(O, r"FATAL -- stage\d+: ", E), (O, r"Finished in \S+ seconds with exit status [1-9]\d* \(failed\)", E), (O, r"^wren: (stages failed on|attempt \d+ failed on) ", E), (O, r"^cap aborted!", E), (O, r"(Running|Command:) /usr/bin/env pkill ", E), (O, r"^SIGTERM received, stopping all stages", E), (O, r"stage\d+: SIGTERM$", E), (O, r"Exception while executing as root@|terminated with exception \(report_on_exception|^Net::SSH::|^(Caused by|IOError|Errno::)", E), ("*/sshd.log", r"Read error from remote host", E)]
NEUTRAL[F] = [r"^\s+from ", r"^/usr/(lib|share)/", r"^/workspace/", r"^wren\.rb:\d+:in", r"^<internal:", r"^\s*$", r"^Tasks: TOP", r"^\(See full trace", r"^\(Backtrace restricted", r"INFO -- stage\d+: loaded /mnt/", r"attempt 2$", r"Running /usr/bin/env", r"Command: /usr/bin/env", r"Connection closed by|Accepted publickey"]
KILLED = [(O, r"/workspace/node\.sh: line \d+: +\d+ Killed ", R), (O, r"Finished in \S+ seconds with exit status 137 \(failed\)", R)]
NIC = [(V, r"eth0 went down", R), (V, r"no acknowledgement for|cannot send report", R)]
label(F, "killed_twice", TC, "platform", "preemption", IT, "logs", KILLED + ACCUSE + ENDS, also=[16, 17, 18, 19, 20, 21, 23, 33, 34, 35], cause_also=[["hardware", "node"]], note="a stage is killed in step 22; all start over from step 16 and the same stage is killed again in step 34; its neighbours name it, the others lose each other")
label(F, "link_down", TC, "hardware", "network", IT, "hybrid", NIC + QUIET + SSH + ACCUSE + ENDS, note="the link of one node goes down in step 27: its neighbours time out after 12 s and name it, in the same moment as others that name each other; ssh gives the node up")
label(F, "power_off", TC, "hardware", "node", IT, "hybrid", QUIET + SSH + ACCUSE + ENDS, note="a node goes silent in step 31: its neighbours time out after 12 s and name it, in the same moment as others that name each other; ssh gives the node up")
label(F, "slow_link", AB, "hardware", "network", IT, "hybrid", [(O, r"WARN -- stage\d+: step \d\d took ", E)], also=[20, 22, 23, 24, 25], note="what one node sends is limited to a fraction of what a step needs from step 21 on; the job runs to its end; all stages tell slow steps, none names the node; what is sent at once (the bucket) hides the first four steps")
label(F, "disk_full", TC, "hardware", "storage", CK, "logs", [(V, r"/mnt/local: \d+% used, 0 blocks available", R)] + OWN + ACCUSE + ENDS, also_to=31, stage_also=[IT], cause_also=[["platform", "resource limit"]], note="the node's disk is full from step 24 on; it shows as its stage writes its trace after step 30")
label(F, "dfs_readonly", TC, "platform", "storage mount", CK, "logs", [(V, r"options of /mnt/dfs changed", R)] + OWN + ACCUSE + ENDS, also_to=46, stage_also=[IT], cause_also=[["hardware", "storage"]], note="the shared folder becomes read-only on one node in step 33; it shows as its stage saves its weights after step 45")
label(F, "port_one_node", LF, "user", "configuration", EN, "logs", [(O, r"WARN -- stageFR: register \S+: ", R)] + OWN + ACCUSE + ENDS, action=["WREN_PORT=7040 in the environment of one node"], cause_also=[["user", "misoperation"], ["hardware", "network"]], note="one node's environment names another port of the register: its stage is refused and ends, stage 0 waits for it for 30 s and names the stage that is missing")
label(F, "warm_missing", LF, "user", "misoperation", MO, "logs", OWN + ACCUSE + ENDS, cause_also=[["hardware", "storage"], ["user", "configuration"], ["platform", "storage mount"]], stage_also=[EN], note="the initial weights of one stage were not staged in: it ends at once, stage 0 waits for it for 30 s and names the stage that is missing")
label(F, "operator_cancel", TC, "platform", "preemption", IT, "hybrid", [(O, r"^SIGTERM received, stopping all stages", R)] + ENDS, cause_also=[["user", "misoperation"], ["user", "configuration"]], note="the operator ends a healthy job")
label(F, "sigstop", AB, "hardware", "accelerator", IT, "hybrid", ACCUSE + ENDS, note="a stage stops dead in step 29; its neighbours time out after 12 s and name it, in the same moment as others that name each other; the operator cancels the job, for capistrano waits for the node")
label(F, "address_limit", TC, "platform", "resource limit", IT, "logs", KILLED + OWN + ACCUSE + ENDS, also_to=33, cause_also=[["user", "configuration"]], note="memory grows on all stages; the address space of one process is limited in step 23, and it fails to allocate in step 32")
label(F, "activation_typo", LF, "user", "configuration", MO, "logs", [(O, r"FATAL -- stage\d+: key not found", R)] + ENDS, stage_also=[EN], action=["wren.yml names an activation that does not exist (thanh), on all nodes"], cause_also=[["user", "misoperation"]], note="the configuration names an unknown activation: all stages fail alike as they make their layer")
