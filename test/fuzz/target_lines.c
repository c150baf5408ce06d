/*
 * target_lines.c: from bytes to records: line prefixes, times, masks, records.
 *
 * What is remembered changes nothing: each thing is asked with memory and without, and more than once. However a file is cut,
 * it has the same records.
 */
#include "fuzz.h"

#include "algorithms/prefilter.h"
#include "algorithms/header.h"
#include "algorithms/mask.h"
#include "algorithms/message_cache.h"
#include "algorithms/record.h"
#include "algorithms/time_cache.h"
#include "algorithms/timestamp.h"
#include "tools/bytes.h"
#include "utils/memutils.h"

/* In the middle of 2024: no input depends on when it is run. */
#define REFERENCE ((TimestampTz) 8933 * 86400 * USECS_PER_SEC)

/* ---- line prefixes ---- */

/* To compile all formats takes far longer than an input, so parsers stay and are made as good as new. */
L4HeaderParser *
fuzz_parser(bool remember)
{
	static L4HeaderParser *parsers[2];

	if (parsers[remember] == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);

		parsers[remember] = header_parser_create(l4_builtin_formats_array, l4_builtin_formats_count, server_zone(),
			REFERENCE, remember);
		MemoryContextSwitchTo(caller);
	}
	header_parser_reset(parsers[remember], REFERENCE);
	return parsers[remember];
}

/* The same span of two lines? */
static bool
spans_equal(L4Bytes a, const char *a_from, L4Bytes b, const char *b_from)
{
	return a.size == b.size && (a.size == 0 || (a.data - a_from == b.data - b_from && memcmp(a.data, b.data, a.size) == 0));
}

static void
require_headers_equal(const L4Header *a, const char *a_from, const L4Header *b, const char *b_from)
{
	fuzz_require(a->size == b->size && a->prefix_size == b->prefix_size && a->has_header == b->has_header);
	fuzz_require(a->has_time == b->has_time && (!a->has_time || a->time == b->time));
	fuzz_require(spans_equal(a->time_text, a_from, b->time_text, b_from));
	fuzz_require(a->level == b->level && a->rank == b->rank && a->local_rank == b->local_rank
		&& a->stated_rank == b->stated_rank);
	fuzz_require(spans_equal(a->component, a_from, b->component, b_from) && spans_equal(a->host, a_from, b->host, b_from));
	fuzz_require(a->format == b->format && a->prefix_count == b->prefix_count);
	fuzz_require(memcmp(a->prefixes, b->prefixes, a->prefix_count * sizeof(int)) == 0);
}

static bool
within(L4Bytes span, L4Bytes line)
{
	return span.size == 0 || (span.data >= line.data && span.data + span.size <= line.data + line.size);
}

/* A line prefix lies within its line, and digits of its time that follow from the time do. */
static void
require_head_of_line(const L4Header *header, L4Bytes line)
{
	fuzz_require(header->size <= line.size && header->prefix_size <= header->size);
	fuzz_require(within(header->component, line) && within(header->host, line) && within(header->time_text, line));
	fuzz_require(header->time_form.form == 0 || (size_t) header->time_form.size <= header->time_text.size);
}

/* The formats of lines with the filter that the parser asks first. */
typedef struct Formats
{
	int			count;
	L4Pattern **patterns;
	L4Prefilter *filter;
} Formats;

static const Formats *
all_formats(void)
{
	static Formats formats;

	if (formats.filter == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);
		const char **texts = palloc(l4_builtin_formats_count * sizeof(char *));
		int			i;

		formats.patterns = palloc(l4_builtin_formats_count * sizeof(L4Pattern *));
		for (i = 0; i < l4_builtin_formats_count; i++)
		{
			const L4Format *format = &l4_builtin_formats_array[i];

			if (format->kind == L4_FORMAT_PATH)
				continue;
			texts[formats.count] = format->pattern;
			formats.patterns[formats.count++] = pattern_compile(format->pattern, strlen(format->pattern), format->name);
		}
		formats.filter = prefilter_create(texts, formats.count);
		for (i = 0; i < formats.count; i++)
		{
			bool		alternatives;

			fuzz_require(prefilter_knows(formats.filter, i, &alternatives));	/* else no line prefix is remembered */
		}
		MemoryContextSwitchTo(caller);
	}
	return &formats;
}

/* The filter rejects no format that matches. */
static void
require_candidates(L4Bytes line)
{
	const Formats *formats = all_formats();
	const uint64 *candidates = prefilter_candidates(formats->filter, line);
	int			i;

	for (i = 0; i < formats->count; i++)
		if (pattern_match(formats->patterns[i], line, 0, true))
			fuzz_require(candidates[i / 64] >> (i % 64) & 1);
}

/* Input: whether there is a sample, then lines. */
void
fuzz_line_prefixes(L4Bytes input)
{
	L4HeaderParser *plain = fuzz_parser(false);
	L4HeaderParser *remembering = fuzz_parser(true);
	bool		sampled = fuzz_byte(&input) & 1;
	L4Bytes		rest = input;
	L4Bytes		line;

	if (sampled)
	{
		header_parser_sample(plain, input);
		header_parser_sample(remembering, input);
	}
	while (fuzz_line(&rest, &line))
	{
		L4Bytes		copy = fuzz_copy(line);
		L4Bytes		again = fuzz_copy(line);
		L4Header	without;
		L4Header	with;

		require_candidates(copy);
		header_parse(plain, copy, &without);
		require_head_of_line(&without, copy);
		header_parse(remembering, copy, &with);
		require_headers_equal(&without, copy.data, &with, copy.data);
		header_parse(remembering, again, &with);
		require_head_of_line(&with, again);
		require_headers_equal(&without, copy.data, &with, again.data);
	}
}

/* ---- times ---- */

static void
require_time_kept(L4Bytes text, TimestampTz time, const L4TimeForm *form)
{
	StringInfoData reduced;
	StringInfoData expanded;
	int			offset = 0;

	initStringInfo(&reduced);
	initStringInfo(&expanded);
	if (!frame_time_reduce(&reduced, text, text, time, &offset))
	{
		fuzz_require(form->form == 0);
		return;
	}
	frame_time_expand(&expanded, (L4Bytes) {reduced.data, reduced.len}, time, offset);
	fuzz_require(bytes_equal((L4Bytes) {expanded.data, expanded.len}, text));
	if (form->form == 0)
		return;
	offset = form->offset;
	fuzz_require(frame_time_offset(text, time, &offset) && offset == form->offset);
}

#define FORMS 256

/* Texts of one form are equal but for the digits of their minutes and seconds. */
static void
require_form(L4Bytes *forms, L4Bytes text, L4TimeLayout layout, const L4TimeForm *form)
{
	L4Bytes		zeroed;
	int			i;

	if (form->form == 0 || form->form >= FORMS)
		return;
	zeroed = fuzz_copy(text);
	for (i = layout.hour + 2; i < layout.size; i++)
		if (text.data[i] >= '0' && text.data[i] <= '9')
			((char *) zeroed.data)[i] = '0';
	fuzz_require(forms[form->form].data == NULL || bytes_equal(forms[form->form], zeroed));
	forms[form->form] = zeroed;
}

/* A time of day is completed to a moment that is near, and whose own text says it. */
static void
require_clock(L4Bytes text)
{
	TimestampTz near = REFERENCE + (TimestampTz) (text.size * 7919 % 86400) * USECS_PER_SEC;
	TimestampTz time;
	int64		clock;

	if (!timestamp_parse_clock(text, &clock))
		return;
	fuzz_require(clock >= 0 && clock < USECS_PER_DAY);
	time = timestamp_of_clock(clock, near, server_zone());
	fuzz_require(llabs(time - near) <= USECS_PER_DAY / 2 + 2 * USECS_PER_HOUR);
	fuzz_require((time + 2 * USECS_PER_HOUR) % USECS_PER_DAY == clock);	/* the zone in summer */
}

/* Input: a text to be read as a time on each line. */
void
fuzz_times(L4Bytes input)
{
	L4TimeCache	cache = {0};
	L4Bytes		forms[FORMS] = {{0}};
	L4Bytes		line;

	while (fuzz_line(&input, &line))
	{
		L4Bytes		text = fuzz_copy(line);
		L4TimeLayout layout;
		L4TimeForm	form = {0};
		TimestampTz read;
		TimestampTz remembered;
		bool		is_time = timestamp_parse(text, server_zone(), REFERENCE, &read);
		int			i;

		(void) frame_time_layout(text, &layout);
		for (i = 0; i < 2; i++)
		{
			fuzz_require(time_cache_parse(&cache, layout, text, server_zone(), REFERENCE, &remembered, &form) == is_time);
			fuzz_require(!is_time || read == remembered);
			if (is_time)
				require_time_kept(text, read, &form);
			require_form(forms, text, layout, &form);
		}
		for (i = 0; i + 8 <= (int) Min(text.size, 12); i++)
			(void) timestamp_parse_parts((L4Bytes) {text.data, i}, (L4Bytes) {text.data + i, text.size - i}, server_zone(),
				REFERENCE, &read);
		require_clock(text);
	}
}

/* ---- masks ---- */

static L4Pattern *
site_mask(void)
{
	static L4Pattern *mask;

	if (mask == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);

		mask = pattern_compile("\\bnode[a-z]\\b|", 15, "mask");
		MemoryContextSwitchTo(caller);
	}
	return mask;
}

static void
require_shape_of(const L4Shape *shape, L4Bytes message)
{
	L4Bytes		text = {shape->text.data, shape->text.len};
	StringInfoData expanded;
	const char *at;
	int			i;

	for (at = text.data; at < text.data + text.size;)
	{
		int			size = bytes_character(at, text.data + text.size);

		fuzz_require(size > 0);
		at += size;
	}
	for (i = 0; i < shape->parameter_count; i++)
		fuzz_require(within(shape->parameters[i], message));
	initStringInfo(&expanded);
	shape_expand(&expanded, text, shape->parameters, shape->parameter_count);
	fuzz_require(bytes_equal((L4Bytes) {expanded.data, expanded.len}, message));
}

/* What the cache knows of a message is what its mask says. */
static void
require_cache_agrees(L4MessageCache *cache, L4Bytes message, const L4Shape *shape, L4Shape *remembered)
{
	uint64		hash = shape_hash(shape->text.data, shape->text.len);
	L4CachedMessage *entry = message_cache_find(cache, message, remembered);
	int			i;

	if (entry == NULL)
	{
		(void) message_cache_keep(cache, message, shape, hash);
		return;
	}
	fuzz_require(entry->shape_id == hash && remembered->parameter_count == shape->parameter_count);
	for (i = 0; i < shape->parameter_count; i++)
		fuzz_require(remembered->parameters[i].data == shape->parameters[i].data
			&& remembered->parameters[i].size == shape->parameters[i].size);
}

/* Another message that differs from this one in digits alone: each digit goes up by one, more or less. */
static L4Bytes
other_digits(L4Bytes message, int round)
{
	L4Bytes		copy = fuzz_copy(message);
	char	   *data = (char *) copy.data;
	size_t		i;

	for (i = 0; i < copy.size; i++)
		if (data[i] >= '0' && data[i] <= '9')
			data[i] = '0' + (data[i] - '0' + (int) (i % 3) * round + round) % 10;
	return copy;
}

/* Input: messages parted by NUL bytes, so that they may have lines. */
void
fuzz_masks(L4Bytes input)
{
	L4MessageCache *cache = message_cache_create();
	L4Pattern  *masks[1] = {site_mask()};
	L4Shape		shape;
	L4Shape		remembered;

	shape_init(&shape);
	shape_init(&remembered);
	while (input.size > 0)
	{
		const char *end = memchr(input.data, '\0', input.size);
		size_t		size = end != NULL ? (size_t) (end - input.data) : input.size;
		int			round;

		for (round = 0; round < 4; round++)
		{
			L4Bytes		message = other_digits((L4Bytes) {input.data, size}, round);

			mask_message(&shape, message, NULL, 0);
			require_shape_of(&shape, message);
			require_cache_agrees(cache, message, &shape, &remembered);
		}
		mask_message(&shape, (L4Bytes) {input.data, size}, masks, 1);
		require_shape_of(&shape, (L4Bytes) {input.data, size});
		size = Min(size + 1, input.size);
		input.data += size;
		input.size -= size;
	}
}

/* ---- records ---- */

typedef struct RecordList
{
	int			count;
	int			room;
	L4RawRecord *records;		/* their spans are copies */
} RecordList;

static void
keep_record(const L4RawRecord *record, void *argument)
{
	RecordList *list = argument;
	L4RawRecord *copy;

	if (list->count == list->room)
	{
		list->room = Max(64, list->room * 2);
		list->records = list->records == NULL ? palloc(list->room * sizeof(L4RawRecord)) :
			repalloc(list->records, list->room * sizeof(L4RawRecord));
	}
	copy = &list->records[list->count++];
	*copy = *record;
	copy->frame = fuzz_copy(record->frame);
	copy->message = fuzz_copy(record->message);
	copy->header.time_text = fuzz_copy(record->header.time_text);
	copy->header.component = fuzz_copy(record->header.component);
	copy->header.host = fuzz_copy(record->header.host);
}

static void
require_records_equal(const RecordList *a, const RecordList *b)
{
	int			i;

	fuzz_require(a->count == b->count);
	for (i = 0; i < a->count; i++)
	{
		const L4RawRecord *x = &a->records[i];
		const L4RawRecord *y = &b->records[i];

		fuzz_require(x->line_no == y->line_no && x->line_part == y->line_part && x->last_line_no == y->last_line_no);
		fuzz_require(x->before == y->before && x->cut == y->cut);
		fuzz_require(bytes_equal(x->frame, y->frame) && bytes_equal(x->message, y->message));
		fuzz_require(x->header.has_time == y->header.has_time && (!x->header.has_time || x->header.time == y->header.time));
		fuzz_require(x->header.level == y->header.level && x->header.rank == y->header.rank
			&& x->header.format == y->header.format);
		fuzz_require(x->header.prefix_count == y->header.prefix_count && x->header.size == y->header.size);
		fuzz_require(bytes_equal(x->header.component, y->header.component) && bytes_equal(x->header.host, y->header.host));
		fuzz_require(bytes_equal(x->header.time_text, y->header.time_text));
	}
}

/* Feeds bytes in pieces of up to `most` bytes, which come in blocks of their own; returns how many were taken. */
static int64
feed(L4RecordAssembler *assembler, L4Bytes bytes, unsigned most)
{
	size_t		at = 0;
	unsigned	step = most;

	while (at < bytes.size && !record_assembler_stopped(assembler))
	{
		L4Bytes		piece = fuzz_copy((L4Bytes) {bytes.data + at, Min(bytes.size - at, step)});
		int64		taken = record_assembler_feed(assembler, piece.data, piece.size);

		fuzz_require(taken == (int64) piece.size || record_assembler_stopped(assembler));
		pfree((char *) piece.data);
		at += taken;
		step = step * 7 % most + 1;
	}
	return (int64) at;
}

static RecordList
records_of(L4Bytes bytes, unsigned most, bool remember)
{
	RecordList	list = {0};
	L4HeaderParser *parser = fuzz_parser(remember);
	L4RecordAssembler *assembler;

	header_parser_sample(parser, bytes);
	assembler = record_assembler_create(parser, keep_record, &list);
	feed(assembler, bytes, most);
	record_assembler_end(assembler);
	return list;
}

/* The same in two parts: the first stops where it is told to, the second goes on there. */
static RecordList
records_in_parts(L4Bytes bytes, size_t cut, unsigned most)
{
	RecordList	list = {0};
	L4HeaderParser *parser = fuzz_parser(true);
	L4RecordAssembler *assembler;
	int64		taken;
	int64		line_no;

	header_parser_sample(parser, bytes);
	assembler = record_assembler_create(parser, keep_record, &list);
	taken = feed(assembler, (L4Bytes) {bytes.data, cut}, most);
	record_assembler_stop(assembler);
	taken += feed(assembler, (L4Bytes) {bytes.data + taken, bytes.size - taken}, most);
	line_no = record_assembler_lines(assembler) + 1;
	if (!record_assembler_stopped(assembler))
	{
		record_assembler_end(assembler);
		return list;
	}
	assembler = record_assembler_create(parser, keep_record, &list);
	record_assembler_set_line(assembler, line_no);
	feed(assembler, (L4Bytes) {bytes.data + taken, bytes.size - taken}, most);
	record_assembler_end(assembler);
	return list;
}

/* Input: how to cut, then a file. */
void
fuzz_records(L4Bytes input)
{
	unsigned	most = 1 + fuzz_byte(&input);
	unsigned	part = fuzz_byte(&input);
	RecordList	whole = records_of(input, Max(input.size, 1), false);
	RecordList	pieces = records_of(input, most, true);
	RecordList	parts = records_in_parts(input, input.size * part / 256, most + 64);
	int			i;

	require_records_equal(&whole, &pieces);
	require_records_equal(&whole, &parts);
	for (i = 1; i < whole.count; i++)
		fuzz_require(whole.records[i].line_no > whole.records[i - 1].line_no ? whole.records[i].line_part == 0 :
					 whole.records[i].line_no == whole.records[i - 1].line_no
					 	&& whole.records[i].line_part == whole.records[i - 1].line_part + 1);
}
