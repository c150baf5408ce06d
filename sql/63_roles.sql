/*
 * Roles: some ranks do for all what the others do not: the first and the last report, two save. What such a rank alone says of
 * a failure the others may have met, too, and where most of those fail that do one thing, the thing fails and not they. Who
 * has a role is learnt from what few ranks say again and again, as far as it is explained. What programs there are on a node
 * (a trainer, a worker, a server) is in the names of their logs.
 */

CREATE TYPE @extschema@.l4_role_stream AS (
	shape_id bigint,
	stream_id bigint,
	unit text,
	streams bigint
);
COMMENT ON TYPE @extschema@.l4_role_stream IS
'A stream of a rank with a role: a statement that few ranks make again and again, the stream, its unit, and how many streams '
'make the statement.';

CREATE FUNCTION @extschema@.l4_role_streams(job_id text, streams @extschema@.l4_job_stream[], stream_ids bigint[],
	unexplained_shapes bigint[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_role_stream
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH speaker AS MATERIALIZED (
		SELECT s.stream_id, s.unit, row_number() OVER (ORDER BY s.rank, s.stream_id) AS turn, count(*) OVER () AS speakers
		FROM @extschema@.l4_rank_streams(l4_role_streams.streams) s WHERE s.unit IS NOT NULL
	),
	said AS MATERIALIZED (
		SELECT DISTINCT e.shape_id
		FROM @extschema@.l4_job_counts(l4_role_streams.job_id, l4_role_streams.stream_ids,
			min_occurrences => (limits).role_records::bigint) e
		WHERE @extschema@.l4_level_rank(e.level) < (limits).gravity_trouble
			AND e.shape_id <> ALL (l4_role_streams.unexplained_shapes)
	),
	-- whether few say it is asked of some first: all streams of a large job would take tenths of a second
	asked AS MATERIALIZED (
		SELECT p.stream_id FROM speaker p
		WHERE p.stream_id <> ALL (l4_role_streams.stream_ids)
			AND p.turn % GREATEST(1, p.speakers / (limits).role_streams::bigint) = 0
	),
	common AS MATERIALIZED (
		SELECT e.shape_id
		FROM @extschema@.l4_job_counts(l4_role_streams.job_id, ARRAY(SELECT a.stream_id FROM asked a),
			ARRAY(SELECT s.shape_id FROM said s)) e
		GROUP BY e.shape_id
		HAVING count(*) > (SELECT count(*) FROM asked) * (limits).evidence_spokesman_share
	),
	teller AS (
		SELECT e.shape_id, p.stream_id, p.unit, p.speakers
		FROM @extschema@.l4_job_counts(l4_role_streams.job_id, NULL,
			ARRAY(SELECT s.shape_id FROM said s WHERE s.shape_id NOT IN (SELECT c.shape_id FROM common c))) e
		JOIN speaker p ON p.stream_id = e.stream_id
	),
	role AS (
		SELECT t.shape_id, count(DISTINCT t.stream_id) AS streams FROM teller t
		GROUP BY t.shape_id
		HAVING @extschema@.l4_is_few(count(DISTINCT t.stream_id), max(t.speakers), (limits).evidence_spokesman_share)
	)
	SELECT t.shape_id, t.stream_id, t.unit, r.streams FROM teller t JOIN role r ON r.shape_id = t.shape_id;
END;
COMMENT ON FUNCTION @extschema@.l4_role_streams(text, @extschema@.l4_job_stream[], bigint[], bigint[],
	@extschema@.l4_limits) IS
'Step: the harmless statements that the given streams make again and again (and that are none of unexplained_shapes), but at '
'most evidence_spokesman_share of all ranks: with every stream that makes them. Reads the counts of the given streams and of '
'some others.';

-- ---- roles by name ----

CREATE FUNCTION @extschema@.l4_bare_word(word text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
RETURN btrim(split_part(word, '=', -1), '"''<>()[]{},;:');
COMMENT ON FUNCTION @extschema@.l4_bare_word(text) IS
'Step: A word of a text, or what stands behind the equals sign in it, without quotes and brackets around and what ends it.';

CREATE FUNCTION @extschema@.l4_role_words(streams @extschema@.l4_job_stream[]) RETURNS TABLE (unit text, words text[])
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	SELECT s.unit, string_to_array(translate(string_agg(DISTINCT s.source, '/'), '-_.', '///'), '/')
	FROM unnest(l4_role_words.streams) s
	WHERE s.kind IN ('rank', 'other') AND s.unit IS NOT NULL
	GROUP BY s.unit;
END;
COMMENT ON FUNCTION @extschema@.l4_role_words(@extschema@.l4_job_stream[]) IS
'Step: The words in what the logs of the programs of each unit are called (paths parted at slashes, dots, dashes and '
'underscores): among them is what role it has.';
