/*
 * frame_time.h: the digits of a time inside a line's head, replaced by marks and put back from the time itself.
 */
#ifndef L4_FRAME_TIME_H
#define L4_FRAME_TIME_H

#include "ground/l4.h"
#include "lib/stringinfo.h"

/* Where the digits of a time of a known form stand. */
typedef struct L4TimeLayout
{
	uint8		size;			/* of the text up to its last digit of seconds or fraction; 0 where the form is not known */
	uint8		hour;			/* where hh:mm:ss begins */
	uint8		fraction;		/* digits of the fraction, up to 6 */
	bool		parted;			/* it is written 123.456 */
} L4TimeLayout;

/* How the digits of a time's text follow from the time, where that has been shown already. */
typedef struct L4TimeForm
{
	/* 0: not shown. Texts of one form are equal but for the digits of their seconds; see time_cache_parse */
	int			form;
	int			offset;
	int			size;			/* of the text up to the last digit that follows */
} L4TimeForm;

/* The layout of a time's text; false where it is of no known form. Texts that differ in digits alone have the same. */
extern bool frame_time_layout(L4Bytes text, L4TimeLayout *layout);

/*
 * The seconds to add to the time so that its digits are those of the text, which must be of a known form; tries *offset first.
 * False where there are none.
 */
extern bool frame_time_offset(L4Bytes text, TimestampTz time, int *offset);

/*
 * Copies frame to out with the digits of its time (text, a span of frame) replaced by marks, such that frame_time_expand with
 * this time and the offset given back yields the frame byte by byte. False where the text is of no known form or does not say
 * exactly this time. offset: seconds to add to the time before its digits are written; on entry the one to try first.
 */
extern bool frame_time_reduce(StringInfo out, L4Bytes frame, L4Bytes text, TimestampTz time, int *offset);

/* Appends the reduced frame with the marks written out. Any byte that is a mark is written as a digit. */
extern void frame_time_expand(StringInfo out, L4Bytes reduced, TimestampTz time, int offset);

/* Does a byte of a reduced frame stand for a digit? */
extern bool frame_time_is_mark(unsigned char byte);

#endif							/* L4_FRAME_TIME_H */
