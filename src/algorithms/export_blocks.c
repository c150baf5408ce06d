/*
 * export_blocks.c: records of several lines each, a field in each line ("MESSAGE=the loader starts"), parted by blank lines:
 * the export format of systemd's journal (journalctl -o export).
 *
 * A block becomes an object whose keys are the names of the fields. A value that is no line of text comes as the name alone,
 * below it how many bytes it has (eight bytes, the lowest first), and these.
 */
#include "algorithms/export_private.h"

#include "tools/bytes.h"
#include "tools/json_text.h"

/* The journal's names have at most so many bytes, and a record seldom a tenth of so many fields. */
#define NAME_BYTES 64
#define FIELDS_LIMIT 200
#define SIZE_BYTES 8

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

size_t
blocks_take(L4Bytes bytes, bool at_end, StringInfo out, size_t *skipped)
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

bool
blocks_begin(L4Bytes sample)
{
	static const char first[] = "__CURSOR=";

	while (sample.size > 0 && sample.data[0] == '\n')
		sample = (L4Bytes) {sample.data + 1, sample.size - 1};
	return sample.size > strlen(first) && memcmp(sample.data, first, strlen(first)) == 0;
}
