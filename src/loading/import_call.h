/*
 * import_call.h: what the processes of one call of l4_import share, and what each keeps for itself.
 */
#ifndef L4_IMPORT_CALL_H
#define L4_IMPORT_CALL_H

#include "ground/l4.h"
#include "port/atomics.h"

#include "loading/source.h"
#include "doors/files.h"
#include "doors/workers.h"

/* A file of the list, as in L4File; its strings are offsets into the shared memory, 0 for NULL. */
typedef struct SharedFile
{
	Size		path;
	Size		source;
	Size		error;
	int64		size;
	TimestampTz modified_at;
	bool		is_root;
	bool		begins_group;	/* files of a group are taken in by one process, together */
} SharedFile;

/* One call of l4_import, in shared memory where there are workers. Strings lie behind the list. */
typedef struct SharedImport
{
	pg_atomic_uint32 next;		/* of the list, to be taken by whoever is free */
	pg_atomic_uint64 files;
	pg_atomic_uint64 skipped;
	pg_atomic_uint64 failed;
	pg_atomic_uint64 records;
	pg_atomic_uint64 lines;
	pg_atomic_uint64 bytes;		/* all of these of what is committed */
	pg_atomic_uint64 bytes_read;
	pg_atomic_uint32 analyzed;	/* a worker has made fresh statistics of what the files went into */
	Size		schema;
	Size		job_id;
	Size		layout;
	Size		parts;			/* SharedParts, 0 where no file is shared */
	int64		part_bytes;		/* larger plain files are cut into parts of this size */
	uint32		processes;		/* that were asked for */
	uint32		batches;		/* a transaction takes in so many times as much as on one server */
	uint32		large_count;	/* the first files of the list, which are the leader's: others help him with them */
	uint32		file_count;
	SharedFile	list[FLEXIBLE_ARRAY_MEMBER];
} SharedImport;

typedef struct SharedParts SharedParts; /* import_parts.c */

/* The file of which this process reads parts ahead; reader is NULL where there is none. */
typedef struct AheadFile
{
	int			number;			/* in the list */
	L4FileReader *reader;
	const char *name;
	TimestampTz modified_at;
} AheadFile;

/* What a transaction has taken in. */
typedef struct ImportCounts
{
	int64		files;
	int64		skipped;
	int64		failed;
	int64		records;
	int64		lines;
	int64		bytes;
} ImportCounts;

/* A warning of a worker that waits for the end of its transaction. */
typedef struct ImportWarning
{
	char	   *message;
	char	   *detail;
	char	   *hint;
} ImportWarning;

/* One process of a call. */
typedef struct Import
{
	SharedImport *shared;
	SharedParts *parts;			/* NULL where no file is shared */
	uint32		parts_seen;		/* changes of them that are known */
	AheadFile	ahead;
	uint32		archives_seen;	/* of those that were shared */
	bool		tells_first;	/* the leader is at the beginning of a file that is shared */
	bool		atomic;			/* inside a transaction block: no commits */
	MemoryContext context;		/* lives as long as the call */
	L4SourceContext *sources;
	L4Workers  *workers;		/* the leader's, NULL where it is alone */
	L4Worker   *worker;			/* of a worker, else NULL */
	MemoryContext warning_memory;
	List	   *warnings;		/* of a worker's open transaction */
	ImportCounts counts;		/* of the open transaction */
	TimestampTz last_notice;
	int64		bytes;			/* read so far by this process, of files that it takes in by itself */
} Import;

#define READ_BYTES (256 * 1024)

/* A string of the shared memory. */
static inline const char *
shared_string(const SharedImport *shared, Size offset)
{
	return offset == 0 ? NULL : (const char *) shared + offset;
}

/* Bytes were read: progress at once, the result once they are committed. */
static inline void
import_count_bytes(Import *import, int64 bytes)
{
	import->counts.bytes += bytes;
	(void) pg_atomic_fetch_add_u64(&import->shared->bytes_read, bytes);
}

/* A file of the list. */
extern L4File import_listed_file(const SharedImport *shared, uint32 number);

/* To be called now and then: shows progress and, in the leader, listens to the workers. source is what is being read. */
extern void import_progress(Import *import, const char *source);

#endif							/* L4_IMPORT_CALL_H */
