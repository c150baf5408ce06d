/*
 * record_lines.h: what lines of logs look like, by their text alone. Nothing here knows of the lines before one.
 */
#ifndef L4_RECORD_LINES_H
#define L4_RECORD_LINES_H

#include "ground/l4.h"

/* How a traceback of Python begins. */
#define L4_TRACEBACK "Traceback (most recent call last)"

extern bool line_starts_with(L4Bytes text, const char *word);
extern bool line_contains(L4Bytes text, const char *word);

/* Without the blanks at both ends. */
extern L4Bytes line_trimmed(L4Bytes text);

/* How many blanks a line begins with. */
extern size_t line_leading_blanks(L4Bytes line);

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

/* The end of what one rank wrote into a labelled line that goes on with what another one did, or 0. Cost: linear. */
extern size_t line_joined_end(L4Bytes line);

#endif							/* L4_RECORD_LINES_H */
