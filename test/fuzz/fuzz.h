/*
 * fuzz.h: what the fuzz targets, the stand-in for the server and the driver share.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "ground/l4.h"
#include "pgtime.h"
#include "tools/bytes.h"

#include <setjmp.h>

/* ---- targets (target_*.c) ---- */

/* Takes one input apart and aborts (fuzz_require) where a promise does not hold. Memory is freed behind it. */
typedef void (*FuzzTarget) (L4Bytes input);

/* Adds an input to begin with. */
typedef void (*FuzzSeed) (L4Bytes input);

typedef struct FuzzEntry
{
	const char *name;
	FuzzTarget	run;
	const char *corpus;			/* folder in corpus/ with the inputs to begin with, besides that of the target's name */
	/*
	 * makes inputs of another kind from those of the corpus: stored bytes come from lines, and so outlive a change of their
	 * format
	 */
	void		(*seed) (L4Bytes input, FuzzSeed add);
	int			weight;			/* inputs of the short run: so many times as many as of others */
} FuzzEntry;

extern const FuzzEntry fuzz_targets[];
extern const int fuzz_target_count;

extern void fuzz_records(L4Bytes input);
extern void fuzz_line_prefixes(L4Bytes input);
extern void fuzz_times(L4Bytes input);
extern void fuzz_masks(L4Bytes input);
extern void fuzz_segment(L4Bytes input);
extern void fuzz_site_rules(L4Bytes input);
extern void fuzz_stored_segment(L4Bytes input);
extern void fuzz_stored_segment_seed(L4Bytes input, FuzzSeed add);
extern void fuzz_blob(L4Bytes input);
extern void fuzz_blob_seed(L4Bytes input, FuzzSeed add);
extern void fuzz_stored_statistics(L4Bytes input);
extern void fuzz_stored_statistics_seed(L4Bytes input, FuzzSeed add);
extern void fuzz_stored_counts(L4Bytes input);
extern void fuzz_stored_counts_seed(L4Bytes input, FuzzSeed add);
extern void fuzz_drain(L4Bytes input);
extern void fuzz_patterns(L4Bytes input);
extern void fuzz_distances(L4Bytes input);
extern void fuzz_components(L4Bytes input);
extern void fuzz_components_state(L4Bytes input);
extern void fuzz_components_state_seed(L4Bytes input, FuzzSeed add);
extern void fuzz_online_changes(L4Bytes input);
extern void fuzz_period(L4Bytes input);
extern void fuzz_places(L4Bytes input);
extern void fuzz_exports(L4Bytes input);
extern void fuzz_unpack(L4Bytes input);
extern void fuzz_unpack_seed(L4Bytes input, FuzzSeed add);
extern void fuzz_counts_state(L4Bytes input);
extern void fuzz_counts_state_seed(L4Bytes input, FuzzSeed add);
extern void fuzz_forest_state(L4Bytes input);
extern void fuzz_forest_state_seed(L4Bytes input, FuzzSeed add);
extern void fuzz_scores_state(L4Bytes input);
extern void fuzz_scores_state_seed(L4Bytes input, FuzzSeed add);
extern void fuzz_flow_messages(L4Bytes input);
extern void fuzz_intervals(L4Bytes input);
extern void fuzz_step_phases(L4Bytes input);
extern void fuzz_flows_state(L4Bytes input);
extern void fuzz_flows_state_seed(L4Bytes input, FuzzSeed add);
extern void fuzz_steps_state(L4Bytes input);
extern void fuzz_steps_state_seed(L4Bytes input, FuzzSeed add);

/* ---- helpers of targets (helpers.c) ---- */

/* The next line of a text, without its end, or false. */
extern bool fuzz_line(L4Bytes *rest, L4Bytes *line);
/* Cuts a number off the front of an input: its first byte, 0 where it is empty. */
extern unsigned fuzz_byte(L4Bytes *input);
/* A parser of all built-in formats, as good as new. */
extern struct L4HeaderParser *fuzz_parser(bool remember);
/* A copy in a block of its own size, so that a read behind it is noticed. */
extern L4Bytes fuzz_copy(L4Bytes bytes);
/* Several strings as one input and back; false where the input is not made so. */
extern void parts_join(const L4Bytes *parts, int count, FuzzSeed add);
extern bool parts_split(L4Bytes input, L4Bytes *parts, int count);

/* ---- the stand-in for the server (server.c) ---- */

/* Runs action(argument); returns 0, or the SQLSTATE of the error it raised. */
extern int	server_try(void (*action) (void *argument), void *argument);
/* The text of the last error. */
extern const char *server_message(void);
/* Frees all memory of the input that was just run. */
extern void server_reset(void);
/* The most bytes that were in use at once since the last reset. */
extern size_t server_peak(void);
/* A zone an hour or two east of Greenwich: the hour changes with the season, as real ones do. */
extern pg_tz *server_zone(void);

/* ---- promises ---- */

pg_noreturn extern void fuzz_failed(const char *file, int line, const char *what);

#define fuzz_require(condition) \
	do { if (!(condition)) fuzz_failed(__FILE__, __LINE__, #condition); } while (0)

#endif							/* FUZZ_H */
