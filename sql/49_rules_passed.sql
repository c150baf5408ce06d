/*
 * Limits and wordings as one value each: looked up once in a diagnosis and passed down from step to step, so that all of it
 * goes by the same ones and no record costs a look-up. A step that is called by itself looks them up.
 */

-- One attribute a limit.
DO $$
BEGIN
	EXECUTE (SELECT format('CREATE TYPE @extschema@.l4_limits AS (%s)',
		string_agg(format('%I double precision', l.name), ', ' ORDER BY l.name COLLATE "C"))
		FROM @extschema@.l4_limit l WHERE l.builtin);
END
$$;
COMMENT ON TYPE @extschema@.l4_limits IS
'The limits in force in one value: an attribute for each built-in row of l4_limit, of its name.';

CREATE FUNCTION @extschema@.l4_limits_in_force() RETURNS @extschema@.l4_limits
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT jsonb_populate_record(NULL::@extschema@.l4_limits, jsonb_object_agg(l.name, l.value))
		FROM @extschema@.l4_limit_in_force l;
END;
COMMENT ON FUNCTION @extschema@.l4_limits_in_force() IS
'Step: The limits of l4_limit_in_force in one value, as the steps of a diagnosis take it. Cost: one read of a small table; '
'a caller of several steps looks them up once.';

CREATE TYPE @extschema@.l4_wordings AS (
	fatal text,
	exception text,
	trouble text,
	ending text,
	peer text,
	advice text,
	tolerated text,
	stages text[],
	stage_patterns text[],
	components text[],
	component_patterns text[],
	together text,
	complaint text,
	closing text,
	setting text,
	varying text,
	host text,
	other_host text,
	attempt text,
	retry text,
	disagreement text,
	itself text,
	measured text,
	host_name text,
	device text,
	headed text,
	own_header text,
	finished text,
	recovered text,
	lossy text,
	outcome text,
	out_of text,
	slowest text,
	done text,
	connections text,
	short_handed text,
	unreached text,
	gave_up text,
	hung_up text,
	referral text,
	own_process text,
	own_child text,
	called_off text,
	ended text,
	gathered text,
	announcing text,
	identity text,
	led_by text,
	reference text,
	ends_children text,
	digest text,
	timed text,
	killed text,
	stuck_sending text, stuck_receiving text,
	ring_back text,
	traceback text, traceback_line text,
	rank_then_host text, host_then_rank text,
	launching text, calls_slowest text
);
COMMENT ON TYPE @extschema@.l4_wordings IS
'The wordings in force in one value: for each class of l4_wording one pattern that matches what any of its rows does (a '
'class without rows: one that matches nothing), and the stages and components with their patterns in the order in which they '
'are tried.';

CREATE FUNCTION @extschema@.l4_wordings_in_force() RETURNS @extschema@.l4_wordings
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	WITH wording AS MATERIALIZED (
		-- case is a matter of the class, as options stand at the beginning of a whole pattern alone
		SELECT w.class, w.name, w.stage, w.component, w.priority, w.pattern,
			CASE WHEN w.class IN ('exception', 'advice') THEN '' ELSE '(?i)' END AS options
		FROM @extschema@.l4_wording_in_force w
		WHERE w.class <> 'grave_word'
	),
	joined AS (
		SELECT w.class, w.options || string_agg('(?:' || w.pattern || ')', '|' ORDER BY w.name COLLATE "C") AS pattern
		FROM wording w WHERE w.class NOT IN ('stage', 'component') GROUP BY w.class, w.options
	),
	-- a class without rows matches nothing
	nothing AS (
		SELECT jsonb_object_agg(a.attname, '$.') AS patterns FROM pg_attribute a
		WHERE a.attrelid = '@extschema@.l4_wordings'::regclass AND a.atttypid = 'text'::regtype AND a.attnum > 0
	),
	stage AS (
		SELECT array_agg(w.stage ORDER BY w.priority, w.name COLLATE "C") AS stages,
			array_agg(w.options || w.pattern ORDER BY w.priority, w.name COLLATE "C") AS patterns
		FROM wording w WHERE w.class = 'stage'
	),
	component AS (
		SELECT array_agg(w.component ORDER BY w.priority, w.name COLLATE "C") AS components,
			array_agg(w.options || w.pattern ORDER BY w.priority, w.name COLLATE "C") AS patterns
		FROM wording w WHERE w.class = 'component'
	)
	SELECT jsonb_populate_record(NULL::@extschema@.l4_wordings, n.patterns
		|| COALESCE((SELECT jsonb_object_agg(j.class, j.pattern) FROM joined j), '{}')
		|| jsonb_build_object('stages', s.stages, 'stage_patterns', s.patterns, 'components', c.components,
			'component_patterns', c.patterns))
	FROM nothing n, stage s, component c;
END;
COMMENT ON FUNCTION @extschema@.l4_wordings_in_force() IS
'Step: The wordings of l4_wording_in_force in one value, as the steps of a diagnosis take it. Cost: one read of a small '
'table; a caller of several steps looks them up once.';
