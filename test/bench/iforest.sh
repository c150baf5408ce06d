#!/bin/bash
# Quality and speed of l4_iforest_rank.
#   make bench-iforest DATA=folder
# DATA holds one csv per set (f1..fd,label) and reference.csv (dataset, ..., sklearn_auroc_mean, sklearn_auroc_sd).
# Connects by the PG* variables to a database that has the extension. Exits with 1 if a bar is missed.
set -euo pipefail
data=${1:?usage: make bench-iforest DATA=folder}
missed=0

run() { psql -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }

# All statements of a set run in one session: the tables are temporary.
auroc() {
	local file=$1
	{
		echo "SET maintenance_work_mem = '1GB';"
		echo "CREATE TEMP TABLE cell (item text, feature bigint, value float8);"
		echo "COPY cell FROM STDIN;"
		awk -F, -v OFS='\t' 'NR > 1 { print NR, "\\N", "\\N"; for (i = 1; i < NF; i++) if ($i + 0 != 0) print NR, i, $i }' \
			"$file"
		echo '\.'
		echo "CREATE TEMP TABLE label (item text, odd int);"
		echo "COPY label FROM STDIN;"
		awk -F, -v OFS='\t' 'NR > 1 { print NR, $NF + 0 }' "$file"
		echo '\.'
		cat <<'SQL'
WITH scored AS (
	SELECT seed, odd, avg(place) OVER (PARTITION BY seed, score) AS place
	FROM (SELECT seed, r.score, odd, row_number() OVER (PARTITION BY seed ORDER BY r.score) AS place
		FROM generate_series(1, 10) AS seed,
			LATERAL (SELECT (unnest(l4_iforest_rank(item, feature, value, 'plain', 100, 256, seed))).* FROM cell) AS r
			JOIN label USING (item)) AS s
), one AS (
	SELECT seed, (sum(place) FILTER (WHERE odd = 1) - count(*) FILTER (WHERE odd = 1) * (count(*) FILTER (WHERE odd = 1) + 1)
		/ 2.0)
		/ (count(*) FILTER (WHERE odd = 1) * count(*) FILTER (WHERE odd = 0)) AS auroc
	FROM scored GROUP BY seed
)
SELECT round(avg(auroc)::numeric, 4) FROM one;
SQL
	} | run
}

echo "mean AUROC of 10 seeds, mode plain, 100 trees, 256 items per tree"
for file in "$data"/*.csv; do
	name=$(basename "$file" .csv)
	[ "$name" = reference ] && continue
	bar=$(awk -F, -v name="$name" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 == name { printf "%.4f", $at["sklearn_auroc_mean"] - 3 * $at["sklearn_auroc_sd"] / sqrt(10) - 0.005 }' \
			"$data/reference.csv")
	got=$(auroc "$file")
	verdict=$(awk -v got="$got" -v bar="$bar" 'BEGIN { print (got >= bar) ? "pass" : "FAIL" }')
	[ "$verdict" = pass ] || missed=1
	printf '%-14s %s  bar %s  %s\n' "$name" "$got" "$bar" "$verdict"
done

# Simulated jobs: most events constant or Poisson over the nodes, one node with events of its own and one that a few nodes
# share. Share of jobs in which that node is ranked first.
first_place() {
	local nodes=$1 events=$2 own=$3 jobs=$4 bar=$5
	run <<SQL
SET maintenance_work_mem = '1GB';
SELECT setseed(0.25) \\g /dev/null
CREATE TEMP TABLE cell (job int, node text, event int, occurrences float8);
INSERT INTO cell SELECT job, node::text, event,
		CASE WHEN mean IS NULL THEN 7
			ELSE greatest(0, round(mean + sqrt(mean) * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()))) END
	FROM (SELECT job, event, CASE WHEN random() < 0.2 THEN exp(-1.2 + 6.9 * random()) END AS mean
		FROM generate_series(1, $jobs) AS job, generate_series(1, $events) AS event OFFSET 0) AS e, generate_series(1,
			$nodes) AS node;
INSERT INTO cell SELECT job, '2', -event, 2 + floor(6 * random())
FROM generate_series(1, $jobs) AS job, generate_series(1, $own) AS event;
INSERT INTO cell SELECT job, node::text, 0, 2 + floor(4 * random())
FROM generate_series(1, $jobs) AS job, generate_series(2, 4) AS node;
WITH found AS (SELECT job, (SELECT rank FROM unnest(counts) WHERE item = '2') AS counts,
	(SELECT rank FROM unnest(plain) WHERE item = '2') AS plain,
		(SELECT suspect FROM unnest(counts) WHERE item = '2') AS suspect
	FROM (SELECT job, l4_iforest_rank(node, event::bigint, occurrences) AS counts,
		l4_iforest_rank(node, event::bigint, occurrences, 'plain', 100, 256, job) AS plain FROM cell GROUP BY job) AS r)
SELECT format('%s nodes, %s events, %s own: first in counts %s (bar %s), in plain %s; in the first 8 %s; suspect %s  %s',
	$nodes, $events, $own,
	round(avg((counts = 1)::int), 2), $bar, round(avg((plain = 1)::int), 2), round(avg((counts <= 8)::int), 2),
	round(avg(suspect::int), 2),
	CASE WHEN avg((counts = 1)::int) >= $bar THEN 'pass' ELSE 'FAIL' END) FROM found;
SQL
}

# Growing and scoring alone: 100 trees less 1 tree, best of three, so that reading the rows does not count.
speed() {
	local name=$1 items=$2 features=$3 filled=$4 bar=$5
	run <<SQL
SET maintenance_work_mem = '2GB';
SET work_mem = '1GB';
SET max_parallel_workers_per_gather = 0;
SELECT setseed(0.5) \g /dev/null
CREATE TEMP TABLE cell AS SELECT i::text AS item, f::bigint AS feature, floor(1 + 20 * random())::float8 AS value
	FROM generate_series(1, $items) AS i, generate_series(1, $features) AS f WHERE random() < $filled;
ANALYZE cell;
CREATE TEMP TABLE took (trees int, seconds float8);
DO \$\$
DECLARE
	started timestamptz;
BEGIN
	FOR round IN 1..3 LOOP
		FOR trees IN 0..2 LOOP
			started := clock_timestamp();
			IF trees = 2 THEN
				PERFORM l4_iforest_rank(item, feature, value) FROM cell;
			ELSE
				PERFORM l4_iforest_rank(item, feature, value, 'plain', 1 + 99 * trees, 256, round) FROM cell;
			END IF;
			INSERT INTO took VALUES (trees, extract(epoch FROM clock_timestamp() - started));
		END LOOP;
	END LOOP;
END
\$\$;
SELECT format('%-34s 99 trees %s s (bar %s)  whole call, plain %s s, counts %s s  %s', '$name',
	round((hundred - one)::numeric, 3), $bar,
	round(hundred::numeric, 2), round(counts::numeric, 2), CASE WHEN hundred - one <= $bar THEN 'pass' ELSE 'FAIL' END)
FROM (SELECT min(seconds) FILTER (WHERE trees = 0) AS one, min(seconds) FILTER (WHERE trees = 1) AS hundred,
	min(seconds) FILTER (WHERE trees = 2) AS counts FROM took) AS t;
SQL
}

echo "odd node of simulated jobs, and speed in seconds of one backend"
while read -r line; do
	echo "$line"
	case $line in *FAIL) missed=1 ;; esac
done < <(
	first_place 16 500 1 24 0.7
	first_place 16 500 3 24 0.95
	first_place 64 500 1 12 0.7
	first_place 64 500 3 12 0.95
	speed '1024 x 2000, 30 % filled' 1024 2000 0.3 0.1
	speed '10000 x 5000, 5 % filled' 10000 5000 0.05 1.0
)
exit $missed
