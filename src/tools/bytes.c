/*
 * bytes.c: bytes of unknown encoding to text that the server accepts, and to numbers.
 *
 * Logs hold NUL bytes (sparse files after a crash), cut characters and whole binary runs. The stored bytes stay as they were; this
 * file only makes what is shown. UTF-8 is checked by the server's own verifier. In a database of another encoding, or of none
 * (SQL_ASCII), what is shown is ASCII: valid there and in every client, and nothing that cuts or escapes single bytes can break it.
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
		{
			appendStringInfo(out, "\\x%02x", (unsigned char) *at);
			at++;
		}
	}
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
