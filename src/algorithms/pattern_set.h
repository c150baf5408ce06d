/*
 * pattern_set.h: many patterns on many texts, quickly.
 */
#ifndef L4_PATTERN_SET_H
#define L4_PATTERN_SET_H

#include "ground/l4.h"
#include "lib/stringinfo.h"
#include "tools/pattern.h"

typedef struct L4PatternSet L4PatternSet;

/* An empty set, owned by the current memory context. */
extern L4PatternSet *pattern_set_create(void);

/*
 * Adds a pattern; its number is 0, 1, 2, ... name stands in messages. Errors: 2201B for a bad pattern. To be called in one and
 * the same context.
 */
extern void pattern_set_add(L4PatternSet *set, L4Bytes pattern, const char *name);

/* Adds a pattern that is compiled already and stays where it is; text is what it was compiled from. */
extern void pattern_set_add_compiled(L4PatternSet *set, L4Pattern *pattern, L4Bytes text);

/*
 * The numbers of the patterns that match somewhere in the subject, ascending; *count of them, valid until the next call. No
 * pattern may be added any more. A pattern that gives up on the subject is not among them: pattern_set_given_up. Looks for
 * interrupts. Cost: one pass over the subject, and pcre2 for the few patterns whose words are in it.
 */
extern const int *pattern_set_match(L4PatternSet *set, L4Bytes subject, int *count);

/* The first pattern, by number, that matches somewhere in the subject, or -1: as if they were run in turn. */
extern int	pattern_set_first(L4PatternSet *set, L4Bytes subject);

/* The numbers of the patterns that gave up on the last subject, ascending; *count of them, valid until the next match. */
extern const int *pattern_set_given_up(const L4PatternSet *set, int *count);

/* Appends the names of the patterns that gave up on any subject so far, each with how often; nothing where none did. */
extern void pattern_set_note_given_up(const L4PatternSet *set, StringInfo out);

#endif							/* L4_PATTERN_SET_H */
