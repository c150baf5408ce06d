/*
 * head_filter.h: which of many patterns can match at the beginning of a text at all, told from its first bytes.
 */
#ifndef L4_HEAD_FILTER_H
#define L4_HEAD_FILTER_H

#include "ground/l4.h"

/*
 * The times with which many headers begin, as patterns. A pattern that begins with "(?<ts>" HEAD_TIME ")" or "(?<ts>"
 * HEAD_ANY_TIME ")", letter by letter, is also studied behind that time. head_time_ends in head_filter.c knows where these may
 * end: change both together.
 */
#define HEAD_CLOCK "\\d\\d:\\d\\d:\\d\\d"
#define HEAD_FRACTION "(?:[.,]\\d{1,9})?"
#define HEAD_TIME "\\d{4}-\\d\\d-\\d\\d[T ]" HEAD_CLOCK HEAD_FRACTION "(?:Z|[+-]\\d\\d:?\\d\\d)?"
#define HEAD_AMERICAN_TIME "\\d\\d/\\d\\d/\\d{4} " HEAD_CLOCK HEAD_FRACTION
#define HEAD_ANY_TIME "(?:" HEAD_TIME "|" HEAD_AMERICAN_TIME ")"

typedef struct L4HeadFilter L4HeadFilter;

/*
 * Studies the patterns (pcre2 syntax, each matched at the beginning of the text). A pattern that it does not understand is
 * always a candidate.
 */
extern L4HeadFilter *head_filter_create(const char *const *patterns, int count);

/* The candidates for a text as a set of bits, in words of 64 (head_filter_words of them). Valid until the next call. */
extern const uint64 *head_filter_candidates(L4HeadFilter *filter, L4Bytes text);
extern int	head_filter_words(const L4HeadFilter *filter);
/* Are there any? */
extern bool head_filter_any(L4HeadFilter *filter, L4Bytes text);

/* Was the whole of the pattern understood? alternatives: whether it has a bar outside of all groups. */
extern bool head_filter_knows(const L4HeadFilter *filter, int pattern, bool *alternatives);

#endif							/* L4_HEAD_FILTER_H */
