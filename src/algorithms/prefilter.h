/*
 * prefilter.h: which of many patterns can match at the beginning of a text at all, told from its first bytes.
 */
#ifndef L4_PREFILTER_H
#define L4_PREFILTER_H

#include "ground/l4.h"

/*
 * The times with which many headers begin, as patterns. A pattern that begins with "(?<ts>" HEADER_TIME ")" or "(?<ts>"
 * HEADER_ANY_TIME ")", letter by letter, is also studied behind that time. header_time_ends in prefilter.c knows where these
 * may end: change both together.
 */
#define HEADER_CLOCK "\\d\\d:\\d\\d:\\d\\d"
#define HEADER_FRACTION "(?:[.,]\\d{1,9})?"
#define HEADER_TIME "\\d{4}-\\d\\d-\\d\\d[T ]" HEADER_CLOCK HEADER_FRACTION "(?:Z|[+-]\\d\\d:?\\d\\d)?"
#define HEADER_AMERICAN_TIME "\\d\\d/\\d\\d/\\d{4} " HEADER_CLOCK HEADER_FRACTION
#define HEADER_ANY_TIME "(?:" HEADER_TIME "|" HEADER_AMERICAN_TIME ")"

typedef struct L4Prefilter L4Prefilter;

/*
 * Studies the patterns (pcre2 syntax, each matched at the beginning of the text). A pattern that it does not understand is
 * always a candidate.
 */
extern L4Prefilter *prefilter_create(const char *const *patterns, int count);

/* The candidates for a text as a set of bits, in words of 64 (prefilter_words of them). Valid until the next call. */
extern const uint64 *prefilter_candidates(L4Prefilter *filter, L4Bytes text);
extern int	prefilter_words(const L4Prefilter *filter);
/* Are there any? */
extern bool prefilter_any(L4Prefilter *filter, L4Bytes text);

/*
 * Drops from a set of patterns those that a byte of the text other than a digit rules out. Returns how many bytes of the text
 * this hangs on; one more than it has where its end rules one out.
 */
extern int	prefilter_rule_out(const L4Prefilter *filter, L4Bytes text, uint64 *set);

/* Was the whole of the pattern understood? alternatives: whether it has a bar outside of all groups. */
extern bool prefilter_knows(const L4Prefilter *filter, int pattern, bool *alternatives);

#endif							/* L4_PREFILTER_H */
