/*
 * import_file.c: one file of an import, with all members where it is an archive.
 *
 * A file whose size and time of change are known is skipped; of a plain one that has grown the new bytes are taken in
 * (source_resume.c); any other that changed is read anew as a whole, its old rows replaced in the same transaction.
 * A file that cannot be read does not stop the rest: it leaves a warning and a row in l4_stream with its error.
 */
#include "loading/import_file.h"

#include "nodes/bitmapset.h"
#include "utils/memutils.h"

#include "doors/store_batch.h"
#include "doors/store_source.h"
#include "loading/import_members.h"
#include "loading/import_parts.h"
#include "loading/source_bundle.h"

/* So many bytes at the beginning and before the end of what was read tell whether a file has grown or is another one. */
#define MARK_BYTES (64 * 1024)

static char *
copy_or_null(const char *text)
{
	return text != NULL ? pstrdup(text) : NULL;
}

/* A warning to the caller: at once, or from a worker by way of the leader once the transaction has ended. */
static void
warn(Import *import, const char *message, const char *detail, const char *hint)
{
	MemoryContext caller;
	ImportWarning *warning;

	if (import->worker == NULL)
	{
		ereport(WARNING,
				(errmsg_internal("%s", message),
				 errdetail_internal("%s", detail),
				 hint != NULL ? errhint("%s", hint) : 0));
		return;
	}
	caller = MemoryContextSwitchTo(import->warning_memory);
	warning = palloc(sizeof(ImportWarning));
	warning->message = pstrdup(message);
	warning->detail = pstrdup(detail);
	warning->hint = copy_or_null(hint);
	import->warnings = lappend(import->warnings, warning);
	MemoryContextSwitchTo(caller);
}

static L4SourceFile
source_file(const L4File *file)
{
	L4SourceFile known;

	known.file_id = source_id_of(file->source);
	known.size = file->size;
	known.modified_at = file->modified_at;
	known.head_hash = known.tail_hash = 0;
	known.remark = NULL;
	return known;
}

/* The hash of some bytes of a plain file. */
static int64
hash_at(L4FileReader *reader, int64 offset, int64 size)
{
	char	   *buffer = palloc(size + 1);
	int64		hash = (int64) shape_hash(buffer, files_read_at(reader, buffer, size, offset));

	pfree(buffer);
	return hash;
}

static void
hash_file(L4FileReader *reader, int64 byte_count, L4SourceFile *known)
{
	int64		size = Min(byte_count, MARK_BYTES);

	known->head_hash = hash_at(reader, 0, size);
	known->tail_hash = hash_at(reader, byte_count - size, size);
}

/* Feeds a member to its source; why it could not be read to its end, or NULL. */
static const char *
feed_member(Import *import, L4FileReader *reader, L4Source *source, const char *name)
{
	char	   *buffer = palloc(READ_BYTES);
	ssize_t		got;

	while ((got = files_read(reader, buffer, READ_BYTES)) > 0)
	{
		source_feed(source, buffer, got);
		import_count_bytes(import, got);
		import->bytes += got;
		import_progress(import, name);
	}
	return got < 0 ? files_error(reader) : NULL;
}

/* Writes what came of a source, and says what is odd about it. */
static void
finish_source(Import *import, L4Source *source, L4SourceFile *known, const char *error, const L4SourceStateRow *state)
{
	const char *name = source_name(source);

	if (known->remark == NULL)
		known->remark = source_doubt(source);
	source_finish(source, known, error);
	import->counts.records += source_records(source) - (state != NULL ? state->record_count : 0);
	import->counts.lines += source_lines(source) - (state != NULL ? state->line_count : 0);
	import->counts.failed += error != NULL;
	if (error != NULL)
		warn(import, psprintf("log file \"%s\" could not be read to its end", name),
			 psprintf("%s. What was read before is kept.", error), NULL);
	else if (known->remark != NULL)
		warn(import, psprintf("log file \"%s\" is not as it should be", name), psprintf("%s.", known->remark), NULL);
}

/* Reads one member of a file to its end, or to where it cannot be read further. state: what is known of it where it goes on. */
static void
import_source(Import *import, int number, const L4File *file, L4FileReader *reader, const char *name, TimestampTz modified_at,
			  const L4SourceStateRow *state)
{
	L4Source   *source = source_begin(import->sources, name, modified_at);
	L4SourceFile known = source_file(file);
	bool		in_parts;
	const char *error;

	if (files_is_plain(reader))
		source_keep_state(source);
	if (state != NULL)
		source_resume(source, state);
	in_parts = parts_apply(reader, file->size, import->shared->part_bytes);
	if (in_parts)
		source_sample(source, parts_first_bytes(reader));
	if (in_parts && !source_is_export(source))
		error = parts_import(import, &(AheadFile) {number, reader, name, modified_at}, source);
	else
		error = feed_member(import, reader, source, name);
	if (files_is_plain(reader) && error == NULL && source_bytes(source) >= MARK_BYTES)
		hash_file(reader, source_bytes(source), &known);
	known.remark = files_remark(reader);
	finish_source(import, source, &known, error, state);
}

/* A file of which nothing could be read gets a row that says so. */
static void
record_unreadable(Import *import, const L4File *file, const char *error)
{
	L4SourceFile known = source_file(file);

	source_finish(source_begin(import->sources, file->source, 0), &known, error);
	import->counts.failed += error != NULL;
	if (error != NULL)
		warn(import, psprintf("log file \"%s\" cannot be read", file->source), error,
			 "The rest of the job is imported; call l4_import again once the file can be read.");
}

/* Takes in a member that a worker has read; false where it must be read here. */
static bool
take_member(Import *import, const L4File *file, const Member *member, L4Bytes bytes)
{
	L4Source   *source;
	L4SourceFile known = source_file(file);

	if (bytes.data == NULL)
		return false;
	source = source_begin(import->sources, member->name, member->modified_at);
	if (!source_merge_whole(source, bytes))
		return false;
	import_count_bytes(import, source_bytes(source));
	finish_source(import, source, &known, NULL, NULL);
	return true;
}

/*
 * Takes in the members that workers have read by now, or, where `wait` is set, all that they read. Those that must be read here
 * are added to `left`.
 */
static void
take_members(Import *import, const L4File *file, MemberShare *share, bool wait, Bitmapset **left)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "l4 member taken in", ALLOCSET_DEFAULT_SIZES);
	Member		member;
	L4Bytes		bytes;

	while (members_take(share, wait, &member, &bytes))
	{
		MemoryContext caller = MemoryContextSwitchTo(context);
		bool		taken = take_member(import, file, &member, bytes);

		MemoryContextSwitchTo(caller);
		MemoryContextReset(context);
		if (bytes.data != NULL)
			pfree(unconstify(char *, bytes.data));
		elog(DEBUG1, "member \"%s\", read by a worker, is %s", member.name, taken ? "taken in" : "read again");
		if (!taken)
			*left = bms_add_member(*left, (int) member.number);
	}
	MemoryContextDelete(context);
}

/* Reads all members, or those that are wanted, but for what workers read of them; returns how many there are. */
static int
read_members(Import *import, int number, const L4File *file, L4FileReader *reader, MemberShare *share,
			 const Bitmapset *wanted, Bitmapset **left)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "l4 source", ALLOCSET_DEFAULT_SIZES);
	MemberWalk *walk = members_begin(reader);
	Member		member;
	int			members = 0;

	while (members_next(walk, &member))
	{
		MemoryContext caller;

		members++;
		if ((wanted != NULL && !bms_is_member((int) member.number, wanted)) ||
			(share != NULL && !members_claim(share, &member)))
			continue;
		caller = MemoryContextSwitchTo(context);
		import_source(import, number, file, reader, member.name, member.modified_at, NULL);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(context);
		if (share != NULL)
			take_members(import, file, share, false, left);
	}
	MemoryContextDelete(context);
	return members;
}

static void
import_members(Import *import, int number, const L4File *file, L4FileReader *reader)
{
	MemberShare *share = members_share(import, number, reader);
	Bitmapset  *left = NULL;
	int			members = read_members(import, number, file, reader, share, NULL, &left);
	const char *error = files_error(reader);

	if (share != NULL)
	{
		take_members(import, file, share, true, &left);
		members_end(share);
	}
	if (left != NULL)
	{
		L4FileReader *again = files_open(file);

		(void) read_members(import, number, file, again, NULL, left, NULL);
		/* who reads a member that is cut off is told so in other words than who passes over it */
		if (bms_is_member(members - 1, left))
			error = copy_or_null(files_error(again));
		files_close(again);
	}
	if (members == 0 || error != NULL)
		record_unreadable(import, file, error);
}

/*
 * Would reading the file as a whole now give a time without a year the same one? Such times lie in the latest year that is not
 * more than a day after the job's start or, where that is not known, the file's last change.
 */
static bool
years_stay(Import *import, const L4KnownFile *known, const L4File *file)
{
	const int64 year = 365 * USECS_PER_DAY;

	if (import->sources->job->started_at != 0)
		return true;
	return known->modified_at > 0 && known->modified_at <= file->modified_at &&
		(!known->has_time || file->modified_at - known->first_ts < year - USECS_PER_DAY);
}

/* The state from which the open file goes on, at the bytes that are new; NULL where it must be read anew. */
static L4SourceStateRow *
state_of_grown(Import *import, const L4File *file, const L4KnownFile *known, L4FileReader *reader)
{
	L4SourceContext *sources = import->sources;
	L4SourceStateRow *state = store_source_state(sources->schema, sources->job->job_id, source_id_of(file->source));
	L4SourceFile marks;

	if (state == NULL || state->state == NULL || state->settings_hash != sources->settings_hash ||
		file->size < state->byte_count)
		return NULL;
	hash_file(reader, state->byte_count, &marks);
	if (marks.head_hash != state->head_hash || marks.tail_hash != state->tail_hash || !years_stay(import, known, file))
		return NULL;
	return files_seek(reader, state->byte_count) ? state : NULL;
}

/* Takes in what a file has grown by. False where it is not one that has grown. */
static bool
import_grown(Import *import, int number, const L4File *file, const L4KnownFile *known)
{
	L4FileReader *reader;
	L4SourceStateRow *state = NULL;
	char	   *source;
	int64		size;
	TimestampTz modified_at;

	if (!known->known || known->failed || file->error != NULL || file->size <= known->size)
		return false;
	reader = files_open(file);
	if (files_is_plain(reader) && files_next_member(reader, &source, &size, &modified_at))
		state = state_of_grown(import, file, known, reader);
	if (state != NULL)
		import_source(import, number, file, reader, source, modified_at, state);
	files_close(reader);
	return state != NULL;
}

/* Takes back what came of an earlier import of the file. */
static void
forget_file(Import *import, const L4File *file)
{
	L4SourceContext *sources = import->sources;
	int64		file_id = source_id_of(file->source);
	L4SourceStateRow *state = store_source_state(sources->schema, sources->job->job_id, file_id);
	L4BundledStream *bundled;
	int			bundled_count;

	if (state != NULL)
		source_release_shapes(sources, state->shape_ids, state->shape_count);
	if (store_forget_file(sources->schema, sources->job->job_id, file_id, &bundled, &bundled_count))
		sources->timeline_stale = true;
	source_leave_bundles(sources, bundled, bundled_count);
}

void
import_file(Import *import, int number, const L4KnownFile *known)
{
	L4File		listed = import_listed_file(import->shared, number);
	const L4File *file = &listed;
	L4FileReader *reader;

	if (known->known && !known->failed && file->error == NULL && known->size == file->size &&
		known->modified_at == file->modified_at)
	{
		import->counts.skipped++;
		return;
	}
	if (known->known && file->error != NULL && !known->failed)
		return;					/* it was readable once: keep what is there */
	import->counts.files++;
	if (import_grown(import, number, file, known))
		return;
	if (known->known)
		forget_file(import, file);
	if (file->error != NULL)
	{
		record_unreadable(import, file, file->error);
		return;
	}
	reader = files_open(file);
	import_members(import, number, file, reader);
	files_close(reader);
}
