/*
 * source_shared.c: what sources share with all others, shapes and the starts of iterations: kept while a transaction takes
 * sources in, written at its end.
 *
 * Rows that several imports want to write are written last and in one order. A transaction therefore holds them only for a
 * moment, and two never wait for each other in a circle.
 */
#include "loading/source_private.h"

#include "utils/memutils.h"

#include "doors/store_shapes.h"
#include "doors/store_timeline.h"
#include "tools/bytes.h"

/* The context's entry of a shape. */
static Shape *
shared_shape(L4SourceContext *context, uint64 shape_id, L4Bytes text)
{
	bool		found;
	ShapeEntry *entry = shapes_insert(context->shapes, shape_id, &found);

	if (!found)
	{
		entry->shape = palloc0(sizeof(Shape));
		entry->shape->shape_id = shape_id;
	}
	if (entry->shape->text.data == NULL && text.data != NULL)
		entry->shape->text = bytes_kept(text);
	return entry->shape;
}

static MemoryContext
begin_sharing(L4SourceContext *context)
{
	MemoryContext caller = MemoryContextSwitchTo(context->shared_memory);

	if (context->shapes == NULL)
	{
		context->shapes = shapes_create(context->shared_memory, 256, NULL);
		context->starts = starts_create(context->shared_memory, 64, NULL);
	}
	return caller;
}

/* What a source shares with others, kept until source_write_shared: its shapes and the starts of its iterations. */
void
source_keep_shared(L4Source *work)
{
	L4SourceContext *context = work->context;
	MemoryContext caller = begin_sharing(context);
	shapes_iterator shapes;
	starts_iterator starts;
	ShapeEntry *own;
	IterationEntry *start;

	shapes_start_iterate(work->shapes.table, &shapes);
	while ((own = shapes_iterate(work->shapes.table, &shapes)) != NULL)
	{
		bool		firm = own->shape->firm || !work->resume.keeps_state;

		if (firm && known_shapes_lookup(context->known_shapes, own->shape_id) != NULL)
			continue;
		if (firm)
			shared_shape(context, own->shape_id, own->shape->text)->firm = true;
		else
			shared_shape(context, own->shape_id, own->shape->text)->tentative++;
	}
	starts_start_iterate(work->counts.starts, &starts);
	while ((start = starts_iterate(work->counts.starts, &starts)) != NULL)
		(void) source_note_start(context->starts, (int64) start->iteration, start->start);
	MemoryContextSwitchTo(caller);
}

void
source_release_shapes(L4SourceContext *context, const int64 *shape_ids, int count)
{
	MemoryContext caller = begin_sharing(context);
	int			i;

	for (i = 0; i < count; i++)
		shared_shape(context, (uint64) shape_ids[i], (L4Bytes) {NULL, 0})->tentative--;
	MemoryContextSwitchTo(caller);
}

/* In the order that SQL gives the ids. */
static int
compare_shapes(const void *a, const void *b)
{
	int64		left = (int64) (*(Shape *const *) a)->shape_id;
	int64		right = (int64) (*(Shape *const *) b)->shape_id;

	return left < right ? -1 : left > right ? 1 : 0;
}

static void
forget_new_shapes(L4SourceContext *context)
{
	if (context->new_shapes != NULL)
		pfree(context->new_shapes);
	context->new_shapes = NULL;
	context->new_shape_count = 0;
}

static bool
write_shapes(L4SourceContext *context, bool with_events)
{
	int			count = 0;
	Shape	  **entries = palloc(mul_size(Max(context->shapes->members, 1), sizeof(Shape *)));
	L4ShapeRow *rows = palloc(mul_size(Max(context->shapes->members, 1), sizeof(L4ShapeRow)));
	shapes_iterator iterator;
	ShapeEntry *entry;
	int			i;

	shapes_start_iterate(context->shapes, &iterator);
	while ((entry = shapes_iterate(context->shapes, &iterator)) != NULL)
		entries[count++] = entry->shape;
	qsort(entries, count, sizeof(Shape *), compare_shapes);
	forget_new_shapes(context);
	context->new_shapes = MemoryContextAlloc(context->memory, mul_size(Max(count, 1), sizeof(int64)));
	for (i = 0; i < count; i++)
	{
		if (entries[i]->firm)
			context->new_shapes[context->new_shape_count++] = (int64) entries[i]->shape_id;
		rows[i].shape_id = (int64) entries[i]->shape_id;
		rows[i].text = entries[i]->text;
		rows[i].firm = entries[i]->firm;
		rows[i].tentative = entries[i]->tentative;
	}
	return store_shapes(context->schema, context->job->tenant, rows, count, with_events);
}

static void
write_timeline(L4SourceContext *context)
{
	int			count = 0;
	int64	   *iterations = palloc(mul_size(Max(context->starts->members, 1), sizeof(int64)));
	TimestampTz *times = palloc(mul_size(Max(context->starts->members, 1), sizeof(TimestampTz)));
	starts_iterator iterator;
	IterationEntry *entry;

	starts_start_iterate(context->starts, &iterator);
	while ((entry = starts_iterate(context->starts, &iterator)) != NULL)
	{
		iterations[count] = (int64) entry->iteration;
		times[count++] = entry->start;
	}
	if (count > 0)
		store_timeline(context->schema, context->job->job_id, iterations, times, count);
}

/*
 * source_write_shared: after the rows of the sources themselves those that transactions of several files share, in an order
 * that all keep: shapes by their id, then the job's timeline. Who waits for one of them holds only locks that come before it,
 * so two imports cannot wait for each other in a circle. To be called last in a transaction.
 */
bool
source_write_shared(L4SourceContext *context, bool with_events)
{
	bool		holds_events;

	store_batch_write(context->rows);
	if (context->shapes == NULL)
		return false;
	holds_events = write_shapes(context, with_events);
	write_timeline(context);
	if (context->timeline_stale)
		store_mark_timeline(context->schema, context->job->job_id);
	context->timeline_stale = false;
	context->shapes = NULL;
	context->starts = NULL;
	MemoryContextReset(context->shared_memory);
	return holds_events;
}

/*
 * source_committed: a shape that a final record has stays in its table, so the next transactions need not look for it. At most
 * CLASS_LIMIT are remembered.
 */
void
source_committed(L4SourceContext *context)
{
	bool		found;
	int			i;

	for (i = 0; i < context->new_shape_count && context->known_shapes->members < CLASS_LIMIT; i++)
		known_shapes_insert(context->known_shapes, (uint64) context->new_shapes[i], &found);
	forget_new_shapes(context);
}
