/*
 * flows.c: simulates the flow records that the collectors of a cluster's switches give of LLM training jobs, and writes them
 * with the exact truth of jobs, pairs, steps and faults (truth.c tells its tables).
 *
 *   flows --out DIR [--seed 1] [--scenario NAME] [--check]
 *         [--window SECONDS] [--jobs 1] [--shape dp4,pp2,tp8,...]... [--idle SERVERS] [--shared-servers] [--comes-and-goes]
 *         [--servers N] [--nics 8] [--pod 32] [--spines 8] [--rate BYTES_PER_SECOND]
 *         [--scatter] [--jitter 0.015] [--loss SHARE] [--active-timeout S] [--idle-timeout S] [--clock-offset S]
 *         [--duplicates SHARE] [--out-of-order S] [--bad SHARE] [--noise FLOWS_PER_SECOND]
 *         [--fault KIND[:SUBJECT[:FACTOR[:FROM[:TO]]]]]...
 *   flows --list
 *
 * A scenario is a set of options (scenarios.c); --list prints them. A name with a number behind it, healthy7, is another one
 * of its kind. Shapes are told in flows.h (struct shape) and shapes.c; faults in faults.c; disturbances in disturb.c. How many
 * flows a second there are is decided by micro, buckets, channels and pieces of the shapes. --check looks at what must hold
 * (check.c); the exit status then tells. The model is one of events, not of packets: computing, messages of the pipeline, and
 * the steps of collectives, each of which waits for what it needs. The same arguments give the same bytes. Memory is that of
 * the records of one step of each job. The last line on standard output says what was written, how fast, in seconds of the
 * processor.
 *
 * flows.csv: started_at, duration (seconds), source, destination, bytes, switches, packets, retransmits, queue_pair, port.
 * accelerators.csv: address, server, rail, leaf, tenant.
 */
#include "flows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

void
fail(const char *what, const char *name)
{
	fprintf(stderr, "flows: %s %s%s%s\n", what, name, errno != 0 ? ": " : "", errno != 0 ? strerror(errno) : "");
	exit(1);
}

void *
take(size_t size)
{
	void	   *p = calloc(1, size > 0 ? size : 1);

	if (p == NULL)
		fail("out of memory for", "the simulation");
	return p;
}

/* The job that is behind all others: none of its later flows begins before. */
static int
last_behind(const double *later, int n)
{
	int			least = 0;

	for (int i = 1; i < n; i++)
		if (later[i] < later[least])
			least = i;
	return least;
}

/* Writes the records that no other can precede any more, if all flows that begin before "until" are made. */
static void
write_before(world *w, double until)
{
	if (w->set.idle_timeout > 0)
		until = merge_end(w, until);
	queue_write(w->waiting, until - w->set.clock_offset, w);
}

/* Always simulates the next step of the job that is furthest behind, and writes what no later flow can precede. */
static void
simulate(world *w)
{
	double	   *later = take(w->jobs * sizeof(double));
	int			next;

	for (int i = 0; i < w->jobs; i++)
		later[i] = w->job[i].now[0];
	while (isfinite(later[next = last_behind(later, w->jobs)]))
	{
		noise_make(w, later[next]);
		write_before(w, later[next]);
		later[next] = step_simulate(w, &w->job[next]);
	}
	noise_make(w, w->set.window);
	write_before(w, INFINITY);
	free(later);
}

static void
begin(world *w, int count, char **arguments)
{
	settings_read(w, count, arguments);
	if (mkdir(w->set.out, 0755) != 0 && errno != EEXIST)
		fail("cannot make folder", w->set.out);
	errno = 0;
	jobs_make(w);
	faults_resolve(w);
	disturb_begin(w);
	random_begin(&w->background, w->set.seed, 5);
	w->open = merge_begin();
	w->waiting = queue_begin(w->set.window);
	w->flows = writer_open(w->set.out, "flows.csv",
						   "started_at,duration,source,destination,bytes,switches,packets,retransmits,queue_pair,port");
	truth_begin(w);
}

static void
report(const world *w, long bytes)
{
	struct rusage used;
	double		seconds;

	getrusage(RUSAGE_SELF, &used);
	seconds = used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
	printf("%ld flows of %d jobs on %d accelerators, %.1f MB, %.2f s of the processor (%.2f million flows a second), %ld MB\n",
		   w->made, w->jobs, w->net.accelerators, bytes / 1e6, seconds, w->made / 1e6 / seconds, used.ru_maxrss / 1024);
}

int
main(int count, char **arguments)
{
	world	   *w = take(sizeof(world));
	int			fine = 1;
	long		bytes;

	begin(w, count, arguments);
	simulate(w);
	bytes = writer_close(w->flows);
	truth_end(w);
	if (w->set.check)
		fine = check_end(w);
	report(w, bytes);
	return fine ? 0 : 1;
}
