/*
 * dtw.c: kernels of dynamic time warping and edit distance.
 *
 * Cells of one anti-diagonal do not depend on each other: with the second sequence reversed both are read forwards, and the
 * compiler makes vectors of the loop (this file is compiled with vectorising switched on). A distance is never above
 * the longer length, so 16-bit cells do for sequences below 32,000, eight at a time even on the oldest x86-64.
 */
#include "algorithms/dtw.h"

#include "miscadmin.h"
#include "utils/palloc.h"

/* Sequences below it and symbols up to 65,535 go with 16-bit cells. */
#define NARROW_LENGTH 32000
/* First guess of an edit distance. */
#define FIRST_EDIT_BAND 64

/* Half of a number, rounded down and up. */
static inline int
half_down(int value)
{
	return value >= 0 ? value / 2 : -((1 - value) / 2);
}

static inline int
half_up(int value)
{
	return -half_down(-value);
}

/*
 * Kernels for one width of cells. Rows are indexed by the place in a, from -1 on; what lies next to the cells in reach
 * is `far`, so that no step comes from outside. Diagonal k holds the cells with i + j = k.
 */
#define DEFINE_KERNELS(suffix, cell_t, symbol_t, far) \
static inline void \
dtw_diagonal_##suffix(cell_t *restrict current, const cell_t *restrict before, const cell_t *restrict before2, \
					  const symbol_t *restrict a, const symbol_t *restrict b, int count) \
{ \
	/* before2 and before point one place to the left */ \
	for (int i = 0; i < count; i++) \
	{ \
		cell_t		best = before[i] < before[i + 1] ? before[i] : before[i + 1]; \
\
		best = before2[i] < best ? before2[i] : best; \
		current[i] = (cell_t) (best + (a[i] != b[i])); \
	} \
} \
\
static int \
dtw_##suffix(const symbol_t *a, int n, const symbol_t *reversed, int m, int low, int high, cell_t **rows) \
{ \
	cell_t	   *before2 = rows[0]; \
	cell_t	   *before = rows[1]; \
	cell_t	   *current = rows[2]; \
\
	before2[-1] = 0; \
	before[-1] = before[0] = before[1] = far; \
	for (int k = 0; k <= n + m - 2; k++) \
	{ \
		int			first = Max(Max(0, k - m + 1), half_up(k - high)); \
		int			last = Min(Min(n - 1, k), half_down(k - low)); \
		cell_t	   *oldest = before2; \
\
		if (k % 64 == 0) \
			CHECK_FOR_INTERRUPTS(); \
		if (first <= last) \
			dtw_diagonal_##suffix(current + first, before + first - 1, before2 + first - 1, \
								  a + first, reversed + (m - 1 - k + first), last - first + 1); \
		current[first - 1] = far; \
		current[last + 1] = far; \
		before2 = before; \
		before = current; \
		current = oldest; \
	} \
	return before[n - 1]; \
} \
\
static inline void \
edit_diagonal_##suffix(cell_t *restrict current, const cell_t *restrict before, const cell_t *restrict before2, \
					   const symbol_t *restrict a, const symbol_t *restrict b, int count) \
{ \
	for (int i = 0; i < count; i++) \
	{ \
		cell_t		step = (cell_t) ((before[i] < before[i + 1] ? before[i] : before[i + 1]) + 1); \
		cell_t		replaced = (cell_t) (before2[i] + (a[i] != b[i])); \
\
		current[i] = replaced < step ? replaced : step; \
	} \
} \
\
/* Place i of a row stands for the first i symbols of a. Exact up to the band, above it else. */ \
static int \
edit_##suffix(const symbol_t *a, int n, const symbol_t *reversed, int m, int band, cell_t **rows) \
{ \
	cell_t	   *before2 = rows[0]; \
	cell_t	   *before = rows[1]; \
	cell_t	   *current = rows[2]; \
\
	for (int k = 0; k <= n + m; k++) \
	{ \
		int			first = Max(Max(1, k - m), half_up(k - band)); \
		int			last = Min(Min(n, k - 1), half_down(k + band)); \
		cell_t	   *oldest = before2; \
\
		if (k % 64 == 0) \
			CHECK_FOR_INTERRUPTS(); \
		if (first <= last) \
			edit_diagonal_##suffix(current + first, before + first - 1, before2 + first - 1, \
								   a + first - 1, reversed + (m - k + first), last - first + 1); \
		if (k <= Min(band, m)) \
			current[first = 0] = (cell_t) k; \
		if (k <= Min(band, n)) \
			current[last = k] = (cell_t) k; \
		current[first - 1] = far; \
		current[last + 1] = far; \
		before2 = before; \
		before = current; \
		current = oldest; \
	} \
	return before[n]; \
}

DEFINE_KERNELS(narrow, int16, uint16, 32000)
DEFINE_KERNELS(wide, int32, uint32, 1000000000)

/* Both sequences as kernels want them, and room for three diagonals. */
typedef struct Work
{
	bool		narrow;
	void	   *a;
	void	   *reversed;
	void	   *memory[3];
	int16	   *narrow_rows[3];
	int32	   *wide_rows[3];
} Work;

static bool
is_narrow(const uint32 *symbols, int count)
{
	uint32		all = 0;

	for (int i = 0; i < count; i++)
		all |= symbols[i];
	return count < NARROW_LENGTH && all <= PG_UINT16_MAX;
}

static void
work_init(Work *work, const uint32 *a, int n, const uint32 *b, int m)
{
	Size		width;

	work->narrow = is_narrow(a, n) && is_narrow(b, m);
	width = work->narrow ? sizeof(int16) : sizeof(int32);
	work->a = palloc(n * width);
	work->reversed = palloc(m * width);
	for (int i = 0; i < 3; i++)
	{
		work->memory[i] = palloc(((Size) n + 4) * width);
		work->narrow_rows[i] = (int16 *) work->memory[i] + 1;
		work->wide_rows[i] = (int32 *) work->memory[i] + 1;
	}
	for (int i = 0; i < n; i++)
	{
		if (work->narrow)
			((uint16 *) work->a)[i] = (uint16) a[i];
		else
			((uint32 *) work->a)[i] = a[i];
	}
	for (int i = 0; i < m; i++)
	{
		if (work->narrow)
			((uint16 *) work->reversed)[m - 1 - i] = (uint16) b[i];
		else
			((uint32 *) work->reversed)[m - 1 - i] = b[i];
	}
}

static void
work_free(Work *work)
{
	pfree(work->a);
	pfree(work->reversed);
	for (int i = 0; i < 3; i++)
		pfree(work->memory[i]);
}

int
dtw_distance(const uint32 *a, int n, const uint32 *b, int m, int band)
{
	Work		work;
	int			low = -n - m;
	int			high = n + m;
	int			distance;

	if (n == 0 || m == 0)
		return Max(n, m);
	if (n == m && memcmp(a, b, n * sizeof(uint32)) == 0)
		return 0;
	if (band != DTW_UNLIMITED && band < n + m)
	{
		low = -band - Max(0, n - m);
		high = band + Max(0, m - n);
	}
	work_init(&work, a, n, b, m);
	if (work.narrow)
		distance = dtw_narrow(work.a, n, work.reversed, m, low, high, work.narrow_rows);
	else
		distance = dtw_wide(work.a, n, work.reversed, m, low, high, work.wide_rows);
	work_free(&work);
	return distance;
}

/* Widens the band until the distance is within it, or the limit reached. Neither sequence is empty. */
static int
edit_widening(const uint32 *a, int n, const uint32 *b, int m, int limit)
{
	Work		work;
	int			band = Min(Max(FIRST_EDIT_BAND, abs(n - m)), limit);
	int			distance;

	work_init(&work, a, n, b, m);
	for (;;)
	{
		if (work.narrow)
			distance = edit_narrow(work.a, n, work.reversed, m, band, work.narrow_rows);
		else
			distance = edit_wide(work.a, n, work.reversed, m, band, work.wide_rows);
		if (distance <= band || band == limit)
			break;
		band = Min(band * 4, limit);
	}
	work_free(&work);
	return Min(distance, limit + 1);
}

int
edit_distance(const uint32 *a, int n, const uint32 *b, int m, int limit)
{
	if (limit == DTW_UNLIMITED || limit > Max(n, m))
		limit = Max(n, m);
	while (n > 0 && m > 0 && a[0] == b[0])
		a++, b++, n--, m--;
	while (n > 0 && m > 0 && a[n - 1] == b[m - 1])
		n--, m--;
	if (abs(n - m) > limit)
		return limit + 1;
	if (n == 0 || m == 0)
		return Max(n, m);
	return edit_widening(a, n, b, m, limit);
}
