/*
 * unpack.c: compressed bytes to plain ones; see unpack.h.
 *
 * The libraries are called directly, since libarchive's filters hold back what they have decoded of a block of their own
 * when the input is cut, say nothing of bytes behind the last stream, and check no sums of gzip. zstd and lz4 get their
 * input in the pieces that they ask for, a block each: a damage then costs no block before it.
 */
#include "tools/unpack.h"

#include <bzlib.h>
#include <lz4frame.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "utils/memutils.h"

#define INPUT_SIZE (256 * 1024)
#define REASON_SIZE 200

typedef enum Step
{
	STEP_ON,					/* wants more input, or more room */
	STEP_END,					/* the stream is at its end */
	STEP_FAILED					/* reason says why */
} Step;

/* A compression: how it begins, and how it is undone. step takes input and room as far as it can. */
typedef struct Compression
{
	const char *name;
	size_t		magic_size;
	const char *magic;
	bool		quick;
	bool		(*begin) (L4Unpacker *unpacker);
	Step		(*step) (L4Unpacker *unpacker, char **out, size_t *room);
	void		(*end) (L4Unpacker *unpacker);
} Compression;

typedef enum UnpackPosition
{
	BETWEEN_STREAMS,			/* before a stream */
	INSIDE_STREAM,
	BEHIND_STREAMS,				/* in plain bytes behind the last stream */
	STREAM_FAILED
} UnpackPosition;

struct L4Unpacker
{
	L4Pull		pull;
	void	   *argument;
	size_t		memory;
	MemoryContextCallback callback;
	UnpackPosition position;
	const Compression *compression; /* of the stream under way, or the last one */
	bool		begun;			/* its library holds memory */
	union
	{
		z_stream	gzip;
		ZSTD_DStream *zstd;
		lzma_stream xz;
		bz_stream	bzip2;
		LZ4F_dctx  *lz4;
	}			decoder;
	size_t		wanted;			/* bytes that zstd or lz4 asks for */
	bool		full;			/* the last call filled all room, so that more may wait in the decoder */
	char	   *input;			/* INPUT_SIZE bytes */
	char	   *next;			/* of them not taken yet, */
	size_t		left;			/* so many */
	bool		ended;			/* no more can be pulled */
	int64		pulled;			/* bytes so far */
	int64		zeros;			/* zero bytes behind a stream, not handed out yet */
	int64		behind;			/* other bytes there, handed out as they are */
	bool		refused;		/* pull failed */
	char		reason[REASON_SIZE];
	char		remark[REASON_SIZE];
};

/* Moves on in the input by what a library took. */
static void
take_input(L4Unpacker *unpacker, size_t taken)
{
	unpacker->next += taken;
	unpacker->left -= taken;
}

static void
take_room(char **out, size_t *room, size_t filled)
{
	*out += filled;
	*room -= filled;
}

static Step
fail(L4Unpacker *unpacker, const char *reason)
{
	strlcpy(unpacker->reason, reason, REASON_SIZE);
	return STEP_FAILED;
}

/* ---------- gzip ---------- */

static bool
gzip_begin(L4Unpacker *unpacker)
{
	memset(&unpacker->decoder.gzip, 0, sizeof(z_stream));
	/* 15 + 16: the largest window, in gzip's wrapping only */
	return inflateInit2(&unpacker->decoder.gzip, 15 + 16) == Z_OK;
}

static Step
gzip_step(L4Unpacker *unpacker, char **out, size_t *room)
{
	z_stream   *stream = &unpacker->decoder.gzip;
	size_t		most = Min(*room, INPUT_SIZE);
	int			result;

	stream->next_in = (Bytef *) unpacker->next;
	stream->avail_in = unpacker->left;
	stream->next_out = (Bytef *) *out;
	stream->avail_out = most;
	result = inflate(stream, Z_NO_FLUSH);
	take_input(unpacker, unpacker->left - stream->avail_in);
	take_room(out, room, most - stream->avail_out);
	if (result == Z_STREAM_END)
		return STEP_END;
	if (result == Z_OK || result == Z_BUF_ERROR)
		return STEP_ON;
	return fail(unpacker, result == Z_MEM_ERROR ? "out of memory" : stream->msg ? stream->msg : "no reason given");
}

static void
gzip_end(L4Unpacker *unpacker)
{
	inflateEnd(&unpacker->decoder.gzip);
}

/* zstd and lz4 ask for a block and the header of the next; a damaged header must not take the block with it. */
static size_t
without_header(size_t wanted, size_t header)
{
	return wanted > header ? wanted - header : wanted;
}

/* ---------- zstd ---------- */

static bool
zstd_begin(L4Unpacker *unpacker)
{
	int			window = 27;	/* what every decoder must have room for */

	unpacker->decoder.zstd = ZSTD_createDStream();
	if (unpacker->decoder.zstd == NULL)
		return false;
	while (window < 31 && ((size_t) 1 << (window + 1)) <= unpacker->memory)
		window++;
	(void) ZSTD_DCtx_setParameter(unpacker->decoder.zstd, ZSTD_d_windowLogMax, window);
	unpacker->wanted = ZSTD_initDStream(unpacker->decoder.zstd);
	return true;
}

static Step
zstd_step(L4Unpacker *unpacker, char **out, size_t *room)
{
	ZSTD_inBuffer in = {unpacker->next, Min(unpacker->left, without_header(unpacker->wanted, 3)), 0};
	ZSTD_outBuffer filled = {*out, *room, 0};
	size_t		result = ZSTD_decompressStream(unpacker->decoder.zstd, &filled, &in);

	if (ZSTD_isError(result))
		return fail(unpacker, ZSTD_getErrorName(result));
	unpacker->wanted = Max(result, 1);
	take_input(unpacker, in.pos);
	take_room(out, room, filled.pos);
	return result == 0 ? STEP_END : STEP_ON;
}

static void
zstd_end(L4Unpacker *unpacker)
{
	ZSTD_freeDStream(unpacker->decoder.zstd);
}

/* ---------- xz ---------- */

static bool
xz_begin(L4Unpacker *unpacker)
{
	lzma_stream fresh = LZMA_STREAM_INIT;

	unpacker->decoder.xz = fresh;
	return lzma_stream_decoder(&unpacker->decoder.xz, unpacker->memory, 0) == LZMA_OK;
}

static Step
xz_failed(L4Unpacker *unpacker, lzma_ret result)
{
	if (result == LZMA_MEMLIMIT_ERROR)
	{
		snprintf(unpacker->reason, REASON_SIZE,
				 "its dictionary takes " UINT64_FORMAT " MB of memory, maintenance_work_mem allows %zu MB",
				 (uint64) lzma_memusage(&unpacker->decoder.xz) / (1024 * 1024) + 1, unpacker->memory / (1024 * 1024));
		return STEP_FAILED;
	}
	return fail(unpacker, result == LZMA_MEM_ERROR ? "out of memory" : result == LZMA_OPTIONS_ERROR ? "unsupported options" :
				result == LZMA_FORMAT_ERROR ? "not an xz header" : "damaged block");
}

static Step
xz_step(L4Unpacker *unpacker, char **out, size_t *room)
{
	lzma_stream *stream = &unpacker->decoder.xz;
	lzma_ret	result;

	stream->next_in = (const uint8_t *) unpacker->next;
	stream->avail_in = unpacker->left;
	stream->next_out = (uint8_t *) *out;
	stream->avail_out = *room;
	result = lzma_code(stream, LZMA_RUN);
	take_input(unpacker, unpacker->left - stream->avail_in);
	take_room(out, room, *room - stream->avail_out);
	if (result == LZMA_STREAM_END)
		return STEP_END;
	return result == LZMA_OK || result == LZMA_BUF_ERROR ? STEP_ON : xz_failed(unpacker, result);
}

static void
xz_end(L4Unpacker *unpacker)
{
	lzma_end(&unpacker->decoder.xz);
}

/* ---------- bzip2 ---------- */

static bool
bzip2_begin(L4Unpacker *unpacker)
{
	memset(&unpacker->decoder.bzip2, 0, sizeof(bz_stream));
	return BZ2_bzDecompressInit(&unpacker->decoder.bzip2, 0, 0) == BZ_OK;
}

static Step
bzip2_step(L4Unpacker *unpacker, char **out, size_t *room)
{
	bz_stream  *stream = &unpacker->decoder.bzip2;
	size_t		most = Min(*room, INPUT_SIZE);
	int			result;

	stream->next_in = unpacker->next;
	stream->avail_in = unpacker->left;
	stream->next_out = *out;
	stream->avail_out = most;
	result = BZ2_bzDecompress(stream);
	take_input(unpacker, unpacker->left - stream->avail_in);
	take_room(out, room, most - stream->avail_out);
	if (result == BZ_STREAM_END)
		return STEP_END;
	return result == BZ_OK ? STEP_ON : fail(unpacker, result == BZ_MEM_ERROR ? "out of memory" : "damaged block");
}

static void
bzip2_end(L4Unpacker *unpacker)
{
	BZ2_bzDecompressEnd(&unpacker->decoder.bzip2);
}

/* ---------- lz4 ---------- */

static bool
lz4_begin(L4Unpacker *unpacker)
{
	unpacker->wanted = UNPACK_HEAD;
	return !LZ4F_isError(LZ4F_createDecompressionContext(&unpacker->decoder.lz4, LZ4F_VERSION));
}

static Step
lz4_step(L4Unpacker *unpacker, char **out, size_t *room)
{
	size_t		taken = Min(unpacker->left, without_header(unpacker->wanted, 4));
	size_t		filled = *room;
	size_t		result = LZ4F_decompress(unpacker->decoder.lz4, *out, &filled, unpacker->next, &taken, NULL);

	if (LZ4F_isError(result))
		return fail(unpacker, LZ4F_getErrorName(result));
	unpacker->wanted = Max(result, 1);
	take_input(unpacker, taken);
	take_room(out, room, filled);
	return result == 0 ? STEP_END : STEP_ON;
}

static void
lz4_end(L4Unpacker *unpacker)
{
	LZ4F_freeDecompressionContext(unpacker->decoder.lz4);
}

/* ---------- streams, one behind the other ---------- */

static const Compression compressions[] = {
	{"gzip", 3, "\x1f\x8b\x08", true, gzip_begin, gzip_step, gzip_end},
	{"zstd", 4, "\x28\xb5\x2f\xfd", true, zstd_begin, zstd_step, zstd_end},
	{"xz", 6, "\xfd" "7zXZ\0", true, xz_begin, xz_step, xz_end},
	{"lz4", 4, "\x04\x22\x4d\x18", true, lz4_begin, lz4_step, lz4_end},
	{"bzip2", 3, "BZh", false, bzip2_begin, bzip2_step, bzip2_end}
};

#define COMPRESSION_ZSTD (&compressions[1])

/* Which compression the bytes start, or NULL. */
static const Compression *
find_compression(const char *head, size_t size)
{
	for (int i = 0; i < lengthof(compressions); i++)
	{
		const Compression *candidate = &compressions[i];

		if (size < candidate->magic_size || memcmp(head, candidate->magic, candidate->magic_size) != 0)
			continue;
		/* letters alone could start a log too: a block or the end must follow */
		if (candidate->step == bzip2_step &&
			(size < 10 || (memcmp(head + 4, "1AY&SY", 6) != 0 && memcmp(head + 4, "\x17rE8P\x90", 6) != 0)))
			continue;
		return candidate;
	}
	/* a frame that the decoders of zstd and lz4 skip */
	return size >= 8 && (head[0] & 0xf0) == 0x50 && memcmp(head + 1, "\x2a\x4d\x18", 3) == 0 ? COMPRESSION_ZSTD : NULL;
}

const char *
unpack_recognise(const char *head, size_t size)
{
	const Compression *compression = find_compression(head, size);

	return compression ? compression->name : NULL;
}

bool
unpack_is_quick(const char *head, size_t size)
{
	const Compression *compression = find_compression(head, size);

	return compression != NULL && compression->quick;
}

static void
end_stream(L4Unpacker *unpacker)
{
	if (unpacker->begun)
		unpacker->compression->end(unpacker);
	unpacker->begun = false;
}

static void
release(void *argument)
{
	end_stream(argument);
}

L4Unpacker *
unpacker_create(L4Pull pull, void *argument, size_t memory)
{
	L4Unpacker *unpacker = palloc0(sizeof(L4Unpacker));

	unpacker->pull = pull;
	unpacker->argument = argument;
	unpacker->memory = Max(memory, (size_t) 128 * 1024 * 1024);
	unpacker->input = unpacker->next = palloc(INPUT_SIZE);
	unpacker->callback.func = release;
	unpacker->callback.arg = unpacker;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &unpacker->callback);
	return unpacker;
}

/* Sees to it that so many bytes of input are there, unless it is at its end; false where they cannot be had. */
static bool
fill_input(L4Unpacker *unpacker, size_t least)
{
	if (unpacker->left >= least || unpacker->ended)
		return true;
	memmove(unpacker->input, unpacker->next, unpacker->left);
	unpacker->next = unpacker->input;
	while (unpacker->left < least && !unpacker->ended)
	{
		ssize_t		size = unpacker->pull(unpacker->argument, unpacker->next + unpacker->left, INPUT_SIZE - unpacker->left);

		if (size < 0)
		{
			unpacker->refused = true;
			unpacker->position = STREAM_FAILED;
			return false;
		}
		unpacker->ended = size == 0;
		unpacker->left += size;
		unpacker->pulled += size;
	}
	return true;
}

/* Ends for good, with the reason for people. */
static void
give_up(L4Unpacker *unpacker, bool cut)
{
	char		what[REASON_SIZE];
	int64		at = unpacker->pulled - (int64) unpacker->left;

	strlcpy(what, unpacker->reason, REASON_SIZE);
	if (cut)
		snprintf(unpacker->reason, REASON_SIZE, "truncated %s input after " INT64_FORMAT " bytes",
				 unpacker->compression->name, at);
	else
		snprintf(unpacker->reason, REASON_SIZE, "corrupt %s data before byte " INT64_FORMAT " (%s)",
				 unpacker->compression->name, at, what);
	end_stream(unpacker);
	unpacker->position = STREAM_FAILED;
}

/* Begins the next stream, or finds out what is there instead. Zeros that streams, or nothing, follow are padding. */
static bool
look_ahead(L4Unpacker *unpacker)
{
	const Compression *found;

	do
	{
		if (!fill_input(unpacker, 1))
			return false;
		while (unpacker->left > 0 && *unpacker->next == '\0')
		{
			take_input(unpacker, 1);
			unpacker->zeros++;
		}
	} while (unpacker->left == 0 && !unpacker->ended);
	if (!fill_input(unpacker, UNPACK_HEAD))
		return false;
	if (unpacker->left == 0)
		return false;
	found = find_compression(unpacker->next, unpacker->left);
	unpacker->position = found ? INSIDE_STREAM : BEHIND_STREAMS;
	if (found == NULL)
		return true;
	unpacker->zeros = 0;
	unpacker->compression = found;
	unpacker->full = false;
	unpacker->begun = found->begin(unpacker);
	if (!unpacker->begun)
	{
		(void) fail(unpacker, "out of memory");
		give_up(unpacker, false);
	}
	return unpacker->begun;
}

/* Bytes of the stream under way; 0 where it is at its end, or failed, by unpacker->position. */
static size_t
read_inside(L4Unpacker *unpacker, char *buffer, size_t room)
{
	char	   *out = buffer;
	size_t		left_room = room;

	for (;;)
	{
		size_t		before;
		size_t		hidden;
		Step		step;

		if (!fill_input(unpacker, 1))
			return out - buffer;
		before = unpacker->left;
		/* what waits in the decoder comes out before it sees more: a damage behind would take it along */
		hidden = unpacker->full ? before : 0;
		unpacker->left -= hidden;
		step = unpacker->compression->step(unpacker, &out, &left_room);
		unpacker->left += hidden;
		unpacker->full = left_room == 0;
		if (step == STEP_END)
		{
			end_stream(unpacker);
			unpacker->position = BETWEEN_STREAMS;
		}
		else if (step == STEP_FAILED)
			give_up(unpacker, false);
		else if (out == buffer && unpacker->left == before && hidden == 0)
		{
			(void) fail(unpacker, "no end in sight");
			give_up(unpacker, before == 0);
		}
		if (step != STEP_ON || out > buffer || unpacker->position == STREAM_FAILED)
			return out - buffer;
	}
}

/* Bytes behind the last stream, as they are. */
static size_t
read_behind(L4Unpacker *unpacker, char *buffer, size_t room)
{
	size_t		size;

	if (unpacker->zeros > 0)
	{
		size = (size_t) Min((int64) room, unpacker->zeros);
		memset(buffer, 0, size);
		unpacker->zeros -= size;
	}
	else
	{
		if (!fill_input(unpacker, 1))
			return 0;
		size = Min(room, unpacker->left);
		memcpy(buffer, unpacker->next, size);
		take_input(unpacker, size);
	}
	unpacker->behind += size;
	snprintf(unpacker->remark, REASON_SIZE,
			 INT64_FORMAT " bytes behind the %s stream are not compressed: they are kept as they are",
			 unpacker->behind, unpacker->compression ? unpacker->compression->name : "last");
	return size;
}

ssize_t
unpacker_read(L4Unpacker *unpacker, char *buffer, size_t room)
{
	while (unpacker->position != STREAM_FAILED)
	{
		size_t		size;

		if (unpacker->position == BETWEEN_STREAMS && !look_ahead(unpacker))
			break;
		size = unpacker->position == INSIDE_STREAM ? read_inside(unpacker, buffer, room) : read_behind(unpacker, buffer, room);
		if (size > 0)
			return size;
		if (unpacker->position == BEHIND_STREAMS && unpacker->ended)
			break;
	}
	return unpacker->position == STREAM_FAILED ? -1 : 0;
}

const char *
unpacker_error(const L4Unpacker *unpacker)
{
	return unpacker->position == STREAM_FAILED && !unpacker->refused ? unpacker->reason : NULL;
}

const char *
unpacker_remark(const L4Unpacker *unpacker)
{
	return unpacker->behind > 0 ? unpacker->remark : NULL;
}
