/*
 * pattern_text.c: what those share who read the text of a pattern themselves. What they make of it is each one's own: the walk
 * follows all ways a match can take, the words are read off once.
 */
#include "algorithms/pattern_text.h"

int
pattern_escape_byte(unsigned char c)
{
	switch (c)
	{
		case 't':
			return '\t';
		case 'n':
			return '\n';
		case 'r':
			return '\r';
		case 'f':
			return '\f';
		case 'e':
			return 0x1b;
		default:
			break;
	}
	if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
		return -1;
	return c;
}

bool
pattern_skip_name(const char **at, const char *end)
{
	char		close = **at == '<' ? '>' : '\'';

	for ((*at)++; *at < end && **at != close; (*at)++)
		;
	if (*at >= end)
		return false;
	(*at)++;
	return true;
}
