/*
 * export_private.h: what the files that read exports of log collectors share (export.c, export_documents.c, export_table.c,
 * export_blocks.c, export_sections.c); nobody else includes it.
 */
#ifndef L4_EXPORT_PRIVATE_H
#define L4_EXPORT_PRIVATE_H

#include "algorithms/export.h"

/* A longer unit is none: what was taken for its beginning is broken. */
#define EXPORT_UNIT_BYTES (4 * 1024 * 1024)

/* What a reader of units says where it found none. */
#define EXPORT_MORE ((size_t) 0)		/* the bytes end before it does */
#define EXPORT_BROKEN ((size_t) -1)		/* what stands there is not like the others */

/* The first line of a text, without its end. */
static inline L4Bytes
export_first_line(L4Bytes text)
{
	const char *stop = memchr(text.data, '\n', text.size);

	return (L4Bytes) {text.data, stop != NULL ? (size_t) (stop - text.data) : text.size};
}

/* ---------- export_documents.c: JSON ---------- */

typedef struct L4Documents L4Documents;

/* The paths of the arrays in a sample whose elements may be records, and that of the documents ("") last; how many. */
extern int	documents_paths(L4Bytes sample, L4Bytes *paths, int room);
/* Reads documents whose records are the elements of the array with that path. */
extern L4Documents *documents_create(L4Bytes path);
/* The next unit, as export_take takes it; appends records, and what stands around them and is of none, as objects in a line. */
extern size_t documents_take(L4Documents *documents, L4Bytes bytes, StringInfo out, size_t *skipped);
/* What the objects on the way have told since the last record, of documents that end in their midst. */
extern void documents_end(L4Documents *documents, StringInfo out);
/* Bytes of the record that was appended last that are its own members, and not those around it; 0 where it was none. */
extern size_t documents_own(const L4Documents *documents);
/* So many documents began, and so many line ends stood in them. */
extern int	documents_count(const L4Documents *documents);
extern int64 documents_line_ends(const L4Documents *documents);

/* ---------- export_table.c: CSV ---------- */

typedef struct L4Table L4Table;

/* A table whose first row is a heading; NULL where the sample begins with none. size: of that row. */
extern L4Table *table_create(L4Bytes sample, size_t *size);
/* The next row; appends it as an object in a line. */
extern size_t table_take(const L4Table *table, L4Bytes bytes, bool at_end, StringInfo out);

/* ---------- export_blocks.c: fields of the journal ---------- */

/* Does a sample begin with such a block? */
extern bool blocks_begin(L4Bytes sample);
/* The next block, behind blank lines (skipped bytes); appends it as an object in a line, nothing where there is no more. */
extern size_t blocks_take(L4Bytes bytes, bool at_end, StringInfo out, size_t *skipped);

/* ---------- export_sections.c ---------- */

typedef struct L4Sections L4Sections;

/* Files that hold others one behind the other, each below a head; NULL where a sample does not begin with one. */
extern L4Sections *sections_create(L4Bytes sample, const L4EnvelopeAsk *ask);
/* Do the bytes begin with a head? size: that of its lines, which are of no section; 0 where more bytes are needed to tell. */
extern bool sections_head(L4Sections *sections, L4Bytes bytes, bool at_end, size_t *size);
/* Is the whole file one section, below a head at its beginning? */
extern bool sections_are_one(const L4Sections *sections);
/* Under which head the next lines come; of no bytes where under none, or that of several hosts. */
extern L4Bytes sections_name(const L4Sections *sections, bool *is_path);

#endif							/* L4_EXPORT_PRIVATE_H */
