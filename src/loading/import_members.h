/*
 * import_members.h: the members of an archive, by one process or by all of a call.
 */
#ifndef L4_IMPORT_MEMBERS_H
#define L4_IMPORT_MEMBERS_H

#include "loading/import_call.h"

/* Steps through the members of a file, each under a name of its own. Lies in the current memory context. */
typedef struct MemberWalk MemberWalk;

typedef struct Member
{
	uint32		number;			/* from 0 */
	const char *name;
	int64		size;			/* as the archive says; -1 where it does not */
	TimestampTz modified_at;
} Member;

extern MemberWalk *members_begin(L4FileReader *reader);
extern bool members_next(MemberWalk *walk, Member *member);

/* Reads members of the leader's archive beside it, if it shares one that this process has not gone through yet. */
extern bool members_help(Import *import);

/* What the leader shares of an archive. */
typedef struct MemberShare MemberShare;

/*
 * Lets the workers read members of the archive that is next; NULL where there is nobody to do so, or it is none. number: in the
 * list.
 */
extern MemberShare *members_share(Import *import, int number, L4FileReader *reader);
/* Is the member the leader's to read? If not, a worker does, and it is asked for with members_take. */
extern bool members_claim(MemberShare *share, const Member *member);
/*
 * The next member that a worker has read, in any order; false where none is ready, or, where `wait` is set, none is left.
 * bytes: for source_merge_whole; data NULL where the worker could not read it, and the leader must.
 */
extern bool members_take(MemberShare *share, bool wait, Member *member, L4Bytes *bytes);
extern void members_end(MemberShare *share);

#endif							/* L4_IMPORT_MEMBERS_H */
