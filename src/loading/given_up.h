/*
 * given_up.h: how users are told that rules gave up on texts.
 */
#ifndef L4_GIVEN_UP_H
#define L4_GIVEN_UP_H

#include "loading/source.h"
#include "lib/stringinfo.h"

/* What the warning says besides the names of the rules (pattern_note_given_up). */
#define GIVEN_UP_MESSAGE "rules gave up on texts on which they take too many steps"
#define GIVEN_UP_HINT "What they would have said of these texts is missing, and nothing else. " \
	"Bound what their patterns repeat, as in [^\\n]{0,100}, or switch them off."

/* A warning with the names; nothing where there are none. */
extern void given_up_warn(const StringInfoData *names);

/*
 * The rules of an import that gave up since its context was made: formats, masks, stage and iteration rules. Size 0 where none
 * did.
 */
extern StringInfoData given_up_of_import(const L4SourceContext *context);

#endif							/* L4_GIVEN_UP_H */
