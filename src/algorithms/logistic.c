/*
 * logistic.c: Newton's method with a line search. Each step minimises the quadratic model under the bounds by coordinate
 * descent, which for so few columns is quick, and so goes downhill whichever bounds hold (proximal Newton; Lee, Sun,
 * Saunders, SIAM J. Optim. 2014).
 */
#include "algorithms/logistic.h"

#include <math.h>

#include "miscadmin.h"

#define MAX_STEPS 200
#define MAX_SWEEPS 10000
#define MAX_HALVINGS 60
#define ENOUGH 1e-4				/* the part of the expected gain that a step must bring (Armijo) */
#define NEXT_TO_NOTHING 1e-15	/* what is left to gain, or the change of a coefficient, when it is done */

/* The quadratic model at the present coefficients. */
typedef struct Model
{
	double		loss;
	double	   *gradient;		/* columns */
	double	   *curvature;		/* columns x columns */
} Model;

double
logistic_value(double x)
{
	return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

/* -log(logistic_value(x)), without overflow. */
static double
log_loss(double x)
{
	return x >= 0 ? log1p(exp(-x)) : log1p(exp(x)) - x;
}

static double
row_sum(const L4LogisticInput *input, int row, const double *coefficients)
{
	const double *values = input->values + (Size) row * input->column_count;
	double		sum = 0;

	for (int j = 0; j < input->column_count; j++)
		sum += values[j] * coefficients[j];
	return sum;
}

static double
row_weight(const L4LogisticInput *input, int row)
{
	return input->weights ? input->weights[row] : 1;
}

static double
prior_of(const L4LogisticInput *input, int column)
{
	return input->prior ? input->prior[column] : 0;
}

static bool
is_bounded(const L4LogisticInput *input, int column)
{
	return input->bounded && input->bounded[column];
}

/* What is to be minimised. */
static double
loss_at(const L4LogisticInput *input, const double *coefficients)
{
	double		loss = 0;

	for (int i = 0; i < input->row_count; i++)
	{
		double		sum = row_sum(input, i, coefficients);

		loss += row_weight(input, i) * log_loss(input->outcomes[i] ? sum : -sum);
	}
	for (int j = 0; j < input->column_count; j++)
	{
		double		distance = coefficients[j] - prior_of(input, j);

		loss += input->penalty / 2 * distance * distance;
	}
	return loss;
}

/* Adds what a row contributes to gradient and curvature. */
static void
model_add_row(const L4LogisticInput *input, int row, const double *coefficients, Model *model)
{
	int			columns = input->column_count;
	const double *values = input->values + (Size) row * columns;
	double		p = logistic_value(row_sum(input, row, coefficients));
	double		slope = row_weight(input, row) * (p - (input->outcomes[row] ? 1 : 0));
	double		bend = row_weight(input, row) * p * (1 - p);

	for (int j = 0; j < columns; j++)
	{
		model->gradient[j] += slope * values[j];
		for (int k = 0; k < columns; k++)
			model->curvature[j * columns + k] += bend * values[j] * values[k];
	}
}

static void
model_make(const L4LogisticInput *input, const double *coefficients, Model *model)
{
	int			columns = input->column_count;

	memset(model->curvature, 0, sizeof(double) * columns * columns);
	for (int j = 0; j < columns; j++)
	{
		model->gradient[j] = input->penalty * (coefficients[j] - prior_of(input, j));
		model->curvature[j * columns + j] = input->penalty;
	}
	for (int i = 0; i < input->row_count; i++)
	{
		if (i % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		model_add_row(input, i, coefficients, model);
	}
	model->loss = loss_at(input, coefficients);
}

/* The best change of one coefficient, the others as they are; returns by how much that differs from the change before. */
static double
step_improve(const L4LogisticInput *input, const double *coefficients, const Model *model, double *step, int column)
{
	const double *curvature = model->curvature + (Size) column * input->column_count;
	double		slope = model->gradient[column];
	double		before = step[column];

	for (int k = 0; k < input->column_count; k++)
		slope += curvature[k] * step[k];
	step[column] = before - slope / curvature[column];
	if (is_bounded(input, column))
		step[column] = Max(step[column], -coefficients[column]);
	return fabs(step[column] - before);
}

/* The step to the minimum of the model under the bounds; returns the (negative) slope of the loss along it. */
static double
step_make(const L4LogisticInput *input, const double *coefficients, const Model *model, double *step)
{
	double		slope = 0;

	memset(step, 0, sizeof(double) * input->column_count);
	for (int sweep = 0; sweep < MAX_SWEEPS; sweep++)
	{
		double		change = 0;

		for (int j = 0; j < input->column_count; j++)
			change = Max(change, step_improve(input, coefficients, model, step, j));
		if (change <= NEXT_TO_NOTHING)
			break;
	}
	for (int j = 0; j < input->column_count; j++)
		slope += model->gradient[j] * step[j];
	return slope;
}

/* Goes along the step as far as it pays; false where it does not. */
static bool
step_take(const L4LogisticInput *input, double *coefficients, double loss, const double *step, double slope)
{
	double		tried[LOGISTIC_MAX_COLUMNS];
	double		part = 1;

	for (int halving = 0; halving < MAX_HALVINGS; halving++, part /= 2)
	{
		for (int j = 0; j < input->column_count; j++)
			tried[j] = coefficients[j] + part * step[j];
		if (loss_at(input, tried) <= loss + ENOUGH * part * slope)
		{
			memcpy(coefficients, tried, sizeof(double) * input->column_count);
			return true;
		}
	}
	return false;
}

void
logistic_fit(const L4LogisticInput *input, double *coefficients)
{
	double		gradient[LOGISTIC_MAX_COLUMNS];
	double		step[LOGISTIC_MAX_COLUMNS];
	Model		model = {0, gradient, palloc(sizeof(double) * input->column_count * input->column_count)};

	for (int j = 0; j < input->column_count; j++)
		coefficients[j] = is_bounded(input, j) ? Max(prior_of(input, j), 0) : prior_of(input, j);
	for (int i = 0; i < MAX_STEPS; i++)
	{
		double		slope;

		model_make(input, coefficients, &model);
		slope = step_make(input, coefficients, &model, step);
		if (slope >= -NEXT_TO_NOTHING * (1 + fabs(model.loss)) ||
			!step_take(input, coefficients, model.loss, step, slope))
			break;
	}
	pfree(model.curvature);
}
