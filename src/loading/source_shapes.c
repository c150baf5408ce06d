/*
 * source_shapes.c: the shapes of a source: records masked, or remembered from messages like them, within the limit of shapes.
 */
#include "loading/source_private.h"

#include "tools/bytes.h"

void
source_init_shape(L4Source *work, Shape *shape, L4Bytes text)
{
	shape->class = source_class_of_shape(work->context, shape->shape_id, text);
	shape->text = bytes_kept(text);
	shape->last_stream = -1;
	shape->segment_no = -1;
}

/* The shape with this hash; text is that of the record at hand, which where two texts share a hash may not be the shape's. */
Shape *
source_shape(L4Source *work, uint64 shape_id, L4Bytes text)
{
	bool		found;
	ShapeEntry *entry = shapes_insert(work->shapes.table, shape_id, &found);

	if (!found)
	{
		entry->shape = palloc0(sizeof(Shape));
		entry->shape->shape_id = shape_id;
		source_init_shape(work, entry->shape, text);
	}
	return entry->shape;
}

Shape *
source_mask_record(L4Source *work, L4Record *record, bool rest)
{
	L4SourceContext *context = work->context;
	bool		by_itself = rest || context->rules->mask_count > 0;
	L4CachedMessage *cached = by_itself ? NULL : message_cache_find(context->messages, record->message, &work->shapes.current);
	Shape	   *shape;

	if (cached != NULL && cached->owner == work->number)
	{
		shape = cached->shape;
		record->shape_text = shape->text;
	}
	else
	{
		bool		fine = true;
		bool		is_new;
		uint64		shape_id;

		if (rest)				/* begins amid a line: it says nothing of its own */
			shape_limit_mask_behind(&work->shapes.current, record->message, 0);
		else
			mask_message(&work->shapes.current, record->message, context->rules->masks, context->rules->mask_count);
		record->shape_text = (L4Bytes) {work->shapes.current.text.data, work->shapes.current.text.len};
		shape_id = cached != NULL ? cached->shape_id : source_shape_id(context, record->shape_text);
		if (shapes_lookup(work->shapes.table, shape_id) == NULL &&
			!shape_limit_admits(work->shapes.limit, record->shape_text, record->level))
		{
			/* the limit is reached: a coarse one stands for a new one */
			fine = false;
			work->shapes.limited = true;
			shape_limit_coarsen(&work->shapes.current, record->message);
			record->shape_text = (L4Bytes) {work->shapes.current.text.data, work->shapes.current.text.len};
			shape_id = source_shape_id(context, record->shape_text);
		}
		is_new = shapes_lookup(work->shapes.table, shape_id) == NULL;
		shape = source_shape(work, shape_id, record->shape_text);
		if (is_new)
			shape->coarse = !fine;
		if (shape->text.size == record->shape_text.size &&
			memcmp(shape->text.data, record->shape_text.data, shape->text.size) == 0)
		{
			record->shape_text = shape->text;
			if (fine && cached == NULL)
				cached = message_cache_keep(context->messages, record->message, &work->shapes.current, shape->shape_id);
			if (fine && cached != NULL)
			{
				cached->shape = shape;
				cached->owner = work->number;
			}
		}
	}
	record->shape_id = shape->shape_id;
	record->parameters = work->shapes.current.parameters;
	record->parameter_count = work->shapes.current.parameter_count;
	return shape;
}

/* What the rules say of a message, whose parameters go to work->shapes.current. */
L4ProgressClass
source_class_of_message(L4Source *work, L4Bytes message)
{
	L4SourceContext *context = work->context;
	bool		remembers = context->rules->mask_count == 0;
	L4CachedMessage *cached = remembers ? message_cache_find(context->messages, message, &work->shapes.current) : NULL;
	ClassEntry *known = cached != NULL ? classes_lookup(context->classes, cached->shape_id) : NULL;
	L4Bytes		text;
	uint64		shape_id;

	if (known != NULL)
		return known->class;
	mask_message(&work->shapes.current, message, context->rules->masks, context->rules->mask_count);
	text = (L4Bytes) {work->shapes.current.text.data, work->shapes.current.text.len};
	shape_id = source_shape_id(context, text);
	if (remembers && cached == NULL)
		(void) message_cache_keep(context->messages, message, &work->shapes.current, shape_id);
	return source_class_of_shape(context, shape_id, text);
}
