/*
 * head_walk.h: walks a pattern over positions of a text without matching it: which bytes are asked for, and where.
 */
#ifndef L4_HEAD_WALK_H
#define L4_HEAD_WALK_H

#include "ground/l4.h"

/* Positions that a walk can tell apart; all behind its limit are one. */
#define L4_WALK_LIMIT 120

/* A set of positions, 0 to L4_WALK_LIMIT. */
typedef struct L4Places
{
	uint64		bits[2];
} L4Places;

/* The bytes that one atom of a pattern stands for. */
typedef struct L4HeadClass
{
	bool		bytes[256];
} L4HeadClass;

typedef struct L4HeadWalk L4HeadWalk;

/* Set all but the private part, then call head_walk. */
struct L4HeadWalk
{
	const char *at;				/* the pattern; where the walk stands in it */
	const char *end;
	int			limit;			/* positions up to here are visited, what lies behind is one place */
	bool		around;			/* walk what looks around too, as if it might hold and might not */
	bool		quick;			/* stop where no way is left: nothing outside of all groups begins anew */
	/* An atom at a position: may the walk go on behind it? */
	bool		(*visit) (L4HeadWalk *walk, int position, const L4HeadClass *class);
	/*
	 * What takes no room (the end, a border of words, what stands before) is asked for at a position. class is NULL where it is
	 * no matter of one class.
	 */
	void		(*look) (L4HeadWalk *walk, int position, const L4HeadClass *class);
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
extern L4Places head_walk(L4HeadWalk *walk, L4Places starts);

static inline bool
places_empty(L4Places places)
{
	return (places.bits[0] | places.bits[1]) == 0;
}

static inline L4Places
places_union(L4Places a, L4Places b)
{
	a.bits[0] |= b.bits[0];
	a.bits[1] |= b.bits[1];
	return a;
}

static inline bool
places_have(L4Places places, int position)
{
	return (places.bits[position / 64] >> (position % 64)) & 1;
}

static inline L4Places
places_with(L4Places places, int position)
{
	places.bits[position / 64] |= UINT64CONST(1) << (position % 64);
	return places;
}

#define L4_NO_PLACES ((L4Places) {{0, 0}})
#define L4_FIRST_PLACE ((L4Places) {{1, 0}})

#endif							/* L4_HEAD_WALK_H */
