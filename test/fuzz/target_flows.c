/*
 * target_flows.c: messages from records of flows, what their times tell, and the steps they are made of.
 */
#include "fuzz.h"

#include <math.h>

#include "algorithms/answers.h"
#include "algorithms/flow_messages.h"
#include "algorithms/intervals.h"
#include "algorithms/step_cycles.h"
#include "algorithms/step_parts.h"
#include "algorithms/step_phases.h"
#include "algorithms/step_traffic.h"

#define MOST_RECORDS 400
#define MOST_STEPS 20
/* Of so few messages each is among the next that answers are looked for in (answers.c). */
#define FEW_AHEAD 100

/* ---- flow_messages ---- */

/* Records with few different times, sizes and paths, so that many are the same or touch one another. */
static int64
read_flow_records(L4Bytes *input, L4FlowRecord *records)
{
	int64		count = 0;
	int64		start = (int64) fuzz_byte(input) * 1000000;

	while (count < MOST_RECORDS && input->size >= 3)
	{
		unsigned	time = fuzz_byte(input);
		unsigned	kind = fuzz_byte(input);
		unsigned	size = fuzz_byte(input);

		start += time % 16 * 10;
		records[count++] = (L4FlowRecord) {
			.start = start, .bytes = size < 250 ? 1 + size : L4_FLOW_MOST_BYTES, .retransmits = kind % 5 == 0 ? kind * 16 : 0,
			.path = kind % 3 == 2 ? L4_FLOW_MOST_PATHS - 1 : kind % 3, .duration = (time / 16) * (size == 255 ? 1e8f : 1e-5f),
			.queue_pair = kind / 128
		};
	}
	return count;
}

/* Messages are sorted, and those of a path apart from one another; what they hold together is what records had. */
static void
check_messages(const L4FlowMessages *found, int64 count, const L4FlowRules *rules, double most_bytes)
{
	double		ended[L4_FLOW_MOST_PATHS];
	double		bytes = 0;

	for (int i = 0; i < L4_FLOW_MOST_PATHS; i++)
		ended[i] = -INFINITY;
	fuzz_require(found->records + found->small + found->duplicates == count);
	fuzz_require(found->count <= found->records && (found->count > 0) == (found->records > 0));
	for (int64 i = 0; i < found->count; i++)
	{
		const L4FlowMessage *m = found->messages + i;

		fuzz_require(i == 0 || m[-1].began <= m->began);
		fuzz_require(m->path < L4_FLOW_MOST_PATHS && m->lasted >= 0 && m->bytes > 0 && m->busy >= 0);
		/* times are doubles of microseconds since 1970, lengths floats */
		fuzz_require(m->began - ended[m->path] >= rules->pause * 0.999);
		ended[m->path] = m->began + m->lasted;
		bytes += m->bytes;
	}
	fuzz_require(bytes <= most_bytes * (1 + 1e-4));
	fuzz_require(found->same_size >= 0 && found->same_size <= 1 && (found->same_size > 0) == (found->records > 0));
}

/* What flow_messages leaves of the records are those that messages are made of, in order. */
static void
check_bytes(const L4FlowMessages *found, const L4FlowRecord *kept, const L4FlowRules *rules)
{
	double		of_messages = 0;
	double		of_records = 0;
	double		busy = 0;
	double		busy_records = 0;

	for (int64 i = 0; i < found->count; i++)
	{
		of_messages += found->messages[i].bytes;
		busy += found->messages[i].busy;
	}
	for (int64 i = 0; i < found->records; i++)
	{
		fuzz_require(i == 0 || kept[i - 1].start <= kept[i].start);
		fuzz_require((int64) kept[i].bytes >= rules->least_bytes);
		of_records += kept[i].bytes;
		busy_records += kept[i].duration;
	}
	fuzz_require(fabs(of_messages - of_records) <= 1e-4 * of_records);
	fuzz_require(fabs(busy - busy_records) <= 1e-4 * busy_records);
	fuzz_require(of_records <= (double) found->bytes * (1 + 1e-9));
}

static void
reverse_records(L4FlowRecord *to, const L4FlowRecord *from, int64 count)
{
	for (int64 i = 0; i < count; i++)
		to[i] = from[count - 1 - i];
}

/* The order of the records makes no difference. */
void
fuzz_flow_messages(L4Bytes input)
{
	static L4FlowRecord records[MOST_RECORDS];
	static L4FlowRecord others[MOST_RECORDS];
	L4FlowRules rules = {
		.pause = 1e-6 * (1 + fuzz_byte(&input)), .least_bytes = fuzz_byte(&input) % 100, .twice = fuzz_byte(&input)
	};
	int64		count = read_flow_records(&input, records);
	L4FlowMessages found;
	L4FlowMessages again;
	double		bytes = 0;
	uint64		retransmits = 0;

	for (int64 i = 0; i < count; i++)
	{
		bytes += records[i].bytes;
		retransmits += records[i].retransmits;
	}
	reverse_records(others, records, count);
	flow_messages(records, count, &rules, &found);
	check_messages(&found, count, &rules, bytes);
	check_bytes(&found, records, &rules);
	fuzz_require(found.bytes <= bytes && found.retransmits <= retransmits);
	fuzz_require(found.duplicates > 0 || ((double) found.bytes == bytes && found.retransmits == retransmits));
	flow_messages(others, count, &rules, &again);
	fuzz_require(again.count == found.count && again.records == found.records && again.small == found.small &&
		again.bytes == found.bytes && again.retransmits == found.retransmits && again.same_size == found.same_size);
	fuzz_require(memcmp(again.messages, found.messages, found.count * sizeof(L4FlowMessage)) == 0);
}

/* ---- intervals ---- */

static int64
read_intervals(L4Bytes *input, double *began, double *ended, int64 most)
{
	int64		count = 0;
	double		at = 0;

	while (count < most && input->size >= 2)
	{
		at += fuzz_byte(input) / 8.0;
		began[count] = at;
		ended[count++] = at + fuzz_byte(input) / 64.0;
	}
	return count;
}

/* Bursts that no jitter disturbs are found, each of so many pieces. */
static void
regular_beat(L4Bytes input)
{
	double		began[MOST_RECORDS];
	double		ended[MOST_RECORDS];
	int			pieces = 2 + fuzz_byte(&input) % 4;
	int			bursts = 5 + fuzz_byte(&input) % 50;
	double		period = 1 + fuzz_byte(&input) / 16.0;
	double		seconds;
	L4Intervals messages = {began, ended, (int64) bursts * pieces};
	L4Regularity result;

	for (int i = 0; i < messages.count; i++)
	{
		began[i] = i / pieces * period + i % pieces * 0.001;
		ended[i] = began[i] + 0.0005;
	}
	fuzz_require(intervals_regular(&messages, 0.6, 0.5, 0.1, &result));
	fuzz_require(result.bursts == bursts && fabs(result.interval - period) < 1e-6 * period);
	fuzz_require(intervals_bursts(&messages, result.pause, &seconds) == bursts);
	fuzz_require(fabs(seconds / bursts - ((pieces - 1) * 0.001 + 0.0005)) < 1e-6);
	fuzz_require(intervals_together(&messages, &messages, 1e-6) == 1.0);
}

/* Cycles lie one behind the other within the messages. */
static void
require_cycles(const L4Intervals *messages, double length)
{
	L4CycleRule rule = {1.3, 0.35, 4, 0.6, 0.1, {1.3, 5}};
	L4StepCycles cycles;
	double		moved[MOST_RECORDS];

	for (int64 i = 0; i < messages->count; i++)
		moved[i] = i % 3;
	if (!step_cycles(messages, moved, &rule, &cycles))
		return;
	fuzz_require(cycles.microbatches >= 0 && cycles.regular >= 0 && cycles.regular <= 1);
	fuzz_require(cycles.count >= 4 && cycles.interval > 0 && cycles.interval <= length);
	fuzz_require(cycles.began[0] >= messages->began[0]);
	for (int64 i = 0; i < cycles.count; i++)
	{
		fuzz_require(cycles.ended[i] >= cycles.began[i]);
		fuzz_require(i == 0 || cycles.began[i] > cycles.ended[i - 1]);
	}
	fuzz_require(cycles.ended[cycles.count - 1] - cycles.began[0] <= length);
}

/*
 * Layers forwards, then as many backwards, at half the speed: each such step is found. With several microbatches these make a
 * step, where the last one moves more, or where the optimizer (0.03 s) comes behind it.
 */
static void
sharded_steps(L4Bytes input)
{
	L4CycleRule rule = {1.3, 0.35, 4, 0.6, 0.1, {1.3, 5}};
	int			choice = input.size > 0 ? (unsigned char) input.data[0] : 0;
	int			layers = 6 + choice % 10;
	int			microbatches = 1 + choice / 10 % 3;
	bool		heavy = choice / 30 % 2;
	int			steps = 12;
	double		began[(2 * 15 * 3 + 1) * 12];
	double		ended[(2 * 15 * 3 + 1) * 12];
	double		moved[(2 * 15 * 3 + 1) * 12];
	L4Intervals messages = {began, ended, 0};
	L4StepCycles cycles;
	double		at = 0;

	for (int i = 0; i < 2 * layers * microbatches * steps; i++)
	{
		bool		last = i / (2 * layers) % microbatches == microbatches - 1;
		bool		backward = i % (2 * layers) >= layers;

		if (microbatches > 1 && !heavy && i % (2 * layers * microbatches) == 0)
		{
			/* nothing of the first layer may come before the optimizer is done, which is a pause of its own */
			began[messages.count] = at;
			ended[messages.count] = at + 0.004;
			moved[messages.count++] = 1;
			at += 0.03;
		}
		began[messages.count] = at;
		ended[messages.count] = at + 0.004;
		moved[messages.count++] = heavy && last && backward ? 4 : 1;
		at += backward ? 0.02 : 0.01;
	}
	fuzz_require(step_cycles(&messages, moved, &rule, &cycles));
	fuzz_require(cycles.microbatches == microbatches);
	fuzz_require(fabs(cycles.interval - microbatches * 0.03 * layers - (microbatches > 1 && !heavy ? 0.03 : 0)) < 0.0001);
	fuzz_require(cycles.count >= steps - 2);
}

/* Whether messages are all answered by the same ones that begin as much later: each is among the next few, if they are few. */
static void
require_answered(const L4Intervals *a, const double *moved, double later)
{
	double		began[MOST_RECORDS];
	L4Intervals answers = {began, began, a->count};

	for (int64 i = 0; i < a->count; i++)
		began[i] = a->began[i] + later;
	if (a->count > 0 && a->count <= FEW_AHEAD)
		fuzz_require(answers_alike(a, moved, &answers, moved, 0.001) == 1);
}

/* Shares of what answers; all of the messages end with themselves. */
static void
require_answers(const L4Intervals *a, const L4Intervals *b)
{
	double		a_moved[MOST_RECORDS];
	double		b_moved[MOST_RECORDS];
	double		alike;
	L4Turns		turns = answers_turns(a, b, 0.01);

	for (int64 i = 0; i < a->count; i++)
		a_moved[i] = 1 + i % 3;
	for (int64 i = 0; i < b->count; i++)
		b_moved[i] = 1 + i % 2;
	alike = answers_alike(a, a_moved, b, b_moved, 0.001);
	fuzz_require(alike >= 0 && alike <= 1);
	require_answered(a, a_moved, 1);
	fuzz_require(answers_end_together(a, a, 0.001) == (a->count > 0));
	fuzz_require(turns.count >= 0 && turns.share >= 0 && turns.share <= 1 && (turns.count > 0 || turns.share == 0));
	fuzz_require(answers_turns(a, a, 0.01).count == 0);
	fuzz_require(answers_at_once(a, b, 0.01) >= 0 && answers_at_once(a, b, 0.01) <= 1 + 1e-9);
}

/* Phases that the messages of another link stand for: each part of one ends with a message of it, or as the phase does. */
static void
require_parts(const L4Intervals *a, const L4Intervals *b)
{
	double		moved[MOST_RECORDS];
	double		ends[MOST_RECORDS];

	for (int64 i = 0; i < a->count; i++)
		moved[i] = 1 + i % 2;
	step_parts(a, moved, b->began, b->ended, b->count, 0.03, ends);
	for (int64 i = 0; i < b->count; i++)
		fuzz_require(isfinite(ends[i]) && (ends[i] == b->ended[i] || ends[i] >= b->began[i]));
	fuzz_require(isfinite(step_lead(a, b, b->began, b->count, 1)) && step_lead(a, b, b->began, b->count, 1) >= 0);
}

/* Steps that the messages of another link end: no message is of two, and their rate is one that a message has. */
static void
require_traffic(const L4Intervals *a, const L4Intervals *b)
{
	double		moved[MOST_RECORDS];
	double		busy[MOST_RECORDS];
	double		path[MOST_RECORDS];
	double		bytes[2][MOST_RECORDS];
	double		seconds[2][MOST_RECORDS];
	double		first[2][MOST_RECORDS];
	L4TrafficMessages messages = {a->began, moved, busy, path, a->count};
	L4TrafficRule rules[2] = {{0, 1, 0}, {0, 0.25, 0.01}};
	int64		steps = b->count > 0 ? b->count - 1 : 0;
	double		sum = 0;

	for (int64 i = 0; i < a->count; i++)
	{
		moved[i] = 1 + i % 3;
		busy[i] = 1 + i % 2;
		path[i] = 1;
	}
	for (int rule = 0; rule < 2; rule++)
		step_traffic(&messages, b->began, steps, &rules[rule], bytes[rule], seconds[rule], first[rule]);
	for (int64 i = 0; i < steps; i++)
	{
		sum += bytes[0][i];
		/* a message moves 1 to 3 in 1 or 2 seconds */
		fuzz_require(bytes[0][i] == bytes[1][i] && seconds[0][i] <= 2 * bytes[0][i]);
		fuzz_require(3 * seconds[1][i] >= bytes[1][i] * (1 - 1e-9) && seconds[1][i] <= 2 * bytes[1][i] * (1 + 1e-9));
		fuzz_require(bytes[0][i] == 0 || (first[1][i] >= b->began[i] && first[1][i] < b->began[i + 1]));
	}
	fuzz_require(sum <= 3 * a->count);
}

void
fuzz_intervals(L4Bytes input)
{
	double		began[2][MOST_RECORDS];
	double		ended[2][MOST_RECORDS];
	L4Bytes		half = {input.data, input.size / 2};
	L4Intervals a = {began[0], ended[0], read_intervals(&half, began[0], ended[0], MOST_RECORDS)};
	L4Intervals b = {began[1], ended[1], 0};
	L4Regularity result;
	double		together;
	double		seconds;
	double		length = 0;

	regular_beat(input);
	sharded_steps(input);
	input.data += input.size / 2;
	input.size -= input.size / 2;
	b.count = read_intervals(&input, began[1], ended[1], MOST_RECORDS);
	require_parts(&a, &b);
	require_traffic(&a, &b);
	for (int64 i = 0; i < a.count; i++)
		length = Max(length, ended[0][i] - began[0][0]);
	if (intervals_regular(&a, 0.6, 0.5, 0.1, &result))
	{
		fuzz_require(result.pause > 0 && result.interval > 0 && result.interval <= length);
		fuzz_require(result.bursts >= 3 && result.bursts <= a.count);
		fuzz_require(result.interval >= result.pause);
		fuzz_require(intervals_bursts(&a, result.pause, &seconds) == result.bursts && seconds <= length * (1 + 1e-9));
	}
	require_cycles(&a, length);
	together = intervals_together(&a, &b, 0.5);
	fuzz_require(together >= 0 && together <= 1 && (together > 0) == (a.count > 0 && b.count > 0));
	require_answers(&a, &b);
	fuzz_require(intervals_bursts(&a, 0.5, &seconds) <= a.count && seconds >= 0);
	fuzz_require(intervals_bursts(&a, INFINITY, &seconds) == (a.count > 0) && fabs(seconds - length) < 1e-9);
}

/* ---- step_phases ---- */

static int64
read_step_messages(L4Bytes *input, L4StepMessage *messages)
{
	int64		count = 0;

	while (count < MOST_RECORDS && input->size >= 3)
	{
		double		began = fuzz_byte(input) / 4.0;
		unsigned	kind = fuzz_byte(input);
		double		lasted = fuzz_byte(input) / 64.0;

		messages[count++] = (L4StepMessage) {
			.began = began, .ended = began + lasted, .bytes = kind % 7, .busy = lasted, .peer = kind / 8 % 20, .sent = kind % 2
		};
	}
	return count;
}

/* Phases are sorted, and apart by the pause at least; all bytes are in them but those of a last one that is not whole. */
static void
check_phases(const L4StepMessage *messages, int64 count, double pause, double whole)
{
	static L4StepPhase phases[MOST_RECORDS];
	int64		found = step_phases(messages, count, pause, whole, phases);
	double		bytes = 0;
	double		all = 0;
	int64		began = 0;

	fuzz_require(found <= count && (found > 0) == (count > 0));
	for (int64 i = 0; i < found; i++)
	{
		fuzz_require(phases[i].began <= phases[i].ended && phases[i].bytes >= 0);
		fuzz_require(i == 0 || phases[i].began - phases[i - 1].ended >= pause);
		bytes += phases[i].bytes;
		while (began < count && messages[began].began < phases[i].began)
			began++;
		fuzz_require(began < count && messages[began].began == phases[i].began);
	}
	for (int64 i = 0; i < count; i++)
		all += messages[i].bytes;
	fuzz_require(whole == 0 ? fabs(bytes - all) <= 1e-9 * all : bytes <= all * (1 + 1e-9));
}

/* No step has more work than it is long, nor less than none; what is sent in steps is what messages have. */
static void
check_work(const L4StepMessage *messages, int64 count, const double *ends, int64 steps)
{
	L4StepWork	work[MOST_STEPS];
	double		closes[MOST_STEPS];
	double		sent = 0;
	double		all = 0;

	for (int64 i = 0; i < steps; i++)
		closes[i] = (ends[i] + ends[i + 1]) / 2;
	step_work(messages, count, ends, closes, steps, work);
	for (int64 i = 0; i < steps; i++)
	{
		fuzz_require(work[i].sent >= 0 && work[i].computed >= 0);
		/* not known of a step that lacks messages */
		fuzz_require(isnan(work[i].closing) || (work[i].closing >= 0 && work[i].closing <= work[i].computed));
		fuzz_require(work[i].computed <= ends[i + 1] - ends[i] + 1e-9);
		sent += work[i].sent;
	}
	for (int64 i = 0; i < count; i++)
		if (messages[i].sent && steps > 0 && messages[i].began >= ends[0] && messages[i].began < ends[steps])
			all += messages[i].busy;
	fuzz_require(fabs(sent - all) <= 1e-6 * all);
}

/* Each place is one of the reference within tolerance, and none is nearer; 0 only where there is none. */
static void
check_places(const L4StepMessage *messages, int64 count, const double *ends, int64 end_count)
{
	static double times[MOST_RECORDS];
	static int32 places[MOST_RECORDS];
	double		tolerance = 0.5;

	for (int64 i = 0; i < count; i++)
		times[i] = messages[i].began;
	step_places(times, count, ends, end_count, tolerance, places);
	for (int64 i = 0; i < count; i++)
	{
		double		nearest = INFINITY;

		for (int64 k = 0; k < end_count; k++)
			nearest = Min(nearest, fabs(ends[k] - times[i]));
		fuzz_require(places[i] >= 0 && places[i] <= end_count);
		fuzz_require((places[i] == 0) == (nearest > tolerance));
		fuzz_require(places[i] == 0 || fabs(ends[places[i] - 1] - times[i]) == nearest);
	}
}

/* Messages of one direction and peer do not overlap once joined; nothing is lost. */
static int64
check_join(L4StepMessage *messages, int64 count)
{
	double		ended[20][2] = {{0}};
	double		bytes = 0;
	int64		kept;

	for (int64 i = 0; i < count; i++)
		bytes += messages[i].bytes;
	kept = step_messages_join(messages, count, lengthof(ended));
	fuzz_require(kept <= count && (kept > 0) == (count > 0));
	for (int64 i = 0; i < kept; i++)
	{
		double	   *end = &ended[messages[i].peer][messages[i].sent];

		fuzz_require(i == 0 || messages[i - 1].began <= messages[i].began);
		fuzz_require(messages[i].began >= *end && messages[i].ended >= messages[i].began);
		*end = messages[i].ended;
		bytes -= messages[i].bytes;
	}
	fuzz_require(fabs(bytes) < 1e-3);
	return kept;
}

void
fuzz_step_phases(L4Bytes input)
{
	static L4StepMessage messages[MOST_RECORDS];
	static L4StepMessage others[MOST_RECORDS];
	double		ends[MOST_STEPS + 1] = {0};
	int64		steps = fuzz_byte(&input) % MOST_STEPS;
	double		pause = fuzz_byte(&input) / 64.0;
	double		whole = fuzz_byte(&input) % 3 / 2.0;
	double		overdue;
	double		last = -INFINITY;
	int64		count;

	for (int64 i = 0; i <= steps; i++)
		ends[i] = (i > 0 ? ends[i - 1] : 0) + fuzz_byte(&input) / 8.0;
	count = read_step_messages(&input, messages);
	for (int64 i = 0; i < count; i++)
		others[i] = messages[count - 1 - i];
	step_messages_sort(messages, count);
	step_messages_sort(others, count);
	for (int64 i = 0; i < count; i++)
	{
		fuzz_require(messages[i].began == others[i].began && messages[i].ended == others[i].ended &&
			messages[i].peer == others[i].peer && messages[i].sent == others[i].sent && messages[i].bytes == others[i].bytes &&
			messages[i].busy == others[i].busy);
		last = messages[i].sent ? messages[i].began : last;
	}
	check_phases(messages, count, pause, whole);
	check_places(messages, count, ends, steps + 1);
	overdue = step_overdue(messages, count, ends, steps);
	fuzz_require(overdue == -INFINITY || (isfinite(overdue) && overdue >= last));
	count = check_join(messages, count);
	check_work(messages, count, ends, steps);
}
