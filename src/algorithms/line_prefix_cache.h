/*
 * line_prefix_cache.h: recent line prefixes, found again by a line whose prefix differs from one of them in digits alone.
 */
#ifndef L4_LINE_PREFIX_CACHE_H
#define L4_LINE_PREFIX_CACHE_H

#include "ground/l4.h"
#include "algorithms/pattern_walk.h"

/* Positions of digits where a match may depend on which digit it is ("20\d\d"); with more it is not remembered. */
#define L4_LINE_PREFIX_FIXED 8

/* Which bytes of a text the patterns tried on it ask for. Zero it, then add the patterns. */
typedef struct L4LinePrefixTrace
{
	L4Bytes		text;
	int			extent;			/* they are all before this position */
	bool		end;			/* where the text ends is asked for too */
	bool		failed;			/* not known, or too far */
	int			fixed_count;	/* positions of digits that must be one of some, */
	uint8		fixed[L4_LINE_PREFIX_FIXED];
	uint16		digits[L4_LINE_PREFIX_FIXED];	/* and of which: a bit for each */
} L4LinePrefixTrace;

/*
 * Adds what one pattern, matched at the beginning of the text, asks for on any way a match of it can take. alternatives: it may
 * have a bar outside of all groups.
 */
extern void line_prefix_trace_add(L4LinePrefixTrace *trace, const char *pattern, bool alternatives);

/* Adds that the byte at a position, or the end there, is asked for. */
extern void line_prefix_trace_position(L4LinePrefixTrace *trace, int position);

typedef struct L4LinePrefixCache L4LinePrefixCache;

/* An empty cache in the current memory context: some 400 kB. */
extern L4LinePrefixCache *line_prefix_cache_create(void);
extern void line_prefix_cache_reset(L4LinePrefixCache *cache);

/*
 * The number under which a line prefix was kept that this text begins with, or -1. A text for which the number is given back
 * answers every pattern that was traced as the text did for which it was kept: it has the same bytes as far as the patterns
 * asked, but for digits, which they ask for as digits only.
 */
extern int	line_prefix_cache_find(L4LinePrefixCache *cache, L4Bytes text);

/*
 * Keeps the line prefix that was traced and returns its number, from 0 up to L4_LINE_PREFIX_LIMIT - 1, or -1 where it cannot be
 * kept. Where the cache is full it begins anew (numbers from 0).
 */
extern int	line_prefix_cache_keep(L4LinePrefixCache *cache, const L4LinePrefixTrace *trace);
#define L4_LINE_PREFIX_LIMIT 1024

#endif							/* L4_LINE_PREFIX_CACHE_H */
