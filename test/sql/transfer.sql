-- Faults as JSON: given out, taken in, and refused with their keys; and what listeners are told of a diagnosis.
SET client_min_messages = warning;
SET timezone = 'UTC';
\set VERBOSITY default
SELECT l4_export_faults() AS own;
SELECT * FROM l4_import_faults('[
	{"fault_key": "pump_stopped", "title": "A pump stopped", "category": "hardware", "subtype": "node",
		"pattern": "pump \\d+ stopped", "root_cause": "worn out", "fix": "a new one", "examples": ["pump 7 stopped at once"],
		"explains": ["pump_hot", "conn_reset"], "explained_by": ["*"]},
	{"fault_key": "pump_hot", "title": "A pump is hot", "category": "hardware", "subtype": "node",
		"pattern": "pump \\d+ is hot", "role": "cascade", "severity": "warning", "priority": 60, "state": "draft",
		"within_time": "00:05:00", "events": ["9007199254740993", 7], "origin": "the vendor"}]');
SELECT fault_key, title, role, severity, priority, state, origin, within_time, events, builtin, root_cause, fix
FROM l4_fault WHERE NOT builtin ORDER BY fault_key;
SELECT fault_key, explains FROM l4_fault_explains WHERE NOT builtin ORDER BY fault_key, explains;
SELECT jsonb_pretty(l4_export_faults());
SELECT fault_key, step, note, detail ->> 'title' AS title FROM l4_fault_history ORDER BY fault_key;
-- given out and taken in again, nothing changes; here or where the rows were not
SELECT outcome, changes, count(*) FROM l4_import_faults(l4_export_faults()) GROUP BY 1, 2;
SELECT l4_export_faults() AS exported \gset
BEGIN;
DELETE FROM l4_fault WHERE NOT builtin;
DELETE FROM l4_fault_explains WHERE NOT builtin;
SELECT * FROM l4_import_faults(:'exported');
SELECT l4_export_faults() = :'exported' AS the_same;
ROLLBACK;
SELECT count(*) FROM l4_fault_history;
-- all that is in force: on another site of the same version there is nothing to add but the site's own
SELECT jsonb_array_length(f) = (SELECT count(*) FROM l4_fault_library) + 1 AS with_the_draft,
	f @> '[{"fault_key": "xid_79"}]' AS with_builtin
FROM l4_export_faults(true) f;
BEGIN;
SELECT l4_export_faults(true) AS everything \gset
SELECT outcome, count(*) FROM l4_import_faults(:'everything') GROUP BY 1;
SELECT count(*) AS own_faults FROM l4_fault WHERE NOT builtin;
SELECT count(*) AS own_edges FROM l4_fault_explains WHERE NOT builtin;
ROLLBACK;
-- what the site changed of a built-in fault goes along, and what it switched off does not
BEGIN;
SELECT l4_override_fault('xid_79', fix => 'ring the datacentre'), l4_retire_fault('xid_48');
SELECT e ->> 'fix' AS fix FROM jsonb_array_elements(l4_export_faults(true)) e WHERE e ->> 'fault_key' IN ('xid_79', 'xid_48');
ROLLBACK;
-- changes, and a built-in fault that is told of otherwise
SELECT * FROM l4_import_faults('[
	{"fault_key": "pump_stopped", "title": "A pump stopped", "category": "hardware", "subtype": "pump",
		"pattern": "pump \\d+ (?:stopped|is off)", "root_cause": "worn out", "fix": "a new one", "explains": ["pump_hot"]},
	{"fault_key": "pump_hot", "title": "A pump is hot", "category": "hardware", "subtype": "node",
		"pattern": "pump \\d+ is hot", "role": "cascade", "severity": "warning", "priority": 60, "state": "draft",
		"within_time": "00:05:00", "events": [9007199254740993, 7], "explains": ["xid_79"]},
	{"fault_key": "xid_79", "title": "GPU gone", "category": "hardware", "subtype": "accelerator",
		"pattern": "fallen off the bus", "severity": "critical"}]');
SELECT fault_key, explains FROM l4_fault_explains WHERE NOT builtin ORDER BY fault_key, explains;
SELECT title, builtin, updated_by = current_user AS by_me FROM l4_fault_library
WHERE fault_key IN ('xid_79', 'pump_stopped') ORDER BY title;
-- an edge that the site switched off is on again where it is said to hold
UPDATE l4_fault_explains SET switched_off = true WHERE fault_key = 'pump_stopped';
SELECT outcome, changes FROM l4_import_faults((SELECT jsonb_agg(e || '{"explains": ["pump_hot"]}')
	FROM jsonb_array_elements(l4_export_faults()) e WHERE e ->> 'fault_key' = 'pump_stopped'));
SELECT switched_off FROM l4_fault_explains WHERE fault_key = 'pump_stopped' AND explains = 'pump_hot';

-- Bad ones are refused, each with its key and why, and nothing is taken in.
SELECT count(*) AS faults, md5(string_agg(f::text, '' ORDER BY f::text COLLATE "C")) AS md5 FROM l4_fault f
WHERE NOT builtin \gset before_
SELECT * FROM l4_import_faults('[
	{"fault_key": "good", "title": "t", "category": "hardware", "subtype": "x", "pattern": "good"},
	{"fault_key": "no title", "category": "hardware", "subtype": "x", "pattern": "x"},
	{"fault_key": "category", "title": "t", "category": "weather", "subtype": "x", "pattern": "x"},
	{"fault_key": "role", "title": "t", "category": "user", "subtype": "x", "pattern": "x", "role": "main"},
	{"fault_key": "null role", "title": "t", "category": "user", "subtype": "x", "pattern": "x", "role": null},
	{"fault_key": "pattern", "title": "t", "category": "user", "subtype": "x", "pattern": "(x"},
	{"fault_key": "option", "title": "t", "category": "user", "subtype": "x", "pattern": "(*UTF)x"},
	{"fault_key": "no pattern", "title": "t", "category": "user", "subtype": "x"},
	{"fault_key": "all", "title": "t", "category": "user", "subtype": "x", "pattern": ".*"},
	{"fault_key": "example", "title": "t", "category": "user", "subtype": "x", "pattern": "abc", "examples": ["abc", "abd"]},
	{"fault_key": "examples", "title": "t", "category": "user", "subtype": "x", "pattern": "abc", "examples": "abc"},
	{"fault_key": "field", "title": "t", "category": "user", "subtype": "x", "pattern": "abc", "colour": "red"},
	{"fault_key": "number", "title": "t", "category": "user", "subtype": "x", "pattern": "abc", "priority": "high"},
	{"fault_key": "share", "title": "t", "category": "user", "subtype": "x", "pattern": "abc", "min_node_share": 2},
	{"fault_key": "edge", "title": "t", "category": "user", "subtype": "x", "pattern": "abc", "explains": ["good", "nobody"]},
	{"fault_key": "itself", "title": "t", "category": "user", "subtype": "x", "pattern": "abc", "explained_by": ["itself"]},
	{"fault_key": "star", "title": "t", "category": "user", "subtype": "x", "pattern": "abc", "explains": ["*"]},
	{"fault_key": "", "title": "t", "category": "user", "subtype": "x", "pattern": "abc"},
	{"fault_key": "*", "title": "t", "category": "user", "subtype": "x", "pattern": "abc"}]');
SELECT count(*) = :before_faults AND md5(string_agg(f::text, '' ORDER BY f::text COLLATE "C")) = :'before_md5' AS as_before
FROM l4_fault f WHERE NOT builtin;
\set VERBOSITY terse
SELECT * FROM l4_import_faults(NULL);
SELECT * FROM l4_import_faults('{"fault_key": "x"}');
SELECT * FROM l4_import_faults('["x"]');
SELECT * FROM l4_import_faults('[{"fault_key": "x"}, {"title": "x"}]');
SELECT * FROM l4_import_faults('[{"fault_key": "x"}, {"fault_key": "y"}, {"fault_key": "x"}]');
SELECT * FROM l4_import_faults('[]');
-- of very many bad ones some are named
DO $$
DECLARE
	said text;
BEGIN
	PERFORM l4_import_faults((SELECT jsonb_agg(jsonb_build_object('fault_key', 'k' || i)) FROM generate_series(1, 1000) i));
EXCEPTION WHEN invalid_parameter_value THEN
	GET STACKED DIAGNOSTICS said = PG_EXCEPTION_DETAIL;
	RAISE WARNING '%: % lines', SQLERRM, cardinality(string_to_array(said, E'\n'));
END
$$;
DELETE FROM l4_fault_explains WHERE NOT builtin;
DELETE FROM l4_fault WHERE NOT builtin;
DELETE FROM l4_fault_history;

-- ---------- told to who listens ----------

SELECT l4_register_job('told', '{}', 'failed');
SELECT rows FROM l4_ingest('told', $$SELECT 'n1' AS node, 0 AS rank,
	CASE i WHEN 9 THEN 'RuntimeError: CUDA out of memory.' ELSE 'step ' || i END AS line,
	timestamptz '2026-01-01 00:00+00' + i * interval '1 min' AS ts FROM generate_series(1, 9) i$$);
SELECT l4_notify('nobody');
SELECT l4_notify('told');
LISTEN l4_diagnosis;
\o | sed -E 's/"saved_at": "[^"]*"/"saved_at": .../; s/ received from .*//'
-- nobody is told unless a site wants it
SELECT l4_save_diagnosis('told') > 0 AS saved;
INSERT INTO l4_limit (name, value) VALUES ('notify_diagnoses', 1);
SELECT l4_save_diagnosis('told') > 0 AS saved_and_told;
BEGIN;
SELECT l4_save_diagnosis('told') > 0 AS saved_but_not_told;
ROLLBACK;
DELETE FROM l4_limit WHERE NOT builtin;
SELECT l4_notify('told') ->> 'fault' AS told_again;
\o
UNLISTEN l4_diagnosis;
-- always below 8,000 bytes, however long texts are, and whatever JSON makes of them
UPDATE l4_diagnosis SET verdict = repeat(E'\u0001é', 100000), restart_target = repeat('"', 50000) WHERE job_id = 'told';
UPDATE l4_finding SET node = repeat('ü', 20000), fault_key = repeat(E'\\', 20000)
WHERE job_id = 'told' AND kind IN ('node', 'fault');
SELECT octet_length(t::text) BETWEEN 1000 AND 7999 AS below, t ->> 'cut' AS cut, t ->> 'job' AS job FROM l4_notify('told') t;
INSERT INTO l4_diagnosis (job_id, version) VALUES (repeat(E'\t', 100000), '1');
SELECT octet_length(t::text) < 8000 AS below, t ->> 'cut' AS cut, t ? 'job' AS job FROM l4_notify(repeat(E'\t', 100000)) t;
DELETE FROM l4_diagnosis WHERE job_id ~ '^\t';
-- rows that not everybody sees are not told of
BEGIN;
ALTER TABLE l4_job ENABLE ROW LEVEL SECURITY;
SELECT ARRAY(SELECT jsonb_object_keys(l4_notify('told'))) AS fields;
ROLLBACK;
SELECT l4_delete_job('told');
