/*
 * store_shapes.h: rows of l4_shape. Needs a connected SPI.
 */
#ifndef L4_STORE_SHAPES_H
#define L4_STORE_SHAPES_H

#include "ground/l4.h"

/* A shape to be added, or whose mark changes. */
typedef struct L4ShapeRow
{
	int64		shape_id;
	L4Bytes		text;			/* data NULL: it is there */
	bool		firm;			/* some record has it that cannot change any more */
	int			tentative;		/* sources that now have it in records that can change, less those that had */
} L4ShapeRow;

/*
 * Adds and marks shapes of a tenant (NULL: of none); in the order of the ids. with_events: where there is anything to do, the
 * locks of store_assign_events are taken first, which is to follow in the same transaction; says whether they were.
 */
extern bool store_shapes(const char *schema, const char *tenant, const L4ShapeRow *rows, int count, bool with_events);
/* The texts of shapes; ids become those that there are, in order and each once. */
extern L4Bytes *store_shape_texts(const char *schema, int64 **shape_ids, int *count);
/* The shapes of a job that satisfy a test, by their ids in order. */
typedef bool (*L4ShapeTest) (int64 shape_id, L4Bytes text, void *argument);
extern int64 *store_job_shapes(const char *schema, const char *job_id, L4ShapeTest test, void *argument, int *count);

#endif							/* L4_STORE_SHAPES_H */
