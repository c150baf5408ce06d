-- The diagnosis of small made-up jobs of four nodes: one rank killed, and a bug that hits all alike; and the answers to odd
-- questions.
\getenv abs_srcdir PG_ABS_SRCDIR
SET client_min_messages = warning;
SET timezone = 'UTC';
\set folder :abs_srcdir '/data/diagnose/'
\set ok1 :folder 'ok-1'
\set ok2 :folder 'ok-2'
\set killed :folder 'killed'
\set bug :folder 'bug'
\set settings '{"model": "m-7", "framework": "f 1.0", "seed": 1}'
SELECT l4_register_job('ok-1', :'settings', 'succeeded', '{node-a,node-b,node-c,node-d}', 1) \g /dev/null
CALL l4_import('ok-1', :'ok1');
SELECT l4_register_job('ok-2', jsonb_set(:'settings', '{seed}', '2'), 'succeeded', '{node-a,node-b,node-c,node-d}', 1)
	\g /dev/null
CALL l4_import('ok-2', :'ok2');
SELECT l4_register_job('killed', :'settings', 'failed', '{node-a,node-b,node-c,node-d}', 1) \g /dev/null
CALL l4_import('killed', :'killed');
SELECT l4_register_job('bug', :'settings', 'failed', '{node-a,node-b,node-c,node-d}', 1) \g /dev/null
CALL l4_import('bug', :'bug');

-- the seed does not matter: one pool of both successful jobs
SELECT settings, job_count FROM l4_pool;
SELECT b.job_count, b.fit, b.settings FROM l4_best_pool('killed') b;

-- one rank killed: its silence, and all others naming it
SELECT ordinal, node, rank, stage, iteration FROM l4_diagnose('killed') WHERE kind = 'node';
SELECT ordinal, nodes_affected, occurrences, split_part(template, E'\n', 1) AS template
FROM l4_diagnose('killed') WHERE kind = 'event' ORDER BY ordinal;
SELECT kind, ordinal, stage, iteration FROM l4_diagnose('killed') WHERE kind IN ('stage', 'iteration')
	AND ordinal = 1 ORDER BY kind;
-- ordinals count from 1 within a kind, without gaps; every finding has a sentence; evidence quotes lines that are there
SELECT kind, count(*), min(ordinal) AS first, max(ordinal) AS last, count(DISTINCT ordinal) AS ordinals,
	count(*) FILTER (WHERE coalesce(explanation, '') = '') AS unexplained
FROM l4_diagnose('killed') GROUP BY kind ORDER BY kind;
CREATE TEMP TABLE quote AS SELECT d.kind, d.ordinal, q.quote
	FROM l4_diagnose('killed') d, regexp_split_to_table(d.evidence, E'\n') AS q (quote) WHERE d.evidence IS NOT NULL;
SELECT kind, count(*) AS quotes FROM quote GROUP BY kind ORDER BY kind;
SELECT q.* FROM quote q WHERE NOT EXISTS (SELECT FROM l4_log l WHERE l.job_id = 'killed' AND q.quote LIKE l.source || ':%'
	AND strpos(l.raw, substring(q.quote, '^[^:]+:\d+: (.*)$')) > 0);
DROP TABLE quote;

-- a bug: all nodes alike, none is blamed
SELECT count(*) FILTER (WHERE kind = 'node') AS nodes_blamed, max(stage) FILTER (WHERE kind = 'stage' AND ordinal = 1) AS stage,
	max(iteration) FILTER (WHERE kind = 'iteration' AND ordinal = 1) AS iteration,
	max(nodes_affected) FILTER (WHERE kind = 'event' AND ordinal = 1) AS nodes_affected
FROM l4_diagnose('bug');

-- without the pool
SELECT kind, count(*), count(*) FILTER (WHERE explanation LIKE '%no successful job to compare with%') AS say_so
FROM l4_diagnose('killed', use_pool => false) GROUP BY kind ORDER BY kind;
-- a successful job against the rest of its pool: no news
SELECT count(*) AS events FROM l4_diagnose('ok-1') WHERE kind = 'event';

-- reads only
BEGIN READ ONLY;
SELECT count(*) AS findings FROM l4_diagnose('killed');
COMMIT;
-- the same in parallel plans and without statistics
CREATE TEMP TABLE once AS SELECT * FROM l4_diagnose('killed');
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET enable_hashjoin = off;
SET enable_sort = off;
SELECT count(*) AS differences
FROM ((TABLE once EXCEPT SELECT * FROM l4_diagnose('killed')) UNION ALL (SELECT * FROM l4_diagnose('killed') EXCEPT TABLE once))
	d;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET enable_hashjoin;
RESET enable_sort;

-- one node only
\set one :folder 'killed/node-a'
SELECT l4_register_job('one', :'settings', 'failed') \g /dev/null
CALL l4_import('one', :'one');
SELECT kind, count(*) FROM l4_diagnose('one') GROUP BY kind ORDER BY kind;
-- a node that the scheduler lists but that left no log
SELECT l4_register_job('missing', :'settings', 'failed', '{node-a,node-b,node-c,node-d,node-e}', 1) \g /dev/null
CALL l4_import('missing', :'ok1');
SELECT ordinal, node FROM l4_diagnose('missing') WHERE kind = 'node';

-- each event is root, cascade or context, its explanation says so first, and the roots come first
SELECT job, role, substring(explanation, '^(\w+): ') AS told, count(*), min(ordinal) AS first, max(ordinal) AS last
FROM unnest('{killed,bug}'::text[]) job, l4_diagnose(job) WHERE kind = 'event' GROUP BY 1, 2, 3 ORDER BY job, first;
SELECT count(*) FROM l4_diagnose('killed') WHERE kind NOT IN ('event', 'fault') AND role IS NOT NULL;

-- errors, by SQLSTATE
\set VERBOSITY sqlstate
SELECT * FROM l4_diagnose('no such job');
SELECT l4_register_job('empty', '{}', 'failed') \g /dev/null
SELECT * FROM l4_diagnose('empty');
SELECT * FROM l4_diagnose(NULL);
SELECT l4_register_job(NULL);
SELECT l4_register_job('');
SELECT l4_register_job('x', '{}', 'dead');
SELECT l4_register_job('x', '[]');
SELECT l4_register_job('x', ranks_per_node => 0);
SELECT l4_register_job('x', nodes => ARRAY['a', repeat('b', 1025)]);
\set VERBOSITY default

-- registering again updates and keeps what is not given
SELECT l4_register_job('killed', ended_at => '2026-11-20 23:00+00') \g /dev/null
SELECT status, settings, cardinality(nodes) AS nodes, ranks_per_node, ended_at FROM l4_job WHERE job_id = 'killed';
-- a job that failed after all leaves the pool; one that succeeded joins it
SELECT l4_register_job('ok-2', status => 'failed') \g /dev/null
SELECT job_count FROM l4_pool WHERE job_count > 0;
SELECT l4_register_job('ok-2', status => 'succeeded') \g /dev/null
SELECT job_count FROM l4_pool WHERE job_count > 0;
-- other settings: no pool fits, and it says so
SELECT l4_register_job('other', '{"model": "x", "framework": "y"}', 'failed') \g /dev/null
CALL l4_import('other', :'killed');
SELECT count(*) AS pools FROM l4_best_pool('other');
SELECT count(*) AS events, count(*) FILTER (WHERE explanation LIKE '%no successful job to compare with%') AS say_so
FROM l4_diagnose('other') WHERE kind = 'event';

-- the same in a parallel query, in the process that writes what it gives and in one beside it
SELECT set_config(name, 'on', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')
	\g /dev/null
SET max_parallel_workers = 0;
CREATE TABLE in_parallel AS SELECT d.kind, d.ordinal, d.node, d.explanation FROM l4_diagnose('killed') d;
CREATE TABLE report_in_parallel AS SELECT l4_report('killed') AS report;
RESET max_parallel_workers;
SELECT count(*) = (SELECT count(*) FROM in_parallel) AS as_many FROM l4_diagnose('killed');
SELECT set_config(name, 'off', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')
	\g /dev/null
SELECT count(*) AS differences
FROM (SELECT kind, ordinal, node, explanation FROM once EXCEPT SELECT * FROM in_parallel) d;
DROP TABLE in_parallel, report_in_parallel;
-- kept for the views
SELECT l4_save_diagnosis('killed') AS saved, (SELECT count(*) FROM once) AS findings;
SELECT count(*) AS differences
FROM (SELECT kind, ordinal, node, event_id, explanation FROM once EXCEPT SELECT kind, ordinal, node, event_id, explanation
	FROM l4_finding WHERE job_id = 'killed') d;

DELETE FROM l4_finding; DELETE FROM l4_diagnosis; DELETE FROM l4_stream; DELETE FROM l4_segment; DELETE FROM l4_source_counts;
DELETE FROM l4_parameter_sketch; DELETE FROM l4_timeline;
DELETE FROM l4_job; DELETE FROM l4_pool; DELETE FROM l4_pool_job; DELETE FROM l4_pool_job_event;
DELETE FROM l4_pool_job_parameter; DELETE FROM l4_pool_event; DELETE FROM l4_pool_parameter; DELETE FROM l4_shape;
DELETE FROM l4_event;
