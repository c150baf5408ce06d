/*
 * unpack.h: compressed bytes to plain ones: gzip, zstd, xz, bzip2 and lz4 streams, one behind the other, and what is
 * behind them.
 *
 * All that can be decoded before a cut or a damage is handed out: logs of crashed jobs end so, and their last bytes are
 * what they are read for.
 */
#ifndef L4_UNPACK_H
#define L4_UNPACK_H

#include "ground/l4.h"

/* No compression is told by more bytes than these. */
#define UNPACK_HEAD 16

/*
 * Fills a buffer with the next compressed bytes: how many, 0 at their end, -1 where they cannot be had (the caller knows
 * why).
 */
typedef ssize_t (*L4Pull) (void *argument, char *buffer, size_t room);

typedef struct L4Unpacker L4Unpacker;

/* Which compression the bytes start, or NULL: its name. */
extern const char *unpack_recognise(const char *head, size_t size);
/* Is it one that is undone in less time than it takes to read the lines of a log? */
extern bool unpack_is_quick(const char *head, size_t size);

/*
 * An unpacker in the current memory context, which frees what the libraries hold too. memory: bytes that a decoder may
 * take for its window. unpacker_read fills a buffer with plain bytes: how many (> 0), 0 at the end, -1 where nothing more
 * can be decoded, and again so with each further call. unpacker_error: why, or NULL where the bytes could not be had.
 * unpacker_remark: after the end what was odd, or NULL: bytes behind the last stream that start no other are handed out as
 * they are. Both live as long as the unpacker. Cost: that of the library. Never raises.
 */
extern L4Unpacker *unpacker_create(L4Pull pull, void *argument, size_t memory);
extern ssize_t unpacker_read(L4Unpacker *unpacker, char *buffer, size_t room);
extern const char *unpacker_error(const L4Unpacker *unpacker);
extern const char *unpacker_remark(const L4Unpacker *unpacker);

#endif							/* L4_UNPACK_H */
