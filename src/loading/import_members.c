/*
 * import_members.c: the members of an archive, by one process or by all of a call.
 *
 * An archive is one transaction of the leader's, and its members stand one behind the other. Where it is a large share of all
 * files, the workers go through it too, each by itself: to unpack it costs a fraction of what becomes of its lines. Who comes
 * to a member first reads it; what a worker reads the leader takes in as it takes in a part of a large file (import_parts.c),
 * and writes. So nothing is lost with a worker, and the rows are those of one process. Small members, which share rows, are the
 * leader's.
 */
#include "loading/import_members.h"

#include "miscadmin.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "loading/import_parts.h"

/* Larger members are the leader's: what a worker makes of one is kept in memory, and no more than this. */
#define MEMBER_BYTES (INT64CONST(1024) * 1024 * 1024)
#define KEPT_BYTES (64 * 1024 * 1024)

/* ---------- names ---------- */

/* How often a path was seen in an archive. */
typedef struct SeenSource
{
	int64		source_id;
	int			count;
} SeenSource;

struct MemberWalk
{
	L4FileReader *reader;
	HTAB	   *seen;
	uint32		count;
};

MemberWalk *
members_begin(L4FileReader *reader)
{
	MemberWalk *walk = palloc0(sizeof(MemberWalk));
	HASHCTL		control = {0};

	control.keysize = sizeof(int64);
	control.entrysize = sizeof(SeenSource);
	control.hcxt = CurrentMemoryContext;
	walk->reader = reader;
	walk->seen = hash_create("l4 members", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	return walk;
}

/* Is the name new? Returns what is known of it. */
static SeenSource *
see(HTAB *seen, const char *name, bool *is_new)
{
	int64		id = source_id_of(name);
	bool		found;
	SeenSource *entry = hash_search(seen, &id, HASH_ENTER, &found);

	if (!found)
		entry->count = 1;
	*is_new = !found;
	return entry;
}

/* An archive may hold one path several times: the second and later ones get their number behind it. */
static const char *
unique_source(HTAB *seen, const char *source)
{
	bool		is_new;
	SeenSource *first = see(seen, source, &is_new);
	const char *name = source;

	while (!is_new)
	{
		name = psprintf("%s (%d)", source, ++first->count);
		(void) see(seen, name, &is_new);
	}
	return name;
}

bool
members_next(MemberWalk *walk, Member *member)
{
	char	   *source;

	if (!files_next_member(walk->reader, &source, &member->size, &member->modified_at))
		return false;
	member->number = walk->count++;
	member->name = unique_source(walk->seen, source);
	return true;
}

/* May a worker read it? */
static bool
is_shareable(const Member *member)
{
	return member->size >= L4_SAMPLE_BYTES && member->size <= MEMBER_BYTES;
}

/* ---------- a worker ---------- */

/* Reads a member into out; false where the leader must. */
static bool
read_member(Import *import, L4FileReader *reader, const Member *member, StringInfo out)
{
	char	   *buffer = palloc(READ_BYTES);
	L4Source   *source = source_whole_begin(import->sources, member->name, member->modified_at);
	ssize_t		got;

	while ((got = files_read(reader, buffer, READ_BYTES)) > 0)
	{
		source_feed(source, buffer, got);
		import_progress(import, member->name);
		/* what becomes of an export may come all at its end */
		if (source_whole_size(source) > KEPT_BYTES || source_is_export(source))
			return false;
	}
	return got == 0 && files_remark(reader) == NULL && source_whole_put(source, out);
}

/* Reads one that was claimed, and hands it over. */
static void
help_with(Import *import, int file, L4FileReader *reader, const Member *member)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "l4 member ahead", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	StringInfoData out;
	bool		read;

	initStringInfo(&out);
	read = read_member(import, reader, member, &out);
	parts_give_member(import, file, member->number, read ? &out : NULL);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}

bool
members_help(Import *import)
{
	int			number = parts_next_archive(import);
	MemoryContext context;
	MemoryContext caller;
	L4File		file;
	L4FileReader *reader;
	MemberWalk *walk;
	Member		member;

	if (number < 0)
		return false;
	context = AllocSetContextCreate(import->context, "l4 members ahead", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(context);
	file = import_listed_file(import->shared, number);
	reader = files_open(&file);
	walk = members_begin(reader);
	while (parts_wait_for_room(import, number) && members_next(walk, &member))
		if (is_shareable(&member) && parts_claim_member(import, number, member.number))
			help_with(import, number, reader, &member);
	files_close(reader);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	return true;
}

/* ---------- the leader ---------- */

struct MemberShare
{
	Import	   *import;
	int			number;
	List	   *others;			/* Member: read by workers, not taken in yet */
};

MemberShare *
members_share(Import *import, int number, L4FileReader *reader)
{
	MemberShare *share;

	if (!files_is_archive(reader) || !parts_share_members(import, number))
		return NULL;
	share = palloc0(sizeof(MemberShare));
	share->import = import;
	share->number = number;
	return share;
}

bool
members_claim(MemberShare *share, const Member *member)
{
	Member	   *other;

	if (!is_shareable(member) || parts_claim_member(share->import, share->number, member->number))
		return true;
	other = palloc(sizeof(Member));
	*other = *member;
	share->others = lappend(share->others, other);
	return false;
}

bool
members_take(MemberShare *share, bool wait, Member *member, L4Bytes *bytes)
{
	ListCell   *cell;

	do
	{
		uint32		seen = parts_changes(share->import);

		foreach(cell, share->others)
		{
			*member = *(Member *) lfirst(cell);
			if (!parts_member_done(share->import, share->number, member->number, bytes))
				continue;
			share->others = foreach_delete_current(share->others, cell);
			return true;
		}
		if (wait && share->others != NIL)
		{
			import_progress(share->import, ((Member *) linitial(share->others))->name);
			parts_wait_for_change(share->import, seen);
			CHECK_FOR_INTERRUPTS();
		}
	} while (wait && share->others != NIL);
	return false;
}

void
members_end(MemberShare *share)
{
	parts_unshare(share->import);
}
