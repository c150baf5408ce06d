/*
 * import.c: CALL l4_import(job_id, path, ...): a folder (or file) of logs on the server into segments and summaries, by one
 * process or several.
 *
 * Where the caller allows commits, a transaction takes in some megabytes: a larger file, or several small ones, since a
 * transaction and its statements cost as much as to read a small file. So a crash loses at most the files under way, and a
 * second call goes on after them. Events are found once, at the end, over all new shapes in a canonical order: neither the
 * order of files nor a restart in between shows in the result.
 *
 * With workers, the leader's list of files lies in shared memory and each process takes the next ones when it is free, the
 * leader too: where no worker can be had it does all by itself. Nothing else is shared but counts, and parts of very large
 * files (import_parts.c), so no result depends on who read what. A worker that ends early loses the files of its transaction
 * alone: the others read the rest, and the leader those that are missing then, with a warning. So events are given once all is
 * in, and come out the same. The leader's own end, by error, cancel or exit, ends all.
 */
#include "loading/import_file.h"

#include "commands/progress.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "pgstat.h"
#include "utils/backend_progress.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/portal.h"

#include "doors/extension.h"
#include "doors/store_batch.h"
#include "doors/store_bundle.h"
#include "doors/store_events.h"
#include "doors/store_files.h"
#include "doors/store_locks.h"
#include "doors/store_session.h"
#include "doors/store_settings.h"
#include "doors/store_analyze.h"
#include "doors/store_timeline.h"
#include "loading/given_up.h"
#include "loading/import_members.h"
#include "loading/import_parts.h"
#include "loading/source_bundle.h"
#include "loading/timeline.h"

PG_FUNCTION_INFO_V1(l4_import);
PGDLLEXPORT void l4_import_worker(Datum argument);

#define WORKER_LIMIT 1024
/*
 * A transaction takes in so many files and bytes; with several processes less towards the end of the list, so that none is left
 * with much while the others have done.
 */
#define BATCH_FILES 64
#define BATCH_BYTES (4 * 1024 * 1024)
/* On a cluster a transaction begins a session on each other node where it says something new: there are so many times fewer. */
#define CLUSTER_BATCHES 8
/* Small files make so many groups at least, as long as a group is worth it. */
#define GROUPS 16
/* Of more files a transaction block locks the job instead: the server has room for some thousand locks. */
#define LOCK_FILES 1000
/* An archive or a compressed file of so many bytes has something to do for several. */
#define PACKED_BYTES (1024 * 1024)
/* Parts of a file. */
#define PART_BYTES (16 * 1024 * 1024)
#define PART_BYTES_LEAST 1000

/* What the caller asked for. */
typedef struct ImportCall
{
	char	   *job_id;
	char	   *layout;
	const char *schema;
	int			workers;
	int			part_bytes;
	bool		on_cluster;		/* l4 is distributed over several nodes */
} ImportCall;

/* ---------- the shared list ---------- */

/* May it be one that shares its rows? What is in an archive, or compressed, decides for itself. */
static inline bool
is_small(int64 size)
{
	return size < L4_SAMPLE_BYTES;
}

static Size
string_room(const char *text)
{
	return text == NULL ? 0 : strlen(text) + 1;
}

static Size
shared_size(const ImportCall *call, List *files)
{
	Size		size = add_size(offsetof(SharedImport, list), mul_size(list_length(files), sizeof(SharedFile)));
	ListCell   *cell;

	size = add_size(size, string_room(call->schema) + string_room(call->job_id) + string_room(call->layout));
	foreach(cell, files)
	{
		const L4File *file = lfirst(cell);

		size = add_size(size, string_room(file->path) + string_room(file->source) + string_room(file->error));
	}
	return size;
}

/* Copies a string to where *end is, and moves that on. */
static Size
share_string(SharedImport *shared, Size *end, const char *text)
{
	Size		at = *end;

	if (text == NULL)
		return 0;
	memcpy((char *) shared + at, text, string_room(text));
	*end += string_room(text);
	return at;
}

/* Largest first, so that no process is left with a large one at the end; then by name. */
static int
compare_sizes(const ListCell *a, const ListCell *b)
{
	const L4File *one = lfirst(a);
	const L4File *other = lfirst(b);

	if (one->size != other->size)
		return one->size > other->size ? -1 : 1;
	return strcmp(one->source, other->source);
}

/* How many small files make a group: few where there are few, so that several processes have something to do. */
static uint32
group_size(const SharedImport *shared)
{
	uint32		small = 0;
	uint32		i;

	for (i = 0; i < shared->file_count; i++)
		small += is_small(shared->list[i].size) ? 1 : 0;
	return small < L4_BUNDLE_LEAST ? 1 : Min(Max(small / GROUPS, L4_BUNDLE_LEAST), L4_BUNDLE_FILES);
}

/*
 * Which files share rows is the same for every number of processes: those that stand in one group, and groups are made of the
 * small files in the order of the list.
 */
static void
group_files(SharedImport *shared)
{
	uint32		most = group_size(shared);
	int64		bytes = 0;
	uint32		count = 0;
	uint32		i;

	for (i = 0; i < shared->file_count; i++)
	{
		SharedFile *entry = &shared->list[i];

		entry->begins_group = count == 0 || !is_small(entry->size) || count == most ||
			bytes + entry->size > L4_BUNDLE_BYTES;
		if (entry->begins_group)
			bytes = count = 0;
		bytes += entry->size;
		count = is_small(entry->size) ? count + 1 : 0;
	}
}

static void
fill_shared(SharedImport *shared, const ImportCall *call, List *files)
{
	Size		end = offsetof(SharedImport, list) + list_length(files) * sizeof(SharedFile);
	SharedFile *entry = shared->list;
	ListCell   *cell;

	pg_atomic_init_u32(&shared->next, 0);
	pg_atomic_init_u64(&shared->files, 0);
	pg_atomic_init_u64(&shared->skipped, 0);
	pg_atomic_init_u64(&shared->failed, 0);
	pg_atomic_init_u64(&shared->records, 0);
	pg_atomic_init_u64(&shared->lines, 0);
	pg_atomic_init_u64(&shared->bytes, 0);
	pg_atomic_init_u64(&shared->bytes_read, 0);
	pg_atomic_init_u32(&shared->analyzed, 0);
	shared->file_count = list_length(files);
	shared->part_bytes = call->part_bytes;
	shared->processes = call->workers;
	shared->batches = call->on_cluster ? CLUSTER_BATCHES : 1;
	shared->schema = share_string(shared, &end, call->schema);
	shared->job_id = share_string(shared, &end, call->job_id);
	shared->layout = share_string(shared, &end, call->layout);
	foreach(cell, files)
	{
		const L4File *file = lfirst(cell);

		entry->path = share_string(shared, &end, file->path);
		entry->source = share_string(shared, &end, file->source);
		entry->error = share_string(shared, &end, file->error);
		entry->size = file->size;
		entry->modified_at = file->modified_at;
		entry->is_root = file->is_root;
		entry++;
	}
	group_files(shared);
}

/* ---------- the work of each process ---------- */

/* A worker's warnings go out when its transaction has ended: until then another process may wait for it. */
static void
send_warnings(Import *import)
{
	ListCell   *cell;

	foreach(cell, import->warnings)
	{
		const ImportWarning *warning = lfirst(cell);

		worker_warn(import->worker, warning->message, warning->detail, warning->hint);
	}
	import->warnings = NIL;
	MemoryContextReset(import->warning_memory);
}

/* What a transaction took in counts once it is committed: of a worker that ends before, others read it again. */
static void
add_counts(Import *import)
{
	SharedImport *shared = import->shared;
	ImportCounts *counts = &import->counts;

	(void) pg_atomic_fetch_add_u64(&shared->files, counts->files);
	(void) pg_atomic_fetch_add_u64(&shared->skipped, counts->skipped);
	(void) pg_atomic_fetch_add_u64(&shared->failed, counts->failed);
	(void) pg_atomic_fetch_add_u64(&shared->records, counts->records);
	(void) pg_atomic_fetch_add_u64(&shared->lines, counts->lines);
	(void) pg_atomic_fetch_add_u64(&shared->bytes, counts->bytes);
	memset(counts, 0, sizeof(ImportCounts));
}

/* If the process ends now, these files, from one to before another, are missing, at being the one it is at. */
static void
set_task(Import *import, uint32 at, uint32 from, uint32 to)
{
	if (import->worker != NULL)
		worker_set_task(import->worker, from < to ? (int) at : -1, (int) from, (int) to);
}

/*
 * Are all files in, and is this the only process? On a cluster new shapes and their events come in one transaction then, as
 * each that writes what all nodes have begins a session on each other one; what is new there is locked but a moment longer.
 */
static bool
is_end_on_cluster(const Import *import, uint32 next)
{
	return import->shared->batches > 1 && import->worker == NULL && import->workers == NULL &&
		next == import->shared->file_count;
}

/*
 * Ends the transaction of some files, where commits are allowed; those to before "to" come next. Nothing interrupts
 * between commit and counts.
 */
static void
end_files(Import *import, uint32 next, uint32 to)
{
	source_write_bundles(import->sources);
	if (import->atomic)
	{
		store_batch_write(import->sources->rows);
		add_counts(import);
		return;
	}
	if (source_write_shared(import->sources, is_end_on_cluster(import, next)))
		store_assign_events(import->sources->schema, import->sources->job->job_id);
	store_commit_file();
	add_counts(import);
	set_task(import, next, next, to);
	source_committed(import->sources);
	if (import->worker != NULL)
		send_warnings(import);
}

/* Locks the bundles that files of the list, from one on, will leave, as they have changed; file_ids is used up. */
static void
lock_bundles(Import *import, uint32 from, const L4KnownFile *known, int64 *file_ids, int count)
{
	int			changed = 0;
	int			i;

	for (i = 0; i < count; i++)
	{
		const SharedFile *file = &import->shared->list[from + i];

		if (known[i].known && (known[i].failed || known[i].size != file->size || known[i].modified_at != file->modified_at))
			file_ids[changed++] = file_ids[i];
	}
	store_lock_bundles(import->sources->schema, import->sources->job->job_id, file_ids, changed);
}

/* Locks files of the list, from one to before another, and tells what is known of each. */
static L4KnownFile *
lock_files(Import *import, uint32 from, uint32 to)
{
	L4SourceContext *sources = import->sources;
	SharedImport *shared = import->shared;
	int			count = (int) (to - from);
	int64	   *file_ids = palloc(mul_size(count, sizeof(int64)));
	L4KnownFile *known = palloc(mul_size(count, sizeof(L4KnownFile)));
	int			i;

	for (i = 0; i < count; i++)
		file_ids[i] = source_id_of(shared_string(shared, shared->list[from + i].source));
	if (!import->atomic)
		store_lock_files(sources->schema, sources->job->job_id, file_ids, count);
	store_known_files(sources->schema, sources->job->job_id, file_ids, count, known);
	if (!import->atomic)
		lock_bundles(import, from, known, file_ids, count);
	return known;
}

/*
 * Takes in files of the list, from one to before another, in one transaction, or fewer where they turn out large; returns the
 * number of the first that is left.
 */
static uint32
import_some(Import *import, uint32 from, uint32 to, MemoryContext context)
{
	MemoryContext caller = MemoryContextSwitchTo(context);
	MemoryContext memory = AllocSetContextCreate(context, "l4 file", ALLOCSET_DEFAULT_SIZES);
	int64		begin = import->bytes;
	int64		most = BATCH_BYTES * (int64) import->shared->batches;
	uint32		number = from;
	L4KnownFile *known;

	set_task(import, from, from, to);
	known = lock_files(import, from, to);
	/* files that share rows stay together, but for compressed ones that hold far more than they are large */
	while (number < to && (import->bytes - begin < most ||
						   (!import->shared->list[number].begins_group && import->bytes - begin < 2 * most)))
	{
		if (import->shared->list[number].begins_group)
			source_write_bundles(import->sources);
		set_task(import, number, from, to);
		MemoryContextSwitchTo(memory);
		import_file(import, (int) number, &known[number - from]);
		MemoryContextReset(memory);
		import_progress(import, shared_string(import->shared, import->shared->list[number].source));
		number++;
	}
	MemoryContextSwitchTo(context);
	end_files(import, number, to);	/* in this memory too: what it writes must not add up over thousands of files */
	MemoryContextSwitchTo(caller);
	MemoryContextReset(context);
	return number;
}

static void
import_range(Import *import, uint32 from, uint32 to, MemoryContext context)
{
	while (from < to)
	{
		CHECK_FOR_INTERRUPTS();
		from = import_some(import, from, to, context);
	}
}

/* How many files the group has that begins with one of the list, */
static uint32
group_length(const SharedImport *shared, uint32 from)
{
	uint32		to = from + 1;

	while (to < shared->file_count && !shared->list[to].begins_group)
		to++;
	return to - from;
}

/* and how many bytes. */
static int64
group_bytes(const SharedImport *shared, uint32 from)
{
	int64		bytes = 0;
	uint32		left;

	for (left = group_length(shared, from); left > 0; left--)
		bytes += shared->list[from++].size;
	return bytes;
}

/* How many files of the list, from one on, are about a transaction's worth. */
static uint32
count_files(const SharedImport *shared, uint32 from)
{
	uint32		left = shared->file_count - from;
	uint32		most = shared->processes > 1 ? left / (2 * shared->processes) : left;
	uint32		count = group_length(shared, from);
	int64		bytes = group_bytes(shared, from);

	most = Min(most, BATCH_FILES * shared->batches);
	while (from + count < shared->file_count && count + group_length(shared, from + count) <= most &&
		   (bytes += group_bytes(shared, from + count)) <= BATCH_BYTES * (int64) shared->batches)
		count += group_length(shared, from + count);
	return count;
}

/* Takes the next files of the list, if there are any. */
static bool
import_next(Import *import, MemoryContext context)
{
	SharedImport *shared = import->shared;
	uint32		from = pg_atomic_read_u32(&shared->next);
	uint32		count;

	do
	{
		if (from >= shared->file_count)
			return false;
		count = count_files(shared, from);
	} while (!pg_atomic_compare_exchange_u32(&shared->next, &from, from + count));
	import_range(import, from, from + count, context);
	return true;
}

/* A transaction block keeps its locks to its end, so it takes all of them first, in the order that all keep. */
static void
lock_list(Import *import)
{
	SharedImport *shared = import->shared;
	L4SourceContext *sources = import->sources;
	int			count = (int) shared->file_count;
	int64	   *file_ids = palloc(mul_size(Max(count, 1), sizeof(int64)));
	int			i;

	for (i = 0; i < count; i++)
		file_ids[i] = source_id_of(shared_string(shared, shared->list[i].source));
	if (count > LOCK_FILES)
		store_lock_job(sources->schema, sources->job->job_id, false);
	else
		store_lock_files(sources->schema, sources->job->job_id, file_ids, count);
	store_lock_bundles(sources->schema, sources->job->job_id, file_ids, count);
	pfree(file_ids);
}

/*
 * Takes in files until there is none: the leader those that are shared first; the workers help with these before they take
 * others, and wait for more.
 */
static void
import_files(Import *import)
{
	MemoryContext context = AllocSetContextCreate(import->context, "l4 files", ALLOCSET_DEFAULT_SIZES);
	uint32		number;

	import->sources->keeps_rows = import->sources->keeps_shared = true;
	if (import->atomic)
		lock_list(import);
	if (import->worker == NULL)
	{
		for (number = 0; number < import->shared->large_count; number++)
			import_range(import, number, number + 1, context);
		parts_end(import);
	}
	while (parts_help(import) || members_help(import) || import_next(import, context) ||
		   (import->worker != NULL && parts_wait(import)))
		CHECK_FOR_INTERRUPTS();
	if (import->atomic)
		store_lock_shapes(import->sources->schema);
	(void) source_write_shared(import->sources, false);
	MemoryContextDelete(context);
}

/* ---------- the leader ---------- */

static int64
total_size(List *files)
{
	int64		total = 0;
	ListCell   *cell;

	foreach(cell, files)
		total += Max(((L4File *) lfirst(cell))->size, 0);
	return total;
}

/* Can several processes read the file together: parts of it, compressed or not, or, where it is an archive, its members? */
static bool
is_worth_sharing(const L4File *file, int part_bytes)
{
	L4FileReader *reader;
	bool		is_packed;

	if (file->error != NULL)
		return false;
	if (file->size / part_bytes >= 2)
		return true;
	if (file->size < PACKED_BYTES)
		return false;
	reader = files_open(file);
	is_packed = files_is_archive(reader) || (!files_is_plain(reader) && parts_apply(reader, file->size, part_bytes));
	files_close(reader);
	return is_packed;
}

/* How many of the files, largest first, are so large a share of all that all processes should read them together. */
static int
count_large(const ImportCall *call, List *files)
{
	int64		total = total_size(files);
	int			count = 0;
	ListCell   *cell;

	foreach(cell, files)
	{
		const L4File *file = lfirst(cell);

		if (file->size < total / (2 * call->workers) || !is_worth_sharing(file, call->part_bytes))
			break;
		count++;
	}
	return count;
}

/* Starts workers where they can be of use; import->workers stays NULL where not. */
static void
start_workers(Import *import, const ImportCall *call, List *files)
{
	int			helpers = call->workers - 1;
	int			large;
	int64		largest;
	Size		room;
	Size		size;

	list_sort(files, compare_sizes);
	if (helpers <= 0 || files == NIL || import->atomic || !workers_may_act())
		return;
	large = count_large(call, files);
	largest = ((L4File *) linitial(files))->size;
	room = large > 0 ? parts_room(largest, call->part_bytes) : 0;
	if (room == 0)
	{
		large = 0;
		helpers = Min(helpers, list_length(files) - 1);
	}
	if (helpers == 0)
		return;
	size = MAXALIGN(shared_size(call, files));
	import->workers = workers_create(add_size(size, room), helpers);
	import->shared = workers_shared(import->workers);
	fill_shared(import->shared, call, files);
	import->shared->large_count = large;
	pg_atomic_write_u32(&import->shared->next, large);
	if (room > 0)
	{
		import->shared->parts = size;
		import->parts = (SharedParts *) ((char *) import->shared + size);
		parts_create(import->parts, workers_segment(import->workers), largest, call->part_bytes);
	}
	workers_start(import->workers, "l4_import_worker", call->job_id, helpers);
}

/* What a worker said when it ended. */
static char *
last_words(const L4WorkerFailure *failure)
{
	if (failure->message == NULL)
		return pstrdup("It was terminated; the server's log says why.");
	return failure->detail == NULL ? failure->message : psprintf("%s: %s", failure->message, failure->detail);
}

/* It helped the leader, or was between two files. */
static void
warn_of_end(const L4WorkerFailure *failure)
{
	ereport(WARNING,
			(errcode(failure->sqlstate != 0 ? failure->sqlstate : ERRCODE_OPERATOR_INTERVENTION),
			 errmsg("worker %d (process %d) of the import ended early", failure->number, failure->pid),
			 errdetail("%s", last_words(failure)),
			 errhint("No file is missing for it: the others did its share.")));
}

static void
warn_of_files(const SharedImport *shared, const L4WorkerFailure *failure)
{
	int			others = failure->end - failure->first - 1;

	ereport(WARNING,
			(errcode(failure->sqlstate != 0 ? failure->sqlstate : ERRCODE_OPERATOR_INTERVENTION),
			 errmsg("worker %d (process %d) of the import of job \"%s\" ended while it read log file \"%s\"", failure->number,
					failure->pid,
					shared_string(shared, shared->job_id), shared_string(shared, shared->list[failure->task].source)),
			 errdetail("%s", last_words(failure)),
			 others > 0 ? errhint("The calling process reads the file and %d others of the same transaction again.%s%s", others,
								  failure->hint != NULL ? " " : "", failure->hint != NULL ? failure->hint : "")
			 : errhint("The calling process reads the file again.%s%s",
					   failure->hint != NULL ? " " : "", failure->hint != NULL ? failure->hint : "")));
}

/*
 * Workers that ended before they were done are a warning, and the files of their last transactions are read here. Only
 * then all is in, and what is found out at the end of an import is the same as without their ends. What stopped a worker
 * and stops the leader too is the call's error.
 */
static void
replace_workers(Import *import)
{
	MemoryContext context = AllocSetContextCreate(import->context, "l4 files", ALLOCSET_DEFAULT_SIZES);
	L4WorkerFailure *failure;

	while (import->workers != NULL && (failure = workers_next_failure(import->workers)) != NULL)
		if (failure->task < 0)
			warn_of_end(failure);
		else
		{
			warn_of_files(import->shared, failure);
			import_range(import, (uint32) failure->first, (uint32) failure->end, context);
		}
	MemoryContextDelete(context);
}

/* Waits until no worker reads any more: the first one then waits itself, for end_workers. */
static void
wait_for_workers(Import *import)
{
	while (import->workers != NULL && workers_listen(import->workers) > workers_paused(import->workers))
	{
		import_progress(import, "the last files");
		workers_wait(500);
	}
}

static void
end_workers(Import *import)
{
	while (import->workers != NULL && workers_listen(import->workers) > 0)
		workers_wait(500);
}

static void
notice_result(const Import *import, const char *job_id)
{
	SharedImport *shared = import->shared;

	ereport(NOTICE,
			(errmsg("job \"%s\": " UINT64_FORMAT " records of " UINT64_FORMAT " lines (" UINT64_FORMAT " bytes) from "
					UINT64_FORMAT " files; "
					UINT64_FORMAT " unchanged, " UINT64_FORMAT " unreadable",
					job_id, pg_atomic_read_u64(&shared->records), pg_atomic_read_u64(&shared->lines),
					pg_atomic_read_u64(&shared->bytes),
					pg_atomic_read_u64(&shared->files), pg_atomic_read_u64(&shared->skipped),
					pg_atomic_read_u64(&shared->failed))));
}

/* The end of a step, where commits are allowed: its locks are nobody's any more. */
static void
end_step(const Import *import)
{
	if (!import->atomic)
		store_commit();
}

/* What is found out of all files together, step by step. */
static void
conclude(Import *import)
{
	const char *schema = import->sources->schema;
	const char *job_id = import->sources->job->job_id;
	bool		concerned;

	if (!import->atomic)
		store_lock_job(schema, job_id, true);
	if (store_timeline_is_stale(schema, job_id))
		timeline_rebuild(import->sources);
	end_step(import);
	if (!import->atomic)
		store_lock_job(schema, job_id, true);
	store_assign_events(schema, job_id);
	end_step(import);
	if (!import->atomic)
		store_lock_job(schema, job_id, true);
	store_learn_places(schema, job_id);
	concerned = import->atomic || store_concerns_pool(schema, job_id);
	end_step(import);
	if (!concerned)
		return;
	if (!import->atomic)
		store_lock_job(schema, job_id, true);
	store_refresh_pool(schema, job_id);
	end_step(import);
}

/* Tells of the rules that gave up in this process. */
static void
warn_of_rules(const Import *import)
{
	StringInfoData names = given_up_of_import(import->sources);

	if (import->worker == NULL)
		given_up_warn(&names);
	else if (names.len > 0)
		worker_warn(import->worker, GIVEN_UP_MESSAGE, psprintf("%s.", names.data), GIVEN_UP_HINT);
}

/* Imports all files and draws the conclusions that are drawn once a call. */
static void
lead_import(Import *import, const ImportCall *call)
{
	import_files(import);
	wait_for_workers(import);
	replace_workers(import);
	import_progress(import, "the events");
	if (import->workers != NULL)
		workers_resume(import->workers);
	conclude(import);
	end_workers(import);
	replace_workers(import);
	if (pg_atomic_read_u64(&import->shared->files) > 0)
	{
		if (pg_atomic_read_u32(&import->shared->analyzed) == 0)
			store_analyze_logs(call->schema);
		store_analyze_rest(call->schema);
	}
	if (!import->atomic)
		store_settle();
	warn_of_rules(import);
	notice_result(import, call->job_id);
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

static ImportCall
read_arguments(FunctionCallInfo fcinfo)
{
	ImportCall	call;

	call.job_id = required_text(fcinfo, 0, "job_id");
	call.layout = PG_ARGISNULL(2) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(2));
	call.schema = store_schema(fcinfo);
	call.workers = PG_ARGISNULL(3) ? 1 : PG_GETARG_INT32(3);
	if (call.workers < 1 || call.workers > WORKER_LIMIT)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of workers %d is out of range", call.workers),
				 errhint("Give 1 to %d processes that read, the calling one among them.", WORKER_LIMIT)));
	call.part_bytes = PG_ARGISNULL(4) ? PART_BYTES : PG_GETARG_INT32(4);
	if (call.part_bytes < PART_BYTES_LEAST)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parts of %d bytes are too small", call.part_bytes),
				 errhint("Give at least %d bytes, or leave part_bytes out.", PART_BYTES_LEAST)));
	return call;
}

/* Runs the call; whatever happens, no worker outlives it. */
static void
run_import(Import *import, const ImportCall *call, List *files)
{
	PG_TRY();
	{
		if (!import->atomic)
			store_commit();
		start_workers(import, call, files);
		if (import->workers == NULL)
		{
			import->shared = MemoryContextAllocHuge(import->context, shared_size(call, files));
			fill_shared(import->shared, call, files);
			import->shared->large_count = import->shared->parts = 0;
		}
		/* rules are compiled while the workers begin */
		MemoryContextSwitchTo(import->context);
		import->sources = source_context_create(call->schema, call->job_id, call->layout);
		lead_import(import, call);
	}
	PG_CATCH();
	{
		if (import->workers != NULL)
			workers_stop(import->workers);
		PG_RE_THROW();
	}
	PG_END_TRY();
	if (import->workers != NULL)
		workers_stop(import->workers);
}

/*
 * l4_import(job_id text, path text, layout text, workers int, part_bytes int): see the COMMENT of the procedure. Errors: 42501
 * without the right to read server files, P0002 for a job that is not registered, 22023 for a bad layout, path, zone, number of
 * workers or size of parts, 58P01 for a path that is not there.
 */
Datum
l4_import(PG_FUNCTION_ARGS)
{
	MemoryContext context = AllocSetContextCreate(PortalContext, "l4 import", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Import	   *import = palloc0(sizeof(Import));
	ImportCall	call = read_arguments(fcinfo);
	char	   *path = required_text(fcinfo, 1, "path");
	List	   *files;

	files_check_privilege();
	PreventCommandIfReadOnly("CALL l4_import");
	import->atomic = !(fcinfo->context != NULL && IsA(fcinfo->context, CallContext) &&
					   !((CallContext *) fcinfo->context)->atomic);
	import->context = context;
	store_connect(!import->atomic);
	(void) store_job(call.schema, call.job_id); /* is it there? */
	call.on_cluster = extension_is_distributed();
	files = files_list(path);
	pgstat_progress_start_command(PROGRESS_COMMAND_COPY, InvalidOid);
	pgstat_progress_update_param(PROGRESS_COPY_BYTES_TOTAL, total_size(files));
	run_import(import, &call, files);
	pgstat_progress_end_command();
	store_disconnect();
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	PG_RETURN_VOID();
}

/* ---------- a worker ---------- */

/*
 * What one worker does while the leader finds events: fresh statistics of all that is in. The leader waits for it, unseen by
 * the server's search for deadlocks; so where a lock is not to be had the worker ends with an error, and the leader does it.
 */
static void
help_end(Import *import)
{
	store_commit();
	worker_pause(import->worker);
	if (pg_atomic_read_u64(&import->shared->files) == 0)
		return;
	store_limit_waits();
	store_analyze_logs(import->sources->schema);
	store_commit();
	pg_atomic_write_u32(&import->shared->analyzed, 1);
}

/* Reads files beside the leader, with the same rights and checks. */
static void
help_import(L4Worker *worker)
{
	Import	   *import = palloc0(sizeof(Import));
	SharedImport *shared = worker_shared(worker);

	import->shared = shared;
	import->worker = worker;
	import->context = CurrentMemoryContext;
	import->warning_memory = AllocSetContextCreate(CurrentMemoryContext, "l4 warnings", ALLOCSET_DEFAULT_SIZES);
	store_begin();
	files_check_privilege();
	if (shared->parts != 0)
	{
		import->parts = (SharedParts *) ((char *) shared + shared->parts);
		parts_attach(import->parts, worker_segment(worker));
	}
	import->sources = source_context_create(shared_string(shared, shared->schema), shared_string(shared, shared->job_id),
											shared_string(shared, shared->layout));
	store_commit();
	import_files(import);
	warn_of_rules(import);
	if (worker_number(worker) == 0)
		help_end(import);
	store_end();
}

/* The function that a background worker of l4_import runs. */
void
l4_import_worker(Datum argument)
{
	L4Worker   *worker = worker_begin(argument);

	PortalContext = AllocSetContextCreate(TopMemoryContext, "l4 import", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(PortalContext);
	pgstat_report_activity(STATE_RUNNING, "l4_import: reads log files beside its leader");
	PG_TRY();
	{
		help_import(worker);
		worker_finish(worker);
	}
	PG_CATCH();
	{
		worker_fail(worker);
	}
	PG_END_TRY();
}
