/*
 * lock.c: l4_lock(what text, name text, shared boolean): the locks of l4 for what is written in SQL. Which there are, and
 * in which order they are taken: store_locks.c.
 */
#include "ground/l4.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "doors/store_locks.h"
#include "doors/store_session.h"

PG_FUNCTION_INFO_V1(l4_lock);

/*
 * l4_lock: see its COMMENT. Errors: 42501 without the right to change l4_job or l4_stream, 22023 for a lock that there is
 * not.
 */
Datum
l4_lock(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("l4_lock needs the name of a lock")));
	store_lock(store_schema(fcinfo), text_to_cstring(PG_GETARG_TEXT_PP(0)),
			   PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1)),
			   !PG_ARGISNULL(2) && PG_GETARG_BOOL(2));
	PG_RETURN_VOID();
}
