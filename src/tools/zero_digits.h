/*
 * zero_digits.h: a text with each of its digits replaced by 0: what lines that differ in their figures alone have in common.
 */
#ifndef L4_ZERO_DIGITS_H
#define L4_ZERO_DIGITS_H

#include "ground/l4.h"

#define L4_ZERO_DIGITS_CHUNK 16

/* So many bytes at once, as two numbers. */
typedef struct L4Chunk
{
	uint64		low;
	uint64		high;
} L4Chunk;

/* The same where compilers make vector instructions of what is done with them, if there are any. */
typedef unsigned char L4ChunkBytes __attribute__((vector_size(L4_ZERO_DIGITS_CHUNK)));

/* The bytes at a place with each digit made 0, without a branch. */
static inline L4Chunk
zero_digits_chunk(const char *from)
{
	L4ChunkBytes bytes;
	L4ChunkBytes others;
	L4Chunk		chunk;

	memcpy(&bytes, from, sizeof(bytes));
	others = (L4ChunkBytes) (bytes - (unsigned char) '0' > (unsigned char) 9);
	bytes = (bytes & others) | ((unsigned char) '0' & ~others);
	memcpy(&chunk, &bytes, sizeof(chunk));
	return chunk;
}

/*
 * Copies size bytes from `from` with each digit replaced by 0. Room at `to` must be there for size rounded up to whole chunks;
 * the bytes behind the text become NUL. Returns a hash of what is there then, good for a table in memory alone.
 */
extern uint64 zero_digits(char *to, const char *from, size_t size);

#endif							/* L4_ZERO_DIGITS_H */
