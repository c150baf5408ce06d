/*
 * codec.c: growing byte columns of variable-length integers and byte strings; blobs with version, checksum and zstd.
 *
 * Numbers are little-endian base 128, so the stored bytes are the same on every architecture. A blob names its format by a
 * first byte and carries a crc32c of everything behind it: damaged or crafted bytes end in SQLSTATE XX001, never in a wild
 * read. Readers check every step. Blobs that make sense only together are bound: one carries the checksum of the other, so that
 * whole ones that do not belong together are told too.
 */
#include "tools/codec.h"

#include <zstd.h>

#include "port/pg_crc32c.h"
#include "utils/memutils.h"

#define BLOB_VERSION 3
#define BLOB_HEADER 13			/* version 1, checksum 4, plain size 8 */
#define BLOB_BOUND_VERSION 4
#define BLOB_BOUND_HEADER 17	/* and the checksum of the blob it is bound to, 4 */
#define BLOB_STORED_VERSION 5	/* plain bytes behind it: made in memory, of a member of a bundle */
#define BLOB_STORED_HEADER 1
#define BLOB_BUNDLE_MORE 3		/* what the version of a bundle has more than that of any other blob */
#define BLOB_LEVEL 2
#define BLOB_PLAIN_LIMIT ((uint64) MaxAllocSize)

void
column_corrupted(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("stored log data is damaged: %s", what),
			 errhint("Take out the job's logs and import them again: l4_drop_log_text(job_id, save_diagnosis => false), or "
					 "l4_delete_job(job_id) where counts or statistics are damaged.")));
}

/* Room for one number and a terminating NUL, checked once. */
#define NUMBER_BYTES 11

void
column_put_large(StringInfo column, uint64 value)
{
	char	   *at;

	if (column->maxlen - column->len < NUMBER_BYTES)
		enlargeStringInfo(column, NUMBER_BYTES);
	at = column->data + column->len;
	while (value >= 0x80)
	{
		*at++ = (char) (value | 0x80);
		value >>= 7;
	}
	*at++ = (char) value;
	column->len = at - column->data;
}

void
column_put_long_bytes(StringInfo column, L4Bytes bytes)
{
	column_put_unsigned(column, bytes.size);
	if ((size_t) (column->maxlen - column->len) <= bytes.size)
		enlargeStringInfo(column, (int) Min(bytes.size, PG_INT32_MAX));	/* which refuses what is too large */
	if (bytes.size > 0)
		memcpy(column->data + column->len, bytes.data, bytes.size);	/* no bytes may have no place either */
	column->len += (int) bytes.size;
}

uint64
column_get_large(L4ColumnReader *reader)
{
	uint64		value = 0;
	int			shift = 0;

	for (;;)
	{
		unsigned char byte;

		if (reader->at >= reader->end || shift > 63)
			column_corrupted("a number is cut short");
		byte = (unsigned char) *reader->at++;
		value |= (uint64) (byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
		shift += 7;
	}
}

L4Bytes
column_get_bytes(L4ColumnReader *reader)
{
	L4Bytes		bytes;

	bytes.size = column_get_unsigned(reader);
	if (bytes.size > (size_t) (reader->end - reader->at))
		column_corrupted("a string is cut short");
	bytes.data = reader->at;
	reader->at += bytes.size;
	return bytes;
}

uint32
column_get_count(L4ColumnReader *reader, uint32 limit)
{
	uint64		count = column_get_unsigned(reader);

	if (count > limit || count > (uint64) (reader->end - reader->at))
		column_corrupted("a count is too large");
	return (uint32) count;
}

static void
put_little_endian(unsigned char *to, uint64 value, int bytes)
{
	int			i;

	for (i = 0; i < bytes; i++)
		to[i] = (unsigned char) (value >> (8 * i));
}

static uint64
get_little_endian(const unsigned char *from, int bytes)
{
	uint64		value = 0;
	int			i;

	for (i = 0; i < bytes; i++)
		value |= (uint64) from[i] << (8 * i);
	return value;
}

void
column_put_fixed(StringInfo column, uint64 value)
{
	unsigned char bytes[sizeof(value)];

	put_little_endian(bytes, value, sizeof(value));
	appendBinaryStringInfo(column, (char *) bytes, sizeof(value));
}

void
column_put_double(StringInfo column, double value)
{
	uint64		bits;

	memcpy(&bits, &value, sizeof(bits));
	column_put_fixed(column, bits);
}

uint64
column_get_fixed(L4ColumnReader *reader)
{
	const unsigned char *from = (const unsigned char *) reader->at;

	if (reader->end - reader->at < (ptrdiff_t) sizeof(uint64))
		column_corrupted("a number is cut short");
	reader->at += sizeof(uint64);
	return get_little_endian(from, sizeof(uint64));
}

double
column_get_double(L4ColumnReader *reader)
{
	uint64		bits = column_get_fixed(reader);
	double		value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

int
column_get_number_to(L4ColumnReader *reader, int limit, const char *what)
{
	uint64		number = column_get_unsigned(reader);

	if (number > (uint64) limit)
		column_corrupted(what);
	return (int) number;
}

void
column_put_text(StringInfo column, const char *text)
{
	column_put_unsigned(column, text != NULL ? 1 : 0);
	if (text != NULL)
		column_put_bytes(column, (L4Bytes) {text, strlen(text)});
}

char *
column_get_text(L4ColumnReader *reader)
{
	L4Bytes		bytes;

	if (column_get_unsigned(reader) == 0)
		return NULL;
	bytes = column_get_bytes(reader);
	return pnstrdup(bytes.data, bytes.size);
}

void
column_put_optional(StringInfo column, bool known, int64 value)
{
	column_put_unsigned(column, known ? 1 : 0);
	if (known)
		column_put_signed(column, value);
}

bool
column_get_optional(L4ColumnReader *reader, int64 *value)
{
	bool		known = column_get_unsigned(reader) != 0;

	*value = known ? column_get_signed(reader) : 0;
	return known;
}

static uint32
blob_checksum(const unsigned char *from, size_t size)
{
	pg_crc32c	crc;

	INIT_CRC32C(crc);
	COMP_CRC32C(crc, from, size);
	FIN_CRC32C(crc);
	return crc;
}

/*
 * One context for the life of the process: setting one up costs more than a small blob. It holds tables only, no state between
 * blobs.
 */
static ZSTD_CCtx *
compressor(void)
{
	static ZSTD_CCtx *context = NULL;

	if (context == NULL)
		context = ZSTD_createCCtx();
	if (context == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	return context;
}

static ZSTD_DCtx *
decompressor(void)
{
	static ZSTD_DCtx *context = NULL;

	if (context == NULL)
		context = ZSTD_createDCtx();
	if (context == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	return context;
}

/* Smaller parts share their statistics with the next: tables of their own would take more than they save. */
#define BLOB_PART_MINIMUM 256

static void
check_zstd(size_t result)
{
	if (ZSTD_isError(result))
		elog(ERROR, "zstd could not compress: %s", ZSTD_getErrorName(result));
}

/* Compresses parts, one after the other, into one frame. Returns its size. */
static size_t
compress_parts(const L4Bytes *parts, int count, size_t plain_size, unsigned char *to, size_t room)
{
	ZSTD_CCtx  *context = compressor();
	ZSTD_outBuffer out = {to, room, 0};
	size_t		left = 0;
	int			i;

	check_zstd(ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters));
	check_zstd(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, BLOB_LEVEL));
	check_zstd(ZSTD_CCtx_setPledgedSrcSize(context, plain_size));
	for (i = 0; i < count; i++)
	{
		ZSTD_inBuffer in = {parts[i].data, parts[i].size, 0};
		ZSTD_EndDirective directive = i == count - 1 ? ZSTD_e_end
			: parts[i].size >= BLOB_PART_MINIMUM ? ZSTD_e_flush : ZSTD_e_continue;

		left = ZSTD_compressStream2(context, &out, &in, directive);
		check_zstd(left);
		if (in.pos < in.size || (directive != ZSTD_e_continue && left > 0))
			elog(ERROR, "zstd had too little room");
	}
	return out.pos;
}

bytea *
blob_pack_bound(const L4Bytes *parts, int count, const bytea *other)
{
	size_t		header = other != NULL ? BLOB_BOUND_HEADER : BLOB_HEADER;
	size_t		plain_size = 0;
	size_t		room;
	bytea	   *blob;
	unsigned char *out;
	size_t		size;
	int			i;

	for (i = 0; i < count; i++)
		plain_size += parts[i].size;
	room = ZSTD_compressBound(plain_size) + (size_t) 32 * count;
	blob = palloc(VARHDRSZ + header + room);
	out = (unsigned char *) VARDATA(blob);
	size = header + compress_parts(parts, count, plain_size, out + header, room);
	out[0] = other != NULL ? BLOB_BOUND_VERSION : BLOB_VERSION;
	put_little_endian(out + 5, plain_size, 8);
	if (other != NULL)
		memcpy(out + BLOB_HEADER, VARDATA_ANY(other) + 1, 4);
	put_little_endian(out + 1, blob_checksum(out + 5, size - 5), 4);
	SET_VARSIZE(blob, VARHDRSZ + size);
	return blob;
}

bytea *
blob_pack_parts(const L4Bytes *parts, int count)
{
	return blob_pack_bound(parts, count, NULL);
}

bytea *
blob_pack(L4Bytes plain)
{
	return blob_pack_bound(&plain, 1, NULL);
}

bytea *
blob_pack_bundle(const L4Bytes *parts, int count, const bytea *other)
{
	bytea	   *blob = blob_pack_bound(parts, count, other);

	VARDATA(blob)[0] += BLOB_BUNDLE_MORE;
	return blob;
}

bool
blob_is_bundle(const bytea *blob)
{
	int			version = VARSIZE_ANY_EXHDR(blob) > 0 ? VARDATA_ANY(blob)[0] : 0;

	return version == BLOB_VERSION + BLOB_BUNDLE_MORE || version == BLOB_BOUND_VERSION + BLOB_BUNDLE_MORE;
}

bytea *
blob_store(const L4Bytes *parts, int count)
{
	size_t		size = BLOB_STORED_HEADER;
	bytea	   *blob;
	char	   *out;
	int			i;

	for (i = 0; i < count; i++)
		size += parts[i].size;
	blob = palloc(VARHDRSZ + size);
	SET_VARSIZE(blob, VARHDRSZ + size);
	out = VARDATA(blob);
	*out++ = BLOB_STORED_VERSION;
	for (i = 0; i < count; i++)
	{
		if (parts[i].size > 0)
			memcpy(out, parts[i].data, parts[i].size);
		out += parts[i].size;
	}
	return blob;
}

/* The version of a blob's container, whatever it holds. */
static int
container_version(const unsigned char *in)
{
	return in[0] > BLOB_STORED_VERSION ? in[0] - BLOB_BUNDLE_MORE : in[0];
}

void
blob_check_bound(const bytea *blob, const bytea *other)
{
	const char *in = VARDATA_ANY(blob);

	if (VARSIZE_ANY_EXHDR(blob) < BLOB_BOUND_HEADER ||
		container_version((const unsigned char *) in) != BLOB_BOUND_VERSION)
		return;					/* of no version that is bound, or for blob_unpack to refuse */
	if (VARSIZE_ANY_EXHDR(other) < BLOB_HEADER || memcmp(in + BLOB_HEADER, VARDATA_ANY(other) + 1, 4) != 0)
		column_corrupted("its parts do not belong together");
}

/* The plain bytes of a blob that is stored as it is. */
static L4Bytes
unpack_stored(const unsigned char *in, size_t size)
{
	char	   *plain = palloc(size + 1 - BLOB_STORED_HEADER);

	memcpy(plain, in + BLOB_STORED_HEADER, size - BLOB_STORED_HEADER);
	plain[size - BLOB_STORED_HEADER] = '\0';
	return (L4Bytes) {plain, size - BLOB_STORED_HEADER};
}

L4Bytes
blob_unpack(const bytea *blob)
{
	if (blob_is_bundle(blob))
		column_corrupted("a bundle stands where there should be none");
	return blob_unpack_bundle(blob);
}

L4Bytes
blob_unpack_bundle(const bytea *blob)
{
	const unsigned char *in = (const unsigned char *) VARDATA_ANY(blob);
	size_t		size = VARSIZE_ANY_EXHDR(blob);
	size_t		header;
	uint64		plain_size;
	char	   *plain;
	size_t		got;
	L4Bytes		result;

	if (size > 0 && in[0] == BLOB_STORED_VERSION)
		return unpack_stored(in, size);
	if (size < BLOB_HEADER)
		column_corrupted("a blob is too short");
	if (container_version(in) != BLOB_VERSION && container_version(in) != BLOB_BOUND_VERSION)
		column_corrupted("a blob has an unknown version");
	header = container_version(in) == BLOB_BOUND_VERSION ? BLOB_BOUND_HEADER : BLOB_HEADER;
	if (size < header)
		column_corrupted("a blob is too short");
	if (blob_checksum(in + 5, size - 5) != (uint32) get_little_endian(in + 1, 4))
		column_corrupted("a checksum does not match");
	plain_size = get_little_endian(in + 5, 8);
	if (plain_size >= BLOB_PLAIN_LIMIT || plain_size != ZSTD_getFrameContentSize(in + header, size - header))
		column_corrupted("a blob states a wrong size");
	plain = palloc(plain_size + 1);
	got = ZSTD_decompressDCtx(decompressor(), plain, plain_size, in + header, size - header);
	if (ZSTD_isError(got) || got != plain_size)
		column_corrupted("a blob does not decompress");
	plain[plain_size] = '\0';
	result.data = plain;
	result.size = plain_size;
	return result;
}
