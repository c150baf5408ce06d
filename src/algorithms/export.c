/*
 * export.c: files in which lines are kept in another form than a line each, to lines.
 *
 * Documents of JSON, tables and blocks of fields become lines that are objects, as other collectors write them. envelope.c,
 * which finds what a program wrote in these, also tells whether a file is an export at all, and which array of a document holds
 * the records: a program's own tables and documents of numbers stay as they are. Nothing is left out: what is not like the
 * other records is given as it stands.
 */
#include "algorithms/export_private.h"

#include "miscadmin.h"

/* Arrays of a document that may hold its records. */
#define PATHS_LIMIT 16
/* So many units that are not like the others teach nothing of the rest, fewer rows than so many no table. */
#define BROKEN_LIMIT 10
#define ROWS_LEAST 3
/* Of ten units so many are like the others. */
#define MOST 8
/* Of a unit no more becomes of texts of many lines, with the rest of the record in each of these: then they are not parted. */
#define LINES_BYTES (4 * EXPORT_UNIT_BYTES)

struct L4Export
{
	/* one of these, or none: */
	L4Documents *documents;
	L4Table    *table;
	bool		blocks;
	L4Sections *sections;
	L4EnvelopeForm form;		/* of the objects of documents, tables and blocks */
	bool		heading;		/* the table's comes next */
	bool		head;			/* the last line was the head of a section */
	int64		records;		/* or rows; */
	int64		outside;		/* in so many what a program wrote is no member of their own */
	int64		broken;			/* units that are not like the others */
	StringInfoData object;		/* one under way */
};

L4Export *
export_of_lines(void)
{
	L4Export   *export = palloc0(sizeof(L4Export));

	initStringInfo(&export->object);
	return export;
}

/* ---------- units ---------- */

/* The end of a line within a string of JSON: where its escape begins; behind: what follows. NULL where there is none. */
static const char *
escaped_line_end(const char *at, const char *end, const char **behind)
{
	while (at < end && (at = memchr(at, '\\', end - at)) != NULL && end - at >= 2)
	{
		*behind = at + 2;
		if (at[1] == 'n')
			return at;
		if (at[1] == 'r' && end - at >= 4 && at[2] == '\\' && at[3] == 'n')
		{
			*behind = at + 4;
			return at;
		}
		at += 2;
	}
	return NULL;
}

/*
 * Appends a record, and where what a program wrote has several lines, one for each of them. own: bytes of it that are its own
 * members.
 */
static void
append_record(L4Export *export, L4Bytes object, size_t own, StringInfo lines)
{
	L4Bytes		values[L4_ENVELOPE_PARTS];
	L4Bytes		text;
	const char *stop;
	const char *behind;

	export->records++;
	if (!envelope_is_here(&export->form) || !envelope_open(&export->form, object, values))
	{
		appendBinaryStringInfo(lines, object.data, (int) object.size);
		appendStringInfoChar(lines, '\n');
		return;
	}
	text = values[L4_ENVELOPE_TEXT];
	export->outside += text.data >= object.data + own;
	do
	{
		const char *end = text.data + text.size;

		stop = lines->len < LINES_BYTES ? escaped_line_end(text.data, end, &behind) : NULL;
		appendBinaryStringInfo(lines, object.data, values[L4_ENVELOPE_TEXT].data - object.data);
		appendBinaryStringInfo(lines, text.data, (int) ((stop != NULL ? stop : end) - text.data));
		appendBinaryStringInfo(lines, end, (int) (object.data + object.size - end));
		appendStringInfoChar(lines, '\n');
		if (stop != NULL)
			text = (L4Bytes) {behind, end - behind};
	} while (stop != NULL);
}

/* The first line of the bytes, as it is; its size, with its end. */
static size_t
take_line(L4Bytes bytes, bool at_end, StringInfo lines)
{
	L4Bytes		line = export_first_line(bytes);

	if (line.size == bytes.size && !at_end && bytes.size < EXPORT_UNIT_BYTES)
		return 0;
	bytes.size = Min(line.size + 1, bytes.size);
	appendBinaryStringInfo(lines, bytes.data, (int) bytes.size);
	return bytes.size;
}

/* Are most units so far like each other? */
static bool
are_alike(const L4Export *export)
{
	return export->records * 10 >= (export->records + export->broken) * MOST;
}

/*
 * A unit that is not like the others, or (endless) has no end: its first line. The rest are lines where many are so, or where
 * the bytes end in it: it may have been looked for through megabytes.
 */
static size_t
take_broken(L4Export *export, L4Bytes bytes, bool endless, bool at_end, StringInfo lines)
{
	size_t		size = take_line(bytes, at_end, lines);

	if (size == 0)
		return 0;
	export->broken++;
	if ((endless && at_end) ||
		(export->broken > BROKEN_LIMIT && (endless || !are_alike(export))))
	{
		if (lines->data[lines->len - 1] != '\n')
			appendStringInfoChar(lines, '\n');
		export_end(export, lines);
		export->documents = NULL;
		export->table = NULL;
		export->blocks = false;
	}
	return size;
}

/* Are there units of several lines, or of less than one? */
static inline bool
has_units(const L4Export *export)
{
	return export->documents != NULL || export->table != NULL || export->blocks;
}

/* Takes a unit that has records; returns how many bytes that are, or why it is none. */
static size_t
take_unit(L4Export *export, L4Bytes bytes, bool at_end, size_t *skipped)
{
	if (export->documents != NULL)
		return documents_take(export->documents, bytes, &export->object, skipped);
	if (export->table != NULL)
		return table_take(export->table, bytes, at_end, &export->object);
	return blocks_take(bytes, at_end, &export->object, skipped);
}

/* A line as it is, or the lines of a head. */
static size_t
take_plain(L4Export *export, L4Bytes bytes, bool at_end, StringInfo lines)
{
	size_t		size;

	export->head = export->sections != NULL && sections_head(export->sections, bytes, at_end, &size);
	if (!export->head)
	{
		size = take_line(bytes, at_end, lines);
		export->heading &= size == 0;
		return size;
	}
	appendBinaryStringInfo(lines, bytes.data, (int) size);
	return size;
}

size_t
export_take(L4Export *export, L4Bytes bytes, bool at_end, StringInfo lines, size_t *skipped)
{
	StringInfo	object = &export->object;
	size_t		size;

	*skipped = 0;
	if (!has_units(export) || export->heading)
		return take_plain(export, bytes, at_end, lines);
	resetStringInfo(object);
	size = take_unit(export, bytes, at_end, skipped);
	if (size == EXPORT_MORE && !at_end && bytes.size < EXPORT_UNIT_BYTES)
		return 0;
	if (size == EXPORT_MORE || size == EXPORT_BROKEN)
	{
		bytes = (L4Bytes) {bytes.data + *skipped, bytes.size - *skipped};
		size = take_broken(export, bytes, size == EXPORT_MORE, at_end, lines);
		return size > 0 ? *skipped + size : 0;
	}
	if (export->documents != NULL && documents_own(export->documents) == 0)
		appendBinaryStringInfo(lines, object->data, object->len);
	else if (object->len > 0)
		append_record(export, (L4Bytes) {object->data, object->len - 1},
					  export->documents != NULL ? documents_own(export->documents) : (size_t) object->len, lines);
	return size;
}

void
export_end(L4Export *export, StringInfo lines)
{
	if (export->documents != NULL)
		documents_end(export->documents, lines);
}

L4Bytes
export_section(const L4Export *export, bool *is_path)
{
	*is_path = false;
	return export->sections == NULL || export->head ? (L4Bytes) {NULL, 0} : sections_name(export->sections, is_path);
}

bool
export_may_descend(const L4Export *export)
{
	return export->sections == NULL || sections_are_one(export->sections);
}

/* ---------- learning ---------- */

/* The records of a sample, in a form if it is known, as lines; and how many are not like them. */
static void
read_sample(L4Export *export, L4Bytes sample, const L4EnvelopeForm *form, StringInfo lines)
{
	static const L4EnvelopeForm none;
	size_t		skipped;
	size_t		size;

	export->form = form != NULL ? *form : none;
	export->records = export->outside = export->broken = 0;
	resetStringInfo(lines);
	while (sample.size > 0 && has_units(export))
	{
		int			before = lines->len;
		int64		records = export->records;

		CHECK_FOR_INTERRUPTS();
		if ((size = export_take(export, sample, false, lines, &skipped)) == 0)
			break;
		if (export->records == records)
			lines->len = before;
		sample.data += size;
		sample.size -= size;
	}
}

/*
 * Do the records of a sample have what a program wrote? Then the form and the lines are theirs. Not where each document is one
 * record in a line, as envelope.c reads it.
 */
static bool
learn_path(L4Export *export, L4Bytes path, L4Bytes sample, const L4EnvelopeAsk *ask, L4EnvelopeForm *form, StringInfo lines)
{
	export->documents = documents_create(path);
	read_sample(export, sample, NULL, lines);
	if (export->documents == NULL ||
		(documents_line_ends(export->documents) == 0 && export->records <= documents_count(export->documents)) ||
		!envelope_learn((L4Bytes) {lines->data, lines->len}, ask, form) || envelope_is_own(form))
		return false;
	export->documents = documents_create(path);
	read_sample(export, sample, form, lines);
	return export->outside == 0;
}

/* How many parts of an object a form tells. */
static int
told_parts(const L4EnvelopeForm *form)
{
	int			parts = 0;
	int			i;

	for (i = 0; i < L4_ENVELOPE_PARTS; i++)
		parts += form->keys[i].turn > 0;
	return parts;
}

/* Learns where documents keep their records: in the array that tells most of these, the innermost of such. */
static bool
learn_documents(L4Export *export, L4Bytes sample, const L4EnvelopeAsk *ask, StringInfo lines)
{
	L4Bytes		paths[PATHS_LIMIT];
	int			count = documents_paths(sample, paths, PATHS_LIMIT);
	L4EnvelopeForm form;
	L4Bytes		best = {NULL, 0};
	int			most = 0;
	int			i;

	for (i = 0; i < count; i++)
		if (learn_path(export, paths[i], sample, ask, &form, lines) &&
			(told_parts(&form) > most || (told_parts(&form) == most && paths[i].size > best.size)))
		{
			best = paths[i];
			most = told_parts(&form);
		}
	if (most == 0 || !learn_path(export, best, sample, ask, &form, lines))
		return false;
	export->documents = documents_create(best);
	export->broken = 0;
	return true;
}

static bool
learn_table(L4Export *export, L4Bytes sample, const L4EnvelopeAsk *ask, StringInfo lines)
{
	size_t		heading;
	L4EnvelopeForm form;

	export->table = table_create(sample, &heading);
	if (export->table == NULL)
		return false;
	sample = (L4Bytes) {sample.data + heading, sample.size - heading};
	read_sample(export, sample, NULL, lines);
	if (export->records < ROWS_LEAST || !are_alike(export) ||
		!envelope_learn((L4Bytes) {lines->data, lines->len}, ask, &form) || envelope_is_own(&form))
		return false;
	read_sample(export, sample, &form, lines);
	export->heading = true;
	export->broken = 0;
	return export->table != NULL;
}

static bool
learn_blocks(L4Export *export, L4Bytes sample, const L4EnvelopeAsk *ask, StringInfo lines)
{
	L4EnvelopeForm form;

	export->blocks = blocks_begin(sample);
	if (!export->blocks)
		return false;
	read_sample(export, sample, NULL, lines);
	if (export->blocks && envelope_learn((L4Bytes) {lines->data, lines->len}, ask, &form))
		read_sample(export, sample, &form, lines);
	export->broken = 0;
	return export->blocks && envelope_is_here(&export->form);
}

/* Does an object begin, or an array of objects or arrays? Many a log begins with a bracket. */
static bool
begins_document(L4Bytes sample)
{
	char		first = '\0';
	size_t		i;

	for (i = 0; i < sample.size; i++)
	{
		char		c = sample.data[i];

		if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
			continue;
		if (first != '\0')
			return c == '"' ? first == '{' : first == '[' && (c == '{' || c == '[');
		if (c != '{' && c != '[')
			return false;
		first = c;
	}
	return false;
}

L4Export *
export_learn(L4Bytes sample, const L4EnvelopeAsk *ask, StringInfo lines)
{
	L4Export   *export = export_of_lines();

	if (begins_document(sample) && learn_documents(export, sample, ask, lines))
		return export;
	export->documents = NULL;
	if (learn_blocks(export, sample, ask, lines))
		return export;
	export->blocks = false;
	export->sections = sections_create(sample, ask);
	if (export->sections != NULL)
	{
		resetStringInfo(lines);
		appendBinaryStringInfo(lines, sample.data, (int) sample.size);
		return export;
	}
	return learn_table(export, sample, ask, lines) ? export : NULL;
}
