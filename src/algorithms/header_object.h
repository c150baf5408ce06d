/*
 * header_object.h: lines that are objects of JSON, or rows of key=value: what they have under which keys; and of objects, under
 * which of these they say when, how grave, who and which rank.
 */
#ifndef L4_HEADER_OBJECT_H
#define L4_HEADER_OBJECT_H

#include "ground/l4.h"
#include "tools/codec.h"

/* A key of an object and its value, a text (quoted, without its quotes) or a number. */
typedef struct L4ObjectPair
{
	L4Bytes		key;
	L4Bytes		value;
	bool		quoted;
} L4ObjectPair;

/* The next key from *at on with a text or a number behind it; false at the end. Goes into objects within. */
extern bool header_object_next(const char **at, const char *end, L4ObjectPair *pair);

/*
 * The next key=value or key="value" of a row (logfmt), from *at on; false at its end, or where something else stands there. The
 * byte behind the key is the equals sign.
 */
extern bool header_row_next(const char **at, const char *end, L4ObjectPair *pair);

/* Is the whole of a value a time with a date? */
extern bool header_object_is_time(L4Bytes value);

/* What an object says under a key that is to be found. */
typedef enum L4ObjectPart
{
	L4_OBJECT_TIME, L4_OBJECT_LEVEL, L4_OBJECT_RANK, L4_OBJECT_NAME, L4_OBJECT_PARTS
} L4ObjectPart;

/* Does a key with its value say which part of a header this is? */
extern bool header_object_says(const L4ObjectPair *pair, L4ObjectPart part);

#define L4_OBJECT_KEY 32

/* The key of each part, by its last name where objects lie in objects; of no bytes where there is none. */
typedef struct L4ObjectForm
{
	uint8		sizes[L4_OBJECT_PARTS];
	char		keys[L4_OBJECT_PARTS][L4_OBJECT_KEY];
} L4ObjectForm;

/* Learns the keys of the lines that are objects. False where most of them have no time. */
extern bool header_object_learn(const L4Bytes *lines, int count, L4ObjectForm *form);

/* The values of an object, without quotes, of no bytes where it has none; false where the text is none with a time. */
extern bool header_object_match(const L4ObjectForm *form, L4Bytes text, L4Bytes *values);

/*
 * What an object, or a row of key="text", says in words: the text with the most blanks; of no bytes where none has any. Cost:
 * linear.
 */
extern L4Bytes header_object_words(L4Bytes text);

/* Appends a form as bytes, and takes it from them (XX001). */
extern void header_object_save(const L4ObjectForm *form, StringInfo out);
extern void header_object_restore(L4ObjectForm *form, L4ColumnReader *in);

#endif							/* L4_HEADER_OBJECT_H */
