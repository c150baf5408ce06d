/*
 * mask.h: a message to its shape (variable parts replaced by <*>) and its parameters, and back.
 */
#ifndef L4_MASK_H
#define L4_MASK_H

#include "ground/l4.h"
#include "lib/stringinfo.h"
#include "tools/pattern.h"

/* The result of masking; reuse one per stream: its buffers are reset, not freed, by mask_message. */
typedef struct L4Shape
{
	StringInfoData text;		/* the shape: valid UTF-8, <*> for each parameter */
	int			parameter_count;
	int			parameter_room;
	L4Bytes    *parameters;		/* spans of the message, in order; valid as long as the message is */
	bool		digits_matter;	/* a message that differs in digits alone might have another shape or other parameters */
} L4Shape;

extern void shape_init(L4Shape *shape);
/* Makes room for so many parameters. */
extern void shape_reserve(L4Shape *shape, int parameter_count);
extern void mask_message(L4Shape *shape, L4Bytes message, L4Pattern **masks, int mask_count);
extern uint64 shape_hash(const char *text, size_t size);
extern void shape_expand(StringInfo out, L4Bytes shape_text, const L4Bytes *parameters, int parameter_count);

#endif							/* L4_MASK_H */
