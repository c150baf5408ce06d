/*
 * step_phases.h: the steps of an accelerator, from the messages it sends and gets.
 *
 * Data-parallel traffic closes a step: all ranks of a group wait there for one another. What lies between is computing, and the
 * traffic of the pipeline.
 */
#ifndef L4_STEP_PHASES_H
#define L4_STEP_PHASES_H

#include "ground/l4.h"

/* A message of one accelerator. */
typedef struct L4StepMessage
{
	double		began;
	double		ended;
	float		bytes;
	float		busy;			/* seconds of its records */
	int32		peer;			/* a number of the caller's for the other end */
	bool		sent;			/* by the accelerator, not to it */
} L4StepMessage;

/*
 * Makes one of sorted messages of one direction and peer (of `peers`) that overlap, such as the parts that went along several
 * paths; returns how many are left, sorted. O(n).
 */
extern int64 step_messages_join(L4StepMessage *messages, int64 count, int32 peers);

/* A phase of data-parallel traffic. */
typedef struct L4StepPhase
{
	double		began;			/* when the accelerator began to send; to get, where it sends nothing */
	double		ended;			/* when the last message, sent or got, was through */
	double		bytes;			/* sent and got */
} L4StepPhase;

/* Puts messages in the order of their times; those of the same times by all that they have. */
extern void step_messages_sort(L4StepMessage *messages, int64 count);

/*
 * The phases of sorted messages: runs without a pause of `pause` seconds or more. The last is left out where it has less than
 * `whole` (a share) of the bytes that are usual: it is not over. Returns their number; phases has room for count of them. O(n).
 */
extern int64 step_phases(const L4StepMessage *messages, int64 count, double pause, double whole, L4StepPhase *phases);

/* What an accelerator did in a step. */
typedef struct L4StepWork
{
	double		computed;		/* seconds from when it had what it needed to when it sent on what it made of it */
	double		sent;			/* seconds of the messages it sent along the pipeline */
	double		closing;		/* of what it computed the last part: until its data-parallel phase began; NAN where the step
								 * lacks messages, so that what it computed is not sure */
} L4StepWork;

/*
 * What was done in each of count steps, of which ends[i] to ends[i + 1] is the i-th (count + 1 ends), whose data-parallel
 * phase began at closes[i]. messages: those of the pipeline, sorted. A message that is sent was made from the one got as the
 * same of its step from another peer (from the same where there is no other), or, where nothing was got for it, from what was
 * sent before it. Where two peers are sent other numbers than are got from the other one, as with virtual stages, from what has
 * come before it in all steps with as many messages, but not before the one that is sent before it. O(n).
 */
extern void step_work(const L4StepMessage *messages, int64 message_count, const double *ends, const double *closes, int64 count,
					  L4StepWork *work);

/*
 * When an accelerator should have sent again: its last sending, and as long behind it as it usually takes from the same place
 * in a step to the next sending: when as many were sent, or where their number differs from step to step as much, or the one
 * that was sent so long after the step began, if that is a later one, as records are lost. messages: all of its, sorted;
 * ends: of its count steps, as above. -INFINITY where it sent nothing, or nothing is usual. O(n log n).
 */
extern double step_overdue(const L4StepMessage *messages, int64 message_count, const double *ends, int64 count);

/* For each of count times the place (from 1) of the nearest of the sorted reference, or 0 where none is within tolerance. */
extern void step_places(const double *times, int64 count, const double *reference, int64 reference_count, double tolerance,
						int32 *places);

#endif							/* L4_STEP_PHASES_H */
