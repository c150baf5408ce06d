"""What an expert would call failure-indicating in each job, written after reading the logs and before any diagnosis.

LABELS[fault] = (symptom, category, subtype, stage, diagnosable, [(files, pattern, role), ..], extras)
FN stands for a faulty node, FR for its rank(s), FI for its address, FP for its pods (or those that `pods` names).  A pattern that matches nothing in a job is left out.
extras: cl (classes), neutral (further patterns), it (steps done, as progress counts them), also (further ones that are right), also_to, stage_also, action, note, cause_also, pods (roles whose pods are the faulty ones).
"""
R, E = "root", "effect"
TC, LF, AB = "training crash", "launching failure", "abnormal behavior"
IT, EN, DA, MO, CK = "iterative training", "environment initialization", "data loading", "model loading", "checkpointing"
LABELS = {}
AL, PF, KF = "*/pods/*/*/0.log", "FN/pods/*_FP_*/*/0.log", "FN/kubelet.log"
MG, EV, YA = "_controller/vc-controller-manager.log", "_controller/events.log", "_controller/vcjob-status.yaml"
P = r"^\S+ std(?:err|out) [FP] "      # a line of a container
RK = r"(?:\[rank\d+\]:? ?)?"
EXC = P + RK + r"[\w.]*(?:Error|gaierror|Exception|Interrupt)(?:: |$)"
LE = P + r"\[[EC] [^\]]*\] "
TRY = P + r"\[W [^\]]*\] /v1/\w+ on "
BUT503 = r"\S+ failed \((?!RuntimeError: HTTP 503)"
WAIT = P + r"\[W [^\]]*\] waited [\d.]+s for samples of "
AWAY = P + r"\[W [^\]]*\] client \S+ went away"
USE = P + r"(?:usage: |run\.py: error: )"
ABORT = P + r"(?:terminate called|  what\(\): |Fatal Python error|\[\S+ *:\d+:\d+\] Caught signal)"
C10D = P + r"\[?(?:rank\d+\])?:?\[[WE]\d{4} \S+ (?:socket|TCPStore|ProcessGroup\w*)\.cpp:\d+\] .*(?:failed|timed out|timeout|could not|cannot|broken|already|reset)"
FNP = r"(?:FP)(?![\w-])"
DIED = r'"Container exited" pod="[^"]*/' + FNP + r'".* exitCode=(?!143 |0 )'
OWN = [(PF, EXC, R), (PF, TRY + BUT503, R), (PF, ABORT, R), (PF, LE, R), (PF, USE, R), (PF, C10D, R), (KF, DIED, R), (MG, r"Pod <[^>]*/(?:FP)> on node \S+ failed", R), (MG, r"event Pod\w+ of pod " + FNP, R), (MG, r"pod " + FNP + r"[ :]", R), (EV, r"PodFailed +pod/" + FNP + r".*exit code (?!143)", R), (EV, r"JobStatus .*pod " + FNP, R),
       (YA, r"reason: .*pod " + FNP, R), (YA, r"name: " + FNP + r".*exitCode: (?!0\}|143\})", R)]
AGENT = [(KF, r"^[EW].*(?:oom_watcher_linux|volume_stat_calculator|node_problem|Eviction manager)", R), (KF, r"did not exit within the grace period", R)]
NAMED = EXC.replace("(?:: |$)", ": ") + r".*"
SAY = [(AL, r"\[(?:FI)\]:\d+", R), (AL, EXC.replace("(?:: |$)", ": ") + r"/v1/\w+ on " + FNP, R), (AL, TRY + FNP + BUT503, R), (AL, r"rank (?:FR) \(\S+ on (?:FN)\) has", R)]
LOST = [(MG, r"Node (?:FN) hasn't been updated", R), (EV, r"(?:NodeNotReady|Rebooted) +node/(?:FN) ", R), (EV, r"TaintManagerEviction +pod/" + FNP, R)]
ENDS = [(AL, EXC, E), (AL, ABORT, E), (AL, LE, E), (AL, USE, E), (AL, C10D, E), (AL, TRY + BUT503, E), (AL, AWAY, E), ("*/kubelet.log", r'"Container exited".* exitCode=(?!143 |0 )', E), ("*/kubelet.log", r"did not exit within the grace period", E),
        (MG, r"Pod <\S+> on node \S+ failed|event Pod\w+ of pod|-> (?:Restarting|Terminating|Failed|Aborting|Aborted)|hasn't been updated", E), (EV, r"PodFailed .*exit code (?!143)|NodeNotReady|Rebooted|TaintManagerEviction|Unschedulable|JobStatus .*Job is (?:Failed|Aborted)", E), (YA, r"phase: (?:Failed|Aborted)$|^    reason: |exitCode: (?!0\}|143\})[-\d]+\}|status: (?:Failed|Restarting|Terminating|Aborted|Aborting)$", E)]
NEUTRAL = [P + r" *\d+ +(?:/lib|/usr/bin/python)|" + P + r"===", P + RK + r"(?: |Traceback|During handling|The above exception|Original Traceback|frame #|Exception raised from|Exception ignored in|Extension modules|Thread 0x|Current thread|$)", P + r"\s*$", P + r"-+$|" + P + r"Exception (?:occurred|happened) (?:during processing|in thread)", r"Killing container with a grace period|exitCode=143 |exit code 143|exitCode: 143\}|Failed to ensure lease exists|ContainerDied", r" Killing +pod/", r"HTTP 503: queue is full", r"groups without variance of reward", r"attempt: \d+, phase: (?:Succeeded|Unknown)"]
NOISE = [r"\[[ID] [^\]]*\] |Node stats|Normal +(?:Started|Scheduled|RegisteredNode|NodeReady)|SyncLoop|MountVolume|Started container|lastTransitionTime|phase Restarting -> Pending|phase Pending -> Running|phase \"\" -> |fetched? |added: queue|retryCount|version:|status: (?:Pending|Running)|maxRetry|register|^  (?:queue|namespace|name|minAvailable|schedulerName): |Job is Completed|no pods exceed|phase \S+ -> (?:Completing|Completed)"]
HN, HNET = [["hardware", "node"]], [["hardware", "network"]]
MEM = [["user", "configuration"], ["user", "program bug"]]
UC, UM = [["user", "configuration"]], [["user", "misoperation"]]
PRE = [["platform", "preemption"]]
NODE = AGENT + OWN + SAY + ENDS            # the faulty node fails by itself
NOSTR = [(a, b, c) for a, b, c in OWN if not (a == PF)]
QUIET = AGENT + LOST + SAY + [(KF, DIED, R), (EV, r"PodFailed +pod/" + FNP + r".*exit code 137", R), (YA, r"name: " + FNP + r".*exitCode: (?:137|-1)\}", R), (MG, r"event PodEvicted of pod " + FNP, R), (MG, r"pod " + FNP + r".*: Node(?:Lost|Rebooted)", R), (EV, r"JobStatus .*pod " + FNP + ".*Node(?:Lost|Rebooted)", R), (YA, r"reason: .*pod " + FNP + ".*Node(?:Lost|Rebooted)", R)] + ENDS
HANG = QUIET


def fault_(name, symptom, category, sub, stage, diag, lines, cl, **extras): LABELS[name] = (symptom, category, sub, stage, diag, lines, dict(extras, cl=cl))


fault_("trainer_killed", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], cause_also=HN, note="a trainer is killed (SIGKILL)")
fault_("rollout_killed", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], cause_also=HN, note="a rollout worker is killed (SIGKILL); trainers tell of it by its pod's name, then lose one another")
fault_("reward_killed", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], pods=["reward"], cause_also=HN, note="the reward server is killed; it shares its node with a rollout worker")
fault_("reward_stopped", AB, "hardware", "node", IT, "logs", HANG, [5], pods=["reward"], cause_also=[["hardware", "accelerator"], ["user", "program bug"], ["hardware", "network"], ["platform", "preemption"]], note="the reward server stops dead (SIGSTOP): requests to it time out; it shares its node with a rollout worker")
fault_("rollout_stopped", AB, "hardware", "accelerator", IT, "logs", HANG, [5], cause_also=HN + [["user", "program bug"]], note="a rollout worker stops dead (SIGSTOP): requests for samples time out")
fault_("trainer_stopped", AB, "hardware", "accelerator", IT, "hybrid", QUIET, [5], cause_also=HN, note="a trainer stops dead (SIGSTOP) and says nothing; the others time out")
fault_("stopped_at_start", AB, "hardware", "accelerator", EN, "hybrid", QUIET, [5], it=None, cause_also=HN + UC, note="a trainer stops dead before it joins; the others wait for it and give up after 12 s")
fault_("trainer_segv", TC, "hardware", "accelerator", IT, "logs", NODE, [1, 5], pods=["trainer"], cause_also=[["user", "program bug"], ["hardware", "node"]], note="a trainer dies of a segmentation fault; each node has a trainer and a rollout worker")
fault_("rollout_abrt", TC, "hardware", "accelerator", IT, "logs", NODE, [1, 5], pods=["rollout"], neutral=[WAIT], cause_also=[["user", "program bug"], ["hardware", "node"]], note="a rollout worker aborts (SIGABRT)")
fault_("kernel_oom", TC, "platform", "resource limit", IT, "logs", NODE, [1, 5], also_to=14, cause_also=MEM, note="the memory limit of one node is set low, each step needs more; the kernel kills its trainer")
fault_("leak_one_node", TC, "platform", "resource limit", IT, "logs", NODE, [1, 5], it=2, also_to=20, cause_also=MEM, action=["the configuration of one node keeps 5 MB a step (replay_mb), the others nothing"], note="all nodes have a memory limit; the trainer of one of them takes more with each step until the kernel kills it")
fault_("node_dies", TC, "hardware", "node", IT, "logs", QUIET, [5], cause_also=HNET + PRE, note="a node goes silent (power off)")
fault_("node_dies_ten", TC, "hardware", "node", IT, "logs", QUIET, [5], cause_also=HNET + PRE, note="one of ten nodes goes silent (power off)")
fault_("node_reboot", TC, "hardware", "node", IT, "logs", QUIET, [5], cause_also=PRE, note="all processes of a node are gone at once, 2.5 s later it is up again; the controller sees another boot id")
EXIT137 = [(MG, r"event Pod\w+ of pod " + FNP, R), (MG, r"-> \w+, version \d+, pod " + FNP + ": ", R), (KF, r'"Container exited".* exitCode=137 ', R), (MG, r"Pod <[^>]*/(?:FP)> on node \S+ failed.*exit code 137", R), (EV, r"PodFailed +pod/" + FNP + r".*exit code 137", R), (MG, r"pod " + FNP + r" .*exit code 137", R), (EV, r"JobStatus .*pod " + FNP + r".*137", R), (YA, r"reason: .*pod " + FNP + ".*137", R), (YA, r"name: " + FNP + r".*exitCode: (?:137|-1)\}", R), (MG, r"event PodEvicted of pod " + FNP, R), (MG, r"pod " + FNP + r".*: Node(?:Lost|Rebooted)", R)]
fault_("reboot_then_oom", TC, "platform", "resource limit", IT, "logs", AGENT + LOST + SAY + EXIT137 + ENDS, [1, 5, 10, 11], also=[14], also_to=22, cause_also=MEM + HN + PRE, note="a node reboots; the job is started once more, from the checkpoint of step 10, and the kernel kills another node's trainer for its memory")
fault_("rollout_then_trainer", TC, "platform", "preemption", IT, "logs", AGENT + SAY + EXIT137 + ENDS, [1, 5, 10, 11], also=[14, 15], cause_also=HN, note="a rollout worker is killed; the job is started once more, and a trainer of another node is killed")
fault_("link_down", TC, "hardware", "network", IT, "logs", AGENT + LOST + OWN + SAY + ENDS, [5], cause_also=HN, note="the link of one node goes down; its logs go on (written on another path)")
fault_("one_way", TC, "hardware", "network", IT, "hybrid", AGENT + LOST + OWN + SAY + ENDS, [5], cause_also=HN, note="nothing that the other nodes send arrives at one node any more; the controller still reaches it")
fault_("edge_cut", TC, "hardware", "network", IT, "hybrid", NODE, [5, 8], cause_also=HN, note="nothing passes between the nodes of two trainers")
fault_("edge_trainer_rollout", TC, "hardware", "network", IT, "logs", [(PF, TRY + BUT503, R)] + NODE, [5, 8], pods=["trainer"], cause_also=HN, note="nothing passes between the node of a trainer and that of a rollout worker: the requests of this trainer to this worker time out, all else goes on")
SLOWE = [(AL, r"step \d+/\d+ .*\| (?:[2-9]\.|\d\d+\.)\d*s: ", E), (AL, r"profile step (?:12|16|20|24) rank .* reduce (?:[6-9]\d\d|\d{4,})\.", E)]
PROF = lambda n: (AL, r"profile step (?:12|16|20|24) rank (?:FR): matmul (?:%s)\.\dms" % n, R)
RETR = [("*/kubelet.log", r"Node stats.* tcpRetransSegs=(?:[6-9]\d|\d{3,})", E)]
fault_("slow_cpu", AB, "hardware", "node", IT, "logs", [PROF(r"[2-9]\d\d|\d{4,}")] + SLOWE[:1] + [(AL, WAIT, E)], [4], also_to=13, cause_also=[["platform", "resource limit"]], note="one node gets 5 % of a CPU: its probe of matrix products takes many times as long")
fault_("slow_link", AB, "hardware", "network", IT, "hybrid", SLOWE + [(AL, WAIT, E)], [4], also_to=13, noroot=True, cause_also=HN, note="what one node sends is limited to 2 Mbit/s")
fault_("lossy_node", AB, "hardware", "network", IT, "hybrid", RETR + SLOWE + [(AL, WAIT, E)], [4], also_to=13, noroot=True, cause_also=HN, note="one packet of six that one node receives is lost: those that send to it retransmit, it itself tells nothing")
fault_("throttled_rollout", AB, "hardware", "accelerator", IT, "logs", [(PF, r"weights v(?:15|20|25), .* throughput (?:[1-9]|[1-9]\d|1[0-4]\d)\.\d tokens/s", R), (AL, WAIT + FNP, R)] + SLOWE[:1] + [(AL, WAIT, E)], [4], also_to=13, cause_also=[["hardware", "node"], ["platform", "resource limit"]], note="one rollout worker runs only a part of the time, as on hardware that throttles: its throughput falls, those that wait for its samples say so")
fault_("kubelet_killed", TC, "platform", "preemption", IT, "logs", QUIET, [5], cause_also=[["hardware", "node"], ["user", "misoperation"]], note="the node agent of one node is killed; its pods go on until the controller gives the node up")
fault_("disk_full", TC, "hardware", "storage", CK, "logs", NODE, [1, 5], also_to=19, stage_also=[IT], cause_also=[["platform", "resource limit"]], note="the scratch disk of one node is filled in step 14; its trainer fails at the checkpoint of step 20")
fault_("shared_full", TC, "hardware", "storage", CK, "logs", [(AL, EXC + r".*No space", R), (AL, P + RK + r"OSError: \[Errno 28\]|enforce fail at inline_container|PytorchStreamWriter failed", R)] + ENDS, [1, 3], also_to=19, stage_also=[IT], cause_also=[["platform", "resource limit"], ["platform", "storage mount"]], note="the shared file system is full: the checkpoint of step 20 fails on all trainers")
fault_("shared_gone", TC, "platform", "storage mount", CK, "logs", [("*/kubelet.log", r"Volume is not mounted any more", R), (AL, P + RK + r"(?:PermissionError|FileNotFoundError|OSError): \[Errno", R)] + ENDS, [1, 3], also_to=19, stage_also=[IT], cause_also=[["hardware", "storage"]], note="the shared file system is unmounted on all nodes; the checkpoint of step 20 fails")
fault_("shared_ro", TC, "platform", "storage mount", CK, "logs", NODE, [1, 5], also_to=19, stage_also=[IT], cause_also=[["hardware", "storage"]], note="the shared file system becomes read-only on one node; its part of step 20 cannot be copied")
fault_("mount_missing", LF, "platform", "storage mount", DA, "logs", NODE, [1, 5], it=None, stage_also=[EN], action=["the shared file system is not mounted on one node"], cause_also=[["hardware", "storage"], ["user", "configuration"], ["user", "misoperation"]], note="the init container of one trainer finds no prompts")
fault_("prompts_damaged", TC, "hardware", "storage", DA, "logs", NODE, [1, 5], also_to=16, stage_also=[IT], cause_also=UM, note="bytes of the prompts on the scratch disk of one node are overwritten; its loader finds sums that do not fit")
fault_("shard_cut", LF, "user", "misoperation", DA, "logs", [(AL, r"PromptShardError: ", R)] + ENDS, [3], it=None, stage_also=[EN], cause_also=[["hardware", "storage"], ["user", "configuration"]], note="a shard of prompts on the shared file system is shorter than its index says: all trainers fail alike")
fault_("loader_killed", TC, "platform", "preemption", DA, "logs", NODE, [1, 5], also_to=15, stage_also=[IT], cause_also=[["hardware", "node"], ["platform", "resource limit"]], note="the loader process of one trainer is killed (SIGKILL)")
fault_("loader_stopped", AB, "hardware", "node", DA, "hybrid", QUIET, [5], also_to=15, stage_also=[IT], noroot=True, cause_also=[["hardware", "storage"], ["hardware", "accelerator"], ["user", "program bug"]], note="the loader process of one trainer stops dead; the trainer uses up what was read ahead and waits for it, the others time out")
fault_("ckpt_cut", LF, "hardware", "storage", MO, "logs", NODE, [1, 5], it=None, stage_also=[EN, CK], cause_also=[["platform", "storage mount"], ["user", "misoperation"]], note="one trainer's part of the checkpoint, on the shared file system, is cut; the trainer that has to load it is called faulty since only it fails")
fault_("ckpt_world", LF, "user", "configuration", MO, "logs", [(AL, r"ValueError: checkpoint", R)] + ENDS, [3], it=None, stage_also=[EN], action=["the checkpoint to go on from was saved by three trainers, the job has two"], cause_also=UM + [["user", "incompatibility"]], note="the number of trainers does not fit the checkpoint: all fail alike")
AGREE = [(AL, r"ranks do not agree: rank (?:FR) ", R)]
fault_("version_one_node", LF, "user", "incompatibility", EN, "logs", AGREE + SAY + ENDS, [7], action=["one node has version 0.4.1 of the program"], stage_also=[MO], cause_also=UC + UM, note="one node has an older version of the program; rank 0 alone tells which, by the majority")
fault_("iface_one_node", LF, "user", "configuration", EN, "logs", NODE, [7], action=["the environment of one node sets GLOO_SOCKET_IFNAME=eth1"], cause_also=HNET + UM, note="the environment of one node names an interface that it has not")
fault_("dns_one_node", LF, "user", "configuration", EN, "logs", NODE, [7], action=["/etc/hosts of one node lacks the name of trainer 0's pod"], cause_also=HNET + UM, note="one node cannot resolve the name where the ranks meet")
fault_("dns_reward", TC, "user", "configuration", IT, "logs", NODE, [5, 7], it=0, also=[1], stage_also=[EN], action=["/etc/hosts of one node lacks the name of the reward server's pod"], cause_also=HNET + UM, note="one node cannot resolve the name of the reward server: its trainer fails in the first step")
fault_("port_taken", LF, "user", "configuration", EN, "logs", [(PF, P + r"initialized on any address for port", R)] + NODE, [7], action=["another program listens on the port where the ranks meet, on the node of trainer 0"], cause_also=UM + HN, note="another program holds the port of the rendezvous on the node of rank 0")
fault_("gen_port_taken", LF, "user", "configuration", EN, "logs", NODE, [7], pods=["rollout"], action=["another program listens on the rollout worker's port"], cause_also=UM + HN, note="another program holds the port of the rollout worker's server on its node")
fault_("reward_code_old", TC, "user", "incompatibility", IT, "logs", NODE, [5, 7], pods=["reward"], it=0, also=[1], stage_also=[EN], action=["the node of the reward server has an old version of reward.py"], cause_also=[["user", "configuration"], ["user", "misoperation"], ["user", "program bug"]], note="the reward server's file is of another version, which does not understand the answers: it answers 500 to all; it shares its node with a rollout worker")
fault_("clock_and_kill", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], cause_also=HN, note="a trainer is killed; the clock of another node, which is not at fault, is 41 s behind")
NAN = [(PF, r"weights with values that are not finite|FloatingPointError: ", R)]
fault_("nan_param", TC, "hardware", "accelerator", IT, "logs", NAN + NODE, [1, 5], cause_also=[["hardware", "node"], ["user", "program bug"], ["user", "configuration"]], note="weights of one trainer become NaN in memory; it alone sees a loss that is not finite")
fault_("nan_ref", TC, "hardware", "accelerator", IT, "logs", NAN + NODE, [1, 5], cause_also=[["hardware", "node"], ["user", "program bug"], ["user", "configuration"]], note="weights of one trainer's reference policy become NaN in memory; it alone sees a loss that is not finite")
DES = [(AL, r"DesyncError: .*rank (?:FR) \(", R)]
fault_("param_drift", TC, "hardware", "accelerator", IT, "logs", DES + SAY + [(YA, r"name: " + FNP + r".*exitCode: (?!0\}|143\})", E)] + ENDS, [1, 5], also_to=14, cause_also=[["hardware", "node"], ["user", "program bug"]], note="weights of one trainer change in memory; the comparison of sums after step 15 tells which rank differs, all trainers stop alike")
fault_("two_killed", TC, "platform", "preemption", IT, "logs", NODE, [1, 10], cause_also=HN, note="trainers of two nodes are killed at once")
fault_("tp_killed", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], cause_also=HN, note="a trainer of a tensor parallel group is killed")
fault_("killed_at_end", TC, "platform", "preemption", IT, "logs", NODE, [1, 5], it=25, also=[26], stage_also=[CK], cause_also=HN, note="a trainer is killed when the last step is done, when all is saved and the trainers meet for the last time")
fault_("cfg_unknown", LF, "user", "configuration", EN, "logs", [(AL, r"TypeError: Config", R)] + ENDS, [3], action=["the configuration has a key that is not known"], cause_also=UM + [["user", "incompatibility"]], note="a key of the configuration is not known: all pods fail alike")
fault_("tp_not_dividing", LF, "user", "configuration", EN, "logs", [(AL, r"ValueError: \d+ trainers cannot", R)] + ENDS, [3], action=["tensor_parallel is 2, there are three trainers"], cause_also=UM, note="tensor parallelism does not divide the number of trainers: all fail alike")
fault_("lr_too_high", TC, "user", "configuration", IT, "logs", [(AL, r"FloatingPointError: |values that are not finite|probability tensor contains|  kl (?:nan|inf)|loss \+?(?:nan|inf)", R)] + ENDS, [3], it=1, also=[0, 2, 3], action=["the learning rate is 1e25, gradients are not clipped"], cause_also=UM + [["user", "program bug"]], note="the weights are useless after the first steps, on all ranks alike")
fault_("eval_bug", TC, "user", "program bug", IT, "logs", [(AL, r"IndexError", R)] + ENDS, [1, 3], it=11, also=[12], note="a bug in the evaluation after step 12, in what the telling trainer (rank 0) alone does: it fails first, which is no fault of its node")
fault_("save_bug", TC, "user", "program bug", CK, "logs", [(AL, r"AttributeError", R)] + ENDS, [1, 3], it=9, also=[10], stage_also=[IT], note="a bug in the checkpoint after step 10: all trainers fail alike")
fault_("last_batch", TC, "user", "program bug", IT, "logs", [(AL, EXC + r".*(?:Sizes of tensors|size of tensor|must match)", R)] + ENDS, [1, 3], it=17, also=[18], stage_also=[DA], cause_also=[["user", "configuration"]], note="the last batch has another shape than what it is joined with: all trainers fail alike in the last step")
fault_("user_abort", TC, "platform", "preemption", IT, "logs", [(EV, r"CommandIssued", R), (MG, r"command AbortJob by user", R), ("*/kubelet.log", r'reason="AbortJob"', R), (YA, r"AbortJob", R), (EV, r"JobStatus .*AbortJob", R), (MG, r"AbortJob", R)] + ENDS, [3], it=None, cause_also=UM, note="the user aborts the job while it is well")
fault_("deadline", TC, "user", "configuration", IT, "logs", [(EV, r"DeadlineExceeded", R), (MG, r"DeadlineExceeded", R), ("*/kubelet.log", r"DeadlineExceeded", R), (YA, r"DeadlineExceeded", R)] + ENDS, [3], it=None, action=["activeDeadlineSeconds is 26"], cause_also=PRE + [["platform", "resource limit"]], note="the job reaches its deadline while it is well")
fault_("preempted", TC, "platform", "preemption", IT, "logs", [(EV, r" Evict ", R), (MG, r"[Pp]reempt", R), ("*/kubelet.log", r'reason="preempt"', R), (MG, r"PodEvicted", R), (EV, r"PodEvicted", R), (YA, r"PodEvicted", R)] + ENDS, [3], it=None, cause_also=[["user", "misoperation"], ["user", "configuration"]], note="the gang is evicted for a job of higher priority while it is well")
fault_("node_drained", TC, "platform", "preemption", IT, "logs", [(EV, r"NodeNotSchedulable +node/(?:FN) ", R), (EV, r" Evict +pod/" + FNP, R), (KF, r'reason="drain"', R), (KF, r'"Container exited" pod="[^"]*/' + FNP + r'".* exitCode=143', R), (MG, r"Pod <[^>]*/(?:FP)> on node", R), (EV, r"PodFailed +pod/" + FNP, R), (MG, r"pod " + FNP, R), (EV, r"JobStatus .*pod " + FNP, R), (YA, r"pod " + FNP, R), (YA, r"name: " + FNP + r".*exitCode: 143", R)] + SAY + ENDS, [5], cause_also=[["user", "misoperation"], ["hardware", "node"]], note="an administrator drains one node: its pod is evicted, the others lose their connections")
