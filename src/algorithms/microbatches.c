/*
 * microbatches.c: which cycles of layers make up a step, where gradients are accumulated over microbatches.
 *
 * Parameters do not change within a step. So whatever a job can leave to the last microbatch it does there: gradients are
 * scattered only then (no_sync), and it moves more than the others. Where they are scattered each time, the optimizer tells:
 * nothing can be gathered before it is done, and so there is a pause behind a step, which takes its time, that is not between
 * two microbatches. How much later the same layers come again is known to a millisecond, from all messages around the turn from
 * forwards to backwards, much better than where exactly a cycle begins. A log or a checkpoint each so many steps takes its time
 * as well, but makes a pause longer that is there anyway. Where a window has too few steps to see any of this often enough,
 * nothing is said of what a step is.
 */
#include "algorithms/microbatches.h"

#include <math.h>

#include "algorithms/robust.h"
#include "miscadmin.h"
#include "tools/order.h"
#include "tools/room.h"

#define MOST_MICROBATCHES 64
/* So many steps at least, of which this share must be told from the microbatches around them, and these from it. */
#define LEAST_STEPS 4
#define FITS 0.75
/* An optimizer takes at least this share of what a layer takes forwards: it goes through all parameters and more. */
#define LEAST_PAUSE 0.1
/* What stands out once may end a step where there are fewer cycles than so many microbatches a step make. */
#define FEW_MICROBATCHES 4
/* Cycles that come sooner than this share of the usual are parts of one. */
#define WHOLE 0.75
/* Lags are off by the same, one up and one down, within this share of that. */
#define SAME_OFF 0.25
/* Of a cycle a third goes forwards; of its layers half are looked at, those around the turn. */
#define FORWARDS (1.0 / 6)
#define BACKWARDS (1.0 / 3)
/* A cycle that an evaluation precedes, of which all goes forwards, goes forwards for so many times as long as others. */
#define EVALUATION 1.75
/* Where so many cycles are missing, or more, how many they are is not sure. */
#define LONG_GAP 3
/* The turn may be so many layers off: by two, forwards, all seems to fit, as that is one backwards. */
#define LAYERS_OFF 1

/* Values of cycles: of the number of each in the order of time, those that are missing counted. */
typedef struct Values
{
	int64	   *number;
	double	   *value;
	int64		count;
	double	   *room;			/* for sorting them */
} Values;

/* What stands out: each k-th, from the one of this number on, by so much; or (each 0) a few values above a limit. */
typedef struct StandingOut
{
	int			each;
	int64		phase;
	double		by;
	double		limit;			/* its values are above this */
} StandingOut;

static Values
values_for(int64 count)
{
	return (Values) {room_for(count, sizeof(int64)), room_for(count, sizeof(double)), 0, room_for(count, sizeof(double))};
}

static void
values_add(Values *values, int64 number, double value)
{
	values->number[values->count] = number;
	values->value[values->count++] = value;
}

static void
values_free(Values *values)
{
	pfree(values->number);
	pfree(values->value);
	pfree(values->room);
}

/* ---- what stands out each k-th time ---- */

/* The medians of the k phases; false where one has too few. */
static bool
medians_of_phases(const Values *values, int k, double *medians)
{
	for (int phase = 0; phase < k; phase++)
	{
		int64		count = 0;

		for (int64 i = 0; i < values->count; i++)
			if (values->number[i] % k == phase)
				values->room[count++] = values->value[i];
		if (count < LEAST_STEPS)
			return false;
		medians[phase] = robust_upper_median(values->room, count);
	}
	return true;
}

/* Are those of this phase above the limit, and the others not? */
static bool
are_apart(const Values *values, int k, int64 phase, double limit)
{
	int64		of_phase = 0;
	int64		above = 0;
	int64		below = 0;

	for (int64 i = 0; i < values->count; i++)
	{
		bool		here = values->number[i] % k == phase;

		of_phase += here;
		above += here && values->value[i] > limit;
		below += !here && values->value[i] <= limit;
	}
	return above >= FITS * of_phase && below >= FITS * (values->count - of_phase);
}

/* Does one of each k stand out above all others? */
static bool
stands_out_of(const Values *values, int k, double deviations, StandingOut *found)
{
	double		medians[MOST_MICROBATCHES] = {0};
	double		second = -INFINITY;
	int			first = 0;

	if (!medians_of_phases(values, k, medians))
		return false;
	for (int phase = 1; phase < k; phase++)
		first = medians[phase] > medians[first] ? phase : first;
	for (int phase = 0; phase < k; phase++)
		second = phase == first ? second : Max(second, medians[phase]);
	for (int64 i = 0; i < values->count; i++)
		values->room[i] = fabs(values->value[i] - medians[values->number[i] % k]);
	*found = (StandingOut) {k, first, medians[first] - second, (medians[first] + second) / 2};
	return found->by > deviations * ROBUST_MAD_TO_SD * robust_upper_median(values->room, values->count) &&
		are_apart(values, k, first, found->limit);
}

static bool
stands_out(const Values *values, double deviations, StandingOut *found)
{
	for (int k = 2; k <= MOST_MICROBATCHES && k * LEAST_STEPS <= values->count; k++)
	{
		CHECK_FOR_INTERRUPTS();
		if (stands_out_of(values, k, deviations, found))
			return true;
	}
	return false;
}

/* Values less the mean of the k around each, one of every phase; not those that miss one of these. */
static void
level(const Values *values, int k, Values *levelled)
{
	int64		half = k / 2;
	double		sum = 0;

	levelled->count = 0;
	for (int64 i = 0; i < values->count; i++)
	{
		int64		first = i - 2 * half;
		double		ends = values->value[i] + values->value[Max(first, 0)];

		sum += values->value[i] - (first > 0 ? values->value[first - 1] : 0);
		/* of an even number the two at the ends are of one phase */
		if (first >= 0 && values->number[i] - values->number[first] == 2 * half)
			values_add(levelled, values->number[first + half],
					   values->value[first + half] - (k % 2 == 0 ? sum - ends / 2 : sum) / k);
	}
}

/* The phase that stands out in values [from, to), each beside the level around it; -1 where they are too few to tell. */
static int64
highest_phase(const Values *levelled, int64 from, int64 to, int k)
{
	double		sums[MOST_MICROBATCHES] = {0};
	int			highest = 0;

	if (to - from < 2 * k)
		return -1;
	for (int64 i = from; i < to; i++)
		sums[levelled->number[i] % k] += levelled->value[i];
	for (int phase = 1; phase < k; phase++)
		highest = sums[phase] > sums[highest] ? phase : highest;
	return highest;
}

/* Adds to all numbers from this one on. */
static void
shift_numbers(int64 *numbers, int64 count, int64 from, int64 by)
{
	for (int64 i = count - 1; i >= 0 && numbers[i] >= from; i--)
		numbers[i] += by;
}

/*
 * How many cycles are missing where none are seen for long is not known exactly: they may have been slow. Numbers those behind
 * such a gap so that what stands out goes on in its turn. numbers: of all cycles, the same way.
 */
static void
align_over_gaps(Values *levelled, int k, int64 *numbers, int64 count)
{
	int64		from = 0;
	int64		before = -1;

	for (int64 i = 1; i <= levelled->count; i++)
	{
		int64		phase;

		/* on either side of a gap those are missing that have not all of theirs around them */
		if (i < levelled->count && levelled->number[i] - levelled->number[i - 1] - k / 2 * 2 < LONG_GAP)
			continue;
		phase = highest_phase(levelled, from, i, k);
		if (phase >= 0 && before >= 0 && phase != before)
		{
			int64		by = (before - phase + k) % k;
			/* the first that is levelled has some of its own before it */
			int64		first = Max(levelled->number[from] - k / 2 - 1, levelled->number[from - 1] + k / 2 + 1);

			shift_numbers(numbers, count, first, by);
			shift_numbers(levelled->number, levelled->count, levelled->number[from], by);
		}
		before = before >= 0 ? before : phase;
		from = i;
	}
}

/*
 * The same beside the level around each: while somebody is slow all cycles take longer, by more than an optimizer does.
 * numbers: of cycles; those behind a gap, and those of values, are mended where something stands out.
 */
static bool
stands_out_of_level(Values *values, double deviations, int64 *numbers, int64 count, StandingOut *found)
{
	Values		levelled = values_for(values->count);
	int64	   *mended = room_for(count, sizeof(int64));
	bool		result = false;

	for (int k = 2; !result && k <= MOST_MICROBATCHES && k * LEAST_STEPS <= values->count; k++)
	{
		CHECK_FOR_INTERRUPTS();
		level(values, k, &levelled);
		memcpy(mended, numbers, count * sizeof(int64));
		align_over_gaps(&levelled, k, mended, count);
		result = stands_out_of(&levelled, k, deviations, found);
	}
	for (int64 i = 0, at = 0; result && i < values->count; i++)
	{
		while (numbers[at] < values->number[i])
			at++;
		values->number[i] = mended[at];
	}
	if (result)
		memcpy(numbers, mended, count * sizeof(int64));
	values_free(&levelled);
	pfree(mended);
	return result;
}

/* Are so many of the values above the others, by this at least and by more deviations than these have? Which, and how much. */
static bool
highest_stand_out(const Values *values, int64 highest, double least, double deviations, StandingOut *found)
{
	double	   *sorted = room_for(values->count, sizeof(double));
	int64		others = values->count - highest;

	memcpy(sorted, values->value, values->count * sizeof(double));
	sort_doubles(sorted, values->count);
	for (int64 i = 0; i < others; i++)
		values->room[i] = fabs(sorted[i] - sorted[others / 2]);
	*found = (StandingOut) {.by = sorted[others] - sorted[others - 1], .limit = (sorted[others] + sorted[others - 1]) / 2};
	pfree(sorted);
	return found->by >= least && found->by > deviations * ROBUST_MAD_TO_SD * robust_upper_median(values->room, others);
}

/* Do the values above a limit come each so often, as far as can be seen? One alone does where there are few. */
static bool
come_regularly(const Values *values, double limit)
{
	int64		each = 0;
	int64		last = -1;

	for (int64 i = 0; i < values->count; i++)
	{
		if (values->value[i] <= limit)
			continue;
		if (last >= 0 && each > 0 && values->number[i] - last != each)
			return false;
		each = last >= 0 ? values->number[i] - last : 0;
		last = values->number[i];
	}
	if (each == 0)
		return values->count < FEW_MICROBATCHES * LEAST_STEPS;
	return each > 1 && last + each > values->number[values->count - 1];
}

/* Does something stand out that may come each k-th time, but not often enough to tell? */
static bool
may_stand_out(const Values *values, double least, double deviations, StandingOut *found)
{
	for (int64 highest = 1; highest <= LEAST_STEPS && 2 * highest <= values->count; highest++)
		if (highest_stand_out(values, highest, least, deviations, found) && come_regularly(values, found->limit))
			return true;
	return false;
}

/* ---- what cycles are like ---- */

/* The first of those from `from` on that began at this time or later. */
static int64
first_since(const double *began, int64 count, int64 from, double time)
{
	int64		low = from;
	int64		high = count;

	while (low < high)
	{
		int64		middle = (low + high) / 2;

		if (began[middle] >= time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* How long cycles take around one of them: the median (a job may become slower). */
static double
usual_length(const L4LayerCycles *cycles, int64 at)
{
	double		lengths[2 * LEAST_STEPS];
	int64		count = 0;

	for (int64 i = Max(at - LEAST_STEPS, 1); i < Min(at + LEAST_STEPS, cycles->count); i++)
		lengths[count++] = cycles->starts[i] - cycles->starts[i - 1];
	return robust_upper_median(lengths, count);
}

/* Leaves out beginnings that are none, and numbers the others; returns how many are left. */
static int64
number_cycles(const L4LayerCycles *cycles, double *starts, int64 *places, int64 *numbers)
{
	int64		count = 0;

	for (int64 i = 0; i < cycles->count; i++)
	{
		double		usual = usual_length(cycles, i);
		double		passed = count > 0 ? cycles->starts[i] - starts[count - 1] : usual;

		if (passed <= WHOLE * usual)
			continue;
		starts[count] = cycles->starts[i];
		places[count] = i;
		numbers[count] = count > 0 ? numbers[count - 1] + Max((int64) rint(passed / usual), 1) : 0;
		count++;
	}
	return count;
}

/* Logarithms of what cycles move. */
static void
bytes_of_cycles(const L4Intervals *messages, const double *moved, const double *starts, const int64 *numbers, int64 count,
				Values *values)
{
	int64		at = first_since(messages->began, messages->count, 0, starts[0]);

	for (int64 i = 0; i + 1 < count; i++)
	{
		double		bytes = 0;

		for (; at < messages->count && messages->began[at] < starts[i + 1]; at++)
			bytes += moved[at];
		if (numbers[i + 1] == numbers[i] + 1 && bytes > 0)
			values_add(values, numbers[i], log(bytes));
	}
}

/*
 * How well messages [from, to) fit to those that come `lag` later: how far they are from the nearest, on average, but for what
 * most of them are; that is added to lag.
 */
static double
misfit(const L4Intervals *messages, int64 from, int64 to, double most, double *lag, double *room)
{
	int64		at = first_since(messages->began, messages->count, from, messages->began[from] + *lag);
	double		usual;
	double		sum = 0;

	for (int64 i = from; i < to; i++)
	{
		double		time = messages->began[i] + *lag;

		while (at < messages->count && messages->began[at] < time)
			at++;
		if (at == messages->count || (at > 0 && time - messages->began[at - 1] < messages->began[at] - time))
			room[i - from] = messages->began[Max(at, 1) - 1] - time;
		else
			room[i - from] = messages->began[at] - time;
	}
	usual = robust_upper_median(room, to - from);
	for (int64 i = 0; i < to - from; i++)
		sum += Min(fabs(room[i] - usual), most);
	*lag += usual;
	return sum / (to - from);
}

/* How much later than those [from, to) of one cycle those of the next come, which begins about `about` later. */
static double
lag_of_next(const L4Intervals *messages, int64 from, int64 to, double about, double layer, double *room)
{
	double		best = INFINITY;
	double		result = about;

	for (int off = -LAYERS_OFF; off <= LAYERS_OFF; off++)
	{
		double		lag = about + off * layer;
		double		fits = misfit(messages, from, to, layer, &lag, room);

		if (fits < best)
		{
			best = fits;
			result = lag;
		}
	}
	return result;
}

/*
 * Lags from each cycle to the next, by the number of the latter: what goes by between them is in it. By the layers around the
 * turn from forwards to backwards: those around the beginning of a cycle are not alike in all, as they may be gathered ahead.
 */
static void
lags_of_cycles(const L4Intervals *messages, const L4LayerCycles *cycles, const int64 *places, const int64 *numbers,
			   int64 count, Values *values)
{
	double	   *room = room_for(messages->count, sizeof(double));

	for (int64 i = 0; i + 1 < count; i++)
	{
		double		turn = cycles->turns[places[i]];
		double		next = cycles->turns[places[i + 1]];
		int64		from = first_since(messages->began, messages->count, 0, turn - FORWARDS * cycles->interval);
		int64		to = first_since(messages->began, messages->count, from, turn + BACKWARDS * cycles->interval);

		if (numbers[i + 1] == numbers[i] + 1 && isfinite(next) && to > from)
			values_add(values, numbers[i + 1], lag_of_next(messages, from, to, next - turn, cycles->layer, room));
	}
	pfree(room);
}

/*
 * Leaves out what is no lag from one cycle to the next. Where a turn was told too late the lag before is too long and the one
 * behind too short by the same, and where none was told one goes over two cycles. least: what is less does not matter.
 */
static void
leave_out_misplaced(Values *lags, double least)
{
	double		usual;
	int64		kept = 0;

	memcpy(lags->room, lags->value, lags->count * sizeof(double));
	usual = robust_upper_median(lags->room, lags->count);
	for (int64 i = 0; i < lags->count; i++)
	{
		double		off = lags->value[i] - usual;
		bool		followed = i + 1 < lags->count && lags->number[i + 1] == lags->number[i] + 1;
		double		next = followed ? lags->value[i + 1] - usual : 0;
		double		both = Min(fabs(off), fabs(next));

		if (off * next < 0 && both >= least && fabs(off + next) <= SAME_OFF * both)
			i++;
		else if (lags->value[i] < (1 + WHOLE) * usual)
		{
			lags->number[kept] = lags->number[i];
			lags->value[kept++] = lags->value[i];
		}
	}
	lags->count = kept;
}

/* How long the cycle at a place goes forwards; 0 where it does not turn. */
static double
forwards_of(const L4LayerCycles *cycles, int64 place)
{
	return isfinite(cycles->turns[place]) ? cycles->turns[place] - cycles->starts[place] : 0;
}

/*
 * Leaves out the values of cycles that an evaluation precedes: it gathers all parameters, but goes forwards alone, while what
 * the last microbatch moves more goes backwards, and an optimizer's pause is neither.
 */
static void
leave_out_evaluations(Values *values, const L4LayerCycles *cycles, const int64 *places, const int64 *numbers, int64 count)
{
	double	   *forwards = room_for(count, sizeof(double));
	double		usual;
	int64		kept = 0;
	int64		at = 0;

	for (int64 i = 0; i < count; i++)
		forwards[i] = forwards_of(cycles, places[i]);
	usual = robust_upper_median(forwards, count);
	pfree(forwards);
	if (usual == 0)
		return;
	for (int64 i = 0; i < values->count; i++)
	{
		while (at + 1 < count && numbers[at] < values->number[i])
			at++;
		if (forwards_of(cycles, places[at]) >= EVALUATION * usual)
			continue;
		values->number[kept] = values->number[i];
		values->value[kept++] = values->value[i];
	}
	values->count = kept;
}

/* When bursts of the messages began that a pause parts; returns how many. */
static int64
bursts_of(const L4Intervals *messages, double pause, double *bursts)
{
	double		until = -INFINITY;
	int64		count = 0;

	for (int64 i = 0; i < messages->count; i++)
	{
		if (messages->began[i] - until >= pause)
			bursts[count++] = messages->began[i];
		until = Max(until, messages->ended[i]);
	}
	return count;
}

/* Bursts from somewhere in the cycle that begins at `start` on to the same place in the next. */
static int64
bursts_between(const double *bursts, int64 count, double start, double interval, double lag)
{
	int64		from = first_since(bursts, count, 0, start + interval / 4);
	double		middle;

	if (from == 0 || from == count)
		return 0;
	middle = (bursts[from - 1] + bursts[from]) / 2;
	return first_since(bursts, count, from, middle + lag) - from;
}

/*
 * Is there a pause more where lags stand out than elsewhere? It is longer than half of what they stand out by, while that
 * between layers may be longer than all of it. starts, numbers: of cycles.
 */
static bool
pause_more(const L4Intervals *messages, const L4LayerCycles *cycles, const double *starts, const int64 *numbers,
		   const Values *lags, const StandingOut *found)
{
	double	   *bursts = room_for(messages->count, sizeof(double));
	int64		burst_count = bursts_of(messages, Min(cycles->pause, found->by / 2), bursts);
	double	   *between[2] = {room_for(lags->count, sizeof(double)), room_for(lags->count, sizeof(double))};
	int64		count[2] = {0};
	int64		at = 0;
	bool		more;

	for (int64 i = 0; i < lags->count; i++)
	{
		bool		of_step = found->each > 0 ? lags->number[i] % found->each == found->phase :
			lags->value[i] > found->limit;

		while (numbers[at] < lags->number[i] - 1)
			at++;
		between[of_step][count[of_step]++] = bursts_between(bursts, burst_count, starts[at], cycles->interval, lags->value[i]);
	}
	sort_doubles(between[true], count[true]);
	/* of two, both */
	more = between[true][(count[true] - 1) / 2] > robust_upper_median(between[false], count[false]);
	pfree(bursts);
	pfree(between[false]);
	pfree(between[true]);
	return more;
}

/* ---- steps ---- */

/*
 * Do lags tell how many cycles make a step? Beside the level around each little is left of how they differ, and in a short
 * window some stand out by chance: that no pause goes with them tells nothing then, not that each cycle is a step.
 */
static bool
lags_tell(const L4Intervals *messages, const L4LayerCycles *cycles, const double *starts, Values *lags, double deviations,
		  int64 *numbers, int64 count, StandingOut *found)
{
	if (!stands_out(lags, deviations, found))
		return stands_out_of_level(lags, deviations, numbers, count, found) &&
			pause_more(messages, cycles, starts, numbers, lags, found);
	if (!pause_more(messages, cycles, starts, numbers, lags, found))
		found->each = 1;
	return true;
}

/*
 * Which cycles begin a step: those with a number of this phase; each is 0 where the cycles are too few to tell. Numbers behind
 * a gap may be mended.
 */
static StandingOut
find_steps(const L4Intervals *messages, const double *moved, const L4LayerCycles *cycles, const L4MicrobatchRule *rule,
		   const double *starts, const int64 *places, int64 *numbers, int64 count)
{
	Values		bytes = values_for(count);
	Values		lags = values_for(count);
	StandingOut found = {0};

	bytes_of_cycles(messages, moved, starts, numbers, count, &bytes);
	lags_of_cycles(messages, cycles, places, numbers, count, &lags);
	/* of few none is left out: it may be a step */
	if (lags.count >= FEW_MICROBATCHES * LEAST_STEPS)
		leave_out_misplaced(&lags, LEAST_PAUSE * cycles->layer);
	if (stands_out(&bytes, rule->deviations, &found) && found.by >= log(rule->bytes))
		found.phase = (found.phase + 1) % found.each;
	else if (!lags_tell(messages, cycles, starts, &lags, rule->deviations, numbers, count, &found))
	{
		leave_out_evaluations(&bytes, cycles, places, numbers, count);
		leave_out_evaluations(&lags, cycles, places, numbers, count);
		found.each = !(may_stand_out(&bytes, log(rule->bytes), rule->deviations, &found) ||
					   (may_stand_out(&lags, LEAST_PAUSE * cycles->layer, rule->deviations, &found) &&
						(count < FEW_MICROBATCHES * LEAST_STEPS ||
						 pause_more(messages, cycles, starts, numbers, &lags, &found))));
	}
	values_free(&bytes);
	values_free(&lags);
	return found;
}

int
microbatches_of_step(const L4Intervals *messages, const double *moved, const L4LayerCycles *cycles,
					 const L4MicrobatchRule *rule, int64 *steps, int64 *begun)
{
	double	   *starts = room_for(cycles->count, sizeof(double));
	int64	   *places = room_for(cycles->count, sizeof(int64));
	int64	   *numbers = room_for(cycles->count, sizeof(int64));
	int64		count = number_cycles(cycles, starts, places, numbers);
	StandingOut found = {0};
	bool		several;

	if (count > 2 * LEAST_STEPS)
		found = find_steps(messages, moved, cycles, rule, starts, places, numbers, count);
	several = found.each > 1;
	*begun = several ? 0 : cycles->count;
	for (int64 i = 0; i < (several ? count : cycles->count); i++)
		if (!several)
			steps[i] = i;
		else if (numbers[i] % found.each == found.phase)
			steps[(*begun)++] = places[i];
	pfree(starts);
	pfree(places);
	pfree(numbers);
	return found.each;
}
