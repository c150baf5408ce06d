/*
 * level.c: how grave a logger says a record is, by the words, letters and numbers that loggers have for it.
 */
#include "algorithms/level.h"

#include "tools/bytes.h"

/* Levels that are counted in tens, as by loggers that write JSON: 10 trace, 20 debug and so on up to 60. */
L4Level
level_from_tens(int64 tens)
{
	static const L4Level levels[] = {
		L4_LEVEL_TRACE, L4_LEVEL_DEBUG, L4_LEVEL_INFO, L4_LEVEL_WARNING, L4_LEVEL_ERROR, L4_LEVEL_FATAL
	};

	return tens < 10 || tens >= 70 ? L4_LEVEL_NONE : levels[tens / 10 - 1];
}

/*
 * level_name: a level's name as SQL shows it, NULL for none.
 */
const char *
level_name(L4Level level)
{
	static const char *const names[] = {NULL, "trace", "debug", "info", "warning", "error", "fatal"};

	return (level >= 0 && level < (int) lengthof(names)) ? names[level] : NULL;
}

static L4Level
level_from_letter(char letter)
{
	switch (letter)
	{
		case 'T':
			return L4_LEVEL_TRACE;
		case 'D':
		case 'V':
			return L4_LEVEL_DEBUG;
		case 'I':
		case 'N':
			return L4_LEVEL_INFO;
		case 'W':
			return L4_LEVEL_WARNING;
		case 'E':
			return L4_LEVEL_ERROR;
		case 'F':
		case 'C':
			return L4_LEVEL_FATAL;
		default:
			return L4_LEVEL_NONE;
	}
}

/* A syslog priority: its lowest three bits are the severity, 0 the worst. */
static L4Level
level_from_severity(int priority)
{
	static const L4Level levels[8] = {
		L4_LEVEL_FATAL, L4_LEVEL_FATAL, L4_LEVEL_FATAL, L4_LEVEL_ERROR,
		L4_LEVEL_WARNING, L4_LEVEL_INFO, L4_LEVEL_INFO, L4_LEVEL_DEBUG
	};

	return priority < 0 ? L4_LEVEL_NONE : levels[priority % 8];
}

/*
 * level_from_text: the level that a word, a letter or a syslog priority says, in any case; L4_LEVEL_NONE where it is none.
 */
L4Level
level_from_text(L4Bytes text)
{
	static const struct
	{
		const char *word;
		L4Level		level;
	}			words[] = {
		{"info", L4_LEVEL_INFO}, {"debug", L4_LEVEL_DEBUG}, {"warning", L4_LEVEL_WARNING}, {"error", L4_LEVEL_ERROR},
		{"warn", L4_LEVEL_WARNING}, {"err", L4_LEVEL_ERROR}, {"notice", L4_LEVEL_INFO}, {"trace", L4_LEVEL_TRACE},
		{"critical", L4_LEVEL_FATAL}, {"crit", L4_LEVEL_FATAL}, {"fatal", L4_LEVEL_FATAL}, {"event", L4_LEVEL_INFO},
		{"emerg", L4_LEVEL_FATAL}, {"emergency", L4_LEVEL_FATAL}, {"alert", L4_LEVEL_FATAL}, {"panic", L4_LEVEL_FATAL},
		{"fail", L4_LEVEL_ERROR}, {"dbug", L4_LEVEL_DEBUG}, {"trce", L4_LEVEL_TRACE},
		{"severe", L4_LEVEL_ERROR}, {"failure", L4_LEVEL_ERROR}, {"exception", L4_LEVEL_ERROR}, {"abort", L4_LEVEL_FATAL},
		{"information", L4_LEVEL_INFO}, {"success", L4_LEVEL_INFO}, {"verbose", L4_LEVEL_DEBUG}, {"fine", L4_LEVEL_DEBUG},
		{"finer", L4_LEVEL_TRACE}, {"finest", L4_LEVEL_TRACE}, {"debug1", L4_LEVEL_DEBUG}, {"debug2", L4_LEVEL_DEBUG},
		{"debug3", L4_LEVEL_TRACE}, {"version", L4_LEVEL_INFO},
		{"inf", L4_LEVEL_INFO}, {"wrn", L4_LEVEL_WARNING}, {"dbg", L4_LEVEL_DEBUG}, {"trc", L4_LEVEL_TRACE},
		{"vrb", L4_LEVEL_DEBUG}, {"ftl", L4_LEVEL_FATAL}, {"pnc", L4_LEVEL_FATAL}
	};
	int			i;

	if (text.size == 4 && memcmp(text.data, "INFO", 4) == 0)
		return L4_LEVEL_INFO;
	if (text.size == 5 && memcmp(text.data, "DEBUG", 5) == 0)
		return L4_LEVEL_DEBUG;
	if (text.size == 7 && memcmp(text.data, "WARNING", 7) == 0)
		return L4_LEVEL_WARNING;
	if (text.size > 0 && text.data[0] >= '0' && text.data[0] <= '9')
		return level_from_severity(bytes_number(text));
	if (text.size == 1)
		return level_from_letter(pg_ascii_toupper((unsigned char) text.data[0]));
	/* most words are none for their first letter */
	for (i = 0; i < (int) lengthof(words) && text.size > 0; i++)
		if (words[i].word[0] == pg_ascii_tolower((unsigned char) text.data[0]) &&
			strlen(words[i].word) == text.size && pg_strncasecmp(words[i].word, text.data, text.size) == 0)
			return words[i].level;
	return L4_LEVEL_NONE;
}
