/*
 * head_memo.h: recent heads of lines, found again by a line whose head differs from one of them in digits alone.
 */
#ifndef L4_HEAD_MEMO_H
#define L4_HEAD_MEMO_H

#include "ground/l4.h"
#include "algorithms/head_walk.h"

/* Digits that a head may hang on as such and not as some digit ("20\d\d"); with more it is not remembered. */
#define L4_HEAD_FIXED 8

/* Which bytes of a text the patterns tried on it ask for. Zero it, then add the patterns. */
typedef struct L4HeadTrace
{
	L4Bytes		text;
	int			extent;			/* they are all before this place */
	bool		end;			/* where the text ends is asked for too */
	bool		failed;			/* not known, or too far */
	int			fixed_count;	/* places of digits that must be this very digit */
	uint8		fixed[L4_HEAD_FIXED];
} L4HeadTrace;

/*
 * Adds what one pattern, matched at the beginning of the text, asks for on any way a match of it can take. alternatives: it may
 * have a bar outside of all groups.
 */
extern void head_trace_add(L4HeadTrace *trace, const char *pattern, bool alternatives);

typedef struct L4HeadMemo L4HeadMemo;

/* An empty memo in the current memory context: some 250 kB. */
extern L4HeadMemo *head_memo_create(void);
extern void head_memo_reset(L4HeadMemo *memo);

/*
 * The number under which a head was kept that this text begins with, or -1. A text for which the number is given back answers
 * every pattern that was traced as the text did for which it was kept: it has the same bytes as far as the patterns asked, but
 * for digits, which they ask for as digits only.
 */
extern int	head_memo_find(L4HeadMemo *memo, L4Bytes text);

/*
 * Keeps the head that was traced and returns its number, from 0 up to L4_HEAD_LIMIT - 1, or -1 where it cannot be kept. Where
 * the memo is full it begins anew (numbers from 0).
 */
extern int	head_memo_keep(L4HeadMemo *memo, const L4HeadTrace *trace);
#define L4_HEAD_LIMIT 1024

#endif							/* L4_HEAD_MEMO_H */
