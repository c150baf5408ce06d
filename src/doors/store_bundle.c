/*
 * store_bundle.c: rows that several small files share: a file leaves them.
 */
#include "doors/store_bundle.h"

#include "utils/memutils.h"

#include "algorithms/counts.h"
#include "algorithms/parameter_statistics.h"
#include "algorithms/segment_bundle.h"
#include "doors/store_statement.h"

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

/* The streams of a row that was just read, palloc'd. */
static int64 *
result_streams(int column, int *count)
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
	int			left_count;

	if (store_run(schema,
				  "SELECT stream_ids, structure, texts, parameters FROM %s.l4_segment WHERE job_id OPERATOR(pg_catalog.=) $1 "
				  "AND source_id OPERATOR(pg_catalog.=) $2 AND segment_no OPERATOR(pg_catalog.=) -1 FOR UPDATE",
				  &arguments, SPI_OK_SELECT) == 0)
		return;					/* the text was dropped */
	left = result_streams(1, &left_count);
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
	store_run(schema, "UPDATE %s.l4_segment SET stream_ids = $3, structure = $4, texts = $5, parameters = $6, "
			  "record_count = s.records, raw_bytes = s.bytes "
			  "FROM (SELECT pg_catalog.sum(t.record_count)::pg_catalog.int4, pg_catalog.sum(t.byte_count)::pg_catalog.int8 "
			  "FROM %s.l4_stream t WHERE t.job_id OPERATOR(pg_catalog.=) $1 AND t.bundle_id OPERATOR(pg_catalog.=) $2) "
			  "AS s (records, bytes) WHERE job_id OPERATOR(pg_catalog.=) $1 AND source_id OPERATOR(pg_catalog.=) $2 "
			  "AND segment_no OPERATOR(pg_catalog.=) -1", &arguments, SPI_OK_UPDATE);
}

static void
leave_counts(const char *schema, Arguments named, const int64 *streams, int count)
{
	Arguments	arguments = named;
	bytea	   *counts;
	int			row_count;

	if (store_run(schema, "SELECT counts FROM %s.l4_source_counts WHERE job_id OPERATOR(pg_catalog.=) $1 "
				  "AND source_id OPERATOR(pg_catalog.=) $2 FOR UPDATE", &arguments, SPI_OK_SELECT) == 0)
		return;
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
				  "AND source_id OPERATOR(pg_catalog.=) $2 FOR UPDATE", &arguments, SPI_OK_SELECT) == 0)
		return;
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

void
store_leave_bundle(const char *schema, const char *job_id, int64 bundle_id, const int64 *streams, int count)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "l4 leaving a bundle", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(memory);
	Arguments	named = arguments_of(job_id, bundle_id);

	leave_segment(schema, named, streams, count);
	leave_counts(schema, named, streams, count);
	leave_statistics(schema, named, streams, count);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(memory);
}
