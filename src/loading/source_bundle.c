/*
 * source_bundle.c: small files that come in together share their rows.
 *
 * Of a file of some kilobytes every row costs more than what is in it: the texts of its shapes, which its neighbours have too,
 * the tables of zstd, a page of TOAST that is half empty. So what small files amount to is kept until their transaction ends,
 * and is then written as one segment, one row of counts and one of parameter statistics, each a bundle out of which one file
 * can be read, or taken, without the others. What is read back does not depend on which files share a bundle.
 */
#include "loading/source_bundle.h"

#include "utils/memutils.h"

#include "algorithms/segment_bundle.h"
#include "doors/store_bundle.h"
#include "loading/source_private.h"
#include "tools/bundle.h"
#include "tools/order.h"

/* A small file that waits. */
typedef struct BundleMember
{
	L4SegmentRow segment;		/* but for its blobs */
	L4SegmentImage image;
	L4SummaryRow *counts;
	int			count;
	bool		has_statistics;
	L4StatisticsImage statistics;
	L4StreamRow *streams;
	int			stream_count;
	L4SourceStateRow state;		/* of which shape_ids alone is kept in a bundle */
	bool		has_state;
} BundleMember;

typedef struct SourceBundles
{
	MemoryContext memory;		/* of all that waits */
	int			count;
	BundleMember *members[L4_BUNDLE_FILES];
	int64		bytes;
	int			leaving_count;
	int			leaving_room;
	L4BundledStream *leaving;
} SourceBundles;

static SourceBundles *
bundles_of(L4SourceContext *context)
{
	if (context->bundles == NULL)
	{
		context->bundles = MemoryContextAllocZero(context->memory, sizeof(SourceBundles));
		context->bundles->memory = AllocSetContextCreate(context->memory, "l4 small files of a transaction",
														 ALLOCSET_DEFAULT_SIZES);
	}
	return context->bundles;
}

/* ---- what leaves ---- */

void
source_leave_bundles(L4SourceContext *context, const L4BundledStream *streams, int count)
{
	SourceBundles *bundles = bundles_of(context);
	MemoryContext caller = MemoryContextSwitchTo(bundles->memory);
	int			i;

	for (i = 0; i < count; i++)
	{
		if (bundles->leaving_count == bundles->leaving_room)
		{
			bundles->leaving_room = Max(64, 2 * bundles->leaving_room);
			bundles->leaving = bundles->leaving == NULL ? palloc(mul_size(bundles->leaving_room, sizeof(L4BundledStream)))
				: repalloc(bundles->leaving, mul_size(bundles->leaving_room, sizeof(L4BundledStream)));
		}
		bundles->leaving[bundles->leaving_count++] = streams[i];
	}
	MemoryContextSwitchTo(caller);
}

static int
compare_leaving(const void *a, const void *b)
{
	const L4BundledStream *x = a;
	const L4BundledStream *y = b;

	return x->bundle_id != y->bundle_id ? compare_int64(&x->bundle_id, &y->bundle_id)
		: compare_int64(&x->stream_id, &y->stream_id);
}

/* Takes the streams that leave out of their bundles, in the order of the bundles' ids, which all keep. */
static void
write_leaving(L4SourceContext *context, SourceBundles *bundles)
{
	int			from = 0;
	int			i;

	qsort(bundles->leaving, bundles->leaving_count, sizeof(L4BundledStream), compare_leaving);
	for (i = 0; i < bundles->leaving_count; i++)
	{
		int64	   *shape_ids;
		int			count;

		if (i + 1 < bundles->leaving_count && bundles->leaving[i + 1].bundle_id == bundles->leaving[from].bundle_id)
			continue;
		shape_ids = store_leave_bundle(context->schema, context->job->job_id, &bundles->leaving[from], i + 1 - from, &count);
		source_release_shapes(context, shape_ids, count);
		from = i + 1;
	}
}

/* ---- what comes ---- */

static char *
copy_text(const char *text)
{
	return text != NULL ? pstrdup(text) : NULL;
}

static void
copy_bytes(L4Bytes *bytes, int count)
{
	int			i;

	for (i = 0; i < count; i++)
		bytes[i].data = bytes[i].size > 0 ? memcpy(palloc(bytes[i].size), bytes[i].data, bytes[i].size) : "";
}

static void
copy_stream(L4StreamRow *to, const L4StreamRow *from)
{
	*to = *from;
	to->source = copy_text(from->source);
	to->label = copy_text(from->label);
	to->place.kind = copy_text(from->place.kind);
	to->place.node = copy_text(from->place.node);
	to->place.doubt = NULL;
	to->format = copy_text(from->format);
	to->error = copy_text(from->error);
}

/* The open segment, which is the only one of the source. */
static void
keep_segment(L4Source *work, BundleMember *member, MemoryContext memory)
{
	MemoryContext caller;

	source_complete_segment(work);
	segment_image(work->segment.builder, &member->image);
	caller = MemoryContextSwitchTo(memory);
	copy_bytes(member->image.structure, L4_STRUCTURE_SECTIONS);
	copy_bytes(member->image.texts, L4_TEXTS_SECTIONS);
	copy_bytes(member->image.parameters, L4_PARAMETER_SECTIONS);
	member->segment = work->segment.row;
	member->segment.stream_ids = memcpy(palloc(mul_size(Max(member->segment.stream_count, 1), sizeof(int64))),
										work->segment.row.stream_ids, member->segment.stream_count * sizeof(int64));
	member->segment.shape_ids = memcpy(palloc(mul_size(Max(member->segment.shape_count, 1), sizeof(int64))),
									   work->segment.row.shape_ids, member->segment.shape_count * sizeof(int64));
	MemoryContextSwitchTo(caller);
}

static void
keep_counts(L4Source *work, BundleMember *member, MemoryContext memory)
{
	L4SummaryRow *rows;
	L4StatisticsRow *statistics;
	MemoryContext caller;
	int			i;

	member->count = source_summary_rows(work, &rows, &statistics);
	member->has_statistics = statistics_image(statistics, member->count, &member->statistics);
	caller = MemoryContextSwitchTo(memory);
	member->counts = memcpy(palloc(mul_size(Max(member->count, 1), sizeof(L4SummaryRow))), rows,
							member->count * sizeof(L4SummaryRow));
	for (i = 0; i < member->count; i++)
		member->counts[i].component = copy_text(member->counts[i].component);
	if (member->has_statistics)
		copy_bytes(member->statistics.sections, L4_STATISTICS_SECTIONS);
	MemoryContextSwitchTo(caller);
}

/* The state, of which a small file has no more than its shapes. */
static void
keep_state(const L4SourceStateRow *state, BundleMember *member)
{
	Assert(state->state == NULL);
	member->has_state = true;
	member->state = *state;
	member->state.shape_ids = memcpy(palloc(mul_size(Max(state->shape_count, 1), sizeof(int64))), state->shape_ids,
									 state->shape_count * sizeof(int64));
}

void
source_keep_bundled(L4Source *work, const L4SourceStateRow *state)
{
	SourceBundles *bundles = bundles_of(work->context);
	MemoryContext caller;
	BundleMember *member;
	int			i;

	if (bundles->count == L4_BUNDLE_FILES || bundles->bytes >= L4_BUNDLE_BYTES)
		source_write_bundles(work->context);
	member = MemoryContextAllocZero(bundles->memory, sizeof(BundleMember));
	keep_segment(work, member, bundles->memory);
	keep_counts(work, member, bundles->memory);
	bundles->members[bundles->count++] = member;
	bundles->bytes += work->input.bytes;
	caller = MemoryContextSwitchTo(bundles->memory);
	member->stream_count = work->streams.count;
	member->streams = palloc(mul_size(member->stream_count, sizeof(L4StreamRow)));
	for (i = 0; i < member->stream_count; i++)
		copy_stream(&member->streams[i], &work->streams.list[i].row);
	if (state != NULL)
		keep_state(state, member);
	MemoryContextSwitchTo(caller);
}

/* ---- writing ---- */

/* Writes a file as if it had come alone. */
static void
write_alone(L4SourceContext *context, BundleMember *member)
{
	int			i;

	segment_pack(&member->image, &member->segment.blobs);
	store_batch_segment(context->rows, &member->segment);
	store_batch_counts(context->rows, member->segment.source_id, member->count, counts_pack(member->counts, member->count));
	if (member->has_statistics)
		store_batch_statistics(context->rows, member->segment.source_id, statistics_pack_image(&member->statistics));
	for (i = 0; i < member->stream_count; i++)
		store_batch_stream(context->rows, &member->streams[i]);
	if (member->has_state)
		store_batch_state(context->rows, &member->state);
}

/* Writes which shapes only records of these files have that may still grow. */
static void
write_marks(L4SourceContext *context, const SourceBundles *bundles, int64 bundle_id)
{
	L4BundleMarks marks;
	L4SourceStateRow row;
	int			i;

	marks_init(&marks);
	for (i = 0; i < bundles->count; i++)
		if (bundles->members[i]->has_state)
			marks_add(&marks, bundles->members[i]->state.source_id, bundles->members[i]->state.shape_ids,
					  bundles->members[i]->state.shape_count);
	row = marks_row(&marks, bundle_id);
	if (row.shape_count > 0)
		store_batch_state(context->rows, &row);
}

/*
 * The id of a bundle: a hash of those of its files. A bundle that has this id already is one of the same files, which all leave
 * it before.
 */
static int64
bundle_id_of(const SourceBundles *bundles)
{
	int64	   *ids = palloc(mul_size(bundles->count + 1, sizeof(int64)));
	int			i;

	ids[0] = bundles->count;
	for (i = 0; i < bundles->count; i++)
		ids[i + 1] = bundles->members[i]->segment.source_id;
	return (int64) shape_hash((const char *) ids, (bundles->count + 1) * sizeof(int64));
}

/* Extends first and last of lines and times by those of a file. */
static void
extend_row(L4SegmentRow *row, const L4SegmentRow *more)
{
	row->first_line = row->record_count == 0 ? more->first_line : Min(row->first_line, more->first_line);
	row->last_line = Max(row->last_line, more->last_line);
	row->record_count += more->record_count;
	row->raw_bytes += more->raw_bytes;
	if (!more->has_time)
		return;
	row->first_ts = row->has_time ? Min(row->first_ts, more->first_ts) : more->first_ts;
	row->last_ts = row->has_time ? Max(row->last_ts, more->last_ts) : more->last_ts;
	row->has_time = true;
}

/* The distinct ones of so many numbers, ascending; returns how many. */
static int
make_distinct(int64 *numbers, int count)
{
	int			kept = 0;
	int			i;

	qsort(numbers, count, sizeof(int64), compare_int64);
	for (i = 0; i < count; i++)
		if (kept == 0 || numbers[kept - 1] != numbers[i])
			numbers[kept++] = numbers[i];
	return kept;
}

static void
write_segment(L4SourceContext *context, const SourceBundles *bundles, int64 bundle_id)
{
	L4SegmentBundle *bundle = segment_bundle_create();
	L4SegmentRow row = {.source_id = bundle_id, .segment_no = L4_BUNDLE_SEGMENT};
	int			shape_room = 0;
	int			stream_room = 0;
	int			i;

	for (i = 0; i < bundles->count; i++)
	{
		shape_room += bundles->members[i]->segment.shape_count;
		stream_room += bundles->members[i]->segment.stream_count;
	}
	row.shape_ids = palloc(mul_size(Max(shape_room, 1), sizeof(int64)));
	row.stream_ids = palloc(mul_size(Max(stream_room, 1), sizeof(int64)));
	for (i = 0; i < bundles->count; i++)
	{
		const L4SegmentRow *own = &bundles->members[i]->segment;

		extend_row(&row, own);
		memcpy(row.shape_ids + row.shape_count, own->shape_ids, own->shape_count * sizeof(int64));
		row.shape_count += own->shape_count;
		memcpy(row.stream_ids + row.stream_count, own->stream_ids, own->stream_count * sizeof(int64));
		row.stream_count += own->stream_count;
		segment_bundle_add(bundle, own->stream_count, &bundles->members[i]->image);
	}
	row.shape_count = make_distinct(row.shape_ids, row.shape_count);
	segment_bundle_finish(bundle, &row.blobs);
	store_batch_segment(context->rows, &row);
}

static void
write_counts(L4SourceContext *context, const SourceBundles *bundles, int64 bundle_id)
{
	L4BundleWriter *statistics = bundle_create(L4_STATISTICS_SECTIONS);
	L4SummaryRow *rows;
	int			count = 0;
	int			i;

	for (i = 0; i < bundles->count; i++)
		count += bundles->members[i]->count;
	rows = palloc(mul_size(Max(count, 1), sizeof(L4SummaryRow)));
	count = 0;
	for (i = 0; i < bundles->count; i++)
	{
		const BundleMember *member = bundles->members[i];

		memcpy(rows + count, member->counts, member->count * sizeof(L4SummaryRow));
		count += member->count;
		if (member->has_statistics)
			bundle_add(statistics, member->statistics.stream_count, member->statistics.sections);
	}
	store_batch_counts(context->rows, bundle_id, count, counts_pack(rows, count));
	if (bundle_writer_count(statistics) > 0)
		store_batch_statistics(context->rows, bundle_id, bundle_pack(statistics, NULL));
}

static void
write_bundle(L4SourceContext *context, const SourceBundles *bundles)
{
	int64		bundle_id = bundle_id_of(bundles);
	int			i;
	int			j;

	write_segment(context, bundles, bundle_id);
	write_counts(context, bundles, bundle_id);
	write_marks(context, bundles, bundle_id);
	for (i = 0; i < bundles->count; i++)
		for (j = 0; j < bundles->members[i]->stream_count; j++)
		{
			bundles->members[i]->streams[j].bundle_id = bundle_id;
			store_batch_stream(context->rows, &bundles->members[i]->streams[j]);
		}
}

void
source_write_bundles(L4SourceContext *context)
{
	SourceBundles *bundles = context->bundles;
	MemoryContext caller;
	int			i;

	if (bundles == NULL)
		return;
	caller = MemoryContextSwitchTo(bundles->memory);
	write_leaving(context, bundles);
	if (bundles->count >= L4_BUNDLE_LEAST)
		write_bundle(context, bundles);
	else
		for (i = 0; i < bundles->count; i++)
			write_alone(context, bundles->members[i]);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(bundles->memory);
	bundles->count = bundles->leaving_count = bundles->leaving_room = 0;
	bundles->bytes = 0;
	bundles->leaving = NULL;
}
