/*
 * random.h: seeded random numbers for the algorithms, over the server's own generator.
 *
 * Each stream (a tree of a forest) is seeded from a hash of the caller's seed and the stream's number. Seeding with
 * seed + number would make neighbouring seeds share nearly all their trees.
 */
#ifndef L4_RANDOM_H
#define L4_RANDOM_H

#include "ground/l4.h"
#include "common/hashfn.h"
#include "common/pg_prng.h"

/* Starts the given stream of the given seed. */
static inline void
random_start(pg_prng_state *state, int64 seed, uint32 stream)
{
	uint64		mixed = hash_bytes_uint32_extended((uint32) seed, (uint64) seed >> 32);

	pg_prng_seed(state, hash_bytes_uint32_extended(stream, mixed));
}

/* A double in [0, 1). */
static inline double
random_unit(pg_prng_state *state)
{
	return pg_prng_double(state);
}

/* An int in [0, bound); bound is at least 1. */
static inline int
random_below(pg_prng_state *state, int bound)
{
	return (int) pg_prng_uint64_range(state, 0, (uint64) bound - 1);
}

#endif							/* L4_RANDOM_H */
