/*
 * literals.h: texts of which every match of a pattern must hold one.
 */
#ifndef L4_LITERALS_H
#define L4_LITERALS_H

#include "ground/l4.h"

/* Shorter texts say too little. */
#define LITERAL_SIZE 3

typedef struct L4Literals
{
	int			count;
	L4Bytes    *items;			/* each LITERAL_SIZE bytes or more, in lower case */
} L4Literals;

/* ASCII letters to lower case, everything else as it is. */
extern const unsigned char l4_folded[256];

/*
 * The texts for a pattern in pcre2 syntax, allocated in the current context; NULL where none are known: such a pattern may
 * match anything. Every match of the pattern holds at least one of them once its letters are folded. Cost: linear in the
 * pattern.
 */
extern L4Literals *literals_of_pattern(const char *regex, size_t size);

#endif							/* L4_LITERALS_H */
