/*
 * collectives.h: collectives of a link in one piece each, by what they move.
 */
#ifndef L4_COLLECTIVES_H
#define L4_COLLECTIVES_H

#include "algorithms/intervals.h"

/* What parts of collectives may be. */
typedef struct L4CollectiveRule
{
	double		share;			/* so much of what a link moves comes in whole ones, for some pause */
	double		tolerance;		/* which move the same within this share */
} L4CollectiveRule;

/* What collectives move, as bursts tell that this pause parts. */
typedef struct L4CollectiveSize
{
	double		bytes;
	double		pause;
	double		share;			/* of all bytes are in bursts that are whole */
} L4CollectiveSize;

/* Collectives, each in one piece that ends when its last one does. */
typedef struct L4Collectives
{
	double	   *began;
	double	   *ended;
	double	   *moved;
	int64		count;
} L4Collectives;

#define COLLECTIVE_SIZES 4

/*
 * What a collective may move, what explains most first, by bursts that come in one piece whatever the others do. Returns how
 * many sizes there are. moved: bytes of the messages. Allocates in the current memory context. Time O(n log n) for each pause
 * that may part bursts.
 */
extern int	collective_sizes(const L4Intervals *messages, const double *moved, const L4CollectiveRule *rule,
							 L4CollectiveSize sizes[COLLECTIVE_SIZES]);

/*
 * Makes collectives of messages, each of which moves so many bytes, or a whole number of times that where several go at once.
 * result: of collectives_room. Time O(n).
 */
extern void collectives_of(const L4Intervals *messages, const double *moved, const L4CollectiveSize *size, double tolerance,
						   L4Collectives *result);

/* Room for collectives of this size. */
extern L4Collectives collectives_room(const L4Intervals *messages, const double *moved, const L4CollectiveSize *size);
extern void collectives_free(L4Collectives *collectives);

/*
 * Of each of count steps, of which ends[i] to ends[i + 1] is the i-th: the share of its bytes that went in pieces before the
 * last one of their collective, as not all were there yet; NAN where none is told. False: what a collective moves is not told.
 * Around a ring nothing goes early from whoever is last, and next to nothing from those behind it. Time as collective_sizes.
 */
extern bool collectives_early(const L4Intervals *messages, const double *moved, const L4CollectiveRule *rule,
							  const double *ends, int64 count, double *early);

#endif							/* L4_COLLECTIVES_H */
