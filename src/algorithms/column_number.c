/*
 * column_number.c: texts that are alike but for their numbers, taken apart into numbers and put together again, byte by byte.
 *
 * The parameters at one place of a statement nearly always have one form: 4711, 0017, -3.25, 12ms, 10.20.0.16:6000, 6.02E+23.
 * The form is read off the first of them, the others are held against it, and what they have in common (leading zeros, digits
 * behind the point) is settled at the end. A text that does not fit, or would come back otherwise, ends the attempt: the column
 * then stays text.
 *
 * Programs that print a floating-point number as it is (Python, JSON) write up to 17 digits that are binary noise:
 * 8.13196849822998 is a single-precision number of 24 bits. Such numbers are kept as multiples of a power of two.
 */
#include "algorithms/column_number.h"

#include <math.h>

#include "algorithms/value_number.h"
#include "common/shortest_dec.h"
#include "port/pg_bitutils.h"
#include "tools/bytes.h"
#include "utils/builtins.h"

/* What the numbers at one place of the form have been like so far. */
typedef struct Seen
{
	bool		leading_zero;
	int			least_width;
	int			most_width;
	int			least_scale;
	int			most_scale;
	int			zero_scale;		/* the largest scale of a number that ends with a zero behind the point */
} Seen;

static const int64 powers_of_ten[] = {
	INT64CONST(1), INT64CONST(10), INT64CONST(100), INT64CONST(1000), INT64CONST(10000), INT64CONST(100000),
	INT64CONST(1000000),
	INT64CONST(10000000), INT64CONST(100000000), INT64CONST(1000000000), INT64CONST(10000000000), INT64CONST(100000000000),
	INT64CONST(1000000000000), INT64CONST(10000000000000), INT64CONST(100000000000000), INT64CONST(1000000000000000),
	INT64CONST(10000000000000000), INT64CONST(100000000000000000), INT64CONST(1000000000000000000)
};

/* Reads digits, at most so many that an int64 holds them. */
static inline bool
read_digits(const char **at, const char *end, uint64 *number, int *digits)
{
	const char *c = *at;

	while (c < end && is_digit(*c))
	{
		if (++*digits > L4_FORM_DIGITS)
			return false;
		*number = *number * 10 + (uint64) (*c++ - '0');
	}
	*at = c;
	return *number <= PG_INT64_MAX;
}

/* Reads one number and notes what it is like. scale: its digits behind the point. */
static inline bool
read_number(const char **at, const char *end, bool may_be_signed, bool with_point, int64 *number, int *scale, Seen *seen)
{
	bool		negative = may_be_signed && *at < end && **at == '-';
	const char *begin = *at += negative;
	uint64		magnitude = 0;
	int			digits = 0;

	if (!read_digits(at, end, &magnitude, &digits) || digits == 0)
		return false;
	seen->leading_zero |= digits > 1 && *begin == '0';
	seen->least_width = Min(seen->least_width, digits);
	seen->most_width = Max(seen->most_width, digits);
	*scale = 0;
	if (with_point && end - *at >= 2 && **at == '.' && is_digit((*at)[1]))
	{
		int			width = digits;

		++*at;
		if (!read_digits(at, end, &magnitude, &digits))
			return false;
		*scale = digits - width;
		if ((*at)[-1] == '0')
			seen->zero_scale = Max(seen->zero_scale, *scale);
	}
	seen->least_scale = Min(seen->least_scale, *scale);
	seen->most_scale = Max(seen->most_scale, *scale);
	if (negative && magnitude == 0)
		return false;
	*number = negative ? -(int64) magnitude : (int64) magnitude;
	return true;
}

/* Reads the places of the numbers, and the texts between them, off a text. */
static bool
form_of(L4NumberForm *form, L4Bytes text, bool with_points)
{
	const char *at = text.data;
	const char *end = at + text.size;
	const char *before = at;

	form->count = 0;
	if (text.size > L4_FORM_TEXT)
		return false;
	while (at < end)
	{
		Seen		seen = {0};
		int64		number;
		int			scale;

		if (!is_digit(*at) && !(at == text.data && *at == '-' && end - at > 1 && is_digit(at[1])))
		{
			at++;
			continue;
		}
		if (form->count == L4_FORM_NUMBERS)
			return false;
		form->numbers[form->count].before.data = before;
		form->numbers[form->count++].before.size = at - before;
		if (!read_number(&at, end, at == text.data, with_points, &number, &scale, &seen))
			return false;
		before = at;
	}
	form->after.data = before;
	form->after.size = end - before;
	return form->count > 0;
}

static inline bool
skip_text(const char **at, const char *end, L4Bytes text)
{
	if (text.size == 0)
		return true;
	if ((size_t) (end - *at) < text.size || memcmp(*at, text.data, text.size) != 0)
		return false;
	*at += text.size;
	return true;
}

/* Settles how the numbers at one place are written, and brings decimals to one scale. */
static bool
settle(L4Number *number, const Seen *seen, int64 *numbers, const uint8 *scales, int count)
{
	int			i;

	number->width = seen->leading_zero ? seen->least_width : 0;
	number->scale = seen->most_scale;
	number->least_scale = seen->least_scale;
	if (seen->leading_zero && seen->least_width != seen->most_width)
		return false;
	if (seen->least_scale == seen->most_scale)
		return true;
	if (seen->zero_scale > seen->least_scale || seen->most_width + seen->most_scale >= L4_FORM_DIGITS)
		return false;
	for (i = 0; i < count; i++)
		numbers[i] *= powers_of_ten[seen->most_scale - scales[i]];
	return true;
}

bool
number_form_find(L4NumberForm *form, const L4Bytes *values, int count, bool with_points, int64 *numbers)
{
	Seen		seen[L4_FORM_NUMBERS];
	uint8	   *scales;
	bool		fits;
	int			i;
	int			n;

	if (count == 0 || !form_of(form, values[0], with_points))
		return false;
	for (n = 0; n < form->count; n++)
		seen[n] = (Seen) {.least_width = PG_INT32_MAX, .least_scale = PG_INT32_MAX};
	scales = palloc(mul_size(count, form->count));
	fits = true;
	for (i = 0; i < count && fits; i++)
	{
		const char *at = values[i].data;
		const char *end = at + values[i].size;

		for (n = 0; n < form->count && fits; n++)
		{
			int			scale;

			fits = skip_text(&at, end, form->numbers[n].before) &&
				read_number(&at, end, n == 0 && form->numbers[0].before.size == 0, with_points, &numbers[n * count + i], &scale,
							&seen[n]);
			if (fits)
				scales[n * count + i] = (uint8) scale;
		}
		fits = fits && skip_text(&at, end, form->after) && at == end;
	}
	for (n = 0; n < form->count && fits; n++)
		fits = settle(&form->numbers[n], &seen[n], numbers + n * count, scales + n * count, count);
	pfree(scales);
	return fits;
}

/* One number of nothing but digits and a point before the last `scale` of them. */
static inline bool
read_plain(L4Bytes text, int scale, int64 *number)
{
	const char *at = text.data;
	const char *end = at + text.size;
	bool		negative = text.size > 0 && *at == '-';
	const char *point = end - (scale > 0 ? scale + 1 : 0);
	uint64		magnitude = 0;

	at += negative;
	if (point <= at || end - at > L4_FORM_DIGITS || (*at == '0' && point - at > 1) || (scale > 0 && *point != '.'))
		return false;
	for (; at < end; at++)
	{
		unsigned char digit = (unsigned char) (*at - '0');

		if (digit > 9)
		{
			if (at == point)
				continue;
			return false;
		}
		magnitude = magnitude * 10 + digit;
	}
	*number = negative ? -(int64) magnitude : (int64) magnitude;
	return magnitude <= PG_INT64_MAX && !(negative && magnitude == 0);
}

bool
number_plain_find(L4NumberForm *form, const L4Bytes *values, int count, int64 *numbers)
{
	const char *point = count > 0 ? memchr(values[0].data, '.', values[0].size) : NULL;
	ptrdiff_t	scale = point != NULL ? values[0].data + values[0].size - point - 1 : 0;
	int			i;

	if (count == 0 || scale > L4_FORM_DIGITS || (point != NULL && scale == 0))
		return false;
	for (i = 0; i < count; i++)
		if (!read_plain(values[i], (int) scale, &numbers[i]))
			return false;
	memset(form, 0, sizeof(L4NumberForm));
	form->count = 1;
	form->numbers[0].scale = form->numbers[0].least_scale = (int) scale;
	return true;
}

void
number_form_put(StringInfo out, const L4NumberForm *form)
{
	int			n;

	column_put_unsigned(out, form->count);
	for (n = 0; n < form->count; n++)
	{
		column_put_bytes(out, form->numbers[n].before);
		column_put_unsigned(out, form->numbers[n].width);
		column_put_unsigned(out, form->numbers[n].scale);
		column_put_unsigned(out, form->numbers[n].least_scale);
	}
	column_put_bytes(out, form->after);
}

/* A small number of a form, checked. */
static int
get_digits(L4ColumnReader *in)
{
	uint64		digits = column_get_unsigned(in);

	if (digits > L4_FORM_DIGITS)
		column_corrupted("a number has too many digits");
	return (int) digits;
}

void
number_form_get(L4ColumnReader *in, L4NumberForm *form)
{
	size_t		size = 0;
	int			n;

	form->count = (int) column_get_count(in, L4_FORM_NUMBERS);
	for (n = 0; n < form->count; n++)
	{
		form->numbers[n].before = column_get_bytes(in);
		form->numbers[n].width = get_digits(in);
		form->numbers[n].scale = get_digits(in);
		form->numbers[n].least_scale = get_digits(in);
		size += form->numbers[n].before.size;
	}
	form->after = column_get_bytes(in);
	if (size + form->after.size > L4_FORM_TEXT)
		column_corrupted("the form of a number is too long");
}

/* Room for sign, point and digits: those of the number, and zeros before them. */
#define NUMBER_ROOM (3 + 20 + 2 * L4_FORM_DIGITS)

static char *
write_number(char *at, const L4Number *form, int64 number)
{
	char		digits[24];
	int			count = pg_ulltoa_n(number < 0 ? 0 - (uint64) number : (uint64) number, digits);
	int			wanted = Max(form->width, 1) + form->scale;
	int			scale = form->scale;

	if (number < 0)
		*at++ = '-';
	if (count < wanted)
	{
		memset(at, '0', wanted - count);
		at += wanted - count;
	}
	memcpy(at, digits, count);
	at += count;
	while (scale > form->least_scale && at[-1] == '0')
	{
		at--;
		scale--;
	}
	if (scale > 0)
	{
		memmove(at - scale + 1, at - scale, scale);
		at[-scale] = '.';
		at++;
	}
	return at;
}

static inline void
append_bytes(StringInfo out, L4Bytes bytes)
{
	if (bytes.size > 0)
		appendBinaryStringInfo(out, bytes.data, (int) bytes.size);
}

void
number_form_expand(StringInfo out, const L4NumberForm *form, const int64 *numbers, int stride)
{
	int			n;

	for (n = 0; n < form->count; n++)
	{
		append_bytes(out, form->numbers[n].before);
		enlargeStringInfo(out, NUMBER_ROOM);
		out->len = (int) (write_number(out->data + out->len, &form->numbers[n], numbers[(size_t) n * stride]) - out->data);
	}
	append_bytes(out, form->after);
}

/* ---- floating-point numbers ---- */

/* A double with all its digits has no more. */
#define BINARY_TEXT 24
#define BINARY_ROOM (DOUBLE_SHORTEST_DECIMAL_LEN + 2)

/* As Python writes it: a whole number with a zero behind the point. */
static int
write_binary(char *to, double number)
{
	int			size = double_to_shortest_decimal_bufn(number, to);

	if (strcspn(to, ".e") >= (size_t) size)
	{
		to[size++] = '.';
		to[size++] = '0';
	}
	return size;
}

/* Reads one text; the number of its binary digits behind the point. */
static bool
read_binary(L4Bytes text, double *number, int *places)
{
	char		copy[BINARY_TEXT + 1];
	char		back[BINARY_ROOM + 1];
	double		fraction;
	int			exponent;
	int			i;

	if (text.size == 0 || text.size > BINARY_TEXT)
		return false;
	for (i = 0; i < (int) text.size; i++)
		if (!is_digit(text.data[i]) && strchr("+-.e", text.data[i]) == NULL)
			return false;
	*places = 0;
	/* what is no number as a whole does not come back as the text */
	if (!value_number(text, number))
	{
		memcpy(copy, text.data, text.size);
		copy[text.size] = '\0';
		*number = strtod(copy, NULL);
	}
	if (!isfinite(*number) || (*number == 0 && text.data[0] == '-'))
		return false;
	memset(back, 0, sizeof(back));
	if (write_binary(back, *number) != (int) text.size || memcmp(back, text.data, text.size) != 0)
		return false;
	fraction = frexp(*number, &exponent);
	if (*number != 0)
		*places = 53 - pg_rightmost_one_pos64((uint64) ldexp(fabs(fraction), 53)) - exponent;
	return *places <= L4_BINARY_PLACES;
}

bool
number_binary_find(const L4Bytes *values, int count, int64 *numbers, int *places)
{
	double	   *read = palloc(mul_size(count, sizeof(double)));
	bool		fits = true;
	int			i;

	*places = 0;
	for (i = 0; i < count && fits; i++)
	{
		int			own = 0;

		fits = read_binary(values[i], &read[i], &own);
		*places = Max(*places, own);
	}
	for (i = 0; i < count && fits; i++)
	{
		double		whole = ldexp(read[i], *places);

		fits = fabs(whole) < 9007199254740992.0;	/* 2^53: up to there a double is exact */
		if (fits)
			numbers[i] = (int64) whole;
	}
	pfree(read);
	return fits;
}

void
number_binary_expand(StringInfo out, int64 number, int places)
{
	char	   *at;

	enlargeStringInfo(out, BINARY_ROOM + 1);
	at = out->data + out->len;
	memset(at, 0, BINARY_ROOM + 1);
	out->len += write_binary(at, ldexp((double) number, -places));
}
