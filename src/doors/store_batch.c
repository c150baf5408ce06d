/*
 * store_batch.c: rows of sources on their way into the tables, many to a statement.
 *
 * A small file amounts to a row or some of each of five tables. A statement costs as much as a dozen rows, so rows wait here
 * until the transaction ends or some megabyte of them has come together; then each table gets its rows in one statement.
 * Nothing may read rows that wait: the sources of one batch are different ones.
 */
#include "doors/store_batch.h"

#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "doors/store_rows.h"
#include "doors/store_statement.h"

/* So much waits at most; a segment larger than a part of it does not wait at all. */
#define BATCH_BYTES (1024 * 1024)
#define SEGMENT_BYTES (128 * 1024)

typedef enum Table
{
	TABLE_SEGMENT,
	TABLE_COUNTS,
	TABLE_STATISTICS,
	TABLE_STREAM,
	TABLE_STATE,
	TABLE_COUNT
} Table;

#define COLUMN_LIMIT 24

/* The columns in the order in which they are set; the statements are literals, by whose address their plans are kept. */
typedef struct TableText
{
	const char *row_type;
	const char *insert;
	const char *columns[COLUMN_LIMIT];
} TableText;

#define SEGMENT_COLUMNS \
	"source_id, segment_no, first_line, last_line, record_count, first_ts, last_ts, raw_bytes, stream_ids, " \
	"shape_ids, structure, texts, parameters"
#define STREAM_COLUMNS \
	"stream_id, source_id, file_id, source, label, kind, node, rank, attempt, format, state, error, byte_count, " \
	"line_count, record_count, first_ts, last_ts, last_stage, " \
	"first_iteration, last_iteration, file_size, file_modified_at, bundle_id"
#define COUNTS_COLUMNS "source_id, row_count, counts"
#define STATISTICS_COLUMNS "source_id, sketch"
#define STATE_COLUMNS "source_id, byte_count, settings_hash, head_hash, tail_hash, shape_ids, state"

static const TableText tables[TABLE_COUNT] = {
	{
		"SELECT '%s.l4_segment'::pg_catalog.regclass",
		"INSERT INTO %s.l4_segment (job_id, " SEGMENT_COLUMNS ") SELECT $2, " SEGMENT_COLUMNS
		" FROM pg_catalog.unnest($1) AS u",
		{
			"source_id", "segment_no", "first_line", "last_line", "record_count", "first_ts", "last_ts", "raw_bytes",
			"stream_ids", "shape_ids",
			"structure", "texts", "parameters"
		}
	},
	{
		"SELECT '%s.l4_source_counts'::pg_catalog.regclass",
		"INSERT INTO %s.l4_source_counts (job_id, " COUNTS_COLUMNS ") SELECT $2, " COUNTS_COLUMNS
		" FROM pg_catalog.unnest($1) AS u ON CONFLICT (job_id, source_id) DO UPDATE SET row_count = excluded.row_count, "
		"counts = excluded.counts",
		{"source_id", "row_count", "counts"}
	},
	{
		"SELECT '%s.l4_parameter_sketch'::pg_catalog.regclass",
		"INSERT INTO %s.l4_parameter_sketch (job_id, " STATISTICS_COLUMNS ") SELECT $2, " STATISTICS_COLUMNS
		" FROM pg_catalog.unnest($1) AS u ON CONFLICT (job_id, source_id) DO UPDATE SET sketch = excluded.sketch",
		{"source_id", "sketch"}
	},
	{
		"SELECT '%s.l4_stream'::pg_catalog.regclass",
		"INSERT INTO %s.l4_stream (job_id, " STREAM_COLUMNS ", imported_at) SELECT $2, " STREAM_COLUMNS
		", pg_catalog.clock_timestamp() FROM pg_catalog.unnest($1) AS u",
		{
			"stream_id", "source_id", "file_id", "source", "label", "kind", "node", "rank", "attempt", "format",
			"state", "error", "byte_count", "line_count", "record_count", "first_ts", "last_ts", "last_stage",
			"first_iteration", "last_iteration", "file_size", "file_modified_at", "bundle_id"
		}
	},
	{
		"SELECT '%s.l4_source_state'::pg_catalog.regclass",
		"INSERT INTO %s.l4_source_state (job_id, " STATE_COLUMNS ") SELECT $2, " STATE_COLUMNS
		" FROM pg_catalog.unnest($1) AS u ON CONFLICT (job_id, source_id) DO UPDATE SET byte_count = excluded.byte_count, "
		"settings_hash = excluded.settings_hash, head_hash = excluded.head_hash, tail_hash = excluded.tail_hash, "
		"shape_ids = excluded.shape_ids, state = excluded.state",
		{"source_id", "byte_count", "settings_hash", "head_hash", "tail_hash", "shape_ids", "state"}
	}
};

struct L4StoreBatch
{
	const char *schema;
	const char *job_name;
	MemoryContext memory;		/* of the rows that wait */
	StoreRows  *rows[TABLE_COUNT];	/* NULL where none waits */
};

/*
 * store_batch_create: in the current memory context, with which it goes.
 */
L4StoreBatch *
store_batch_create(const char *schema, const char *job_id)
{
	L4StoreBatch *batch = palloc0(sizeof(L4StoreBatch));

	batch->schema = schema;
	batch->job_name = job_id;
	batch->memory = AllocSetContextCreate(CurrentMemoryContext, "l4 rows of a transaction", ALLOCSET_DEFAULT_SIZES);
	return batch;
}

/* The row type of a table; statement names the table. */
static Oid
row_type_of(const char *schema, const char *statement)
{
	Arguments	arguments = {0};
	Oid			table;
	bool		is_null;

	store_run(schema, statement, &arguments, SPI_OK_SELECT);
	table = DatumGetObjectId(result_datum(0, 1, &is_null));
	result_done();
	return get_rel_type_id(table);
}

/*
 * The rows of a table that wait, with the first column of the next set; the caller's memory context is to be set back after it.
 */
static StoreRows *
begin_row(L4StoreBatch *batch, Table table)
{
	const TableText *text = &tables[table];
	int			count = 0;

	if (batch->rows[table] == NULL)
	{
		while (count < COLUMN_LIMIT && text->columns[count] != NULL)
			count++;
		batch->rows[table] = store_rows_begin(row_type_of(batch->schema, text->row_type), text->columns, count);
	}
	return batch->rows[table];
}

/* Writes the rows of a table that wait. */
static void
write_rows(L4StoreBatch *batch, Table table)
{
	Arguments	arguments = {0};
	StoreRows  *rows = batch->rows[table];

	if (rows == NULL)
		return;
	add_argument(&arguments, rows->array_type, store_rows_finish(rows), false);
	add_text(&arguments, batch->job_name);
	store_run(batch->schema, tables[table].insert, &arguments, SPI_OK_INSERT);
}

/*
 * store_batch_write: writes all rows that wait.
 */
void
store_batch_write(L4StoreBatch *batch)
{
	MemoryContext caller = MemoryContextSwitchTo(batch->memory);
	int			table;

	for (table = 0; table < TABLE_COUNT; table++)
		write_rows(batch, table);
	memset(batch->rows, 0, sizeof(batch->rows));
	MemoryContextSwitchTo(caller);
	MemoryContextReset(batch->memory);
}

/* Ends a row; writes all that waits where it is much. */
static void
end_row(L4StoreBatch *batch, StoreRows *rows, MemoryContext caller)
{
	Size		waiting = 0;
	int			table;

	store_rows_end_row(rows);
	MemoryContextSwitchTo(caller);
	for (table = 0; table < TABLE_COUNT; table++)
		waiting += batch->rows[table] != NULL ? batch->rows[table]->bytes : 0;
	if (waiting >= BATCH_BYTES)
		store_batch_write(batch);
}

static void
set_bigint(StoreRows *rows, int64 value, bool is_null)
{
	store_rows_set(rows, Int64GetDatum(value), is_null);
}

static void
set_bytes(StoreRows *rows, const bytea *value)
{
	store_rows_set(rows, PointerGetDatum(value), value == NULL);
}

void
store_batch_stream(L4StoreBatch *batch, const L4StreamRow *row)
{
	MemoryContext caller = MemoryContextSwitchTo(batch->memory);
	StoreRows  *rows = begin_row(batch, TABLE_STREAM);

	set_bigint(rows, row->stream_id, false);
	set_bigint(rows, row->source_id, false);
	set_bigint(rows, row->file_id, false);
	store_rows_set_text(rows, row->source);
	store_rows_set_text(rows, row->label);
	store_rows_set_text(rows, row->place.kind);
	store_rows_set_text(rows, row->place.node);
	store_rows_set(rows, Int32GetDatum(row->place.rank), row->place.rank < 0);
	store_rows_set(rows, Int32GetDatum(row->place.attempt), row->place.attempt < 0);
	store_rows_set_text(rows, row->format);
	store_rows_set_text(rows, row->state);
	store_rows_set_text(rows, row->error);
	set_bigint(rows, row->byte_count, false);
	set_bigint(rows, row->line_count, false);
	set_bigint(rows, row->record_count, false);
	set_bigint(rows, row->first_ts, !row->has_time);
	set_bigint(rows, row->last_ts, !row->has_time);
	store_rows_set_text(rows, row->last_stage > 0 ? l4_stages[row->last_stage - 1] : NULL);
	set_bigint(rows, row->first_iteration, !row->has_iteration);
	set_bigint(rows, row->last_iteration, !row->has_iteration);
	set_bigint(rows, row->file_size, row->file_size < 0);
	set_bigint(rows, row->file_modified_at, row->file_modified_at == 0);
	set_bigint(rows, row->bundle_id, row->bundle_id == 0);
	end_row(batch, rows, caller);
}

/* Writes a segment by itself: its bytes are copied once less. */
static void
write_segment(L4StoreBatch *batch, const L4SegmentRow *row)
{
	Arguments	arguments = {0};

	add_text(&arguments, batch->job_name);
	add_bigint(&arguments, row->source_id, false);
	add_integer(&arguments, row->segment_no, false);
	add_bigint(&arguments, row->first_line, false);
	add_bigint(&arguments, row->last_line, false);
	add_integer(&arguments, row->record_count, false);
	add_time(&arguments, row->first_ts, !row->has_time);
	add_time(&arguments, row->last_ts, !row->has_time);
	add_bigint(&arguments, row->raw_bytes, false);
	add_argument(&arguments, INT8ARRAYOID, bigint_array(row->stream_ids, row->stream_count), false);
	add_argument(&arguments, INT8ARRAYOID, bigint_array(row->shape_ids, row->shape_count), false);
	add_argument(&arguments, BYTEAOID, PointerGetDatum(row->blobs.structure), false);
	add_argument(&arguments, BYTEAOID, PointerGetDatum(row->blobs.texts), false);
	add_argument(&arguments, BYTEAOID, PointerGetDatum(row->blobs.parameters), false);
	store_run(batch->schema, "INSERT INTO %s.l4_segment (job_id, " SEGMENT_COLUMNS
			  ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
			  &arguments, SPI_OK_INSERT);
}

void
store_batch_segment(L4StoreBatch *batch, const L4SegmentRow *row)
{
	MemoryContext caller;
	StoreRows  *rows;

	if (VARSIZE(row->blobs.structure) + VARSIZE(row->blobs.texts) + VARSIZE(row->blobs.parameters) > SEGMENT_BYTES)
	{
		write_segment(batch, row);
		return;
	}
	caller = MemoryContextSwitchTo(batch->memory);
	rows = begin_row(batch, TABLE_SEGMENT);
	set_bigint(rows, row->source_id, false);
	store_rows_set(rows, Int32GetDatum(row->segment_no), false);
	set_bigint(rows, row->first_line, false);
	set_bigint(rows, row->last_line, false);
	store_rows_set(rows, Int32GetDatum(row->record_count), false);
	set_bigint(rows, row->first_ts, !row->has_time);
	set_bigint(rows, row->last_ts, !row->has_time);
	set_bigint(rows, row->raw_bytes, false);
	store_rows_set(rows, bigint_array(row->stream_ids, row->stream_count), false);
	store_rows_set(rows, bigint_array(row->shape_ids, row->shape_count), false);
	set_bytes(rows, row->blobs.structure);
	set_bytes(rows, row->blobs.texts);
	set_bytes(rows, row->blobs.parameters);
	end_row(batch, rows, caller);
}

void
store_batch_counts(L4StoreBatch *batch, int64 source_id, int row_count, const bytea *counts)
{
	MemoryContext caller = MemoryContextSwitchTo(batch->memory);
	StoreRows  *rows = begin_row(batch, TABLE_COUNTS);

	set_bigint(rows, source_id, false);
	store_rows_set(rows, Int32GetDatum(row_count), false);
	set_bytes(rows, counts);
	end_row(batch, rows, caller);
}

void
store_batch_statistics(L4StoreBatch *batch, int64 source_id, const bytea *stats)
{
	MemoryContext caller = MemoryContextSwitchTo(batch->memory);
	StoreRows  *rows = begin_row(batch, TABLE_STATISTICS);

	set_bigint(rows, source_id, false);
	set_bytes(rows, stats);
	end_row(batch, rows, caller);
}

void
store_batch_state(L4StoreBatch *batch, const L4SourceStateRow *row)
{
	MemoryContext caller = MemoryContextSwitchTo(batch->memory);
	StoreRows  *rows = begin_row(batch, TABLE_STATE);

	set_bigint(rows, row->source_id, false);
	set_bigint(rows, row->byte_count, false);
	set_bigint(rows, row->settings_hash, false);
	set_bigint(rows, row->head_hash, false);
	set_bigint(rows, row->tail_hash, false);
	store_rows_set(rows, bigint_array(row->shape_ids, row->shape_count), row->shape_count == 0);
	set_bytes(rows, row->state);
	end_row(batch, rows, caller);
}
