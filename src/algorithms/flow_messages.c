/*
 * flow_messages.c: messages from the records of flows.
 *
 * Records are put in order by time; one that comes again from another switch of its path, a little later and otherwise the
 * same, is left out; what overlaps or follows on one path without a pause is one message. The order of equal records makes no
 * difference.
 */
#include "algorithms/flow_messages.h"

#include <math.h>

#include "miscadmin.h"

#define ST_SORT sort_records
#define ST_ELEMENT_TYPE L4FlowRecord
#define ST_COMPARE(a, b) record_compare(a, b)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DECLARE
#define ST_DEFINE

static inline int
record_compare(const L4FlowRecord *a, const L4FlowRecord *b)
{
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->queue_pair != b->queue_pair)
		return a->queue_pair < b->queue_pair ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	if (a->duration != b->duration)
		return a->duration < b->duration ? -1 : 1;
	if (a->path != b->path)
		return a->path < b->path ? -1 : 1;
	return a->retransmits < b->retransmits ? -1 : a->retransmits > b->retransmits;
}

#include "lib/sort_template.h"

/* Is the record another one of those before it, seen by another switch? */
static bool
came_before(const L4FlowRecord *first, const L4FlowRecord *record, int64 twice)
{
	for (const L4FlowRecord *other = record - 1; other >= first && record->start - other->start <= twice; other--)
		if (other->queue_pair == record->queue_pair && other->bytes == record->bytes &&
			fabsf(other->duration - record->duration) <= 1e-3f * record->duration + 1e-6f)
			return true;
	return false;
}

/* Leaves out what came twice and what carries no data; returns how many are left. */
static int64
keep_data(L4FlowRecord *records, int64 count, const L4FlowRules *rules, L4FlowMessages *result)
{
	int64		kept = 0;

	for (int64 i = 0; i < count; i++)
	{
		records[kept] = records[i];
		if (came_before(records, records + kept, rules->twice))
		{
			result->duplicates++;
			continue;
		}
		result->bytes += records[i].bytes;
		result->retransmits += records[i].retransmits;
		if ((int64) records[i].bytes < rules->least_bytes)
			result->small++;
		else
			kept++;
	}
	return kept;
}

/* Adds a record to the last message of its path (last: their places, -1 for none), or begins one. */
static void
add_record(L4FlowMessages *result, const L4FlowRecord *record, double pause, int64 *last)
{
	double		start = record->start / 1e6;
	L4FlowMessage *m = result->messages + last[record->path];

	if (last[record->path] < 0 || start - (m->began + m->lasted) >= pause)
	{
		last[record->path] = result->count++;
		m = result->messages + last[record->path];
		*m = (L4FlowMessage) {.began = start, .path = record->path};
	}
	m->lasted = Max(m->lasted, (float) (start + record->duration - m->began));
	m->bytes += record->bytes;
	m->busy += record->duration;
	m->retransmits = Min(m->retransmits + record->retransmits, PG_UINT16_MAX);
}

static int
compare_uint64(const void *a, const void *b)
{
	uint64		x = *(const uint64 *) a;
	uint64		y = *(const uint64 *) b;

	return x < y ? -1 : x > y;
}

/* Share of the most frequent size among (at most a thousand of) the records, spread evenly. */
static double
same_size(const L4FlowRecord *records, int64 count)
{
	uint64		sizes[1000];
	int			taken = Min(count, lengthof(sizes));
	int			longest = 0;
	int			run = 0;

	for (int i = 0; i < taken; i++)
		sizes[i] = records[i * (count / taken)].bytes;
	qsort(sizes, taken, sizeof(uint64), compare_uint64);
	for (int i = 0; i < taken; i++)
	{
		run = i > 0 && sizes[i] == sizes[i - 1] ? run + 1 : 1;
		longest = Max(longest, run);
	}
	return taken > 0 ? (double) longest / taken : 0;
}

void
flow_messages(L4FlowRecord *records, int64 count, const L4FlowRules *rules, L4FlowMessages *result)
{
	int64		last[L4_FLOW_MOST_PATHS];

	memset(last, -1, sizeof(last));
	memset(result, 0, sizeof(*result));
	sort_records(records, count);
	result->records = keep_data(records, count, rules, result);
	result->same_size = same_size(records, result->records);
	result->messages = MemoryContextAllocHuge(CurrentMemoryContext, (result->records + 1) * sizeof(L4FlowMessage));
	for (int64 i = 0; i < result->records; i++)
		add_record(result, records + i, rules->pause, last);
}
