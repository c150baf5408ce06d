/*
 * exchanges.c: who is slow among those who exchange with each other, all with all.
 *
 * Nobody can go on before it has got what all others send it. So in each exchange all wait for the last one to send, take up
 * computing at about the same moment, and who computes longer is the last to send in the next one, too. That is what is
 * compared: the time from when one had all of an exchange to when it sends in the next. As nobody begins an exchange before
 * all have sent in the one before, a member that begins again begins the next one, or has begun something besides.
 *
 * Whose experts get few tokens for good computes less than the others, and may still do so while it is slow, though it needs
 * longer than in the same turn of its other steps, where the others do not. So it is compared in both ways.
 *
 * What members on one server send each other is not seen, but each of them sends to all at one time: none had all before the
 * last one on its server began to send. To who got more tokens than the others the time for these is not held against.
 */
#include "algorithms/exchanges.h"

#include <math.h>

#include "algorithms/robust.h"
#include "miscadmin.h"
#include "tools/order.h"
#include "tools/room.h"
#include "utils/memutils.h"

/* In less than this share of the usual silence nothing is computed between exchanges. */
#define PART 0.35
/* An exchange tells where so many of its members are seen, a share. */
#define SEEN 0.5
/* A step tells by so many exchanges. */
#define EXCHANGES 3
/* So many steps tell what is usual in one of their turns. */
#define STEPS 8

static double *
numbers(int64 count)
{
	return room_for(count, sizeof(double));
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

/* In which step all of the time before each exchange lies, if nothing but computing is done there; and its turn. */
static void
number_steps(L4Exchange *exchanges, int64 count, const double *ends, const double *closes, int64 steps)
{
	int64		step = -1;
	int32		turn = 0;

	for (int64 i = 0; i < count; i++)
	{
		L4Exchange *x = &exchanges[i];

		for (; steps > 0 && step < steps && ends[step + 1] <= x->began; step++)
			turn = 0;
		x->turn = turn++;
		if (step < 0 || step == steps || !(x->since >= ends[step] && x->began <= closes[step]))
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
				exchanges[found] = (L4Exchange) {m->began, found == 0 ? NAN : now.until, now.got, !(came > now.until), 0};
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
all_beginnings(const L4ExchangeMember *members, int32 count, int64 total)
{
	Beginning  *all = room_for(total, sizeof(Beginning));
	int64		place = 0;

	for (int32 i = 0; i < count; i++)
		for (int64 k = 0; k < members[i].count; k++, place++)
			all[place] = (Beginning) {&members[i].exchanges[k], i, place, NAN};
	qsort(all, total, sizeof(Beginning), compare_beginnings);
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

/* What is told of each exchange, by its place. */
typedef struct Lateness
{
	double	   *beside;			/* by how much longer its member computed than others */
	double	   *own;			/* the same beside what each of them usually does; before that is known, what is usual */
	double	   *bytes;			/* what its member usually got before it */
} Lateness;

/* Behind the longest time between two beginnings that follow each other, of those behind one place up to another. */
static int64
longest_time(const Beginning *all, int64 from, int64 to)
{
	int64		behind = to;

	for (int64 i = to - 1; i > from; i--)
		if (all[i].exchange->began - all[i - 1].exchange->began > all[behind].exchange->began - all[behind - 1].exchange->began)
			behind = i;
	return behind;
}

/*
 * How many of these beginnings are of one exchange: until a member begins again. What it began before may have been no exchange
 * of all, as where gradients go beside tokens: the next one begins after the longest time since, in which all compute.
 */
static int64
one_exchange(Walk *walk, const Beginning *all, int64 from, int64 total)
{
	int64		to = from;
	int64		next;

	for (; to < total && walk->seen[all[to].member] <= from; to++)
		walk->seen[all[to].member] = to + 1;
	if (to == total)
		return to - from;
	next = longest_time(all, walk->seen[all[to].member] - 1, to);
	for (int64 i = next; i < to; i++)
		walk->seen[all[i].member] = 0;
	return next - from;
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

/* The logarithm of what there is more than usual; 0 for less. */
static double
log_more(double bytes, double usual)
{
	return bytes > usual && usual > 0 ? log(bytes / usual) : 0;
}

/* By how much longer each one computed than the others, in late->beside, by the place of the exchange. */
static void
compare_exchange(Walk *walk, const Beginning *all, int64 count, double usual, Lateness *late)
{
	double		bytes = usual_bytes(walk, all, count);

	for (int64 i = 0; i < count; i++)
		late->beside[all[i].place] = log(all[i].computed / usual) - log_more(all[i].exchange->got, bytes);
}

/* By how much longer each one computed than it usually does, less what the others did, in late->own: what it usually does. */
static void
compare_with_own(Walk *walk, const Beginning *all, int64 count, bool tells, Lateness *late)
{
	int64		told = 0;
	double		usual;

	for (int64 i = 0; i < count; i++)
	{
		double	   *own = &late->own[all[i].place];

		*own = log(all[i].computed) - *own;
		if (!isnan(*own))
			walk->values[told++] = *own;
	}
	usual = tells && told >= 2 && told >= SEEN * walk->count ? lower_median(walk->values, told) : NAN;
	for (int64 i = 0; i < count; i++)
		late->own[all[i].place] -= usual + log_more(all[i].exchange->got, late->bytes[all[i].place]);
}

/* Where the steps begin that have as many turns as most have; how many there are, and turns. */
static int64
usual_steps(const L4ExchangeMember *member, double *room, int64 *starts, int32 *turns)
{
	int64		steps = 0;
	int64		alike = 0;
	int64		from = 0;

	for (int64 to = 1; to <= member->count; to++)
		if (to == member->count || member->exchanges[to].turn == 0)
		{
			starts[steps] = from;
			room[steps++] = to - from;
			from = to;
		}
	*turns = (int32) robust_upper_median(room, steps);
	for (int64 i = 0; i < steps; i++)
		if ((i + 1 < steps ? starts[i + 1] : member->count) - starts[i] == *turns)
			starts[alike++] = starts[i];
	return alike;
}

/*
 * What a member usually computes (own, the logarithm) and gets (bytes) before its exchanges, by the same turn of other steps;
 * computed: what it did. It may be slow in most of them, and is quick in a quarter.
 */
static void
usual_of_turns(const L4ExchangeMember *member, const double *computed, double *own, double *bytes)
{
	double	   *values = numbers(member->count);
	double	   *got = numbers(member->count);
	int64	   *starts = room_for(member->count, sizeof(int64));
	int32		turns;
	int64		steps = usual_steps(member, values, starts, &turns);

	for (int64 i = 0; i < member->count; i++)
		own[i] = bytes[i] = NAN;
	for (int32 turn = 0; turn < turns; turn++)
	{
		int64		told = 0;

		for (int64 i = 0; i < steps; i++)
			if (!isnan(computed[starts[i] + turn]))
			{
				values[told] = log(computed[starts[i] + turn]);
				got[told++] = member->exchanges[starts[i] + turn].got;
			}
		if (told < STEPS)
			continue;
		for (int64 i = 0; i < steps; i++)
		{
			own[starts[i] + turn] = select_double(values, told, told / 4);
			bytes[starts[i] + turn] = robust_upper_median(got, told);
		}
	}
	pfree(values);
	pfree(got);
	pfree(starts);
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

/* By how much longer each member computed before each of its exchanges, in all of late; NAN where that is not told. */
static void
find_lateness(const L4ExchangeMember *members, int32 count, int64 total, Lateness *late)
{
	Walk		walk = walk_of(members, count);
	Beginning  *all = all_beginnings(members, count, total);
	double	   *computed = late->beside;
	double	   *usual = numbers(total);	/* of each exchange, where it begins */
	double	   *sorted = numbers(total);
	int64	   *sizes = room_for(total, sizeof(int64));
	int64		told = 0;
	int64		place = 0;
	double		least;

	for (int64 from = 0; from < total; from += sizes[from])
	{
		CHECK_FOR_INTERRUPTS();
		sizes[from] = one_exchange(&walk, all, from, total);
		usual[from] = compute_of(&walk, all + from, sizes[from]);
		if (!isnan(usual[from]))
			sorted[told++] = usual[from];
	}
	least = PART * robust_upper_median(sorted, told);
	for (int64 i = 0; i < total; i++)
		computed[all[i].place] = all[i].computed;
	for (int32 i = 0; i < count; place += members[i++].count)
		usual_of_turns(&members[i], computed + place, late->own + place, late->bytes + place);
	for (int64 from = 0; from < total; from += sizes[from])
	{
		compare_exchange(&walk, all + from, sizes[from], usual[from] >= least ? usual[from] : NAN, late);
		compare_with_own(&walk, all + from, sizes[from], usual[from] >= least, late);
	}
	pfree(all);
	pfree(usual);
	pfree(sorted);
	pfree(sizes);
}

/* By how much it is late in three quarters of so many exchanges, whose lateness is told where it is not NAN. */
static double
late_in_most(const double *late, int64 count, double *room)
{
	int64		told = 0;

	for (int64 i = 0; i < count; i++)
		if (!isnan(late[i]))
			room[told++] = late[i];
	return told < EXCHANGES ? NAN : select_double(room, told, told / 4);
}

/* The steps of one member, by how late it is in each exchange. */
static void
behind_of(const L4ExchangeMember *member, const double *beside, const double *own, int64 steps, double *behind)
{
	double	   *room = numbers(member->count);
	int64		to;

	for (int64 i = 0; i < steps; i++)
		behind[i] = NAN;
	for (int64 from = 0; from < member->count; from = to)
	{
		int32		step = member->exchanges[from].step;

		/* those without a step are in between */
		for (to = from; to < member->count && (member->exchanges[to].step == step || member->exchanges[to].step == 0);)
			to++;
		if (step >= 1 && step <= steps)
			behind[step - 1] = fmax(late_in_most(beside + from, to - from, room), late_in_most(own + from, to - from, room));
	}
	pfree(room);
}

void
exchanges_behind(const L4ExchangeMember *members, int32 count, int64 steps, double *behind)
{
	int64		total = 0;
	int64		place = 0;
	Lateness	late;

	for (int32 i = 0; i < count; i++)
		total += members[i].count;
	late = (Lateness) {numbers(total), numbers(total), numbers(total)};
	find_lateness(members, count, total, &late);
	for (int32 i = 0; i < count; i++)
	{
		behind_of(&members[i], late.beside + place, late.own + place, steps, behind + i * steps);
		place += members[i].count;
	}
	pfree(late.beside);
	pfree(late.own);
	pfree(late.bytes);
}
