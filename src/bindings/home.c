/*
 * home.c: l4_work_at_home(job_id text, may_write boolean): what concerns a job alone is planned for its shards on this node.
 */
#include "ground/l4.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "doors/home.h"
#include "doors/store_session.h"

PG_FUNCTION_INFO_V1(l4_work_at_home);

/*
 * l4_work_at_home: see its COMMENT.
 */
Datum
l4_work_at_home(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(home_begin(store_schema(fcinfo), text_to_cstring(PG_GETARG_TEXT_PP(0)), PG_GETARG_BOOL(1)));
}
