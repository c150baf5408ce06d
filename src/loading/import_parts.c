/*
 * import_parts.c: large files in parts, by one process or by all of a call.
 *
 * A file that is larger than a part is cut into parts at fixed places, whoever reads it, so that the result is the same for
 * every number of processes. Alone, a process feeds part after part. Where there are workers and the file is a large share of
 * all, the leader goes through it in order, and the workers read parts ahead on a guess (source_part.c): a part that turns out
 * right is taken in as it is, any other is read again by the leader. All rows are the leader's: a file stays one transaction,
 * and a worker that dies in a part loses nothing. While the part that comes next is under way elsewhere, the leader reads ahead
 * too.
 *
 * So it is with the plain bytes of a compressed file: each process unpacks all of it by itself, which takes a fraction of what
 * becomes of its lines (where it takes more, a file is the leader's). How many parts it has shows its end alone: what is taken
 * to be read ahead there or behind is given up.
 */
#include "loading/import_parts.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/condition_variable.h"
#include "storage/spin.h"
#include "utils/memutils.h"

#include "doors/shared_tempfile.h"

/* Read before a part, to find out where its streams stand; not more than a part. */
#define LEAD_BYTES (512 * 1024)
/* So much into a file the leader says for the first time where its streams stand. */
#define FIRST_BYTES (1024 * 1024)
/* A part that has not ended by so much behind its place is given up. */
#define OVERRUN_BYTES (64 * 1024 * 1024)
#define PART_LIMIT 1000000
/* How much less than a part, packed, may hold some parts. */
#define PACKED_FACTOR 16
/* So many members of an archive can be shared, or more. */
#define MEMBER_ROOM 16384
/* So many parts may lie ready or be under way per process. */
#define WINDOW 4
/*
 * After so many parts in a row that had to be read again, a file is not worth sharing: it has too many shapes, or the guesses
 * about its streams are wrong each time.
 */
#define FAILURE_LIMIT 8

typedef enum PartState
{
	PART_FREE,
	PART_TAKEN,					/* a process reads it ahead */
	PART_READY,					/* what it amounts to lies there */
	PART_GIVEN_UP				/* to be read in order */
} PartState;

typedef struct SharedPart
{
	PartState	state;
	int			taker;			/* process id */
	bool		early;			/* taken on what was known of the first bytes of the file */
	pg_atomic_uint64 lines;		/* ends of lines in its bytes, plus 1; 0 while not known */
} SharedPart;

/* The parts of the leader's file. All but the counts of lines is protected by the lock. */
struct SharedParts
{
	SharedFileSet files;
	ConditionVariable changed;
	pg_atomic_uint32 changes;	/* how often */
	slock_t		lock;
	bool		ended;			/* no more files are shared */
	bool		open;			/* parts may be taken */
	bool		members;		/* the parts are members of an archive */
	uint32		archives;		/* that were shared so far */
	uint32		waiting;		/* members that were handed over and not taken in */
	int			file;			/* its number in the list */
	uint32		count;
	uint32		next;			/* not taken yet */
	uint32		merged;			/* where the leader is */
	int			failures;		/* parts in a row that had to be read again */
	uint32		room;
	SharedPart	list[FLEXIBLE_ARRAY_MEMBER];
};

typedef enum FeedResult
{
	FEED_STOPPED,
	FEED_END,
	FEED_FAILED
} FeedResult;

/* A part taken to be read ahead. */
typedef struct Ahead
{
	int			file;
	uint32		number;
	uint32		known;			/* the part at whose beginning it is known where the streams stand */
} Ahead;

static uint32
part_count(int64 size, int64 part_bytes)
{
	return (uint32) Min((size + part_bytes - 1) / part_bytes, PART_LIMIT + 1);
}

bool
parts_apply(const L4FileReader *reader, int64 size, int64 part_bytes)
{
	return files_is_plain(reader) ? size > part_bytes : files_has_places(reader) && size > part_bytes / PACKED_FACTOR;
}

Size
parts_room(int64 largest, int64 part_bytes)
{
	uint32		count = part_count(largest, part_bytes);

	if (count > PART_LIMIT)
		return 0;
	return add_size(offsetof(SharedParts, list), mul_size(Max(count, MEMBER_ROOM), sizeof(SharedPart)));
}

void
parts_create(SharedParts *parts, dsm_segment *segment, int64 largest, int64 part_bytes)
{
	uint32		i;

	parts->room = Max(part_count(largest, part_bytes), MEMBER_ROOM);
	SpinLockInit(&parts->lock);
	ConditionVariableInit(&parts->changed);
	pg_atomic_init_u32(&parts->changes, 0);
	for (i = 0; i < parts->room; i++)
		pg_atomic_init_u64(&parts->list[i].lines, 0);
	shared_tempfile_create(&parts->files, segment);
}

void
parts_attach(SharedParts *parts, dsm_segment *segment)
{
	shared_tempfile_attach(&parts->files, segment);
}

static void
tell_change(SharedParts *parts)
{
	(void) pg_atomic_fetch_add_u32(&parts->changes, 1);
	ConditionVariableBroadcast(&parts->changed);
}

/* Waits until there is a change beyond those seen, for a fifth of a second at most: a process may die without notice. */
static void
wait_for_change(SharedParts *parts, uint32 seen)
{
	ConditionVariablePrepareToSleep(&parts->changed);
	if (pg_atomic_read_u32(&parts->changes) == seen)
		(void) ConditionVariableTimedSleep(&parts->changed, 200, PG_WAIT_EXTENSION);
	ConditionVariableCancelSleep();
}

/* ---------- where the leader is ---------- */

static const char *
part_name(char *name, const char *kind, int file, uint32 number)
{
	snprintf(name, NAMEDATALEN, "%s.%d.%u", kind, file, number);
	return name;
}

/* Lets the others know where the streams stand at the beginning of a part, where the leader has come to. */
static void
publish(Import *import, int file, uint32 number, const L4Source *source)
{
	SharedParts *parts = import->parts;
	StringInfoData points;
	char		name[NAMEDATALEN];

	initStringInfo(&points);
	source_put_points(source, &points);
	shared_tempfile_put(&parts->files, part_name(name, "state", file, number), (L4Bytes) {points.data, points.len});
	pfree(points.data);
	SpinLockAcquire(&parts->lock);
	parts->merged = number;
	parts->next = Max(parts->next, number);
	parts->open = true;
	SpinLockRelease(&parts->lock);
	tell_change(parts);
}

/* The same soon after the beginning of the file, so that the others need not wait for the whole first part. */
static void
publish_first(Import *import, const L4Source *source)
{
	import->tells_first = false;
	publish(import, import->parts->file, 0, source);
}

/* ---------- feeding ---------- */

/*
 * Feeds from where the source is until it stops at the first record behind the boundary. limit: gives up there; 0 for none.
 * counts: the bytes count as read.
 */
static FeedResult
feed_until(Import *import, L4FileReader *reader, L4Source *source, const char *name, int64 boundary, int64 limit, bool counts)
{
	char	   *buffer = palloc(READ_BYTES);
	FeedResult	result = FEED_FAILED;
	bool		asked = false;

	if (!files_seek(reader, source_bytes(source)))
		return FEED_FAILED;
	while (limit == 0 || source_bytes(source) < limit)
	{
		int64		at = source_bytes(source);
		int64		room = READ_BYTES - at % READ_BYTES;
		ssize_t		got;

		if (!asked && at >= boundary)
		{
			source_stop(source);
			asked = true;
		}
		got = files_read(reader, buffer, asked ? room : Min(room, boundary - at));
		result = got == 0 ? FEED_END : FEED_FAILED;
		if (got <= 0)
			break;
		source_feed(source, buffer, got);
		if (counts)
			import_count_bytes(import, source_bytes(source) - at);
		if (counts && import->tells_first && source_bytes(source) >= Min(FIRST_BYTES, import->shared->part_bytes / 16))
			publish_first(import, source);
		import_progress(import, name);
		result = FEED_STOPPED;
		if (source_stopped(source))
			break;
		result = FEED_FAILED;
	}
	pfree(buffer);
	return result;
}

L4Bytes
parts_first_bytes(L4FileReader *reader)
{
	char	   *data = palloc(L4_SAMPLE_BYTES);
	L4Bytes		bytes = {data, files_read_at(reader, data, L4_SAMPLE_BYTES, 0)};

	return bytes;
}

/* ---------- reading ahead ---------- */

static int64
count_lines(L4FileReader *reader, int64 from, int64 to)
{
	char	   *buffer = palloc(READ_BYTES);
	int64		lines = 0;

	while (from < to)
	{
		size_t		got = files_read_at(reader, buffer, Min(READ_BYTES, to - from), from);
		const char *at = buffer;

		if (got == 0)
			break;
		while ((at = memchr(at, '\n', buffer + got - at)) != NULL)
		{
			at++;
			lines++;
		}
		from += got;
	}
	pfree(buffer);
	return lines;
}

/* Ends of lines before a part; what nobody has counted yet is counted. */
static int64
lines_before(SharedParts *parts, L4FileReader *reader, uint32 number, int64 part_bytes)
{
	int64		lines = 0;
	uint32		i;

	for (i = 0; i < number; i++)
	{
		uint64		known = pg_atomic_read_u64(&parts->list[i].lines);

		if (known == 0)
		{
			known = 1 + (uint64) count_lines(reader, i * part_bytes, (i + 1) * part_bytes);
			pg_atomic_write_u64(&parts->list[i].lines, known);
		}
		lines += (int64) known - 1;
	}
	return lines;
}

/* Some way before a place, where a line begins. */
static int64
lead_of(L4FileReader *reader, int64 start, int64 part_bytes)
{
	int64		from = start - Min(LEAD_BYTES, part_bytes);
	char	   *buffer = palloc(start - from);
	size_t		got = files_read_at(reader, buffer, start - from, from);
	const char *found = from > 0 ? memchr(buffer, '\n', got) : NULL;
	int64		lead = found != NULL ? from + (found + 1 - buffer) : from;

	pfree(buffer);
	return lead;
}

/* The number of a line that begins at `lead`, some way before a part. */
static int64
line_at(SharedParts *parts, L4FileReader *reader, uint32 number, int64 lead, int64 part_bytes)
{
	if (!files_is_plain(reader))
		return 1 + files_lines_before(reader, lead);
	return 1 + lines_before(parts, reader, number, part_bytes) - count_lines(reader, lead, number * part_bytes);
}

static void
close_ahead(Import *import)
{
	if (import->ahead.reader != NULL)
		files_close(import->ahead.reader);
	import->ahead = (AheadFile) {-1, NULL, NULL, 0};
}

/* Opens the file of a part, unless it is open; false where it has no parts any more. */
static bool
open_ahead(Import *import, int number)
{
	AheadFile  *file = &import->ahead;
	L4File		listed;
	char	   *name;
	int64		size;

	if (file->reader != NULL && file->number == number)
		return true;
	close_ahead(import);
	listed = import_listed_file(import->shared, number);
	file->number = number;
	file->reader = files_open(&listed);
	if (files_has_places(file->reader) && files_next_member(file->reader, &name, &size, &file->modified_at))
	{
		file->name = name;
		return true;
	}
	close_ahead(import);
	return false;
}

/* Reads a part into out; false where it cannot be had this way. */
static bool
read_part(Import *import, const Ahead *ahead, StringInfo out)
{
	SharedParts *parts = import->parts;
	L4FileReader *reader = import->ahead.reader;
	const char *name = import->ahead.name;
	int64		part_bytes = import->shared->part_bytes;
	int64		start = ahead->number * part_bytes;
	char		state[NAMEDATALEN];
	L4Bytes		points = shared_tempfile_get(&parts->files, part_name(state, "state", ahead->file, ahead->known));
	int64		lead;
	L4Source   *source;

	if (points.data == NULL)
		return false;
	lead = lead_of(reader, start, part_bytes);
	source = source_part_begin(import->sources, name, import->ahead.modified_at, parts_first_bytes(reader), points, lead,
							   line_at(parts, reader, ahead->number, lead, part_bytes));
	if (feed_until(import, reader, source, name, start, start + part_bytes, false) != FEED_STOPPED ||
		source_bytes(source) >= start + part_bytes)
		return false;
	source_part_start(source);
	if (feed_until(import, reader, source, name, start + part_bytes, start + 3 * part_bytes + OVERRUN_BYTES, false) !=
		FEED_STOPPED)
		return false;
	source_part_put(source, out);
	return true;
}

/* Says what became of a part, unless the leader has gone on to another file. */
static void
report_part(SharedParts *parts, const Ahead *ahead, PartState state)
{
	SpinLockAcquire(&parts->lock);
	if (parts->file == ahead->file)
		parts->list[ahead->number].state = state;
	SpinLockRelease(&parts->lock);
	tell_change(parts);
}

static bool
take_part(Import *import, Ahead *ahead)
{
	SharedParts *parts = import->parts;
	bool		taken;

	SpinLockAcquire(&parts->lock);
	/* the last part is the leader's: only the leader reads what follows the end of the file */
	taken = parts->open && !parts->members && parts->next + 1 < parts->count &&
		parts->next <= parts->merged + WINDOW * import->shared->processes;
	if (taken)
	{
		ahead->file = parts->file;
		ahead->number = parts->next++;
		ahead->known = parts->merged;
		parts->list[ahead->number].state = PART_TAKEN;
		parts->list[ahead->number].taker = MyProcPid;
		parts->list[ahead->number].early = parts->merged == 0;
	}
	SpinLockRelease(&parts->lock);
	return taken;
}

/*
 * Where there is no part to be taken now: a compressed file stays open as long as there may be others, since whoever opens it
 * again must unpack it from its beginning; this waits for them then. False where there are none to wait for.
 */
static bool
wait_or_close(Import *import)
{
	SharedParts *parts = import->parts;
	bool		open;

	if (import->worker == NULL)
		return false;
	SpinLockAcquire(&parts->lock);
	open = parts->open && parts->file == import->ahead.number;
	SpinLockRelease(&parts->lock);
	if (open && import->ahead.reader != NULL && !files_is_plain(import->ahead.reader))
	{
		wait_for_change(parts, import->parts_seen);
		return true;
	}
	close_ahead(import);
	return false;
}

bool
parts_help(Import *import)
{
	MemoryContext context;
	MemoryContext caller;
	Ahead		ahead = {0};
	StringInfoData out;
	char		name[NAMEDATALEN];
	bool		read;

	if (import->parts == NULL)
		return false;
	import->parts_seen = pg_atomic_read_u32(&import->parts->changes);
	if (!take_part(import, &ahead))
		return wait_or_close(import);
	caller = MemoryContextSwitchTo(import->context);
	read = open_ahead(import, ahead.file);
	context = AllocSetContextCreate(import->context, "l4 part ahead", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(context);
	initStringInfo(&out);
	read = read && read_part(import, &ahead, &out);
	if (read)
		shared_tempfile_put(&import->parts->files, part_name(name, "part", ahead.file, ahead.number),
							(L4Bytes) {out.data, out.len});
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	report_part(import->parts, &ahead, read ? PART_READY : PART_GIVEN_UP);
	return true;
}

bool
parts_wait(Import *import)
{
	SharedParts *parts = import->parts;

	if (parts == NULL || parts->ended)
		return false;
	wait_for_change(parts, import->parts_seen);
	return true;
}

void
parts_end(Import *import)
{
	if (import->parts == NULL)
		return;
	import->parts->ended = true;
	tell_change(import->parts);
}

/* ---------- the leader ---------- */

/* The state of the part that comes next. Where nobody has taken it, it is the leader's own from now on (PART_GIVEN_UP). */
static PartState
claim_part(Import *import, uint32 number)
{
	SharedParts *parts = import->parts;
	PartState	state = PART_GIVEN_UP;
	int			taker = 0;

	SpinLockAcquire(&parts->lock);
	if (number >= parts->next)
		parts->next = number + 1;
	else
	{
		state = parts->list[number].state;
		taker = parts->list[number].taker;
	}
	SpinLockRelease(&parts->lock);
	if (state == PART_FREE || (state == PART_TAKEN && !workers_runs(import->workers, taker)))
		state = PART_GIVEN_UP;
	return state;
}

/* The part that comes next, once it is ready; false where it must be read in order. */
static bool
part_ready(Import *import, uint32 number, const char *name)
{
	PartState	state;
	uint32		seen = pg_atomic_read_u32(&import->parts->changes);

	while ((state = claim_part(import, number)) == PART_TAKEN)
	{
		import_progress(import, name);
		if (!parts_help(import))
			wait_for_change(import->parts, seen);
		CHECK_FOR_INTERRUPTS();
		seen = pg_atomic_read_u32(&import->parts->changes);
	}
	return state == PART_READY;
}

/*
 * Counts parts that had to be read again one after the other, unless little was known for them; closes the file to the others
 * where there are too many.
 */
static void
note_merge(SharedParts *parts, uint32 number, bool merged)
{
	SpinLockAcquire(&parts->lock);
	if (merged)
		parts->failures = 0;
	else if (!parts->list[number].early)
		parts->failures++;
	if (parts->failures >= FAILURE_LIMIT)
		parts->open = false;
	SpinLockRelease(&parts->lock);
}

/* Takes in all parts that follow where the source was cut, as far as they are ready and right. */
static void
take_parts(Import *import, int file, L4Source *source, const char *name)
{
	SharedParts *parts = import->parts;
	int64		part_bytes = import->shared->part_bytes;

	for (;;)
	{
		int64		at = source_bytes(source);
		uint32		number = (uint32) (at / part_bytes);
		char		file_name[NAMEDATALEN];
		L4Bytes		bytes;
		bool		merged;

		if (number >= parts->count || parts->failures >= FAILURE_LIMIT)
			return;
		publish(import, file, number, source);
		if (number + 1 == parts->count || !part_ready(import, number, name))
			return;
		bytes = shared_tempfile_get(&parts->files, part_name(file_name, "part", file, number));
		shared_tempfile_delete(&parts->files, file_name);
		merged = bytes.data != NULL && source_merge_part(source, bytes);
		if (bytes.data != NULL)
			pfree(unconstify(char *, bytes.data));
		elog(DEBUG1, "part %u of \"%s\", read ahead, is %s", number, name, merged ? "taken in" : "read again");
		note_merge(parts, number, merged);
		if (!merged)
			return;
		import_count_bytes(import, source_bytes(source) - at);
	}
}

/* Opens the parts of a file; they can be taken once it is known where the streams stand. */
static void
share_file(Import *import, int number, L4FileReader *reader)
{
	SharedParts *parts = import->parts;
	uint32		i;

	SpinLockAcquire(&parts->lock);
	parts->open = false;
	parts->file = number;
	parts->count = parts->room;
	if (files_is_plain(reader))
		parts->count = part_count(import->shared->list[number].size, import->shared->part_bytes);
	parts->next = 1;
	parts->merged = 0;
	parts->failures = 0;
	SpinLockRelease(&parts->lock);
	for (i = 0; i < parts->count; i++)
	{
		parts->list[i].state = PART_FREE;
		pg_atomic_write_u64(&parts->list[i].lines, 0);
	}
}

void
parts_unshare(Import *import)
{
	SharedParts *parts = import->parts;

	SpinLockAcquire(&parts->lock);
	parts->open = parts->members = false;
	parts->file = -1;
	SpinLockRelease(&parts->lock);
	tell_change(parts);
}

/* Are the parts of a file of the list, or its members, shared by this process? */
static bool
shares(const Import *import, int number)
{
	return import->parts != NULL && import->worker == NULL && number < (int) import->shared->large_count;
}

const char *
parts_import(Import *import, const AheadFile *file, L4Source *source)
{
	L4FileReader *reader = file->reader;
	const char *name = file->name;
	int64		part_bytes = import->shared->part_bytes;
	bool		shared = shares(import, file->number);
	FeedResult	result;

	if (shared)
	{
		share_file(import, file->number, reader);
		import->ahead = *file;
	}
	import->tells_first = shared && source_bytes(source) == 0;
	while ((result = feed_until(import, reader, source, name, (source_bytes(source) / part_bytes + 1) * part_bytes, 0, true)) ==
		   FEED_STOPPED)
	{
		source_cut(source);
		if (shared)
			take_parts(import, file->number, source, name);
	}
	import->tells_first = false;
	if (!files_is_plain(reader))
		import->bytes += source_bytes(source);
	if (shared)
	{
		parts_unshare(import);
		import->ahead = (AheadFile) {-1, NULL, NULL, 0};
	}
	return result == FEED_FAILED ? files_error(reader) : NULL;
}

/* ---------- members of an archive ---------- */

bool
parts_share_members(Import *import, int number)
{
	SharedParts *parts = import->parts;
	uint32		i;

	if (!shares(import, number))
		return false;
	for (i = 0; i < parts->room; i++)
		parts->list[i].state = PART_FREE;
	SpinLockAcquire(&parts->lock);
	parts->open = parts->members = true;
	parts->file = number;
	parts->waiting = 0;
	parts->archives++;
	SpinLockRelease(&parts->lock);
	tell_change(parts);
	return true;
}

int
parts_next_archive(Import *import)
{
	SharedParts *parts = import->parts;
	int			number = -1;

	if (parts == NULL || import->worker == NULL)
		return -1;
	SpinLockAcquire(&parts->lock);
	if (parts->open && parts->members && parts->archives != import->archives_seen)
	{
		number = parts->file;
		import->archives_seen = parts->archives;
	}
	SpinLockRelease(&parts->lock);
	return number;
}

bool
parts_wait_for_room(Import *import, int number)
{
	SharedParts *parts = import->parts;

	for (;;)
	{
		uint32		seen = pg_atomic_read_u32(&parts->changes);
		bool		open;
		bool		room;

		SpinLockAcquire(&parts->lock);
		open = parts->open && parts->file == number;
		room = parts->waiting < WINDOW * import->shared->processes;
		SpinLockRelease(&parts->lock);
		if (!open || room)
			return open;
		wait_for_change(parts, seen);
		CHECK_FOR_INTERRUPTS();
	}
}

bool
parts_claim_member(Import *import, int number, uint32 member)
{
	SharedParts *parts = import->parts;
	bool		claimed = false;

	if (member >= parts->room)
		return import->worker == NULL;
	SpinLockAcquire(&parts->lock);
	if (parts->file == number && parts->list[member].state == PART_FREE)
	{
		parts->list[member].state = PART_TAKEN;
		parts->list[member].taker = MyProcPid;
		claimed = true;
	}
	SpinLockRelease(&parts->lock);
	return claimed;
}

void
parts_give_member(Import *import, int number, uint32 member, const StringInfoData *out)
{
	SharedParts *parts = import->parts;
	char		name[NAMEDATALEN];

	if (out != NULL)
		shared_tempfile_put(&parts->files, part_name(name, "part", number, member), (L4Bytes) {out->data, out->len});
	SpinLockAcquire(&parts->lock);
	if (parts->file == number)
	{
		parts->list[member].state = out != NULL ? PART_READY : PART_GIVEN_UP;
		parts->waiting++;
	}
	SpinLockRelease(&parts->lock);
	tell_change(parts);
}

bool
parts_member_done(Import *import, int number, uint32 member, L4Bytes *bytes)
{
	SharedParts *parts = import->parts;
	char		name[NAMEDATALEN];
	PartState	state;
	int			taker;

	SpinLockAcquire(&parts->lock);
	state = parts->list[member].state;
	taker = parts->list[member].taker;
	if (state != PART_TAKEN)
		parts->waiting--;
	SpinLockRelease(&parts->lock);
	if (state == PART_TAKEN && workers_runs(import->workers, taker))
		return false;
	*bytes = (L4Bytes) {NULL, 0};
	if (state == PART_READY)
	{
		*bytes = shared_tempfile_get(&parts->files, part_name(name, "part", number, member));
		shared_tempfile_delete(&parts->files, name);
	}
	tell_change(parts);
	return true;
}

uint32
parts_changes(const Import *import)
{
	return pg_atomic_read_u32(&import->parts->changes);
}

void
parts_wait_for_change(Import *import, uint32 seen)
{
	wait_for_change(import->parts, seen);
}
