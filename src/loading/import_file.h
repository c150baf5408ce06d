/*
 * import_file.h: one file of an import.
 */
#ifndef L4_IMPORT_FILE_H
#define L4_IMPORT_FILE_H

#include "doors/store_files.h"
#include "loading/import_call.h"

/*
 * Takes in one file of the list in the open transaction, which has locked it, unless it is known as it is; SPI is connected.
 * What cannot be read is a warning and a row.
 */
extern void import_file(Import *import, int number, const L4KnownFile *known);

/*
 * The first whole time that stands in the beginnings of the first files of a list, or of their first members; 0 where none has
 * one. What cannot be read is passed over. zone: for times without one.
 */
extern TimestampTz import_told_time(const List *files, pg_tz *zone);

#endif							/* L4_IMPORT_FILE_H */
