/*
 * Isolation Forest over sparse (item, feature, value) rows.
 */

CREATE TYPE @extschema@.l4_iforest_state;

CREATE FUNCTION @extschema@.l4_iforest_state_in(cstring) RETURNS @extschema@.l4_iforest_state
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_iforest_state_in';
COMMENT ON FUNCTION @extschema@.l4_iforest_state_in(cstring) IS
'Reads a state of l4_iforest_rank from its text form (base64). Error 22P02 or 22P03 if it is none.';

CREATE FUNCTION @extschema@.l4_iforest_state_out(@extschema@.l4_iforest_state) RETURNS cstring
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_iforest_state_out';
COMMENT ON FUNCTION @extschema@.l4_iforest_state_out(@extschema@.l4_iforest_state) IS
'Text form (base64) of a state of l4_iforest_rank.';

CREATE FUNCTION @extschema@.l4_iforest_state_recv(internal) RETURNS @extschema@.l4_iforest_state
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_iforest_state_recv';
COMMENT ON FUNCTION @extschema@.l4_iforest_state_recv(internal) IS
'Reads a state of l4_iforest_rank from its binary form. Error 22P03 if it is none.';

CREATE FUNCTION @extschema@.l4_iforest_state_send(@extschema@.l4_iforest_state) RETURNS bytea
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_iforest_state_send';
COMMENT ON FUNCTION @extschema@.l4_iforest_state_send(@extschema@.l4_iforest_state) IS
'Binary form of a state of l4_iforest_rank, for machines of the same byte order.';

CREATE TYPE @extschema@.l4_iforest_state (
	INPUT = @extschema@.l4_iforest_state_in,
	OUTPUT = @extschema@.l4_iforest_state_out,
	RECEIVE = @extschema@.l4_iforest_state_recv,
	SEND = @extschema@.l4_iforest_state_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = extended
);
COMMENT ON TYPE @extschema@.l4_iforest_state IS
'State of l4_iforest_rank: rows seen so far. Travels between parallel workers and machines; grows with the distinct (item, '
'feature) pairs.';

CREATE TYPE @extschema@.l4_iforest_feature AS (
	feature text,
	saving double precision,
	z double precision,
	value double precision,
	median double precision
);
COMMENT ON TYPE @extschema@.l4_iforest_feature IS
'A feature that sets an item apart, part of l4_iforest_item.';
COMMENT ON COLUMN @extschema@.l4_iforest_feature.feature IS
'The feature as given (a bigint in decimal).';
COMMENT ON COLUMN @extschema@.l4_iforest_feature.saving IS
'Path length that splits by this feature saved the item, mean over the trees (mode counts: over the weighted half). Larger '
'is more telling; 0 where there is no forest (fewer than 3 items).';
COMMENT ON COLUMN @extschema@.l4_iforest_feature.z IS
'Distance of the value (without what its baseline explains) from the median over all items, in robust standard deviations; '
'never negative. Mode counts measures after 2*sqrt(x + 3/8).';
COMMENT ON COLUMN @extschema@.l4_iforest_feature.value IS
'The item''s value, duplicate rows added up; 0 if it has no row.';
COMMENT ON COLUMN @extschema@.l4_iforest_feature.median IS
'Median of the feature over all items (values without what their baselines explain).';

CREATE TYPE @extschema@.l4_iforest_item AS (
	item text,
	rank int,
	score double precision,
	max_z double precision,
	suspect boolean,
	features @extschema@.l4_iforest_feature[]
);
COMMENT ON TYPE @extschema@.l4_iforest_item IS
'One item of the result of l4_iforest_rank.';
COMMENT ON COLUMN @extschema@.l4_iforest_item.item IS
'The item as given.';
COMMENT ON COLUMN @extschema@.l4_iforest_item.rank IS
'1 is the most anomalous; by score, then by max_z, then by item in byte order.';
COMMENT ON COLUMN @extschema@.l4_iforest_item.score IS
'Anomaly score 2^(-mean depth / expected depth), between 0 and 1; what it can reach depends on the number of items (0.66 '
'for 3, 0.82 for 8, 0.93 for 256). 0.5 with fewer than 3 items.';
COMMENT ON COLUMN @extschema@.l4_iforest_item.max_z IS
'Largest z over all features.';
COMMENT ON COLUMN @extschema@.l4_iforest_item.suspect IS
'score > 0.55 and max_z > sqrt(2 ln(items * varying features)) + 1. With 4 items or fewer a sample cannot set its own '
'noise level: go by rank and z.';
COMMENT ON COLUMN @extschema@.l4_iforest_item.features IS
'Up to 10 features that set the item apart, most saving first, then by z, then by feature in byte order.';

CREATE FUNCTION @extschema@.l4_iforest_rank_transition(state @extschema@.l4_iforest_state, item text, feature text,
	value double precision)
	RETURNS @extschema@.l4_iforest_state
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_iforest_rank_transition';
COMMENT ON FUNCTION @extschema@.l4_iforest_rank_transition(@extschema@.l4_iforest_state, text, text, double precision) IS
'Takes one row into a state of l4_iforest_rank.';

CREATE FUNCTION @extschema@.l4_iforest_rank_transition(state @extschema@.l4_iforest_state, item text, feature text,
	value double precision, mode text, trees int, sample_size int, seed bigint)
	RETURNS @extschema@.l4_iforest_state
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_iforest_rank_transition';
COMMENT ON FUNCTION @extschema@.l4_iforest_rank_transition(@extschema@.l4_iforest_state, text, text, double precision, text,
	int, int, bigint) IS
'Takes one row into a state of l4_iforest_rank.';

CREATE FUNCTION @extschema@.l4_iforest_rank_transition(state @extschema@.l4_iforest_state, item text, feature text,
	value double precision, baseline double precision)
	RETURNS @extschema@.l4_iforest_state
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_iforest_rank_transition';
COMMENT ON FUNCTION @extschema@.l4_iforest_rank_transition(@extschema@.l4_iforest_state, text, text, double precision,
	double precision) IS
'Takes one row into a state of l4_iforest_rank.';

CREATE FUNCTION @extschema@.l4_iforest_rank_transition(state @extschema@.l4_iforest_state, item text, feature text,
	value double precision, baseline double precision, mode text, trees int, sample_size int, seed bigint)
	RETURNS @extschema@.l4_iforest_state
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_iforest_rank_transition';
COMMENT ON FUNCTION @extschema@.l4_iforest_rank_transition(@extschema@.l4_iforest_state, text, text, double precision,
	double precision, text, int, int, bigint) IS
'Takes one row into a state of l4_iforest_rank.';

CREATE FUNCTION @extschema@.l4_iforest_rank_transition(state @extschema@.l4_iforest_state, item text, feature bigint,
	value double precision)
	RETURNS @extschema@.l4_iforest_state
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_iforest_rank_transition_bigint';
COMMENT ON FUNCTION @extschema@.l4_iforest_rank_transition(@extschema@.l4_iforest_state, text, bigint, double precision) IS
'Takes one row into a state of l4_iforest_rank.';

CREATE FUNCTION @extschema@.l4_iforest_rank_transition(state @extschema@.l4_iforest_state, item text, feature bigint,
	value double precision, mode text, trees int, sample_size int, seed bigint)
	RETURNS @extschema@.l4_iforest_state
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_iforest_rank_transition_bigint';
COMMENT ON FUNCTION @extschema@.l4_iforest_rank_transition(@extschema@.l4_iforest_state, text, bigint, double precision, text,
	int, int, bigint) IS
'Takes one row into a state of l4_iforest_rank.';

CREATE FUNCTION @extschema@.l4_iforest_rank_transition(state @extschema@.l4_iforest_state, item text, feature bigint,
	value double precision, baseline double precision)
	RETURNS @extschema@.l4_iforest_state
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_iforest_rank_transition_bigint';
COMMENT ON FUNCTION @extschema@.l4_iforest_rank_transition(@extschema@.l4_iforest_state, text, bigint, double precision,
	double precision) IS
'Takes one row into a state of l4_iforest_rank.';

CREATE FUNCTION @extschema@.l4_iforest_rank_transition(state @extschema@.l4_iforest_state, item text, feature bigint,
	value double precision, baseline double precision, mode text, trees int, sample_size int, seed bigint)
	RETURNS @extschema@.l4_iforest_state
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_iforest_rank_transition_bigint';
COMMENT ON FUNCTION @extschema@.l4_iforest_rank_transition(@extschema@.l4_iforest_state, text, bigint, double precision,
	double precision, text, int, int, bigint) IS
'Takes one row into a state of l4_iforest_rank.';

CREATE FUNCTION @extschema@.l4_iforest_rank_combine(@extschema@.l4_iforest_state, @extschema@.l4_iforest_state)
	RETURNS @extschema@.l4_iforest_state
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_iforest_rank_combine';
COMMENT ON FUNCTION @extschema@.l4_iforest_rank_combine(@extschema@.l4_iforest_state, @extschema@.l4_iforest_state) IS
'Adds the second state of l4_iforest_rank to the first. Error 22023 if their options differ.';

CREATE FUNCTION @extschema@.l4_iforest_rank_final(@extschema@.l4_iforest_state) RETURNS @extschema@.l4_iforest_item[]
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100000 AS 'MODULE_PATHNAME', 'l4_iforest_rank_final';
COMMENT ON FUNCTION @extschema@.l4_iforest_rank_final(@extschema@.l4_iforest_state) IS
'Grows the forest over a state of l4_iforest_rank and ranks its items.';

CREATE AGGREGATE @extschema@.l4_iforest_rank(item text, feature text, value double precision) (
	SFUNC = @extschema@.l4_iforest_rank_transition,
	STYPE = @extschema@.l4_iforest_state,
	FINALFUNC = @extschema@.l4_iforest_rank_final,
	COMBINEFUNC = @extschema@.l4_iforest_rank_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_iforest_rank(text, text, double precision) IS
'Ranks items by how anomalous they are, from sparse (item, feature, value) rows, with an Isolation Forest. Result: the '
'items, most anomalous first, to be unnested; NULL for no rows. What has no row is 0; rows of the same item and feature '
'add up; a row whose feature is NULL counts its item in, a value that is NULL counts as 0. Mode counts, for how often each '
'node logged each event: features that are equal for all items are dropped, 200 trees see log1p(value) of up to 4096 items '
'each, half of them draw features by robust z. The result is the same for any order of rows and any plan. Errors: 22004 '
'item NULL; 22023 NaN, infinite or (counts) negative value, or bad option; 22003 beyond single precision; 53400 more than '
'maintenance_work_mem. Cost: memory about 90 bytes per non-zero cell plus 16 per tree node, time about trees * (sample + '
'items) * log(sample). Liu, Ting, Zhou, ICDM 2008.';

CREATE AGGREGATE @extschema@.l4_iforest_rank(item text, feature text, value double precision, mode text, trees int,
	sample_size int, seed bigint) (
	SFUNC = @extschema@.l4_iforest_rank_transition,
	STYPE = @extschema@.l4_iforest_state,
	FINALFUNC = @extschema@.l4_iforest_rank_final,
	COMBINEFUNC = @extschema@.l4_iforest_rank_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_iforest_rank(text, text, double precision, text, int, int, bigint) IS
'Ranks items by how anomalous they are, from sparse (item, feature, value) rows, with an Isolation Forest. Result: the '
'items, most anomalous first, to be unnested; NULL for no rows. What has no row is 0; rows of the same item and feature '
'add up; a row whose feature is NULL counts its item in, a value that is NULL counts as 0. mode: ''counts'' (default; not '
'negative; features equal for all items dropped, log1p, half of the trees draw features by robust z) or ''plain'' (the '
'textbook forest, any values). trees: 1 to 10000, default 200 (counts) or 100 (plain). sample_size: items per tree, 2 to '
'1000000, default 4096 (counts) or 256 (plain), all items where there are fewer. seed: default 1. NULL means the default; '
'all rows must have the same. The result is the same for any order of rows and any plan. Errors: 22004 item NULL; 22023 '
'NaN, infinite or (counts) negative value, or bad option; 22003 beyond single precision; 53400 more than '
'maintenance_work_mem. Cost: memory about 90 bytes per non-zero cell plus 16 per tree node, time about trees * (sample + '
'items) * log(sample). Liu, Ting, Zhou, ICDM 2008.';

CREATE AGGREGATE @extschema@.l4_iforest_rank(item text, feature text, value double precision, baseline double precision) (
	SFUNC = @extschema@.l4_iforest_rank_transition,
	STYPE = @extschema@.l4_iforest_state,
	FINALFUNC = @extschema@.l4_iforest_rank_final,
	COMBINEFUNC = @extschema@.l4_iforest_rank_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_iforest_rank(text, text, double precision, double precision) IS
'Ranks items by how anomalous they are, from sparse (item, feature, value) rows, with an Isolation Forest. Result: the '
'items, most anomalous first, to be unnested; NULL for no rows. What has no row is 0; rows of the same item and feature '
'add up; a row whose feature is NULL counts its item in, a value that is NULL counts as 0. Mode counts, for how often each '
'node logged each event: features that are equal for all items are dropped, 200 trees see log1p(value) of up to 4096 items '
'each, half of them draw features by robust z. baseline: the value to be expected in this cell from a healthy run, NULL '
'for none (those of duplicate rows add up); a value between the median over items and the baseline counts as the median, '
'and so does a count within 3 units of 2*sqrt(x + 3/8) of that range; beyond, only the excess counts. The result is the '
'same for any order of rows and any plan. Errors: 22004 item NULL; 22023 NaN, infinite or (counts) negative value, or bad '
'option; 22003 beyond single precision; 53400 more than maintenance_work_mem. Cost: memory about 90 bytes per non-zero '
'cell plus 16 per tree node, time about trees * (sample + items) * log(sample). Liu, Ting, Zhou, ICDM 2008.';

CREATE AGGREGATE @extschema@.l4_iforest_rank(item text, feature text, value double precision, baseline double precision,
	mode text, trees int, sample_size int, seed bigint) (
	SFUNC = @extschema@.l4_iforest_rank_transition,
	STYPE = @extschema@.l4_iforest_state,
	FINALFUNC = @extschema@.l4_iforest_rank_final,
	COMBINEFUNC = @extschema@.l4_iforest_rank_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_iforest_rank(text, text, double precision, double precision, text, int, int, bigint) IS
'Ranks items by how anomalous they are, from sparse (item, feature, value) rows, with an Isolation Forest. Result: the '
'items, most anomalous first, to be unnested; NULL for no rows. What has no row is 0; rows of the same item and feature '
'add up; a row whose feature is NULL counts its item in, a value that is NULL counts as 0. mode: ''counts'' (default; not '
'negative; features equal for all items dropped, log1p, half of the trees draw features by robust z) or ''plain'' (the '
'textbook forest, any values). trees: 1 to 10000, default 200 (counts) or 100 (plain). sample_size: items per tree, 2 to '
'1000000, default 4096 (counts) or 256 (plain), all items where there are fewer. seed: default 1. NULL means the default; '
'all rows must have the same. baseline: the value to be expected in this cell from a healthy run, NULL for none (those of '
'duplicate rows add up); a value between the median over items and the baseline counts as the median, and so does a count '
'within 3 units of 2*sqrt(x + 3/8) of that range; beyond, only the excess counts. The result is the same for any order of '
'rows and any plan. Errors: 22004 item NULL; 22023 NaN, infinite or (counts) negative value, or bad option; 22003 beyond '
'single precision; 53400 more than maintenance_work_mem. Cost: memory about 90 bytes per non-zero cell plus 16 per tree '
'node, time about trees * (sample + items) * log(sample). Liu, Ting, Zhou, ICDM 2008.';

CREATE AGGREGATE @extschema@.l4_iforest_rank(item text, feature bigint, value double precision) (
	SFUNC = @extschema@.l4_iforest_rank_transition,
	STYPE = @extschema@.l4_iforest_state,
	FINALFUNC = @extschema@.l4_iforest_rank_final,
	COMBINEFUNC = @extschema@.l4_iforest_rank_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_iforest_rank(text, bigint, double precision) IS
'Ranks items by how anomalous they are, from sparse (item, feature, value) rows, with an Isolation Forest. Result: the '
'items, most anomalous first, to be unnested; NULL for no rows. What has no row is 0; rows of the same item and feature '
'add up; a row whose feature is NULL counts its item in, a value that is NULL counts as 0. Mode counts, for how often each '
'node logged each event: features that are equal for all items are dropped, 200 trees see log1p(value) of up to 4096 items '
'each, half of them draw features by robust z. The result is the same for any order of rows and any plan. Errors: 22004 '
'item NULL; 22023 NaN, infinite or (counts) negative value, or bad option; 22003 beyond single precision; 53400 more than '
'maintenance_work_mem. Cost: memory about 90 bytes per non-zero cell plus 16 per tree node, time about trees * (sample + '
'items) * log(sample). Liu, Ting, Zhou, ICDM 2008.';

CREATE AGGREGATE @extschema@.l4_iforest_rank(item text, feature bigint, value double precision, mode text, trees int,
	sample_size int, seed bigint) (
	SFUNC = @extschema@.l4_iforest_rank_transition,
	STYPE = @extschema@.l4_iforest_state,
	FINALFUNC = @extschema@.l4_iforest_rank_final,
	COMBINEFUNC = @extschema@.l4_iforest_rank_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_iforest_rank(text, bigint, double precision, text, int, int, bigint) IS
'Ranks items by how anomalous they are, from sparse (item, feature, value) rows, with an Isolation Forest. Result: the '
'items, most anomalous first, to be unnested; NULL for no rows. What has no row is 0; rows of the same item and feature '
'add up; a row whose feature is NULL counts its item in, a value that is NULL counts as 0. mode: ''counts'' (default; not '
'negative; features equal for all items dropped, log1p, half of the trees draw features by robust z) or ''plain'' (the '
'textbook forest, any values). trees: 1 to 10000, default 200 (counts) or 100 (plain). sample_size: items per tree, 2 to '
'1000000, default 4096 (counts) or 256 (plain), all items where there are fewer. seed: default 1. NULL means the default; '
'all rows must have the same. The result is the same for any order of rows and any plan. Errors: 22004 item NULL; 22023 '
'NaN, infinite or (counts) negative value, or bad option; 22003 beyond single precision; 53400 more than '
'maintenance_work_mem. Cost: memory about 90 bytes per non-zero cell plus 16 per tree node, time about trees * (sample + '
'items) * log(sample). Liu, Ting, Zhou, ICDM 2008.';

CREATE AGGREGATE @extschema@.l4_iforest_rank(item text, feature bigint, value double precision, baseline double precision) (
	SFUNC = @extschema@.l4_iforest_rank_transition,
	STYPE = @extschema@.l4_iforest_state,
	FINALFUNC = @extschema@.l4_iforest_rank_final,
	COMBINEFUNC = @extschema@.l4_iforest_rank_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_iforest_rank(text, bigint, double precision, double precision) IS
'Ranks items by how anomalous they are, from sparse (item, feature, value) rows, with an Isolation Forest. Result: the '
'items, most anomalous first, to be unnested; NULL for no rows. What has no row is 0; rows of the same item and feature '
'add up; a row whose feature is NULL counts its item in, a value that is NULL counts as 0. Mode counts, for how often each '
'node logged each event: features that are equal for all items are dropped, 200 trees see log1p(value) of up to 4096 items '
'each, half of them draw features by robust z. baseline: the value to be expected in this cell from a healthy run, NULL '
'for none (those of duplicate rows add up); a value between the median over items and the baseline counts as the median, '
'and so does a count within 3 units of 2*sqrt(x + 3/8) of that range; beyond, only the excess counts. The result is the '
'same for any order of rows and any plan. Errors: 22004 item NULL; 22023 NaN, infinite or (counts) negative value, or bad '
'option; 22003 beyond single precision; 53400 more than maintenance_work_mem. Cost: memory about 90 bytes per non-zero '
'cell plus 16 per tree node, time about trees * (sample + items) * log(sample). Liu, Ting, Zhou, ICDM 2008.';

CREATE AGGREGATE @extschema@.l4_iforest_rank(item text, feature bigint, value double precision, baseline double precision,
	mode text, trees int, sample_size int, seed bigint) (
	SFUNC = @extschema@.l4_iforest_rank_transition,
	STYPE = @extschema@.l4_iforest_state,
	FINALFUNC = @extschema@.l4_iforest_rank_final,
	COMBINEFUNC = @extschema@.l4_iforest_rank_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_iforest_rank(text, bigint, double precision, double precision, text, int, int, bigint) IS
'Ranks items by how anomalous they are, from sparse (item, feature, value) rows, with an Isolation Forest. Result: the '
'items, most anomalous first, to be unnested; NULL for no rows. What has no row is 0; rows of the same item and feature '
'add up; a row whose feature is NULL counts its item in, a value that is NULL counts as 0. mode: ''counts'' (default; not '
'negative; features equal for all items dropped, log1p, half of the trees draw features by robust z) or ''plain'' (the '
'textbook forest, any values). trees: 1 to 10000, default 200 (counts) or 100 (plain). sample_size: items per tree, 2 to '
'1000000, default 4096 (counts) or 256 (plain), all items where there are fewer. seed: default 1. NULL means the default; '
'all rows must have the same. baseline: the value to be expected in this cell from a healthy run, NULL for none (those of '
'duplicate rows add up); a value between the median over items and the baseline counts as the median, and so does a count '
'within 3 units of 2*sqrt(x + 3/8) of that range; beyond, only the excess counts. The result is the same for any order of '
'rows and any plan. Errors: 22004 item NULL; 22023 NaN, infinite or (counts) negative value, or bad option; 22003 beyond '
'single precision; 53400 more than maintenance_work_mem. Cost: memory about 90 bytes per non-zero cell plus 16 per tree '
'node, time about trees * (sample + items) * log(sample). Liu, Ting, Zhou, ICDM 2008.';

CREATE AGGREGATE @extschema@.l4_iforest_collect(item text, feature text, value double precision) (
	SFUNC = @extschema@.l4_iforest_rank_transition,
	STYPE = @extschema@.l4_iforest_state,
	COMBINEFUNC = @extschema@.l4_iforest_rank_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_iforest_collect(text, text, double precision) IS
'Step: First half of l4_iforest_rank(item, feature, value): the rows as a state, to be kept, or merged and ranked by '
'l4_iforest_rank(state). Errors as there.';

CREATE AGGREGATE @extschema@.l4_iforest_rank(state @extschema@.l4_iforest_state) (
	SFUNC = @extschema@.l4_iforest_rank_combine,
	STYPE = @extschema@.l4_iforest_state,
	FINALFUNC = @extschema@.l4_iforest_rank_final,
	COMBINEFUNC = @extschema@.l4_iforest_rank_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_iforest_rank(@extschema@.l4_iforest_state) IS
'Second half of l4_iforest_rank: merges states of l4_iforest_collect and ranks. The same result as of all rows at once. '
'Error 22023 if their options differ.';
