-- What to do after a diagnosis: each built-in rule on a case of its own, and what no rule may say.
SET search_path = public;
SET client_min_messages = warning;
SELECT l4_register_job(s || '-job', '{}', s, '{n0,n1,n2,n3,n4}', 1)
FROM unnest('{failed,running,succeeded,unknown}'::text[]) s \g /dev/null
-- causes that say what brings back what failed, which built-in ones may or may not
INSERT INTO l4_fault (fault_key, title, category, subtype, severity, role, pattern, recovery)
SELECT 'site_' || r, 'Site fault ' || r, 'hardware', 'accelerator', 'error', 'root', 'site fault ' || r, r
FROM unnest('{fix_job,wait,restart_job,reset_device,replace,none}'::text[]) r
UNION ALL SELECT 'site_' || c, 'Site fault ' || c, split_part(c, '_', 1), substring(c, '_(.*)'), 'critical', 'root', c, NULL
FROM unnest('{hardware_storage,hardware_network,hardware_node,user_code,platform_room}'::text[]) c;

CREATE TABLE told (no serial, what text, action text, target text, rule text, rests text, advice text, reason text);
CREATE FUNCTION tell(what text, VARIADIC rows jsonb[]) RETURNS void LANGUAGE sql AS $$
	INSERT INTO told (what, action, target, rule, rests, advice, reason)
	SELECT tell.what, a.action, a.target, a.rule, concat_ws(' ', a.finding_kind, a.finding_ordinal), a.advice, a.reason
	FROM l4_restart_advice(coalesce(substring(tell.what, '^(running|succeeded|unknown)'), 'failed') || '-job',
		ARRAY(SELECT jsonb_populate_record(NULL::l4_finding, r) FROM unnest(rows) r)) a
$$;
CREATE FUNCTION node(node text, kind text, confidence float8 DEFAULT 0.9) RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_build_object('kind', 'node', 'ordinal', 1, 'node', node, 'confidence', confidence, 'explanation', 'why',
		'facts', jsonb_build_object('unit', node))
		|| CASE WHEN kind IS NULL THEN '{}' ELSE jsonb_build_object('facts', jsonb_build_object('unit', node, 'reasons',
			jsonb_build_array(jsonb_build_object('unit', node, 'kind', kind,
				'numbers', '{"gist": "it", "seconds": 9}'::jsonb)))) END
$$;
CREATE FUNCTION fault(fault_key text, node text, nodes int DEFAULT 1, role text DEFAULT 'root', confidence float8 DEFAULT 0.9)
RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_build_object('kind', 'fault', 'ordinal', 1, 'fault_key', fault_key, 'node', node, 'nodes_affected', nodes,
		'role', role, 'confidence', confidence, 'fix', 'Mend it.', 'facts', jsonb_build_object('unit', node))
$$;
CREATE FUNCTION event(node text, nodes int, line text DEFAULT NULL, own boolean DEFAULT false) RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_build_object('kind', 'event', 'ordinal', 1, 'role', 'root', 'node', node, 'nodes_affected', nodes,
		'template', 'x', 'facts', jsonb_strip_nulls(jsonb_build_object('unit', node, 'of_suspect', own, 'code_line', line)))
$$;

CREATE FUNCTION finished() RETURNS jsonb LANGUAGE sql AS $$
	SELECT '{"kind": "stage", "ordinal": 1, "stage": "teardown", "facts": {"place": "finished"}}'::jsonb
$$;

SELECT tell('succeeded, whatever its logs show', fault('xid_79', 'n2'), node('n2', 'first')),
	tell('running, whatever its logs show', fault('xid_79', 'n2'), node('n2', 'first')),
	tell('preempted', fault('slurm_preempted', NULL, 0)),
	tell('out of time', fault('slurm_time_limit', NULL, 0)),
	tell('one killed', fault('process_sigkill', 'n2'), node('n2', 'quiet')),
	tell('many killed', fault('process_sigkill', NULL, 3)),
	tell('one crashed', fault('segfault', 'n2'), node('n2', 'first')),
	tell('a full disk', fault('enospc', 'n2'), node('n2', 'first')),
	tell('recovery: the job', fault('site_fix_job', 'n2'), node('n2', 'first')),
	tell('recovery: the job, on all', fault('site_fix_job', NULL, 5)),
	tell('many show it, one began: not the user', fault('site_user_code', 'n2', 5)
		|| '{"facts": {"unit": "n2", "names_suspect": "n2"}}', node('n2', 'first')),
	tell('recovery: wait', fault('site_wait', 'n2')),
	tell('recovery: restart', fault('site_restart_job', 'n2')),
	tell('recovery: reset', fault('site_reset_device', 'n2'), node('n2', 'first')),
	tell('recovery: replace', fault('site_replace', 'n2'), node('n2', 'first')),
	tell('a user fault that one node logs', fault('site_user_code', 'n2'), node('n2', 'first')),
	tell('a user fault on all', fault('site_user_code', NULL, 5)),
	tell('storage', fault('site_hardware_storage', NULL, 5)),
	tell('storage of some nodes, which the suspect shows first', fault('site_hardware_storage', 'n2', 3)
		|| '{"facts": {"unit": "n2", "names_suspect": "n2"}}', node('n2', 'first')),
	tell('network', fault('site_hardware_network', 'n2'), node('n2', 'first')),
	tell('network of all', fault('site_hardware_network', NULL, 5)),
	tell('broken', fault('site_hardware_node', 'n2'), node('n2', 'first')),
	tell('broken, but it is not sure', fault('site_hardware_node', 'n2', 1, 'root', 0.3), node('n2', 'first')),
	tell('broken on three', fault('site_hardware_node', NULL, 3)),
	tell('missing', node('n2', 'missing')),
	tell('set up differently', node('n2', 'setup')),
	tell('a bad link', node('n2', 'link')),
	tell('packets are lost', node('n2', 'quiet', 0.97) || jsonb_build_object('facts', '{"unit": "n2", "reasons": [
		{"unit": "n2", "kind": "quiet", "numbers": {}}, {"unit": "n2", "kind": "counter",
			"numbers": {"parameter": "retrans_segs", "growth": 196, "median_growth": 9}}]}'::jsonb)),
	tell('another counter', node('n2', 'quiet', 0.97) || jsonb_build_object('facts', '{"unit": "n2", "reasons": [
		{"unit": "n2", "kind": "quiet", "numbers": {}}, {"unit": "n2", "kind": "counter",
			"numbers": {"parameter": "sram_errors", "growth": 196, "median_growth": 9}}]}'::jsonb)),
	tell('nothing but a suspect', node('n2', 'slow')),
	tell('nothing but a suspect who may not be it', node('n2', 'slow', 0.7)),
	tell('an error of the code on the suspect', event('n2', 1, 'train.py:88', true), node('n2', 'first')),
	tell('an error of the code on all', event(NULL, 5, 'train.py:88')),
	tell('an event on one', event('n3', 1)),
	tell('named by a controller', node('n2', 'named', 0.95)),
	tell('named by a launcher', node('n2', 'named', 0.85)),
	tell('unknown, all ended normally', finished()),
	tell('all ended normally', finished()),
	tell('running, and all ended normally', finished()),
	tell('nothing at all', VARIADIC '{}') \g /dev/null
SELECT what, action, target, rule, rests FROM told ORDER BY no;
SELECT DISTINCT ON (action) advice, regexp_replace(reason, '^(.{0,150}).*$', '\1') AS reason FROM told ORDER BY action, no;
-- nothing is said of a node where none is meant
SELECT what, advice FROM told WHERE what IN ('network of all', 'packets are lost') ORDER BY no;
\echo == rules without a case
SELECT name FROM l4_advice_rule WHERE name NOT IN (SELECT rule FROM told) ORDER BY name;

\echo == never from what follows alone, a fault that the suspect does not show, a suspect who does not stand out
TRUNCATE told;
SELECT tell('a cascade alone', fault('conn_reset', 'n2', 1, 'cascade')),
	tell('a cause that only follows here', fault('site_hardware_node', 'n2', 1, 'cascade')),
	tell('a fault elsewhere', fault('site_hardware_node', 'n3'), node('n2', 'setup')),
	tell('a weak suspect', node('n2', 'missing', 0.3)),
	tell('a weak suspect beside a user fault on all', node('n2', 'missing', 0.3), fault('site_user_code', NULL, 5)) \g /dev/null
SELECT what, action, target, rule FROM told ORDER BY no;
\echo == no user fault takes a node out, wherever it shows and whatever speaks against the node
SELECT l.fault_key, e.kind, a.action, a.target
FROM l4_fault_library l, unnest('{first,missing,silent,quiet,own}'::text[]) e (kind),
	l4_restart_advice('failed-job', ARRAY(SELECT jsonb_populate_record(NULL::l4_finding, r)
		FROM unnest(ARRAY[fault(l.fault_key, 'n2'), node('n2', e.kind)]) r)) a
WHERE l.category = 'user' AND l.role = 'root' AND a.action NOT IN ('user', 'storage');

\echo == a rule of the site comes first; one of a built-in name takes its place
INSERT INTO l4_advice_rule (name, action, fault_keys, reason) VALUES ('ours', 'network', '{site_user_code}', 'Ask them.');
INSERT INTO l4_advice_rule (name, priority, action, reason, enabled) VALUES ('nothing', 900, 'look', 'Off.', false);
TRUNCATE told;
SELECT tell('our rule', fault('site_user_code', 'n2'), node('n2', 'first')), tell('no rule', VARIADIC '{}') \g /dev/null
SELECT what, action, target, rule FROM told ORDER BY no;
DELETE FROM l4_advice_rule WHERE NOT builtin;
INSERT INTO l4_advice_rule (name, action, reason) VALUES ('x', 'replace', '');

\echo == the headline says how the job ended
SELECT s, l4_report_headline(s || '-job', ARRAY[jsonb_populate_record(NULL::l4_finding, node('n2', 'missing'))]) AS suspect,
	l4_report_headline(s || '-job', '{}') AS without
FROM unnest('{failed,running,succeeded}'::text[]) s;

DELETE FROM l4_fault WHERE NOT builtin;
DELETE FROM l4_job WHERE job_id LIKE '%-job';
DROP TABLE told;
DROP FUNCTION tell, node, fault, event, finished;
