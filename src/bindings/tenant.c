/*
 * tenant.c: what the row security of tenants (l4_enable_tenancy) asks of each row, and how the ids of tenants are kept apart.
 *
 * Nothing here gives anybody a right: policies are checked with those of the caller.
 */
#include "ground/l4.h"

#include "catalog/pg_authid.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "algorithms/mask.h"
#include "doors/store_session.h"
#include "doors/store_tenant.h"

PG_FUNCTION_INFO_V1(l4_tenancy);
PG_FUNCTION_INFO_V1(l4_default_tenant);
PG_FUNCTION_INFO_V1(l4_sees_tenant);
PG_FUNCTION_INFO_V1(l4_sees_job);
PG_FUNCTION_INFO_V1(l4_sees_pool);
PG_FUNCTION_INFO_V1(l4_text_hash);

/* The answer for the last job that a place of a query asked for: rows of one job come together. */
typedef struct JobAnswer
{
	Oid			user;
	bool		sees;
	text	   *job_id;
} JobAnswer;

/* l4_tenancy(): are tenants kept apart? Cost: about a microsecond. */
Datum
l4_tenancy(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(store_tenancy(get_func_namespace(fcinfo->flinfo->fn_oid)));
}

/* l4_default_tenant(): the current role where tenants are kept apart, else NULL. */
Datum
l4_default_tenant(PG_FUNCTION_ARGS)
{
	Name		name;

	if (!store_tenancy(get_func_namespace(fcinfo->flinfo->fn_oid)))
		PG_RETURN_NULL();
	name = palloc0(NAMEDATALEN);
	namestrcpy(name, GetUserNameFromId(GetUserId(), false));
	PG_RETURN_NAME(name);
}

/* l4_sees_tenant(tenant): has the current role the rights of that role? False for one that is not there. */
Datum
l4_sees_tenant(PG_FUNCTION_ARGS)
{
	Oid			role = get_role_oid(NameStr(*PG_GETARG_NAME(0)), true);

	PG_RETURN_BOOL(OidIsValid(role) && has_privs_of_role(GetUserId(), role));
}

static bool
answers(const JobAnswer *answer, const text *job_id)
{
	return answer != NULL && answer->user == GetUserId() && VARSIZE_ANY_EXHDR(answer->job_id) == VARSIZE_ANY_EXHDR(job_id) &&
		memcmp(VARDATA_ANY(answer->job_id), VARDATA_ANY(job_id), VARSIZE_ANY_EXHDR(job_id)) == 0;
}

/* l4_sees_job(job_id): does row security show the current role that row of l4_job? Asked once for rows of one job in a row. */
Datum
l4_sees_job(PG_FUNCTION_ARGS)
{
	text	   *job_id = PG_GETARG_TEXT_PP(0);
	JobAnswer  *answer = fcinfo->flinfo->fn_extra;

	if (!answers(answer, job_id))
	{
		bool		sees = store_sees_job(store_schema(fcinfo), text_to_cstring(job_id));
		MemoryContext caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);

		fcinfo->flinfo->fn_extra = NULL;	/* should there be no memory */
		if (answer != NULL)
			pfree(answer->job_id);
		else
			answer = palloc(sizeof(JobAnswer));
		answer->job_id = (text *) pg_detoast_datum_copy((struct varlena *) job_id);
		answer->user = GetUserId();
		answer->sees = sees;
		fcinfo->flinfo->fn_extra = answer;
		MemoryContextSwitchTo(caller);
	}
	PG_RETURN_BOOL(answer->sees);
}

/* The same for a pool. */
typedef struct PoolAnswer
{
	Oid			user;
	bool		sees;
	int64		pool_id;
} PoolAnswer;

/* l4_sees_pool(pool_id): does row security show the current role that row of l4_pool? Once for rows of a pool in a row. */
Datum
l4_sees_pool(PG_FUNCTION_ARGS)
{
	int64		pool_id = PG_GETARG_INT64(0);
	PoolAnswer *answer = fcinfo->flinfo->fn_extra;

	if (answer == NULL || answer->user != GetUserId() || answer->pool_id != pool_id)
	{
		bool		sees = store_sees_pool(store_schema(fcinfo), pool_id);

		if (answer == NULL)
			answer = fcinfo->flinfo->fn_extra = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(PoolAnswer));
		*answer = (PoolAnswer) {GetUserId(), sees, pool_id};
	}
	PG_RETURN_BOOL(answer->sees);
}

/* l4_text_hash(text): the 64-bit content hash of a text as it is. */
Datum
l4_text_hash(PG_FUNCTION_ARGS)
{
	text	   *value = PG_GETARG_TEXT_PP(0);

	PG_RETURN_INT64((int64) shape_hash(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)));
}
