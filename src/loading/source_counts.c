/*
 * source_counts.c: what a source counts: each shape in each stream with the statistics of its parameters, and when iterations
 * begin.
 */
#include "loading/source_private.h"

#include "tools/bytes.h"

/* After so many changes of the stream a shape keeps its counts by stream; this much memory for all shapes of a source. */
#define TURNS 64
#define BY_STREAM_BYTES (8 * 1024 * 1024)

static char *
component_text(L4Bytes component)
{
	StringInfoData text;

	if (component.size == 0)
		return NULL;
	initStringInfo(&text);
	bytes_append_escaped(&text, component);
	return text.data;
}

/* Keeps the counts as they are before a record that may still change. */
void
source_keep_image(L4Source *work, Summary *summary)
{
	L4SourceState *state = work->resume.state;
	L4SummaryImage *image;

	if (state->image_count == work->resume.image_room)
	{
		work->resume.image_room = Max(8, work->resume.image_room * 2);
		state->images = state->images == NULL ? palloc(mul_size(work->resume.image_room, sizeof(L4SummaryImage))) :
			repalloc(state->images, mul_size(work->resume.image_room, sizeof(L4SummaryImage)));
	}
	image = &state->images[state->image_count++];
	image->known = summary->row.occurrences > 0;
	image->row = summary->row;
	if (work->counts.is_cut)
	{
		/* a copy, since the summary's own are freed with the next cut */
		memset(&image->statistics, 0, sizeof(L4StatisticsSet));
		statistics_merge(&work->counts.cut_memory, &image->statistics, &summary->cut_statistics);
		statistics_merge(&work->counts.cut_memory, &image->statistics, &summary->statistics);
	}
	else
		image->statistics = statistics_copy(&summary->statistics);
	summary->imaged = true;
}

Summary *
source_summary(L4Source *work, int stream, uint64 shape_id, bool *is_new)
{
	SummaryKey	key;
	SummaryEntry *entry;
	bool		found;

	key.shape_id = shape_id;
	key.stream = stream;
	entry = summaries_insert(work->counts.summaries, key, &found);
	if (!found)
		entry->summary = MemoryContextAllocZero(work->counts.context, sizeof(Summary));
	if (entry->summary->row.occurrences == 0)
	{
		entry->summary->row.stream_id = work->streams.list[stream].row.stream_id;
		entry->summary->row.shape_id = (int64) shape_id;
	}
	*is_new = entry->summary->row.occurrences == 0;
	return entry->summary;
}

/* Remembers the counts of a shape by stream where streams often alternate, which is quicker than the hash table. */
static void
keep_by_stream(L4Source *work, Shape *shape, int stream, Summary *summary)
{
	if (shape->turns++ < TURNS || stream >= work->streams.count)
		return;
	if (stream >= shape->stream_room)
	{
		Size		more = (work->streams.room - shape->stream_room) * sizeof(Summary *);

		if (work->counts.by_stream_bytes + more > BY_STREAM_BYTES)
			return;
		shape->by_stream = shape->by_stream == NULL ? palloc(more)
			: repalloc(shape->by_stream, work->streams.room * sizeof(Summary *));
		memset(shape->by_stream + shape->stream_room, 0, more);
		shape->stream_room = work->streams.room;
		work->counts.by_stream_bytes += more;
	}
	shape->by_stream[stream] = summary;
}

/* The counts of a shape in a stream; record is the first where they are new. */
Summary *
source_summary_of(L4Source *work, int stream, Shape *shape, const L4Record *record)
{
	Summary    *summary;
	L4SummaryRow *row;
	bool		is_new;

	if (stream < shape->stream_room && shape->by_stream[stream] != NULL)
	{
		shape->last_stream = stream;
		return shape->last_summary = shape->by_stream[stream];
	}
	summary = source_summary(work, stream, shape->shape_id, &is_new);
	keep_by_stream(work, shape, stream, summary);
	if (is_new)
	{
		row = &summary->row;
		row->component = component_text(record->component);
		row->first_line = record->line_no;
		row->stage = record->stage;
	}
	shape->last_stream = stream;
	shape->last_summary = summary;
	return summary;
}

void
source_keep_start(L4Source *work, int64 iteration, TimestampTz time)
{
	L4SourceState *state = work->resume.state;

	if (state->start_count == work->resume.start_room)
	{
		work->resume.start_room = Max(8, work->resume.start_room * 2);
		state->starts = state->starts == NULL ? palloc(mul_size(work->resume.start_room, sizeof(L4IterationStart))) :
			repalloc(state->starts, mul_size(work->resume.start_room, sizeof(L4IterationStart)));
	}
	state->starts[state->start_count].iteration = iteration;
	state->starts[state->start_count++].time = time;
}

bool
source_note_start(starts_hash *starts, int64 iteration, TimestampTz time)
{
	bool		found;
	IterationEntry *entry = starts_insert(starts, (uint64) iteration, &found);

	if (found && time >= entry->start)
		return false;
	entry->start = time;
	return true;
}

void
source_cut_counts(L4Source *work)
{
	summaries_iterator iterator;
	SummaryEntry *entry;

	summaries_start_iterate(work->counts.summaries, &iterator);
	while ((entry = summaries_iterate(work->counts.summaries, &iterator)) != NULL)
		statistics_move(&work->counts.cut_memory, &entry->summary->cut_statistics, &entry->summary->statistics);
	work->counts.memory.used = 0;
	work->counts.memory.refused = false;
	work->counts.is_cut = true;
}

/* Where the counts of a shape in a stream lie. */
typedef struct SummaryPlace
{
	int64		shape_id;
	int64		stream_id;
	Summary    *summary;
} SummaryPlace;

static int
compare_places(const void *a, const void *b)
{
	const SummaryPlace *x = a;
	const SummaryPlace *y = b;

	if (x->shape_id != y->shape_id)
		return x->shape_id < y->shape_id ? -1 : 1;
	return x->stream_id < y->stream_id ? -1 : x->stream_id > y->stream_id ? 1 : 0;
}

/* The counts that there are, by shape and stream: palloc'd; returns how many. */
static int
sorted_summaries(L4Source *work, SummaryPlace **places)
{
	int			count = 0;
	summaries_iterator iterator;
	SummaryEntry *entry;

	*places = palloc(mul_size(Max(work->counts.summaries->members, 1), sizeof(SummaryPlace)));
	summaries_start_iterate(work->counts.summaries, &iterator);
	while ((entry = summaries_iterate(work->counts.summaries, &iterator)) != NULL)
	{
		const L4SummaryRow *row = &entry->summary->row;

		if (row->occurrences > 0)	/* else taken back */
			(*places)[count++] = (SummaryPlace) {row->shape_id, row->stream_id, entry->summary};
	}
	qsort(*places, count, sizeof(SummaryPlace), compare_places);
	return count;
}

int
source_summary_rows(L4Source *work, L4SummaryRow **rows, L4StatisticsRow **statistics)
{
	SummaryPlace *places;
	int			count = sorted_summaries(work, &places);
	int			i;

	*rows = palloc(mul_size(Max(count, 1), sizeof(L4SummaryRow)));
	*statistics = palloc(mul_size(Max(count, 1), sizeof(L4StatisticsRow)));
	for (i = 0; i < count; i++)
	{
		Summary    *summary = places[i].summary;
		L4StatisticsRow *stats = &(*statistics)[i];

		(*rows)[i] = summary->row;
		stats->stream_id = summary->row.stream_id;
		stats->shape_id = summary->row.shape_id;
		stats->occurrences = summary->row.occurrences;
		stats->first_line = summary->row.first_line;
		stats->set = work->counts.is_cut ? &summary->cut_statistics : &summary->statistics;
	}
	pfree(places);
	return count;
}

/* The counts of the source, packed, and the statistics of their parameters. */
void
source_write_summaries(L4Source *work)
{
	L4SummaryRow *rows;
	L4StatisticsRow *statistics;
	int			count = source_summary_rows(work, &rows, &statistics);
	bytea	   *packed;

	if (count > 0 || work->resume.resumed)
		store_batch_counts(work->context->rows, work->source_id, count, counts_pack(rows, count));
	packed = statistics_pack(statistics, count);
	if (packed != NULL)
		store_batch_statistics(work->context->rows, work->source_id, packed);
}

/* The name of the header format that most records had; the first of equals. */
const char *
source_commonest_format(L4Source *work)
{
	int			best = -1;
	int			i;

	for (i = 0; i < work->counts.format_count; i++)
		if (work->counts.format_uses[i] > 0 && (best < 0 || work->counts.format_uses[i] > work->counts.format_uses[best]))
			best = i;
	return best >= 0 ? header_format_name(work->input.parser, best) : NULL;
}
