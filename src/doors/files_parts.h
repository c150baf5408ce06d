/*
 * files_parts.h: what files.c and files_read.c share; nobody else includes it.
 */
#ifndef L4_FILES_PARTS_H
#define L4_FILES_PARTS_H

#include "doors/files.h"
#include "lib/stringinfo.h"

extern void files_append_name(StringInfo text, const char *name, size_t size);
extern char *files_name_text(const char *name);
extern TimestampTz files_timestamp(int64 seconds, long nanoseconds, TimestampTz otherwise);

#endif							/* L4_FILES_PARTS_H */
