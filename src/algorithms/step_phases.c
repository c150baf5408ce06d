/*
 * step_phases.c: steps from messages: phases of data-parallel traffic, and the work between them.
 *
 * How long an accelerator computes cannot be seen, but when it had what it needed, and when it sent on what it made of it. In
 * between it may have waited for nothing: waiting for others is not counted, so that a slow accelerator is told from those that
 * wait for it.
 */
#include "algorithms/step_phases.h"

#include <math.h>

#include "algorithms/robust.h"
#include "miscadmin.h"
#include "tools/order.h"

/* An accelerator has two neighbours in a pipeline, or one. Of more, the first so many are looked at. */
#define MOST_PEERS 16
/* A message so many times as large as any other is two that a collector joined. */
#define JOINED 1.5

static inline int
compare_messages(const L4StepMessage *x, const L4StepMessage *y)
{
	if (x->began != y->began)
		return x->began < y->began ? -1 : 1;
	if (x->ended != y->ended)
		return x->ended < y->ended ? -1 : 1;
	if (x->sent != y->sent)
		return x->sent ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	if (x->busy != y->busy)
		return x->busy < y->busy ? -1 : 1;
	return (x->peer > y->peer) - (x->peer < y->peer);
}

/* The end of the messages in order that begin at a place. */
static int64
end_of_run(const L4StepMessage *messages, int64 from, int64 count)
{
	int64		end = Min(from + 1, count);

	while (end < count && compare_messages(messages + end - 1, messages + end) <= 0)
		end++;
	return end;
}

/* Two runs, the second behind the first, as one. */
static void
merge_runs(const L4StepMessage *messages, int64 from, int64 second, int64 end, L4StepMessage *merged)
{
	int64		i = from;
	int64		j = second;

	for (int64 k = from; k < end; k++)
		merged[k] = messages[j == end || (i < second && compare_messages(messages + i, messages + j) <= 0) ? i++ : j++];
}

/* Merges runs in pairs, until there is one: what goes one way between two is in order. */
void
step_messages_sort(L4StepMessage *messages, int64 count)
{
	L4StepMessage *from = messages;
	L4StepMessage *to = NULL;
	L4StepMessage *other;

	while (end_of_run(from, 0, count) < count)
	{
		int64		end;

		CHECK_FOR_INTERRUPTS();
		if (to == NULL)
			to = MemoryContextAllocHuge(CurrentMemoryContext, count * sizeof(L4StepMessage));
		for (int64 at = 0; at < count; at = end)
		{
			int64		second = end_of_run(from, at, count);

			end = end_of_run(from, second, count);
			merge_runs(from, at, second, end, to);
		}
		other = from;
		from = to;
		to = other;
	}
	if (from != messages)
	{
		memcpy(messages, from, count * sizeof(L4StepMessage));
		to = from;
	}
	if (to != NULL)
		pfree(to);
}

int64
step_messages_join(L4StepMessage *messages, int64 count, int32 peers)
{
	int64	   *last = MemoryContextAllocHuge(CurrentMemoryContext, 2 * (peers + 1) * sizeof(int64));
	int64		kept = 0;

	for (int32 i = 0; i < 2 * (peers + 1); i++)
		last[i] = -1;
	for (int64 i = 0; i < count; i++)
	{
		const L4StepMessage *m = messages + i;
		int64	   *place = last + 2 * m->peer + m->sent;

		if (*place >= 0 && m->began < messages[*place].ended)
		{
			messages[*place].ended = Max(messages[*place].ended, m->ended);
			messages[*place].bytes += m->bytes;
			messages[*place].busy = Max(messages[*place].busy, m->busy);
			continue;
		}
		messages[kept] = *m;
		*place = kept++;
	}
	pfree(last);
	return kept;
}

static double
usual_bytes(const L4StepPhase *phases, int64 count)
{
	double	   *bytes = MemoryContextAllocHuge(CurrentMemoryContext, count * sizeof(double));
	double		usual;

	for (int64 i = 0; i < count; i++)
		bytes[i] = phases[i].bytes;
	usual = robust_upper_median(bytes, count);
	pfree(bytes);
	return usual;
}

int64
step_phases(const L4StepMessage *messages, int64 count, double pause, double whole, L4StepPhase *phases)
{
	int64		found = 0;
	bool		sent = false;

	for (int64 i = 0; i < count; i++)
	{
		const L4StepMessage *m = messages + i;

		if (found == 0 || m->began - phases[found - 1].ended >= pause)
		{
			phases[found++] = (L4StepPhase) {m->began, m->ended, 0};
			sent = false;
		}
		if (m->sent && !sent)
			phases[found - 1].began = m->began;
		sent |= m->sent;
		phases[found - 1].ended = Max(phases[found - 1].ended, m->ended);
		phases[found - 1].bytes += m->bytes;
	}
	if (found > 1 && phases[found - 1].bytes < whole * usual_bytes(phases, found))
		found--;
	return found;
}

/* ---- work ---- */

typedef struct Step
{
	const L4StepMessage *messages;
	int64		first;			/* message of the step */
	int64		end;			/* the first behind it */
	int64		got[MOST_PEERS];	/* the place of the next message got from each peer that was not yet taken */
	int			peers;
} Step;

/* The next message got from a peer, at or behind a place; the step's end if there is none. */
static int64
next_got(const Step *step, int32 peer, int64 place)
{
	while (place < step->end && (step->messages[place].sent || step->messages[place].peer != peer))
		place++;
	return place;
}

/* When what a message was made of was there, or -INFINITY: from another peer's messages, else from its receiver's own. */
static double
was_ready(Step *step, const L4StepMessage *sent)
{
	int32		from = Min(sent->peer, MOST_PEERS - 1);
	double		at = -INFINITY;

	for (int32 peer = 0; peer < step->peers; peer++)
		if (peer != sent->peer && step->got[peer] < step->end)
			from = peer;
	if (step->got[from] >= step->end || step->messages[step->got[from]].ended > sent->began)
		return at;
	at = step->messages[step->got[from]].ended;
	step->got[from] = next_got(step, from, step->got[from] + 1);
	return at;
}

/* How many messages of a step were sent, and got from each peer, by which its schedule is known again. */
typedef struct Counts
{
	int64		sent;
	int64		got[MOST_PEERS];
} Counts;

/*
 * What had come whenever so many messages of a step had been sent, in steps of one schedule. With virtual stages the first and
 * the last one of a pipeline get from either side what they send on to either, so that the order of messages does not tell
 * what each was made of; but a message is not sent before what it is made of is there, in no step.
 */
typedef struct Schedule
{
	Counts		counts;
	int64	   *come[MOST_PEERS];	/* from each peer, before each message sent */
} Schedule;

static Counts
count_messages(const Step *step)
{
	Counts		counts = {0};

	for (int64 i = step->first; i < step->end; i++)
		if (step->messages[i].sent)
			counts.sent++;
		else
			counts.got[Min(step->messages[i].peer, MOST_PEERS - 1)]++;
	return counts;
}

/* Is more or less sent to one of two peers than is got from the other? Then order does not tell what a message is made of. */
static bool
is_unordered(const Step *step)
{
	int64		surplus[2] = {0};

	if (step->peers != 2)
		return false;
	for (int64 i = step->first; i < step->end; i++)
		surplus[step->messages[i].sent ? step->messages[i].peer : 1 - step->messages[i].peer] +=
			step->messages[i].sent ? 1 : -1;
	return surplus[0] != 0 || surplus[1] != 0;
}

/* Takes in what had come in a step before each message that was sent. */
static void
learn_schedule(Step *step, Schedule *schedule)
{
	int64		sent = 0;

	for (int32 peer = 0; peer < step->peers; peer++)
	{
		int64		come = 0;

		step->got[peer] = next_got(step, peer, step->first);
		sent = 0;
		for (int64 i = step->first; i < step->end; i++)
		{
			if (!step->messages[i].sent)
				continue;
			for (; step->got[peer] < step->end && step->messages[step->got[peer]].ended <= step->messages[i].began; come++)
				step->got[peer] = next_got(step, peer, step->got[peer] + 1);
			schedule->come[peer][sent] = Min(schedule->come[peer][sent], come);
			sent++;
		}
	}
}

/* When what the sent-th message of a step was made of was there: the last of what is not always there for the one before. */
static double
was_ready_by(Step *step, const Schedule *schedule, int64 sent, int64 *taken)
{
	double		at = -INFINITY;

	for (int32 peer = 0; peer < step->peers; peer++)
		for (; taken[peer] < schedule->come[peer][sent]; taken[peer]++)
		{
			at = Max(at, step->messages[step->got[peer]].ended);
			step->got[peer] = next_got(step, peer, step->got[peer] + 1);
		}
	return at;
}

/* schedule: NULL where order tells what messages are made of. */
static void
work_of_step(Step *step, const Schedule *schedule, double began, double closes, L4StepWork *work)
{
	double		free = began;
	double		last_got = began;
	double		ready;
	int64		sent = 0;
	int64		taken[MOST_PEERS] = {0};

	for (int32 peer = 0; peer < step->peers; peer++)
		step->got[peer] = next_got(step, peer, step->first);
	for (int64 i = step->first; i < step->end; i++)
	{
		const L4StepMessage *m = step->messages + i;

		if (!m->sent)
		{
			last_got = m->ended <= closes ? Max(last_got, m->ended) : last_got;
			continue;
		}
		ready = schedule != NULL ? was_ready_by(step, schedule, sent++, taken) : was_ready(step, m);
		free = Max(free, ready);
		work->computed += Max(0, m->began - free);
		work->sent += m->busy;
		free = Max(free, m->began);
	}
	work->closing = Max(0, closes - Max(free, last_got));
	work->computed += work->closing;
}

/* The messages of the step that begins and ends so, behind those of the one before. */
static void
next_step(Step *step, int64 message_count, double began, double ended)
{
	for (step->first = step->end; step->first < message_count && step->messages[step->first].began < began; step->first++)
		;
	for (step->end = step->first; step->end < message_count && step->messages[step->end].began < ended; step->end++)
		;
}

/* The schedule of most steps, if there are most, without what had come; false where order tells what was made of what. */
static bool
choose_schedule(Step step, int64 message_count, const double *ends, int64 count, Schedule *schedule)
{
	int64		votes = 0;
	bool		unordered = false;

	for (int64 i = 0; i < count; i++)
	{
		Counts		counts;

		next_step(&step, message_count, ends[i], ends[i + 1]);
		counts = count_messages(&step);
		if (votes == 0)
		{
			schedule->counts = counts;
			unordered = is_unordered(&step);
		}
		votes += memcmp(&counts, &schedule->counts, sizeof(Counts)) == 0 ? 1 : -1;
	}
	return unordered;
}

/* NULL where order tells what messages are made of. */
static Schedule *
find_schedule(Step step, int64 message_count, const double *ends, int64 count)
{
	Schedule   *schedule = palloc0(sizeof(Schedule));

	if (!choose_schedule(step, message_count, ends, count, schedule))
		return NULL;
	for (int32 peer = 0; peer < step.peers; peer++)
	{
		schedule->come[peer] = MemoryContextAllocHuge(CurrentMemoryContext, (schedule->counts.sent + 1) * sizeof(int64));
		for (int64 i = 0; i < schedule->counts.sent; i++)
			schedule->come[peer][i] = schedule->counts.got[peer];
	}
	for (int64 i = 0; i < count; i++)
	{
		Counts		counts;

		CHECK_FOR_INTERRUPTS();
		next_step(&step, message_count, ends[i], ends[i + 1]);
		counts = count_messages(&step);
		if (memcmp(&counts, &schedule->counts, sizeof(Counts)) == 0)
			learn_schedule(&step, schedule);
	}
	return schedule;
}

/* Of how many messages a step usually has, the greater numbers: each is there in a quarter of the steps, or exceeded. */
static Counts
usual_counts(Step step, int64 message_count, const double *ends, int64 count)
{
	double	   *numbers = MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * (MOST_PEERS + 1) * sizeof(double));
	Counts		usual = {0};

	for (int64 i = 0; i < count; i++)
	{
		Counts		counts;

		next_step(&step, message_count, ends[i], ends[i + 1]);
		counts = count_messages(&step);
		for (int32 peer = 0; peer < MOST_PEERS; peer++)
			numbers[peer * count + i] = counts.got[peer];
		numbers[MOST_PEERS * count + i] = counts.sent;
	}
	for (int32 column = 0; count > 0 && column <= MOST_PEERS; column++)
		*(column < MOST_PEERS ? &usual.got[column] : &usual.sent) =
			(int64) select_double(numbers + column * count, count, count - 1 - count / 4);
	pfree(numbers);
	return usual;
}

/* Are messages missing? Then order does not tell what the others are made of. */
static bool
lacks_messages(const Counts *counts, const Counts *usual)
{
	bool		lacks = counts->sent < usual->sent;

	for (int32 peer = 0; peer < MOST_PEERS; peer++)
		lacks |= counts->got[peer] < usual->got[peer];
	return lacks;
}

void
step_work(const L4StepMessage *messages, int64 message_count, const double *ends, const double *closes, int64 count,
		  L4StepWork *work)
{
	Step		step = {.messages = messages};
	Schedule   *schedule;
	Counts		usual;

	for (int64 i = 0; i < message_count; i++)
		step.peers = Max(step.peers, Min(messages[i].peer + 1, MOST_PEERS));
	usual = usual_counts(step, message_count, ends, count);
	schedule = find_schedule(step, message_count, ends, count);
	for (int64 i = 0; i < count; i++)
	{
		Counts		counts;
		Schedule   *like;

		CHECK_FOR_INTERRUPTS();
		work[i] = (L4StepWork) {0};
		next_step(&step, message_count, ends[i], ends[i + 1]);
		counts = count_messages(&step);
		like = schedule != NULL && memcmp(&counts, &schedule->counts, sizeof(Counts)) == 0 ? schedule : NULL;
		work_of_step(&step, like, ends[i], closes[i], work + i);
		if (lacks_messages(&counts, &usual))
			work[i].closing = NAN;
	}
}

/* ---- silence ---- */

/* What was sent, in order, and where that of each step (and of what follows the last) begins. */
static int64
sendings_by_step(const L4StepMessage *messages, int64 message_count, const double *ends, int64 end_count,
				 const L4StepMessage **sendings, int64 *firsts)
{
	int64		sent = 0;
	int64		step = 0;

	for (int64 i = 0; i < message_count; i++)
	{
		if (!messages[i].sent)
			continue;
		while (step < end_count && messages[i].began >= ends[step])
			firsts[step++] = sent;
		sendings[sent++] = messages + i;
	}
	while (step < end_count)
		firsts[step++] = sent;
	return sent;
}

/* The place behind those with which so much of a step was sent, from its first one on; -1: there is less. */
static int64
place_behind(const L4StepMessage **sendings, int64 first, int64 end, double bytes)
{
	double		passed = 0;

	for (int64 i = first; i < end; i++)
	{
		if (passed + 0.5 * sendings[i]->bytes > bytes)
			return i;
		passed += sendings[i]->bytes;
	}
	/* the last one may be a little smaller */
	return end > first && passed + 0.5 * sendings[end - 1]->bytes > bytes ? end : -1;
}

/* The most bytes of one. */
static double
largest(const L4StepMessage **sendings, int64 first, int64 end)
{
	double		bytes = 0;

	for (int64 i = first; i < end; i++)
		bytes = Max(bytes, sendings[i]->bytes);
	return bytes;
}

/*
 * Are as many sent in most steps, whatever their bytes, and is what came since each one message, none as large as two? scratch:
 * room for as many numbers as steps.
 */
static bool
counts_repeat(const L4StepMessage **sendings, int64 sent, const int64 *firsts, int64 count, double *scratch)
{
	double		median;
	int64		like = 0;

	for (int64 step = 0; step < count; step++)
		scratch[step] = (double) (firsts[step + 1] - firsts[step]);
	median = robust_upper_median(scratch, count);
	for (int64 step = 0; step < count; step++)
		like += firsts[step + 1] - firsts[step] == (int64) median;
	return 2 * like > count
		&& largest(sendings, firsts[count], sent) < JOINED * largest(sendings, firsts[0], firsts[count]);
}

/*
 * The place behind the one that began closest to `since` seconds after its step did, if that is behind `place`: the count of a
 * link of which records were lost is behind for good, and what came last tells that it went on.
 */
static int64
place_by_time(const L4StepMessage **sendings, int64 place, int64 end, double began, double since)
{
	while (place < end && fabs(sendings[place]->began - began - since) < fabs(sendings[place - 1]->began - began - since))
		place++;
	return place;
}

double
step_overdue(const L4StepMessage *messages, int64 message_count, const double *ends, int64 count)
{
	const L4StepMessage **sendings = MemoryContextAllocHuge(CurrentMemoryContext, (message_count + 1) * sizeof(*sendings));
	double	   *usual = MemoryContextAllocHuge(CurrentMemoryContext, (count + 1) * sizeof(double));
	int64	   *firsts = MemoryContextAllocHuge(CurrentMemoryContext, (count + 1) * sizeof(int64));
	int64		sent = sendings_by_step(messages, message_count, ends, count + 1, sendings, firsts);
	double		bytes = 0;
	int64		known = 0;
	bool		by_count;

	if (sent == 0)
		return -INFINITY;
	for (int64 i = firsts[count]; i < sent; i++)
		bytes += sendings[i]->bytes;
	by_count = count > 0 && counts_repeat(sendings, sent, firsts, count, usual);
	for (int64 step = 0; step < count; step++)
	{
		int64		first = firsts[step];
		int64		end = firsts[step + 1];
		int64		next = by_count ? first + sent - firsts[count] : place_behind(sendings, first, end, bytes);

		if (next > first && next <= end)
			next = place_by_time(sendings, next, end, ends[step], sendings[sent - 1]->began - ends[count]);
		if (next > 0 && next <= end && next < sent)
			usual[known++] = sendings[next]->began - sendings[next - 1]->ended;
	}
	if (known == 0)
		return -INFINITY;
	return Max(sendings[sent - 1]->began, sendings[sent - 1]->ended + robust_upper_median(usual, known));
}

void
step_places(const double *times, int64 count, const double *reference, int64 reference_count, double tolerance, int32 *places)
{
	int64		j = 0;

	for (int64 i = 0; i < count; i++)
	{
		while (j + 1 < reference_count && fabs(reference[j + 1] - times[i]) <= fabs(reference[j] - times[i]))
			j++;
		places[i] = reference_count > 0 && fabs(reference[j] - times[i]) <= tolerance ? (int32) (j + 1) : 0;
	}
}
