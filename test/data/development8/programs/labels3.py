"""What an expert would call failure-indicating in each job, written after reading the logs and before any diagnosis.

LABELS[family, fault] = (symptom, category, subtype, stage, diagnosable, [(files, pattern, role), ..], extras)
FN stands for a faulty node, FR for its faulty rank(s).  A pattern that matches nothing in a job is left out.
extras: it (iteration as the log prints it), also (further iterations that are right), stage_also, action, note, cause_also.
"""
R, E = "root", "effect"
TC, LF, AB = "training crash", "launching failure", "abnormal behavior"
IT, EN, DA, MO, CK = "iterative training", "environment initialization", "data loading", "model loading", "checkpointing"
LABELS, NEUTRAL = {}, {}


def label(family, fault, symptom, category, sub, stage, diag, lines, **extras):
    LABELS[(family, fault)] = (symptom, category, sub, stage, diag, lines, extras)


# --- drift_pm2: each node's ranks in <node>/pm2.log, JSON lines of pino (level 50 error, 60 fatal) between lines of pm2
F, P, W = "drift_pm2", "*/pm2.log", "FN/pm2.log"
ACC = [(P, r'"level":60,.*"message":"ring: (nothing from rank FR \(FN\) for|rank FR \(FN\) closed the link|link (from|to) rank FR \(FN\) broke)', R)]
ENDS = [(P, r'"level":60,.*"message":"ring: (nothing from rank \d+ |rank \d+ \(\S+\) closed the link|link (from|to) rank \d+ \(\S+\) broke)', E),
        (P, r"PM2 log: App \[drift:\d\] exited with code \[[1-9]\d*\]", E), (P, r"^run\.sh: (0 of \d|1 of 2) ranks came to the end", E)]
LOST = [("_controller/fleet.log", r'level=error component=fleet msg="node stopped reporting" node=FN ', R)]
JOIN = [("*/pm2.log", r'"level":60,.*"message":"rendezvous: \d+ of \d+ ranks did not come within \d+ ms: FR\b', R), (P, r'"level":60,.*"message":"rendezvous: \S+ hung up', E)]
label(F, "preempted", TC, "platform", "preemption", IT, "logs", [(W, r"PM2 log: pid=\d+ msg=process tree killed", R)] + ACC + ENDS,
      note="the launcher of one node is told to end and stops its rank in good order; all other ranks lose a neighbour one after the other and say so, the rank at fault says nothing")
label(F, "power_off", TC, "hardware", "node", IT, "hybrid", LOST + ACC + ENDS, note="the node goes silent: its logs end, its reports stop; each rank accuses its left neighbour 20 s later")
label(F, "bad_record", TC, "hardware", "storage", IT, "logs", [(W, r'"level":50,.*"rank":FR,.*"type":"SyntaxError",.*"msg":"prefetch thread ended"', R), (W, r'"level":60,.*"message":"input starved: no batch for tick 27 ', R), (W, r'"rank":FR,.*"msg":"waiting for a batch"', E)] + ACC + ENDS,
      it=27, also=[26], stage_also=[DA], note="a record is damaged on one node: the reading thread of one rank ends (it reads four batches ahead), the rank starves in tick 27; pm2 starts all ranks once more, they go on from the checkpoint of tick 20 and fail alike")
label(F, "eval_bug", TC, "user", "program bug", IT, "logs", [(P, r'"level":60,.*"type":"TypeError","message":"Cannot read properties of undefined', R)] + ENDS, it=50, also=[49, 51], note="the second evaluation (after tick 50) fails on all ranks alike")
label(F, "heap_one_node", TC, "platform", "resource limit", IT, "logs", [(W, r"FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory", R), (W, r"PM2 log: App \[drift:0\] exited with code \[0\] via signal \[SIGABRT\]", R), (W, r"Mark-Compact", R)] + ACC + ENDS,
      it_last=True, cause_also=[["user", "configuration"]], note="the code keeps too much on all nodes, one node's ranks run with a heap of 20 MB: its rank aborts first")
label(F, "port_taken", LF, "user", "misoperation", EN, "logs", [(W, r'"level":60,.*"message":"listen EADDRINUSE: address already in use', R)] + JOIN + ENDS, cause_also=[["platform", "resource limit"]], note="a leftover process listens on the rank's port; the coordinator waits 30 s for the rank")
label(F, "clock_ahead", LF, "hardware", "node", EN, "logs", [(P, r'"level":50,.*"from":FR,"host":"FN","why":"clock differs by', R), (W, r'"level":60,.*"message":"rendezvous: refused by \S+: clock differs by', R), ("FN/sentry.log", r"wall clock is off the collector's", R)] + JOIN + ENDS,
      skew=341.7, note="the node's clock is 341.7 s ahead; the coordinator refuses its ranks. All stamps of that node's files are ahead as well")
label(F, "sigstop", AB, "hardware", "accelerator", IT, "hybrid", [], note="one rank stops dead and nothing has a time-out: all logs just end until the operator cancels the job")
label(F, "slow_link", AB, "hardware", "network", IT, "hybrid", [], note="what the node sends is limited to 180 kbit/s from the injection on; nothing fails, reduce times of all ranks grow")
label(F, "umount_dfs", TC, "platform", "storage mount", CK, "logs", [("FN/sentry.log", r'mount=/mnt/dfs msg="no longer mounted"', R), (W, r'"level":60,.*"message":"(EPERM|EACCES|ENOENT|EROFS): .*/mnt/dfs', R)] + ACC + ENDS, also_from=33, also_to=40, stage_also=[IT],
      note="the shared folder vanishes from the node of rank 0 in tick 33; it shows at the checkpoint after tick 40")
NEUTRAL[F] = [r"^\s*$", r"PM2 log: Script \S+ had too many unstable restarts", r"PM2 error: (Error caught while calling pidusage|Error: ESRCH)", r"^<--- ", r"^----- Native stack trace", r"^ *\d+: 0x[0-9a-f]+ ", r"^b/x86_64", r"PM2 log: (Stopping app|\d+ application online|PM2 successfully|pid=)", r"PM2 error: app=", r"^v8::internal", r"libnode\.so"]

# --- boost_parallel: all tasks in _controller/boost.out, prefix `task k/n<TAB>`; sshd.log and kmsg.log on each node
F, O = "boost_parallel", "_controller/boost.out"
T = r"^task FR/\d+\t"
XE = [(O, r"- \[\w+\.(cc|h):\d+\|\d\d:\d\d:\d\d\]: (Ring \S+.* failed|Encountered EOF\. The other end is likely closed|Poll timeout:\d+ seconds|Poll error condition|.*[Cc]onnection (reset|refused|timed out)|.*[Bb]roken pipe|.*[Ff]ailed)", E),
      (O, r"xgboost\.core\.XGBoostError: \[\d\d:\d\d:\d\d\] \./src/collective/", E), (O, r"task\.sh: trainer on \S+ ended with status \d+", E), (O, r"^parallel: (This job failed:|Starting no more jobs)", E),
      (O, r"^ssh -o ServerAliveInterval\S* .*task\.sh \d+ \d+$", E), (O, r"^launch\.sh: parallel left with status [1-9]", E), (O, r"UserWarning: .*The communicator is being destroyed without a call to shutdown", E), (O, r"WARNING: \./src/collective/tracker\.cc:\d+: Failed to initialize worker proxy", E)]
ENDT = [(O, r"^task FR/\d+\ttask\.sh: trainer on FN ended with status \d+", R)]
DOWN = [("_controller/fleet.log", r"^\S+ down FN unheard for \d+ s", R), (O, T + r"Timeout, server FN not responding", R)]
place = lambda k: (k - 1) % 10 + 1
label(F, "two_nodes_off", TC, "hardware", "node", IT, "hybrid", DOWN + XE, count=place, abs_to=38, note="two nodes go silent within the same moment: their logs end, their reports stop, ssh gives them up after 20 s; all others wait 25 s in a collective")
label(F, "cgroup_oom", TC, "platform", "resource limit", IT, "logs", [("FN/kmsg.log", r"oom-kill:constraint=CONSTRAINT_MEMCG", R), ("FN/kmsg.log", r"Memory cgroup out of memory: Killed process", R), (O, T + r"(/workspace/)?task\.sh: line \d+: +\d+ Killed", R), (O, r"^task FR/\d+\ttask\.sh: trainer on FN ended with status 137", R)] + XE,
      count=place, also_from=32, also_to=40, abs_to=40, note="memory grows on all nodes, one node's control group is limited in tree 33 (pass 4, tree 3); its task is killed in tree 40")
label(F, "link_down", TC, "hardware", "network", IT, "logs", [("FN/kmsg.log", r"eth0: link is down", R), ("FN/kmsg.log", r"sentry: collector unheard", R)] + DOWN + XE, count=place)
label(F, "chunk_damaged", TC, "hardware", "storage", IT, "logs", [(O, T + r"zipfile\.BadZipFile: Bad CRC-32 for file", R)] + ENDT + XE, it=10, also=[0, 1, 40, 41], stage_also=[DA], note="both tasks of one node fail when they open the fifth chunk, between tree 10 of pass 4 and tree 1 of pass 5")
label(F, "missing_file", LF, "user", "misoperation", DA, "logs", [(O, T + r"sha256sum: chunk-06\.npz: No such file or directory", R), (O, T + r"chunk-06\.npz: FAILED open or read", R), (O, T + r"sha256sum: WARNING: \d+ listed file", R), (O, T + r"task\.sh: stage-in on FN does not check out", R)] + XE, stage_also=[EN])
label(F, "broken_library", LF, "user", "incompatibility", EN, "logs", [(O, T + r"(ImportError|ModuleNotFoundError|AttributeError): ", R)] + ENDT + XE, note="the scipy of one node is empty: its task ends at import, the others wait for it at the tracker")
label(F, "disk_full", TC, "hardware", "storage", CK, "logs", [("FN/kmsg.log", r"/mnt/local: no space, \d+% used", R), (O, T + r"OSError: .*(No space left on device|requested and \d+ written)", R)] + ENDT + XE, count=place, also_from=34, also_to=41, abs_to=41, stage_also=[IT], note="the node's disk is full from the injection on; it shows after tree 10 of pass 4, when every task writes a cache")
label(F, "deadlock", TC, "user", "program bug", IT, "logs", [(O, r"Check failed: learner_model_param_\.num_feature == p_fmat->Info\(\)\.num_col_", R)] + XE, it=10, also=[0, 1, 40, 41], fault_is="mismatched_collective",
      note="after pass 4 rank 0 takes part in a collective that nobody else calls: the others' next collective meets it and they read nonsense, between tree 10 of pass 4 and tree 1 of pass 5; same code on all nodes")
label(F, "straggler_cpu", AB, "hardware", "node", IT, "hybrid", [], count=place, note="one node becomes slow at the injection and all tasks with it; no line names it")
label(F, "time_limit", TC, "user", "configuration", IT, "logs", [(O, r"^launch\.sh: the allocation of \d+ s is used up", R)] + XE, action=["submitted with a limit of 48 s, the job needs more"])
label(F, "bad_parameter", LF, "user", "configuration", EN, "logs", [(O, r"Invalid Input: 'gpu_hist_v2'", R)] + XE, stage_also=[IT, MO], action=["tree_method = gpu_hist_v2 in the settings of all tasks"])
label(F, "preempted", TC, "platform", "preemption", IT, "logs", [(O, T + r"Terminated$", R), (O, r"^task FR/\d+\ttask\.sh: trainer on FN ended with status 143", R)] + XE, count=place, note="one of the two tasks of a node is told to end")
label(F, "node_frozen", AB, "hardware", "node", IT, "hybrid", DOWN + XE, count=place, note="every process of the node stops dead, its link and address stay")
NEUTRAL[F] = [r"^(task \d+/\d+\t)*\s*$", r"^(task \d+/\d+\t)*Traceback \(", r"^(task \d+/\d+\t)*  +\S", r"^(task \d+/\d+\t)*Stack trace:", r"\[bt\] \(\d+\)", r"During handling of the above|The above exception was", r"Task \d+ connected to the tracker"]

# --- actors_dask: controller (and what its actors tell it) in _controller/driver.out, dask-scheduler.log beside it, dask-worker.log and messages on each node
F, O, S = "actors_dask", "_controller/driver.out", "_controller/dask-scheduler.log"
W = "FN/dask-worker.log"
BAD = [(O, r"\[ERROR\|finetune\.py:\d+\] .* learner FR failed: ", R)]
LOSTA = [(O, r"OSError: Unable to contact Actor's worker|ValueError: Worker holding Actor was lost|RuntimeError: Worker holding Actor", E)]
DE = [(O, r"\[ERROR\|finetune\.py:\d+\] .* learner \d+ failed: ", E), (O, r"^job\.sh: controller left with exit status [1-9]", E), (O, r"^job\.sh: line \d+: +\d+ Segmentation fault", E), (S, r"distributed\.scheduler - ERROR - broadcast to", E), (S, r"^distributed\.comm\.core\.CommClosedError: in <TCP \(closed\) Scheduler Broadcast", E)]
SILENT = [("_controller/fleet.log", r"fleetd: FN has been silent for \d+ s: DOWN", R), (S, r"Worker failed to heartbeat for \d+s; (attempting restart|[Cc]losing): <WorkerState '[^']*', name: FN[,-]", R), (O, r"TimeoutError: .*: no answer from learners \[FR\] within \d+ s", R)]
label(F, "kill_twice", TC, "platform", "preemption", IT, "logs", [(W, r"distributed\.nanny - INFO - Worker process \d+ was killed by signal 9", R), (W, r"distributed\.nanny - WARNING - Restarting worker", R)] + BAD + LOSTA + DE,
      also=[23, 25, 32, 33, 34], it=24, note="the worker process of one node is killed in step 24; job.sh starts the controller again, which goes on from step 20; it is killed again in step 33")
label(F, "nanny_memory", TC, "platform", "resource limit", IT, "logs", [(W, r"distributed\.nanny\.memory - WARNING - Worker .* exceeded 95% memory budget", R), (W, r"distributed\.nanny\.memory - WARNING - Worker .* is slow to accept SIGTERM", R), (W, r"distributed\.worker\.memory - WARNING - (Unmanaged memory use is high|Worker is at \d+% memory usage)", R), (W, r"distributed\.nanny - (WARNING - Restarting worker|INFO - Worker process \d+ was killed)", R)] + BAD + LOSTA + DE,
      it_last=True, it_rx=r" (\d+)/80 \[", note="memory grows on all nodes, one worker was given less; its nanny ends it")
label(F, "power_off", TC, "hardware", "node", IT, "hybrid", SILENT + BAD + LOSTA + DE, note="the node goes silent: its logs end, its reports stop")
label(F, "lr_step", TC, "user", "configuration", IT, "logs", [(O, r"Learning rate = 0\.6, steps \[\[37, 45\.0\]\]", R), (O, r"\[INFO\|finetune\.py:\d+\] .*>> base learning rate is 45 from step 37 on", R), (O, r"\(Learner pid=\d+, ip=\S+\) WARNING: update \d+: local loss is (nan|inf)", R), (O, r"FloatingPointError: grad_norm is nan at global step \d+", R), ("*/dask-worker.log", r"RuntimeWarning: (overflow encountered|invalid value encountered|divide by zero)", E)] + DE,
      note="the settings, the same for all, raise the learning rate to 45 in step 37; the loss becomes nan two steps later", it=37, also=[36, 38, 39])
label(F, "version_one_node", LF, "user", "incompatibility", EN, "logs", [(O, r"RuntimeError: worker FN \(tcp://\S+\) runs crew 2\.7\.4, the controller runs 2\.8\.1", R)] + DE)
label(F, "disk_full", TC, "hardware", "storage", CK, "logs", [("FN/messages", r"/mnt/local: \d+% in use, \d+ blocks free", R), ("*", r"OSError: .*(No space left on device|requested and \d+ written)", R)] + BAD + DE, also_from=33, also_to=41, stage_also=[IT], note="the node's disk is full from step 33 on; it shows at the checkpoint after step 40")
label(F, "bug_apply", TC, "user", "program bug", IT, "logs", [("*", r"KeyError: 'fc2'", R)] + DE, it=43, also=[42, 44])
label(F, "sigstop", AB, "hardware", "accelerator", IT, "hybrid", [(W, r"distributed\.nanny - WARNING - (Worker process still alive after \S+ seconds, killing|Restarting worker)", R), (W, r"distributed\.nanny - INFO - (Worker process \d+ was killed by signal 9|Nanny asking worker to close)", R), (S, r"distributed\.scheduler - INFO - Restarting 1 workers: ", R)] + SILENT + BAD + LOSTA + DE, note="one worker process stops dead; the scheduler gives it up after 25 s without a heartbeat")
label(F, "weights_cut", LF, "hardware", "storage", MO, "logs", [(O, r"zipfile\.BadZipFile: ", R)] + DE, note="the weights in the shared folder, which the controller alone reads, are cut in half")
label(F, "object_store_down", TC, "hardware", "storage", CK, "logs", [(O, r"\(attempt [34] of 4\): HTTP Error 500", R), (O, r"Upload of checkpoint-40\.npz failed", R), (O, r"RuntimeError: checkpoint-40\.npz could not be uploaded", R), ("_controller/fleet.log", r'blobd: \S+ "PUT \S+" 500 ', R)] + DE, also_from=30, also_to=41, stage_also=[IT], note="the object store answers 500 from step 31 on; it shows at the checkpoint after step 40")
label(F, "lossy_link", AB, "hardware", "network", IT, "hybrid", [], note="35 % of what the node receives by TCP is lost from step 25 on; nothing fails, steps take longer")
label(F, "bad_row", TC, "user", "misoperation", IT, "logs", [(W, r"^ValueError: row \d+ of file \d+: check value is \d+, should be \d+", R), (W, r"^Exception in thread loader-FR:", R), (O, r"RuntimeError: learner FR: the loader has delivered nothing for \d+ s \(update 30, loader alive: False\)", R)] + BAD + DE,
      it=30, also=[25, 26, 27, 28, 29, 31], stage_also=[DA], cause_also=[["hardware", "storage"]], note="a row of the corpus, which all nodes have alike, is wrong; only one learner meets it: its loader thread dies some updates ahead, the learner starves in update 30. faulty_nodes has the node that met it")
label(F, "walltime", TC, "user", "configuration", IT, "logs", [(O, r"^job\.sh: walltime of \d+ s is over", R)], stage_also=[CK], action=["submitted with a limit of 60 s, the job needs more"])
label(F, "name_one_node", LF, "user", "configuration", EN, "logs", [(W, r"reaching 'login1', defaulting to hostname: \[Errno -\d+\] Name or service not known", R), (W, r"socket\.gaierror: \[Errno -\d+\]", R), (W, r"OSError: Timed out trying to connect to tcp://login1:8786", R), (W, r"^RuntimeError: Nanny failed to start", R), (W, r"Reason: failure-to-start-", R), (O, r"TimeoutError: Only 4/5 workers arrived after \d+", R)] + DE, cause_also=[["hardware", "network"], ["platform", "resource limit"]], note="the host table of one node lacks the scheduler's name; its worker never comes")
NEUTRAL[F] = [r"^\s*$", r"Reason: worker-handle-scheduler-connection-broken", r"^tornado\.iostream\.StreamClosedError", r"^distributed\.comm\.core\.CommClosedError", r"Traceback \(", r"^ +\S", r"During handling of the above|The above exception was", r"\d+/\d+ \[\d\d:\d\d<", r"^Exception ignored"]
