/*
 * rows.c: lines of logs that come as rows: of a query of the caller's, or of l4_inbox.
 *
 * Rows are fetched through a cursor, some hundred at a time. What belongs to one source must come together, since a source is
 * read in one go: so the query is wrapped in one that numbers its rows and sorts them by node, rank and source, where it names
 * any. The server's own sort does that within work_mem and on disk.
 *
 * The query is the caller's, with the caller's rights, and it may only read: the transaction counts as read only while it runs.
 *
 * A row that cannot be a line of a log (a rank below 0, a time without end, a name of a megabyte) is an error where a
 * query gives it. One that came by the inbox is nobody's who could mend the query: it goes to l4_inbox_refused with the
 * reason, and the others are taken in.
 */
#include "doors/rows.h"

#include "access/xact.h"
#include "algorithms/header.h"
#include "doors/store_statement.h"
#include "miscadmin.h"
#include "parser/parse_type.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/portal.h"

/* Rows fetched at once. */
#define ROW_BATCH 500

/* No node or file has a longer name. */
#define NODE_BYTES 1024
#define SOURCE_BYTES 4096

enum RowColumn
{
	COLUMN_LINE, COLUMN_NODE, COLUMN_RANK, COLUMN_SOURCE, COLUMN_TIME, COLUMN_LEVEL, COLUMN_LINE_NO, COLUMN_COUNT
};

typedef enum ColumnKind
{
	KIND_LINE, KIND_TEXT, KIND_INTEGER, KIND_TIME
} ColumnKind;

/* How a column may be called, and what it must be. */
typedef struct ColumnRule
{
	const char *names[6];
	ColumnKind	kind;
} ColumnRule;

static const ColumnRule rules[COLUMN_COUNT] = {
	{{"line", "message", "raw", "text", "log"}, KIND_LINE},
	{{"node", "host", "hostname"}, KIND_TEXT},
	{{"rank"}, KIND_INTEGER},
	{{"source", "file", "path"}, KIND_TEXT},
	{{"ts", "time", "timestamp"}, KIND_TIME},
	{{"level", "severity"}, KIND_TEXT},
	{{"line_no", "line_number"}, KIND_INTEGER}
};

static const char *const kind_names[] = {"text or bytea", "text", "integer or bigint", "timestamptz or timestamp"};

/* Which column of the query is which, from 0; -1 where it has none. */
typedef struct RowLayout
{
	int			columns[COLUMN_COUNT];
	Oid			types[COLUMN_COUNT];
	int			count;			/* of the query */
} RowLayout;

static bool
type_fits(Oid type, ColumnKind kind)
{
	char		category;
	bool		preferred;

	get_type_category_preferred(type, &category, &preferred);
	switch (kind)
	{
		case KIND_LINE:
			return type == BYTEAOID || category == TYPCATEGORY_STRING;
		case KIND_TEXT:
			return category == TYPCATEGORY_STRING || category == TYPCATEGORY_ENUM;
		case KIND_INTEGER:
			return type == INT2OID || type == INT4OID || type == INT8OID;
		case KIND_TIME:
			return type == TIMESTAMPTZOID || type == TIMESTAMPOID;
	}
	return false;
}

/* Which rule a column's name falls under, or -1. */
static int
rule_of(const char *name)
{
	int			i;
	int			j;

	for (i = 0; i < COLUMN_COUNT; i++)
		for (j = 0; j < (int) lengthof(rules[i].names) && rules[i].names[j] != NULL; j++)
			if (pg_strcasecmp(rules[i].names[j], name) == 0)
				return i;
	return -1;
}

static void
check_column(const RowLayout *layout, TupleDesc row, int number, int which)
{
	const char *name = NameStr(TupleDescAttr(row, number)->attname);
	Oid			type = getBaseType(TupleDescAttr(row, number)->atttypid);

	if (layout->columns[which] >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_AMBIGUOUS_COLUMN),
				 errmsg("the query has two columns for the %s: \"%s\" and \"%s\"", rules[which].names[0],
						NameStr(TupleDescAttr(row, layout->columns[which])->attname), name),
				 errhint("Select only one of them, or give the other another name.")));
	if (!type_fits(type, rules[which].kind))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of the query is of type %s, but must be %s", name,
						format_type_be(TupleDescAttr(row, number)->atttypid), kind_names[rules[which].kind]),
				 errhint("Cast it in the query, or give it another name if it is not the %s.", rules[which].names[0])));
}

static RowLayout
read_layout(TupleDesc row)
{
	RowLayout	layout;
	int			i;

	layout.count = row->natts;
	for (i = 0; i < COLUMN_COUNT; i++)
		layout.columns[i] = -1;
	for (i = 0; i < row->natts; i++)
	{
		int			which = rule_of(NameStr(TupleDescAttr(row, i)->attname));

		if (which < 0)
			continue;
		check_column(&layout, row, i, which);
		layout.columns[which] = i;
		layout.types[which] = getBaseType(TupleDescAttr(row, i)->atttypid);
	}
	if (layout.columns[COLUMN_LINE] < 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("the query has no column for the line"),
				 errhint("Name the column with the text of the lines line, message, raw, text or log. Others that count: node, "
						 "rank, source, ts, level, line_no.")));
	return layout;
}

/* The query without semicolons and blanks at its end. */
static char *
trimmed_query(const char *query)
{
	size_t		size = strlen(query);

	while (size > 0 && (query[size - 1] == ';' || isspace((unsigned char) query[size - 1])))
		size--;
	return pnstrdup(query, size);
}

/* Opens a cursor over one SELECT, while nothing may be written. */
static Portal
open_query(const char *query)
{
	bool		was_read_only = XactReadOnly;
	Portal		cursor = NULL;

	XactReadOnly = true;
	PG_TRY();
	{
		SPIPlanPtr	plan = SPI_prepare(query, 0, NULL);

		if (plan == NULL)
			elog(ERROR, "SPI_prepare failed with %s", SPI_result_code_string(SPI_result));
		cursor = SPI_is_cursor_plan(plan) ? SPI_cursor_open(NULL, plan, NULL, NULL, false) : NULL;
		if (cursor == NULL || cursor->strategy != PORTAL_ONE_SELECT)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the query is not one SELECT that only reads"),
					 errhint("Give one query that returns the lines and changes nothing.")));
	}
	PG_FINALLY();
	{
		XactReadOnly = was_read_only;
	}
	PG_END_TRY();
	return cursor;
}

static void
fetch(Portal cursor, bool read_only)
{
	bool		was_read_only = XactReadOnly;

	XactReadOnly |= read_only;
	PG_TRY();
	{
		SPI_cursor_fetch(cursor, true, ROW_BATCH);
	}
	PG_FINALLY();
	{
		XactReadOnly = was_read_only;
	}
	PG_END_TRY();
}

/* The columns of the query by their rules. */
static RowLayout
layout_of(const char *query)
{
	Portal		cursor = open_query(query);
	RowLayout	layout = read_layout(cursor->tupDesc);

	SPI_cursor_close(cursor);
	return layout;
}

/* Appends one column of the wrapped query in the type that read_line expects. */
static void
append_column(StringInfo sql, const RowLayout *layout, int which, const char *zone)
{
	static const char *const types[] = {NULL, "text", "int8", "timestamptz"};
	int			column = layout->columns[which];

	appendStringInfoString(sql, which > 0 ? ", " : "");
	if (column < 0)
		appendStringInfo(sql, "NULL::pg_catalog.%s", types[rules[which].kind]);
	else if (which == COLUMN_LINE)
		appendStringInfo(sql, layout->types[which] == BYTEAOID ? "r.c%d" : "r.c%d::pg_catalog.text", column);
	else if (layout->types[which] == TIMESTAMPOID)
		appendStringInfo(sql, "pg_catalog.timezone(%s, r.c%d::pg_catalog.timestamp)", quote_literal_cstr(zone), column);
	else
		appendStringInfo(sql, "r.c%d::pg_catalog.%s", column, types[rules[which].kind]);
}

/* The query with its columns in the order of RowColumn, and its rows source by source. */
static char *
wrapped_query(const char *query, const RowLayout *layout, const char *zone)
{
	StringInfoData sql;
	int			i;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT s.* FROM (SELECT ");
	for (i = 0; i < COLUMN_COUNT; i++)
		append_column(&sql, layout, i, zone);
	appendStringInfo(&sql, ", n FROM (SELECT q.*, pg_catalog.row_number() OVER () AS n FROM (%s\n) AS q (", query);
	for (i = 0; i < layout->count; i++)
		appendStringInfo(&sql, "%sc%d", i > 0 ? ", " : "", i);
	appendStringInfoString(&sql, ")) AS r) AS s (line, node, rank, source, ts, level, line_no, n)");
	if (layout->columns[COLUMN_NODE] >= 0 || layout->columns[COLUMN_RANK] >= 0 || layout->columns[COLUMN_SOURCE] >= 0)
		appendStringInfoString(&sql, " ORDER BY node COLLATE \"C\", rank, source COLLATE \"C\", n");
	return sql.data;
}

/* A value of a row; false where it is NULL. */
static bool
row_value(SPITupleTable *table, uint64 row, int column, Datum *value)
{
	bool		is_null;

	*value = SPI_getbinval(table->vals[row], table->tupdesc, column + 1, &is_null);
	return !is_null;
}

static const char *
row_text(SPITupleTable *table, uint64 row, int column)
{
	Datum		value;

	return row_value(table, row, column, &value) ? TextDatumGetCString(value) : NULL;
}

/* Why a row cannot be taken in; reason NULL where it can. */
typedef struct RowFault
{
	int			code;
	char	   *reason;
	const char *hint;
} RowFault;

static void
set_fault(RowFault *fault, int code, char *reason, const char *hint)
{
	if (fault->reason != NULL)
		return;
	fault->code = code;
	fault->reason = reason;
	fault->hint = hint;
}

/* The line itself; a NULL is a fault, for it is no empty line either. */
static L4Bytes
row_line(SPITupleTable *table, uint64 row, RowFault *fault)
{
	Datum		value;
	struct varlena *bytes;

	if (!row_value(table, row, COLUMN_LINE, &value))
	{
		set_fault(fault, ERRCODE_NULL_VALUE_NOT_ALLOWED, pstrdup("a row of the query has NULL as its line"),
				  "Leave such rows out: WHERE ... IS NOT NULL.");
		return (L4Bytes) {"", 0};
	}
	bytes = PG_DETOAST_DATUM_PACKED(value);
	return (L4Bytes) {VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)};
}

/* A name of the row. */
static const char *
row_name(SPITupleTable *table, uint64 row, int column, size_t limit, RowFault *fault)
{
	const char *name = row_text(table, row, column);

	if (name != NULL && strlen(name) > limit)
		set_fault(fault, ERRCODE_STRING_DATA_RIGHT_TRUNCATION,
				  psprintf("a %s of %zu bytes is too long", rules[column].names[0], strlen(name)),
				  psprintf("Names have up to %zu bytes.", limit));
	return name;
}

/* The row's number in a column, from least on; otherwise where it has none. */
static int64
row_number(SPITupleTable *table, uint64 row, int column, int64 least, int64 most, int64 otherwise, RowFault *fault)
{
	Datum		value;
	int64		number;

	if (!row_value(table, row, column, &value))
		return otherwise;
	number = DatumGetInt64(value);
	if (number < least || number > most)
		set_fault(fault, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
				  psprintf("%s " INT64_FORMAT " is out of range", column == COLUMN_RANK ? "rank" : "line number", number),
				  column == COLUMN_RANK ? "Ranks are numbered from 0; give NULL for lines of no rank." :
				  "Lines of a source are numbered from 1.");
	return number;
}

/* A time of the years that logs can name. */
static bool
row_time(SPITupleTable *table, uint64 row, TimestampTz *time, RowFault *fault)
{
	const int64 first = (INT64CONST(1721426) - POSTGRES_EPOCH_JDATE) * USECS_PER_DAY;	/* 0001-01-01 */
	const int64 end = (INT64CONST(5373485) - POSTGRES_EPOCH_JDATE) * USECS_PER_DAY;		/* 10000-01-01 */
	Datum		value;

	*time = 0;
	if (!row_value(table, row, COLUMN_TIME, &value))
		return false;
	*time = DatumGetTimestampTz(value);
	if (*time < first || *time >= end)
		set_fault(fault, ERRCODE_DATETIME_VALUE_OUT_OF_RANGE, psprintf("time %s is out of range", timestamptz_to_str(*time)),
				  "Times are of the years 1 to 9999; give NULL for lines without a time.");
	return true;
}

static void
read_line(SPITupleTable *table, uint64 row, L4Line *line, RowFault *fault)
{
	const char *level = row_text(table, row, COLUMN_LEVEL);

	memset(line, 0, sizeof(L4Line));
	memset(fault, 0, sizeof(RowFault));
	line->bytes = row_line(table, row, fault);
	line->node = row_name(table, row, COLUMN_NODE, NODE_BYTES, fault);
	line->source = row_name(table, row, COLUMN_SOURCE, SOURCE_BYTES, fault);
	line->rank = (int) row_number(table, row, COLUMN_RANK, 0, PG_INT32_MAX, -1, fault);
	line->has_time = row_time(table, row, &line->time, fault);
	if (level != NULL)
		line->level = level_from_text((L4Bytes) {level, strlen(level)});
	line->line_no = row_number(table, row, COLUMN_LINE_NO, 1, PG_INT64_MAX, 0, fault);
}

/* What becomes of a row that cannot be taken in. */
typedef void (*FaultSink) (SPITupleTable *table, uint64 row, const RowFault *fault, void *argument);

/* Hands all rows of an open cursor to the sink, those with a fault to the other one, and closes it. */
static void
read_cursor(Portal cursor, bool read_only, L4LineSink sink, void *argument, FaultSink refuse, void *refuse_argument)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext memory = AllocSetContextCreate(caller, "l4 row", ALLOCSET_DEFAULT_SIZES);

	for (;;)
	{
		SPITupleTable *table;
		uint64		count;
		uint64		i;

		fetch(cursor, read_only);
		table = SPI_tuptable;
		count = SPI_processed;
		for (i = 0; i < count; i++)
		{
			L4Line		line;
			RowFault	fault;

			CHECK_FOR_INTERRUPTS();
			MemoryContextSwitchTo(memory);
			read_line(table, i, &line, &fault);
			if (fault.reason != NULL)
				refuse(table, i, &fault, refuse_argument);
			MemoryContextSwitchTo(caller);
			if (fault.reason == NULL)
				sink(&line, argument);
			MemoryContextReset(memory);
		}
		SPI_freetuptable(table);
		if (count == 0)
			break;
	}
	SPI_cursor_close(cursor);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(memory);
}

/* A row of a query that cannot be taken in is an error. */
static void
raise_fault(SPITupleTable *table, uint64 row, const RowFault *fault, void *argument)
{
	Datum		number;
	bool		numbered = row_value(table, row, COLUMN_COUNT, &number);

	ereport(ERROR,
			(errcode(fault->code),
			 errmsg_internal("%s", fault->reason),
			 numbered ? errdetail("It is row " INT64_FORMAT " of the query.", DatumGetInt64(number)) : 0,
			 errhint("%s", fault->hint)));
}

void
rows_of_query(const char *query, const char *zone, L4LineSink sink, void *argument)
{
	MemoryContext caller = CurrentMemoryContext;
	char	   *text = trimmed_query(query);
	RowLayout	layout = layout_of(text);
	Portal		cursor = open_query(wrapped_query(text, &layout, zone));

	MemoryContextSwitchTo(caller);
	read_cursor(cursor, true, sink, argument, raise_fault, NULL);
}

/* Where refused rows of the inbox come from. */
typedef struct Refusal
{
	const char *schema;
	const char *job_id;
	L4RefusedRows *refused;
} Refusal;

/* Puts a row of the inbox into l4_inbox_refused. */
static void
set_aside(SPITupleTable *table, uint64 row, const RowFault *fault, void *argument)
{
	Refusal    *refusal = argument;
	Arguments	arguments = {0};
	Datum		value;
	bool		known;

	add_text(&arguments, refusal->job_id);
	add_text(&arguments, row_text(table, row, COLUMN_NODE));
	known = row_value(table, row, COLUMN_RANK, &value);
	add_integer(&arguments, known ? (int) DatumGetInt64(value) : 0, !known);
	add_text(&arguments, row_text(table, row, COLUMN_SOURCE));
	known = row_value(table, row, COLUMN_TIME, &value);
	add_time(&arguments, known ? DatumGetTimestampTz(value) : 0, !known);
	add_text(&arguments, row_text(table, row, COLUMN_LEVEL));
	add_text(&arguments, row_text(table, row, COLUMN_LINE));
	(void) row_value(table, row, COLUMN_COUNT, &value);
	add_time(&arguments, DatumGetTimestampTz(value), false);
	add_text(&arguments, fault->reason);
	(void) store_run(refusal->schema,
					 "INSERT INTO %s.l4_inbox_refused (job_id, node, rank, source, ts, level, line, arrived_at, reason) "
					 "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
					 &arguments, SPI_OK_INSERT);
	if (refusal->refused->rows++ == 0)
	{
		strlcpy(refusal->refused->reason, fault->reason, sizeof(refusal->refused->reason));
		strlcpy(refusal->refused->job, refusal->job_id, sizeof(refusal->refused->job));
	}
}

void
rows_of_inbox(const char *schema, const char *job_id, L4LineSink sink, void *argument, L4RefusedRows *refused)
{
	Arguments	arguments = {0};
	Refusal		refusal = {schema, job_id, refused};

	add_text(&arguments, job_id);
	read_cursor(store_open(schema,
						   "WITH taken AS (DELETE FROM %s.l4_inbox WHERE job_id OPERATOR(pg_catalog.=) $1 AND line IS NOT NULL "
						   "AND (tenant IS NULL OR tenant OPERATOR(pg_catalog.=) %s.l4_tenant_of($1)) "
						   "RETURNING line, node, rank::pg_catalog.int8, source, ts, level, NULL::pg_catalog.int8, arrived_at, "
						   "ctid AS place) SELECT * FROM taken ORDER BY node COLLATE \"C\", rank, source COLLATE \"C\", "
						   "arrived_at, place", &arguments),
				false, sink, argument, set_aside, &refusal);
}

L4InboxContent
rows_in_inbox(const char *schema, const char *job_id)
{
	Arguments	arguments = {0};
	L4InboxContent content = {0};
	uint64		count;
	uint64		i;

	add_text(&arguments, job_id);
	count = store_run(schema,
					  "SELECT g.job_id, k.known, pg_catalog.sum(g.lines)::pg_catalog.int8, "
					  "pg_catalog.sum(g.nulls)::pg_catalog.int8 FROM (SELECT job_id, tenant, pg_catalog.count(line) AS lines, "
					  "pg_catalog.count(*) OPERATOR(pg_catalog.-) pg_catalog.count(line) AS nulls FROM %s.l4_inbox "
					  "WHERE $1 IS NULL OR job_id OPERATOR(pg_catalog.=) $1 GROUP BY job_id, tenant) AS g "
					  "CROSS JOIN LATERAL (SELECT %s.l4_is_addressed(g.job_id, g.tenant) AS known) AS k "
					  "GROUP BY g.job_id, k.known ORDER BY g.job_id COLLATE \"C\", k.known",
					  &arguments, SPI_OK_SELECT);
	content.jobs = palloc(mul_size(Max(count, 1), sizeof(char *)));
	for (i = 0; i < count; i++)
	{
		bool		is_null;
		bool		known = DatumGetBool(result_datum(i, 2, &is_null));
		int64		lines = DatumGetInt64(result_datum(i, 3, &is_null));

		content.empty_rows += DatumGetInt64(result_datum(i, 4, &is_null));
		if (known && lines > 0)
			content.jobs[content.job_count++] = result_text(i, 1);
		else if (!known)
		{
			content.stray_rows += lines;
			if (content.stray_job == NULL && lines > 0)
				content.stray_job = result_text(i, 1);
		}
	}
	return content;
}
