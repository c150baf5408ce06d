/*
 * export_blocks.c: records of several lines each, a field in each line ("MESSAGE=the loader starts").
 *
 * They are parted by blank lines (the export format of systemd's journal: a value that is no line of text comes as the name
 * alone, below it how many bytes it has, in eight bytes, the lowest first, and these), or each begins below a head, as where
 * people are shown records in full: a time with the fields set in below it, or a name with a number ("LogRecord #3"), where
 * other heads tell what holds for all records below them. A block becomes an object whose keys are the names of the fields.
 */
#include "algorithms/export_private.h"

#include "algorithms/timestamp.h"
#include "tools/bytes.h"
#include "tools/json_text.h"

/* The journal's names have at most so many bytes, and a record seldom a tenth of so many fields. */
#define NAME_BYTES 64
#define FIELDS_LIMIT 200
#define SIZE_BYTES 8
/* Of ten lines below heads so many are fields; so many records a sample has at least, and so many fields a record. */
#define MOST 8
#define HEADS_LEAST 3
#define FIELDS_LEAST 3
/* A head has so many bytes at most; the bytes of its name. */
#define HEAD_BYTES 160
#define HEAD_NAME 32

typedef enum BlockKind
{
	BLOCKS_PARTED,				/* by blank lines */
	BLOCKS_BELOW_TIMES,
	BLOCKS_BELOW_NAMES
} BlockKind;

struct L4Blocks
{
	BlockKind	kind;
	char		record[HEAD_NAME + 1];	/* the name in the heads of records, */
	char		outer[HEAD_NAME + 1];	/* and of that with which what holds for several begins anew */
	StringInfoData context;		/* members that hold for the records that come */
	size_t		own;
};

/* The name of the field that begins here; of no bytes where none does. */
static L4Bytes
field_name(const char *at, const char *end)
{
	const char *stop = at;

	while (stop < end && stop - at <= NAME_BYTES && ((*stop >= 'A' && *stop <= 'Z') || *stop == '_' || is_digit(*stop)))
		stop++;
	return stop - at > NAME_BYTES || (stop > at && is_digit(*at)) ? (L4Bytes) {at, 0} : (L4Bytes) {at, (size_t) (stop - at)};
}

/* Where a value of so many bytes begins, behind these eight; no larger than a unit. */
static size_t
told_size(const char *at)
{
	uint64		size = 0;
	int			i;

	for (i = SIZE_BYTES - 1; i >= 0; i--)
		size = size << 8 | (unsigned char) at[i];
	return (size_t) Min(size, EXPORT_UNIT_BYTES + 1);
}

/* A field from its first byte on; returns how many bytes it has with its line end, or why there is none. */
static size_t
read_field(L4Bytes bytes, bool at_end, L4Bytes *name, L4Bytes *value)
{
	const char *end = bytes.data + bytes.size;
	const char *behind;
	L4Bytes		line;

	*name = field_name(bytes.data, end);
	behind = name->data + name->size;
	if (behind == end)
		return at_end || name->size == 0 ? EXPORT_BROKEN : EXPORT_MORE;
	if (name->size == 0 || (*behind != '=' && *behind != '\n'))
		return EXPORT_BROKEN;
	if (*behind == '=')
	{
		line = export_first_line((L4Bytes) {behind + 1, (size_t) (end - behind - 1)});
		*value = line;
		if (line.data + line.size == end)
			return at_end ? bytes.size : EXPORT_MORE;
	}
	else
	{
		if (end - behind <= SIZE_BYTES + 1)
			return at_end ? EXPORT_BROKEN : EXPORT_MORE;
		*value = (L4Bytes) {behind + 1 + SIZE_BYTES, told_size(behind + 1)};
		if (value->size >= (size_t) (end - value->data))
			return at_end || value->size > EXPORT_UNIT_BYTES ? EXPORT_BROKEN : EXPORT_MORE;
		if (value->data[value->size] != '\n')
			return EXPORT_BROKEN;
	}
	return value->data + value->size + 1 - bytes.data;
}

static void
append_field(StringInfo out, L4Bytes name, L4Bytes value)
{
	appendStringInfo(out, "%s\"%.*s\":\"", out->len > 1 ? "," : "", (int) name.size, name.data);
	json_text_encode(value, 0, out);
	appendStringInfoChar(out, '"');
}

/* The next block of those that blank lines part. */
static size_t
take_parted(L4Bytes bytes, bool at_end, StringInfo out, size_t *skipped)
{
	L4Bytes		left;
	L4Bytes		name;
	L4Bytes		value;
	int			fields = 0;

	for (*skipped = 0; *skipped < bytes.size && bytes.data[*skipped] == '\n';)
		(*skipped)++;
	left = (L4Bytes) {bytes.data + *skipped, bytes.size - *skipped};
	/* blank lines alone are a unit that says nothing: what is never taken would be looked through again with each piece */
	if (left.size == 0)
		return bytes.size;
	appendStringInfoChar(out, '{');
	while (left.size > 0 && left.data[0] != '\n')
	{
		size_t		size = fields++ < FIELDS_LIMIT ? read_field(left, at_end, &name, &value) : EXPORT_BROKEN;

		if (size == EXPORT_MORE || size == EXPORT_BROKEN)
			return size;
		append_field(out, name, value);
		left = (L4Bytes) {left.data + size, left.size - size};
	}
	if (left.size == 0 && !at_end)
		return EXPORT_MORE;
	appendStringInfoString(out, "}\n");
	return bytes.size - left.size;
}

/* ---------- blocks below heads ---------- */

static inline bool
is_set_in(L4Bytes line)
{
	return line.size > 0 && (line.data[0] == ' ' || line.data[0] == '\t');
}

static L4Bytes
trimmed(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	while (end > at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	return (L4Bytes) {at, (size_t) (end - at)};
}

/* The time with which a head begins, behind the day of the week; of no bytes where it begins with none. */
static L4Bytes
head_time(L4Bytes line)
{
	const char *at = line.data;
	L4TimeKind	kind;
	size_t		size;

	if (line.size > 4 && is_letter(*at) && (at[3] == ' ' || at[3] == ','))
		at += 4;
	size = is_set_in(line) ? 0 : timestamp_scan((L4Bytes) {at, (size_t) (line.data + line.size - at)}, &kind);
	return (L4Bytes) {at, size > 0 && kind == L4_TIME_WHOLE ? size : 0};
}

/* The name in a head that is one with a number; of no bytes where it is none. */
static L4Bytes
head_name(L4Bytes line)
{
	const char *end = line.data + line.size;
	const char *at = line.data;
	L4Bytes		name;

	while (at < end && is_letter(*at))
		at++;
	name = (L4Bytes) {line.data, (size_t) (at - line.data)};
	at += at < end && *at == ' ';
	at += at < end && *at == '#';
	if (name.size == 0 || name.size > HEAD_NAME || at == end || at == line.data + name.size)
		return (L4Bytes) {NULL, 0};
	while (at < end && is_digit(*at))
		at++;
	at += at < end && *at == ':';
	return trimmed(at, end).size == 0 && is_digit(at[-1] == ':' ? at[-2] : at[-1]) ? name : (L4Bytes) {NULL, 0};
}

static inline bool
is_head(const L4Blocks *blocks, L4Bytes line)
{
	return line.size <= HEAD_BYTES &&
		(blocks->kind == BLOCKS_BELOW_TIMES ? head_time(line).size > 0 : head_name(line).size > 0);
}

/* A value without the name of its type around it, as "Str(...)", and without a zone's name behind its offset. */
static L4Bytes
plain_value(L4Bytes value)
{
	static const char zone[] = " +0000 UTC";
	size_t		i = 0;

	while (i < value.size && is_letter(value.data[i]))
		i++;
	if (i > 1 && value.size > i + 1 && value.data[i] == '(' && value.data[value.size - 1] == ')' && value.data[0] >= 'A' &&
		value.data[0] <= 'Z')
		value = (L4Bytes) {value.data + i + 1, value.size - i - 2};
	if (value.size > strlen(zone) && memcmp(value.data + value.size - strlen(zone), zone, strlen(zone)) == 0)
		value.size -= strlen(" UTC");
	return value;
}

/* Takes a line for a field: "name=value", "name: value", "-> name: value". */
static bool
listed_field(L4Bytes line, L4Bytes *name, L4Bytes *value)
{
	const char *end = line.data + line.size;
	const char *at = trimmed(line.data, end).data;
	const char *from;

	if (end - at > 3 && memcmp(at, "-> ", 3) == 0)
		at += 3;
	from = at;
	while (at < end && at - from <= NAME_BYTES && (is_alphanumeric(*at) || (*at != '\0' && strchr("_.@/- ", *at) != NULL)))
		at++;
	if (at == from || at == end || at - from > NAME_BYTES || is_digit(*from) || at[-1] == ' ' ||
		!(*at == '=' || (*at == ':' && (at + 1 == end || at[1] == ' ' || at[1] == '\r'))))
		return false;
	*name = (L4Bytes) {from, (size_t) (at - from)};
	*value = plain_value(trimmed(at + 1, end));
	return true;
}

/* The lines of a block behind its head, as members; returns the bytes of the block, or why it is none. */
static size_t
take_below(const L4Blocks *blocks, L4Bytes bytes, size_t head, bool at_end, StringInfo out)
{
	L4Bytes		left = {bytes.data + head, bytes.size - head};
	int			fields = 0;

	while (left.size > 0)
	{
		L4Bytes		line = export_first_line(left);
		L4Bytes		name = {"_", 1};
		L4Bytes		value = line;

		if (line.size == left.size && !at_end)
			return EXPORT_MORE;
		if (is_head(blocks, line))
			return bytes.size - left.size;
		if (fields++ == FIELDS_LIMIT)
			return EXPORT_BROKEN;
		/* what is no field stays: it is of a value of several lines */
		if (!listed_field(line, &name, &value))
			name = (L4Bytes) {"_", 1};
		if (trimmed(line.data, line.data + line.size).size > 0)
			append_field(out, name, value);
		left = (L4Bytes) {left.data + Min(line.size + 1, left.size), left.size - Min(line.size + 1, left.size)};
	}
	return at_end ? bytes.size : EXPORT_MORE;
}

/* What holds for the records that come: anew below the head with which it began, or more of it. */
static void
keep_context(L4Blocks *blocks, L4Bytes name, L4Bytes members)
{
	if (blocks->outer[0] == '\0')
		strlcpy(blocks->outer, name.data, name.size + 1);
	if (bytes_equal(name, (L4Bytes) {blocks->outer, strlen(blocks->outer)}))
		resetStringInfo(&blocks->context);
	if (members.size > 0 && blocks->context.len + members.size < EXPORT_UNIT_BYTES)
		appendStringInfo(&blocks->context, ",%.*s", (int) members.size, members.data);
}

/* What a head says, as members. */
static void
append_head(const L4Blocks *blocks, L4Bytes line, StringInfo out)
{
	static const L4Bytes name = {"_HEAD", 5};
	const char *end = line.data + line.size;
	L4Bytes		time;

	if (blocks->kind == BLOCKS_BELOW_NAMES)
	{
		append_field(out, name, trimmed(line.data, end));
		return;
	}
	time = head_time(line);
	append_field(out, name, time);
	if (trimmed(time.data + time.size, end).size > 0)
		append_field(out, (L4Bytes) {"_", 1}, trimmed(time.data + time.size, end));
}

/* The next block below a head. */
static size_t
take_headed(L4Blocks *blocks, L4Bytes bytes, bool at_end, StringInfo out)
{
	L4Bytes		line = export_first_line(bytes);
	L4Bytes		name;
	size_t		size;

	if (line.size == bytes.size && !at_end)
		return EXPORT_MORE;
	if (!is_head(blocks, line))
		return EXPORT_BROKEN;
	appendStringInfoChar(out, '{');
	append_head(blocks, line, out);
	size = take_below(blocks, bytes, Min(line.size + 1, bytes.size), at_end, out);
	if (size == EXPORT_MORE || size == EXPORT_BROKEN)
		return size;
	name = blocks->kind == BLOCKS_BELOW_NAMES ? head_name(line) : (L4Bytes) {"", 0};
	blocks->own = out->len;
	if (name.size > 0 && !bytes_equal(name, (L4Bytes) {blocks->record, strlen(blocks->record)}))
	{
		const char *behind = memchr(out->data, ',', out->len);

		keep_context(blocks, name, behind != NULL ? (L4Bytes) {behind + 1, (size_t) (out->data + out->len - behind - 1)} :
					 (L4Bytes) {NULL, 0});
		blocks->own = 0;
	}
	else
		appendBinaryStringInfo(out, blocks->context.data, blocks->context.len);
	appendStringInfoString(out, "}\n");
	return size;
}

/* What a sample has below heads of a kind. */
typedef struct Counts
{
	int			heads;
	int			lines;			/* below them, */
	int			fields;			/* and how many of these are fields */
} Counts;

static Counts
count_blocks(const L4Blocks *blocks, L4Bytes sample)
{
	Counts		counts = {0};

	while (sample.size > 0)
	{
		L4Bytes		line = export_first_line(sample);
		L4Bytes		name;
		L4Bytes		value;

		if (is_head(blocks, line))
			counts.heads++;
		else if (counts.heads == 0)
			break;				/* it does not begin with one */
		else if (trimmed(line.data, line.data + line.size).size > 0)
		{
			counts.lines++;
			counts.fields += listed_field(line, &name, &value) && (blocks->kind == BLOCKS_BELOW_NAMES || is_set_in(line));
		}
		sample = (L4Bytes) {sample.data + Min(line.size + 1, sample.size), sample.size - Min(line.size + 1, sample.size)};
	}
	return counts;
}

/* The name that most heads of a sample have is that of records. */
static void
find_record_name(L4Blocks *blocks, L4Bytes sample)
{
	L4Bytes		last = {NULL, 0};

	while (sample.size > 0)
	{
		L4Bytes		line = export_first_line(sample);
		L4Bytes		name = head_name(line);

		/* records follow one another */
		if (name.size > 0 && last.size > 0 && bytes_equal(name, last))
		{
			strlcpy(blocks->record, name.data, name.size + 1);
			return;
		}
		last = name.size > 0 ? name : last;
		sample = (L4Bytes) {sample.data + Min(line.size + 1, sample.size), sample.size - Min(line.size + 1, sample.size)};
	}
}

/* Does a sample consist of blocks below heads of this kind? */
static bool
are_below(L4Blocks *blocks, BlockKind kind, L4Bytes sample)
{
	Counts		counts;

	blocks->kind = kind;
	if (!is_head(blocks, export_first_line(sample)))
		return false;
	counts = count_blocks(blocks, sample);
	if (kind == BLOCKS_BELOW_NAMES)
		find_record_name(blocks, sample);
	return counts.heads >= HEADS_LEAST && counts.fields >= counts.heads * FIELDS_LEAST &&
		counts.fields * 10 >= counts.lines * MOST && (kind == BLOCKS_BELOW_TIMES || blocks->record[0] != '\0');
}

/* ---------- either ---------- */

static bool
begins_parted(L4Bytes sample)
{
	static const char first[] = "__CURSOR=";

	while (sample.size > 0 && sample.data[0] == '\n')
		sample = (L4Bytes) {sample.data + 1, sample.size - 1};
	return sample.size > strlen(first) && memcmp(sample.data, first, strlen(first)) == 0;
}

L4Blocks *
blocks_create(L4Bytes sample)
{
	L4Blocks   *blocks = palloc0(sizeof(L4Blocks));

	initStringInfo(&blocks->context);
	if (begins_parted(sample))
		return blocks;
	if (are_below(blocks, BLOCKS_BELOW_TIMES, sample) || are_below(blocks, BLOCKS_BELOW_NAMES, sample))
		return blocks;
	return NULL;
}

size_t
blocks_take(L4Blocks *blocks, L4Bytes bytes, bool at_end, StringInfo out, size_t *skipped)
{
	size_t		size;

	*skipped = 0;
	if (blocks->kind != BLOCKS_PARTED)
		return take_headed(blocks, bytes, at_end, out);
	size = take_parted(bytes, at_end, out, skipped);
	blocks->own = out->len;
	return size;
}

size_t
blocks_own(const L4Blocks *blocks)
{
	return blocks->own;
}
