/*
 * store_bundle.c: rows that several small files share: a file leaves them.
 */
#include "doors/store_bundle.h"

#include "utils/memutils.h"

#include "algorithms/counts.h"
#include "algorithms/parameter_statistics.h"
#include "algorithms/segment_bundle.h"
#include "doors/store_statement.h"
#include "tools/codec.h"

/* The arguments that name a bundle: $1 and $2. */
static Arguments
arguments_of(const char *job_id, int64 bundle_id)
{
	Arguments	arguments = {0};

	add_text(&arguments, job_id);
	add_bigint(&arguments, bundle_id, false);
	return arguments;
}

/* The bytes of a row that was just read, palloc'd. */
static bytea *
result_bytes(int column)
{
	bool		is_null;

	return DatumGetByteaPCopy(result_datum(0, column, &is_null));
}

/* The numbers of a bigint[] of a row that was just read, palloc'd. */
static int64 *
result_bigints(int column, int *count)
{
	bool		is_null;
	ArrayType  *array = DatumGetArrayTypePCopy(result_datum(0, column, &is_null));

	*count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	return (int64 *) ARR_DATA_PTR(array);
}

static void
leave_segment(const char *schema, Arguments named, const int64 *streams, int count)
{
	Arguments	arguments = named;
	L4SegmentBlobs blobs;
	int64	   *left;
	uint64		changed;
	int			left_count;

	if (store_run(schema,
				  "SELECT stream_ids, structure, texts, parameters FROM %s.l4_segment WHERE job_id OPERATOR(pg_catalog.=) $1 "
				  "AND source_id OPERATOR(pg_catalog.=) $2 AND segment_no OPERATOR(pg_catalog.=) -1",
				  &arguments, SPI_OK_SELECT) == 0)
	{
		result_done();
		return;					/* the text was dropped */
	}
	left = result_bigints(1, &left_count);
	blobs = (L4SegmentBlobs) {result_bytes(2), result_bytes(3), result_bytes(4)};
	result_done();
	if (!segment_bundle_without(&blobs, left, &left_count, streams, count))
	{
		store_run(schema, "DELETE FROM %s.l4_segment WHERE job_id OPERATOR(pg_catalog.=) $1 "
				  "AND source_id OPERATOR(pg_catalog.=) $2 AND segment_no OPERATOR(pg_catalog.=) -1", &arguments,
				  SPI_OK_DELETE);
		return;
	}
	add_argument(&arguments, INT8ARRAYOID, bigint_array(left, left_count), false);
	add_argument(&arguments, BYTEAOID, PointerGetDatum(blobs.structure), false);
	add_argument(&arguments, BYTEAOID, PointerGetDatum(blobs.texts), false);
	add_argument(&arguments, BYTEAOID, PointerGetDatum(blobs.parameters), false);
	/* first and last of lines and times, and the shapes, may from now on be of a file that left */
	changed = store_run(schema, "UPDATE %s.l4_segment SET stream_ids = $3, structure = $4, texts = $5, parameters = $6, "
						"record_count = s.records, raw_bytes = s.bytes "
						"FROM (SELECT pg_catalog.sum(t.record_count)::pg_catalog.int4, "
						"pg_catalog.sum(t.byte_count)::pg_catalog.int8 FROM %s.l4_stream t "
						"WHERE t.job_id OPERATOR(pg_catalog.=) $1 AND t.bundle_id OPERATOR(pg_catalog.=) $2) "
						"AS s (records, bytes) WHERE job_id OPERATOR(pg_catalog.=) $1 "
						"AND source_id OPERATOR(pg_catalog.=) $2 AND segment_no OPERATOR(pg_catalog.=) -1", &arguments,
						SPI_OK_UPDATE);
	if (changed == 0)			/* else the text of the files that leave would stay */
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("files of the job share rows of l4_segment that may not be changed"),
				 errhint("An importer needs UPDATE on l4_segment, and policies of row security for it.")));
}

static void
leave_counts(const char *schema, Arguments named, const int64 *streams, int count)
{
	Arguments	arguments = named;
	bytea	   *counts;
	int			row_count;

	if (store_run(schema, "SELECT counts FROM %s.l4_source_counts WHERE job_id OPERATOR(pg_catalog.=) $1 "
				  "AND source_id OPERATOR(pg_catalog.=) $2", &arguments, SPI_OK_SELECT) == 0)
	{
		result_done();
		return;
	}
	counts = result_bytes(1);
	result_done();
	counts = counts_without(counts, streams, count, &row_count);
	if (counts == NULL)
	{
		store_run(schema, "DELETE FROM %s.l4_source_counts WHERE job_id OPERATOR(pg_catalog.=) $1 "
				  "AND source_id OPERATOR(pg_catalog.=) $2", &arguments, SPI_OK_DELETE);
		return;
	}
	add_integer(&arguments, row_count, false);
	add_argument(&arguments, BYTEAOID, PointerGetDatum(counts), false);
	store_run(schema, "UPDATE %s.l4_source_counts SET row_count = $3, counts = $4 WHERE job_id OPERATOR(pg_catalog.=) $1 "
			  "AND source_id OPERATOR(pg_catalog.=) $2", &arguments, SPI_OK_UPDATE);
}

static void
leave_statistics(const char *schema, Arguments named, const int64 *streams, int count)
{
	Arguments	arguments = named;
	bytea	   *sketch;

	if (store_run(schema, "SELECT sketch FROM %s.l4_parameter_sketch WHERE job_id OPERATOR(pg_catalog.=) $1 "
				  "AND source_id OPERATOR(pg_catalog.=) $2", &arguments, SPI_OK_SELECT) == 0)
	{
		result_done();
		return;
	}
	sketch = result_bytes(1);
	result_done();
	sketch = statistics_without(sketch, streams, count);
	if (sketch == NULL)
	{
		store_run(schema, "DELETE FROM %s.l4_parameter_sketch WHERE job_id OPERATOR(pg_catalog.=) $1 "
				  "AND source_id OPERATOR(pg_catalog.=) $2", &arguments, SPI_OK_DELETE);
		return;
	}
	add_argument(&arguments, BYTEAOID, PointerGetDatum(sketch), false);
	store_run(schema, "UPDATE %s.l4_parameter_sketch SET sketch = $3 WHERE job_id OPERATOR(pg_catalog.=) $1 "
			  "AND source_id OPERATOR(pg_catalog.=) $2", &arguments, SPI_OK_UPDATE);
}

/* The row of counts, which every bundle has, stands for it. */
void
store_lock_bundles(const char *schema, const char *job_id, const int64 *file_ids, int count)
{
	Arguments	arguments = {0};

	if (count == 0)
		return;
	add_text(&arguments, job_id);
	add_argument(&arguments, INT8ARRAYOID, bigint_array(file_ids, count), false);
	store_run_by_key(schema, "SELECT FROM %s.l4_source_counts WHERE job_id OPERATOR(pg_catalog.=) $1 "
					 "AND source_id OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT s.bundle_id FROM %s.l4_stream s "
					 "WHERE s.job_id OPERATOR(pg_catalog.=) $1 AND s.file_id OPERATOR(pg_catalog.=) ANY ($2) "
					 "AND s.bundle_id IS NOT NULL)) ORDER BY source_id FOR UPDATE", &arguments, SPI_OK_SELECT);
	result_done();
}

/* ---- marks of shapes ---- */

void
marks_init(L4BundleMarks *marks)
{
	memset(marks, 0, sizeof(L4BundleMarks));
	initStringInfo(&marks->sources);
}

void
marks_add(L4BundleMarks *marks, int64 source_id, const int64 *shape_ids, int count)
{
	if (count == 0)
		return;
	if (marks->shape_count + count > marks->shape_room)
	{
		marks->shape_room = Max(2 * marks->shape_room, marks->shape_count + count);
		marks->shape_ids = marks->shape_ids == NULL ? palloc(mul_size(marks->shape_room, sizeof(int64)))
			: repalloc(marks->shape_ids, mul_size(marks->shape_room, sizeof(int64)));
	}
	memcpy(marks->shape_ids + marks->shape_count, shape_ids, count * sizeof(int64));
	marks->shape_count += count;
	column_put_fixed(&marks->sources, (uint64) source_id);
	column_put_unsigned(&marks->sources, count);
}

/* The row's state says which shapes are whose: source by source its id and how many. */
L4SourceStateRow
marks_row(const L4BundleMarks *marks, int64 bundle_id)
{
	L4SourceStateRow row = {.source_id = bundle_id, .shape_ids = marks->shape_ids, .shape_count = marks->shape_count};

	row.state = blob_pack((L4Bytes) {marks->sources.data, marks->sources.len});
	return row;
}

static bool
is_leaving(const L4BundledStream *streams, int count, int64 source_id)
{
	int			i;

	for (i = 0; i < count; i++)
		if (streams[i].source_id == source_id)
			return true;
	return false;
}

/* Divides the marks of a row's files among those that leave and those that stay. */
static void
divide_marks(const bytea *state, const int64 *shape_ids, int shape_count, const L4BundledStream *streams, int count,
			 L4BundleMarks *left, L4BundleMarks *gone)
{
	L4Bytes		plain = blob_unpack(state);
	L4ColumnReader in = {plain.data, plain.data + plain.size};
	int			from = 0;

	while (in.at < in.end)
	{
		int64		source_id = (int64) column_get_fixed(&in);
		int			own = column_get_number_to(&in, shape_count - from, "a bundle has more marks than its row says");

		marks_add(is_leaving(streams, count, source_id) ? gone : left, source_id, shape_ids + from, own);
		from += own;
	}
}

/* Returns the marks of the files that leave. */
static L4BundleMarks
leave_marks(const char *schema, Arguments named, const L4BundledStream *streams, int count)
{
	Arguments	arguments = named;
	L4BundleMarks left;
	L4BundleMarks gone;
	L4SourceStateRow row;
	int64	   *shape_ids;
	int			shape_count;
	bytea	   *state;

	marks_init(&left);
	marks_init(&gone);
	if (store_run(schema, "SELECT shape_ids, state FROM %s.l4_source_state WHERE job_id OPERATOR(pg_catalog.=) $1 "
				  "AND source_id OPERATOR(pg_catalog.=) $2 AND shape_ids IS NOT NULL AND state IS NOT NULL",
				  &arguments, SPI_OK_SELECT) == 0)
	{
		result_done();
		return gone;
	}
	shape_ids = result_bigints(1, &shape_count);
	state = result_bytes(2);
	result_done();
	divide_marks(state, shape_ids, shape_count, streams, count, &left, &gone);
	row = marks_row(&left, streams->bundle_id);
	if (row.shape_count == 0)
		store_run(schema, "DELETE FROM %s.l4_source_state WHERE job_id OPERATOR(pg_catalog.=) $1 "
				  "AND source_id OPERATOR(pg_catalog.=) $2", &arguments, SPI_OK_DELETE);
	else if (gone.shape_count > 0)
	{
		add_argument(&arguments, INT8ARRAYOID, bigint_array(row.shape_ids, row.shape_count), false);
		add_argument(&arguments, BYTEAOID, PointerGetDatum(row.state), false);
		store_run(schema, "UPDATE %s.l4_source_state SET shape_ids = $3, state = $4 WHERE job_id OPERATOR(pg_catalog.=) $1 "
				  "AND source_id OPERATOR(pg_catalog.=) $2", &arguments, SPI_OK_UPDATE);
	}
	return gone;
}

int64 *
store_leave_bundle(const char *schema, const char *job_id, const L4BundledStream *streams, int count, int *shape_count)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "l4 leaving a bundle", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(memory);
	Arguments	named = arguments_of(job_id, streams->bundle_id);
	int64	   *ids = palloc(mul_size(count, sizeof(int64)));
	L4BundleMarks gone;
	int64	   *shape_ids;
	int			i;

	for (i = 0; i < count; i++)
		ids[i] = streams[i].stream_id;
	leave_segment(schema, named, ids, count);
	leave_counts(schema, named, ids, count);
	leave_statistics(schema, named, ids, count);
	gone = leave_marks(schema, named, streams, count);
	MemoryContextSwitchTo(caller);
	*shape_count = gone.shape_count;
	shape_ids = palloc(mul_size(Max(gone.shape_count, 1), sizeof(int64)));
	if (gone.shape_count > 0)
		memcpy(shape_ids, gone.shape_ids, gone.shape_count * sizeof(int64));
	MemoryContextDelete(memory);
	return shape_ids;
}
