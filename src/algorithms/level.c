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

#define WORD(word, level) {word, sizeof(word) - 1, level}

/*
 * level_from_text: the level that a word, a letter or a syslog priority says, in any case; L4_LEVEL_NONE where it is none.
 */
L4Level
level_from_text(L4Bytes text)
{
	static const struct
	{
		const char *word;
		size_t		size;
		L4Level		level;
	}			words[] = {
		WORD("info", L4_LEVEL_INFO), WORD("debug", L4_LEVEL_DEBUG), WORD("warning", L4_LEVEL_WARNING),
		WORD("error", L4_LEVEL_ERROR), WORD("warn", L4_LEVEL_WARNING), WORD("err", L4_LEVEL_ERROR),
		WORD("notice", L4_LEVEL_INFO), WORD("trace", L4_LEVEL_TRACE), WORD("critical", L4_LEVEL_FATAL),
		WORD("crit", L4_LEVEL_FATAL), WORD("fatal", L4_LEVEL_FATAL), WORD("event", L4_LEVEL_INFO),
		WORD("emerg", L4_LEVEL_FATAL), WORD("emergency", L4_LEVEL_FATAL), WORD("alert", L4_LEVEL_FATAL),
		WORD("panic", L4_LEVEL_FATAL), WORD("fail", L4_LEVEL_ERROR), WORD("dbug", L4_LEVEL_DEBUG), WORD("trce", L4_LEVEL_TRACE),
		WORD("severe", L4_LEVEL_ERROR), WORD("failure", L4_LEVEL_ERROR), WORD("exception", L4_LEVEL_ERROR),
		WORD("abort", L4_LEVEL_FATAL), WORD("information", L4_LEVEL_INFO), WORD("success", L4_LEVEL_INFO),
		WORD("verbose", L4_LEVEL_DEBUG), WORD("fine", L4_LEVEL_DEBUG), WORD("finer", L4_LEVEL_TRACE),
		WORD("finest", L4_LEVEL_TRACE), WORD("debug1", L4_LEVEL_DEBUG), WORD("debug2", L4_LEVEL_DEBUG),
		WORD("debug3", L4_LEVEL_TRACE), WORD("version", L4_LEVEL_INFO), WORD("inf", L4_LEVEL_INFO),
		WORD("wrn", L4_LEVEL_WARNING), WORD("dbg", L4_LEVEL_DEBUG), WORD("trc", L4_LEVEL_TRACE), WORD("vrb", L4_LEVEL_DEBUG),
		WORD("ftl", L4_LEVEL_FATAL), WORD("pnc", L4_LEVEL_FATAL)
	};
	char		first;
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
	if (text.size == 0)
		return L4_LEVEL_NONE;
	/* most words are none for their size or their first letter */
	first = (char) pg_ascii_tolower((unsigned char) text.data[0]);
	for (i = 0; i < (int) lengthof(words); i++)
		if (words[i].size == text.size && words[i].word[0] == first &&
			pg_strncasecmp(words[i].word, text.data, text.size) == 0)
			return words[i].level;
	return L4_LEVEL_NONE;
}
