/*
 * ingest.c: l4_ingest and l4_ingest_inbox: lines that come as rows, into the same segments and summaries as files.
 *
 * A row is a whole line of the source that its node, rank and source name. Sources go on from call to call (source_resume.c),
 * so that rows may come in batches of any size and the result is that of all at once. One call at a time adds rows to a job:
 * others wait for the end of its transaction.
 */
#include "ground/l4.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"

#include "doors/rows.h"
#include "doors/store_batch.h"
#include "doors/store_events.h"
#include "doors/store_files.h"
#include "doors/store_locks.h"
#include "doors/store_session.h"
#include "doors/store_settings.h"
#include "doors/store_source.h"
#include "doors/store_analyze.h"
#include "doors/store_timeline.h"
#include "loading/given_up.h"
#include "loading/source.h"
#include "loading/timeline.h"

PG_FUNCTION_INFO_V1(l4_ingest);
PG_FUNCTION_INFO_V1(l4_ingest_inbox);
PG_FUNCTION_INFO_V1(l4_arrival_time);

/* So many rows in one call make fresh statistics worth their while. */
#define ANALYZE_ROWS 10000

/* One call. */
typedef struct Ingest
{
	const char *schema;
	L4SourceContext *sources;
	MemoryContext memory;		/* of the source under way */
	L4Source   *source;			/* or NULL */
	char	   *node;			/* of which it is */
	int			rank;
	char	   *name;
	int64		next_line;		/* lines below were taken in by earlier calls */
	int64		last_line;		/* number that the row before gave */
	int64		rows;
	int64		bytes;
	int64		source_count;
	int64		skipped;
} Ingest;

static bool
same_text(const char *a, const char *b)
{
	return a == NULL ? b == NULL : b != NULL && strcmp(a, b) == 0;
}

static char *
copy_text(const char *text)
{
	return text != NULL ? pstrdup(text) : NULL;
}

static void
finish_source(Ingest *ingest)
{
	L4SourceFile none = {0};
	MemoryContext caller;

	if (ingest->source == NULL)
		return;
	caller = MemoryContextSwitchTo(ingest->memory);
	none.file_id = source_key(ingest->source);
	none.size = -1;
	source_finish(ingest->source, &none, NULL);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(ingest->memory);
	ingest->source = NULL;
}

/*
 * A source of which only summaries are left (l4_drop_log_text) cannot go on: it begins anew, as a file would that is read
 * again.
 */
static void
forget_rest(Ingest *ingest, int64 source_id)
{
	L4SourceContext *sources = ingest->sources;
	L4KnownFile known;
	L4BundledStream *bundled;	/* none: rows are in no bundle */
	int			bundled_count;

	store_known_files(ingest->schema, sources->job->job_id, &source_id, 1, &known);
	if (known.known && store_forget_file(ingest->schema, sources->job->job_id, source_id, &bundled,
										  &bundled_count))
		sources->timeline_stale = true;
}

/* Begins the source of a line, or goes on with it where there are lines of it. */
static void
begin_source(Ingest *ingest, const L4Line *line)
{
	MemoryContext caller = MemoryContextSwitchTo(ingest->memory);
	L4SourceStateRow *known;

	ingest->node = copy_text(line->node);
	ingest->rank = line->rank;
	ingest->name = copy_text(line->source);
	ingest->source = source_begin_rows(ingest->sources, ingest->name, ingest->node, ingest->rank,
									   line->has_time ? line->time : GetCurrentTransactionStartTimestamp());
	known = store_source_state(ingest->schema, ingest->sources->job->job_id, source_key(ingest->source));
	if (known != NULL)
		source_resume(ingest->source, known);
	else
		forget_rest(ingest, source_key(ingest->source));
	ingest->next_line = source_next_line(ingest->source);
	ingest->last_line = 0;
	ingest->source_count++;
	MemoryContextSwitchTo(caller);
}

/* The number of the row's line in its source; 0: the next. False where an earlier call took it in. */
static bool
line_number(Ingest *ingest, const L4Line *line, int64 *number)
{
	*number = 0;
	if (line->line_no == 0)
		return true;
	if (line->line_no <= ingest->last_line)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("line " INT64_FORMAT " of source \"%s\" comes after line " INT64_FORMAT, line->line_no,
						source_name(ingest->source), ingest->last_line),
				 errhint("Sort the rows of each source by their line number, and leave doubles out.")));
	ingest->last_line = line->line_no;
	if (line->line_no < ingest->next_line)
		return false;
	*number = line->line_no;
	return true;
}

/* Takes in one row. */
static void
take_line(const L4Line *line, void *argument)
{
	Ingest	   *ingest = argument;
	L4LineFacts facts = {line->has_time, line->time, line->level};
	MemoryContext caller;
	int64		number;

	if (ingest->source != NULL &&
		!(same_text(ingest->node, line->node) && ingest->rank == line->rank && same_text(ingest->name, line->source)))
		finish_source(ingest);
	if (ingest->source == NULL)
		begin_source(ingest, line);
	if (!line_number(ingest, line, &number))
	{
		ingest->skipped++;
		return;
	}
	caller = MemoryContextSwitchTo(ingest->memory);
	source_feed_row(ingest->source, number, &facts, line->bytes.data, line->bytes.size);
	MemoryContextSwitchTo(caller);
	ingest->rows++;
	ingest->bytes += line->bytes.size;
}

static void
begin_job(Ingest *ingest, const char *job_id)
{
	ingest->sources = source_context_create(ingest->schema, job_id, NULL);
	ingest->sources->keeps_shared = true;
}

/* Writes what the job's sources share, and tells of rules that gave up. */
static void
end_job(Ingest *ingest)
{
	const char *job_id = ingest->sources->job->job_id;
	StringInfoData given_up;

	finish_source(ingest);
	store_lock_shapes(ingest->schema);
	(void) source_write_shared(ingest->sources, false);
	if (store_timeline_is_stale(ingest->schema, job_id))
		timeline_rebuild(ingest->sources);
	store_assign_events(ingest->schema, job_id);
	store_learn_places(ingest->schema, job_id);
	store_refresh_pool(ingest->schema, job_id);
	given_up = given_up_of_import(ingest->sources);
	given_up_warn(&given_up);
}

static char *
required_text(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("l4_ingest needs a %s", name)));
	return text_to_cstring(PG_GETARG_TEXT_PP(argument));
}

static void
analyze(const Ingest *ingest)
{
	if (ingest->rows < ANALYZE_ROWS)
		return;
	store_analyze_logs(ingest->schema);
	store_analyze_rest(ingest->schema);
}

static Ingest *
begin_call(FunctionCallInfo fcinfo, const char *command)
{
	Ingest	   *ingest = palloc0(sizeof(Ingest));

	PreventCommandIfReadOnly(command);
	ingest->schema = store_schema(fcinfo);
	ingest->memory = AllocSetContextCreate(CurrentMemoryContext, "l4 source", ALLOCSET_DEFAULT_SIZES);
	return ingest;
}

static Datum
result_of(FunctionCallInfo fcinfo, const Ingest *ingest)
{
	Datum		values[4] = {Int64GetDatum(ingest->rows), Int64GetDatum(ingest->bytes), Int64GetDatum(ingest->source_count),
							 Int64GetDatum(ingest->skipped)};
	bool		nulls[4] = {false, false, false, false};
	TupleDesc	row;

	if (get_call_result_type(fcinfo, NULL, &row) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(row), values, nulls));
}

/*
 * l4_ingest(job_id text, query text): see its COMMENT. Errors: P0002 for a job that is not registered, 42703, 42702,
 * 42804, 22001, 22003, 22004, 22008 and 22023 for what the query
 * gives, 25006 where it writes or the transaction is read only.
 */
Datum
l4_ingest(PG_FUNCTION_ARGS)
{
	Ingest	   *ingest = begin_call(fcinfo, "l4_ingest");
	char	   *job_id = required_text(fcinfo, 0, "job_id");
	char	   *query = required_text(fcinfo, 1, "query");

	store_connect(false);
	(void) store_job(ingest->schema, job_id);	/* is it there? */
	store_lock_rows(ingest->schema, job_id);
	begin_job(ingest, job_id);
	rows_of_query(query, ingest->sources->job->time_zone, take_line, ingest);
	end_job(ingest);
	analyze(ingest);
	store_disconnect();
	return result_of(fcinfo, ingest);
}

/* Says what stays in the inbox, and what was taken out without being taken in. */
static void
warn_of_rest(const L4InboxContent *content, const L4RefusedRows *refused)
{
	if (refused->rows > 0)
		ereport(WARNING,
				(errmsg(INT64_FORMAT " rows of l4_inbox cannot be lines of a log and are in l4_inbox_refused now",
						refused->rows),
				 errdetail("The first is of job \"%s\": %s.", refused->job, refused->reason),
				 errhint("The column reason says why; correct what the shipper sends.")));
	if (content->stray_rows > 0)
		ereport(WARNING,
				(errmsg(INT64_FORMAT " rows of l4_inbox are of no registered job and stay there", content->stray_rows),
				 content->stray_job != NULL ? errdetail("One such job is \"%s\".", content->stray_job)
				 : errdetail("Their job_id is NULL."),
				 errhint("Register the job with l4_register_job, or correct job_id, then call l4_ingest_inbox again.")));
	if (content->empty_rows > 0)
		ereport(WARNING,
				(errmsg(INT64_FORMAT " rows of l4_inbox have NULL as their line and stay there", content->empty_rows),
				 errhint("Delete them, or correct how the shipper fills the column line.")));
}

/* All lines of one job out of the inbox. */
static void
take_job(Ingest *ingest, const char *job_id, L4RefusedRows *refused)
{
	begin_job(ingest, job_id);
	rows_of_inbox(ingest->schema, job_id, take_line, ingest, refused);
	end_job(ingest);
}

/* Are the rows themselves to blame, so that trying them again will not help? */
static bool
is_of_data(int code)
{
	int			category = ERRCODE_TO_CATEGORY(code);

	return category == ERRCODE_DATA_EXCEPTION || category == ERRCODE_PROGRAM_LIMIT_EXCEEDED;
}

/*
 * The same of one job among several: where its rows are to blame for an error, that is its own affair, and they stay in
 * the inbox.
 */
static void
try_job(Ingest *ingest, const char *job_id, L4RefusedRows *refused)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	Ingest		before = *ingest;
	L4RefusedRows refused_before = *refused;
	ErrorData  *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		take_job(ingest, job_id, refused);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		if (!is_of_data(error->sqlerrcode))
			PG_RE_THROW();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		*ingest = before;
		*refused = refused_before;
		MemoryContextReset(ingest->memory);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	if (error != NULL)
		ereport(WARNING,
				(errcode(error->sqlerrcode),
				 errmsg("the rows of job \"%s\" cannot be taken in and stay in l4_inbox: %s", job_id, error->message),
				 error->detail != NULL ? errdetail_internal("%s", error->detail) : 0,
				 errhint("SELECT l4_ingest_inbox('%s') tries them alone.", job_id)));
}

/* Locks all jobs that have rows, in their order, before anything of any of them is written. */
static void
lock_jobs(const Ingest *ingest, const L4InboxContent *content)
{
	int			i;

	for (i = 0; i < content->job_count; i++)
		store_lock_rows(ingest->schema, content->jobs[i]);
}

/*
 * l4_ingest_inbox(job_id text): see its COMMENT.
 */
Datum
l4_ingest_inbox(PG_FUNCTION_ARGS)
{
	Ingest	   *ingest = begin_call(fcinfo, "l4_ingest_inbox");
	char	   *job_id = PG_ARGISNULL(0) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(0));
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "l4 job", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = CurrentMemoryContext;
	L4InboxContent content;
	L4RefusedRows refused = {0};
	int			i;

	store_connect(false);
	content = rows_in_inbox(ingest->schema, job_id);
	lock_jobs(ingest, &content);
	for (i = 0; i < content.job_count; i++)
	{
		MemoryContextSwitchTo(memory);
		if (content.job_count == 1)
			take_job(ingest, content.jobs[i], &refused);
		else
			try_job(ingest, content.jobs[i], &refused);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(memory);
	}
	warn_of_rest(&content, &refused);
	ingest->skipped += refused.rows;
	analyze(ingest);
	store_disconnect();
	return result_of(fcinfo, ingest);
}

/*
 * l4_arrival_time(): the time, but later than what the session was told before. So the rows that one session writes keep their
 * order, without a sequence.
 */
Datum
l4_arrival_time(PG_FUNCTION_ARGS)
{
	static TimestampTz last = 0;

	last = Max(GetCurrentTimestamp(), last + 1);
	PG_RETURN_TIMESTAMPTZ(last);
}
