/*
 * faults.c: the named faults, and what each leaves behind: on the rank it hits, on all others, in the kernel's log, at the
 * launchers and at the controller.
 *
 * The texts are those of the real programs (NVIDIA's driver, mlx5, NFS, NCCL, HCCL, PyTorch, torchrun). The lines that indicate
 * the failure are counted while they are written, for the labels of job.json.
 */
#include <string.h>

#include "job.h"

static const fault faults[] = {
	{"none", "", "", "", "", {NULL}, "", NULL, "", NULL, ENDS_WELL, PEERS_NOTHING, 0},
	{"xid79", "hardware", "accelerator", "training crash", "iterative training",
		{"NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
			"NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.", NULL},
		"GPU has fallen off the bus", "RuntimeError: CUDA error: unspecified launch failure",
			"RuntimeError: CUDA error: unspecified launch failure", NULL,
		ENDS_WITH_ERROR, PEERS_TIMEOUT, 600},
	{"ecc", "hardware", "accelerator", "training crash", "iterative training",
		{"NVRM: Xid (PCI:0000:3b:00): 48, pid=41231, name=python3, DBE (double bit error) ECC Error",
			"NVRM: Xid (PCI:0000:3b:00): 63, pid=41231, Row Remapper: New row marked for remapping", NULL},
		"NVRM: Xid .* (48|63),", "RuntimeError: CUDA error: uncorrectable ECC error encountered",
			"uncorrectable ECC error encountered", NULL, ENDS_WITH_ERROR, PEERS_CLOSED, 3},
	{"link_down", "hardware", "network", "training crash", "iterative training",
		{"mlx5_core 0000:5e:00.0: mlx5_pcie_event: Link down on port 1",
			"infiniband mlx5_0: set_mkc: port 1 state changed from ACTIVE to DOWN", NULL},
		"mlx5_pcie_event: Link down|changed from ACTIVE to DOWN",
			"torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1970, unhandled system error, "
			"NCCL version 2.21.5",
		"DistBackendError: NCCL error in: .* unhandled system error",
			"NET/IB : Got completion from peer with status=12 opcode=0 len=0 vendor err 129 (Send)", ENDS_WITH_ERROR,
			PEERS_TIMEOUT, 600},
	{"cuda_oom", "user", "configuration", "training crash", "iterative training", {NULL}, "",
		"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.25 GiB. GPU 0 has a total capacity of 79.11 GiB "
			"of which 1.02 GiB is free.",
		"CUDA out of memory", NULL, ENDS_WITH_ERROR, PEERS_CLOSED, 2},
	{"disk_full", "platform", "storage", "training crash", "checkpointing",
		{"EXT4-fs warning (device nvme0n1p2): ext4_dx_add_entry: Directory index full, no space", NULL},
		"ext4_dx_add_entry", "OSError: [Errno 28] No space left on device: '/mnt/local/snapshots/staging.pt'",
			"No space left on device", NULL, ENDS_WITH_ERROR, PEERS_CLOSED, 2},
	{"kill", "platform", "preemption", "training crash", "iterative training", {NULL}, "", NULL, "", NULL, ENDS_KILLED,
		PEERS_CLOSED, 1},
	{"hang", "hardware", "accelerator", "training hang", "iterative training", {NULL}, "", NULL, "", NULL, ENDS_STUCK,
		PEERS_TIMEOUT, 600},
	{"node_down", "hardware", "node", "training crash", "iterative training", {NULL}, "", NULL, "", NULL, ENDS_NODE_GONE,
		PEERS_TIMEOUT, 600},
	{"storage_stall", "platform", "storage", "training hang", "checkpointing",
		{"nfs: server 10.20.0.3 not responding, timed out", "INFO: task python3:41231 blocked for more than 122 seconds.",
			NULL},
		"nfs: server .* not responding|blocked for more than", NULL, "", NULL, ENDS_STUCK, PEERS_TIMEOUT, 600},
	{"loss_nan", "user", "data", "training crash", "iterative training", {NULL}, "",
		"RuntimeError: found NaN in local grad norm in backward pass before data-parallel communication collective",
		"found NaN in local grad norm", NULL, ENDS_EVERYWHERE, PEERS_NOTHING, 0},
	{"straggler", "hardware", "accelerator", "slow training", "iterative training", {NULL}, "", NULL, "", NULL, ENDS_SLOW,
		PEERS_NOTHING, 0},
};

const fault *
fault_named(const char *name)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (strcmp(faults[i].name, name) == 0)
			return &faults[i];
	return NULL;
}

void
count(label *l, const char *files, const char *regex, const char *role, long lines)
{
	l->files = files;
	l->regex = regex;
	l->role = role;
	l->lines += lines;
	l->files_with++;
}

/* A Python traceback whose last line is message. */
static void
traceback(rank *r, const char *function, const char *message)
{
	text_add(r->out, "Traceback (most recent call last):\n");
	text_add(r->out, "  File \"/workspace/pretrain.py\", line 142, in <module>\n    main()\n");
	text_add(r->out, "  File \"/workspace/trainer/training.py\", line 87, in train_step\n    %s\n", function);
	text_add(r->out, "%s\n", message);
}

/* The head of a line of NCCL's watchdog. */
static void
watchdog_head(rank *r, long line)
{
	text_add(r->out, "[rank%d]:[E", r->rank);
	text_add_time(r->out, TIME_GLOG);
	text_add(r->out, " ProcessGroupNCCL.cpp:%d] ", line);
}

/* What a healthy rank logs when the faulty one no longer answers. */
static void
peer_ends(rank *r)
{
	job		   *j = r->of;
	long		sequence = j->iterations * 5 + 3;

	r->out->now = j->fault_time + j->delay * INT64_C(1000000) + text_random(r->out, 0, 400000);
	if (j->what->others == PEERS_TIMEOUT && strcmp(j->style->name, "ascend") == 0)
	{
		say(r, ERROR, "HCCL", "task_exception_handler.cc:512][19][HcclTaskException",
			"[TaskExceptionHandler][Callback]Task run failed, tag[grad_%d_0], op[AllReduce], "
			"notify wait timeout[600]s, remote rank[%d]", j->iterations, (r->rank + 1) % j->ranks);
		say(r, ERROR, "ME", "train.py:70][19][main", "step[%d] failed: call aclrtSynchronizeStream failed, error code 507048",
			j->iterations);
		count(&j->labels[LABEL_PEER], "*/rank-*.log", "notify wait timeout|aclrtSynchronizeStream failed", "effect", 2);
		return;
	}
	if (j->what->others == PEERS_TIMEOUT)
	{
		watchdog_head(r, 607);
		text_add(r->out, "[Rank %d] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=%d, OpType=ALLREDUCE, "
			"NumelIn=83886080, "
			"NumelOut=83886080, Timeout(ms)=600000) ran for %d milliseconds before timing out.\n", r->rank, sequence,
				600000 + text_random(r->out, 1, 900));
		watchdog_head(r, 621);
		text_add(r->out, "Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, "
			"subsequent GPU operations "
			"might run on corrupted/incomplete data.\n");
		watchdog_head(r, 627);
		text_add(r->out, "To avoid data inconsistency, we are taking the entire process down.\n");
		count(&j->labels[LABEL_PEER], "*/rank-*.log",
			"Watchdog caught collective operation timeout|Some NCCL operations have failed|To avoid data inconsistency",
			"effect", 3);
		return;
	}
	say(r, ERROR, j->style->module, j->style->place, "NCCL WARN socketProgress: Connection closed by remote peer node-%4z<%d>",
		(r->node + 1) % j->nodes, 40000 + r->rank);
	traceback(r, "dist.all_reduce(flat, group=dp_group)",
		"torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1970, remote process exited or there was a "
			"network error, NCCL version 2.21.5");
	count(&j->labels[LABEL_PEER], "*/rank-*.log",
		"Connection closed by remote peer|remote process exited or there was a network error", "effect", 2);
}

static void
faulty_rank_ends(rank *r)
{
	job		   *j = r->of;

	r->out->now = j->fault_time + text_random(r->out, 1000, 90000);
	if (j->what->warning != NULL)
	{
		text_add(r->out, "node-%4z:%d:%d [%d] NCCL WARN %s\n", r->node, r->pid, r->pid + 61, r->local, j->what->warning);
		count(&j->labels[LABEL_WARNING], "*/rank-*.log", "NCCL WARN NET/IB", "root", 1);
	}
	if (j->what->error != NULL)
	{
		traceback(r, "losses = forward_backward(model, batch)", j->what->error);
		count(&j->labels[LABEL_ERROR], "*/rank-*.log", j->what->error_label, "root", 1);
	}
}

void
rank_ends(rank *r)
{
	const fault *f = r->of->what;

	if (f->end == ENDS_WELL)
		r->of->style->finish(r);
	else if (r->of->plays != NULL)
	{
		r->iteration = iteration_at(r->of, r->of->iterations - 1) - (strcmp(f->stage, "checkpointing") == 0);
		rank_tells(r, 0, r->of->fault_time);
	}
	else if (f->end == ENDS_EVERYWHERE || (r->rank == r->of->fault_rank && f->end != ENDS_SLOW))
		faulty_rank_ends(r);
	else if (f->others != PEERS_NOTHING && !(f->end == ENDS_NODE_GONE && r->node == r->of->fault_node))
		peer_ends(r);
}

void
kernel_tells(job *j, text *out, long node)
{
	long		lines = 0;

	if (node != j->fault_node)
		return;
	for (int i = 0; i < 3 && j->what->kernel[i] != NULL; i++)
	{
		text_add_time(out, TIME_SYSLOG);
		text_add(out, " node-%4z kernel: [%6f] %s\n", node, (long) (j->fault_time - j->started + 864000000000),
			j->what->kernel[i]);
		out->now += 1300;
		lines++;
	}
	if (lines > 0)
		count(&j->labels[LABEL_KERNEL], "*/syslog", j->what->kernel_label, "root", lines);
}

/* What torchrun says whatever the exit code. */
#define LAUNCHER_FAILS "WorkerState.FAILED|ChildFailedError|pretrain.py FAILED"

/* torchrun's report of one process that ended. */
static void
launcher_reports(job *j, text *out, long node, long rank, const char *code)
{
	text_add(out, "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: %s) local_rank: %d (pid: %d) of "
		"binary: /usr/bin/python3\n", code,
		rank % j->ranks_per_node, 40000 + rank % j->ranks_per_node);
	text_add(out, "INFO:torch.distributed.elastic.agent.server.api:Local worker group finished (WorkerState.FAILED). Waiting "
		"300 seconds for other agents to finish\n");
	text_add(out, "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \npretrain.py "
		"FAILED\n[0]:\n  time      : ");
	text_add_time(out, TIME_PLAIN);
	text_add(out, "\n  host      : node-%4z\n  rank      : %d (local_rank: %d)\n  exitcode  : %s (pid: %d)\n", node, rank,
		rank % j->ranks_per_node, code,
		40000 + rank % j->ranks_per_node);
}

void
launcher_tells(job *j, text *out, long node)
{
	const fault *f = j->what;
	int			hit = hit_number(j, node) >= 0;

	out->now = j->fault_time + (hit ? j->hit_delay + 1 : j->delay + 1 + (j->plays == NULL)) * INT64_C(1000000);
	if (f->end == ENDS_WELL || f->end == ENDS_SLOW || (hit && (f->end == ENDS_STUCK || f->end == ENDS_NODE_GONE)))
		return;
	if (hit && f->end == ENDS_KILLED)
	{
		launcher_reports(j, out, node, j->fault_rank, "-9");
		text_add(out, "  traceback : Signal 9 (SIGKILL) received by PID %d\n", 40000 + j->fault_rank % j->ranks_per_node);
		count(&j->labels[LABEL_LAUNCHER_ROOT], "*/agent.log", "exitcode *: -9|Signal 9 \\(SIGKILL\\)|" LAUNCHER_FAILS, "root",
			6);
		return;
	}
	launcher_reports(j, out, node, node * j->ranks_per_node + (hit ? j->fault_rank % j->ranks_per_node : 0), "1");
	count(&j->labels[LABEL_LAUNCHER_EFFECT], "*/agent.log", "failed \\(exitcode: 1\\)|exitcode  : 1|" LAUNCHER_FAILS, "effect",
		5);
}

void
controller_tells(job *j, text *out)
{
	if (j->what->end != ENDS_NODE_GONE)
		return;
	out->now = j->fault_time + 5000000;
	text_add_time(out, TIME_ISO);
	text_add(out, " ERROR heartbeatd heartbeat lost node=node-%4z silent_for=5.0s\n", j->fault_node);
	count(&j->labels[LABEL_CONTROLLER], "_controller/controller.log", "heartbeat lost", "root", 1);
}

void
launcher_restarts(job *j, text *out, long node)
{
	long		local = hit_number(j, node) >= 0 ? j->fault_rank % j->ranks_per_node : 0;

	text_add(out, "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: %d (pid: %d) of "
		"binary: /usr/bin/python3\n", local, 40000 + local);
	text_add(out, "INFO:torch.distributed.elastic.agent.server.api:[default] Worker group FAILED. 3/3 attempts left; will "
		"restart worker group\n");
	text_add(out, "INFO:torch.distributed.elastic.agent.server.api:[default] Stopping worker group\n");
	text_add(out, "INFO:torch.distributed.elastic.agent.server.api:[default] Rendezvous complete for workers. Result:\n  "
		"restart_count=1\n  group_rank=%d\n  group_world_size=%d\n", node, j->nodes);
	text_add(out, "INFO:torch.distributed.elastic.agent.server.api:[default] Starting worker group\n");
	count(&j->labels[LABEL_RESTART], "*/agent.log", "failed \\(exitcode: 1\\)|Worker group FAILED", "effect", 2);
}

/* srun's line of some tasks of a node that ended. */
static void
srun_line(job *j, text *out, long node, long first, long last, const char *how)
{
	text_mark(out);
	text_add(out, "srun: error: node-%4z: task", node);
	if (first == last)
		text_add(out, " %d", first);
	else
		text_add(out, "s %d-%d", first, last);
	text_add(out, ": %s\n", how);
	count(&j->labels[LABEL_LAUNCHER_EFFECT], "*/slurm-job.out", "^srun: error: node-\\d+: tasks? [\\d-]+: ", "effect", 1);
}

void
srun_tells(job *j, text *out)
{
	if (j->what->end == ENDS_WELL || j->what->end == ENDS_SLOW)
		return;
	for (long node = 0; node < j->nodes; node++)
		if (hit_number(j, node) >= 0)
		{
			long		task = node * j->ranks_per_node + j->fault_rank % j->ranks_per_node;

			out->now = j->fault_time + (j->hit_delay + 1) * INT64_C(1000000);
			srun_line(j, out, node, task, task, "Exited with exit code 1");
		}
	out->now = j->fault_time + (j->delay + 1) * INT64_C(1000000);
	text_mark(out);
	text_add(out, "slurmstepd-node-0000: error: *** STEP 4711.0 ON node-0000 CANCELLED AT ");
	text_add_time(out, TIME_SLURM);
	text_add(out, "%s ***\n", j->what->end == ENDS_CANCELLED ? " DUE TO TIME LIMIT" : "");
	count(&j->labels[LABEL_CONTROLLER], "*/slurm-job.out", "CANCELLED AT ", j->what->end == ENDS_CANCELLED ? "root" : "effect",
		1);
	for (long node = 0; node < j->nodes; node++)
		srun_line(j, out, node, node * j->ranks_per_node, (node + 1) * j->ranks_per_node - 1, "Terminated");
}
