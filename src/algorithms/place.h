/*
 * place.h: node, rank and kind of a stream from its file's path or from a label on its lines.
 */
#ifndef L4_PLACE_H
#define L4_PLACE_H

#include "ground/l4.h"
#include "algorithms/header.h"
#include "tools/pattern.h"

/* What is known of the job's layout. */
typedef struct L4Cluster
{
	int			node_count;		/* 0 where the list of nodes is not known */
	char	  **nodes;			/* in rank order */
	int			ranks_per_node; /* 0 where not known */
} L4Cluster;

typedef struct L4Place
{
	const char *kind;			/* rank, launcher, system, shared, other */
	char	   *node;			/* NULL where not known */
	int			rank;			/* -1 where not known */
	int			attempt;		/* -1 where not known */
	const char *doubt;			/* which rule gave up on the path, in a sentence; NULL as a rule */
} L4Place;

typedef struct L4PlaceRules L4PlaceRules;

/*
 * Compiles the path formats among formats, and layout (NULL for none): a path with {node}, {rank}, {local_rank}, {attempt} and
 * * in it. Errors: 22023 for a layout that names neither node nor rank or holds an unknown {word}.
 */
extern L4PlaceRules *place_rules_create(const L4Format *formats, int count, const char *layout);
/* Paths over 4 kB are not matched; a rule that takes too many steps is left out: the place then says so in doubt. */
extern L4Place place_from_path(L4PlaceRules *rules, const L4Cluster *cluster, const char *source);
/*
 * The place of lines that came with a source's name (NULL where not known), a node and a rank of their own, which count more
 * than what the name says.
 */
extern L4Place place_of_rows(L4PlaceRules *rules, const L4Cluster *cluster, const char *source, const char *node, int rank);
/*
 * The place of a labelled line in a file whose own place is base. label receives its name (palloc'd), NULL where the line has
 * none that counts.
 */
extern L4Place place_from_label(const L4Cluster *cluster, const L4Place *base, const L4Header *header, char **label);

#endif							/* L4_PLACE_H */
