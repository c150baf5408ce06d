/*
 * step_cycles.c: steps of jobs with sharded parameters, which no pause ends.
 *
 * Parameters are gathered layer by layer, forwards and again backwards, and gradients scattered on the way back: something is
 * sent all the time. But the backward of a layer takes about twice as long as its forward, so that bursts come at two speeds,
 * in turn, a run of each for each step; where they come faster again a step begins. A job whose traffic comes at one speed, or
 * whose bursts of a kind are few in a row, as buckets of gradients, has no such cycles. With gradients accumulated over
 * microbatches each of these is a cycle; microbatches.c tells which of them begin a step.
 */
#include "algorithms/step_cycles.h"

#include <math.h>

#include "miscadmin.h"
#include "tools/order.h"
#include "tools/room.h"

/* Around a burst so many on each side tell at which speed it came. */
#define NEIGHBOURS 2
/* A cycle begins with the burst behind the last of the slow ones, but with that one where so many times longer went by. */
#define LONG_PAUSE 1.25
#define CYCLES 3
/* Of up to so many microbatches each may be unlike the one before it by more than the tolerance; of more, most are alike. */
#define UNLIKE 4
/* To be compared with the one n before there must be so many times n cycles. */
#define APART 4
/* A burst so many behind the first of a cycle is one of a layer forwards; the first may be so many before what was found. */
#define AMID 3
#define BACK 4
/* Bursts are layers, and no steps, where their speed changes so often: a job becomes slower and faster again. */
#define CHANGES 3
/* Of the bursts of layers so many come at the speed of those around them: pieces of one phase a step come at either, mixed. */
#define PURE 0.85
/* Backwards a layer takes twice as long, three times where what is computed forwards is computed again: less than this. */
#define MOST_RATIO 4.0
/* Where layers are seen, pauses are tried that are longer than the one before by this factor. */
#define FINER_PAUSE 1.15
/* Silences are alike within this share. */
#define LIKE_SILENCE 0.25
/* A burst with so many times the bytes of a layer forwards is of two layers, and with so many of more. */
#define TWO_LAYERS 1.5
#define MORE_LAYERS 2.5
/* The first piece of a ring is one of as many as there are ranks in it: less than this share of the rest of six. */
#define FIRST_PIECE 0.25
/* Cycles move the same within this share: half of a layer of many. */
#define SAME_BYTES 0.02
/* Cycles that bursts tell are regular for this share of the time, or collectives are tried, too. */
#define MOST_OF_TIME 0.9

/* Bursts, parted by a pause. */
typedef struct Bursts
{
	double	   *began;
	double	   *ended;
	int64	   *first;			/* the message with which each began */
	int64		count;
} Bursts;

/* The two speeds: logarithms of intervals. */
typedef struct Speeds
{
	double		fast;
	double		slow;
} Speeds;

static double *
numbers(int64 count)
{
	return room_for(count, sizeof(double));
}

static int64 *
places(int64 count)
{
	return room_for(count, sizeof(int64));
}

static void
part_bursts(const L4Intervals *messages, double pause, Bursts *bursts)
{
	double		end = messages->ended[0];

	bursts->first[0] = 0;
	bursts->began[0] = messages->began[0];
	bursts->count = 1;
	for (int64 i = 1; i < messages->count; i++)
	{
		if (messages->began[i] - end >= pause)
		{
			bursts->ended[bursts->count - 1] = end;
			bursts->first[bursts->count] = i;
			bursts->began[bursts->count++] = messages->began[i];
		}
		end = Max(end, messages->ended[i]);
	}
	bursts->ended[bursts->count - 1] = end;
}

/* Numbers in so many parts of their range, to be divided without being sorted: a hundredth of the smallest ratio of speeds. */
#define PARTS 2048

typedef struct Parts
{
	int64		counts[PARTS];
	double		sums[PARTS];
} Parts;

static void
part_numbers(const double *numbers, int64 count, Parts *parts)
{
	double		least = numbers[0];
	double		most = numbers[0];

	memset(parts, 0, sizeof(*parts));
	for (int64 i = 1; i < count; i++)
	{
		least = Min(least, numbers[i]);
		most = Max(most, numbers[i]);
	}
	for (int64 i = 0; i < count; i++)
	{
		double		place = most > least ? (PARTS - 1) * ((numbers[i] - least) / (most - least)) : 0;
		int			part = place > 0 ? (int) Min(place, PARTS - 1) : 0;

		parts->counts[part]++;
		parts->sums[part] += numbers[i];
	}
}

/* A division into the first so many numbers, with their sum, and the others; how far apart squares say that they are. */
static void
try_division(int64 below, double sum, int64 count, double total, Speeds *best, double *most)
{
	double		fast = sum / below;
	double		slow = (total - sum) / (count - below);
	double		between = (slow - fast) * (slow - fast) * below * (count - below);

	if (between <= *most)
		return;
	*most = between;
	*best = (Speeds) {fast, slow};
}

/*
 * The best division of numbers (at least 2) into two groups: of those where each has this share of the numbers, that with the
 * least squares within them. A few long pauses are no speed. Numbers of one part may be divided where a group has too few else.
 */
static Speeds
two_speeds(const double *numbers, int64 count, double share)
{
	int64		least = Max((int64) ceil(share * count), 1);
	Parts		parts;
	Speeds		best = {0};
	double		most = -1;
	double		total = 0;
	double		before = 0;
	int64		below = 0;

	part_numbers(numbers, count, &parts);
	for (int i = 0; i < PARTS; i++)
		total += parts.sums[i];
	for (int i = 0; i < PARTS; i++)
	{
		int64		ends[3] = {least, count - least, below + parts.counts[i]};

		for (int end = 0; end < lengthof(ends) && parts.counts[i] > 0; end++)
			if (ends[end] > below && ends[end] <= below + parts.counts[i] && ends[end] >= least && count - ends[end] >= least)
				try_division(ends[end], before + parts.sums[i] * (ends[end] - below) / parts.counts[i], count, total, &best,
							 &most);
		before += parts.sums[i];
		below += parts.counts[i];
	}
	return best;
}

/* Does the i-th of count intervals come at the lower speed, by most of those around it? */
static bool
is_slow(const double *intervals, int64 count, int64 i, double limit)
{
	int64		slow = 0;
	int64		around = 0;

	for (int64 j = Max(i - NEIGHBOURS, 0); j <= Min(i + NEIGHBOURS, count - 1); j++)
	{
		slow += intervals[j] > limit;
		around++;
	}
	return slow * 2 > around;
}

/* Where exactly it becomes faster near the i-th interval: the burst with which a cycle begins. */
static int64
first_of_cycle(const double *intervals, int64 count, int64 i, double limit, double slow)
{
	for (int64 j = Max(i - NEIGHBOURS, 1); j <= Min(i + NEIGHBOURS, count - 1); j++)
		if (intervals[j - 1] > limit && intervals[j] <= limit)
		{
			i = j;
			break;
		}
	return intervals[i - 1] >= LONG_PAUSE * slow ? i : i + 1;
}

/* Where exactly it becomes slower near the i-th interval: the burst of the first layer backwards. */
static int64
first_backwards(const double *intervals, int64 count, int64 i, double limit)
{
	for (int64 j = Max(i - NEIGHBOURS, 1); j <= Min(i + NEIGHBOURS, count - 1); j++)
		if (intervals[j - 1] <= limit && intervals[j] > limit)
			return j;
	return i;
}

/*
 * The bursts with which cycles begin; returns how many. turns: those with which each goes backwards, -1 where the last does not
 * yet. Both have room for one of each burst.
 */
static int64
find_starts(const double *intervals, int64 count, const Speeds *speeds, int64 run, int64 *starts, int64 *turns)
{
	double		limit = exp((speeds->fast + speeds->slow) / 2);
	int64		found = 0;
	int64		slow_run = 0;
	int64		fast_run = 0;
	int64		candidate = -1;

	for (int64 i = 0; i < count; i++)
	{
		if (is_slow(intervals, count, i, limit))
		{
			slow_run = fast_run > 0 ? 1 : slow_run + 1;
			fast_run = 0;
			if (slow_run == run && found > 0 && turns[found - 1] < 0)
				turns[found - 1] = first_backwards(intervals, count, i - run + 1, limit);
			continue;
		}
		if (fast_run++ == 0)
			candidate = slow_run >= run ? i : -1;
		if (fast_run == run && candidate > 0)
		{
			turns[found] = -1;
			starts[found++] = first_of_cycle(intervals, count, candidate, limit, exp(speeds->slow));
		}
	}
	return found;
}

/* The share of numbers that are like the one so many before. */
static double
share_alike(const double *numbers, int64 count, int64 before, double tolerance)
{
	int64		right = 0;

	for (int64 i = before; i < count; i++)
		right += fabs(numbers[i] - numbers[i - before]) <= tolerance * numbers[i - before];
	return (double) right / (count - before);
}

/* first: the messages with which cycles begin. */
static void
take_cycles(const L4Intervals *messages, const int64 *first, int64 count, const L4CycleRule *rule, L4StepCycles *result)
{
	double		end = messages->ended[0];
	int64		at = 0;

	result->began = numbers(count + 1);
	result->ended = numbers(count + 1);
	result->began[0] = messages->began[0];
	for (int64 i = 0; i <= count; i++)
	{
		for (; at < (i < count ? first[i] : messages->count); at++)
			end = Max(end, messages->ended[at]);
		result->ended[i] = end;
		if (i < count)
			result->began[i + 1] = messages->began[first[i]];
	}
	result->count = count + (end - result->began[count] >= (1 - rule->tolerance) * result->interval);
}

/* What is found in the messages with one pause; arrays have room for one of each message. */
typedef struct Search
{
	const L4Intervals *messages;
	const double *moved;
	const L4CycleRule *rule;
	double	   *sums;			/* bytes of the messages before each, and at the end of all */
	Bursts		bursts;
	Speeds		speeds;
	double	   *intervals;
	double	   *numbers;
	int64	   *starts;
	int64	   *turns;
	int64		count;			/* of starts */
	double		interval;		/* between these, the median */
	bool		have_layers;	/* with some pause bursts may be */
	double		layer;			/* from a burst to the next at the lower speed; 0: bursts are not layers */
	double		weight;			/* bytes of a burst at the lower speed over those of one at the higher */
} Search;

static Search
search_in(const L4Intervals *messages, const double *moved, const L4CycleRule *rule)
{
	int64		count = messages->count;
	Search		search = {messages, moved, rule, numbers(count + 1), {numbers(count), numbers(count), places(count)}};

	search.intervals = numbers(count);
	search.numbers = numbers(count);
	search.starts = places(count);
	search.turns = places(count);
	search.sums[0] = 0;
	for (int64 i = 0; i < count; i++)
		search.sums[i + 1] = search.sums[i] + moved[i];
	return search;
}

static void
search_free(Search *search)
{
	pfree(search->sums);
	pfree(search->bursts.began);
	pfree(search->bursts.ended);
	pfree(search->bursts.first);
	pfree(search->intervals);
	pfree(search->numbers);
	pfree(search->starts);
	pfree(search->turns);
}

/* The share of cycles that move as much as the one before. bytes: room for one of each. */
static double
share_of_same_bytes(const Search *search, const int64 *starts, int64 count, double *bytes)
{
	const int64 *first = search->bursts.first;

	for (int64 i = 1; i < count; i++)
		bytes[i - 1] = search->sums[first[starts[i]]] - search->sums[first[starts[i - 1]]];
	return share_alike(bytes, count - 1, 1, SAME_BYTES);
}

/*
 * The share of cycles that take as long as the one before (a job may become slower), or, up to `most`, that so many before:
 * the last microbatch of each step takes longer; or that move as much: where sequences differ in length all steps do, but all
 * parameters are gathered in each. *median: how long they take.
 */
static double
regular_share(Search *search, const int64 *starts, int64 count, int most, double *median)
{
	double	   *lengths = search->numbers;
	double		best = share_of_same_bytes(search, starts, count, lengths);

	for (int64 i = 1; i < count; i++)
		lengths[i - 1] = search->bursts.began[starts[i]] - search->bursts.began[starts[i - 1]];
	for (int before = 1; before <= most && (before == 1 || before * APART < count); before++)
		best = Max(best, share_alike(lengths, count - 1, before, search->rule->tolerance));
	*median = select_double(lengths, count - 1, (count - 1) / 2);
	return best;
}

static double
bytes_of_burst(const Search *search, int64 burst)
{
	int64		end = burst + 1 < search->bursts.count ? search->bursts.first[burst + 1] : search->messages->count;

	return search->sums[end] - search->sums[search->bursts.first[burst]];
}

/*
 * Are the bursts layers? Runs of them come at either speed in turn, and again; or, where that is seen once, those at one speed
 * move more: backwards a layer is gathered, and its gradients are scattered. Steps that become slower move what they did.
 */
static bool
are_layers(Search *search)
{
	const L4CycleRule *rule = search->rule;
	int64		count = search->bursts.count - 1;
	double		limit = exp((search->speeds.fast + search->speeds.slow) / 2);
	double		bytes[2] = {0};
	int64		bursts[2] = {0};
	int64		changes = 0;
	int64		run = 0;
	int64		before = 0;
	int64		pure = 0;
	double		weight;

	if (search->speeds.slow - search->speeds.fast > log(MOST_RATIO))
		return false;
	for (int64 i = 0; i < count; i++)
	{
		bool		slow = is_slow(search->intervals, count, i, limit);

		pure += slow == (search->intervals[i] > limit);
		if (i > 0 && slow != is_slow(search->intervals, count, i - 1, limit))
		{
			before = run;
			run = 0;
		}
		changes += ++run == rule->run && before >= rule->run;
		bytes[slow] += bytes_of_burst(search, i);
		bursts[slow]++;
	}
	if (pure < PURE * count)
		return false;
	weight = bytes[true] * bursts[false] / (bytes[false] * bursts[true]);
	if (changes < CHANGES && (changes == 0 || weight < rule->microbatch.bytes))
		return false;
	search->weight = Max(search->weight, weight);
	return true;
}

/* Has either speed its share of the bursts, and not by a few of a third one, as phases of steps of which some are in pieces? */
static bool
have_both_speeds(const Search *search)
{
	int64		count = search->bursts.count - 1;
	double		limit = exp((search->speeds.fast + search->speeds.slow) / 2);
	int64		lower = 0;

	for (int64 i = 0; i < count; i++)
		lower += search->intervals[i] > limit;
	return Min(lower, count - lower) >= search->rule->share * count;
}

/* Cycles of layers in bursts that this pause parts; returns the share of regular ones, -1 where there are none. */
static double
cycles_at(Search *search, double pause)
{
	const L4CycleRule *rule = search->rule;
	Bursts	   *bursts = &search->bursts;
	int64		count;

	part_bursts(search->messages, pause, bursts);
	count = bursts->count - 1;
	if (count < 2 * rule->run)
		return -1;
	for (int64 i = 0; i < count; i++)
	{
		search->intervals[i] = bursts->began[i + 1] - bursts->began[i];
		/* of times that are none, or of what ends before it begins, nothing is told */
		if (!(search->intervals[i] > 0) || isinf(search->intervals[i]))
			return -1;
		search->numbers[i] = log(search->intervals[i]);
	}
	search->speeds = two_speeds(search->numbers, count, rule->share);
	if (search->speeds.slow - search->speeds.fast < log(rule->ratio))
		return -1;
	if (are_layers(search))
	{
		search->have_layers = true;
		if (search->layer == 0 && have_both_speeds(search))
			search->layer = exp(search->speeds.slow);
	}
	search->count = find_starts(search->intervals, count, &search->speeds, rule->run, search->starts, search->turns);
	if (search->count < CYCLES + 1 || count < (CYCLES + 1) * 2 * rule->run)
		return -1;
	return regular_share(search, search->starts, search->count, UNLIKE, &search->interval);
}

/* The pause with which most cycles are regular. */
typedef struct BestPause
{
	double		pause;			/* INFINITY: with none are they cycles */
	double		regular;		/* share of its cycles, */
	double		cycles;			/* and how many they are */
} BestPause;

static void
try_pause(Search *search, double pause, BestPause *best)
{
	double		regular = cycles_at(search, pause);

	CHECK_FOR_INTERRUPTS();
	if (regular >= search->rule->regular && regular * search->count > best->cycles)
		*best = (BestPause) {pause, regular, regular * search->count};
}

/*
 * The pause with which most cycles are regular, the shortest of equals; INFINITY where they never are. Where bursts are layers
 * all pauses are tried: ranks that are early begin to send a layer long before the last does, nearly as long as a layer takes.
 */
static double
best_pause(Search *search)
{
	L4Pauses	pauses = intervals_pauses(search->messages);
	BestPause	best = {INFINITY};
	double		pause;
	int64		shorter = -1;

	while (best.regular < 1 && intervals_next_pause(&pauses, &pause))
		try_pause(search, pause, &best);
	if (pauses.count >= 2 && (best.cycles > 0 || search->have_layers))
		for (pause = pauses.sorted[0]; best.regular < 1 && isfinite(pause) && pause <= pauses.sorted[pauses.count - 2];
			 pause *= FINER_PAUSE)
		{
			int64		next = Max(shorter, 0);

			/* where no pause is between this one and the last, bursts are the same */
			while (pauses.sorted[next] < pause)
				next++;
			if (next != shorter)
				try_pause(search, pause, &best);
			shorter = next;
		}
	pfree(pauses.sorted);
	return best.pause;
}

/* ---- where exactly a step begins ---- */

static double
silence_before(const Search *search, int64 burst)
{
	return burst > 0 ? search->bursts.began[burst] - search->bursts.ended[burst - 1] : 0;
}

/* Bytes of a layer forwards: the median of the bursts that come AMID behind those with which cycles begin. */
static double
bytes_of_layer(const Search *search, const int64 *steps, int64 count)
{
	int64		taken = 0;

	for (int64 i = 0; i < count; i++)
		if (steps[i] + AMID < search->bursts.count)
			search->numbers[taken++] = bytes_of_burst(search, steps[i] + AMID);
	return taken > 0 ? select_double(search->numbers, taken, taken / 2) : 0;
}

/* The silence between layers forwards, of which this burst is one: the median of three (a job may become slower). */
static double
usual_silence(const Search *search, int64 burst)
{
	double		silences[3];

	for (int i = 0; i < lengthof(silences); i++)
		silences[i] = silence_before(search, Min(burst + i, search->bursts.count - 1));
	sort_doubles(silences, lengthof(silences));
	return silences[lengthof(silences) / 2];
}

/* The message behind the longest silence within a burst. */
static int64
behind_longest_silence(const Search *search, int64 burst)
{
	const L4Intervals *messages = search->messages;
	int64		first = search->bursts.first[burst];
	int64		end = burst + 1 < search->bursts.count ? search->bursts.first[burst + 1] : messages->count;
	double		until = messages->ended[first];
	double		longest = 0;
	int64		result = first;

	for (int64 i = first + 1; i < end; i++)
	{
		if (messages->began[i] - until > longest)
		{
			longest = messages->began[i] - until;
			result = i;
		}
		until = Max(until, messages->ended[i]);
	}
	return result;
}

/*
 * The message with which a step begins, the first burst of which is near this one: layers come as they do forwards, back to the
 * first burst, which is two layers at once where they are gathered ahead. Where the optimizer's pause parts no bursts the last
 * gradients are in it, too. Where ranks that wait for a slow one part layers in two, as they begin earlier with each, layers do
 * not come as they do forwards from the first on; it is where they come faster.
 */
static int64
first_of_step(const Search *search, double layer, int64 near)
{
	int64		burst = Min(near + AMID, search->bursts.count - 1);
	double		usual = usual_silence(search, burst);
	bool		heavy = false;

	while (!heavy && burst > Max(near - BACK, 0) &&
		   fabs(silence_before(search, burst) - usual) <= LIKE_SILENCE * usual)
		heavy = bytes_of_burst(search, --burst) > TWO_LAYERS * layer;
	if (burst > near)
	{
		burst = near;
		heavy = bytes_of_burst(search, near) > TWO_LAYERS * layer;
	}
	if (heavy && bytes_of_burst(search, burst) > MORE_LAYERS * layer)
		return behind_longest_silence(search, burst);
	return search->bursts.first[burst];
}

/* Makes steps of cycles of layers, where several are microbatches of one. False: of steps, most are not regular. */
static bool
take_steps(Search *search, double pause, L4StepCycles *result)
{
	int64	   *steps = places(search->count);
	L4LayerCycles cycles = {search->intervals, search->numbers, search->count, search->interval, exp(search->speeds.fast),
		pause};

	for (int64 i = 0; i < search->count; i++)
	{
		search->intervals[i] = search->bursts.began[search->starts[i]];
		search->numbers[i] = search->turns[i] < 0 ? INFINITY : search->bursts.began[search->turns[i]];
	}
	result->microbatches = microbatches_of_step(search->messages, search->moved, &cycles, &search->rule->microbatch, steps,
												&search->count);
	for (int64 i = 0; i < search->count; i++)
		steps[i] = search->starts[steps[i]];
	result->regular = regular_share(search, steps, search->count, 1, &result->interval);
	if (result->regular >= search->rule->regular)
	{
		double		layer = bytes_of_layer(search, steps, search->count);
		int64		count = 0;

		for (int64 i = 0; i < search->count; i++)
		{
			int64		first = first_of_step(search, layer, steps[i]);

			if (first > (count > 0 ? steps[count - 1] : 0))
				steps[count++] = first;
		}
		take_cycles(search->messages, steps, count, search->rule, result);
	}
	pfree(steps);
	return result->regular >= search->rule->regular;
}

/* By bursts that a pause parts. */
static bool
cycles_of_bursts(const L4Intervals *messages, const double *moved, const L4CycleRule *rule, L4StepCycles *result)
{
	Search		search = search_in(messages, moved, rule);
	double		pause = best_pause(&search);
	bool		found = false;

	result->layer = search.layer;
	result->weight = search.weight;
	if (isfinite(pause))
	{
		/* with another pause all of what is faster may be one burst */
		search.weight = 0;
		cycles_at(&search, pause);
		if (search.weight > 0)
			result->weight = search.weight;
		found = take_steps(&search, pause, result);
	}
	search_free(&search);
	return found;
}

/* The time in which cycles are regular. */
static double
regular_time(const L4StepCycles *cycles)
{
	return cycles->regular * cycles->count * cycles->interval;
}

/*
 * By collectives of the size with which most cycles are regular, where they are for longer than in `result`, if that is found.
 * With a wrong size what goes forwards may seem slower: but backwards gradients are scattered, too.
 */
static bool
cycles_of_collectives(const L4Intervals *messages, const double *moved, const L4CycleRule *rule, bool found,
					  L4StepCycles *result)
{
	L4CollectiveSize sizes[COLLECTIVE_SIZES];
	int			count = collective_sizes(messages, moved, &rule->collective, sizes);

	for (int i = 0; i < count; i++)
	{
		L4Collectives collectives = collectives_room(messages, moved, &sizes[i]);
		L4StepCycles cycles = {0};
		L4Intervals pieces;

		collectives_of(messages, moved, &sizes[i], rule->collective.tolerance, &collectives);
		pieces = (L4Intervals) {collectives.began, collectives.ended, collectives.count};
		if (cycles_of_bursts(&pieces, collectives.moved, rule, &cycles) && cycles.weight >= rule->microbatch.bytes &&
			(!found || regular_time(&cycles) > regular_time(result)))
		{
			*result = cycles;
			found = true;
		}
		collectives_free(&collectives);
	}
	return found;
}

/*
 * Messages without those that are little beside the others, counted to the next that is not: around a ring whoever is early
 * sends the first piece of a collective, and waits for all others before the rest goes. The results have room for all; returns
 * how many there are.
 */
static int64
great_messages(const L4Intervals *messages, const double *moved, double *began, double *ended, double *great)
{
	double		bytes = 0;
	double		squares = 0;
	double		first_pieces = 0;
	int64		count = 0;

	for (int64 i = 0; i < messages->count; i++)
	{
		bytes += moved[i];
		squares += moved[i] * moved[i];
	}
	for (int64 i = 0; i < messages->count; i++)
	{
		first_pieces += moved[i];
		/* those with most of the bytes are as great as this mean, weighed by bytes */
		if (moved[i] * bytes < FIRST_PIECE * squares)
			continue;
		began[count] = messages->began[i];
		ended[count] = messages->ended[i];
		great[count++] = first_pieces;
		first_pieces = 0;
	}
	return count;
}

/* By bursts of great messages, if there are others, and enough cycles to tell what they are. */
static bool
cycles_of_great(const L4Intervals *messages, const double *moved, const L4CycleRule *rule, L4StepCycles *result)
{
	double	   *began = numbers(messages->count);
	double	   *ended = numbers(messages->count);
	double	   *great = numbers(messages->count);
	L4Intervals bursting = {began, ended, great_messages(messages, moved, began, ended, great)};
	bool		found = bursting.count > 0 && bursting.count < messages->count
		&& cycles_of_bursts(&bursting, great, rule, result) && result->microbatches > 0;

	pfree(began);
	pfree(ended);
	pfree(great);
	return found;
}

/*
 * Great messages tell more exactly where steps begin. Where all messages tell longer ones, the small ones among them tell what
 * is a step, as gradients that are scattered in the last microbatch alone.
 */
bool
step_cycles(const L4Intervals *messages, const double *moved, const L4CycleRule *rule, L4StepCycles *result)
{
	L4StepCycles of_great = {0};
	bool		greatly = cycles_of_great(messages, moved, rule, &of_great);
	bool		found = cycles_of_bursts(messages, moved, rule, result);

	if (greatly && (!found || of_great.interval >= (1 - rule->tolerance) * result->interval))
	{
		*result = of_great;
		found = true;
	}
	if (found && regular_time(result) >= MOST_OF_TIME * (messages->ended[messages->count - 1] - messages->began[0]))
		return true;
	return cycles_of_collectives(messages, moved, rule, found, result);
}
