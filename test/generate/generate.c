/*
 * generate.c: writes the logs of a training job of any size, for runs at scale.
 *
 * One file a rank, a launcher's and a system log a node, a controller's; records in the style of several frameworks, harmless
 * trouble, and one named fault. The same arguments give the same bytes. Node and rank files do not depend on one another, so
 * memory is that of the times of the iterations. Where ranks share one file, as under srun --label, it is the file's.
 *
 * Faults are those of faults.c, told in the words of real programs, and the scenarios of scenarios.c (--list prints their
 * names), told in made-up words, best with the made-up framework "house" in one of its dialects.
 *
 *   generate --out DIR [--job ID] [--nodes 8] [--ranks-per-node 4] [--iterations 100 | --bytes N] [--seed 1]
 *            [--framework megatron|deepspeed|torchtitan|ascend|house] [--dialect 1] [--shared yes|no]
 *            [--fault NAME] [--fault-node 3] [--step-ms 4000] [--labels FILE]
 *   generate --list
 *
 * --bytes sets the number of iterations so that all files together have about that many bytes (k, M, G: powers of 1000).
 * --labels writes a job.json with settings, fault and the lines that indicate it. The last line on standard output says what
 * was written, how fast, in user and system seconds of the processor.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job.h"

#define SECOND INT64_C(1000000)
#define BEAT (10 * SECOND)		/* of the system logs */
#define PIECE (128 * 1024)		/* bytes written at once */
#define START INT64_C(1767225600000000)	/* 2026-01-01 00:00:00 */

typedef struct
{
	const char *out;
	const char *labels;
	int64_t		bytes;
	int64_t		written;
	long		files;
} target;

static void
fail(const char *what, const char *name)
{
	fprintf(stderr, "generate: %s %s%s%s\n", what, name, errno != 0 ? ": " : "", errno != 0 ? strerror(errno) : "");
	exit(1);
}

static void
make_folder(const char *path)
{
	if (mkdir(path, 0755) != 0 && errno != EEXIST)
		fail("cannot make folder", path);
	errno = 0;
}

/* Opens the file that the text is written to, and closes it when the text is complete. */
static void
begin_file(const char *path, text *t)
{
	t->file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (t->file < 0)
		fail("cannot write", path);
}

static void
end_file(target *to, text *t)
{
	text_flush(t);
	if (close(t->file) != 0)
		fail("cannot write", "a file");
	t->file = -1;
	to->written += t->flushed;
	to->files++;
}

/* By how many percent slow steps take longer. */
static long
slower(const job *j)
{
	return j->plays == NULL ? 100 : j->plays->slower;
}

/* When each iteration begins. A stretch of start-up comes before the first. */
static void
plan_times(job *j)
{
	int64_t		now = j->started + 40 * SECOND;

	j->begins = realloc(j->begins, (j->iterations + 2) * sizeof(int64_t));
	if (j->begins == NULL)
		fail("out of memory for", "iterations");
	for (long i = 0; i <= j->iterations; i++)
	{
		j->begins[i] = now;
		now += j->step_time * (int64_t) (950 + mix(j->seed, i) % 100) / 1000;
		/* a slow rank holds all others up */
		if (j->what->end == ENDS_SLOW && i >= j->iterations / 2)
			now += j->step_time * slower(j) / 100;
		if (i == j->restart - 1)
			now += 100 * SECOND;
	}
	j->fault_time = j->begins[j->iterations] - j->step_time / 2;
	j->ended = j->what->end == ENDS_WELL ? j->begins[j->iterations] : j->fault_time + (j->delay + 20) * SECOND;
}

/* Goes to the first fault of a job that is restarted after it, and back when called again. */
static void
swap_faults(job *j, job *other)
{
	job			now = *j;

	j->fault_node = other->fault_node;
	j->fault_rank = other->fault_rank;
	j->fault_time = other->fault_time;
	other->fault_node = now.fault_node;
	other->fault_rank = now.fault_rank;
	other->fault_time = now.fault_time;
}

static job
first_fault(const job *j)
{
	job			first = *j;

	first.fault_node = (j->fault_node + j->nodes / 2) % j->nodes;
	first.fault_rank = first.fault_node * j->ranks_per_node + j->fault_rank % j->ranks_per_node;
	first.fault_time = j->begins[j->restart - 1] + j->step_time / 2;
	return first;
}

/* The end of the first attempt, and the beginning of the next. */
static void
rank_restarts(rank *r)
{
	job		   *j = r->of;
	job			first = first_fault(j);

	swap_faults(j, &first);
	r->iteration = j->restart;
	rank_tells(r, AT_FIRST_FAULT, j->fault_time);
	swap_faults(j, &first);
	r->out->now = j->begins[j->restart] - 40 * SECOND;
	j->style->start(r);
}

static void
write_rank(job *j, text *t, long number)
{
	rank		r = {.of = j, .out = t, .rank = number, .node = number / j->ranks_per_node, .local = number % j->ranks_per_node,
		.pid = 40000 + number % j->ranks_per_node};
	int			slow = j->what->end == ENDS_SLOW && (j->plays == NULL ? number == j->fault_rank : j->plays->hits == 0
		|| hit_number(j, r.node) >= 0);

	text_begin(t, j->seed, number + 1, j->started + text_random(t, 0, 900) * 1000);
	t->now = j->started + text_random(t, 2000, 2900) * 1000;
	j->style->start(&r);
	if (j->plays != NULL)
		rank_tells(&r, AT_START, t->now);
	for (long i = 0; i < j->iterations; i++)
	{
		if (i == j->restart - 1)
		{
			rank_restarts(&r);
			continue;
		}
		/* the faulty iteration is cut short by the fault */
		if (j->what->end != ENDS_WELL && j->what->end != ENDS_SLOW && i == j->iterations - 1)
			break;
		t->now = j->begins[i] + text_random(t, 0, 3000);
		r.step = j->begins[i + 1] - j->begins[i];
		j->style->iterate(&r, iteration_at(j, i),
			j->step_time * (slow && i >= j->iterations / 2 ? 100 + slower(j) : 100) / 100);
		if (j->plays != NULL && i < j->iterations - 1)
			rank_tells(&r, j->iterations - 1 - i, t->now);
		/* while it is still in the processor's cache */
		if (t->used > PIECE && !t->marking)
			text_flush(t);
	}
	rank_ends(&r);
}

static void
system_line(text *t, long node, const char *program, const char *severity, const char *format, ...)
{
	va_list		arguments;

	text_add_time(t, TIME_SYSLOG);
	text_add(t, " node-%4z %s: <%s> ", node, program, severity);
	va_start(arguments, format);
	text_add_list(t, format, arguments);
	va_end(arguments);
	text_add(t, "\n");
}

static void
write_system(job *j, text *t, long node)
{
	int			told = 0;
	int64_t		last = j->what->end == ENDS_NODE_GONE && node == j->fault_node ? j->fault_time : j->ended;

	text_begin(t, j->seed, 1000000 + node, j->started);
	t->now += text_random(t, 0, 999) * 1000;
	system_line(t, node, "nodeagent[15]", "info", "node agent started, heartbeat period 1.0s, collector 10.20.0.2");
	for (long beat = 1; t->now < last; beat++)
	{
		int64_t		begin = t->now;

		if (!told && t->now >= j->fault_time)
		{
			kernel_tells(j, t, node);
			told = 1;
		}
		system_line(t, node, "nodeagent[15]", "info", "heartbeat seq=%d ok acked=%d load1=%2f procs=%d", beat, beat - 1,
			text_random(t, 1200, 3300), text_random(t, 20, 30));
		if (beat % 3 == 0)
			system_line(t, node, "dcgm[88]", "info", "gpu %d temperature=%d power=%1f W sm_clock=%d ecc_sbe=0", beat % 8,
				text_random(t, 48, 71), text_random(t, 3000, 6800),
				text_random(t, 1700, 1980));
		if (beat % 7 == 0)
			system_line(t, node, "hwmon[15]", "err",
				"error reading accelerator temperature sensor: [Errno 2] No such file or directory: '/sys/class/hwmon/hwmon0'");
		if (beat % 5 == 0)
			system_line(t, node, "netmon[15]", "info", "tcp stats: established=%d retrans_segs=%d in_errs=0 out_rsts=%d",
				text_random(t, 40, 46), text_random(t, 0, 9), text_random(t, 0, 3));
		if (beat % 6 == 0)
			system_line(t, node, "diskmon[15]", "info", "filesystem /mnt/local usage %1f%%", 160 + beat / 10);
		t->now = begin + BEAT + text_random(t, -20000, 20000);
	}
	if (!told)
		kernel_tells(j, t, node);
}

static void
write_launcher(job *j, text *t, long node)
{
	text_begin(t, j->seed, 2000000 + node, j->started);
	text_add(t, "INFO:torch.distributed.launcher.api:Starting elastic_operator with launch configs:\n  entrypoint       : "
		"pretrain.py\n  min_nodes        : %d\n"
		"  nproc_per_node   : %d\n  rdzv_backend     : static\n  rdzv_endpoint    : 10.20.0.10:6000\n", j->nodes,
			j->ranks_per_node);
	text_add(t, "INFO:torch.distributed.elastic.agent.server.api:[default] Rendezvous complete for workers. Result:\n  "
		"restart_count=0\n  group_rank=%d\n  group_world_size=%d\n", node, j->nodes);
	text_add(t, "INFO:torch.distributed.elastic.agent.server.api:[default] Starting worker group\n");
	if (j->what->end == ENDS_WELL)
		text_add(t, "INFO:torch.distributed.elastic.agent.server.api:[default] worker group successfully finished. Waiting 300 "
			"seconds for other agents to finish.\n");
	if (j->restart > 0)
	{
		job			first = first_fault(j);

		swap_faults(j, &first);
		launcher_restarts(j, t, node);
		swap_faults(j, &first);
	}
	launcher_tells(j, t, node);
}

static void
write_controller(job *j, text *t)
{
	text_begin(t, j->seed, 3000000, j->started);
	text_add_time(t, TIME_ISO);
	text_add(t, " INFO heartbeatd collector listening on 0.0.0.0:7000, lost after 5.0s\n");
	for (long node = 0; node < j->nodes; node++)
	{
		t->now += text_random(t, 100, 900) * 1000 / j->nodes;
		text_add_time(t, TIME_ISO);
		text_add(t, " INFO heartbeatd node node-%4z registered from 10.20.%d.%d\n", node, node / 200 + 1, node % 200 + 10);
	}
	controller_tells(j, t);
}

/* A line of a file that ranks share. */
typedef struct
{
	int64_t		at;
	long		rank;			/* -1: of the launcher itself */
	const char *begin;
	long		length;
} shared_line;

static int
compare_lines(const void *a, const void *b)
{
	const shared_line *one = a;
	const shared_line *other = b;

	if (one->at != other->at)
		return one->at < other->at ? -1 : 1;
	if (one->rank != other->rank)
		return one->rank < other->rank ? -1 : 1;
	return one->begin < other->begin ? -1 : 1;
}

/* Adds the lines of a text that was marking to others; text without a mark of its own comes right after what is before it. */
static void
collect_lines(const text *t, long number, shared_line **lines, size_t *count, size_t *size)
{
	const char *end = t->data + t->used;
	int64_t		at = 0;

	for (const char *p = t->data; p < end;)
	{
		const char *next = memchr(p, '\n', end - p) + 1;
		char	   *words = (char *) p;

		if (*p == '\1')
		{
			at = strtoll(p + 1, &words, 10);
			words++;
		}
		if (*count == *size)
			*lines = realloc(*lines, (*size = *size * 2 + 1024) * sizeof(shared_line));
		if (*lines == NULL)
			fail("out of memory for", "lines");
		(*lines)[(*count)++] = (shared_line) {at, number, words, next - words};
		p = next;
	}
}

/* All ranks' lines by time with their ranks before them, as srun --label writes them, and its own. */
static void
write_shared(job *j, text *t)
{
	text	   *of_ranks = calloc(j->ranks + 1, sizeof(text));
	shared_line *lines = NULL;
	size_t		count = 0;
	size_t		size = 0;

	if (of_ranks == NULL)
		fail("out of memory for", "ranks");
	for (long number = -1; number < j->ranks; number++)
	{
		text	   *own = &of_ranks[number + 1];

		own->file = -1;
		own->marking = 1;
		if (number < 0)
			srun_tells(j, own);
		else
			write_rank(j, own, number);
		collect_lines(own, number, &lines, &count, &size);
	}
	qsort(lines, count, sizeof(shared_line), compare_lines);
	text_begin(t, j->seed, 0, j->started);
	for (size_t i = 0; i < count; i++)
	{
		if (lines[i].rank >= 0)
			text_add(t, "%d: ", lines[i].rank);
		text_add_bytes(t, lines[i].begin, lines[i].length);
		if (t->used > PIECE)
			text_flush(t);
	}
	for (long number = -1; number < j->ranks; number++)
		free(of_ranks[number + 1].data);
	free(of_ranks);
	free(lines);
}

/* Sets the number of iterations so that the job has about bytes bytes: what one rank and one node write tells. */
static void
fit_iterations(job *j, text *t, int64_t bytes)
{
	double		few;
	double		many;
	double		fixed;

	j->iterations = 50;
	plan_times(j);
	write_rank(j, t, 1 % j->ranks);
	few = (double) (t->flushed + t->used) * j->ranks_per_node;
	write_system(j, t, 0);
	few += t->used;
	j->iterations = 450;
	plan_times(j);
	write_rank(j, t, 1 % j->ranks);
	many = (double) (t->flushed + t->used) * j->ranks_per_node;
	write_system(j, t, 0);
	many += t->used;
	fixed = few - (many - few) / 8;
	j->iterations = (long) (((double) bytes / j->nodes - fixed) / ((many - few) / 400));
	if (j->iterations < 2)
		j->iterations = 2;
	memset(j->labels, 0, sizeof(j->labels));
	memset(j->told, 0, sizeof(j->told));
}

static void
write_json_text(FILE *file, const char *value)
{
	fputc('"', file);
	for (; *value != '\0'; value++)
	{
		if (*value == '"' || *value == '\\')
			fputc('\\', file);
		fputc(*value, file);
	}
	fputc('"', file);
}

static void
write_label(FILE *file, const label *l, const char *regex, int *labels)
{
	if (l->lines == 0)
		return;
	fprintf(file, "%s\n  {\"files\": \"%s\", \"regex\": ", (*labels)++ > 0 ? "," : "", l->files);
	write_json_text(file, regex);
	fprintf(file, ", \"role\": \"%s\", \"lines\": %ld, \"in_files\": %ld}", l->role, l->lines, l->files_with);
}

static void
write_event_labels(job *j, FILE *file)
{
	text		words = {.file = -1};
	int			labels = 0;

	fprintf(file, " \"failure_indicating\": [");
	for (int i = 0; i < LABELS; i++)
		write_label(file, &j->labels[i], j->labels[i].regex, &labels);
	for (int i = 0; j->plays != NULL && j->plays->says[i].text != NULL; i++)
	{
		label_words(j, &j->plays->says[i], &words);
		write_label(file, &j->told[i], words.data, &labels);
	}
	fprintf(file, "]");
	if (j->plays != NULL)
		fprintf(file, ",\n \"neutral\": [\"^(\\\\d+: )?(Traceback |  +\\\\S)\"]");
	free(words.data);
}

/* The nodes at fault, also another one (-1: none), and their hit ranks, or all ranks where all of the node are slow or odd. */
static void
write_faulty(job *j, FILE *file, long also)
{
	const scenario *s = j->plays;
	const char *comma = "";

	fprintf(file, "\"faulty_nodes\": [");
	for (long node = 0; node < j->nodes; node++)
		if (hit_number(j, node) >= 0 || node == also)
		{
			fprintf(file, "%s\"node-%04ld\"", comma, node);
			comma = ", ";
		}
	fprintf(file, "], \"faulty_ranks\": [");
	comma = "";
	for (long number = 0; number < j->ranks; number++)
		if ((hit_number(j, number / j->ranks_per_node) >= 0 || number / j->ranks_per_node == also)
			&& ((s != NULL && (s->slower > 0 || s->odd_driver)) || (number - j->fault_rank) % j->ranks_per_node == 0))
		{
			fprintf(file, "%s%ld", comma, number);
			comma = ", ";
		}
	fprintf(file, "]");
}

/* What is true of the failure alone. Where a sign came before it, that iteration is the fault's, and the last is right too. */
static void
write_truth(job *j, FILE *file)
{
	const fault *f = j->what;
	int			local = j->plays != NULL ? j->plays->hits != 0 : f->end != ENDS_EVERYWHERE;
	long		last = iteration_at(j, j->iterations - 1);
	long		also = -1;		/* the node at fault of the first attempt */

	fprintf(file, ",\n \"fault\": \"%s\",\n \"symptom\": \"%s\",\n \"root_cause\": {\"category\": \"%s\", "
		"\"subtype\": \"%s\"},\n \"stage\": \"%s\",\n \"all_nodes_alike\": %s,\n ", f->name, f->symptom, f->category,
		f->subtype, f->stage, local ? "false" : "true");
	if (j->restart > 0)
	{
		job			first = first_fault(j);

		fprintf(file, "\"attempts\": [{\"attempt\": 2, \"iteration\": %ld, ", last);
		also = first.fault_node;
		write_faulty(j, file, -1);
		swap_faults(j, &first);
		fprintf(file, "}, {\"attempt\": 1, \"iteration\": %ld, ", j->restart);
		write_faulty(j, file, -1);
		swap_faults(j, &first);
		fprintf(file, "}],\n \"iteration_also\": [%ld],\n ", j->restart);
	}
	else if (j->plays != NULL && j->plays->lasts > 0)
		fprintf(file, "\"iteration_also\": [%ld],\n ", last);
	if (j->plays != NULL && j->plays->component != NULL)
		fprintf(file, "\"component\": \"%s\",\n ", j->plays->component);
	fprintf(file, "\"injected_iteration\": %ld,\n ", j->plays != NULL && f->end == ENDS_SLOW ? j->iterations / 2 + 1
		: last - (j->plays != NULL ? j->plays->lasts : 0));
	if (local)
		write_faulty(j, file, also);
	else
		fprintf(file, "\"faulty_nodes\": [], \"faulty_ranks\": []");
}

static void
write_labels(job *j, const char *path)
{
	FILE	   *file = fopen(path, "w");
	int			failed = j->what->end != ENDS_WELL;

	if (file == NULL)
		fail("cannot write", path);
	fprintf(file, "{\n \"job_id\": \"%s\",\n \"family\": \"generated_%s\",\n \"status\": \"%s\",\n", j->id,
		j->style->name, failed ? "failed" : "success");
	fprintf(file, " \"settings\": {\"framework\": \"%s\", \"model\": \"generated\", \"ranks_per_node\": %ld, "
		"\"nodes\": %ld, \"ranks\": %ld},\n \"nodes\": [", j->style->software, j->ranks_per_node, j->nodes, j->ranks);
	for (long node = 0; node < j->nodes; node++)
		fprintf(file, "%s\"node-%04ld\"", node > 0 ? ", " : "", node);
	fprintf(file, "],\n");
	write_event_labels(j, file);
	if (failed)
		write_truth(j, file);
	fprintf(file, "\n}\n");
	if (fclose(file) != 0)
		fail("cannot write", path);
}

static void
write_job(job *j, target *to)
{
	text		t = {.file = -1};
	char		path[4096];

	if (to->bytes > 0)
		fit_iterations(j, &t, to->bytes);
	j->planned = j->iterations + (j->what->end == ENDS_WELL ? 0 : j->iterations / 4 + 1);
	if (j->plays != NULL && j->plays->restarts)
	{
		j->restart = j->iterations * 3 / 5;
		j->back = j->restart - (j->restart - 1) / 50 * 50;
	}
	plan_times(j);
	make_folder(to->out);
	snprintf(path, sizeof(path), "%s/_controller", to->out);
	make_folder(path);
	strcat(path, "/controller.log");
	begin_file(path, &t);
	write_controller(j, &t);
	end_file(to, &t);
	for (long node = 0; node < j->nodes; node++)
	{
		snprintf(path, sizeof(path), "%s/node-%04ld", to->out, node);
		make_folder(path);
		snprintf(path, sizeof(path), "%s/node-%04ld/syslog", to->out, node);
		begin_file(path, &t);
		write_system(j, &t, node);
		end_file(to, &t);
		if (j->shared)
			continue;
		snprintf(path, sizeof(path), "%s/node-%04ld/agent.log", to->out, node);
		begin_file(path, &t);
		write_launcher(j, &t, node);
		end_file(to, &t);
		for (long local = 0; local < j->ranks_per_node; local++)
		{
			long		number = node * j->ranks_per_node + local;

			snprintf(path, sizeof(path), "%s/node-%04ld/rank-%ld.log", to->out, node, number);
			begin_file(path, &t);
			write_rank(j, &t, number);
			end_file(to, &t);
		}
	}
	if (j->shared)
	{
		snprintf(path, sizeof(path), "%s/_controller/slurm-job.out", to->out);
		begin_file(path, &t);
		write_shared(j, &t);
		end_file(to, &t);
	}
	free(t.data);
}

/* A whole number of at least 1, with k, M or G behind where units says so. */
static int64_t
number_of(const char *option, const char *value, int units)
{
	char	   *end;
	int64_t		number = (errno = 0, strtoll(value, &end, 10));

	if (units && *end != '\0')
	{
		number *= *end == 'k' ? 1000 : *end == 'M' ? 1000000 : *end == 'G' ? 1000000000 : 0;
		end++;
	}
	if (errno != 0 || *end != '\0' || number < 0 || (number == 0 && strcmp(option, "fault-node") != 0
		&& strcmp(option, "dialect") != 0))
		fail("not a number that fits:", value);
	return number;
}

static void
set_option(job *j, target *to, const char *name, const char *value)
{
	if (strcmp(name, "out") == 0)
		to->out = value;
	else if (strcmp(name, "labels") == 0)
		to->labels = value;
	else if (strcmp(name, "job") == 0)
		j->id = value;
	else if (strcmp(name, "nodes") == 0)
		j->nodes = number_of(name, value, 0);
	else if (strcmp(name, "ranks-per-node") == 0)
		j->ranks_per_node = number_of(name, value, 0);
	else if (strcmp(name, "iterations") == 0)
		j->iterations = number_of(name, value, 0);
	else if (strcmp(name, "bytes") == 0)
		to->bytes = number_of(name, value, 1);
	else if (strcmp(name, "seed") == 0)
		j->seed = number_of(name, value, 0);
	else if (strcmp(name, "fault-node") == 0)
		j->fault_node = number_of(name, value, 0);
	else if (strcmp(name, "step-ms") == 0)
		j->step_time = number_of(name, value, 0) * 1000;
	else if (strcmp(name, "framework") == 0 && (j->style = framework_named(value)) == NULL)
		fail("no framework is called", value);
	else if (strcmp(name, "dialect") == 0)
		j->dialect = number_of(name, value, 0);
	else if (strcmp(name, "shared") == 0)
		j->shared = strcmp(value, "yes") == 0;
	else if (strcmp(name, "fault") == 0)
	{
		j->plays = scenario_named(value);
		j->what = j->plays != NULL ? &j->plays->base : fault_named(value);
		if (j->what == NULL)
			fail("no fault is called", value);
	}
}

static void
read_options(job *j, target *to, int count, char **arguments)
{
	static const char *const names[] = {"out", "labels", "job", "nodes", "ranks-per-node", "iterations", "bytes", "seed",
		"fault-node", "step-ms", "framework", "fault", "dialect", "shared"};
	struct option options[sizeof(names) / sizeof(names[0]) + 1] = {{0}};
	int			index;
	int			found;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		options[i] = (struct option) {names[i], required_argument, NULL, 'o'};
	while ((found = getopt_long(count, arguments, "", options, &index)) == 'o')
		set_option(j, to, names[index], optarg);
	if (found != -1 || optind < count || to->out == NULL)
	{
		fprintf(stderr, "usage: generate --out DIR [options]; the head of test/generate/generate.c tells them\n");
		exit(2);
	}
	if (j->plays != NULL && j->plays->nodes > 0)
	{
		j->ranks_per_node = j->nodes * j->ranks_per_node / j->plays->nodes;
		j->nodes = j->plays->nodes;
	}
	j->hit_delay = 0;
	j->delay = j->what->delay;
	if (j->plays != NULL)
	{
		j->shared |= j->plays->shared;
		if (j->plays->early)
			j->iterations = 0;
		j->hit_delay = last_word(j->plays, 0, 1) / 1000;
		j->delay = last_word(j->plays, 0, 0) / 1000;
	}
	j->ranks = j->nodes * j->ranks_per_node;
	j->fault_node %= j->nodes;
	j->fault_rank = j->fault_node * j->ranks_per_node + 1 % j->ranks_per_node;
}

int
main(int count, char **arguments)
{
	job			j = {.id = "generated", .nodes = 8, .ranks_per_node = 4, .iterations = 100, .seed = 1, .fault_node = 3,
		.dialect = 1, .step_time = 4000000, .started = START};
	target		to = {0};
	struct rusage used;
	double		user;
	double		kernel;

	if (count == 2 && strcmp(arguments[1], "--list") == 0)
	{
		list_scenarios();
		return 0;
	}
	j.style = framework_named("megatron");
	j.what = fault_named("none");
	read_options(&j, &to, count, arguments);
	write_job(&j, &to);
	if (to.labels != NULL)
		write_labels(&j, to.labels);
	getrusage(RUSAGE_SELF, &used);
	user = used.ru_utime.tv_sec + used.ru_utime.tv_usec / 1e6;
	kernel = used.ru_stime.tv_sec + used.ru_stime.tv_usec / 1e6;
	printf("%ld files, %lld bytes, %ld iterations in %.2f s user + %.2f s system: %.0f MB/s\n", to.files,
		(long long) to.written, j.iterations, user, kernel,
		to.written / 1e6 / (user + kernel));
	free(j.begins);
	return 0;
}
