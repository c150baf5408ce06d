/*
 * time_memo.c: times of log lines read by their minute: one that was read a moment ago, and the seconds.
 *
 * Lines that follow one another have the same minute, as a rule. To resolve its date, zone and year takes long; what the seconds add is a sum. A minute is remembered where that is so: where its first
 * and its last moment, read in full, lie as far apart as their seconds say, and their digits come back from the times. Leap seconds are always read in full.
 */
#include "algorithms/time_memo.h"

#include "algorithms/timestamp.h"

static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The microseconds within the minute that the text says; -1 where it is a leap second or none of the layout. */
static inline int64
microseconds_of(L4TimeLayout layout, L4Bytes text)
{
	const char *at = text.data + layout.hour + 6;
	int			seconds = (at[0] - '0') * 10 + at[1] - '0';
	int			fraction = 0;
	int			i;

	if (!is_digit(at[0]) || !is_digit(at[1]) || seconds > 59)
		return -1;
	at += 3;
	for (i = 0; i < layout.fraction; i++)
	{
		if (layout.parted && i == 3)
			at++;
		fraction = fraction * 10 + (*at++ - '0');
	}
	for (; i < 6; i++)
		fraction *= 10;
	return seconds * USECS_PER_SEC + fraction;
}

/* Is the text of this minute? */
static inline bool
minute_has(const L4Minute *minute, L4TimeLayout layout, L4Bytes text)
{
	return minute->form != 0 && minute->text_size == text.size && memcmp(&minute->layout, &layout, sizeof(layout)) == 0 &&
		memcmp(minute->text, text.data, layout.hour + 6) == 0 &&
		memcmp(minute->text + layout.size, text.data + layout.size, text.size - layout.size) == 0;
}

/* Writes one digit for all of seconds and fraction; the tens of the seconds apart. */
static void
write_moment(char *text, L4TimeLayout layout, char tens, char digit)
{
	int			i;

	text[layout.hour + 6] = tens;
	for (i = layout.hour + 7; i < layout.size; i++)
		if (is_digit(text[i]))
			text[i] = digit;
}

/* Remembers the minute of a text if its times are what their seconds say. */
static void
add_minute(L4TimeMemo *memo, L4TimeLayout layout, L4Bytes text, pg_tz *zone, TimestampTz reference)
{
	L4Minute   *minute = &memo->minutes[memo->next];
	L4Bytes		copy = {minute->text, text.size};
	TimestampTz last;
	int			offset;

	if (text.size > L4_TIME_MEMO_BYTES)
		return;
	memo->next = (memo->next + 1) % L4_TIME_MEMO_SLOTS;
	minute->form = 0;
	minute->layout = layout;
	minute->text_size = (uint8) text.size;
	minute->offset = 0;
	memcpy(minute->text, text.data, text.size);
	write_moment(minute->text, layout, '5', '9');
	if (!timestamp_parse(copy, zone, reference, &last) || !frame_time_offset(copy, last, &minute->offset))
		return;
	last -= microseconds_of(layout, copy);
	offset = minute->offset;
	write_moment(minute->text, layout, '0', '0');
	if (timestamp_parse(copy, zone, reference, &minute->start) && minute->start == last &&
		frame_time_offset(copy, minute->start, &offset) && offset == minute->offset)
		minute->form = ++memo->form_count;
}

bool
time_memo_parse(L4TimeMemo *memo, L4TimeLayout layout, L4Bytes text, pg_tz *zone, TimestampTz reference, TimestampTz *time, L4TimeForm *form)
{
	int64		within = layout.size > 0 ? microseconds_of(layout, text) : -1;
	int			i;

	form->form = 0;
	if (within < 0)
		return timestamp_parse(text, zone, reference, time);
	for (i = 0; i < L4_TIME_MEMO_SLOTS; i++)
	{
		const L4Minute *minute = &memo->minutes[i];

		if (minute_has(minute, layout, text))
		{
			*time = minute->start + within;
			form->form = minute->form;
			form->offset = minute->offset;
			form->size = layout.size;
			return true;
		}
	}
	add_minute(memo, layout, text, zone, reference);
	return timestamp_parse(text, zone, reference, time);
}

void
time_memo_reset(L4TimeMemo *memo)
{
	memset(memo->minutes, 0, sizeof(memo->minutes));
}
