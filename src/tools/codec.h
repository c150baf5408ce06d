/*
 * codec.h: growing byte columns of variable-length integers and byte strings; blobs with version, checksum and zstd.
 */
#ifndef L4_CODEC_H
#define L4_CODEC_H

#include "ground/l4.h"
#include "lib/stringinfo.h"
#include "tools/bytes.h"

/* Writing: plain appends to a StringInfo. Signed numbers go zigzag. */
extern void column_put_large(StringInfo column, uint64 value);

static inline void
column_put_unsigned(StringInfo column, uint64 value)
{
	if (likely(value < 0x80 && column->len + 1 < column->maxlen))
		column->data[column->len++] = (char) value;
	else
		column_put_large(column, value);
}

static inline void
column_put_signed(StringInfo column, int64 value)
{
	column_put_unsigned(column, ((uint64) value << 1) ^ (uint64) (value >> 63));
}

extern void column_put_long_bytes(StringInfo column, L4Bytes bytes);

/* A byte string, its length before it. */
static inline void
column_put_bytes(StringInfo column, L4Bytes bytes)
{
	if (likely(bytes.size < 0x80 && column->maxlen - column->len > (int) bytes.size + 1))
	{
		column->data[column->len++] = (char) bytes.size;
		bytes_copy(column->data + column->len, bytes.data, bytes.size);
		column->len += (int) bytes.size;
	}
	else
		column_put_long_bytes(column, bytes);
}

/* Eight bytes, least significant first: for hashes, of which no byte is likelier than another. */
extern void column_put_fixed(StringInfo column, uint64 value);
extern void column_put_double(StringInfo column, double value);
/* A text that may be NULL; a number that may be unknown. */
extern void column_put_text(StringInfo column, const char *text);
extern void column_put_optional(StringInfo column, bool known, int64 value);

/* Reading with bounds checks: past the end or malformed raises XX001. */
typedef struct L4ColumnReader
{
	const char *at;
	const char *end;
} L4ColumnReader;

extern uint64 column_get_large(L4ColumnReader *reader);

static inline uint64
column_get_unsigned(L4ColumnReader *reader)
{
	if (likely(reader->at < reader->end && (*reader->at & 0x80) == 0))
		return (uint64) *reader->at++;
	return column_get_large(reader);
}

static inline int64
column_get_signed(L4ColumnReader *reader)
{
	uint64		value = column_get_unsigned(reader);

	return (int64) (value >> 1) ^ -(int64) (value & 1);
}

extern L4Bytes column_get_bytes(L4ColumnReader *reader);
/* A count that cannot exceed the bytes left (each counted thing takes at least one byte). */
extern uint32 column_get_count(L4ColumnReader *reader, uint32 limit);
extern uint64 column_get_fixed(L4ColumnReader *reader);
extern double column_get_double(L4ColumnReader *reader);
/* A number that is at most limit; what says what it would be else. */
extern int	column_get_number_to(L4ColumnReader *reader, int limit, const char *what);
/* A palloc'd text, or NULL. */
extern char *column_get_text(L4ColumnReader *reader);
/* Is the number known? value becomes 0 where it is not. */
extern bool column_get_optional(L4ColumnReader *reader, int64 *value);
pg_noreturn extern void column_corrupted(const char *what);

/* One blob: version byte, crc32c, plain size, zstd frame. blob_pack returns a palloc'd bytea. */
extern bytea *blob_pack(L4Bytes plain);
/* The same of parts, one after the other; each but small ones is compressed with statistics of its own. */
extern bytea *blob_pack_parts(const L4Bytes *parts, int count);
/*
 * The same, bound to another blob, which blob_check_bound then asks for: XX001 where it is another one. Blobs of before there
 * was such, and those bound to none, pass.
 */
extern bytea *blob_pack_bound(const L4Bytes *parts, int count, const bytea *other);
extern void blob_check_bound(const bytea *blob, const bytea *other);
/* The same of a bundle (bundle.h), which its version tells from any other blob. */
extern bytea *blob_pack_bundle(const L4Bytes *parts, int count, const bytea *other);
extern bool blob_is_bundle(const bytea *blob);
/* Parts, one after the other, as a blob that is neither compressed nor checked: for those who take blobs alone. */
extern bytea *blob_store(const L4Bytes *parts, int count);
/* Checks version, checksum and sizes (XX001 otherwise) and returns palloc'd plain bytes. */
extern L4Bytes blob_unpack(const bytea *blob);
/* The same of a bundle as well. */
extern L4Bytes blob_unpack_bundle(const bytea *blob);

#endif							/* L4_CODEC_H */
