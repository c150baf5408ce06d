/*
 * target_period.c: periods of clocks that skip, and of any times.
 */
#include "fuzz.h"

#include <math.h>

#include "algorithms/period.h"

#define EVENTS 200

static int
compare_doubles(const void *a, const void *b)
{
	double		left = *(const double *) a;
	double		right = *(const double *) b;

	return (left > right) - (left < right);
}

/* What holds of any result. */
static void
check_result(const L4Period *result, const double *times, int64 count)
{
	fuzz_require(result->period > 0.0 && isfinite(result->period));
	fuzz_require(result->share > 0.0 && result->share <= 1.0);
	fuzz_require(result->phase >= 0.0 && result->phase <= result->period);
	fuzz_require(result->missing >= 0.0 && result->missing < 1.0);
	fuzz_require(result->jitter >= 0.0 && result->jitter <= 0.25);
	fuzz_require(result->pauses >= 0 && result->pauses < count);
}

/* Input: a period, then how many of four events each byte lets come, one of them always: no period has more of both. */
static void
clock_that_skips(L4Bytes input)
{
	double		period = pow(2.0, (int) fuzz_byte(&input) - 128) * (1.0 + fuzz_byte(&input) / 256.0);
	double		times[EVENTS + 4];
	int			count = 0;
	int			tick = 0;
	L4Period	result;

	while (count < EVENTS && input.size > 0)
	{
		int			skipped = (int) fuzz_byte(&input) % 5;

		/* a skip now and then */
		tick += skipped == 4 ? 2 : 1;
		times[count++] = period * tick;
	}
	/* what goes by a rule, such as every other event, may be taken for another period */
	if (count < 20 || tick > count + count / 4)
		return;
	fuzz_require(period_find(times, count, &result));
	check_result(&result, times, count);
	fuzz_require(fabs(result.period / period - 1.0) < 1e-6 && result.share == 1.0 && result.jitter < 1e-6);
}

/* Any times: nothing goes wrong, and half the times have half the period. */
static void
any_times(L4Bytes input)
{
	int64		count = input.size / sizeof(double);
	double	   *times = palloc(count * sizeof(double) + 1);
	L4Period	result;
	L4Period	half;
	bool		found;

	memcpy(times, input.data, count * sizeof(double));
	for (int64 i = 0; i < count; i++)
		if (!isfinite(times[i]) || fabs(times[i]) < 1e-290)
			times[i] = fmod(i * 1e5, 7.0);
	qsort(times, count, sizeof(double), compare_doubles);
	found = period_find(times, count, &result);
	for (int64 i = 0; i < count; i++)
		times[i] *= 0.5;
	fuzz_require(period_find(times, count, &half) == found);
	if (!found)
		return;
	check_result(&result, times, count);
	fuzz_require(half.share == result.share && half.jitter == result.jitter && half.missing == result.missing);
	fuzz_require(fabs(half.period * 2.0 / result.period - 1.0) < 1e-9);
}

/* Small whole numbers of bytes: many that are equal, and many periods at once. */
static void
small_times(L4Bytes input)
{
	double		times[EVENTS];
	double		at = 0.0;
	int			count = 0;
	L4Period	result;

	while (count < EVENTS && input.size > 0)
		times[count++] = at += fuzz_byte(&input) % 32 / 4.0;
	if (period_find(times, count, &result))
		check_result(&result, times, count);
}

void
fuzz_period(L4Bytes input)
{
	clock_that_skips(input);
	any_times(input);
	small_times(input);
}
