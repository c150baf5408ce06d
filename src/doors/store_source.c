/*
 * store_source.c: what is kept of a source that may go on later, and what is taken back of it before it does.
 */
#include "doors/store_source.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "doors/store_statement.h"

/* A copy of a bytea of the result, in the given context; NULL for NULL. */
static bytea *
result_bytea(uint64 row, int column, MemoryContext context)
{
	bool		is_null;
	Datum		value = result_datum(row, column, &is_null);
	MemoryContext caller;
	bytea	   *copy;

	if (is_null)
		return NULL;
	caller = MemoryContextSwitchTo(context);
	copy = DatumGetByteaPCopy(value);
	MemoryContextSwitchTo(caller);
	return copy;
}

/* A bigint[] of the result, palloc'd. */
static int64 *
result_bigints(uint64 row, int column, int *count)
{
	bool		is_null;
	Datum		value = result_datum(row, column, &is_null);
	Datum	   *elements;
	bool	   *nulls;
	int64	   *numbers;
	int			i;

	*count = 0;
	if (is_null)
		return NULL;
	deconstruct_array(DatumGetArrayTypeP(value), INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &elements, &nulls,
					  count);
	numbers = palloc(mul_size(Max(*count, 1), sizeof(int64)));
	for (i = 0; i < *count; i++)
		numbers[i] = nulls[i] ? 0 : DatumGetInt64(elements[i]);
	return numbers;
}

L4SourceStateRow *
store_source_state(const char *schema, const char *job_id, int64 source_id)
{
	Arguments	arguments = {0};
	L4SourceStateRow *row;

	add_text(&arguments, job_id);
	add_bigint(&arguments, source_id, false);
	if (store_run(schema,
				  "SELECT t.byte_count, t.settings_hash, t.head_hash, t.tail_hash, t.shape_ids, t.state, s.records, s.lines "
				  "FROM %s.l4_source_state t CROSS JOIN LATERAL (SELECT pg_catalog.sum(record_count)::pg_catalog.int8, "
				  "pg_catalog.sum(line_count)::pg_catalog.int8 FROM %s.l4_stream s "
				  "WHERE s.job_id OPERATOR(pg_catalog.=) $1 AND s.source_id OPERATOR(pg_catalog.=) $2) AS s (records, lines) "
				  "WHERE t.job_id OPERATOR(pg_catalog.=) $1 AND t.source_id OPERATOR(pg_catalog.=) $2", &arguments,
				  SPI_OK_SELECT) == 0)
	{
		result_done();
		return NULL;
	}
	row = palloc0(sizeof(L4SourceStateRow));
	row->source_id = source_id;
	row->byte_count = result_bigint(0, 1);
	row->settings_hash = result_bigint(0, 2);
	row->head_hash = result_bigint(0, 3);
	row->tail_hash = result_bigint(0, 4);
	row->shape_ids = result_bigints(0, 5, &row->shape_count);
	row->state = result_bytea(0, 6, CurrentMemoryContext);
	row->record_count = result_bigint(0, 7);
	row->line_count = result_bigint(0, 8);
	result_done();
	return row;
}

L4SegmentBlobs *
store_take_segments(const char *schema, const char *job_id, int64 source_id, int segment_no, int *count)
{
	MemoryContext context = CurrentMemoryContext;
	Arguments	arguments = {0};
	L4SegmentBlobs *blobs;
	int			i;

	add_text(&arguments, job_id);
	add_bigint(&arguments, source_id, false);
	add_integer(&arguments, segment_no, false);
	*count = (int) store_run(schema, "SELECT structure, texts, parameters FROM %s.l4_segment "
							 "WHERE job_id OPERATOR(pg_catalog.=) $1 AND source_id OPERATOR(pg_catalog.=) $2 "
							 "AND segment_no OPERATOR(pg_catalog.>=) $3 ORDER BY segment_no",
							 &arguments, SPI_OK_SELECT);
	blobs = palloc(mul_size(Max(*count, 1), sizeof(L4SegmentBlobs)));
	for (i = 0; i < *count; i++)
	{
		blobs[i].structure = result_bytea(i, 1, context);
		blobs[i].texts = result_bytea(i, 2, context);
		blobs[i].parameters = result_bytea(i, 3, context);
	}
	if (*count > 0)
		store_run(schema,
				  "DELETE FROM %s.l4_segment WHERE job_id OPERATOR(pg_catalog.=) $1 AND source_id OPERATOR(pg_catalog.=) $2 "
				  "AND segment_no OPERATOR(pg_catalog.>=) $3", &arguments, SPI_OK_DELETE);
	return blobs;
}

/* Segments fetched at once: some megabytes. */
#define SEGMENT_BATCH 16

void
store_each_segment(const char *schema, const char *job_id, const int64 *shape_ids, int count, L4SegmentSink sink,
				   void *argument)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext row = AllocSetContextCreate(caller, "l4 segment", ALLOCSET_DEFAULT_SIZES);
	Arguments	arguments = {0};
	Portal		cursor;
	uint64		i;

	add_text(&arguments, job_id);
	add_argument(&arguments, INT8ARRAYOID, bigint_array(shape_ids, count), false);
	cursor = store_open(schema,
						"SELECT g.structure, g.texts, g.parameters, NOT EXISTS (SELECT FROM %s.l4_segment n "
						"WHERE n.job_id OPERATOR(pg_catalog.=) g.job_id AND n.source_id OPERATOR(pg_catalog.=) g.source_id "
						"AND n.segment_no OPERATOR(pg_catalog.>) g.segment_no) FROM %s.l4_segment g "
						"WHERE g.job_id OPERATOR(pg_catalog.=) $1 AND g.shape_ids OPERATOR(pg_catalog.&&) $2", &arguments);
	MemoryContextSwitchTo(row);
	for (;;)
	{
		SPITupleTable *table;
		uint64		got;

		SPI_cursor_fetch(cursor, true, SEGMENT_BATCH);
		MemoryContextSwitchTo(row);
		table = SPI_tuptable;
		got = SPI_processed;
		for (i = 0; i < got; i++)
		{
			L4SegmentBlobs blobs = {result_bytea(i, 1, row), result_bytea(i, 2, row), result_bytea(i, 3, row)};
			bool		is_null;

			CHECK_FOR_INTERRUPTS();
			sink(&blobs, DatumGetBool(result_datum(i, 4, &is_null)), argument);
			MemoryContextReset(row);
		}
		SPI_freetuptable(table);
		if (got == 0)
			break;
	}
	SPI_cursor_close(cursor);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(row);
}

L4SummaryRow *
store_known_summaries(const char *schema, const char *job_id, int64 source_id, int *count)
{
	MemoryContext context = CurrentMemoryContext;
	Arguments	arguments = {0};
	L4CountsReader *reader;
	L4SummaryRow *rows;
	int			kind;
	int			i = 0;

	*count = 0;
	add_text(&arguments, job_id);
	add_bigint(&arguments, source_id, false);
	if (store_run(schema, "SELECT counts FROM %s.l4_source_counts WHERE job_id OPERATOR(pg_catalog.=) $1 "
				  "AND source_id OPERATOR(pg_catalog.=) $2", &arguments, SPI_OK_SELECT) == 0)
		return NULL;
	reader = counts_open(result_bytea(0, 1, context));
	result_done();
	rows = palloc(mul_size(Max(counts_row_count(reader), 1), sizeof(L4SummaryRow)));
	while (counts_next(reader, &rows[i], &kind))
		i++;
	*count = i;
	return rows;
}

void
store_forget_streams(const char *schema, const char *job_id, int64 source_id)
{
	Arguments	arguments = {0};

	add_text(&arguments, job_id);
	add_bigint(&arguments, source_id, false);
	store_run(schema, "DELETE FROM %s.l4_stream WHERE job_id OPERATOR(pg_catalog.=) $1 AND source_id OPERATOR(pg_catalog.=) $2",
			  &arguments, SPI_OK_DELETE);
}

void
store_forget_source(const char *schema, const char *job_id, int64 source_id)
{
	Arguments	arguments = {0};

	add_text(&arguments, job_id);
	add_bigint(&arguments, source_id, false);
	store_run(schema,
			  "DELETE FROM %s.l4_source_counts WHERE job_id OPERATOR(pg_catalog.=) $1 AND source_id OPERATOR(pg_catalog.=) $2",
			  &arguments, SPI_OK_DELETE);
	store_run(schema,
			  "DELETE FROM %s.l4_segment WHERE job_id OPERATOR(pg_catalog.=) $1 AND source_id OPERATOR(pg_catalog.=) $2",
			  &arguments, SPI_OK_DELETE);
	store_run(schema,
			  "DELETE FROM %s.l4_parameter_sketch WHERE job_id OPERATOR(pg_catalog.=) $1 "
			  "AND source_id OPERATOR(pg_catalog.=) $2",
			  &arguments, SPI_OK_DELETE);
	store_forget_streams(schema, job_id, source_id);
}

bytea *
store_take_statistics(const char *schema, const char *job_id, int64 source_id)
{
	MemoryContext context = CurrentMemoryContext;
	Arguments	arguments = {0};

	add_text(&arguments, job_id);
	add_bigint(&arguments, source_id, false);
	if (store_run(schema,
				  "DELETE FROM %s.l4_parameter_sketch WHERE job_id OPERATOR(pg_catalog.=) $1 "
				  "AND source_id OPERATOR(pg_catalog.=) $2 RETURNING sketch", &arguments, SPI_OK_DELETE_RETURNING) == 0)
		return NULL;
	return result_bytea(0, 1, context);
}
