/*
 * house.c: a made-up framework, whose words no rule of l4 was written for: the trainer of some house, in several dialects
 * (heads of lines, names of things, how progress is counted). Jobs of one dialect are of one kind; only dialect 0 counts
 * "step 12".
 */
#include <stddef.h>

#include "job.h"

/* Of each dialect one, and again from the first. */
static const char *const progress[] = {
	"step {iteration}", "tick {iteration}", "[ {iteration}/{planned}]", "wave={iteration}", "{iteration} batches in",
};

#define DIALECTS ((long) (sizeof(progress) / sizeof(progress[0])))

static const char *const level_names[] = {"debug", "info", "warn", "error"};

void
house_head(rank *r, level l, const char *module, const char *place)
{
	text	   *t = r->out;

	switch (r->of->dialect % 3)
	{
		case 0:
			text_add_time(t, TIME_ISO);
			text_add(t, " %s trainer[r%d] ", level_names[l], r->rank);
			break;
		case 1:
			text_add(t, "[%s] [", level_names[l]);
			text_add_time(t, TIME_COMMA);
			text_add(t, "] rank %d: ", r->rank);
			break;
		default:
			text_add_time(t, TIME_COMMA);
			text_add(t, " | %s | r%4z | ", level_names[l], r->rank);
	}
}

/* A record of the routine: words in the job's dialect. */
static void
chat(rank *r, level l, const char *words)
{
	text_mark(r->out);
	house_head(r, l, "", "");
	render(r->of, r, r->out, words, mix(r->of->dialect, 0));
	text_add(r->out, "\n");
}

void
house_start(rank *r)
{
	chat(r, INFO, "<worker|trainer|process> up on host {host}, rank {rank} of {ranks}");
	chat(r, INFO, "<slot|accelerator|device> {local}: driver {driver}, runtime 12.4");
	if (r->of->plays != NULL && r->of->plays->odd_driver && hit_number(r->of, r->node) >= 0)
		count(&r->of->labels[LABEL_DRIVER], "*/rank-*.log", "driver 535\\.104\\.05", "root", 1);
	pass(r, 400000);
	chat(r, DEBUG, "<mesh|group> dp: {ranks} ranks, i am {rank}, master_addr=node-0000, ring {previous} -> {rank} -> {next}");
	for (long volume = 1; volume <= 4; volume++)
	{
		r->fetch = pass(r, 120000) / 1000;
		chat(r, INFO, "<corpus volume|collection|archive> opened in {fetch} ms, {10000-99999} documents");
	}
	pass(r, 900000);
	chat(r, INFO, "<network|model> assembled, 48 layers, width 6144");
	chat(r, INFO, "<going|ready|off we go>: {planned} to do");
}

/* Iteration is that of the logs; length is how long this rank works, the rest of the step it waits for others. */
void
house_iterate(rank *r, long iteration, long length)
{
	r->iteration = iteration;
	r->fetch = pass(r, length / 20) / 1000;
	r->compute = pass(r, length * 6 / 10) / 1000;
	chat(r, DEBUG, "<gradients|partial sums> of {compute} ms <go out|leave> to rank {next}, 24 of 24 pieces");
	r->exchange = pass(r, (r->step - length) + length / 4) / 1000;
	text_mark(r->out);
	house_head(r, INFO, "", "");
	render(r->of, r, r->out, progress[r->of->dialect % DIALECTS], 0);
	render(r->of, r, r->out, " <fetch|input|feed> {fetch} ms <compute|math|kernels> {compute} ms <exchange|merge|sums> "
		"{exchange} ms <cost|objective|nll> {loss} <digest|fingerprint> {hex}", mix(r->of->dialect, 0));
	text_add(r->out, "\n");
	if (iteration % 10 == 0 && (r->rank == 0 || r->rank == r->of->ranks - 1))
		chat(r, INFO, "<run|all ranks>: <mean|average> of the last 10 was {1000-9999} per second");
	if (text_random(r->out, 1, 400) == 1)
		chat(r, WARNING, "<feed|queue> ran low, {1-3} batches left");
	if (text_random(r->out, 1, 900) == 1)
		chat(r, ERROR, "<telemetry|metrics> push answered 503, will be tried again");
	if (saves(r, iteration) && (r->rank == 0 || r->rank == r->of->ranks / 2))
		chat(r, INFO, "<keeping|writing> snapshot /mnt/shared/run/snap-{iteration} part {rank}");
}

void
house_finish(rank *r)
{
	chat(r, INFO, "<all|everything> done, leaving");
}
