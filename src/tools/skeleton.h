/*
 * skeleton.h: a text with each of its digits replaced by 0: what lines that differ in their figures alone have in common.
 */
#ifndef L4_SKELETON_H
#define L4_SKELETON_H

#include "ground/l4.h"

#define L4_SKELETON_CHUNK 16

/*
 * Writes the skeleton of size bytes at `from`. Room at `to` must be there for size rounded up to whole chunks; the bytes behind
 * the text become NUL.
 */
extern void skeleton_copy(char *to, const char *from, size_t size);

#endif							/* L4_SKELETON_H */
