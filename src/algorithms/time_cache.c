/*
 * time_cache.c: times of log lines read by their hour: one that was read a moment ago, and the minutes and seconds.
 *
 * Lines that follow one another have the same hour, as a rule. To resolve its date, zone and year takes long; what minutes and
 * seconds add is a sum. An hour is remembered where that is so: where its first and its last moment, read in full, lie as far
 * apart as their digits say (the clock is not put forward or back within it), and their digits come back from the times. Leap
 * seconds are always read in full.
 */
#include "algorithms/time_cache.h"

#include "algorithms/timestamp.h"
#include "tools/bytes.h"

/* Two digits as a number; 100 or more where they are none. */
static inline int
two_digits(const char *at)
{
	unsigned	tens = (unsigned char) (at[0] - '0');
	unsigned	ones = (unsigned char) (at[1] - '0');

	return tens > 9 || ones > 9 ? 100 : (int) (tens * 10 + ones);
}

/* The microseconds within the hour that the text says; -1 where it is a leap second or none of the layout. */
static inline int64
microseconds_of(L4TimeLayout layout, L4Bytes text)
{
	const char *at = text.data + layout.hour + 3;
	int			minutes = two_digits(at);
	int			seconds = two_digits(at + 3);
	int			fraction = 0;
	int			i;

	if (minutes > 59 || seconds > 59)
		return -1;
	at += 6;
	for (i = 0; i < layout.fraction; i++)
	{
		if (layout.parted && i == 3)
			at++;
		fraction = fraction * 10 + (*at++ - '0');
	}
	for (; i < 6; i++)
		fraction *= 10;
	return (minutes * 60 + seconds) * USECS_PER_SEC + fraction;
}

/* Is the text of this hour? It may differ in minutes, seconds and their fraction, not in the sign before that. */
static inline bool
hour_has(const L4Hour *hour, L4TimeLayout layout, L4Bytes text)
{
	return hour->form != 0 && hour->text_size == text.size && memcmp(&hour->layout, &layout, sizeof(layout)) == 0 &&
		memcmp(hour->text, text.data, layout.hour + 3) == 0 &&
		(layout.fraction == 0 || hour->text[layout.hour + 8] == text.data[layout.hour + 8]) &&
		memcmp(hour->text + layout.size, text.data + layout.size, text.size - layout.size) == 0;
}

/* Writes one digit for all behind the hour; the tens of minutes and seconds apart. */
static void
write_moment(char *text, L4TimeLayout layout, char tens, char digit)
{
	int			i;

	for (i = layout.hour + 3; i < layout.size; i++)
		if (is_digit(text[i]))
			text[i] = digit;
	text[layout.hour + 3] = text[layout.hour + 6] = tens;
}

/* Remembers the hour of a text if its times are what their digits say. */
static void
add_hour(L4TimeCache *cache, L4TimeLayout layout, L4Bytes text, pg_tz *zone, TimestampTz reference)
{
	L4Hour	   *hour = &cache->hours[cache->next];
	L4Bytes		copy = {hour->text, text.size};
	TimestampTz last;
	int			offset;

	if (text.size > L4_TIME_CACHE_BYTES)
		return;
	cache->next = (cache->next + 1) % L4_TIME_CACHE_SLOTS;
	hour->form = 0;
	hour->layout = layout;
	hour->text_size = (uint8) text.size;
	hour->offset = 0;
	memcpy(hour->text, text.data, text.size);
	write_moment(hour->text, layout, '5', '9');
	if (!timestamp_parse(copy, zone, reference, &last) || !frame_time_offset(copy, last, &hour->offset))
		return;
	last -= microseconds_of(layout, copy);
	offset = hour->offset;
	write_moment(hour->text, layout, '0', '0');
	if (timestamp_parse(copy, zone, reference, &hour->start) && hour->start == last &&
		frame_time_offset(copy, hour->start, &offset) && offset == hour->offset)
		hour->form = ++cache->form_count;
}

bool
time_cache_parse(L4TimeCache *cache, L4TimeLayout layout, L4Bytes text, pg_tz *zone, TimestampTz reference, TimestampTz *time,
				L4TimeForm *form)
{
	int64		within = layout.size > 0 ? microseconds_of(layout, text) : -1;
	int			i;

	form->form = 0;
	if (within < 0)
		return timestamp_parse(text, zone, reference, time);
	for (i = 0; i < L4_TIME_CACHE_SLOTS; i++)
	{
		const L4Hour *hour = &cache->hours[i];

		if (hour_has(hour, layout, text))
		{
			*time = hour->start + within;
			form->form = hour->form;
			form->offset = hour->offset;
			form->size = layout.size;
			return true;
		}
	}
	add_hour(cache, layout, text, zone, reference);
	return timestamp_parse(text, zone, reference, time);
}

void
time_cache_reset(L4TimeCache *cache)
{
	memset(cache->hours, 0, sizeof(cache->hours));
}
