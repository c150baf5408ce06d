/*
 * bytes.c: bytes of unknown encoding to text that the server accepts, and to numbers.
 *
 * Logs hold NUL bytes (sparse files after a crash), cut characters and whole binary runs. The stored bytes stay as they were;
 * this file only makes what is shown. UTF-8 is checked by the server's own verifier. In a database of another encoding, or of
 * none (SQL_ASCII), what is shown is ASCII: valid there and in every client, and nothing that cuts or escapes single bytes can
 * break it.
 */
#include "tools/bytes.h"

#include "mb/pg_wchar.h"

int
bytes_character(const char *data, const char *end)
{
	unsigned char first = (unsigned char) *data;
	int			size;

	if (first < 0x80)
		return first != 0 ? 1 : 0;
	if (GetDatabaseEncoding() != PG_UTF8)
		return 0;
	size = pg_utf_mblen((const unsigned char *) data);
	if (size < 2 || end - data < size || !pg_utf8_islegal((const unsigned char *) data, size))
		return 0;
	return size;
}

bool
bytes_are_plain(L4Bytes bytes)
{
	size_t		i;

	for (i = 0; i < bytes.size; i++)
		if ((unsigned char) (bytes.data[i] - 1) >= 0x7f)
			return false;
	return true;
}

/* Bytes are escaped so many at a time: holes of millions of NUL bytes come by here. */
#define ESCAPE_CHUNK 256

/* Appends the bytes before the next valid character as \xNN, up to a chunk of them; returns how many. */
static int
append_escapes(StringInfo out, const char *at, const char *end)
{
	static const char digits[] = "0123456789abcdef";
	const char *begin = at;
	const char *stop = at + Min(end - at, ESCAPE_CHUNK);
	char	   *to;

	enlargeStringInfo(out, 4 * ESCAPE_CHUNK);
	to = out->data + out->len;
	while (at < stop && bytes_character(at, end) == 0)
	{
		unsigned char byte = (unsigned char) *at++;

		*to++ = '\\';
		*to++ = 'x';
		*to++ = digits[byte >> 4];
		*to++ = digits[byte & 15];
	}
	*to = '\0';
	out->len = (int) (to - out->data);
	return (int) (at - begin);
}

void
bytes_append_escaped(StringInfo out, L4Bytes bytes)
{
	const char *at = bytes.data;
	const char *end = bytes.data + bytes.size;

	while (at < end)
	{
		const char *run = at;
		int			size;

		while (at < end && (size = bytes_character(at, end)) > 0)
			at += size;
		appendBinaryStringInfo(out, run, at - run);
		if (at < end)
			at += append_escapes(out, at, end);
	}
}

L4Bytes
bytes_kept(L4Bytes bytes)
{
	char	   *copy = palloc(bytes.size + 1);

	memcpy(copy, bytes.data, bytes.size);
	copy[bytes.size] = '\0';
	return (L4Bytes) {copy, bytes.size};
}

int
bytes_number(L4Bytes bytes)
{
	int			number = 0;
	size_t		i;

	if (bytes.size == 0 || bytes.size > 9)
		return -1;
	for (i = 0; i < bytes.size; i++)
	{
		if (bytes.data[i] < '0' || bytes.data[i] > '9')
			return -1;
		number = number * 10 + (bytes.data[i] - '0');
	}
	return number;
}
