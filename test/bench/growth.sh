#!/bin/bash
# growth.sh: how import, room, pool and diagnosis grow with the ranks of a job, and the diagnosis with what else is in the
# database.
#
# NODES     nodes of a job, in a list (default "64 128 256 512"; "64 128 256 512 1024 2048" is up to 16,384 ranks and needs
#           2 GB of disk and ten minutes), RANKS ranks of each (default 8)
# CLASSES   what happens, scenarios of test/generate (default "dies restarts shared_dies")
# SHAPES    so many statements of other jobs are added at the end, and the diagnoses of the largest jobs repeated
#           (default 200000)
# STEPS     iterations of a job (default 100), TURNS diagnoses of each (default 3)
#
# A size is a database with one successful job and one of each class. CPU is that of the backend, from /proc; of a diagnosis the
# least of three sessions (TURNS), each of which makes all plans anew. Memory is the most that one process had of its own
# (RssAnon), looked at ten times a second: import takes one worker besides the caller. exponent: of the growth of CPU from the
# size before (1: linear). Room is all that l4's tables grew by with the job, with indexes and TOAST.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${L4_WORK:-/tmp}/growth.XXXXXX")
chmod 755 "$work"
ranks=${RANKS:-8}
home=${PGDATABASE:-postgres}
sampler=
finish() {
	[ -z "$sampler" ] || kill "$sampler" 2> /dev/null || true
	PGDATABASE=postgres psql -Xq -c 'DROP DATABASE IF EXISTS l4_growth' > /dev/null 2>&1 || true
	rm -rf "$work"
}
trap finish EXIT
run() { psql -XqAt -v ON_ERROR_STOP=1 "$@"; }
make -s -C "$top/test/generate"
postmaster=$(run -c "SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)")

# The most own memory of any server process, in kB, into the file memory, until it is killed.
sample() {
	local most=0 now
	while sleep 0.1; do
		now=$(cat $(pgrep -P "$postmaster" | sed 's|.*|/proc/&/status|') 2> /dev/null |
			awk '$1 == "RssAnon:" && $2 > m { m = $2 } END { print m + 0 }') || true
		[ "${now:-0}" -le "$most" ] || { most=$now; echo "$most" > "$work/memory"; }
	done
}

# Runs a statement in a session of its own. Sets cpu and wall (seconds) and memory (MB).
measure() {
	echo 0 > "$work/memory"
	sample &
	sampler=$!
	read -r cpu wall < <(run -F ' ' -c 'SET client_min_messages = warning' -c 'SELECT growth_began()' -c "$1" \
		-c 'SELECT * FROM growth_took()' | tail -n 1)
	sleep 0.1
	kill "$sampler"
	wait "$sampler" 2> /dev/null || true
	sampler=
	memory=$(awk '{ printf "%.0f", $1 / 1024 }' "$work/memory")
}

create_clock() {
	run <<-'SQL'
		CREATE FUNCTION growth_processor() RETURNS float8 LANGUAGE sql VOLATILE AS $$
			SELECT (p.part[12]::float8 + p.part[13]::float8) / 100
			FROM (SELECT string_to_array(substring(pg_read_file('/proc/self/stat') FROM '.*\) (.*)'), ' ') AS part) p $$;
		CREATE FUNCTION growth_began() RETURNS text LANGUAGE sql VOLATILE AS $$
			SELECT set_config('growth.began', growth_processor() || ' ' || extract(epoch FROM clock_timestamp()), false) $$;
		CREATE FUNCTION growth_took(OUT cpu numeric, OUT wall numeric) LANGUAGE sql VOLATILE AS $$
			SELECT round((growth_processor() - split_part(b.began, ' ', 1)::float8)::numeric, 2),
				round(extract(epoch FROM clock_timestamp()) - split_part(b.began, ' ', 2)::numeric, 2)
			FROM (SELECT current_setting('growth.began') AS began) b $$;
	SQL
}

room() {
	run -c "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_extension e JOIN pg_depend d ON d.refobjid = e.oid
		AND d.deptype = 'e' AND d.classid = 'pg_class'::regclass
		JOIN pg_class c ON c.oid = d.objid AND c.relkind = 'r' WHERE e.extname = 'l4'"
}

rows() { run -c "SELECT count(*) FROM $1 WHERE job_id = '$2'"; }

# Generates and imports a job: name, nodes, options of the generator.
import_job() {
	local job=$1 nodes=$2
	shift 2
	"$top/test/generate/generate" --out "$work/$job" --job "$job" --framework house --dialect 0 --step-ms 400 --nodes "$nodes" \
		--ranks-per-node "$ranks" --labels "$work/$job.json" "$@" > /dev/null
	run -v labels="$(cat "$work/$job.json")" > /dev/null <<-'SQL'
		SELECT l4_register_job(j ->> 'job_id', j -> 'settings',
			CASE j ->> 'status' WHEN 'success' THEN 'succeeded' ELSE 'failed' END,
			ARRAY(SELECT jsonb_array_elements_text(j -> 'nodes')), (j -> 'settings' ->> 'ranks_per_node')::int)
		FROM (SELECT :'labels'::jsonb AS j) l
	SQL
	measure "CALL l4_import('$job', '$work/$job', workers => 2)"
	bytes=$(du -s --apparent-size -B1 "$work/$job" | cut -f1)
	rm -rf "${work:?}/$job"
}

# The least CPU of so many diagnoses, and its wall; memory is the most.
diagnose() {
	local most=0 least= turn
	for turn in $(seq "${TURNS:-3}"); do
		measure "SELECT count(*) FROM l4_diagnose('$1')"
		[ "$memory" -le "$most" ] || most=$memory
		[ -n "$least" ] && awk -v a="$cpu" -v b="${least% *}" 'BEGIN { exit !(a >= b) }' || least="$cpu $wall"
	done
	read -r cpu wall <<< "$least"
	memory=$most
}

one_size() {
	local nodes=$1 class before import
	PGDATABASE=postgres run -c 'SET client_min_messages = warning' -c 'DROP DATABASE IF EXISTS l4_growth' \
		-c 'CREATE DATABASE l4_growth TEMPLATE template0'
	export PGDATABASE=l4_growth
	run -c 'CREATE EXTENSION l4'
	create_clock
	import_job ok "$nodes" --seed 101 --iterations "${STEPS:-100}"
	for class in ${CLASSES:-dies restarts shared_dies}; do
		before=$(room)
		import_job "$class" "$nodes" --seed 7 --iterations "${STEPS:-100}" --fault "$class" --fault-node $((nodes / 2))
		import="$cpu $wall $memory"
		run -c 'VACUUM ANALYZE'
		diagnose "$class"
		echo "$class $nodes $((nodes * ranks)) $(rows l4_stream "$class") $(rows l4_stream_event "$class") $bytes" \
			"$(($(room) - before)) $import $cpu $wall $memory" | tee -a "$work/figures" | show
	done
	measure "SELECT l4_pool_refresh('ok')"
	echo "pool refresh of $((nodes * ranks)) ranks: $cpu s CPU, $memory MB"
	export PGDATABASE=$home
}

# A line of figures, with the exponent to the size before.
show() {
	awk -v figures="$work/figures" '{
		while ((getline line < figures) > 0) {
			split(line, f, " ")
			if (f[1] == $1 && f[3] < $3) { at = f[3]; was = f[11]; mb = f[13] }
		}
		printf "%-12s %6d %7d %8d %6.0f MB %7.1f MB %6.1f s %5d MB %7.2f s %7.2f s %5d MB", $1, $3, $4, $5, $6 / 1e6, $7 / 1e6,
			$8, $10, $11, $12, $13
		if (at > 0) printf " %9.2f %6.2f", log($11 / was) / log($3 / at), log($13 / mb) / log($3 / at)
		print "" }'
}

printf "%-12s %6s %7s %8s %9s %10s %8s %8s %9s %9s %8s %9s %6s\n" class ranks streams counts logs room "import" memory \
	"diagnose" wall memory exponent memory
for nodes in ${NODES:-64 128 256 512}; do
	one_size "$nodes"
done
if [ "${SHAPES:-200000}" -gt 0 ]; then
	export PGDATABASE=l4_growth
	run -c "INSERT INTO l4_event (event_id, template) SELECT -i, 'other' FROM generate_series(1, ${SHAPES:-200000}) i" \
		-c "INSERT INTO l4_shape (shape_id, shape, event_id)
			SELECT -i * 7919::bigint, 'statement ' || md5(i::text) || ' of <*>', -i
			FROM generate_series(1, ${SHAPES:-200000}) i" -c 'VACUUM ANALYZE'
	for class in ${CLASSES:-dies restarts shared_dies}; do
		was=$(awk -v c="$class" '$1 == c { w = $11 } END { print w }' "$work/figures")
		diagnose "$class"
		echo "$class, with ${SHAPES:-200000} statements of other jobs: $cpu s CPU ($was without), $memory MB"
	done
fi
