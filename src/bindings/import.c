/*
 * import.c: CALL l4_import(job_id, path, layout): a folder (or file) of logs on the server into segments and summaries.
 *
 * One transaction per file where the caller allows commits, so a crash loses at most the file under way and a second call goes on after it. A file
 * whose size and time of change are known is skipped; one that changed is read anew as a whole, its old rows replaced in the same transaction.
 * Events are found once, at the end, over all new shapes in a canonical order: neither the order of files nor a restart in between shows in the result.
 *
 * A file that cannot be read does not stop the rest: it leaves a warning and a row in l4_stream with its error.
 */
#include "ground/l4.h"

#include "commands/progress.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/backend_progress.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/portal.h"

#include "algorithms/header.h"
#include "algorithms/place.h"
#include "algorithms/progress.h"
#include "algorithms/record.h"
#include "algorithms/segment.h"
#include "doors/files.h"
#include "doors/store.h"
#include "tools/bytes.h"

PG_FUNCTION_INFO_V1(l4_import);

#define READ_BYTES (256 * 1024)
#define SAMPLE_BYTES (64 * 1024)
#define PROGRESS_NOTICE_SECONDS 5

/* Hash tables of one file: what the rules say of a shape, counts per stream and shape, streams by label, starts of iterations. */
typedef struct ShapeEntry
{
	uint64		shape_id;
	L4ProgressClass class;
	L4Bytes		text;
	char		status;
} ShapeEntry;

typedef struct SummaryKey
{
	uint64		shape_id;
	int			stream;
} SummaryKey;

typedef struct SummaryEntry
{
	SummaryKey	key;
	L4SummaryRow row;
	char		status;
} SummaryEntry;

typedef struct IterationEntry
{
	uint64		iteration;
	TimestampTz start;
	char		status;
} IterationEntry;

#define SH_PREFIX shapes
#define SH_ELEMENT_TYPE ShapeEntry
#define SH_KEY_TYPE uint64
#define SH_KEY shape_id
#define SH_HASH_KEY(table, key) ((uint32) (key))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

#define SH_PREFIX summaries
#define SH_ELEMENT_TYPE SummaryEntry
#define SH_KEY_TYPE SummaryKey
#define SH_KEY key
#define SH_HASH_KEY(table, key) ((uint32) (key).shape_id ^ ((uint32) (key).stream * 0x9e3779b1U))
#define SH_EQUAL(table, a, b) ((a).shape_id == (b).shape_id && (a).stream == (b).stream)
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

#define SH_PREFIX starts
#define SH_ELEMENT_TYPE IterationEntry
#define SH_KEY_TYPE uint64
#define SH_KEY iteration
#define SH_HASH_KEY(table, key) ((uint32) (key) * 0x9e3779b1U)
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

/* One stream of the file under way. */
typedef struct Stream
{
	L4StreamRow row;
	L4ProgressState progress;
	bool		has_time;
	TimestampTz time;			/* of its last record that had one */
	int			in_segment;		/* index into the open segment's streams, or -1 */
	int			rank;			/* the label, for quick comparison */
	int			local_rank;
} Stream;

/* One call of l4_import. */
typedef struct Import
{
	const char *schema;
	bool		atomic;			/* inside a transaction block: no commits */
	MemoryContext context;		/* lives as long as the call */
	L4Job	   *job;
	L4Rules    *rules;
	L4PlaceRules *places;
	pg_tz	   *zone;
	int64		files;
	int64		skipped;
	int64		failed;
	int64		records;
	int64		lines;
	int64		bytes;
	TimestampTz last_notice;
	int			file_number;
	int			file_total;
} Import;

/* One member of a file under way: everything lies in one memory context. */
typedef struct SourceImport
{
	Import	   *import;
	const char *source;
	int64		source_id;
	L4HeaderParser *parser;
	L4Shape		shape;
	shapes_hash *shapes;
	summaries_hash *summaries;
	starts_hash *starts;
	int			stream_count;
	int			stream_room;
	Stream	   *streams;		/* the first is the file's own */
	MemoryContext segment_context;
	L4SegmentBuilder *builder;
	L4SegmentRow segment;
	int			segment_stream_room;
	int			format_count;
	int64	   *format_uses;
} SourceImport;

static int64
text_id(const char *text)
{
	return (int64) shape_hash(text, strlen(text));
}

/* Segments */

static void
begin_segment(SourceImport *work)
{
	MemoryContext caller = MemoryContextSwitchTo(work->segment_context);
	int			i;

	work->builder = segment_builder_create();
	for (i = 0; i < work->stream_count; i++)
		work->streams[i].in_segment = -1;
	work->segment.stream_count = 0;
	work->segment_stream_room = 8;
	work->segment.stream_ids = palloc(work->segment_stream_room * sizeof(int64));
	work->segment.has_time = false;
	MemoryContextSwitchTo(caller);
}

static void
finish_segment(SourceImport *work)
{
	MemoryContext caller = MemoryContextSwitchTo(work->segment_context);
	int			count = segment_shape_count(work->builder);
	int			i;

	work->segment.record_count = segment_record_count(work->builder);
	work->segment.raw_bytes = segment_raw_size(work->builder);
	work->segment.shape_ids = palloc(mul_size(Max(count, 1), sizeof(int64)));
	for (i = 0; i < count; i++)
	{
		L4Bytes		text = segment_shape_text(work->builder, i);

		work->segment.shape_ids[i] = (int64) shape_hash(text.data, text.size);
	}
	work->segment.shape_count = count;
	if (work->segment.record_count > 0)
	{
		segment_finish(work->builder, &work->segment.blobs);
		store_segment(work->import->schema, work->import->job->job_id, &work->segment);
		work->segment.segment_no++;
	}
	MemoryContextSwitchTo(caller);
	MemoryContextReset(work->segment_context);
	begin_segment(work);
}

/* The stream's index in the open segment. */
static int
stream_in_segment(SourceImport *work, Stream *stream)
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

static Stream *
add_stream(SourceImport *work, const L4Place *place, const char *label)
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
	stream->row.stream_id = label != NULL ? text_id(psprintf("%s\n%s", work->source, label)) : work->source_id;
	stream->row.source = work->source;
	stream->row.label = label;
	stream->row.place = *place;
	stream->row.state = "imported";
	stream->in_segment = -1;
	if (strcmp(place->kind, "rank") == 0 || strcmp(place->kind, "launcher") == 0)
		stream->progress.stage = 1; /* environment_init, until a marker says otherwise */
	return stream;
}

/* The stream of a record by its label; the file's own where the label does not count. */
static Stream *
stream_of(SourceImport *work, const L4Header *header)
{
	Stream	   *stream;
	L4Place		place;
	char	   *label;
	int			i;

	if (work->streams[0].row.place.rank >= 0 || (header->rank < 0 && header->local_rank < 0 && header->host.size == 0))
		return &work->streams[0];
	place = place_from_label(&work->import->job->cluster, &work->streams[0].row.place, header, &label);
	for (i = work->stream_count - 1; i > 0; i--)
	{
		stream = &work->streams[i];
		if (stream->rank == header->rank && stream->local_rank == header->local_rank && strcmp(stream->row.label, label) == 0)
		{
			pfree(label);
			return stream;
		}
	}
	stream = add_stream(work, &place, label);
	stream->rank = header->rank;
	stream->local_rank = header->local_rank;
	return stream;
}

/* Summaries */

static ShapeEntry *
shape_entry(SourceImport *work)
{
	uint64		shape_id = shape_hash(work->shape.text.data, work->shape.text.len);
	bool		found;
	ShapeEntry *entry = shapes_insert(work->shapes, shape_id, &found);

	if (!found)
	{
		L4Bytes		text = {work->shape.text.data, work->shape.text.len};

		entry->class = progress_classify(&work->import->rules->progress, text);
		entry->text.data = pnstrdup(text.data, text.size);
		entry->text.size = text.size;
	}
	return entry;
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

static void
count_record(SourceImport *work, int stream, uint64 shape_id, const L4Record *record)
{
	SummaryKey	key;
	SummaryEntry *entry;
	L4SummaryRow *row;
	bool		found;

	key.shape_id = shape_id;
	key.stream = stream;
	entry = summaries_insert(work->summaries, key, &found);
	row = &entry->row;
	if (!found)
	{
		memset(row, 0, sizeof(L4SummaryRow));
		row->stream_id = work->streams[stream].row.stream_id;
		row->shape_id = (int64) shape_id;
		row->component = component_text(record->component);
		row->first_line = record->line_no;
		row->stage = record->stage;
	}
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

static void
note_start(SourceImport *work, int64 iteration, TimestampTz time)
{
	bool		found;
	IterationEntry *entry = starts_insert(work->starts, (uint64) iteration, &found);

	if (!found || time < entry->start)
		entry->start = time;
}

/* Extends first and last of a stream, and of the open segment, by a record. */
static void
extend_ranges(SourceImport *work, Stream *stream, const L4Record *record)
{
	L4StreamRow *row = &stream->row;
	L4SegmentRow *segment = &work->segment;

	row->record_count++;
	row->last_stage = record->stage;
	if (record->has_time)
	{
		row->first_ts = row->has_time ? Min(row->first_ts, record->time) : record->time;
		row->last_ts = row->has_time ? Max(row->last_ts, record->time) : record->time;
		row->has_time = true;
		segment->first_ts = segment->has_time ? Min(segment->first_ts, record->time) : record->time;
		segment->last_ts = segment->has_time ? Max(segment->last_ts, record->time) : record->time;
		segment->has_time = true;
	}
	if (record->has_iteration)
	{
		if (!row->has_iteration)
			row->first_iteration = record->iteration;
		row->last_iteration = record->iteration;
		row->has_iteration = true;
	}
}

/* Takes one record from the assembler: places it, masks it, adds it to the segment and to the counts. */
static void
take_record(const L4RawRecord *raw, void *argument)
{
	SourceImport *work = argument;
	Stream	   *stream = stream_of(work, &raw->header);
	ShapeEntry *shape;
	L4ProgressState progress;
	L4Record	record;

	if (raw->header.has_time)
	{
		stream->time = raw->header.time;
		stream->has_time = true;
	}
	mask_message(&work->shape, raw->message, work->import->rules->masks, work->import->rules->mask_count);
	shape = shape_entry(work);
	record.stream = stream_in_segment(work, stream);
	record.line_no = raw->line_no;
	record.part = raw->part;
	record.has_time = stream->has_time;
	record.time = stream->time;
	record.level = raw->header.level;
	record.component = raw->header.component;
	record.frame = raw->frame;
	record.message = raw->message;
	if (progress_advance(&work->import->rules->progress, &stream->progress, shape->class, raw->message, &progress) && stream->has_time)
		note_start(work, stream->progress.iteration, stream->time);
	record.stage = progress.stage;
	record.has_iteration = progress.has_iteration;
	record.iteration = progress.iteration;
	if (segment_record_count(work->builder) == 0)
		work->segment.first_line = raw->line_no;
	work->segment.last_line = raw->last_line_no;
	segment_add(work->builder, &record, &work->shape);
	count_record(work, (int) (stream - work->streams), shape->shape_id, &record);
	extend_ranges(work, stream, &record);
	if (raw->header.format >= 0 && raw->header.format < work->format_count)
		work->format_uses[raw->header.format]++;
	if (segment_record_count(work->builder) >= L4_SEGMENT_RECORDS || segment_raw_size(work->builder) >= L4_SEGMENT_BYTES)
		finish_segment(work);
}

/* Writing what a source amounts to */

static int
compare_shapes(const void *a, const void *b)
{
	uint64		left = (*(ShapeEntry *const *) a)->shape_id;
	uint64		right = (*(ShapeEntry *const *) b)->shape_id;

	return left < right ? -1 : left > right ? 1 : 0;
}

static void
write_shapes(SourceImport *work)
{
	int			count = 0;
	ShapeEntry **entries = palloc(mul_size(Max(work->shapes->members, 1), sizeof(ShapeEntry *)));
	int64	   *ids = palloc(mul_size(Max(work->shapes->members, 1), sizeof(int64)));
	L4Bytes    *texts = palloc(mul_size(Max(work->shapes->members, 1), sizeof(L4Bytes)));
	shapes_iterator iterator;
	ShapeEntry *entry;
	int			i;

	shapes_start_iterate(work->shapes, &iterator);
	while ((entry = shapes_iterate(work->shapes, &iterator)) != NULL)
		entries[count++] = entry;
	qsort(entries, count, sizeof(ShapeEntry *), compare_shapes);
	for (i = 0; i < count; i++)
	{
		ids[i] = (int64) entries[i]->shape_id;
		texts[i] = entries[i]->text;
	}
	store_shapes(work->import->schema, ids, texts, count);
}

static void
write_summaries(SourceImport *work)
{
	int			count = 0;
	L4SummaryRow *rows = palloc(mul_size(Max(work->summaries->members, 1), sizeof(L4SummaryRow)));
	summaries_iterator iterator;
	SummaryEntry *entry;

	summaries_start_iterate(work->summaries, &iterator);
	while ((entry = summaries_iterate(work->summaries, &iterator)) != NULL)
		rows[count++] = entry->row;
	store_summaries(work->import->schema, work->import->job->job_id, rows, count);
}

static void
write_timeline(SourceImport *work)
{
	int			count = 0;
	int64	   *iterations = palloc(mul_size(Max(work->starts->members, 1), sizeof(int64)));
	TimestampTz *times = palloc(mul_size(Max(work->starts->members, 1), sizeof(TimestampTz)));
	starts_iterator iterator;
	IterationEntry *entry;

	starts_start_iterate(work->starts, &iterator);
	while ((entry = starts_iterate(work->starts, &iterator)) != NULL)
	{
		iterations[count] = (int64) entry->iteration;
		times[count++] = entry->start;
	}
	if (count > 0)
		store_timeline(work->import->schema, work->import->job->job_id, iterations, times, count);
}

/* The name of the header format that most records had; the first of equals. */
static const char *
commonest_format(SourceImport *work)
{
	int			best = -1;
	int			i;

	for (i = 0; i < work->format_count; i++)
		if (work->format_uses[i] > 0 && (best < 0 || work->format_uses[i] > work->format_uses[best]))
			best = i;
	return best >= 0 ? header_format_name(work->parser, best) : NULL;
}

static void
write_streams(SourceImport *work, const L4File *file, int64 bytes, int64 lines, const char *error)
{
	int			i;

	for (i = 0; i < work->stream_count; i++)
	{
		L4StreamRow *row = &work->streams[i].row;

		row->file_id = text_id(file->source);
		row->file_size = file->size;
		row->file_modified_at = file->modified_at;
		row->format = commonest_format(work);
		if (i == 0)
		{
			row->byte_count = bytes;
			row->line_count = lines;
			row->error = error;
			row->state = error != NULL ? "failed" : "imported";
		}
		store_stream(work->import->schema, work->import->job->job_id, row);
	}
}

static int64
records_of(const SourceImport *work)
{
	int64		records = 0;
	int			i;

	for (i = 0; i < work->stream_count; i++)
		records += work->streams[i].row.record_count;
	return records;
}

/* Reading */

static SourceImport *
begin_source(Import *import, const char *source, TimestampTz reference)
{
	SourceImport *work = palloc0(sizeof(SourceImport));
	L4Place		place = place_from_path(import->places, &import->job->cluster, source);

	work->import = import;
	work->source = source;
	work->source_id = text_id(source);
	work->parser = header_parser_create(import->rules->formats, import->rules->format_count, import->zone, reference);
	shape_init(&work->shape);
	work->shapes = shapes_create(CurrentMemoryContext, 256, NULL);
	work->summaries = summaries_create(CurrentMemoryContext, 256, NULL);
	work->starts = starts_create(CurrentMemoryContext, 256, NULL);
	work->stream_room = 8;
	work->streams = palloc(work->stream_room * sizeof(Stream));
	add_stream(work, &place, NULL);
	work->format_count = import->rules->format_count;
	work->format_uses = palloc0(mul_size(Max(work->format_count, 1), sizeof(int64)));
	work->segment_context = AllocSetContextCreate(CurrentMemoryContext, "l4 segment", ALLOCSET_DEFAULT_SIZES);
	work->segment.source_id = work->source_id;
	begin_segment(work);
	return work;
}

static void
notice_progress(Import *import, const char *source)
{
	TimestampTz now = GetCurrentTimestamp();

	if (import->last_notice != 0 && !TimestampDifferenceExceeds(import->last_notice, now, PROGRESS_NOTICE_SECONDS * 1000))
		return;
	if (import->last_notice != 0)
		ereport(NOTICE,
				(errmsg("job \"%s\": file %d of %d, " INT64_FORMAT " MB read, now at %s",
						import->job->job_id, import->file_number, import->file_total, import->bytes / 1000000, source)));
	import->last_notice = now;
}

/* Reads one member of a file to its end, or to where it cannot be read further, and writes all that came of it. */
static void
import_source(Import *import, const L4File *file, L4FileReader *reader, const char *source, TimestampTz modified_at)
{
	TimestampTz reference = import->job->started_at != 0 ? import->job->started_at : modified_at;
	SourceImport *work = begin_source(import, source, reference);
	L4RecordAssembler *assembler = record_assembler_create(work->parser, take_record, work);
	char	   *buffer = palloc(READ_BYTES);
	const char *error = NULL;
	int64		bytes = 0;
	ssize_t		got;

	while ((got = files_read(reader, buffer, READ_BYTES)) > 0)
	{
		if (bytes == 0)
		{
			L4Bytes		sample = {buffer, Min((size_t) got, SAMPLE_BYTES)};

			header_parser_sample(work->parser, sample);
		}
		record_assembler_feed(assembler, buffer, got);
		bytes += got;
		import->bytes += got;
		pgstat_progress_update_param(PROGRESS_COPY_BYTES_PROCESSED, import->bytes);
		notice_progress(import, source);
	}
	if (got < 0)
		error = files_error(reader);
	record_assembler_end(assembler);
	finish_segment(work);
	write_shapes(work);
	write_summaries(work);
	write_timeline(work);
	write_streams(work, file, bytes, record_assembler_lines(assembler), error);
	import->records += records_of(work);
	import->lines += record_assembler_lines(assembler);
	pgstat_progress_update_param(PROGRESS_COPY_TUPLES_PROCESSED, import->records);
	if (error != NULL)
	{
		import->failed++;
		ereport(WARNING,
				(errmsg("log file \"%s\" could not be read to its end", source),
				 errdetail("%s What was read before is kept.", error)));
	}
}

/* A file of which nothing could be read gets a row that says so. */
static void
record_unreadable(Import *import, const L4File *file, const char *error)
{
	SourceImport *work = begin_source(import, file->source, 0);

	write_streams(work, file, 0, 0, error);
	if (error == NULL)
		return;
	import->failed++;
	ereport(WARNING,
			(errmsg("log file \"%s\" cannot be read", file->source),
			 errdetail("%s", error),
			 errhint("The rest of the job is imported; call l4_import again once the file can be read.")));
}

/* An archive may hold one path several times: the second and later ones get their number behind it. */
static char *
unique_source(starts_hash *seen, char *source)
{
	char	   *name = source;
	bool		found;
	int			number = 2;

	for (;;)
	{
		starts_insert(seen, (uint64) text_id(name), &found);
		if (!found)
			return name;
		name = psprintf("%s (%d)", source, number++);
	}
}

static void
import_members(Import *import, const L4File *file, L4FileReader *reader)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "l4 source", ALLOCSET_DEFAULT_SIZES);
	starts_hash *seen = starts_create(CurrentMemoryContext, 64, NULL);
	char	   *source;
	int64		size;
	TimestampTz modified_at;
	int			members = 0;

	while (files_next_member(reader, &source, &size, &modified_at))
	{
		MemoryContext caller = MemoryContextSwitchTo(context);

		import_source(import, file, reader, unique_source(seen, source), modified_at);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(context);
		members++;
	}
	if (members == 0 || files_error(reader) != NULL)
		record_unreadable(import, file, files_error(reader));
	MemoryContextDelete(context);
}

/* Imports one file on disk, unless it is known as it is. */
static void
import_file(Import *import, const L4File *file)
{
	L4KnownFile known = store_known_file(import->schema, import->job->job_id, text_id(file->source));
	L4FileReader *reader;

	if (known.known && !known.failed && file->error == NULL && known.size == file->size && known.modified_at == file->modified_at)
	{
		import->skipped++;
		return;
	}
	if (known.known && file->error != NULL && !known.failed)
		return;					/* it was readable once: keep what is there */
	if (known.known)
		store_forget_file(import->schema, import->job->job_id, text_id(file->source));
	import->files++;
	if (file->error != NULL)
	{
		record_unreadable(import, file, file->error);
		return;
	}
	reader = files_open(file);
	import_members(import, file, reader);
	files_close(reader);
}

/* Imports all files, a transaction each where commits are allowed. */
static void
import_files(Import *import, List *files)
{
	MemoryContext context = AllocSetContextCreate(import->context, "l4 file", ALLOCSET_DEFAULT_SIZES);
	ListCell   *cell;

	import->file_total = list_length(files);
	foreach(cell, files)
	{
		MemoryContext caller = MemoryContextSwitchTo(context);

		import->file_number++;
		import_file(import, (L4File *) lfirst(cell));
		MemoryContextSwitchTo(caller);
		MemoryContextReset(context);
		if (!import->atomic)
			store_commit();
	}
	MemoryContextDelete(context);
}

static int64
total_size(List *files)
{
	int64		total = 0;
	ListCell   *cell;

	foreach(cell, files)
		total += Max(((L4File *) lfirst(cell))->size, 0);
	return total;
}

static void
prepare(Import *import, const char *job_id, const char *layout)
{
	import->job = store_job(import->schema, job_id);
	import->rules = store_rules(import->schema);
	import->places = place_rules_create(import->rules->formats, import->rules->format_count, layout);
	import->zone = pg_tzset(import->job->time_zone);
	if (import->zone == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("time zone \"%s\" of job \"%s\" is not known", import->job->time_zone, job_id),
				 errhint("Set it with l4_register_job(job_id => ..., time_zone => 'UTC').")));
}

static char *
required_text(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("l4_import needs a %s", name)));
	return text_to_cstring(PG_GETARG_TEXT_PP(argument));
}

/*
 * l4_import(job_id text, path text, layout text): see the COMMENT of the procedure. Errors: 42501 without the right to read server files, P0002 for a
 * job that is not registered, 22023 for a bad layout, path or zone, 58P01 for a path that is not there.
 */
Datum
l4_import(PG_FUNCTION_ARGS)
{
	bool		atomic = !(fcinfo->context != NULL && IsA(fcinfo->context, CallContext) &&
						   !((CallContext *) fcinfo->context)->atomic);
	MemoryContext context = AllocSetContextCreate(PortalContext, "l4 import", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Import	   *import = palloc0(sizeof(Import));
	char	   *job_id = required_text(fcinfo, 0, "job_id");
	char	   *path = required_text(fcinfo, 1, "path");
	char	   *layout = PG_ARGISNULL(2) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(2));
	List	   *files;

	files_check_privilege();
	PreventCommandIfReadOnly("CALL l4_import");
	import->atomic = atomic;
	import->context = context;
	import->schema = store_schema(fcinfo);
	store_connect(!atomic);
	prepare(import, job_id, layout);
	files = files_list(path);
	pgstat_progress_start_command(PROGRESS_COMMAND_COPY, InvalidOid);
	pgstat_progress_update_param(PROGRESS_COPY_BYTES_TOTAL, total_size(files));
	import_files(import, files);
	store_finish_import(import->schema, job_id);
	pgstat_progress_end_command();
	ereport(NOTICE,
			(errmsg("job \"%s\": " INT64_FORMAT " records of " INT64_FORMAT " lines (" INT64_FORMAT " bytes) from " INT64_FORMAT " files; "
					INT64_FORMAT " unchanged, " INT64_FORMAT " unreadable",
					job_id, import->records, import->lines, import->bytes, import->files, import->skipped, import->failed)));
	store_disconnect();
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	PG_RETURN_VOID();
}
