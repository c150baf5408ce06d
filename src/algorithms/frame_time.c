/*
 * frame_time.c: the digits of a time inside a line's prefix, replaced by marks and put back from the time itself.
 *
 * Every record has its time in a column already. To store the digits again as text would double the largest part of many logs,
 * and would make each line prefix a text of its own. So the digits become marks that say which digit of which field stood
 * there: line prefixes of one statement become equal, and reading writes the digits from the time. Writing checks by doing just
 * that: a line prefix is reduced only where it comes back byte by byte.
 *
 * Known forms: 2026-11-20 22:26:04 with any sign between, and Nov 20 22:26:04 or 1120 22:26:04 without a year; up to six digits
 * of a fraction.
 */
#include "algorithms/frame_time.h"

#include "tools/bytes.h"
#include "utils/datetime.h"

/* The marks: one for each digit of year, month, day, hour, minute, second and microsecond. */
#define MARK_FIRST 0x80
#define MARK_YEAR 0x80
#define MARK_MONTH 0x84
#define MARK_DAY 0x86
#define MARK_HOUR 0x88
#define MARK_MINUTE 0x8a
#define MARK_SECOND 0x8c
#define MARK_FRACTION 0x8e
#define MARK_COUNT 20

/* Digits in the order of the marks. */
typedef struct TimeDigits
{
	char		digits[MARK_COUNT];
} TimeDigits;

static inline void
write_digits(char *to, int value, int count)
{
	int			i;

	for (i = count - 1; i >= 0; i--)
	{
		to[i] = (char) ('0' + value % 10);
		value /= 10;
	}
}

/* All digits of a moment. */
static void
time_digits(TimestampTz time, int offset, TimeDigits *out)
{
	static int64 last_day = PG_INT64_MIN;
	static char last_date[8];
	int64		local = (int64) ((uint64) time + (uint64) (offset * USECS_PER_SEC));
	int64		day = local / USECS_PER_DAY - (local % USECS_PER_DAY < 0 ? 1 : 0);
	int64		rest = local - day * USECS_PER_DAY;
	int			seconds = (int) (rest / USECS_PER_SEC);

	if (day != last_day)
	{
		int			year;
		int			month;
		int			dayofmonth;

		j2date((int) (day + POSTGRES_EPOCH_JDATE), &year, &month, &dayofmonth);
		write_digits(last_date, year, 4);
		write_digits(last_date + 4, month, 2);
		write_digits(last_date + 6, dayofmonth, 2);
		last_day = day;
	}
	memcpy(out->digits, last_date, 8);
	write_digits(out->digits + 8, seconds / 3600, 2);
	write_digits(out->digits + 10, seconds / 60 % 60, 2);
	write_digits(out->digits + 12, seconds % 60, 2);
	write_digits(out->digits + 14, (int) (rest % USECS_PER_SEC), 6);
}

/* Which marks stand for the bytes of a text; 0 for a byte that stays. */
typedef struct TimeMarks
{
	int			size;
	int			hour;			/* where the hour begins */
	unsigned char marks[32];
} TimeMarks;

/* Marks digits from `at` on; false where one is none. */
static bool
mark_digits(TimeMarks *marks, L4Bytes text, int at, int count, int first)
{
	int			i;

	if (at + count > (int) text.size)
		return false;
	for (i = 0; i < count; i++)
	{
		if (!is_digit(text.data[at + i]))
			return false;
		marks->marks[at + i] = (unsigned char) (first + i);
	}
	return true;
}

/* hh:mm:ss with its fraction at `at`. */
static bool
mark_clock(TimeMarks *marks, L4Bytes text, int at)
{
	int			count = 0;

	if (at + 8 > (int) text.size || text.data[at + 2] != ':' || text.data[at + 5] != ':' ||
		!mark_digits(marks, text, at, 2, MARK_HOUR) ||
		!mark_digits(marks, text, at + 3, 2, MARK_MINUTE) || !mark_digits(marks, text, at + 6, 2, MARK_SECOND))
		return false;
	marks->hour = at;
	at += 8;
	marks->size = at;
	if (at + 1 >= (int) text.size || (text.data[at] != '.' && text.data[at] != ',') || !is_digit(text.data[at + 1]))
		return true;
	while (at + 1 + count < (int) text.size && is_digit(text.data[at + 1 + count]))
		count++;
	marks->size = at + 1 + count;
	if (count == 3 && at + 8 == (int) text.size && text.data[at + 4] == '.')	/* Ascend's second dot */
	{
		marks->size = at + 8;
		return mark_digits(marks, text, at + 1, 3, MARK_FRACTION) && mark_digits(marks, text, at + 5, 3, MARK_FRACTION + 3);
	}
	return count <= 6 && mark_digits(marks, text, at + 1, count, MARK_FRACTION);
}

static bool
mark_time(TimeMarks *marks, L4Bytes text)
{
	int			at = 4;

	memset(marks, 0, sizeof(TimeMarks));
	text.size = Min(text.size, sizeof(marks->marks));
	if (text.size >= 19 && is_digit(text.data[0]) && !is_digit(text.data[4]))
		return mark_digits(marks, text, 0, 4, MARK_YEAR) && mark_digits(marks, text, 5, 2, MARK_MONTH) &&
			mark_digits(marks, text, 8, 2, MARK_DAY) && !is_digit(text.data[7]) && !is_digit(text.data[10]) &&
			mark_clock(marks, text, 11);
	if (text.size >= 15 && text.data[0] >= 'A' && text.data[3] == ' ')	/* the month's name stays */
	{
		if (text.data[4] == ' ')
			at = 5;
		if (!is_digit(text.data[at]) || !(is_digit(text.data[at + 1]) || at == 5) || text.data[6] != ' ')
			return false;
		marks->marks[5] = MARK_DAY + 1;
		if (at == 4)
			marks->marks[4] = MARK_DAY;
		return mark_clock(marks, text, 7);
	}
	return false;
}

/* Do the digits of the text say this moment? */
static bool
marks_fit(const TimeMarks *marks, L4Bytes text, TimestampTz time, int offset)
{
	TimeDigits	digits;
	int			i;

	time_digits(time, offset, &digits);
	for (i = 0; i < marks->size; i++)
		if (marks->marks[i] != 0 && text.data[i] != digits.digits[marks->marks[i] - MARK_FIRST])
			return false;
	return true;
}

/* Finds the offset under which the digits say this moment. */
static bool
find_offset(const TimeMarks *marks, L4Bytes text, TimestampTz time, int *offset)
{
	const char *clock = text.data + marks->hour;
	TimestampTz seconds = time / USECS_PER_SEC - (time % USECS_PER_SEC < 0 ? 1 : 0);
	int			of_day = (int) (((seconds % SECS_PER_DAY) + SECS_PER_DAY) % SECS_PER_DAY);
	int			said = ((clock[0] - '0') * 10 + clock[1] - '0') * 3600 + ((clock[3] - '0') * 10 + clock[4] - '0') * 60 +
		(clock[6] - '0') * 10 + clock[7] - '0';
	int			step;

	for (step = -1; step <= 1; step++)
	{
		int			candidate = said - of_day + step * SECS_PER_DAY;

		if (candidate > -SECS_PER_DAY && candidate < SECS_PER_DAY && marks_fit(marks, text, time, candidate))
		{
			*offset = candidate;
			return true;
		}
	}
	return false;
}

bool
frame_time_layout(L4Bytes text, L4TimeLayout *layout)
{
	TimeMarks	marks;

	memset(layout, 0, sizeof(L4TimeLayout));
	if (!mark_time(&marks, text))
		return false;
	layout->size = (uint8) marks.size;
	layout->hour = (uint8) marks.hour;
	layout->parted = marks.size == marks.hour + 16;
	layout->fraction = (uint8) (layout->parted ? 6 : Max(marks.size - marks.hour - 9, 0));
	return true;
}

bool
frame_time_offset(L4Bytes text, TimestampTz time, int *offset)
{
	TimeMarks	marks;

	return mark_time(&marks, text) && (marks_fit(&marks, text, time, *offset) || find_offset(&marks, text, time, offset));
}

/* Does any byte have its highest bit set? */
static bool
has_high_byte(const char *data, size_t size)
{
	uint64		any = 0;
	uint64		eight;
	size_t		i;

	for (i = 0; i + sizeof(eight) <= size; i += sizeof(eight))
	{
		memcpy(&eight, data + i, sizeof(eight));
		any |= eight;
	}
	for (; i < size; i++)
		any |= (uint64) (unsigned char) data[i] << 56 | (unsigned char) data[i];
	return (any & UINT64CONST(0x8080808080808080)) != 0;
}

bool
frame_time_reduce(StringInfo out, L4Bytes frame, L4Bytes text, TimestampTz time, int *offset)
{
	size_t		begin = text.data - frame.data;
	TimeMarks	marks;
	int			i;

	if (text.size == 0 || TIMESTAMP_NOT_FINITE(time) || !mark_time(&marks, text))
		return false;
	if (has_high_byte(frame.data, frame.size))
		return false;			/* such a byte would be read as a mark */
	if (!marks_fit(&marks, text, time, *offset) && !find_offset(&marks, text, time, offset))
		return false;
	resetStringInfo(out);
	enlargeStringInfo(out, (int) frame.size);
	memcpy(out->data, frame.data, frame.size);
	out->len = (int) frame.size;
	for (i = 0; i < marks.size; i++)
		if (marks.marks[i] != 0)
			out->data[begin + i] = (char) marks.marks[i];
	return true;
}

void
frame_time_expand(StringInfo out, L4Bytes reduced, TimestampTz time, int offset)
{
	TimeDigits	digits;
	char	   *to;
	size_t		i;

	time_digits(time, offset, &digits);
	enlargeStringInfo(out, (int) Min(reduced.size, PG_INT32_MAX));
	to = out->data + out->len;
	for (i = 0; i < reduced.size; i++)
	{
		unsigned	mark = (unsigned char) reduced.data[i] - MARK_FIRST;

		to[i] = mark < MARK_COUNT ? digits.digits[mark] : reduced.data[i];
	}
	out->len += (int) reduced.size;
	out->data[out->len] = '\0';
}

bool
frame_time_is_mark(unsigned char byte)
{
	return byte >= MARK_FIRST && byte < MARK_FIRST + MARK_COUNT;
}
