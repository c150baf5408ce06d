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


# --- heron_ansible: a rank's lines in <node>/rank<k>.log, ansible-playbook's in _controller/ansible.log
F, S, P, A, V = "heron_ansible", "FN/rank*.log", "*/rank*.log", "_controller/ansible.log", "FN/nodeprobe.error.log"
GAVE = [(S, r"^\[heron C \S+ \S+ main:\d+\] rank FR stops", R)]
PEER = [(P, r"RuntimeError: \[\./gloo/transport/tcp/pair\.cc:\d+\] (Connection closed by peer|Read error|Write error) \[FI\]", R)]
FATAL = [(A, r"fatal: \[FN\]: FAILED! => .*\"/workspace/start\.sh\"", R)]
QUIET = [("_controller/collector.error.log", r"\[error\] 23#23: host FN timed out", R)]
UNREACH = [(A, r"\[?FN\]?: UNREACHABLE! =>", R), (A, r"Task failed: Data could not be sent to remote host \\?\"FN", R)]
NIC = [(V, r"interface eth0: carrier lost", R), (V, r"no acknowledgement from reports' upstream|send\(\) of report \d+ failed", R)]
ENDS = [(P, r"^\[heron C \S+ \S+ main:\d+\] rank \d+ stops", E), (P, r"    RuntimeError: \[\./gloo/transport/tcp/(pair|unbound_buffer)\.cc:\d+\] ", E), (A, r"fatal: \[\S+\]: FAILED! => .*\"/workspace/start\.sh\"", E), (A, r"ERROR\| \[ERROR\]: Task failed: Module failed: non-zero return code", E),
        (A, r"UNREACHABLE! =>", E), (A, r"FAILED - RETRYING: \[\S+\]: Run heron", E)]
label(F, "rollout_killed", TC, "platform", "preemption", IT, "logs", [(A, r"fatal: \[FN\]: FAILED! => .*\"rc\": 137", R)] + PEER + ENDS, cause_also=[["hardware", "node"]], note="a rollout worker is killed in step 27; its learner loses it at once, the others lose each other")
label(F, "power_off", TC, "hardware", "node", IT, "hybrid", QUIET + UNREACH + ENDS, also=[32, 34], note="the node goes silent: its logs end, its reports stop; its learner and others time out after 14 s, without naming it")
label(F, "edge_cut", TC, "hardware", "network", IT, "hybrid", PEER + ENDS, note="nothing passes between two nodes (a learner's and that of one of its rollout workers): the learner times out in a receive after 14 s; which edge is cut is not said by any line")
label(F, "slow_link", AB, "hardware", "network", IT, "hybrid", [(P, r"main:\d+\] step \d\d took \S+ s \(", E)], also=[17, 19, 20], note="what the first node sends is limited to a fraction of what a step needs: all ranks' steps take four times as long, some are called slow; the job runs to its end; no line names the node")
label(F, "slow_cpu", AB, "hardware", "node", IT, "hybrid", [(S, r"main:\d+\] step \d\d took \S+ s \(", R), (P, r"main:\d+\] step \d\d took \S+ s \(", E)], also=[20, 22, 23, 24], note="one node gets 2 % of a processor from step 21 on; the job runs to its end; on its rank the generation takes long (gen, tok/s), the others wait")
label(F, "cgroup_oom", TC, "platform", "resource limit", CK, "logs", [(V, r"oom-kill:constraint=CONSTRAINT_MEMCG", R), (V, r"Memory cgroup out of memory: Killed process", R), (A, r"fatal: \[FN\]: FAILED! => .*\"rc\": 137", R)] + PEER + ENDS, also_to=31, stage_also=[IT], note="memory grows on all rollout workers, one node's control group is limited in step 24; one of its two ranks is killed as it saves its state after step 30")
label(F, "disk_full", TC, "hardware", "storage", CK, "logs", [(V, r"device of /mnt/local: \d+% used, 0 blocks left", R), (S, r"RuntimeError: \[enforce fail at inline_container\.cc", R), (S, r"OSError: \[Errno 28\]", R)] + GAVE + FATAL + PEER + ENDS, also_to=46, stage_also=[IT], cause_also=[["platform", "resource limit"]], note="the node's disk is full from step 34 on; it shows when its rank's state is saved after step 45")
label(F, "bad_chunk", TC, "hardware", "storage", IT, "logs", [(S, r"    (zlib\.error|zipfile\.BadZipFile|ValueError|EOFError|OSError): ", R)] + GAVE + FATAL + PEER + ENDS, it=31, also=[30, 32], stage_also=[DA], cause_also=[["user", "misoperation"]], note="three bytes of a chunk are changed on one node: its rank fails as it opens the chunk in step 31; all start again, go on from step 30 and fail at once at the same chunk")
label(F, "maxnew_one_node", LF, "user", "configuration", IT, "logs", [(S, r"policy: \d+ parameters, prompt 10 \+ completion 16 tokens", R)] + PEER + [(P, r"^terminate called after throwing an instance of 'gloo::EnforceNotMet'", E), (P, r"what\(\):  \[enforce fail at \./gloo/transport/tcp/pair\.cc", E)] + ENDS, it=1, also=[0], stage_also=[EN, MO], cause_also=[["user", "misoperation"]],
      action=["HERON_MAX_NEW_TOKENS=16 in the environment of one node"], note="one node's environment sets another length of completions, so its weights and what it sends are of other sizes: processes on other nodes abort in step 1 as they receive them; on the node at fault only the size that it tells differs")
label(F, "advantage_bug", TC, "user", "program bug", IT, "logs", [(P, r"    RuntimeError: (The size of tensor a|shape '\[)", R)] + ENDS, it=26, also=[25, 27], note="from step 26 on the learners leave out a completion: all of them fail alike in step 26, the rollout workers lose them")
label(F, "time_limit", TC, "user", "configuration", IT, "logs", [(A, r"Task failed: Timed out after \d+ second", R)], action=["submitted with a limit of 32 s (timeout of the task), the job needs more"], cause_also=[["platform", "preemption"]], note="ansible-playbook ends the task at its limit; nothing is wrong with the ranks, whose logs end")
label(F, "sigstop", AB, "hardware", "accelerator", IT, "hybrid", ENDS, note="a rollout worker stops dead; all others time out after 14 s, without naming it; ansible-playbook waits for its node until the operator cancels the job; no line names the node")
label(F, "host_typo", LF, "user", "configuration", EN, "logs", [(A, r"UNREACHABLE! =>", R), (A, r"Task failed: Data could not be sent to remote host", R), (P, r"    torch\.distributed\.DistStoreError: ", E), (P, r"\[c10d\] waitForInput: (poll for )?socket", E)] + ENDS,
      action=["the inventory names a host that does not exist instead of the fifth"], cause_also=[["user", "misoperation"]], note="the fifth host's name is misspelt in the inventory: it cannot be resolved, no rank is started there, the others wait for it in vain for 40 s")
label(F, "nan_learner", TC, "hardware", "accelerator", IT, "hybrid", [(S, r"non-finite pg_loss on learner FR at step", R), (S, r"learner FR, pg_loss nan", R), (P, r"learner \d+, pg_loss \S+, grad_norm nan", E), (P, r"grad_norm is nan at step \d+, update skipped", E), (P, r"    FloatingPointError: grad_norm not finite", E), (P, r"^step:\d+ - .*grad_norm:nan", E)] + ENDS, also_to=31, note="a part of one learner's parameters becomes NaN in step 29: its loss is not finite, the averaged gradient neither, all learners skip three updates and give up in step 31")
NEUTRAL[F] = [r"^Connection closed by ", r" : ok=\d+ +changed=", r"^Origin: ", r"^\d+ +(when|- name|ansible|changed_when|tasks|gather_facts|hosts|register|retries|delay|until|timeout)", r"^\s*$", r"^    Traceback ", r"^      ", r"^    (During handling|The above exception)", r"main:\d+\] heron 0\.9\.3, .* attempt 2$", r"weights restored from /mnt/dfs/ckpt"]
try: import labels7b
except ImportError: pass
