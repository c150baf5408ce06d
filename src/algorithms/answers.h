/*
 * answers.h: what goes one way between two ends beside what comes back: whether it is answered, or goes both ways at once.
 */
#ifndef L4_ANSWERS_H
#define L4_ANSWERS_H

#include "algorithms/intervals.h"
#include "ground/l4.h"

/*
 * Share of the messages of one way that one of the same size (moved; within tolerance, a share of it) answers: that begins
 * later, within the next few of the other way, and answers no other. Of both ways that of which more are answered; 0 where
 * nothing goes one way. Along a pipeline gradients are as large as the activations were, whatever size these have.
 * Allocates in the current memory context. Time O(n).
 */
extern double answers_alike(const L4Intervals *a, const double *a_moved, const L4Intervals *b, const double *b_moved,
							double tolerance);

/*
 * Share of the time of the way that sends for a shorter one in which the other sends, too; pauses shorter than `pause` are
 * time. 0 where nothing goes one way. Time O(n).
 */
extern double answers_at_once(const L4Intervals *a, const L4Intervals *b, double pause);

/*
 * Share of the messages of a that end as long before or after the nearest end of b as most do, within tolerance (seconds): who
 * waits for the other begins late, but both are done together. 0 where one has none. Allocates in the current memory context.
 * Time O(n log n).
 */
extern double answers_end_together(const L4Intervals *a, const L4Intervals *b, double tolerance);

/*
 * How often, between messages that go both ways at once, some go alone one way and then some the other way, always in the same
 * order, and which share these are of all that go alone: of both runs as many as the shorter one has. A stage that sends the
 * next activations as it gets gradients begins a step with activations alone (as many as there are stages behind it), and ends
 * it with as many gradients alone. What begins or ends within tolerance (seconds) of the other is at once with it. Time O(n).
 */
typedef struct L4Turns
{
	int64		count;			/* those of the one order less those of the other */
	double		share;			/* 0 to 1; 0 where none goes alone */
} L4Turns;

extern L4Turns answers_turns(const L4Intervals *a, const L4Intervals *b, double tolerance);

#endif							/* L4_ANSWERS_H */
