-- Events of new shapes: as if all were clustered, at the cost of the new ones; shapes that nothing has any more go.
\getenv abs_srcdir PG_ABS_SRCDIR
\set VERBOSITY terse
SET client_min_messages = warning;
SET timezone = 'UTC';
\set settings '{"model": "m-shapes"}'
\set ok1 :abs_srcdir '/data/diagnose/ok-1'
\set ok2 :abs_srcdir '/data/diagnose/ok-2'
\set killed :abs_srcdir '/data/diagnose/killed'
\set bug :abs_srcdir '/data/diagnose/bug'
\set small :abs_srcdir '/data/small'
SELECT count(l4_register_job(id, :'settings', status))
FROM (VALUES ('s-1', 'succeeded'), ('s-2', 'succeeded'), ('s-3', 'failed'), ('s-4', 'failed'),
	('s-5', 'failed')) j (id, status);
CALL l4_import('s-1', :'ok1');
CALL l4_import('s-2', :'ok2');
CALL l4_import('s-3', :'killed');
CALL l4_import('s-4', :'small');
CALL l4_import('s-5', :'bug');
-- shapes of many kinds and lengths: what Drain merges, splits, and takes for one
INSERT INTO l4_shape (shape_id, shape)
SELECT l4_shape_id(s.shape), s.shape FROM (
	SELECT DISTINCT format(t.text, w.word, i % 7, chr(97 + i % 26)) AS shape
	FROM generate_series(1, 60) i,
		unnest('{alpha,beta,gamma,delta,epsilon,zeta,eta,theta,iota,kappa,lambda,mu}'::text[]) w (word),
		unnest(ARRAY['%1$s joined the ring at <*>', 'worker %1$s is %3$s now', 'from %1$s to %3$s: <*> of <*>', '<*> %1$s',
			'%1$s', 'layer.%2$s.%1$s has norm <*> %3$s', '<*>, <*> %3$s %1$s']) t (text)) s
ON CONFLICT DO NOTHING;
SELECT count(*) > 1000 AS many, count(DISTINCT l4_shape_key(shape) >> 48) > 10 AS of_many_lengths FROM l4_shape;

-- all at once, and some that come to the others: as by clustering all
CREATE FUNCTION pg_temp.differences(part text) RETURNS TABLE (new bigint, differences bigint) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'UPDATE l4_shape SET event_id = CASE WHEN ' || part || ' THEN NULL ELSE 1 END';
	RETURN QUERY SELECT (SELECT count(*) FROM l4_shape WHERE event_id IS NULL), count(*) FROM (
		(SELECT c.* FROM l4_shape_events() c JOIN l4_shape h USING (shape_id) WHERE h.event_id IS NULL
		EXCEPT ALL SELECT n.* FROM l4_new_shape_events() n JOIN l4_shape h USING (shape_id) WHERE h.event_id IS NULL)
		UNION ALL (SELECT n.* FROM l4_new_shape_events() n EXCEPT ALL SELECT c.* FROM l4_shape_events() c)) d;
END $$;
BEGIN;
SELECT new > 1000 AS all, differences FROM pg_temp.differences('true');
SELECT new > 100 AS some, differences FROM pg_temp.differences('abs(shape_id % 5) = 3');
SELECT new > 5 AS few, differences FROM pg_temp.differences('abs(shape_id % 50) = 3');
SELECT * FROM pg_temp.differences('false');
ROLLBACK;

-- what two calls give is what one gives
BEGIN;
UPDATE l4_shape SET event_id = NULL;
SELECT l4_assign_events() - (SELECT count(*) FROM l4_shape) AS differences;
CREATE TEMP TABLE at_once AS SELECT shape_id, event_id FROM l4_shape;
SELECT count(*) AS differences FROM l4_shape h JOIN l4_shape_events() c USING (shape_id) WHERE c.event_id <> h.event_id;
SELECT l4_assign_events();
ROLLBACK;

SELECT l4_assign_events() > 900 AS all;
-- a flood: 200,000 shapes of a job that is gone. What comes then is clustered with some of them at most
INSERT INTO l4_shape (shape_id, shape, event_id)
SELECT i, format('%s %s and more words that tell nothing %s', CASE WHEN i % 2 = 0 THEN 'flood' ELSE 'w'
	|| chr(97 + i / 8000) END, chr(97 + i % 20), translate(md5(i::text), '0123456789', 'ghijklmnop')), 1
FROM generate_series(1, 200000) i;
INSERT INTO l4_event (event_id, template) VALUES (1, 'flood');
ANALYZE l4_shape;
INSERT INTO l4_shape (shape_id, shape)
SELECT l4_shape_id(shape), shape
FROM unnest(ARRAY['watchdog caught <*> and aborts the process', 'flood gauge says <*> centimeters and goes', 'short one',
	'wa d and more words that tell nothing new']) shape;
SELECT count(*) < 30000 AS few, count(*) FILTER (WHERE h.event_id IS NULL) AS new,
	string_agg(DISTINCT c.template, ' / ' ORDER BY c.template) FILTER (WHERE h.event_id IS NULL) AS templates
FROM l4_new_shape_events() c JOIN l4_shape h USING (shape_id);
-- where even those that begin alike are too many
SELECT string_agg(DISTINCT c.template, ' / ' ORDER BY c.template) FILTER (WHERE h.event_id IS NULL) AS templates,
	count(*) < 1000 AS few
FROM l4_new_shape_events(100) c JOIN l4_shape h USING (shape_id);
SELECT l4_assign_events() AS new;
SELECT h.shape, e.template FROM l4_shape h JOIN l4_event e USING (event_id)
WHERE h.shape ~ '^(watchdog|flood gauge|short one|wa d .* new)' ORDER BY h.shape COLLATE "C";

-- a flood of new ones, each with a first word of its own: they are not compared each with each
BEGIN;
SET LOCAL statement_timeout = '60s';
INSERT INTO l4_shape (shape_id, shape)
SELECT -i, translate(md5(i::text), '0123456789', 'ghijklmnop') || ' and more words that tell nothing of it'
FROM generate_series(1, 50000) i;
SELECT count(*) = 50000 AS all FROM l4_new_shape_events() c WHERE c.shape_id BETWEEN -50000 AND -1;
ROLLBACK;

-- shapes that nothing has go; those of jobs, of pools and of what faults ask for stay
SELECT l4_forget_shapes() > 200000 AS gone;
SELECT count(*) AS missing FROM l4_stream_event e WHERE NOT EXISTS (SELECT FROM l4_shape h WHERE h.shape_id = e.shape_id);
-- shapes that nothing has: no job, no pool (of the other tests), no fault that asks for their event
CREATE TEMP VIEW unused AS SELECT h.shape
	FROM l4_shape h WHERE NOT EXISTS (SELECT FROM l4_stream_event e WHERE e.shape_id = h.shape_id)
	AND NOT EXISTS (SELECT FROM l4_pool_event p WHERE p.shape_id = h.shape_id)
	AND NOT EXISTS (SELECT FROM l4_pool_job_event p WHERE p.shape_id = h.shape_id)
	AND (h.event_id IN (SELECT unnest(f.events) FROM l4_fault f)) IS NOT TRUE;
SELECT * FROM unused;
SELECT count(*) AS empty FROM l4_event e WHERE NOT EXISTS (SELECT FROM l4_shape h WHERE h.event_id = e.event_id);
SELECT l4_forget_shapes();
CREATE TEMP TABLE before AS SELECT row_number() OVER () AS place, d.* FROM l4_diagnose('s-3') d;
SELECT l4_delete_job('s-4');
SELECT * FROM unused;
SELECT count(*) AS differences
FROM ((SELECT * FROM before EXCEPT ALL SELECT row_number() OVER (), d.* FROM l4_diagnose('s-3') d)
	UNION ALL (SELECT row_number() OVER (), d.* FROM l4_diagnose('s-3') d EXCEPT ALL SELECT * FROM before)) d;
-- several jobs, and their shapes at once
SELECT event_id AS asked_for FROM l4_shape h JOIN l4_event e USING (event_id)
WHERE h.shape_id IN (SELECT shape_id FROM l4_stream_event WHERE job_id = 's-3')
	AND NOT EXISTS (SELECT FROM l4_stream_event o WHERE o.shape_id = h.shape_id AND o.job_id <> 's-3')
		ORDER BY h.shape COLLATE "C" LIMIT 1 \gset
INSERT INTO l4_fault (fault_key, title, category, subtype, pattern, root_cause, fix, events)
VALUES ('shapes-asked', 'asked for', 'platform', 'node', 'never there', 'none', 'none', ARRAY[:asked_for]);
SELECT l4_delete_job('s-3', forget_shapes => false);
SELECT l4_delete_job('s-5', forget_shapes => false);
SELECT count(*) > 1 AS unused FROM l4_shape h WHERE NOT EXISTS (SELECT FROM l4_stream_event e WHERE e.shape_id = h.shape_id);
-- not for who does not see or may not delete all, nor on an old snapshot
CREATE ROLE l4_shapes_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO l4_shapes_reader;
SET ROLE l4_shapes_reader;
SELECT l4_forget_shapes() IS NULL AS nothing;
RESET ROLE;
GRANT DELETE ON l4_shape, l4_event, l4_stream TO l4_shapes_reader;
ALTER TABLE l4_source_counts ENABLE ROW LEVEL SECURITY;
SET ROLE l4_shapes_reader;
SELECT l4_forget_shapes() IS NULL AS nothing;
RESET ROLE;
ALTER TABLE l4_source_counts DISABLE ROW LEVEL SECURITY;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT l4_forget_shapes() IS NULL AS nothing;
COMMIT;
SET ROLE l4_shapes_reader;
SELECT l4_forget_shapes() > 0 AS gone;
RESET ROLE;
SELECT count(DISTINCT h.event_id) AS kept_for_the_fault
FROM l4_shape h WHERE NOT EXISTS (SELECT FROM l4_stream_event e WHERE e.shape_id = h.shape_id);
-- what comes again is as it was
SELECT l4_register_job('s-3', :'settings', 'failed') \g /dev/null
CALL l4_import('s-3', :'killed');
SELECT count(*) AS differences
FROM ((SELECT * FROM before EXCEPT ALL SELECT row_number() OVER (), d.* FROM l4_diagnose('s-3') d)
	UNION ALL (SELECT row_number() OVER (), d.* FROM l4_diagnose('s-3') d EXCEPT ALL SELECT * FROM before)) d;
-- what sources end with may still change, but not where four have ended with it
SELECT l4_register_job('s-' || i, '{}', 'failed') FROM generate_series(6, 9) i \g /dev/null
\set lines '$$SELECT line, ''a.log'' AS source FROM unnest(''{begins,the end of all}''::text[]) line$$'
SELECT l4_ingest('s-6', :lines) \g /dev/null
SELECT l4_ingest('s-7', :lines) \g /dev/null
SELECT h.shape, h.tentative FROM l4_shape h WHERE h.shape IN ('begins', 'the end of all') ORDER BY 1;
SELECT l4_ingest('s-8', :lines) \g /dev/null
SELECT h.shape, h.tentative FROM l4_shape h WHERE h.shape IN ('begins', 'the end of all') ORDER BY 1;
SELECT l4_ingest('s-9', :lines) \g /dev/null
SELECT h.shape, h.tentative FROM l4_shape h WHERE h.shape IN ('begins', 'the end of all') ORDER BY 1;
DELETE FROM l4_fault WHERE fault_key = 'shapes-asked';
SELECT l4_delete_job(id) FROM unnest('{s-1,s-2,s-3,s-6,s-7,s-8,s-9}'::text[]) id;
SELECT * FROM unused;
SELECT count(*) AS without_shapes FROM l4_event v WHERE NOT EXISTS (SELECT FROM l4_shape h WHERE h.event_id = v.event_id);
DROP OWNED BY l4_shapes_reader;
DROP ROLE l4_shapes_reader;
