/*
 * value_number.c: the number that the value of a parameter is.
 */
#include "algorithms/value_number.h"

#include <float.h>

#include "tools/bytes.h"

/* Has a long double the 64 bits of the x87, the lowest of them first in memory? */
#if defined(__x86_64__) && LDBL_MANT_DIG == 64
#define HAS_EXTENDED_NUMBERS 1
#endif

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

#ifdef HAS_EXTENDED_NUMBERS
/* The bits of an extended number that a double has not, and what they are midway between two doubles. */
#define EXTENDED_REST 0x7ff
#define EXTENDED_MIDWAY 0x400

/*
 * The same for digits that 64 bits hold, as floating-point numbers printed in full have: one rounding to an extended number,
 * one to a double. Rounding twice goes wrong only where the first leads midway between two doubles: that is left to strtod.
 */
static bool
extended_number(uint64 digits, int exponent, double *number)
{
	static const long double powers[] = {
		1e0L, 1e1L, 1e2L, 1e3L, 1e4L, 1e5L, 1e6L, 1e7L, 1e8L, 1e9L, 1e10L, 1e11L, 1e12L, 1e13L,
		1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L
	};
	long double wide;
	uint64		mantissa;

	if (digits > PG_INT64_MAX || exponent < -27 || exponent > 27)
		return false;
	wide = exponent < 0 ? (long double) (int64) digits / powers[-exponent] : (long double) (int64) digits * powers[exponent];
	memcpy(&mantissa, &wide, sizeof(mantissa));
	*number = (double) wide;
	return (mantissa & EXTENDED_REST) != EXTENDED_MIDWAY;
}
#else
static inline bool
extended_number(uint64 digits, int exponent, double *number)
{
	return false;
}
#endif

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
	if (whole + fraction > 18 ||
		(!exact_number(digits, exponent - fraction, number) && !extended_number(digits, exponent - fraction, number)))
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
