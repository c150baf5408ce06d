/* writer.c: CSV files. The rows of flows are put together by hand: there are millions of them. */
#include "flows.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define START INT64_C(1767225600)	/* 2026-01-01 00:00:00 UTC, the begin of the window */
#define BUFFER (1 << 20)
#define LONGEST_ROW 512

struct writer
{
	FILE	   *file;
	char	   *data;
	size_t		used;
	long		bytes;
	int64_t		second;			/* that date spells */
	char		date[24];		/* 2026-01-01 00:00:00 */
};

static void
flush(writer *o)
{
	if (fwrite(o->data, 1, o->used, o->file) != o->used)
		fail("cannot write", "a file");
	o->bytes += o->used;
	o->used = 0;
}

writer *
writer_open(const char *folder, const char *file, const char *head)
{
	writer	   *o = take(sizeof(writer));
	char		path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	o->file = fopen(path, "w");
	if (o->file == NULL)
		fail("cannot write", path);
	o->data = take(BUFFER + LONGEST_ROW);
	o->second = -1;
	write_text(o, "%s\n", head);
	return o;
}

long
writer_close(writer *o)
{
	long		bytes;

	flush(o);
	if (fclose(o->file) != 0)
		fail("cannot write", "a file");
	bytes = o->bytes;
	free(o->data);
	free(o);
	return bytes;
}

void
write_text(writer *o, const char *format, ...)
{
	va_list		arguments;

	va_start(arguments, format);
	o->used += vsnprintf(o->data + o->used, LONGEST_ROW, format, arguments);
	va_end(arguments);
	if (o->used >= BUFFER)
		flush(o);
}

static char *
add_string(char *p, const char *s)
{
	while (*s != '\0')
		*p++ = *s++;
	return p;
}

/* With leading zeros up to a width. */
static char *
add_number(char *p, uint64_t n, int width)
{
	char		digits[24];
	int			count = 0;

	while (n > 0 || count < width || count == 0)
	{
		digits[count++] = '0' + n % 10;
		n /= 10;
	}
	while (count > 0)
		*p++ = digits[--count];
	return p;
}

static char *
add_time(writer *o, char *p, double at)
{
	int64_t		micros = START * 1000000 + (int64_t) floor(at * 1e6);
	int64_t		second = micros / 1000000;

	if (second != o->second)
	{
		time_t		t = second;
		struct tm	parts;

		gmtime_r(&t, &parts);
		strftime(o->date, sizeof(o->date), "%Y-%m-%d %H:%M:%S", &parts);
		o->second = second;
	}
	p = add_string(p, o->date);
	*p++ = '.';
	p = add_number(p, micros % 1000000, 6);
	return add_string(p, "+00");
}

void
write_time(writer *o, double at)
{
	if (isfinite(at))
		o->used = add_time(o, o->data + o->used, at) - o->data;
}

/* The switches on the way, as a literal of an array. */
static char *
add_switches(const world *w, char *p, const flow *f)
{
	int			from = w->net.all[f->source].leaf;
	int			to = w->net.all[f->destination].leaf;

	if (f->spine < 0)
	{
		p = add_number(add_string(p, "{leaf-"), from + 1, 0);
		return add_string(p, "}");
	}
	p = add_number(add_string(p, "\"{leaf-"), from + 1, 0);
	p = add_number(add_string(p, ",spine-"), f->spine + 1, 0);
	p = add_number(add_string(p, ",leaf-"), to + 1, 0);
	return add_string(p, "}\"");
}

void
write_flow(world *w, const flow *f)
{
	writer	   *o = w->flows;
	char	   *p = add_time(o, o->data + o->used, f->start);
	int64_t		nanos = (int64_t) (fabs(f->duration) * 1e9 + 0.5);

	*p++ = ',';
	if (f->duration < 0)
		*p++ = '-';
	p = add_number(p, nanos / 1000000000, 0);
	*p++ = '.';
	p = add_number(p, nanos % 1000000000, 9);
	*p++ = ',';
	p = add_string(p, w->net.all[f->source].address);
	*p++ = ',';
	p = add_string(p, w->net.all[f->destination].address);
	*p++ = ',';
	p = add_number(p, f->bytes, 0);
	*p++ = ',';
	p = add_switches(w, p, f);
	*p++ = ',';
	p = add_number(p, (f->bytes + 4095) / 4096 + f->retransmits, 0);
	*p++ = ',';
	p = add_number(p, f->retransmits, 0);
	*p++ = ',';
	p = add_number(p, f->queue_pair, 0);
	*p++ = ',';
	p = add_number(p, f->port, 0);
	*p++ = '\n';
	o->used = p - o->data;
	if (o->used >= BUFFER)
		flush(o);
}
