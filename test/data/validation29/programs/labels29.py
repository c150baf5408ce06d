"""What an expert would call failure-indicating in each job, written after reading the logs and before any diagnosis.

LABELS[fault] = (symptom, category, subtype, stage, diagnosable, [(scope, pattern, role), ..], extras)
Scopes: W workers' lines, WF those of the faulty ranks, L the launchers' lines, LF those of the launchers of faulty nodes; these patterns begin
where the program's line begins, pack29.py puts the layout's prefix before them. S, SF syslogs, C the controller's log, EV events: searched in the line.
FN stands for a faulty node, FR for its rank(s), FI for its addresses, FP for its pods. A pattern that matches nothing in a job is left out.
extras: cl (classes), it (steps done, as progress counts them), also (further ones that are right), also_to, stage_also, action, note, cause_also, noroot."""
R, E = "root", "effect"
TC, LF, AB = "training crash", "launching failure", "abnormal behavior"
IT, EN, DA, MO, CK = "iterative training", "environment initialization", "data loading", "model loading", "checkpointing"
LABELS = {}
Q = r"(?:: |\\|\"|$)"
PY = r"(?!ModuleNotFoundError: No module named 'flash_curlew'|ConnectionRefusedError: \[Errno 111\] Connection refused)[\w.]+(?:Error|Exception|Interrupt)" + Q
FATAL, EF, GW = r"Fatal Python error", r"[EF]\d{4} \d\d:", r"W\d{4} \d\d:\S+ +\d+ (?:kv_listener|comm_watch|kv_client)"
PW, NC = r"\[[^\]]*\] \[ WARNING\] - reader: no batch", r"\[[^\]]*\] \[ WARNING\] - no channel to"
LE, LX = r"LAUNCH (?:ERROR|WARNING) ", r"LAUNCH INFO .*(?:Pod failed|Exit code [1-9]|Terminating with|Restart Pod|generation \d+ is asked)"
BAD = r"container trainer has ended, exit code [1-9]"
T = r"trainer \d+ \((?:FN)"
OWN = [("LF", r"LAUNCH WARNING \S+ \S+ (?:(?:Peer pod|pod) \w+ \((?!(?:FN)\))|lost the master)", E), ("WF", FATAL, R), ("WF", EF, R), ("WF", PY, R), ("WF", PW, R), ("LF", LE, R), ("LF", LX, R), ("SF", BAD, R), ("SF", r"did not stop within", R),
       ("SF", r"kernel: (?:oom-kill|Memory cgroup out|\S.*Killed process)|Lost carrier|no selectable sources|roostlet\[\d+\]: (?:health: (?!all)|controller \S+ (?!is back)(?!.*closed by the controller))", R)]
SAY = [("W", r"RuntimeError: \(ExecutionTimeout\) .*(?:bytes from " + T + r",|[1-9]\d* bytes left for " + T + r",|\(ExecutionTimeout\) " + T + ")", R),
       ("W", r"RuntimeError: \(Unavailable\) .*(?:and|to) " + T + ",", R), ("W", r"RuntimeError: \(ExecutionTimeout\) .*not seen: \[(?:\d+, )*(?:FR)\b", R),
       ("W", r"(?:ValueError|RuntimeError): \(InvalidArgument\) .*" + T + "[,)]", R), ("W", r"[EWF]\d{4} .*" + T + "[,)]", R), ("W", NC + r" " + T + ",", R),
       ("L", r"LAUNCH (?:WARNING|ERROR|INFO) .*(?:[Pp]od \w+|for pod \w+) \((?:FN)\)", R)]
PLAT = [("C", r": pods are deleted, pod (?:FP) ", R), ("C", r" (?:WARN|ERROR) .*(?:node|on|of node) (?:FN)(?![\w.-])", R), ("C", r" (?:WARN|ERROR) +\[trainjob\].* pod (?:FP) (?:exited|is lost)", R),
        ("EV", r"  Warning .*(?:(?:node/| node )(?:FN)(?![\w-])|pod/(?:FP) |: pod (?:FP) |  pod (?:FP) )", R)]
ENDS = [("W", FATAL, E), ("W", EF, E), ("W", GW, E), ("W", PY, E), ("W", PW, E), ("L", LE, E), ("L", LX, E), ("S", BAD + "|did not stop within|health: (?!all)", E),
        ("C", r" (?:WARN|ERROR) |: pods are deleted,", E), ("EV", r"  Warning ", E)]
# lines that are neither: traces but for their last line, headings, rulers, noise that successful jobs have, too
NEUTRAL = [r"(?:^|\"log\":\"(?:\[trainer\.\d+\] )?|^\S+ (?:\[trainer\.\d+\] )?|\] )(?:  |Traceback|During handling|The above exception|Current thread|Thread 0x|Extension modules|DataLoader worker\(0\) caught)",
    r"ERROR LOG DETAIL", r"\[Hint: ", r"flash_curlew|fused attention is off", r"VisualDL", r"ConnectionRefusedError: \[Errno 111\]", r"libxpu_smi|no accelerator is visible",
    r"does not answer yet|no channel to .* refused", r"closed by the controller"]
NODE = OWN + PLAT + SAY + ENDS
HN, HNET, PRE = [["hardware", "node"]], [["hardware", "network"]], [["platform", "preemption"]]
UM, UC, BUGC = [["user", "misoperation"]], [["user", "configuration"]], [["user", "program bug"]]
RL, ST, MT = [["platform", "resource limit"]], [["hardware", "storage"]], [["platform", "storage mount"]]
ACC, INC = [["hardware", "accelerator"]], [["user", "incompatibility"]]


def fault_(name, symptom, category, sub, stage, diag, lines, cl, **extras): LABELS[name] = (symptom, category, sub, stage, diag, lines, dict(extras, cl=cl))
def ALL(*rx): return [("W", r, R) for r in rx] + ENDS
def CTL(c, ev): return [("C", c, R), ("EV", ev, R)] + ENDS


fault_("rank_killed", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], cause_also=HN, note="a rank is killed (SIGKILL)")
fault_("clock_and_kill", TC, "platform", "preemption", IT, "logs", NODE + [("S", r"System clock wrong", E)], [1, 5], cause_also=HN, note="a rank is killed; the clock of another node, which is not at fault, is 41 s behind")
fault_("rank_stopped", AB, "hardware", "accelerator", IT, "hybrid", NODE, [5], cause_also=HN + BUGC, note="a rank stops dead (SIGSTOP) and says nothing; the others time out")
fault_("init_stopped", AB, "hardware", "accelerator", EN, "hybrid", NODE, [5], it=None, cause_also=HN + UC + BUGC, note="a rank stops dead before it joins; the others time out")
fault_("rank_segv", TC, "hardware", "accelerator", IT, "logs", NODE, [1, 5], cause_also=BUGC + HN, note="a rank dies of a segmentation fault")
fault_("rank_abrt_two", TC, "hardware", "accelerator", IT, "logs", NODE, [1, 5], cause_also=BUGC + HN, note="a rank aborts (SIGABRT)")
fault_("loader_killed", TC, "platform", "preemption", DA, "logs", NODE, [1, 5], also_to=16, stage_also=[IT], cause_also=HN + RL, note="the loader process of one rank is killed (SIGKILL)")
fault_("loader_stopped", AB, "hardware", "node", DA, "logs", NODE, [5], also_to=16, stage_also=[IT], cause_also=ST + ACC + BUGC, note="the loader process of one rank stops dead; the rank uses up what was read ahead and waits for it")
fault_("kernel_oom", TC, "platform", "resource limit", IT, "logs", NODE, [1, 5], also_to=14, cause_also=UC + BUGC, note="the memory limit of one node is set low; the kernel kills a process of it")
LATE = [(s, r.replace(r"[EWF]\d{4} .*", r"[EWF]\d{4} (?!.* #\d{1,2} is open).*").replace("kv_listener|comm_watch|kv_client", r"kv_listener|kv_client|comm_watch.* #\d{3,} is open"), k) for s, r, k in NODE]     # watchdog lines of the first collectives are older than the fault
fault_("alloc_fails", TC, "platform", "resource limit", IT, "logs", LATE, [1, 5], also_to=14, cause_also=UC + BUGC + ACC, note="the address space of one rank is limited; an allocation fails")
fault_("batch_too_big", TC, "user", "configuration", IT, "logs", ALL(r"MemoryError: "), [3], it=2, also=[1], action=["the device memory pool of the configuration is 60 MB"], cause_also=BUGC + RL, note="all ranks run out of the device memory pool")
fault_("power_off", TC, "hardware", "node", IT, "logs", NODE, [5], cause_also=HNET + PRE, note="a node goes silent (power off)")
fault_("node_reboot", TC, "hardware", "node", IT, "logs", NODE, [5], cause_also=PRE, note="all processes of a node are gone at once, 2.5 s later it is up again")
fault_("node_drained", TC, "platform", "preemption", IT, "logs", NODE, [5], cause_also=UM + HN, note="an administrator drains a node while the job runs on it")
fault_("agent_killed", TC, "platform", "preemption", IT, "logs", NODE, [5], cause_also=HN + UM, note="the platform's agent of one node is killed")
fault_("launcher_killed", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], cause_also=HN + UM, note="the launcher of one node is killed (SIGKILL)")
fault_("link_down", TC, "hardware", "network", IT, "logs", NODE, [5], cause_also=HN, note="the data network's link of one node goes down")
fault_("mgmt_link_down", TC, "hardware", "network", IT, "logs", [("LF", r"LAUNCH WARNING .*lost the master", R)] + NODE, [5], cause_also=HN, note="the management network's link of one node goes down")
fault_("oneway_loss", TC, "hardware", "network", IT, "hybrid", NODE, [5], cause_also=HN, note="nothing that the others send on the data network arrives at one node")
SLOW = [("W", r"\[[^\]]*\] \[ +INFO\] - loss: .*global_step: (?:9|[12]\d), .*interval_steps_per_second: 0\.[0-3]", E), ("W", GW, E), ("W", PW, E)]
fault_("slow_cpu", AB, "hardware", "node", IT, "logs", [("SF", r"cpu_throttled=[1-9]", R), ("W", r"\[[^\]]*\] \[ +INFO\] - \[Profile global_step: (?:12|16)\] forward-compute.*(?:^| )(?:FR)=(?:1[3-9]\d|[2-9]\d\d|\d{4,})\.", R)] + SLOW, [4], also_to=14, neutral=[r"lost the master"], cause_also=RL, note="one node gets a part of a CPU: its compute times are several times those of the others")
fault_("throttled_rank", AB, "hardware", "accelerator", IT, "logs", [("W", r"\[[^\]]*\] \[ +INFO\] - \[Profile global_step: (?:12|16)\] forward-compute.*(?:^| )(?:FR)=(?:1[3-9]\d|[2-9]\d\d|\d{4,})\.", R)] + SLOW, [4], also_to=14, neutral=[r"lost the master"], cause_also=HN + RL, note="one rank runs only a part of the time, as on hardware that throttles")
fault_("slow_link", AB, "hardware", "network", IT, "hybrid", SLOW, [4], also_to=14, noroot=True, neutral=[r"lost the master"], cause_also=HN, note="what one node sends on the data network is limited to 1 Mbit/s")
fault_("disk_full", TC, "hardware", "storage", CK, "logs", NODE, [1, 5], also_to=20, stage_also=[IT], cause_also=RL, note="the local disk of one node is filled; its ranks cannot save at step 20")
fault_("store_full", TC, "hardware", "storage", CK, "logs", ALL(r"(?:OSError|shutil\.Error): .*No space left on device"), [1, 3], also_to=20, stage_also=[IT], cause_also=RL + MT, note="the shared store is filled: the checkpoint of step 20 fails on all nodes")
fault_("output_denied", TC, "user", "misoperation", CK, "logs", ALL(r"PermissionError: "), [1, 3], it=9, also=[9, 11], stage_also=[IT], action=["the folder of checkpoints is made immutable"], cause_also=MT + UC, note="no rank may write checkpoints to the shared folder")
fault_("mount_gone", TC, "platform", "storage mount", CK, "logs", NODE, [1, 5], also_to=20, stage_also=[IT], cause_also=ST, note="the shared store is unmounted on one node; its checkpoint of step 20 cannot be saved")
fault_("ro_store", TC, "platform", "storage mount", CK, "logs", NODE, [1, 5], also_to=20, stage_also=[IT], cause_also=ST, note="the shared store becomes read-only on one node")
fault_("mount_missing", LF, "platform", "storage mount", EN, "logs", NODE, [1, 5], it=None, action=["the shared store is not mounted on one node"], cause_also=ST + UC + UM, note="one node has no shared store")
fault_("firewall_start", LF, "hardware", "network", EN, "logs", NODE, [5, 7], it=None, action=["one node drops packets that open connections on the data network"], cause_also=UC + UM, note="no one can connect to the ranks of one node on the data network; time-outs")
fault_("shard_damaged", TC, "hardware", "storage", DA, "logs", [("WF", r"RuntimeError: .*", R)] + NODE, [1, 5], also_to=14, stage_also=[IT], cause_also=UM, note="bytes of the data set on one node's disk are overwritten; its loader finds a sum that does not fit")
fault_("shard_short_one", LF, "hardware", "storage", DA, "logs", NODE, [1, 5], it=None, stage_also=[EN], action=["one node's copies of the data set's shards are cut"], cause_also=UM + UC, note="one node's disk has short copies of the shards from before")
fault_("data_missing", LF, "user", "misoperation", DA, "logs", ALL(r"FileNotFoundError"), [3], it=None, stage_also=[EN], action=["input_dir names a folder that does not exist"], cause_also=UC + MT, note="all ranks fail alike")
fault_("ckpt_damaged", LF, "hardware", "storage", MO, "logs", NODE, [1, 5], it=None, stage_also=[EN, CK], cause_also=UM + MT, action=["64 bytes of one rank's file of the checkpoint, on the shared store, are overwritten"], note="the node of the rank that has to load the damaged file is called faulty")
fault_("ckpt_layout", LF, "user", "configuration", MO, "logs", ALL(r"ValueError: \(PreconditionNotMet\)"), [3], it=None, stage_also=[EN], action=["the checkpoint was saved with another parallel layout than the job has"], cause_also=UM + INC, note="all ranks fail alike")
ODD = [("W", r"\[[^\]]*\] \[ WARNING\] - \w+ is not the same on all trainers", R)]
fault_("version_one", LF, "user", "incompatibility", EN, "logs", ODD + NODE, [7], it=None, action=["one node has an older version of the program"], cause_also=UC + UM, note="one node has an older version of the program; its ranks refuse")
fault_("config_one", LF, "user", "configuration", EN, "logs", ODD + NODE, [7], it=None, action=["one node's command line has warmup_steps 40, the others' have not"], cause_also=UM + INC, note="the comparison of configs finds one node odd")
fault_("dns_one", LF, "user", "configuration", EN, "logs", [("LF", r"LAUNCH INFO .*Waiting peer start\.\.\. \(master.*Name or service", R)] + NODE, [7], it=None, action=["/etc/hosts of one node lacks the name of the master's node"], cause_also=HNET + UM, note="one node cannot resolve the master's name")
fault_("wrong_host", LF, "user", "configuration", EN, "logs", NODE, [7], it=None, action=["/etc/hosts of one node has another node's address for the master's name"], cause_also=HNET + UM, note="one node asks another node's port for the master")
fault_("port_taken", LF, "user", "configuration", EN, "logs", NODE, [7], it=None, action=["another program listens on the port of a rank of one node"], cause_also=UM + HN, note="a rank cannot listen")
fault_("lib_missing", LF, "user", "incompatibility", EN, "logs", [("WF", r"ModuleNotFoundError: No module named 'pdl", R)] + NODE, [7], it=None, action=["a module of the program is missing on one node"], cause_also=UM + UC, note="one node lacks a module")
fault_("nnodes_wrong", LF, "user", "configuration", EN, "logs", [("L", r"LAUNCH ERROR .*wait peers timed out", R)] + ENDS, [3], it=None, action=["--nnodes is 4, the job has 3 pods"], cause_also=UM, note="all launchers wait for a fourth")
fault_("unknown_key", LF, "user", "configuration", EN, "logs", ALL(r"ValueError: Some specified arguments"), [3], it=None, action=["the command line has an item that is not known"], cause_also=UM + INC, note="all ranks fail alike")
fault_("tp_odd", LF, "user", "configuration", EN, "logs", ALL(r"ValueError: \(InvalidArgument\) num_attention_heads"), [3], it=None, stage_also=[MO], action=["3 heads, tensor parallel degree 2"], cause_also=UM, note="all ranks fail alike")
fault_("lr_too_high", TC, "user", "configuration", IT, "logs", ALL(r"(?:FloatingPointError|ValueError): \(PreconditionNotMet\) Loss", r"\[[^\]]*\] \[ +INFO\] - loss: (?:\d{2,}\.|nan|inf)", r".*RuntimeWarning: (?:overflow|invalid|divide)"), [3], it=1, also=[0, 1, 2, 3], action=["the learning rate is 30, gradients are not clipped"], cause_also=BUGC + UM, note="all ranks alike")
fault_("nan_param", TC, "hardware", "accelerator", IT, "logs", [("WF", r"FloatingPointError: .*parameters with nan: \[", R)] + NODE, [1, 5], cause_also=HN + BUGC + UC, note="a weight of one rank becomes NaN in memory; all ranks find a loss that is not finite, only its own message names the parameter")
fault_("bug_step", TC, "user", "program bug", IT, "logs", ALL(r"AttributeError: "), [1, 3], it=14, also=[13, 15], note="a bug in step 15, all ranks fail alike")
fault_("bug_restarts", TC, "user", "program bug", IT, "logs", ALL(r"AttributeError: "), [1, 3, 11], it=14, also=[13, 15], note="a bug in step 15; the launchers restart the job from the checkpoint of step 10, it fails in the same step")
fault_("eval_bug", TC, "user", "program bug", IT, "logs", ALL(r"NameError: "), [1, 3], it=11, also=[12], note="a bug in the evaluation after step 12")
fault_("save_bug", TC, "user", "program bug", CK, "logs", ALL(r"KeyError: "), [1, 3], it=9, also=[10], stage_also=[IT], note="a bug in the checkpoint after step 10")
fault_("uneven_bug", TC, "user", "program bug", IT, "logs", ALL(r"ValueError: "), [1, 3], it=13, also=[12, 14, 15, 16], note="a bug makes the gradients of the ranks another size from step 14 on")
fault_("deadlock_bug", AB, "user", "program bug", IT, "hybrid", ALL(r"RuntimeError: \((?:ExecutionTimeout|Unavailable)\)"), [3], it=13, also=[12, 14], note="a bug lets rank 0 wait for a file that nobody makes; the others time out")
fault_("user_cancel", TC, "platform", "preemption", IT, "logs", CTL(r"DELETE trainjobs|deleted by its owner|the job was deleted", r" Deleted .*deleted by user|the job was deleted"), [3], it=None, cause_also=UM, note="the user cancels the job while it is well")
fault_("preempted", TC, "platform", "preemption", IT, "logs", CTL(r"\[queue\] .* yields to |are deleted, preempted|was preempted", r" Preempted |was preempted"), [3], it=None, cause_also=UM + UC, note="the job is preempted while it is well")
fault_("time_limit", TC, "user", "configuration", IT, "logs", CTL(r"activeDeadlineSeconds|are deleted, deadline|DeadlineExceeded", r" DeadlineExceeded|  DeadlineExceeded"), [3], it=None, action=["activeDeadlineSeconds is 11"], cause_also=PRE + RL, note="the job reaches its time limit while it is well")
fault_("restart_same", TC, "platform", "preemption", IT, "logs", NODE, [1, 5, 11], also=[12, 13, 14], cause_also=HN, note="a rank is killed; the launchers restart the job from the checkpoint of step 10, and the rank of the same node is killed")
fault_("restart_other", TC, "platform", "preemption", IT, "logs", [("WF", r"(?:ConnectionResetError|BrokenPipeError)" + Q, E), ("LF", r"LAUNCH INFO .*generation \d+ is asked", E)] + NODE, [1, 5, 10, 11], also=[12, 13, 14], cause_also=HN, note="a rank is killed; the launchers restart the job from the checkpoint of step 10, and another node's rank is killed")
fault_("spare_then_kill", TC, "platform", "preemption", IT, "logs", [("C", r"pod \S+ on (?:FN) ended with exit code 1(?!\d)", E)] + NODE, [1, 5, 10, 11], also=[11, 12, 13], last=True, cause_also=HN + HNET, note="a node goes silent; the platform restarts the job with a spare node, and a rank of another node is killed")
