/*
 * import.c: CALL l4_import(job_id, path, layout): a folder (or file) of logs on the server into segments and summaries.
 *
 * One transaction per file where the caller allows commits, so a crash loses at most the file under way and a second call goes on after it. A file
 * whose size and time of change are known is skipped; one that changed is read anew as a whole, its old rows replaced in the same transaction.
 * Events are found once, at the end, over all new shapes in a canonical order: neither the order of files nor a restart in between shows in the result.
 *
 * A file that cannot be read does not stop the rest: it leaves a warning and a row in l4_stream with its error.
 */
#include "ground/l4.h"

#include "commands/progress.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "nodes/value.h"
#include "utils/backend_progress.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/portal.h"

#include "bindings/source.h"
#include "doors/files.h"
#include "doors/store.h"

PG_FUNCTION_INFO_V1(l4_import);

#define READ_BYTES (256 * 1024)
#define PROGRESS_NOTICE_SECONDS 5

/* One call of l4_import. */
typedef struct Import
{
	const char *schema;
	bool		atomic;			/* inside a transaction block: no commits */
	MemoryContext context;		/* lives as long as the call */
	L4SourceContext *sources;
	int64		files;
	int64		skipped;
	int64		failed;
	int64		records;
	int64		lines;
	int64		bytes;
	TimestampTz last_notice;
	int			file_number;
	int			file_total;
} Import;


static void
notice_progress(Import *import, const char *source)
{
	TimestampTz now = GetCurrentTimestamp();

	if (import->last_notice != 0 && !TimestampDifferenceExceeds(import->last_notice, now, PROGRESS_NOTICE_SECONDS * 1000))
		return;
	if (import->last_notice != 0)
		ereport(NOTICE,
				(errmsg("job \"%s\": file %d of %d, " INT64_FORMAT " MB read, now at %s",
						import->sources->job->job_id, import->file_number, import->file_total, import->bytes / 1000000, source)));
	import->last_notice = now;
}

static L4SourceFile
source_file(const L4File *file)
{
	L4SourceFile known;

	known.file_id = source_id_of(file->source);
	known.size = file->size;
	known.modified_at = file->modified_at;
	return known;
}

/* Reads one member of a file to its end, or to where it cannot be read further. */
static void
import_source(Import *import, const L4File *file, L4FileReader *reader, const char *name, TimestampTz modified_at)
{
	L4Source   *source = source_begin(import->sources, name, modified_at);
	L4SourceFile known = source_file(file);
	char	   *buffer = palloc(READ_BYTES);
	const char *error;
	ssize_t		got;

	while ((got = files_read(reader, buffer, READ_BYTES)) > 0)
	{
		source_feed(source, buffer, got);
		import->bytes += got;
		pgstat_progress_update_param(PROGRESS_COPY_BYTES_PROCESSED, import->bytes);
		notice_progress(import, name);
	}
	error = got < 0 ? files_error(reader) : NULL;
	source_finish(source, &known, error);
	import->records += source_records(source);
	import->lines += source_lines(source);
	pgstat_progress_update_param(PROGRESS_COPY_TUPLES_PROCESSED, import->records);
	if (error != NULL)
	{
		import->failed++;
		ereport(WARNING,
				(errmsg("log file \"%s\" could not be read to its end", name),
				 errdetail("%s What was read before is kept.", error)));
	}
}

/* A file of which nothing could be read gets a row that says so. */
static void
record_unreadable(Import *import, const L4File *file, const char *error)
{
	L4SourceFile known = source_file(file);

	source_finish(source_begin(import->sources, file->source, 0), &known, error);
	if (error == NULL)
		return;
	import->failed++;
	ereport(WARNING,
			(errmsg("log file \"%s\" cannot be read", file->source),
			 errdetail("%s", error),
			 errhint("The rest of the job is imported; call l4_import again once the file can be read.")));
}

/* An archive may hold one path several times: the second and later ones get their number behind it. */
static char *
unique_source(List **seen, char *source)
{
	char	   *name = source;
	int			number = 2;

	while (list_member(*seen, makeString(name)))
		name = psprintf("%s (%d)", source, number++);
	*seen = lappend(*seen, makeString(pstrdup(name)));
	return name;
}

static void
import_members(Import *import, const L4File *file, L4FileReader *reader)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "l4 source", ALLOCSET_DEFAULT_SIZES);
	List	   *seen = NIL;
	char	   *source;
	int64		size;
	TimestampTz modified_at;
	int			members = 0;

	while (files_next_member(reader, &source, &size, &modified_at))
	{
		char	   *name = unique_source(&seen, source);
		MemoryContext caller = MemoryContextSwitchTo(context);

		import_source(import, file, reader, name, modified_at);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(context);
		members++;
	}
	if (members == 0 || files_error(reader) != NULL)
		record_unreadable(import, file, files_error(reader));
	MemoryContextDelete(context);
}

/* Imports one file on disk, unless it is known as it is. */
static void
import_file(Import *import, const L4File *file)
{
	L4KnownFile known = store_known_file(import->schema, import->sources->job->job_id, source_id_of(file->source));
	L4FileReader *reader;

	if (known.known && !known.failed && file->error == NULL && known.size == file->size && known.modified_at == file->modified_at)
	{
		import->skipped++;
		return;
	}
	if (known.known && file->error != NULL && !known.failed)
		return;					/* it was readable once: keep what is there */
	if (known.known)
		store_forget_file(import->schema, import->sources->job->job_id, source_id_of(file->source));
	import->files++;
	if (file->error != NULL)
	{
		record_unreadable(import, file, file->error);
		return;
	}
	reader = files_open(file);
	import_members(import, file, reader);
	files_close(reader);
}

/* Imports all files, a transaction each where commits are allowed. */
static void
import_files(Import *import, List *files)
{
	MemoryContext context = AllocSetContextCreate(import->context, "l4 file", ALLOCSET_DEFAULT_SIZES);
	ListCell   *cell;

	import->file_total = list_length(files);
	foreach(cell, files)
	{
		MemoryContext caller = MemoryContextSwitchTo(context);

		import->file_number++;
		import_file(import, (L4File *) lfirst(cell));
		MemoryContextSwitchTo(caller);
		MemoryContextReset(context);
		if (!import->atomic)
			store_commit();
	}
	MemoryContextDelete(context);
}

static int64
total_size(List *files)
{
	int64		total = 0;
	ListCell   *cell;

	foreach(cell, files)
		total += Max(((L4File *) lfirst(cell))->size, 0);
	return total;
}

static char *
required_text(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("l4_import needs a %s", name)));
	return text_to_cstring(PG_GETARG_TEXT_PP(argument));
}

/*
 * l4_import(job_id text, path text, layout text): see the COMMENT of the procedure. Errors: 42501 without the right to read server files, P0002 for a
 * job that is not registered, 22023 for a bad layout, path or zone, 58P01 for a path that is not there.
 */
Datum
l4_import(PG_FUNCTION_ARGS)
{
	bool		atomic = !(fcinfo->context != NULL && IsA(fcinfo->context, CallContext) &&
						   !((CallContext *) fcinfo->context)->atomic);
	MemoryContext context = AllocSetContextCreate(PortalContext, "l4 import", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Import	   *import = palloc0(sizeof(Import));
	char	   *job_id = required_text(fcinfo, 0, "job_id");
	char	   *path = required_text(fcinfo, 1, "path");
	char	   *layout = PG_ARGISNULL(2) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(2));
	List	   *files;

	files_check_privilege();
	PreventCommandIfReadOnly("CALL l4_import");
	import->atomic = atomic;
	import->context = context;
	import->schema = store_schema(fcinfo);
	store_connect(!atomic);
	import->sources = source_context_create(import->schema, job_id, layout);
	files = files_list(path);
	pgstat_progress_start_command(PROGRESS_COMMAND_COPY, InvalidOid);
	pgstat_progress_update_param(PROGRESS_COPY_BYTES_TOTAL, total_size(files));
	import_files(import, files);
	store_finish_import(import->schema, job_id);
	if (import->files > 0)
		store_analyze(import->schema);
	pgstat_progress_end_command();
	ereport(NOTICE,
			(errmsg("job \"%s\": " INT64_FORMAT " records of " INT64_FORMAT " lines (" INT64_FORMAT " bytes) from " INT64_FORMAT " files; "
					INT64_FORMAT " unchanged, " INT64_FORMAT " unreadable",
					job_id, import->records, import->lines, import->bytes, import->files, import->skipped, import->failed)));
	store_disconnect();
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	PG_RETURN_VOID();
}
