/*
 * timestamp.h: a time as log lines write it to a TimestampTz.
 */
#ifndef L4_TIMESTAMP_H
#define L4_TIMESTAMP_H

#include "ground/l4.h"
#include "pgtime.h"

/*
 * A whole time in any of the known forms, or an epoch number. zone: for times without one. reference: for times without a year
 * (0 = none).
 */
extern bool timestamp_parse(L4Bytes text, pg_tz *zone, TimestampTz reference, TimestampTz *time);

typedef enum L4TimeKind
{
	L4_TIME_WHOLE,
	L4_TIME_CLOCK,				/* a time of day alone */
	L4_TIME_EPOCH				/* a number since 1970 */
} L4TimeKind;

/*
 * How many bytes the time has that a text begins with, and what kind of time it is; 0 where none does. Nothing that a time has
 * follows it.
 */
extern size_t timestamp_scan(L4Bytes text, L4TimeKind *kind);

/* A date and a time of day that stand apart in the line: date is MMDD, MDD or YYYYMMDD. */
extern bool timestamp_parse_parts(L4Bytes date, L4Bytes clock, pg_tz *zone, TimestampTz reference, TimestampTz *time);

/* A time of day alone (hh:mm:ss with or without a fraction), in microseconds since midnight. */
extern bool timestamp_parse_clock(L4Bytes clock, int64 *time_of_day);

/* The moment nearest to another one at which the clocks of the zone show this time of day; of two, the later one. */
extern TimestampTz timestamp_of_clock(int64 time_of_day, TimestampTz near, pg_tz *zone);

/*
 * Seconds (with or without a fraction), milliseconds, microseconds or nanoseconds since 1970, told apart by the number of
 * digits; or a label of TAI64N without the @ before it.
 */
extern bool timestamp_parse_epoch(L4Bytes text, TimestampTz *time);

#endif							/* L4_TIMESTAMP_H */
