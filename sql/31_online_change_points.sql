/* Online change points: where a series changes, and when that was certain, on anyone's table. */

CREATE TYPE @extschema@.l4_online_change_point AS (
	at double precision,
	found_at double precision,
	probability double precision,
	before double precision,
	after double precision
);
COMMENT ON TYPE @extschema@.l4_online_change_point IS
'One change of the result of l4_online_change_points.';
COMMENT ON COLUMN @extschema@.l4_online_change_point.at IS
'Where the first value of the new run is.';
COMMENT ON COLUMN @extschema@.l4_online_change_point.found_at IS
'Where the value is from which on it was certain (0.95) that there was a change. Values behind it may tell its place better.';
COMMENT ON COLUMN @extschema@.l4_online_change_point.probability IS
'How likely the change was then, 0.95 to 1.';
COMMENT ON COLUMN @extschema@.l4_online_change_point.before IS
'Mean of the values between the change before (or the beginning) and this one.';
COMMENT ON COLUMN @extschema@.l4_online_change_point.after IS
'Mean of the values from here to the next change (or the end).';

CREATE FUNCTION @extschema@.l4_online_change_points_transition(state double precision[], at double precision,
	value double precision) RETURNS double precision[]
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_online_change_points_transition';
COMMENT ON FUNCTION @extschema@.l4_online_change_points_transition(double precision[], double precision, double precision) IS
'Takes one row into a state of l4_online_change_points.';

CREATE FUNCTION @extschema@.l4_online_change_points_transition(state double precision[], at double precision,
	value double precision, hazard double precision) RETURNS double precision[]
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_online_change_points_transition';
COMMENT ON FUNCTION @extschema@.l4_online_change_points_transition(double precision[], double precision, double precision,
	double precision) IS
'Takes one row into a state of l4_online_change_points.';

CREATE FUNCTION @extschema@.l4_online_change_points_combine(double precision[], double precision[]) RETURNS double precision[]
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_online_change_points_combine';
COMMENT ON FUNCTION @extschema@.l4_online_change_points_combine(double precision[], double precision[]) IS
'Adds the second state of l4_online_change_points to the first. Error 22023 if their options differ.';

CREATE FUNCTION @extschema@.l4_online_change_points_final(double precision[]) RETURNS @extschema@.l4_online_change_point[]
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100000 AS 'MODULE_PATHNAME', 'l4_online_change_points_final';
COMMENT ON FUNCTION @extschema@.l4_online_change_points_final(double precision[]) IS
'Finds the changes of a state of l4_online_change_points.';

CREATE AGGREGATE @extschema@.l4_online_change_points(at double precision, value double precision) (
	SFUNC = @extschema@.l4_online_change_points_transition,
	STYPE = double precision[],
	FINALFUNC = @extschema@.l4_online_change_points_final,
	COMBINEFUNC = @extschema@.l4_online_change_points_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_online_change_points(double precision, double precision) IS
'Where the level or the noise of a series changes, and when that was certain: one l4_online_change_point per change, in '
'order, to be unnested; an empty array for none, NULL for no rows. at orders the values (a time as extract(epoch FROM '
'...)); those of one place come by value. Values are taken to be normal about the level of their run: a single one far '
'off is a run of its own, with a change before and one after it (l4_change_points takes none of single values). Give it '
'the logarithms of what has a long tail, such as gaps between packets. What is taken for granted of levels and noise '
'follows from the median and percentiles of the whole series, so that other units make no difference. Rows whose value '
'is NULL are left out. The result is the same for any order of rows and any plan. Errors: 22004 at NULL; 22023 NaN or '
'infinite; 53400 more than maintenance_work_mem. Cost: one or two microseconds and about 180 bytes a row. Bayesian '
'online change-point detection (Adams, MacKay, arXiv 0710.3742) with a normal-inverse-gamma model; one value of 250 ends '
'a run.';

CREATE AGGREGATE @extschema@.l4_online_change_points(at double precision, value double precision, hazard double precision) (
	SFUNC = @extschema@.l4_online_change_points_transition,
	STYPE = double precision[],
	FINALFUNC = @extschema@.l4_online_change_points_final,
	COMBINEFUNC = @extschema@.l4_online_change_points_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_online_change_points(double precision, double precision, double precision) IS
'Where the level or the noise of a series changes, and when that was certain: one l4_online_change_point per change, in '
'order, to be unnested; an empty array for none, NULL for no rows. at orders the values (a time as extract(epoch FROM '
'...)); those of one place come by value. Values are taken to be normal about the level of their run: a single one far '
'off is a run of its own, with a change before and one after it (l4_change_points takes none of single values). Give it '
'the logarithms of what has a long tail, such as gaps between packets. hazard: how likely it is that a run ends with a '
'value, more than 0 and less than 1, default 0.004; more finds weaker changes, and some that are none. NULL means the '
'default; all rows must have the same. What is taken for granted of levels and noise follows from the median and '
'percentiles of the whole series, so that other units make no difference. Rows whose value is NULL are left out. The '
'result is the same for any order of rows and any plan. Errors: 22004 at NULL; 22023 NaN or infinite, or bad hazard; '
'53400 more than maintenance_work_mem. Cost: one or two microseconds and about 180 bytes a row. Bayesian online '
'change-point detection (Adams, MacKay, arXiv 0710.3742) with a normal-inverse-gamma model.';
