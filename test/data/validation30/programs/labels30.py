"""What an expert would call failure-indicating in each job, written after reading the logs and before any diagnosis.

LABELS[fault] = (symptom, category, subtype, stage, diagnosable, [(scope, pattern, role), ..], extras)
Scopes: W workers' lines, WF those of the faulty ranks, D the driver's and the job script's lines; these patterns begin where the program's line
begins (after the layout's prefix, which pack30.py puts before them, and after the stamp of the program's log). S, SF syslogs of nodes, X, XF messages of
execds (in their own file or in the syslog), Q those of the qmaster: searched in the line.
FN stands for a faulty node, FR for its rank(s). A pattern that matches nothing in a job is left out.
extras: cl (classes), it (steps done, as progress counts them), also (further ones that are right), also_to, stage_also, action, note, cause_also, noroot."""
R, E = "root", "effect"
TC, LF, AB = "training crash", "launching failure", "abnormal behavior"
IT, EN, DA, MO, CK = "iterative training", "environment initialization", "data loading", "model loading", "checkpointing"
LABELS = {}
PY = r"(?!ConnectionRefusedError: \[Errno 111\]|TimeoutError: timed out$|OSError: \[Errno 1(?:13|01)\])(?:\w+\.)*\w*(?:Error|Exception|Interrupt)(?:: |\"|$)"
FATAL, EF, STALL = r"Fatal Python error", r"\[[^\]]*: [EF] core/", r"(?:\[[^\]]*: W core/(?:stall|tcp)|.*\[missing ranks: )"
INP, COLL, REND, RESET = r"input pipeline: prefetch queue has been empty", r"collective failed \(", r"rendezvous server \S+: ", r"fulmar elastic: "
USAGE = r"train_imgs\.py: error: "
DERR = r"(?:rank \d+ on \S+ \(slot|task of rank \d+ on|host \S+ is blacklisted|rendezvous: |terminating \d+ remaining|rank \d+ on \S+ did not terminate|job failed,|\d+ slots are left|caught signal|timed out after|discovery script|job was ended by)"
SCR = r"fulmarrun ended with [1-9]"
KILLED = r"\S+: line \d+: +\d+ Killed"
NAME = r"(?:.*[Rr]ank \d+ \((?:FN),|.*[Rr]ank (?:FR) on (?:FN)[ .]|.*missing ranks: (?:\d+(?: \(\S+\))?, )*(?:FR)\b|.*not submitted by ranks \[(?:\d+, )*(?:FR)\b|.*[Mm]issing ranks: \[(?:\d+, )*(?:FR)\b|.* on (?:FN), exiting|.*\btask (?:FN):\d)"
SUSP = r"(?:\|[WEC]\||pge_execd\[\d+\]: (?:warning|error|critical) )"
XT = SUSP + r"(?:task \S+ of job|terminating task|prolog of job|refused task|cannot start task|client of task|connection of a client|job \S+ still runs|commlib: qmaster \S+: (?!connection was closed by))"
QW = r"(?:\|[WEC]\||pge_qmaster\[\d+\]: (?:warning|error|critical) )"
SYS = r"(?:kernel: (?:oom-kill|Memory cgroup out|\S.*Killed process)|ifwatch\[\d+\]: \S+ link is (?!up)|ntpd\[\d+\]: (?:no servers|time correction)|collectd\[\d+\]: plugin failed)"
OWN = [("WF", FATAL, R), ("WF", EF, R), ("WF", PY, R), ("WF", INP, R), ("WF", COLL, R), ("WF", USAGE, R), ("XF", XT, R), ("XF", r"suspending task", R), ("SF", SYS, R)]
SAY = [("W", r"(?=" + EF + r"|" + PY + r"|" + STALL + r"|" + COLL + r")" + NAME, R)]
DRV = [("D", r"(?:rank \d+ on (?:FN) |task of rank \d+ on (?:FN) |host (?:FN) is black|job failed,.* on (?:FN) |rendezvous: .*(?:FN)[:) ,])", R)]
PLAT = [("Q", QW + r".*(?:@|host |of execd on |execd on )(?:FN)(?![\w.-])", R)]
ENDS = [("W", FATAL, E), ("W", EF, E), ("W", STALL, E), ("W", PY, E), ("W", INP, E), ("W", COLL, E), ("W", RESET, E), ("W", USAGE, E), ("D", DERR, E), ("J", SCR, E), ("J", KILLED, E), ("X", XT, E), ("S", SYS, E), ("Q", QW, E)]
# lines that are neither: traces but for their last line, headings, rulers, noise that successful jobs have, too
NEUTRAL = [r"(?:^|: |>:|msg=\")(?:  |Traceback|During handling|The above exception|Current thread|Thread 0x|Extension modules)", r"Stalled ops:", r"_queue\.Empty", r"native extension is not available", r"summary writer", r"ConnectionRefusedError: \[Errno 111\]",
    r"load sensor", r"connection was closed by qmaster", r"cannot raise the limit", r"Prefetch process raised \w+$|usage: train_imgs|^\s+\[--", r"asks for a reset|fulmarrun.*(?:slots: |reset \d)|reset is done"]
NODE = OWN + PLAT + DRV + SAY + ENDS
HN, HNET, PRE = [["hardware", "node"]], [["hardware", "network"]], [["platform", "preemption"]]
UM, UC, BUGC = [["user", "misoperation"]], [["user", "configuration"]], [["user", "program bug"]]
RL, ST, MT = [["platform", "resource limit"]], [["hardware", "storage"]], [["platform", "storage mount"]]
ACC, INC = [["hardware", "accelerator"]], [["user", "incompatibility"]]


def fault_(name, symptom, category, sub, stage, diag, lines, cl, **extras): LABELS[name] = (symptom, category, sub, stage, diag, lines, dict(extras, cl=cl))
def ALL(*rx): return [("W", r, R) for r in rx] + ENDS


fault_("rank_killed", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], cause_also=HN, note="a rank is killed (SIGKILL)")
fault_("kill_in_eval", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], it=11, also=[12], cause_also=HN, note="a rank is killed (SIGKILL) in the validation after step 12")
fault_("kill_in_save", TC, "platform", "preemption", CK, "logs", NODE, [1, 5], it=19, also=[20], stage_also=[IT], cause_also=HN, note="a rank is killed (SIGKILL) while the checkpoint of step 20 is written")
fault_("sigterm_node", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], cause_also=UM + HN, note="a clean-up of processes on one node ends its ranks (SIGTERM)")
fault_("rank_stopped", AB, "hardware", "accelerator", IT, "hybrid", NODE, [5], cause_also=HN + BUGC, note="a rank stops dead (SIGSTOP) and says nothing; the stall inspector names it")
fault_("init_stopped", AB, "hardware", "accelerator", EN, "hybrid", NODE, [5], it=None, cause_also=HN + UC + BUGC, note="a rank stops dead before it registers; the rendezvous times out")
fault_("suspended", AB, "platform", "preemption", IT, "logs", NODE, [5], cause_also=UC + HN, note="the batch system suspends the tasks of one node (subordination to another queue's job), the others wait for them")
fault_("rank_segv", TC, "hardware", "accelerator", IT, "logs", NODE, [1, 5], cause_also=BUGC + HN, note="a rank dies of a segmentation fault")
fault_("rank_abrt_two", TC, "hardware", "accelerator", IT, "logs", NODE, [1, 5], cause_also=BUGC + HN, note="a rank aborts (SIGABRT)")
fault_("reader_killed", TC, "platform", "preemption", DA, "logs", NODE, [1, 5], also_to=18, stage_also=[IT], cause_also=HN + RL, note="the prefetch process of one rank is killed (SIGKILL)")
fault_("reader_stopped", AB, "hardware", "node", DA, "logs", NODE, [5], also_to=18, stage_also=[IT], cause_also=ST + ACC + BUGC, note="the prefetch process of one rank stops dead; the rank uses up what was read ahead and waits for it")
fault_("kernel_oom", TC, "platform", "resource limit", IT, "logs", NODE, [1, 5], also_to=14, cause_also=UC + BUGC, note="the memory limit of one node is set low; the kernel kills a process of it")
fault_("alloc_fails", TC, "platform", "resource limit", IT, "logs", NODE, [1, 5], also_to=14, cause_also=UC + BUGC + ACC, note="the address space of one rank is limited; an allocation fails")
fault_("vmem_limit", TC, "user", "configuration", IT, "logs", [("X", SUSP + r"task \S+ of job \d+ uses", R)] + ENDS, [3], it=10, also=[6, 7, 8, 9, 10, 12, 13, 14], action=["h_vmem is 110 MB, the arguments let each rank keep 6 MB more each step"], cause_also=RL + BUGC, note="the ranks of all nodes outgrow h_vmem")
fault_("power_off", TC, "hardware", "node", IT, "logs", NODE, [5], cause_also=HNET + PRE, note="a node goes silent (power off)")
fault_("node_reboot", TC, "hardware", "node", IT, "logs", NODE, [5], cause_also=PRE, note="all processes of a node are gone at once, 2 s later it is up again")
fault_("maintained", TC, "platform", "preemption", IT, "logs", NODE, [5], cause_also=UM + HN, note="an administrator shuts down a node's queue instance while the job runs on it")
fault_("execd_killed", TC, "platform", "preemption", IT, "logs", NODE, [5], cause_also=HN + UM, note="the execd of one node is killed")
fault_("exec_dead_start", LF, "platform", "preemption", EN, "logs", NODE, [5], it=None, cause_also=HN + UM, note="the execd of one node is killed when the driver starts")
fault_("driver_killed", TC, "platform", "preemption", IT, "logs", [("J", KILLED, R)] + NODE, [1, 5], cause_also=HN + UM, note="the driver is killed (SIGKILL); the node on which it runs is called faulty")
fault_("link_down", TC, "hardware", "network", IT, "logs", NODE, [5], cause_also=HN, note="the data network's link of one node goes down")
fault_("mgmt_link_down", TC, "hardware", "network", IT, "logs", NODE, [5], cause_also=HN, note="the management network's link of one node goes down")
fault_("oneway_loss", TC, "hardware", "network", IT, "hybrid", NODE, [5], cause_also=HN, note="nothing that the others send on the data network arrives at one node")
fault_("packet_loss", TC, "hardware", "network", IT, "hybrid", NODE, [5], also_to=16, cause_also=HN, note="four fifths of the packets that come to one node on the data network are lost")
fault_("conn_reset", TC, "hardware", "network", IT, "logs", NODE, [5], cause_also=HN + UM + UC, note="a packet filter resets connections of one node on the data network")
fault_("mtu_blackhole", LF, "hardware", "network", MO, "logs", NODE, [5, 7], it=None, stage_also=[EN, IT], action=["packets of more than 700 bytes do not reach one node on the data network"], cause_also=UC + UM, note="as with a port whose MTU is too small: small messages pass, the first broadcast of the parameters does not")
fault_("firewall_start", LF, "hardware", "network", EN, "logs", NODE, [5, 7], it=None, action=["one node drops packets that open connections on the data network"], cause_also=UC + UM, note="no one can connect to the ranks of one node on the data network; time-outs")
SLOW = [("W", r"(?=" + STALL + r")" + NAME, R), ("W", STALL, E), ("W", INP, E)]
CMP = [("W", r"stats, step (?:12|16|20): compute ms per rank:.*[ :](?:FR):(?:[2-9]\d\d|\d{4,})\b", R)]
fault_("slow_cpu", AB, "hardware", "node", IT, "logs", [("SF", r"cpu_throttled_periods=[1-9]", R)] + CMP + SLOW, [4], also_to=14, cause_also=RL, note="one node gets a part of a CPU: its compute times are several times those of the others")
fault_("throttled_rank", AB, "hardware", "accelerator", IT, "logs", CMP + SLOW, [4], also_to=14, cause_also=HN + RL, note="one rank runs only a part of the time, as on hardware that throttles")
fault_("slow_link", AB, "hardware", "network", IT, "hybrid", [("W", STALL, E)] + [("W", r"stats, step (?:12|16|20): allreduce (?:[3-9]|\d\d)\.\d+ s", E)], [4], also_to=14, noroot=True, cause_also=HN, note="what one node sends on the data network is limited to 1 Mbit/s")
fault_("disk_full", TC, "hardware", "storage", CK, "logs", NODE, [1, 5], also_to=20, stage_also=[IT], cause_also=RL, note="the local disk of one node is filled; its replica of step 20 cannot be written")
fault_("store_full", TC, "hardware", "storage", CK, "logs", ALL(r"OSError: .*No space left on device"), [1, 3], also_to=20, stage_also=[IT], cause_also=RL + MT, note="the shared store is filled: the checkpoint of step 20 fails on all nodes")
fault_("mount_gone", TC, "platform", "storage mount", CK, "logs", NODE, [1, 5], also_to=20, stage_also=[IT], cause_also=ST, note="the shared store is unmounted on one node; its part of the checkpoint of step 20 cannot be written")
fault_("ro_store", TC, "platform", "storage mount", CK, "logs", NODE, [1, 5], also_to=20, stage_also=[IT], cause_also=ST, note="the shared store becomes read-only on one node")
fault_("hung_write", AB, "hardware", "storage", CK, "hybrid", NODE, [5], it=9, also=[3, 4, 10, 11], stage_also=[IT], cause_also=MT + BUGC + HN, note="a write to one node's disk hangs in the checkpoint of step 10; the others wait at the barrier")
fault_("mount_missing", LF, "platform", "storage mount", EN, "logs", NODE, [1, 5], it=None, stage_also=[DA], action=["the shared store is not mounted on one node"], cause_also=ST + UC + UM, note="the prolog fails on the node that has no shared store")
fault_("shard_damaged", TC, "hardware", "storage", DA, "logs", NODE, [1, 5], also_to=16, stage_also=[IT], cause_also=UM, note="bytes of the data set on one node's disk are overwritten; its reader finds a sum that does not fit")
fault_("shard_short_one", LF, "hardware", "storage", DA, "logs", NODE, [1, 5], it=None, stage_also=[EN], action=["one node's copies of the data set's shards are cut"], cause_also=UM + UC, note="one node's disk has short copies of the shards from before")
fault_("ckpt_damaged", LF, "hardware", "storage", MO, "logs", NODE, [1, 5], it=None, stage_also=[EN, CK], cause_also=UM + MT, action=["64 bytes of one rank's part of the checkpoint, on the shared store, are overwritten"], note="the node of the rank that has to load the damaged file is called faulty")
fault_("ckpt_shape", LF, "user", "configuration", MO, "logs", ALL(r"ValueError: size mismatch"), [3], it=None, stage_also=[EN], action=["the checkpoint was saved by a model of another width"], cause_also=UM + INC, note="all ranks fail alike")
fault_("version_one", LF, "user", "incompatibility", EN, "logs", NODE, [7], it=None, action=["one node has an older version of fulmar"], cause_also=UC + UM, note="one node has an older version of the framework; its ranks refuse")
fault_("code_one", AB, "user", "incompatibility", IT, "logs", NODE, [7], it=0, also=[0], stage_also=[EN], action=["the model's code on one node lacks the gradient of one tensor"], cause_also=UM + BUGC, note="the ranks of one node never submit a tensor; the stall inspector ends the job in step 1")
fault_("config_one", LF, "user", "configuration", EN, "logs", NODE, [7], it=None, action=["one node's configuration file has another momentum"], cause_also=UM + INC, note="the digest of one node's arguments differs")
fault_("dns_one", LF, "user", "configuration", EN, "logs", [("WF", REND, R)] + NODE, [7], it=None, action=["/etc/hosts of one node lacks the name of the driver's node"], cause_also=HNET + UM, note="one node cannot resolve the name of the rendezvous server")
fault_("port_taken", LF, "user", "configuration", EN, "logs", NODE, [7], it=None, action=["another program listens on the port of a rank of one node"], cause_also=UM + HN, note="a rank cannot listen")
fault_("lib_missing", LF, "user", "incompatibility", EN, "logs", NODE, [7], it=None, action=["a module of the framework is missing on one node"], cause_also=UM + UC, note="one node lacks a module")
fault_("dup_rank", LF, "user", "configuration", EN, "logs", NODE, [7], it=None, action=["a variable left over in one node's task environment gives its task another one's rank"], cause_also=UM, note="two tasks register as the same rank")
fault_("clock_auth", LF, "hardware", "node", EN, "logs", NODE, [7], it=None, action=["the clock of one node is 95 s behind"], cause_also=UC + UM, note="the execd of the node whose clock is wrong refuses the driver's credential")
fault_("iface_missing", LF, "user", "configuration", EN, "logs", NODE, [7], it=None, action=["one node's task environment names a network interface that it has not"], cause_also=HNET + UM, note="the ranks of one node find no address to listen on")
fault_("interp_bad", LF, "user", "incompatibility", EN, "logs", NODE, [7], it=None, action=["the interpreter of the environment is a truncated file on one node"], cause_also=ST + UM + UC, note="no task can be started on one node")
fault_("nofile_low", LF, "platform", "resource limit", EN, "logs", NODE, [7], it=None, stage_also=[DA], action=["the limit of open files is 13 on one node"], cause_also=UC + HN, note="one node's rank runs out of file descriptors")
fault_("np_too_many", LF, "user", "configuration", EN, "logs", [("D", r"timed out after", R)] + ENDS, [3], it=None, action=["-np is 8, the job has 6 slots"], cause_also=UM, note="the driver waits for slots that do not exist")
fault_("bad_argument", LF, "user", "configuration", EN, "logs", ALL(USAGE), [3], it=None, action=["the configuration file has a key that is not known"], cause_also=UM + INC, note="all ranks fail alike")
fault_("lr_too_high", TC, "user", "configuration", IT, "logs", ALL(r"FloatingPointError: ", r".*RuntimeWarning: (?:overflow|invalid|divide)"), [3], it=4, also=[1, 2, 3, 4, 6], action=["the learning rate is 90, gradients are not clipped"], cause_also=BUGC + UM, note="all ranks alike")
fault_("nan_param", TC, "hardware", "accelerator", IT, "logs", NODE, [1, 5], cause_also=HN + BUGC + UC, note="weights of one rank become NaN in memory; it finds gradients that are not finite")
fault_("param_flip", TC, "hardware", "accelerator", IT, "logs", [("W", r"RuntimeError: parameter verification failed .*of ranks? (?:FR)\b", R)] + NODE, [1, 5], also_to=16, cause_also=HN + BUGC, note="a byte of one rank's weights changes in memory; the comparison of checksums after step 15 finds it on all ranks")
fault_("bug_step", TC, "user", "program bug", IT, "logs", ALL(r"AttributeError: "), [1, 3], it=14, also=[13, 15], note="a bug in step 15, all ranks fail alike")
fault_("save_bug", TC, "user", "program bug", CK, "logs", ALL(r"AttributeError: "), [1, 3], it=9, also=[10], stage_also=[IT], note="a bug in the checkpoint after step 10")
fault_("uneven_bug", TC, "user", "program bug", IT, "logs", ALL(STALL, r"\[[^\]]*: E core/stall"), [3], it=13, also=[12, 14, 15, 16], cause_also=INC, note="from step 14 on the ranks skip a tensor that depends on their data: the stall inspector ends the job")
fault_("qdel", TC, "platform", "preemption", IT, "logs", [("Q", r"has requested the deletion|was deleted by", R)] + ENDS, [3], it=None, cause_also=UM, note="the user deletes the job while it is well")
fault_("time_limit", TC, "user", "configuration", IT, "logs", [("X", SUSP + r"job \S+ has run longer than h_rt", R), ("Q", r"it exceeded h_rt", R)] + ENDS, [3], it=None, action=["h_rt is 12"], cause_also=PRE + RL, note="the job reaches its time limit while it is well")
fault_("elastic_other", TC, "platform", "preemption", IT, "logs", NODE, [1, 5, 10, 11], also=[12, 13, 14, 15, 16], cause_also=HN, note="a rank is killed, the job goes on with three nodes from the last commit; a rank of another node is killed, too few slots are left")
fault_("execd_stopped", AB, "hardware", "node", IT, "logs", NODE, [5], cause_also=PRE + UM, note="the execd of one node hangs (SIGSTOP); driver and qmaster give the node up while its rank is well")
fault_("link_flap", TC, "hardware", "network", IT, "logs", NODE, [5], cause_also=HN, note="the data network's link of one node is down for 11 s")
fault_("bug_elastic", TC, "user", "program bug", IT, "logs", ALL(r"AttributeError: "), [1, 3], it=13, also=[12, 14], note="a bug in step 14, all ranks of an elastic job fail alike; the driver blacklists the hosts")
