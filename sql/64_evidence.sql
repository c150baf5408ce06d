/*
 * Which node? Evidence of several kinds: each kind one function and one file (64_evidence_<kind>.sql), which says what it found
 * as numbers; l4_node_evidence gathers them, l4_suspect_nodes adds up their weights, l4_evidence_sentence finds the words.
 *
 * The faulty node is often the quiet one (killed, powered off, stopped), everyone accuses a neighbour, and the loudest lines
 * come from the victims. So counts of error lines point the wrong way, and evidence is read instead:
 *   missing   the scheduler lists the node, but it has no logs
 *   silent    all that the node logs, its system log too, ends before the others'
 *   quiet     the ranks of other nodes log their failure, those of this node stop without a word; or one rank beside live ones
 *   named     a collector or controller, which stands on no node, names the node in its unexplained records
 *   accused   other nodes' records name it and it names nobody: in a ring everyone is accused, but only one accuses nobody
 *   first     unexplained records of its own (naming no other node) before the failure shows anywhere else
 *   own       the same, later
 *   lag       its last iteration is behind that of the others
 *   behind    half of the nodes or more got a step further within the iteration
 *   late      it came late to the last step of an iteration that all reached
 *   counter   a number in its system log (errors, retransmissions) grew far more than on the other nodes
 *   slow      its own durations stand out from the other nodes', or it waits far less than they do
 *   forest    the Isolation Forest over counts of unexplained records sets it apart
 * What most nodes have alike is no evidence against any of them; of what more than two fifths of the nodes do nobody can say
 * who is healthy. What is compared are units: nodes, or the ranks themselves where their nodes are not known.
 *
 * A further kind is a function with rows of l4_evidence, a line in l4_node_evidence, a row weight_<kind> of l4_limit and a
 * branch of l4_evidence_sentence; test/sql/evidence_kinds.sql shows each kind alone.
 */

CREATE TYPE @extschema@.l4_evidence AS (
	unit text,
	node text,
	rank int,
	kind text,
	part double precision,
	weight double precision,
	limit_name text,
	numbers jsonb,
	shape_id bigint,
	stream_id bigint,
	line_no bigint,
	first_ts timestamptz
);
COMMENT ON TYPE @extschema@.l4_evidence IS
'One piece of evidence against a unit: its node (NULL where it is a rank of which no node is known) and, where it is about '
'one rank, that; the kind; how much of the kind''s weight it has (part, 0 to 1 but for forest), and the weight that makes '
'(NULL until l4_node_evidence weighs it); the limit that it passed; the numbers that it rests on; the statement that it is '
'about; and where and when it shows first.';

CREATE TYPE @extschema@.l4_placed_record AS (
	turn bigint,
	unit text,
	node text,
	rank int,
	kind text,
	source text,
	stream_id bigint,
	shape_id bigint,
	first_line bigint,
	first_ts timestamptz,
	units bigint,
	units_alike bigint,
	accuses boolean,
	trouble boolean,
	grave boolean,
	peer boolean
);
COMMENT ON TYPE @extschema@.l4_placed_record IS
'An unexplained record of a unit, as evidence is read from it (l4_placed_records): its turn in time among all of them, '
'where it stands, how many units there are and how many have the like of it, whether it names another unit (accuses), '
'tells of trouble (trouble) or of an error (grave), or merely of another one that went away (peer).';

CREATE FUNCTION @extschema@.l4_placed_records(unexplained @extschema@.l4_unexplained_record[], units @extschema@.l4_unit[],
	accusations @extschema@.l4_accusation[], limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS SETOF @extschema@.l4_placed_record
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1000
BEGIN ATOMIC
	WITH shape AS MATERIALIZED (
		-- of a record that was not read its shape is judged: once a shape, as thousands of ranks log the same
		SELECT h.shape_id, h.shape ~ (l4_placed_records.wordings).ending AS ending,
			h.shape ~ (l4_placed_records.wordings).peer AS peer,
			@extschema@.l4_text_gravity(h.shape, l4_placed_records.wordings) AS gravity
		FROM @extschema@.l4_shape h
		WHERE h.shape_id IN (SELECT n.shape_id FROM unnest(l4_placed_records.unexplained) n WHERE n.message IS NULL)
	),
	record AS MATERIALIZED (
		-- alike are records of one event, and tracebacks with the same last line
		SELECT n.unit, n.node, n.rank, n.kind, n.source, n.stream_id, n.shape_id, n.first_line, n.first_ts, n.role,
			COALESCE(h.ending, n.ending) AS ending, COALESCE(h.peer, n.peer) AS peer,
			n.gravity AS told_gravity, GREATEST(n.gravity, h.gravity) AS gravity,
			COALESCE(NULLIF(@extschema@.l4_shape_words(substring(n.message, '\n([^\n]*\S[^\n]*)\s*$')), ''),
				n.event_id::text) AS alike
		FROM unnest(l4_placed_records.unexplained) n LEFT JOIN shape h ON n.message IS NULL AND h.shape_id = n.shape_id
	),
	unit AS (SELECT u.unit, count(*) OVER () AS units FROM unnest(l4_placed_records.units) u)
	SELECT row_number() OVER (ORDER BY r.first_ts, r.source, r.first_line, r.stream_id, r.shape_id),
		r.unit, r.node, r.rank, r.kind, r.source, r.stream_id, r.shape_id, r.first_line, r.first_ts,
		u.units, k.units,
		EXISTS (SELECT FROM unnest(l4_placed_records.accusations) a WHERE a.stream_id = r.stream_id
			AND a.shape_id = r.shape_id),
		r.told_gravity >= (l4_placed_records.limits).gravity_trouble,
		r.gravity >= (l4_placed_records.limits).gravity_error, r.peer
	FROM record r
	JOIN unit u ON u.unit = r.unit
	JOIN (SELECT o.alike, count(DISTINCT o.unit) AS units FROM record o GROUP BY o.alike) k ON k.alike = r.alike
	WHERE NOT r.role AND NOT r.ending;
END;
COMMENT ON FUNCTION @extschema@.l4_placed_records(@extschema@.l4_unexplained_record[], @extschema@.l4_unit[],
	@extschema@.l4_accusation[], @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: The unexplained records of the units of a job that may be evidence (not those of a role, nor those that only say '
'that something was told to end), judged and compared with the other units''.';

CREATE FUNCTION @extschema@.l4_failure_at_large(placed @extschema@.l4_placed_record[], limits @extschema@.l4_limits)
RETURNS @extschema@.l4_placed_record
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT p::@extschema@.l4_placed_record FROM unnest(l4_failure_at_large.placed) p
	WHERE p.accuses OR p.units_alike::float8 / p.units > (l4_failure_at_large.limits).evidence_common_share
	ORDER BY p.turn LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_failure_at_large(@extschema@.l4_placed_record[], @extschema@.l4_limits) IS
'Step: When the failure shows at large: the first record that names another unit or that most units have; NULL where none '
'does.';

CREATE FUNCTION @extschema@.l4_telling_units(streams @extschema@.l4_job_stream[], telling_streams bigint[])
RETURNS TABLE (kind text, unit text, tells boolean, units bigint, units_telling bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1000
BEGIN ATOMIC
	SELECT u.kind, u.unit, u.tells, count(*) OVER w, count(*) FILTER (WHERE u.tells) OVER w
	FROM (
		SELECT s.kind, s.unit, bool_or(t.stream_id IS NOT NULL) AS tells
		FROM unnest(l4_telling_units.streams) s LEFT JOIN unnest(l4_telling_units.telling_streams) t (stream_id)
			ON t.stream_id = s.stream_id
		WHERE s.kind IN ('rank', 'launcher') AND s.unit IS NOT NULL
		GROUP BY s.kind, s.unit) u
	WINDOW w AS (PARTITION BY u.kind);
END;
COMMENT ON FUNCTION @extschema@.l4_telling_units(@extschema@.l4_job_stream[], bigint[]) IS
'Step: The units that have streams of ranks and of launchers, by kind: whether any of these tells of the failure (is one '
'of telling_streams), of how many units there are such streams, and in how many of them they tell.';
