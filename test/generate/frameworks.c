/*
 * frameworks.c: what ranks of several training frameworks log, in the style of real runs of them: heads, start-up, iterations
 * with their timings, harmless trouble.
 *
 * Harmless trouble is drawn at rates at which a run of a few hundred iterations shows each kind, so that a pool of successful
 * jobs knows it.
 */
#include <stdio.h>
#include <string.h>

#include "job.h"

void
say(rank *r, level l, const char *module, const char *place, const char *format, ...)
{
	va_list		arguments;

	text_mark(r->out);
	r->of->style->head(r, l, module, place);
	va_start(arguments, format);
	text_add_list(r->out, format, arguments);
	va_end(arguments);
	text_add(r->out, "\n");
}

long
pass(rank *r, long microseconds)
{
	long		taken = microseconds * text_random(r->out, 90, 110) / 100;

	r->out->now += taken;
	return taken;
}

static int
now_and_then(rank *r, long one_in)
{
	return text_random(r->out, 1, one_in) == 1;
}

static const char *const level_names[] = {"DEBUG", "INFO", "WARNING", "ERROR"};

long
loss_of(const rank *r, long iteration)
{
	return 17000 + 950000 / (iteration + 10) + (long) (mix(r->of->seed, iteration) % 800);
}

/* ---- Megatron-LM under torchrun: Python logging, NCCL's own lines, the summary of the last rank ---- */

int
saves(const rank *r, long iteration)
{
	return iteration % 50 == 0 || (iteration == r->of->iterations - 1 && strcmp(r->of->what->stage, "checkpointing") == 0);
}

static void
megatron_head(rank *r, level l, const char *module, const char *place)
{
	text_add_time(r->out, TIME_COMMA);
	text_add(r->out, " %s:%s:[rank%d] ", level_names[l], module, r->rank);
}

static void
nccl_lines(rank *r, const char *backend)
{
	text	   *t = r->out;

	for (long channel = 0; channel < 8; channel++)
	{
		pass(r, 900);
		text_add(t, "node-%4z:%d:%d [%d] NCCL INFO Channel %2z/0 : %d[%d] -> %d[%d] [send] via NET/%s/%d/GDRDMA\n", r->node,
			r->pid, r->pid + 61, r->local,
			channel, r->rank, r->local, (r->rank + r->of->ranks_per_node) % r->of->ranks, r->local, backend, r->local);
	}
	text_add(t, "node-%4z:%d:%d [%d] NCCL INFO comm 0x%x rank %d nranks %d cudaDev %d busId %x - Init COMPLETE\n", r->node,
		r->pid, r->pid + 61, r->local,
		(long) mix(r->rank, 5), r->rank, r->of->ranks, r->local, 0x1b000L + 0x11000L * r->local);
}

static void
load_data(rank *r, level l, const char *module, const char *place)
{
	for (long shard = 0; shard < 6; shard++)
	{
		long		taken = pass(r, 9000);

		say(r, l, module, place, "loaded indexed shard /mnt/dfs/data/shard_%2z.bin (%d tokens) in %3f ms", shard,
			65536L * 1024, taken);
	}
}

static void
megatron_start(rank *r)
{
	static const char *const arguments[] = {"clip_grad", "distributed_timeout_minutes", "eval_interval", "global_batch_size",
		"hidden_size", "lr_warmup_iters",
		"micro_batch_size", "num_attention_heads", "num_layers", "pipeline_model_parallel_size", "save_interval", "seq_length",
			"tensor_model_parallel_size"};

	if (r->rank == 0)
	{
		text_add(r->out, "using world size: %d, data-parallel size: %d, context-parallel size: 1 tensor-model-parallel size: "
			"4, pipeline-model-parallel size: 1\n",
			r->of->ranks, r->of->ranks / 4 + (r->of->ranks < 4));
		text_add(r->out, "------------------------ arguments ------------------------\n");
		for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++)
			text_add(r->out, "  %s .................... %d\n", arguments[i], (long) (i * i + 8));
		text_add(r->out, "-------------------- end of arguments ---------------------\n");
	}
	say(r, INFO, "megatron.training", "", "initializing torch distributed on node-%4z (master 10.20.0.10:6000) ...", r->node);
	nccl_lines(r, "IBext");
	pass(r, 800000);
	say(r, INFO, "megatron.training", "",
		"initialized tensor model parallel with size 4, pipeline rank 0, data parallel rank %d", r->rank / 4);
	say(r, WARNING, "megatron.training", "", "fused_weight_gradient is not available, falling back to the unfused kernel");
	pass(r, 2000000);
	say(r, DEBUG, "megatron.checkpointing", "", "reading /mnt/dfs/pretrained/iter_0001000/mp_rank_%2z_%3z/model_optim_rng.pt",
		r->rank % 4, r->rank / 4);
	load_data(r, INFO, "megatron.data", "");
}

static void
megatron_noise(rank *r, long iteration)
{
	if (now_and_then(r, 400))
		say(r, WARNING, "megatron.data", "", "dataloader: batch was not ready, waited %2f ms",
			text_random(r->out, 2000, 90000));
	if (now_and_then(r, 1500))
		say(r, ERROR, "megatron.object_store", "", "PUT /metrics/rank-%d returned 503 Service Unavailable, retry 1 of 5",
			r->rank);
	if (now_and_then(r, 900))
		say(r, WARNING, "megatron.training", "", "iteration %d took %1f times the mean of the last 100", iteration,
			text_random(r->out, 15, 29));
}

static void
megatron_summary(rank *r, long iteration, long length)
{
	text_add(r->out, " [");
	text_add_time(r->out, TIME_PLAIN);
	text_add(r->out, "] iteration %d/%d | consumed samples: %d | elapsed time per iteration (ms): %1f | learning rate: "
		"1.500000E-04 | global batch size: 1024 | "
		"lm loss: %4fE+00 | loss scale: 1.0 | grad norm: %3f | number of skipped iterations: 0 | number of nan "
			"iterations: 0 |\n",
		iteration, r->of->planned, iteration * 1024, length / 100, loss_of(r, iteration), text_random(r->out, 200, 900));
}

static void
megatron_iterate(rank *r, long iteration, long length)
{
	long		part = length / 16;
	long		taken = 0;

	for (long batch = 0; batch < 4; batch++)
	{
		taken += pass(r, part / 8);
		say(r, DEBUG, "megatron.schedules", "", "iteration %d microbatch %d batch-generator: %2f ms", iteration,
			batch, taken / 10);
		pass(r, part);
		say(r, DEBUG, "megatron.schedules", "", "iteration %d microbatch %d forward-compute: %2f ms, activations %d MiB",
			iteration, batch, part / 10,
			text_random(r->out, 18000, 18900));
		taken = pass(r, part * 2);
		say(r, DEBUG, "megatron.schedules", "", "iteration %d microbatch %d backward-compute done in %2f ms", iteration,
			batch, taken / 10);
	}
	say(r, DEBUG, "megatron.training", "",
		"iteration %d all-grads-sync: all_reduce 6738415616 elements over data parallel group", iteration);
	taken = pass(r, part * 2);
	say(r, DEBUG, "megatron.training", "", "iteration %d all-grads-sync: %2f ms", iteration, taken / 10);
	taken = pass(r, part);
	say(r, DEBUG, "megatron.optimizer", "", "iteration %d optimizer-inner-step: %2f ms, params %d, lr 0.000150", iteration,
		taken / 10, 6738415616L);
	megatron_noise(r, iteration);
	if (r->rank == r->of->ranks - 1)
		megatron_summary(r, iteration, length);
	if (saves(r, iteration))
		say(r, INFO, "megatron.checkpointing", "", "saving checkpoint at iteration %d to /mnt/dfs/checkpoints/iter_%7z",
			iteration, iteration);
}

static void
megatron_finish(rank *r)
{
	say(r, INFO, "megatron.training", "", "training finished after iteration %d, exiting", r->of->iterations);
}

/* ---- DeepSpeed with the HF trainer ---- */

static void
deepspeed_head(rank *r, level l, const char *module, const char *place)
{
	text_add(r->out, "[");
	text_add_time(r->out, TIME_COMMA);
	text_add(r->out, "] [%s] [%s] [Rank %d] ", level_names[l], place, r->rank);
}

static void
deepspeed_start(rank *r)
{
	say(r, INFO, "", "comm.py:637:init_distributed", "Initializing TorchBackend in DeepSpeed with backend nccl on node-%4z",
		r->node);
	nccl_lines(r, "IB");
	pass(r, 500000);
	say(r, INFO, "", "train_sft.py:55:main", "process group initialized, world_size=%d", r->of->ranks);
	text_add(r->out, "loading weights file /mnt/dfs/pretrained/pytorch_model-%5z-of-00033.bin\n", r->rank % 33 + 1);
	say(r, WARNING, "", "engine.py:13:__init__",
		"async_io requires the dev libaio .so object and headers but these were not found.");
	say(r, INFO, "", "engine.py:19:__init__", "DeepSpeed Basic Optimizer = AdamW, lr scheduler = WarmupDecayLR");
	load_data(r, INFO, "", "data.py:9:__init__");
}

static void
deepspeed_iterate(rank *r, long iteration, long length)
{
	long		forward = 0;
	long		backward = 0;

	for (long micro = 0; micro < 4; micro++)
	{
		forward = pass(r, length / 16);
		say(r, DEBUG, "", "engine.py:23:forward", "fwd_microstep: %2f ms", forward / 10);
		backward = pass(r, length / 7);
		say(r, DEBUG, "", "engine.py:30:backward", "bwd_microstep (with bucketed allreduce): %2f ms, reduced %d bytes",
			backward / 10, text_random(r->out, 500, 510) * 1048576);
	}
	pass(r, length / 20);
	say(r, DEBUG, "", "stage3.py:1991:step", "step_microstep: %2f ms, gradient partitions %d, released %d parameters",
		length / 200, r->of->ranks, text_random(r->out, 290, 310));
	say(r, INFO, "", "train_sft.py:74:main", "time (ms) | step: %d | loss: %4f | %2f | MA %2f GB Max_MA %2f GB CA %2f GB",
		iteration, loss_of(r, iteration), length / 10,
		text_random(r->out, 3100, 3140), text_random(r->out, 5100, 5190), text_random(r->out, 6600, 6700));
	if (now_and_then(r, 300))
		say(r, WARNING, "", "data.py:21:next", "dataloader: batch was not ready, waited %1f ms",
			text_random(r->out, 200, 9000));
	if (now_and_then(r, 800))
		say(r, WARNING, "", "stage3.py:2014:step",
			"%d pytorch allocator cache flushes since last step. this happens when there is high memory pressure",
			text_random(r->out, 1, 4));
	if (r->rank == 0)
		say(r, INFO, "", "logging.py:96:log_dist", "step=%d, skipped=0, lr=[2e-05], mom=[(0.9, 0.95)]", iteration);
	if (saves(r, iteration))
		say(r, INFO, "", "engine.py:3490:save_checkpoint",
			"saving checkpoint: /mnt/dfs/checkpoints/global_step%d/zero_pp_rank_%d_mp_rank_00_optim_states.pt",
			iteration, r->rank);
}

static void
deepspeed_finish(rank *r)
{
	say(r, INFO, "", "train_sft.py:90:main", "Training completed, %d steps", r->of->iterations);
}

/* ---- torchtitan ---- */

static void
titan_head(rank *r, level l, const char *module, const char *place)
{
	text_add(r->out, "[rank%d]:", r->rank);
	text_add_time(r->out, TIME_COMMA);
	text_add(r->out, " - root - %s - ", level_names[l]);
}

static void
titan_start(rank *r)
{
	say(r, INFO, "", "", "Starting job: Llama 3 70B training on node-%4z", r->node);
	say(r, INFO, "", "", "Building 2-D device mesh with ['dp_shard', 'tp'], [%d, 4]", r->of->ranks / 4 + (r->of->ranks < 4));
	nccl_lines(r, "AWS Libfabric");
	pass(r, 900000);
	say(r, INFO, "", "", "Building llama3 70B with TransformerModelArgs(dim=8192, n_layers=80, n_heads=64, max_seq_len=8192)");
	load_data(r, INFO, "", "");
	say(r, INFO, "", "", "CUDA memory usage for model: %2fGiB(%2f%%)", text_random(r->out, 800, 830),
		text_random(r->out, 1010, 1050));
	say(r, INFO, "", "", "Training starts at step 1, with local batch size 1, global batch size %d, sequence length 8192, "
		"total steps %d", r->of->ranks, r->of->planned);
}

static void
titan_iterate(rank *r, long iteration, long length)
{
	for (long layer = 0; layer < 8; layer++)
	{
		long		taken = pass(r, length / 10);

		say(r, DEBUG, "", "", "step: %d layers %d-%d all-gather %3f ms, reduce-scatter %3f ms, prefetch depth 2", iteration,
			layer * 10, layer * 10 + 9, taken / 3, taken / 4);
	}
	pass(r, length / 8);
	say(r, INFO, "", "", "step: %d  loss: %4f  memory: %2fGiB(%2f%%)  tps: %d  tflops: %2f  mfu: %2f%%", iteration,
		loss_of(r, iteration),
		text_random(r->out, 6510, 6530), text_random(r->out, 8230, 8260), text_random(r->out, 480, 520),
			text_random(r->out, 39000, 43000), text_random(r->out, 3900, 4300));
	if (now_and_then(r, 700))
		say(r, WARNING, "", "", "%d CUDA memory allocation retries.", text_random(r->out, 1, 5));
	if (iteration % 50 == 0)
		say(r, INFO, "", "", "[GC] Performing periodic GC collection took %2f seconds", text_random(r->out, 1, 9));
	if (saves(r, iteration))
		say(r, INFO, "", "", "Saving the checkpoint (or staging if async is enabled) to outputs/checkpoint/step-%d", iteration);
}

static void
titan_finish(rank *r)
{
	say(r, INFO, "", "", "Training completed");
}

/* ---- MindSpore on Ascend: plog ---- */

static void
ascend_head(rank *r, level l, const char *module, const char *place)
{
	text_add(r->out, "[%s] %s(%d,python3):", level_names[l], module, r->pid);
	text_add_time(r->out, TIME_PLOG);
	text_add(r->out, " [%s", place);
	text_add(r->out, "] ");
}

static void
ascend_start(rank *r)
{
	static const char *const operators[] = {"MatMul", "Softmax", "GatherV2", "LayerNorm", "FlashAttentionScore"};

	say(r, INFO, "ME", "train.py:39][19][main", "training process start, host[node-%4z], rank[%d/%d]", r->node,
		r->rank, r->of->ranks);
	say(r, ERROR, "PROFILING", "train.py:43][19][main",
		"connect profiling daemon /var/run/msprof.sock failed: [Errno 2] No such file or directory, profiling is disabled");
	for (int i = 0; i < 5; i++)
		say(r, INFO, "TBE", "train.py:49][19][main", "compile op[%s] success, cost [%d]us", operators[i], pass(r, 90000));
	say(r, INFO, "HCCL", "ring.py:17][19][__init__",
		"rank table /mnt/dfs/rank_table.json loaded, rankNum[%d], serverNum[%d], localRank[%d], deviceIp[10.21.%d.%d]",
		r->of->ranks, r->of->nodes, r->local, r->node / 250, r->node % 250 + 1);
	say(r, INFO, "HCCL", "train.py:51][19][main", "communicator hccl_world_group created, rankSize[%d]", r->of->ranks);
	load_data(r, INFO, "MD", "data.py:14][19][__init__");
	say(r, INFO, "ME", "train.py:61][19][main", "start training, total steps[%d]", r->of->planned);
}

static void
ascend_iterate(rank *r, long iteration, long length)
{
	long		taken = pass(r, length / 60);

	say(r, DEBUG, "MD", "train.py:66][19][main", "step[%d] get next batch, cost [%d]us", iteration, taken);
	taken = pass(r, length / 3);
	say(r, DEBUG, "GE", "train.py:68][19][main", "step[%d] execute graph forward backward success, cost [%d]us",
		iteration, taken);
	for (long bucket = 0; bucket < 6; bucket++)
	{
		say(r, DEBUG, "HCCL", "ring.py:86][19][all_reduce",
			"Entry-HcclAllReduce: tag[grad_%d_%d], count[%d], dataType[float16], op[sum]", iteration, bucket, 83886080L);
		taken = pass(r, length / 12);
		say(r, DEBUG, "HCCL", "ring.py:95][19][all_reduce", "HcclAllReduce success, take time [%d]us, tag[grad_%d_%d]", taken,
			iteration, bucket);
	}
	say(r, INFO, "ME", "train.py:80][19][main", "step[%d] loss[%4f], per step time [%d]us", iteration,
		loss_of(r, iteration), length);
	if (now_and_then(r, 500))
		say(r, WARNING, "HCCP", "ring.py:35][19][send", "send queue of rank[%d] is full, attempt[1], will retry",
			(r->rank + 1) % r->of->ranks);
	if (saves(r, iteration))
		say(r, INFO, "ME", "ckpt.py:50][19][save", "save checkpoint step[%d] to /mnt/dfs/checkpoints/step_%d/rank_%d.ckpt",
			iteration, iteration, r->rank);
}

static void
ascend_finish(rank *r)
{
	say(r, INFO, "ME", "train.py:91][19][main", "training finished, rank[%d]", r->rank);
}

static const framework frameworks[] = {
	{"megatron", "Megatron-LM", megatron_head, megatron_start, megatron_iterate, megatron_finish, "megatron.training", ""},
	{"deepspeed", "DeepSpeed", deepspeed_head, deepspeed_start, deepspeed_iterate, deepspeed_finish, "",
		"train_sft.py:72:main"},
	{"torchtitan", "torchtitan", titan_head, titan_start, titan_iterate, titan_finish, "", ""},
	{"ascend", "MindSpore", ascend_head, ascend_start, ascend_iterate, ascend_finish, "ME", "train.py:70][19][main"},
	{"house", "house trainer", house_head, house_start, house_iterate, house_finish, "", ""},
};

const framework *
framework_named(const char *name)
{
	for (size_t i = 0; i < sizeof(frameworks) / sizeof(frameworks[0]); i++)
		if (strcmp(frameworks[i].name, name) == 0)
			return &frameworks[i];
	return NULL;
}
