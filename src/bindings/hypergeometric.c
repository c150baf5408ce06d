/*
 * hypergeometric.c: l4_hypergeometric_tail.
 */
#include "ground/l4.h"

#include "algorithms/hypergeometric.h"
#include "fmgr.h"

PG_FUNCTION_INFO_V1(l4_hypergeometric_tail);

static void
check_count(const char *name, int64 count, int64 most)
{
	if (count < 0 || count > most)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must lie between 0 and %lld", name, (long long) most),
				 errdetail("It is %lld.", (long long) count),
				 errhint("drawn and marked are some of total, which is at most %lld.", (long long) HYPERGEOMETRIC_MOST)));
}

Datum
l4_hypergeometric_tail(PG_FUNCTION_ARGS)
{
	int64		hits = PG_GETARG_INT64(0);
	int64		drawn = PG_GETARG_INT64(1);
	int64		marked = PG_GETARG_INT64(2);
	int64		total = PG_GETARG_INT64(3);

	check_count("total", total, HYPERGEOMETRIC_MOST);
	check_count("drawn", drawn, total);
	check_count("marked", marked, total);
	PG_RETURN_FLOAT8(hypergeometric_tail(hits, drawn, marked, total));
}
