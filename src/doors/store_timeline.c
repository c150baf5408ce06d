/*
 * store_timeline.c: the starts of a job's iterations, one row a job.
 *
 * Every source of a job names the same iterations, so most of what it brings is known and does not come earlier. The row is
 * read, compared here and written only where something changes: to merge the arrays in SQL cost a file of some thousand lines
 * more than all else.
 */
#include "doors/store_timeline.h"

#include "miscadmin.h"
#include "storage/shmem.h"

#include "doors/store_statement.h"

/* Another import may make the row first, but hardly ever so often. */
#define WRITE_TRIES 100

/* A start on its way into the timeline. */
typedef struct NewStart
{
	int64		iteration;
	TimestampTz start;
	bool		known;			/* the timeline has the iteration */
	char		status;
} NewStart;

#define SH_PREFIX new_starts
#define SH_ELEMENT_TYPE NewStart
#define SH_KEY_TYPE int64
#define SH_KEY iteration
#define SH_HASH_KEY(table, key) ((uint32) (key) * 0x9e3779b1U)
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

typedef struct Start
{
	TimestampTz start;
	int64		iteration;
} Start;

typedef struct Timeline
{
	int			count;
	Start	   *starts;
} Timeline;

static int
compare_starts(const void *a, const void *b)
{
	const Start *x = a;
	const Start *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->iteration < y->iteration ? -1 : x->iteration > y->iteration ? 1 : 0;
}

/* The job's row, locked, with room for more; false where there is none. */
static bool
read_timeline(const char *schema, const char *job_id, Timeline *timeline, int room)
{
	Arguments	arguments = {0};
	ArrayType  *iterations;
	ArrayType  *starts;
	bool		is_null;
	int			i;

	timeline->count = 0;
	add_text(&arguments, job_id);
	if (store_run(schema, "SELECT iterations, started_at FROM %s.l4_timeline WHERE job_id OPERATOR(pg_catalog.=) $1 FOR UPDATE",
				  &arguments, SPI_OK_SELECT) == 0)
	{
		result_done();
		return false;
	}
	iterations = DatumGetArrayTypeP(result_datum(0, 1, &is_null));
	starts = DatumGetArrayTypeP(result_datum(0, 2, &is_null));
	timeline->count = ArrayGetNItems(ARR_NDIM(iterations), ARR_DIMS(iterations));
	if (ARR_HASNULL(iterations) || ARR_HASNULL(starts) || ArrayGetNItems(ARR_NDIM(starts), ARR_DIMS(starts)) != timeline->count)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the timeline of job \"%s\" has not one start for each iteration", job_id),
				 errhint("Delete its row from l4_timeline and import the logs again.")));
	timeline->starts = palloc(mul_size(timeline->count + (Size) room, sizeof(Start)));
	for (i = 0; i < timeline->count; i++)
	{
		timeline->starts[i].iteration = ((const int64 *) ARR_DATA_PTR(iterations))[i];
		timeline->starts[i].start = ((const TimestampTz *) ARR_DATA_PTR(starts))[i];
	}
	result_done();
	return true;
}

/* Takes the new starts in where they are of new iterations or earlier. Did any? */
static bool
merge_starts(Timeline *timeline, new_starts_hash *more)
{
	new_starts_iterator iterator;
	NewStart   *entry;
	bool		changed = false;
	int			i;

	for (i = 0; i < timeline->count; i++)
	{
		entry = new_starts_lookup(more, timeline->starts[i].iteration);
		if (entry == NULL)
			continue;
		entry->known = true;
		if (entry->start >= timeline->starts[i].start)
			continue;
		timeline->starts[i].start = entry->start;
		changed = true;
	}
	new_starts_start_iterate(more, &iterator);
	while ((entry = new_starts_iterate(more, &iterator)) != NULL)
		if (!entry->known)
		{
			timeline->starts[timeline->count].iteration = entry->iteration;
			timeline->starts[timeline->count++].start = entry->start;
			changed = true;
		}
	return changed;
}

/* Writes the row; false where another one came first. */
static bool
write_timeline(const char *schema, const char *job_id, Timeline *timeline, bool is_new)
{
	Arguments	arguments = {0};
	Datum	   *iterations = palloc(mul_size(timeline->count, sizeof(Datum)));
	Datum	   *starts = palloc(mul_size(timeline->count, sizeof(Datum)));
	int			i;

	qsort(timeline->starts, timeline->count, sizeof(Start), compare_starts);
	for (i = 0; i < timeline->count; i++)
	{
		iterations[i] = Int64GetDatum(timeline->starts[i].iteration);
		starts[i] = TimestampTzGetDatum(timeline->starts[i].start);
	}
	add_text(&arguments, job_id);
	add_argument(&arguments, INT8ARRAYOID,
				 PointerGetDatum(construct_array(iterations, timeline->count, INT8OID, sizeof(int64), FLOAT8PASSBYVAL,
												 TYPALIGN_DOUBLE)), false);
	add_argument(&arguments, TIMESTAMPTZARRAYOID,
				 PointerGetDatum(construct_array(starts, timeline->count, TIMESTAMPTZOID, sizeof(int64), FLOAT8PASSBYVAL,
												 TYPALIGN_DOUBLE)), false);
	if (is_new)
		return store_run(schema,
						 "INSERT INTO %s.l4_timeline (job_id, iterations, started_at) VALUES ($1, $2, $3) "
						 "ON CONFLICT DO NOTHING",
						 &arguments, SPI_OK_INSERT) > 0;
	store_run(schema, "UPDATE %s.l4_timeline SET iterations = $2, started_at = $3 WHERE job_id OPERATOR(pg_catalog.=) $1",
			  &arguments, SPI_OK_UPDATE);
	return true;
}

void
store_timeline(const char *schema, const char *job_id, const int64 *iterations, const TimestampTz *starts, int count)
{
	new_starts_hash *more = new_starts_create(CurrentMemoryContext, Max(count, 1), NULL);
	Timeline	timeline;
	bool		done = false;
	bool		found;
	int			tries = 0;
	int			i;

	for (i = 0; i < count; i++)
		new_starts_insert(more, iterations[i], &found)->start = starts[i];
	while (!done)
	{
		new_starts_iterator iterator;
		NewStart   *entry;
		bool		is_new;

		CHECK_FOR_INTERRUPTS();
		if (tries++ == WRITE_TRIES)
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("the timeline of job \"%s\" is there but cannot be read", job_id),
					 errhint("Row-level security of l4_timeline hides it from this role.")));
		new_starts_start_iterate(more, &iterator);
		while ((entry = new_starts_iterate(more, &iterator)) != NULL)
			entry->known = false;
		is_new = !read_timeline(schema, job_id, &timeline, count);
		if (is_new)
			timeline.starts = palloc(mul_size(Max(count, 1), sizeof(Start)));
		done = !merge_starts(&timeline, more) || write_timeline(schema, job_id, &timeline, is_new);
	}
}

void
store_mark_timeline(const char *schema, const char *job_id)
{
	Arguments	arguments = {0};

	add_text(&arguments, job_id);
	store_run(schema, "UPDATE %s.l4_timeline SET stale = true WHERE job_id OPERATOR(pg_catalog.=) $1", &arguments,
			  SPI_OK_UPDATE);
}

bool
store_timeline_is_stale(const char *schema, const char *job_id)
{
	Arguments	arguments = {0};

	add_text(&arguments, job_id);
	return store_run(schema, "SELECT FROM %s.l4_timeline WHERE job_id OPERATOR(pg_catalog.=) $1 AND stale", &arguments,
					 SPI_OK_SELECT) > 0;
}

void
store_forget_timeline(const char *schema, const char *job_id)
{
	Arguments	arguments = {0};

	add_text(&arguments, job_id);
	store_run(schema, "DELETE FROM %s.l4_timeline WHERE job_id OPERATOR(pg_catalog.=) $1", &arguments, SPI_OK_DELETE);
}
