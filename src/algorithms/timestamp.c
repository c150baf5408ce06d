/*
 * timestamp.c: a time as log lines write it to a TimestampTz.
 *
 * The server's own input function is no help here: it depends on settings (DateStyle, TimeZone), raises errors, and knows none
 * of the forms of training logs (glog's MMDD, Ascend's four dashes, log4j's yy/mm/dd). This parser reads no settings and never
 * raises: what is no valid time is no time. Fractions of a second are cut, not rounded, so that order is kept. A time without a
 * zone is resolved with the given zone by the server's own rules (in the hour that occurs twice the standard time counts). A
 * time without a year gets the latest year in which it is not more than a day after the reference: logs are read after they are
 * written, but clocks differ.
 */
#include "algorithms/timestamp.h"

#include "tools/bytes.h"
#include "utils/datetime.h"

#define EPOCH_OFFSET_SECONDS ((int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY)
#define YEAR_WITHOUT_REFERENCE 1970

/* The digits of YYYYMMDDhhmmss. */
#define PACKED_TIME_DIGITS 14

/* The fields of a time as read; year 0 where the text has none. */
typedef struct TimeFields
{
	int			year;
	int			month;
	int			day;
	int			hour;
	int			minute;
	int			second;
	int			microsecond;
	bool		has_seconds;
	bool		has_offset;
	int			offset;			/* seconds east of UTC */
} TimeFields;

typedef struct Cursor
{
	const char *at;
	const char *end;
} Cursor;

static inline char
cursor_peek(const Cursor *cursor)
{
	return cursor->at < cursor->end ? *cursor->at : '\0';
}

static bool
cursor_take(Cursor *cursor, char c)
{
	if (cursor->at >= cursor->end || *cursor->at != c)
		return false;
	cursor->at++;
	return true;
}

static void
cursor_skip_blanks(Cursor *cursor)
{
	while (cursor->at < cursor->end && (*cursor->at == ' ' || *cursor->at == '\t'))
		cursor->at++;
}

/* How many digits stand here. */
static int
cursor_count_digits(const Cursor *cursor)
{
	const char *p = cursor->at;

	while (p < cursor->end && is_digit(*p))
		p++;
	return (int) Min(p - cursor->at, 100);
}

/* Reads a number of exactly count digits (at most 9). */
static bool
read_digits(Cursor *cursor, int count, int *value)
{
	int			i;

	*value = 0;
	if (cursor->end - cursor->at < count)
		return false;
	for (i = 0; i < count; i++)
	{
		if (!is_digit(cursor->at[i]))
			return false;
		*value = *value * 10 + (cursor->at[i] - '0');
	}
	cursor->at += count;
	return true;
}

/* Reads a number of one or two digits. */
static bool
read_short(Cursor *cursor, int *value)
{
	int			count = cursor_count_digits(cursor);

	return (count == 1 || count == 2) && read_digits(cursor, count, value);
}

/* Reads one of some English names, in any case, whole or by its first three letters; its number or -1. */
static int
read_name(Cursor *cursor, const char *const *names, int count)
{
	int			size = 0;
	int			i;

	while (cursor->end - cursor->at > size && is_letter(cursor->at[size]))
		size++;
	for (i = 0; i < count && size >= 3; i++)
		if ((*cursor->at | 0x20) == names[i][0] && pg_strncasecmp(cursor->at, names[i], size) == 0 &&
			(size == 3 || names[i][size] == '\0'))
		{
			cursor->at += size;
			return i;
		}
	return -1;
}

static bool
read_month_name(Cursor *cursor, int *month)
{
	static const char *const names[] = {
		"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
		"december"
	};

	*month = read_name(cursor, names, lengthof(names)) + 1;
	return *month > 0;
}

/* Skips an English weekday and the comma that may follow. */
static void
skip_weekday(Cursor *cursor)
{
	static const char *const names[] = {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};

	if (read_name(cursor, names, lengthof(names)) < 0)
		return;
	(void) cursor_take(cursor, ',');
	cursor_skip_blanks(cursor);
}

/*
 * Reads the digits after the decimal mark; digits beyond the sixth are dropped. Ascend writes a dot between the third and the
 * fourth.
 */
static void
read_fraction(Cursor *cursor, int *microsecond)
{
	int			scale = 100000;
	int			count = 0;

	while (cursor->at < cursor->end)
	{
		char		c = *cursor->at;

		if (count == 3 && c == '.' && cursor->end - cursor->at > 1 && is_digit(cursor->at[1]))
			cursor->at++;
		else if (is_digit(c))
		{
			*microsecond += (c - '0') * scale;
			scale /= 10;
			count++;
			cursor->at++;
		}
		else
			break;
	}
}

/* Reads the zone that may follow a time: Z, UTC, GMT, +hh, +hhmm or +hh:mm. True also where there is none. */
static bool
read_zone(Cursor *cursor, TimeFields *fields)
{
	int			hours;
	int			minutes = 0;
	char		sign;

	if (cursor_take(cursor, 'Z') || cursor_take(cursor, 'z'))
	{
		fields->has_offset = true;
		return true;
	}
	if (cursor->end - cursor->at >= 3 && (memcmp(cursor->at, "UTC", 3) == 0 || memcmp(cursor->at, "GMT", 3) == 0))
	{
		cursor->at += 3;
		fields->has_offset = true;
		return true;
	}
	sign = cursor_peek(cursor);
	if (sign != '+' && sign != '-')
		return true;
	cursor->at++;
	if (!read_digits(cursor, 2, &hours))
		return false;
	if (cursor_take(cursor, ':') || is_digit(cursor_peek(cursor)))
		if (!read_digits(cursor, 2, &minutes))
			return false;
	fields->has_offset = true;
	fields->offset = (hours * 60 + minutes) * 60 * (sign == '-' ? -1 : 1);
	return hours <= 15 && minutes <= 59;
}

/* Reads the AM or PM that may follow a twelve-hour clock. */
static bool
read_half_of_day(Cursor *cursor, TimeFields *fields)
{
	bool		morning = cursor_peek(cursor) == 'A' || cursor_peek(cursor) == 'a';

	if (cursor->end - cursor->at < 2 || (cursor->at[1] != 'M' && cursor->at[1] != 'm') ||
		(!morning && *cursor->at != 'P' && *cursor->at != 'p') ||
		(cursor->end - cursor->at > 2 && is_letter(cursor->at[2])))
		return true;
	if (fields->hour < 1 || fields->hour > 12)
		return false;
	fields->hour = fields->hour % 12 + (morning ? 0 : 12);
	cursor->at += 2;
	return true;
}

/* Is a sign followed by so many digits and no further one? */
static bool
number_follows(const Cursor *cursor, char sign, int digits)
{
	Cursor		number = {cursor->at + 1, cursor->end};

	return cursor_peek(cursor) == sign && cursor_count_digits(&number) == digits;
}

/*
 * Reads hh:mm:ss, hh.mm.ss, hh-mm-ss or hhmmss with its fraction, which a colon may part too; seconds may be missing after a
 * colon form.
 */
static bool
read_clock(Cursor *cursor, TimeFields *fields)
{
	int			digits = cursor_count_digits(cursor);
	char		separator;

	if (digits == 6)
	{
		if (!read_digits(cursor, 2, &fields->hour) || !read_digits(cursor, 2, &fields->minute) ||
			!read_digits(cursor, 2, &fields->second))
			return false;
	}
	else
	{
		if (!read_short(cursor, &fields->hour))
			return false;
		separator = cursor_peek(cursor);
		if (separator != ':' && separator != '.' && separator != '-')
			return false;
		cursor->at++;
		if (!read_digits(cursor, 2, &fields->minute))
			return false;
		fields->has_seconds = cursor_take(cursor, separator);
		if (fields->has_seconds ? !read_digits(cursor, 2, &fields->second) : separator == '-')
			return false;
	}
	fields->has_seconds |= digits == 6;
	if (((cursor_peek(cursor) == '.' || cursor_peek(cursor) == ',') && cursor->end - cursor->at > 1 &&
		 is_digit(cursor->at[1])) ||
		(fields->has_seconds && (number_follows(cursor, ':', 3) || number_follows(cursor, ':', 6))))
	{
		cursor->at++;
		read_fraction(cursor, &fields->microsecond);
	}
	cursor_skip_blanks(cursor);
	return read_half_of_day(cursor, fields);
}

/* A year of two digits: 70 and above lie in the last century. */
static int
full_year(int year)
{
	return year < 70 ? 2000 + year : 1900 + year;
}

/* Begins the number of some digits that stands here like a year of today? */
static bool
year_begins(const Cursor *cursor)
{
	return memcmp(cursor->at, "20", 2) == 0 || memcmp(cursor->at, "19", 2) == 0;
}

/* Is the number that stands here a year, as it may be behind a time of day? Processes have numbers of four digits, too. */
static bool
year_follows(const Cursor *cursor)
{
	return cursor_count_digits(cursor) == 4 && year_begins(cursor);
}

/* "Nov 20 22:26:03", "Sun Jan  5 20:25:34 2025", "Nov 20 2024 22:26:03": the month's name comes first. */
static bool
read_month_first(Cursor *cursor, TimeFields *fields)
{
	if (!read_month_name(cursor, &fields->month))
		return false;
	cursor_skip_blanks(cursor);
	if (!read_short(cursor, &fields->day))
		return false;
	(void) cursor_take(cursor, ',');
	cursor_skip_blanks(cursor);
	if (cursor_count_digits(cursor) == 4)
	{
		(void) read_digits(cursor, 4, &fields->year);
		cursor_skip_blanks(cursor);
	}
	if (!read_clock(cursor, fields))
		return false;
	cursor_skip_blanks(cursor);
	if (fields->year == 0 && !year_follows(cursor))
	{
		/* "Nov 20 10:00:00 UTC 2026" */
		Cursor		behind = *cursor;

		if (!read_zone(&behind, fields))
			return true;
		cursor_skip_blanks(&behind);
		if (!year_follows(&behind))
		{
			fields->has_offset = false;
			fields->offset = 0;
			return true;
		}
		*cursor = behind;
	}
	if (fields->year == 0)
		(void) read_digits(cursor, 4, &fields->year);
	return true;
}

/*
 * "02/Nov/2024:10:11:12", "02 Nov 2024 10:11:12", "02-Nov-24 10:11:12", "02 Nov 10:11:12": the separator is at the cursor.
 */
static bool
read_named_month(Cursor *cursor, TimeFields *fields, int day)
{
	char		separator = *cursor->at++;
	int			digits;

	fields->day = day;
	if (!read_month_name(cursor, &fields->month) || !cursor_take(cursor, separator))
		return false;
	digits = cursor_count_digits(cursor);
	if (separator == ' ' && digits == 2 && cursor->end - cursor->at > 2 && cursor->at[2] == ':')
		return read_clock(cursor, fields);
	if ((digits != 2 && digits != 4) || !read_digits(cursor, digits, &fields->year))
		return false;
	if (digits == 2)
		fields->year = full_year(fields->year);
	if (!cursor_take(cursor, ':') && !cursor_take(cursor, 'T'))
		cursor_skip_blanks(cursor);
	return read_clock(cursor, fields);
}

/* Two numbers were read and the separator is at the cursor where a third number follows. */
static bool
read_short_date(Cursor *cursor, TimeFields *fields, int first, int second, char separator)
{
	int			third;

	if (!cursor_take(cursor, separator))
	{
		/* MM-DD without a year */
		fields->month = first;
		fields->day = second;
		return true;
	}
	switch (cursor_count_digits(cursor))
	{
		case 2:					/* yy/mm/dd */
			if (!read_digits(cursor, 2, &third))
				return false;
			fields->year = full_year(first);
			fields->month = second;
			fields->day = third;
			return true;
		case 4:					/* mm/dd/yyyy; dd-mm-yyyy where it cannot be otherwise */
			if (!read_digits(cursor, 4, &fields->year))
				return false;
			fields->month = first > 12 ? second : first;
			fields->day = first > 12 ? first : second;
			return true;
		default:
			return false;
	}
}

/* "22.11.2024", "22.11.24", "22.11." without a year: two numbers were read, the day first, and a dot may follow. */
static bool
read_dotted_date(Cursor *cursor, TimeFields *fields, int day, int month)
{
	int			digits;

	fields->day = day;
	fields->month = month;
	if (!cursor_take(cursor, '.'))
		return true;
	digits = cursor_count_digits(cursor);
	if (digits != 0 && digits != 2 && digits != 4)
		return false;
	(void) read_digits(cursor, digits, &fields->year);
	if (digits == 2)
		fields->year = full_year(fields->year);
	return true;
}

/* A date that begins with one or two digits. */
static bool
read_two_digit_start(Cursor *cursor, TimeFields *fields)
{
	int			first;
	int			second;
	char		separator;

	if (!read_short(cursor, &first))
		return false;
	separator = cursor_peek(cursor);
	if (separator != '/' && separator != '-' && separator != '.' && separator != ' ')
		return false;
	if (cursor->end - cursor->at > 1 && is_letter(cursor->at[1]))
		return read_named_month(cursor, fields, first);
	cursor->at++;
	if (separator == ' ' || !read_short(cursor, &second))
		return false;
	if (!(separator == '.' ? read_dotted_date(cursor, fields, first, second) :
		  read_short_date(cursor, fields, first, second, separator)))
		return false;
	if (!cursor_take(cursor, 'T') && cursor_peek(cursor) != ' ')
		return false;
	cursor_skip_blanks(cursor);
	return read_clock(cursor, fields);
}

/*
 * "2026-11-20 22:26:04", with T, a blank, a dash, an underscore or a comma before the time; the date with -, / or a dot; the
 * month by its name too.
 */
static bool
read_year_first(Cursor *cursor, TimeFields *fields)
{
	char		separator;

	(void) read_digits(cursor, 4, &fields->year);
	separator = cursor_peek(cursor);
	if (separator != '-' && separator != '/' && separator != '.' && separator != ':' && separator != '_')
		return false;
	cursor->at++;
	if (fields->year == 0 ||
		!(is_letter(cursor_peek(cursor)) ? read_month_name(cursor, &fields->month) : read_short(cursor, &fields->month)) ||
		!cursor_take(cursor, separator) || !read_short(cursor, &fields->day))
		return false;
	if (!cursor_take(cursor, 'T') && !cursor_take(cursor, '-') && !cursor_take(cursor, '_') && !cursor_take(cursor, ','))
	{
		if (cursor_peek(cursor) != ' ')
			return false;
		cursor_skip_blanks(cursor);
	}
	return read_clock(cursor, fields);
}

/* MDD, MMDD, yymmdd or YYYYMMDD; with hhmmss right behind it, too. */
static bool
read_packed_date(Cursor *cursor, TimeFields *fields, int digits)
{
	if (digits == 8 || digits == PACKED_TIME_DIGITS)
	{
		if (!read_digits(cursor, 4, &fields->year) || fields->year == 0)
			return false;
	}
	else if (digits == 6)
	{
		if (!read_digits(cursor, 2, &fields->year))
			return false;
		fields->year = full_year(fields->year);
	}
	return read_digits(cursor, digits == 3 ? 1 : 2, &fields->month) && read_digits(cursor, 2, &fields->day);
}

/* Reads a date and a time of day of any known form. */
static bool
read_fields(Cursor *cursor, TimeFields *fields)
{
	int			digits;

	skip_weekday(cursor);
	if (is_letter(cursor_peek(cursor)))
		return read_month_first(cursor, fields);
	digits = cursor_count_digits(cursor);
	if (digits == 1 || digits == 2)
		return read_two_digit_start(cursor, fields);
	if (digits == 4 && cursor->end - cursor->at > 4 && cursor->at[4] != ' ')
		return read_year_first(cursor, fields);
	if (digits != 3 && digits != 4 && digits != 6 && digits != 8 && digits != PACKED_TIME_DIGITS)
		return false;
	if (!read_packed_date(cursor, fields, digits))
		return false;
	if (!cursor_take(cursor, 'T') && !cursor_take(cursor, '-') && !cursor_take(cursor, '_') && !cursor_take(cursor, '/'))
		cursor_skip_blanks(cursor);
	return read_clock(cursor, fields);
}

/* Do the fields name a moment of the calendar? A leap second counts as the first one of the next minute. */
static bool
fields_are_valid(const TimeFields *fields, int year)
{
	if (year < 1 || year > 9999 || fields->month < 1 || fields->month > 12)
		return false;
	if (fields->day < 1 || fields->day > day_tab[isleap(year)][fields->month - 1])
		return false;
	return fields->hour <= 23 && fields->minute <= 59 && fields->second <= 60;
}

/* The moment that the fields name in the given year. */
static TimestampTz
fields_in_year(const TimeFields *fields, int year, pg_tz *zone)
{
	int64		days = date2j(year, fields->month, fields->day) - POSTGRES_EPOCH_JDATE;
	int64		seconds = days * SECS_PER_DAY + fields->hour * 3600 + fields->minute * 60 + fields->second;
	long int	fixed;

	if (fields->has_offset)
		seconds -= fields->offset;
	else if (pg_get_timezone_offset(zone, &fixed))
		seconds -= fixed;
	else
	{
		struct pg_tm tm = {0};

		tm.tm_year = year;
		tm.tm_mon = fields->month;
		tm.tm_mday = fields->day;
		tm.tm_hour = fields->hour;
		tm.tm_min = fields->minute;
		tm.tm_sec = fields->second;
		seconds += DetermineTimeZoneOffset(&tm, zone);
	}
	return seconds * USECS_PER_SEC + fields->microsecond;
}

/* The year of a moment in UTC. */
static int
year_of(TimestampTz time)
{
	int64		days = time / USECS_PER_DAY - (time % USECS_PER_DAY < 0 ? 1 : 0);
	int			year;
	int			month;
	int			day;

	j2date((int) (days + POSTGRES_EPOCH_JDATE), &year, &month, &day);
	return year;
}

/* From fields to a moment; finds the year where there is none. 29 February may lie up to eight years back (1896 to 1904). */
static bool
fields_resolve(const TimeFields *fields, pg_tz *zone, TimestampTz reference, TimestampTz *time)
{
	int			year = fields->year;
	int			oldest;

	if (year == 0 && (reference == 0 || TIMESTAMP_NOT_FINITE(reference)))
		year = YEAR_WITHOUT_REFERENCE;
	if (year != 0)
	{
		if (!fields_are_valid(fields, year))
			return false;
		*time = fields_in_year(fields, year, zone);
		return true;
	}
	year = year_of(reference) + 1;
	for (oldest = year - 10; year > oldest; year--)
	{
		if (!fields_are_valid(fields, year))
			continue;
		*time = fields_in_year(fields, year, zone);
		if (*time <= reference + USECS_PER_DAY)
			return true;
	}
	return false;
}

/* Two digits as a number, or a large one. */
static inline int
two_digits(const char *at)
{
	unsigned	high = (unsigned char) (at[0] - '0');
	unsigned	low = (unsigned char) (at[1] - '0');

	return high > 9 || low > 9 ? 1000 : (int) (high * 10 + low);
}

/*
 * The commonest form, 2026-11-20 22:26:04 with a fraction or without: what timestamp_parse does, in a tenth of its time. False
 * where the text is of another form, valid or not.
 */
static bool
parse_common(L4Bytes text, pg_tz *zone, TimestampTz *time)
{
	const char *at = text.data;
	TimeFields	fields = {0};
	int			scale = 100000;
	int			century;
	size_t		i;

	if (text.size < 19 || at[4] != '-' || at[7] != '-' || (at[10] != ' ' && at[10] != 'T' && at[10] != '-') || at[13] != ':' ||
		at[16] != ':')
		return false;
	century = two_digits(at);
	fields.year = century * 100 + two_digits(at + 2);
	fields.month = two_digits(at + 5);
	fields.day = two_digits(at + 8);
	fields.hour = two_digits(at + 11);
	fields.minute = two_digits(at + 14);
	fields.second = two_digits(at + 17);
	if (century > 99 || fields.year / 100 != century || !fields_are_valid(&fields, fields.year))
		return false;
	if (text.size > 19 && ((at[19] != '.' && at[19] != ',') || text.size == 20))
		return false;
	for (i = 20; i < text.size; i++, scale /= 10)
	{
		if (i == 23 && at[i] == '.' && text.size > 24)	/* Ascend's second dot */
			i++;
		if (!is_digit(at[i]))
			return false;
		fields.microsecond += (at[i] - '0') * scale;
	}
	*time = fields_in_year(&fields, fields.year, zone);
	return true;
}

/*
 * timestamp_parse: the whole of text (blanks around it aside) as a time. zone resolves times without a zone, reference times
 * without a year (0: the year 1970). Returns false, and leaves time alone, where text is no valid time. Never raises. Cost:
 * linear, below a microsecond.
 */
bool
timestamp_parse(L4Bytes text, pg_tz *zone, TimestampTz reference, TimestampTz *time)
{
	TimeFields	fields = {0};
	Cursor		cursor;

	if (text.size == 0)
		return false;
	if (parse_common(text, zone, time))
		return true;
	cursor.at = text.data;
	cursor.end = text.data + text.size;
	cursor_skip_blanks(&cursor);
	/* milliseconds of so many digits are some centuries away */
	if (cursor_count_digits(&cursor) >= 9 && !(cursor_count_digits(&cursor) == PACKED_TIME_DIGITS && year_begins(&cursor)))
		return timestamp_parse_epoch(text, time);
	if (!read_fields(&cursor, &fields))
		return false;
	cursor_skip_blanks(&cursor);
	if (!read_zone(&cursor, &fields))
		return false;
	cursor_skip_blanks(&cursor);
	return cursor.at == cursor.end && fields_resolve(&fields, zone, reference, time);
}

/* Seconds since 1970 have so many digits from 2001 to 2286, and begin with a 1 until 2033; those of fractions are more. */
#define EPOCH_DIGITS 10

/* The kind of number since 1970 that stands here, if it is one of the years 2001 to 2033; its size, or 0. */
static size_t
scan_epoch(L4Bytes text)
{
	Cursor		cursor = {text.data, text.data + text.size};
	int			digits = cursor_count_digits(&cursor);

	if (text.data[0] != '1' || digits < EPOCH_DIGITS || digits > EPOCH_DIGITS + 9 || (digits - EPOCH_DIGITS) % 3 != 0)
		return 0;
	cursor.at += digits;
	if (digits == EPOCH_DIGITS && (cursor_peek(&cursor) == '.' || cursor_peek(&cursor) == ','))
	{
		const char *mark = cursor.at++;

		cursor.at = cursor_count_digits(&cursor) > 0 ? cursor.at + cursor_count_digits(&cursor) : mark;
	}
	return cursor.at - text.data;
}

/* Reads the zone behind a time, if one stands there. */
static void
take_zone(Cursor *cursor)
{
	Cursor		behind = *cursor;
	TimeFields	fields = {0};

	cursor_skip_blanks(&behind);
	if (read_zone(&behind, &fields) && fields.has_offset &&
		(behind.at == behind.end || !(is_letter(*behind.at) || is_digit(*behind.at))))
		*cursor = behind;
}

/* Has all days that a date without a year may name. */
#define ANY_LEAP_YEAR 2000

/*
 * timestamp_scan: see timestamp.h. A time must have seconds. Never raises. Cost: below a microsecond; texts that no time begins
 * cost a look at their first bytes.
 */
size_t
timestamp_scan(L4Bytes text, L4TimeKind *kind)
{
	Cursor		cursor = {text.data, text.data + text.size};
	TimeFields	fields = {0};
	size_t		size;
	bool		clock;

	if (text.size == 0)
		return 0;
	*kind = L4_TIME_EPOCH;
	size = scan_epoch(text);
	if (size == 0)
	{
		clock = text.size >= 8 && (text.data[2] == ':' || text.data[1] == ':');
		*kind = clock ? L4_TIME_CLOCK : L4_TIME_WHOLE;
		if (!(clock ? read_clock(&cursor, &fields) : read_fields(&cursor, &fields)) || !fields.has_seconds)
			return 0;
		if (clock)
			fields.month = fields.day = 1;
		else
			take_zone(&cursor);
		while (cursor.at > text.data && (cursor.at[-1] == ' ' || cursor.at[-1] == '\t'))
			cursor.at--;
		if (!fields_are_valid(&fields, fields.year != 0 ? fields.year : ANY_LEAP_YEAR))
			return 0;
		size = cursor.at - text.data;
	}
	return size < text.size && (is_letter(text.data[size]) || is_digit(text.data[size])) ? 0 : size;
}

/*
 * timestamp_parse_parts: date (MDD, MMDD or YYYYMMDD) and clock (hh:mm:ss with a fraction, perhaps a zone) as a time; otherwise
 * as timestamp_parse.
 */
bool
timestamp_parse_parts(L4Bytes date, L4Bytes clock, pg_tz *zone, TimestampTz reference, TimestampTz *time)
{
	TimeFields	fields = {0};
	Cursor		cursor;

	if (date.size != 3 && date.size != 4 && date.size != 8)
		return false;
	cursor.at = date.data;
	cursor.end = date.data + date.size;
	if (!read_packed_date(&cursor, &fields, (int) date.size))
		return false;
	cursor.at = clock.data;
	cursor.end = clock.data + clock.size;
	if (clock.size == 0 || !read_clock(&cursor, &fields) || !read_zone(&cursor, &fields))
		return false;
	return cursor.at == cursor.end && fields_resolve(&fields, zone, reference, time);
}

/*
 * timestamp_parse_clock: as read by timestamp_parse_parts, but without a zone. False where it is no time of day; a leap second
 * is none.
 */
bool
timestamp_parse_clock(L4Bytes clock, int64 *time_of_day)
{
	TimeFields	fields = {0};
	Cursor		cursor = {clock.data, clock.data + clock.size};

	if (clock.size == 0 || !read_clock(&cursor, &fields) || cursor.at != cursor.end ||
		fields.hour > 23 || fields.minute > 59 || fields.second > 59)
		return false;
	*time_of_day = (fields.hour * 3600 + fields.minute * 60 + fields.second) * USECS_PER_SEC + fields.microsecond;
	return true;
}

/* The moment at which the clocks of the zone show this time of day on a day, counted from 2000-01-01. */
static TimestampTz
clock_on_day(int64 time_of_day, int64 day, pg_tz *zone)
{
	int			seconds = (int) (time_of_day / USECS_PER_SEC);
	TimeFields	fields = {0};
	int			year;

	j2date((int) (day + POSTGRES_EPOCH_JDATE), &year, &fields.month, &fields.day);
	fields.hour = seconds / 3600;
	fields.minute = seconds / 60 % 60;
	fields.second = seconds % 60;
	fields.microsecond = (int) (time_of_day % USECS_PER_SEC);
	return fields_in_year(&fields, year, zone);
}

/*
 * timestamp_of_clock: within half a day, as a rule. No zone is further than a day from Greenwich, so the day is one of five.
 */
TimestampTz
timestamp_of_clock(int64 time_of_day, TimestampTz near, pg_tz *zone)
{
	int64		day = near / USECS_PER_DAY;
	TimestampTz best = clock_on_day(time_of_day, day - 2, zone);
	int			i;

	for (i = -1; i <= 2; i++)
	{
		TimestampTz time = clock_on_day(time_of_day, day + i, zone);

		if (llabs(time - near) <= llabs(best - near))
			best = time;
	}
	return best;
}

/* A label of TAI64N, without the @ before it: sixteen digits of seconds since 1970 and eight of nanoseconds. */
#define TAI64N_DIGITS 24
#define TAI64N_BEGINS "4000000"
/* As the programs have it that write them (daemontools, s6): leap seconds are not counted. */
#define TAI64N_AHEAD 10

static bool
parse_tai64n(L4Bytes text, TimestampTz *time)
{
	char		digits[TAI64N_DIGITS + 1];
	uint64		seconds;
	uint64		nanoseconds;

	memcpy(digits, text.data, TAI64N_DIGITS);
	digits[TAI64N_DIGITS] = '\0';
	if (strspn(digits, "0123456789abcdef") != TAI64N_DIGITS)
		return false;
	nanoseconds = strtou64(digits + 16, NULL, 16);
	digits[16] = '\0';
	seconds = strtou64(digits, NULL, 16) - (UINT64CONST(1) << 62);
	*time = ((int64) seconds - TAI64N_AHEAD - EPOCH_OFFSET_SECONDS) * USECS_PER_SEC + (int64) (nanoseconds / 1000);
	return nanoseconds < 1000000000;
}

/*
 * timestamp_parse_epoch: a number since 1970 as a time, or a label of TAI64N: up to 11 digits are seconds, up to 14
 * milliseconds, up to 17 microseconds, up to 19 nanoseconds; only seconds may have a fraction. False where text is none. Never
 * raises.
 */
bool
timestamp_parse_epoch(L4Bytes text, TimestampTz *time)
{
	Cursor		cursor;
	int			digits;
	int			i;
	int			fraction = 0;
	int64		value = 0;

	if (text.size == TAI64N_DIGITS && memcmp(text.data, TAI64N_BEGINS, strlen(TAI64N_BEGINS)) == 0)
		return parse_tai64n(text, time);
	cursor.at = text.data;
	cursor.end = text.data + text.size;
	digits = text.size == 0 ? 0 : cursor_count_digits(&cursor);
	if (digits < 1 || digits > 18 + (digits == 19 && text.data[0] < '9'))
		return false;
	for (i = 0; i < digits; i++)
		value = value * 10 + (*cursor.at++ - '0');
	if (digits <= 11 && (cursor_peek(&cursor) == '.' || cursor_peek(&cursor) == ','))
	{
		cursor.at++;
		read_fraction(&cursor, &fraction);
	}
	if (cursor.at != cursor.end)
		return false;
	if (digits <= 11)
		value *= 1000000;
	else if (digits <= 14)
		value *= 1000;
	else if (digits > 17)
		value /= 1000;
	value += fraction;
	*time = value - EPOCH_OFFSET_SECONDS * USECS_PER_SEC;
	return true;
}
