/*
 * record_lines.h: what lines of logs look like, by their text alone. Nothing here knows of the lines before one.
 */
#ifndef L4_RECORD_LINES_H
#define L4_RECORD_LINES_H

#include "ground/l4.h"

/* How a traceback of Python begins. */
#define L4_TRACEBACK "Traceback (most recent call last)"

/* What follows is asked of each line: it stands here, where the sizes of words are constants. */

static inline bool
line_starts_with(L4Bytes text, const char *word)
{
	size_t		size = strlen(word);

	return text.size >= size && memcmp(text.data, word, size) == 0;
}

static inline bool
line_contains(L4Bytes text, const char *word)
{
	size_t		size = strlen(word);
	const char *at = text.data;
	const char *end = text.data + text.size;

	while ((size_t) (end - at) >= size && (at = memchr(at, word[0], end - at - size + 1)) != NULL)
	{
		if (memcmp(at, word, size) == 0)
			return true;
		at++;
	}
	return false;
}

/* Without the blanks it begins with, of which what programs print as a tree has many. */
static inline L4Bytes
line_behind_blanks(L4Bytes text)
{
	while (text.size >= 8 && memcmp(text.data, "        ", 8) == 0)
	{
		text.data += 8;
		text.size -= 8;
	}
	while (text.size > 0 && (*text.data == ' ' || *text.data == '\t'))
	{
		text.data++;
		text.size--;
	}
	return text;
}

/* Without the blanks at both ends. */
static inline L4Bytes
line_trimmed(L4Bytes text)
{
	text = line_behind_blanks(text);
	while (text.size > 0 && (text.data[text.size - 1] == ' ' || text.data[text.size - 1] == '\t'))
		text.size--;
	return text;
}

/* How many blanks a line begins with. */
static inline size_t
line_leading_blanks(L4Bytes line)
{
	size_t		size = 0;

	while (size < line.size && line.data[size] == ' ')
		size++;
	return size;
}

/* Is a line one of ten or more = (or - where dashes count)? */
extern bool line_is_rule(L4Bytes line, bool dashes);

/* Is a line set in? */
extern bool line_is_indented(L4Bytes line);

/* Does it begin a list of native frames or a dump of thread stacks, or is it of one, or a frame of Ruby's or JavaScript's? */
extern bool line_is_frame(L4Bytes line);

/* Does it say that an exception follows which led to, or came of, the one before? */
extern bool line_is_chain(L4Bytes line);

/* Is it a Java exception as it is printed? */
extern bool line_is_java_exception(L4Bytes line);

/* Behind what moves a terminal's cursor or erases, from here on. */
extern const char *line_behind_cursor_moves(const char *at, const char *end);

/* The end of blanks that overwrite a progress bar, with the moves of the cursor behind them, or 0. */
extern size_t line_blanked_bar_end(L4Bytes line);

/*
 * The end of what one rank wrote into a labelled line, which begins with a bracket, that goes on with what another one did, or
 * 0. Cost: linear.
 */
extern size_t line_labelled_end(L4Bytes line);

static inline size_t
line_joined_end(L4Bytes line)
{
	return line.size > 0 && line.data[0] == '[' ? line_labelled_end(line) : 0;
}

#endif							/* L4_RECORD_LINES_H */
