/*
 * value_number.c: the number that the value of a parameter is.
 */
#include "algorithms/value_number.h"

#include "tools/bytes.h"

static inline bool
is_unit(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '%';
}

/*
 * Digits as a number that a double holds exactly, times a power of ten that it does: correctly rounded (Clinger, PLDI 1990).
 * Anything else is left to strtod.
 */
static bool
exact_number(uint64 digits, int exponent, double *number)
{
	static const double powers[] = {
		1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22
	};

	if (digits > (UINT64CONST(1) << 53) || exponent < -22 || exponent > 22)
		return false;
	*number = exponent < 0 ? (double) digits / powers[-exponent] : (double) digits * powers[exponent];
	return true;
}

/* Reads up to most digits; returns how many there are. */
static int
take_digits(const char **at, const char *end, int most, uint64 *digits)
{
	int			count = 0;

	while (*at < end && count < most && is_digit(**at))
	{
		*digits = *digits * 10 + (uint64) (**at - '0');
		(*at)++;
		count++;
	}
	return count;
}

/* Reads an exponent if one stands here. */
static int
take_exponent(const char **at, const char *end)
{
	const char *p = *at;
	bool		negative = false;
	uint64		exponent = 0;

	if (end - p < 2 || (*p != 'e' && *p != 'E'))
		return 0;
	p++;
	if (*p == '-' || *p == '+')
		negative = *p++ == '-';
	if (take_digits(&p, end, 2, &exponent) == 0)
		return 0;
	*at = p;
	return negative ? -(int) exponent : (int) exponent;
}

bool
value_number(L4Bytes value, double *number)
{
	const char *at = value.data;
	const char *end = value.data + value.size;
	const char *stop;
	bool		negative = false;
	uint64		digits = 0;
	int			fraction = 0;
	int			whole;
	int			exponent;

	if (value.size == 0 || value.size > 42)
		return false;
	if (*at == '-' || *at == '+')
		negative = *at++ == '-';
	whole = take_digits(&at, end, 15, &digits);
	if (whole == 0)
		return false;
	if (end - at >= 2 && at[0] == '.' && is_digit(at[1]))
	{
		at++;
		fraction = take_digits(&at, end, 18, &digits);
	}
	exponent = take_exponent(&at, end);
	stop = at;
	while (at < end && at - stop < 3 && is_unit(*at))
		at++;
	if (at != end)
		return false;
	if (whole + fraction > 18 || !exact_number(digits, exponent - fraction, number))
	{
		char		copy[48];

		memcpy(copy, value.data, stop - value.data);
		copy[stop - value.data] = '\0';
		*number = strtod(copy, NULL);
		return true;
	}
	if (negative)
		*number = -*number;
	return true;
}
