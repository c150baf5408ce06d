/*
 * pattern_set.h: many patterns on many texts, quickly.
 */
#ifndef L4_PATTERN_SET_H
#define L4_PATTERN_SET_H

#include "ground/l4.h"

typedef struct L4PatternSet L4PatternSet;

/* An empty set, owned by the current memory context. */
extern L4PatternSet *pattern_set_create(void);

/* Adds a pattern; its number is 0, 1, 2, ... name stands in messages. Errors: 2201B for a bad pattern. To be called in one and the same context. */
extern void pattern_set_add(L4PatternSet *set, L4Bytes pattern, const char *name);

/*
 * The numbers of the patterns that match somewhere in the subject, ascending; *count of them, valid until the next call. No pattern may be added any more.
 * Errors: 54000 where a pattern takes too many steps. Cost: one pass over the subject, and pcre2 for the few patterns whose words are in it.
 */
extern const int *pattern_set_match(L4PatternSet *set, L4Bytes subject, int *count);

#endif							/* L4_PATTERN_SET_H */
