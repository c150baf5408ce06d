/*
 * text.c: fast writing of log text. The generator has to deliver several hundred megabytes a second on one core, which printf
 * and strftime do not; so times are spelled once a second and pieces are copied whole between the few directives that records
 * need.
 */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

uint64_t
mix(uint64_t a, uint64_t b)
{
	uint64_t	x = a * UINT64_C(0x9E3779B97F4A7C15) + b + UINT64_C(0x632BE59BD9B4E019);

	x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
	return x ^ (x >> 31);
}

long
text_random(text *t, long low, long high)
{
	t->random += UINT64_C(0x9E3779B97F4A7C15);
	return low + (long) (mix(t->random, 1) % (uint64_t) (high - low + 1));
}

void
text_begin(text *t, uint64_t seed, uint64_t number, int64_t now)
{
	t->used = 0;
	t->flushed = 0;
	t->now = now;
	t->random = mix(seed, number);
	t->second = -1;
}

void
text_flush(text *t)
{
	size_t		done = 0;

	while (t->file >= 0 && done < t->used)
	{
		ssize_t		n = write(t->file, t->data + done, t->used - done);

		if (n < 0)
		{
			perror("generate: cannot write");
			exit(1);
		}
		done += n;
	}
	t->flushed += t->used;
	t->used = 0;
}

/* Makes room for length more bytes. */
static char *
text_room(text *t, size_t length)
{
	if (t->used + length > t->size)
	{
		t->size = (t->used + length) * 2;
		t->data = realloc(t->data, t->size);
		if (t->data == NULL)
		{
			fprintf(stderr, "generate: out of memory\n");
			exit(1);
		}
	}
	return t->data + t->used;
}

void
text_add_bytes(text *t, const char *bytes, size_t length)
{
	memcpy(text_room(t, length), bytes, length);
	t->used += length;
}

/* Adds a number with at least width digits and, where point is above 0, a point before the last point digits. */
static void
add_number(text *t, long value, int width, int point)
{
	char		digits[32];
	char	   *end = digits + sizeof(digits);
	char	   *begin = end;
	unsigned long rest = value < 0 ? -(unsigned long) value : (unsigned long) value;
	int			count = 0;

	while (rest > 0 || count < width || count <= point)
	{
		if (point > 0 && count == point)
			*--begin = '.';
		*--begin = '0' + rest % 10;
		rest /= 10;
		count++;
	}
	if (value < 0)
		*--begin = '-';
	text_add_bytes(t, begin, end - begin);
}

static void
add_hexadecimal(text *t, unsigned long value)
{
	char	   *to = text_room(t, 8);

	for (int i = 7; i >= 0; i--, value >>= 4)
		to[i] = "0123456789abcdef"[value & 15];
	t->used += 8;
}

void
text_add_list(text *t, const char *format, va_list arguments)
{
	for (;;)
	{
		const char *percent = strchrnul(format, '%');
		int			digit = 0;

		text_add_bytes(t, format, percent - format);
		if (*percent == '\0')
			return;
		percent++;
		if (*percent >= '1' && *percent <= '9')
			digit = *percent++ - '0';
		switch (*percent)
		{
			case 's':
				{
					const char *piece = va_arg(arguments, const char *);

					text_add_bytes(t, piece, strlen(piece));
					break;
				}
			case 'd':
				add_number(t, va_arg(arguments, long), 1, 0);
				break;
			case 'z':
				add_number(t, va_arg(arguments, long), digit, 0);
				break;
			case 'f':
				add_number(t, va_arg(arguments, long), 1, digit);
				break;
			case 'x':
				add_hexadecimal(t, va_arg(arguments, unsigned long));
				break;
			default:
				text_add_bytes(t, "%", 1);
		}
		format = percent + 1;
	}
}

void
text_add(text *t, const char *format, ...)
{
	va_list		arguments;

	va_start(arguments, format);
	text_add_list(t, format, arguments);
	va_end(arguments);
}

void
text_mark(text *t)
{
	if (t->marking)
		text_add(t, "\1%d\1", (long) t->now);
}

/* Spells date and time of day of the clock's second. */
static void
spell_second(text *t, int64_t second)
{
	time_t		moment = second;
	struct tm	parts;
	int			left = second % 86400;

	if (t->second < 0 || t->second / 86400 != second / 86400)
	{
		gmtime_r(&moment, &parts);
		strftime(t->date, sizeof(t->date), "%Y-%m-%d", &parts);
		strftime(t->month_day, sizeof(t->month_day), "%b %e", &parts);
		strftime(t->digits, sizeof(t->digits), "%m%d", &parts);
	}
	memcpy(t->clock, "00:00:00", 9);
	for (int i = 7; i >= 0; i -= 3, left /= 60)
	{
		t->clock[i] += left % 60 % 10;
		t->clock[i - 1] += left % 60 / 10;
	}
	t->second = second;
}

void
text_add_time(text *t, time_style style)
{
	int64_t		second = t->now / 1000000;
	long		micro = t->now % 1000000;

	if (second != t->second)
		spell_second(t, second);
	switch (style)
	{
		case TIME_COMMA:
			text_add(t, "%s %s,%3z", t->date, t->clock, micro / 1000);
			break;
		case TIME_PLOG:
			text_add(t, "%s-%s.%3z.%3z", t->date, t->clock, micro / 1000, micro % 1000);
			break;
		case TIME_SYSLOG:
			text_add(t, "%s %s.%3z", t->month_day, t->clock, micro / 1000);
			break;
		case TIME_ISO:
			text_add(t, "%sT%s.%3zZ", t->date, t->clock, micro / 1000);
			break;
		case TIME_GLOG:
			text_add(t, "%s %s.%6z000", t->digits, t->clock, micro);
			break;
		case TIME_PLAIN:
			text_add(t, "%s %s", t->date, t->clock);
			break;
		case TIME_SLURM:
			text_add(t, "%sT%s", t->date, t->clock);
			break;
	}
}
