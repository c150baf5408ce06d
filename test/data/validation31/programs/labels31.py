"""What an expert would call failure-indicating in each job, written after reading the logs and before any diagnosis.

LABELS[fault] = (symptom, category, subtype, stage, diagnosable, [(scope, pattern, role), ..], extras)
Scopes: W ranks' lines, WF those of the faulty ranks; D lines of srun, slurmstepd, the batch script, the runner, pdsh and launch.py, DF those of launch.py on the
faulty nodes; these patterns begin where the line begins (after the layout's prefix, which pack31.py puts before them, and after torch's [rankN]:). S, SF
syslogs of nodes, K, KF their dmesg, X, XF slurmd.log, N, NF nhc.log and prolog.log, C slurmctld.log, Z what Slurm says of job and nodes at the end
(scontrol_show_job.txt, sinfo.txt, jobcomp.log), Y, YF sshd.log: searched in the line.
FN stands for a faulty node, FA for its address, FR for its rank(s). A pattern that matches nothing in a job is left out.
extras: cl (classes), it (iterations done, as progress counts them), also (further ones that are right), also_to, stage_also, action, note, cause_also, noroot."""
R, E = "root", "effect"
TC, LF, AB = "training crash", "launching failure", "abnormal behavior"
IT, EN, DA, MO, CK = "iterative training", "environment initialization", "data loading", "model loading", "checkpointing"
LABELS = {}
PY = r"(?:\w+\.)*\w*(?:Error|Exception|Interrupt)(?:: |$)"
ABRT = r"(?:terminate called|  what\(\): |Fatal Python error|\[\S+:\d+ *:\d+:\d+\] Caught signal|==== backtrace|\[E\d+ \S+ (?:socket\.cpp:556|ProcessGroupGloo\.cpp:\d+)\]|\[W\d+ \S+ socket\.cpp:(?:464|489|520|759)\]|.*(?:enforce fail at|gloo::\w+Exception))"
LOGERR = r"(?:\[Rank \d+\] parameter hashes|ERROR:pipit|\[NeMo [EW] .*\] (?:rank: \d+ )?\[Rank|\[[\d :,-]+\] \[ERROR\])"
USAGE = r"pretrain_gpt\.py: error: "
SRUN = r"(?:srun: (?:error|Terminating|Force|forcing|Job step aborted|got SIGCONT|First task exited|StepId=\S+ tasks? )|slurmstepd(?:-\S+)?: error: )"
LAUNCH = r"(?:\[[\d :,-]+\] \[\w+\] \[launch\.py:\d+:sigkill_handler\]|\[[\d :,-]+\] \[\w+\] \[launch\.py:\d+:\w+\] Main process received)"
PDSH = r"(?:pdsh@\S+: (?:\S+: (?:ssh exited|ssh:|mcmd|command in progress)|error|interrupt|sending)|ssh: connect|\S+: (?:ssh: connect|Connection (?:to \S+ )?closed|client_loop|Timeout, server))"
RUNNER = r"(?:\[[\d :,-]+\] \[\w+\] \[runner\.py:\d+:sigkill_handler\]|finished with exit code [1-9])"
END = r"(?:\+ echo '|)END TIME: .* exit code [1-9]"
NAMED = r".*(?<![\w-])(?:FN)(?![\w-])"
CTL = r"(?:error: Nodes|not responding|setting DOWN|Killing JobId|on failed node|WEXITSTATUS [1-9]|WTERMSIG|REQUEST_KILL_JOB|Batch JobId=\d+ missing|state set to (?:DOWN|DRAIN|DRAINING|DRAINED)|update_node: node \S+ (?:reason|state) set|unexpectedly rebooted|prolog|Prolog|time limit|Time limit|TIMEOUT|batch job complete failure|Job credential|error: slurmd|_slurm_rpc_epilog_complete: epilog error|Requeue|requeue|agent/is_node_resp|error: Munge)"
SLD = r"(?:get_exit_code task \d+ died|error: (?!.*(?:CPU frequency|Domain socket))|CANCELLED|prolog failed|Could not launch job)"
SYS = r"(?:kernel: .*(?:oom-kill|Memory cgroup out)|Lost carrier|Link DOWN|State is|System clock wrong|nhc\[\d+\]: Health check failed|collector failed)"
OOMK = r"(?:oom-kill|Memory cgroup out)"
ZJ = r"(?:JobState=(?:FAILED|CANCELLED|TIMEOUT|NODE_FAIL|OUT_OF_MEMORY)|ExitCode=(?!0:0)\d+:\d+)"
ZN = r"(?:down|drain|unk)"
OWN = [("WF", PY, R), ("WF", ABRT, R), ("WF", LOGERR, R), ("WF", USAGE, R), ("SF", SYS, R), ("KF", OOMK, R), ("XF", SLD, R), ("NF", r"failed|missing", R)]
SAY = [("W", r"(?=" + PY + r"|" + LOGERR + r"|" + ABRT + r")(?:.*\[?(?<![\d.])(?:FA)(?![\d.])|.*[Rr]ank (?:FR)\b(?! in)|.*rank\(s\) \[(?:\d+, )*(?:FR)\b|.*node: (?:FN)\b|" + NAMED + r"|.*Ranks? (?:\d+, )*(?:FR)(?:, \d+)* failed to pass)", R)]
DRV = [("D", r"(?=" + SRUN + r"|" + PDSH + r")" + NAMED, R), ("DF", LAUNCH, R)]
PLAT = [("C", r"(?:" + CTL + r".*(?<![\w-])(?:FN)(?![\w-])|(?<![\w-])(?:FN)(?![\w-]).*" + CTL + r"|update_node: node (?:FN) (?:reason|state) set)", R), ("Z", r"(?:^(?:FN)\s.*" + ZN + r"|FailedNode=(?:FN)(?![\w-]))", R)]
ENDS = [("W", PY, E), ("W", ABRT, E), ("W", LOGERR, E), ("W", USAGE, E), ("D", SRUN, E), ("D", LAUNCH, E), ("D", PDSH, E), ("D", RUNNER, E), ("D", END, E), ("X", SLD, E), ("S", SYS, E), ("K", OOMK, E), ("C", CTL, E), ("Z", ZJ, E), ("N", r"failed|missing", E)]
# lines that are neither: traces but for their last line, headings, rulers, noise that successful jobs have, too
NEUTRAL = [r"(?:^|: |\]: )(?:  (?!what|\s*rank +\d+: | *(?:JobState|Requeue)=|\s*\d+\) ====)|Traceback|During handling|The above exception|The cause|usage: )", r"~~|\^\^", r"fused kernels are not available", r"cannot write to tensorboard", r"max locked memory", r"error: (?:Could not open|NOTE: Trying|Configured MailProg)",
    r"UCX", r"stepd_cleanup|Caught SIGPIPE|Can't synchronise", r"set -x|^\+ (?!echo 'END)|frame #\d+|send notification to|TCP client failed to connect/validate|\(\^Z within", r"\s+(?:\d+\s+)?/(?:usr/)?lib\S*\("]
NODE = OWN + PLAT + DRV + SAY + ENDS
HN, HNET, PRE = [["hardware", "node"]], [["hardware", "network"]], [["platform", "preemption"]]
UM, UC, BUGC = [["user", "misoperation"]], [["user", "configuration"]], [["user", "program bug"]]
RL, ST, MT = [["platform", "resource limit"]], [["hardware", "storage"]], [["platform", "storage mount"]]
ACC, INC = [["hardware", "accelerator"]], [["user", "incompatibility"]]


def fault_(name, symptom, category, sub, stage, diag, lines, cl, **extras): LABELS[name] = (symptom, category, sub, stage, diag, lines, dict(extras, cl=cl))
def ALL(*rx): return [("W", r, R) for r in rx] + ENDS


fault_("rank_killed", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], cause_also=HN, note="a rank is killed (SIGKILL)")
fault_("kill_in_eval", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], it=23, also=[24], cause_also=HN, note="a rank is killed (SIGKILL) in the evaluation after iteration 24")
fault_("kill_in_save", TC, "platform", "preemption", CK, "logs", NODE, [1, 5], it=19, also=[20], stage_also=[IT], cause_also=HN, note="a rank is killed (SIGKILL) while the checkpoint of iteration 20 is written")
fault_("two_killed", TC, "platform", "preemption", IT, "logs", NODE, [1, 5, 10], cause_also=HN, note="ranks of two nodes are killed (SIGKILL) at once")
fault_("clock_killed", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], cause_also=HN, note="a rank is killed (SIGKILL); the clock of its node is 95 s behind, with all that it says")
fault_("sigterm_node", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], cause_also=UM + HN, note="a clean-up of processes on one node ends its ranks (SIGTERM)")
fault_("rank_stopped", AB, "hardware", "accelerator", IT, "hybrid", NODE, [5], cause_also=HN + BUGC + HNET, note="a rank stops dead (SIGSTOP) and says nothing; operations with it time out")
fault_("rank_stopped_ds", AB, "hardware", "accelerator", IT, "hybrid", NODE, [5], cause_also=HN + BUGC + HNET, note="a rank stops dead (SIGSTOP) and says nothing; operations with it time out")
fault_("init_stopped", AB, "hardware", "accelerator", EN, "hybrid", NODE, [5], it=None, cause_also=HN + UC + BUGC, note="a rank stops dead before it joins; the rendezvous times out")
fault_("rank_segv", TC, "hardware", "accelerator", IT, "logs", NODE, [1, 5], cause_also=BUGC + HN, note="a rank dies of a segmentation fault")
fault_("reader_killed", TC, "platform", "preemption", DA, "logs", NODE, [1, 5], also_to=18, stage_also=[IT], cause_also=HN + RL, note="the loader process of one rank is killed (SIGKILL)")
fault_("kernel_oom", TC, "platform", "resource limit", IT, "logs", NODE, [1, 5], also_to=18, cause_also=UC + BUGC, note="the memory limit of one node is set low; the kernel kills its rank")
fault_("alloc_fails", TC, "platform", "resource limit", IT, "logs", NODE, [1, 5], also_to=14, cause_also=UC + BUGC + ACC, note="the address space of one rank is limited; an allocation fails")
fault_("oom_all", TC, "platform", "resource limit", IT, "logs", [("K", OOMK, R), ("S", r"kernel: .*(?:oom-kill|Memory cgroup out)", R)] + ENDS, [3], also_to=6, action=["the memory limit of all nodes is a little more than what the ranks have used at iteration 3"], cause_also=UC + BUGC, note="the ranks of all nodes outgrow the limit of memory")
fault_("power_off", TC, "hardware", "node", IT, "logs", NODE, [5], cause_also=HNET + PRE, note="a node goes silent (power off)")
fault_("power_off_ds", TC, "hardware", "node", IT, "logs", NODE, [5], it=24, also=list(range(12, 26)), cause_also=HNET + PRE, note="a node goes silent (power off)")
fault_("node_late_off", LF, "hardware", "node", EN, "logs", NODE, [5], it=None, cause_also=HNET + PRE, note="a node goes silent (power off) when its rank has been started and has not joined")
fault_("node_crash", TC, "hardware", "node", IT, "logs", NODE, [5], cause_also=PRE, note="all processes of a node are gone at once")
fault_("node_reboot", TC, "hardware", "node", IT, "logs", NODE, [5], cause_also=PRE, note="all processes of a node are gone at once, 3 s later it is up again")
fault_("admin_down", TC, "platform", "preemption", IT, "logs", NODE, [5], cause_also=UM + HN, note="an administrator sets a node down while the job runs on it")
fault_("nhc_down", TC, "hardware", "storage", IT, "logs", NODE, [5], also_to=16, cause_also=RL + PRE, note="the local disk of one node is filled; the health check sets the node down, the job is killed")
fault_("slurmd_killed", TC, "platform", "preemption", IT, "logs", NODE, [5], also_to=52, cause_also=HN + UM, note="the slurmd of one node is killed; slurmctld sets the node down while its rank is well")
fault_("link_down", TC, "hardware", "network", IT, "logs", NODE, [5], cause_also=HN, note="the data network's link of one node goes down")
fault_("mgmt_link_down", TC, "hardware", "network", IT, "logs", NODE, [5], also_to=36, cause_also=HN, note="the management network's link of one node goes down")
fault_("oneway_in", TC, "hardware", "network", IT, "hybrid", NODE, [5], it=18, also=list(range(13, 20)), cause_also=HN, note="nothing that the others send on the data network arrives at one node")
fault_("oneway_out", TC, "hardware", "network", IT, "hybrid", NODE, [5], it=15, also=list(range(12, 17)), cause_also=HN, note="nothing that one node sends on the data network arrives at the others")
fault_("packet_loss", TC, "hardware", "network", IT, "hybrid", NODE, [5], also_to=18, cause_also=HN, note="most of the packets that come to one node on the data network are lost")
fault_("conn_reset", TC, "hardware", "network", IT, "logs", NODE, [5], cause_also=HN + UM + UC, note="a packet filter resets connections of one node on the data network")
fault_("link_flap", TC, "hardware", "network", IT, "logs", NODE, [5], cause_also=HN, note="the data network's link of one node is down for 14 s")
fault_("firewall_start", LF, "hardware", "network", EN, "logs", NODE, [5, 7], it=None, action=["one node drops packets that open connections on the data network"], cause_also=UC + UM, note="no one can connect to the rank of one node on the data network; time-outs")
SLOWT = r"  +rank +(?:FR): "
CMP = [("W", r"     rank +(?:FR): (?:[6-9]\d\d\.|\d{4,}\.)", R)]
fault_("slow_cpu", AB, "hardware", "node", IT, "logs", [("SF", r"cpu_nr_throttled=[1-9]\d", R)] + CMP, [4], also_to=12, cause_also=RL, note="one node gets a part of a CPU: its compute times are several times those of the others")
fault_("throttled_rank", AB, "hardware", "accelerator", IT, "logs", CMP, [4], also_to=12, cause_also=HN + RL, note="one rank runs only a part of the time, as on hardware that throttles")
fault_("slow_data", AB, "hardware", "storage", DA, "logs", CMP, [4], also_to=12, stage_also=[IT], cause_also=HN + RL + BUGC, note="the loader process of one rank runs only a part of the time, as with a slow disk: its batch-generator times are long")
fault_("slow_link", AB, "hardware", "network", IT, "hybrid", [], [4], also_to=12, noroot=True, cause_also=HN, note="what one node sends on the data network is limited to 2 Mbit/s")
fault_("disk_full", TC, "hardware", "storage", CK, "logs", NODE, [1, 5], also_to=16, stage_also=[IT], cause_also=RL, note="the local disk of one node is filled; its local checkpoint of iteration 16 cannot be written")
fault_("store_full", TC, "hardware", "storage", CK, "logs", ALL(PY), [1, 3], also_to=16, stage_also=[IT], cause_also=RL + MT, note="the shared store is filled: the checkpoint of iteration 16 fails on all nodes")
fault_("mount_gone", TC, "platform", "storage mount", CK, "logs", NODE, [1, 5], also_to=20, stage_also=[IT], cause_also=ST, note="the shared store is unmounted on one node; its part of the checkpoint of iteration 20 cannot be written")
fault_("ro_store", TC, "platform", "storage mount", CK, "logs", NODE, [1, 5], also_to=30, stage_also=[IT], cause_also=ST, note="the shared store becomes read-only on one node; its part of a later checkpoint cannot be written")
fault_("hung_write", AB, "hardware", "storage", CK, "hybrid", NODE, [5], it=9, also=[3, 4, 10, 11], stage_also=[IT], cause_also=MT + BUGC + HN, note="a write to one node's disk hangs in the checkpoint of iteration 10; the others wait at the barrier")
fault_("mount_missing", LF, "platform", "storage mount", EN, "logs", NODE, [1, 5], it=None, stage_also=[DA], action=["the shared store is not mounted on one node"], cause_also=ST + UC + UM, note="the prolog fails on the node that has no shared store")
fault_("data_corrupt_one", TC, "hardware", "storage", DA, "logs", NODE, [1, 5], it=0, also=[0, 2, 3, 4, 5], stage_also=[IT], action=["bytes of the staged data set on one node's disk are random"], cause_also=UM + BUGC, note="one node's copy of the data set is damaged: token numbers are out of range")
fault_("shard_short_one", LF, "hardware", "storage", DA, "logs", NODE, [1, 5], it=None, stage_also=[EN], action=["the staged data set on one node's disk is cut"], cause_also=UM + UC, note="one node's disk has a short copy of the data set from before")
fault_("ckpt_damaged", LF, "hardware", "storage", MO, "logs", NODE, [1, 5], it=None, stage_also=[EN, CK], cause_also=UM + MT, action=["the optimizer shard of one rank, on the shared store, is cut to half of its length"], note="the node of the rank that has to load the damaged file is called faulty")
fault_("ckpt_all_bad", LF, "hardware", "storage", MO, "logs", ALL(PY), [1, 3], it=None, stage_also=[EN, CK], cause_also=UM + MT, action=["the ends of all model files of the checkpoint are overwritten"], note="no rank can load its part of the checkpoint")
fault_("ckpt_shape", LF, "user", "configuration", MO, "logs", ALL(r"AssertionError: "), [3], it=None, stage_also=[EN], action=["the checkpoint was saved by a model of another hidden size"], cause_also=UM + INC, note="all ranks fail alike")
fault_("data_missing", LF, "user", "configuration", DA, "logs", ALL(r"FileNotFoundError: "), [3], it=None, stage_also=[EN], action=["the data path names files that do not exist"], cause_also=UM + ST, note="all ranks fail alike")
fault_("config_one", LF, "user", "configuration", IT, "logs", NODE, [7], it=0, also=[0], stage_also=[EN], action=["one node's configuration file has another sequence length"], cause_also=UM + INC + BUGC, note="the messages of one node's rank have another length than its peer expects; it aborts in iteration 1")
fault_("code_one", AB, "user", "incompatibility", IT, "hybrid", NODE, [7], it=0, also=[0], stage_also=[EN], action=["the code on one node reduces gradients in pieces of another length"], cause_also=UM + BUGC + UC, note="one node has an older version of the trainer: lengths do not fit in iteration 1")
fault_("dns_one", LF, "user", "configuration", EN, "logs", NODE, [7], it=None, action=["/etc/hosts of one node lacks the name of the master's node"], cause_also=HNET + UM, note="one node cannot resolve the master's name")
fault_("port_taken", LF, "user", "configuration", EN, "logs", NODE, [7], it=None, action=["another program listens on the master's port"], cause_also=UM + HN, note="rank 0 cannot listen on the master's port")
fault_("lib_missing", LF, "user", "incompatibility", EN, "logs", NODE, [7], it=None, action=["a module of the trainer is missing on one node"], cause_also=UM + UC, note="one node lacks a module")
fault_("lib_short", LF, "user", "incompatibility", EN, "logs", NODE, [7], it=None, action=["a shared library is cut on one node"], cause_also=UM + ST, note="a library of one node is damaged: torch cannot be imported")
fault_("iface_missing", LF, "user", "configuration", EN, "logs", NODE, [7], it=None, action=["one node's task environment names a network interface that it has not"], cause_also=HNET + UM, note="the rank of one node finds no address to listen on")
fault_("ssh_refused", LF, "user", "configuration", EN, "logs", NODE, [7], it=None, action=["no sshd runs on one node"], cause_also=HN + UM + PRE, note="the runner cannot reach one node by ssh; the others wait at the rendezvous")
fault_("nofile_low", LF, "platform", "resource limit", EN, "logs", NODE, [7], it=None, cause_also=UC + HN, note="one rank runs out of file descriptors")
fault_("bad_argument", LF, "user", "configuration", EN, "logs", ALL(USAGE), [3], it=None, action=["an argument that is not known"], cause_also=UM + INC, note="all ranks fail alike")
fault_("heads_bad", LF, "user", "configuration", EN, "logs", ALL(PY), [3], it=None, action=["1 attention head, tensor parallel 2"], cause_also=UM, note="all ranks fail alike")
fault_("hostfile_bad", LF, "user", "configuration", EN, "logs", [("D", r"(?:ValueError: |\[.*\] \[ERROR\] .*Bad hostfile text)", R)] + ENDS, [3], it=None, action=["a line of the host file is not as it should be"], cause_also=UM, note="the runner ends at once")
fault_("wrong_world", LF, "user", "configuration", EN, "logs", ALL(PY), [3], it=None, action=["WORLD_SIZE is 8, there are 4 tasks"], cause_also=UM, note="the rendezvous waits for ranks that do not exist")
fault_("vocab_wrong", TC, "user", "configuration", IT, "logs", ALL(r"IndexError: "), [3], it=0, also=[0], stage_also=[DA, EN], action=["padded_vocab_size is smaller than the largest token"], cause_also=UM + BUGC, note="all ranks that embed tokens fail alike")
fault_("lr_too_high", TC, "user", "configuration", IT, "logs", ALL(r"(?:RuntimeError: Rank|AssertionError: Rank)", r" ?iteration .*lm loss: (?:NAN|INF|nan|inf)"), [3], it=1, also=[0, 2, 3], action=["the learning rate is 4e7, gradients are not clipped"], cause_also=BUGC + UM, note="all ranks alike")
fault_("nan_param", TC, "hardware", "accelerator", IT, "logs", NODE, [1, 5], cause_also=HN + BUGC + UC, note="weights of one rank become NaN in memory")
fault_("param_flip", TC, "hardware", "accelerator", IT, "logs", NODE, [1, 5], also_to=20, cause_also=HN + BUGC, note="a byte of one rank's weights changes in memory; the comparison of hashes after iteration 20 finds it on all ranks")
fault_("bug_step", TC, "user", "program bug", IT, "logs", ALL(r"AttributeError: "), [1, 3], it=14, also=[13, 15], note="a bug in iteration 15, all ranks fail alike")
fault_("save_bug", TC, "user", "program bug", CK, "logs", ALL(r"AttributeError: "), [1, 3], it=9, also=[10], stage_also=[IT], note="a bug in the checkpoint after iteration 10")
fault_("eval_bug", TC, "user", "program bug", IT, "logs", ALL(r"AttributeError: "), [1, 3], it=11, also=[10, 12], note="a bug in the evaluation after iteration 12; the ranks of the last stage fail")
fault_("deadlock_bug", AB, "user", "program bug", IT, "hybrid", ALL(PY), [3], it=13, also=[12, 14, 15], cause_also=HNET, note="in iteration 14 only the ranks of the last stage enter a barrier: time-outs everywhere")
fault_("scancel", TC, "platform", "preemption", IT, "logs", [("C", r"REQUEST_KILL_JOB", R), ("D", r"slurmstepd(?:-\S+)?: error: \*\*\*", R)] + ENDS, [3], it=None, cause_also=UM, note="the user cancels the job while it is well")
fault_("user_interrupt", TC, "platform", "preemption", IT, "logs", [("D", r"\[[\d :,-]+\] \[INFO\] \[runner\.py:\d+:sigkill_handler\]", R)] + ENDS, [3], it=None, cause_also=UM, note="the user interrupts the runner while the job is well")
fault_("time_limit", TC, "user", "configuration", IT, "logs", [("C", r"[Tt]ime limit|TIMEOUT", R), ("D", r"slurmstepd(?:-\S+)?: error: .*DUE TO TIME LIMIT", R), ("Z", r"JobState=TIMEOUT", R)] + ENDS, [3], it=None, action=["the time limit is one minute"], cause_also=PRE + RL, note="the job reaches its time limit while it is well")
