/*
 * record.h: bytes of a file to records: lines split, continuation lines folded in.
 */
#ifndef L4_RECORD_H
#define L4_RECORD_H

#include "ground/l4.h"
#include "algorithms/header.h"
#include "algorithms/place.h"

/* No record's message is longer: what is longer goes on as a further record. */
#define L4_RECORD_BYTES (1024 * 1024)

/* One record as it leaves the assembler. All spans live until the sink returns. */
typedef struct L4RawRecord
{
	int64		line_no;		/* 1-based number of its first line; lines end at \n */
	int			line_part;			/* 0 for the first record that begins on that line, 1 for the next, ... */
	int64		last_line_no;
	/* bytes of that line (of its part, where it was too long for one) that stand before the record */
	size_t		before;
	int			line_count;		/* how many lines it has */
	bool		rest;			/* goes on with a line that was too long for one record */
	bool		cut;			/* the end of the input stands where the line's end should: the line may go on */
	L4Header	header;			/* of its first line; spans point into frame */
	L4Bytes		frame;			/* per line: prefixes (and header), terminator */
	L4Bytes		message;		/* the lines without them, joined by \n */
} L4RawRecord;

/* What is known of a line besides its bytes: counts where the line's own header says nothing. */
typedef struct L4LineFacts
{
	bool		has_time;
	TimestampTz time;
	L4Level		level;
	const L4Place *place;		/* where it is from, or NULL; stays as long as the assembler */
} L4LineFacts;

/* Where a record begins: what it takes to go on there. */
typedef struct L4RecordStart
{
	int64		line_no;
	int			line_part;
	size_t		before;
} L4RecordStart;

typedef void (*L4RecordSink) (const L4RawRecord *record, void *argument);

typedef struct L4RecordAssembler L4RecordAssembler;

/* Everything lies in the current memory context. */
extern L4RecordAssembler *record_assembler_create(L4HeaderParser *parser, L4RecordSink sink, void *argument);
/*
 * Takes the next bytes of the file; calls the sink for each record that is complete. Returns how many were taken: all of them,
 * unless it stopped (record_assembler_stop) at the beginning of a line: then those before the line, a negative number where it
 * began before these bytes. All records so far are complete then.
 */
extern int64 record_assembler_feed(L4RecordAssembler *assembler, const char *bytes, size_t size);
/*
 * Feeding is to stop before the first record that begins with a line that is still to come. Where that is depends on the bytes
 * alone, not on how they are fed.
 */
extern void record_assembler_stop(L4RecordAssembler *assembler);
extern bool record_assembler_stopped(const L4RecordAssembler *assembler);
/* The number of the next line, where no line is under way and no record open. */
extern void record_assembler_set_line(L4RecordAssembler *assembler, int64 line_no);
/* Goes on where a record begins, as if all before it had been fed. Before the first bytes. */
extern void record_assembler_resume(L4RecordAssembler *assembler, const L4RecordStart *start);
/* Where the next record would begin: after the end, or where nothing is pending. */
extern L4RecordStart record_assembler_next(const L4RecordAssembler *assembler);
/*
 * Says of the line that the next bytes begin which number it has (one that is lower than the next means the next) and what else
 * is known of it. Between lines only.
 */
extern void record_assembler_line(L4RecordAssembler *assembler, int64 line_no, const L4LineFacts *facts);
/* Takes the end of the file: what is left becomes the last record. */
extern void record_assembler_end(L4RecordAssembler *assembler);
extern int64 record_assembler_lines(const L4RecordAssembler *assembler);

/*
 * In a frame, between a line's prefix and its terminator: what a collector put behind what a program wrote. The message has
 * that text; in the line it stands as a string of JSON, in the style (json_text.h) that a letter from 'a' on says, or, with the
 * letter L4_FRAME_PLAIN, as it is. Then comes how many bytes of the prefix are the collector's, and a colon. No line begins
 * with this mark behind a carriage return.
 */
#define L4_FRAME_BEHIND "\r\x1f"
#define L4_FRAME_PLAIN '-'

#endif							/* L4_RECORD_H */
