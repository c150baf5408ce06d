/*
 * store_shapes.c: shapes, which all jobs share: added once, and marked where nothing has them but records that may still
 * change.
 */
#include "doors/store_shapes.h"

#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "doors/store_locks.h"
#include "doors/store_statement.h"

/*
 * A shape that so many sources end with has no mark any more, and for good: so many do not break off at the same place, and
 * what jobs end with as a rule would be written for each of them, on a cluster on all nodes. Where they do, a shape and its
 * event stay until l4_forget_shapes.
 */
#define FIRM_SOURCES 4

/* One column of rows as an array. */
typedef struct ArrayColumn
{
	Datum	   *values;
	bool	   *nulls;
	int			count;
} ArrayColumn;

static void
array_column_init(ArrayColumn *column, int room)
{
	column->values = palloc(mul_size(Max(room, 1), sizeof(Datum)));
	column->nulls = palloc(mul_size(Max(room, 1), sizeof(bool)));
	column->count = 0;
}

static void
array_column_add(ArrayColumn *column, Datum value, bool is_null)
{
	column->values[column->count] = value;
	column->nulls[column->count++] = is_null;
}

static Datum
array_column_finish(ArrayColumn *column, Oid type)
{
	int			dimension = column->count;
	int			lower_bound = 1;
	int16		length;
	bool		by_value;
	char		alignment;

	get_typlenbyvalalign(type, &length, &by_value, &alignment);
	return PointerGetDatum(construct_md_array(column->values, column->nulls, 1, &dimension, &lower_bound, type, length,
											  by_value, alignment));
}

/*
 * Which of the rows are in the table; the others' texts are given. Is anything to be done: is one not there, or has one a mark?
 * A row without a mark never gets one.
 */
static bool
find_known(const char *schema, const L4ShapeRow *rows, int count, bool *known)
{
	Arguments	arguments = {0};
	int64	   *ids = palloc(mul_size(count, sizeof(int64)));
	uint64		found;
	uint64		next = 0;
	bool		to_do = false;
	bool		is_null;
	int			i;

	for (i = 0; i < count; i++)
		ids[i] = rows[i].shape_id;
	add_argument(&arguments, INT8ARRAYOID, bigint_array(ids, count), false);
	found = store_run_by_key(schema, "SELECT shape_id, tentative IS NOT NULL FROM %s.l4_shape "
							 "WHERE shape_id OPERATOR(pg_catalog.=) ANY ($1) ORDER BY shape_id", &arguments, SPI_OK_SELECT);
	for (i = 0; i < count; i++)
	{
		known[i] = rows[i].text.data == NULL;
		while (next < found && result_bigint(next, 1) < rows[i].shape_id)
			next++;
		if (next < found && result_bigint(next, 1) == rows[i].shape_id)
		{
			known[i] = true;
			to_do |= DatumGetBool(result_datum(next, 2, &is_null));
		}
		to_do |= !known[i];
	}
	result_done();
	return to_do;
}

/* Adds the shapes that are not known. One that another import adds meanwhile gets its mark here. */
static void
insert_shapes(const char *schema, const char *tenant, const L4ShapeRow *rows, int count, const bool *known)
{
	ArrayColumn columns[3];
	Arguments	arguments = {0};
	int			i;

	for (i = 0; i < 3; i++)
		array_column_init(&columns[i], count);
	for (i = 0; i < count; i++)
	{
		if (known[i])
			continue;
		array_column_add(&columns[0], Int64GetDatum(rows[i].shape_id), false);
		array_column_add(&columns[1], PointerGetDatum(cstring_to_text_with_len(rows[i].text.data, rows[i].text.size)), false);
		array_column_add(&columns[2], Int32GetDatum(rows[i].tentative),
						 rows[i].firm || rows[i].tentative >= FIRM_SOURCES);
	}
	if (columns[0].count == 0)
		return;
	add_argument(&arguments, INT8ARRAYOID, array_column_finish(&columns[0], INT8OID), false);
	add_argument(&arguments, TEXTARRAYOID, array_column_finish(&columns[1], TEXTOID), false);
	add_argument(&arguments, INT4ARRAYOID, array_column_finish(&columns[2], INT4OID), false);
	add_text(&arguments, tenant);
	store_run(schema,
			  "INSERT INTO %s.l4_shape AS h (shape_id, shape, tentative, tenant) SELECT i, t, n, $4 "
			  "FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2), pg_catalog.unnest($3)) AS u (i, t, n) "
			  "ORDER BY i ON CONFLICT (shape_id) DO UPDATE "
			  "SET tentative = h.tentative OPERATOR(pg_catalog.+) excluded.tentative WHERE h.tentative IS NOT NULL",
			  &arguments, SPI_OK_INSERT);
}

/* Locks those of the known rows that have a mark, in order; chosen becomes their numbers. There are few. */
static int
lock_marked(const char *schema, const L4ShapeRow *rows, int count, const bool *is_known, int *chosen)
{
	Arguments	arguments = {0};
	int64	   *ids = palloc(mul_size(Max(count, 1), sizeof(int64)));
	int		   *numbers = palloc(mul_size(Max(count, 1), sizeof(int)));
	int			known = 0;
	int			marked;
	bool		is_null;
	int			i;

	for (i = 0; i < count; i++)
	{
		if (!is_known[i])
			continue;
		ids[known] = rows[i].shape_id;
		numbers[known++] = i;
	}
	if (known == 0)
		return 0;
	add_argument(&arguments, INT8ARRAYOID, bigint_array(ids, known), false);
	marked = (int) store_run_by_key(schema,
									"SELECT n.number FROM pg_catalog.unnest($1) WITH ORDINALITY AS n (shape_id, number) "
									"CROSS JOIN LATERAL (SELECT FROM %s.l4_shape t "
									"WHERE t.shape_id OPERATOR(pg_catalog.=) n.shape_id AND t.tentative IS NOT NULL "
									"FOR UPDATE) AS s",
									&arguments, SPI_OK_SELECT);
	for (i = 0; i < marked; i++)
		chosen[i] = numbers[DatumGetInt64(result_datum(i, 1, &is_null)) - 1];
	result_done();
	return marked;
}

/* Brings the marks of shapes that were there up to date. */
static void
mark_shapes(const char *schema, const L4ShapeRow *rows, const int *chosen, int count)
{
	ArrayColumn columns[3];
	Arguments	arguments = {0};
	int			i;

	for (i = 0; i < 3; i++)
		array_column_init(&columns[i], count);
	for (i = 0; i < count; i++)
	{
		array_column_add(&columns[0], Int64GetDatum(rows[chosen[i]].shape_id), false);
		array_column_add(&columns[1], BoolGetDatum(rows[chosen[i]].firm), false);
		array_column_add(&columns[2], Int32GetDatum(rows[chosen[i]].tentative), false);
	}
	add_argument(&arguments, INT8ARRAYOID, array_column_finish(&columns[0], INT8OID), false);
	add_argument(&arguments, get_array_type(BOOLOID), array_column_finish(&columns[1], BOOLOID), false);
	add_argument(&arguments, INT4ARRAYOID, array_column_finish(&columns[2], INT4OID), false);
	add_integer(&arguments, FIRM_SOURCES, false);
	store_run_by_key(schema,
					 "UPDATE %s.l4_shape h "
					 "SET tentative = CASE WHEN u.firm OR h.tentative OPERATOR(pg_catalog.+) u.more OPERATOR(pg_catalog.>=) $4 "
					 "THEN NULL ELSE h.tentative OPERATOR(pg_catalog.+) u.more END "
					 "FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2), pg_catalog.unnest($3)) AS u (shape_id, "
					 "firm, more) WHERE h.shape_id OPERATOR(pg_catalog.=) ANY ($1) "
					 "AND h.shape_id OPERATOR(pg_catalog.=) u.shape_id AND h.tentative IS NOT NULL",
					 &arguments, SPI_OK_UPDATE);
}

/*
 * store_shapes: adds shapes that are not there yet, then brings marks up to date. Both in the order of the ids, and who is at
 * the second has done with the first, so two imports never wait for each other in a circle.
 */
bool
store_shapes(const char *schema, const char *tenant, const L4ShapeRow *rows, int count, bool with_events)
{
	bool	   *known = palloc(mul_size(Max(count, 1), sizeof(bool)));
	int		   *chosen = palloc(mul_size(Max(count, 1), sizeof(int)));
	int			marked;

	if (count == 0)
		return false;
	with_events = with_events && find_known(schema, rows, count, known);
	if (with_events)
		store_lock_shapes(schema);
	/* so that none is taken back (l4_assign_events) between being found and being claimed */
	store_lock(schema, "l4_shape", NULL, true);
	if (!find_known(schema, rows, count, known))
		return with_events;
	store_lock_adding_shapes(schema);
	insert_shapes(schema, tenant, rows, count, known);
	marked = lock_marked(schema, rows, count, known, chosen);
	if (marked > 0)
		mark_shapes(schema, rows, chosen, marked);
	return with_events;
}

L4Bytes *
store_shape_texts(const char *schema, int64 **shape_ids, int *count)
{
	Arguments	arguments = {0};
	L4Bytes    *texts;
	int			i;

	add_argument(&arguments, INT8ARRAYOID, bigint_array(*shape_ids, *count), false);
	*count = (int) store_run(schema, "SELECT shape_id, shape FROM %s.l4_shape "
							 "WHERE shape_id OPERATOR(pg_catalog.=) ANY ($1) ORDER BY shape_id",
							 &arguments, SPI_OK_SELECT);
	*shape_ids = palloc(mul_size(Max(*count, 1), sizeof(int64)));
	texts = palloc(mul_size(Max(*count, 1), sizeof(L4Bytes)));
	for (i = 0; i < *count; i++)
	{
		(*shape_ids)[i] = result_bigint(i, 1);
		texts[i].data = result_text(i, 2);
		texts[i].size = strlen(texts[i].data);
	}
	return texts;
}

int64 *
store_job_shapes(const char *schema, const char *job_id, L4ShapeTest test, void *argument, int *count)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext row = AllocSetContextCreate(caller, "l4 shape", ALLOCSET_DEFAULT_SIZES);
	Arguments	arguments = {0};
	uint64		total;
	uint64		i;
	int64	   *ids;

	add_text(&arguments, job_id);
	total = store_run(schema,
					  "SELECT h.shape_id, h.shape FROM %s.l4_shape h WHERE h.shape_id IN (SELECT u.shape_id "
					  "FROM %s.l4_source_counts c CROSS JOIN LATERAL %s.l4_counts_shapes(c.counts) AS u (shape_id) "
					  "WHERE c.job_id OPERATOR(pg_catalog.=) $1) ORDER BY h.shape_id", &arguments,
					  SPI_OK_SELECT);
	ids = palloc(mul_size(Max(total, 1), sizeof(int64)));
	*count = 0;
	for (i = 0; i < total; i++)
	{
		char	   *shape;
		L4Bytes		text;

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(row);
		shape = result_text(i, 2);
		text.data = shape;
		text.size = strlen(shape);
		MemoryContextSwitchTo(caller);
		if (test(result_bigint(i, 1), text, argument))
			ids[(*count)++] = result_bigint(i, 1);
		MemoryContextReset(row);
	}
	MemoryContextDelete(row);
	return ids;
}
