"""What an expert would call failure-indicating in each job, written after reading the logs and before any diagnosis.

LABELS[fault] = (symptom, category, subtype, stage, diagnosable, [(files, pattern, role), ..], extras)
FN stands for a faulty node, FR for its rank(s), FI for its addresses, FX
for its pod's number.  OWN in place of files: the worker logs of the
faulty ranks.  A pattern that matches nothing in a job is left out.
extras: cl (classes), neutral (further patterns), it (steps done, as progress counts them), also (further ones that are right),
also_to, stage_also, action, note, cause_also, noroot, pods (
    numbers of the faulty nodes' pods where they differ from the nodes' numbers).
"""
R, E = "root", "effect"
TC, LF, AB = "training crash", "launching failure", "abnormal behavior"
IT, EN, DA, MO, CK = "iterative training", "environment initialization", "data loading", "model loading", "checkpointing"
LABELS = {}
WL, PL, SL, MA, ME, JC, EV = ("*/msrun_log*/worker*.log", "*/plog/*.log", "*/msrun_log*/scheduler.log", "modelarts-job-*.log",
    "*/messages",
                              "job-controller.log", "events.txt")
FP, FM, FA = "FN/plog/*.log", "FN/messages", "modelarts-job-*-worker-FX.log"
W = r"^(?:\[worker_\d+\] )?"
PY = r"(?:[\w.]+(?:Error|Exception|Interrupt|KeyboardInterrupt)(?:: |$))"
FATAL = r"Fatal Python error"
ERR = r"\[(?:ERROR|CRITICAL)\] "
MF = r".* - mindformers\S+ - (?:ERROR|WARNING) - "
FIRST = [(JC, r"suspend_detect", E), (MA, r"suspend detection", E), (EV, r" Job(?:Failed|Aborted|Terminated) .*\d pods: ", E)]
OWN = [("OWN", FATAL, R), ("OWN", ERR, R), ("OWN", PY, R), ("OWN", r"E[IL]\d{4}: ", R), ("OWN", MF, R), ("OWN",
    r"\[WARNING\] (?:MD\(.*Bad performance|DISTRIBUTED.*name resolution)", R),
       (MA, r"Rank id: (?:FR), exit code: (?!0)", R), (MA, r"^msrun_log\w*/(?:worker_(?:FR)\.log-\d+-|"
           r"workers\.log-\d+-\[worker_(?:FR)\])", R),
       (FP, ERR, R)]
SAY = [(WL, W + r"(?:E[IL]\d{4}: |" + ERR + r"|\[WARNING\] DISTRIBUTED.*(?:failed to send|Failed to connect)|.* - WARNING - "
    r").*(?:FI|FN)(?![\w-])", R),
       (PL, ERR + r".*(?:FI)(?!\d)", R), (WL, W + r"E[IL]\d{4}: .*remote(?: |R)[Rr]ank ?\[(?:FR)\]", R),
       (SL, r"(?:host (?:FN)|ip (?:FI))(?![\w-]).*(?:is closed|is timed out|reports an exception)", R),
       (SL, r"worker (?:FR) is the first one timed out", R), (SL,
           r"The node: (?:FR)\b.*(?:reports an exception|is timed out)", R)]
AGENT = [(FA, r"\[health check\] (?:abnormal|pre-check failed)|level=(?:error|warning)", R),
         (FA, r"return code: [1-9]|exit with [1-9]|process_entity/_api.py:\d+\] (?:Scheduler|Worker) process \d+ exit with "
             r"exception", R),
         (FM, r"kernel: (?:oom-kill|Memory cgroup out|\S.*Killed process)|link down|no selectable sources", R),
         (FM, r"ContainerDied\",\"ExitCode\":[1-9]|ma-agent\[\d+\]: connection to job controller \S+ is lost: (?!closed by)",
             R),
         (JC, r"^[WE]\d{4} .*[ ](?:FN)(?![\w-])", R), (JC, r"on node (?:FN) Failed", R), (JC, r'drains node "(?:FN)"', R),
         (JC, r"connection of node (?:FN) closed", R), (JC, r"^[WE].*'worker-(?:FX)'", R),
         (EV, r"Z  (?:Warning  |Normal   (?:NodeNot|Evicted)).*(?:node/(?:FN) |node (?:FN)(?![\w-])|worker-(?:FX)(?!\d))", R)]
ENDS = [(WL, W + FATAL, E), (WL, W + ERR, E), (WL, W + PY, E), (WL, W + r"E[IL]\d{4}: ", E), (WL, W + MF, E),
        (WL, W + r"\[WARNING\] (?:MD|DISTRIBUTED).*(?:failed to send .*retry [4-9]|Bad performance)", E), (PL, ERR, E),
        (SL, ERR + r"|is closed\.$|is timed out|^\w+Error: ", E),
        (MA, r"^\[ERROR\] |all other workers|Received signal|receive signal "
            r"terminated|^msrun_log\w*/worker\w*\.log-\d+-|^\w+Error: |"
             r"return code: [1-9]|exit with [1-9]|abnormal: |pre-check failed|level=(?:error|warning)", E),
        (ME, r"ContainerDied\",\"ExitCode\":[1-9]", E),
        (JC, r"^[WE]\d{4} |Failed, exit code|-> "
            r"(?:aborting|failed|terminating|terminated|aborted|restarting|pending)|action (?:AbortJob|RestartJob)", E),
        (EV, r"Z  Warning ", E)]
NEUTRAL = [W + r"(?:  |Traceback|During handling|The above exception|Stack \(most|Current thread|Thread 0x|Extension "
    r"modules|-+$|"
           r"- (?:Ascend|C\+\+|Dataset|Python) |mindspore/ccsrc|\(Please search|$)", r"SystemExit|sys\.exit\(main",
           r"/usr/local/bin/msrun", r"is lost: closed by the controller", r"connection to job controller is back",
           r"level=info",
           r"not ready, retry", r"Topology build", r"_check_version", r"may not be supported in later version",
           r"fragment ratio",
           r"ma-pre-start", r"libdcmi|davinci_manager|collect container info failed", r"ended from outside",
           r"\[suspend detection\]", r"suspend_detect",
           r"Network Parameters", r"compute time of all ranks", r"overflow cond: True", r"registered successfully",
           r"_queue\.Empty", r"failed to send message to the scheduler .*retry 1", r"Exception ignored in",
           r"RuntimeWarning: ", r"Failed to connect to the tcp server .* retry to connect"]
NOISE = [r"\[Statistics\]link", r"profile of rank", r"step:\[", r"samples/s/p", r"config \w+: ", r"npu-exporter",
r"Scheduled|Started  ",
         r"run_name ", r"run command", r"scheduler_cache", r"data_parallel \d", r"\[Init\]rank", r"Save checkpoint",
         r"of step \d+ is complete",
         r"\[init\]|SyncLoop ADD|NetworkManager|Selected source|registered from|server_count|Start (?:worker|scheduler) "
         r"process",
         r"Cluster is successfully|\[health check\] (?:normal|pre-check passed)|training-jobs|JobCreated|ranktable of "
         r"job|phase (?:pending|starting) ->",
         r"Scheduler starts listening|Eval result|Start to evaluate|ma-agent 3|Create (?:train|eval) dataset|No "
         r"checkpoint in|Load checkpoint"]
NODE = FIRST + OWN + AGENT + SAY + ENDS
HN, HNET, PRE = [["hardware", "node"]], [["hardware", "network"]], [["platform", "preemption"]]
UM, UC, BUG = [["user", "misoperation"]], [["user", "configuration"]], [["user", "program bug"]]
RL, ST, MT = [["platform", "resource limit"]], [["hardware", "storage"]], [["platform", "storage mount"]]
ACC, INC = [["hardware", "accelerator"]], [["user", "incompatibility"]]


def fault_(name, symptom, category, sub, stage, diag, lines, cl, **extras):
    LABELS[name] = (symptom, category, sub, stage, diag, lines, dict(extras, cl=cl))


def ALL(*rx):
    return FIRST + [(WL, r"^(?!(?:\[worker_\d+\] )?  ).*(?:" + r + ")", R) for r in rx] + [(MA,
    r"^msrun_log\w*/worker\w*\.log-\d+-(?!(?:\[worker_\d+\] )?  ).*(?:" + "|".join(rx) + ")", R)] + ENDS


for n in ("rank_killed", "rank_killed_late"):
    fault_(n, TC, "platform", "preemption", IT, "logs", NODE, [1, 5], cause_also=HN, note="a rank is killed (SIGKILL)")
fault_("clock_and_kill", TC, "platform", "preemption", IT, "logs", NODE + [(ME, r"System clock wrong", E)], [1, 5],
cause_also=HN,
       note="a rank is killed; the clock of another node, which is not at fault, is 37 s behind")
fault_("rank_stopped", AB, "hardware", "accelerator", IT, "hybrid", NODE, [5], cause_also=HN + BUG,
       note="a rank stops dead (SIGSTOP) and says nothing; the others time out")
fault_("silent_hang", AB, "hardware", "accelerator", IT, "hybrid", NODE + [(JC, r"DELETE ", E), (EV, r"JobTerminated", E)],
[5], cause_also=HN + BUG,
       note="a rank stops dead (SIGSTOP); time-outs are long, the job hangs until the user ends it 16 s later")
fault_("init_stopped", AB, "hardware", "accelerator", EN, "hybrid", [(SL, r"have not registered", R)] + NODE, [5], it=None,
cause_also=HN + UC + BUG,
       note="a rank stops dead before it registers; the others time out")
fault_("rank_segv", TC, "hardware", "accelerator", IT, "logs", NODE, [1, 5], cause_also=BUG + HN,
    note="a rank dies of a segmentation fault")
fault_("rank_abrt", TC, "hardware", "accelerator", IT, "logs", NODE, [1, 5], cause_also=BUG + HN,
    note="a rank aborts (SIGABRT)")
fault_("loader_killed", TC, "platform", "preemption", DA, "logs", NODE, [1, 5], also_to=16, stage_also=[IT], cause_also=HN + RL,
       note="the loader process of one rank is killed (SIGKILL)")
fault_("loader_stopped", AB, "hardware", "node", DA, "logs", NODE, [5], also_to=16, stage_also=[IT], cause_also=ST + ACC + BUG,
       note="the loader process of one rank stops dead; the rank uses up what was read ahead and waits for it")
fault_("kernel_oom", TC, "platform", "resource limit", IT, "logs", NODE, [1, 5], also_to=18, cause_also=UC + BUG,
       note="the memory limit of one node is set low, each step needs more; the kernel kills a rank of it")
fault_("alloc_fails", TC, "platform", "resource limit", IT, "logs", NODE, [1, 5], also_to=24, cause_also=UC + BUG + ACC,
       note="the address space of one rank is limited; an allocation fails")
fault_("device_oom", TC, "user", "configuration", IT, "logs", ALL(r"isn't enough and alloc failed", r"EL0004: "), [3], it=17,
also=[15, 16, 18, 19],
       action=["max_device_memory is 70 MB, each step holds 4 MB more"], cause_also=BUG + RL,
       note="all ranks run out of device memory in the same step")
for n in ("power_off", "power_off_eight"):
    fault_(n, TC, "hardware", "node", IT, "logs", NODE, [5], cause_also=HNET + PRE, note="a node goes silent (power off)")
fault_("two_power_off", TC, "hardware", "node", IT, "logs", NODE, [5, 10], cause_also=HNET + PRE,
    note="two nodes go silent at once (power off)")
fault_("node_reboot", TC, "hardware", "node", IT, "logs", NODE, [5], cause_also=PRE,
       note="all processes of a node are gone at once, 2.5 s later it is up again")
fault_("node_drained", TC, "platform", "preemption", IT, "logs", NODE, [5], cause_also=UM + HN,
    note="an administrator drains a node while the job runs on it")
fault_("agent_killed", TC, "platform", "preemption", IT, "logs", NODE, [5], cause_also=HN + UM,
       note="the platform's agent of one node is killed; its ranks go on until the controller calls the node lost and "
       "ends the job")
fault_("msrun_killed", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], cause_also=HN + UM,
    note="msrun of one node is killed (SIGKILL)")
fault_("sched_killed", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], cause_also=HN + UM,
       note="the scheduler process, on the first node, is killed (SIGKILL)")
fault_("link_down", TC, "hardware", "network", IT, "logs", NODE, [5], cause_also=HN,
    note="the data network's link of one node goes down")
fault_("mgmt_link_down", TC, "hardware", "network", IT, "logs", NODE, [5], cause_also=HN,
    note="the management network's link of one node goes down")
fault_("one_way", TC, "hardware", "network", IT, "hybrid", NODE, [5], cause_also=HN,
       note="nothing that the others send on the data network arrives at one node")
fault_("edge_cut", TC, "hardware", "network", IT, "hybrid", NODE, [5, 8], cause_also=HN,
    note="nothing passes between two nodes on the data network")
SLOWE = [(WL, r"profile of rank \d+, steps (?:11|21|31)-\d+: step (?:SLOW)\.\d ms", E)]
def slowest(ms): return [(FM, r"periods throttled [1-9]", R), (WL, r"SlowNodeDetection: compute time of rank (?:FR) ", R), (WL,
    r"compute time of all ranks: .*max (?:" + ms + r")\.\d ms \(rank (?:FR)\)", R), (
        "OWN", r".*profile of rank (?:FR), steps (?:11|21|31)-\d+: .* "
    r"compute (?:" + ms + r")\.", R)]
def slow(rx, p): return [(f, r.replace("SLOW", rx), k) for f, r, k in p]
fault_("slow_cpu", AB, "hardware", "node", IT, "logs", slowest(r"1[45679]\d")[:3] + slow(r"4[5-9]\d|[5-9]\d\d|\d{4,}",
SLOWE), [4], also_to=14, cause_also=RL,
       note="one node gets a part of a CPU: its compute times are several times those of the others")
fault_("throttled_rank", AB, "hardware", "accelerator", IT, "logs", slowest(r"[4-9]\d\d") +
slow(r"4[5-9]\d|[5-9]\d\d|\d{4,}", SLOWE), [4], also_to=14, cause_also=HN + RL,
       note="one rank runs only a part of the time, as on hardware that throttles")
NET = [(PL, r"\[Statistics\]link with rank\[(?:FR)\]", E)]
fault_("slow_link", AB, "hardware", "network", IT, "hybrid", slow(r"4[5-9]\d|[5-9]\d\d|\d{4,}", SLOWE), [4], also_to=14,
noroot=True, cause_also=HN,
       note="what one node sends on the data network is limited to 4 Mbit/s")
fault_("lossy_node", AB, "hardware", "network", IT, "hybrid", [(ME, r"tcp retransmitted segments (?:[2-9]\d\d|\d{4,})", E)] +
slow(r"4[5-9]\d|[5-9]\d\d|\d{4,}", SLOWE),
       [4], also_to=14, noroot=True, cause_also=HN, note="one packet of five that one node receives on the data network "
       "is lost")
fault_("disk_full", TC, "hardware", "storage", CK, "logs", NODE, [1, 5], also_to=20, stage_also=[IT], cause_also=RL,
       note="the local disk of one node is filled; its ranks cannot save at step 20")
fault_("shared_full", TC, "hardware", "storage", CK, "logs", ALL(r"No space left on device", r"Asynchronous save"), [1, 3],
also_to=30, stage_also=[IT],
       cause_also=RL + MT, note="the shared file system is full: uploads of the checkpoint of step 20 fail on all nodes")
fault_("output_denied", TC, "user", "misoperation", CK, "logs", ALL(r"Operation not permitted", r"Asynchronous save"), [1,
3], it=10, also=[9, *range(11, 20)],
       stage_also=[IT], action=["the folder of checkpoints is made immutable"], cause_also=MT + UC,
       note="no rank may write checkpoints to the shared folder")
fault_("mount_gone_one", TC, "platform", "storage mount", CK, "logs", NODE, [1, 5], also_to=30, stage_also=[IT], cause_also=ST,
       note="the shared file system is unmounted on one node; its checkpoint of step 20 cannot be uploaded")
fault_("ro_one", TC, "platform", "storage mount", CK, "logs", NODE, [1, 5], also_to=30, stage_also=[IT], cause_also=ST,
       note="the shared file system becomes read-only on one node")
fault_("mount_missing", LF, "platform", "storage mount", EN, "logs", NODE, [1, 5], it=None,
    action=["the shared file system is not mounted on one node"],
       cause_also=ST + UC + UM, note="code cannot be downloaded on one node")
fault_("data_nic_down", LF, "hardware", "network", EN, "logs", NODE, [5], it=None,
    action=["the data network's interface of one node is down"],
       cause_also=HN + UC, note="the pre-check of one node fails")
fault_("firewall_start", LF, "hardware", "network", EN, "logs", NODE, [5, 7], it=None,
    action=["one node drops packets to the ports of the devices"],
       cause_also=UC + UM, note="no one can connect to the ranks of one node on the data network; time-outs")
fault_("shard_damaged", TC, "hardware", "storage", DA, "logs", NODE, [1, 5], also_to=16, stage_also=[IT], cause_also=UM,
       note="bytes of the data set in one node's cache are overwritten; its loader finds a sum that does not fit")
fault_("shard_cut", LF, "user", "misoperation", DA, "logs", ALL(r"RuntimeError: Invalid file, the size"), [3], it=None,
stage_also=[EN], cause_also=ST + UC,
       action=["a shard of the data set on the shared file system is cut"], note="all ranks fail alike")
fault_("eval_missing", LF, "user", "misoperation", DA, "logs", ALL(r"RuntimeError: Invalid file, DB file can not find"), [3],
it=None, stage_also=[EN],
       action=["the evaluation data are gone from the shared file system"], cause_also=UC + ST, note="all ranks fail alike")
fault_("dataset_wrong", LF, "user", "configuration", DA, "logs", ALL(r"FileNotFoundError"), [3], it=None, stage_also=[EN],
       action=["dataset_dir names a folder that does not exist"], cause_also=UM + MT, note="all ranks fail alike")
for n, w in (("ckpt_cut", "one rank's file of the checkpoint, on the shared file system, is cut; the node of the rank that "
    "has to load it is called faulty"),
             ("ckpt_flip", "64 bytes of one rank's file of the checkpoint, on the shared file system, are overwritten; the "
                 "node of the rank that has to "
              "load it is called faulty")):
    fault_(n, LF, "hardware", "storage", MO, "logs", NODE, [1, 5], it=None, stage_also=[EN, CK], cause_also=UM + MT,
    action=[w.split(";")[0]], note=w)
fault_("ckpt_layout", LF, "user", "configuration", MO, "logs", ALL(r"was saved with parallel strategy"), [3], it=None,
stage_also=[EN],
       action=["the checkpoint was saved with another parallel layout than the job has"], cause_also=UM + INC,
       note="all ranks fail alike")
fault_("stale_code", LF, "user", "incompatibility", EN, "logs", [(WL, r"version differs on ranks", R)] + NODE, [7], it=None,
       action=["the cache of one node holds older code under the new tag"], cause_also=UC + UM,
       note="one node has an older version of the program")
fault_("hccl_version", LF, "user", "incompatibility", EN, "logs", NODE, [7], it=None,
    action=["the cache of one node holds older code under the new tag"],
       cause_also=UC + UM, note="one node has an older version of the collectives library")
fault_("numpy_shadow", LF, "user", "incompatibility", EN, "logs", NODE, [7], it=None,
    action=["PYTHONPATH of one node names a folder with another numpy"],
       cause_also=UC + UM, note="one node imports another numpy")
fault_("config_odd", LF, "user", "configuration", EN, "logs", [(WL, r"config digest differs", R)] + NODE, [7], it=None,
       action=["one node's command line has warmup_steps 50, the others' have not"], cause_also=UM + INC,
       note="the comparison of configs finds one node odd")
fault_("dns_one_node", LF, "user", "configuration", EN, "logs", NODE, [7], it=None,
    action=["/etc/hosts of one node lacks the name of the scheduler's node"],
       cause_also=HNET + UM, note="one node cannot resolve the scheduler's name")
fault_("port_taken", LF, "user", "configuration", EN, "logs", NODE, [7], it=None,
    action=["another program listens on the port of a device of one node"],
       cause_also=UM + HN, note="a rank cannot listen")
fault_("sched_port_taken", LF, "user", "configuration", EN, "logs", [(SL, r"occupied|Failed to bind", R)] + NODE, [7], it=None,
       action=["another program listens on the port of the scheduler"], cause_also=UM + HN, note="the scheduler cannot listen")
fault_("fewer_workers", LF, "user", "configuration", EN, "logs", [(SL, r"have not registered", R),
("FN/msrun_log*/worker*.log", W + "(?:" + ERR + "|" + PY + ")", R)] + NODE + [
       (SL, r"registers again", E)], [7], it=None,
       action=["msrun of one node starts one worker instead of two"], cause_also=UM + HN, note="not all workers register")
fault_("code_missing", LF, "user", "misoperation", EN, "logs", FIRST + [(MA, r"level=(?:error|warning).*download code", R)] +
ENDS, [3], it=None,
       action=["the code is gone from the shared file system"], cause_also=UC + MT, note="all nodes fail alike")
fault_("unknown_key", LF, "user", "configuration", EN, "logs", ALL(r"KeyError: "), [3], it=None,
    action=["the command line has an item that is not known"],
       cause_also=UM + INC, note="all ranks fail alike")
fault_("heads_not_dividing", LF, "user", "configuration", EN, "logs", ALL(r"ValueError: For 'MultiHeadAttention'"), [3],
it=None,
       action=["3 heads, model parallel size 2"], cause_also=UM, note="all ranks fail alike")
fault_("yaml_syntax", LF, "user", "configuration", EN, "logs", ALL(r"ValueError: while parsing"), [3], it=None,
       action=["a line of the config file has no colon"], cause_also=UM, note="all ranks fail alike")
fault_("lr_too_high", TC, "user", "configuration", IT, "logs", ALL(r"Error: loss is ", r"SilentCheck", r"Overflow occurred",
r"loss: +(?:nan|inf|\d{4,})", r"RuntimeWarning: (?:invalid value encountered in (?:multiply|matmul|reduce)|overflow "
r"encountered in (?:reduce|multiply|matmul))"), [3], it=1, also=[
    0, 2, 3], action=["the learning rate is 3e37, gradients are not clipped"], cause_also=BUG + UM, note="all ranks alike")
fault_("loss_diverges", TC, "user", "configuration", IT, "logs", ALL(r"ValueError: loss is ", r"loss: +\d{2,}\."), [3], it=8,
also=[*range(5, 10)],
       action=["the learning rate is 0.6, gradients are not clipped"], cause_also=BUG + UM,
       note="the loss rises above its threshold, all ranks stop alike")
fault_("overflow_forever", TC, "user", "configuration", IT, "logs", ALL(r"Overflow occurred in",
    r"overflow cond: True, loss_scale: \d{9,}"), [3], it=0,
       also=[*range(1, 10)], action=["the initial loss scale is 1e18"], neutral=[], cause_also=BUG + UM,
       note="all steps overflow; after 10 of them all ranks stop")
fault_("nan_param", TC, "hardware", "accelerator", IT, "logs", NODE, [1, 5], cause_also=HN + BUG + UC,
    note="a weight of one rank becomes NaN in memory; it stops")
fault_("param_drift", TC, "hardware", "accelerator", IT, "logs", FIRST + [(WL, r"CheckSum of parameters after step", R)] +
AGENT + ENDS, [1, 5], also_to=16,
       cause_also=HN + BUG, note="a weight of one rank changes in memory; the comparison of sums shows whose differ, its "
       "group stops")
fault_("bug_forward", TC, "user", "program bug", IT, "logs", ALL(r"KeyError: "), [1, 3], it=16, also=[15],
    note="a bug in step 17, all ranks fail alike")
fault_("bug_restarts", TC, "user", "program bug", IT, "logs", ALL(r"(?:AttributeError|ValueError): "), [1, 3, 11], it=16,
also=[15],
       note="a bug in step 17; the job is restarted once from the checkpoint of step 10 and fails in the same step")
fault_("eval_bug", TC, "user", "program bug", IT, "logs", ALL(r"IndexError: "), [1, 3], it=11, also=[12],
    note="a bug in the evaluation after step 12")
fault_("save_bug", TC, "user", "program bug", CK, "logs", ALL(r"AttributeError: "), [1, 3], it=9, also=[10], stage_also=[IT],
       note="a bug in the checkpoint after step 10")
fault_("uneven_bug", TC, "user", "program bug", IT, "logs", ALL(r"EI0005: ", r"ValueError: "), [1, 3], it=18, also=[17, 19],
       note="a bug makes the gradients of each data parallel rank another size in step 19: arguments of a collective are "
       "not consistent")
fault_("deadlock_bug", AB, "user", "program bug", IT, "hybrid", ALL(r"EI000[256]: "), [3], it=14, also=[13],
       note="a bug lets rank 0 wait for something that nobody sends; all time out")
fault_("user_cancel", TC, "platform", "preemption", IT, "logs", FIRST + [(JC, r"DELETE ", R), (EV, r"is terminated by user",
R)] + ENDS, [3],
       it=None, cause_also=UM, note="the user cancels the job while it is well")
fault_("time_limit", TC, "user", "configuration", IT, "logs", FIRST + [(EV, r"max_running_time", R)] + ENDS, [3], it=None,
       action=["max_running_time is 14 s"], cause_also=PRE + RL, note="the job reaches its time limit while it is well")
fault_("preempted", TC, "platform", "preemption", IT, "logs", FIRST + [(JC, r"preempt\.go", R), (EV, r"preempt", R)] + ENDS,
[3], it=None,
       cause_also=UM + UC, note="the job is preempted while it is well")
fault_("reclaimed", TC, "platform", "preemption", IT, "logs", FIRST + [(JC, r"queue\.go", R), (EV, r"reclaimed", R)] + ENDS,
[3], it=None,
       cause_also=RL + UM + UC, note="the queue's quota is lowered, the job is ended while it is well")
fault_("two_killed", TC, "platform", "preemption", IT, "logs", NODE, [1, 10], cause_also=HN,
    note="ranks of two nodes are killed at once")
fault_("restart_twice", TC, "platform", "preemption", IT, "logs", NODE, [1, 5, 10, 11], also=[13, 14, 15], cause_also=HN,
       note="a rank is killed; the job is restarted from the checkpoint of step 10, and another node's rank is killed")
fault_("restart_same", TC, "platform", "preemption", IT, "logs", NODE, [1, 5, 11], also=[13, 14], cause_also=HN,
       note="a rank is killed; the job is restarted from the checkpoint of step 10, and a rank of the same node is killed")
fault_("spare_then_kill", TC, "platform", "preemption", IT, "logs", [(EV,
    r"  node/(?:FN) |NodeFault .*node (?:FN) |worker-2 failed|worker-2 .*exited with code", R), (
        MA, r"Rank id: (?:FR), exit code: -9", R),
       (SL, r"(?:host (?:FN))(?![\w-]).*(?:is closed|is timed out|reports an exception)", R)] + FIRST + AGENT + SAY[:2] + ENDS,
       [1, 5, 10, 11], also=[14, 15, 16], cause_also=HN + HNET, pods=[],
       note="a node goes silent; the job is restarted with a spare node, and a rank of another node is killed")
fault_("writer_killed", TC, "platform", "preemption", CK, "logs", NODE, [1, 5], also_to=20, stage_also=[IT], cause_also=HN + RL,
       note="the process that uploads one rank's checkpoint is killed")
fault_("writer_stopped", AB, "hardware", "node", CK, "logs", NODE, [5], also_to=20, stage_also=[IT], cause_also=ST + BUG + MT,
       note="the process that uploads one rank's checkpoint stops dead; the rank waits for it at the next checkpoint")
