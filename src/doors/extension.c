/*
 * extension.c: what the catalog says of the extension itself.
 */
#include "doors/extension.h"

#include "catalog/namespace.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"

static uint64
run(const char *statement, bool read_only, long limit)
{
	int			result = SPI_execute(statement, read_only, limit);

	if (result != SPI_OK_SELECT)
		elog(ERROR, "unexpected result %s of: %s", SPI_result_code_string(result), statement);
	return SPI_processed;
}

Oid
extension_owner(void)
{
	char	   *statement = psprintf("SELECT extowner FROM pg_catalog.pg_extension WHERE oid OPERATOR(pg_catalog.=) %u",
									 get_extension_oid("l4", false));
	bool		is_null;
	Oid			owner;

	SPI_connect();
	run(statement, true, 1);
	owner = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &is_null));
	SPI_finish();
	return owner;
}

bool
extension_is_distributed(void)
{
	bool		is_null;
	bool		distributed = false;

	SPI_connect();
	if (run("SELECT pg_catalog.format('SELECT %I.l4_is_distributed()', n.nspname) FROM pg_catalog.pg_extension e "
			"JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace "
			"WHERE e.extname OPERATOR(pg_catalog.=) 'l4'", true, 1) > 0)
	{
		run(SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1), true, 1);
		distributed = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &is_null));
	}
	SPI_finish();
	return distributed;
}

/* Appends a table's name where it has a row that its condition, a WHERE or nothing, lets into a dump. */
static void
append_kept(StringInfo names, const char *table, const char *name, const char *condition)
{
	if (run(psprintf("SELECT FROM %s %s", table, condition), true, 1) > 0)
		appendStringInfo(names, "%s%s", names->len > 0 ? ", " : "", name);
}

char *
extension_kept_tables(void)
{
	StringInfoData names;
	SPITupleTable *tables;
	uint64		count;
	uint64		i;

	initStringInfo(&names);
	SPI_connect();
	count = run("SELECT pg_catalog.format('%I.%I', n.nspname, c.relname), c.relname, t.condition "
				"FROM pg_catalog.pg_extension e, ROWS FROM (pg_catalog.unnest(e.extconfig), pg_catalog.unnest(e.extcondition)) "
				"WITH ORDINALITY AS t (id, condition, place) "
				"JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) t.id "
				"JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace "
				"WHERE e.extname OPERATOR(pg_catalog.=) 'l4' ORDER BY t.place", true, 0);
	tables = SPI_tuptable;
	for (i = 0; i < count; i++)
		append_kept(&names, SPI_getvalue(tables->vals[i], tables->tupdesc, 1),
					SPI_getvalue(tables->vals[i], tables->tupdesc, 2),
					SPI_getvalue(tables->vals[i], tables->tupdesc, 3));
	SPI_finish();
	return names.len > 0 ? names.data : NULL;
}
