/*
 * frame_time.h: the digits of a time inside a line's head, replaced by marks and put back from the time itself.
 */
#ifndef L4_FRAME_TIME_H
#define L4_FRAME_TIME_H

#include "ground/l4.h"
#include "lib/stringinfo.h"

/*
 * Copies frame to out with the digits of its time (text, a span of frame) replaced by marks, such that frame_time_expand with this time and the offset given back
 * yields the frame byte by byte. False where the text is of no known form or does not say exactly this time. offset: seconds to add to the time before its digits are
 * written; on entry the one to try first.
 */
extern bool frame_time_reduce(StringInfo out, L4Bytes frame, L4Bytes text, TimestampTz time, int *offset);

/* Appends the reduced frame with the marks written out. Any byte that is a mark is written as a digit. */
extern void frame_time_expand(StringInfo out, L4Bytes reduced, TimestampTz time, int offset);

#endif							/* L4_FRAME_TIME_H */
