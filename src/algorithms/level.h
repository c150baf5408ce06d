/*
 * level.h: how grave a logger says a record is.
 */
#ifndef L4_LEVEL_H
#define L4_LEVEL_H

#include "ground/l4.h"

/* The name of a level in lower case, NULL for none. */
extern const char *level_name(L4Level level);

/*
 * The level that a word (WARN, err, Critical, ...), a letter (I, W, E, F, ...) or a syslog number says; none where it is no
 * level.
 */
extern L4Level level_from_text(L4Bytes text);

/* The level that is counted in tens, as by loggers that write JSON: 10 trace, 20 debug and so on up to 60. */
extern L4Level level_from_tens(int64 tens);

#endif							/* L4_LEVEL_H */
