"""What an expert would call failure-indicating in each job, written after reading the logs and before any diagnosis.

LABELS[family, fault] = (symptom, category, subtype, stage, diagnosable, [(files, pattern, role), ..], extras)
FN stands for a faulty node, FR for its rank(s), FI for the address(es) of the faulty node(s); in the first family FT for the node's Slurm task(s), FK for the faulty ranks'
local numbers, FL for the prefix(es) of the faulty ranks' lines.  A pattern that matches nothing in a job is left out.
extras: cl (classes), it (iteration counted from the start of the job), also (further iterations that are right), also_to, stage_also, action, note, cause_also.
"""
R, E = "root", "effect"
TC, LF, AB = "training crash", "launching failure", "abnormal behavior"
IT, EN, DA, MO, CK = "iterative training", "environment initialization", "data loading", "model loading", "checkpointing"
LABELS, NEUTRAL = {}, {}


def label(family, fault, symptom, category, sub, stage, diag, lines, cl, **extras):
    assert (family, fault) not in LABELS
    LABELS[(family, fault)] = (symptom, category, sub, stage, diag, lines, dict(extras, cl=cl))


F = "gannet_torchrun"
O, S, D, DD, G, GG = "_controller/*.*.log", "_controller/slurmctld.log", "FN/slurmd.log", "*/slurmd.log", "FN/gpud.log", "*/gpud.log"
def mine(rx): return [(O, r"^(?:FL|FT:  +).*(?:" + rx + ")", R)]
def every(rx, role=R): return [(O, r"^\d+: (?:\[default\d\]:|  +).*(?:" + rx + ")", role)]
def agent(rx): return [(O, r"^FT: .*(?:" + rx + ")", R)]
DIED = [(O, r"^FT: E\d{4} .*failed \(exitcode: .*local_rank: FK ", R), (O, r"^FT: +(exitcode +: -\d|traceback : Signal \d)", R)]
EXITED = [(O, r"^FT: E\d{4} .*failed \(exitcode: .*local_rank: FK ", R)]
SRUN = [(O, r"^srun: error: FN: task \d+: (Killed|Exited with exit code|Aborted|Segmentation fault)", R)]
LOST = [(S, r"Nodes (?:\S+,)?FN(?:,\S+)? not responding|Killing JobId=\d+ on failed node FN|[Nn]ode FN .*(down|DOWN|not responding)|Batch JobId=\d+ missing from .*FN", R), (O, r"FN.*(DUE TO NODE FAILURE|[Nn]ode failure)|^srun: error: Node failure on FN|^srun: error: FN: task.*(unknown|No response)", R)]
PEER = [(O, r"\[FI\]:\d+", R)]
TRY = [(O, r"attempt \d+: srun returned", E)]
BAR = [(O, r"Ranks? (?:\d+, )*(?:FR)(?:, \d+)* failed to pass monitoredBarrier", R)]
DOWN = [(G, r'"interface carrier changed".*"carrier":0', R)]
GL = r"(RuntimeError|ValueError): (\[\S+\.cc:\d+\]|Gloo|.*[Tt]imed out)|Dist(Store|Network|Backend)?Error: |(?<!raise )EOFError$|Connection(Reset|Refused)Error: |BrokenPipeError: "
ENDS = every(GL, E) + every(r"terminate called after throwing|what\(\):  |init_process_group\(.*failed: |recvValue failed|Failed to check the .should dump|sendBytes failed|Broken pipe|monitoredBarrier|Original exception|\[\./gloo/\S+\] ", E) + \
    [(O, r"^\d+: [EW]\d{4} .*(failed \(exitcode: |death signal|closing signal)", E), (O, r"^\d+: .*(ChildFailedError: |SignalException: |RendezvousTimeoutError|RendezvousClosedError)", E),
     (O, r"^\d+: +(exitcode +: |traceback : Signal \d)", E), (O, r"^srun: (error: |Terminating StepId|Force Terminated|got SIGCONT|Job step aborted|forcing job termination)", E), (O, r"slurmstepd-\S+: error: ", E), (S, r"WEXITSTATUS [1-9]|_job_complete.*(NODE_FAIL|TIMEOUT)", E), (DD, r"died by signal|error: \*\*\* (STEP|JOB)", E)]
NEUTRAL[F] = [r"^\s*$", r"^\d+: \s*$", r"^\d+: (\[default\d\]:)?(\[rank\d+\]: )?(  |Traceback \(|During handling|The above exception|\s*$)", r"^\d+: (\[default\d\]:)?(\[rank\d+\]: )?(frame #\d+|Exception raised from|Original Traceback|<omitting)", r"^\d+: (=+|-+|pretrain\.py FAILED|Failures:|Root Cause.*|\[\d+\]:|  <NO_OTHER_FAILURES>)\s*$",
              r"^\d+: +(time|host|rank|error_file) +: ", r"\[(INFO|WARNING)\] \[(engine|checkpoint|comm|zero)\.py", r"steps: \d+ loss|results at iteration|aim: flush", r"^\{\"level\":\"info\"|temperature", r"^INFO: ", r"no error file defined for parent", r"has failed to (shutdown|send)|RendezvousConnectionError|DistNetworkError: |The above exception|C10d store", r"^\S+\[[\d,-]+\]$", r"stepd_cleanup|launch task StepId|Launching batch|slurmd (version|started)|Slurmd shutdown|CPU frequency|Node configuration|CPUs=4", r"slurm_receive_msgs|agent/is_node_resp|error_node|requeue|sched: |_slurm_rpc|_job_complete|update_node|_pick_best|node_did_resp|Resending TERMINATE|Caught SIGPIPE", r"^END TIME|^START TIME|^CMD: ", r"\[W\d+ ", r"^\d+: (--- Logging error|Call stack|Arguments: )", r"slurm_send_node_msg|slurm_bufs_sendto", r"resource_tracker|Exception ignored|leaked semaphore", r"^\d+: (\[default\d\]:)?(==== backtrace|=+$| *\d+  (/|python3\())"]
def fault_(name, *a, **k): label(F, name, *a, **k)
MEM = [["user", "configuration"], ["user", "program bug"]]
fault_("rank_killed", TC, "platform", "preemption", IT, "logs", DIED + SRUN + PEER + ENDS, [1, 5, 14], cause_also=[["hardware", "node"]], note="one of the two ranks of a node is killed in iteration 12: its torchrun tells the signal and ends the other one, peers lose their connections; then Slurm ends the step")
fault_("agent_killed", TC, "platform", "preemption", IT, "logs", SRUN + [(D, r"died by signal: 9", R)] + PEER + ENDS, [1, 5, 14], cause_also=[["hardware", "node"]], note="the torchrun of one node is killed in iteration 14: srun tells that its task was killed and ends the step; the rank itself was well")
fault_("sigstop", AB, "hardware", "accelerator", IT, "hybrid", PEER + ENDS, [5, 14], cause_also=[["hardware", "node"]], note="a rank stops dead in iteration 11 and says nothing; others time out after 18 s")
fault_("kernel_oom", TC, "platform", "resource limit", IT, "logs", [(G, r'"kernel message".*(oom-kill:|[Kk]illed process)', R)] + DIED + SRUN + PEER + ENDS, [1, 5, 14], also_to=12, stage_also=[DA], cause_also=MEM, note="the memory limit of one node is set low from iteration 9 on, each batch needs more; the kernel kills its rank")
fault_("disk_full", TC, "hardware", "storage", CK, "logs", [(G, r'"disk almost full"', R)] + mine(r"OSError: \[Errno 28\]|RuntimeError: (\[enforce fail at inline_container|basic_ios::clear|.*unexpected pos)|PytorchStreamWriter failed") + EXITED + SRUN + BAR + PEER + ENDS, [1, 14], also_to=20, stage_also=[IT], cause_also=[["platform", "resource limit"]], note="the local disk of one node is filled in iteration 13; its ranks cannot write their parts of the checkpoint of iteration 20")
fault_("bad_shards", TC, "hardware", "storage", DA, "logs", mine(r"ValueError: (Checksum failure|Caught ValueError)") + EXITED + SRUN + PEER + ENDS, [1, 14], also_to=13, stage_also=[IT], cause_also=[["user", "misoperation"]], note="the shards on the local disk of one node are damaged in iteration 11: the checksum of the next one does not fit")
fault_("bit_flip", TC, "hardware", "accelerator", IT, "logs", mine(r"detected overflow nan") + ENDS + every(r"steps: \d+ loss: nan|OVER.LOW! Rank|Exception: Current loss scale already at minimum", E), [1, 3, 14], also_to=24, cause_also=[["hardware", "node"]], note="a parameter in the memory of one rank becomes NaN in iteration 15: it tells an overflow in each iteration from there on, all skip them, until the loss scale is at its minimum and all give up alike")
fault_("link_down", TC, "hardware", "network", IT, "logs", DOWN + LOST + PEER + ENDS, [5, 14], cause_also=[["hardware", "node"]], note="the link of one node goes down in iteration 13")
fault_("node_dies", TC, "hardware", "node", IT, "logs", LOST + PEER + ENDS, [5, 14], cause_also=[["hardware", "network"]], note="a node goes silent in iteration 17")
fault_("library_broken", LF, "user", "incompatibility", EN, "logs", [(O, r"^FT: .*(ImportError|OSError): .*file too short", R)] + SRUN + ENDS, [7, 14], action=["a library that PyTorch needs is an empty file on one node"], cause_also=[["user", "configuration"], ["user", "misoperation"], ["hardware", "storage"]], note="a shared library is empty on one node: torchrun cannot even be started there, srun ends the step")
fault_("interface_one_node", LF, "user", "configuration", EN, "logs", mine(r"Unable to find address for|enforce fail at .*gloo|ib0") + EXITED + SRUN + PEER + ENDS, [7, 14], action=["the environment of one node sets GLOO_SOCKET_IFNAME=ib0"], cause_also=[["hardware", "network"], ["user", "misoperation"]], note="the environment of one node names an interface that it has not: its rank cannot make its device of gloo")
fault_("umount_one", TC, "platform", "storage mount", CK, "logs", [(G, r'"mount target not found"', R)] + mine(r"FileNotFoundError: \[Errno 2\]") + EXITED + SRUN + BAR + PEER + ENDS, [1, 14], also_to=20, stage_also=[IT], cause_also=[["hardware", "storage"]], note="the shared folder is unmounted on one node in iteration 14; its ranks cannot write the checkpoint of iteration 20 there")
fault_("edge_cut", TC, "hardware", "network", IT, "hybrid", PEER + ENDS, [5, 8, 14], cause_also=[["hardware", "node"]], note="nothing passes between two nodes any more from iteration 12 on")
fault_("slow_cpu", AB, "hardware", "node", IT, "logs", [], [4, 14], also_to=14, cause_also=[["platform", "resource limit"]], note="one node gets 6 % of a CPU from iteration 11 on: its rank computes much longer than others (times of all ranks are told), the others wait for it")
fault_("lossy_node", AB, "hardware", "network", IT, "hybrid", [], [4, 14], also_to=14, cause_also=[["hardware", "node"]], note="25 % of what one node receives by TCP is lost from iteration 10 on: all wait for it")
fault_("retry_then_segv", TC, "hardware", "accelerator", IT, "logs", DIED + mine(r"Caught signal 11|[Ss]egmentation fault") + TRY + PEER + ENDS, [1, 5, 10, 11, 14], also=[12, 14], cause_also=[["platform", "preemption"], ["hardware", "node"], ["user", "program bug"]], note="a rank is killed in iteration 13; in the second attempt, which goes on from iteration 10, the rank of another node has a segmentation fault")
fault_("local_stalled", AB, "hardware", "storage", CK, "logs", [(O, r"^srun: error: FN: task \d+: Killed", R)] + BAR + PEER + ENDS + every(r"monitoredBarrier|Ranks \d", E), [2, 5, 14], also_to=20, stage_also=[IT], cause_also=[["hardware", "node"]], note="the file system of the snapshots of one node stands still from iteration 14 on: its rank hangs as it writes its part of the checkpoint of iteration 20 and says nothing")
fault_("heads_wrong", LF, "user", "configuration", MO, "logs", every(r"ValueError: num_attention_heads") + ENDS, [3, 14], stage_also=[EN], action=["the sequence parallel size is 8, the model has 4 heads"], cause_also=[["user", "misoperation"]], note="the number of heads does not fit the sequence parallel size: all ranks fail alike as they build the model")
fault_("save_bug", TC, "user", "program bug", CK, "logs", every(r"KeyError: 'exp_avg'") + ENDS, [1, 3, 14], it=10, also=[9, 11], stage_also=[IT], note="the state of the optimizer is asked for by a key that it has not: all ranks fail alike at the first checkpoint, of iteration 10")
fault_("rate_too_high", TC, "user", "configuration", IT, "logs", every(r"steps: \d+ loss: \d{5,}|detected overflow|OVER.LOW! Rank|Exception: Current loss scale already at minimum") + ENDS, [3, 14], it=2, also=[1, 3, 4, 5, 6, 7, 8, 9, 10, 11], action=["the learning rate is 3e3, gradients are not clipped"], cause_also=[["user", "misoperation"]], note="the loss leaves its bounds, on all ranks alike; iterations are skipped until the loss scale is at its minimum, and all ranks give up")
fault_("weights_cut", LF, "hardware", "storage", MO, "logs", every(r"PytorchStreamReader|failed finding central directory|unexpected EOF") + ENDS, [3, 14], stage_also=[EN], cause_also=[["user", "misoperation"], ["platform", "storage mount"]], note="the file of weights to start from is cut, on the shared folder: all ranks fail alike")
fault_("time_limit", TC, "user", "configuration", IT, "logs", [(O, r"DUE TO TIME LIMIT", R), (S, r"Time limit exhausted|_job_complete.*TIMEOUT|[Tt]ime limit", R), (DD, r"DUE TO TIME LIMIT", R)] + ENDS, [3, 14], cause_also=[["platform", "preemption"], ["platform", "resource limit"]], note="the job reaches its time limit while it is well")
