/*
 * driver.c: runs targets on the inputs of the corpus and on mutations of them.
 *
 * By itself it needs no more than a C compiler with sanitizers, and does the same on every run: the mutations come from a seed.
 * Built with FUZZ_LIBFUZZER it hands the target named in FUZZ_TARGET to libFuzzer, which looks for inputs that reach new code.
 *
 *   fuzz run CORPUS RUNS [TARGET..]     replays the corpus, then RUNS mutations (times the target's weight), of all targets if
 *                                       none is named
 *   fuzz input TARGET FILE..            runs single inputs, as they were written by a failure
 *   fuzz seeds CORPUS TARGET FOLDER     writes the inputs to begin with, for libFuzzer
 *   fuzz list                           the names of all targets
 */
#include "fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "algorithms/header.h"

#define INPUT_LIMIT 20000		/* of a mutation, in bytes */
#define HANG_SECONDS 20

static const FuzzEntry *current_target;
static L4Bytes current_input;

extern void __sanitizer_set_death_callback(void (*callback) (void));

/* Keeps the input on which the target failed. */
static void
write_failure(void)
{
	char		path[200];
	FILE	   *file;

	if (current_target == NULL)
		return;
	snprintf(path, sizeof(path), "%s/failed-%s-0", getenv("FUZZ_FAILURES") ? getenv("FUZZ_FAILURES") : ".",
		current_target->name);
	file = fopen(path, "wb");
	if (file == NULL)
		return;
	fwrite(current_input.data, 1, current_input.size, file);
	fclose(file);
	fprintf(stderr, "target %s failed; its input is in %s\n", current_target->name, path);
}

void
fuzz_failed(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
	abort();					/* which libFuzzer and the sanitizers report */
}

static void
on_signal(int number)
{
	if (number == SIGALRM)
		fprintf(stderr, "takes more than %d seconds\n", HANG_SECONDS);
	write_failure();
	_exit(1);
}

static void
run_input(const FuzzEntry *target, L4Bytes input)
{
	char	   *copy = malloc(Max(input.size, 1));

	if (copy == NULL)
		abort();
	if (input.size > 0)
		memcpy(copy, input.data, input.size);
	current_target = target;
	current_input = (L4Bytes) {copy, input.size};
	alarm(HANG_SECONDS);
	server_reset();
	target->run(current_input);
	server_reset();
	alarm(0);
	free(copy);
}

static const FuzzEntry *
target_by_name(const char *name)
{
	int			i;

	for (i = 0; i < fuzz_target_count; i++)
		if (strcmp(fuzz_targets[i].name, name) == 0)
			return &fuzz_targets[i];
	fprintf(stderr, "there is no target %s\n", name);
	exit(2);
}

#ifdef FUZZ_LIBFUZZER

int			LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const FuzzEntry *target;

	if (target == NULL)
		target = target_by_name(getenv("FUZZ_TARGET") ? getenv("FUZZ_TARGET") : "");
	server_reset();
	target->run((L4Bytes) {(const char *) data, size});
	server_reset();
	return 0;
}

#else

/* ---- inputs ---- */

static L4Bytes *inputs;
static int	input_count;
static int	input_room;

static void
add_input(L4Bytes input)
{
	char	   *copy = malloc(Max(input.size, 1));

	if (input_count == input_room)
	{
		input_room = Max(64, input_room * 2);
		inputs = realloc(inputs, input_room * sizeof(L4Bytes));
	}
	if (copy == NULL || inputs == NULL)
		abort();
	if (input.size > 0)
		memcpy(copy, input.data, input.size);
	inputs[input_count++] = (L4Bytes) {copy, input.size};
}

static L4Bytes
read_file(const char *path)
{
	FILE	   *file = fopen(path, "rb");
	struct stat status;
	L4Bytes		bytes;

	if (file == NULL || fstat(fileno(file), &status) != 0)
	{
		perror(path);
		exit(2);
	}
	bytes.size = status.st_size;
	bytes.data = malloc(bytes.size + 1);
	if (bytes.data == NULL || fread((char *) bytes.data, 1, bytes.size, file) != bytes.size)
		abort();
	fclose(file);
	return bytes;
}

static int
not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Gives each file of a folder, in the order of their names, to an action. A folder that is not there has no files. */
static void
each_file(const char *corpus, const char *folder, void (*action) (L4Bytes input, FuzzSeed add), FuzzSeed add)
{
	char		path[1000];
	struct dirent **entries;
	int			count;
	int			i;

	snprintf(path, sizeof(path), "%s/%s", corpus, folder);
	count = scandir(path, &entries, not_hidden, alphasort);
	for (i = 0; i < count; i++)
	{
		L4Bytes		bytes;

		snprintf(path, sizeof(path), "%s/%s/%s", corpus, folder, entries[i]->d_name);
		bytes = read_file(path);
		action(bytes, add);
		free((char *) bytes.data);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

static void
add_itself(L4Bytes input, FuzzSeed add)
{
	add(input);
}

/* What a target begins with: its own inputs, as found by failures, and those made from the common ones. */
static void
collect_inputs(const FuzzEntry *target, const char *corpus, FuzzSeed add)
{
	if (strcmp(target->corpus, target->name) != 0)
		each_file(corpus, target->name, add_itself, add);
	server_reset();
	each_file(corpus, target->corpus, target->seed != NULL ? target->seed : add_itself, add);
	server_reset();
}

/* ---- mutations ---- */

static uint64 random_state;

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014) */
static uint64
random_number(uint64 below)
{
	uint64		z = (random_state += UINT64CONST(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64CONST(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64CONST(0x94d049bb133111eb);
	return (z ^ (z >> 31)) % below;
}

/* What logs and stored bytes are made of, beside the examples of the formats. */
static L4Bytes
random_token(void)
{
	static const char *const tokens[] = {
		"<*>", "\n", "\r\n", "\r", "\t", "    ", " ", "\\x00", "0", "9", "99999999999999999999", "-1", "1e308", ":", "=",
			",", ".", "%", "/",
		"Traceback (most recent call last):\n", "  File \"a.py\", line 1, in f\n", "RuntimeError: x\n", "frame #0: ",
			"[rank0]: ", "[rank12]: ",
		"100%|##########| 1/1 [00:00<00:00]", "2024-02-29 23:59:60,999", "Feb 29 00:00:00", "1700000000.123456", "+05:30", "Z",
			"Step", "iteration 7",
		"\xc3\xa9", "\xc3", "\xff", "\xe2\x82\xac", "\xf4\x8f\xbf\xbf", "\xed\xa0\x80", "(?i:", ")", "|", "[a-z]", "\\d+",
			"(?:", "*", "+?", "{2,3}", "^", "$", "\\b", ".*", "\\Q", "\\E",
		"0x7fff5fbff8c0", "10.0.0.1:29500", "/var/log/a.log", "user@host", "==========\n", "WARNING",
			"E0102 03:04:05.678901 123 f.cc:1] "
	};
	uint64		choice = random_number(lengthof(tokens) + l4_builtin_formats_count);

	if (choice < lengthof(tokens))
		return (L4Bytes) {tokens[choice], strlen(tokens[choice])};
	choice -= lengthof(tokens);
	return (L4Bytes) {l4_builtin_formats_array[choice].example, strlen(l4_builtin_formats_array[choice].example)};
}

static char buffer[INPUT_LIMIT * 2];
static size_t buffer_size;

static void
insert_bytes(size_t at, L4Bytes bytes)
{
	bytes.size = Min(bytes.size, sizeof(buffer) - buffer_size);
	memmove(buffer + at + bytes.size, buffer + at, buffer_size - at);
	memcpy(buffer + at, bytes.data, bytes.size);
	buffer_size += bytes.size;
}

static void
delete_bytes(size_t at, size_t size)
{
	size = Min(size, buffer_size - at);
	memmove(buffer + at, buffer + at + size, buffer_size - at - size);
	buffer_size -= size;
}

/* A number of bytes: mostly a few. */
static size_t
random_size(void)
{
	return 1 + random_number(UINT64CONST(1) << random_number(10));
}

/* Some bytes of another input. */
static L4Bytes
random_piece(void)
{
	static char piece[1024];
	L4Bytes		from = inputs[random_number(input_count)];
	size_t		at;
	size_t		size;

	if (from.size == 0)
		return (L4Bytes) {"", 0};
	at = random_number(from.size);
	size = random_size();
	size = Min(size, Min(from.size - at, sizeof(piece)));
	memcpy(piece, from.data + at, size);
	return (L4Bytes) {piece, size};
}

static void
mutate_once(void)
{
	static const unsigned char telling[] = {0, 1, 2, 0x7f, 0x80, 0x81, 0xff, 0xfe, '0', '9', ' ', '\n', '\r'};
	size_t		at = random_number(buffer_size + 1);
	size_t		inside = at < buffer_size ? at : 0;

	if (buffer_size == 0)
	{
		insert_bytes(0, random_token());
		return;
	}
	switch (random_number(8))
	{
		case 0:
			buffer[inside] ^= 1 << random_number(8);
			break;
		case 1:
			buffer[inside] = (char) random_number(256);
			break;
		case 2:
			buffer[inside] = (char) telling[random_number(sizeof(telling))];
			break;
		case 3:
			delete_bytes(inside, random_size());
			break;
		case 4:
			insert_bytes(at, random_token());
			break;
		case 5:
			insert_bytes(at, random_piece());
			break;
		case 6:
			{
				L4Bytes		piece = random_piece();

				memcpy(buffer + inside, piece.data, Min(piece.size, buffer_size - inside));
			}
			break;
		default:
			buffer_size = Max(inside, 1);
			break;
	}
	buffer_size = Min(buffer_size, INPUT_LIMIT);
}

static L4Bytes
mutation(void)
{
	L4Bytes		from = inputs[random_number(input_count)];
	int			steps = 1 + (int) random_number(UINT64CONST(1) << random_number(5));

	buffer_size = Min(from.size, INPUT_LIMIT);
	memcpy(buffer, from.data, buffer_size);
	while (steps-- > 0)
		mutate_once();
	return (L4Bytes) {buffer, buffer_size};
}

/* ---- commands ---- */

static double
cpu_seconds(void)
{
	return (double) clock() / CLOCKS_PER_SEC;
}

/* Replays the corpus, then mutations of it. What comes depends on the target's name and on nothing else. */
static void
run_target(const FuzzEntry *target, const char *corpus, int runs)
{
	double		start = cpu_seconds();
	const char *c;
	int			i;

	input_count = 0;
	collect_inputs(target, corpus, add_input);
	if (input_count == 0)
	{
		fprintf(stderr, "target %s: there is no input below %s\n", target->name, corpus);
		exit(2);
	}
	for (i = 0; i < input_count; i++)
		run_input(target, inputs[i]);
	random_state = 42;
	for (c = target->name; *c != '\0'; c++)
		random_state = random_state * 31 + (unsigned char) *c;
	for (i = 0; i < runs * target->weight; i++)
		run_input(target, mutation());
	printf("%-16s %6d inputs, %7d mutations, %.1f s\n", target->name, input_count, i, cpu_seconds() - start);
	fflush(stdout);
	for (i = 0; i < input_count; i++)
		free((char *) inputs[i].data);
}

static const char *seed_folder;
static int	seed_count;

static void
write_seed(L4Bytes input)
{
	char		path[1000];
	FILE	   *file;

	snprintf(path, sizeof(path), "%s/seed-%04d", seed_folder, seed_count++);
	file = fopen(path, "wb");
	if (file == NULL || fwrite(input.data, 1, input.size, file) != input.size || fclose(file) != 0)
	{
		perror(path);
		exit(2);
	}
}

static void
catch_signals(void)
{
	__sanitizer_set_death_callback(write_failure);
	signal(SIGALRM, on_signal);
	signal(SIGABRT, on_signal);
}

int
main(int argc, char **argv)
{
	int			i;

	catch_signals();
	server_reset();
	if (argc >= 4 && strcmp(argv[1], "run") == 0)
	{
		for (i = 4; i < argc; i++)
			run_target(target_by_name(argv[i]), argv[2], atoi(argv[3]));
		for (i = 0; argc == 4 && i < fuzz_target_count; i++)
			run_target(&fuzz_targets[i], argv[2], atoi(argv[3]));
	}
	else if (argc >= 4 && strcmp(argv[1], "input") == 0)
	{
		for (i = 3; i < argc; i++)
		{
			L4Bytes		input = read_file(argv[i]);

			run_input(target_by_name(argv[2]), input);
			free((char *) input.data);
		}
	}
	else if (argc == 5 && strcmp(argv[1], "seeds") == 0)
	{
		seed_folder = argv[4];
		collect_inputs(target_by_name(argv[3]), argv[2], write_seed);
	}
	else if (argc == 2 && strcmp(argv[1], "list") == 0)
	{
		for (i = 0; i < fuzz_target_count; i++)
			puts(fuzz_targets[i].name);
	}
	else
	{
		fprintf(stderr, "usage: fuzz run CORPUS RUNS [TARGET..] | input TARGET FILE.. | seeds CORPUS TARGET FOLDER | list\n");
		return 2;
	}
	return 0;
}

#endif
