/*
 * dtw.h: distances of two sequences of symbols: dynamic time warping with cost 0 or 1, and unit edit distance.
 */
#ifndef L4_DTW_H
#define L4_DTW_H

#include "ground/l4.h"

/* Longest sequence. */
#define DTW_MAX_LENGTH 1000000

/* No band, or no limit. */
#define DTW_UNLIMITED (-1)

/*
 * Sum of 0/1 mismatch costs on the best warping path from the first pair to the last one, steps (1,1), (1,0), (0,1), not
 * normalised. A band r >= 0 allows cells with -r - max(0, n-m) <= j - i <= r + max(0, m-n) only. Where one sequence is empty
 * the length of the other. At most max(n, m). Time n * m / (cells at once), memory O(n + m). Sakoe, Chiba 1978.
 */
extern int	dtw_distance(const uint32 *a, int n, const uint32 *b, int m, int band);

/*
 * Insertions, deletions and replacements that make a into b, each 1. With a limit >= 0, anything above it comes back as
 * limit + 1, sooner. Time (n + m) * distance, memory O(n + m). Ukkonen 1985 for the widening band.
 */
extern int	edit_distance(const uint32 *a, int n, const uint32 *b, int m, int limit);

#endif							/* L4_DTW_H */
