/*
 * microbatches.h: which cycles of layers make up a step, where gradients are accumulated over microbatches.
 */
#ifndef L4_MICROBATCHES_H
#define L4_MICROBATCHES_H

#include "algorithms/intervals.h"

/* When cycles of layers are microbatches of a step. */
typedef struct L4MicrobatchRule
{
	double		bytes;			/* the last one of a step moves so many times as much as the others, */
	double		deviations;		/* or what is between two steps takes longer by so many robust deviations of what is usual */
} L4MicrobatchRule;

/* Cycles of layers, by their first bursts. */
typedef struct L4LayerCycles
{
	const double *starts;		/* when cycles began */
	const double *turns;		/* when the first layer of each went backwards; INFINITY where the last has not yet */
	int64		count;
	double		interval;		/* from one to the next, the median */
	double		layer;			/* from one burst to the next at the higher speed */
	double		pause;			/* what parts bursts */
} L4LayerCycles;

/*
 * How many cycles make a step, and which of them begin one: steps (room for count) gets their places, begun how many there are.
 * 1, and all of them, where nothing tells one cycle from another; 0, and all, where they are too few to tell. moved: bytes of
 * the messages. Time O(n log n), and the square of the number of cycles, or 64 times that, whichever is less.
 */
extern int	microbatches_of_step(const L4Intervals *messages, const double *moved, const L4LayerCycles *cycles,
								 const L4MicrobatchRule *rule, int64 *steps, int64 *begun);

#endif							/* L4_MICROBATCHES_H */
