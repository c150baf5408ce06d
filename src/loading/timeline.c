/*
 * timeline.c: a job's timeline made anew from its records.
 *
 * Sources add to the timeline as they are read; of each iteration the earliest start stays. When a file was rewritten, or a
 * last line was continued, a start may be of a record that no longer exists. Then all records of the job that name iterations
 * are read again; their shapes tell which these are.
 */
#include "loading/timeline.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "algorithms/segment_bundle.h"
#include "doors/store_shapes.h"
#include "doors/store_source.h"
#include "doors/store_timeline.h"

typedef struct StartEntry
{
	int64		iteration;
	TimestampTz start;
	char		status;
} StartEntry;

#define SH_PREFIX timeline
#define SH_ELEMENT_TYPE StartEntry
#define SH_KEY_TYPE int64
#define SH_KEY iteration
#define SH_HASH_KEY(table, key) ((uint32) (key) * 0x9e3779b1U)
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

typedef struct Rebuild
{
	L4SourceContext *context;
	timeline_hash *starts;
} Rebuild;

static bool
names_iteration(int64 shape_id, L4Bytes text, void *argument)
{
	return source_class_of_shape(argument, (uint64) shape_id, text).iteration_rule >= 0;
}

/* Notes the start that a record names, as when it came in: not of a last line that has no end. */
static void
note_record(Rebuild *rebuild, L4SegmentReader *reader, const L4StoredRecord *record, L4Bytes message)
{
	L4ProgressClass class = source_class_of_shape(rebuild->context, stored_shape_id(record), record->shape_text);
	L4ProgressState state = {0};
	L4ProgressState of_record;
	StartEntry *entry;
	bool		found;

	if (!progress_advance(&rebuild->context->rules->progress, &state, class, L4_LEVEL_NONE, message, segment_parameters(reader),
						  record->parameter_count, &of_record))
		return;
	entry = timeline_insert(rebuild->starts, state.iteration, &found);
	if (!found || record->time < entry->start)
		entry->start = record->time;
}

static bool
is_ended(L4SegmentReader *reader, StringInfo raw)
{
	resetStringInfo(raw);
	segment_raw(reader, raw);
	return raw->len > 0 && (raw->data[raw->len - 1] == '\n' || raw->data[raw->len - 1] == '\r');
}

static void
read_segment(Rebuild *rebuild, const L4SegmentBlobs *blobs, bool is_last)
{
	L4SegmentReader *reader = segment_open(blobs);
	L4StoredRecord record;
	StringInfoData message;
	StringInfoData raw;
	int			count = segment_reader_count(reader);
	int			i;

	initStringInfo(&message);
	initStringInfo(&raw);
	for (i = 1; segment_next(reader, &record); i++)
	{
		if (!record.has_time ||
			source_class_of_shape(rebuild->context, stored_shape_id(&record), record.shape_text).iteration_rule < 0)
			continue;
		if (is_last && i == count && !is_ended(reader, &raw))
			continue;
		resetStringInfo(&message);
		segment_message(reader, &message);
		note_record(rebuild, reader, &record, (L4Bytes) {message.data, message.len});
	}
}

/* Reads a segment, or one after the other those of a bundle. */
static void
read_segments(const L4SegmentBlobs *blobs, bool is_last, void *argument)
{
	L4SegmentBlobs member;
	int			i;

	if (segment_bundle_streams(blobs, 0) < 0)
		read_segment(argument, blobs, is_last);
	for (i = 0; segment_bundle_streams(blobs, i) >= 0; i++)
	{
		segment_bundle_member(blobs, i, &member);
		read_segment(argument, &member, is_last);
	}
}

void
timeline_rebuild(L4SourceContext *context)
{
	Rebuild		rebuild = {context, timeline_create(CurrentMemoryContext, 1024, NULL)};
	timeline_iterator iterator;
	StartEntry *entry;
	int64	   *iterations;
	TimestampTz *starts;
	int64	   *shapes;
	int			count;

	shapes = store_job_shapes(context->schema, context->job->job_id, names_iteration, context, &count);
	store_forget_timeline(context->schema, context->job->job_id);
	store_each_segment(context->schema, context->job->job_id, shapes, count, read_segments, &rebuild);
	iterations = palloc(mul_size(Max(rebuild.starts->members, 1), sizeof(int64)));
	starts = palloc(mul_size(Max(rebuild.starts->members, 1), sizeof(TimestampTz)));
	count = 0;
	timeline_start_iterate(rebuild.starts, &iterator);
	while ((entry = timeline_iterate(rebuild.starts, &iterator)) != NULL)
	{
		iterations[count] = entry->iteration;
		starts[count++] = entry->start;
	}
	if (count > 0)
		store_timeline(context->schema, context->job->job_id, iterations, starts, count);
}
