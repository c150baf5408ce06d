/*
 * files_private.h: what the files of the door to the file system share (files.c, files_bytes.c, files_read.c,
 * files_archive.c); nobody else includes it.
 */
#ifndef L4_FILES_PRIVATE_H
#define L4_FILES_PRIVATE_H

#include <locale.h>

#include "doors/files.h"
#include "lib/stringinfo.h"
#include "tools/unpack.h"

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

/* Bytes read ahead. */
typedef struct Head
{
	char		bytes[HEAD_SIZE];
	size_t		size;
	size_t		used;
} Head;

/* The blocks of a tar archive from a damaged header to the next good one, as a member (files_archive.c). */
typedef struct DamagedMember
{
	bool		open;			/* it is the current one */
	int64		at;				/* of its header in the archive */
	const char *block;			/* the current block, or NULL */
	size_t		block_size;		/* of it not handed out yet */
	int64		zeros;			/* before that, not handed out yet: padding unless more follows */
	int64		lost;			/* blocks that could not be handed out */
	bool		cut;			/* the current block is the last of a cut archive */
	char	   *story;			/* what is wrong with it */
} DamagedMember;

struct archive;
struct archive_entry;
typedef struct FilePlaces FilePlaces;	/* files_places.c */

/* What the step to the next header of an archive gave. */
typedef struct Header
{
	bool		waits;			/* found, but not handed out yet */
	int			result;
	struct archive_entry *entry;
	bool		has_data;
	const char *path;
} Header;

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
	bool		quick;			/* it is unpacked in less time than its lines take */
	L4Unpacker *unpacker;		/* of a compressed file, or NULL */
	MemoryContext unpacker_context;
	FilePlaces *places;			/* instead of that where it is read by places, or NULL */
	Head		below;			/* first bytes out of it */

	struct archive *archive;	/* or NULL */
	locale_t	name_locale;	/* keeps UTF-8 names whole in any database, or 0 */
	bool		begun;			/* libarchive has the block that tells it the format of a tar archive */
	char	   *input;			/* what libarchive has of the archive's bytes, */
	size_t		input_size;		/* so many, */
	int64		input_end;		/* up to here, */
	bool		end_marked;		/* whose last block is all zeros */
	Header		header;
	DamagedMember damaged;
	const char *block;			/* libarchive's current block, */
	size_t		block_size;		/* what is left of it, */
	int64		block_offset;	/* and where that belongs in the member */
	int64		position;		/* where the caller is in the member */
	int64		member_size;	/* or -1 */

	MemoryContext member_context;
	L4Unpacker *member_unpacker;	/* of a compressed member, or NULL */
	Head		raw;			/* first bytes of the member, before member_unpacker */
	Head		head;			/* first bytes of the member */

	bool		given;			/* the only member was handed out */
	bool		member_ended;	/* the member's data was read to its end */
	bool		failed;			/* the member cannot be read on */
	bool		broken;			/* neither can anything behind it */
	char	   *error;
	char	   *remark;
};

/* files.c */
extern void files_append_name(StringInfo text, const char *name, size_t size);
extern char *files_name_text(const char *name);
extern TimestampTz files_timestamp(int64 seconds, long nanoseconds, TimestampTz otherwise);

/* files_bytes.c */

/* Notes why the member cannot be read on; broken: nor anything behind it. */
extern void files_fail(L4FileReader *reader, bool broken, const char *format, const char *detail);
/* Notes what is odd about a member that can be read. */
extern void files_note(L4FileReader *reader, const char *remark);
/* The next bytes of the file as they are on disk; argument is the reader. As files_read_below. */
extern ssize_t files_pull(void *argument, char *buffer, size_t room);
/* The next bytes out of an unpacker, as files_read_below. */
extern ssize_t files_read_unpacker(L4FileReader *reader, L4Unpacker *unpacker, char *buffer, size_t room);
/* Bytes that were read ahead; 0 where none are left. */
extern size_t files_take_head(Head *head, char *buffer, size_t room);
/* The next bytes of the file, decompressed: how many, 0 at the end, -1 where files_fail has told why. */
extern ssize_t files_read_below(L4FileReader *reader, char *buffer, size_t room);
/* Memory that a decoder may take for its window. */
extern size_t files_window_memory(void);
/* Will the next CHECK_FOR_INTERRUPTS raise? */
extern bool files_cancel_pending(void);

/* files_places.c */

/* From now on the compressed file is read by places. */
extern void files_places_open(L4FileReader *reader);
/* As files_read, files_read_at and files_lines_before; files_places_seek sets where files_places_read goes on. */
extern ssize_t files_places_read(L4FileReader *reader, char *buffer, size_t room);
extern size_t files_places_read_at(L4FileReader *reader, char *buffer, size_t size, int64 offset);
extern void files_places_seek(L4FileReader *reader, int64 offset);
extern int64 files_places_lines(L4FileReader *reader, int64 offset);

/* files_archive.c */

/* Starts libarchive for reader->kind at the file's first byte. False after a failure. */
extern bool files_archive_open(L4FileReader *reader);
/*
 * Steps to the next member: false at the end of the archive and after a failure. The strings are palloc'd in the current
 * memory context.
 */
extern bool files_archive_next(L4FileReader *reader, char **source, int64 *size, TimestampTz *modified_at);
/* Bytes of the current member, as files_read. */
extern ssize_t files_archive_read(L4FileReader *reader, char *buffer, size_t room);
extern void files_archive_close(L4FileReader *reader);

#endif							/* L4_FILES_PRIVATE_H */
