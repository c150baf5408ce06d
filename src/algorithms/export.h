/*
 * export.h: files in which a log collector, or somebody who gathered the logs of many hosts, keeps lines in another form than a
 * line each: documents of JSON, tables, blocks of fields, sections, the newest first.
 */
#ifndef L4_EXPORT_H
#define L4_EXPORT_H

#include "ground/l4.h"
#include "algorithms/envelope.h"
#include "lib/stringinfo.h"

typedef struct L4Export L4Export;

/*
 * Learns from the first bytes of a file how it keeps lines; NULL where it has each as it is. Lies in the current memory
 * context. lines: receives the sample as lines. Cost: that of reading the sample a few times, where it begins like one.
 */
extern L4Export *export_learn(L4Bytes sample, const L4EnvelopeAsk *ask, StringInfo lines);
/* One that has each line as it is, for files that are read backwards. */
extern L4Export *export_of_lines(void);
/*
 * Takes the first unit (a line, a row, a record of a document, what stands around it) of the bytes that come next: returns how
 * many bytes that are, 0 where it does not end in them (with at_end it always does). lines: what it amounts to is appended, as
 * lines with their ends: each an object of JSON with one line that a program wrote, where envelope.h finds it; or, where the
 * unit is not like the others, itself (then the last line may have no end). skipped: blank bytes before the unit. Memory: that
 * of a unit; what is longer than 4 MB is none, and its lines are given as they are.
 */
extern size_t export_take(L4Export *export, L4Bytes bytes, bool at_end, StringInfo lines, size_t *skipped);
/* What is left to tell at the end of the bytes, as lines, of documents that have none. */
extern void export_end(L4Export *export, StringInfo lines);
/* Under which head do the lines come that were given last? Of no bytes where under none; is_path: it names a file. */
extern L4Bytes export_section(const L4Export *export, bool *is_path);
/* May the newest come first? In sections they do not. */
extern bool export_may_descend(const L4Export *export);

#endif							/* L4_EXPORT_H */
