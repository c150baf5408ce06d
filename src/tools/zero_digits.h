/*
 * zero_digits.h: a text with each of its digits replaced by 0: what lines that differ in their figures alone have in common.
 */
#ifndef L4_ZERO_DIGITS_H
#define L4_ZERO_DIGITS_H

#include "ground/l4.h"

#define L4_ZERO_DIGITS_CHUNK 16

/*
 * Copies size bytes from `from` with each digit replaced by 0. Room at `to` must be there for size rounded up to whole chunks;
 * the bytes behind the text become NUL. Returns a hash of what is there then, good for a table in memory alone.
 */
extern uint64 zero_digits(char *to, const char *from, size_t size);

#endif							/* L4_ZERO_DIGITS_H */
