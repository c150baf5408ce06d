/*
 * json_text.h: strings of JSON as they are written, and the text that they mean.
 */
#ifndef L4_JSON_TEXT_H
#define L4_JSON_TEXT_H

#include "ground/l4.h"
#include "lib/stringinfo.h"

/* How a writer of JSON escapes what it need not: one of so many styles. */
#define L4_JSON_STYLES 3

/*
 * Appends what a string without its quotes means. False where it is no string of JSON, or holds a NUL byte; then out has any
 * part of it. Cost: linear.
 */
extern bool json_text_decode(L4Bytes string, StringInfo out);

/* Appends a text as a writer of that style writes it, without quotes. */
extern void json_text_encode(L4Bytes text, int style, StringInfo out);

/* The style in which a text is written as just this string; -1 where none does. scratch: overwritten. */
extern int	json_text_style(L4Bytes string, L4Bytes text, StringInfo scratch);

#endif							/* L4_JSON_TEXT_H */
