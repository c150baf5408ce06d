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

#endif							/* L4_IMPORT_FILE_H */
