/*
 * store_events.c: events of shapes, and what else is found out at the end of an import.
 */
#include "doors/store_events.h"

#include "utils/datum.h"

#include "doors/store_locks.h"
#include "doors/store_session.h"
#include "doors/store_statement.h"

void
store_assign_events(const char *schema, const char *job_id)
{
	Arguments	arguments = {0};

	add_text(&arguments, job_id);
	store_run(schema, "SELECT %s.l4_assign_events($1)", &arguments, SPI_OK_SELECT);
}

void
store_learn_places(const char *schema, const char *job_id)
{
	Arguments	arguments = {0};

	add_text(&arguments, job_id);
	/* two imports of one job do not learn at once; and a pool knows whose streams it has seen */
	store_lock_here(schema, "l4_pool");
	store_run(schema, "SELECT %s.l4_learn_places($1)", &arguments, SPI_OK_SELECT);
}

bool
store_concerns_pool(const char *schema, const char *job_id)
{
	Arguments	arguments = {0};

	add_text(&arguments, job_id);
	return store_run(schema, "SELECT WHERE %s.l4_concerns_pool($1)", &arguments, SPI_OK_SELECT) > 0;
}

void
store_refresh_pool(const char *schema, const char *job_id)
{
	Arguments	arguments = {0};

	add_text(&arguments, job_id);
	store_run(schema, "SELECT %s.l4_pool_refresh($1)", &arguments, SPI_OK_SELECT);
}

Datum
store_event_shapes(const char *schema, int64 event_id, bool *is_null)
{
	MemoryContext caller = CurrentMemoryContext;
	Arguments	arguments = {0};
	Datum		shapes;

	store_connect(false);
	add_bigint(&arguments, event_id, false);
	store_query(schema, "SELECT pg_catalog.array_agg(shape_id ORDER BY shape_id) FROM %s.l4_shape "
				"WHERE event_id OPERATOR(pg_catalog.=) $1", &arguments);
	shapes = result_datum(0, 1, is_null);
	MemoryContextSwitchTo(caller);
	if (!*is_null)
		shapes = datumCopy(shapes, false, -1);
	store_disconnect();
	return shapes;
}
