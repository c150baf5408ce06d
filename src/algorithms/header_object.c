/*
 * header_object.c: lines that are objects of JSON, or rows of key=value: what they have under which keys; and of objects, under
 * which of these they say when, how grave, who and which rank.
 *
 * Every logger has its own names for these, so their values tell: the key is that of the time under which nearly all lines have
 * one, that of the level under which they have one of its few words. Nothing is taken off such a line: readers want to see the
 * object, and what stands in it may be anywhere.
 */
#include "algorithms/header_object.h"

#include "algorithms/level.h"
#include "algorithms/timestamp.h"
#include "tools/bytes.h"

/* Keys are looked for in so many first bytes of a line, and as many different ones at most are told apart. */
#define OBJECT_BYTES 2000
#define OBJECT_KEYS 40
/* Of ten objects so many have a time, or a level, under its key; fewer than so many teach nothing. */
#define MOST 8
#define OBJECTS_LEAST 3

/* The end of the string that begins at a quote: its last quote, or the end of the text. */
static const char *
string_end(const char *quote, const char *end)
{
	const char *at = quote + 1;

	while (at < end && *at != '"')
		at += *at == '\\' && at + 1 < end ? 2 : 1;
	return Min(at, end);
}

static const char *
skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

bool
header_object_next(const char **at, const char *end, L4ObjectPair *pair)
{
	const char *p = *at;

	while (p < end)
	{
		const char *stop;

		if (*p != '"')
		{
			p++;
			continue;
		}
		stop = string_end(p, end);
		pair->key = (L4Bytes) {p + 1, stop - p - 1};
		p = skip_blanks(stop + (stop < end), end);
		if (p == end || *p != ':')
			continue;
		p = skip_blanks(p + 1, end);
		pair->quoted = p < end && *p == '"';
		if (pair->quoted)
		{
			stop = string_end(p, end);
			if (stop == end)
				return false;	/* cut off */
			pair->value = (L4Bytes) {p + 1, stop - p - 1};
			*at = stop + 1;
			return true;
		}
		for (stop = p; stop < end && (is_digit(*stop) || *stop == '.' || *stop == '-'); stop++)
			;
		if (stop > p)
		{
			pair->value = (L4Bytes) {p, stop - p};
			*at = stop;
			return true;
		}
	}
	return false;
}

static inline bool
is_key_byte(char byte)
{
	return is_alphanumeric(byte) || byte == '_' || byte == '.' || byte == '-';
}

bool
header_row_next(const char **at, const char *end, L4ObjectPair *pair)
{
	const char *p = skip_blanks(*at, end);
	const char *stop = p;

	while (stop < end && is_key_byte(*stop))
		stop++;
	if (stop == p || stop == end || *stop != '=')
		return false;
	pair->key = (L4Bytes) {p, stop - p};
	p = stop + 1;
	pair->quoted = p < end && *p == '"';
	if (pair->quoted)
	{
		stop = string_end(p, end);
		if (stop == end)
			return false;		/* cut off */
		pair->value = (L4Bytes) {p + 1, stop - p - 1};
		*at = stop + 1;
		return true;
	}
	for (stop = p; stop < end && *stop != ' ' && *stop != '\t'; stop++)
		;
	pair->value = (L4Bytes) {p, stop - p};
	*at = stop;
	return true;
}

bool
header_object_is_time(L4Bytes value)
{
	L4TimeKind	kind;

	return value.size > 0 && timestamp_scan(value, &kind) == value.size && kind != L4_TIME_CLOCK;
}

static bool
ends_with(L4Bytes text, const char *word)
{
	size_t		size = strlen(word);

	return text.size >= size && pg_strncasecmp(text.data + text.size - size, word, size) == 0;
}

/* Is a value a level, by its word, or as a number under a key that is called so? */
static bool
is_level(const L4ObjectPair *pair)
{
	if (pair->value.size == 0 || level_from_text(pair->value) == L4_LEVEL_NONE)
		return false;
	return !is_digit(pair->value.data[0]) ||
		(pair->value.size <= 2 && (ends_with(pair->key, "level") || ends_with(pair->key, "lvl") ||
								   ends_with(pair->key, "severity") || ends_with(pair->key, "prio") ||
								   ends_with(pair->key, "priority")));
}

bool
header_object_says(const L4ObjectPair *pair, L4ObjectPart part)
{
	switch (part)
	{
		case L4_OBJECT_TIME:
			return header_object_is_time(pair->value);
		case L4_OBJECT_LEVEL:
			return is_level(pair);
		case L4_OBJECT_RANK:
			return ends_with(pair->key, "rank") && !ends_with(pair->key, "local_rank") && !ends_with(pair->key, "node_rank") &&
				!ends_with(pair->key, "group_rank") && pair->value.size > 0 && pair->value.size <= 6 &&
				is_digit(pair->value.data[0]);
		default:
			/* "levelname" is none of who speaks */
			return pair->quoted && pair->value.size > 0 && level_from_text(pair->value) == L4_LEVEL_NONE &&
				(ends_with(pair->key, "logger") || ends_with(pair->key, "name") || ends_with(pair->key, "component"));
	}
}

/* A key, how many objects say a part under it, and the last of them. */
typedef struct KeyCount
{
	L4Bytes		key;
	int			objects[L4_OBJECT_PARTS];
	int			last[L4_OBJECT_PARTS];
} KeyCount;

static KeyCount *
count_of(KeyCount *counts, int *known, L4Bytes key)
{
	int			i;

	for (i = 0; i < *known; i++)
		if (bytes_equal(counts[i].key, key))
			return &counts[i];
	if (*known == OBJECT_KEYS || key.size == 0 || key.size > L4_OBJECT_KEY)
		return NULL;
	counts[*known] = (KeyCount) {.key = key};
	return &counts[(*known)++];
}

static L4Bytes
object_window(L4Bytes text)
{
	text.size = Min(text.size, OBJECT_BYTES);
	return text;
}

bool
header_object_learn(const L4Bytes *lines, int count, L4ObjectForm *form)
{
	KeyCount	counts[OBJECT_KEYS];
	int			known = 0;
	int			objects = 0;
	int			part;
	int			i;

	for (i = 0; i < count; i++)
	{
		L4Bytes		text = object_window(lines[i]);
		const char *at = text.data;
		L4ObjectPair pair;

		if (text.size == 0 || text.data[0] != '{')
			continue;
		objects++;
		while (header_object_next(&at, text.data + text.size, &pair))
		{
			KeyCount   *of = count_of(counts, &known, pair.key);

			for (part = 0; of != NULL && part < L4_OBJECT_PARTS; part++)
				if (of->last[part] < objects && header_object_says(&pair, part))
				{
					of->last[part] = objects;
					of->objects[part]++;
				}
		}
	}
	memset(form, 0, sizeof(L4ObjectForm));
	for (part = 0; part < L4_OBJECT_PARTS && objects >= OBJECTS_LEAST; part++)
	{
		const KeyCount *best = counts;

		for (i = 1; i < known; i++)
			if (counts[i].objects[part] > best->objects[part])
				best = &counts[i];
		if (known == 0 || best->objects[part] * 10 < objects * MOST)
			continue;
		form->sizes[part] = (uint8) best->key.size;
		memcpy(form->keys[part], best->key.data, best->key.size);
	}
	return form->sizes[L4_OBJECT_TIME] > 0;
}

bool
header_object_match(const L4ObjectForm *form, L4Bytes text, L4Bytes *values)
{
	const char *at = text.data;
	const char *end;
	int			part;
	L4ObjectPair pair;

	if (text.size == 0 || text.data[0] != '{')
		return false;
	memset(values, 0, L4_OBJECT_PARTS * sizeof(L4Bytes));
	end = text.data + object_window(text).size;
	while (header_object_next(&at, end, &pair))
		for (part = 0; part < L4_OBJECT_PARTS; part++)
			if (values[part].size == 0 && form->sizes[part] > 0 && form->sizes[part] == pair.key.size &&
				memcmp(form->keys[part], pair.key.data, pair.key.size) == 0 && header_object_says(&pair, part))
				values[part] = pair.value;
	return values[L4_OBJECT_TIME].size > 0;
}

L4Bytes
header_object_words(L4Bytes text)
{
	const char *end = text.data + text.size;
	const char *at = text.data;
	L4Bytes		best = {NULL, 0};
	int			most = 0;

	while (at < end && (at = memchr(at, '"', end - at)) != NULL)
	{
		const char *stop = string_end(at, end);
		const char *p;
		int			blanks = 0;

		/* a value, not a key */
		if (stop < end && at > text.data &&
			(at[-1] == ':' || at[-1] == '=' || (at[-1] == ' ' && at - text.data > 1 && at[-2] == ':')))
			for (p = at + 1; p < stop; p++)
				blanks += *p == ' ' && p > at + 1 && p[-1] != ' ';
		if (blanks > most)
		{
			most = blanks;
			best = (L4Bytes) {at + 1, stop - at - 1};
		}
		at = stop + (stop < end);
	}
	return best;
}

void
header_object_save(const L4ObjectForm *form, StringInfo out)
{
	int			part;

	for (part = 0; part < L4_OBJECT_PARTS; part++)
		column_put_bytes(out, (L4Bytes) {form->keys[part], form->sizes[part]});
}

void
header_object_restore(L4ObjectForm *form, L4ColumnReader *in)
{
	int			part;

	for (part = 0; part < L4_OBJECT_PARTS; part++)
	{
		L4Bytes		key = column_get_bytes(in);

		if (key.size > L4_OBJECT_KEY)
			column_corrupted("a header has a key that is too long");
		form->sizes[part] = (uint8) key.size;
		memcpy(form->keys[part], key.data, key.size);
	}
}
