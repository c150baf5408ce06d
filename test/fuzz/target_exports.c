/*
 * target_exports.c: files in which lines are kept in another form than a line each. All bytes are taken, whatever pieces they
 * come in, and give the same lines; sections give back the very bytes.
 */
#include "fuzz.h"

#include "algorithms/export.h"

static bool
is_node(const void *argument, L4Bytes name)
{
	return name.size > 4 && memcmp(name.data, "node", 4) == 0;
}

static bool
has_header(const void *argument, L4Bytes text)
{
	return text.size > 4 && is_digit(text.data[0]);
}

static const L4EnvelopeAsk ask = {is_node, has_header, NULL};

/* Takes all, of which so many more bytes come at a time; lines: with the number of the byte that each unit begins at. */
static void
take_all(L4Bytes input, size_t piece, StringInfo lines)
{
	StringInfoData sample;
	StringInfoData unit;
	L4Export   *export;
	size_t		there = Min(piece, input.size);

	initStringInfo(&sample);
	initStringInfo(&unit);
	export = export_learn(input, &ask, &sample);
	if (export == NULL)
		export = export_of_lines();
	for (size_t at = 0; at < input.size;)
	{
		bool		at_end = there == input.size;
		L4Bytes		bytes = fuzz_copy((L4Bytes) {input.data + at, there - at});
		size_t		skipped;
		size_t		size;
		bool		is_path;

		resetStringInfo(&unit);
		size = there > at ? export_take(export, bytes, at_end && piece == input.size, &unit, &skipped) : 0;
		if (size == 0 && at_end && there > at)
			size = export_take(export, bytes, true, &unit, &skipped);
		fuzz_require(size > 0 || !at_end);
		fuzz_require(size <= bytes.size && (size == 0 || skipped <= size));
		(void) export_section(export, &is_path);
		if (size > 0 && unit.len > 0)
			appendStringInfo(lines, "%zu ", at + skipped);
		if (size > 0)
			appendBinaryStringInfo(lines, unit.data, unit.len);
		at += size;
		if (size == 0)
			there = Min(there + piece, input.size);
		pfree(unconstify(char *, bytes.data));
	}
}

void
fuzz_exports(L4Bytes input)
{
	StringInfoData whole;
	StringInfoData pieces;

	if (input.size == 0 || input.size > 16384)
		return;
	initStringInfo(&whole);
	initStringInfo(&pieces);
	take_all(input, input.size, &whole);
	take_all(input, input.size / 7 + 1, &pieces);
	fuzz_require(bytes_equal((L4Bytes) {whole.data, whole.len}, (L4Bytes) {pieces.data, pieces.len}));
}
