/*
 * header_learn_private.h: questions about the lines of a sample that header_learn.c answers for header_learn_label.c, too.
 * "Here" are the lines that are looked at.
 */
#ifndef L4_HEADER_LEARN_PRIVATE_H
#define L4_HEADER_LEARN_PRIVATE_H

#include "algorithms/header_learn.h"

/* Of fewer lines that begin with one word it may be the first of what they say. */
#define SOME_LINES 8
/* Of ten lines of a form so many have a field of it; so many have what is true of its values as an exception. */
#define MOST 8
#define EXCEPTION 3
/* Values are compared by so many bytes. */
#define VALUE_BYTES 60

/* Do two lines begin alike up to their anchors, at the same place? */
extern bool header_begin_alike(const L4SampleLine *a, const L4SampleLine *b, int anchor);

/* Of the lines here so many of ten, or more, answer a question about a field with yes. */
extern bool header_of_ten(const L4SampleLine *lines, int count, int field, int tenths,
						  bool (*ask) (const L4SampleLine *line, int field));

/* Does a value name what is counted as a program goes on? */
extern bool header_is_step(const L4SampleLine *line, int field);

/* Have the lines here, of which there are some, one value of a field, which is a name by its small letter? */
extern bool header_is_one_name(const L4SampleLine *lines, int count, int field);

/* Do the lines here go on in several ways behind a field? */
extern bool header_goes_on_variously(const L4SampleLine *lines, int count, int field);

/* The commonest end of a header whose last field is this, if most of the lines here have it. */
extern bool header_find_end(const L4SampleLine *lines, int count, int field, L4FieldGap *end);

/* Is a field in brackets, or is a sign behind it that ends a name? */
extern bool header_is_delimited(const L4SampleLine *lines, int count, int field);

/* Finds the commonest kind of the next field, if most lines here have it, which then are those that do. */
extern bool header_find_next_field(L4SampleLine *lines, int count, L4HeaderForm *form);

/* Which lines are here (allocated); and to look at these again (freed). */
extern bool *header_lines_here(const L4SampleLine *lines, int count);
extern void header_look_at_lines(L4SampleLine *lines, int count, bool *here);

#endif							/* L4_HEADER_LEARN_PRIVATE_H */
