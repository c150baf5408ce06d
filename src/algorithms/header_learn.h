/*
 * header_learn.h: which fields the headers of a file have, learnt from its first lines.
 */
#ifndef L4_HEADER_LEARN_H
#define L4_HEADER_LEARN_H

#include "algorithms/header_fields.h"
#include "pgtime.h"

/* A line of the sample, behind its prefixes. */
typedef struct L4SampleLine
{
	L4Bytes		text;
	int			count;			/* of its fields, message and all */
	L4Field		fields[L4_FIELD_LIMIT];
	L4FieldGap	rest;			/* the gap behind the last of them */
	bool		open;			/* no header is known for it */
	bool		here;			/* it is one of the lines that are looked at */
} L4SampleLine;

/* Takes a line apart into so many fields at most. */
extern void header_learn_line(L4SampleLine *line, L4Bytes text, int limit);

/*
 * Learns the form that most of the open lines have which have one. zone, reference: for their times. False where they have none
 * in common that would be a header. Cost: some microseconds a line.
 */
extern bool header_learn(L4SampleLine *lines, int count, pg_tz *zone, TimestampTz reference, L4IsNode is_node,
						 const void *argument, L4HeaderForm *form);

/*
 * Learns the label that nearly all of the lines begin with, which follow one another. False where there is none. Cost: as
 * above.
 */
extern bool header_learn_label(L4SampleLine *lines, int count, L4IsNode is_node, const void *argument, L4LabelForm *label);

/* May most of some lines have one? */
extern bool header_may_have_label(const L4SampleLine *lines, int count, L4IsNode is_node, const void *argument);

#endif							/* L4_HEADER_LEARN_H */
