/*
 * source_part.c: parts of a large source, read before those that come before them are known.
 *
 * What a line becomes hangs on the lines before it by four things: the record it may continue, where its stream stands (time,
 * stage, iteration), the number of its line, and which shapes the flood still admits. So a part is read on a guess. It begins
 * where a record begins as seen from some way before it; the streams stand as they stood at the last place known, moved on by
 * that same way. The part notes what its records inherited from before it. Whoever then knows the truth (source_merge_part)
 * takes the part in if it begins where the part before ended, if every stream whose inheritance mattered stood as was thought,
 * and if all its shapes are admitted in any order. Else the bytes are read once more, in order. So the result is that of
 * reading in order, whatever was guessed.
 *
 * The bytes of a part go between processes of one call and are never kept.
 */
#include "loading/source_private.h"

#include "utils/memutils.h"

#include "tools/codec.h"

/* ---------- small things as bytes ---------- */

static int
get_stage(L4ColumnReader *in)
{
	return column_get_number_to(in, l4_stage_count, "a part names an unknown stage");
}

static void
put_point(StringInfo out, const StreamPoint *point)
{
	column_put_optional(out, point->has_time, point->time);
	column_put_unsigned(out, point->progress.stage);
	column_put_optional(out, point->progress.has_iteration, point->progress.iteration);
}

static StreamPoint
get_point(L4ColumnReader *in)
{
	StreamPoint point = {0};

	point.has_time = column_get_optional(in, &point.time);
	point.progress.stage = get_stage(in);
	point.progress.has_iteration = column_get_optional(in, &point.progress.iteration);
	return point;
}

static StreamPoint
stream_point(const Stream *stream)
{
	StreamPoint point = {0};

	point.has_time = stream->has_time;
	point.time = stream->time;
	point.progress = stream->progress;
	return point;
}

static void
set_point(Stream *stream, const StreamPoint *point)
{
	stream->has_time = point->has_time;
	stream->time = point->time;
	stream->progress = point->progress;
}

/* ---------- reading ahead ---------- */

void
source_put_points(const L4Source *work, StringInfo out)
{
	int			i;

	column_put_unsigned(out, work->stream_count);
	for (i = 0; i < work->stream_count; i++)
	{
		StreamPoint point = stream_point(&work->streams[i]);

		column_put_signed(out, work->streams[i].row.stream_id);
		put_point(out, &point);
	}
}

static seeds_hash *
get_seeds(L4Bytes points)
{
	L4ColumnReader in = {points.data, points.data + points.size};
	seeds_hash *seeds = seeds_create(CurrentMemoryContext, 64, NULL);
	uint32		count = column_get_count(&in, PG_INT32_MAX);
	bool		found;

	while (count-- > 0)
	{
		uint64		stream_id = (uint64) column_get_signed(&in);

		seeds_insert(seeds, stream_id, &found)->point = get_point(&in);
	}
	return seeds;
}

void
source_seed_stream(L4Source *work, Stream *stream)
{
	const SeedEntry *seed = seeds_lookup(work->seeds, (uint64) stream->row.stream_id);

	if (seed != NULL)
		set_point(stream, &seed->point);
}

L4Source *
source_part_begin(L4SourceContext *context, const char *name, TimestampTz modified_at, L4Bytes sample, L4Bytes points,
				  int64 offset, int64 line_no)
{
	L4Source   *work = source_begin(context, name, modified_at);

	source_sample(work, sample);
	work->seeds = get_seeds(points);
	source_seed_stream(work, &work->streams[0]);
	work->segments = makeStringInfo();
	work->warming = true;
	work->bytes = offset;
	record_assembler_set_line(work->assembler, line_no);
	return work;
}

/* What the rules say of a message, whose parameters go to work->shape. */
static L4ProgressClass
class_of_message(L4Source *work, L4Bytes message)
{
	L4SourceContext *context = work->context;
	bool		remembers = context->rules->mask_count == 0;
	L4MemoEntry *memo = remembers ? message_memo_find(context->memo, message, &work->shape) : NULL;
	ClassEntry *known = memo != NULL ? classes_lookup(context->classes, memo->shape_id) : NULL;
	L4Bytes		text;
	uint64		shape_id;

	if (known != NULL)
		return known->class;
	mask_message(&work->shape, message, context->rules->masks, context->rules->mask_count);
	text = (L4Bytes) {work->shape.text.data, work->shape.text.len};
	shape_id = shape_hash(text.data, text.size);
	if (remembers && memo == NULL)
		(void) message_memo_keep(context->memo, message, &work->shape, shape_id);
	return source_class_of_shape(context, shape_id, text);
}

void
source_warm(L4Source *work, Stream *stream, const L4RawRecord *raw)
{
	L4ProgressClass class = class_of_message(work, raw->message);
	L4ProgressState progress;

	(void) progress_advance(&work->context->rules->progress, &stream->progress, class, raw->message, work->shape.parameters,
							work->shape.parameter_count, &progress);
}

void
source_part_start(L4Source *work)
{
	int			i;

	work->warming = false;
	for (i = 0; i < work->stream_count; i++)
		source_mark_stream(&work->streams[i]);
	work->part_offset = work->bytes;
	work->part_line = record_assembler_lines(work->assembler) + 1;
}

/* ---------- a part as bytes ---------- */

void
source_put_segment(StringInfo out, const L4SegmentRow *row)
{
	const bytea *blobs[] = {row->blobs.structure, row->blobs.texts, row->blobs.parameters};
	int			i;

	column_put_signed(out, row->first_line);
	column_put_signed(out, row->last_line);
	column_put_unsigned(out, row->record_count);
	column_put_optional(out, row->has_time, row->first_ts);
	column_put_optional(out, row->has_time, row->last_ts);
	column_put_unsigned(out, row->raw_bytes);
	column_put_bytes(out, (L4Bytes) {(const char *) row->stream_ids, row->stream_count * sizeof(int64)});
	column_put_bytes(out, (L4Bytes) {(const char *) row->shape_ids, row->shape_count * sizeof(int64)});
	for (i = 0; i < (int) lengthof(blobs); i++)
		column_put_bytes(out, (L4Bytes) {(const char *) blobs[i], VARSIZE(blobs[i])});
}

/* A copy, aligned for what it holds. */
static void *
get_copy(L4ColumnReader *in, size_t *size)
{
	L4Bytes		bytes = column_get_bytes(in);

	*size = bytes.size;
	return memcpy(palloc(Max(bytes.size, 1)), bytes.data, bytes.size);
}

static bytea *
get_blob(L4ColumnReader *in)
{
	size_t		size;
	bytea	   *blob = get_copy(in, &size);

	if (size < VARHDRSZ || VARSIZE(blob) != size)
		column_corrupted("a part holds no segment where one should be");
	return blob;
}

static void
get_segment(L4ColumnReader *in, L4SegmentRow *row)
{
	size_t		size;

	row->first_line = column_get_signed(in);
	row->last_line = column_get_signed(in);
	row->record_count = (int) column_get_unsigned(in);
	row->has_time = column_get_optional(in, &row->first_ts);
	(void) column_get_optional(in, &row->last_ts);
	row->raw_bytes = (int64) column_get_unsigned(in);
	row->stream_ids = get_copy(in, &size);
	row->stream_count = size / sizeof(int64);
	row->shape_ids = get_copy(in, &size);
	row->shape_count = size / sizeof(int64);
	row->blobs.structure = get_blob(in);
	row->blobs.texts = get_blob(in);
	row->blobs.parameters = get_blob(in);
}

/* What a stream was in the part, with what it inherited and what it leaves behind. */
typedef struct PartStream
{
	char	   *label;
	L4Place		place;
	L4StreamRow row;			/* counts, first and last of the part alone */
	StreamPoint entry;
	StreamPoint end;
	bool		own_time;
	bool		own_stage;
	bool		own_iteration;
	bool		used_time;
	bool		used_stage;
	bool		used_iteration;
	int			number;			/* of the stream in the source that takes the part in, or -1 */
} PartStream;

static void
put_stream(StringInfo out, const Stream *stream)
{
	const L4StreamRow *row = &stream->row;
	StreamPoint end = stream_point(stream);

	column_put_text(out, row->label);
	column_put_text(out, row->place.kind);
	column_put_text(out, row->place.node);
	column_put_signed(out, row->place.rank);
	column_put_signed(out, row->place.attempt);
	column_put_unsigned(out, row->record_count);
	column_put_unsigned(out, row->last_stage);
	column_put_optional(out, row->has_time, row->first_ts);
	column_put_optional(out, row->has_time, row->last_ts);
	column_put_optional(out, row->has_iteration, row->first_iteration);
	column_put_optional(out, row->has_iteration, row->last_iteration);
	put_point(out, &stream->entry);
	put_point(out, &end);
	column_put_unsigned(out, stream->own_time + 2 * stream->own_stage + 4 * stream->own_iteration +
						8 * stream->used_time + 16 * stream->used_stage + 32 * stream->used_iteration);
}

static void
get_stream(L4ColumnReader *in, PartStream *stream)
{
	uint64		flags;

	stream->label = column_get_text(in);
	stream->place.kind = column_get_text(in);
	stream->place.node = column_get_text(in);
	stream->place.rank = (int) column_get_signed(in);
	stream->place.attempt = (int) column_get_signed(in);
	stream->row.record_count = (int64) column_get_unsigned(in);
	stream->row.last_stage = get_stage(in);
	stream->row.has_time = column_get_optional(in, &stream->row.first_ts);
	(void) column_get_optional(in, &stream->row.last_ts);
	stream->row.has_iteration = column_get_optional(in, &stream->row.first_iteration);
	(void) column_get_optional(in, &stream->row.last_iteration);
	stream->entry = get_point(in);
	stream->end = get_point(in);
	flags = column_get_unsigned(in);
	stream->own_time = (flags & 1) != 0;
	stream->own_stage = (flags & 2) != 0;
	stream->own_iteration = (flags & 4) != 0;
	stream->used_time = (flags & 8) != 0;
	stream->used_stage = (flags & 16) != 0;
	stream->used_iteration = (flags & 32) != 0;
	if (stream->place.kind == NULL)
		column_corrupted("a stream is of no kind");
}

static void
put_summary(StringInfo out, const Summary *summary, uint64 shape_id, int stream)
{
	const L4SummaryRow *row = &summary->row;

	column_put_unsigned(out, stream);
	column_put_signed(out, (int64) shape_id);
	column_put_unsigned(out, row->occurrences);
	column_put_unsigned(out, row->level);
	column_put_text(out, row->component);
	column_put_signed(out, row->first_line);
	column_put_signed(out, row->last_line);
	column_put_optional(out, row->has_time, row->first_ts);
	column_put_optional(out, row->has_time, row->last_ts);
	column_put_unsigned(out, row->stage);
	column_put_optional(out, row->has_iteration, row->first_iteration);
	column_put_optional(out, row->has_iteration, row->last_iteration);
	sketch_put(out, &summary->sketches);
}

static void
put_streams(StringInfo out, const L4Source *work, int *numbers)
{
	int			count = 0;
	int			i;

	for (i = 0; i < work->stream_count; i++)
		numbers[i] = work->streams[i].row.record_count > 0 ? count++ : -1;
	column_put_unsigned(out, count);
	for (i = 0; i < work->stream_count; i++)
		if (numbers[i] >= 0)
			put_stream(out, &work->streams[i]);
}

static void
put_shapes(StringInfo out, const L4Source *work)
{
	shapes_iterator iterator;
	ShapeEntry *entry;

	column_put_unsigned(out, work->shapes->members);
	shapes_start_iterate(work->shapes, &iterator);
	while ((entry = shapes_iterate(work->shapes, &iterator)) != NULL)
	{
		column_put_signed(out, (int64) entry->shape_id);
		column_put_bytes(out, entry->shape->text);
	}
}

static void
put_summaries(StringInfo out, const L4Source *work, const int *numbers)
{
	summaries_iterator iterator;
	SummaryEntry *entry;

	column_put_unsigned(out, work->summaries->members);
	summaries_start_iterate(work->summaries, &iterator);
	while ((entry = summaries_iterate(work->summaries, &iterator)) != NULL)
		put_summary(out, entry->summary, entry->key.shape_id, numbers[entry->key.stream]);
}

static void
put_starts(StringInfo out, const L4Source *work)
{
	starts_iterator iterator;
	IterationEntry *entry;

	column_put_unsigned(out, work->starts->members);
	starts_start_iterate(work->starts, &iterator);
	while ((entry = starts_iterate(work->starts, &iterator)) != NULL)
	{
		column_put_signed(out, (int64) entry->iteration);
		column_put_signed(out, entry->start);
	}
}

void
source_part_put(L4Source *work, StringInfo out)
{
	int		   *numbers = palloc(mul_size(work->stream_count, sizeof(int)));
	int			i;

	source_finish_segment(work);
	column_put_unsigned(out, work->flooded ? 1 : 0);
	column_put_signed(out, work->part_offset);
	column_put_signed(out, work->part_line);
	column_put_signed(out, work->bytes);
	column_put_signed(out, record_assembler_lines(work->assembler) + 1);
	column_put_unsigned(out, work->format_count);
	for (i = 0; i < work->format_count; i++)
		column_put_unsigned(out, work->format_uses[i]);
	put_streams(out, work, numbers);
	put_shapes(out, work);
	put_summaries(out, work, numbers);
	put_starts(out, work);
	column_put_bytes(out, (L4Bytes) {work->segments->data, work->segments->len});
}

/* ---------- taking a part in ---------- */

/* A part on its way in: first all that decides is read, then all is applied. */
typedef struct Part
{
	MemoryContext lasting;		/* that of the source; all else goes when the part is in */
	L4ColumnReader in;
	int64		end;
	int64		end_line;
	int64	   *format_uses;
	int			stream_count;
	PartStream *streams;
	int			shape_count;
	uint64	   *shape_ids;
	L4Bytes    *shapes;
} Part;

static void
get_streams(Part *part)
{
	int			i;

	part->stream_count = (int) column_get_count(&part->in, PG_INT32_MAX);
	part->streams = palloc0(mul_size(Max(part->stream_count, 1), sizeof(PartStream)));
	for (i = 0; i < part->stream_count; i++)
		get_stream(&part->in, &part->streams[i]);
}

/* The shapes of the part that the source does not have yet. */
static void
get_new_shapes(Part *part, const L4Source *work)
{
	uint32		count = column_get_count(&part->in, PG_INT32_MAX);

	part->shape_ids = palloc(mul_size(Max(count, 1), sizeof(uint64)));
	part->shapes = palloc(mul_size(Max(count, 1), sizeof(L4Bytes)));
	while (count-- > 0)
	{
		uint64		shape_id = (uint64) column_get_signed(&part->in);
		L4Bytes		text = column_get_bytes(&part->in);

		if (shapes_lookup(work->shapes, shape_id) != NULL)
			continue;
		part->shape_ids[part->shape_count] = shape_id;
		part->shapes[part->shape_count++] = text;
	}
}

/* The number of the part's stream in the source, -1 where it is new there. */
static int
find_stream(const L4Source *work, const PartStream *stream)
{
	StreamEntry *entry;

	if (stream->label == NULL)
		return 0;
	entry = labels_lookup(work->labels, shape_hash(stream->label, strlen(stream->label)));
	return entry != NULL ? entry->stream : -1;
}

/* Did the stream stand as the part thought, as far as that mattered? */
static bool
stands_as_thought(const PartStream *stream, const StreamPoint *truth)
{
	const StreamPoint *entry = &stream->entry;

	if (stream->used_time && (entry->has_time != truth->has_time || (truth->has_time && entry->time != truth->time)))
		return false;
	if (stream->used_stage && entry->progress.stage != truth->progress.stage)
		return false;
	return !stream->used_iteration ||
		(entry->progress.has_iteration == truth->progress.has_iteration &&
		 (!truth->progress.has_iteration || entry->progress.iteration == truth->progress.iteration));
}

/* Where a stream of the part stands in the source: at its beginning where it is new there. */
static StreamPoint
true_point(const L4Source *work, const PartStream *stream)
{
	StreamPoint point = {0};

	if (stream->number >= 0)
		return stream_point(&work->streams[stream->number]);
	point.progress.stage = source_first_stage(&stream->place);
	return point;
}

static bool
streams_stand(const L4Source *work, Part *part)
{
	int			i;

	for (i = 0; i < part->stream_count; i++)
	{
		StreamPoint truth;

		part->streams[i].number = find_stream(work, &part->streams[i]);
		truth = true_point(work, &part->streams[i]);
		if (!stands_as_thought(&part->streams[i], &truth))
			return false;
	}
	return true;
}

/* Reads what decides; is the part what reading in order would give? The shapes are counted then. */
static bool
part_holds(L4Source *work, Part *part)
{
	bool		flooded = column_get_unsigned(&part->in) != 0;
	int64		offset = column_get_signed(&part->in);
	int64		line_no = column_get_signed(&part->in);
	int			i;

	part->end = column_get_signed(&part->in);
	part->end_line = column_get_signed(&part->in);
	if (flooded || offset != work->bytes || line_no != record_assembler_lines(work->assembler) + 1 ||
		column_get_unsigned(&part->in) != (uint64) work->format_count)
		return false;
	part->format_uses = palloc(mul_size(Max(work->format_count, 1), sizeof(int64)));
	for (i = 0; i < work->format_count; i++)
		part->format_uses[i] = (int64) column_get_unsigned(&part->in);
	get_streams(part);
	if (!streams_stand(work, part))
		return false;
	get_new_shapes(part, work);
	return flood_admits_all(work->flood, part->shapes, part->shape_count);
}

/* First and last of two stretches, the second behind the first. */
static void
join_times(bool *has, TimestampTz *first, TimestampTz *last, bool more, TimestampTz more_first, TimestampTz more_last)
{
	if (!more)
		return;
	*first = *has ? Min(*first, more_first) : more_first;
	*last = *has ? Max(*last, more_last) : more_last;
	*has = true;
}

static void
join_iterations(bool *has, int64 *first, int64 *last, bool more, int64 more_first, int64 more_last)
{
	if (!more)
		return;
	if (!*has)
		*first = more_first;
	*last = more_last;
	*has = true;
}

static void
join_stream(L4Source *work, PartStream *from, MemoryContext lasting)
{
	Stream	   *stream;
	L4StreamRow *row;
	bool		found;

	if (from->number < 0)
	{
		L4Place		place = from->place;
		MemoryContext caller = MemoryContextSwitchTo(lasting);

		place.kind = pstrdup(place.kind);
		place.node = place.node != NULL ? pstrdup(place.node) : NULL;
		from->number = work->stream_count;
		labels_insert(work->labels, shape_hash(from->label, strlen(from->label)), &found)->stream = from->number;
		(void) source_add_stream(work, &place, pstrdup(from->label));
		MemoryContextSwitchTo(caller);
	}
	stream = &work->streams[from->number];
	row = &stream->row;
	row->record_count += from->row.record_count;
	row->last_stage = from->row.last_stage;
	join_times(&row->has_time, &row->first_ts, &row->last_ts, from->row.has_time, from->row.first_ts, from->row.last_ts);
	join_iterations(&row->has_iteration, &row->first_iteration, &row->last_iteration,
					from->row.has_iteration, from->row.first_iteration, from->row.last_iteration);
	if (from->own_time)
	{
		stream->has_time = from->end.has_time;
		stream->time = from->end.time;
	}
	if (from->own_stage)
		stream->progress.stage = from->end.progress.stage;
	if (from->own_iteration)
	{
		stream->progress.has_iteration = from->end.progress.has_iteration;
		stream->progress.iteration = from->end.progress.iteration;
	}
	source_mark_stream(stream);
}

static void
join_summary(L4Source *work, Part *part)
{
	L4ColumnReader *in = &part->in;
	uint32		number = (uint32) column_get_unsigned(in);
	uint64		shape_id = (uint64) column_get_signed(in);
	L4SummaryRow from = {0};
	L4SketchSet sketches;
	Summary    *summary;
	L4SummaryRow *row;
	MemoryContext caller;
	uint64		level;
	bool		is_new;

	if (number >= (uint32) part->stream_count)
		column_corrupted("a part counts for a stream that it does not have");
	from.occurrences = (int64) column_get_unsigned(in);
	level = column_get_unsigned(in);
	from.level = (L4Level) Min(level, (uint64) L4_LEVEL_FATAL);
	from.component = column_get_text(in);
	from.first_line = column_get_signed(in);
	from.last_line = column_get_signed(in);
	from.has_time = column_get_optional(in, &from.first_ts);
	(void) column_get_optional(in, &from.last_ts);
	from.stage = get_stage(in);
	from.has_iteration = column_get_optional(in, &from.first_iteration);
	(void) column_get_optional(in, &from.last_iteration);
	sketch_get(in, &sketches);
	caller = MemoryContextSwitchTo(part->lasting);
	summary = source_summary(work, part->streams[number].number, shape_id, &is_new);
	row = &summary->row;
	if (is_new)
	{
		row->component = from.component != NULL ? pstrdup(from.component) : NULL;
		row->first_line = from.first_line;
		row->stage = from.stage;
	}
	summary->changed = true;
	row->occurrences += from.occurrences;
	row->level = Max(row->level, from.level);
	row->last_line = from.last_line;
	join_times(&row->has_time, &row->first_ts, &row->last_ts, from.has_time, from.first_ts, from.last_ts);
	join_iterations(&row->has_iteration, &row->first_iteration, &row->last_iteration, from.has_iteration, from.first_iteration,
					from.last_iteration);
	sketch_merge(&work->cut_sketch_memory, &summary->cut_sketches, &sketches);
	MemoryContextSwitchTo(caller);
	sketch_free(&sketches);
}

static void
join_segments(L4Source *work, L4Bytes bytes)
{
	L4ColumnReader in = {bytes.data, bytes.data + bytes.size};
	MemoryContext caller = MemoryContextSwitchTo(work->segment_context);

	while (in.at < in.end)
	{
		L4SegmentRow row = {0};

		get_segment(&in, &row);
		row.source_id = work->source_id;
		row.segment_no = work->segment.segment_no++;
		store_batch_segment(work->context->rows, &row);
		MemoryContextReset(work->segment_context);
	}
	MemoryContextSwitchTo(caller);
	store_batch_write(work->context->rows);
	source_begin_segment(work);
}

/* Applies a part that holds. */
static void
join_part(L4Source *work, Part *part)
{
	MemoryContext caller;
	uint32		count;
	int			i;

	work->bytes = part->end;
	record_assembler_set_line(work->assembler, part->end_line);
	for (i = 0; i < work->format_count; i++)
		work->format_uses[i] += part->format_uses[i];
	for (i = 0; i < part->stream_count; i++)
		join_stream(work, &part->streams[i], part->lasting);
	caller = MemoryContextSwitchTo(part->lasting);
	for (i = 0; i < part->shape_count; i++)
		source_shape(work, part->shape_ids[i], part->shapes[i])->firm = true;
	MemoryContextSwitchTo(caller);
	for (count = column_get_count(&part->in, PG_INT32_MAX); count > 0; count--)
		join_summary(work, part);
	for (count = column_get_count(&part->in, PG_INT32_MAX); count > 0; count--)
	{
		int64		iteration = column_get_signed(&part->in);

		(void) source_note_start(work->starts, iteration, column_get_signed(&part->in));
	}
	join_segments(work, column_get_bytes(&part->in));
}

bool
source_merge_part(L4Source *work, L4Bytes bytes)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "l4 part", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(memory);
	Part		part = {caller, {bytes.data, bytes.data + bytes.size}};
	bool		holds = part_holds(work, &part);

	if (holds)
		join_part(work, &part);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(memory);
	return holds;
}
