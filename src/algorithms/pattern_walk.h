/*
 * pattern_walk.h: walks a pattern over positions of a text without matching it: which bytes are asked for, and where.
 */
#ifndef L4_PATTERN_WALK_H
#define L4_PATTERN_WALK_H

#include "ground/l4.h"

/* Positions that a walk can tell apart; all behind its limit are one. */
#define L4_WALK_LIMIT 120

/* A set of positions, 0 to L4_WALK_LIMIT. */
typedef struct L4Positions
{
	uint64		bits[2];
} L4Positions;

/* The bytes that one atom of a pattern stands for. */
typedef struct L4ByteSet
{
	bool		bytes[256];
} L4ByteSet;

typedef struct L4PatternWalk L4PatternWalk;

/* Set all but the private part, then call pattern_walk. */
struct L4PatternWalk
{
	const char *at;				/* the pattern; where the walk stands in it */
	const char *end;
	int			limit;			/* positions up to here are visited, what lies behind is one position */
	bool		around;			/* walk what looks around too, as if it might hold and might not */
	bool		quick;			/* stop where no way is left: nothing outside of all groups begins anew */
	/* An atom at a position: may the walk go on behind it? */
	bool		(*visit) (L4PatternWalk *walk, int position, const L4ByteSet *class);
	/*
	 * What takes no room (the end, a border of words, what stands before) is asked for at a position. class is NULL where it is
	 * no matter of one class.
	 */
	void		(*look) (L4PatternWalk *walk, int position, const L4ByteSet *class);
	void	   *argument;
	/* results */
	bool		failed;			/* there is something in the pattern that the walk does not know */
	bool		alternatives;	/* a bar outside of all groups was seen */
	/* private */
	int			steps;
	int			depth;
	bool		behind;
};

/*
 * Walks all ways that a match of the pattern could take from the positions `starts`, and returns where they end. Stops at the
 * pattern's end or at a closing parenthesis that nothing opened. Each way is taken as far as visit lets it go. Sets failed for
 * inline options, verbs, back references, non-ASCII bytes, Unicode properties and all else that is not plain.
 */
extern L4Positions pattern_walk(L4PatternWalk *walk, L4Positions starts);

static inline bool
positions_empty(L4Positions positions)
{
	return (positions.bits[0] | positions.bits[1]) == 0;
}

static inline L4Positions
positions_union(L4Positions a, L4Positions b)
{
	a.bits[0] |= b.bits[0];
	a.bits[1] |= b.bits[1];
	return a;
}

static inline bool
positions_have(L4Positions positions, int position)
{
	return (positions.bits[position / 64] >> (position % 64)) & 1;
}

/* The first position of a set from one (of 0 to L4_WALK_LIMIT) on; behind L4_WALK_LIMIT where there is none. */
static inline int
positions_next(L4Positions positions, int from)
{
	uint64		low = from < 64 ? positions.bits[0] >> from << from : 0;
	uint64		high = from < 64 ? positions.bits[1] : positions.bits[1] >> (from - 64) << (from - 64);

	if (low != 0)
		return __builtin_ctzll(low);
	return high != 0 ? 64 + __builtin_ctzll(high) : L4_WALK_LIMIT + 1;
}

static inline L4Positions
positions_with(L4Positions positions, int position)
{
	positions.bits[position / 64] |= UINT64CONST(1) << (position % 64);
	return positions;
}

#define L4_NO_POSITIONS ((L4Positions) {{0, 0}})
#define L4_FIRST_POSITION ((L4Positions) {{1, 0}})

#endif							/* L4_PATTERN_WALK_H */
