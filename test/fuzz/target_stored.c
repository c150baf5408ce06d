/*
 * target_stored.c: what is stored: segments, sketches, their blobs, and the search in them.
 *
 * What goes in comes out. Bytes that anybody may have written end in ERRCODE_DATA_CORRUPTED or in an answer, and take memory in
 * proportion to their size. A search lets nothing out that pcre2 finds.
 */
#include "fuzz.h"

#include "algorithms/header.h"
#include "algorithms/mask.h"
#include "algorithms/record.h"
#include "algorithms/segment.h"
#include "algorithms/segment_bundle.h"
#include "algorithms/segment_search.h"
#include "algorithms/parameter_statistics.h"
#include "tools/bundle.h"
#include "tools/codec.h"
#include "tools/pattern.h"

/* ---- blobs ---- */

static bytea *
bytea_of(L4Bytes bytes)
{
	bytea	   *value = palloc(VARHDRSZ + bytes.size);

	SET_VARSIZE(value, VARHDRSZ + bytes.size);
	if (bytes.size > 0)
		memcpy(VARDATA(value), bytes.data, bytes.size);
	return value;
}

static void
unpack(void *argument)
{
	(void) blob_unpack(argument);
}

static void
require_fine_or_corrupted(int state)
{
	if (state != 0 && state != ERRCODE_DATA_CORRUPTED)
		fuzz_failed(__FILE__, __LINE__, server_message());
}

/* Input: a blob as it is stored. */
void
fuzz_blob(L4Bytes input)
{
	require_fine_or_corrupted(server_try(unpack, bytea_of(input)));
}

void
fuzz_blob_seed(L4Bytes input, FuzzSeed add)
{
	const bytea *blob = blob_pack(input);
	L4Bytes		plain = blob_unpack(blob);

	fuzz_require(bytes_equal(plain, input));
	add((L4Bytes) {VARDATA_ANY(blob), VARSIZE_ANY_EXHDR(blob)});
	blob = blob_pack_bound(&input, 1, blob);
	fuzz_require(bytes_equal(blob_unpack(blob), input));
	add((L4Bytes) {VARDATA_ANY(blob), VARSIZE_ANY_EXHDR(blob)});
}

/* ---- segments: what goes in ---- */

/* A segment in the making, with what it was given. */
typedef struct Packing
{
	L4SegmentBuilder *builder;
	uint64		salt;			/* of the ids of shapes; 0 for some files */
	L4HeaderParser *parser;
	L4MessageCache *frames;
	L4Pattern **masks;
	int			mask_count;
	L4Shape		shape;
	int			count;
	int			room;
	L4Record   *records;		/* their spans are copies, but for frames, which are none */
	bool		wrapped;		/* a line was wrapped: its size is not told to the byte */
	L4StatisticsMemory memory;
	int			set_room;
	int			set_count;
	L4StatisticsRow *sets;			/* of each shape */
	bool		has_time;
	TimestampTz time;
} Packing;

static void
keep_given(Packing *packing, const L4Record *record)
{
	L4Record   *copy;

	if (packing->count == packing->room)
	{
		packing->room = Max(64, packing->room * 2);
		packing->records = packing->records == NULL ? palloc(packing->room * sizeof(L4Record)) :
			repalloc(packing->records, packing->room * sizeof(L4Record));
	}
	copy = &packing->records[packing->count++];
	*copy = *record;
	copy->component = fuzz_copy(record->component);
	copy->message = fuzz_copy(record->message);
	copy->frame = (L4Bytes) {NULL, 0};
	packing->wrapped |= record->frame.size > 0 &&
		memmem(record->frame.data, record->frame.size, L4_FRAME_BEHIND, strlen(L4_FRAME_BEHIND)) != NULL;
}

static void
add_statistics(Packing *packing, const L4Record *record)
{
	int			i;

	for (i = 0; i < packing->set_count; i++)
		if (packing->sets[i].shape_id == (int64) record->shape_id)
			break;
	if (i == packing->set_count)
	{
		if (packing->set_count == packing->set_room)
		{
			packing->set_room = Max(16, packing->set_room * 2);
			packing->sets = packing->sets == NULL ? palloc(packing->set_room * sizeof(L4StatisticsRow)) :
				repalloc(packing->sets, packing->set_room * sizeof(L4StatisticsRow));
		}
		packing->sets[packing->set_count++] =
			(L4StatisticsRow) {.stream_id = 1, .shape_id = (int64) record->shape_id, .first_line = record->line_no,
				.set = palloc0(sizeof(L4StatisticsSet))};
	}
	packing->sets[i].occurrences++;
	statistics_add(&packing->memory, packing->sets[i].set, record->parameters, record->parameter_count, record->line_no);
}

/* A record to the segment; what no file says here is made up from its place, its kind from its bytes. */
static void
pack_record(const L4RawRecord *raw, void *argument)
{
	Packing    *packing = argument;
	L4Record	record = {0};
	unsigned	kind = raw->message.size > 0 ? (unsigned char) raw->message.data[raw->message.size / 2] : 0;

	packing->has_time = header_next_time(&raw->header, server_zone(), USECS_PER_DAY, packing->has_time, &packing->time);
	mask_message(&packing->shape, raw->message, packing->masks, packing->mask_count);
	record.stream = kind % Min(3, packing->count + 1);	/* numbered in the order in which they come */
	record.line_no = raw->line_no;
	record.line_part = raw->line_part;
	record.line_count = raw->line_count;
	record.has_time = packing->has_time;
	record.time = packing->time;
	record.level = raw->header.level;
	record.component = raw->header.component;
	record.stage = kind % (l4_stage_count + 1);
	record.has_iteration = kind % 2 == 0;
	record.iteration = record.has_iteration ? (int64) kind * packing->count - 77 : 0;
	record.frame = raw->frame;
	if (raw->header.has_time)
	{
		record.time_text = raw->header.time_text;
		record.time_form = raw->header.time_form;
	}
	record.message = raw->message;
	record.shape = -1;
	record.shape_text = (L4Bytes) {packing->shape.text.data, packing->shape.text.len};
	record.shape_id = shape_hash(record.shape_text.data, record.shape_text.size) ^ packing->salt;
	record.parameters = packing->shape.parameters;
	record.parameter_count = packing->shape.parameter_count;
	(void) segment_add(packing->builder, &record);
	keep_given(packing, &record);
	add_statistics(packing, &record);
}

/* All records of a file in one segment. */
static void
pack_file(Packing *packing, L4Bytes file, L4SegmentBlobs *blobs)
{
	L4RecordAssembler *assembler;

	packing->salt = file.size % 3;
	packing->frames = message_cache_create();
	packing->builder = segment_builder_create(packing->salt, packing->frames);
	packing->memory.budget = L4_STATISTICS_BUDGET;
	packing->memory.sets = CurrentMemoryContext;
	shape_init(&packing->shape);
	header_parser_sample(packing->parser, file);
	assembler = record_assembler_create(packing->parser, pack_record, packing);
	record_assembler_feed(assembler, file.data, file.size);
	record_assembler_end(assembler);
	segment_finish(packing->builder, blobs);
}

/* ---- segments: what comes out ---- */

static void
require_record(const L4Record *given, const L4StoredRecord *read, L4SegmentReader *reader)
{
	StringInfoData message;

	fuzz_require(given->stream == read->stream && given->line_no == read->line_no && given->line_part == read->line_part);
	fuzz_require(given->has_time == read->has_time && (!given->has_time || given->time == read->time));
	fuzz_require(given->level == read->level && given->stage == read->stage);
	fuzz_require(given->has_iteration == read->has_iteration && (!given->has_iteration || given->iteration == read->iteration));
	fuzz_require(bytes_equal(given->component, read->component) && given->parameter_count == read->parameter_count);
	initStringInfo(&message);
	segment_message(reader, &message);
	fuzz_require(bytes_equal(given->message, (L4Bytes) {message.data, message.len}));
}

static void
require_file(const Packing *packing, const L4SegmentBlobs *blobs, L4Bytes file)
{
	L4SegmentReader *reader = segment_open(blobs);
	L4StoredRecord record;
	StringInfoData raw;
	int			i;

	initStringInfo(&raw);
	fuzz_require(segment_reader_count(reader) == packing->count);
	for (i = 0; segment_next(reader, &record); i++)
	{
		require_record(&packing->records[i], &record, reader);
		fuzz_require(record.salt == packing->salt);
		segment_raw(reader, &raw);
	}
	fuzz_require(i == packing->count && (packing->wrapped || segment_raw_size(packing->builder) == file.size));
	fuzz_require(bytes_equal(file, (L4Bytes) {raw.data, raw.len}));
}

/* ---- the search ---- */

typedef struct Search
{
	L4Bytes		text;
	L4SegmentSearch *search;
	L4Pattern  *pattern;
} Search;

static void
compile_search(void *argument)
{
	Search	   *search = argument;

	search->pattern = pattern_compile(search->text.data, search->text.size, "the pattern");
	search->search = segment_search_create(search->text);
}

/* May the segment hold a match, by what is asked before it is opened? */
static bool
segment_may_match(const Search *search, const L4SegmentHope *hope, const L4SegmentBlobs *blobs, const bytea *stats)
{
	if (segment_search_found(hope))
		return true;
	if (!segment_search_masks(search->search, hope)
		|| (stats != NULL && !segment_search_statistics(search->search, hope, stats, 1)))
		return false;
	return segment_search_parameters(search->search, hope, blobs->parameters);
}

static L4Bytes
without_end(StringInfo raw)
{
	L4Bytes		bytes = {raw->data, raw->len};

	while (bytes.size > 0 && (bytes.data[bytes.size - 1] == '\n' || bytes.data[bytes.size - 1] == '\r'))
		bytes.size--;
	return bytes;
}

typedef struct Match
{
	const Search *search;
	L4Bytes		subject;
	bool		found;			/* by pcre2 alone */
	bool		passed;			/* by the search */
} Match;

static void
match_record(void *argument)
{
	Match	   *match = argument;

	match->found = pattern_match(match->search->pattern, match->subject, 0, false);
	match->passed = segment_search_match(match->search->search, match->subject);
}

/* No record that pcre2 matches is let out on any step of the search. */
static void
require_all_found(L4Bytes pattern, const L4SegmentBlobs *blobs, const bytea *stats)
{
	Search		search = {pattern};
	L4SegmentHope *hope;
	L4SegmentReader *reader;
	L4StoredRecord record;
	StringInfoData raw;
	bool		may;

	if (server_try(compile_search, &search) != 0)
		return;
	hope = segment_search_texts(search.search, blobs->texts);
	may = segment_may_match(&search, hope, blobs, stats);
	reader = segment_open(blobs);
	segment_search_columns(search.search, hope, reader);
	initStringInfo(&raw);
	while (segment_next(reader, &record))
	{
		Match		match = {&search};

		resetStringInfo(&raw);
		segment_raw(reader, &raw);
		match.subject = without_end(&raw);
		if (server_try(match_record, &match) != 0)
			continue;
		fuzz_require(match.found == match.passed);
		fuzz_require(!match.found || (may && segment_search_hopeful(hope, reader)));
	}
}

static void
open_segment(void *argument)
{
	(void) segment_open(argument);
}

/*
 * A part of another segment in the place of its own is told, unless it says the same; one that is bound to nothing, as they
 * once were, is read.
 */
static void
require_bound(const L4SegmentBlobs *blobs, L4Bytes file)
{
	L4SegmentBlobs others;
	Packing		half = {.parser = fuzz_parser(true)};
	int			i;

	pack_file(&half, (L4Bytes) {file.data, file.size / 2}, &others);
	for (i = 0; i < 3; i++)
	{
		L4SegmentBlobs mixed = *blobs;
		bytea	  **part = i == 0 ? &mixed.structure : i == 1 ? &mixed.texts : &mixed.parameters;
		const bytea *other = i == 0 ? others.structure : i == 1 ? others.texts : others.parameters;
		bool		same = VARSIZE_ANY(*part) == VARSIZE_ANY(other) && memcmp(*part, other, VARSIZE_ANY(other)) == 0;

		*part = (bytea *) other;
		fuzz_require(server_try(open_segment, &mixed) == (same ? 0 : ERRCODE_DATA_CORRUPTED));
	}
	others = *blobs;
	others.structure = blob_pack(blob_unpack(blobs->structure));
	others.texts = blob_pack(blob_unpack(blobs->texts));
	fuzz_require(server_try(open_segment, &others) == 0);
}

/* Input: a pattern on the first line, then a file. */
void
fuzz_segment(L4Bytes input)
{
	L4Bytes		pattern = {"", 0};
	L4SegmentBlobs blobs;
	Packing		packing = {.parser = fuzz_parser(true)};
	const bytea *stats;

	(void) fuzz_line(&input, &pattern);
	input = fuzz_copy(input);
	pack_file(&packing, input, &blobs);
	require_file(&packing, &blobs, input);
	require_bound(&blobs, input);
	stats = statistics_pack(packing.sets, packing.set_count);
	require_all_found(pattern, &blobs, stats);
	/* a word of the file must be found in it */
	if (input.size > 40)
		require_all_found((L4Bytes) {input.data + pattern.size % 30, 4 + pattern.size % 7}, &blobs, stats);
}

/* ---- rules that anybody may have written ---- */

typedef struct SiteRules
{
	L4Bytes		mask;
	L4Format	formats[2];
	bool		remember;
	L4Pattern  *compiled_mask;
	L4HeaderParser *parser;
} SiteRules;

static void
compile_rules(void *argument)
{
	SiteRules  *rules = argument;

	rules->compiled_mask = pattern_compile(rules->mask.data, rules->mask.size, "mask");
	rules->parser = header_parser_create(rules->formats, lengthof(rules->formats), server_zone(), USECS_PER_DAY,
										 rules->remember);
}

static char *
pattern_line(L4Bytes *input)
{
	L4Bytes		line = {"", 0};

	(void) fuzz_line(input, &line);
	return pnstrdup(line.data, Min(line.size, 300));
}

/*
 * Input: whether line prefixes are remembered, a mask, a header and a prefix, one a line, then a file: whatever they match,
 * what goes in comes out.
 */
void
fuzz_site_rules(L4Bytes input)
{
	SiteRules	rules = {.remember = fuzz_byte(&input) & 1};
	L4SegmentBlobs blobs;
	Packing		packing = {.mask_count = 1};
	const char *mask = pattern_line(&input);

	rules.mask = (L4Bytes) {mask, strlen(mask)};
	rules.formats[0] = (L4Format) {"header", L4_FORMAT_HEADER, 100, false, pattern_line(&input), ""};
	rules.formats[1] = (L4Format) {"prefix", L4_FORMAT_PREFIX, 100, false, pattern_line(&input), ""};
	if (server_try(compile_rules, &rules) != 0)
		return;
	packing.parser = rules.parser;
	packing.masks = &rules.compiled_mask;
	input = fuzz_copy(input);
	pack_file(&packing, input, &blobs);
	require_file(&packing, &blobs, input);
}

/* ---- stored bytes that anybody may have written ---- */

typedef struct Stored
{
	L4SegmentBlobs blobs;
	size_t		records;
} Stored;

static void
read_segment(void *argument)
{
	Stored	   *stored = argument;
	L4SegmentReader *reader = segment_open(&stored->blobs);
	L4StoredRecord record;
	StringInfoData text;
	size_t		total = 0;

	initStringInfo(&text);
	while (total < 64 * 1024 * 1024 && segment_next(reader, &record))
	{
		resetStringInfo(&text);
		segment_message(reader, &text);
		segment_raw(reader, &text);
		total += text.len;
		fuzz_require(record.stage <= l4_stage_count && record.level <= L4_LEVEL_FATAL);
	}
}

static void
search_segment(void *argument)
{
	Stored	   *stored = argument;
	L4SegmentSearch *search = segment_search_create((L4Bytes) {"rank 1|E[0-9]+rror|<\\*>", 22});
	L4SegmentHope *hope = segment_search_texts(search, stored->blobs.texts);
	L4SegmentReader *reader;
	L4StoredRecord record;

	(void) segment_search_found(hope);
	(void) segment_search_masks(search, hope);
	(void) segment_search_parameters(search, hope, stored->blobs.parameters);
	reader = segment_open(&stored->blobs);
	segment_search_columns(search, hope, reader);
	while (segment_next(reader, &record))
		(void) segment_search_hopeful(hope, reader);
}

/* What a reader holds is a few structures for each byte of its blobs, and texts as long as they are. */
static void
require_modest(size_t before, size_t input)
{
	if (server_peak() - before > 8 * 1024 * 1024 + input * 512)
		fuzz_failed(__FILE__, __LINE__, "memory in proportion to the input");
}

/* The blob of a bundle in which these bytes are both members' first section. */
static bytea *
pack_twice(L4Bytes bytes, int section_count, const bytea *other)
{
	L4BundleWriter *writer = bundle_create(section_count);
	L4Bytes		sections[L4_BUNDLE_SECTIONS] = {bytes};

	bundle_add(writer, 2, sections);
	bundle_add(writer, 1, sections);
	return bundle_pack(writer, other);
}

static void
leave_bundle(void *argument)
{
	Stored	   *stored = argument;
	int64		streams[] = {1, 2, 3};
	const int64 gone = 2;
	int			count = lengthof(streams);

	fuzz_require(segment_bundle_without(&stored->blobs, streams, &count, &gone, 1));
	fuzz_require(count == 1 && streams[0] == 3 && segment_bundle_streams(&stored->blobs, 0) == 1 &&
				 segment_bundle_streams(&stored->blobs, 1) == -1);
}

/* The same bytes as those of bundles, and as the segments in them. */
static void
read_bundles(const L4Bytes *parts, Stored *stored)
{
	stored->blobs.parameters = blob_pack_bundle(&parts[2], 1, NULL);
	stored->blobs.texts = blob_pack_bundle(&parts[1], 1, stored->blobs.parameters);
	stored->blobs.structure = blob_pack_bundle(&parts[0], 1, stored->blobs.texts);
	require_fine_or_corrupted(server_try(read_segment, stored));
	stored->blobs.parameters = pack_twice(parts[2], L4_PARAMETER_SECTIONS, NULL);
	stored->blobs.texts = pack_twice(parts[1], L4_TEXTS_SECTIONS, stored->blobs.parameters);
	stored->blobs.structure = pack_twice(parts[0], L4_STRUCTURE_SECTIONS, stored->blobs.texts);
	require_fine_or_corrupted(server_try(read_segment, stored));
	fuzz_require(server_try(leave_bundle, stored) == 0);
	require_fine_or_corrupted(server_try(read_segment, stored));
	bundle_forget();
}

/* Input: the plain bytes of the three blobs. */
void
fuzz_stored_segment(L4Bytes input)
{
	L4Bytes		parts[3];
	Stored		stored = {0};
	size_t		before = server_peak();

	if (!parts_split(input, parts, 3))
		return;
	stored.blobs.structure = blob_pack(parts[0]);
	stored.blobs.texts = blob_pack(parts[1]);
	stored.blobs.parameters = blob_pack(parts[2]);
	require_fine_or_corrupted(server_try(search_segment, &stored));
	require_modest(before, input.size);
	require_fine_or_corrupted(server_try(read_segment, &stored));
	read_bundles(parts, &stored);
}

void
fuzz_stored_segment_seed(L4Bytes input, FuzzSeed add)
{
	Packing		packing = {.parser = fuzz_parser(true)};
	L4SegmentBlobs blobs;
	L4Bytes		parts[3];

	pack_file(&packing, input, &blobs);
	parts[0] = blob_unpack(blobs.structure);
	parts[1] = blob_unpack(blobs.texts);
	parts[2] = blob_unpack(blobs.parameters);
	parts_join(parts, 3, add);
}

/* ---- sketches ---- */

static void
read_statistics(void *argument)
{
	L4StatisticsReader *reader = statistics_open(argument);
	L4StatisticsMemory memory = {.sets = CurrentMemoryContext, .budget = L4_STATISTICS_BUDGET};
	L4StatisticsSet set = {0};
	L4StatisticsEntry entry;
	int			i;

	while (statistics_next(reader, &entry))
	{
		fuzz_require(entry.position >= 1 && entry.value_count >= 0 && entry.value_count <= L4_STATISTICS_VALUES);
		for (i = 0; i < entry.value_count; i++)
			(void) fuzz_copy(entry.values[i]);
		if (entry.position == 1)
			statistics_free(&set);
		if (entry.position == (set.positions == NULL ? 1 : set.position_count + 1))
			statistics_restore(&memory, &set, &entry);
	}
}

static void
read_set(void *argument)
{
	const L4Bytes *plain = argument;
	L4ColumnReader in = {plain->data, plain->data + plain->size};
	L4StatisticsMemory memory = {.sets = CurrentMemoryContext, .budget = L4_STATISTICS_BUDGET};
	L4StatisticsSet set = {0};
	L4StatisticsSet into = {0};
	L4StatisticsSet copy;
	StringInfoData out;

	statistics_get(&in, &set);
	copy = statistics_copy(&set);
	statistics_merge(&memory, &into, &copy);
	statistics_merge(&memory, &into, &set);
	initStringInfo(&out);
	statistics_put(&out, &into);
	statistics_free(&into);
	statistics_free(&set);
}

/* Input: the plain bytes of a blob. */
void
fuzz_stored_statistics(L4Bytes input)
{
	L4Bytes		copy = fuzz_copy(input);

	require_fine_or_corrupted(server_try(read_statistics, blob_pack(input)));
	require_fine_or_corrupted(server_try(read_set, &copy));
}

void
fuzz_stored_statistics_seed(L4Bytes input, FuzzSeed add)
{
	L4SegmentBlobs blobs;
	Packing		packing = {.parser = fuzz_parser(true)};
	const bytea *stats;
	StringInfoData out;

	pack_file(&packing, input, &blobs);
	stats = statistics_pack(packing.sets, packing.set_count);
	if (stats != NULL)
		add(blob_unpack(stats));
	initStringInfo(&out);
	if (packing.set_count > 0)
	{
		statistics_put(&out, packing.sets[0].set);
		add((L4Bytes) {out.data, out.len});
	}
}
