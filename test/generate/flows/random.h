/*
 * random.h: random sequences of our own, so that a seed gives the same flows on every machine. Each job, and each disturbance,
 * has a sequence of its own: a change of one leaves the others alone.
 */
#ifndef FLOWS_RANDOM_H
#define FLOWS_RANDOM_H

#include <stdint.h>

typedef struct
{
	uint64_t	state[4];
	double		spare;			/* the second of two normal numbers, if has_spare */
	int			has_spare;
} sequence;

/* A well mixed 64-bit number from two. */
extern uint64_t mix(uint64_t a, uint64_t b);

extern void random_begin(sequence *r, uint64_t seed, uint64_t number);
extern uint64_t random_bits(sequence *r);

/* From 0 to 1, without 1. */
extern double random_unit(sequence *r);

/* A whole number from 0 to below n; n is at least 1. */
extern long random_below(sequence *r, long n);

/* Standard normal. */
extern double random_normal(sequence *r);

/* A factor around 1 whose logarithm is normal with the deviation sigma. */
extern double random_factor(sequence *r, double sigma);

#endif
