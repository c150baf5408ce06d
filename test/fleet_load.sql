-- A made-up month of a small fleet: jobs of four nodes out of sixteen, what went wrong with them, and how often they were
-- started again. For docs/questions.md and the dashboards of docs/grafana. All times are in November 2026.
SET client_min_messages = warning;
\o /dev/null

CREATE TEMP TABLE fleet_job (no int, kind text, node int, first_node int, at numeric, restart_of int, steps int);
INSERT INTO fleet_job (no, kind, node, first_node, at, restart_of, steps) VALUES
	(1, 'ok', NULL, 1, 1.0, NULL, 60), (2, 'ok', NULL, 5, 1.2, NULL, 60), (3, 'ok', NULL, 9, 2.0, NULL, 60),
	(4, 'ok', NULL, 13, 2.3, NULL, 60), (5, 'ok', NULL, 3, 3.1, NULL, 60), (6, 'ok', NULL, 7, 3.6, NULL, 60),
	(7, 'gpu', 7, 5, 4.2, NULL, 31), (8, 'ok', NULL, 9, 4.5, 7, 60), (9, 'ok', NULL, 1, 5.0, NULL, 60),
	(10, 'memory', NULL, 13, 6.1, NULL, 4), (11, 'memory', NULL, 13, 6.3, 10, 4), (12, 'ok', NULL, 13, 7.2, 11, 60),
	(13, 'gpu', 7, 4, 9.0, NULL, 22), (14, 'gpu', 7, 4, 9.3, 13, 12), (15, 'ok', NULL, 9, 9.8, 14, 60),
	(16, 'ok', NULL, 2, 11.0, NULL, 60), (17, 'disk', NULL, 10, 12.4, NULL, 40), (18, 'ok', NULL, 10, 12.9, 17, 60),
	(19, 'ok', NULL, 12, 14.0, NULL, 60), (20, 'link', 3, 1, 15.5, NULL, 45), (21, 'ok', NULL, 9, 15.9, 20, 60),
	(22, 'ok', NULL, 5, 17.0, NULL, 60), (23, 'gpu', 7, 6, 18.1, NULL, 50), (24, 'ok', NULL, 11, 18.6, 23, 60),
	(25, 'ok', NULL, 1, 20.0, NULL, 60), (26, 'pump', 11, 9, 24.2, NULL, 17), (27, 'pump', 11, 9, 24.6, 26, 33),
	(28, 'ok', NULL, 2, 25.0, NULL, 60), (29, 'memory', NULL, 5, 26.3, NULL, 4), (30, 'ok', NULL, 13, 27.0, NULL, 60);

CREATE TEMP VIEW fleet_run AS
SELECT j.*, 'run-' || to_char(j.no, 'FM00') AS job_id, 'run-' || to_char(j.restart_of, 'FM00') AS former,
	timestamptz '2026-11-01 00:00+00' + (j.at - 1)::float8 * interval '1 day' AS began,
	ARRAY(SELECT 'gpu-' || to_char((j.first_node + k - 1) % 16 + 1, 'FM00') FROM generate_series(0, 3) k) AS nodes
FROM fleet_job j;

-- What each job logs: some lines at the start, a line a step, a checkpoint each ten steps, and what went wrong.
CREATE TEMP VIEW fleet_line AS
WITH rank AS (
	SELECT r.job_id, r.no, r.kind, r.began, r.steps, n.place - 1 AS rank, n.node, right(n.node, 2)::int = r.node AS bad
	FROM fleet_run r, unnest(r.nodes) WITH ORDINALITY n (node, place)),
said AS (
	SELECT r.*, 0::float8 AS at, 'info' AS level, 'NCCL version 2.21.' || CASE WHEN r.kind = 'memory' THEN 7 ELSE 5 END AS line
	FROM rank r
	UNION ALL SELECT r.*, 20, 'info', 'training begins with micro batch size ' || CASE WHEN r.kind = 'memory' THEN 16 ELSE 8 END
	FROM rank r
	UNION ALL SELECT r.*, 20 + i * 60, 'info', format('iteration %s of 60, loss %s', i, 9 - (i + r.no % 3) / 10)
	FROM rank r, generate_series(1, r.steps) i
	UNION ALL SELECT r.*, 25 + i * 60, 'info', format('saved checkpoint %s in %s s', i, 3 + (i + r.rank) % 2)
	FROM rank r, generate_series(10, r.steps, 10) i
	UNION ALL SELECT r.*, 15, 'warning', 'retrying the data service, attempt 1 failed' FROM rank r WHERE r.no % 2 = r.rank % 2
	UNION ALL SELECT r.*, 30 + r.steps * 60, 'info', 'training ends' FROM rank r WHERE r.kind = 'ok'
	UNION ALL SELECT r.*, 32 + r.steps * 60, 'error', 'RuntimeError: CUDA error: unspecified launch failure'
	FROM rank r WHERE r.kind = 'gpu' AND r.bad
	UNION ALL SELECT r.*, 632 + r.steps * 60 + r.rank, 'error', format('Watchdog caught collective operation timeout: '
		'WorkNCCL(SeqNum=%s, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600041 milliseconds', r.steps * 12)
	FROM rank r WHERE r.kind IN ('gpu', 'link', 'pump') AND NOT r.bad
	UNION ALL SELECT r.*, 33 + r.steps * 60 + r.rank * 0.2, 'error',
		'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB' FROM rank r WHERE r.kind = 'memory'
	UNION ALL SELECT r.*, 33 + r.steps * 60 + r.rank * 0.2, 'error',
		'OSError: [Errno 28] No space left on device: ''/scratch/checkpoint''' FROM rank r WHERE r.kind = 'disk' AND r.rank = 0)
SELECT s.job_id, s.node, s.rank::int, format('%s/rank-%s.log', s.node, s.rank) AS source,
	s.began + s.at * interval '1 s' AS ts, s.level, s.line
FROM said s
UNION ALL
SELECT r.job_id, r.node, NULL, r.node || '/kern.log', r.began + (k.at + CASE WHEN k.kind = r.kind THEN r.steps * 60 ELSE 0 END)
	* interval '1 s', k.level, k.line
FROM rank r
CROSS JOIN (VALUES ('all', 1, 'info', 'systemd: started session of user train'),
	('gpu', 10, 'warning', 'pcieport 0000:3a:00.0: AER: Corrected error received'),
	('gpu', 30, 'error', 'NVRM: Xid (PCI:0000:3b:00): 79, pid=4242, GPU has fallen off the bus.'),
	('link', 31, 'error', 'bond0: link status definitely down for interface eth2, disabling it'),
	('pump', 28, 'error', 'coolant: pump 3 of the rack stopped, flow is 0.0 l/min')) k (kind, at, level, line)
WHERE k.kind = 'all' OR k.kind = r.kind AND r.bad;

SELECT statement
FROM fleet_run r, LATERAL (VALUES
	(1, format('SELECT l4_register_job(%L, %L, %L, %L, 1, %L, NULL, NULL, %L)', r.job_id,
		'{"model": "llama-7b", "framework": "Megatron-LM"}'::jsonb || CASE WHEN r.kind = 'memory'
			THEN '{"micro_batch_size": 16}'::jsonb ELSE '{"micro_batch_size": 8}' END,
		CASE r.kind WHEN 'ok' THEN 'succeeded' ELSE 'failed' END, r.nodes, r.began, r.former)),
	(2, format('SELECT * FROM l4_ingest(%L, %L)', r.job_id, format('SELECT node, rank, source, ts, level, line '
		'FROM fleet_line WHERE job_id = %L ORDER BY source, ts', r.job_id)))) AS step (position, statement)
ORDER BY r.kind <> 'ok', r.no, position
\gexec
-- What people reported, the pump that nobody knew as a fault before, and the diagnoses.
SELECT l4_import_failure_reports('[
	{"job_id": "run-07", "symptom": "training crash", "root_cause_category": "hardware", "root_cause_subtype": "accelerator",
		"root_cause": "riser of the second GPU was loose", "faulty_nodes": ["gpu-07"], "reported_at": "2026-11-04 06:30+00",
		"resolved_at": "2026-11-04 10:00+00"},
	{"job_id": "run-10", "symptom": "training crash", "root_cause_category": "user", "root_cause_subtype": "configuration",
		"root_cause": "micro batch twice as large", "reported_at": "2026-11-06 08:00+00",
		"resolved_at": "2026-11-07 02:00+00"}]');
SELECT l4_import_faults('[{"fault_key": "rack_pump_stopped", "title": "Coolant pump of a rack stopped", "category": "hardware",
	"subtype": "node", "severity": "critical", "pattern": "coolant: pump \\d+ of the rack stopped",
	"root_cause": "A pump of the rack stopped, and the node throttled and hung.", "fix": "Call facilities; drain the rack.",
	"examples": ["coolant: pump 3 of the rack stopped, flow is 0.0 l/min"], "origin": "facilities"}]');
SELECT l4_save_diagnosis(job_id) FROM fleet_run WHERE kind <> 'ok' ORDER BY no;
ANALYZE;
\o
