/*
 * reversed.h: bytes that are given back in the reverse order, through the server's store of tuples.
 */
#ifndef L4_REVERSED_H
#define L4_REVERSED_H

#include "ground/l4.h"

typedef struct L4Reversed L4Reversed;

/* Lies in the current memory context, and beyond work_mem in a temporary file. Inside a transaction. */
extern L4Reversed *reversed_begin(void);
extern void reversed_put(L4Reversed *reversed, int64 number, L4Bytes bytes);
/* The last one that has not been given back, until the next call; false where none is left. Nothing may be put any more. */
extern bool reversed_next(L4Reversed *reversed, int64 *number, L4Bytes *bytes);
extern void reversed_end(L4Reversed *reversed);

#endif							/* L4_REVERSED_H */
