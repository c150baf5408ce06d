/*
 * byte_class.c: which letters, digits and signs a text has, as a mask: what a search asks first.
 *
 * A word that a pattern needs can stand only in a text that has all of its bytes. The mask of a column of thousands of values
 * is four bytes and answers that for most words.
 */
#include "algorithms/byte_class.h"

/* 0 to 25 a letter in either case, 26 a digit, 27 a space, 28 - and _, 29 . and /, 30 : = and comma, 31 any other byte. */
const unsigned char l4_byte_class[256] = {
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31,
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31,
	27, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 30, 28, 29, 29,
	26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 30, 31, 31, 30, 31, 31,
	31, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
	15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 31, 31, 31, 31, 28,
	31, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
	15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 31, 31, 31, 31, 31,
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31,
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31,
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31,
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31,
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31,
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31,
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31,
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31
};

uint32
text_mask(L4Bytes text)
{
	const unsigned char *at = (const unsigned char *) text.data;
	const unsigned char *end = at + text.size;
	uint32		masks[4] = {0, 0, 0, 0};

	for (; end - at >= 4; at += 4)
	{
		masks[0] |= (uint32) 1 << l4_byte_class[at[0]];
		masks[1] |= (uint32) 1 << l4_byte_class[at[1]];
		masks[2] |= (uint32) 1 << l4_byte_class[at[2]];
		masks[3] |= (uint32) 1 << l4_byte_class[at[3]];
	}
	for (; at < end; at++)
		masks[0] |= (uint32) 1 << l4_byte_class[*at];
	return masks[0] | masks[1] | masks[2] | masks[3];
}
