/*
 * source.c: one source of log bytes (a file, a member of an archive, the rows of a query) into segments, counts and streams.
 *
 * One pass: bytes (source_feed.c) to records (record.c), each placed in its stream (source_streams.c), masked
 * (source_shapes.c), and added to the open segment (source_segment.c) and to the counts (source_counts.c); source_record.c does
 * that. Segments are written when they are full, all else at the end; the caller's transaction makes it one step. Memory is
 * bounded by one segment and by the number of kinds of statements, not by the number of lines.
 *
 * This file begins a source, cuts it, and writes what it amounts to. A large file is read in parts (source_part.c) and put
 * together (source_merge.c); a source that has grown goes on where it ended (source_resume.c).
 */
#include "loading/source_private.h"

#include "utils/memutils.h"

#include "doors/store_source.h"

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
	work->input.parser = context->parser;
	header_parser_reset(work->input.parser, reference);
	work->input.assembler = record_assembler_create(work->input.parser, source_take_record, work);
	shape_init(&work->shapes.current);
	work->shapes.limit = shape_limit_create(CurrentMemoryContext, &context->rules->grave);
	work->shapes.table = shapes_create(CurrentMemoryContext, 256, NULL);
	work->counts.summaries = summaries_create(CurrentMemoryContext, 256, NULL);
	work->counts.starts = starts_create(CurrentMemoryContext, 64, NULL);
	work->streams.labels = labels_create(CurrentMemoryContext, 64, NULL);
	work->phase = SOURCE_READING;
	/* the next record asks for some of tens of thousands: sizes that are not rounded up lie closer together */
	work->counts.context = GenerationContextCreate(CurrentMemoryContext, "l4 counts", ALLOCSET_DEFAULT_SIZES);
	work->counts.memory.sets = work->counts.cut_memory.sets = work->counts.context;
	work->counts.memory.budget = work->counts.cut_memory.budget = L4_STATISTICS_BUDGET;
	work->streams.room = 8;
	work->streams.list = palloc(work->streams.room * sizeof(Stream));
	source_add_stream(work, place, NULL);
	work->counts.format_count = context->rules->format_count;
	work->counts.format_uses = palloc0(mul_size(Max(work->counts.format_count, 1), sizeof(int64)));
	work->segment.memory = AllocSetContextCreate(CurrentMemoryContext, "l4 segment", ALLOCSET_DEFAULT_SIZES);
	work->segment.row.source_id = work->source_id;
	initStringInfo(&work->input.waiting);
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

	work->resume.keeps_state = work->input.by_row = true;
	return work;
}

void
source_keep_state(L4Source *work)
{
	work->resume.keeps_state = true;
}

/*
 * source_cut: the result of a part depends only on where it was cut, not on which process read it: a segment ends here, and the
 * parameter statistics of the part are merged into those of the parts before, so that numbers are always added up in the same
 * order. Rows that wait are written, as a large source does not share its statements with others.
 */
void
source_cut(L4Source *work)
{
	int			i;

	source_finish_segment(work);
	store_batch_write(work->context->rows);
	source_cut_counts(work);
	for (i = 0; i < work->streams.count; i++)
		source_mark_stream(&work->streams.list[i]);
}

int64
source_records(const L4Source *work)
{
	int64		records = 0;
	int			i;

	for (i = 0; i < work->streams.count; i++)
		records += work->streams.list[i].row.record_count;
	return records;
}

/* Completes the rows of the streams. */
static void
complete_streams(L4Source *work, const L4SourceFile *file, const char *error)
{
	const char *format = source_commonest_format(work);
	int			i;

	for (i = 0; i < work->streams.count; i++)
	{
		L4StreamRow *row = &work->streams.list[i].row;

		row->file_id = file->file_id;
		row->file_size = file->size;
		row->file_modified_at = file->modified_at;
		row->format = format;
		if (i == 0)
		{
			row->byte_count = work->input.bytes;
			row->line_count = record_assembler_lines(work->input.assembler);
			row->error = error != NULL ? error : file->remark;
			row->state = error != NULL ? "failed" : "imported";
		}
	}
}

static void
write_streams(L4Source *work)
{
	int			i;

	if (work->resume.resumed)
		store_forget_streams(work->context->schema, work->context->job->job_id, work->source_id);
	for (i = 0; i < work->streams.count; i++)
		store_batch_stream(work->context->rows, &work->streams.list[i].row);
}

/* Writes all rows that are of the source alone. */
static void
write_rows(L4Source *work, const L4SourceFile *file)
{
	if (work->counts.is_cut)
		source_cut(work);
	else
		source_finish_segment(work);
	source_write_summaries(work);
	write_streams(work);
	if (work->resume.keeps_state)
		source_write_state(work, file);
}

/* Keeps what came of a small file until others are there to share its rows with. */
static void
keep_small(L4Source *work, const L4SourceFile *file)
{
	L4SourceStateRow state;

	source_keep_bundled(work, work->resume.keeps_state && source_state_row(work, file, &state) ? &state : NULL);
}

/*
 * May it share its rows with other small files? What came as one sample did: the others of its transaction wait, and it will be
 * read again as a whole should it change.
 */
static bool
is_small_file(const L4Source *work, const char *error)
{
	return !work->input.sampled && !work->input.by_row && work->context->keeps_rows && error == NULL;
}

/* Marks the job's timeline as stale where a record that named a start has changed or no longer names it. */
static void
check_starts(L4Source *work)
{
	int			i;

	for (i = 0; i < work->resume.named_count; i++)
	{
		const IterationEntry *entry = starts_lookup(work->counts.starts, (uint64) work->resume.named[i].iteration);

		if (entry == NULL || entry->start > work->resume.named[i].time)
			work->context->timeline_stale = true;
	}
}

void
source_finish(L4Source *work, const L4SourceFile *file, const char *error)
{
	bool		small = is_small_file(work, error);

	source_take_waiting(work);
	work->resume.keeps_state &= error == NULL && work->input.export == NULL;
	if (work->resume.keeps_state)
	{
		source_save_state(work);
		work->phase = SOURCE_ENDING;
	}
	record_assembler_end(work->input.assembler);
	complete_streams(work, file, error);
	if (small && work->segment.row.segment_no == 0 && segment_record_count(work->segment.builder) > 0)
		keep_small(work, file);
	else
		write_rows(work, file);
	check_starts(work);
	if (!work->context->keeps_rows)
		store_batch_write(work->context->rows);
	source_keep_shared(work);
	if (!work->context->keeps_shared)
		(void) source_write_shared(work->context, false);
}

bool
source_is_export(const L4Source *work)
{
	return work->input.export != NULL;
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
	return work->streams.list[0].row.place.doubt;
}

int64
source_next_line(const L4Source *work)
{
	return work->input.next_line;
}

int64
source_lines(const L4Source *work)
{
	return record_assembler_lines(work->input.assembler);
}
