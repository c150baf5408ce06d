"""What an expert would call failure-indicating in each job, written after reading the logs and before any diagnosis.

LABELS[fault] = (symptom, category, subtype, stage, diagnosable, [(files, pattern, role), ..], extras)
FN stands for a faulty node, FR for its rank(s), FI for its addresses.  A pattern that matches nothing in a job is left out.
extras: cl (classes), neutral (further patterns), it (steps done, as progress counts them), also (further ones that are right),
also_to, stage_also, action, note, cause_also, noroot.
"""
R, E = "root", "effect"
TC, LF, AB = "training crash", "launching failure", "abnormal behavior"
IT, EN, DA, MO, CK = "iterative training", "environment initialization", "data loading", "model loading", "checkpointing"
LABELS = {}
SO, FTL, FF, AJ, JN = "slurm-*.out", "*/ftl_*.log", "FN/ftl_*.log", "*/journal.log", "FN/journal.log"
SC, SA = "slurmctld.log", "sacct.txt"
D = r"^(?:\d+: )?\[default\d\]:"
XC = r"[\w.]*(?:Error|Exception|Mismatch|Interrupt)(?:: |$)"
EXC = D + r"(?:\[rank\d+\]: )?" + XC
MYEXC = D + r"\[rank(?:FR)\]: " + XC
FATAL = D + r"Fatal Python error|" + D + r"terminate called|" + D + r"  what\(\)"
C10D = D + r".*\[?[WE]\d{4} \S+ \w+\.cpp:\d+\] .*(?:failed|timed out|timeout|could not|cannot|broken|already|reset|closed)"
LINE = r"^(?:\d+: )?\S+ \S+ \[(?:ERROR  |WARNING)\] \[\S+\] \[ft_launcher:\d+\] "
MINE = r"\[(?:ERROR  |WARNING)\] \[(?:FN)\] \[ft_launcher:\d+\] "
NAMED = r"(?:on node|of node|workers of node|connection of node) (?:FN)(?![\w-])"
OWN = [(SO, MYEXC, R), (SO, MINE + r"(?:failed \(|\[rank_monitor\]|\[default\] rank|health|cannot start|\[rdzv\] \w+Error)", R),
       (FF, MINE + r"(?:failed \(|\[rank_monitor\]|\[default\] rank|health|cannot start|\[rdzv\] \w+Error)", R),
       (SO, r"WARNING:merlin\.(?:checkpointing|straggler): .*(?:FN)", R), (SO, r"^(?:\d+: )?  host      : (?:FN)$", R),
       (SO, r"^(?:\d+: )?  rank      : (?:FR) \(", R), (SO, r"srun: error: (?:FN): task", R)]
SAY = [(SO, r"\[(?:FI)\]:\d+", R), (SO, r"\] .*" + NAMED, R), (FTL, r"\[(?:ERROR  |WARNING)\] .*" + NAMED, R)]
AGENT = [(JN, r"kernel: oom-kill|Killed process|oom_kill event|carrier: link disconnected|no selectable sources|Health "
    r"Check failed", R),
         (JN, r"slurmstepd\[\d+\]: (?:error: .*|\[\d+\.\d+\] done with job, exit status (?!0$)-?\d+)", R),
         (SO, r"Detected \d+ oom_kill", R), (SC, r"[Nn]odes? (?:FN) (?:reason set|state set|returned|not "
             r"responding|unexpectedly)", R),
         (SC, r"failed node (?:FN)|failure of node (?:FN)|Node (?:FN) (?:now responding|unexpectedly)|Node (?:FN): epilog", R),
         (SO, r"(?:Node failure|failed on node|signal step on|task \d+ on) (?:on )?(?:FN)", R)]
ENDS = [(SO, EXC, E), (SO, FATAL, E), (SO, C10D, E), (SO, LINE, E), (FTL, LINE, E), (FTL, r"exiting with code [1-9]", E),
        (SO, r"^(?:\d+: )?(?:  (?:host|rank|exitcode|traceback) +: |pretrain_merlin.py FAILED)", E),
        (SO, r"^srun: (?:error: |launch/slurm: |Job step aborted)", E), (SO, r"slurmstepd: error: ", E),
        (SO, D + r"(?:usage: |pretrain_merlin.py: error: )", E), (AJ, r"exit status (?!0$)-?\d+$", E),
        (AJ, r"signal \d+ to StepId|REQUEST_TERMINATE_JOB \(", E), (AJ, r"slurmstepd\[\d+\]: error", E),
        (SC,
            r"WEXITSTATUS [1-9]|WTERMSIG|OOM failure|Killing JobId|by node failure|[Rr]equeu|not responding|did not "
            r"complete", E),
        (SA, r"FAILED|NODE_FAIL|CANCELLED|TIMEOUT|PREEMPTED|OUT_OF_ME|REQUEUED", E)]
NEUTRAL = [D + r"(?:\[rank\d+\]: ?)?(?:  |Traceback|During handling|The above exception|Original Traceback|Exception raised "
    r"from|"
           r"frame #|Stack \(most|Current thread|Thread 0x|Extension modules|$)", D + r"(?:\[rank\d+\]: ?)?\s*$", D
           + r"Process \S+:$",
           r"^(?:\d+: )?(?:=+|-+|Root Cause on this node .*|\[0\]:|  time      : .*)$",
           r"error: connection to slurmctld at \S+ lost",
           r"sending SIGTERM to pid", r"Unable to register: Unable to contact slurm controller", r"no sequence cache",
           r"collector failed", r"REQUEST_TERMINATE_JOB, ", r"\[default\d\]: *(?:\d+ +(?:/lib|/usr/bin)|====)",
           r"is locked by another rank", r"over capacity"]
NOISE = [D + r"(?:\[(?:rank|Rank))?.* iteration +\d+", r"level=info", r"max on rank", D + r"-+$", r"\[INFO   \] ",
r"validate_node_specs",
         r"carrier: link connected", r"Selected source", r"cleanup_completing", r"epilog for", r"sched: Allocate",
         r"^job \d+ \(",
         r"resident:", r"\[I\d{4} ", r"pyxis: using the image", r"^(?:JobID|-+ -+) ", r"slurmctld version",
         r"StepId=\d+\.0 allocated", r"_slurm_rpc_submit_batch_job: JobId=\d+ InitPrio=4", r"COMPLETED +0:0",
         r"load_balancing_loss"]
NODE = OWN + AGENT + SAY + ENDS
HN, HNET, PRE = [["hardware", "node"]], [["hardware", "network"]], [["platform", "preemption"]]
UM, UC, BUG = [["user", "misoperation"]], [["user", "configuration"]], [["user", "program bug"]]
RL, ST = [["platform", "resource limit"]], [["hardware", "storage"]]
ACC = [["hardware", "accelerator"]]


def fault_(name, symptom, category, sub, stage, diag, lines, cl, **extras):
    LABELS[name] = (symptom, category, sub, stage, diag, lines, dict(extras, cl=cl))


def ALL(*rx): return [(SO, r, R) for r in rx] + ENDS


K = dict(cause_also=HN)
fault_("rank_killed", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], note="a rank is killed (SIGKILL)", **K)
fault_("rank_segv", TC, "hardware", "accelerator", IT, "logs", [(SO, D
    + r"(?:Fatal Python error|\[\S+ *:\d+ *:\d+:\d+\] Caught signal)", R)] + NODE, [1, 5],
       cause_also=BUG + HN, note="one of six ranks dies of a segmentation fault; two ranks a node")
fault_("rank_abrt", TC, "hardware", "accelerator", IT, "logs", [(SO, D
    + r"(?:Fatal Python error|\[\S+ *:\d+ *:\d+:\d+\] Caught signal)", R)] + NODE, [1, 5], cause_also=BUG + HN,
       note="a rank aborts (SIGABRT)")
for n in ("rank_stopped", "rank_stopped_eight"):
    fault_(n, AB, "hardware", "accelerator", IT, "logs", NODE, [5], cause_also=HN + BUG,
        note="a rank stops dead (SIGSTOP) and says nothing")
fault_("rank_stopped_gloo", AB, "hardware", "accelerator", IT, "hybrid", NODE, [5], cause_also=HN + BUG,
       note="a rank stops dead (SIGSTOP) and says nothing; collectives of the others time out before the rank monitors do")
fault_("stopped_at_start", AB, "hardware", "accelerator", EN, "hybrid", NODE, [5], it=None, cause_also=HN + UC + BUG,
       note="a rank stops dead before it joins; all rank monitors time out")
fault_("loader_killed", TC, "platform", "preemption", DA, "logs", NODE, [1, 5], also_to=14, stage_also=[IT], cause_also=HN + RL,
       note="the loader process of one rank is killed (SIGKILL)")
fault_("loader_stopped", AB, "hardware", "node", DA, "logs", NODE, [5], also_to=14, stage_also=[IT], cause_also=ST + ACC + BUG,
       note="the loader process of one rank stops dead; the rank uses up what was read ahead and waits for it")
fault_("kernel_oom", TC, "platform", "resource limit", IT, "logs", NODE, [1, 5], also_to=18, cause_also=UC + BUG,
       note="the memory limit of one node is set low, each step needs more; the kernel kills its rank")
fault_("alloc_fails", TC, "platform", "resource limit", IT, "logs", NODE, [1, 5], also_to=18, cause_also=UC + BUG,
       note="the address space of one rank is limited; an allocation fails")
for n in ("node_dies", "node_dies_nine"):
    fault_(n, TC, "hardware", "node", IT, "logs", NODE, [5], cause_also=HNET + PRE, note="a node goes silent (power off)")
fault_("node_reboot", TC, "hardware", "node", IT, "logs", NODE, [5], cause_also=PRE,
       note="all processes of a node are gone at once, 2.5 s later it is up again")
fault_("node_down_admin", TC, "platform", "preemption", IT, "logs", NODE, [5], cause_also=UM + HN,
       note="an administrator sets a node DOWN while the job runs on it")
fault_("slurmd_killed", TC, "platform", "preemption", IT, "logs", NODE, [5], cause_also=HN + UM,
       note="slurmd of one node is killed; its task goes on until the controller sets the node DOWN and ends the job")
fault_("launcher_killed", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], cause_also=HN + UM,
       note="the ft_launcher of one node is killed (SIGKILL); its rank goes on for a while")
fault_("link_down", TC, "hardware", "network", IT, "logs", NODE, [5], cause_also=HN,
       note="the data network's link of one node goes down, the management network stays")
fault_("mgmt_link_down", TC, "hardware", "network", IT, "logs", NODE, [5], cause_also=HN,
       note="the management network's link of one node goes down, the data network stays")
fault_("one_way", TC, "hardware", "network", IT, "hybrid", NODE, [5], cause_also=HN,
       note="nothing that the others send on the data network arrives at one node")
fault_("edge_cut", TC, "hardware", "network", IT, "hybrid", NODE, [5, 8], cause_also=HN,
    note="nothing passes between two nodes on the data network")
fault_("edge_pipeline", TC, "hardware", "network", IT, "hybrid", NODE, [5, 8], cause_also=HN,
       note="nothing passes between two nodes on the data network that hold neighbouring pipeline stages")
SLOWE = [(SO, r"iteration +(?:1[245789]|2[0234578])/ .*per iteration \(ms\): (?:[6-9]\d\d|\d{4,})\.", E),
         (SO, r"(?:forward-backward|optimizer|batch-generator) \.+: \([\d.]+, (?:[6-9]\d\d|\d{4,})\.\d+\)", E)]
REP = [(SO, r"STRAGGLER DETECTION WARNING: .*(?:FN)", R), (SO, r"   Rank=(?:FR) Node=(?:FN) Score=0\.[0-2]", R)]
fault_("slow_cpu", AB, "hardware", "node", IT, "logs", REP + SLOWE, [4], also_to=14, cause_also=RL,
       note="one node gets 8 % of a CPU: its probe of matrix products takes many times as long")
fault_("throttled_rank", AB, "hardware", "accelerator", IT, "logs", REP + SLOWE, [4], also_to=14, cause_also=HN + RL,
       note="one rank runs only a part of the time, as on hardware that throttles")
fault_("slow_link", AB, "hardware", "network", IT, "hybrid", SLOWE, [4], also_to=14, noroot=True,
    neutral=[r"STRAGGLER DET"], cause_also=HN,
       note="what one node sends on the data network is limited to 2 Mbit/s")
RETR = [(AJ, r"tcp_retrans_segs=(?:[4-9]\d|\d{3,})", E)]
fault_("lossy_node", AB, "hardware", "network", IT, "hybrid", RETR + SLOWE, [4], also_to=14, noroot=True,
neutral=[r"STRAGGLER DET"], cause_also=HN,
       note="one packet of eight that one node receives on the data network is lost")
fault_("disk_full", TC, "hardware", "storage", CK, "logs", NODE, [1, 5], also_to=21, stage_also=[IT], cause_also=RL,
       note="the scratch disk of one node is filled in step 14; its checkpoint writer fails at step 20")
fault_("disk_full_restart", TC, "hardware", "storage", CK, "logs", NODE, [1, 5, 11], also_to=21, stage_also=[IT], cause_also=RL,
       note="as disk_full, with one restart allowed: the health check before the restart finds the full disk and refuses")
fault_("shared_full", TC, "hardware", "storage", CK, "logs", ALL(r"No space left on device"), [1, 3], also_to=21,
stage_also=[IT],
       cause_also=RL + [["platform", "storage mount"]], note="the shared file system is full: the checkpoint of step 20 fails")
fault_("shared_gone", TC, "platform", "storage mount", CK, "logs", [(AJ, r"check_fs_mount", R), (SC, r"check_fs_mount|DRAIN",
R)] +
       ALL(r"WARNING:merlin\.checkpointing|PermissionError: "), [1, 3], also_to=21, stage_also=[IT], cause_also=ST,
       note="the shared file system is unmounted on all nodes; the checkpoint of step 20 fails")
fault_("shared_ro", TC, "platform", "storage mount", CK, "logs", NODE, [1, 5], also_to=21, stage_also=[IT], cause_also=ST,
       note="the shared file system becomes read-only on one node; its part of step 20 cannot be copied")
PYX = [(SO, r"slurmstepd: error: (?:pyxis|spank|Failed to invoke)", R)]
fault_("mount_missing", LF, "platform", "storage mount", EN, "logs", PYX + NODE, [1, 5], it=None,
    action=["the shared file system is not mounted on one node"],
       cause_also=ST + UC + UM, note="the container image cannot be imported on one node, which has no /shared")
fault_("image_damaged", LF, "hardware", "storage", EN, "logs", PYX + NODE, [5, 7], it=None,
       action=["bytes of the image in the cache of one node are overwritten"], cause_also=UM + [["platform", "storage mount"]],
       note="the container image in one node's cache is damaged")
fault_("image_missing", LF, "user", "configuration", EN, "logs", PYX + ENDS, [3], it=None,
    action=["the job names a container image that does not exist"],
       cause_also=UM, note="the container image does not exist: all nodes fail alike")
fault_("corpus_damaged", TC, "hardware", "storage", DA, "logs", NODE, [1, 5], also_to=16, stage_also=[IT], cause_also=UM,
       note="bytes of the corpus in one node's cache are overwritten; its loader finds sums that do not fit")
fault_("corpus_cut", LF, "user", "misoperation", DA, "logs", ALL(r"IndexedDatasetError: "), [3], it=None, stage_also=[EN],
       cause_also=ST + UC, note="the corpus on the shared file system is shorter than its index says: all ranks fail alike")
fault_("data_missing", LF, "user", "configuration", DA, "logs", ALL(r"FileNotFoundError: "), [3], it=None, stage_also=[EN],
       action=["the data path names a corpus that does not exist"], cause_also=UM + [["platform", "storage mount"]],
       note="all ranks fail alike")
fault_("valid_missing", LF, "user", "misoperation", DA, "logs", ALL(r"FileNotFoundError: "), [3], it=None, stage_also=[EN],
       cause_also=UC + ST, note="the validation data are gone from the shared file system: all ranks fail alike")
fault_("ckpt_cut", LF, "hardware", "storage", MO, "logs", NODE, [1, 5], it=None, stage_also=[EN, CK], cause_also=UM +
[["platform", "storage mount"]],
       note="one rank's shard of the checkpoint, on the shared file system, is cut; the rank that has to load it is "
       "called faulty")
fault_("ckpt_layout", LF, "user", "configuration", MO, "logs", ALL(r"RuntimeError: checkpoint was saved with|Error.*size"),
[3], it=None, stage_also=[EN],
       action=["the checkpoint was saved with pipeline and expert parallelism of 2, the job has 1"], cause_also=UM +
       [["user", "incompatibility"]],
       note="the parallel layout does not fit the checkpoint: all fail alike")
fault_("stale_image", LF, "user", "incompatibility", EN, "logs", [(SO, r"differ between ranks: rank (?:FR) ", R)] + AGENT +
SAY + ENDS, [7], it=None,
       action=["the cache of one node holds an older image under the new name"], cause_also=UC + UM,
       note="one node has an older version of the program in its image cache; rank 0 alone tells which")
fault_("pythonpath_one_node", LF, "user", "incompatibility", EN, "logs", [(SO, D + r"AttributeError: module 'torch'|" + D +
r"\w*Error: .*torch", R)] + NODE, [7], it=None,
       action=["PYTHONPATH of one node names a folder with an old torch"], cause_also=UC + UM,
       note="one node imports another torch")
fault_("iface_one_node", LF, "user", "configuration", EN, "logs", NODE, [7], it=None,
       action=["the environment of one node sets GLOO_SOCKET_IFNAME=eth2"], cause_also=HNET + UM,
       note="one node names an interface that it has not")
fault_("dns_one_node", LF, "user", "configuration", EN, "logs", NODE, [7], it=None,
       action=["/etc/hosts of one node lacks the name of the rendezvous' node"], cause_also=HNET + UM,
       note="one node cannot resolve the rendezvous' name")
fault_("rdzv_port_taken", LF, "user", "configuration", EN, "logs", NODE, [7], it=None,
       action=["another program listens on the port of the rendezvous"], cause_also=UM + HN,
       note="the rendezvous store cannot listen")
fault_("master_port_taken", LF, "user", "configuration", EN, "logs", NODE, [7], it=None,
       action=["another program listens on the port of the ranks' store"], cause_also=UM + HN, note="rank 0 cannot listen")
fault_("cfg_unknown", LF, "user", "configuration", EN, "logs", ALL(r"pretrain_merlin.py: error: "), [3], it=None,
       action=["the command line has an argument that is not known"], cause_also=UM + [["user", "incompatibility"]],
       note="all ranks fail alike")
fault_("experts_not_dividing", LF, "user", "configuration", EN, "logs", ALL(r"AssertionError: number of experts"), [3], it=None,
       action=["3 experts, expert parallel size 2"], cause_also=UM, note="all ranks fail alike")
fault_("lr_too_high", TC, "user", "configuration", IT, "logs",
    ALL(r"Unexpected result|iterations were skipped|lm loss: (?:nan|inf)|grad norm: (?:nan|inf)"), [3], it=1,
       also=[0, 2, 3,
           4], action=["the learning rate is 1e22, gradients are not clipped"], cause_also=BUG + UM, note="all ranks alike")
fault_("eval_bug", TC, "user", "program bug", IT, "logs", ALL(r"IndexError"), [1, 3], it=11, also=[12],
    note="a bug in the evaluation after step 12")
fault_("save_bug", TC, "user", "program bug", CK, "logs", ALL(r"AttributeError"), [1, 3], it=9, also=[10], stage_also=[IT],
       note="a bug in the checkpoint after step 10")
fault_("last_batch", TC, "user", "program bug", IT, "logs", ALL(EXC + r"Expected input batch"), [1, 3], it=23, also=[24],
stage_also=[DA],
       cause_also=UC, note="the last batch has labels of another shape: all ranks fail alike")
fault_("bug_restarts", TC, "user", "program bug", IT, "logs", ALL(r"IndexError"), [1, 3, 11], it=16, also=[17],
       note="a bug in step 17; the job is restarted once from the checkpoint of step 10 and fails in the same step")
fault_("nan_param", TC, "hardware", "accelerator", IT, "logs", NODE, [1, 5], cause_also=HN + BUG + UC,
    note="weights of one rank become NaN in memory; it refuses")
fault_("param_drift", TC, "hardware", "accelerator", IT, "logs", [(SO, r"hashes not matching", R)] + AGENT + ENDS, [1, 5],
also_to=16, cause_also=HN + BUG,
       note="weights of one rank change in memory; the comparison of sums after step 15 shows whose differ, all ranks "
       "stop alike")
fault_("user_cancel", TC, "platform", "preemption", IT, "logs", [(SC, r"REQUEST_KILL_JOB", R), (SA, r"CANCELLED", R), (SO,
r"\*\*\* (?:STEP|JOB)", R)] + ENDS, [3],
       it=None, cause_also=UM, note="the user cancels the job while it is well")
fault_("time_limit", TC, "user", "configuration", IT, "logs", [(SC, r"Time limit exhausted", R), (SO, r"DUE TO TIME LIMIT",
R), (SA, "TIMEOUT", R)] + ENDS, [3], it=None,
       action=["the time limit is 16 s"], cause_also=PRE + RL, note="the job reaches its time limit while it is well")
fault_("preempted", TC, "platform", "preemption", IT, "logs", [(SC, r"preempted JobId|InitPrio=9\d+ qos", R), (SO,
    r"DUE TO PREEMPTION", R), (SA, "PREEMPTED", R)] + ENDS, [3],
       it=None, cause_also=UM + UC, note="the job is preempted while it is well")
fault_("clock_and_kill", TC, "platform", "preemption", IT, "logs", NODE + [(AJ, r"System clock wrong", E)], [1, 5],
cause_also=HN,
       note="a rank is killed; the clock of another node, which is not at fault, is 41 s behind")
fault_("two_killed", TC, "platform", "preemption", IT, "logs", NODE, [1, 10], cause_also=HN,
    note="ranks of two nodes are killed at once")
TWO = [(SO, MINE + r"(?:failed \(exitcode: -9)", R), (FF, MINE
    + r"(?:failed \(exitcode: -9|\[default\] rank .* exit code -9)", R),
       (SO, r"workers of node (?:FN) failed \(rank (?:FR): signal", R), (FTL,
           r"workers of node (?:FN) failed \(rank (?:FR): signal", R)]
fault_("restart_twice", TC, "platform", "preemption", IT, "logs", TWO + NODE, [1, 5, 10, 11], also=[13, 14, 15], cause_also=HN,
       note="a rank is killed; the workers are restarted within the job from the checkpoint of step 10, and another "
       "node's rank is killed")
fault_("reboot_then_oom", TC, "platform", "resource limit", IT, "logs", TWO + NODE, [1, 5, 10, 11], also=[13], also_to=24,
cause_also=HN + PRE + UC + BUG,
       note="a node reboots; the job is requeued, goes on from the checkpoint of step 10, and the kernel kills another "
       "node's rank for its memory")
fault_("writer_killed", TC, "platform", "preemption", CK, "logs", NODE, [1, 5], also_to=12, stage_also=[IT], cause_also=HN + RL,
       note="the process that writes one rank's checkpoint is killed")
fault_("writer_stopped", AB, "hardware", "node", CK, "logs", NODE, [5], also_to=20, stage_also=[IT], cause_also=ST + BUG,
       note="the process that writes one rank's checkpoint stops dead; the rank waits for it at the next checkpoint")
