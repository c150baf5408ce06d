/*
 * scenarios.c: failures that are told by statements alone, as tables: who says what when. Their texts are made up, so that what
 * a diagnosis makes of them comes from how jobs work and not from the wording of one program. The truth of each is in its row.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "job.h"

#define ROOT "root"
#define EFFECT "effect"
#define LEAVES "Traceback (most recent call last):\n  File \"/srv/house/run.py\", line 61, in <module>\n    trainer.run()\n" \
	"  File \"/srv/house/trainer/core.py\", line 212, in run\n    self.advance()\n"

/* Others wait, then give up. */
#define WAITED(seconds) {PEERS, 0, seconds * 1000, ERROR, EFFECT, "<exchange|merge> <incomplete|not complete> after " #seconds \
	" s, leaving\n" LEAVES "trainer.Expired: 24 pieces wanted"}
/* Others see a connection go. */
#define DROPPED(seconds) {PEERS, 0, seconds * 1000, ERROR, EFFECT, "<stream|socket> of the <exchange|merge> ended early\n" \
	LEAVES "trainer.PeerGone: <stream|socket> ended"}

/* A thread dies; its rank goes on with what is queued, and starves. */
static const statement loader_thread[] = {
	{HIT, 10, 0, ERROR, ROOT, "<prefetch|read-ahead|feeder> thread {1-4} <ended|is over>: ChecksumError: block {hex} of "
		"/mnt/shared/dataset/part-{100-999}.bin is damaged"},
	{HIT, 0, 0, WARNING, EFFECT, "no batch is ready"},
	{HIT, 0, 120000, ERROR, EFFECT, "still no batch after 120 s\n" LEAVES "trainer.Starved: <queue|feed> is empty"},
	WAITED(180), {0}
};

/* What sounds fatal comes from ranks that go on; what is the matter is said in passing. */
static const statement survived[] = {
	{SOME, AT_START, 3000, RAW, NULL, "Aborted (core dumped)"},
	{ONE, 20, 0, ERROR, NULL, "<fatal error|panic> in <exporter|telemetry>\nTraceback (most recent call last):\n"
		"  File \"/srv/house/trainer/telemetry.py\", line 88, in push\n    self.flush()\n"
		"ConnectionRefusedError: [Errno 111] Connection refused"},
	{HIT, 0, 0, WARNING, ROOT, "<lease|grant> of <slot|device> {local} was <withdrawn|taken back>, leaving"},
	DROPPED(5), {0}
};

/* One rank speaks for all, who stop with it. */
static const statement spokesman[] = {
	{SPOKESMAN, 0, 0, ERROR, ROOT, "<cost|objective> is not finite any more, <stopping|ending> the run\n" LEAVES
		"trainer.NotFinite: <cost|objective> is nan"},
	{EVERYONE, 0, 400, INFO, EFFECT, "<stop|end> of the run <was asked for|is wanted>, leaving"}, {0}
};

/* Two ranks save for all, both to one place that is full. */
static const statement save_alike[] = {
	{SAVERS, 0, 0, ERROR, ROOT, "cannot <keep|write> snapshot /mnt/shared/run/snap-{iteration}: <quota|allowance> of the "
		"project is used up\n" LEAVES "OSError: [Errno 122] Disk quota exceeded: '/mnt/shared/run/snap-{iteration}'"},
	{EVERYONE, 0, 700, ERROR, EFFECT, "snapshot {iteration} is <incomplete|not whole>, leaving"}, {0}
};

static const statement nothing[] = {{0}};

/* All complain of one rank, which complains of another. */
static const statement accused[] = {
	{HIT, 0, 30400, ERROR, EFFECT, "rank {next} has not <answered|replied> for 30 s, leaving"},
	{PEERS, 0, 30000, ERROR, ROOT, "rank {hit} has not <answered|replied> for 30 s, leaving"}, {0}
};

/* Each complains of its neighbour on the way to the one that went silent. */
static const statement accused_chain[] = {
	{CHAIN, 0, 20000, ERROR, EFFECT, "<exchange|merge> with rank {toward} <was cut off|broke off>: it left\n" LEAVES
		"trainer.PeerGone: rank {toward}"}, {0}
};

/* Records without a time: what the failing rank says, and the others. */
static const statement untimed[] = {
	{HIT, 0, 0, RAW, ROOT, "<slot|device> {local}: lost its page table, context {hex} is unusable"},
	{PEERS, 0, 7000, RAW, EFFECT, "<stream|socket> of the <exchange|merge> ended early, leaving"}, {0}
};

/* One node has another driver, and all stumble alike over what it sends. */
static const statement other_driver[] = {
	{EVERYONE, 0, 0, ERROR, EFFECT, "sum of the <exchange|merge> is not what was <promised|announced>, leaving\n" LEAVES
		"trainer.Unequal: <exchange|merge> 7"}, {0}
};

/* A link: one end sends again and again, the other waits. */
static const statement bad_link[] = {
	{HIT_1, 12, 0, WARNING, ROOT, "resent {3-9} pieces to rank {next}"},
	{HIT_1, 5, 0, WARNING, ROOT, "resent {20-60} pieces to rank {next}"},
	{HIT_1, 1, 0, WARNING, ROOT, "resent {100-400} pieces to rank {next}"},
	{HIT_2, 0, 60000, ERROR, ROOT, "received {5-7} of 24 pieces from rank {previous}, leaving"},
	{ALL_BUT_HIT_2, 0, 90000, ERROR, EFFECT, "<exchange|merge> <incomplete|not complete> after 90 s, leaving"}, {0}
};

/* Two bad links with one end in common. */
static const statement bad_port[] = {
	{BEFORE_HIT, 9, 0, WARNING, ROOT, "resent {20-60} pieces to rank {hit}"},
	{BEFORE_HIT, 2, 0, WARNING, ROOT, "resent {100-400} pieces to rank {hit}"},
	{AFTER_HIT, 0, 60000, ERROR, ROOT, "received {5-7} of 24 pieces from rank {hit}, leaving"},
	{EVERYONE, 0, 90000, ERROR, EFFECT, "<exchange|merge> <incomplete|not complete> after 90 s, leaving"}, {0}
};

/* The plain case: a rank ends with an error. */
static const statement dies[] = {
	{HIT, 0, 0, ERROR, ROOT, "<kernel|operator> fused_norm <returned|gave> status 719\n" LEAVES
		"trainer.DeviceFault: <slot|device> {local}, status 719"},
	DROPPED(8), {0}
};

/* A third of the nodes, each for its own reason. */
static const statement third[] = {
	{HIT_1, 0, 0, ERROR, ROOT, "<slot|device> {local} retired page {hex} once too often, leaving"},
	{HIT_2, 0, 300, ERROR, ROOT, "cannot read /local/dataset/part-{100-999}.bin: Input/output error, leaving"},
	{HIT_3, 0, 600, ERROR, ROOT, "<slot|device> {local} is too hot, taken offline, leaving"},
	WAITED(60), {0}
};

/* One node fails, all is started again, then another node fails. */
static const statement restarts[] = {
	{HIT, AT_FIRST_FAULT, 0, ERROR, ROOT, "cannot read /local/dataset/part-{100-999}.bin: Input/output error, leaving"},
	{PEERS, AT_FIRST_FAULT, 8000, ERROR, EFFECT, "<stream|socket> of the <exchange|merge> ended early, leaving"},
	{HIT, 0, 0, ERROR, ROOT, "<kernel|operator> fused_norm <returned|gave> status 719, leaving"},
	{PEERS, 0, 8000, ERROR, EFFECT, "<stream|socket> of the <exchange|merge> ended early, leaving"}, {0}
};

/* All fail alike, and none of them at once: what they were told to do cannot be done. */
static const statement bad_plan[] = {
	{EVERYONE, 0, 0, ERROR, ROOT, "<mesh|group> of {ranks} cannot be cut into <slices|lanes> of 24\n" LEAVES
		"trainer.BadPlan: {ranks} is no multiple of 24"}, {0}
};

/* What all need is not there; those that came later are ended before they find out. */
static const statement no_file[] = {
	{HALF, 0, 0, ERROR, ROOT, "<vocabulary|word list> /mnt/shared/run/words-64k.tab is not there\n" LEAVES
		"FileNotFoundError: [Errno 2] No such file or directory: '/mnt/shared/run/words-64k.tab'"},
	{OTHER_HALF, 0, 900, INFO, EFFECT, "<stop|end> of the run <was asked for|is wanted>, leaving"}, {0}
};

/* All run out of memory in one step, each by another amount. */
static const statement no_memory[] = {
	{EVERYONE, 0, 0, ERROR, ROOT, "<slot|device> {local}: {1000-9999} MiB <wanted|asked for>, {10-99} MiB are left\n" LEAVES
		"trainer.NoRoom: <slot|device> {local}, {1000-9999} MiB"}, {0}
};

/* A batch that all read is bad; some half says so, the others are ended. */
static const statement bad_batch[] = {
	{HALF, 0, 0, ERROR, ROOT, "piece {100-999} of batch {iteration} holds word 70001 of 65536\n" LEAVES
		"trainer.BadWord: 70001"},
	{OTHER_HALF, 0, 900, INFO, EFFECT, "<stop|end> of the run <was asked for|is wanted>, leaving"}, {0}
};

/* The same, and only the two that speak for all say so. */
static const statement ends_speak[] = {
	{BOTH_ENDS, 0, 0, ERROR, ROOT, "<cost|objective> grew {100-999} times <in|within> one batch, <stopping|ending> the run\n"
		LEAVES "trainer.Diverged: <cost|objective>"},
	{EVERYONE, 0, 400, INFO, EFFECT, "<stop|end> of the run <was asked for|is wanted>, leaving"}, {0}
};

/* All fail alike, but what the ranks of one node said last is lost. */
static const statement words_lost[] = {
	{OTHER_NODES, 0, 0, ERROR, ROOT, "piece {100-999} of batch {iteration} holds word 70001 of 65536\n" LEAVES
		"trainer.BadWord: 70001"}, {0}
};

/* A rank stops without a word; the others wait. */
static const statement quiet_dies[] = {WAITED(60), {0}};

/* The same; a few of the others know whom they wait for. */
static const statement few_accuse[] = {
	{SOME, 0, 30000, ERROR, ROOT, "rank {hit} has not <answered|replied> for 30 s"},
	WAITED(60), {0}
};

/* The rows: how each ends for the hit ranks (ENDS_WITH_ERROR: with exit code 1, ENDS_STUCK: not at all), and the truth. */
#define ITERATING(n, c, s, e) {.name = n, .category = c, .subtype = s, .symptom = "training crash", \
	.stage = "iterative training", .end = e}
#define SLOW(n, s) {.name = n, .category = "hardware", .subtype = s, .symptom = "slow training", \
	.stage = "iterative training", .end = ENDS_SLOW}
static const scenario scenarios[] = {
	{ITERATING("loader_thread", "platform", "data", ENDS_WITH_ERROR), "data_loader", loader_thread, .hits = 1, .lasts = 10},
	{ITERATING("survived", "platform", "preemption", ENDS_WITH_ERROR), NULL, survived, .hits = 1},
	{ITERATING("spokesman", "user", "data", ENDS_EVERYWHERE), NULL, spokesman, .hits = 0},
	{{.name = "save_alike", .category = "platform", .subtype = "storage", .symptom = "training crash", .stage = "checkpointing",
		.end = ENDS_EVERYWHERE}, "checkpoint", save_alike, .lasts = 1},
	{SLOW("slow_node", "accelerator"), NULL, nothing, .hits = 1, .slower = 425},
	{SLOW("slow_alike", "storage"), NULL, nothing, .slower = 425},
	{ITERATING("accused", "hardware", "accelerator", ENDS_WITH_ERROR), NULL, accused, .hits = 1},
	{ITERATING("accused_chain", "hardware", "accelerator", ENDS_STUCK), NULL, accused_chain, .hits = 1},
	{ITERATING("untimed", "hardware", "accelerator", ENDS_WITH_ERROR), NULL, untimed, .hits = 1},
	{ITERATING("other_driver", "platform", "configuration", ENDS_EVERYWHERE), NULL, other_driver, .hits = 1, .odd_driver = 1},
	{ITERATING("bad_link", "hardware", "network", ENDS_WITH_ERROR), NULL, bad_link, .hits = 2, .lasts = 12},
	{ITERATING("bad_port", "hardware", "network", ENDS_WITH_ERROR), NULL, bad_port, .hits = 1, .lasts = 9},
	{ITERATING("dies", "hardware", "accelerator", ENDS_WITH_ERROR), NULL, dies, .hits = 1},
	{ITERATING("three_nodes", "hardware", "accelerator", ENDS_WITH_ERROR), NULL, dies, .hits = 1, .nodes = 3},
	{ITERATING("two_nodes", "hardware", "accelerator", ENDS_WITH_ERROR), NULL, dies, .hits = 1, .nodes = 2},
	{ITERATING("one_node", "hardware", "accelerator", ENDS_WITH_ERROR), NULL, dies, .hits = 1, .nodes = 1},
	{ITERATING("third", "hardware", "node", ENDS_WITH_ERROR), NULL, third, .hits = A_THIRD, .spread = 3},
	{ITERATING("restarts", "hardware", "accelerator", ENDS_WITH_ERROR), NULL, restarts, .hits = 1, .restarts = 1},
	{ITERATING("shared_dies", "hardware", "accelerator", ENDS_WITH_ERROR), NULL, dies, .hits = 1, .shared = 1},
	{ITERATING("shared_accused", "hardware", "accelerator", ENDS_WITH_ERROR), NULL, accused, .hits = 1, .shared = 1},
	{ITERATING("shared_time_limit", "user", "configuration", ENDS_CANCELLED), NULL, nothing, .shared = 1},
	{ITERATING("bad_plan", "user", "configuration", ENDS_EVERYWHERE), NULL, bad_plan, .early = 1},
	{ITERATING("no_file", "platform", "storage", ENDS_EVERYWHERE), NULL, no_file, .early = 1},
	{ITERATING("no_memory", "user", "memory", ENDS_EVERYWHERE), NULL, no_memory},
	{ITERATING("bad_batch", "user", "data", ENDS_EVERYWHERE), NULL, bad_batch},
	{ITERATING("ends_speak", "user", "data", ENDS_EVERYWHERE), NULL, ends_speak},
	{ITERATING("words_lost", "user", "data", ENDS_EVERYWHERE), NULL, words_lost},
	{ITERATING("quiet_dies", "hardware", "accelerator", ENDS_STUCK), NULL, quiet_dies, .hits = 1},
	{ITERATING("few_accuse", "hardware", "accelerator", ENDS_STUCK), NULL, few_accuse, .hits = 1},
};

#define SCENARIOS (sizeof(scenarios) / sizeof(scenarios[0]))

const scenario *
scenario_named(const char *name)
{
	for (size_t i = 0; i < SCENARIOS; i++)
		if (strcmp(scenarios[i].base.name, name) == 0)
			return &scenarios[i];
	return NULL;
}

void
list_scenarios(void)
{
	for (size_t i = 0; i < SCENARIOS; i++)
		printf("%s\n", scenarios[i].base.name);
}

long
hit_number(const job *j, long node)
{
	long		hits = j->plays == NULL ? 1 : j->plays->hits == A_THIRD ? j->nodes / 3 : j->plays->hits;
	long		spread = j->plays == NULL || j->plays->spread == 0 ? 1 : j->plays->spread;
	long		offset = (node - j->fault_node + j->nodes) % j->nodes;

	return offset % spread == 0 && offset / spread < hits ? offset / spread : -1;
}

long
iteration_at(const job *j, long i)
{
	return j->restart > 0 && i >= j->restart ? i + 1 - j->back : i + 1;
}

/* How many nodes the nearer way round the ring is to the node at fault. */
static long
distance(const rank *r)
{
	long		offset = (r->node - r->of->fault_node + r->of->nodes) % r->of->nodes;

	return offset <= r->of->nodes / 2 ? offset : r->of->nodes - offset;
}

/* The rank at the same place of a node, so many nodes further in the ring. */
static long
beside(const rank *r, long nodes)
{
	return (r->rank + nodes * r->of->ranks_per_node + r->of->ranks) % r->of->ranks;
}

/* Next on the way to the hit rank. */
static long
toward(const rank *r)
{
	long		offset = (r->node - r->of->fault_node + r->of->nodes) % r->of->nodes;

	return offset == 0 ? r->of->fault_rank : beside(r, offset <= r->of->nodes / 2 ? -1 : 1);
}

static int
tells(const rank *r, who by)
{
	const job  *j = r->of;
	long		number = hit_number(j, r->node);
	int			same_place = r->local == j->fault_rank % j->ranks_per_node;
	int			hit = number >= 0 && same_place;

	switch (by)
	{
		case EVERYONE:
			return 1;
		case HIT:
			return hit;
		case HIT_1:
		case HIT_2:
		case HIT_3:
			return hit && number % 3 == (long) (by - HIT_1);
		case PEERS:
		case CHAIN:
			return !hit;
		case ALL_BUT_HIT_2:
			return !(hit && number == 1);
		case BEFORE_HIT:
			return beside(r, 1) == j->fault_rank;
		case AFTER_HIT:
			return beside(r, -1) == j->fault_rank;
		case SPOKESMAN:
			return r->rank == (j->seed % 2 == 1 ? 0 : j->ranks - 1);
		case SAVERS:
			return r->rank == 0 || r->rank == j->ranks / 2;
		case SOME:
			return number < 0 && mix(j->seed, r->rank) % 8 == 0;
		case ONE:
			return r->rank == (j->fault_rank + j->ranks / 2) % j->ranks;
		case BOTH_ENDS:
			return r->rank == 0 || r->rank == j->ranks - 1;
		case HALF:
		case OTHER_HALF:
			return (mix(j->seed, r->rank) / 8 % 2 == 0) == (by == HALF);
		case OTHER_NODES:
			return r->node != j->fault_node;
	}
	return 0;
}

long
last_word(const scenario *s, int when, int hit_only)
{
	long		last = 0;

	for (const statement *said = s->says; said->text != NULL; said++)
		if (said->when == when && said->after > last && (!hit_only || (said->by >= HIT && said->by <= HIT_3)))
			last = said->after;
	return last;
}

/* Statements of the same text have one label: that of the first. */
static int
label_of(const statement *says, int i)
{
	int			first = 0;

	while (strcmp(says[first].text, says[i].text) != 0)
		first++;
	return first;
}

/* Does a label look at a line of a statement? */
static int
is_labelled(const char *line)
{
	return *line != ' ' && strncmp(line, "Traceback", 9) != 0;
}

static long
label_lines(const char *words)
{
	long		lines = 0;

	for (const char *p = words; p != NULL; p = strchr(p, '\n'))
	{
		p += *p == '\n';
		lines += is_labelled(p);
	}
	return lines;
}

void
rank_tells(rank *r, int when, int64_t moment)
{
	job		   *j = r->of;
	const statement *says = j->plays->says;

	for (int i = 0; says[i].text != NULL; i++)
	{
		const statement *said = &says[i];

		if (said->when != when || !tells(r, said->by))
			continue;
		r->out->now = moment + said->after * INT64_C(1000) + text_random(r->out, 0, when > 0 ? 2000 : 40000);
		if (said->by == CHAIN)
			r->out->now += distance(r) * 60000;
		text_mark(r->out);
		if (said->severity != RAW)
			j->style->head(r, said->severity, j->style->module, j->style->place);
		render(j, r, r->out, said->text, mix(j->seed, 1));
		text_add(r->out, "\n");
		if (said->role != NULL)
			count(&j->told[label_of(says, i)], j->shared ? "*/slurm-job.out" : "*/rank-*.log", NULL, said->role,
				label_lines(said->text));
	}
}

/* ---- Texts ---- */

/* Adds the value of a name to a text, or what matches it. */
static void
add_value(const job *j, const rank *r, text *out, const char *name, size_t length)
{
	const struct
	{
		const char *name;
		long		value;
	}			numbers[] = {{"rank", r == NULL ? 0 : r->rank}, {"ranks", j->ranks}, {"local", r == NULL ? 0 : r->local},
		{"iteration", r == NULL ? 0 : r->iteration}, {"planned", j->planned}, {"hit", j->fault_rank},
		{"next", r == NULL ? 0 : beside(r, 1)}, {"previous", r == NULL ? 0 : beside(r, -1)},
		{"toward", r == NULL ? 0 : toward(r)}, {"fetch", r == NULL ? 0 : r->fetch},
		{"compute", r == NULL ? 0 : r->compute}, {"exchange", r == NULL ? 0 : r->exchange}};
	long		low;
	long		high;

	if (r == NULL && strncmp(name, "hit", length) != 0)
		text_add(out, strncmp(name, "host", length) == 0 ? "node-\\d+"
			: strncmp(name, "hex", length) == 0 ? "[0-9a-f]+" : "\\d+");
	else if (strncmp(name, "host", length) == 0)
		text_add(out, "node-%4z", r->node);
	else if (strncmp(name, "driver", length) == 0)
		text_add(out, j->plays != NULL && j->plays->odd_driver && hit_number(j, r->node) >= 0 ? "535.104.05" : "550.54.15");
	else if (strncmp(name, "hex", length) == 0)
		text_add(out, "%x", text_random(out, 0, 0xffffffffL));
	else if (strncmp(name, "loss", length) == 0)
		text_add(out, "%4f", loss_of(r, r->iteration));
	else if (sscanf(name, "%ld-%ld", &low, &high) == 2)
		text_add(out, "%d", text_random(out, low, high));
	else
		for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
			if (strlen(numbers[i].name) == length && strncmp(name, numbers[i].name, length) == 0)
				text_add(out, "%d", numbers[i].value);
}

/* Which of several words choice means, the same wherever the same words are offered. */
static const char *
pick(const char *words, const char *end, uint64_t choice, size_t *length)
{
	long		offered = 1;

	for (const char *p = words; p < end; p++)
	{
		choice = mix(choice, *p);
		offered += *p == '|';
	}
	for (offered = choice % offered; offered > 0; offered--)
		words = strchr(words, '|') + 1;
	*length = strcspn(words, "|>");
	return words;
}

/* Adds text as it is, or (escaped) as a regular expression of it. */
static void
add_plain(text *out, const char *bytes, size_t length, int escaped)
{
	if (!escaped)
		text_add_bytes(out, bytes, length);
	else
		for (size_t i = 0; i < length; i++)
		{
			if (strchr("()[]{}.*+?^$|\\", bytes[i]) != NULL)
				text_add_bytes(out, "\\", 1);
			text_add_bytes(out, &bytes[i], 1);
		}
}

void
render(const job *j, const rank *r, text *out, const char *words, uint64_t choice)
{
	for (;;)
	{
		size_t		length = strcspn(words, "{<");
		const char *end;

		add_plain(out, words, length, r == NULL);
		words += length;
		if (*words == '\0')
			return;
		end = strchr(words, *words == '{' ? '}' : '>');
		if (*words == '{')
			add_value(j, r, out, words + 1, end - words - 1);
		else if (memchr(words, '|', end - words) != NULL)
		{
			const char *word = pick(words + 1, end, choice, &length);

			add_plain(out, word, length, r == NULL);
		}
		else					/* in <module> */
			add_plain(out, words, end + 1 - words, r == NULL);
		words = end + 1;
	}
}

void
label_words(const job *j, const statement *said, text *out)
{
	char		line[1024];
	size_t		length;

	out->used = 0;
	for (const char *p = said->text; *p != '\0'; p += length + (p[length] == '\n'))
	{
		length = strcspn(p, "\n");
		if (!is_labelled(p))
			continue;
		snprintf(line, sizeof(line), "%.*s", (int) length, p);
		text_add(out, "%s", out->used > 0 ? "|" : "");
		render(j, NULL, out, line, mix(j->seed, 1));
	}
	text_add(out, "%s", "$");
	out->data[out->used - 1] = '\0';
}
