/*
 * ringtrain.c: data-parallel training of a byte bigram model, gradients averaged by a ring of MPI messages.
 *
 * usage: ringtrain CONF     (MPI program; CONF: lines "key value")
 *
 * Every rank works on its own shard of the data. The ring sends chunk after chunk to the next rank and takes one from the
 * previous; a rank that waits long says so, and gives up after "patience" seconds. Records carry no time stamp, but for a
 * line of rank 0 at the start of a pass.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define VOCAB 256
#define LIBRARY "3.2.1"

static int	rank, size, next, prev;
static int	passes = 3, minibatches = 30, batch = 512, elements = 16384, patience = 20, save_every = 15, report_every = 1;
static int	buckets = 10;
static double pad = 0.08, rate = 4.0;
static char data_dir[200] = "/mnt/local/data", save_dir[200] = "/mnt/dfs/ckpt", snapshot_dir[200] = "/mnt/local/snapshots";
static char library[40] = LIBRARY, host[64];
static float *weights, *gradient, *inbox;
static long counts[VOCAB];

static void
say(const char *format, ...)
{
	va_list		arguments;
	char		line[1000];

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	printf("%s\n", line);
	fflush(stdout);
}

static void
give_up(const char *format, ...)
{
	va_list		arguments;
	char		line[1000];
	int			length;

	length = snprintf(line, sizeof(line), "ringtrain: FATAL rank %d on %s: ", rank, host);
	va_start(arguments, format);
	vsnprintf(line + length, sizeof(line) - length, format, arguments);
	va_end(arguments);
	fprintf(stderr, "%s\n", line);
	/* the launcher ends everybody at once: others may have something to say as well */
	usleep(400000);
	MPI_Abort(MPI_COMM_WORLD, 9);
	exit(9);
}

/* where the program stands, for whoever watches it from outside */
static void
stand(const char *stage, int at, const char *phase)
{
	static int	fd = -1;
	char		path[100], text[64];

	if (fd < 0)
	{
		snprintf(path, sizeof(path), "/run/rr/rank-%d", rank);
		fd = open(path, O_CREAT | O_RDWR, 0644);
	}
	snprintf(text, sizeof(text), "%-8s %6d %-12s\n", stage, at, phase);
	if (pwrite(fd, text, strlen(text), 0) < 0)
		fd = -1;
}

static void
read_configuration(const char *path)
{
	FILE	   *in = fopen(path, "r");
	char		key[100], value[200];

	if (!in)
		give_up("cannot open configuration %s: %s", path, strerror(errno));
	while (fscanf(in, "%99s %199s", key, value) == 2)
	{
		if (!strcmp(key, "passes")) passes = atoi(value);
		else if (!strcmp(key, "minibatches")) minibatches = atoi(value);
		else if (!strcmp(key, "batch")) batch = atoi(value);
		else if (!strcmp(key, "elements")) elements = atoi(value);
		else if (!strcmp(key, "buckets")) buckets = atoi(value);
		else if (!strcmp(key, "patience")) patience = atoi(value);
		else if (!strcmp(key, "save_every")) save_every = atoi(value);
		else if (!strcmp(key, "report_every")) report_every = atoi(value);
		else if (!strcmp(key, "pad")) pad = atof(value);
		else if (!strcmp(key, "rate")) rate = atof(value);
		else if (!strcmp(key, "library")) snprintf(library, sizeof(library), "%s", value);
		else if (!strcmp(key, "data_dir")) snprintf(data_dir, sizeof(data_dir), "%s", value);
		else if (!strcmp(key, "save_dir")) snprintf(save_dir, sizeof(save_dir), "%s", value);
		else
			say("ringtrain: configuration: key \"%s\" is not known, ignored", key);
	}
	fclose(in);
}

/* waits for a request, complains now and then, gives up at last */
static void
wait_for(MPI_Request *request, const char *what, int chunk, int chunks, int peer, int pass, int minibatch)
{
	double		begin = MPI_Wtime(), warn = 4.0;
	int			done = 0;

	for (;;)
	{
		MPI_Test(request, &done, MPI_STATUS_IGNORE);
		if (done)
			return;
		usleep(200);
		if (MPI_Wtime() - begin > warn)
		{
			say("ring: rank %d waits %.0f s to %s chunk %d/%d %s rank %d (pass=%d minibatch=%05d)", rank, warn, what, chunk,
				chunks, *what == 's' ? "to" : "from", peer, pass, minibatch);
			warn *= 2;
		}
		if (MPI_Wtime() - begin > patience)
			give_up("ring broken: could not %s chunk %d/%d %s rank %d within %d s", what, chunk, chunks,
					*what == 's' ? "to" : "from", peer, patience);
	}
}

static void
pass_on(const float *out, int n_out, float *in, int n_in, int k, int pass, int minibatch)
{
	MPI_Request receive, send;

	MPI_Irecv(in, n_in, MPI_FLOAT, prev, 7, MPI_COMM_WORLD, &receive);
	MPI_Isend(out, n_out, MPI_FLOAT, next, 7, MPI_COMM_WORLD, &send);
	wait_for(&receive, "receive", k, 2 * (size - 1), prev, pass, minibatch);
	wait_for(&send, "send", k, 2 * (size - 1), next, pass, minibatch);
}

static void
average(float *values, int n, int pass, int minibatch)
{
	int			each = n / size, k;
#define BEGIN(c) ((((c) % size + size) % size) * each)
#define LENGTH(c) (((c) % size + size) % size == size - 1 ? n - each * (size - 1) : each)

	for (k = 0; k < size - 1; k++)
	{
		int			in = rank - k - 1, i;

		pass_on(values + BEGIN(rank - k), LENGTH(rank - k), inbox, LENGTH(in), k + 1, pass, minibatch);
		for (i = 0; i < LENGTH(in); i++)
			values[BEGIN(in) + i] += inbox[i];
	}
	for (k = 0; k < size - 1; k++)
		pass_on(values + BEGIN(rank + 1 - k), LENGTH(rank + 1 - k), values + BEGIN(rank - k), LENGTH(rank - k), size + k,
				pass, minibatch);
	for (k = 0; k < n; k++)
		values[k] /= size;
}

/* one batch from this rank's shard, read anew every time */
static void
read_batch(unsigned char *tokens, int pass, int minibatch)
{
	char		path[300];
	int			fd;
	ssize_t		got;

	snprintf(path, sizeof(path), "%s/shard_%02d.bin", data_dir, rank % 6);
	if ((fd = open(path, O_RDONLY)) < 0)
		give_up("cannot open %s: %s", path, strerror(errno));
	got = pread(fd, tokens, batch + 1, (off_t) (rand() % (65536 - batch - 1)));
	if (got < 0)
		give_up("cannot read %s: %s", path, strerror(errno));
	if (got != batch + 1)
		give_up("short read of %s: %zd of %d bytes", path, got, batch + 1);
	close(fd);
}

static double
step(const unsigned char *tokens)
{
	double		loss = 0;
	int			i, j;

	memset(gradient, 0, sizeof(float) * (VOCAB * VOCAB + buckets + 1));
	memset(counts, 0, sizeof(counts));
	for (i = 0; i < batch; i++)
	{
		float	   *w = weights + tokens[i] * VOCAB, *g = gradient + tokens[i] * VOCAB, sum = 0, e[VOCAB];

		for (j = 0; j < VOCAB; j++)
			sum += e[j] = expf(w[j]);
		for (j = 0; j < VOCAB; j++)
			g[j] += e[j] / sum / batch;
		g[tokens[i + 1]] -= 1.0f / batch;
		loss -= log(e[tokens[i + 1]] / sum + 1e-9);
		counts[tokens[i] * buckets / VOCAB]++;
	}
	return loss / batch;
}

static void
write_file(const char *path)
{
	int			fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0644);
	ssize_t		done;

	if (fd < 0)
		give_up("cannot create %s: %s", path, strerror(errno));
	done = write(fd, weights, sizeof(float) * VOCAB * VOCAB);
	if (done != sizeof(float) * VOCAB * VOCAB)
		give_up("cannot write %s: %s", path, done < 0 ? strerror(errno) : "wrote less than asked");
	if (close(fd) != 0)
		give_up("cannot close %s: %s", path, strerror(errno));
}

static void
save(int pass, int minibatch)
{
	char		path[400];
	double		begin = MPI_Wtime();

	stand("ckpt", (pass - 1) * minibatches + minibatch, "save");
	snprintf(path, sizeof(path), "%s/rank%d.%d", snapshot_dir, rank, minibatch / save_every % 2);
	write_file(path);
	if (rank == 0 || rank == size / 2)
	{
		snprintf(path, sizeof(path), "%s/pass%d-%05d-%s.w", save_dir, pass, minibatch, rank ? "mirror" : "main");
		write_file(path);
		say("model written to %s (%.0f ms)", path, (MPI_Wtime() - begin) * 1e3);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

/* share of tokens in each bucket, averaged over ranks */
static void
statistics(int pass)
{
	long		all[VOCAB], i, used = 0, per_used;

	stand("iter", pass * minibatches, "stats");
	MPI_Allreduce(counts, all, buckets, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	for (i = 0; i < buckets; i++)
		used += all[i] > (long) 400 * size;
	per_used = (long) batch * size / (used + 1);
	if (rank == 0)
		say("pass=%d statistics: %ld buckets in use, %ld tokens in each", pass, used, per_used);
}

static void
train(void)
{
	unsigned char *tokens = malloc(batch + 2);
	int			n = VOCAB * VOCAB, pass, b, i;
	double		mean = 0;

	for (pass = 1; pass <= passes; pass++)
	{
		time_t		now = time(NULL);

		if (rank == 0)
			say("---- pass %d of %d, %.24s ----", pass, passes, ctime(&now));
		for (b = 1; b <= minibatches; b++)
		{
			int			at = (pass - 1) * minibatches + b;
			double		begin = MPI_Wtime(), loss, read_at, computed_at, took;

			stand("iter", at, "read");
			read_batch(tokens, pass, b);
			read_at = MPI_Wtime();
			stand("iter", at, "compute");
			loss = step(tokens);
			usleep((useconds_t) (pad * 1e6 * (0.8 + 0.4 * rand() / RAND_MAX)));
			computed_at = MPI_Wtime();
			gradient[n] = (float) loss;
			stand("iter", at, "ring");
			average(gradient, n + 1, pass, b);
			stand("iter", at, "update");
			for (i = 0; i < n; i++)
				weights[i] -= (float) rate * gradient[i];
			if (!isfinite(gradient[n]))
				give_up("loss is %f", gradient[n]);
			took = MPI_Wtime() - begin;
			if (mean > 0 && took > 3 * mean)
				say("note: rank %d took %.2f s for a minibatch, usual are %.2f s", rank, took, mean);
			mean = mean > 0 ? 0.9 * mean + 0.1 * took : took;
			if (b % report_every == 0)
				say("pass=%d minibatch=%05d loss=%.5f read=%.1fms compute=%.1fms ring=%.1fms", pass, b, gradient[n],
					(read_at - begin) * 1e3, (computed_at - read_at) * 1e3, (MPI_Wtime() - computed_at) * 1e3);
			if (b % save_every == 0)
				save(pass, b);
		}
		statistics(pass);
	}
	free(tokens);
}

int
main(int argc, char **argv)
{
	int			sensor, length;
	char		version[MPI_MAX_LIBRARY_VERSION_STRING];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	gethostname(host, sizeof(host));
	stand("init", -1, "");
	next = (rank + 1) % size;
	prev = (rank + size - 1) % size;
	read_configuration(argc > 1 ? argv[1] : "/workspace/ring.conf");
	srand(17 * rank + (unsigned) time(NULL));
	MPI_Get_library_version(version, &length);
	version[strcspn(version, "\n")] = 0;
	say("rank %d of %d runs on %s (pid %d), neighbours %d and %d", rank, size, host, (int) getpid(), prev, next);
	say("build: ringtrain %s, %s, batch %d, message %d floats, %d buckets, patience %d s", library, version, batch,
		(VOCAB * VOCAB + 1) / size, buckets, patience);
	if ((sensor = open("/sys/class/hwmon/hwmon0/temp1_input", O_RDONLY)) < 0)
		say("error: rank %d cannot read the temperature sensor (%s), thermal guard is off", rank, strerror(errno));
	weights = calloc(VOCAB * VOCAB + VOCAB + 1, sizeof(float));
	gradient = calloc(VOCAB * VOCAB + VOCAB + 1, sizeof(float));
	inbox = calloc(VOCAB * VOCAB + VOCAB + 1, sizeof(float));
	stand("model", -1, "");
	MPI_Bcast(weights, VOCAB * VOCAB, MPI_FLOAT, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		say("model of %d weights is on all %d ranks", VOCAB * VOCAB, size);
	train();
	stand("end", passes * minibatches, "");
	MPI_Barrier(MPI_COMM_WORLD);
	say("rank %d is done", rank);
	MPI_Finalize();
	return 0;
}
