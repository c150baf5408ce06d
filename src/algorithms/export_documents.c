/*
 * export_documents.c: documents of JSON in which a collector keeps records: arrays, objects over several lines, answers of
 * interfaces with the records somewhere within.
 *
 * The records are the elements of one array, found by its path. Each becomes an object in a line of its own: its members as
 * they stand, but for blanks between them, and then those of the objects around it that came before: where a stream's name
 * stands once for all of its records. What comes behind the records, and so is of none, becomes a line as well.
 *
 * Only what stands on the way to the records is taken apart, so memory is that of one of them.
 */
#include "algorithms/export_private.h"

#include "tools/bytes.h"

/* Deeper documents are none of a collector. */
#define DEPTH_LIMIT 32
/* Members of the objects around that come with each record; of what would be more each is a line. */
#define AROUND_BYTES 4096

/* An object or array on the way to the records. */
typedef struct Level
{
	bool		is_array;
	int			path;			/* how much of the path is that of what is around it, */
	int			around;			/* and how much of the members */
} Level;

struct L4Documents
{
	StringInfoData wanted;		/* the path of the array of the records */
	StringInfoData path;		/* of the object or array at hand: ".name" for a member, "[]" for an array */
	StringInfoData around;		/* members of the objects on the way */
	int			told;			/* so much of them came with a record */
	size_t		own;			/* bytes of the last record that are its own members */
	int			depth;
	Level		levels[DEPTH_LIMIT];
	int			count;
	int64		line_ends;
	/* where paths are looked for, and not records: */
	L4Bytes    *paths;			/* or NULL */
	int			path_count;
	int			path_room;
};

/* ---------- values ---------- */

static const char *
string_end(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		at += *at == '\\';
	return at < end ? at + 1 : NULL;
}

/* Behind the value that begins here; NULL where it does not end. */
static const char *
value_end(const char *at, const char *end)
{
	int			depth = 0;

	while (at < end)
	{
		if (*at == '"')
		{
			at = string_end(at, end);
			if (at == NULL || depth == 0)
				return at;
			continue;
		}
		if (*at == '{' || *at == '[')
			depth++;
		else if ((*at == '}' || *at == ']') && --depth <= 0)
			return at + (depth == 0);
		else if (depth == 0 && (*at == ',' || (unsigned char) *at <= ' '))
			return at;
		at++;
	}
	return NULL;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *
skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

/* Appends JSON without the blanks between its words. A line end in a string, where none may be, is escaped. */
static void
append_json(StringInfo out, L4Bytes text)
{
	const char *end = text.data + text.size;
	const char *at;
	bool		quoted = false;

	for (at = text.data; at < end; at++)
	{
		if (quoted && (*at == '\n' || *at == '\r'))
			appendStringInfoString(out, *at == '\n' ? "\\n" : "\\r");
		else if (quoted || !is_blank(*at))
			appendStringInfoChar(out, *at);
		if (*at == '"')
			quoted = !quoted;
		else if (quoted && *at == '\\' && at + 1 < end)
			appendStringInfoChar(out, *++at);
	}
}

/* ---------- records ---------- */

/* Appends the elements of an array as members called by their numbers. */
static void
append_elements(StringInfo out, L4Bytes array)
{
	const char *end = array.data + array.size - 1;
	const char *at = skip_blanks(array.data + 1, end);
	int			number = 0;

	while (at < end)
	{
		const char *stop = value_end(at, end);

		stop = stop != NULL && stop > at ? stop : end;
		appendStringInfo(out, "%s\"%d\":", number > 0 ? "," : "", number);
		number++;
		append_json(out, (L4Bytes) {at, stop - at});
		at = skip_blanks(stop, end);
		at = skip_blanks(at + (at < end && *at == ','), end);
	}
}

/* Appends a record, with what stands around it, as an object. */
static void
append_record(L4Documents *documents, L4Bytes value, StringInfo out)
{
	int			size;

	appendStringInfoChar(out, '{');
	size = out->len;
	if (*value.data == '[')
		append_elements(out, value);
	else if (*value.data == '{')
		append_json(out, (L4Bytes) {value.data + 1, value.size - 2});
	else
	{
		appendStringInfoString(out, "\"0\":");
		append_json(out, value);
	}
	documents->own = out->len;
	if (out->len > size && documents->around.len > 0)
		appendStringInfoChar(out, ',');
	appendBinaryStringInfo(out, documents->around.data, documents->around.len);
	appendStringInfoString(out, "}\n");
	documents->told = documents->around.len;
}

/* Appends members that are of no record. */
static void
append_rest(StringInfo out, L4Bytes members)
{
	if (members.size > 0 && *members.data == ',')
	{
		members.data++;
		members.size--;
	}
	if (members.size == 0)
		return;
	appendStringInfoChar(out, '{');
	appendBinaryStringInfo(out, members.data, (int) members.size);
	appendStringInfoString(out, "}\n");
}

/* A member of an object on the way: what its records have in common, as long as there is not too much of it. */
static void
add_member(L4Documents *documents, L4Bytes key, L4Bytes value, StringInfo out)
{
	StringInfo	around = &documents->around;
	int			before = around->len;

	if (before > 0)
		appendStringInfoChar(around, ',');
	appendBinaryStringInfo(around, key.data, (int) key.size);
	appendStringInfoChar(around, ':');
	append_json(around, value);
	if (around->len <= AROUND_BYTES)
		return;
	append_rest(out, (L4Bytes) {around->data + before, around->len - before});
	around->len = before;
}

/* ---------- the way ---------- */

static void
open_level(L4Documents *documents, bool is_array, int path)
{
	documents->count += documents->depth == 0;
	documents->levels[documents->depth++] = (Level) {is_array, path, documents->around.len};
}

/* Ends the innermost level; false where another one does. */
static bool
close_level(L4Documents *documents, char c, StringInfo out)
{
	StringInfo	around = &documents->around;
	const Level *level;
	int			told;

	if (documents->depth == 0)
		return false;
	level = &documents->levels[documents->depth - 1];
	if (level->is_array != (c == ']'))
		return false;
	told = Max(documents->told, level->around);
	if (around->len > told)
		append_rest(out, (L4Bytes) {around->data + told, around->len - told});
	around->len = level->around;
	documents->told = Min(documents->told, level->around);
	documents->path.len = level->path;
	documents->depth--;
	return true;
}

/* Notes that the elements of the array at hand are objects or arrays. */
static void
note_path(L4Documents *documents)
{
	L4Bytes		path = {documents->path.data, documents->path.len};
	int			i;

	for (i = 0; i < documents->path_count; i++)
		if (documents->paths[i].size == path.size && memcmp(documents->paths[i].data, path.data, path.size) == 0)
			return;
	if (documents->path_count < documents->path_room)
		documents->paths[documents->path_count++] = bytes_kept(path);
}

/* Does the path at hand lead to the records? */
static bool
leads(const L4Documents *documents)
{
	const StringInfoData *path = &documents->path;
	const StringInfoData *wanted = &documents->wanted;

	if (documents->paths != NULL)
		return true;
	return path->len <= wanted->len && memcmp(path->data, wanted->data, path->len) == 0 &&
		(path->len == wanted->len || wanted->data[path->len] == '.' || wanted->data[path->len] == '[');
}

/* Goes into the object or array that begins here, if records are in it: it is a member of that name, or an element. */
static bool
enter(L4Documents *documents, char c, L4Bytes name)
{
	int			path = documents->path.len;

	if ((c != '{' && c != '[') || documents->depth == DEPTH_LIMIT)
		return false;
	if (name.size > 0)
		appendStringInfo(&documents->path, ".%.*s", (int) name.size, name.data);
	if (c == '[')
		appendStringInfoString(&documents->path, "[]");
	if (leads(documents))
	{
		open_level(documents, c == '[', path);
		return true;
	}
	documents->path.len = path;
	documents->path.data[path] = '\0';
	return false;
}

/* A member of the object at hand; at: where its name begins. */
static const char *
take_member(L4Documents *documents, const char *at, const char *end, StringInfo out)
{
	L4Bytes		key = {at, 0};
	const char *stop = string_end(at, end);

	if (stop == NULL)
		return NULL;
	key.size = stop - at;
	at = skip_blanks(stop, end);
	if (at < end && *at != ':')
		return end + 1;
	at = skip_blanks(at + 1, end);
	if (at >= end)
		return NULL;
	if (enter(documents, *at, (L4Bytes) {key.data + 1, key.size - 2}))
		return at + 1;
	stop = value_end(at, end);
	if (stop == at)
		return end + 1;
	if (stop != NULL && documents->paths == NULL)
		add_member(documents, key, (L4Bytes) {at, stop - at}, out);
	return stop;
}

/* An element of the array at hand, or a document. */
static const char *
take_element(L4Documents *documents, const char *at, const char *end, StringInfo out)
{
	bool		is_record = documents->path.len == documents->wanted.len && documents->paths == NULL;
	bool		is_document = documents->depth == 0;
	const char *stop;

	if (documents->paths != NULL && !is_document && (*at == '{' || *at == '['))
		note_path(documents);
	if (!is_record && enter(documents, *at, (L4Bytes) {NULL, 0}))
		return at + 1;
	if (is_document && *at != '{' && *at != '[')
		return end + 1;
	stop = value_end(at, end);
	if (stop == at)
		return end + 1;
	if (stop != NULL && documents->paths == NULL)
		append_record(documents, (L4Bytes) {at, stop - at}, out);
	if (stop != NULL && is_document)
		documents->count++;
	return stop;
}

size_t
documents_take(L4Documents *documents, L4Bytes bytes, StringInfo out, size_t *skipped)
{
	const char *end = bytes.data + bytes.size;
	const char *at = bytes.data;
	const char *from;
	const char *stop;

	for (; at < end && (is_blank(*at) || *at == ','); at++)
		documents->line_ends += documents->depth > 0 && *at == '\n';
	*skipped = at - bytes.data;
	documents->own = 0;
	if (at == end)
		return bytes.size;
	from = at;
	if (*at == '}' || *at == ']')
		return close_level(documents, *at, out) ? at + 1 - bytes.data : EXPORT_BROKEN;
	if (documents->depth == 0 || documents->levels[documents->depth - 1].is_array)
		stop = take_element(documents, at, end, out);
	else
		stop = *at == '"' ? take_member(documents, at, end, out) : end + 1;
	if (stop == NULL || stop > end)
		return stop == NULL ? EXPORT_MORE : EXPORT_BROKEN;
	for (; (from = memchr(from, '\n', stop - from)) != NULL; from++)
		documents->line_ends++;
	return stop - bytes.data;
}

void
documents_end(L4Documents *documents, StringInfo out)
{
	if (documents->around.len > documents->told)
		append_rest(out, (L4Bytes) {documents->around.data + documents->told, documents->around.len - documents->told});
	documents->told = documents->around.len;
}

L4Documents *
documents_create(L4Bytes path)
{
	L4Documents *documents = palloc0(sizeof(L4Documents));

	initStringInfo(&documents->wanted);
	initStringInfo(&documents->path);
	initStringInfo(&documents->around);
	appendBinaryStringInfo(&documents->wanted, path.data, (int) path.size);
	return documents;
}

int
documents_paths(L4Bytes sample, L4Bytes *paths, int room)
{
	L4Documents *documents = documents_create((L4Bytes) {"", 0});
	StringInfoData out;
	size_t		skipped;
	size_t		size;

	initStringInfo(&out);
	documents->paths = paths;
	documents->path_room = room - 1;
	while (sample.size > 0)
	{
		size = documents_take(documents, sample, &out, &skipped);
		if (size == EXPORT_MORE || size == EXPORT_BROKEN)
			break;
		sample = (L4Bytes) {sample.data + size, sample.size - size};
	}
	paths[documents->path_count] = (L4Bytes) {"", 0};
	return documents->path_count + 1;
}

size_t
documents_own(const L4Documents *documents)
{
	return documents->own;
}

int
documents_count(const L4Documents *documents)
{
	return documents->count;
}

int64
documents_line_ends(const L4Documents *documents)
{
	return documents->line_ends;
}
