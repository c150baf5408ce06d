-- The fault library, the loop from a finding to a fault in force, failure reports and similar failures, on small made-up jobs.
-- In a database of its own: what other tests left must neither be found nor matched.
\getenv abs_srcdir PG_ABS_SRCDIR
SELECT current_database() AS here \gset
SET client_min_messages = warning;
DROP DATABASE IF EXISTS l4_faults;
CREATE DATABASE l4_faults TEMPLATE template0;
\c l4_faults
CREATE EXTENSION l4;
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET timezone = 'UTC';
\set settings '{"model": "m-8", "framework": "f 1.0"}'
\set ok1 :abs_srcdir '/data/faults/ok-1'
\set ok2 :abs_srcdir '/data/faults/ok-2'
\set pump1 :abs_srcdir '/data/faults/pump-1'
\set pump2 :abs_srcdir '/data/faults/pump-2'
\set oom :abs_srcdir '/data/faults/oom'
SELECT l4_register_job(j, :'settings', CASE WHEN j LIKE 'ok%' THEN 'succeeded' ELSE 'failed' END,
	'{node-a,node-b,node-c,node-d}', 1)
FROM unnest('{ok-1,ok-2,pump-1,pump-2,oom}'::text[]) j \g /dev/null
CALL l4_import('ok-1', :'ok1');
CALL l4_import('ok-2', :'ok2');
CALL l4_import('pump-1', :'pump1');
CALL l4_import('oom', :'oom');

-- many patterns on many texts at once
SELECT * FROM l4_match_patterns('{words,either,none,class,open,absent}',
	ARRAY['foo.{1,5}bar', '(?i)killed|OOM', '^\d+$', '[xyz]{2,}q', 'a?b*', NULL],
	ARRAY['a foo is bar', 'was KILLED', '12', NULL, 'xyq', '']) ORDER BY subject, key;
-- the words looked for beforehand change no result: all built-in patterns on all examples there are
SELECT count(*) > 100 AS many, count(*) FILTER (WHERE m.key IS NULL) AS missed,
	count(*) FILTER (WHERE s.fault_key IS NULL) AS added
FROM (SELECT array_agg(fault_key ORDER BY fault_key) AS keys, array_agg(pattern ORDER BY fault_key) AS patterns FROM l4_fault) f
	CROSS JOIN (SELECT array_agg(DISTINCT root_cause || ' ' || fix || ' ' || pattern COLLATE "C") AS subjects FROM l4_fault) t
	CROSS JOIN LATERAL l4_match_patterns(f.keys, f.patterns, t.subjects) m
	FULL JOIN (SELECT f.fault_key, s.subject, s.place FROM l4_fault f,
		(SELECT array_agg(DISTINCT root_cause || ' ' || fix || ' ' || pattern COLLATE "C") AS subjects FROM l4_fault) t,
		unnest(t.subjects) WITH ORDINALITY s (subject, place) WHERE l4_pattern_matches(f.pattern, s.subject)) s ON s.fault_key
		= m.key AND s.place = m.subject;
SELECT * FROM l4_match_patterns('{a}', '{x,y}', '{x}');
SELECT * FROM l4_match_patterns('{a}', '{(x}', '{x}');
SELECT * FROM l4_match_patterns('{{a}}', '{{x}}', '{x}');

-- built-in faults: each key once, roles of all kinds, edges only between faults there are
SELECT fault_key, count(*) AS times, array_agg(builtin) AS builtin, array_agg(state) AS state
FROM l4_fault GROUP BY fault_key HAVING count(*) > 1 OR NOT bool_and(builtin AND state = 'confirmed');
SELECT role, count(*) > 0 AS some FROM l4_fault_library GROUP BY role ORDER BY role;
SELECT x.* FROM l4_fault_explains x WHERE x.fault_key <> '*' AND NOT EXISTS (SELECT FROM l4_fault f
	WHERE f.fault_key = x.fault_key)
	OR NOT EXISTS (SELECT FROM l4_fault f WHERE f.fault_key = x.explains);
SELECT fault_key, explained_by
FROM l4_explained_faults('{nic_link_down,heartbeat_lost,conn_reset,python_exception,cuda_oom,xid_79,xid_other}')
ORDER BY fault_key;

-- each has an example, matches it, and stands before the general wordings that match it too (but for one that says again what
-- is known)
\set examples :abs_srcdir '/data/faults/examples.tsv'
CREATE TEMP TABLE example (fault_key text PRIMARY KEY, example text NOT NULL);
COPY example FROM :'examples' WITH (FORMAT csv, DELIMITER E'\t', QUOTE E'\b', HEADER);
SELECT fault_key, e.example, f.pattern FROM example e FULL JOIN l4_fault f USING (fault_key)
WHERE l4_pattern_matches(f.pattern, e.example) IS NOT TRUE ORDER BY 1;
SELECT e.fault_key, f.fault_key AS first
FROM (SELECT array_agg(e.fault_key ORDER BY e.fault_key) AS keys, array_agg(e.example ORDER BY e.fault_key) AS texts
		FROM example e) x,
	(SELECT array_agg(f.fault_key) AS keys, array_agg(f.pattern) AS patterns FROM l4_fault f) p,
	LATERAL (SELECT x.keys[h.subject] AS fault_key, array_agg(h.key) AS keys
		FROM l4_match_patterns(p.keys, p.patterns, x.texts) h GROUP BY 1) e,
	LATERAL (SELECT f.fault_key FROM l4_fault f LEFT JOIN l4_explained_faults(e.keys) x ON x.fault_key = f.fault_key
		WHERE f.fault_key = ANY (e.keys) AND f.role <> 'benign'
		ORDER BY x.fault_key IS NOT NULL, array_position(ARRAY['root', 'cascade', 'confirmation'], f.role),
			array_position(ARRAY['critical', 'error', 'warning', 'info'], f.severity), f.priority, f.fault_key LIMIT 1) f
WHERE f.fault_key <> e.fault_key ORDER BY 1;
-- each number of the Xid catalogue has its own fault and no other one's, one beyond has the general fault
SELECT n AS xid, array_agg(f.fault_key ORDER BY f.fault_key) AS faults
FROM generate_series(1, 174) n
LEFT JOIN l4_fault f ON l4_pattern_matches(f.pattern, format('NVRM: Xid (PCI:0000:3b:00): %s, pid=712, name=python3, Ch 1', n))
GROUP BY n HAVING array_agg(f.fault_key) <> ARRAY['xid_' || n] ORDER BY n;
-- what tells of a program or of a repaired error does not condemn a device; what is fatal asks for it
SELECT fault_key, category, severity, role, recovery FROM l4_fault
WHERE fault_key ~ '^xid_(13|31|43|45|48|63|64|79|92|94|95|119_120|121|149_(non)?fatal|154_reboot|other)$'
	OR fault_key IN ('sxid_nvswitch', 'sxid_nonfatal', 'ascend_507054', 'ascend_107000', 'ascend_ei0002', 'nrt_hardware')
ORDER BY fault_key COLLATE "C";
-- what looks like a fault of an accelerator and is none
SELECT h.line, f.fault_key
FROM (VALUES ('        HW Slowdown                       : Not Active'),
	('        HW Thermal Slowdown               : Not Active'),
	('amdgpu 0000:c3:00.0: amdgpu: 0 uncorrectable hardware errors detected in umc block'),
	('nvidia-nvswitch0: SXid (PCI:0000:a9:00.0): 20034, Data {0x50610002, 0x10100030}'),
	('INFO:jax._src.xla_bridge:Unable to initialize backend ''tpu'': INTERNAL: Failed to open libtpu.so'),
	('amdgpu 0000:83:00.0: amdgpu: ring comp_1.0.0 uses VM inv eng 1 on hub 0'),
	('NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.158.01  Release Build'),
	('GPU Recovery Action                   : None')) h (line)
JOIN l4_fault f ON l4_pattern_matches(f.pattern, h.line);
-- a cause stands before its consequences; what successful jobs print too does not ring
SELECT fault_key, role, severity, node, nodes_affected, occurrences, explained_by FROM l4_match_faults('oom');
SELECT fault_key, role, source, line_no FROM l4_match_faults('pump-1');
SELECT count(*) AS matches FROM l4_match_faults('ok-1');
SELECT fault_key FROM l4_match_faults('no such job');

-- the loop: confirm what the first job had, as a draft
SELECT fault_key, category, subtype, pattern, role, severity, state, origin, builtin FROM
	l4_confirm_fault('pump-1', 'coolant_pump', 'Coolant pump stalled', 'The pump of the node''s cooling loop stands still',
		'Replace the pump, then the node may work again',
		'hardware', 'node', events => ARRAY(SELECT event_id FROM l4_diagnose('pump-1') WHERE kind = 'event'
			AND template LIKE '%stalled%'),
		explains => '{conn_reset}', severity => 'critical', note => 'ticket 4711');
SELECT fault_key FROM l4_fault_library WHERE fault_key = 'coolant_pump';
-- the second job comes in; the draft is tested before it is in force, and a careless pattern too
CALL l4_import('pump-2', :'pump2');
SELECT job_id, status, verdict, records, news_records, shapes, nodes, source, line_no, tried_on
FROM l4_backtest_fault(fault_key => 'coolant_pump');
SELECT job_id, status, verdict, records, news_records, nodes FROM l4_backtest_fault('(?i)failed|lost|closed|refused');
SELECT job_id, status, verdict, records, news_records, nodes
FROM l4_backtest_fault('pump', basis => 'shapes', jobs => '{ok-1,pump-2}');
SELECT fault_key, explained_by FROM l4_match_faults('pump-2');
SELECT l4_activate_fault('coolant_pump', 'tested on all jobs');
SELECT kind, ordinal, node, fault_key, root_cause, fix FROM l4_diagnose('pump-2') WHERE kind = 'fault' ORDER BY ordinal;
SELECT fault_key, builtin, explained_by FROM l4_match_faults('pump-2');
SELECT l4_save_diagnosis('pump-1') AS findings, l4_save_diagnosis('pump-2') AS findings;
-- what was saved, with what, and that a later one supersedes it while both remain
SELECT job_id, saved_by = current_user AS by_me, version = (SELECT extversion FROM pg_extension WHERE extname = 'l4')
	AS version, use_pool, pool_jobs, pool_fit, records, findings,
	verdict, restart_action, restart_target, began_at, newest FROM l4_diagnoses ORDER BY job_id;
SELECT l4_save_diagnosis('pump-2', false) AS findings;
SELECT use_pool, pool_jobs, newest, superseded_at IS NOT NULL AS superseded
FROM l4_diagnoses WHERE job_id = 'pump-2' ORDER BY saved_at;
SELECT count(DISTINCT saved_at) AS kept, count(DISTINCT saved_at) FILTER (WHERE newest) AS newest
FROM l4_findings WHERE job_id = 'pump-2';
DELETE FROM l4_finding f USING l4_diagnosis d WHERE d.job_id = f.job_id AND d.saved_at = f.saved_at AND NOT d.use_pool;
SELECT count(*) FILTER (WHERE newest) AS newest_found_nothing FROM l4_findings WHERE job_id = 'pump-2';
DELETE FROM l4_diagnosis WHERE NOT use_pool;
SELECT l4_judge_fault('pump-2', 'coolant_pump', true);
SELECT l4_judge_fault('pump-2', 'conn_reset', false, 'only followed');
SELECT fault_key, matched_count, right_count, wrong_count FROM l4_fault_library WHERE matched_count > 0 OR right_count > 0
ORDER BY fault_key;
SELECT l4_retire_fault('coolant_pump', 'all pumps replaced');
SELECT fault_key, state FROM l4_fault WHERE NOT builtin;
SELECT fault_key FROM l4_match_faults('pump-2');
SELECT fault_key, step, changed_by = current_user AS by_me, note, detail - 'pattern' AS detail
FROM l4_fault_history ORDER BY changed_at;

-- scope: kinds of streams, share of nodes, time, order of events, benign
CREATE FUNCTION pg_temp.matches(job text, f l4_fault_entry) RETURNS bigint LANGUAGE sql
AS $$ SELECT count(*) FROM l4_match_entries(job, ARRAY(SELECT n FROM l4_unexplained(job) n), ARRAY[f]) $$;
SELECT pg_temp.matches('pump-2', ROW('a', 'stalled', NULL, false, '{system}', NULL, NULL, NULL, 'root')) AS system,
	pg_temp.matches('pump-2', ROW('a', 'stalled', NULL, false, '{rank}', NULL, NULL, NULL, 'root')) AS rank,
	pg_temp.matches('pump-2', ROW('a', 'stalled', NULL, false, NULL, 0.5, NULL, NULL, 'root')) AS min_half,
	pg_temp.matches('pump-2', ROW('a', 'stalled', NULL, false, NULL, NULL, 0.5, NULL, 'root')) AS max_half,
	pg_temp.matches('pump-2', ROW('a', 'Connection closed', NULL, false, NULL, NULL, NULL, '10 s', 'root')) AS within_10_s,
	pg_temp.matches('pump-2', ROW('a', 'Connection closed', NULL, false, NULL, NULL, NULL, '1 ms', 'root')) AS within_1_ms,
	pg_temp.matches('pump-2', ROW('a', 'Connection closed', NULL, false, NULL, NULL, NULL, NULL, 'benign')) AS benign;
SELECT array_agg(event_id ORDER BY first_seen) AS both FROM l4_diagnose('pump-2') WHERE kind = 'event'
	AND (template LIKE '%stalled%' OR template LIKE '%device%lost%') \gset
SELECT cardinality(:'both'::bigint[]) AS events,
	pg_temp.matches('pump-2', ROW('a', NULL, :'both', true, NULL, NULL, NULL, NULL, 'root')) AS in_order,
	pg_temp.matches('pump-2', ROW('a', NULL, ARRAY[(:'both'::bigint[])[2], (:'both'::bigint[])[1]], true, NULL, NULL, NULL,
		NULL, 'root')) AS other_order,
	pg_temp.matches('pump-2', ROW('a', NULL, ARRAY[(:'both'::bigint[])[2], (:'both'::bigint[])[1]], false, NULL, NULL, NULL,
		NULL, 'root')) AS any_order,
	pg_temp.matches('pump-2', ROW('a', NULL, :'both'::bigint[] || 1::bigint, false, NULL, NULL, NULL, NULL, 'root'))
		AS one_missing,
	pg_temp.matches('pump-2', ROW('a', 'device', :'both', false, NULL, NULL, NULL, NULL, 'root')) AS with_pattern;
-- a site's benign fault silences what it matches
INSERT INTO l4_fault (fault_key, title, category, subtype, role, pattern)
VALUES ('expected_reset', 'Peers close in any order', 'noise', 'site', 'benign', 'Connection closed by peer rank');
SELECT fault_key FROM l4_match_faults('pump-2');
DELETE FROM l4_fault WHERE fault_key = 'expected_reset';

-- built-in faults are overridden, switched off, replaced; never edited
SELECT l4_override_fault('cuda_oom', severity => 'warning', fix => 'Ask the platform team', note => 'site rule');
SELECT l4_override_fault('cuda_oom', title => 'Accelerator memory full');
SELECT fault_key, title, severity, fix, builtin, overridden,
	pattern = (SELECT pattern FROM l4_fault WHERE fault_key = 'cuda_oom') AS same_pattern
FROM l4_fault_library WHERE overridden;
SELECT fault_key, severity, fix FROM l4_match_faults('oom');
SELECT l4_retire_fault('cuda_oom');
SELECT count(*) AS matches FROM l4_match_faults('oom');
SELECT l4_activate_fault('cuda_oom');
INSERT INTO l4_fault (fault_key, title, category, subtype, pattern)
VALUES ('cuda_oom', 'Out of memory, our words', 'user', 'configuration', 'CUDA out of memory');
SELECT fault_key, title, builtin FROM l4_match_faults('oom');
SET client_min_messages = notice;
SELECT l4_retire_fault('cuda_oom');
SET client_min_messages = warning;
SELECT fault_key, title, builtin FROM l4_match_faults('oom');
UPDATE l4_fault SET fix = 'x' WHERE fault_key = 'loss_nan';
DELETE FROM l4_fault WHERE fault_key = 'loss_nan';
-- the site's row of an edge wins over the built-in one
INSERT INTO l4_fault_explains (fault_key, explains, switched_off) VALUES ('nic_link_down', 'heartbeat_lost', true);
SELECT fault_key, explained_by FROM l4_explained_faults('{nic_link_down,heartbeat_lost,conn_reset}') ORDER BY fault_key;

-- drafts: values that are the news stay, others become bounded classes
SELECT l4_shape_pattern('worker <*> (pid <*>) died: exit code <*>',
	'{"1": ["3", "7"], "2": ["0x7f00", "beef"], "3": ["-9", "1"]}', NULL, NULL, '{-9}');
SELECT l4_shape_pattern(E'Traceback (most recent call last):\n  File <*>, line <*>\nValueError: bad size [<*>] in a.b',
	'{"2": ["8"], "3": ["1.5", "2"]}');
SELECT l4_shape_pattern('check of <*>: <*> bad', '{"1": ["a b"], "2": ["0", "1"]}', 2, '1');
SELECT l4_draft_pattern('pump-1', 1) IS NULL AS not_news;

-- failure reports: JSON, CSV, joined with findings
SELECT l4_import_failure_reports('[
	{"job_id": "pump-1", "symptom": "training crash", "root_cause_category": "hardware", "root_cause_subtype": "node",
		"root_cause": "pump", "fix": "replaced",
	 "fault_key": "coolant_pump", "faulty_nodes": ["node-c"], "job_metadata": {"user": "kim"}, "accelerator_count": 4,
	 "lead": "syslog of node-c", "procedure": "looked at the pumps",
	 "failed_at": "2026-11-20 21:05:20+00", "reported_at": "2026-11-20 21:30:00+00", "diagnosed_at": "2026-11-20 22:00:00+00",
	 "resolved_at": "2026-11-21 09:00:00+00"},
	{"job_id": "oom", "symptom": "Abnormal behavior", "reported_at": "2026-11-20 21:40:00+00"}]');
SELECT l4_import_failure_reports('{"job_id": "oom", "symptom": "crash", "root_cause": "batch too large", "reported_at": '
	'"2026-11-20 21:40:00+00"}');
COPY l4_failure_report (job_id, report_id, symptom, faulty_nodes, reported_at) FROM stdin (FORMAT csv, HEADER);
job_id,report_id,symptom,faulty_nodes,reported_at
oom,csv,training crash,"{node-a,node-b}",2026-11-20 23:00:00+00
elsewhere,1,launching failure,,2026-11-20 23:30:00+00
\.
SELECT job_id, report_id, symptom, root_cause, status, faulty_nodes, diagnosed_at - failed_at AS time_to_diagnosis
FROM l4_failure_report ORDER BY job_id, report_id;
SELECT r.job_id, f.fault_key, f.node, r.faulty_nodes, f.node = ANY (r.faulty_nodes) AS agree
FROM l4_failure_report r JOIN l4_finding f ON f.job_id = r.job_id AND f.kind = 'fault' AND f.ordinal = 1
ORDER BY r.job_id, r.report_id;
-- one bad report: none is taken in
SELECT l4_import_failure_reports('[{"job_id": "good"}, {"job_id": "bad", "accelerator_count": "many"}]');
SELECT l4_import_failure_reports('[{"job_id": "bad", "status": "lost"}]');
SELECT l4_import_failure_reports('[{"job_id": "bad", "cause": "x", "fixx": 1}]');
SELECT l4_import_failure_reports('[{"symptom": "other"}]');
SELECT l4_import_failure_reports('7');
SELECT count(*) AS taken FROM l4_failure_report WHERE job_id IN ('good', 'bad');

-- failures of the past that resemble a new one
SELECT similar_job_id, round(score::numeric, 2) AS score, shared_faults, cardinality(shared_events) AS events, same_stage,
	compared_with, root_cause, fix, report_status, explanation
FROM l4_similar_failures('pump-2');
SELECT similar_job_id, compared_with FROM l4_similar_failures('pump-2', 1);
SELECT * FROM l4_similar_failures('pump-2', 0);
SELECT * FROM l4_similar_failures('no such job');

-- each error says what was wrong
\set VERBOSITY sqlstate
SELECT l4_confirm_fault('no such job', 'k', 't', 'r', 'f', 'user', 's');
SELECT l4_confirm_fault('pump-1', '', 't', 'r', 'f', 'user', 's');
SELECT l4_confirm_fault('pump-1', 'k', 't', 'r', 'f', 'user', 's', events => '{12345}');
SELECT l4_confirm_fault('pump-1', 'k', 't', 'r', 'f', 'user', 's', pattern => '(x');
SELECT l4_confirm_fault('pump-1', 'k', 't', 'r', 'f', 'user', 's', pattern => 'not in there');
SELECT l4_confirm_fault('pump-1', 'k', 't', 'r', 'f', 'nobody', 's');
SELECT l4_confirm_fault('pump-1', 'k', 't', 'r', 'f', 'user', 's', role => 'witness');
SELECT l4_confirm_fault('ok-1', 'k', 't', 'r', 'f', 'user', 's');
SELECT (l4_confirm_fault('pump-1', 'k', 't', 'r', 'f', 'user', 's', pattern => 'pump', activate => true)).state;
SELECT l4_confirm_fault('pump-1', 'k', 't', 'r', 'f', 'user', 's', pattern => 'pump');
SELECT l4_activate_fault('k');
SELECT l4_activate_fault('no such fault');
SELECT l4_retire_fault('no such fault');
SELECT l4_retire_fault('k');
SELECT l4_retire_fault('k');
SELECT l4_override_fault('k', title => 'x');
SELECT l4_override_fault('loss_nan', severity => 'loud');
SELECT l4_judge_fault('no such job', 'k', true);
SELECT l4_judge_fault('pump-1', 'no such fault', true);
SELECT l4_judge_fault('pump-1', 'k', NULL);
SELECT * FROM l4_backtest_fault();
SELECT * FROM l4_backtest_fault('x', 'k');
SELECT * FROM l4_backtest_fault('(x');
SELECT * FROM l4_backtest_fault(fault_key => 'no such fault');
SELECT * FROM l4_backtest_fault('x', basis => 'lines');
INSERT INTO l4_fault (fault_key, title, category, subtype, pattern) VALUES ('p', 'p', 'user', 's', 'a(');
INSERT INTO l4_fault (fault_key, title, category, subtype) VALUES ('p', 'p', 'user', 's');
INSERT INTO l4_fault (fault_key, title, category, subtype, pattern, min_node_share, max_node_share)
VALUES ('p', 'p', 'user', 's', 'x', 0.5, 0.2);
\set VERBOSITY default
-- a pattern that runs away is named, and a row tells on which text
INSERT INTO l4_fault (fault_key, title, category, subtype, pattern) VALUES ('runaway', 'p', 'user', 's', '^(\S+\s?)+$(?<=!)');
SELECT * FROM l4_match_patterns('{runaway}', ARRAY(SELECT pattern FROM l4_fault WHERE fault_key = 'runaway'),
	ARRAY[repeat('word ', 60)]);
\c :here
DROP DATABASE l4_faults;
