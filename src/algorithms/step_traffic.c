/*
 * step_traffic.c: what goes along a link in each step, and how fast.
 *
 * Messages that meet at an interface share it, and may do so for many steps; and the first pieces of a collective, small and
 * many, go at the rate of the wire however slow the way is. So the rate of a step is that which messages with some share of its
 * bytes have at least: of those that are alone on the link, by what they move and not by how many they are.
 */
#include "algorithms/step_traffic.h"

#include "miscadmin.h"
#include "tools/room.h"

/* What comes within this share of the mean time between messages of a step behind its beginning is left over from the last. */
#define LEFT_OVER 0.1

/* How fast a message was, and what it moved. */
typedef struct Rate
{
	double		rate;
	double		moved;
} Rate;

/* The messages of one step, by their places among all. */
typedef struct StepMessages
{
	int64	   *places;
	int64		count;
	double		bytes;			/* of all of them */
	Rate	   *rates;			/* room for as many */
	double	   *beginning;		/* the same */
} StepMessages;

static int
compare_rates(const void *a, const void *b)
{
	double		first = ((const Rate *) a)->rate;
	double		second = ((const Rate *) b)->rate;

	return (first < second) - (first > second);
}

/* The rate that messages with a share `fastest` of the bytes have at least. */
static double
rate_of_fastest(Rate *rates, int64 count, double fastest)
{
	double		bytes = 0;
	double		passed = 0;
	int64		at = 0;

	qsort(rates, count, sizeof(Rate), compare_rates);
	for (int64 i = 0; i < count; i++)
		bytes += rates[i].moved;
	while (at + 1 < count && (passed += rates[at].moved) < fastest * bytes)
		at++;
	return rates[at].rate;
}

static double
seconds_of(const L4TrafficMessages *messages, const StepMessages *step, double fastest)
{
	double		seconds = 0;
	int64		timed = 0;

	for (int64 i = 0; i < step->count; i++)
	{
		double		busy = messages->busy[step->places[i]];
		double		moved = messages->moved[step->places[i]];

		seconds += busy;
		if (busy > 0)
			step->rates[timed++] = (Rate) {moved / busy, moved};
	}
	if (fastest >= 1 || timed == 0)
		return seconds;
	return step->bytes / rate_of_fastest(step->rates, timed, fastest);
}

/* The first of count messages that is of this step, which began and ended so; the first of all where none else is. */
static double
first_of_step(const double *began, int64 count, double step_began, double step_ended)
{
	double		from = step_began + LEFT_OVER * (step_ended - step_began) / Max(count, 1);

	for (int64 i = 0; i < count; i++)
		if (began[i] >= from)
			return began[i];
	return count > 0 ? began[0] : 0;
}

/* The first message of the step that moves at least this share of what they move on average. */
static double
first_of_weight(const L4TrafficMessages *messages, const StepMessages *step, double smallest, double began, double ended)
{
	int64		taken = 0;

	for (int64 i = 0; i < step->count; i++)
		if (messages->moved[step->places[i]] * step->count >= smallest * step->bytes)
			step->beginning[taken++] = messages->began[step->places[i]];
	return first_of_step(step->beginning, taken, began, ended);
}

void
step_traffic(const L4TrafficMessages *messages, const double *ends, int64 steps, const L4TrafficRule *rule, double *bytes,
			 double *seconds, double *first)
{
	StepMessages step = {room_for(messages->count, sizeof(int64)), 0, 0, room_for(messages->count, sizeof(Rate)),
	room_for(messages->count, sizeof(double))};
	int64		i = 0;

	for (int64 number = 0; number < steps; number++)
	{
		CHECK_FOR_INTERRUPTS();
		step.count = 0;
		step.bytes = 0;
		for (; i < messages->count && messages->began[i] < ends[number]; i++)
			;
		for (; i < messages->count && messages->began[i] < ends[number + 1]; i++)
			if (rule->path == 0 || messages->path[i] == rule->path)
			{
				step.places[step.count++] = i;
				step.bytes += messages->moved[i];
			}
		bytes[number] = step.bytes;
		seconds[number] = seconds_of(messages, &step, rule->fastest);
		first[number] = first_of_weight(messages, &step, rule->smallest, ends[number], ends[number + 1]);
	}
	pfree(step.places);
	pfree(step.rates);
	pfree(step.beginning);
}
