/*
 * online_change_points.h: where the level or the noise of a series changes, said as soon as it is certain: one value at a time,
 * in small memory, so that one process can follow thousands of series.
 *
 * One model serves any number of series:
 *
 *   online_model_init(&model, ...);
 *   online_series_init(&series, context);
 *   for each value:
 *       if (online_series_step(&series, &model, value, &change))
 *           ... the change before the last one found is settled: change tells it
 *       if (series.found)
 *           ... the series is in a new run, which began at online_series_place(&series); found just now: found_at == count
 *   if (online_series_finish(&series, &change))
 *       ... the last one
 */
#ifndef L4_ONLINE_CHANGE_POINTS_H
#define L4_ONLINE_CHANGE_POINTS_H

#include "ground/l4.h"
#include "utils/palloc.h"

/* A run ends with one value of so many where the caller does not know better (Adams, MacKay 2007). */
#define ONLINE_HAZARD (1.0 / 250.0)

/* A change is found when it is as likely as this that there was one. */
#define ONLINE_CERTAIN 0.95

/*
 * A beginning of the run that is less likely than this share of what it was with its first value, had that been no news, is not
 * followed on; nor are more beginnings at once than this. For changes of 4 times the noise 16 find the same as any number,
 * for those of twice the noise 32 nearly so.
 */
#define ONLINE_LEAST 0.01
#define ONLINE_MOST 32

/* What depends on the number of values of a run alone is kept for runs up to this. */
#define ONLINE_TABLE 512

/* How values come about. Not changed once it is made. */
typedef struct L4OnlineModel
{
	double		center;
	double		noise;
	double		level_weight;	/* what is known of the level of a run before its first value, in values */
	double		log_hazard;
	double		log_growth;		/* of 1 - hazard */
	double		log_least;
	int32		most;
	double		terms[ONLINE_TABLE];	/* of the density of the next value, by the number of values before it */
} L4OnlineModel;

/* A place where the present run may have begun. */
typedef struct L4OnlineRun
{
	int64		start;			/* its first value, counted from 1 */
	int64		before;			/* where the run before it most likely began; 0: there is none */
	double		log_probability;	/* that it began here, of all that is followed */
	double		probability;
	double		mean;			/* of its level, as known by now, in units of noise off the center */
	double		squares;		/* of its noise: the second parameter of the inverse gamma distribution */
	double		log_squares;
} L4OnlineRun;

typedef struct L4OnlineChange
{
	int64		at;				/* the first value of the new run, counted from 1 */
	int64		found_at;		/* the value from which on it was certain that there was a change; at or later */
	double		probability;	/* how certain it was then */
	double		before;			/* means of the values since the change before and up to the next one; set by */
	double		after;			/* online_change_points alone */
} L4OnlineChange;

/* A series. 100 bytes, and 56 for each run that is followed. */
typedef struct L4OnlineSeries
{
	MemoryContext context;
	int64		count;			/* values so far */
	int64		settled;		/* where the last run began whose beginning is settled */
	bool		found;			/* is it certain that there was a change since then? if so, since when, and how likely then: */
	int64		found_at;
	double		probability;
	int32		likeliest;		/* of the runs */
	int32		run_count;
	int32		run_capacity;
	L4OnlineRun *runs;			/* by start */
} L4OnlineSeries;

/*
 * A model of series whose runs end with a value by the probability hazard (more than 0, less than 1), with levels that spread
 * about center by spread, and values that deviate from their level by noise (both more than 0, finite; all three in the unit of
 * the values). least and most: as ONLINE_LEAST and ONLINE_MOST, of which a caller with many series may want fewer.
 */
extern void online_model_init(L4OnlineModel *model, double hazard, double center, double noise, double spread, double least,
							  int32 most);

/* A series without values, whose memory comes from the context; pfree(series->runs) gives it back. */
extern void online_series_init(L4OnlineSeries *series, MemoryContext context);

/*
 * Takes the next value, which must be finite. True where that settles a change: the one found before the last, of which nothing
 * that comes can change the place any more. Some 40 nanoseconds for each run followed.
 */
extern bool online_series_step(L4OnlineSeries *series, const L4OnlineModel *model, double value, L4OnlineChange *settled);

/* Where the last run began, as far as is known by now. */
extern int64 online_series_place(const L4OnlineSeries *series);

/* The change that was found last, if it is not settled. */
extern bool online_series_finish(const L4OnlineSeries *series, L4OnlineChange *change);

/*
 * All changes of a series of finite values, in order; *found is their number. Center, noise and spread are taken from the
 * values: the median; from the differences of neighbours; and half of what lies between the 5th and 95th percentile. Values
 * multiplied or shifted have their changes at the same places. Time O(n log n) for the order of the values and O(n) for the
 * rest, memory as online_change_points_memory says; can be cancelled.
 */
extern L4OnlineChange *online_change_points(const double *values, int64 count, double hazard, int64 *found);

/* Bytes that online_change_points allocates at most for so many values. */
extern uint64 online_change_points_memory(int64 count);

#endif							/* L4_ONLINE_CHANGE_POINTS_H */
