/*
 * pattern_text.h: what those share who read the text of a pattern themselves (pattern_walk.c, literals.c).
 */
#ifndef L4_PATTERN_TEXT_H
#define L4_PATTERN_TEXT_H

#include "ground/l4.h"

/* The single byte that a backslash and this character stand for, or -1: a class, a place, or what is not known. */
extern int	pattern_escape_byte(unsigned char c);

/* Steps over "<name>" or "'name'", on whose opening mark the cursor is; false where it does not end. */
extern bool pattern_skip_name(const char **at, const char *end);

#endif							/* L4_PATTERN_TEXT_H */
