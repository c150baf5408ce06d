"""What an expert would call failure-indicating in each job, written after reading the logs and before any diagnosis.

LABELS[fault] = (symptom, category, subtype, stage, diagnosable, [(files, pattern, role), ..], extras)
<FN> stands for a faulty node, <FR> for its rank(s), <FI> for its addresses, <FT> for its task's number in
srun (FN, FT in names of files).
A pattern that matches nothing in a job is left out.  extras: cl (classes), neutral (further patterns), it (the step in work),
also (further ones that are right), also_to, stage_also, action, note, cause_also, noroot.
"""
R, E = "root", "effect"
TC, LF, AB = "training crash", "launching failure", "abnormal behavior"
IT, EN, DA, MO, CK = "iterative training", "environment initialization", "data loading", "model loading", "checkpointing"
LABELS = {}
OUT, TR, RF, CT, EV, SD, SY, DM, SA = ("slurm-*.out", "*torchrun/*.log", "ranks/*.log", "slurmctld.log", "events.log",
    "*/slurmd.log", "*/syslog",
                                       "*/dmesg", "sacct.txt")
PX = r"^(?:\d+: )?(?:\[default\d\]:)?"
PY = r"(?:[\w.]+(?:Error|Exception|Interrupt)(?:: |$)|terminate called|Fatal Python|Signal(?:Exception)?: )"
LINE = (r"(?!.*(?:death signal|closing signal|shutdown the rendezvous|SignalException))"
        r"(?:\[default\d\]:)?(?:\[rank\d+\]: )?(?:[EWF]\d{4} |\[E\d{4} |  (?:exitcode  : |traceback : Signal)|"
        r"(?:  )?" + PY + r"|\[rank\d+\] .* - (?:ERROR|CRITICAL) - )")
BAD = r"(?:[Ee]rror|fail|[Cc]losed|reset|[Tt]imed out|[Tt]imeout|refused)"


def P3(rx, role): return [(f, rx, role) for f in (OUT, TR, RF)]


BY_RANK = P3(PX + r"\[rank(?:<FR>)\]: " + PY, R) + P3(PX + r"\[rank(?:<FR>)\] .* - (?:ERROR|CRITICAL) - ", R) + [
    ("ranks/rank_FR.log", r" - (?:ERROR|CRITICAL) - ", R)]
SAY = P3(r"^(?!.*(?:TCPStore.cpp:1|shutdown the rendezvous|CANCELLED AT)).*" + BAD + r".*(?:<FI>|(?<![\w-])<FN>)(?![\w-])",
    R) + P3(
    r"^(?!.*(?:TCPStore.cpp:1|shutdown the rendezvous|CANCELLED AT)).*(?:<FI>|(?<![\w-])<FN>)(?![\w-]).*" + BAD, R) + [
    (OUT, r"^(?:\d+: )?  (?:host      : (?:<FN>)$|rank      : (?:<FR>) )", R), (OUT, r"Node failure on (?:<FN>)$", R),
    (OUT, r"slurmstepd-(?:<FN>): error: Detected", R), (CT,
        r"error: .*(?<![\w-])(?:<FN>)(?![\w-])|node (?:<FN>) (?:reason|state)|failed node (?:<FN>)$", R),
    (EV, r"node    (?:<FN>) state=", R)]
AGENT = [(OUT, r"^(?:<FT>): " + LINE, R), ("slurm-*-FT.out", r"^(?:\d+: )?" + LINE, R), ("slurm-*-FN.out", r"^" + LINE, R),
         ("FN/torchrun/*.log", r"^" + LINE, R), ("FN/slurmd.log",
             r"error: (?!\*\*\*)|exited with exit code (?!0)|Killed by signal", R),
         ("FN/syslog", r" nhc: |oom-kill|Killed process|Link down|no selectable sources", R),
             ("FN/dmesg", r"oom-kill|Killed process|Link down", R)]
ENDS = P3(PX + r"\[rank\d+\]: " + PY, E) + P3(PX + r".* - (?:ERROR|CRITICAL) - ", E) + P3(
    PX + r"(?:[EF]\d{4} |(?:  )?" + PY + ")" + r"|^(?:\d+: )?  (?:exitcode  : |traceback : Signal)|closing signal SIG|"
    r"multiprocessing\.errors\.ChildFailedError|"
    r"W\d{4} (?!.*shutdown the rendezvous).*(?:[Rr]endezvous|Received|connection|stop|Unable to shutdown)|"
    r"\[E\d{4} |socket\.cpp:4(?:64|89)\] ", E) + [
    (OUT, r"^(?:\d+: )?(?:srun: |slurmstepd)", E), (CT,
        r"WEXITSTATUS [1-9]|WTERMSIG|error: |Killing|REQUEST_KILL_JOB|state set|reason set|has not completed", E),
    (SD, r"error: |exited with exit code (?!0)|Killed by signal", E), (EV, r" state (?!COMPLETED)|state=", E),
    (SA, r"\|(?:FAILED|TIMEOUT|CANCELLED[^|]*|NODE_FAIL|PREEMPTED|OUT_OF_MEMORY)\|", E),
        (SY, r" nhc: |no selectable sources", E)]
NEUTRAL = [PX + r"(?:\[rank\d+\]: ?)?(?: |Traceback|During handling|The above exception|=+$|-+$|"
           r"Failures:|Root Cause|\[\d+\]:|train\.py FAILED|$|Original Traceback)",
           r"^\{\"message\": ", PX +
               r"(?:\[rank\d+\]:)?(?:frame #|Exception raised from|Thread 0x|Current thread|Extension modules|\d+ +/|I\d{4} )",
                   r"Peak flops undefined", r"TCPStore\.cpp:1(?:06|15)\]", r"has failed to shutdown the rendezvous", r"INFO - ",
                       r"exit(?:ed)? with exit code 0"]
NOISE = [r"launch task StepId|node_stats|kernel: |Launching batch|slurmd (?:started|version)|CPUs=8|"
         r"done with (?:step|job)|Selected source|^\[\s*\d+\.\d+\] ",
         r"_slurm_rpc_submit|sched: Allocate|slurmctld version|now responding|"
         r"_job_complete: JobId=\d+ done|submitted by|starts on|JobID\||\] job \d+ on "]
NODE = BY_RANK + AGENT + SAY + ENDS
HN, HNET, PRE = [["hardware", "node"]], [["hardware", "network"]], [["platform", "preemption"]]
UM, UC, BUGS = [["user", "misoperation"]], [["user", "configuration"]], [["user", "program bug"]]
RL, ST, MT = [["platform", "resource limit"]], [["hardware", "storage"]], [["platform", "storage mount"]]
ACC, INC = [["hardware", "accelerator"]], [["user", "incompatibility"]]


def fault_(name, symptom, category, sub, stage, diag, lines, cl, **extras):
    LABELS[name] = (symptom, category, sub, stage, diag, lines, dict(extras, cl=cl))


def ALL(*rx): return [x for r in rx for x in P3(PX + r"(?:\[rank\d+\]:? )?(?:.* - ERROR - |  )?.*(?:" + r + ")", R)] + ENDS
def SIG(n, name): return P3(r"failed \(exitcode: -%d\)|exitcode  : -%d |Signal %d \(%s\) received" % (n, n, n, name), R)


K = SIG(9, "SIGKILL")
for n in ("rank_killed", "rank_killed_late"):
    fault_(n, TC, "platform", "preemption", IT, "logs", K + NODE, [1, 5], cause_also=HN, note="a rank is killed (SIGKILL)")
fault_("two_killed", TC, "platform", "preemption", IT, "logs", K + NODE, [1, 10], cause_also=HN,
    note="ranks of two nodes are killed at once")
fault_("clock_and_kill", TC, "platform", "preemption", IT, "logs", K + NODE + [(SY, r"System clock wrong", E)], [1, 5],
    cause_also=HN,
       note="a rank is killed; the clock of another node, which is not at fault, is 8 s behind")
fault_("restart_other", TC, "platform", "preemption", IT, "logs", K + NODE, [1, 5, 10, 11], also=[12, 13, 14], cause_also=HN,
       note="a rank is killed, torchrun restarts all from the last checkpoint, another node's rank is killed")
fault_("restart_same", TC, "platform", "preemption", IT, "logs", K + NODE, [1, 5, 11], also=[13, 14, 15], cause_also=HN,
       note="a rank is killed, torchrun restarts all from the last checkpoint, the same node's rank is killed again")
fault_("restart_fails", TC, "platform", "preemption", IT, "logs", K + NODE, [1, 5, 11], cause_also=HN,
       note="a rank is killed; torchrun restarts all, the second attempt fails at once when its ranks connect")
fault_("rank_segv", TC, "hardware", "accelerator", IT, "logs", SIG(11, "SIGSEGV") + P3(r"Caught signal 11", R) + NODE, [1, 5],
    cause_also=BUGS + HN, note="a rank dies of a segmentation fault")
fault_("rank_abrt", TC, "hardware", "accelerator", IT, "logs", SIG(6, "SIGABRT") + NODE, [1, 5], cause_also=BUGS + HN,
    note="a rank aborts (SIGABRT)")
DEAD = P3(r"Unable to shutdown process", R)
for n in ("rank_stopped", "rank_stopped_pp", "rank_stopped_late"):
    fault_(n, AB, "hardware", "accelerator", IT, "hybrid", DEAD + NODE, [5], cause_also=HN + BUGS,
        note="a rank stops dead (SIGSTOP) and says nothing; the others time out")
fault_("silent_hang", AB, "hardware", "accelerator", IT, "hybrid", ENDS, [5], noroot=True, cause_also=HN + BUGS,
       note="a rank stops dead (SIGSTOP); time-outs are long, the job hangs until the user "
       "cancels it 14 s later; no line names the rank")
fault_("init_stopped", AB, "hardware", "accelerator", EN, "hybrid", P3(
       r"wait timeout after \d+ms, keys: \S*/(?:<FR>)$", R) + DEAD + NODE, [5], it=None, cause_also=HN + UC + BUGS,
       note="a rank stops dead before it joins; the others time out")
for n in ("loader_killed", "loader_killed_late"):
    fault_(n, TC, "platform", "preemption", DA, "logs", P3(
       r"DataLoader worker .*(?:killed by signal|exited unexpectedly)", R) + NODE, [1, 5],
       also_to=17, stage_also=[IT], cause_also=HN + RL, note="the loader worker of one rank is killed (SIGKILL)")
fault_("loader_stopped", AB, "hardware", "node", DA, "hybrid", NODE, [5], also_to=18, stage_also=[IT],
    cause_also=ST + ACC + BUGS,
       note="the loader worker of one rank stops dead; the rank uses up what was read ahead and waits for it")
for n in ("kernel_oom", "kernel_oom_late"):
    fault_(n, TC, "platform", "resource limit", IT, "logs", K + NODE, [1, 5], also_to=24, cause_also=UC + BUGS,
       note="the memory limit of one node is set low, each step needs more; the kernel kills a process of it")
fault_("alloc_fails", TC, "platform", "resource limit", IT, "logs",
    P3(r"can't allocate memory|Cannot allocate memory|MemoryError|std::bad_alloc", R) + NODE, [1, 5],
       also_to=30, cause_also=UC + BUGS + ACC, note="the address space of one rank is limited; an allocation fails")
for n in ("power_off", "power_off_head"):
    fault_(n, TC, "hardware", "node", IT, "logs", NODE, [5], cause_also=HNET + PRE, note="a node goes silent (power off)")
fault_("node_reboot", TC, "hardware", "node", IT, "logs", NODE, [5], cause_also=PRE,
    note="all processes of a node are gone at once, 2.5 s later it is up again")
fault_("node_down", TC, "platform", "preemption", IT, "logs", NODE, [5], cause_also=UM + HN,
    note="an administrator sets a node down while the job runs on it")
fault_("agent_killed", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], cause_also=HN + UM,
    note="torchrun of one node is killed (SIGKILL)")
fault_("slurmd_killed", TC, "platform", "preemption", IT, "logs", NODE, [5], cause_also=HN + UM,
       note="slurmd of one node is killed; its ranks go on until the controller calls the node lost and ends the job")
for n in ("link_down", "link_down_pp"):
    fault_(n, TC, "hardware", "network", IT, "logs", NODE, [5], cause_also=HN,
        note="the data network's link of one node goes down")
fault_("mgmt_link_down", TC, "hardware", "network", IT, "logs", NODE, [5], cause_also=HN,
    note="the management network's link of one node goes down")
fault_("edge_cut", TC, "hardware", "network", IT, "hybrid", NODE, [5, 8], cause_also=HN,
    note="nothing passes between two nodes on the data network")
SLOW = [("FN/syslog", r"cpu periods throttled [1-9]", R)]
SLOWE = P3(r" step: (?:1[1-9]|[23]\d)  .*tps: (?:[1-9]?\d|1[0-8]\d|2\d\d) ", E)
fault_("slow_cpu", AB, "hardware", "node", IT, "hybrid", SLOW, [4], also_to=18, cause_also=RL,
    note="one node gets a part of a CPU")
fault_("throttled_rank", AB, "hardware", "accelerator", IT, "hybrid", P3(r" step: (?:1[1-9]|[23]\d)  .*tps: 5[012]\d ", E), [4],
       also_to=18, noroot=True, cause_also=HN + RL,
       note="one rank runs only a part of the time, as on hardware that throttles")
fault_("slow_link", AB, "hardware", "network", IT, "hybrid", SLOWE, [4], also_to=18, noroot=True, cause_also=HN,
       note="what one node sends on the data network is limited to 3 Mbit/s")
for n in ("disk_full", "disk_full_late"):
    fault_(n, TC, "hardware", "storage", CK, "logs", P3(r"No space left on device|PytorchStreamWriter failed|unexpected pos",
        R) + NODE, [1, 5],
       also_to=20, stage_also=[IT], cause_also=RL,
           note="the local disk of one node is filled; its rank cannot stage the checkpoint of step 20")
fault_("shared_full", TC, "hardware", "storage", CK, "logs",
    ALL(r"No space left on device|PytorchStreamWriter failed|unexpected pos|CheckpointException: "), [1, 3],
       also_to=20, stage_also=[IT], cause_also=RL + MT, note="the shared file system is full: the checkpoint of step 20 fails")
fault_("output_denied", TC, "user", "misoperation", CK, "logs",
    ALL(r"Operation not permitted|PermissionError: |CheckpointException: "), [1, 3], it=10,
       also=[9, *range(11, 21)], stage_also=[IT], action=["the folder of checkpoints is made immutable"],
           cause_also=MT + UC + ST,
       note="no rank may write checkpoints to the shared folder")
CKX = P3(r"CheckpointException ranks:dict_keys\(\[(?:<FR>)\]\)", R)
MOUNT = CKX + P3(
    r"(?:Errno \d+\] )?(?:Operation not permitted|Read-only file system|No such file or directory|Permission denied)", R)
fault_("mount_gone", TC, "platform", "storage mount", CK, "logs", MOUNT + NODE, [1, 5], also_to=20, stage_also=[IT],
    cause_also=ST,
       note="the shared file system is unmounted on one node; its part of the checkpoint of step 20 cannot be written")
fault_("ro_one", TC, "platform", "storage mount", CK, "logs", MOUNT + NODE, [1, 5], also_to=20, stage_also=[IT], cause_also=ST,
       note="the shared file system becomes read-only on one node")
fault_("mount_missing", LF, "platform", "storage mount", DA, "logs", MOUNT + NODE, [1, 5], it=None, stage_also=[EN],
       action=["the shared file system is not mounted on one node"], cause_also=ST + UC + UM,
           note="one rank does not find the data set")
fault_("prolog_fail", LF, "platform", "storage mount", EN, "logs", NODE + [(CT, r"requeue JobId", R)], [1, 5], it=None,
       action=["the shared file system is not mounted on one node"], cause_also=ST + UC + UM,
           note="the prolog's health check fails on one node")
fault_("shard_damaged", TC, "hardware", "storage", DA, "logs", P3(r"page \d+ of shard", R) + NODE, [1, 5], also_to=16,
    stage_also=[IT], cause_also=UM,
       note="bytes of the data set in one node's cache are overwritten; its loader finds a sum that does not fit")
fault_("shard_cut_one", LF, "hardware", "storage", DA, "logs", P3(r"\d bytes do not fit its header", R) + NODE, [1, 5], it=None,
    stage_also=[EN], cause_also=UM,
       action=["a shard of the data set on the shared file system is cut; one rank reads it"],
           note="the node of the rank that reads the shard is called faulty")
fault_("data_missing", LF, "user", "configuration", DA, "logs", ALL(r"FileNotFoundError: "), [3], it=None, stage_also=[EN],
       action=["dataset_path names a folder that does not exist"], cause_also=UM + MT, note="all ranks fail alike")
fault_("eval_missing", LF, "user", "configuration", DA, "logs", ALL(r"FileNotFoundError: "), [3], it=None, stage_also=[EN],
       action=["the evaluation's dataset_path names a folder that does not exist"], cause_also=UM + MT,
           note="all ranks fail alike")
fault_("ckpt_flip", LF, "hardware", "storage", MO, "logs", CKX + P3(r"\(RANK (?:<FR>)\)|UnpicklingError: ", R) + NODE, [1, 5],
    it=None, stage_also=[EN, CK], cause_also=UM + MT,
       action=["8000 bytes of one rank's file of the checkpoint, on the shared file system, are overwritten"],
       note="the node of the rank that has to load the file is called faulty")
fault_("ckpt_shapes", LF, "user", "configuration", MO, "logs", ALL(r"(?:[Ss]ize|shape) mismatch|CheckpointException: "), [3],
    it=None, stage_also=[EN],
       action=["the checkpoint was saved with model.dim 32, the job has 48"], cause_also=UM + INC, note="all ranks fail alike")
ENV = P3(r"- ERROR - environment mismatch: |^(?!.*raise).*Error: environment check failed", R)
fault_("version_one", LF, "user", "incompatibility", EN, "logs", ENV + NODE, [7], it=None,
    action=["one node has sandpiper 0.8.7"], cause_also=UC + UM,
       note="one node has an older version of the program")
fault_("config_one", LF, "user", "configuration", EN, "logs", ENV + NODE, [7], it=None,
    action=["seq_len is 48 in the config file of one node"],
       cause_also=UM + INC, note="the comparison of configs finds one node odd")
fault_("batch_one", TC, "user", "configuration", IT, "logs", P3(r"enforce fail|op\.preamble|nbytes", R) + NODE, [7], it=1,
    also=[0, 2],
       stage_also=[EN], action=["batch_size is 8 in the config file of one node"], cause_also=UM + INC + BUGS,
           note="shapes of a receive do not match")
fault_("mismatch_one", TC, "user", "incompatibility", IT, "hybrid", SIG(6, "SIGABRT") + P3(
       r"enforce fail|op\.preamble|terminate called|Fatal Python error", R) + NODE, [5, 7], it=14, also=[13, 15],
       action=["one node runs other code: a collective more in step 14"], cause_also=BUGS + UC + UM,
           note="collectives of one node do not match those of the others")
fault_("lib_missing", LF, "user", "incompatibility", EN, "logs", P3(r"ModuleNotFoundError", R) + NODE, [1, 7], it=None,
       action=["the package spkernels is missing on one node"], cause_also=UC + UM, note="one node lacks a module")
fault_("lib_broken", LF, "user", "incompatibility", EN, "logs", P3(r"(?:ImportError|OSError): .*\.so|libgomp", R) + NODE,
    [1, 7], it=None,
       action=["libgomp.so.1 is an empty file on one node"], cause_also=UC + UM + ST,
           note="torchrun of one node cannot import torch")
CONN = P3(r"while trying to connect to \(|TCP client failed to connect", R)
fault_("wrong_host", LF, "user", "configuration", EN, "logs", CONN + NODE, [7], it=None,
    action=["/etc/hosts of one node gives the head node another node's address"],
       cause_also=HNET + UM, note="one node cannot reach the rendezvous")
fault_("rdzv_blocked", LF, "hardware", "network", EN, "logs", CONN + NODE, [5, 7], it=None,
    action=["one node drops packets to the rendezvous port"],
       cause_also=UC + UM, note="one node cannot reach the rendezvous, the others wait for it in vain")
fault_("port_taken", LF, "user", "configuration", EN, "logs", P3(
       r"Address already in use|could not be initialized on any address|failed to listen on", R) + NODE, [7], it=None,
           action=["another program listens on the rendezvous port of the head node"],
       cause_also=UM + HN, note="the rendezvous cannot be opened, all agents wait until the job is cancelled")
fault_("rdzv_count", LF, "user", "configuration", EN, "logs", ALL(r"api\.RendezvousTimeoutError"), [3], it=None,
       action=["torchrun is told --nnodes 4 on 3 nodes"], cause_also=UM, note="all wait for a node that never comes")
fault_("clock_one", LF, "hardware", "node", EN, "logs", [("FN/syslog", r"System clock wrong", R)] + ENDS, [5, 7], it=None,
       action=["the clock of one node is 47 s behind"], cause_also=UC + UM,
       note="the rendezvous of torchrun, which compares clocks, drops and takes in the node; not all ranks start")
fault_("unknown_key", LF, "user", "configuration", EN, "logs", ALL(r"unrecognized arguments", r"failed \(exitcode: 2\)",
    r"exitcode  : 2 "), [3], it=None,
       action=["the command line has an item that is not known"], cause_also=UM + INC, note="all ranks fail alike")
fault_("toml_syntax", LF, "user", "configuration", EN, "logs", ALL(r"TOMLDecodeError: "), [3], it=None,
    action=["a line of the config file ends in a comma"],
       cause_also=UM, note="all ranks fail alike")
fault_("heads_wrong", LF, "user", "configuration", MO, "logs", ALL(r"\d is not divisible by"), [3], it=None, stage_also=[EN],
    action=["5 heads, width 32"],
       cause_also=UM, note="all ranks fail alike")
fault_("lr_too_high", TC, "user", "configuration", IT, "logs", ALL(r"FloatingPointError", r"Error: loss diverged",
    r" step: .*loss: +(?:nan|\d\d)"), [3], it=2,
       also=[1, 3], action=["the learning rate is 40, without warm-up"], cause_also=BUGS + UM, note="all ranks alike")
fault_("nan_param", TC, "hardware", "accelerator", IT, "logs", P3(r"FloatingPointError: rank (?:<FR>): ", R) + NODE, [1, 5],
    cause_also=HN + BUGS + UC,
       note="weights of one rank become NaN in memory; it stops")
fault_("bug_step", TC, "user", "program bug", IT, "logs", ALL(r"AttributeError: "), [1, 3], it=16, also=[15, 17],
    note="a bug in step 16, all ranks fail alike")
fault_("bug_restarts", TC, "user", "program bug", IT, "logs", ALL(r"AttributeError: "), [1, 3, 11], it=16, also=[15, 17],
       note="a bug in step 16; torchrun restarts all from the last checkpoint, they fail in the same step")
fault_("assert_step", TC, "user", "program bug", IT, "logs", ALL(r"AssertionError: "), [1, 3], it=18, also=[17, 19],
       note="an assertion in step 18 fails on all ranks")
fault_("eval_bug", TC, "user", "program bug", IT, "logs", ALL(r"NameError: "), [1, 3], it=12, also=[11, 13],
    note="a bug in the evaluation after step 12")
fault_("save_bug", TC, "user", "program bug", CK, "logs", ALL(r"AttributeError: "), [1, 3], it=10, also=[9, 11],
    stage_also=[IT],
       note="a bug in the checkpoint after step 10")
fault_("deadlock_bug", AB, "user", "program bug", IT, "hybrid",
    ALL(r"Error: .*(?:Timed out|Application timeout|Connection closed|reset by peer|enforce fail)"), [3], it=15,
       also=[14, 16], note="a bug lets rank 0 join another collective in step 15, all time out or fail; no node is to blame")
fault_("user_cancel", TC, "platform", "preemption", IT, "logs", [(CT, r"REQUEST_KILL_JOB", R), (EV, r"state CANCELLED", R),
    (SA, r"\|CANCELLED", R)] + ENDS, [3],
       it=None, cause_also=UM, note="the user cancels the job while it is well")
fault_("time_limit", TC, "user", "configuration", IT, "logs", [(CT, r"Time limit exhausted", R), (OUT, r"DUE TO TIME LIMIT", R),
    (SD, r"DUE TO TIME LIMIT", R),
       (EV, r"state TIMEOUT", R), (SA, r"\|TIMEOUT", R)] + ENDS, [3], it=None, action=["the time limit is 22 s"],
           cause_also=PRE + RL,
       note="the job reaches its time limit while it is well")
fault_("preempted", TC, "platform", "preemption", IT, "logs", [(CT, r"preempt", R), (EV, r"preempted by|PREEMPTED", R),
    (OUT, r"DUE TO PREEMPTION", R),
       (SD, r"DUE TO PREEMPTION", R), (SA, r"PREEMPTED", R)] + ENDS, [3], it=None, cause_also=UM + UC,
           note="the job is preempted while it is well")
