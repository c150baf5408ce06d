/*
 * robust.c: order statistics with implicit numbers, so that a sparse column costs what it stores.
 */
#include "algorithms/robust.h"

#include <math.h>

#include "tools/order.h"

void
robust_sort(L4Robust *numbers, int64 implicit, double implicit_value)
{
	sort_doubles(numbers->sorted, numbers->count);
	numbers->implicit = implicit;
	numbers->implicit_value = implicit_value;
	numbers->before = 0;
	while (numbers->before < numbers->count && numbers->sorted[numbers->before] < implicit_value)
		numbers->before++;
}

double
robust_at(const L4Robust *numbers, int64 index)
{
	if (index < numbers->before)
		return numbers->sorted[index];
	if (index < numbers->before + numbers->implicit)
		return numbers->implicit_value;
	return numbers->sorted[index - numbers->implicit];
}

double
robust_median(const L4Robust *numbers)
{
	int64		n = numbers->count + numbers->implicit;

	/* halves first: the sum may overflow */
	return 0.5 * robust_at(numbers, (n - 1) / 2) + 0.5 * robust_at(numbers, n / 2);
}

double
robust_upper_median(double *numbers, int64 count)
{
	return count > 0 ? select_double(numbers, count, count / 2) : 0;
}

double
robust_root_mean_square(const L4Robust *numbers, int64 kept)
{
	int64		before = Min(kept, numbers->before);
	int64		implicit = Min(kept - before, numbers->implicit);
	double		sum = (double) implicit * numbers->implicit_value * numbers->implicit_value;

	for (int64 i = 0; i < kept - implicit; i++)
		sum += numbers->sorted[i] * numbers->sorted[i];
	return sqrt(sum / (double) kept);
}

int
robust_exponent(const double *numbers, int64 count)
{
	double		largest = 0.0;
	int			exponent;

	for (int64 i = 0; i < count; i++)
		largest = Max(largest, fabs(numbers[i]));
	frexp(largest, &exponent);
	return exponent;
}
