/*
 * import_parts.h: large files in parts, and what is shared of archives, by one process or by all of a call.
 */
#ifndef L4_IMPORT_PARTS_H
#define L4_IMPORT_PARTS_H

#include "loading/import_call.h"

/*
 * The room that sharing parts of files of up to this size takes behind a SharedImport; 0 where there would be too many parts.
 */
extern Size parts_room(int64 largest, int64 part_bytes);
/* Sets that up. */
extern void parts_create(SharedParts *parts, dsm_segment *segment, int64 largest, int64 part_bytes);
extern void parts_attach(SharedParts *parts, dsm_segment *segment);

/* Does an open file of so many bytes on disk come in parts? */
extern bool parts_apply(const L4FileReader *reader, int64 size, int64 part_bytes);
/* The first bytes of such a file, for source_sample. */
extern L4Bytes parts_first_bytes(L4FileReader *reader);
/*
 * Feeds such a file to its source, which has seen them, cut where parts of part_bytes begin. Where the file is shared, the
 * workers read parts of it ahead. file: its number in the list, its reader, and how the source began. Returns why it could not
 * be read to its end, or NULL.
 */
extern const char *parts_import(Import *import, const AheadFile *file, L4Source *source);

/*
 * Members of an archive (import_members.c). parts_share_members opens that of this number in the list to the workers; false
 * where there are none, or it is not theirs. parts_next_archive is the number of such a one that this process has not gone
 * through, or -1. parts_wait_for_room waits while the leader has much to take in; false once it has ended. Who claims a member
 * reads it. parts_give_member hands over what a worker made of one, NULL where it could not; parts_member_done tells whether
 * that is there, or will never be (data is NULL then).
 */
extern bool parts_share_members(Import *import, int number);
extern void parts_unshare(Import *import);
extern int	parts_next_archive(Import *import);
extern bool parts_wait_for_room(Import *import, int number);
extern bool parts_claim_member(Import *import, int number, uint32 member);
extern void parts_give_member(Import *import, int number, uint32 member, const StringInfoData *out);
extern bool parts_member_done(Import *import, int number, uint32 member, L4Bytes *bytes);
/* How often something changed, and a wait for more than that. */
extern uint32 parts_changes(const Import *import);
extern void parts_wait_for_change(Import *import, uint32 seen);

/* Reads a part of the leader's file ahead, if there is one to be read. */
extern bool parts_help(Import *import);
/* Waits for such parts for a while; false once there will be none. */
extern bool parts_wait(Import *import);
/* The leader has no more files to share. */
extern void parts_end(Import *import);

#endif							/* L4_IMPORT_PARTS_H */
