/*
 * source_context.c: what all sources of one call share, and what the rules say of shapes.
 */
#include "loading/source_context.h"

#include "utils/memutils.h"

#include "algorithms/message_cache.h"
#include "loading/source_tables.h"

int64
source_id_of(const char *text)
{
	return (int64) shape_hash(text, strlen(text));
}

/*
 * source_context_create: see source.h.
 */
L4SourceContext *
source_context_create(const char *schema, const char *job_id, const char *layout)
{
	L4SourceContext *context = palloc0(sizeof(L4SourceContext));

	context->schema = schema;
	context->job = store_job(schema, job_id);
	context->rules = store_rules(schema);
	context->settings_hash = store_settings_hash(schema, job_id) ^ (layout != NULL ? source_id_of(layout) : 0);
	context->places = place_rules_create(context->rules->formats, context->rules->format_count, layout);
	context->memory = CurrentMemoryContext;
	context->rows = store_batch_create(schema, context->job->job_id);
	context->shared_memory = AllocSetContextCreate(CurrentMemoryContext, "l4 shapes of a transaction", ALLOCSET_DEFAULT_SIZES);
	context->classes = classes_create(CurrentMemoryContext, 256, NULL);
	context->known_shapes = known_shapes_create(CurrentMemoryContext, 256, NULL);
	context->messages = message_cache_create();
	context->frames = message_cache_create();
	context->zone = pg_tzset(context->job->time_zone);
	if (context->zone == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("time zone \"%s\" of job \"%s\" is not known", context->job->time_zone, job_id),
				 errhint("Set it with l4_register_job(job_id => ..., time_zone => 'UTC').")));
	context->parser = header_parser_create(context->rules->formats, context->rules->format_count, context->zone, 0, true);
	header_parser_name_nodes(context->parser, context->job->cluster.nodes, context->job->cluster.node_count);
	return context;
}

uint64
source_shape_id(const L4SourceContext *context, L4Bytes text)
{
	return shape_hash(text.data, text.size) ^ context->job->salt;
}

/* What the rules say of a shape: asked once for all sources. */
L4ProgressClass
source_class_of_shape(L4SourceContext *context, uint64 shape_id, L4Bytes text)
{
	bool		found;
	ClassEntry *entry;

	if (context->classes->members >= CLASS_LIMIT)
	{
		entry = classes_lookup(context->classes, shape_id);
		return entry != NULL ? entry->class : progress_classify(&context->rules->progress, text);
	}
	entry = classes_insert(context->classes, shape_id, &found);
	if (!found)
		entry->class = progress_classify(&context->rules->progress, text);
	return entry->class;
}
