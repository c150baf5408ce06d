/*
 * source_streams.c: the streams of a source, found by the labels of lines, and where they stand.
 */
#include "loading/source_private.h"

#include "tools/bytes.h"

StreamPoint
source_stream_point(const Stream *stream)
{
	StreamPoint point = {0};

	point.has_time = stream->has_time;
	point.time = stream->time;
	point.progress = stream->progress;
	return point;
}

static void
set_point(Stream *stream, const StreamPoint *point)
{
	stream->has_time = point->has_time;
	stream->time = point->time;
	stream->progress = point->progress;
}

void
source_guess_stream(const L4Source *work, Stream *stream)
{
	const GuessEntry *guess = guesses_lookup(work->streams.guesses, (uint64) stream->row.stream_id);

	if (guess != NULL)
		set_point(stream, &guess->point);
}

/* environment_init, until a marker says otherwise */
int
source_first_stage(const L4Place *place)
{
	return strcmp(place->kind, "rank") == 0 || strcmp(place->kind, "launcher") == 0 ? 1 : 0;
}

void
source_mark_stream(Stream *stream)
{
	stream->entry = source_stream_point(stream);
	stream->own_time = stream->own_stage = stream->own_iteration = false;
	stream->used_time = stream->used_stage = stream->used_iteration = false;
}

Stream *
source_add_stream(L4Source *work, const L4Place *place, const char *label)
{
	Stream	   *stream;

	if (work->streams.count == work->streams.room)
	{
		work->streams.room *= 2;
		work->streams.list = repalloc(work->streams.list, mul_size(work->streams.room, sizeof(Stream)));
	}
	stream = &work->streams.list[work->streams.count++];
	memset(stream, 0, sizeof(Stream));
	stream->row.source_id = work->source_id;
	stream->row.stream_id = label != NULL ? source_id_of(psprintf("%s\n%s", work->key, label)) : work->source_id;
	stream->row.source = work->name;
	stream->row.label = label;
	stream->row.place = *place;
	stream->row.state = "imported";
	stream->in_segment = -1;
	stream->progress.stage = source_first_stage(place);
	if (work->streams.guesses != NULL)
		source_guess_stream(work, stream);
	source_mark_stream(stream);
	stream->begin.progress = stream->progress;
	return stream;
}

/* The stream of a label that is not the one before: by its name, made where it is new. */
static int
stream_by_label(L4Source *work, const L4Header *header)
{
	char	   *label;
	L4Place		place = place_from_label(&work->context->job->cluster, &work->streams.list[0].row.place, header, &label);
	bool		found;
	StreamEntry *entry = labels_insert(work->streams.labels, shape_hash(label, strlen(label)), &found);

	if (found)
	{
		/* a long host comes here with every record */
		pfree(label);
		if (place.node != NULL && header->host.size > 0 && work->streams.list[0].row.place.node == NULL)
			pfree((char *) place.node);
	}
	else
	{
		entry->stream = work->streams.count;
		source_add_stream(work, &place, label);
	}
	return entry->stream;
}

/* A host that is empty may have no place. */
static inline void
copy_host(char *to, L4Bytes host)
{
	if (host.size > 0)
		memcpy(to, host.data, host.size);
}

/* Is the host the one that the last label said? */
static inline bool
same_host(const LastLabel *last, L4Bytes host)
{
	return bytes_equal((L4Bytes) {last->host, last->host_size}, host);
}

/* The stream of a record by its label; the file's own where the label does not count. */
Stream *
source_labelled_stream(L4Source *work, const L4Header *header)
{
	LastLabel  *last = &work->streams.last_label;
	int			stream;

	if (last->stream > 0 && last->rank == header->rank && last->local_rank == header->local_rank &&
		same_host(last, header->host))
		return &work->streams.list[last->stream];
	last->stream = 0;
	if (header->host.size <= sizeof(last->host))
	{
		uint64		key;
		bool		found;
		StreamEntry *entry;
		struct
		{
			int			rank;
			int			local_rank;
			char		host[sizeof(last->host)];
		}			said;

		said.rank = header->rank;
		said.local_rank = header->local_rank;
		copy_host(said.host, header->host);
		key = ~shape_hash((const char *) &said, offsetof(__typeof__(said), host) + header->host.size);
		entry = labels_insert(work->streams.labels, key, &found);
		if (!found)
			entry->stream = 0;
		if (entry->stream == 0)
			last->stream = stream_by_label(work, header);
		else
			last->stream = entry->stream;
		entry = labels_lookup(work->streams.labels, key);
		entry->stream = last->stream;
		last->rank = header->rank;
		last->local_rank = header->local_rank;
		last->host_size = header->host.size;
		copy_host(last->host, header->host);
		return &work->streams.list[last->stream];
	}
	/* first, as it may move the list */
	stream = stream_by_label(work, header);
	return &work->streams.list[stream];
}
