#!/bin/bash
# Values and speed of l4_dtw_distance, l4_edit_distance and l4_dtw_scores.
#   make bench-dtw DATA=folder
# DATA/pairs.csv holds pairs of sequences with their distances (id, kind, a, b, len_a, len_b, dtw01_full, dtw01_band5,
# dtw01_band10, dtw01_abs5, dtw01_abs10, dtw_absdiff_full, edit_unit).
# Connects by the PG* variables to a database that has the extension. Exits with 1 if a bar is missed.
set -euo pipefail
data=${1:?usage: make bench-dtw DATA=folder}
output=$({
	cat <<'SQL'
SET maintenance_work_mem = '1GB';
CREATE TEMP TABLE pair (id int, kind text, a bigint[], b bigint[], len_a int, len_b int, dtw01_full int, dtw01_band5 int,
	dtw01_band10 int,
	dtw01_abs5 int, dtw01_abs10 int, dtw_absdiff_full int, edit_unit int);
COPY pair FROM STDIN (FORMAT csv, HEADER);
SQL
	tr -d '\r' < "$data/pairs.csv"
	cat <<'SQL'
\.
SELECT format('%s pairs: %s values differ  %s', count(*), sum(wrong), CASE WHEN sum(wrong) = 0 THEN 'pass' ELSE 'FAIL' END)
FROM (SELECT (l4_dtw_distance(a, b) <> dtw01_full)::int + (l4_dtw_distance(a, b, 5) <> dtw01_band5)::int
	+ (l4_dtw_distance(a, b, 10) <> dtw01_band10)::int + (l4_edit_distance(a, b) <> edit_unit)::int AS wrong FROM pair) AS w;

-- throughput of whole calls, best of five; the bar is ten times a good scalar kernel's rate
SELECT setseed(0.5) \g /dev/null
CREATE TEMP TABLE took (what text, length int, bar float8, cells_per_second float8);
DO $$
DECLARE
	lengths int[] := ARRAY[100, 1000, 5000];
	bars float8[] := ARRAY[0, 2.2, 2.2];
	a bigint[];
	b bigint[];
	started timestamptz;
	calls int;
BEGIN
	FOR i IN 1..3 LOOP
		a := array_agg((random() * 40)::bigint) FROM generate_series(1, lengths[i]);
		b := array_agg((random() * 40)::bigint) FROM generate_series(1, lengths[i]);
		calls := greatest(1, 20000000 / lengths[i] ^ 2)::int;
		FOR round IN 1..5 LOOP
			started := clock_timestamp();
			FOR i_call IN 1..calls LOOP
				PERFORM l4_dtw_distance(a, b);
			END LOOP;
			INSERT INTO took VALUES ('dtw', lengths[i], bars[i],
				calls * lengths[i] ^ 2 / extract(epoch FROM clock_timestamp() - started));
			started := clock_timestamp();
			FOR i_call IN 1..calls LOOP
				PERFORM l4_edit_distance(a, b);
			END LOOP;
			INSERT INTO took VALUES ('edit', lengths[i], 0,
				calls * lengths[i] ^ 2 / extract(epoch FROM clock_timestamp() - started));
		END LOOP;
	END LOOP;
END
$$;
SELECT format('%s %s x %s: %s G cells/s (bar %s)  %s', what, length, length, round((max(cells_per_second) / 1e9)::numeric, 2),
	bar,
	CASE WHEN max(cells_per_second) / 1e9 >= bar THEN 'pass' ELSE 'FAIL' END)
FROM took GROUP BY what, length, bar ORDER BY what, length;

-- 2,000 iterations of 100 lines, a checkpoint every 50th, one swap in 5 % of them; three faults
CREATE TEMP TABLE iteration AS SELECT i AS iteration, CASE
	WHEN i = 700 THEN usual[1:60] WHEN i = 1201 THEN usual[1:40] || array_fill(usual[40], ARRAY[15]) || usual[41:100]
	WHEN i = 1777 THEN usual[1:50] || ARRAY[901, 902, 903, 904, 905, 906]::bigint[] || usual[51:100]
	WHEN i % 50 = 0 THEN usual || ARRAY[801, 802, 803, 804, 805, 806, 807, 808]::bigint[]
	WHEN random() < 0.05 THEN usual[1:place] || usual[place + 2] || usual[place + 1] || usual[place + 3:100]
	ELSE usual END AS events
FROM (SELECT array_agg(e::bigint) AS usual FROM generate_series(1, 100) AS e) AS u,
	(SELECT i, 1 + floor(random() * 90)::int AS place FROM generate_series(1, 2000) AS i OFFSET 0) AS p;
DO $$
DECLARE
	started timestamptz := clock_timestamp();
	found bigint[];
	extra int;
	paper int;
	seconds float8;
BEGIN
	SELECT array_agg(s.iteration) FILTER (WHERE unusual AND s.iteration IN (700, 1201, 1777)),
		count(*) FILTER (WHERE unusual AND s.iteration NOT IN (700, 1201, 1777)),
		count(*) FILTER (WHERE three_sigma) INTO found, extra, paper
	FROM unnest((SELECT l4_dtw_scores(i.iteration, events) FROM iteration AS i)) AS s;
	seconds := extract(epoch FROM clock_timestamp() - started);
	RAISE NOTICE '2000 iterations of 100 events: % s, faults found % of 3, others flagged % (paper''s rule flags %)  %',
	round(seconds::numeric, 3),
		cardinality(found), extra, paper, CASE WHEN cardinality(found) = 3 AND seconds < 1 THEN 'pass' ELSE 'FAIL' END;
END
$$;
SQL
} | psql -X -q -A -t -v ON_ERROR_STOP=1 2>&1) || { echo "$output"; exit 1; }
echo "$output"
case $output in *FAIL*) exit 1 ;; esac
