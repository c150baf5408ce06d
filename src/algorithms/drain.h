/*
 * drain.h: groups shapes into events (Drain, He et al., ICWS 2017), as a pure function of the set of shapes.
 */
#ifndef L4_DRAIN_H
#define L4_DRAIN_H

#include "ground/l4.h"
#include "utils/palloc.h"

/* Default of split_values; those of the other options are in l4.h. */
#define L4_DRAIN_SPLIT_VALUES 5

/* What drain_cluster accepts; the bindings refuse the rest. */
#define L4_DRAIN_DEPTH_MAX 64
#define L4_DRAIN_SPLIT_VALUES_MAX 100

typedef struct L4DrainOptions
{
	int			depth;			/* depth of the prefix tree, root and length layer counted: at least 3 */
	double		similarity;		/* least share of equal tokens to join a group, 0 to 1 */
	int			split_values;	/* a literal position with at most so many values splits a group; below 2 nothing is split */
	size_t		memory_limit;	/* bytes of working memory that may be used; 0 for no limit */
} L4DrainOptions;

typedef struct L4DrainGroup
{
	char	   *template;		/* NUL-terminated, encoded as the shapes are */
	size_t		template_size;
	int			parent;			/* index of the unsplit group's entry in parents */
	int			member_count;	/* distinct shapes in it */
} L4DrainGroup;

typedef struct L4DrainResult
{
	int			group_count;
	L4DrainGroup *groups;		/* in the byte order of their templates, which are distinct */
	int			parent_count;
	char	  **parents;		/* templates of the unsplit groups, in byte order, distinct */
	int		   *group_of;		/* for each input shape, in input order */
} L4DrainResult;

/*
 * Where a shape stands among others: its number of tokens (15 bits), then 24 bits each of a hash of its first token and of its
 * first two. Shapes of different numbers of tokens never meet in a group, so those of one number give the same groups alone as
 * among all others.
 */
extern int64 drain_key(L4Bytes shape);

/*
 * Clusters n shapes (equal ones count once). The result does not depend on their order. Allocates in the current memory
 * context.
 */
extern L4DrainResult *drain_cluster(const L4Bytes *shapes, int n, const L4DrainOptions *options);

#endif							/* L4_DRAIN_H */
