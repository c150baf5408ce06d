/*
 * exchanges.c: who is slow among those who exchange with each other, all with all.
 *
 * Nobody can go on before it has got what all others send it. So in each exchange all wait for the last one to send, take up
 * computing at about the same moment, and who computes longer is the last to send in the next one, too. That is what is
 * compared: the time from when one had all of an exchange to when it sends in the next. As nobody begins an exchange before
 * all have sent in the one before, a member that begins again begins the next one.
 *
 * What members on one server send each other is not seen, but each of them sends to all at one time: none had all before the
 * last one on its server began to send. To who got more tokens than the others the time for these is not held against.
 */
#include "algorithms/exchanges.h"

#include <math.h>

#include "algorithms/robust.h"
#include "tools/order.h"
#include "utils/memutils.h"

/* In less than this share of the usual silence nothing is computed between exchanges. */
#define PART 0.35
/* An exchange tells where so many of its members are seen, a share. */
#define SEEN 0.5
/* A step tells by so many exchanges. */
#define EXCHANGES 3

static double *
numbers(int64 count)
{
	return MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof(double));
}

/* The number in the middle, of an even number the lower one, of so many (at least one), whose order changes. */
static double
lower_median(double *values, int64 count)
{
	return select_double(values, count, (count - 1) / 2);
}

/* ---- the exchanges of one accelerator ---- */

/* The shortest silence in which something is computed: a part of what usually lies between its sendings; INFINITY: none. */
static double
least_silence(const L4StepMessage *messages, int64 count, int32 others, double pause)
{
	double	   *silences = numbers(count);
	double		until = INFINITY;
	double		least;
	int64		found = 0;

	for (int64 i = 0; i < count; i++)
	{
		if (!messages[i].sent || messages[i].peer < others)
			continue;
		if (messages[i].began - until > pause)
			silences[found++] = messages[i].began - until;
		until = isinf(until) ? messages[i].ended : Max(until, messages[i].ended);
	}
	least = found == 0 ? INFINITY : PART * robust_upper_median(silences, found);
	pfree(silences);
	return least;
}

/* In which step all of the time before each exchange lies, if nothing but computing is done there. */
static void
number_steps(L4Exchange *exchanges, int64 count, const double *ends, const double *closes, int64 steps)
{
	int64		step = 0;

	for (int64 i = 0; i < count; i++)
	{
		L4Exchange *x = &exchanges[i];

		while (step < steps && ends[step + 1] <= x->began)
			step++;
		if (step == steps || !(x->since >= ends[step] && x->began <= closes[step]))
			x->step = 0;
		else if (x->step != 0)
			x->step = (int32) step + 1;
	}
}

/* What went to and from one accelerator in an exchange. */
typedef struct Passed
{
	double		until;			/* when all of it was through; -INFINITY: nothing yet */
	double		got;			/* bytes */
} Passed;

static void
pass(Passed *passed, const L4StepMessage *m)
{
	passed->until = Max(passed->until, m->ended);
	if (!m->sent)
		passed->got += m->bytes;
}

int64
exchanges_of(const L4StepMessage *messages, int64 count, int32 peers, int32 others, double pause, const double *ends,
			 const double *closes, int64 steps, L4Exchange *exchanges)
{
	const Passed nothing = {-INFINITY, 0};
	const double least = least_silence(messages, count, others, pause);
	int64	   *sent = palloc0(Max(peers, 1) * sizeof(int64));	/* to each peer, in which exchange, from 1 */
	int64	   *got = palloc0(Max(peers, 1) * sizeof(int64));
	Passed		now = nothing;
	Passed		ahead = nothing;	/* who is late gets what is of the next exchange before it sends in that itself */
	double		came = -INFINITY;
	int64		found = 0;

	for (int64 i = 0; i < count; i++)
	{
		const L4StepMessage *m = &messages[i];
		const bool	computed = m->began - now.until > least;

		if (m->peer < others)
			came = Max(came, m->ended);
		else if (m->sent)
		{
			if (found == 0 || (sent[m->peer] == found && computed))
			{
				exchanges[found] = (L4Exchange) {m->began, found == 0 ? NAN : now.until, now.got, !(came > now.until)};
				found++;
				now = ahead;
				ahead = nothing;
			}
			sent[m->peer] = found;
			pass(&now, m);
		}
		else if (got[m->peer] >= found && computed)
		{
			got[m->peer] = found + 1;
			pass(&ahead, m);
		}
		else
		{
			got[m->peer] = found;
			pass(&now, m);
		}
	}
	pfree(sent);
	pfree(got);
	number_steps(exchanges, found, ends, closes, steps);
	return found;
}

/* ---- all members ---- */

/* An exchange of a member, among those of all. */
typedef struct Beginning
{
	const L4Exchange *exchange;
	int32		member;
	int64		place;			/* among all of all members, one after another */
	double		computed;		/* NAN: not told */
} Beginning;

static int
compare_beginnings(const void *a, const void *b)
{
	const Beginning *x = a;
	const Beginning *y = b;

	if (x->exchange->began != y->exchange->began)
		return x->exchange->began < y->exchange->began ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static Beginning *
all_beginnings(const L4ExchangeMember *members, int32 count, int64 *total)
{
	Beginning  *all;
	int64		place = 0;

	*total = 0;
	for (int32 i = 0; i < count; i++)
		*total += members[i].count;
	all = MemoryContextAllocHuge(CurrentMemoryContext, Max(*total, 1) * sizeof(Beginning));
	for (int32 i = 0; i < count; i++)
		for (int64 k = 0; k < members[i].count; k++, place++)
			all[place] = (Beginning) {&members[i].exchanges[k], i, place, NAN};
	qsort(all, *total, sizeof(Beginning), compare_beginnings);
	return all;
}

/* What passes from one exchange to the next. */
typedef struct Walk
{
	const L4ExchangeMember *members;
	int32		count;
	int64	   *seen;			/* of each member: the place behind its last beginning */
	double	   *sent;			/* of each server: when the last of its members began the exchange before this */
	double	   *sends;			/* and this */
	double	   *values;			/* room for one of each member */
} Walk;

/* How many of these beginnings are of one exchange: until a member begins again. */
static int64
one_exchange(Walk *walk, const Beginning *all, int64 from, int64 total)
{
	int64		to = from;

	for (; to < total && walk->seen[all[to].member] <= from; to++)
		walk->seen[all[to].member] = to + 1;
	return to - from;
}

/* What each computed before this exchange; returns what is usual, NAN where too few tell. */
static double
compute_of(Walk *walk, Beginning *all, int64 count)
{
	double	   *swapped = walk->sent;
	int64		told = 0;

	for (int32 i = 0; i < walk->count; i++)
		walk->sends[i] = -INFINITY;
	for (int64 i = 0; i < count; i++)
	{
		const L4Exchange *x = all[i].exchange;
		int32		server = walk->members[all[i].member].server;
		double		computed = x->began - Max(x->since, walk->sent[server]);

		walk->sends[server] = Max(walk->sends[server], x->began);
		if (x->step == 0 || !(computed > 0))
			continue;
		walk->values[told++] = all[i].computed = computed;
	}
	walk->sent = walk->sends;
	walk->sends = swapped;
	return told >= 2 && told >= SEEN * walk->count ? lower_median(walk->values, told) : NAN;
}

/* What the members that tell usually got before this exchange. */
static double
usual_bytes(Walk *walk, const Beginning *all, int64 count)
{
	int64		told = 0;

	for (int64 i = 0; i < count; i++)
		if (!isnan(all[i].computed))
			walk->values[told++] = all[i].exchange->got;
	return lower_median(walk->values, told);
}

/* By how much longer each one computed, in late[], by the place of the exchange. */
static void
compare_exchange(Walk *walk, const Beginning *all, int64 count, double usual, double *late)
{
	double		bytes = usual_bytes(walk, all, count);

	for (int64 i = 0; i < count; i++)
	{
		double		more = all[i].exchange->got > bytes && bytes > 0 ? log(all[i].exchange->got / bytes) : 0;

		late[all[i].place] = log(all[i].computed / usual) - more;
	}
}

static Walk
walk_of(const L4ExchangeMember *members, int32 count)
{
	Walk		walk = {members, count};

	walk.seen = palloc0(Max(count, 1) * sizeof(int64));
	walk.sent = numbers(count);
	walk.sends = numbers(count);
	walk.values = numbers(count);
	for (int32 i = 0; i < count; i++)
		walk.sent[i] = -INFINITY;
	return walk;
}

/* By how much longer each member computed before each of its exchanges; NAN where that is not told. */
static double *
lateness(const L4ExchangeMember *members, int32 count)
{
	Walk		walk = walk_of(members, count);
	int64		total;
	Beginning  *all = all_beginnings(members, count, &total);
	double	   *late = numbers(total);
	double	   *usual = numbers(total);	/* of each exchange, where it begins */
	double	   *sorted = numbers(total);
	int64	   *sizes = MemoryContextAllocHuge(CurrentMemoryContext, Max(total, 1) * sizeof(int64));
	int64		told = 0;
	double		least;

	for (int64 from = 0; from < total; from += sizes[from])
	{
		sizes[from] = one_exchange(&walk, all, from, total);
		usual[from] = compute_of(&walk, all + from, sizes[from]);
		if (!isnan(usual[from]))
			sorted[told++] = usual[from];
	}
	least = PART * robust_upper_median(sorted, told);
	for (int64 i = 0; i < total; i++)
		late[i] = NAN;
	for (int64 from = 0; from < total; from += sizes[from])
		if (usual[from] >= least)
			compare_exchange(&walk, all + from, sizes[from], usual[from], late);
	pfree(all);
	pfree(usual);
	pfree(sorted);
	pfree(sizes);
	return late;
}

/* The steps of one member, by how late it is in each exchange. */
static void
behind_of(const L4ExchangeMember *member, const double *late, int64 steps, double *behind)
{
	double	   *values = numbers(member->count);
	int64		to;

	for (int64 i = 0; i < steps; i++)
		behind[i] = NAN;
	for (int64 from = 0; from < member->count; from = to)
	{
		int32		step = member->exchanges[from].step;
		int64		told = 0;

		/* those without a step are in between */
		for (to = from; to < member->count && (member->exchanges[to].step == step || member->exchanges[to].step == 0); to++)
			if (!isnan(late[to]))
				values[told++] = late[to];
		if (step < 1 || step > steps || told < EXCHANGES)
			continue;
		behind[step - 1] = select_double(values, told, told / 4);
	}
	pfree(values);
}

void
exchanges_behind(const L4ExchangeMember *members, int32 count, int64 steps, double *behind)
{
	double	   *late = lateness(members, count);
	int64		place = 0;

	for (int32 i = 0; i < count; i++)
	{
		behind_of(&members[i], late + place, steps, behind + i * steps);
		place += members[i].count;
	}
	pfree(late);
}
