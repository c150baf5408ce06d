/*
 * zero_digits.c: a text with each of its digits replaced by 0: what lines that differ in their figures alone have in common.
 *
 * Sixteen bytes at a time without a branch; the inner loops have a fixed length so that any compiler makes vector instructions
 * of them.
 */
#include "tools/zero_digits.h"

static inline void
zero_chunk(char *to, const char *from)
{
	unsigned char chunk[L4_ZERO_DIGITS_CHUNK];
	int			i;

	memcpy(chunk, from, L4_ZERO_DIGITS_CHUNK);
	for (i = 0; i < L4_ZERO_DIGITS_CHUNK; i++)
		chunk[i] = (unsigned char) (chunk[i] - '0') <= 9 ? '0' : chunk[i];
	memcpy(to, chunk, L4_ZERO_DIGITS_CHUNK);
}

/*
 * zero_digits: see zero_digits.h. Cost: some ten bytes a nanosecond.
 */
void
zero_digits(char *to, const char *from, size_t size)
{
	char		rest[L4_ZERO_DIGITS_CHUNK] = {0};
	size_t		whole = size - size % L4_ZERO_DIGITS_CHUNK;
	size_t		i;

	for (i = 0; i < whole; i += L4_ZERO_DIGITS_CHUNK)
		zero_chunk(to + i, from + i);
	if (whole == size)
		return;
	memcpy(rest, from + whole, size - whole);
	zero_chunk(to + whole, rest);
}
