/*
 * step_beside.c: who is slow among those who wait for each other in each layer.
 *
 * Where parameters are sharded each layer is gathered from all, while the one before is computed. Who computes longer is the
 * last to send for the next one; all others have sent their first part before, and what is to come from them waits for it. So
 * in its traffic each collective is in one piece, behind a silence in which it computes. In that of the others it begins
 * earlier: first of themselves, when they are done, by more in each layer; then, as soon as they are ahead by a whole one, as
 * soon as they have the one before, which tells nothing more of what they compute. So that time is compared in which both
 * began of themselves and the other one was before it: it is what both computed for the same layer. In steps in which nobody
 * is slow this is the same for any two, but for what one layer differs from the next.
 */
#include "algorithms/step_beside.h"

#include <math.h>

#include "tools/order.h"

/* Silences of less than this share of the usual one part no collectives. */
#define PART 0.35
#define SAMPLES 500
/* Who was silent for less than this share of what the last one computed sent as soon as it could: it had waited. */
#define OF_ITSELF 0.25
/* Behind an optimizer all begin at once, within this share of that. */
#define AT_ONCE 0.05

static double *
numbers(int64 count)
{
	return MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof(double));
}

static double
median(double *values, int64 count)
{
	qsort(values, count, sizeof(double), compare_double);
	return values[count / 2];
}

/* The silence before each message; nothing is known of what was before the first. */
static double *
silences_of(const L4Intervals *messages)
{
	double	   *before = numbers(messages->count);
	double		until = INFINITY;

	for (int64 i = 0; i < messages->count; i++)
	{
		before[i] = Max(messages->began[i] - until, 0);
		until = i == 0 ? messages->ended[i] : Max(until, messages->ended[i]);
	}
	return before;
}

/* The median of some hundreds of the silences, evenly spread: there are but a few kinds of layers. 0: there is none. */
static double
usual_silence(const double *before, int64 count)
{
	int64		stride = count / SAMPLES + 1;
	double	   *longer = numbers(count / stride + 1);
	int64		taken = 0;
	double		usual;

	for (int64 i = 0; i < count; i += stride)
		if (before[i] > 0)
			longer[taken++] = before[i];
	usual = taken > 0 ? median(longer, taken) : 0;
	pfree(longer);
	return usual;
}

/* A collective as both links have it. */
typedef struct Start
{
	double		link;			/* when it began on the link */
	double		other;			/* when it began on the other one; NAN where that was behind it, or not of itself */
} Start;

/* The collectives, by the link, but for the first; room for one of each of its messages. Returns how many. */
static int64
collectives(const L4Intervals *link, const L4Intervals *other, Start *starts)
{
	double	   *own = silences_of(link);
	double	   *others = silences_of(other);
	double		least = PART * usual_silence(own, link->count);
	int64		count = 0;
	int64		at = 0;
	double		until = link->count > 0 ? link->ended[0] : 0;

	for (int64 i = 1; i < link->count; i++)
	{
		if (own[i] > least)
		{
			bool		before;

			while (at < other->count && other->began[at] < until)
				at++;
			before = at < other->count && other->began[at] < link->began[i] + AT_ONCE * own[i] &&
				others[at] > OF_ITSELF * own[i];
			starts[count++] = (Start) {link->began[i], before ? other->began[at] : NAN};
		}
		until = Max(until, link->ended[i]);
	}
	pfree(own);
	pfree(others);
	return count;
}

void
step_beside(const L4Intervals *link, const L4Intervals *other, const double *ends, int64 count, double *beside)
{
	Start	   *starts = MemoryContextAllocHuge(CurrentMemoryContext, Max(link->count, 1) * sizeof(Start));
	double	   *ratios = numbers(link->count);
	int64		found = collectives(link, other, starts);
	int64		i = 1;

	for (int64 step = 0; step < count; step++)
	{
		int64		taken = 0;

		for (; i < found && starts[i].link < ends[step]; i++)
			;
		for (; i < found && starts[i].link < ends[step + 1]; i++)
			/* not where one of them is NAN */
			if (starts[i].other > starts[i - 1].other && starts[i].other < starts[i].link)
				ratios[taken++] = log((starts[i].link - starts[i - 1].link) / (starts[i].other - starts[i - 1].other));
		beside[step] = taken > 0 ? median(ratios, taken) : NAN;
	}
	pfree(starts);
	pfree(ratios);
}
