/*
 * files_read.c: the bytes of plain, compressed and archived files.
 *
 * What a file is follows from its first bytes, never from its name, since logs get any name. Plain files are read
 * directly, compressed ones through tools/unpack.c (by places in files_places.c), archives through files_archive.c; a
 * compressed member of an archive is decompressed too, one level deep. Descriptors are the server's transient ones, which an
 * abort closes by itself; what the libraries hold comes from malloc and is freed by callbacks of the reader's memory context.
 */
#include "doors/files_private.h"

#include <ctype.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "access/xact.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/memutils.h"

/* Whether the transaction that opened the descriptor still runs; the server closes the descriptor at its end. */
static bool
descriptor_lives(L4FileReader *reader)
{
	return reader->descriptor >= 0 && IsTransactionState() &&
		GetCurrentTransactionStartTimestamp() == reader->transaction_start;
}

/* ---------- opening ---------- */

/* Frees what libraries hold when the reader's memory goes, for whatever reason. */
static void
release_reader(void *argument)
{
	files_archive_close(argument);
}

/* The sum over a tar header as unsigned bytes, its own field taken as blanks. */
static bool
tar_checksum_fits(const unsigned char *head)
{
	long		sum = 0;
	long		signed_sum = 0;
	long		stated;

	if (strspn((const char *) head + 148, " 01234567") < 4)
		return false;
	stated = strtol((const char *) head + 148, NULL, 8);
	for (int i = 0; i < HEAD_SIZE; i++)
	{
		bool		own = i >= 148 && i < 156;

		sum += own ? ' ' : head[i];
		signed_sum += own ? ' ' : (signed char) head[i];
	}
	return stated == sum || stated == signed_sum;
}

/* Do the bytes start a tar archive? An empty one, all zeros, is one only where the name says so, as logs may start so too. */
static bool
starts_tar(const char *head, size_t size, const char *path)
{
	static const char zeros[HEAD_SIZE] = {0};
	const char *name = last_dir_separator(path);

	if (size < HEAD_SIZE)
		return false;
	if (memcmp(head, zeros, HEAD_SIZE) == 0)
		return name && (strstr(name, ".tar") || strstr(name, ".tgz"));
	return memcmp(head + 257, "ustar\0", 6) == 0 || memcmp(head + 257, "ustar  \0", 8) == 0 ||
		(head[0] != '\0' && tar_checksum_fits((const unsigned char *) head));
}

static bool
starts_zip(const char *head, size_t size)
{
	return size >= 4 && (memcmp(head, "PK\3\4", 4) == 0 || memcmp(head, "PK\5\6", 4) == 0);
}

/* Tells from the first bytes how the file is to be read; false where they cannot be read. */
static bool
find_kind(L4FileReader *reader)
{
	char		head[HEAD_SIZE];
	ssize_t		size = pread(reader->descriptor, head, HEAD_SIZE, 0);

	if (size < 0)
	{
		files_fail(reader, true, "could not read file: %s", strerror(errno));
		return false;
	}
	if (unpack_recognise(head, size))
	{
		reader->kind = KIND_COMPRESSED;
		reader->quick = unpack_is_quick(head, size);
	}
	else if (starts_zip(head, size))
		reader->kind = KIND_ZIP;
	else
		reader->kind = starts_tar(head, size, reader->path) ? KIND_TAR : KIND_PLAIN;
	return true;
}

/* Reads the first bytes ahead. A failure after some is stated again once these were handed out. */
static void
read_ahead(L4FileReader *reader, L4Unpacker *unpacker, Head *head)
{
	ssize_t		size = 1;

	head->size = head->used = 0;
	while (size > 0 && head->size < HEAD_SIZE)
	{
		size = files_read_unpacker(reader, unpacker, head->bytes + head->size, HEAD_SIZE - head->size);
		head->size += Max(size, 0);
	}
	if (size < 0 && head->size > 0)
		reader->failed = reader->broken = false;
}

/* Starts decompression and reads ahead to see whether a tar archive is inside. */
static void
open_compressed(L4FileReader *reader)
{
	MemoryContext caller;

	reader->unpacker_context = AllocSetContextCreate(reader->context, "l4 unpacker", ALLOCSET_SMALL_SIZES);
	caller = MemoryContextSwitchTo(reader->unpacker_context);
	reader->unpacker = unpacker_create(files_pull, reader, files_window_memory());
	MemoryContextSwitchTo(caller);
	read_ahead(reader, reader->unpacker, &reader->below);
	if (starts_tar(reader->below.bytes, reader->below.size, reader->path))
	{
		reader->kind = KIND_TAR;
		files_archive_open(reader);
	}
}

/* Opens the descriptor; false after a failure. A pipe put in the file's place meanwhile is refused, not waited for. */
static bool
open_descriptor(L4FileReader *reader)
{
	struct stat status;

	reader->descriptor = OpenTransientFile(reader->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | PG_BINARY);
	reader->transaction_start = GetCurrentTransactionStartTimestamp();
	if (reader->descriptor < 0 || fstat(reader->descriptor, &status) != 0)
	{
		files_fail(reader, true, "could not open file: %s", strerror(errno));
		return false;
	}
	if (!S_ISREG(status.st_mode))
	{
		files_fail(reader, true, "%s", "not a regular file");
		return false;
	}
	reader->size = status.st_size;
	reader->modified_at = files_timestamp(status.st_mtime, status.st_mtim.tv_nsec, 0);
	return true;
}

/* A reader of its own memory context below the current one. */
static L4FileReader *
make_reader(const L4File *file)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "l4 file reader", ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	L4FileReader *reader = palloc0(sizeof(L4FileReader));

	reader->context = context;
	reader->descriptor = -1;
	reader->path = pstrdup(file->path);
	reader->source = pstrdup(file->source);
	reader->is_root = file->is_root;
	reader->callback.func = release_reader;
	reader->callback.arg = reader;
	MemoryContextRegisterResetCallback(context, &reader->callback);
	MemoryContextSwitchTo(caller);
	return reader;
}

/*
 * Opens a file of the list and tells from its content what it is: plain, compressed (gzip, zstd, xz, bzip2, lz4), a
 * tar archive, compressed or not, or a zip archive.
 *
 * Out: a reader in the current memory context, never NULL; where the file cannot be opened files_next_member returns false and
 * files_error says why. To be closed in the same transaction. Cost: one open, one read of 512 bytes, and for
 * compressed files the first block. Memory: some 700 kB and what the decoder needs (xz and zstd: their window).
 */
L4FileReader *
files_open(const L4File *file)
{
	L4FileReader *reader = make_reader(file);

	if (file->error)
		files_fail(reader, true, "%s", file->error);
	else if (open_descriptor(reader) && find_kind(reader))
	{
		if (reader->kind == KIND_COMPRESSED)
			open_compressed(reader);
		else if (reader->kind != KIND_PLAIN)
			files_archive_open(reader);
	}
	CHECK_FOR_INTERRUPTS();
	return reader;
}

/* ---------- members ---------- */

/* The only member of a plain or compressed file, handed out once. */
static bool
next_only_member(L4FileReader *reader, char **source, int64 *size, TimestampTz *modified_at)
{
	/* No more is behind the member than files_read has told. */
	if (reader->given)
		reader->error = NULL;
	/* Bytes before a failure are handed out first; files_read then says -1. */
	if (reader->given || (reader->broken && reader->below.size == 0))
		return false;
	reader->given = true;
	*source = pstrdup(reader->source);
	*size = reader->kind == KIND_PLAIN ? reader->size : -1;
	*modified_at = reader->modified_at;
	return true;
}

/* The bytes of a member of an archive as they are in it. */
static ssize_t
pull_member(void *argument, char *buffer, size_t room)
{
	L4FileReader *reader = argument;
	size_t		size = files_take_head(&reader->raw, buffer, room);

	if (size > 0)
		return size;
	return reader->failed ? -1 : files_archive_read(reader, buffer, room);
}

/* Reads the first bytes of an archive's member ahead: a compressed one is decompressed. An archive in it is kept as it is. */
static void
open_member(L4FileReader *reader, const char *source, int64 *size)
{
	Head	   *raw = &reader->raw;
	ssize_t		got = 1;
	MemoryContext caller;

	while (got > 0 && raw->size < HEAD_SIZE)
	{
		got = files_archive_read(reader, raw->bytes + raw->size, HEAD_SIZE - raw->size);
		raw->size += Max(got, 0);
	}
	if (!unpack_recognise(raw->bytes, raw->size))
	{
		reader->head = *raw;
		raw->size = 0;
	}
	else
	{
		caller = MemoryContextSwitchTo(reader->member_context);
		reader->member_unpacker = unpacker_create(pull_member, reader, files_window_memory());
		MemoryContextSwitchTo(caller);
		*size = -1;
		read_ahead(reader, reader->member_unpacker, &reader->head);
	}
	if (starts_zip(reader->head.bytes, reader->head.size) ||
		starts_tar(reader->head.bytes, reader->head.size, source))
		files_note(reader, "an archive inside an archive is not unpacked: its bytes are kept as they are");
}

/* Forgets the member before. */
static void
reset_member(L4FileReader *reader)
{
	reader->failed = reader->member_ended = false;
	reader->error = reader->remark = NULL;
	reader->block_size = 0;
	reader->block_offset = reader->position = 0;
	reader->member_unpacker = NULL;
	if (reader->member_context == NULL)
		reader->member_context = AllocSetContextCreate(reader->context, "l4 archive member", ALLOCSET_SMALL_SIZES);
	MemoryContextReset(reader->member_context);
}

/* The next regular file of an archive. */
static bool
next_archive_member(L4FileReader *reader, char **source, int64 *size, TimestampTz *modified_at)
{
	if (reader->broken || reader->given)
		return false;
	reset_member(reader);
	if (!files_archive_next(reader, source, size, modified_at))
		return false;
	reader->raw.size = reader->raw.used = reader->head.size = reader->head.used = 0;
	open_member(reader, *source, size);
	return true;
}

/* Notes that the transaction has closed the descriptor; true where it has not. */
static bool
check_descriptor(L4FileReader *reader)
{
	if (descriptor_lives(reader))
		return true;
	if (reader->error == NULL)
		files_fail(reader, true, "%s", "the transaction that opened the file has ended");
	reader->failed = reader->broken = true;
	return false;
}

/*
 * Steps to the first or next member.
 *
 * Out: true and the member's source (palloc'd in the current memory context; below the archive's own source, or alone where the
 * archive is the imported path itself), its size in bytes or -1 where unknown before reading, and when it was modified (the
 * file's own time where the archive states none). False at the end, with files_error NULL, and where the rest cannot be
 * read, with files_error saying why. What is left of the member before is skipped. Two members may have the same source.
 */
bool
files_next_member(L4FileReader *reader, char **source, int64 *size, TimestampTz *modified_at)
{
	CHECK_FOR_INTERRUPTS();
	if (!check_descriptor(reader))
		return false;
	if (reader->kind == KIND_PLAIN || reader->kind == KIND_COMPRESSED)
		return next_only_member(reader, source, size, modified_at);
	return next_archive_member(reader, source, size, modified_at);
}

/* ---------- bytes ---------- */

/*
 * Fills the buffer with the next bytes of the member, decompressed.
 *
 * In: room > 0 bytes. Out: how many were filled, at most room and often fewer; 0 at the end of the member; -1 where it cannot
 * be read on, then files_error says why and files_next_member may still find members behind it. Never errors but for cancel.
 */
ssize_t
files_read(L4FileReader *reader, char *buffer, size_t room)
{
	ssize_t		size = files_take_head(&reader->head, buffer, room);

	CHECK_FOR_INTERRUPTS();
	Assert(room > 0);
	if (size > 0)
		return size;
	if (reader->places != NULL)
		return check_descriptor(reader) ? files_places_read(reader, buffer, room) : -1;
	if (reader->failed || !check_descriptor(reader))
		return -1;
	if (reader->member_unpacker)
		size = files_read_unpacker(reader, reader->member_unpacker, buffer, room);
	else
		size = reader->archive ? files_archive_read(reader, buffer, room) : files_read_below(reader, buffer, room);
	CHECK_FOR_INTERRUPTS();
	return size;
}

bool
files_is_plain(const L4FileReader *reader)
{
	return reader->kind == KIND_PLAIN && reader->descriptor >= 0;
}

bool
files_has_places(const L4FileReader *reader)
{
	return files_is_plain(reader) || (reader->kind == KIND_COMPRESSED && reader->quick);
}

bool
files_is_archive(const L4FileReader *reader)
{
	return reader->kind == KIND_TAR || reader->kind == KIND_ZIP;
}

/* Sees to it that a compressed file is read by places; false where it cannot be read any more. */
static bool
by_places(L4FileReader *reader)
{
	if (!check_descriptor(reader))
		return false;
	if (reader->places == NULL)
		files_places_open(reader);
	return true;
}

size_t
files_read_at(L4FileReader *reader, char *buffer, size_t size, int64 offset)
{
	size_t		done = 0;

	Assert(files_has_places(reader));
	if (reader->kind == KIND_COMPRESSED)
		return by_places(reader) ? files_places_read_at(reader, buffer, size, offset) : 0;
	while (done < size && descriptor_lives(reader))
	{
		ssize_t		got = pread(reader->descriptor, buffer + done, size - done, offset + done);

		CHECK_FOR_INTERRUPTS();
		if (got == 0 || (got < 0 && errno != EINTR))
			break;
		done += Max(got, 0);
	}
	return done;
}

bool
files_seek(L4FileReader *reader, int64 offset)
{
	Assert(files_has_places(reader));
	if (reader->kind == KIND_PLAIN)
		return descriptor_lives(reader) && lseek(reader->descriptor, offset, SEEK_SET) == offset;
	if (!by_places(reader))
		return false;
	files_places_seek(reader, offset);
	return true;
}

int64
files_lines_before(L4FileReader *reader, int64 offset)
{
	Assert(reader->kind == KIND_COMPRESSED);
	return by_places(reader) ? files_places_lines(reader, offset) : 0;
}

/* Why the last call failed, as valid text that lives as long as the reader; NULL where it did not. */
const char *
files_error(L4FileReader *reader)
{
	return reader->error;
}

/* What is odd about a member that was read to its end, as valid text that lives until the next one; NULL where nothing is. */
const char *
files_remark(L4FileReader *reader)
{
	return reader->remark;
}

/* Closes the file and frees the reader with all it holds. */
void
files_close(L4FileReader *reader)
{
	if (descriptor_lives(reader))
		CloseTransientFile(reader->descriptor);
	MemoryContextDelete(reader->context);
}
