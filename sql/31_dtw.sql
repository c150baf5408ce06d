/*
 * Distances of event sequences, and iterations that deviate from the others.
 */

CREATE FUNCTION @extschema@.l4_dtw_distance(a bigint[], b bigint[], band int DEFAULT NULL) RETURNS int
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'l4_dtw_distance';
COMMENT ON FUNCTION @extschema@.l4_dtw_distance(bigint[], bigint[], int) IS
'Dynamic time warping distance of two sequences: cost 0 for equal elements, else 1, summed over the best path with steps '
'(1,1), (1,0), (0,1) from the first pair to the last, not normalised. band r: only pairs (i, j) with -r - max(0, n-m) <= j '
'- i <= r + max(0, m-n), n and m the lengths; NULL for all. Two empty sequences: 0; one: the length of the other. NULL if '
'a or b is. Repeated elements cost nothing where the other sequence has the element: to see repetitions use '
'l4_edit_distance. Errors: 22004 NULL element; 2202E several dimensions; 22023 negative band; 54000 more than 1000000 '
'elements. Time n * m, memory n + m. Sakoe, Chiba, IEEE TASSP 1978.';

CREATE FUNCTION @extschema@.l4_edit_distance(a bigint[], b bigint[]) RETURNS int
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'l4_edit_distance';
COMMENT ON FUNCTION @extschema@.l4_edit_distance(bigint[], bigint[]) IS
'Edit distance of two sequences: fewest insertions, deletions and replacements of one element that make a into b. NULL if '
'a or b is. Errors: 22004 NULL element; 2202E several dimensions; 54000 more than 1000000 elements. Time (n + m) * '
'distance, memory n + m. Levenshtein 1966; Ukkonen 1985.';

CREATE FUNCTION @extschema@.l4_dtw_distance(a int[], b int[], band int DEFAULT NULL) RETURNS int
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'l4_dtw_distance';
COMMENT ON FUNCTION @extschema@.l4_dtw_distance(int[], int[], int) IS
'Dynamic time warping distance of two sequences: cost 0 for equal elements, else 1, summed over the best path with steps '
'(1,1), (1,0), (0,1) from the first pair to the last, not normalised. band r: only pairs (i, j) with -r - max(0, n-m) <= j '
'- i <= r + max(0, m-n), n and m the lengths; NULL for all. Two empty sequences: 0; one: the length of the other. NULL if '
'a or b is. Repeated elements cost nothing where the other sequence has the element: to see repetitions use '
'l4_edit_distance. Errors: 22004 NULL element; 2202E several dimensions; 22023 negative band; 54000 more than 1000000 '
'elements. Time n * m, memory n + m. Sakoe, Chiba, IEEE TASSP 1978.';

CREATE FUNCTION @extschema@.l4_edit_distance(a int[], b int[]) RETURNS int
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'l4_edit_distance';
COMMENT ON FUNCTION @extschema@.l4_edit_distance(int[], int[]) IS
'Edit distance of two sequences: fewest insertions, deletions and replacements of one element that make a into b. NULL if '
'a or b is. Errors: 22004 NULL element; 2202E several dimensions; 54000 more than 1000000 elements. Time (n + m) * '
'distance, memory n + m. Levenshtein 1966; Ukkonen 1985.';

CREATE FUNCTION @extschema@.l4_dtw_distance(a text[], b text[], band int DEFAULT NULL) RETURNS int
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'l4_dtw_distance';
COMMENT ON FUNCTION @extschema@.l4_dtw_distance(text[], text[], int) IS
'Dynamic time warping distance of two sequences: cost 0 for equal elements, else 1, summed over the best path with steps '
'(1,1), (1,0), (0,1) from the first pair to the last, not normalised. band r: only pairs (i, j) with -r - max(0, n-m) <= j '
'- i <= r + max(0, m-n), n and m the lengths; NULL for all. Two empty sequences: 0; one: the length of the other. NULL if '
'a or b is. Repeated elements cost nothing where the other sequence has the element: to see repetitions use '
'l4_edit_distance. Errors: 22004 NULL element; 2202E several dimensions; 22023 negative band; 54000 more than 1000000 '
'elements. Time n * m, memory n + m. Sakoe, Chiba, IEEE TASSP 1978.';

CREATE FUNCTION @extschema@.l4_edit_distance(a text[], b text[]) RETURNS int
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'l4_edit_distance';
COMMENT ON FUNCTION @extschema@.l4_edit_distance(text[], text[]) IS
'Edit distance of two sequences: fewest insertions, deletions and replacements of one element that make a into b. NULL if '
'a or b is. Errors: 22004 NULL element; 2202E several dimensions; 54000 more than 1000000 elements. Time (n + m) * '
'distance, memory n + m. Levenshtein 1966; Ukkonen 1985.';

CREATE TYPE @extschema@.l4_dtw_state;

CREATE FUNCTION @extschema@.l4_dtw_state_in(cstring) RETURNS @extschema@.l4_dtw_state
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_dtw_state_in';
COMMENT ON FUNCTION @extschema@.l4_dtw_state_in(cstring) IS
'Reads a state of l4_dtw_scores from its text form (base64). Error 22P02 or 22P03 if it is none.';

CREATE FUNCTION @extschema@.l4_dtw_state_out(@extschema@.l4_dtw_state) RETURNS cstring
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_dtw_state_out';
COMMENT ON FUNCTION @extschema@.l4_dtw_state_out(@extschema@.l4_dtw_state) IS
'Text form (base64) of a state of l4_dtw_scores.';

CREATE FUNCTION @extschema@.l4_dtw_state_recv(internal) RETURNS @extschema@.l4_dtw_state
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_dtw_state_recv';
COMMENT ON FUNCTION @extschema@.l4_dtw_state_recv(internal) IS
'Reads a state of l4_dtw_scores from its binary form. Error 22P03 if it is none.';

CREATE FUNCTION @extschema@.l4_dtw_state_send(@extschema@.l4_dtw_state) RETURNS bytea
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_dtw_state_send';
COMMENT ON FUNCTION @extschema@.l4_dtw_state_send(@extschema@.l4_dtw_state) IS
'Binary form of a state of l4_dtw_scores, for machines of the same byte order.';

CREATE TYPE @extschema@.l4_dtw_state (
	INPUT = @extschema@.l4_dtw_state_in,
	OUTPUT = @extschema@.l4_dtw_state_out,
	RECEIVE = @extschema@.l4_dtw_state_recv,
	SEND = @extschema@.l4_dtw_state_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = extended
);
COMMENT ON TYPE @extschema@.l4_dtw_state IS
'State of l4_dtw_scores: iterations seen so far. Travels between parallel workers and machines; 8 bytes per event.';

CREATE TYPE @extschema@.l4_dtw_score AS (
	iteration bigint,
	length int,
	mean_distance double precision,
	three_sigma boolean,
	nearest_distance double precision,
	unusual boolean,
	recurrent boolean
);
COMMENT ON TYPE @extschema@.l4_dtw_score IS
'One iteration of the result of l4_dtw_scores.';
COMMENT ON COLUMN @extschema@.l4_dtw_score.iteration IS
'The iteration as given.';
COMMENT ON COLUMN @extschema@.l4_dtw_score.length IS
'How many events it has.';
COMMENT ON COLUMN @extschema@.l4_dtw_score.mean_distance IS
'Mean distance to the up to window_size iterations before it, in events; NULL for the first.';
COMMENT ON COLUMN @extschema@.l4_dtw_score.three_sigma IS
'The paper''s rule: mean_distance above mean + sigma * sd (of the population) of all mean distances. Finds nothing where '
'more than a tenth of the iterations deviate or there are 10 or fewer, and flags every checkpoint.';
COMMENT ON COLUMN @extschema@.l4_dtw_score.nearest_distance IS
'0 for a sequence seen three times or more, else the distance to the nearest other sequence seen at least twice, or, where '
'there is none, to the nearest other sequence of the window_size iterations before and after; NULL where there is nothing '
'to compare with.';
COMMENT ON COLUMN @extschema@.l4_dtw_score.unusual IS
'The robust rule: of the nearest distances that are not 0, those above 1.5 if some sequence recurs and there are fewer '
'than max(8, n / 100), else those above median + sigma * 1.4826 * max(0.5, median absolute deviation). A failure that '
'repeats identically three times counts as usual.';
COMMENT ON COLUMN @extschema@.l4_dtw_score.recurrent IS
'Has another iteration the very same events?';

CREATE FUNCTION @extschema@.l4_dtw_scores_transition(state @extschema@.l4_dtw_state, iteration bigint, events bigint[])
	RETURNS @extschema@.l4_dtw_state
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_dtw_scores_transition';
COMMENT ON FUNCTION @extschema@.l4_dtw_scores_transition(@extschema@.l4_dtw_state, bigint, bigint[]) IS
'Takes one row into a state of l4_dtw_scores.';

CREATE FUNCTION @extschema@.l4_dtw_scores_transition(state @extschema@.l4_dtw_state, iteration bigint, events bigint[],
	window_size int, distance text, sigma double precision)
	RETURNS @extschema@.l4_dtw_state
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_dtw_scores_transition';
COMMENT ON FUNCTION @extschema@.l4_dtw_scores_transition(@extschema@.l4_dtw_state, bigint, bigint[], int, text,
	double precision) IS
'Takes one row into a state of l4_dtw_scores.';

CREATE FUNCTION @extschema@.l4_dtw_scores_combine(@extschema@.l4_dtw_state, @extschema@.l4_dtw_state)
	RETURNS @extschema@.l4_dtw_state
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_dtw_scores_combine';
COMMENT ON FUNCTION @extschema@.l4_dtw_scores_combine(@extschema@.l4_dtw_state, @extschema@.l4_dtw_state) IS
'Adds the second state of l4_dtw_scores to the first. Error 22023 if their options differ.';

CREATE FUNCTION @extschema@.l4_dtw_scores_final(@extschema@.l4_dtw_state) RETURNS @extschema@.l4_dtw_score[]
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100000 AS 'MODULE_PATHNAME', 'l4_dtw_scores_final';
COMMENT ON FUNCTION @extschema@.l4_dtw_scores_final(@extschema@.l4_dtw_state) IS
'Compares the iterations of a state of l4_dtw_scores.';

CREATE AGGREGATE @extschema@.l4_dtw_scores(iteration bigint, events bigint[]) (
	SFUNC = @extschema@.l4_dtw_scores_transition,
	STYPE = @extschema@.l4_dtw_state,
	FINALFUNC = @extschema@.l4_dtw_scores_final,
	COMBINEFUNC = @extschema@.l4_dtw_scores_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_dtw_scores(bigint, bigint[]) IS
'Judges each iteration by its event sequence against the others. Result: one l4_dtw_score per row, ordered by iteration, '
'to be unnested; NULL for no rows. Columns mean_distance and three_sigma are the rule of L4 (Jiang et al., FSE Companion '
'2025), nearest_distance and unusual a rule that survives checkpoints, jitter and a deviation of 0. Window 10, sigma 3; '
'mean_distance is by l4_dtw_distance, as in the paper, nearest_distance by l4_edit_distance, which sees repeated lines '
'too. All iterations must be given before the verdict: it looks forward, too. The last iteration of a crashed job is '
'nearly always cut short. The result is the same for any order of rows and any plan. Errors: 22004 iteration, events or an '
'element NULL; 22023 an iteration twice, or bad option; 2202E several dimensions; 54000 more than 1000000 events in one; '
'53400 more than maintenance_work_mem. Cost: 12 bytes per event; a distance per pair of distinct sequences in the window, '
'and per distinct sequence a search among those seen twice.';

CREATE AGGREGATE @extschema@.l4_dtw_scores(iteration bigint, events bigint[], window_size int, distance text,
	sigma double precision) (
	SFUNC = @extschema@.l4_dtw_scores_transition,
	STYPE = @extschema@.l4_dtw_state,
	FINALFUNC = @extschema@.l4_dtw_scores_final,
	COMBINEFUNC = @extschema@.l4_dtw_scores_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_dtw_scores(bigint, bigint[], int, text, double precision) IS
'Judges each iteration by its event sequence against the others. Result: one l4_dtw_score per row, ordered by iteration, '
'to be unnested; NULL for no rows. Columns mean_distance and three_sigma are the rule of L4 (Jiang et al., FSE Companion '
'2025), nearest_distance and unusual a rule that survives checkpoints, jitter and a deviation of 0. window_size: 1 to '
'10000, default 10. distance: ''dtw'' or ''edit'' for both rules; by default mean_distance is by l4_dtw_distance, as in '
'the paper, and nearest_distance by l4_edit_distance, which sees repeated lines too. sigma: default 3. NULL means the '
'default; all rows must have the same. All iterations must be given before the verdict: it looks forward, too. The last '
'iteration of a crashed job is nearly always cut short. The result is the same for any order of rows and any plan. Errors: '
'22004 iteration, events or an element NULL; 22023 an iteration twice, or bad option; 2202E several dimensions; 54000 more '
'than 1000000 events in one; 53400 more than maintenance_work_mem. Cost: 12 bytes per event; a distance per pair of '
'distinct sequences in the window, and per distinct sequence a search among those seen twice.';

CREATE AGGREGATE @extschema@.l4_dtw_collect(iteration bigint, events bigint[]) (
	SFUNC = @extschema@.l4_dtw_scores_transition,
	STYPE = @extschema@.l4_dtw_state,
	COMBINEFUNC = @extschema@.l4_dtw_scores_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_dtw_collect(bigint, bigint[]) IS
'Step: First half of l4_dtw_scores(iteration, events): the rows as a state, to be kept, or merged and judged by '
'l4_dtw_scores(state). Errors as there.';

CREATE AGGREGATE @extschema@.l4_dtw_scores(state @extschema@.l4_dtw_state) (
	SFUNC = @extschema@.l4_dtw_scores_combine,
	STYPE = @extschema@.l4_dtw_state,
	FINALFUNC = @extschema@.l4_dtw_scores_final,
	COMBINEFUNC = @extschema@.l4_dtw_scores_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_dtw_scores(@extschema@.l4_dtw_state) IS
'Second half of l4_dtw_scores: merges states of l4_dtw_collect and judges. The same result as of all rows at once. Error '
'22023 if their options differ.';
