-- A word that is none of those a column or an argument takes is told which ones there are.
SET search_path = public;
\set VERBOSITY default
\set SHOW_CONTEXT never
SELECT l4_is_one_of('a', 'letter', 'a', 'b'), l4_is_one_of(NULL, 'letter', 'a') IS NULL AS unknown;
SELECT l4_is_one_of('c', 'letter', 'a', 'b');
SELECT l4_register_job('words', '{}', 'dead');
INSERT INTO l4_job (job_id, status) VALUES ('words', 'dead');
SELECT l4_register_job('words', '{}', 'failed');
SELECT l4_report('words', 'pdf');
INSERT INTO l4_format (name, kind, pattern) VALUES ('words', 'tail', 'x');
INSERT INTO l4_stage_rule (name, stage, pattern) VALUES ('words', 'warm_up', 'x');
INSERT INTO l4_iteration_rule (name, position, pattern) VALUES ('words', 'middle', 'x');
INSERT INTO l4_fault (fault_key, title, category, subtype, pattern) VALUES ('words', 'w', 'software', 's', 'x');
INSERT INTO l4_fault (fault_key, title, category, subtype, pattern, role) VALUES ('words', 'w', 'user', 's', 'x', 'witness');
INSERT INTO l4_fault (fault_key, title, category, subtype, pattern, severity) VALUES ('words', 'w', 'user', 's', 'x', 'loud');
INSERT INTO l4_fault (fault_key, title, category, subtype, pattern, state) VALUES ('words', 'w', 'user', 's', 'x', 'new');
SELECT l4_override_fault('host_oom', severity => 'loud');
INSERT INTO l4_failure_report (job_id, status) VALUES ('words', 'done');
SELECT l4_import_failure_reports('{"job_id": "words", "status": "done"}');
SELECT l4_import_failure_reports('{"job_id": "words", "accelerator_count": -1}');
INSERT INTO l4_label (job_id, label_no, kind) VALUES ('words', 1, 'rank');
SELECT * FROM l4_backtest_fault('x', basis => 'lines');
DELETE FROM l4_job WHERE job_id = 'words';
