/*
 * store_analyze.h: fresh planner statistics of the tables that a diagnosis reads. Needs a connected SPI.
 */
#ifndef L4_STORE_ANALYZE_H
#define L4_STORE_ANALYZE_H

#include "ground/l4.h"

/*
 * Fresh planner statistics, where the caller owns the tables: of those that logs go into, and of what is found out at the end
 * of an import.
 */
extern void store_analyze_logs(const char *schema);
extern void store_analyze_rest(const char *schema);

#endif							/* L4_STORE_ANALYZE_H */
