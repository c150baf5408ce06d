/*
 * Silent: all that a unit logs ends long before the others' logs do, its system log, too. A node that lost power, or its
 * network, goes so; the system logs of the others run on.
 */

CREATE FUNCTION @extschema@.l4_silent_units(job_id text, streams @extschema@.l4_job_stream[],
	clocks @extschema@.l4_clock_offset[], limits @extschema@.l4_limits)
RETURNS TABLE (unit text, last_ts timestamptz, others_ts timestamptz, gap interval)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	-- System logs keep a steady beat, so where there are any they are compared; else all that the units log.
	WITH stream AS MATERIALIZED (
		SELECT s.*, bool_or(s.kind = 'system') OVER () AS any_system, s.last_ts - COALESCE(k.ahead, '0') AS ends_at,
			@extschema@.l4_stream_family(s.source, NULL, s.unit) AS family
		FROM unnest(l4_silent_units.streams) s LEFT JOIN unnest(l4_silent_units.clocks) k ON k.node = s.unit
		WHERE s.unit IS NOT NULL AND @extschema@.l4_clock_was_set(s.last_ts) AND NOT s.shared
	),
	finish AS MATERIALIZED (
		SELECT s.unit, array_agg(s.stream_id) AS stream_ids, max(s.last_ts) AS last_ts, max(s.ends_at) AS at
		FROM stream s WHERE s.kind = 'system' OR NOT s.any_system
		GROUP BY s.unit
	),
	alive AS MATERIALIZED (
		-- in a log of the same name it goes on as long as half of the units
		SELECT s.unit FROM stream s
		JOIN (SELECT o.family, percentile_disc(0.5) WITHIN GROUP (ORDER BY o.ends_at DESC) AS middle FROM stream o
			WHERE o.kind <> 'rank' GROUP BY o.family HAVING count(DISTINCT o.unit) > 1) f ON f.family = s.family
		WHERE s.kind <> 'rank' AND s.ends_at > f.middle - make_interval(secs => (l4_silent_units.limits).evidence_silent_gap)
	),
	typical AS MATERIALIZED (
		-- the upper half of the units tells when the job ended and how far apart ends normally lie
		SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY f.at) AS middle, max(f.at) AS last FROM finish f
	),
	early AS MATERIALIZED (
		SELECT f.unit, f.stream_ids, f.last_ts, t.middle, t.middle - f.at AS gap
		FROM finish f, typical t
		WHERE t.middle - f.at > GREATEST((l4_silent_units.limits).evidence_silent_spread_factor * (t.last - t.middle),
				make_interval(secs => (l4_silent_units.limits).evidence_silent_spread))
			+ make_interval(secs => (l4_silent_units.limits).evidence_silent_gap)
	),
	beat AS (
		SELECT f.unit, min((e.last_ts - e.first_ts) / (e.occurrences - 1)) AS length
		FROM early f
		JOIN @extschema@.l4_job_counts(l4_silent_units.job_id,
			ARRAY(SELECT i.stream_id FROM early o, unnest(o.stream_ids) i (stream_id)),
			min_occurrences => (l4_silent_units.limits).evidence_silent_beat_records::bigint) e
				ON e.stream_id = ANY (f.stream_ids)
		WHERE @extschema@.l4_clock_was_set(e.first_ts)
		GROUP BY f.unit
	)
	SELECT f.unit, f.last_ts, f.middle, f.gap
	FROM early f LEFT JOIN beat b ON b.unit = f.unit
	-- and it left out what it says steadily: a job that ends right before a unit's next beat makes no unit silent
	WHERE (b.length * (l4_silent_units.limits).evidence_silent_beat_factor > f.gap) IS NOT TRUE
		AND f.unit NOT IN (SELECT a.unit FROM alive a);
END;
COMMENT ON FUNCTION @extschema@.l4_silent_units(text, @extschema@.l4_job_stream[], @extschema@.l4_clock_offset[],
	@extschema@.l4_limits) IS
'Step: Units of which everything (where there are system logs: the system log) ends well before the others'', by more than '
'a beat of what it says most often, and no log of its own (but a rank''s) goes on with those of the others: last record (by '
'its own clock), the time at which half of the units had ended (by the clock of the most), and the gap between the two in true '
'time.';

CREATE FUNCTION @extschema@.l4_evidence_silent(job_id text, units @extschema@.l4_unit[], streams @extschema@.l4_job_stream[],
	clocks @extschema@.l4_clock_offset[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	WITH silent AS MATERIALIZED (
		SELECT q.*, count(*) OVER () AS silent, (
			SELECT min(s.stream_id) FROM unnest(l4_evidence_silent.streams) s
			WHERE s.unit = q.unit AND s.last_ts = q.last_ts) AS stream_id
		FROM @extschema@.l4_silent_units(l4_evidence_silent.job_id, l4_evidence_silent.streams, l4_evidence_silent.clocks,
			l4_evidence_silent.limits) q
	)
	SELECT u.unit, u.node, u.rank, 'silent', 1, NULL::float8, 'evidence_silent_gap',
		jsonb_build_object('units', cardinality(l4_evidence_silent.units), 'units_silent', q.silent,
			'seconds', EXTRACT(epoch FROM q.gap)),
		NULL::bigint, q.stream_id, l.last_line, q.last_ts
	FROM silent q
	JOIN unnest(l4_evidence_silent.units) u ON u.unit = q.unit
	LEFT JOIN @extschema@.l4_job_last_lines(l4_evidence_silent.job_id, ARRAY(SELECT o.stream_id FROM silent o)) l
		ON l.stream_id = q.stream_id
	WHERE @extschema@.l4_is_few(q.silent, cardinality(l4_evidence_silent.units),
		(l4_evidence_silent.limits).evidence_silent_share);
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_silent(text, @extschema@.l4_unit[], @extschema@.l4_job_stream[],
	@extschema@.l4_clock_offset[], @extschema@.l4_limits) IS
'Step: Evidence of kind silent: all logs of a unit end well before the others'' (l4_silent_units). Nothing where more of '
'the units than evidence_silent_share do.';
