/*
 * step_rounds.h: the steps of a job that scatters its gradients in each microbatch and gathers its parameters once a step
 * (ZeRO-2), from the messages along one link.
 */
#ifndef L4_STEP_ROUNDS_H
#define L4_STEP_ROUNDS_H

#include "algorithms/step_cycles.h"

/* When bursts are rounds of a step. */
typedef struct L4RoundRule
{
	double		pause;			/* silence of so many seconds parts bursts */
	double		regular;		/* this share of the steps ... */
	double		tolerance;		/* ... takes as long as the one before, within this share of it */
	L4MicrobatchRule microbatch;	/* the last burst of a step moves more than the others */
} L4RoundRule;

/*
 * Finds steps of several bursts each, of which the last one moves more, as what is gathered follows what is scattered; the next
 * burst begins a step. False: no such steps, or most are not regular. moved: bytes of the messages. Allocates in the current
 * memory context. Time: O(n log n), and that of microbatches_of_step.
 */
extern bool step_rounds(const L4Intervals *messages, const double *moved, const L4RoundRule *rule, L4StepCycles *result);

#endif							/* L4_STEP_ROUNDS_H */
