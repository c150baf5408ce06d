/*
 * online_change_points.c: Bayesian online change-point detection (Adams, MacKay, arXiv 0710.3742).
 *
 * A series is a chain of runs. In a run values are normal about a level, with a noise of its own; both are unknown, and what
 * is known of them before the first value is a normal-inverse-gamma distribution, so that the next value of a run has a
 * Student distribution. A run ends with each value by the same probability (hazard). By Bayes each value tells how likely the
 * present run began at each place before; places that have become unlikely are given up.
 *
 * What is known before (the prior) is taken from the whole series where there is one (online_change_points): in another unit
 * the same comes out, and where few values have come yet nothing stands on these few. Two scales are needed, as with one alone
 * either small changes among large ones are lost or noise is taken for changes: that of the noise from the differences of
 * neighbours, which changes hardly touch as long as they are few, and that of levels from the percentiles of the values, which
 * single ones far off do not touch. A caller that follows a series as it comes says them.
 */
#include "algorithms/online_change_points.h"

#include <float.h>
#include <math.h>

#include "algorithms/robust.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/*
 * The first parameter of the inverse gamma distribution of a run's noise, the second being the same: half the number of values
 * that what is known before is worth. So few that noise may differ from run to run by a factor.
 */
#define NOISE_WEIGHT 1.0

/* A level known before is worth at most so much of a value: else runs far off their neighbours take long to be believed. */
#define MOST_LEVEL_WEIGHT 0.01

/* The spread of levels is half of what lies between this percentile and its opposite. */
#define PERCENTILE 0.05

/* What is farther from the center, in units of noise, is as far as this: squares stay finite. */
#define FARTHEST 1e100

#define FIRST_RUNS 4

/* How many values come between two looks for a cancel. */
#define INTERRUPT_EVERY 1024

/* ---- model ---- */

/* log(gamma(x + 1/2) / gamma(x)) */
static double
log_gamma_step(double x)
{
	double		r = 1.0 / x;

	if (x < 32.0)
		return lgamma(x + 0.5) - lgamma(x);
	/* Tricomi, Erdelyi, Pacific Journal of Mathematics 1951 */
	return 0.5 * log(x) - r / 8.0 + r * r * r / 192.0 - r * r * r * r * r / 640.0;
}

/* What the density of the next value of a run has by the number of its values alone. */
static double
density_term(double level_weight, double n)
{
	return log_gamma_step(NOISE_WEIGHT + 0.5 * n) - 0.5 * log1p(1.0 / (level_weight + n)) - 0.5 * log(2.0 * M_PI);
}

void
online_model_init(L4OnlineModel *model, double hazard, double center, double noise, double spread, double least, int32 most)
{
	double		ratio = noise / spread;

	model->center = center;
	model->noise = noise;
	model->level_weight = Max(Min(ratio * ratio, MOST_LEVEL_WEIGHT), 1e-200);
	model->log_hazard = log(hazard);
	model->log_growth = log1p(-hazard);
	/* of how likely a run is that has begun with a value of no news */
	model->log_least = log(least) + model->log_hazard + 0.5 * log(model->level_weight);
	model->most = most;
	for (int i = 0; i < ONLINE_TABLE; i++)
		model->terms[i] = density_term(model->level_weight, i);
}

/* A value in units of noise off the center. */
static double
standardized(const L4OnlineModel *model, double value)
{
	double		off = value - model->center;
	double		units = isinf(off) ? (0.5 * value - 0.5 * model->center) / model->noise * 2.0 : off / model->noise;

	return Max(Min(units, FARTHEST), -FARTHEST);
}

/* ---- runs ---- */

/* Takes the next value into a run of n values; returns the log of its density there. */
static inline double
run_take(L4OnlineRun *run, const L4OnlineModel *model, int64 n, double value)
{
	double		weight = model->level_weight + (double) n;
	double		term = n < ONLINE_TABLE ? model->terms[n] : density_term(model->level_weight, (double) n);
	double		off = value - run->mean;
	double		step = off / (weight + 1.0);
	double		more = 0.5 * off * weight * step;
	double		log_ratio = log(1.0 + more / run->squares);
	double		density = term - 0.5 * run->log_squares - (NOISE_WEIGHT + 0.5 * (double) n + 0.5) * log_ratio;

	run->mean += step;
	run->squares += more;
	run->log_squares += log_ratio;
	return density;
}

static void
runs_reserve(L4OnlineSeries *series)
{
	if (series->run_count < series->run_capacity)
		return;
	series->run_capacity = series->run_capacity == 0 ? FIRST_RUNS : series->run_capacity * 2;
	series->runs = series->runs == NULL
		? MemoryContextAllocHuge(series->context, (Size) series->run_capacity * sizeof(L4OnlineRun))
		: repalloc_huge(series->runs, (Size) series->run_capacity * sizeof(L4OnlineRun));
}

/* A run that begins with the value that is next. */
static void
run_begin(L4OnlineSeries *series, double log_probability)
{
	L4OnlineRun *run;

	runs_reserve(series);
	run = &series->runs[series->run_count];
	run->start = series->count + 1;
	run->before = series->count == 0 ? 0 : series->runs[series->likeliest].start;
	run->log_probability = log_probability;
	run->mean = 0.0;
	run->squares = NOISE_WEIGHT;
	run->log_squares = log(NOISE_WEIGHT);
	series->run_count++;
}

/* Makes the probabilities of all runs 1 together, and notes the likeliest: of equal ones the first. */
static void
runs_normalize(L4OnlineSeries *series)
{
	double		largest = -INFINITY;
	double		sum = 0.0;
	double		shift;

	for (int32 i = 0; i < series->run_count; i++)
	{
		if (series->runs[i].log_probability > largest)
		{
			largest = series->runs[i].log_probability;
			series->likeliest = i;
		}
	}
	for (int32 i = 0; i < series->run_count; i++)
	{
		series->runs[i].probability = exp(series->runs[i].log_probability - largest);
		sum += series->runs[i].probability;
	}
	shift = largest + log(sum);
	for (int32 i = 0; i < series->run_count; i++)
	{
		series->runs[i].log_probability -= shift;
		series->runs[i].probability /= sum;
	}
}

/* Gives up runs that are less likely than the limit, and of too many the least likely one. */
static void
runs_prune(L4OnlineSeries *series, const L4OnlineModel *model)
{
	double		limit = model->log_least;
	int32		kept = 0;

	if (series->run_count > model->most)
	{
		double		least = INFINITY;

		for (int32 i = 0; i < series->run_count; i++)
			least = Min(least, series->runs[i].log_probability);
		limit = Max(limit, least);
	}
	for (int32 i = 0; i < series->run_count; i++)
	{
		if (series->runs[i].log_probability <= limit && i != series->likeliest)
			continue;
		if (i == series->likeliest)
			series->likeliest = kept;
		series->runs[kept++] = series->runs[i];
	}
	series->run_count = kept;
}

/* ---- changes ---- */

/* Where a run begins that is the next one to that which is settled: the likeliest such place, or 0. */
static int64
next_place(const L4OnlineSeries *series)
{
	const L4OnlineRun *best = NULL;

	for (int32 i = 0; i < series->run_count; i++)
	{
		const L4OnlineRun *run = &series->runs[i];

		if (run->start > series->settled && run->before <= series->settled &&
			(best == NULL || run->log_probability > best->log_probability))
			best = run;
	}
	return best == NULL ? 0 : best->start;
}

int64
online_series_place(const L4OnlineSeries *series)
{
	int64		place = series->found ? next_place(series) : series->settled;

	return place == 0 ? series->runs[series->likeliest].before : place;
}

static void
change_find(L4OnlineSeries *series, double probability)
{
	series->found = true;
	series->found_at = series->count;
	series->probability = probability;
}

/* The change that was found, at a place; which can only be behind where it was found if it was certain there too. */
static L4OnlineChange
change_found(const L4OnlineSeries *series, int64 at)
{
	return (L4OnlineChange) {at, Max(series->found_at, at), series->probability, 0.0, 0.0};
}

/*
 * What is certain by now. A run that begins behind the settled one is the next if the run before it is the settled one, else
 * the one after the next. Where it is certain that there is one after the next, the next is settled, where that one says.
 */
static bool
changes_decide(L4OnlineSeries *series, L4OnlineChange *settled)
{
	const L4OnlineRun *best = NULL;
	double		later = 0.0;
	double		after_next = 0.0;

	for (int32 i = 0; i < series->run_count; i++)
	{
		const L4OnlineRun *run = &series->runs[i];

		if (run->start <= series->settled)
			continue;
		later += run->probability;
		if (run->before <= series->settled)
			continue;
		after_next += run->probability;
		if (best == NULL || run->log_probability > best->log_probability)
			best = run;
	}
	if (later < ONLINE_CERTAIN)
		series->found = false;
	else if (!series->found)
		change_find(series, later);
	if (after_next < ONLINE_CERTAIN)
		return false;
	*settled = change_found(series, best->before);
	series->settled = best->before;
	change_find(series, after_next);
	return true;
}

/* ---- series ---- */

void
online_series_init(L4OnlineSeries *series, MemoryContext context)
{
	memset(series, 0, sizeof(L4OnlineSeries));
	series->context = context;
	series->settled = 1;
}

bool
online_series_step(L4OnlineSeries *series, const L4OnlineModel *model, double value, L4OnlineChange *settled)
{
	double		units = standardized(model, value);

	for (int32 i = 0; i < series->run_count; i++)
		series->runs[i].log_probability += model->log_growth;
	run_begin(series, series->count == 0 ? 0.0 : model->log_hazard);
	for (int32 i = 0; i < series->run_count; i++)
	{
		L4OnlineRun *run = &series->runs[i];

		run->log_probability += run_take(run, model, series->count + 1 - run->start, units);
	}
	series->count++;
	runs_normalize(series);
	runs_prune(series, model);
	return changes_decide(series, settled);
}

bool
online_series_finish(const L4OnlineSeries *series, L4OnlineChange *change)
{
	if (!series->found)
		return false;
	*change = change_found(series, online_series_place(series));
	return true;
}

/* ---- a whole series ---- */

uint64
online_change_points_memory(int64 count)
{
	return (uint64) count * (2 * sizeof(double) + 2 * sizeof(L4OnlineChange)) + sizeof(L4OnlineModel);
}

static double
mean_size(const double *numbers, int64 count)
{
	double		sum = 0.0;

	for (int64 i = 0; i < count; i++)
		sum += fabs(numbers[i]);
	return sum / (double) count;
}

/*
 * Center, noise and spread of values; false where they are all equal. Where more than half of the neighbours are equal, their
 * mean difference takes the place of the median: what changes there is.
 */
static bool
scales_of(const double *values, int64 count, double *center, double *noise, double *spread)
{
	L4Robust	order = {MemoryContextAllocHuge(CurrentMemoryContext, count * sizeof(double)), count};
	int64		beyond;

	for (int64 i = 1; i < count; i++)
		order.sorted[i - 1] = fabs(values[i] - values[i - 1]);
	order.count = count - 1;
	*noise = mean_size(order.sorted, count - 1) / M_SQRT2;
	robust_sort(&order, 0, 0.0);
	if (robust_median(&order) > 0.0)
		*noise = robust_median(&order) * ROBUST_MAD_TO_SD / M_SQRT2;
	memcpy(order.sorted, values, count * sizeof(double));
	order.count = count;
	robust_sort(&order, 0, 0.0);
	*center = robust_median(&order);
	beyond = (int64) (PERCENTILE * (double) count);
	*spread = Max(*noise, 0.5 * (robust_at(&order, count - 1 - beyond) - robust_at(&order, beyond)));
	pfree(order.sorted);
	return *noise > 0.0;
}

/* The mean of one value at least. What is added up lies off the first of them, so that the mean of equal ones is exact. */
static double
mean_of(const double *values, int64 count)
{
	int			exponent = robust_exponent(values, count);
	double		first = ldexp(values[0], -exponent);
	double		sum = 0.0;

	for (int64 i = 1; i < count; i++)
		sum += ldexp(values[i], -exponent) - first;
	/* rounded up, the largest number there is would be infinite */
	return Max(Min(ldexp(first + sum / (double) count, exponent), DBL_MAX), -DBL_MAX);
}

/* Means of the values between changes. */
static void
changes_means(L4OnlineChange *changes, int64 found, const double *values, int64 count)
{
	int64		start = 0;

	for (int64 i = 0; i <= found; i++)
	{
		int64		end = i == found ? count : changes[i].at - 1;
		double		mean = mean_of(values + start, end - start);

		if (i < found)
			changes[i].before = mean;
		if (i > 0)
			changes[i - 1].after = mean;
		start = end;
	}
}

static L4OnlineChange *
changes_of(const double *values, int64 count, const L4OnlineModel *model, int64 *found)
{
	int64		capacity = 16;
	L4OnlineChange *changes = palloc(capacity * sizeof(L4OnlineChange));
	L4OnlineSeries series;

	online_series_init(&series, CurrentMemoryContext);
	for (int64 i = 0; i < count; i++)
	{
		if (i % INTERRUPT_EVERY == 0)
			CHECK_FOR_INTERRUPTS();
		/* there is room for this one, and for that at the end */
		if (*found + 2 > capacity)
			changes = repalloc_huge(changes, (capacity *= 2) * sizeof(L4OnlineChange));
		*found += online_series_step(&series, model, values[i], &changes[*found]);
	}
	*found += online_series_finish(&series, &changes[*found]);
	pfree(series.runs);
	return changes;
}

L4OnlineChange *
online_change_points(const double *values, int64 count, double hazard, int64 *found)
{
	L4OnlineModel model;
	L4OnlineChange *changes;
	double	   *scaled;
	double		center;
	double		noise;
	double		spread;
	int			exponent;

	*found = 0;
	if (count < 2)
		return NULL;
	exponent = robust_exponent(values, count);
	scaled = MemoryContextAllocHuge(CurrentMemoryContext, count * sizeof(double));
	for (int64 i = 0; i < count; i++)
		scaled[i] = ldexp(values[i], -exponent);
	if (!scales_of(scaled, count, &center, &noise, &spread))
		return NULL;
	online_model_init(&model, hazard, center, noise, spread, ONLINE_LEAST, ONLINE_MOST);
	changes = changes_of(scaled, count, &model, found);
	changes_means(changes, *found, values, count);
	pfree(scaled);
	return changes;
}
