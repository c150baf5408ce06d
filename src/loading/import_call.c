/*
 * import_call.c: what all processes of an import use: the list of files and the report of progress.
 */
#include "loading/import_call.h"

#include "commands/progress.h"
#include "utils/backend_progress.h"

#define PROGRESS_NOTICE_SECONDS 5

L4File
import_listed_file(const SharedImport *shared, uint32 number)
{
	const SharedFile *entry = &shared->list[number];
	L4File		file;

	file.path = unconstify(char *, shared_string(shared, entry->path));
	file.source = unconstify(char *, shared_string(shared, entry->source));
	file.error = unconstify(char *, shared_string(shared, entry->error));
	file.size = entry->size;
	file.modified_at = entry->modified_at;
	file.is_root = entry->is_root;
	return file;
}

static void
notice_progress(Import *import, const char *source)
{
	TimestampTz now = GetCurrentTimestamp();
	SharedImport *shared = import->shared;

	if (import->last_notice != 0 && !TimestampDifferenceExceeds(import->last_notice, now, PROGRESS_NOTICE_SECONDS * 1000))
		return;
	if (import->last_notice != 0)
		ereport(NOTICE,
				(errmsg("job \"%s\": file %u of %u, " UINT64_FORMAT " MB read, now at %s",
						shared_string(shared, shared->job_id), Min(pg_atomic_read_u32(&shared->next), shared->file_count),
						shared->file_count,
						pg_atomic_read_u64(&shared->bytes_read) / 1000000, source)));
	import->last_notice = now;
}

void
import_progress(Import *import, const char *source)
{
	if (import->worker != NULL)
		return;
	if (import->workers != NULL)
		(void) workers_listen(import->workers);
	pgstat_progress_update_param(PROGRESS_COPY_BYTES_PROCESSED, pg_atomic_read_u64(&import->shared->bytes_read));
	pgstat_progress_update_param(PROGRESS_COPY_TUPLES_PROCESSED, pg_atomic_read_u64(&import->shared->records));
	notice_progress(import, source);
}
