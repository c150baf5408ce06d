/*
 * target_unpack.c: compressed bytes, whole, cut or damaged: what comes out does not depend on the pieces in which they are
 * read, and a whole stream comes out as it went in.
 */
#include "fuzz.h"

#include "tools/unpack.h"

#include <bzlib.h>
#include <lz4frame.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "lib/stringinfo.h"

/* Small inputs can stand for gigabytes: so many bytes are enough. */
#define ENOUGH (1024 * 1024)

typedef struct Pieces
{
	L4Bytes		rest;
	size_t		most;			/* bytes handed out at once */
} Pieces;

static ssize_t
pull_piece(void *argument, char *buffer, size_t room)
{
	Pieces	   *pieces = argument;
	size_t		size = Min(Min(room, pieces->most), pieces->rest.size);

	memcpy(buffer, pieces->rest.data, size);
	pieces->rest.data += size;
	pieces->rest.size -= size;
	return size;
}

/* All that comes out, and how it ended. */
typedef struct Outcome
{
	StringInfoData bytes;
	bool		failed;
	bool		cut;			/* the reason: no more input */
	bool		remarked;
} Outcome;

static Outcome
unpack_all(L4Bytes input, size_t piece, size_t room)
{
	Pieces		pieces = {input, piece};
	L4Unpacker *unpacker = unpacker_create(pull_piece, &pieces, 0);
	char	   *buffer = palloc(room);
	Outcome		outcome = {0};
	ssize_t		size;

	initStringInfo(&outcome.bytes);
	while ((size = unpacker_read(unpacker, buffer, room)) > 0 && outcome.bytes.len < ENOUGH)
		appendBinaryStringInfo(&outcome.bytes, buffer, size);
	fuzz_require(size <= (ssize_t) room);
	outcome.failed = size < 0;
	outcome.cut = outcome.failed && strncmp(unpacker_error(unpacker), "truncated", 9) == 0;
	outcome.remarked = unpacker_remark(unpacker) != NULL;
	/* where enough came out, a damage may be known that the next read would tell */
	if (size <= 0)
	{
		fuzz_require(outcome.failed == (unpacker_error(unpacker) != NULL));
		fuzz_require(unpacker_read(unpacker, buffer, room) == size);
	}
	return outcome;
}

void
fuzz_unpack(L4Bytes input)
{
	Outcome		whole = unpack_all(input, SIZE_MAX, 65536);
	Outcome		pieces = unpack_all(input, 1 + input.size % 7, 1 + input.size % 1000);
	int			size = Min(whole.bytes.len, pieces.bytes.len);

	fuzz_require(memcmp(whole.bytes.data, pieces.bytes.data, size) == 0);
	if (whole.bytes.len >= ENOUGH || pieces.bytes.len >= ENOUGH)
		return;
	fuzz_require(whole.failed == pieces.failed);
	/* how much of a damaged block comes out before the damage shows is the library's affair */
	if (!whole.failed || whole.cut)
		fuzz_require(whole.bytes.len == pieces.bytes.len && whole.remarked == pieces.remarked);
}

/* A stream comes out as it went in, with another and plain bytes behind it. */
static void
add_stream(L4Bytes plain, const char *packed, size_t size, FuzzSeed add)
{
	StringInfoData input;
	Outcome		outcome;

	initStringInfo(&input);
	appendBinaryStringInfo(&input, packed, size);
	outcome = unpack_all((L4Bytes) {input.data, input.len}, SIZE_MAX, 65536);
	fuzz_require(!outcome.failed && !outcome.remarked && bytes_equal(plain, (L4Bytes) {outcome.bytes.data, outcome.bytes.len}));
	appendBinaryStringInfo(&input, packed, size);
	appendStringInfoString(&input, "behind\n");
	outcome = unpack_all((L4Bytes) {input.data, input.len}, SIZE_MAX, 65536);
	fuzz_require(!outcome.failed && outcome.remarked && outcome.bytes.len == 2 * plain.size + 7);
	add((L4Bytes) {input.data, input.len});
}

void
fuzz_unpack_seed(L4Bytes input, FuzzSeed add)
{
	size_t		room = 2 * input.size + 4096;
	char	   *packed = palloc(room);
	uLongf		small = room;
	unsigned	short_room = room;
	size_t		size = 0;
	z_stream	stream = {0};

	if (input.size == 0 || input.size > 65536)
		return;
	fuzz_require(deflateInit2(&stream, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	stream.next_in = (Bytef *) input.data;
	stream.avail_in = input.size;
	stream.next_out = (Bytef *) packed;
	stream.avail_out = small;
	fuzz_require(deflate(&stream, Z_FINISH) == Z_STREAM_END);
	add_stream(input, packed, stream.total_out, add);
	deflateEnd(&stream);
	add_stream(input, packed, ZSTD_compress(packed, room, input.data, input.size, 1), add);
	fuzz_require(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, (const uint8_t *) input.data, input.size,
										 (uint8_t *) packed, &size, room) == LZMA_OK);
	add_stream(input, packed, size, add);
	fuzz_require(BZ2_bzBuffToBuffCompress(packed, &short_room, (char *) input.data, input.size, 1, 0, 0) == BZ_OK);
	add_stream(input, packed, short_room, add);
	add_stream(input, packed, LZ4F_compressFrame(packed, room, input.data, input.size, NULL), add);
}
