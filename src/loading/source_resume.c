/*
 * source_resume.c: a source that goes on where it ended, as if it had been read in one go.
 *
 * When a source is written, all its records are final except those that only the end of the input closed: the open record, and
 * a line without an end. What they changed is kept as it was before (source_state.c). To go on, the kept values are restored,
 * the open segment is deleted and its records are read again, the final ones without being counted twice; then the new bytes
 * follow. Segments, counts and parameter statistics are therefore the same, byte by byte, as if all had been read at once. The
 * cost is that of one segment and of the source's kinds of statements, not of its lines.
 *
 * A source smaller than a sample (64 kB) is read again as a whole, since the sample decides how its lines are read.
 */
#include "loading/source_private.h"

#include "lib/stringinfo.h"
#include "utils/memutils.h"

#include "doors/store_shapes.h"
#include "doors/store_source.h"
#include "tools/order.h"

/* Feeds the records of a segment again, as bytes or line by line with the facts of each. */
static void
replay_segment(L4Source *work, const L4SegmentBlobs *blobs, MemoryContext memory)
{
	MemoryContext caller = MemoryContextSwitchTo(memory);
	L4SegmentReader *reader = segment_open(blobs);
	L4StoredRecord record;
	StringInfoData raw;

	initStringInfo(&raw);
	while (segment_next(reader, &record))
	{
		WaitingLine line = {work->input.by_row &&
							record.line_part == 0, record.line_no, {record.has_time, record.time, record.level}, 0};

		resetStringInfo(&raw);
		segment_raw(reader, &raw);
		line.size = raw.len;
		MemoryContextSwitchTo(caller);
		source_take(work, &line, raw.data);
		MemoryContextSwitchTo(memory);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextReset(memory);
}

/* Deletes the segments from a number on and reads their records again. */
static void
replay(L4Source *work, int segment_no)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "l4 replay", ALLOCSET_DEFAULT_SIZES);
	int			count;
	int			i;
	L4SegmentBlobs *blobs = store_take_segments(work->context->schema, work->context->job->job_id, work->source_id, segment_no,
												&count);

	if (work->input.by_row && !work->resume.resumed)
		store_forget_source(work->context->schema, work->context->job->job_id, work->source_id);
	for (i = 0; i < count; i++)
		replay_segment(work, &blobs[i], memory);
	MemoryContextDelete(memory);
}

/* The streams as they stood; by_id receives their numbers. */
static void
restore_streams(L4Source *work, const L4SourceState *state, labels_hash *by_id)
{
	bool		found;
	int			i;

	for (i = 0; i < state->stream_count; i++)
	{
		const L4StreamState *was = &state->streams[i];
		Stream	   *stream = i == 0 ? &work->streams.list[0] : source_add_stream(work, &was->row.place, was->row.label);
		L4StreamRow row = was->row;

		row.source_id = stream->row.source_id;
		row.source = stream->row.source;
		row.state = stream->row.state;
		stream->row = row;
		stream->has_time = was->begin.has_time;
		stream->time = was->begin.time;
		stream->progress = was->begin.progress;
		stream->begin = was->begin;
		if (row.label != NULL)
			labels_insert(work->streams.labels, shape_hash(row.label, strlen(row.label)), &found)->stream = i;
		labels_insert(by_id, (uint64) row.stream_id, &found)->stream = i;
	}
}

/* The summary of a stream and a shape by their ids, made where it is new; NULL where there is no such stream. */
static Summary *
restore_summary(L4Source *work, labels_hash *by_id, int64 stream_id, int64 shape_id)
{
	StreamEntry *stream = labels_lookup(by_id, (uint64) stream_id);
	SummaryKey	key;
	SummaryEntry *entry;
	bool		found;

	if (stream == NULL)
		return NULL;
	key.shape_id = (uint64) shape_id;
	key.stream = stream->stream;
	entry = summaries_insert(work->counts.summaries, key, &found);
	if (!found)
		entry->summary = palloc0(sizeof(Summary));
	return entry->summary;
}

/* The counts as they were before the last records, with their parameter statistics. */
static void
restore_summaries(L4Source *work, const L4SourceState *state, labels_hash *by_id)
{
	const char *schema = work->context->schema;
	const char *job_id = work->context->job->job_id;
	int			count;
	L4SummaryRow *rows = store_known_summaries(schema, job_id, work->source_id, &count);
	bytea	   *packed = store_take_statistics(schema, job_id, work->source_id);
	Summary    *summary;
	int			i;

	for (i = 0; i < count; i++)
		if ((summary = restore_summary(work, by_id, rows[i].stream_id, rows[i].shape_id)) != NULL)
			summary->row = rows[i];
	for (i = 0; i < state->image_count; i++)
	{
		const L4SummaryImage *image = &state->images[i];

		if ((summary = restore_summary(work, by_id, image->row.stream_id, image->row.shape_id)) == NULL)
			continue;
		summary->row = image->row;
		if (!image->known)
			memset(&summary->row, 0, sizeof(L4SummaryRow));
		summary->statistics = image->statistics;
		summary->imaged = true; /* until the parameter statistics are in */
	}
	if (packed != NULL)
	{
		L4StatisticsReader *reader = statistics_open(packed);
		L4StatisticsEntry entry;

		while (statistics_next(reader, &entry))
			if ((summary = restore_summary(work, by_id, entry.stream_id, entry.shape_id)) != NULL && !summary->imaged)
				statistics_restore(&work->counts.memory, &summary->statistics, &entry);
	}
}

static bool
is_coarse(const L4SourceState *state, int64 shape_id)
{
	int			i;

	for (i = 0; i < state->coarse_count; i++)
		if (state->coarse[i] == shape_id)
			return true;
	return false;
}

/* The shapes that the source has by its counts. */
static void
restore_shapes(L4Source *work, const L4SourceState *state)
{
	int64	   *ids = palloc(mul_size(Max(work->counts.summaries->members, 1), sizeof(int64)));
	summaries_iterator iterator;
	SummaryEntry *counted;
	L4Bytes    *texts;
	bool		found;
	int			count = 0;
	int			i;

	summaries_start_iterate(work->counts.summaries, &iterator);
	while ((counted = summaries_iterate(work->counts.summaries, &iterator)) != NULL)
	{
		counted->summary->imaged = false;
		if (counted->summary->row.occurrences > 0)
			ids[count++] = (int64) counted->key.shape_id;
	}
	texts = store_shape_texts(work->context->schema, &ids, &count);
	for (i = 0; i < count; i++)
	{
		ShapeEntry *entry = shapes_insert(work->shapes.table, (uint64) ids[i], &found);

		if (found)
			continue;
		entry->shape = palloc0(sizeof(Shape));
		entry->shape->shape_id = (uint64) ids[i];
		source_init_shape(work, entry->shape, texts[i]);
		entry->shape->firm = true;
		entry->shape->coarse = is_coarse(state, ids[i]);
		if (!entry->shape->coarse)
			shape_limit_count(work->shapes.limit, texts[i]);
	}
}

/* Sets the source to where its open segment begins, with all final records counted, and reads what follows again. */
static void
restore(L4Source *work, const L4SourceState *state, int64 byte_count)
{
	labels_hash *by_id = labels_create(CurrentMemoryContext, 64, NULL);

	work->resume.resumed = true;
	work->input.sampled = true;
	work->counts.memory.refused = state->refused;
	restore_streams(work, state, by_id);
	restore_summaries(work, state, by_id);
	restore_shapes(work, state);
	memcpy(work->counts.format_uses, state->format_uses, Min(work->counts.format_count, state->format_count) * sizeof(int64));
	work->segment.row.segment_no = state->segment_no;
	work->resume.replayed = state->counted;
	record_assembler_resume(work->input.assembler, &state->start);
	replay(work, state->segment_no);
	work->input.bytes = byte_count;
}

void
source_resume(L4Source *work, const L4SourceStateRow *known)
{
	bool		same = known->settings_hash == work->context->settings_hash;
	L4SourceState *state = source_state_unpack(known->state, same ? work->input.parser : NULL, &work->counts.memory);

	work->reference = state->reference;
	work->input.by_row = state->by_row;
	work->resume.keeps_state = true;
	work->input.next_line = state->line_no;
	work->resume.named = state->starts;
	work->resume.named_count = state->start_count;
	source_release_shapes(work->context, known->shape_ids, known->shape_count);
	if (same && !state->whole)
		restore(work, state, known->byte_count);
	else
	{
		header_parser_reset(work->input.parser, state->reference);
		work->context->timeline_stale |= !same;
		replay(work, 0);
	}
}

void
source_save_state(L4Source *work)
{
	L4SourceState *state = work->resume.state = palloc0(sizeof(L4SourceState));
	int			i;

	state->by_row = work->input.by_row;
	state->reference = work->reference;
	state->refused = work->counts.memory.refused || work->counts.cut_memory.refused;
	state->whole = work->input.bytes < L4_SAMPLE_BYTES;
	state->segment_no = work->segment.row.segment_no;
	state->counted = segment_record_count(work->segment.builder);
	state->start = state->counted > 0 ? work->segment.start : record_assembler_next(work->input.assembler);
	state->format_count = work->counts.format_count;
	state->format_uses = memcpy(palloc(mul_size(Max(work->counts.format_count, 1), sizeof(int64))), work->counts.format_uses,
								work->counts.format_count * sizeof(int64));
	state->stream_count = work->streams.count;
	state->streams = palloc(mul_size(work->streams.count, sizeof(L4StreamState)));
	for (i = 0; i < work->streams.count; i++)
	{
		state->streams[i].row = work->streams.list[i].row;
		state->streams[i].begin = work->streams.list[i].begin;
	}
}

/* The ids of the source's shapes that are coarse, or that only records have that may still change. */
static int64 *
shapes_that_are(L4Source *work, bool coarse, int *count)
{
	int64	   *ids = palloc(mul_size(Max(work->shapes.table->members, 1), sizeof(int64)));
	shapes_iterator iterator;
	ShapeEntry *entry;

	*count = 0;
	shapes_start_iterate(work->shapes.table, &iterator);
	while ((entry = shapes_iterate(work->shapes.table, &iterator)) != NULL)
		if (coarse ? entry->shape->coarse : !entry->shape->firm)
			ids[(*count)++] = (int64) entry->shape_id;
	qsort(ids, *count, sizeof(int64), compare_int64);
	return ids;
}

bool
source_state_row(L4Source *work, const L4SourceFile *file, L4SourceStateRow *row)
{
	L4SourceState *state = work->resume.state;

	memset(row, 0, sizeof(L4SourceStateRow));
	row->shape_ids = shapes_that_are(work, false, &row->shape_count);
	if (state->whole && !state->by_row && row->shape_count == 0)
		return false;
	state->line_no = record_assembler_next(work->input.assembler).line_no;
	state->coarse = shapes_that_are(work, true, &state->coarse_count);
	row->source_id = work->source_id;
	row->byte_count = work->input.bytes;
	row->settings_hash = work->context->settings_hash;
	row->head_hash = file->head_hash;
	row->tail_hash = file->tail_hash;
	row->state = state->whole && !state->by_row ? NULL : source_state_pack(state, work->input.parser);
	return true;
}

void
source_write_state(L4Source *work, const L4SourceFile *file)
{
	L4SourceStateRow row;

	if (source_state_row(work, file, &row))
		store_batch_state(work->context->rows, &row);
}
