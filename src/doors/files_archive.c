/*
 * files_archive.c: the members of tar and zip archives, by libarchive, of which only the one format that the first bytes
 * call for is switched on.
 *
 * Nothing of an archive goes missing without a word. libarchive passes over a damaged tar header block by block until the
 * next good one: these blocks are a member of their own here, which says what its header names. Tar archives behind the
 * end mark of another are read too; one without an end mark may be cut, and says so.
 */
#include "doors/files_private.h"

#include <archive.h>
#include <archive_entry.h>
#include <unistd.h>

#include "common/hashfn.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

/* Bytes given to libarchive at once: whole tar blocks. */
#define INPUT_SIZE (256 * 1024)
/* Of a longer path the beginning stands for all, with its hash. */
#define PATH_LIMIT 4096
#define PATH_KEPT 1000

/* ---------- failures ---------- */

/* Notes libarchive's own reason, unless the bytes below it told theirs. */
static void
set_archive_failure(L4FileReader *reader, bool broken)
{
	const char *detail = archive_error_string(reader->archive);
	const char *format = reader->kind == KIND_ZIP ? "could not read zip archive: %s" : "could not read tar archive: %s";

	if (reader->failed)
		reader->broken |= broken;
	else
		files_fail(reader, broken, format, detail ? detail : "unknown error");
}

/* ---------- what libarchive calls ---------- */

/* How many bytes of the block come before its closing zeros. */
static size_t
without_zeros(const char *block, size_t size)
{
	while (size > 0 && block[size - 1] == '\0')
		size--;
	return size;
}

/*
 * The next bytes of the archive: whole tar blocks, but at the end. A failure waits until the bytes before it were taken.
 *
 * Of a tar archive first of all a block of zeros: libarchive tells the format by the first block, which may be a damaged
 * header, and takes zeros for an end mark, behind which it reads on here. To name the format instead does not go together
 * with options in libarchive 3.8.10.
 */
static la_ssize_t
read_input(struct archive *archive, void *client, const void **buffer)
{
	static const char zeros[HEAD_SIZE];
	L4FileReader *reader = client;
	size_t		filled = 0;
	ssize_t		size = 0;

	if (reader->kind == KIND_TAR && !reader->begun)
	{
		reader->begun = true;
		*buffer = zeros;
		return HEAD_SIZE;
	}
	if (files_cancel_pending())
	{
		archive_set_error(archive, EINTR, "interrupted");
		return ARCHIVE_FATAL;
	}
	*buffer = reader->input;
	while (filled < INPUT_SIZE && (size = files_read_below(reader, reader->input + filled, INPUT_SIZE - filled)) > 0)
		filled += size;
	if (filled > 0)
	{
		reader->input_size = filled;
		reader->input_end += filled;
		reader->end_marked = filled >= HEAD_SIZE && without_zeros(reader->input + filled - HEAD_SIZE, HEAD_SIZE) == 0;
		reader->failed = false; /* said again by the next call */
	}
	if (filled > 0 || size == 0)
		return filled;
	archive_set_error(archive, EINVAL, "%s", reader->error);
	return ARCHIVE_FATAL;
}

/* For zip alone, of files that are not compressed: the list of its members is at its end. */
static la_int64_t
seek_input(struct archive *archive, void *client, la_int64_t offset, int whence)
{
	L4FileReader *reader = client;
	off_t		position = lseek(reader->descriptor, offset, whence);

	if (position >= 0)
		return position;
	archive_set_error(archive, errno, "could not seek in file: %s", strerror(errno));
	return ARCHIVE_FATAL;
}

/* Jumps over data nobody wants, at most to the end of the file; 0 makes libarchive read instead. */
static la_int64_t
skip_input(struct archive *archive, void *client, la_int64_t request)
{
	L4FileReader *reader = client;
	off_t		here = lseek(reader->descriptor, 0, SEEK_CUR);
	off_t		left = reader->size - here;

	if (here < 0 || left <= 0 || request <= 0)
		return 0;
	request = Min(request, left);
	return lseek(reader->descriptor, request, SEEK_CUR) < 0 ? 0 : request;
}

/* ---------- opening ---------- */

bool
files_archive_open(L4FileReader *reader)
{
	struct archive *archive = reader->archive = archive_read_new();

	if (archive == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	reader->input = MemoryContextAlloc(reader->context, INPUT_SIZE);
	reader->name_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t) 0);
	if (reader->kind == KIND_TAR)
	{
		archive_read_support_format_tar(archive);
		archive_read_set_options(archive, "tar:read_concatenated_archives");
	}
	else
	{
		archive_read_support_format_zip(archive);
		archive_read_set_seek_callback(archive, seek_input);
		archive_read_set_skip_callback(archive, skip_input);
	}
	archive_read_set_callback_data(archive, reader);
	archive_read_set_read_callback(archive, read_input);
	if (archive_read_open1(archive) >= ARCHIVE_WARN)
		return true;
	set_archive_failure(reader, true);
	return false;
}

void
files_archive_close(L4FileReader *reader)
{
	if (reader->archive)
		archive_read_free(reader->archive);
	if (reader->name_locale)
		freelocale(reader->name_locale);
	reader->archive = NULL;
	reader->name_locale = (locale_t) 0;
}

/* ---------- members ---------- */

/* Ends a path that is too long for any file system, and would be carried along with each message and row. */
static void
shorten_path(StringInfo text, int start)
{
	int			size = text->len - start;
	int			kept;
	uint32		hash;

	if (size <= PATH_LIMIT)
		return;
	hash = DatumGetUInt32(hash_any((unsigned char *) text->data + start, size));
	kept = pg_mbcliplen(text->data + start, size, PATH_KEPT);
	text->len = start + kept;
	text->data[text->len] = '\0';
	appendStringInfo(text, "...(%d bytes, %08x)", size, hash);
}

/*
 * Appends the path of an archive's member, which is only a name and never touches the file system: no leading slash, no empty
 * and no "." parts, and ".." written in escapes.
 */
static void
append_member_path(StringInfo text, const char *path)
{
	int			start = text->len;

	while (*path != '\0')
	{
		size_t		size = strcspn(path, "/");

		if (size > 0 && !(size == 1 && path[0] == '.'))
		{
			if (text->len > start)
				appendStringInfoChar(text, '/');
			if (size == 2 && path[0] == '.' && path[1] == '.')
				appendStringInfoString(text, "\\x2E\\x2E");
			else
				files_append_name(text, path, size);
		}
		path += size;
		path += strspn(path, "/");
	}
	if (text->len == start)
		appendStringInfoString(text, "(unnamed)");
	shorten_path(text, start);
}

/* Whether an archive's entry holds a file's bytes: not folders, links, devices, nor a second name of an earlier entry. */
static bool
entry_has_data(struct archive_entry *entry)
{
	if (archive_entry_hardlink(entry) != NULL || archive_entry_hardlink_utf8(entry) != NULL)
		return archive_entry_size_is_set(entry) && archive_entry_size(entry) > 0;
	return archive_entry_filetype(entry) == AE_IFREG;
}

/* Steps to the next entry; names are read as UTF-8 whatever the database's locale, where other bytes pass unchanged. */
static void
find_header(L4FileReader *reader)
{
	Header	   *header = &reader->header;
	locale_t	before = reader->name_locale ? uselocale(reader->name_locale) : (locale_t) 0;

	header->result = archive_read_next_header(reader->archive, &header->entry);
	header->waits = true;
	header->has_data = false;
	header->path = NULL;
	if (header->result == ARCHIVE_OK || header->result == ARCHIVE_WARN)
	{
		header->has_data = entry_has_data(header->entry);
		header->path = archive_entry_pathname(header->entry);
		if (header->path == NULL)
			header->path = archive_entry_pathname_utf8(header->entry);
	}
	if (before)
		uselocale(before);
}

/* The beginning of a member's source: that of the archive, where it is not the imported path itself. */
static void
begin_source(L4FileReader *reader, StringInfo text)
{
	initStringInfo(text);
	if (!reader->is_root)
		appendStringInfo(text, "%s/", reader->source);
}

/* Describes an archive's entry to the caller. */
static void
describe_entry(L4FileReader *reader, char **source, int64 *size, TimestampTz *modified_at)
{
	struct archive_entry *entry = reader->header.entry;
	StringInfoData text;

	begin_source(reader, &text);
	append_member_path(&text, reader->header.path ? reader->header.path : "");
	*source = text.data;
	*size = reader->member_size = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : -1;
	*modified_at = reader->modified_at;
	if (archive_entry_mtime_is_set(entry))
		*modified_at = files_timestamp(archive_entry_mtime(entry), archive_entry_mtime_nsec(entry), reader->modified_at);
}

/* ---------- a damaged header ---------- */

/* Where the block is that libarchive took for a header last: passed over, or left where it is cut. */
static int64
header_place(L4FileReader *reader)
{
	int64		given = archive_filter_bytes(reader->archive, 0) - HEAD_SIZE;	/* without the block of zeros */

	return given - (reader->header.result == ARCHIVE_RETRY ? HEAD_SIZE : 0);
}

/* That block, or NULL where it is gone. At the end of a cut archive it is shorter. */
static const char *
passed_block(L4FileReader *reader, size_t *size)
{
	int64		at = header_place(reader);
	int64		start = reader->input_end - (int64) reader->input_size;

	*size = (size_t) Max(Min(reader->input_end - at, HEAD_SIZE), 0);
	return at >= start && *size > 0 ? reader->input + (at - start) : NULL;
}

/* What the blocks from a damaged header on are called, and what is told of them. */
static void
name_damaged(DamagedMember *damaged, StringInfo source, StringInfo story, const char *block, bool is_header)
{
	appendStringInfo(source, "(%s header at byte " INT64_FORMAT ")", is_header ? "damaged" : "no", damaged->at);
	if (is_header)
	{
		appendStringInfo(story, "the tar header at byte " INT64_FORMAT " is damaged; it names \"", damaged->at);
		files_append_name(story, block, strnlen(block, 100));
		appendStringInfoChar(story, '"');
	}
	else
		appendStringInfo(story, "there is no tar header at byte " INT64_FORMAT, damaged->at);
	appendStringInfoString(story, "; all up to the next header is taken as one file");
}

/* The blocks from a damaged header on as a member without a place: what the header names may be what is damaged. */
static void
begin_damaged(L4FileReader *reader, char **source, int64 *size, TimestampTz *modified_at)
{
	DamagedMember *damaged = &reader->damaged;
	size_t		block_size;
	const char *block = passed_block(reader, &block_size);
	bool		is_header = block != NULL && memcmp(block + 257, "ustar", 5) == 0;
	MemoryContext caller;
	StringInfoData text;
	StringInfoData story;

	memset(damaged, 0, sizeof(DamagedMember));
	damaged->open = true;
	damaged->at = header_place(reader);
	damaged->block = is_header ? NULL : block;
	damaged->block_size = damaged->block ? block_size : 0;
	begin_source(reader, &text);
	caller = MemoryContextSwitchTo(reader->context);
	initStringInfo(&story);
	MemoryContextSwitchTo(caller);
	name_damaged(damaged, &text, &story, block, is_header);
	damaged->story = story.data;
	*source = text.data;
	*size = -1;
	*modified_at = reader->modified_at;
}

/*
 * Steps to the next block of the damaged member; false where a header, the end or a failure follows, which waits then.
 * The last block of a cut archive counts too.
 */
static bool
next_damaged_block(L4FileReader *reader)
{
	DamagedMember *damaged = &reader->damaged;

	do
	{
		if (!reader->header.waits)
			find_header(reader);
		CHECK_FOR_INTERRUPTS();
		if (reader->header.result != ARCHIVE_RETRY && (reader->header.result != ARCHIVE_FATAL || damaged->cut))
			return false;
		damaged->cut = reader->header.waits = reader->header.result == ARCHIVE_FATAL;
		damaged->block = passed_block(reader, &damaged->block_size);
		if (damaged->cut && damaged->block == NULL)
			return false;
		damaged->lost += damaged->block == NULL;
	} while (damaged->block == NULL);
	return true;
}

/* Bytes of the damaged member; at its end -1 with its story. Zeros at its end are padding. */
static ssize_t
read_damaged(L4FileReader *reader, char *buffer, size_t room)
{
	DamagedMember *damaged = &reader->damaged;
	size_t		size;

	while (damaged->block_size == 0 || without_zeros(damaged->block, damaged->block_size) == 0)
	{
		damaged->zeros += damaged->block_size;
		damaged->block_size = 0;
		if (!next_damaged_block(reader))
		{
			damaged->open = false;
			files_fail(reader, false, "%s", damaged->lost == 0 ? damaged->story :
					   psprintf("%s, but for " INT64_FORMAT " blocks of it", damaged->story, damaged->lost));
			return -1;
		}
	}
	if (damaged->zeros > 0)
	{
		size = (size_t) Min((int64) room, damaged->zeros);
		memset(buffer, 0, size);
		damaged->zeros -= size;
		return size;
	}
	size = Min(room, without_zeros(damaged->block, damaged->block_size));
	memcpy(buffer, damaged->block, size);
	damaged->block += size;
	damaged->block_size -= size;
	return size;
}

/* ---------- stepping and reading ---------- */

/* At the end of a tar archive: a cut one may lack nothing but its end mark, and members. */
static void
check_end_mark(L4FileReader *reader)
{
	if (reader->kind == KIND_TAR && !reader->end_marked)
		files_fail(reader, true, "%s", "the tar archive has no end mark: it may be cut, and members be missing");
}

bool
files_archive_next(L4FileReader *reader, char **source, int64 *size, TimestampTz *modified_at)
{
	while (reader->damaged.open && next_damaged_block(reader))
		;
	reader->damaged.open = false;
	for (;;)
	{
		if (!reader->header.waits)
			find_header(reader);
		reader->header.waits = false;
		CHECK_FOR_INTERRUPTS();
		switch (reader->header.result)
		{
			case ARCHIVE_OK:
			case ARCHIVE_WARN:
				if (!reader->header.has_data)
					break;
				describe_entry(reader, source, size, modified_at);
				return true;
			case ARCHIVE_RETRY:
				begin_damaged(reader, source, size, modified_at);
				return true;
			case ARCHIVE_EOF:
				check_end_mark(reader);
				reader->given = true;
				return false;
			default:
				set_archive_failure(reader, true);
				return false;
		}
	}
}

/* Bytes of the current block, or zeros for the hole before it; 0 where both are used up. */
static size_t
take_from_block(L4FileReader *reader, char *buffer, size_t room)
{
	size_t		size;

	if (reader->position < reader->block_offset)
	{
		size = (size_t) Min((int64) room, reader->block_offset - reader->position);
		memset(buffer, 0, size);
	}
	else
	{
		size = Min(room, reader->block_size);
		memcpy(buffer, reader->block, size);
		reader->block += size;
		reader->block_size -= size;
		reader->block_offset += size;
	}
	reader->position += size;
	return size;
}

ssize_t
files_archive_read(L4FileReader *reader, char *buffer, size_t room)
{
	if (reader->damaged.open)
		return read_damaged(reader, buffer, room);
	for (;;)
	{
		size_t		size = take_from_block(reader, buffer, room);
		const void *block = NULL;
		la_int64_t	offset = 0;
		int			result;

		if (size > 0 || reader->member_ended)
			return size;
		result = archive_read_data_block(reader->archive, &block, &size, &offset);
		CHECK_FOR_INTERRUPTS();
		if (result < ARCHIVE_OK && result != ARCHIVE_RETRY)
		{
			set_archive_failure(reader, result == ARCHIVE_FATAL);
			return -1;
		}
		reader->member_ended = result == ARCHIVE_EOF;
		/* a hole may be last */
		if (reader->member_ended && reader->kind == KIND_TAR)
			offset = Max(offset, reader->member_size);
		reader->block = block;
		reader->block_size = result == ARCHIVE_OK ? size : 0;
		reader->block_offset = Max(offset, reader->position);
	}
}
