/*
 * column_number.h: texts that are alike but for their numbers, taken apart into numbers and put together again, byte by byte.
 */
#ifndef L4_COLUMN_NUMBER_H
#define L4_COLUMN_NUMBER_H

#include "ground/l4.h"
#include "lib/stringinfo.h"
#include "tools/codec.h"

/* So many numbers a text may have, and so many digits one of them: those of an int64. */
#define L4_FORM_NUMBERS 12
#define L4_FORM_DIGITS 19
/* The texts around the numbers may have so many bytes in all. */
#define L4_FORM_TEXT 256

/* How a number is written: the text before it, then its digits. */
typedef struct L4Number
{
	L4Bytes		before;
	int			width;			/* so many digits before the point, zeros among them; 0: as many as it takes */
	int			scale;			/* digits behind the point */
	int			least_scale;	/* zeros at the end are left out as long as so many stay */
} L4Number;

typedef struct L4NumberForm
{
	int			count;
	L4Number	numbers[L4_FORM_NUMBERS];
	L4Bytes		after;
} L4NumberForm;

/*
 * The form of all of some texts, and their numbers: numbers[n * count + i] is the n-th of text i, a decimal times ten to the
 * power of its scale. with_points: digits behind a point belong to the number before it, else they are a number of their own.
 * False where the texts have no form in common that gives every byte back. The form's texts are spans of values[0]; numbers has
 * room for L4_FORM_NUMBERS * count. Cost: one look at each byte, up to the first text that does not fit.
 */
extern bool number_form_find(L4NumberForm *form, const L4Bytes *values, int count, bool with_points, int64 *numbers);
/*
 * The same for the most frequent forms, in a third of the time: nothing but a number, without zeros before it, all with as many
 * digits behind the point. False for any other.
 */
extern bool number_plain_find(L4NumberForm *form, const L4Bytes *values, int count, int64 *numbers);
extern void number_form_put(StringInfo out, const L4NumberForm *form);
/* Errors: XX001. */
extern void number_form_get(L4ColumnReader *in, L4NumberForm *form);
/* Appends the text with these numbers, that of the n-th place being numbers[n * stride]. */
extern void number_form_expand(StringInfo out, const L4NumberForm *form, const int64 *numbers, int stride);

/*
 * Are all texts floating-point numbers, written with as many digits as tell them from their neighbours (as Python, JSON and SQL
 * do), and with few binary digits behind the point, as measured times and single-precision numbers have? Then each is
 * numbers[i] / 2^*places. False where any is not, or would not come back byte by byte.
 */
extern bool number_binary_find(const L4Bytes *values, int count, int64 *numbers, int *places);
extern void number_binary_expand(StringInfo out, int64 number, int places);
/* More places than this no number has. */
#define L4_BINARY_PLACES 1074

#endif							/* L4_COLUMN_NUMBER_H */
