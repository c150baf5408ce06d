/*
 * text.h: a growing buffer of log text with a clock and a random sequence of its own, and the quick formatting of records into
 * it.
 */
#ifndef GENERATE_TEXT_H
#define GENERATE_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* How times are written; each is the style of one kind of program. */
typedef enum
{
	TIME_COMMA,					/* 2026-11-20 22:22:53,205      Python logging */
	TIME_PLOG,					/* 2026-11-20-22:34:32.137.923  Ascend */
	TIME_SYSLOG,				/* Nov 20 22:22:16.299          system logs */
	TIME_ISO,					/* 2026-11-20T22:22:14.939Z     services */
	TIME_GLOG,					/* 1120 22:22:53.123456000      glog, as NCCL's watchdog in PyTorch */
	TIME_PLAIN,					/* 2026-11-20 22:23:04          training summaries */
	TIME_SLURM					/* 2026-11-20T22:23:04          Slurm */
} time_style;

typedef struct text
{
	char	   *data;
	size_t		used;
	size_t		size;
	int			file;			/* where text_flush writes, -1 for nowhere */
	int64_t		flushed;		/* bytes that text_flush took */
	int			marking;		/* does text_mark write? */
	int64_t		now;			/* microseconds since 1970 */
	uint64_t	random;
	int64_t		second;			/* the second that the two below spell */
	char		date[24];		/* 2026-11-20 */
	char		month_day[16];	/* Nov 20 */
	char		digits[8];		/* 1120 */
	char		clock[12];		/* 22:22:53 */
} text;

/* An empty text whose clock stands at now; the same seed and number give the same random sequence. */
extern void text_begin(text *t, uint64_t seed, uint64_t number, int64_t now);

/*
 * Adds a formatted piece. Directives: %s text, %d number, %4z number with leading zeros to a width of one digit, %1f to %6f a
 * fixed-point number (the argument times ten to that power), %x hexadecimal of 8 digits, %% itself. All numbers are of type
 * long.
 */
extern void text_add(text *t, const char *format, ...);
extern void text_add_bytes(text *t, const char *bytes, size_t length);
extern void text_add_list(text *t, const char *format, va_list arguments);

/* Writes what the text holds to its file and empties it. Errors end the program. */
extern void text_flush(text *t);

/* Begins a record: in a text that is marking, puts the clock's microseconds between two bytes 1 before it. */
extern void text_mark(text *t);

/* Adds the time of the text's clock in a style. */
extern void text_add_time(text *t, time_style style);

/* A random whole number from low to high, both included. */
extern long text_random(text *t, long low, long high);

/* A well mixed 64-bit number from two. */
extern uint64_t mix(uint64_t a, uint64_t b);

#endif
