/*
 * flow_series.c: functions over series of messages: l4_regular_interval, l4_together, l4_answers, l4_bursts, l4_step_cycles,
 * l4_step_traffic, l4_step_early, l4_step_lead, l4_step_parts, l4_step_places, l4_repeated_share, l4_step_beside,
 * l4_late_messages.
 */
#include "ground/l4.h"

#include <math.h>

#include "algorithms/answers.h"
#include "algorithms/collectives.h"
#include "algorithms/intervals.h"
#include "algorithms/repeated.h"
#include "algorithms/robust.h"
#include "algorithms/step_beside.h"
#include "algorithms/step_cycles.h"
#include "algorithms/step_parts.h"
#include "algorithms/step_phases.h"
#include "algorithms/step_rounds.h"
#include "algorithms/step_traffic.h"
#include "bindings/flow_arrays.h"
#include "catalog/pg_type_d.h"
#include "tools/room.h"

PG_FUNCTION_INFO_V1(l4_regular_interval);
PG_FUNCTION_INFO_V1(l4_together);
PG_FUNCTION_INFO_V1(l4_answers);
PG_FUNCTION_INFO_V1(l4_bursts);
PG_FUNCTION_INFO_V1(l4_step_cycles);
PG_FUNCTION_INFO_V1(l4_step_rounds);
PG_FUNCTION_INFO_V1(l4_step_early);
PG_FUNCTION_INFO_V1(l4_step_lead);
PG_FUNCTION_INFO_V1(l4_step_parts);
PG_FUNCTION_INFO_V1(l4_step_traffic);
PG_FUNCTION_INFO_V1(l4_step_places);
PG_FUNCTION_INFO_V1(l4_repeated_share);
PG_FUNCTION_INFO_V1(l4_step_beside);
PG_FUNCTION_INFO_V1(l4_late_messages);

/* ---- messages in order ---- */

typedef struct Span
{
	double		began;
	double		ended;
} Span;

static int
compare_intervals(const void *a, const void *b)
{
	const Span *x = a;
	const Span *y = b;

	if (x->began != y->began)
		return x->began < y->began ? -1 : 1;
	return x->ended < y->ended ? -1 : x->ended > y->ended;
}

/* How many of the numbers, from this one on, are in order. */
static int64
in_order(const double *numbers, int64 from, int64 count)
{
	int64		end = Min(from + 1, count);

	while (end < count && numbers[end] >= numbers[end - 1])
		end++;
	return end - from;
}

/* Brings intervals into order; two series one behind the other, as both ways between two are, take no sorting. */
static void
order_intervals(double *began, double *ended, int64 count)
{
	int64		first = in_order(began, 0, count);
	int64		second = in_order(began, first, count);
	Span	   *all;
	int64		i = 0;
	int64		j = first;

	if (first == count)
		return;
	all = MemoryContextAllocHuge(CurrentMemoryContext, count * sizeof(Span));
	for (int64 k = 0; k < count; k++)
	{
		bool		take_second = first + second == count && j < count && (i == first || began[j] < began[i]);
		int64		from = first + second < count ? k : take_second ? j++ : i++;

		all[k] = (Span) {began[from], ended[from]};
	}
	if (first + second < count)
		qsort(all, count, sizeof(Span), compare_intervals);
	for (int64 k = 0; k < count; k++)
	{
		began[k] = all[k].began;
		ended[k] = all[k].ended;
	}
	pfree(all);
}

/* The arguments began and lasted as intervals, by their beginning. */
static L4Intervals
intervals_of(FunctionCallInfo fcinfo, int argument)
{
	int64		count;
	double	   *began = flow_numbers(fcinfo, argument, &count);
	double	   *ended = flow_as_many(fcinfo, argument + 1, count);

	for (int64 i = 0; i < count; i++)
		ended[i] += began[i];
	order_intervals(began, ended, count);
	return (L4Intervals) {began, ended, count};
}

/* The arguments began, lasted and moved, messages in order. */
static L4Traffic
traffic_of(FunctionCallInfo fcinfo, int argument)
{
	L4Traffic	traffic = {intervals_of(fcinfo, argument)};

	traffic.moved = flow_as_many(fcinfo, argument + 2, traffic.messages.count);
	return traffic;
}

/* Arguments: began, lasted, share_of_count, share_of_time, tolerance. */
Datum
l4_regular_interval(PG_FUNCTION_ARGS)
{
	L4Intervals messages = intervals_of(fcinfo, 0);
	L4Regularity found;
	Datum		values[3];

	if (!intervals_regular(&messages, flow_option(fcinfo, 2, "share_of_count", 0), flow_option(fcinfo, 3, "share_of_time", 0),
						   flow_option(fcinfo, 4, "tolerance", 0), &found))
		PG_RETURN_NULL();
	values[0] = Float8GetDatum(found.interval);
	values[1] = Float8GetDatum(found.pause);
	values[2] = Int64GetDatum(found.bursts);
	return flow_row(fcinfo, values, lengthof(values));
}

/* Arguments: began, of others, tolerance. */
Datum
l4_together(PG_FUNCTION_ARGS)
{
	L4Intervals a = {0};
	L4Intervals b = {0};

	a.began = flow_numbers(fcinfo, 0, &a.count);
	b.began = flow_numbers(fcinfo, 1, &b.count);
	PG_RETURN_FLOAT8(intervals_together(&a, &b, flow_option(fcinfo, 2, "tolerance", 0)));
}

/* The messages that move at least this share of what they move on average. */
static L4Intervals
messages_of_weight(const L4Traffic *traffic, double smallest)
{
	int64		count = traffic->messages.count;
	double	   *began = room_for(count, sizeof(double));
	double	   *ended = room_for(count, sizeof(double));
	double		moved = 0;
	int64		kept = 0;

	for (int64 i = 0; i < count; i++)
		moved += traffic->moved[i];
	for (int64 i = 0; i < count; i++)
	{
		if (traffic->moved[i] * count < smallest * moved)
			continue;
		began[kept] = traffic->messages.began[i];
		ended[kept++] = traffic->messages.ended[i];
	}
	return (L4Intervals) {began, ended, kept};
}

/* Arguments: began, lasted, moved, of what comes back, pause, tolerance, together, smallest. */
Datum
l4_answers(PG_FUNCTION_ARGS)
{
	L4Traffic	a = traffic_of(fcinfo, 0);
	L4Traffic	b = traffic_of(fcinfo, 3);
	double		smallest = flow_option(fcinfo, 9, "smallest", 0);
	L4Intervals heavy_a = messages_of_weight(&a, smallest);
	L4Intervals heavy_b = messages_of_weight(&b, smallest);
	L4Turns		turns = answers_turns(&heavy_a, &heavy_b, flow_option(fcinfo, 8, "together", 0));
	Datum		values[5] = {
		Float8GetDatum(answers_alike(&a.messages, a.moved, &b.messages, b.moved, flow_option(fcinfo, 7, "tolerance", 0))),
		Float8GetDatum(answers_at_once(&a.messages, &b.messages, flow_option(fcinfo, 6, "pause", 0))),
		Float8GetDatum(answers_end_together(&a.messages, &b.messages, flow_option(fcinfo, 8, "together", 0))),
		Int64GetDatum(turns.count), Float8GetDatum(turns.share)
	};

	return flow_row(fcinfo, values, lengthof(values));
}

/* Arguments: began, lasted, pause. */
Datum
l4_bursts(PG_FUNCTION_ARGS)
{
	L4Intervals messages = intervals_of(fcinfo, 0);
	double		seconds;
	int64		bursts = intervals_bursts(&messages, flow_option(fcinfo, 2, "pause", 0), &seconds);
	Datum		values[2] = {Int64GetDatum(bursts), Float8GetDatum(seconds)};

	return flow_row(fcinfo, values, lengthof(values));
}

/* ---- by steps ---- */

/* Bytes of the messages that began in each cycle. */
static double *
bytes_of_cycles(const L4Intervals *messages, const double *moved, const L4StepCycles *cycles)
{
	double	   *bytes = palloc0(Max(cycles->count, 1) * sizeof(double));
	int64		i = 0;

	for (int64 cycle = 0; cycle < cycles->count; cycle++)
		for (; i < messages->count && messages->began[i] <= cycles->ended[cycle]; i++)
			bytes[cycle] += moved[i];
	return bytes;
}

/* The cycles found as the first columns of l4_step_cycle_series. */
static void
put_cycles(Datum *values, const L4Intervals *messages, const double *moved, const L4StepCycles *found)
{
	values[0] = Float8GetDatum(found->interval);
	values[1] = flow_array(found->began, found->count, FLOAT8OID);
	values[2] = flow_array(found->ended, found->count, FLOAT8OID);
	values[3] = flow_array(bytes_of_cycles(messages, moved, found), found->count, FLOAT8OID);
	values[4] = Int32GetDatum(found->microbatches);
	values[5] = Float8GetDatum(found->regular);
}

/* Arguments: began, lasted, moved, ratio, share, run, regular, tolerance, bytes_ratio, deviations, whole_share. */
Datum
l4_step_cycles(PG_FUNCTION_ARGS)
{
	L4Intervals messages = intervals_of(fcinfo, 0);
	double	   *moved = flow_as_many(fcinfo, 2, messages.count);
	L4CycleRule rule = {flow_option(fcinfo, 3, "ratio", 1), flow_option(fcinfo, 4, "share", 0), PG_GETARG_INT32(5),
		flow_option(fcinfo, 6, "regular", 0), flow_option(fcinfo, 7, "tolerance", 0),
		{flow_option(fcinfo, 8, "bytes_ratio", 1), flow_option(fcinfo, 9, "deviations", 0)},
		{flow_option(fcinfo, 10, "whole_share", 0), flow_option(fcinfo, 7, "tolerance", 0)}};
	L4StepCycles found = {0};
	bool		cycles;
	Datum		values[8];
	bool		nulls[8] = {0};

	if (rule.run < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("run must be at least 1, not %d", (int) rule.run)));
	cycles = step_cycles(&messages, moved, &rule, &found);
	if (!cycles && found.weight == 0)
		PG_RETURN_NULL();
	for (int i = 0; i < lengthof(values); i++)
		nulls[i] = !cycles;
	nulls[6] = found.layer == 0;
	nulls[7] = found.weight == 0;
	if (cycles)
	{
		/* all of a cycle is one phase */
		for (int64 i = found.count - 1; i > 0; i--)
			found.began[i] = found.ended[i - 1];
		put_cycles(values, &messages, moved, &found);
	}
	values[6] = Float8GetDatum(found.layer);
	values[7] = Float8GetDatum(found.weight);
	return flow_row_with(fcinfo, values, nulls, lengthof(values));
}

/* Arguments: began, lasted, moved, pause, regular, tolerance, bytes_ratio, deviations. */
Datum
l4_step_rounds(PG_FUNCTION_ARGS)
{
	L4Intervals messages = intervals_of(fcinfo, 0);
	double	   *moved = flow_as_many(fcinfo, 2, messages.count);
	L4RoundRule rule = {flow_option(fcinfo, 3, "pause", 0), flow_option(fcinfo, 4, "regular", 0),
		flow_option(fcinfo, 5, "tolerance", 0),
	{flow_option(fcinfo, 6, "bytes_ratio", 1), flow_option(fcinfo, 7, "deviations", 0)}};
	L4StepCycles found = {0};
	Datum		values[8];
	bool		nulls[8] = {[6] = true,[7] = true};

	if (!step_rounds(&messages, moved, &rule, &found))
		PG_RETURN_NULL();
	put_cycles(values, &messages, moved, &found);
	return flow_row_with(fcinfo, values, nulls, lengthof(values));
}

/* Arguments: began, moved, busy, path, only (0: all), ends, fastest, smallest. */
Datum
l4_step_traffic(PG_FUNCTION_ARGS)
{
	int64		count;
	int64		end_count;
	double	   *began = flow_numbers(fcinfo, 0, &count);
	double	   *moved = flow_as_many(fcinfo, 1, count);
	double	   *busy = flow_as_many(fcinfo, 2, count);
	double	   *path = flow_as_many(fcinfo, 3, count);
	double	   *ends = flow_numbers(fcinfo, 5, &end_count);
	L4TrafficMessages messages = {began, moved, busy, path, count};
	L4TrafficRule rule = {PG_GETARG_INT32(4), flow_option(fcinfo, 6, "fastest", 0), flow_option(fcinfo, 7, "smallest", 0)};
	int64		steps = Max(end_count - 1, 0);
	double	   *bytes = room_for(steps, sizeof(double));
	double	   *seconds = room_for(steps, sizeof(double));
	double	   *first = room_for(steps, sizeof(double));
	Datum		values[3];

	step_traffic(&messages, ends, steps, &rule, bytes, seconds, first);
	values[0] = flow_array(bytes, steps, FLOAT8OID);
	values[1] = flow_array(seconds, steps, FLOAT8OID);
	values[2] = flow_array(first, steps, FLOAT8OID);
	return flow_row(fcinfo, values, lengthof(values));
}

/* Arguments: began, lasted, moved, ends, whole_share, tolerance. */
Datum
l4_step_early(PG_FUNCTION_ARGS)
{
	L4Intervals messages = intervals_of(fcinfo, 0);
	double	   *moved = flow_as_many(fcinfo, 2, messages.count);
	int64		end_count;
	double	   *ends = flow_numbers(fcinfo, 3, &end_count);
	L4CollectiveRule rule = {flow_option(fcinfo, 4, "whole_share", 0), flow_option(fcinfo, 5, "tolerance", 0)};
	int64		steps = Max(end_count - 1, 0);
	double	   *early = palloc0(Max(steps, 1) * sizeof(double));

	if (messages.count == 0 || !collectives_early(&messages, moved, &rule, ends, steps, early))
		PG_RETURN_NULL();
	return flow_array(early, steps, FLOAT8OID);
}

/* Arguments: began, lasted, of what comes back, ends, needed. */
Datum
l4_step_lead(PG_FUNCTION_ARGS)
{
	L4Intervals sent = intervals_of(fcinfo, 0);
	L4Intervals back = intervals_of(fcinfo, 2);
	int64		end_count;
	double	   *ends = flow_numbers(fcinfo, 4, &end_count);
	double		lead = step_lead(&sent, &back, ends, end_count, PG_GETARG_INT32(5));

	if (lead == 0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(lead);
}

/* Arguments: began, lasted, moved, of the phases began and ended, tolerance. */
Datum
l4_step_parts(PG_FUNCTION_ARGS)
{
	L4Traffic	traffic = traffic_of(fcinfo, 0);
	int64		count;
	double	   *began = flow_numbers(fcinfo, 3, &count);
	double	   *ended = flow_as_many(fcinfo, 4, count);
	double	   *ends = room_for(count, sizeof(double));

	step_parts(&traffic.messages, traffic.moved, began, ended, count, flow_option(fcinfo, 5, "tolerance", 0), ends);
	return flow_array(ends, count, FLOAT8OID);
}

/* Arguments: times, reference, tolerance. */
Datum
l4_step_places(PG_FUNCTION_ARGS)
{
	int64		count;
	int64		reference_count;
	double	   *times = flow_numbers(fcinfo, 0, &count);
	double	   *reference = flow_numbers(fcinfo, 1, &reference_count);
	int32	   *places = palloc(Max(count, 1) * sizeof(int32));

	step_places(times, count, reference, reference_count, flow_option(fcinfo, 2, "tolerance", 0), places);
	for (int64 i = 0; i < count; i++)
		times[i] = places[i];
	return flow_array(times, count, INT4OID);
}

/* More parts of a cycle than this tell nothing more. */
#define MOST_PARTS 1000

/* Arguments: times, moved, ends, parts, needed. */
Datum
l4_repeated_share(PG_FUNCTION_ARGS)
{
	int64		count;
	int64		end_count;
	double	   *times = flow_numbers(fcinfo, 0, &count);
	double	   *moved = flow_as_many(fcinfo, 1, count);
	double	   *ends = flow_numbers(fcinfo, 2, &end_count);
	int			parts = PG_GETARG_INT32(3);
	double		share;

	if (parts < 1 || parts > MOST_PARTS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parts must be from 1 to %d, not %d", MOST_PARTS, parts)));
	share = repeated_share(times, moved, count, ends, end_count, parts, PG_GETARG_INT32(4));
	if (!isfinite(share))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(share);
}

/* Arguments: began, lasted, moved, of the other, ends. */
Datum
l4_step_beside(PG_FUNCTION_ARGS)
{
	L4Traffic	link = traffic_of(fcinfo, 0);
	L4Traffic	other = traffic_of(fcinfo, 3);
	int64		end_count;
	double	   *ends = flow_numbers(fcinfo, 6, &end_count);
	int64		steps = Max(end_count - 1, 0);
	double	   *beside = palloc0(Max(steps, 1) * sizeof(double));

	step_beside(&link, &other, ends, steps, beside);
	return flow_array(beside, steps, FLOAT8OID);
}

/* ---- late ones ---- */

/* Arguments: began, moved, busy, factor, least_seconds. */
Datum
l4_late_messages(PG_FUNCTION_ARGS)
{
	int64		count;
	double	   *began = flow_numbers(fcinfo, 0, &count);
	double	   *moved = flow_as_many(fcinfo, 1, count);
	double	   *busy = flow_as_many(fcinfo, 2, count);
	double		factor = flow_option(fcinfo, 3, "factor", 1);
	double		least = flow_option(fcinfo, 4, "least_seconds", 0);
	double	   *slowness = room_for(count, sizeof(double));
	double		usual;
	int64		late = 0;

	for (int64 i = 0; i < count; i++)
		slowness[i] = moved[i] > 0 ? busy[i] / moved[i] : 0;
	usual = robust_upper_median(slowness, count);
	for (int64 i = 0; i < count; i++)
		if (busy[i] > factor * usual * moved[i] && busy[i] - usual * moved[i] >= least && moved[i] > 0)
			began[late++] = began[i];
	return flow_array(began, late, FLOAT8OID);
}
