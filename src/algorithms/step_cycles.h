/*
 * step_cycles.h: the steps of a job whose parameters are sharded (ZeRO-3, FSDP), from the messages along one link.
 */
#ifndef L4_STEP_CYCLES_H
#define L4_STEP_CYCLES_H

#include "algorithms/collectives.h"
#include "algorithms/microbatches.h"

/* When bursts at two speeds are cycles. */
typedef struct L4CycleRule
{
	double		ratio;			/* intervals at the lower speed are so many times as long, at least */
	double		share;			/* and each speed has this share of the intervals */
	int64		run;			/* so many bursts at one speed in a row */
	double		regular;		/* this share of the cycles ... */
	double		tolerance;		/* ... takes as long as the one before, within this share of it */
	L4MicrobatchRule microbatch;	/* when cycles of layers are microbatches of a step */
	L4CollectiveRule collective;	/* when messages are pieces of collectives, where no pause parts these */
} L4CycleRule;

/* Cycles: began[i] to ended[i]; the first may have begun before. */
typedef struct L4StepCycles
{
	double		interval;		/* from one to the next, the median */
	double		regular;		/* share of them that takes as long as the one before */
	int			microbatches;	/* cycles of layers in each; 0: too few to tell, each of these is one */
	double		layer;			/* from a burst to the next at the lower speed; 0: bursts are not layers */
	/* bytes of a burst at the lower speed over those of one at the higher, the most of any pause without cycles; 0: none */
	double		weight;
	double	   *began;
	double	   *ended;			/* when the last message before the next cycle was through */
	int64		count;
} L4StepCycles;

/*
 * Finds cycles of bursts that come at one speed, then at a lower one: layers forwards, then backwards, which take twice as
 * long. A cycle begins where they come faster again; of the pauses that may part bursts that is taken with which they are most
 * regular. Where none parts them, bursts are collectives, by what they move (collectives.c). Cycles that are microbatches of a
 * step make one together. The last is left out where it is not over. False: no such cycles, or fewer than three; result->layer
 * tells whether bursts are layers all the same. moved: bytes of the messages. Allocates in the current memory context. Time:
 * O(n log n), and that of microbatches_of_step.
 */
extern bool step_cycles(const L4Intervals *messages, const double *moved, const L4CycleRule *rule, L4StepCycles *result);

#endif							/* L4_STEP_CYCLES_H */
