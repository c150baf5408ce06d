/*
 * step_beside.c: who is slow among those who wait for each other in each layer.
 *
 * Where parameters are sharded each layer is gathered from all, while the one before is computed. Who computes longer is the
 * last to send for the next one; all others have sent their first part before, and what is to come from them waits for it. So
 * in its traffic each collective is in one piece, behind a silence in which it computes. In that of the others it begins
 * earlier: first of themselves, when they are done, by more in each layer; then, as soon as they are ahead by a whole one, as
 * soon as they have the one before, which tells nothing more of what they compute. So that time is compared in which both
 * began of themselves and the other one was before it: it is what both computed for the same layer. With the first layer, which
 * nobody has yet, all begin when the last one has sent; the second is gathered right behind it. In steps in which nobody is
 * slow this is the same for any two, but for what one layer differs from the next. Where layers are not gathered ahead all
 * begin to compute at once, and the silence of the slow one is longer by the same each time.
 */
#include "algorithms/step_beside.h"

#include <math.h>

#include "algorithms/robust.h"
#include "tools/room.h"

/* Silences of less than this share of the usual one part no collectives. */
#define PART 0.35
#define SAMPLES 500
/* Who was silent for less than this share of what the last one computed, or sent within it, did as soon as it could: it had
 * waited. */
#define OF_ITSELF 0.25
/* Behind an optimizer all begin at once, within this share of that. */
#define AT_ONCE 0.05
/* Links move the same in a collective but for this share: records are lost. */
#define ALIKE 0.1
/* What moves so many times as much as the next is two layers: the first of all, and that which is gathered ahead. */
#define TWO_LAYERS 1.5
/* Where nothing is gathered ahead, so many layers tell, and this share of all, and the silence of the slow one is longer by the
 * same before each, within this share of it. */
#define LAYERS 8
#define MOST_LAYERS 0.6
#define CONSTANT 0.15

static double *
numbers(int64 count)
{
	return room_for(count, sizeof(double));
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
	usual = robust_upper_median(longer, taken);
	pfree(longer);
	return usual;
}

/* Where a collective begins, by the link, on both links: the message, and the bytes before it. */
typedef struct Start
{
	double		link;			/* when that was */
	double		other;			/* NAN where it was behind that, or not of itself */
	double		silence;		/* before it, on the link */
	double		other_silence;
	double		moved;			/* bytes until then */
	double		other_moved;
} Start;

/* The collectives, by the link, but for the first; room for one of each of its messages. Returns how many. */
static int64
collectives(const L4Traffic *link, const L4Traffic *other, Start *starts)
{
	double	   *own = silences_of(&link->messages);
	double	   *others = silences_of(&other->messages);
	double		least = PART * usual_silence(own, link->messages.count);
	int64		count = 0;
	int64		at = 0;
	double		moved = 0;
	double		other_moved = 0;
	double		until = -INFINITY;

	for (int64 i = 0; i < link->messages.count; i++)
	{
		double		began = link->messages.began[i];

		if (own[i] > least)
		{
			bool		before;

			for (; at < other->messages.count && other->messages.began[at] < until; at++)
				other_moved += other->moved[at];
			before = at < other->messages.count && other->messages.began[at] < began + AT_ONCE * own[i] &&
				Min(others[at], other->messages.began[at] - until) > OF_ITSELF * own[i];
			starts[count++] = (Start) {began, before ? other->messages.began[at] : NAN, own[i], before ? others[at] : 0,
				moved, other_moved};
		}
		moved += link->moved[i];
		until = Max(until, link->messages.ended[i]);
	}
	pfree(own);
	pfree(others);
	return count;
}

/* Did both links move the same between two beginnings? Else it is not the same collectives that lie between. */
static bool
moved_alike(const Start *from, const Start *to)
{
	double		link = to->moved - from->moved;
	double		other = to->other_moved - from->other_moved;

	return link > 0 && fabs(other - link) <= ALIKE * link;
}

/*
 * Since when the other one computed until the i-th of these beginnings: since the one before, but with the first layer since
 * the link sent, too.
 */
static double
other_since(const Start *starts, int64 count, int64 i)
{
	const Start *from = &starts[i - 1];
	const Start *to = &starts[i];
	bool		first = i + 1 < count && to->moved - from->moved > TWO_LAYERS * (starts[i + 1].moved - to->moved);

	return first ? from->link : from->other;
}

/* The median of what a link computes beside the other one in a step, from these beginnings; NAN: it does not tell. */
static double
beside_of(const Start *starts, int64 count, double *ratios, double *silences)
{
	int64		taken = 0;
	double		grown;
	double		usual;

	for (int64 i = 1; i < count; i++)
	{
		const Start *from = &starts[i - 1];
		const Start *to = &starts[i];
		double		since = other_since(starts, count, i);

		/* not where one of them is NAN */
		if (!(to->other > from->other && to->other > since && to->other < to->link) || !moved_alike(from, to))
			continue;
		silences[taken] = log(to->silence / to->other_silence);
		ratios[taken++] = log((to->link - from->link) / (to->other - since));
	}
	if (taken == 0)
		return NAN;
	grown = robust_upper_median(ratios, taken);
	usual = robust_upper_median(silences, taken);
	if (taken < LAYERS || taken < MOST_LAYERS * count)
		return grown;
	for (int64 i = 0; i < taken; i++)
		silences[i] = fabs(silences[i] - usual);
	return robust_upper_median(silences, taken) <= CONSTANT * usual ? Max(grown, usual) : grown;
}

void
step_beside(const L4Traffic *link, const L4Traffic *other, const double *ends, int64 count, double *beside)
{
	int64		room = link->messages.count;
	Start	   *starts = room_for(room, sizeof(Start));
	double	   *ratios = numbers(room);
	double	   *silences = numbers(room);
	int64		found = collectives(link, other, starts);
	int64		from = 0;

	for (int64 step = 0; step < count; step++)
	{
		int64		to;

		for (; from < found && starts[from].link < ends[step]; from++)
			;
		for (to = from; to < found && starts[to].link < ends[step + 1]; to++)
			;
		/* with the one before, from which the first is counted */
		from = Max(from - 1, 0);
		beside[step] = beside_of(starts + from, to - from, ratios, silences);
		from = to;
	}
	pfree(starts);
	pfree(ratios);
	pfree(silences);
}
