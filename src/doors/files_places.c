/*
 * files_places.c: the plain bytes of a compressed file by their places.
 *
 * A compressed file can only be unpacked from its beginning. Whoever reads it in parts goes forward, but for a short way: so
 * what was unpacked last is kept. Whoever asks for what lies before that makes it unpacked from its beginning again.
 */
#include "doors/files_private.h"

#include <unistd.h>

#include "miscadmin.h"
#include "utils/memutils.h"

/*
 * So much is kept: more than a part of an import and what is read before it, so that a process can go back to the part it has
 * just read ahead, as the leader does who found the end of the file in it. So much is unpacked at once.
 */
#define KEPT_BYTES (20 * 1024 * 1024)
#define STEP_BYTES (256 * 1024)
/* The beginning of the file, which is looked at again for each part. */
#define FIRST_BYTES (64 * 1024)

/* The file being unpacked from its beginning. */
typedef struct Unpacking
{
	L4FileReader *reader;
	MemoryContext context;
	L4Unpacker *unpacker;
	off_t		offset;			/* packed bytes read */
	char	   *kept;			/* a plain byte lies at its place modulo KEPT_BYTES */
	int64		end;			/* plain bytes so far, */
	int64		lines;			/* and ends of lines in them */
	bool		over;			/* there are no more, or they cannot be had */
	bool		failed;
} Unpacking;

struct FilePlaces
{
	int64		at;				/* where files_read goes on */
	char		first[FIRST_BYTES];
	int64		first_size;
	Unpacking	unpacking;
};

static ssize_t
pull_unpacking(void *argument, char *buffer, size_t room)
{
	Unpacking  *unpacking = argument;
	ssize_t		size;

	if (lseek(unpacking->reader->descriptor, unpacking->offset, SEEK_SET) < 0)
		return -1;
	size = files_pull(unpacking->reader, buffer, room);
	unpacking->offset += Max(size, 0);
	return size;
}

static void
begin_unpacking(L4FileReader *reader, Unpacking *unpacking)
{
	MemoryContext caller;

	if (unpacking->context != NULL)
		MemoryContextDelete(unpacking->context);
	memset(unpacking, 0, sizeof(Unpacking));
	unpacking->reader = reader;
	unpacking->context = AllocSetContextCreate(reader->context, "l4 unpacking", ALLOCSET_SMALL_SIZES);
	caller = MemoryContextSwitchTo(unpacking->context);
	unpacking->kept = palloc(KEPT_BYTES);
	unpacking->unpacker = unpacker_create(pull_unpacking, unpacking, files_window_memory());
	MemoryContextSwitchTo(caller);
	ereport(DEBUG1,
			(errmsg("compressed file \"%s\" is unpacked from its beginning", reader->path)));
}

static int64
count_lines(const char *bytes, int64 size)
{
	const char *end = bytes + size;
	int64		lines = 0;

	while ((bytes = memchr(bytes, '\n', end - bytes)) != NULL)
	{
		bytes++;
		lines++;
	}
	return lines;
}

/* Goes on, never beyond the end of the room for what is kept. */
static void
unpack_step(Unpacking *unpacking)
{
	FilePlaces *places = unpacking->reader->places;
	int64		room = KEPT_BYTES - unpacking->end % KEPT_BYTES;
	char	   *to = unpacking->kept + unpacking->end % KEPT_BYTES;
	ssize_t		size = files_read_unpacker(unpacking->reader, unpacking->unpacker, to, Min(room, STEP_BYTES));

	CHECK_FOR_INTERRUPTS();
	unpacking->over = size <= 0;
	unpacking->failed = size < 0;
	if (size <= 0)
		return;
	unpacking->lines += count_lines(to, size);
	if (unpacking->end == places->first_size && places->first_size < FIRST_BYTES)
	{
		memcpy(places->first + places->first_size, to, Min(size, FIRST_BYTES - places->first_size));
		places->first_size = Min(places->first_size + size, FIRST_BYTES);
	}
	unpacking->end += size;
}

/* The unpacking, having come to a place. */
static Unpacking *
come_to(L4FileReader *reader, int64 place)
{
	Unpacking  *unpacking = &reader->places->unpacking;

	if (unpacking->context == NULL || place < unpacking->end - KEPT_BYTES)
		begin_unpacking(reader, unpacking);
	while (unpacking->end <= place && !unpacking->over)
		unpack_step(unpacking);
	return unpacking;
}

void
files_places_open(L4FileReader *reader)
{
	reader->places = MemoryContextAllocZero(reader->context, sizeof(FilePlaces));
	MemoryContextDelete(reader->unpacker_context);
	reader->unpacker_context = NULL;
	reader->unpacker = NULL;
}

/* Bytes at a place as files_read gives them. */
static ssize_t
read_place(L4FileReader *reader, char *buffer, size_t room, int64 place)
{
	Unpacking  *unpacking = come_to(reader, place);
	int64		size = Min((int64) room, unpacking->end - place);

	if (size <= 0)
		return unpacking->failed ? -1 : 0;
	size = Min(size, KEPT_BYTES - place % KEPT_BYTES);
	memcpy(buffer, unpacking->kept + place % KEPT_BYTES, size);
	return size;
}

ssize_t
files_places_read(L4FileReader *reader, char *buffer, size_t room)
{
	ssize_t		size = read_place(reader, buffer, room, reader->places->at);

	reader->places->at += Max(size, 0);
	return size;
}

size_t
files_places_read_at(L4FileReader *reader, char *buffer, size_t size, int64 offset)
{
	size_t		done = 0;
	ssize_t		got = 1;

	if (offset + (int64) size <= reader->places->first_size)
	{
		memcpy(buffer, reader->places->first + offset, size);
		return size;
	}
	while (done < size && (got = read_place(reader, buffer + done, size - done, offset + done)) > 0)
		done += got;
	return done;
}

void
files_places_seek(L4FileReader *reader, int64 offset)
{
	reader->places->at = offset;
}

int64
files_places_lines(L4FileReader *reader, int64 offset)
{
	Unpacking  *unpacking = come_to(reader, offset);
	int64		lines = unpacking->lines;

	while (offset < unpacking->end)
	{
		int64		at = offset % KEPT_BYTES;
		int64		size = Min(unpacking->end - offset, KEPT_BYTES - at);

		lines -= count_lines(unpacking->kept + at, size);
		offset += size;
	}
	return lines;
}
