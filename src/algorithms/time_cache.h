/*
 * time_cache.h: times of log lines read by their hour: one that was read a moment ago, and the minutes and seconds.
 */
#ifndef L4_TIME_CACHE_H
#define L4_TIME_CACHE_H

#include "ground/l4.h"
#include "algorithms/frame_time.h"
#include "pgtime.h"

#define L4_TIME_CACHE_SLOTS 4
#define L4_TIME_CACHE_BYTES 40

/* An hour as its text and as a time. */
typedef struct L4Hour
{
	int			form;			/* number of this hour among all, from 1; 0 where there is none */
	uint8		text_size;
	L4TimeLayout layout;
	char		text[L4_TIME_CACHE_BYTES];
	TimestampTz start;
	int			offset;			/* as frame_time_expand needs it to write these digits back */
} L4Hour;

/* Zero it before its first use, and when zone or reference change. */
typedef struct L4TimeCache
{
	int			form_count;		/* goes on over a reset */
	int			next;
	L4Hour		hours[L4_TIME_CACHE_SLOTS];
} L4TimeCache;

/* Does what timestamp_parse does with a text of this layout, and says how its digits follow from the time where it knows. */
extern bool time_cache_parse(L4TimeCache *cache, L4TimeLayout layout, L4Bytes text, pg_tz *zone, TimestampTz reference,
							TimestampTz *time, L4TimeForm *form);

/* Forgets all hours; no form is given twice. */
extern void time_cache_reset(L4TimeCache *cache);

#endif							/* L4_TIME_CACHE_H */
