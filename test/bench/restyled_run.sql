/*
 * restyled_run.sql: what l4 says of the labelled jobs here, and how many lines each label finds. Variable: run.
 */
SET client_min_messages = warning;
SET search_path = public;
SET jit = off;
CREATE TABLE bench_run AS
	SELECT :'run'::text AS run, e FROM l4_evaluate(methods => '{l4}') e;
CREATE TABLE bench_hit AS
	SELECT :'run'::text AS run, b.job_id, b.label_no, (
		SELECT count(*) FROM l4_log r, string_to_table(r.raw, E'\n') t (line)
		WHERE r.job_id = b.job_id AND (b.source_glob IS NULL OR l4_glob_matches(r.source, b.source_glob))
			AND l4_pattern_matches(b.pattern, t.line)) AS lines
	FROM l4_label b WHERE b.kind = 'event';
