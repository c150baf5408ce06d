#!/bin/bash
# faults.sh [DATA]: the fault library at work.
#
#   1. many patterns on many texts at once, beside one by one
# With DATA, a folder of labelled jobs (see accuracy.sh), also
#   2. the loop: the first failed job of a fault is diagnosed and confirmed, then the second (FAULT, by default link_down) comes
#      in
#   3. a good and a careless pattern tried on all jobs kept
#   4. each failed job confirmed as it is by its first event, and whether the others of the same fault are found by that, and
#      what else
#   5. the built-in faults: on their own examples, on successful jobs that are left out of their own pool, and how long 1,000
#      faults take on each failed job
#   6. which failures resemble which: is the first one that l4_similar_failures names one of the same fault, or of the same kind
#      of cause?
# How long the library takes on a large job is patterns.sh's, on successful jobs without a pool rings.sh's.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/patterns.sh"

bench_patterns() {
	run_psql <<-'SQL'
		SET jit = off;
		-- examples of what logs say, with some of the patterns' words in them
		CREATE TABLE bench_text AS
			SELECT n, format('%s worker rank[%s] step %s: %s %s', md5(n::text), n % 512, n, left(f.root_cause, 100),
				CASE n % 20 WHEN 0 THEN f.pattern ELSE 'all well, lr 0.00' || n END) AS text
			FROM generate_series(1, 50000) n JOIN (SELECT row_number() OVER (ORDER BY fault_key) AS number, * FROM l4_fault) f
				ON f.number = 1 + n % 190;
		\pset footer off
		\echo 'Patterns x texts, all at once and one by one (seconds):'
		SELECT p.patterns, t.texts,
			bench_seconds(format('SELECT count(*)
				FROM (SELECT array_agg(key ORDER BY key) AS keys, array_agg(pattern ORDER BY key) AS patterns
					FROM (SELECT * FROM bench_pattern ORDER BY number LIMIT %s) p) p,
				(SELECT array_agg(text ORDER BY n) AS texts FROM bench_text WHERE n <= %s) t,
				l4_match_patterns(p.keys, p.patterns, t.texts) m', p.patterns, t.texts)) AS at_once,
			CASE WHEN p.patterns * t.texts <= 1000000 THEN
				bench_seconds(format('SELECT sum((SELECT count(*) FROM bench_text t WHERE t.n <= %s
					AND l4_pattern_matches(p.pattern, t.text))) FROM (SELECT * FROM bench_pattern ORDER BY number
				LIMIT %s) p', t.texts, p.patterns)) END AS one_by_one
		FROM (VALUES (190), (1000)) p (patterns), (VALUES (1000), (5000), (50000)) t (texts)
		ORDER BY 1, 2;
		DROP TABLE bench_text;
	SQL
}

# The jobs of bench_job for which condition $1 holds, successful ones first, into $work/list.
list_jobs() {
	run_psql -At -F $'\t' -c "SELECT job ->> 'job_id', folder FROM bench_job WHERE $1 ORDER BY job ->> 'status' <> 'success',
		job ->> 'job_id' COLLATE \"C\"" > "$work/list"
}

# Loads the successful jobs and the first failed one of fault $1, confirms what its diagnosis puts first, then loads the second.
bench_loop() {
	local first second
	read -r first second < <(run_psql -At -F ' ' -v fault="$1" <<< "SELECT (i.ids)[1], (i.ids)[2]
			FROM (SELECT array_agg(job ->> 'job_id' ORDER BY job ->> 'job_id' COLLATE \"C\") AS ids FROM bench_job
				WHERE job ->> 'fault' = :'fault') i")
	[ -n "$second" ] || { echo "there are no two jobs of fault $1 (FAULT names another)"; return 0; }
	list_jobs "job ->> 'status' = 'success' OR job ->> 'job_id' = '$first'"
	create_group "${home}_loop"
	run_psql -v first="$first" <<-'SQL'
		\pset footer off
		\echo
		\echo 'The loop:' :first 'is diagnosed and confirmed'
		SELECT kind, ordinal, node, left(coalesce(template, explanation), 100) AS found
		FROM l4_diagnose(:'first') WHERE ordinal = 1 AND kind IN ('event', 'node') ORDER BY kind DESC;
		SELECT fault_key, state, pattern, origin
		FROM l4_confirm_fault(:'first', 'bench_loop', 'Confirmed on the first', 'what was found out about the first',
			'what helped the first', 'hardware', 'network', priority => 10);
		SELECT job_id, status, verdict, records FROM l4_backtest_fault(fault_key => 'bench_loop');
		SELECT l4_activate_fault('bench_loop', 'rang on no successful job') \g /dev/null
	SQL
	list_jobs "job ->> 'job_id' = '$second'"
	load_jobs "$work/list"
	run_psql -v first="$first" -v second="$second" <<-'SQL'
		\pset footer off
		\echo 'After' :first 'comes' :second
		SELECT kind, ordinal, node, fault_key, root_cause, fix FROM l4_diagnose(:'second') WHERE kind = 'fault' AND ordinal <= 2
		ORDER BY ordinal;
		SELECT EXISTS (SELECT FROM l4_diagnose(:'second') WHERE kind = 'fault' AND ordinal = 1 AND fault_key = 'bench_loop')
			AS matched_first;
	SQL
}

bench_backtest() {
	run_psql -v good="${GOOD:-NIC port link down}" -v careless="${CARELESS:-(?i)error|failed|closed}" <<-'SQL'
		\pset footer off
		\echo
		\echo 'A good and a careless pattern on all jobs kept (jobs by verdict; root causes of the matches)'
		CREATE TABLE bench_backtest AS
			SELECT 'good' AS which, b.* FROM l4_backtest_fault(:'good') b UNION ALL SELECT 'careless', b.*
			FROM l4_backtest_fault(:'careless') b;
		SELECT b.which, b.verdict, b.status, count(*) AS jobs, sum(b.records) AS records,
			sum(b.news_records) AS left_by_the_filter,
			left(string_agg(DISTINCT concat_ws('/', j.job -> 'root_cause' ->> 'category', j.job -> 'root_cause' ->> 'subtype'),
				', '), 120) AS root_causes
		FROM bench_backtest b JOIN bench_job j ON j.job ->> 'job_id' = b.job_id GROUP BY 1, 2, 3 ORDER BY 1 DESC, 2, 3;
	SQL
}

bench_confirm_each() {
	run_psql <<-'SQL'
		\pset footer off
		SET jit = off;
		CREATE TABLE bench_confirmed (job_id text, fault text, pattern text, error text);
		DO $$
		DECLARE one record; made l4_fault;
		BEGIN
			FOR one IN SELECT j.job_id, b.job ->> 'fault' AS fault
				FROM l4_job j JOIN bench_job b ON b.job ->> 'job_id' = j.job_id WHERE j.status = 'failed' ORDER BY 1 LOOP
				BEGIN
					made := l4_confirm_fault(one.job_id, 'each_' || one.job_id, one.fault, 'why', 'what', 'user', 'bench');
					INSERT INTO bench_confirmed VALUES (one.job_id, one.fault, made.pattern, NULL);
				EXCEPTION WHEN OTHERS THEN
					INSERT INTO bench_confirmed VALUES (one.job_id, one.fault, NULL, SQLERRM);
				END;
			END LOOP;
		END $$;
		CREATE TABLE bench_rings AS
			SELECT c.job_id AS from_job, c.fault, b.job_id, b.status, b.verdict, f.job ->> 'fault' AS other_fault
			FROM bench_confirmed c, l4_backtest_fault(fault_key => 'each_' || c.job_id) b
			JOIN bench_job f ON f.job ->> 'job_id' = b.job_id
			WHERE c.pattern IS NOT NULL AND b.rings;
		\echo
		\echo 'Each failed job confirmed by its first event, as drafted, and tried on all the others'
		SELECT count(*) AS failed_jobs, count(c.pattern) AS drafted, count(*) FILTER (WHERE c.error IS NOT NULL) AS refused,
			(SELECT count(*) FROM bench_rings r WHERE r.job_id = r.from_job) AS match_their_own_job,
			(SELECT count(*) FROM bench_confirmed a JOIN bench_confirmed b ON a.fault = b.fault AND a.job_id <> b.job_id)
				AS pairs_of_a_fault,
			(SELECT count(*) FROM bench_rings r WHERE r.job_id <> r.from_job AND r.fault = r.other_fault) AS pairs_found,
			(SELECT count(*) FROM bench_rings r WHERE r.status = 'failed' AND r.fault <> r.other_fault)
				AS found_in_other_failures,
			(SELECT count(*) FROM bench_rings r WHERE r.status = 'succeeded') AS rung_on_successful_jobs
		FROM bench_confirmed c;
		DELETE FROM l4_fault WHERE fault_key LIKE 'each\_%';
	SQL
}

bench_builtin() {
	run_psql <<-SQL
		CREATE TABLE bench_example (fault_key text, example text);
		\\copy bench_example from '$here/../data/faults/examples.tsv' with (format csv, delimiter E'\\t', quote E'\\b', header)
	SQL
	run_psql <<-'SQL'
		\pset footer off
		SET jit = off;
		\echo
		\echo 'Built-in faults on their own examples, and on successful jobs, each left out of its own pool'
		SELECT count(*) AS faults, count(*) FILTER (WHERE l4_pattern_matches(f.pattern, e.example)) AS match_their_example
		FROM l4_fault f LEFT JOIN bench_example e USING (fault_key) WHERE f.builtin;
		-- as if the outcome were not known: out of its pool, then matched
		CREATE TABLE bench_left_out (job_id text, pool_jobs int, news bigint, faults text[]);
		DO $$
		DECLARE one record;
		BEGIN
			FOR one IN SELECT job_id FROM l4_job WHERE status = 'succeeded' ORDER BY 1 LOOP
				PERFORM l4_register_job(one.job_id, status => 'unknown');
				INSERT INTO bench_left_out SELECT one.job_id, (SELECT job_count FROM l4_best_pool(one.job_id)),
					(SELECT count(*) FROM l4_unexplained(one.job_id)), ARRAY(SELECT fault_key FROM l4_match_faults(one.job_id));
				PERFORM l4_register_job(one.job_id, status => 'succeeded');
			END LOOP;
		END $$;
		SELECT count(*) AS successful_jobs, min(pool_jobs) AS smallest_pool, sum(news) AS news_records,
			sum(cardinality(faults)) AS faults_that_ring,
			(SELECT count(DISTINCT (j.job_id, m.fault_key)) FROM l4_job j,
				l4_match_faults(j.job_id, ARRAY(SELECT r FROM l4_all_records(j.job_id) r)) m
				WHERE j.status = 'succeeded') AS without_the_filter
		FROM bench_left_out;
		CREATE TABLE bench_took AS SELECT (SELECT count(*) FROM l4_fault_library) AS faults, job_id,
		bench_seconds(format('SELECT count(*) FROM l4_match_faults(%L)', job_id)) AS seconds
			FROM l4_job WHERE status = 'failed';
	SQL
	add_faults 1000
	run_psql <<-'SQL'
		\pset footer off
		SET jit = off;
		INSERT INTO bench_took SELECT (SELECT count(*) FROM l4_fault_library), job_id,
			bench_seconds(format('SELECT count(*) FROM l4_match_faults(%L)', job_id)) FROM l4_job WHERE status = 'failed';
		\echo 'l4_match_faults on each failed job (seconds; with the filter)'
		SELECT faults, count(*) AS jobs, round(avg(seconds), 3) AS mean, max(seconds) AS slowest
		FROM bench_took GROUP BY 1 ORDER BY 1;
		DELETE FROM l4_fault WHERE subtype = 'bench';
	SQL
}

bench_similar() {
	run_psql <<-'SQL'
		\pset footer off
		SET jit = off;
		DO $$
		DECLARE one text;
		BEGIN
			FOR one IN SELECT job_id FROM l4_job WHERE status = 'failed' ORDER BY 1 LOOP
				PERFORM l4_save_diagnosis(one);
			END LOOP;
		END $$;
		CREATE TABLE bench_similar AS
			SELECT j.job_id, a.job ->> 'fault' AS fault, a.job ->> 'root_cause' AS cause, s.turn,
				b.job ->> 'fault' AS other_fault, b.job ->> 'root_cause' AS other_cause
			FROM l4_job j JOIN bench_job a ON a.job ->> 'job_id' = j.job_id
			CROSS JOIN LATERAL (SELECT s.similar_job_id, row_number() OVER () AS turn
				FROM l4_similar_failures(j.job_id, 100) s) s
			JOIN bench_job b ON b.job ->> 'job_id' = s.similar_job_id
			WHERE j.status = 'failed';
		\echo
		\echo 'l4_similar_failures: of failed jobs that have another one of the same fault (root cause), share where one of'
		\echo 'these stands first, or among the first three; by chance'
		WITH pair AS (
			SELECT a.job ->> 'job_id' AS job_id, count(*) FILTER (WHERE a.job ->> 'fault' = b.job ->> 'fault') AS same_fault,
				count(*) FILTER (WHERE a.job ->> 'root_cause' = b.job ->> 'root_cause') AS same_cause, count(*) AS others
			FROM bench_job a JOIN bench_job b ON b.job ->> 'status' <> 'success' AND a.job ->> 'job_id' <> b.job ->> 'job_id'
			WHERE a.job ->> 'status' <> 'success' GROUP BY 1)
		SELECT k.kind AS same, count(*) AS jobs, round(avg(k.first), 2) AS first, round(avg(k.third), 2) AS among_three,
			round(avg(k.chance), 2) AS first_by_chance
		FROM pair p CROSS JOIN LATERAL (VALUES
			('fault', p.same_fault, (SELECT count(*) FROM bench_similar s WHERE s.job_id = p.job_id AND s.turn = 1
				AND s.fault = s.other_fault),
				LEAST(1, (SELECT count(*) FROM bench_similar s WHERE s.job_id = p.job_id AND s.turn <= 3
					AND s.fault = s.other_fault)), p.same_fault::numeric / p.others),
			('root cause', p.same_cause, (SELECT count(*) FROM bench_similar s WHERE s.job_id = p.job_id AND s.turn = 1
				AND s.cause = s.other_cause),
				LEAST(1, (SELECT count(*) FROM bench_similar s WHERE s.job_id = p.job_id AND s.turn <= 3
					AND s.cause = s.other_cause)), p.same_cause::numeric / p.others)) k (kind, has, first, third, chance)
		WHERE k.has > 0 GROUP BY 1 ORDER BY 1;
	SQL
}

main_faults() {
	home=${PGDATABASE:-postgres}
	create_tools
	bench_patterns
	[ $# -gt 0 ] || return 0
	read_jobs "$1"
	bench_loop "${FAULT:-link_down}"
	export PGDATABASE=$home
	list_jobs true
	create_group "${home}_all"
	create_tools
	bench_backtest
	bench_confirm_each
	bench_builtin
	bench_similar
}

main_faults "$@"
