/*
 * source.c: one source of log bytes (a file, a member of an archive, the rows of a query) into segments, summaries and streams.
 *
 * One pass: bytes to records (record.c), each record placed, masked and added to the open segment and to the counts of its
 * stream and shape. Segments are written when they are full, all else at the end; the caller's transaction makes it one step.
 * Memory is bounded by one segment and by the number of kinds of statements, not by the number of lines.
 */
#include "loading/source_private.h"

#include "utils/memutils.h"

#include "tools/bytes.h"

/* After so many turns of streams a shape keeps its counts by stream, in so much memory for all shapes of a source. */
#define TURNS 64
#define BY_STREAM_BYTES (8 * 1024 * 1024)

int64
source_id_of(const char *text)
{
	return (int64) shape_hash(text, strlen(text));
}

/* Segments */

void
source_begin_segment(L4Source *work)
{
	MemoryContext caller = MemoryContextSwitchTo(work->segment_context);
	int			i;

	work->builder = segment_builder_create();
	for (i = 0; i < work->stream_count; i++)
	{
		work->streams[i].in_segment = -1;
		work->streams[i].begin.has_time = work->streams[i].has_time;
		work->streams[i].begin.time = work->streams[i].time;
		work->streams[i].begin.progress = work->streams[i].progress;
	}
	work->segment.stream_count = 0;
	work->segment_stream_room = 8;
	work->segment.stream_ids = palloc(work->segment_stream_room * sizeof(int64));
	work->segment.has_time = false;
	MemoryContextSwitchTo(caller);
}

void
source_finish_segment(L4Source *work)
{
	MemoryContext caller = MemoryContextSwitchTo(work->segment_context);
	int			count = segment_shape_count(work->builder);
	int			i;

	work->segment.record_count = segment_record_count(work->builder);
	work->segment.raw_bytes = segment_raw_size(work->builder);
	work->segment.shape_ids = palloc(mul_size(Max(count, 1), sizeof(int64)));
	for (i = 0; i < count; i++)
		work->segment.shape_ids[i] = (int64) segment_shape_id(work->builder, i);
	work->segment.shape_count = count;
	if (work->segment.record_count > 0)
	{
		segment_finish(work->builder, &work->segment.blobs);
		if (work->segments != NULL)
			source_put_segment(work->segments, &work->segment);
		else
			store_batch_segment(work->context->rows, &work->segment);
		work->segment.segment_no++;
	}
	MemoryContextSwitchTo(caller);
	MemoryContextReset(work->segment_context);
	source_begin_segment(work);
}

/* The stream's index in the open segment. */
static int
stream_in_segment(L4Source *work, Stream *stream)
{
	if (stream->in_segment < 0)
	{
		if (work->segment.stream_count == work->segment_stream_room)
		{
			work->segment_stream_room *= 2;
			work->segment.stream_ids = repalloc(work->segment.stream_ids, mul_size(work->segment_stream_room, sizeof(int64)));
		}
		stream->in_segment = work->segment.stream_count;
		work->segment.stream_ids[work->segment.stream_count++] = stream->row.stream_id;
	}
	return stream->in_segment;
}

/* Streams */

/* environment_init, until a marker says otherwise */
int
source_first_stage(const L4Place *place)
{
	return strcmp(place->kind, "rank") == 0 || strcmp(place->kind, "launcher") == 0 ? 1 : 0;
}

Stream *
source_add_stream(L4Source *work, const L4Place *place, const char *label)
{
	Stream	   *stream;

	if (work->stream_count == work->stream_room)
	{
		work->stream_room *= 2;
		work->streams = repalloc(work->streams, mul_size(work->stream_room, sizeof(Stream)));
	}
	stream = &work->streams[work->stream_count++];
	memset(stream, 0, sizeof(Stream));
	stream->row.source_id = work->source_id;
	stream->row.stream_id = label != NULL ? source_id_of(psprintf("%s\n%s", work->key, label)) : work->source_id;
	stream->row.source = work->name;
	stream->row.label = label;
	stream->row.place = *place;
	stream->row.state = "imported";
	stream->in_segment = -1;
	stream->progress.stage = source_first_stage(place);
	if (work->seeds != NULL)
		source_seed_stream(work, stream);
	source_mark_stream(stream);
	stream->begin.progress = stream->progress;
	return stream;
}

/* The stream of a label that is not the one before: by its name, made where it is new. */
static int
stream_by_label(L4Source *work, const L4Header *header)
{
	char	   *label;
	L4Place		place = place_from_label(&work->context->job->cluster, &work->streams[0].row.place, header, &label);
	bool		found;
	StreamEntry *entry = labels_insert(work->labels, shape_hash(label, strlen(label)), &found);

	if (found)
	{
		/* a long host comes here with every record */
		pfree(label);
		if (place.node != NULL && header->host.size > 0 && work->streams[0].row.place.node == NULL)
			pfree((char *) place.node);
	}
	else
	{
		entry->stream = work->stream_count;
		source_add_stream(work, &place, label);
	}
	return entry->stream;
}

/* A host that is empty may have no place. */
static inline void
copy_host(char *to, L4Bytes host)
{
	if (host.size > 0)
		memcpy(to, host.data, host.size);
}

/* Is the host the one that the last label said? */
static inline bool
same_host(const LastLabel *last, L4Bytes host)
{
	return last->host_size == host.size && (host.size == 0 || memcmp(last->host, host.data, host.size) == 0);
}

/* The stream of a record by its label; the file's own where the label does not count. */
static Stream *
stream_of(L4Source *work, const L4Header *header)
{
	LastLabel  *last = &work->last_label;

	if (work->streams[0].row.place.rank >= 0 || (header->rank < 0 && header->local_rank < 0 && header->host.size == 0))
		return &work->streams[0];
	if (last->stream > 0 && last->rank == header->rank && last->local_rank == header->local_rank &&
		same_host(last, header->host))
		return &work->streams[last->stream];
	last->stream = 0;
	if (header->host.size <= sizeof(last->host))
	{
		uint64		key;
		bool		found;
		StreamEntry *entry;
		struct
		{
			int			rank;
			int			local_rank;
			char		host[sizeof(last->host)];
		}			said;

		said.rank = header->rank;
		said.local_rank = header->local_rank;
		copy_host(said.host, header->host);
		key = ~shape_hash((const char *) &said, offsetof(__typeof__(said), host) + header->host.size);
		entry = labels_insert(work->labels, key, &found);
		if (!found)
			entry->stream = 0;
		if (entry->stream == 0)
			last->stream = stream_by_label(work, header);
		else
			last->stream = entry->stream;
		entry = labels_lookup(work->labels, key);
		entry->stream = last->stream;
		last->rank = header->rank;
		last->local_rank = header->local_rank;
		last->host_size = header->host.size;
		copy_host(last->host, header->host);
		return &work->streams[last->stream];
	}
	return &work->streams[stream_by_label(work, header)];
}

/* Summaries */

/* What the rules say of a shape: asked once for all sources. */
L4ProgressClass
source_class_of_shape(L4SourceContext *context, uint64 shape_id, L4Bytes text)
{
	bool		found;
	ClassEntry *entry;

	if (context->classes->members >= CLASS_LIMIT)
	{
		entry = classes_lookup(context->classes, shape_id);
		return entry != NULL ? entry->class : progress_classify(&context->rules->progress, text);
	}
	entry = classes_insert(context->classes, shape_id, &found);
	if (!found)
		entry->class = progress_classify(&context->rules->progress, text);
	return entry->class;
}

void
source_init_shape(L4Source *work, Shape *shape, L4Bytes text)
{
	shape->class = source_class_of_shape(work->context, shape->shape_id, text);
	shape->text.data = pnstrdup(text.data, text.size);
	shape->text.size = text.size;
	shape->last_stream = -1;
	shape->segment_no = -1;
}

/* The shape with this hash; text is that of the record at hand, which where two texts share a hash may not be the shape's. */
Shape *
source_shape(L4Source *work, uint64 shape_id, L4Bytes text)
{
	bool		found;
	ShapeEntry *entry = shapes_insert(work->shapes, shape_id, &found);

	if (!found)
	{
		entry->shape = palloc0(sizeof(Shape));
		entry->shape->shape_id = shape_id;
		source_init_shape(work, entry->shape, text);
	}
	return entry->shape;
}

/*
 * Masks a record's message, or remembers how one like it was masked; rest: it goes on with a line that was too long. Sets all
 * that the record says of its shape but its place in the segment.
 */
static Shape *
mask_record(L4Source *work, L4Record *record, bool rest)
{
	L4SourceContext *context = work->context;
	bool		by_itself = rest || context->rules->mask_count > 0;
	L4MemoEntry *memo = by_itself ? NULL : message_memo_find(context->memo, record->message, &work->shape);
	Shape	   *shape;

	if (memo != NULL && memo->owner == work->number)
	{
		shape = memo->shape;
		record->shape_text = shape->text;
	}
	else
	{
		bool		fine = true;
		bool		is_new;
		uint64		shape_id;

		if (rest)				/* begins amid a line: it says nothing of its own */
			flood_mask_behind(&work->shape, record->message, 0);
		else
			mask_message(&work->shape, record->message, context->rules->masks, context->rules->mask_count);
		record->shape_text = (L4Bytes) {work->shape.text.data, work->shape.text.len};
		shape_id = memo != NULL ? memo->shape_id : shape_hash(record->shape_text.data, record->shape_text.size);
		if (shapes_lookup(work->shapes, shape_id) == NULL && !flood_admits(work->flood, record->shape_text, record->level))
		{
			/* shapes come in floods: a coarse one takes the place of a new one */
			fine = false;
			work->flooded = true;
			flood_coarsen(&work->shape, record->message);
			record->shape_text = (L4Bytes) {work->shape.text.data, work->shape.text.len};
			shape_id = shape_hash(record->shape_text.data, record->shape_text.size);
		}
		is_new = shapes_lookup(work->shapes, shape_id) == NULL;
		shape = source_shape(work, shape_id, record->shape_text);
		if (is_new)
			shape->coarse = !fine;
		if (shape->text.size == record->shape_text.size &&
			memcmp(shape->text.data, record->shape_text.data, shape->text.size) == 0)
		{
			record->shape_text = shape->text;
			if (fine && memo == NULL)
				memo = message_memo_keep(context->memo, record->message, &work->shape, shape->shape_id);
			if (fine && memo != NULL)
			{
				memo->shape = shape;
				memo->owner = work->number;
			}
		}
	}
	record->shape_id = shape->shape_id;
	record->parameters = work->shape.parameters;
	record->parameter_count = work->shape.parameter_count;
	return shape;
}

static char *
component_text(L4Bytes component)
{
	StringInfoData text;

	if (component.size == 0)
		return NULL;
	initStringInfo(&text);
	bytes_append_escaped(&text, component);
	return text.data;
}

/* Keeps the counts as they are before a record that may still change. */
static void
keep_image(L4Source *work, Summary *summary)
{
	L4SourceState *state = work->state;
	L4SummaryImage *image;

	if (state->image_count == work->image_room)
	{
		work->image_room = Max(8, work->image_room * 2);
		state->images = state->images == NULL ? palloc(mul_size(work->image_room, sizeof(L4SummaryImage))) :
			repalloc(state->images, mul_size(work->image_room, sizeof(L4SummaryImage)));
	}
	image = &state->images[state->image_count++];
	image->known = summary->row.occurrences > 0;
	image->row = summary->row;
	if (work->is_cut)
	{
		/* nothing of it may be the summary's own, which is freed with the next cut */
		memset(&image->sketches, 0, sizeof(L4SketchSet));
		sketch_merge(&work->cut_sketch_memory, &image->sketches, &summary->cut_sketches);
		sketch_merge(&work->cut_sketch_memory, &image->sketches, &summary->sketches);
	}
	else
		image->sketches = sketch_copy(&summary->sketches);
	summary->imaged = true;
}

Summary *
source_summary(L4Source *work, int stream, uint64 shape_id, bool *is_new)
{
	SummaryKey	key;
	SummaryEntry *entry;
	bool		found;

	key.shape_id = shape_id;
	key.stream = stream;
	entry = summaries_insert(work->summaries, key, &found);
	if (!found)
		entry->summary = palloc0(sizeof(Summary));
	if (entry->summary->row.occurrences == 0)
	{
		entry->summary->row.stream_id = work->streams[stream].row.stream_id;
		entry->summary->row.shape_id = (int64) shape_id;
	}
	*is_new = entry->summary->row.occurrences == 0;
	return entry->summary;
}

/*
 * Remembers the counts of a shape in a stream where streams often take turns, in a way that is quicker than the table of all.
 */
static void
keep_by_stream(L4Source *work, Shape *shape, int stream, Summary *summary)
{
	if (shape->turns++ < TURNS || stream >= work->stream_count)
		return;
	if (stream >= shape->stream_room)
	{
		Size		more = (work->stream_room - shape->stream_room) * sizeof(Summary *);

		if (work->by_stream_bytes + more > BY_STREAM_BYTES)
			return;
		shape->by_stream = shape->by_stream == NULL ? palloc(more)
			: repalloc(shape->by_stream, work->stream_room * sizeof(Summary *));
		memset(shape->by_stream + shape->stream_room, 0, more);
		shape->stream_room = work->stream_room;
		work->by_stream_bytes += more;
	}
	shape->by_stream[stream] = summary;
}

/* The counts of a shape in a stream; record is the first where they are new. */
static Summary *
summary_of(L4Source *work, int stream, Shape *shape, const L4Record *record)
{
	Summary    *summary;
	L4SummaryRow *row;
	bool		is_new;

	if (shape->last_stream == stream)
		return shape->last_summary;
	if (stream < shape->stream_room && shape->by_stream[stream] != NULL)
	{
		shape->last_stream = stream;
		return shape->last_summary = shape->by_stream[stream];
	}
	summary = source_summary(work, stream, shape->shape_id, &is_new);
	keep_by_stream(work, shape, stream, summary);
	if (is_new)
	{
		row = &summary->row;
		row->component = component_text(record->component);
		row->first_line = record->line_no;
		row->stage = record->stage;
	}
	shape->last_stream = stream;
	shape->last_summary = summary;
	return summary;
}

static void
count_record(L4Source *work, int stream, Shape *shape, const L4Record *record)
{
	Summary    *summary = summary_of(work, stream, shape, record);
	L4SummaryRow *row = &summary->row;

	if (work->closing && !summary->imaged)
		keep_image(work, summary);
	summary->changed = true;
	if (record->parameter_count > 0)
		sketch_add(&work->sketch_memory, &summary->sketches, record->parameters, record->parameter_count, record->line_no);
	row->occurrences++;
	row->level = Max(row->level, record->level);
	row->last_line = record->line_no;
	if (record->has_time)
	{
		row->first_ts = row->has_time ? Min(row->first_ts, record->time) : record->time;
		row->last_ts = row->has_time ? Max(row->last_ts, record->time) : record->time;
		row->has_time = true;
	}
	if (record->has_iteration)
	{
		if (!row->has_iteration)
			row->first_iteration = record->iteration;
		row->last_iteration = record->iteration;
		row->has_iteration = true;
	}
}

/* Keeps which start a record named that may still change. */
static void
keep_start(L4Source *work, int64 iteration, TimestampTz time)
{
	L4SourceState *state = work->state;

	if (state->start_count == work->start_room)
	{
		work->start_room = Max(8, work->start_room * 2);
		state->starts = state->starts == NULL ? palloc(mul_size(work->start_room, sizeof(L4IterationStart))) :
			repalloc(state->starts, mul_size(work->start_room, sizeof(L4IterationStart)));
	}
	state->starts[state->start_count].iteration = iteration;
	state->starts[state->start_count++].time = time;
}

bool
source_note_start(starts_hash *starts, int64 iteration, TimestampTz time)
{
	bool		found;
	IterationEntry *entry = starts_insert(starts, (uint64) iteration, &found);

	if (found && time >= entry->start)
		return false;
	entry->start = time;
	return true;
}

/* Extends first and last of the open segment by a record. */
static void
extend_segment(L4Source *work, const L4RawRecord *raw, const L4Record *record)
{
	L4SegmentRow *segment = &work->segment;

	if (segment_record_count(work->builder) == 0)
	{
		segment->first_line = raw->line_no;
		work->segment_start.line_no = raw->line_no;
		work->segment_start.part = raw->part;
		work->segment_start.before = raw->before;
	}
	segment->last_line = raw->last_line_no;
	if (record->has_time)
	{
		segment->first_ts = segment->has_time ? Min(segment->first_ts, record->time) : record->time;
		segment->last_ts = segment->has_time ? Max(segment->last_ts, record->time) : record->time;
		segment->has_time = true;
	}
}

/* Extends first and last of a stream by a record. */
static void
extend_stream(Stream *stream, const L4Record *record)
{
	L4StreamRow *row = &stream->row;

	row->record_count++;
	row->last_stage = record->stage;
	if (record->has_time)
	{
		row->first_ts = row->has_time ? Min(row->first_ts, record->time) : record->time;
		row->last_ts = row->has_time ? Max(row->last_ts, record->time) : record->time;
		row->has_time = true;
	}
	if (record->has_iteration)
	{
		if (!row->has_iteration)
			row->first_iteration = record->iteration;
		row->last_iteration = record->iteration;
		row->has_iteration = true;
	}
}

/* Adds the record to the open segment; its shape is looked up there only once, unless two texts share a hash. */
static void
add_to_segment(L4Source *work, L4Record *record, Shape *shape)
{
	bool		same = record->shape_text.data == shape->text.data;
	int			index;

	record->shape = same && shape->segment_no == work->segment.segment_no ? shape->segment_index : -1;
	index = segment_add(work->builder, record);
	if (same)
	{
		shape->segment_index = index;
		shape->segment_no = work->segment.segment_no;
	}
}

/* Where a record has something from: said since the last cut (own), or inherited from before (used). */
static inline void
note_origin(bool *own, bool *used, bool said)
{
	*own |= said;
	*used |= !*own;
}

/* Takes one record from the assembler: places it, masks it, adds it to the segment and to the counts. */
static void
take_record(const L4RawRecord *raw, void *argument)
{
	L4Source   *work = argument;
	Stream	   *stream = stream_of(work, &raw->header);
	Shape	   *shape;
	L4ProgressState progress;
	L4Record	record;
	bool		marked;

	stream->has_time = header_next_time(&raw->header, work->context->zone, work->context->job->started_at, stream->has_time,
										&stream->time);
	if (work->warming)
	{
		source_warm(work, stream, raw);
		return;
	}
	record.message = raw->message;
	record.line_count = raw->line_count;
	record.level = raw->header.level;
	shape = mask_record(work, &record, raw->rest);
	record.stream = stream_in_segment(work, stream);
	record.line_no = raw->line_no;
	record.part = raw->part;
	record.has_time = stream->has_time;
	record.time = stream->time;
	record.component = raw->header.component;
	record.frame = raw->frame;
	record.time_text = raw->header.time_text;
	record.time_form = raw->header.time_form;
	if (!raw->header.has_time)
		record.time_text.size = 0;
	marked = progress_advance(&work->context->rules->progress, &stream->progress, shape->class, raw->message,
							  record.parameters, record.parameter_count, &progress);
	if (marked && stream->has_time && !raw->cut && source_note_start(work->starts, stream->progress.iteration, stream->time) &&
		work->closing)
		keep_start(work, stream->progress.iteration, stream->time);
	note_origin(&stream->own_time, &stream->used_time, raw->header.has_time);
	note_origin(&stream->own_stage, &stream->used_stage, marked || shape->class.stage != 0);
	note_origin(&stream->own_iteration, &stream->used_iteration, marked);
	record.stage = progress.stage;
	record.has_iteration = progress.has_iteration;
	record.iteration = progress.iteration;
	extend_segment(work, raw, &record);
	if (work->closing && !work->closed && work->state->counted == 0)
		work->state->start = work->segment_start;
	work->closed = work->closing;
	add_to_segment(work, &record, shape);
	shape->firm |= !work->closing;
	if (work->replayed > 0)
		work->replayed--;
	else
	{
		count_record(work, (int) (stream - work->streams), shape, &record);
		extend_stream(stream, &record);
		if (raw->header.format >= 0 && raw->header.format < work->format_count)
			work->format_uses[raw->header.format]++;
	}
	if (segment_record_count(work->builder) >= L4_SEGMENT_RECORDS || segment_raw_size(work->builder) >= L4_SEGMENT_BYTES)
		source_finish_segment(work);
}

/* Writing what a source amounts to */

static int
compare_summaries(const void *a, const void *b)
{
	const L4SummaryRow *x = a;
	const L4SummaryRow *y = b;

	if (x->stream_id != y->stream_id)
		return x->stream_id < y->stream_id ? -1 : 1;
	return x->shape_id < y->shape_id ? -1 : x->shape_id > y->shape_id ? 1 : 0;
}

/* Summaries in the order of their key, which keeps the index dense, and the sketches of their parameters. */
static void
write_summaries(L4Source *work)
{
	int			count = 0;
	int			changed = 0;
	L4SummaryRow *rows = palloc(mul_size(Max(work->summaries->members, 1), sizeof(L4SummaryRow)));
	L4SketchRow *sketches = palloc(mul_size(Max(work->summaries->members, 1), sizeof(L4SketchRow)));
	summaries_iterator iterator;
	SummaryEntry *entry;
	bytea	   *packed;
	int			i;

	summaries_start_iterate(work->summaries, &iterator);
	while ((entry = summaries_iterate(work->summaries, &iterator)) != NULL)
	{
		L4SketchRow *sketch = &sketches[count];

		if (entry->summary->row.occurrences == 0)
			continue;			/* taken back */
		if (entry->summary->changed)
			rows[changed++] = entry->summary->row;
		sketch->stream_id = entry->summary->row.stream_id;
		sketch->shape_id = entry->summary->row.shape_id;
		sketch->occurrences = entry->summary->row.occurrences;
		sketch->first_line = entry->summary->row.first_line;
		sketch->set = work->is_cut ? &entry->summary->cut_sketches : &entry->summary->sketches;
		count++;
	}
	qsort(rows, changed, sizeof(L4SummaryRow), compare_summaries);
	if (work->resumed)
		store_forget_summaries(work->context->schema, work->context->job->job_id, rows, changed);
	for (i = 0; i < changed; i++)
		store_batch_summary(work->context->rows, &rows[i]);
	packed = sketch_pack(sketches, count);
	if (packed != NULL)
		store_batch_sketch(work->context->rows, work->source_id, packed);
}

/* The name of the header format that most records had; the first of equals. */
static const char *
commonest_format(L4Source *work)
{
	int			best = -1;
	int			i;

	for (i = 0; i < work->format_count; i++)
		if (work->format_uses[i] > 0 && (best < 0 || work->format_uses[i] > work->format_uses[best]))
			best = i;
	return best >= 0 ? header_format_name(work->parser, best) : NULL;
}

static void
write_streams(L4Source *work, const L4SourceFile *file, const char *error)
{
	const char *format = commonest_format(work);
	int			i;

	if (work->resumed)
		store_forget_streams(work->context->schema, work->context->job->job_id, work->source_id);
	for (i = 0; i < work->stream_count; i++)
	{
		L4StreamRow *row = &work->streams[i].row;

		row->file_id = file->file_id;
		row->file_size = file->size;
		row->file_modified_at = file->modified_at;
		row->format = format;
		if (i == 0)
		{
			row->byte_count = work->bytes;
			row->line_count = record_assembler_lines(work->assembler);
			row->error = error != NULL ? error : file->remark;
			row->state = error != NULL ? "failed" : "imported";
		}
		store_batch_stream(work->context->rows, row);
	}
}

int64
source_records(const L4Source *work)
{
	int64		records = 0;
	int			i;

	for (i = 0; i < work->stream_count; i++)
		records += work->streams[i].row.record_count;
	return records;
}

/*
 * source_context_create: see source.h.
 */
L4SourceContext *
source_context_create(const char *schema, const char *job_id, const char *layout)
{
	L4SourceContext *context = palloc0(sizeof(L4SourceContext));

	context->schema = schema;
	context->job = store_job(schema, job_id);
	context->rules = store_rules(schema);
	context->settings_hash = store_settings_hash(schema, job_id) ^ (layout != NULL ? source_id_of(layout) : 0);
	context->places = place_rules_create(context->rules->formats, context->rules->format_count, layout);
	context->memory = CurrentMemoryContext;
	context->rows = store_batch_create(schema, context->job->job_id);
	context->shared_memory = AllocSetContextCreate(CurrentMemoryContext, "l4 shapes of a transaction", ALLOCSET_DEFAULT_SIZES);
	context->classes = classes_create(CurrentMemoryContext, 256, NULL);
	context->known_shapes = known_shapes_create(CurrentMemoryContext, 256, NULL);
	context->memo = message_memo_create();
	context->zone = pg_tzset(context->job->time_zone);
	if (context->zone == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("time zone \"%s\" of job \"%s\" is not known", context->job->time_zone, job_id),
				 errhint("Set it with l4_register_job(job_id => ..., time_zone => 'UTC').")));
	context->parser = header_parser_create(context->rules->formats, context->rules->format_count, context->zone, 0, true);
	return context;
}

/* A source with nothing in it yet. */
static L4Source *
source_create(L4SourceContext *context, const char *name, const char *key, const L4Place *place, TimestampTz reference)
{
	L4Source   *work = palloc0(sizeof(L4Source));

	work->context = context;
	work->number = ++context->source_count;
	work->name = name;
	work->key = key;
	work->source_id = source_id_of(key);
	work->reference = reference;
	work->parser = context->parser;
	header_parser_reset(work->parser, reference);
	work->assembler = record_assembler_create(work->parser, take_record, work);
	shape_init(&work->shape);
	work->flood = flood_create(CurrentMemoryContext, &context->rules->grave);
	work->shapes = shapes_create(CurrentMemoryContext, 256, NULL);
	work->summaries = summaries_create(CurrentMemoryContext, 256, NULL);
	work->starts = starts_create(CurrentMemoryContext, 64, NULL);
	work->labels = labels_create(CurrentMemoryContext, 64, NULL);
	work->sketch_memory.budget = work->cut_sketch_memory.budget = L4_SKETCH_BUDGET;
	work->stream_room = 8;
	work->streams = palloc(work->stream_room * sizeof(Stream));
	source_add_stream(work, place, NULL);
	work->format_count = context->rules->format_count;
	work->format_uses = palloc0(mul_size(Max(work->format_count, 1), sizeof(int64)));
	work->segment_context = AllocSetContextCreate(CurrentMemoryContext, "l4 segment", ALLOCSET_DEFAULT_SIZES);
	work->segment.source_id = work->source_id;
	initStringInfo(&work->waiting);
	source_begin_segment(work);
	return work;
}

L4Source *
source_begin(L4SourceContext *context, const char *name, TimestampTz modified_at)
{
	L4Place		place = place_from_path(context->places, &context->job->cluster, name);

	return source_create(context, name, name, &place, context->job->started_at != 0 ? context->job->started_at : modified_at);
}

/* The name of a source of rows that has none. */
static const char *
name_of_rows(const char *node, int rank)
{
	if (node != NULL && rank >= 0)
		return psprintf("%s/rank-%d", node, rank);
	return node != NULL ? node : rank >= 0 ? psprintf("rank-%d", rank) : "lines";
}

L4Source *
source_begin_rows(L4SourceContext *context, const char *source, const char *node, int rank, TimestampTz reference)
{
	L4Place		place = place_of_rows(context->places, &context->job->cluster, source, node, rank);
	L4Source   *work = source_create(context, source != NULL ? source : name_of_rows(node, rank),
									 psprintf("\n%s\n%d\n%s", node != NULL ? node : "", rank, source != NULL ? source : ""),
									 &place,
									 context->job->started_at != 0 ? context->job->started_at : reference);

	work->resumable = work->by_row = true;
	return work;
}

void
source_keep_state(L4Source *work)
{
	work->resumable = true;
}

/*
 * Was a start named by a record that is not the same any more, or does not name it any more? Then the job's timeline is to be
 * made anew.
 */
static void
check_starts(L4Source *work)
{
	int			i;

	for (i = 0; i < work->named_count; i++)
	{
		const IterationEntry *entry = starts_lookup(work->starts, (uint64) work->named[i].iteration);

		if (entry == NULL || entry->start > work->named[i].time)
			work->context->timeline_stale = true;
	}
}

void
source_mark_stream(Stream *stream)
{
	stream->entry.has_time = stream->has_time;
	stream->entry.time = stream->time;
	stream->entry.progress = stream->progress;
	stream->own_time = stream->own_stage = stream->own_iteration = false;
	stream->used_time = stream->used_stage = stream->used_iteration = false;
}

/*
 * source_cut: parts that are cut at the same places amount to the same, whoever read them: a segment ends here, and the
 * sketches of the part are merged into those of the parts before, so that numbers are always added up in the same order. Rows
 * that wait are written: a large source is no small one's company.
 */
void
source_cut(L4Source *work)
{
	summaries_iterator iterator;
	SummaryEntry *entry;
	int			i;

	source_finish_segment(work);
	store_batch_write(work->context->rows);
	summaries_start_iterate(work->summaries, &iterator);
	while ((entry = summaries_iterate(work->summaries, &iterator)) != NULL)
	{
		sketch_merge(&work->cut_sketch_memory, &entry->summary->cut_sketches, &entry->summary->sketches);
		sketch_free(&entry->summary->sketches);
	}
	work->sketch_memory.used = 0;
	work->sketch_memory.refused = false;
	work->is_cut = true;
	for (i = 0; i < work->stream_count; i++)
		source_mark_stream(&work->streams[i]);
}

void
source_finish(L4Source *work, const L4SourceFile *file, const char *error)
{
	source_take_waiting(work);
	work->resumable &= error == NULL;
	if (work->resumable)
		source_save_state(work);
	work->closing = work->resumable;
	record_assembler_end(work->assembler);
	if (work->is_cut)
		source_cut(work);
	else
		source_finish_segment(work);
	check_starts(work);
	write_summaries(work);
	write_streams(work, file, error);
	if (work->resumable)
		source_write_state(work, file);
	if (!work->context->keeps_rows)
		store_batch_write(work->context->rows);
	source_keep_shared(work);
	if (!work->context->keeps_shared)
		source_write_shared(work->context);
}

int64
source_key(const L4Source *work)
{
	return work->source_id;
}

const char *
source_name(const L4Source *work)
{
	return work->name;
}

const char *
source_doubt(const L4Source *work)
{
	return work->streams[0].row.place.doubt;
}

int64
source_next_line(const L4Source *work)
{
	return work->next_line;
}

int64
source_lines(const L4Source *work)
{
	return record_assembler_lines(work->assembler);
}
