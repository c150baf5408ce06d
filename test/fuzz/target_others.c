/*
 * target_others.c: distances against the plain recurrence, and places from paths and layouts.
 */
#include "fuzz.h"

#include "algorithms/dtw.h"
#include "algorithms/place.h"
#include "utils/memutils.h"

/* ---- distances ---- */

#define FAR 1000000
#define LENGTH_LIMIT 300

typedef struct Sequence
{
	int			length;
	uint32		symbols[LENGTH_LIMIT];
} Sequence;

/* Symbols of one byte each; wide ones lie above what fits into 16 bits. */
static Sequence *
sequence_of(L4Bytes line, bool wide)
{
	Sequence   *sequence = palloc(sizeof(Sequence));
	int			i;

	sequence->length = (int) Min(line.size, LENGTH_LIMIT);
	for (i = 0; i < sequence->length; i++)
		sequence->symbols[i] = (unsigned char) line.data[i] + (wide ? 70000 : 0);
	return sequence;
}

/* May a cell be entered, by the definition of the band in dtw.h? */
static bool
in_band(int i, int j, int n, int m, int band)
{
	return band < 0 || (j - i >= -band - Max(0, n - m) && j - i <= band + Max(0, m - n));
}

/* The last cell of the table of either distance, cell by cell. */
static int
plain_distance(const Sequence *a, const Sequence *b, int band, bool warping)
{
	int			n = a->length;
	int			m = b->length;
	int		   *above = palloc((m + 1) * sizeof(int));
	int		   *row = palloc((m + 1) * sizeof(int));
	int			i;
	int			j;

	if (n == 0 || m == 0)
		return Max(n, m);
	for (j = 0; j <= m; j++)
		above[j] = warping ? (j == 0 ? 0 : FAR) : j;
	for (i = 1; i <= n; i++)
	{
		int		   *swap = above;

		row[0] = warping ? FAR : i;
		for (j = 1; j <= m; j++)
		{
			int			differs = a->symbols[i - 1] != b->symbols[j - 1];
			int			straight = above[j - 1] + differs;
			int			aside = Min(above[j], row[j - 1]) + (warping ? differs : 1);

			row[j] = in_band(i, j, n, m, band) ? Min(straight, aside) : FAR;
		}
		above = row;
		row = swap;
	}
	return above[m];
}

/* Input: a band, kinds of symbols, then two sequences, one on each line. */
void
fuzz_distances(L4Bytes input)
{
	int			band = (int) fuzz_byte(&input) % 20 - 1;
	bool		wide = fuzz_byte(&input) & 1;
	L4Bytes		line = {"", 0};
	Sequence   *a;
	Sequence   *b;
	int			edits;

	(void) fuzz_line(&input, &line);
	a = sequence_of(line, wide);
	line.size = 0;
	(void) fuzz_line(&input, &line);
	b = sequence_of(line, wide);
	fuzz_require(dtw_distance(a->symbols, a->length, b->symbols, b->length, band) == plain_distance(a, b, band, true));
	fuzz_require(dtw_distance(b->symbols, b->length, a->symbols, a->length, band) == plain_distance(b, a, band, true));
	edits = plain_distance(a, b, -1, false);
	fuzz_require(edit_distance(a->symbols, a->length, b->symbols, b->length, DTW_UNLIMITED) == edits);
	if (band >= 0)
		fuzz_require(edit_distance(a->symbols, a->length, b->symbols, b->length, band) == Min(edits, band + 1));
}

/* ---- places ---- */

typedef struct Layout
{
	const char *text;
	L4PlaceRules *rules;
} Layout;

static void
compile_layout(void *argument)
{
	Layout	   *layout = argument;

	layout->rules = place_rules_create(NULL, 0, layout->text);
}

/* The rules of all built-in formats, compiled once. */
static L4PlaceRules *
builtin_rules(void)
{
	static L4PlaceRules *rules;

	if (rules == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);

		rules = place_rules_create(l4_builtin_formats_array, l4_builtin_formats_count, NULL);
		MemoryContextSwitchTo(caller);
	}
	return rules;
}

static void
require_place(L4PlaceRules *rules, const char *path)
{
	static char *nodes[] = {"node-0", "node-1"};
	L4Cluster	cluster = {2, nodes, 4};
	L4Place		place = place_from_path(rules, &cluster, path);

	fuzz_require(place.kind != NULL && place.rank >= -1 && place.attempt >= -1);
	fuzz_require(place.node == NULL || strlen(place.node) <= strlen(path) + strlen("node-0"));
}

/* Input: a layout on the first line, then paths. */
void
fuzz_places(L4Bytes input)
{
	Layout		layout = {0};
	L4Bytes		line = {"", 0};
	int			code;

	(void) fuzz_line(&input, &line);
	layout.text = pnstrdup(line.data, line.size);
	code = server_try(compile_layout, &layout);
	fuzz_require(code == 0 || code == ERRCODE_INVALID_PARAMETER_VALUE || code == ERRCODE_INVALID_REGULAR_EXPRESSION);
	while (fuzz_line(&input, &line))
	{
		const char *path = pnstrdup(line.data, line.size);

		require_place(builtin_rules(), path);
		if (code == 0)
			require_place(layout.rules, path);
	}
}
