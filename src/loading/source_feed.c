/*
 * source_feed.c: how bytes come into a source: as those of a file, in whatever pieces they are read, or as rows of whole lines.
 *
 * The parser of headers needs to see the first 64 kB before the first line, in whatever pieces they arrive: so pieces wait
 * until there are that many bytes.
 */
#include "loading/source_private.h"

/* Returns how many bytes were taken: all, unless feeding stopped. */
static int64
feed_line(L4Source *work, const WaitingLine *line, const char *bytes)
{
	if (work->input.export != NULL)
	{
		source_export_take(work, (L4Bytes) {bytes, line->size});
		return (int64) line->size;
	}
	if (line->is_row)
		record_assembler_line(work->input.assembler, line->line_no, &line->facts);
	return record_assembler_feed(work->input.assembler, bytes, line->size);
}

/* Takes the sample from the first bytes, then hands on what waited for it. */
static void
take_sample(L4Source *work, const char *bytes, size_t size)
{
	L4Bytes		sample = {bytes, Min(size, L4_SAMPLE_BYTES)};
	const char *at = work->input.waiting.data;
	ListCell   *cell;

	work->input.sampled = true;
	if (size > 0)
		source_learn(work, sample);
	foreach(cell, work->input.waiting_lines)
	{
		const WaitingLine *line = lfirst(cell);

		work->input.bytes += feed_line(work, line, at);
		at += line->size;
	}
	work->input.waiting_lines = NIL;
}

/* The sample is of the first 64 kB, in whatever pieces they come. */
void
source_take(L4Source *work, const WaitingLine *line, const char *bytes)
{
	if (!work->input.sampled && work->input.waiting.len == 0 && line->size >= L4_SAMPLE_BYTES)
		take_sample(work, bytes, line->size);
	if (work->input.sampled)
	{
		work->input.bytes += feed_line(work, line, bytes);
		return;
	}
	appendBinaryStringInfo(&work->input.waiting, bytes, (int) line->size);
	work->input.waiting_lines = lappend(work->input.waiting_lines,
										memcpy(palloc(sizeof(WaitingLine)), line, sizeof(WaitingLine)));
	if (work->input.waiting.len >= L4_SAMPLE_BYTES)
		take_sample(work, work->input.waiting.data, work->input.waiting.len);
}

void
source_sample(L4Source *work, L4Bytes bytes)
{
	bytes.size = Min(bytes.size, L4_SAMPLE_BYTES);
	source_learn(work, bytes);
	work->input.sampled = true;
}

void
source_feed(L4Source *work, const char *bytes, size_t size)
{
	WaitingLine line = {false, 0, {false, 0, L4_LEVEL_NONE}, size};

	source_take(work, &line, bytes);
}

void
source_feed_row(L4Source *work, int64 line_no, const L4LineFacts *facts, const char *bytes, size_t size)
{
	WaitingLine line = {true, line_no, *facts, size};
	WaitingLine end = {false, 0, {false, 0, L4_LEVEL_NONE}, 1};

	source_take(work, &line, bytes);
	if (size == 0 || bytes[size - 1] != '\n')
		source_take(work, &end, "\n");
}

void
source_take_waiting(L4Source *work)
{
	if (!work->input.sampled)
		take_sample(work, work->input.waiting.data, work->input.waiting.len);
	if (work->input.export != NULL)
		source_export_end(work);
}

void
source_stop(L4Source *work)
{
	record_assembler_stop(work->input.assembler);
}

bool
source_stopped(const L4Source *work)
{
	return record_assembler_stopped(work->input.assembler);
}

int64
source_bytes(const L4Source *work)
{
	return work->input.bytes;
}
