/*
 * target_online_changes.c: online change points against the sums that they stand for, and on any numbers.
 */
#include "fuzz.h"

#include <math.h>

#include "algorithms/online_change_points.h"

#define LENGTH_LIMIT 80

/* The log of the likelihood of values, all of one run, in units of noise off the center. */
static double
run_likelihood(const double *values, int n, double level_weight)
{
	double		sum = 0.0;
	double		squares = 0.0;

	for (int i = 0; i < n; i++)
	{
		sum += values[i];
		squares += values[i] * values[i];
	}
	squares -= sum * sum / (level_weight + n);
	return lgamma(1.0 + n / 2.0) - (1.0 + n / 2.0) * log(1.0 + squares / 2.0) + log(level_weight / (level_weight + n)) / 2.0 -
		n / 2.0 * log(2.0 * M_PI);
}

/* Where none is given up, each beginning is as likely as all that may have been before it and the values behind it make it. */
static void
compare_all(const double *values, int count, const L4OnlineModel *model)
{
	double		reached[LENGTH_LIMIT];	/* likelihood of the values before, in logs */
	double		likely[LENGTH_LIMIT];
	L4OnlineSeries series;
	L4OnlineChange change;

	online_series_init(&series, CurrentMemoryContext);
	for (int t = 0; t < count; t++)
	{
		double		largest = -INFINITY;
		double		sum = 0.0;

		online_series_step(&series, model, values[t], &change);
		fuzz_require(series.run_count == t + 1);
		for (int s = 0; s <= t; s++)
		{
			likely[s] = (s == 0 ? 0.0 : reached[s - 1] + model->log_hazard) + (t - s) * model->log_growth +
				run_likelihood(values + s, t - s + 1, model->level_weight);
			largest = Max(largest, likely[s]);
		}
		for (int s = 0; s <= t; s++)
			sum += exp(likely[s] - largest);
		reached[t] = largest + log(sum);
		for (int s = 0; s <= t; s++)
			fuzz_require(fabs(series.runs[s].probability - exp(likely[s] - reached[t])) < 1e-6);
	}
}

/* What holds of any changes, and of the means beside them. */
static void
check_changes(const L4OnlineChange *changes, int64 found, const double *values, int64 count)
{
	for (int64 i = 0; i < found; i++)
	{
		int64		before = i == 0 ? 1 : changes[i - 1].at;
		double		least = INFINITY;
		double		most = -INFINITY;
		double		tolerance;

		fuzz_require(changes[i].at > before && changes[i].at <= changes[i].found_at && changes[i].found_at <= count);
		fuzz_require(changes[i].probability >= ONLINE_CERTAIN && changes[i].probability < 1.0 + 1e-9);
		fuzz_require(i == 0 || changes[i].before == changes[i - 1].after);
		for (int64 k = before; k < changes[i].at; k++)
		{
			least = Min(least, values[k - 1]);
			most = Max(most, values[k - 1]);
		}
		tolerance = Max(fabs(least), fabs(most)) * 1e-9;
		fuzz_require(changes[i].before >= least - tolerance && changes[i].before <= most + tolerance);
	}
}

/* Input: a hazard, then numbers of a byte each, small enough that sums of squares are exact enough. */
static void
online_small(L4Bytes input)
{
	double		hazard = (fuzz_byte(&input) + 1) / 300.0;
	double		spread = 1.0 + fuzz_byte(&input) / 16.0;
	double		values[LENGTH_LIMIT];
	int			count = 0;
	L4OnlineModel model;

	online_model_init(&model, hazard, 0.0, 1.0, spread, 0.0, LENGTH_LIMIT + 1);
	while (input.size > 0 && count < LENGTH_LIMIT)
		values[count++] = ((int) fuzz_byte(&input) - 128) / 8.0;
	compare_all(values, count, &model);
}

/* Any finite numbers: nothing goes wrong, and twice the numbers have the same changes. */
static void
online_any(L4Bytes input)
{
	int64		count = input.size / sizeof(double);
	double	   *values = palloc(count * sizeof(double) + 1);
	L4OnlineChange *changes;
	L4OnlineChange *twice;
	int64		found;
	int64		found_twice;

	memcpy(values, input.data, count * sizeof(double));
	for (int64 i = 0; i < count; i++)
		if (!isfinite(values[i]) || fabs(values[i]) < 1e-290)
			values[i] = fmod(i * 1e5, 7.0);
	changes = online_change_points(values, count, ONLINE_HAZARD, &found);
	check_changes(changes, found, values, count);
	for (int64 i = 0; i < count; i++)
		values[i] *= 0.5;
	twice = online_change_points(values, count, ONLINE_HAZARD, &found_twice);
	fuzz_require(found == found_twice);
	for (int64 i = 0; i < found; i++)
		fuzz_require(twice[i].at == changes[i].at && twice[i].found_at == changes[i].found_at &&
			twice[i].probability == changes[i].probability);
}

void
fuzz_online_changes(L4Bytes input)
{
	L4Bytes		copy = fuzz_copy(input);

	online_small(input);
	online_any(copy);
}
