/*
 * source_context.h: what all sources of one call share, and what the rules say of shapes.
 */
#ifndef L4_SOURCE_CONTEXT_H
#define L4_SOURCE_CONTEXT_H

#include "ground/l4.h"
#include "algorithms/header.h"
#include "algorithms/place.h"
#include "algorithms/progress.h"
#include "doors/store_batch.h"
#include "doors/store_settings.h"

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
	struct L4MessageCache *messages;	/* recent ones, */
	struct L4MessageCache *frames;	/* and frames that were masked */
	int64		source_count;	/* sources begun so far */
	L4StoreBatch *rows;			/* of sources, on their way into the tables */
	/* source_finish leaves them there for source_write_shared: the sources of a transaction are different ones */
	bool		keeps_rows;
	/* source_finish keeps shapes and timeline for source_write_shared; else it writes them at once */
	bool		keeps_shared;
	MemoryContext shared_memory;	/* where they lie until then */
	struct SourceBundles *bundles;	/* small files that wait (source_bundle.c), NULL where none ever did */
	struct shapes_hash *shapes;
	struct starts_hash *starts;
	struct known_shapes_hash *known_shapes; /* that are in their table for good; some of them */
	int64	   *new_shapes;		/* that will be once the transaction is committed */
	int			new_shape_count;
	int64		settings_hash;	/* of rules and job */
	/* a start in the job's timeline is of a record that is no more: source_write_shared marks it for timeline_rebuild */
	bool		timeline_stale;
} L4SourceContext;

/* Loads the job and the rules, in the current memory context; SPI must be connected. Errors: P0002, 22023, 2201B. */
extern L4SourceContext *source_context_create(const char *schema, const char *job_id, const char *layout);

/* The id of a shape among those of the job's tenant. */
extern uint64 source_shape_id(const L4SourceContext *context, L4Bytes text);
/* What the rules say of a shape: asked once for all sources of the context. */
extern L4ProgressClass source_class_of_shape(L4SourceContext *context, uint64 shape_id, L4Bytes text);
/* The content hash by which files and sources are known. */
extern int64 source_id_of(const char *name);

#endif							/* L4_SOURCE_CONTEXT_H */
