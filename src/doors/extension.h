/*
 * extension.h: what the catalog says of the extension itself.
 */
#ifndef L4_EXTENSION_H
#define L4_EXTENSION_H

#include "ground/l4.h"

/* The role that owns the extension. Errors: 42704 where it is not there. Cost: one statement. */
extern Oid	extension_owner(void);

/*
 * The names of the extension's tables that hold rows of the site's own (those that a dump holds), joined by commas, in the
 * current memory context; NULL where none does. Connects SPI by itself. Cost: one look into each table.
 */
extern char *extension_kept_tables(void);
/* Is l4 distributed over the nodes of a cluster of Citus? */
extern bool extension_is_distributed(void);

#endif							/* L4_EXTENSION_H */
