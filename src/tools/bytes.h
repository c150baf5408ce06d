/*
 * bytes.h: bytes of unknown encoding to text that the server accepts, and to numbers.
 */
#ifndef L4_BYTES_H
#define L4_BYTES_H

#include "ground/l4.h"
#include "lib/stringinfo.h"

/* What a byte is in ASCII, whatever the locale. */
static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool
is_alphanumeric(char c)
{
	return is_letter(c) || is_digit(c);
}

/* Are they the same? As memcmp says, without a call where they are few. */
static inline bool
bytes_same(const char *a, const char *b, size_t size)
{
	if (size > 16)
		return memcmp(a, b, size) == 0;
	if (size >= 8)
		return memcmp(a, b, 8) == 0 && memcmp(a + size - 8, b + size - 8, 8) == 0;
	if (size >= 4)
		return memcmp(a, b, 4) == 0 && memcmp(a + size - 4, b + size - 4, 4) == 0;
	return size == 0 || (a[0] == b[0] && a[size / 2] == b[size / 2] && a[size - 1] == b[size - 1]);
}

static inline bool
bytes_equal(L4Bytes a, L4Bytes b)
{
	return a.size == b.size && bytes_same(a.data, b.data, a.size);
}

/* Where a byte that few lines hold comes next: looked for in all bytes at hand, not anew in each line. Zeroed at first. */
typedef struct L4NextByte
{
	const char *from;			/* among the bytes from here */
	const char *at;				/* the first one stands here, or the bytes end */
} L4NextByte;

/* As memchr within a line: quick where the line is one of the bytes at hand, in which what was found before is kept. */
static inline const char *
bytes_next(L4Bytes all, L4NextByte *next, char c, const char *at, const char *end)
{
	const char *all_end = all.data + all.size;

	if (at < all.data || end > all_end)
		return memchr(at, c, end - at);
	if (at < next->from || at > next->at)
	{
		next->from = at;
		next->at = memchr(at, c, all_end - at);
		if (next->at == NULL)
			next->at = all_end;
	}
	return next->at < end ? next->at : NULL;
}

/* Takes the next line, without its end, off what is left of a text; false where it has none: a sample may be cut off there. */
static inline bool
bytes_take_line(L4Bytes *left, L4Bytes *line)
{
	const char *stop = left->size > 0 ? memchr(left->data, '\n', left->size) : NULL;

	if (stop == NULL)
		return false;
	*line = (L4Bytes) {left->data, (size_t) (stop - left->data)};
	left->data = stop + 1;
	left->size -= line->size + 1;
	return true;
}

/* Copies bytes as memcpy does, without a call where they are few; none may have no place. */
static inline void
bytes_copy(char *to, const char *from, size_t size)
{
	if (size > 16)
		memcpy(to, from, size);
	else if (size >= 8)
	{
		memcpy(to, from, 8);
		memcpy(to + size - 8, from + size - 8, 8);
	}
	else if (size >= 4)
	{
		memcpy(to, from, 4);
		memcpy(to + size - 4, from + size - 4, 4);
	}
	else if (size > 0)
	{
		to[0] = from[0];
		to[size / 2] = from[size / 2];
		to[size - 1] = from[size - 1];
	}
}

/*
 * Length of the valid UTF-8 character at data (1 to 4), or 0 if the bytes there are none or NUL; beyond ASCII always 0 where
 * the database is not in UTF-8.
 */
extern int	bytes_character(const char *data, const char *end);

/*
 * Appends the bytes as valid text: what is no valid character, and NUL, appears as \xNN. Cost: linear, ASCII runs are copied
 * whole.
 */
extern void bytes_append_escaped(StringInfo out, L4Bytes bytes);

/* Does the text hold a byte outside printable ASCII, tab and newline that bytes_append_escaped would have to look at? */
extern bool bytes_are_plain(L4Bytes bytes);

/* The bytes in memory of their own, with a NUL behind them; whole where a NUL is among them, too (which pnstrdup is not). */
extern L4Bytes bytes_kept(L4Bytes bytes);

/* The number that up to nine digits and nothing else are, or -1. */
extern int	bytes_number(L4Bytes bytes);

#endif							/* L4_BYTES_H */
