-- Evidence against nodes beyond words: clocks, durations, progress within an iteration, counters, values; ranks without nodes;
-- pools of other systems. The jobs are made here: eight nodes of one rank, twenty steps of two seconds, a system log each; a
-- scenario changes some of the lines. A folder that the server, too, may write into; the server's part of it is its own to
-- remove.
\set folder `folder=$(mktemp -d) && chmod 777 "$folder" && echo "$folder"`
\setenv L4_FOLDER :folder
\set shared :folder '/job.out'
SET client_min_messages = warning;
SET jit = off;
SET timezone = 'UTC';

CREATE TABLE line (job text, node int, file text, at numeric, turn int, line text);
CREATE FUNCTION make_lines(job text, seed int) RETURNS void LANGUAGE sql AS $$
	-- time in seconds since the start; durations differ a little by node and step
	INSERT INTO line
	SELECT job, n, 'rank', s * 2 + x.at, x.turn, x.line
	FROM generate_series(0, 7) n, generate_series(1, 20) s,
		LATERAL (SELECT (n * 7 + s * 13 + seed * 5) % 11 AS jitter) j,
		LATERAL (VALUES
			(0.1 + jitter * 0.001, 1, format('DEBUG step %s forward took %s ms', s, 500 + jitter)),
			(0.7 + jitter * 0.001, 2, format('DEBUG step %s gradients reduced in %s ms', s, 300 + jitter * 2)),
			(0.9 + jitter * 0.001, 3, format('INFO step %s loss %s', s, 9 - s * 0.1)),
			(1.0 + jitter * 0.001, 4, format('DEBUG memory scrub: %s pages checked, 0 bad', 60 + jitter))) x (at, turn, line);
	INSERT INTO line
	SELECT job, n, 'rank', t * 10.5, 5, 'ERROR sensor 1 is not readable' FROM generate_series(0, 7) n, generate_series(1, 2) t;
	INSERT INTO line
	SELECT job, n, 'rank', 21 + t * 0.1, 5, 'INFO snapshot 10 is written' FROM generate_series(0, 7) n, generate_series(1, 2) t;
	INSERT INTO line
	SELECT job, n, 'rank', 22 + t * 0.1, 5, 'INFO disk is 16.0% full' FROM generate_series(0, 7) n, generate_series(1, 2) t;
	INSERT INTO line
	SELECT job, n, 'syslog', s * 5, 1, format('INFO network: retransmitted=%s errors=0', s * (1 + (n + seed) % 3))
	FROM generate_series(0, 7) n, generate_series(0, 9) s;
$$;
CREATE FUNCTION fail_all(job text, node_not int DEFAULT NULL) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, n, 'rank', 62 + n * 0.01, 9, 'ERROR RuntimeError: collective operation timed out after 20 s'
	FROM generate_series(0, 7) n WHERE n IS DISTINCT FROM node_not
$$;
CREATE FUNCTION load_job(job text, status text, folder text, settings jsonb DEFAULT '{"model": "m", "framework": "f"}')
	RETURNS text LANGUAGE plpgsql AS $$
DECLARE f record;
BEGIN
	FOR f IN SELECT DISTINCT l.node, l.file FROM line l WHERE l.job = load_job.job LOOP
		EXECUTE format('COPY (SELECT to_char(timestamp ''2026-11-20 22:00:00'' + at * interval ''1 s'',
			''YYYY-MM-DD HH24:MI:SS,MS'') || '' '' || line FROM line WHERE job = %L AND node = %s AND file = %L ORDER BY at,
			turn) TO PROGRAM %L',
			job, f.node, f.file, format('mkdir -p %1$s/evidence/%2$s/node-%3$s && cat > %1$s/evidence/%2$s/node-%3$s/%4$s',
				folder, job, f.node, CASE f.file WHEN 'rank' THEN 'rank-' || f.node || '.log' ELSE f.file END));
	END LOOP;
	PERFORM l4_register_job(job, settings, status, ARRAY(SELECT 'node-' || n FROM generate_series(0, 7) n), 1);
	RETURN folder || '/evidence/' || job;
END $$;
-- what is said of the suspects: node, score, kinds of evidence
CREATE FUNCTION suspects(job text) RETURNS TABLE (node text, reasons text) LANGUAGE sql AS $$
	SELECT s.unit, (SELECT string_agg(e.kind, ' ' ORDER BY e.kind) FROM unnest(s.evidence) e)
	FROM l4_suspect_nodes(job) s ORDER BY s.ordinal
$$;
-- what the steps are given
CREATE FUNCTION streams(job text) RETURNS l4_job_stream[] LANGUAGE sql AS $$ SELECT array_agg(s) FROM l4_job_streams(job) s $$;
CREATE FUNCTION units(job text) RETURNS l4_unit[] LANGUAGE sql AS $$ SELECT array_agg(u) FROM l4_job_units(job) u $$;
CREATE FUNCTION clocks(job text) RETURNS l4_clock_offset[] LANGUAGE sql AS $$ SELECT array_agg(k)
	FROM l4_clock_offsets(job) k $$;

SELECT make_lines('ok-' || n, n) FROM generate_series(1, 2) n \g /dev/null
SELECT load_job('ok-1', 'succeeded', :'folder') AS path \gset
CALL l4_import('ok-1', :'path');
SELECT load_job('ok-2', 'succeeded', :'folder') AS path \gset
CALL l4_import('ok-2', :'path');

-- all alike: no node is named, whatever the jitter
SELECT make_lines('alike', 3), fail_all('alike') \g /dev/null
SELECT load_job('alike', 'failed', :'folder') AS path \gset
CALL l4_import('alike', :'path');
SELECT * FROM suspects('alike');
SELECT ordinal, role, nodes_affected, explanation LIKE '%, so no fault of one node,%' AS says_so
FROM l4_diagnose('alike') WHERE kind = 'event';

-- a clock three seconds behind: node-3 seems to fail first, and does not
SELECT make_lines('clock', 3), fail_all('clock') \g /dev/null
INSERT INTO line VALUES ('clock', 5, 'rank', 40.5, 8, 'ERROR device 0 fell off the bus');
INSERT INTO line VALUES ('clock', 3, 'rank', 42, 8, 'ERROR device 0 lost its peer');
UPDATE line SET at = at - 3 WHERE job = 'clock' AND node = 3;
SELECT load_job('clock', 'failed', :'folder') AS path \gset
CALL l4_import('clock', :'path');
SELECT node, round(extract(epoch FROM ahead), 1) AS ahead, extract(epoch FROM spread) < 0.1 AS sure, statements
FROM l4_clock_offsets('clock');
SELECT count(*) AS nodes FROM l4_clock_offsets('ok-1');
SELECT node FROM l4_unexplained('clock') WHERE message LIKE '%device%' ORDER BY first_ts;
-- what is at hand and handed over gives the same as what is computed anew
CREATE TEMP TABLE hand AS SELECT ARRAY(SELECT k FROM l4_clock_offsets('clock') k) AS clocks,
ARRAY(SELECT n FROM l4_unexplained('clock') n) AS news, ARRAY(SELECT a FROM l4_accusations('clock') a) AS accusations;
SELECT count(*) AS differences FROM (
	(SELECT n.* FROM hand, l4_unexplained('clock', clocks => hand.clocks) n EXCEPT ALL SELECT n.*
		FROM l4_unexplained('clock') n)
	UNION ALL (SELECT n.* FROM l4_unexplained('clock') n EXCEPT ALL SELECT n.* FROM hand,
		l4_unexplained('clock', clocks => hand.clocks) n)) d;
SELECT count(*) AS evidence, count(*) FILTER (WHERE e.told IS NULL OR h.told IS NULL) AS differences
FROM (SELECT e::text AS told, e FROM l4_node_evidence('clock') e) e
FULL JOIN (SELECT h::text AS told, h FROM hand, l4_node_evidence('clock', hand.news, hand.accusations, hand.clocks) h)
	h USING (told);
SELECT count(*) AS differences FROM (
	(SELECT o.* FROM hand, l4_onsets('clock', hand.news, '{}', hand.accusations) o EXCEPT ALL SELECT o.*
		FROM l4_onsets('clock', NULL, '{}') o)
	UNION ALL (SELECT o.* FROM l4_onsets('clock', NULL, '{}') o EXCEPT ALL SELECT o.* FROM hand,
		l4_onsets('clock', hand.news, '{}', hand.accusations) o)) d;
SELECT node FROM suspects('clock') LIMIT 1;

-- slow: the durations of one node, in seconds
SELECT make_lines('slow', 3) \g /dev/null
UPDATE line SET line = regexp_replace(line, 'took \d+', 'took 1500') WHERE job = 'slow' AND node = 2
	AND line LIKE '%forward%' AND at < 30;
UPDATE line SET line = regexp_replace(line, 'took \d+', 'took 1503') WHERE job = 'slow' AND node = 2
	AND line LIKE '%forward%' AND at >= 30;
SELECT load_job('slow', 'failed', :'folder') AS path \gset
CALL l4_import('slow', :'path');
SELECT w.unit, w.rank, round(w.mean::numeric, 1) AS mean, round(w.median::numeric, 1) AS median, w.z > 5 AS far
FROM l4_slow_ranks('slow', streams('slow'), l4_limits_in_force()) w;
SELECT * FROM suspects('slow');
-- ... and the other way round: whom all wait for waits least
SELECT make_lines('waits', 3) \g /dev/null
UPDATE line SET line = regexp_replace(line, 'in \d+', 'in ' || 40 + turn) WHERE job = 'waits' AND node = 6
	AND line LIKE '%reduced%' AND at < 30;
UPDATE line SET line = regexp_replace(line, 'in \d+', 'in ' || 41 + turn) WHERE job = 'waits' AND node = 6
	AND line LIKE '%reduced%' AND at >= 30;
SELECT load_job('waits', 'failed', :'folder') AS path \gset
CALL l4_import('waits', :'path');
SELECT w.unit, w.z < -5 AS far FROM l4_slow_ranks('waits', streams('waits'), l4_limits_in_force()) w;
SELECT * FROM suspects('waits');
SELECT count(*) AS slow_in_healthy FROM l4_slow_ranks('ok-1', streams('ok-1'), l4_limits_in_force());
-- units
SELECT l4_text_seconds('took <*> ms', 1, '3'), l4_text_seconds('cost [<*>]us', 1, '3'), l4_text_seconds('rate <*>', 1, '3'),
	l4_text_seconds('elapsed time (ms): <*> |', 1, '3.5'), l4_text_seconds('wait <*>', 1, '3s'),
	l4_text_seconds('reduce <*> ms : <*> bytes', 1, '3'), l4_text_seconds('reduce <*> ms : <*> bytes', 2, '3'),
	l4_text_seconds('lr=<*> ms=<*> compute_ms=<*> step_time_s=<*> tokens_per_sec=<*> tok_s=<*>', p, '3.5')
FROM generate_series(1, 6) p;
SELECT l4_text_seconds('timing[data=<*>, forward=<*>] ms', p, '0.1'), l4_text_seconds('(x=<*>, y=<*>) samples', p, '0.1')
FROM generate_series(1, 2) p;
SELECT p, l4_broken_down('step <*>: <*> ms (read <*>, compute <*>), <*> left', p) FROM generate_series(1, 5) p;

-- behind: all time out alike, one of them a step earlier than the others
SELECT make_lines('behind', 3), fail_all('behind') \g /dev/null
DELETE FROM line WHERE job = 'behind' AND node = 7 AND file = 'rank' AND line LIKE '%step 20 %' AND turn >= 2;
SELECT load_job('behind', 'failed', :'folder') AS path \gset
CALL l4_import('behind', :'path');
SELECT unit, min(behind) AS behind, min(units) AS units
FROM l4_awaited_units('behind', units('behind'), streams('behind'), clocks('behind'), l4_limits_in_force()) GROUP BY unit;
SELECT * FROM suspects('behind');
-- late: it reached the last step, a second after the others; two others with it would not count
SELECT make_lines('late', 3), fail_all('late') \g /dev/null
UPDATE line SET at = at + 1 WHERE job = 'late' AND node = 1 AND at BETWEEN 40 AND 43 AND file = 'rank';
SELECT load_job('late', 'failed', :'folder') AS path \gset
CALL l4_import('late', :'path');
SELECT DISTINCT unit, late > 0.9 AS late
FROM l4_awaited_units('late', units('late'), streams('late'), clocks('late'), l4_limits_in_force());

-- a counter in one system log
SELECT make_lines('counter', 3), fail_all('counter') \g /dev/null
UPDATE line SET line = 'INFO network: retransmitted=' || 60 * at::int || ' errors=0' WHERE job = 'counter' AND node = 4
	AND file = 'syslog';
SELECT load_job('counter', 'failed', :'folder') AS path \gset
CALL l4_import('counter', :'path');
SELECT unit, growth, median, usual
FROM l4_counting_units('counter', streams('counter'), l4_limits_in_force());
SELECT * FROM suspects('counter');
SELECT count(*) AS counters_in_healthy FROM l4_counting_units('ok-1', streams('ok-1'), l4_limits_in_force());

-- a value where there was but one ever: root, and its node's own
SELECT make_lines('value', 3), fail_all('value') \g /dev/null
UPDATE line SET line = replace(line, ' 0 bad', ' 3 bad') WHERE job = 'value' AND node = 2 AND at BETWEEN 38 AND 40;
SELECT load_job('value', 'failed', :'folder') AS path \gset
CALL l4_import('value', :'path');
SELECT node, role, explanation LIKE '%"3"; in successful jobs it is always "0"%' AS says_what
FROM l4_diagnose('value') WHERE kind = 'event' AND ordinal = 1;
SELECT node FROM suspects('value') LIMIT 1;

-- trouble that successful jobs have too: a storm of it on one node is news, as often all along a job that runs longer it is not
SELECT make_lines('storm', 3), fail_all('storm'), make_lines('long', 3), fail_all('long') \g /dev/null
INSERT INTO line SELECT 'storm', 6, 'rank', 36 + t * 0.1, 5, 'ERROR sensor 1 is not readable' FROM generate_series(1, 30) t;
INSERT INTO line VALUES ('storm', 6, 'rank', -1795000000, 5, 'ERROR sensor 1 is not readable'); -- a clock that was not set yet
UPDATE line SET at = at * 15 WHERE job = 'long';
INSERT INTO line SELECT 'long', n, 'rank', t * 30, 5, 'ERROR sensor 1 is not readable'
FROM generate_series(0, 7) n, generate_series(1, 28) t;
SELECT load_job('storm', 'failed', :'folder') AS path \gset
CALL l4_import('storm', :'path');
SELECT load_job('long', 'failed', :'folder') AS path \gset
CALL l4_import('long', :'path');
SELECT job_id, node, reason, l4_unexplained_sentence(reason, numbers) AS detail FROM unnest(ARRAY['storm', 'long']) AS job_id,
	l4_unexplained(job_id) AS n WHERE n.reason = 'storm';

-- of a single successful job nobody knows how others differ: what is far from it is news only beside a second one
SELECT make_lines('one', 3), fail_all('one'), make_lines('apart-1', 1), make_lines('apart-2', 2) \g /dev/null
INSERT INTO line SELECT 'one', 6, 'rank', 36 + t * 0.1, 5, 'ERROR sensor 1 is not readable' FROM generate_series(1, 28) t;
INSERT INTO line VALUES ('one', 5, 'syslog', 33, 1, 'INFO network: retransmitted=9000 errors=0');
SELECT load_job('apart-1', 'succeeded', :'folder', '{"model": "apart"}') AS path \gset
CALL l4_import('apart-1', :'path');
SELECT load_job('one', 'failed', :'folder', '{"model": "apart"}') AS path \gset
CALL l4_import('one', :'path');
SELECT n.node, n.reason FROM l4_unexplained('one') n WHERE n.reason IN ('storm', 'range') ORDER BY n.reason;
SELECT load_job('apart-2', 'succeeded', :'folder', '{"model": "apart"}') AS path \gset
CALL l4_import('apart-2', :'path');
SELECT n.node, n.reason FROM l4_unexplained('one') n WHERE n.reason IN ('storm', 'range') ORDER BY n.reason;

-- a number that goes with the steps is no new value, though successful jobs have but one of it
SELECT make_lines('counts', 3), fail_all('counts') \g /dev/null
INSERT INTO line SELECT 'counts', n, 'rank', 39.5, 5, 'INFO snapshot 19 is written' FROM generate_series(0, 7) n;
INSERT INTO line VALUES ('counts', 2, 'rank', 39.6, 5, 'INFO snapshot 77 is written'),
	('counts', 2, 'rank', 39.7, 5, 'INFO disk is 16.1% full');
SELECT load_job('counts', 'failed', :'folder') AS path \gset
CALL l4_import('counts', :'path');
SELECT node, nodes_affected, explanation LIKE '%; the value after "snapshot" is "77"; in successful jobs it is always "10"%'
	AS says_what FROM l4_diagnose('counts') WHERE kind = 'event' AND template LIKE 'snapshot%';
-- nor is a share, which is measured, however alike it was in all of them
SELECT count(*) AS shares FROM l4_diagnose('counts') WHERE kind = 'event' AND template LIKE 'disk%';
SELECT l4_parameter_name('step <*> took <*> ms, <*>', place) FROM generate_series(1, 4) AS place;

-- the next beat of one system log lies past the end of the job: that node is not silent; it is where it left out two
SELECT make_lines('beat', 3), fail_all('beat') \g /dev/null
UPDATE line SET at = CASE node WHEN 5 THEN 2 + at / 5 * 10 ELSE at / 5 * 10 END WHERE job = 'beat' AND file = 'syslog';
DELETE FROM line WHERE job = 'beat' AND file = 'syslog' AND at > 60;
SELECT load_job('beat', 'failed', :'folder') AS path \gset
CALL l4_import('beat', :'path');
SELECT count(*) AS silent FROM l4_silent_units('beat', streams('beat'), clocks('beat'), l4_limits_in_force());
DELETE FROM line WHERE job = 'beat' AND file = 'syslog' AND node = 5 AND at > 40;
UPDATE line SET job = 'silent' WHERE job = 'beat';
INSERT INTO line SELECT 'silent', 5, 'syslog', -1795000000, 1, line
FROM line WHERE job = 'silent' AND node = 5 AND file = 'syslog' LIMIT 1;
SELECT load_job('silent', 'failed', :'folder') AS path \gset
CALL l4_import('silent', :'path');
SELECT unit, date_trunc('second', gap) AS gap
FROM l4_silent_units('silent', streams('silent'), clocks('silent'), l4_limits_in_force());

-- the first rows: one of each kind before the second of any
SELECT kind, ordinal FROM (SELECT kind, ordinal FROM l4_diagnose('value') LIMIT 4) d ORDER BY kind;

-- ranks alone: one file with labels, no node known; one rank stops without a word
SELECT make_lines('ranks', 3), fail_all('ranks', 3) \g /dev/null
DELETE FROM line WHERE job = 'ranks' AND (file <> 'rank' OR node = 3 AND at > 30);
CREATE TEMP VIEW labelled AS SELECT at, turn, node,
	format('%s: %s %s', node, to_char(timestamp '2026-11-20 22:00:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS'), line)
		AS line
	FROM line WHERE job = 'ranks';
\copy (SELECT line FROM labelled ORDER BY at, turn, node) TO PROGRAM 'cat > $L4_FOLDER/all.log'
DROP VIEW labelled;
\set path :folder '/all.log'
SELECT l4_register_job('ranks', '{"model": "m", "framework": "f"}', 'failed') \g /dev/null
CALL l4_import('ranks', :'path');
SELECT ordinal, node, rank FROM l4_diagnose('ranks') WHERE kind = 'node';
SELECT kind, ordinal, node FROM l4_diagnose('ranks') WHERE node IS NOT NULL;

-- a pool of another system: its settings are similar, and only what sounds of trouble is news
SELECT make_lines('other', 3), fail_all('other') \g /dev/null
INSERT INTO line SELECT 'other', n, 'rank', 41.5, 9, 'INFO vendor library build 7 uses adaptive routing'
FROM generate_series(0, 7) n;
SELECT load_job('other', 'failed', :'folder', '{"model": "m", "framework": "f", "system": "rack b"}') AS path \gset
CALL l4_import('other', :'path');
SELECT l4_register_job('ok-' || n, '{"model": "m", "framework": "f", "system": "rack a"}')
FROM generate_series(1, 2) n \g /dev/null
SELECT fit, differs, kinds FROM l4_best_pool('other');
SELECT count(*) FILTER (WHERE template LIKE '%adaptive%') AS mild, count(*) FILTER (WHERE template LIKE '%timed out%') AS grave,
	count(*) FILTER (WHERE explanation LIKE '%similar (other system) settings%') AS say_so
FROM l4_diagnose('other') WHERE kind = 'event';
SELECT x.explanation FROM (SELECT DISTINCT h.event_id FROM l4_shape h JOIN l4_stream_event e USING (shape_id)
	WHERE e.job_id = 'other' AND h.shape LIKE '%adaptive%') e, l4_explain_event('other', e.event_id) x;
SELECT l4_register_job('other', '{"model": "m", "framework": "f", "system": "rack a"}') \g /dev/null
SELECT fit, differs FROM l4_best_pool('other');
SELECT count(*) FILTER (WHERE template LIKE '%adaptive%') AS mild FROM l4_diagnose('other') WHERE kind = 'event';

-- In a file that ranks share, a statement that had no stamp when it came first does not put the lines behind it late.
COPY (SELECT CASE n WHEN 1 THEN '0: constant is 1' WHEN 180 THEN '0: constant is 2'
	ELSE format('%s: %s INFO %s', n % 2, to_char(timestamp '2026-11-20 22:00' + n / 2 * interval '1 s',
		'YYYY-MM-DD HH24:MI:SS'), CASE WHEN n > 21 THEN format('step %s loss 1.5', n / 2)
		ELSE 'making part ' || chr(97 + n / 2) END) END FROM generate_series(1, 200) n) TO STDOUT \g :shared
SELECT l4_register_job('shared', '{}', 'failed') \g /dev/null
CALL l4_import('shared', :'shared');
SELECT c.lines[1:3] AS lines, ARRAY(SELECT to_char(t, 'MI:SS') FROM unnest(c.times[1:3]) t) AS times
FROM l4_source_clocks('shared', l4_limits_in_force()) c;

-- Nor where few lines have a stamp at all: its stream tells earlier ones behind it.
COPY (SELECT CASE n WHEN 1 THEN '0: constant is 1' WHEN 40 THEN '0: 2026-11-20 22:00:05 INFO begins' WHEN 80 THEN
	'0: 2026-11-20 22:00:09 INFO ends' WHEN 81 THEN '0: constant is 2' ELSE '1: making part ' || n END
	FROM generate_series(1, 90) n) TO STDOUT \g :shared
SELECT l4_register_job('sparse', '{}', 'failed') \g /dev/null
CALL l4_import('sparse', :'shared');
SELECT c.lines, ARRAY(SELECT to_char(t, 'MI:SS') FROM unnest(c.times) t) AS times
FROM l4_source_clocks('sparse', l4_limits_in_force()) c;

-- A best-stamped stream whose libraries go by another zone is the clock none the less, as there is no better one.
COPY (SELECT format('%s: %s INFO making part %s', (n % 7 = 0)::int, to_char(timestamp '2026-11-20 22:00' + n * interval '1 s'
	- (n > 9)::int * interval '5 h', 'YYYY-MM-DD HH24:MI:SS'), repeat(chr(96 + n), 3)) FROM generate_series(1, 20) n) TO STDOUT
	\g :shared
SELECT l4_register_job('zones', '{}', 'failed') \g /dev/null
CALL l4_import('zones', :'shared');
SELECT c.lines[1:3] AS lines, ARRAY(SELECT to_char(t, 'HH24:MI:SS') FROM unnest(c.times[1:3]) t) AS times
FROM l4_source_clocks('zones', l4_limits_in_force()) c;
SELECT l4_delete_job('zones') \g /dev/null

SELECT set_config('l4.test_folder', :'folder', false) \g /dev/null
DO $$ BEGIN EXECUTE format('COPY (SELECT) TO PROGRAM %L', format('rm -r %s/evidence', current_setting('l4.test_folder')));
END $$;
\! rm -r "$L4_FOLDER"
DROP TABLE line; DROP FUNCTION make_lines, fail_all, load_job, suspects, streams, units, clocks;
DELETE FROM l4_finding; DELETE FROM l4_stream; DELETE FROM l4_segment; DELETE FROM l4_source_counts;
DELETE FROM l4_parameter_sketch; DELETE FROM l4_timeline;
DELETE FROM l4_job; DELETE FROM l4_pool; DELETE FROM l4_pool_job; DELETE FROM l4_pool_event; DELETE FROM l4_pool_parameter;
DELETE FROM l4_shape; DELETE FROM l4_event;
