/*
 * import_parts.h: large plain files in parts, by one process or by all of a call.
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

/*
 * Feeds a plain file to its source, cut where parts of part_bytes begin. Where the file is shared (number: in the list), the
 * workers read parts of it ahead. Returns why it could not be read to its end, or NULL.
 */
extern const char *parts_import(Import *import, int number, L4FileReader *reader, L4Source *source, const char *name);

/* Reads a part of the leader's file ahead, if there is one to be read. */
extern bool parts_help(Import *import);
/* Waits for such parts for a while; false once there will be none. */
extern bool parts_wait(Import *import);
/* The leader has no more files to share. */
extern void parts_end(Import *import);

#endif							/* L4_IMPORT_PARTS_H */
