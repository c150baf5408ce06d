#!/bin/bash
# flows_watch.sh [SCENARIO [WIDTH]]: what l4_watch_flows costs on a stream of simulated flows (test/generate/flows; default
# big: 1,024 accelerators, ten minutes, ten million flows) in windows of WIDTH seconds (60), and what it finds of the truth.
# Each minute's flows come by COPY, as from a collector, then it is called.
#
# One line a call: flows, seconds of the processor for each second of real time (%), steps counted, findings, megabytes kept for
# the next window. Then what it found beside the faults that there are, and what must hold, else the exit status is 1: each flow
# was read once; of each job whose steps are seen at most the last one is missed, and the step time is within 2 percent; at most
# 5 % of real time on one core (BAR).
# SEED of the simulator (7). FLOWS: a folder with a window of the simulator, in place of one made here. PARTITION: how wide
# partitions of l4_flow are (5 minutes).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
generator=$here/../generate/flows
scenario=${1:-big}
width=${2:-60}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() { psql -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }

window=${FLOWS:-$work/window}
if [ -z "${FLOWS:-}" ]; then
	make -s -C "$generator" flows
	"$generator/flows" --out "$window" --scenario "$scenario" --seed "${SEED:-7}" > "$work/said" 2>&1 || cat "$work/said"
fi

# What began in each minute, a file each.
mkdir "$work/minutes"
awk -F, -v out="$work/minutes" 'NR > 1 { print > (out "/" substr($1, 12, 2) substr($1, 15, 2)) }' "$window/flows.csv"

run <<SQL
SET client_min_messages = warning;
CREATE SCHEMA bench;
CREATE FUNCTION bench.processor() RETURNS float8 LANGUAGE sql VOLATILE AS \$\$
	SELECT (p.part[12]::float8 + p.part[13]::float8) / 100
	FROM (SELECT string_to_array(substring(pg_read_file('/proc/self/stat') FROM '.*\) (.*)'), ' ') AS part) p;
\$\$;
CREATE TABLE bench.call (minute int, seconds float8, flows bigint, steps bigint, findings bigint);
CREATE TABLE bench.truth_jobs (job int, address text COLLATE "C", server text, dp int, pp int, tp int, ep int, cp int,
	began timestamptz, ended timestamptz);
CREATE TABLE bench.truth_steps (job int, address text COLLATE "C", step bigint, began timestamptz, ended timestamptz,
	compute float8, pipeline float8, data float8);
\\copy bench.truth_jobs ($(head -n 1 "$window/truth_jobs.csv")) FROM '$window/truth_jobs.csv' (FORMAT csv, HEADER)
\\copy bench.truth_steps ($(head -n 1 "$window/truth_steps.csv")) FROM '$window/truth_steps.csv' (FORMAT csv, HEADER)
\\copy l4_accelerator ($(head -n 1 "$window/accelerators.csv")) FROM '$window/accelerators.csv' (FORMAT csv, HEADER)
SELECT l4_create_flow_partitions('2026-01-01 00:00+00', '2026-01-01 01:00+00', '${PARTITION:-5 minutes}') \\g /dev/null
ANALYZE;
SQL

sed 's/^/fault: /' <(tail -n +2 "$window/truth_faults.csv")

# One session for all: its memory must not grow.
{
	echo "SET max_parallel_workers_per_gather = 0;"
	minute=0
	for file in "$work"/minutes/*; do
		minute=$((minute + 1))
		cat <<SQL
\\copy l4_flow ($(head -n 1 "$window/flows.csv")) FROM '$file' (FORMAT csv)
SELECT bench.processor() AS before \\gset
SELECT windows, flows, findings
FROM l4_watch_flows(make_interval(secs => $width), '10 seconds',
	'2026-01-01 00:00:10+00'::timestamptz + interval '$minute minutes') \\gset
INSERT INTO bench.call SELECT $minute, bench.processor() - :before, :flows,
	(SELECT sum(steps) FROM l4_flow_watch_job), :findings;
SELECT format('minute %s: %s windows, %s flows, %s %% of real time, %s steps so far, %s findings, %s MB kept', $minute,
	:windows, :flows, round((seconds * 100 / 60)::numeric, 2), steps, findings,
	(SELECT round(COALESCE(sum(COALESCE(length(forth), 0) + COALESCE(length(back), 0)), 0) / 1e6, 1) FROM l4_flow_watch_tail))
FROM bench.call WHERE minute = $minute;
SQL
	done
	# shared buffers, which all processes have in common, are no memory of it
	echo "SELECT format('memory of the process: %s MB at most', (substring(s FROM 'VmHWM:\s+(\d+)')::bigint
		- substring(s FROM 'RssShmem:\s+(\d+)')::bigint) / 1024) FROM pg_read_file('/proc/self/status') s;"
} | run

run -v bar="${BAR:-5}" <<'SQL' | tee "$work/verdict"
WITH truth AS (
	SELECT t.job, min(t.address) AS one, count(DISTINCT t.address) AS accelerators FROM bench.truth_jobs t
	WHERE t.job IS NOT NULL GROUP BY t.job
), whole AS (
	SELECT s.job, count(*) AS steps, percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM s.lasted)) AS seconds
	FROM (SELECT s.job, s.step, percentile_cont(0.5) WITHIN GROUP (ORDER BY s.ended - s.began) AS lasted, max(s.ended) AS ended
		FROM bench.truth_steps s WHERE s.step > 0 GROUP BY s.job, s.step) s
	WHERE s.ended < (SELECT upto FROM l4_flow_watch)
	GROUP BY s.job
), said AS (
	SELECT t.job, j.job AS number, cardinality(j.addresses) AS accelerators, t.accelerators AS of, w.steps, j.steps AS counted,
		w.seconds, (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY s.step_seconds) FROM l4_flow_step_time s
			WHERE s.job = j.job) AS said
	FROM truth t JOIN whole w USING (job) LEFT JOIN l4_flow_watch_job j ON t.one = ANY (j.addresses)
)
SELECT format('job %s: %s of %s accelerators, %s of %s steps, %s s a step (truth: %s)%s', s.job, s.accelerators, s.of,
	s.counted, s.steps, round(s.said::numeric, 3), round(s.seconds::numeric, 3), CASE WHEN s.counted IS NULL OR s.counted > 0
		AND (abs(s.counted - s.steps * n.cycles) > n.cycles OR abs(s.said * n.cycles / s.seconds - 1) > 0.02)
		THEN ': MISSED' END)
-- where parameters are sharded a step is told for each microbatch
FROM said s CROSS JOIN LATERAL (SELECT GREATEST(1, round(s.seconds / s.said)) AS cycles) n ORDER BY s.job;
SELECT format('finding at %s: %s', window_ended::time, sentence) FROM l4_flow_watch_finding ORDER BY window_began, ordinal;
WITH n AS (
	SELECT w.flows, (SELECT count(*) FROM l4_flow WHERE started_at < w.upto) AS of FROM l4_flow_watch w
)
SELECT format('%s: %s flows read, of %s that there are', CASE WHEN flows = of THEN 'ok' ELSE 'MISSED' END, flows, of) FROM n;
SELECT format('%s: %s %% of real time on one core, %s %% in the dearest minute (bar: %s %%)',
	CASE WHEN sum(seconds) * 100 / (60 * count(*)) <= :bar THEN 'ok' ELSE 'MISSED' END,
	round((sum(seconds) * 100 / (60 * count(*)))::numeric, 2), round((max(seconds) * 100 / 60)::numeric, 2), :bar)
FROM bench.call;
SQL
! grep -q MISSED "$work/verdict"
