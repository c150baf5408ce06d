/*
 * json_text.c: strings of JSON to text and back.
 *
 * What is kept of a line must give back its very bytes. A text can be written as a string in many ways, but writers have few:
 * they escape what they must (RFC 8259), or besides that what HTML minds (Go), or all that is not ASCII (Python).
 */
#include "tools/json_text.h"

#include "mb/pg_wchar.h"
#include "tools/bytes.h"

enum Style
{
	STYLE_LEAST,
	STYLE_HTML,
	STYLE_ASCII
};

/* The value of four hexadecimal digits, or -1. */
static int
four_digits(const char *at, const char *end)
{
	int			value = 0;
	int			i;

	if (end - at < 4)
		return -1;
	for (i = 0; i < 4; i++)
	{
		char		c = at[i];

		if (is_digit(c))
			value = value * 16 + (c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			value = value * 16 + ((c | 0x20) - 'a' + 10);
		else
			return -1;
	}
	return value;
}

static void
append_character(StringInfo out, unsigned int character)
{
	unsigned char utf8[8];

	unicode_to_utf8(character, utf8);
	appendBinaryStringInfo(out, (char *) utf8, pg_utf_mblen(utf8));
}

/* The character whose escape begins at a u, in one half or two; NULL where there is none. */
static const char *
decode_unicode(const char *at, const char *end, StringInfo out)
{
	int			value = four_digits(at + 1, end);

	at += 5;
	if (value <= 0 || (value >= 0xDC00 && value <= 0xDFFF))
		return NULL;
	if (value >= 0xD800 && value <= 0xDBFF)
	{
		int			low = end - at >= 6 && at[0] == '\\' && at[1] == 'u' ? four_digits(at + 2, end) : -1;

		if (low < 0xDC00 || low > 0xDFFF)
			return NULL;
		append_character(out, 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00));
		return at + 6;
	}
	append_character(out, value);
	return at;
}

bool
json_text_decode(L4Bytes string, StringInfo out)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char meanings[] = "\"\\/\b\f\n\r\t";
	const char *at = string.data;
	const char *end = string.data + string.size;

	while (at < end)
	{
		const char *escape = memchr(at, '\\', end - at);
		const char *letter;

		appendBinaryStringInfo(out, at, (escape != NULL ? escape : end) - at);
		if (escape == NULL)
			return true;
		at = escape + 1;
		if (at == end)
			return false;
		letter = *at != '\0' ? strchr(letters, *at) : NULL;
		if (letter != NULL)
		{
			appendStringInfoChar(out, meanings[letter - letters]);
			at++;
		}
		else if (*at != 'u' || (at = decode_unicode(at, end, out)) == NULL)
			return false;
	}
	return true;
}

static void
encode_unicode(StringInfo out, unsigned int character)
{
	if (character >= 0x10000)
		appendStringInfo(out, "\\u%04x\\u%04x", 0xD800 + ((character - 0x10000) >> 10),
						 0xDC00 + ((character - 0x10000) & 0x3FF));
	else
		appendStringInfo(out, "\\u%04x", character);
}

/* Appends one byte, or in the style of ASCII one character; returns what is left of the text behind it. */
static const char *
encode_next(const char *at, const char *end, int style, StringInfo out)
{
	static const char escaped[] = "\"\\\b\f\n\r\t";
	static const char letters[] = "\"\\bfnrt";
	unsigned char c = *at;
	const char *place = c != '\0' ? strchr(escaped, c) : NULL;

	if (place != NULL)
	{
		appendStringInfoChar(out, '\\');
		appendStringInfoChar(out, letters[place - escaped]);
	}
	else if (c < ' ' || (style == STYLE_HTML && (c == '<' || c == '>' || c == '&')))
		encode_unicode(out, c);
	else if (style == STYLE_ASCII && c >= 0x80)
	{
		int			size = pg_utf_mblen((const unsigned char *) at);

		if (size <= end - at && pg_utf8_islegal((const unsigned char *) at, size))
		{
			encode_unicode(out, utf8_to_unicode((const unsigned char *) at));
			return at + size;
		}
		appendStringInfoChar(out, c);
	}
	else
		appendStringInfoChar(out, c);
	return at + 1;
}

void
json_text_encode(L4Bytes text, int style, StringInfo out)
{
	const char *at = text.data;
	const char *end = text.data + text.size;

	while (at < end)
		at = encode_next(at, end, style, out);
}

int
json_text_style(L4Bytes string, L4Bytes text, StringInfo scratch)
{
	int			style;

	for (style = 0; style < L4_JSON_STYLES; style++)
	{
		resetStringInfo(scratch);
		json_text_encode(text, style, scratch);
		if (bytes_equal((L4Bytes) {scratch->data, scratch->len}, string))
			return style;
	}
	return -1;
}
