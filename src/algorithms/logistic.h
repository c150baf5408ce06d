/*
 * logistic.h: logistic regression with a ridge penalty and, where wanted, coefficients that must not be negative.
 *
 * The penalty is at least a little, so the fit is the one minimum of a strictly convex function: it exists for any data, is the
 * same whatever the start, and few rows leave the coefficients near the ones they are pulled to.
 */
#ifndef L4_LOGISTIC_H
#define L4_LOGISTIC_H

#include "ground/l4.h"

#define LOGISTIC_MAX_COLUMNS 64

typedef struct L4LogisticInput
{
	int			row_count;
	int			column_count;	/* 1 to LOGISTIC_MAX_COLUMNS; an intercept is a column of ones */
	const double *values;		/* row by row; finite */
	const bool *outcomes;		/* of the rows */
	const double *weights;		/* of the rows, not negative; NULL: 1 each */
	const double *prior;		/* the coefficients that the penalty pulls to, as these are bounded too; NULL: 0 */
	const bool *bounded;		/* is the coefficient not to be negative? NULL: none is bounded */
	double		penalty;		/* > 0: half of it times the squared distance from the prior is added to the loss */
} L4LogisticInput;

/* 1 / (1 + exp(-x)), without overflow. */
extern double logistic_value(double x);

/*
 * Writes the coefficients (column_count) with the least sum of weight * -log(probability of the outcome), plus the penalty.
 * Deterministic in the order of the rows. Time about rows * columns^2 for each of some ten steps; memory of a few columns^2.
 */
extern void logistic_fit(const L4LogisticInput *input, double *coefficients);

#endif							/* L4_LOGISTIC_H */
