-- Wordings and limits as rows: what comes with l4, what a site writes, and what the steps of a diagnosis get of it.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET search_path = public;
SET client_min_messages = warning;

-- Does a wording match a message, by the rule of its class?
CREATE FUNCTION pg_temp.says(w l4_wording, message text) RETURNS boolean LANGUAGE sql AS $$
	SELECT CASE WHEN w.class = 'grave_word' THEN message ~* format('(^|[^a-z])%1$s|%1$s($|[^a-z])', w.pattern)
		WHEN w.class IN ('exception', 'advice') THEN message ~ w.pattern ELSE message ~* w.pattern END
$$;

\echo wordings without an example, or whose example they do not match:
SELECT w.class, w.name FROM l4_wording w WHERE pg_temp.says(w, w.example) IS NOT TRUE ORDER BY 1, 2;
\echo examples that the joined pattern of their class does not match, or whose stage or component is another:
SELECT w.class, w.name FROM l4_wording w, (SELECT l4_wordings_in_force() AS f OFFSET 0) f
WHERE w.class <> 'grave_word' AND NOT CASE w.class
	WHEN 'stage' THEN l4_text_stage(w.example, f.f) = w.stage
	WHEN 'component' THEN l4_text_component(w.example, f.f) = w.component
	ELSE w.example ~ (to_jsonb(f.f) ->> w.class) END
ORDER BY 1, 2;
\echo gravity of examples other than that of their class or of a graver one:
SELECT w.class, w.name, l4_text_gravity(w.example, f.f) FROM l4_wording w, (SELECT l4_wordings_in_force() AS f OFFSET 0) f
WHERE l4_text_gravity(w.example, f.f) < CASE w.class WHEN 'fatal' THEN 6 WHEN 'exception' THEN 5 WHEN 'trouble'
	THEN 4 ELSE 0 END;
\echo limits without unit or reason, or that the composite has another value of:
SELECT l.name FROM l4_limit l WHERE l.unit = '' OR l.why = '' ORDER BY 1;
SELECT l.name FROM l4_limit l FULL JOIN jsonb_each_text(to_jsonb(l4_limits_in_force())) j ON j.key = l.name
WHERE j.value::double precision IS DISTINCT FROM l.value ORDER BY 1;

\echo whose fault it is: nobody else is meant by a limit, by the last of heartbeats, or by what cannot be done any more
SELECT m.message, m.message ~ (l4_wordings_in_force()).peer FROM (VALUES ('file size limit exceeded'),
	('sent the last heartbeat'), ('can no longer allocate memory'), ('deadline exceeded'), ('no heartbeat from agent 3'),
	('can no longer reach the store')) m (message);
\echo what is no wording
CREATE FUNCTION pg_temp.refused(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	RETURN 'taken';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END
$$;
SELECT pg_temp.refused($$INSERT INTO l4_wording (name, class, pattern) VALUES ('x', 'trouble', 'a(')$$),
	pg_temp.refused($$INSERT INTO l4_wording (name, class, pattern) VALUES ('x', 'trouble', '(?i)a')$$),
	pg_temp.refused($$INSERT INTO l4_wording (name, class, pattern) VALUES ('x', 'trouble', '(a)\1')$$),
	pg_temp.refused($$INSERT INTO l4_wording (name, class, pattern) VALUES ('x', 'grave_word', 'two words')$$),
	pg_temp.refused($$INSERT INTO l4_wording (name, class, pattern) VALUES ('x', 'stage', 'a')$$),
	pg_temp.refused($$INSERT INTO l4_wording (name, class, pattern) VALUES ('x', 'component', 'a')$$),
	pg_temp.refused($$INSERT INTO l4_wording (name, class, pattern) VALUES ('x', 'nonsense', 'a')$$);

\echo a class of which all rows are switched off says nothing of any message
BEGIN;
INSERT INTO l4_wording (name, class, pattern, enabled) SELECT name, class, pattern, false
FROM l4_wording WHERE class = 'advice';
SELECT count(*) FILTER (WHERE w.example ~ (f.f).advice), count(*) FILTER (WHERE w.example ~ (f.f).advice IS NULL)
FROM l4_wording w, (SELECT l4_wordings_in_force() AS f OFFSET 0) f;
ROLLBACK;

\echo a wording and a limit of the site change what is found, and so does switching one off
CREATE FUNCTION pg_temp.found(job text) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(concat_ws(' ', reason, gravity, ending), ', ' ORDER BY first_line), 'nothing')
	FROM l4_unexplained(job)
$$;
SELECT l4_register_job('worded', '{}', 'failed');
SELECT l4_ingest('worded', $q$SELECT format('2026-11-20 10:00:%s INFO %s', lpad(n::text, 2, '0'), CASE WHEN n = 40
	THEN 'the flux capacitor is dry'
	WHEN n = 41 THEN 'RuntimeError: pump stands still' ELSE 'step ' || n END) AS line, 'rank-0.log' AS source
FROM generate_series(1, 42) n$q$) IS NOT NULL;
SELECT pg_temp.found('worded');
INSERT INTO l4_wording (name, class, pattern) VALUES ('dry', 'fatal', '\mis dry\M');
SELECT pg_temp.found('worded');
INSERT INTO l4_wording (name, class, pattern) VALUES ('stands still', 'ending', 'stands still');
SELECT pg_temp.found('worded');
INSERT INTO l4_wording (name, class, pattern, enabled) SELECT name, class, pattern, false
FROM l4_wording WHERE builtin AND name = 'exception_class';
SELECT pg_temp.found('worded');
INSERT INTO l4_limit (name, value) VALUES ('gravity_error', 7);
SELECT pg_temp.found('worded');
DELETE FROM l4_limit WHERE NOT builtin;
DELETE FROM l4_wording WHERE NOT builtin;
SELECT pg_temp.found('worded');
\echo what a diagnosis was made with is kept with it
INSERT INTO l4_limit (name, value) VALUES ('weight_slow', 1), ('evidence_counter_factor', 1000);
INSERT INTO l4_wording (name, class, pattern) VALUES ('dry_pump', 'trouble', 'capacitor is dry');
SELECT l4_save_diagnosis('worded') > 0 AS findings;
DELETE FROM l4_limit WHERE NOT builtin;
DELETE FROM l4_wording WHERE NOT builtin;
SELECT l4_save_diagnosis('worded') > 0 AS findings;
SELECT limits, wordings FROM l4_diagnosis WHERE job_id = 'worded' ORDER BY saved_at;
SELECT l4_delete_job('worded');
