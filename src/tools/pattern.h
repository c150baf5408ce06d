/*
 * pattern.h: pcre2 with palloc as its allocator, bounded and to be interrupted.
 */
#ifndef L4_PATTERN_H
#define L4_PATTERN_H

#include "ground/l4.h"
#include "lib/stringinfo.h"

typedef struct L4Pattern L4Pattern;

/*
 * Compiles in the current memory context, which then owns everything. `what` names the pattern in the error (SQLSTATE 2201B).
 */
extern L4Pattern *pattern_compile(const char *regex, size_t size, const char *what);

typedef enum L4MatchResult
{
	L4_NO_MATCH,
	L4_MATCH,
	L4_GAVE_UP					/* the pattern takes too many steps on this text, or recurses for ever */
} L4MatchResult;

/*
 * Is there a match in subject at or after offset? anchored: only right at offset. The spans of groups are kept until the next
 * call. Looks for interrupts. A rule that gives up on a text is to be noted and nothing else: pattern_note_given_up.
 */
extern L4MatchResult pattern_try(L4Pattern *pattern, L4Bytes subject, size_t offset, bool anchored);

/* The same for one who needs an answer. Errors: 54000 or 2201B where the pattern gives up. */
extern bool pattern_match(L4Pattern *pattern, L4Bytes subject, size_t offset, bool anchored);

/*
 * Appends the pattern's name and how often it gave up since it was compiled, behind a comma where something is there; nothing
 * where it never did.
 */
extern void pattern_note_given_up(const L4Pattern *pattern, StringInfo out);

/* The span of a group of the last match; false where it took no part. Group 0 is the whole match. */
extern bool pattern_group(L4Pattern *pattern, int group, L4Bytes *span);

/* The number of a named group, or -1. */
extern int	pattern_group_number(L4Pattern *pattern, const char *name);

#endif							/* L4_PATTERN_H */
