/*
 * source.h: one source of log bytes (a file, a member of an archive, the rows of a query) into segments, summaries and streams.
 */
#ifndef L4_SOURCE_H
#define L4_SOURCE_H

#include "ground/l4.h"
#include "doors/store.h"

/* What all sources of one call share. */
typedef struct L4SourceContext
{
	const char *schema;
	L4Job	   *job;
	L4Rules    *rules;
	L4PlaceRules *places;
	pg_tz	   *zone;
	MemoryContext memory;		/* what is shared lives here */
	L4HeaderParser *parser;		/* of the source under way: one at a time */
	struct classes_hash *classes;	/* what the rules say of shapes, kept from source to source */
	struct L4MessageMemo *memo; /* of recent messages */
	int64		source_count;	/* sources begun so far */
	bool		keeps_shared;	/* source_finish keeps shapes and timeline for source_write_shared; else it writes them at once */
	MemoryContext shared_memory;	/* where they lie until then */
	struct shapes_hash *shapes;
	struct starts_hash *starts;
} L4SourceContext;

/* Loads the job and the rules, in the current memory context; SPI must be connected. Errors: P0002, 22023, 2201B. */
extern L4SourceContext *source_context_create(const char *schema, const char *job_id, const char *layout);

typedef struct L4Source L4Source;

/* Begins a source; everything lies in the current memory context, which must stay current until source_finish. modified_at resolves years. */
extern L4Source *source_begin(L4SourceContext *context, const char *name, TimestampTz modified_at);
/* Takes the next bytes. Full segments are written on the way. */
extern void source_feed(L4Source *source, const char *bytes, size_t size);
/* The file on disk that a source is of; size -1 and modified_at 0 where there is none. */
typedef struct L4SourceFile
{
	int64		file_id;
	int64		size;
	TimestampTz modified_at;
} L4SourceFile;

/* Takes the end and writes all that came of the source. error says why it could not be read whole, or is NULL. */
extern void source_finish(L4Source *source, const L4SourceFile *file, const char *error);

/* Writes the shapes and the timeline of the sources finished since the last call: last in a transaction, where several sources share one. */
extern void source_write_shared(L4SourceContext *context);

extern int64 source_records(const L4Source *source);
extern int64 source_lines(const L4Source *source);
/* The content hash by which files and sources are known. */
extern int64 source_id_of(const char *name);

#endif							/* L4_SOURCE_H */
