/*
 * evaluate.sql: the jobs of a group held against their labels (l4_label), and the events missed or reported wrongly; the first
 * few of a job with the reason.
 */
SET client_min_messages = warning;
SET search_path = public;
SET jit = off;
CREATE TABLE bench_evaluation OF l4_evaluation;
INSERT INTO bench_evaluation SELECT * FROM l4_evaluate();
CREATE TABLE bench_mistake AS
	SELECT m.job_id, m.what, m.event_id, x.quote, x.explanation
	FROM (
		SELECT e.job_id, m.*, row_number() OVER (PARTITION BY e.job_id, m.what ORDER BY m.event_id) AS turn
		FROM bench_evaluation e
			CROSS JOIN LATERAL (SELECT 'missed' AS what, unnest(e.missed_events) AS event_id UNION ALL SELECT 'false',
				unnest(e.false_events)) m
		WHERE e.method = 'l4') m
		LEFT JOIN LATERAL (
			SELECT x.quote, x.explanation
			FROM (SELECT m.event_id WHERE m.turn <= 3 OFFSET 0) few, l4_explain_event(m.job_id, few.event_id) x
			ORDER BY (m.what = 'missed') = x.news, x.occurrences DESC, x.shape_id LIMIT 1) x ON true;
