/*
 * files_read.c: the bytes of plain, compressed and archived files.
 *
 * What a file is follows from its first bytes, never from its name, since logs get any name; and only the one decoder
 * and the one format that these bytes call for are switched on, so that libarchive's own guessing can never take a log for
 * an archive. Plain files are read directly; gzip is undone by zlib itself, since libarchive checks no sums and drops the
 * last bytes before a cut, which are what the log of a crashed job is read for. Descriptors are the server's transient
 * ones, which an abort closes by itself; what libarchive and zlib hold comes from malloc and is freed by a callback of the
 * reader's memory context.
 */
#include "doors/files_parts.h"

#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <fcntl.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/fd.h"
#include "utils/memutils.h"

/* Bytes asked of the file system at once. */
#define INPUT_SIZE (256 * 1024)

/* A tar header, the most that is needed to tell what a file is. */
#define HEAD_SIZE 512

/* How a file is read. */
typedef enum FileKind
{
	KIND_PLAIN,
	KIND_COMPRESSED,
	KIND_TAR,
	KIND_ZIP
} FileKind;

/* A compression: the bytes it starts with and how libarchive calls it. */
typedef struct Compression
{
	const char *name;
	int			filter;			/* libarchive's code */
	int			(*support) (struct archive *);	/* NULL where libarchive is not asked */
	int64		least_size;		/* no complete stream is shorter */
	size_t		magic_size;
	const char *magic;
} Compression;

static const Compression compressions[] = {
	{"gzip", ARCHIVE_FILTER_GZIP, NULL, 18, 3, "\x1f\x8b\x08"},
	{"zstd", ARCHIVE_FILTER_ZSTD, archive_read_support_filter_zstd, 9, 4, "\x28\xb5\x2f\xfd"},
	{"xz", ARCHIVE_FILTER_XZ, archive_read_support_filter_xz, 32, 6, "\xfd" "7zXZ\0"},
	{"lz4", ARCHIVE_FILTER_LZ4, archive_read_support_filter_lz4, 11, 4, "\x04\x22\x4d\x18"},
	{"bzip2", ARCHIVE_FILTER_BZIP2, archive_read_support_filter_bzip2, 14, 3, "BZh"}
};

#define COMPRESSION_ZSTD (&compressions[1])

struct L4FileReader
{
	MemoryContext context;		/* holds the reader and all it owns */
	MemoryContextCallback callback;
	char	   *path;
	char	   *source;
	bool		is_root;
	int64		size;
	TimestampTz modified_at;

	int			descriptor;		/* transient, or -1 */
	TimestampTz transaction_start;	/* of the transaction that owns the descriptor */
	FileKind	kind;
	const Compression *compression; /* or NULL */
	struct archive *archive;	/* or NULL */
	locale_t	name_locale;	/* keeps UTF-8 names whole in any database, or 0 */
	char	   *input;			/* INPUT_SIZE bytes for a decoder */
	char	   *output;			/* INPUT_SIZE bytes out of zlib */
	z_stream	inflater;
	bool		inflating;		/* inflater is to be ended */
	bool		output_waits;	/* zlib holds more output without more input */
	bool		inflated;		/* a gzip stream has ended, another may follow */

	bool		given;			/* the only member was handed out */
	bool		member_ended;	/* the member's data was read to its end */
	bool		failed;			/* the member cannot be read on */
	bool		broken;			/* neither can anything behind it */
	char	   *error;

	char		head[HEAD_SIZE];	/* decompressed bytes read ahead to tell what is in the stream */
	size_t		head_size;
	size_t		head_used;
	const char *block;			/* libarchive's current block, */
	size_t		block_size;		/* what is left of it, */
	int64		block_offset;	/* and where that belongs in the member */
	int64		position;		/* where the caller is in the member */
};

/* ---------- failures of a reader ---------- */

/* Notes why the member cannot be read on; broken: nor anything behind it. */
static void
set_failure(L4FileReader *reader, bool broken, const char *format, const char *detail)
{
	MemoryContext caller = MemoryContextSwitchTo(reader->context);
	char	   *error = psprintf(format, detail);

	reader->failed = true;
	reader->broken |= broken;
	for (size_t size = strlen(error); size > 0 && isspace((unsigned char) error[size - 1]); size--)
		error[size - 1] = '\0';
	reader->error = files_name_text(error);
	pfree(error);
	MemoryContextSwitchTo(caller);
}

/* Notes libarchive's own reason. */
static void
set_archive_failure(L4FileReader *reader, bool broken)
{
	const char *detail = archive_error_string(reader->archive);
	const char *format = reader->kind == KIND_ZIP ? "could not read zip archive: %s" :
		reader->kind == KIND_TAR ? "could not read tar archive: %s" : "could not decompress: %s";

	/* How liblzma says that it waits for more input. */
	if (detail && strstr(detail, "No progress is possible"))
		detail = "truncated xz input";
	set_failure(reader, broken, format, detail ? detail : "unknown error");
}

/* Whether the transaction that opened the descriptor still runs; the server closes the descriptor at its end. */
static bool
descriptor_lives(L4FileReader *reader)
{
	return reader->descriptor >= 0 && IsTransactionState() &&
		GetCurrentTransactionStartTimestamp() == reader->transaction_start;
}

/* ---------- what libarchive calls ---------- */

/*
 * Whether the next CHECK_FOR_INTERRUPTS will raise. Asked inside libarchive, where raising would jump over its
 * frames: the read fails instead and the caller raises.
 */
static bool
cancel_pending(void)
{
	return InterruptHoldoffCount == 0 && CritSectionCount == 0 &&
		(ProcDiePending || (QueryCancelPending && QueryCancelHoldoffCount == 0));
}

/* read() that goes on after a signal and shows as a wait. */
static ssize_t
read_descriptor(int descriptor, char *buffer, size_t room)
{
	ssize_t		size;

	pgstat_report_wait_start(WAIT_EVENT_COPY_FILE_READ);
	do
		size = read(descriptor, buffer, room);
	while (size < 0 && errno == EINTR && !cancel_pending());
	pgstat_report_wait_end();
	return size;
}

/* The next bytes of the file into reader->input, for libarchive or zlib. */
static ssize_t
fill_input(L4FileReader *reader, struct archive *archive)
{
	ssize_t		size = read_descriptor(reader->descriptor, reader->input, INPUT_SIZE);

	if (size >= 0)
		return size;
	archive_set_error(archive, errno, "could not read file: %s", strerror(errno));
	return ARCHIVE_FATAL;
}

/* Lets zlib go on: how many bytes came out, 0 to ask again, ARCHIVE_EOF or ARCHIVE_FATAL. */
static ssize_t
inflate_some(L4FileReader *reader, struct archive *archive)
{
	z_stream   *inflater = &reader->inflater;
	int			result;
	ssize_t		size;

	if (reader->inflated)
		inflateReset(inflater);
	inflater->next_out = (Bytef *) reader->output;
	inflater->avail_out = INPUT_SIZE;
	result = inflate(inflater, Z_NO_FLUSH);
	size = INPUT_SIZE - inflater->avail_out;
	/* What follows the first stream and starts no other is padding. */
	if (result == Z_DATA_ERROR && reader->inflated && inflater->total_in <= 2)
		return ARCHIVE_EOF;
	/* A failure is stated again by the next call, after the bytes before it. */
	if (size > 0 || result == Z_OK || result == Z_BUF_ERROR || result == Z_STREAM_END)
	{
		reader->inflated = result == Z_STREAM_END;
		return size;
	}
	archive_set_error(archive, EINVAL, "corrupt gzip data (%s)", inflater->msg ? inflater->msg : "no reason given");
	return ARCHIVE_FATAL;
}

/* The next bytes out of gzip streams, one behind the other, into reader->output; 0 at the end. */
static ssize_t
inflate_input(L4FileReader *reader, struct archive *archive)
{
	z_stream   *inflater = &reader->inflater;

	for (;;)
	{
		ssize_t		size;

		if (inflater->avail_in == 0 && !reader->output_waits)
		{
			size = fill_input(reader, archive);
			if (size < 0 || (size == 0 && reader->inflated))
				return size;
			if (size == 0)
			{
				archive_set_error(archive, EINVAL, "truncated gzip input");
				return ARCHIVE_FATAL;
			}
			inflater->next_in = (Bytef *) reader->input;
			inflater->avail_in = size;
		}
		size = inflate_some(reader, archive);
		reader->output_waits = size == INPUT_SIZE;
		if (size != 0)
			return size == ARCHIVE_EOF ? 0 : size;
	}
}

static la_ssize_t
read_input(struct archive *archive, void *client, const void **buffer)
{
	L4FileReader *reader = client;

	if (cancel_pending())
	{
		archive_set_error(archive, EINTR, "interrupted");
		return ARCHIVE_FATAL;
	}
	*buffer = reader->inflating ? reader->output : reader->input;
	return reader->inflating ? inflate_input(reader, archive) : fill_input(reader, archive);
}

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

/* Frees what libarchive and the C library hold when the reader's memory goes, for whatever reason. */
static void
release_reader(void *argument)
{
	L4FileReader *reader = argument;

	if (reader->archive)
		archive_read_free(reader->archive);
	if (reader->inflating)
		inflateEnd(&reader->inflater);
	if (reader->name_locale)
		freelocale(reader->name_locale);
	reader->archive = NULL;
	reader->inflating = false;
	reader->name_locale = (locale_t) 0;
}

/* Starts zlib at the file's first byte. */
static void
start_inflater(L4FileReader *reader)
{
	if (reader->inflating)
		inflateEnd(&reader->inflater);
	else
		reader->output = MemoryContextAlloc(reader->context, INPUT_SIZE);
	memset(&reader->inflater, 0, sizeof(z_stream));
	reader->inflating = reader->inflated = reader->output_waits = false;
	/* 15 + 16: the largest window, in gzip's wrapping only. */
	if (inflateInit2(&reader->inflater, 15 + 16) != Z_OK)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	reader->inflating = true;
}

/*
 * Switches on the one decoder. The support function is asked first: without the library built in, libarchive would start
 * a program.
 */
static bool
add_compression(L4FileReader *reader)
{
	const Compression *compression = reader->compression;

	if (compression == NULL)
		return true;
	if (compression->support == NULL)
	{
		start_inflater(reader);
		return true;
	}
	if (compression->support(reader->archive) == ARCHIVE_OK &&
		archive_read_append_filter(reader->archive, compression->filter) == ARCHIVE_OK)
		return true;
	set_failure(reader, true, "the server's libarchive was built without %s", compression->name);
	return false;
}

/* Switches on the one format. */
static void
add_format(L4FileReader *reader)
{
	if (reader->kind == KIND_TAR)
		archive_read_support_format_tar(reader->archive);
	else if (reader->kind == KIND_ZIP)
		archive_read_support_format_zip(reader->archive);
	else
	{
		archive_read_support_format_raw(reader->archive);
		archive_read_support_format_empty(reader->archive);
	}
}

/* Starts libarchive at the file's first byte for reader->kind; false after a failure. */
static bool
start_archive(L4FileReader *reader)
{
	if (reader->archive)
		archive_read_free(reader->archive);
	reader->archive = archive_read_new();
	if (reader->archive == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	if (reader->input == NULL)
		reader->input = MemoryContextAlloc(reader->context, INPUT_SIZE);
	if (reader->name_locale == (locale_t) 0)
		reader->name_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t) 0);
	if (!add_compression(reader))
		return false;
	add_format(reader);
	archive_read_set_callback_data(reader->archive, reader);
	archive_read_set_read_callback(reader->archive, read_input);
	if (!reader->inflating)
	{
		archive_read_set_seek_callback(reader->archive, seek_input);
		archive_read_set_skip_callback(reader->archive, skip_input);
	}
	/* A decoder that fails before its first byte looks like an empty file to the formats; its error tells. */
	if (lseek(reader->descriptor, 0, SEEK_SET) == 0 && archive_read_open1(reader->archive) >= ARCHIVE_WARN &&
		!(reader->compression && archive_error_string(reader->archive)))
		return true;
	set_archive_failure(reader, true);
	return false;
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

/* Whether the bytes start a tar archive; an empty one, all zeros, only where the name says so, as logs may start so too. */
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

/* Whether the file starts with a frame that zstd (and lz4) decoders skip, and a zstd frame follows. */
static bool
starts_skippable(L4FileReader *reader, const unsigned char *head, size_t size)
{
	const Compression *zstd = COMPRESSION_ZSTD;
	char		next[4];
	off_t		length;

	if (size < 8 || (head[0] & 0xf0) != 0x50 || memcmp(head + 1, "\x2a\x4d\x18", 3) != 0)
		return false;
	length = head[4] | head[5] << 8 | head[6] << 16 | (off_t) head[7] << 24;
	return pread(reader->descriptor, next, 4, length + 8) == 4 && memcmp(next, zstd->magic, 4) == 0;
}

/* Which compression the bytes start, or NULL. */
static const Compression *
find_compression(L4FileReader *reader, const char *head, size_t size)
{
	for (int i = 0; i < lengthof(compressions); i++)
	{
		const Compression *candidate = &compressions[i];

		if (size < candidate->magic_size || memcmp(head, candidate->magic, candidate->magic_size) != 0)
			continue;
		/* Letters alone could start a log too: a block or the end must follow. */
		if (candidate->filter == ARCHIVE_FILTER_BZIP2 &&
			(size < 10 || (memcmp(head + 4, "1AY&SY", 6) != 0 && memcmp(head + 4, "\x17rE8P\x90", 6) != 0)))
			continue;
		return candidate;
	}
	return starts_skippable(reader, (const unsigned char *) head, size) ? COMPRESSION_ZSTD : NULL;
}

/* Tells from the first bytes how the file is to be read; false where they cannot be read. */
static bool
find_kind(L4FileReader *reader)
{
	char		head[HEAD_SIZE];
	ssize_t		size = pread(reader->descriptor, head, HEAD_SIZE, 0);

	if (size < 0)
	{
		set_failure(reader, true, "could not read file: %s", strerror(errno));
		return false;
	}
	reader->compression = find_compression(reader, head, size);
	if (reader->compression)
		reader->kind = KIND_COMPRESSED;
	else if (size >= 4 && (memcmp(head, "PK\3\4", 4) == 0 || memcmp(head, "PK\5\6", 4) == 0))
		reader->kind = KIND_ZIP;
	else
		reader->kind = starts_tar(head, size, reader->path) ? KIND_TAR : KIND_PLAIN;
	return true;
}

static ssize_t read_archive(L4FileReader *reader, char *buffer, size_t room);

/*
 * Starts decompression and reads ahead to see whether a tar archive is inside, which is then started anew. A failure after the
 * first bytes waits until these were handed out.
 */
static void
open_compressed(L4FileReader *reader)
{
	struct archive_entry *entry;
	int			result;

	if (!start_archive(reader))
		return;
	result = archive_read_next_header(reader->archive, &entry);
	reader->member_ended = result == ARCHIVE_EOF;
	if (reader->member_ended && reader->size < reader->compression->least_size)
		set_failure(reader, true, "could not decompress: truncated %s input", reader->compression->name);
	else if (result < ARCHIVE_WARN)
		set_archive_failure(reader, true);
	while (!reader->failed && !reader->member_ended && reader->head_size < HEAD_SIZE)
	{
		ssize_t		size = read_archive(reader, reader->head + reader->head_size, HEAD_SIZE - reader->head_size);

		reader->head_size += Max(size, 0);
	}
	if (starts_tar(reader->head, reader->head_size, reader->path))
	{
		reader->kind = KIND_TAR;
		start_archive(reader);
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
		set_failure(reader, true, "could not open file: %s", strerror(errno));
		return false;
	}
	if (!S_ISREG(status.st_mode))
	{
		set_failure(reader, true, "%s", "not a regular file");
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
		set_failure(reader, true, "%s", file->error);
	else if (open_descriptor(reader) && find_kind(reader))
	{
		if (reader->kind == KIND_COMPRESSED)
			open_compressed(reader);
		else if (reader->kind != KIND_PLAIN)
			start_archive(reader);
	}
	CHECK_FOR_INTERRUPTS();
	return reader;
}

/* ---------- members ---------- */

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
}

/* The only member of a plain or compressed file, handed out once. */
static bool
next_only_member(L4FileReader *reader, char **source, int64 *size, TimestampTz *modified_at)
{
	/* No more is behind the member than files_read has told. */
	if (reader->given)
		reader->error = NULL;
	/* Bytes before a failure are handed out first; files_read then says -1. */
	if (reader->given || (reader->broken && reader->head_size == 0))
		return false;
	reader->given = true;
	*source = pstrdup(reader->source);
	*size = reader->kind == KIND_PLAIN ? reader->size : -1;
	*modified_at = reader->modified_at;
	return true;
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
static int
next_header(L4FileReader *reader, struct archive_entry **entry, bool *has_data, const char **path)
{
	locale_t	before = reader->name_locale ? uselocale(reader->name_locale) : (locale_t) 0;
	int			result = archive_read_next_header(reader->archive, entry);

	*has_data = false;
	*path = NULL;
	if (result == ARCHIVE_OK || result == ARCHIVE_WARN)
	{
		*has_data = entry_has_data(*entry);
		*path = archive_entry_pathname(*entry);
		if (*path == NULL)
			*path = archive_entry_pathname_utf8(*entry);
	}
	if (before)
		uselocale(before);
	return result;
}

/* Describes an archive's entry to the caller. */
static void
describe_entry(L4FileReader *reader, struct archive_entry *entry, const char *path, char **source, int64 *size,
			   TimestampTz *modified_at)
{
	StringInfoData text;

	initStringInfo(&text);
	if (!reader->is_root)
		appendStringInfo(&text, "%s/", reader->source);
	append_member_path(&text, path ? path : "");
	*source = text.data;
	*size = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : -1;
	*modified_at = reader->modified_at;
	if (archive_entry_mtime_is_set(entry))
		*modified_at = files_timestamp(archive_entry_mtime(entry), archive_entry_mtime_nsec(entry), reader->modified_at);
}

/* The next regular file of an archive; false at its end and after a failure. */
static bool
next_archive_member(L4FileReader *reader, char **source, int64 *size, TimestampTz *modified_at)
{
	for (;;)
	{
		struct archive_entry *entry;
		const char *path;
		bool		has_data;
		int			result = next_header(reader, &entry, &has_data, &path);

		CHECK_FOR_INTERRUPTS();
		if (has_data)
		{
			describe_entry(reader, entry, path, source, size, modified_at);
			return true;
		}
		if (result == ARCHIVE_EOF)
		{
			reader->given = true;
			return false;
		}
		if (result == ARCHIVE_FATAL || result == ARCHIVE_FAILED)
		{
			set_archive_failure(reader, true);
			return false;
		}
	}
}

/* Notes that the transaction has closed the descriptor; true where it has not. */
static bool
check_descriptor(L4FileReader *reader)
{
	if (descriptor_lives(reader))
		return true;
	if (reader->error == NULL)
		set_failure(reader, true, "%s", "the transaction that opened the file has ended");
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
	bool		only = reader->kind == KIND_PLAIN || reader->kind == KIND_COMPRESSED;

	CHECK_FOR_INTERRUPTS();
	if (!check_descriptor(reader))
		return false;
	if (only)
		return next_only_member(reader, source, size, modified_at);
	if (reader->broken || reader->given)
		return false;
	reader->failed = reader->member_ended = false;
	reader->error = NULL;
	reader->head_size = reader->head_used = 0;
	reader->block_size = 0;
	reader->block_offset = reader->position = 0;
	return next_archive_member(reader, source, size, modified_at);
}

/* ---------- bytes ---------- */

/* Bytes of the current block, or zeros for the hole before it; 0 where both are used up. */
static size_t
take_from_block(L4FileReader *reader, char *buffer, size_t room)
{
	size_t		size;

	if (reader->block_size == 0)
		return 0;
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

/* Bytes of the current member out of libarchive; as files_read. */
static ssize_t
read_archive(L4FileReader *reader, char *buffer, size_t room)
{
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
		if (result == ARCHIVE_EOF)
		{
			reader->member_ended = true;
			return 0;
		}
		if (result < ARCHIVE_OK && result != ARCHIVE_RETRY)
		{
			set_archive_failure(reader, result == ARCHIVE_FATAL);
			return -1;
		}
		reader->block = block;
		reader->block_size = result == ARCHIVE_OK ? size : 0;
		reader->block_offset = Max(offset, reader->position);
	}
}

/* Bytes of a plain file; as files_read. */
static ssize_t
read_plain(L4FileReader *reader, char *buffer, size_t room)
{
	ssize_t		size = read_descriptor(reader->descriptor, buffer, Min(room, INPUT_SIZE));

	CHECK_FOR_INTERRUPTS();
	if (size < 0)
		set_failure(reader, true, "could not read file: %s", strerror(errno));
	return size;
}

/*
 * Fills the buffer with the next bytes of the member, decompressed.
 *
 * In: room > 0 bytes. Out: how many were filled, at most room and often fewer; 0 at the end of the member; -1 where it cannot
 * be read on, then files_error says why and files_next_member may still find members behind it. Never errors but for cancel.
 */
ssize_t
files_read(L4FileReader *reader, char *buffer, size_t room)
{
	size_t		size = Min(room, reader->head_size - reader->head_used);

	CHECK_FOR_INTERRUPTS();
	Assert(room > 0);
	if (size > 0)
	{
		memcpy(buffer, reader->head + reader->head_used, size);
		reader->head_used += size;
		return size;
	}
	if (reader->failed || !check_descriptor(reader))
		return -1;
	return reader->kind == KIND_PLAIN ? read_plain(reader, buffer, room) : read_archive(reader, buffer, room);
}

bool
files_is_plain(const L4FileReader *reader)
{
	return reader->kind == KIND_PLAIN && reader->descriptor >= 0;
}

size_t
files_read_at(L4FileReader *reader, char *buffer, size_t size, int64 offset)
{
	size_t		done = 0;

	Assert(files_is_plain(reader));
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
	Assert(files_is_plain(reader));
	return descriptor_lives(reader) && lseek(reader->descriptor, offset, SEEK_SET) == offset;
}

/* Why the last call failed, as valid text that lives as long as the reader; NULL where it did not. */
const char *
files_error(L4FileReader *reader)
{
	return reader->error;
}

/* Closes the file and frees the reader with all it holds. */
void
files_close(L4FileReader *reader)
{
	if (descriptor_lives(reader))
		CloseTransientFile(reader->descriptor);
	MemoryContextDelete(reader->context);
}
