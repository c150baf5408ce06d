/*
 * export_sections.c: files that hold others one behind the other, each below a head that says which it is.
 *
 * A head at the file's beginning says how it is parted: so a section that is longer than the sample does no harm, and lines in
 * the middle of a log that happen to look like a head part nothing.
 */
#include "algorithms/export_private.h"

#include "algorithms/header_object.h"
#include "tools/bytes.h"

/* Dashes at least above and below a host. */
#define DASHES 8
/* The first head is among so many lines: programs that gather logs say something before. */
#define LINES_BEFORE 5

typedef enum SectionKind
{
	SECTIONS_TAIL,				/* "==> path <==": tail and head of several files */
	SECTIONS_DASHES,			/* dashes, host, dashes: dshbak, clush -b */
	SECTIONS_ANSIBLE,			/* "host | CHANGED | rc=0 >>" */
	SECTIONS_PSSH,				/* "[1] 15:02:11 [SUCCESS] host": pssh -i */
	SECTIONS_YARN,				/* "Container: container_17_01_000002 on host_8041": yarn logs */
	SECTIONS_LABELS,			/* "Common labels: {"pod":"host","namespace":"ml"}": Grafana, of all that the file has */
	SECTIONS_KINDS
} SectionKind;

struct L4Sections
{
	SectionKind kind;
	StringInfoData name;
};

static bool
begins_with(L4Bytes line, const char *word)
{
	size_t		size = strlen(word);

	return line.size >= size && memcmp(line.data, word, size) == 0;
}

static bool
ends_with(L4Bytes line, const char *word)
{
	size_t		size = strlen(word);

	return line.size >= size && memcmp(line.data + line.size - size, word, size) == 0;
}

/* The first word of a text. */
static L4Bytes
first_word(const char *at, const char *end)
{
	const char *stop = memchr(at, ' ', end - at);

	return (L4Bytes) {at, (stop != NULL ? stop : end) - at};
}

static bool
tail_head(L4Bytes line, L4Bytes *name)
{
	if (line.size < 9 || !begins_with(line, "==> ") || !ends_with(line, " <=="))
		return false;
	*name = (L4Bytes) {line.data + 4, line.size - 8};
	return true;
}

static bool
ansible_head(L4Bytes line, L4Bytes *name)
{
	L4Bytes		rest;

	*name = first_word(line.data, line.data + line.size);
	rest = (L4Bytes) {name->data + name->size, line.size - name->size};
	return name->size > 0 && ends_with(line, " >>") && memmem(line.data, line.size, " | rc=", 6) != NULL &&
		(begins_with(rest, " | CHANGED") || begins_with(rest, " | SUCCESS") || begins_with(rest, " | FAILED"));
}

static bool
pssh_head(L4Bytes line, L4Bytes *name)
{
	const char *end = line.data + line.size;
	const char *at = line.size > 0 && *line.data == '[' ? memmem(line.data, line.size, "] ", 2) : NULL;

	if (at == NULL || end - at < 22 || at[4] != ':' || at[7] != ':' ||
		(memcmp(at + 10, " [SUCCESS] ", 11) != 0 && memcmp(at + 10, " [FAILURE] ", 11) != 0))
		return false;
	*name = first_word(at + 21, end);
	return name->size > 0;
}

/* A port stands behind the host. */
static bool
yarn_head(L4Bytes line, L4Bytes *name)
{
	const char *on = begins_with(line, "Container: ") ? memmem(line.data, line.size, " on ", 4) : NULL;
	size_t		size;

	if (on == NULL)
		return false;
	*name = first_word(on + 4, line.data + line.size);
	for (size = name->size; size > 0 && is_digit(name->data[size - 1]);)
		size--;
	if (size > 1 && size < name->size && (name->data[size - 1] == '_' || name->data[size - 1] == ':'))
		name->size = size - 1;
	return name->size > 0;
}

/* The label that all lines have which is the name of a node. */
static bool
labels_head(L4Bytes line, const L4EnvelopeAsk *ask, L4Bytes *name)
{
	const char *at = line.data;
	L4ObjectPair pair;

	while (begins_with(line, "Common labels: {") && header_object_next(&at, line.data + line.size, &pair))
		if (pair.value.size > 0 && ask->is_node(ask->argument, pair.value))
		{
			*name = pair.value;
			return true;
		}
	return false;
}

static bool
is_dashes(L4Bytes line)
{
	size_t		i;

	for (i = 0; i < line.size; i++)
		if (line.data[i] != '-')
			return false;
	return line.size >= DASHES;
}

/* The next line, without its end; false where that is not there. */
static bool
next_line(L4Bytes *rest, L4Bytes *line)
{
	*line = export_first_line(*rest);
	if (line->size == rest->size)
		return false;
	rest->data += line->size + 1;
	rest->size -= line->size + 1;
	if (line->size > 0 && line->data[line->size - 1] == '\r')
		line->size--;
	return true;
}

/* Is the line a head in itself? */
static bool
is_head(SectionKind kind, L4Bytes line, const L4EnvelopeAsk *ask, L4Bytes *name)
{
	switch (kind)
	{
		case SECTIONS_LABELS:
			return ask != NULL && labels_head(line, ask, name);
		case SECTIONS_TAIL:
			return tail_head(line, name);
		case SECTIONS_ANSIBLE:
			return ansible_head(line, name);
		case SECTIONS_PSSH:
			return pssh_head(line, name);
		default:
			return yarn_head(line, name);
	}
}

/* Takes the lines of a head, with the blank one that tail puts before it; false where they are none, *cut: or not all there. */
static bool
take_head(SectionKind kind, L4Bytes *rest, const L4EnvelopeAsk *ask, L4Bytes *name, bool *cut)
{
	L4Bytes		line;
	L4Bytes		below;

	*cut = !next_line(rest, &line);
	if (*cut)
		return false;
	if (kind != SECTIONS_DASHES)
	{
		if (kind == SECTIONS_TAIL && line.size == 0)
			*cut = !next_line(rest, &line);
		return !*cut && is_head(kind, line, ask, name);
	}
	if (!is_dashes(line))
		return false;
	*cut = !next_line(rest, name) || !next_line(rest, &below);
	*name = first_word(name->data, name->data + name->size);
	return !*cut && bytes_equal(line, below) && name->size > 0 && !is_dashes(*name);
}

/* sections_head; ask: of a file of one section, whose head is told from the sample, and later comes no more. */
static bool
read_head(L4Sections *sections, L4Bytes bytes, bool at_end, const L4EnvelopeAsk *ask, size_t *size)
{
	L4Bytes		rest = bytes;
	L4Bytes		name;
	bool		cut;
	bool		found = take_head(sections->kind, &rest, ask, &name, &cut);

	if (!found)
	{
		*size = 0;
		return cut && !at_end && bytes.size < EXPORT_UNIT_BYTES;
	}
	*size = rest.data - bytes.data;
	resetStringInfo(&sections->name);
	/* what several hosts wrote alike is of none of them */
	if (sections->kind == SECTIONS_TAIL || memchr(name.data, '[', name.size) == NULL)
		appendBinaryStringInfo(&sections->name, name.data, (int) name.size);
	return true;
}

bool
sections_head(L4Sections *sections, L4Bytes bytes, bool at_end, size_t *size)
{
	return read_head(sections, bytes, at_end, NULL, size);
}

bool
sections_are_one(const L4Sections *sections)
{
	return sections->kind == SECTIONS_LABELS;
}

L4Bytes
sections_name(const L4Sections *sections, bool *is_path)
{
	*is_path = sections->kind == SECTIONS_TAIL;
	return (L4Bytes) {sections->name.data, sections->name.len};
}

/* Do the bytes begin with a head of a kind? Titles stand between dashes, too: a host there must be a node. */
static bool
begins_so(L4Sections *sections, SectionKind kind, L4Bytes bytes, const L4EnvelopeAsk *ask)
{
	bool		is_path;
	size_t		size;

	sections->kind = kind;
	return read_head(sections, bytes, true, ask, &size) && sections->name.len > 0 &&
		(kind != SECTIONS_DASHES || ask->is_node(ask->argument, sections_name(sections, &is_path)));
}

L4Sections *
sections_create(L4Bytes sample, const L4EnvelopeAsk *ask)
{
	L4Sections *sections = palloc0(sizeof(L4Sections));
	L4Bytes		line;
	int			lines;
	int			kind;

	initStringInfo(&sections->name);
	for (lines = 0; lines < LINES_BEFORE; lines++)
	{
		for (kind = 0; kind < SECTIONS_KINDS; kind++)
			if (begins_so(sections, kind, sample, ask))
			{
				if (!sections_are_one(sections))
					resetStringInfo(&sections->name);
				return sections;
			}
		if (!next_line(&sample, &line))
			break;
	}
	return NULL;
}
