#!/bin/bash
# flows_growth.sh [WINDOW..]: how what l4_flow_diagnose costs grows with the flows, as a multiple of ordering the same flows.
#
# WINDOW   seconds of window x jobs of 128 accelerators each, of the first simulator's scenario big (test/generate/flows), as
#          60x8; or the name of a scenario: huge has 10^8 flows (and its table 20 GB). Default: 60x1 600x1 600x8 (10^5 to 10^7
#          flows, a longer window, then more jobs) and 60x1 60x8 60x32 (128 to 4,096 accelerators).
# WINDOWS  the same in the environment, for make bench-flows_growth WINDOWS="huge".
# SEED     of the simulator (default 7).
#
# One line a window: flows, accelerators, jobs found, CPU of l4_flow_diagnose (the first call of a session, one process, from
# table to findings), the ratio of that to SELECT count(*), sum(bytes) of all, ORDER BY source, started_at, in the same session;
# microseconds a flow; its own memory, over that of a scan; and exponent: that of the growth of CPU from the line before, where
# that has fewer flows (1: linear), and that of memory.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
generator=$here/../generate/flows
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() { psql -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }

generate() {
	local size="--scenario $1"
	rm -rf "$work/window"
	if [[ $1 =~ ^([0-9]+)x([0-9]+)$ ]]; then
		size="--scenario big --window ${BASH_REMATCH[1]} --jobs ${BASH_REMATCH[2]}"
	fi
	# shellcheck disable=SC2086
	"$generator/flows" --out "$work/window" $size --seed "${SEED:-7}" > "$work/said" 2>&1 || { cat "$work/said" >&2; return 1; }
}

copying() {
	echo "TRUNCATE $1;"
	echo "\\copy $1 ($(head -n 1 "$2")) FROM '$2' (FORMAT csv, HEADER)"
}

# Scans the table before, so that the buffers that it touches are not counted as memory.
measure() {
	run -v name="$1" <<-'SQL'
		SET max_parallel_workers_per_gather = 0;
		SELECT count(*) AS flows, sum(bytes) AS bytes, min(started_at) AS began, max(started_at) + interval '1 s' AS ended
		FROM l4_flow \gset
		SELECT bench.processor() AS before, bench.memory() AS memory \gset
		SELECT count(*) AS findings FROM l4_flow_diagnose(:'began', :'ended') \gset
		SELECT bench.processor() - :before AS seconds, (bench.memory() - :memory) / 1024.0 AS megabytes,
			bench.processor() AS before \gset
		SELECT count(*), sum(bytes) FROM (SELECT * FROM l4_flow ORDER BY source, started_at OFFSET 0) f \g /dev/null
		SELECT bench.processor() - :before AS sort_seconds \gset
		SELECT count(DISTINCT job) AS jobs, count(*) AS accelerators FROM l4_flow_jobs(:'began', :'ended') \gset
		INSERT INTO bench.size VALUES (DEFAULT, :'name', :flows, :accelerators, :jobs, :findings, :seconds, :sort_seconds,
			:megabytes);
		SELECT bench.line();
	SQL
}

create_tables() {
	run <<-'SQL'
		CREATE SCHEMA bench;
		CREATE FUNCTION bench.processor() RETURNS float8 LANGUAGE sql VOLATILE AS $$
			SELECT (p.part[12]::float8 + p.part[13]::float8) / 100
			FROM (SELECT string_to_array(substring(pg_read_file('/proc/self/stat') FROM '.*\) (.*)'), ' ') AS part) p;
		$$;
		CREATE FUNCTION bench.memory() RETURNS bigint LANGUAGE sql VOLATILE AS $$
			SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s+(\d+)')::bigint;
		$$;
		CREATE TABLE bench.size (number int GENERATED ALWAYS AS IDENTITY, name text, flows bigint, accelerators bigint,
			jobs bigint, findings bigint, seconds float8, sort_seconds float8, megabytes float8);
		CREATE FUNCTION bench.line() RETURNS text LANGUAGE sql STABLE AS $$
			SELECT rpad(n.name, 8) || lpad(n.flows::text, 11) || lpad(n.accelerators::text, 14) || lpad(n.jobs::text, 6)
				|| lpad(n.findings::text, 10) || lpad(round(n.seconds::numeric, 2)::text, 8)
				|| lpad(round((n.seconds / n.sort_seconds)::numeric, 2)::text, 7)
				|| lpad(round((1e6 * n.seconds / n.flows)::numeric, 2)::text, 9)
				|| lpad(round(n.megabytes::numeric)::text, 7)
				|| COALESCE((SELECT lpad(round((ln(n.seconds / p.seconds) / g.growth)::numeric, 2)::text, 10)
						|| lpad(round((ln(n.megabytes / p.megabytes) / g.growth)::numeric, 2)::text, 11)
					FROM bench.size p CROSS JOIN LATERAL (SELECT ln(n.flows::float8 / p.flows) AS growth) g
					WHERE p.number = n.number - 1 AND p.flows < n.flows), '')
			FROM bench.size n ORDER BY n.number DESC LIMIT 1;
		$$;
	SQL
}

main_growth() {
	local name
	[ $# -gt 0 ] || set -- ${WINDOWS:-60x1 600x1 600x8 60x1 60x8 60x32}
	make -s -C "$generator" flows
	create_tables
	echo 'window        flows  accelerators  jobs  findings   CPU s  ratio  us/flow     MB  exponent  of memory'
	for name in "$@"; do
		generate "$name"
		{
			copying l4_flow "$work/window/flows.csv"
			copying l4_accelerator "$work/window/accelerators.csv"
			echo 'ANALYZE l4_flow, l4_accelerator;'
		} | run > /dev/null
		rm -rf "$work/window"
		measure "$name"
	done
}

main_growth "$@"
