/* Change points: where the level of a series changes, on anyone's table. */

CREATE TYPE @extschema@.l4_change_point AS (
	at double precision,
	before double precision,
	after double precision,
	count_before bigint,
	count_after bigint,
	deviations double precision,
	larger double precision
);
COMMENT ON TYPE @extschema@.l4_change_point IS
'One change of the result of l4_change_points.';
COMMENT ON COLUMN @extschema@.l4_change_point.at IS
'Where the first value of the new level is.';
COMMENT ON COLUMN @extschema@.l4_change_point.before IS
'Median of the values between the change before (or the beginning) and this one.';
COMMENT ON COLUMN @extschema@.l4_change_point.after IS
'Median of the values from here to the next change (or the end).';
COMMENT ON COLUMN @extschema@.l4_change_point.count_before IS
'How many values before is of.';
COMMENT ON COLUMN @extschema@.l4_change_point.count_after IS
'How many values after is of.';
COMMENT ON COLUMN @extschema@.l4_change_point.deviations IS
'How sure the change is: the rank sum of the values before, in standard deviations off what it is where there is no change.';
COMMENT ON COLUMN @extschema@.l4_change_point.larger IS
'How clear the change is: the share of all pairs of a value before and one after in which the one after is larger (equal '
'ones count half). Near 1: a rise beyond all noise; near 0: such a fall.';

CREATE FUNCTION @extschema@.l4_change_points_transition(state double precision[], at double precision, value double precision)
	RETURNS double precision[]
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_change_points_transition';
COMMENT ON FUNCTION @extschema@.l4_change_points_transition(double precision[], double precision, double precision) IS
'Takes one row into a state of l4_change_points.';

CREATE FUNCTION @extschema@.l4_change_points_transition(state double precision[], at double precision, value double precision,
	shortest int, deviations double precision) RETURNS double precision[]
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_change_points_transition';
COMMENT ON FUNCTION @extschema@.l4_change_points_transition(double precision[], double precision, double precision, int,
	double precision) IS
'Takes one row into a state of l4_change_points.';

CREATE FUNCTION @extschema@.l4_change_points_combine(double precision[], double precision[]) RETURNS double precision[]
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_change_points_combine';
COMMENT ON FUNCTION @extschema@.l4_change_points_combine(double precision[], double precision[]) IS
'Adds the second state of l4_change_points to the first. Error 22023 if their options differ.';

CREATE FUNCTION @extschema@.l4_change_points_final(double precision[]) RETURNS @extschema@.l4_change_point[]
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100000 AS 'MODULE_PATHNAME', 'l4_change_points_final';
COMMENT ON FUNCTION @extschema@.l4_change_points_final(double precision[]) IS
'Finds the changes of a state of l4_change_points.';

CREATE AGGREGATE @extschema@.l4_change_points(at double precision, value double precision) (
	SFUNC = @extschema@.l4_change_points_transition,
	STYPE = double precision[],
	FINALFUNC = @extschema@.l4_change_points_final,
	COMBINEFUNC = @extschema@.l4_change_points_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_change_points(double precision, double precision) IS
'Where the level of a series changes for good: one l4_change_point per change, in order, to be unnested; an empty array '
'for none, NULL for no rows. at places the values (an iteration; a time as extract(epoch FROM ...)), several may be at '
'one place. Robust: only the order of the values counts, so that single ones, however large, are no change; at least 5 '
'values lie on either side of a change, in fact some more. Rows whose value is NULL are left out. The result is the same'
' for any order of rows and any plan. Errors: 22004 at NULL; 22023 NaN or infinite; 53400 more than '
'maintenance_work_mem. Cost: time n * log(n), about 110 bytes a row. Seeded binary segmentation (Kovacs, Buehlmann, Li, '
'Munk, Biometrika 2023) with rank sums (Wilcoxon; Pettitt, Applied Statistics 1979); a change has more than 1.3 * sqrt(2'
' * ln(n)) deviations (Fryzlewicz, Annals of Statistics 2014).';

CREATE AGGREGATE @extschema@.l4_change_points(at double precision, value double precision, shortest int,
	deviations double precision) (
	SFUNC = @extschema@.l4_change_points_transition,
	STYPE = double precision[],
	FINALFUNC = @extschema@.l4_change_points_final,
	COMBINEFUNC = @extschema@.l4_change_points_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_change_points(double precision, double precision, int, double precision) IS
'Where the level of a series changes for good: one l4_change_point per change, in order, to be unnested; an empty array '
'for none, NULL for no rows. at places the values (an iteration; a time as extract(epoch FROM ...)), several may be at '
'one place. Robust: only the order of the values counts, so that single ones, however large, are no change. shortest: so'
' many values lie on either side of a change, default 5. deviations: a change has more, default 1.3 * sqrt(2 * ln(n)), '
'which noise without memory hardly ever reaches; noise that lasts needs more. NULL means the default; all rows must have'
' the same. Rows whose value is NULL are left out. The result is the same for any order of rows and any plan. Errors: '
'22004 at NULL; 22023 NaN or infinite, or bad option; 53400 more than maintenance_work_mem. Cost: time n * log(n), about'
' 110 bytes a row. Seeded binary segmentation (Kovacs, Buehlmann, Li, Munk, Biometrika 2023) with rank sums (Wilcoxon; '
'Pettitt, Applied Statistics 1979).';
