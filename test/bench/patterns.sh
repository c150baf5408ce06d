#!/bin/bash
# patterns.sh: how long the fault library takes on a large job: a generated one whose GPU falls off the bus on one node, beside
# two successful ones.
#
# BYTES   of the failed job (default 200M; 10G for the real thing: some ten minutes, 12 GB of disk)
# NODES   nodes of the jobs (default 64), of 8 ranks each
# ROWS    how many faults the library is filled up to, in turn (default "0 1000 3000"; 0: the built-in ones alone)
#
# Patterns meet the distinct texts of a job, not its lines. Prints, for each size of the library, the processor's seconds of
#   match    l4_match_faults on what is unexplained
#   asked    looking for causes in all else that the job logs (l4_asked_records)
#   all      l4_match_faults as called, with the filter before them (bar 10 s)
# what the clock tells of "all", and "all" beside a plain sequential read of the job's summaries: its counts and parameter
# statistics. The first of a session each. Fails where "all" takes longer than the bar. faults.sh takes its functions from here.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/accuracy.sh"

# What the parts need, in the current database. bench_pattern: the built-in patterns and variants of them with further words.
create_tools() {
	run_psql <<-'SQL'
		CREATE FUNCTION bench_seconds(query text) RETURNS numeric LANGUAGE plpgsql AS $$
		DECLARE began timestamptz := clock_timestamp();
		BEGIN
			EXECUTE query;
			RETURN round(extract(epoch FROM clock_timestamp() - began)::numeric, 3);
		END $$;
		CREATE TABLE bench_pattern AS
			SELECT row_number() OVER (ORDER BY n, key) AS number, key, pattern
			FROM (SELECT 0 AS n, fault_key AS key, pattern FROM l4_fault WHERE builtin AND pattern <> ''
				UNION ALL
				SELECT n, f.fault_key || '_' || n, f.pattern || '|unit ' || n || '\d{0,3} of (?:rack|row) ' || n
					|| ' (?:failed|is down)'
				FROM l4_fault f, generate_series(1, 5) n WHERE f.builtin AND f.pattern <> '') p;
	SQL
}

# Fills the library up to $1 faults.
add_faults() {
	run_psql -v rows="$1" <<-'SQL'
		INSERT INTO l4_fault (fault_key, title, category, subtype, role, severity, pattern)
		SELECT p.key, p.key, 'user', 'bench', 'root', 'error', p.pattern
		FROM bench_pattern p WHERE p.number <= :rows AND p.key NOT IN (SELECT fault_key FROM l4_fault)
	SQL
}

# Writes and loads a failed job of about $BYTES on $NODES nodes and two small ones that succeeded.
load_generated() {
	local job folder=$work/generated options seed=0
	cc -O2 -D_GNU_SOURCE -o "$work/generate" "$here"/../generate/*.c
	for job in ok-1 ok-2 failed; do
		seed=$((seed + 1))
		case $job in
			failed) options=(--fault xid79 --bytes "${BYTES:-200M}") ;;
			*) options=(--iterations 30) ;;
		esac
		mkdir -p "$folder"
		"$work/generate" --out "$folder/$job" --job "$job" --nodes "${NODES:-64}" --ranks-per-node 8 --seed $seed \
			"${options[@]}" | tail -n 1
		chmod -R a+rX "$folder"
		run_psql -v job="$job" -v nodes="${NODES:-64}" <<-SQL
			SET client_min_messages = warning;
			SELECT l4_register_job(:'job', '{"framework": "Megatron-LM", "model": "generated"}', CASE :'job' WHEN 'failed'
				THEN 'failed' ELSE 'succeeded' END,
				ARRAY(SELECT 'node-' || lpad(n::text, 4, '0') FROM generate_series(0, :nodes - 1) n), 8) \\g /dev/null
			CALL l4_import('$job', '$folder/$job', workers => 2);
		SQL
		rm -rf "${folder:?}/$job"
	done
	run_psql -c 'VACUUM ANALYZE'
}

# What query $1 takes in a session of its own, after statement $2: seconds of the processor, as the server tells them, and by
# the clock.
seconds() {
	run_psql -At -o /dev/null -c 'SET jit = off' ${2:+-c "$2"} -c 'SET max_parallel_workers_per_gather = 0' \
		-c 'SET log_statement_stats = on' -c 'SET client_min_messages = log' -c "$1" 2>&1 |
		awk '/ s elapsed$/ { sub(/^!/, ""); if ($7 > elapsed) { elapsed = $7; cpu = $1 + $4 } } END { print cpu, elapsed }'
}

# What a plain read of the summaries of the job takes, the second of two.
read_summaries() {
	local query="SELECT (SELECT sum(e.occurrences) FROM l4_stream_event e WHERE e.stream_id IN
			(SELECT s.stream_id FROM l4_stream s WHERE s.job_id = 'failed')),
		(SELECT sum(length(md5(k.sketch))) FROM l4_parameter_sketch k WHERE k.job_id = 'failed')"
	seconds "$query" "$query" | tail -n 1
}

describe_job() {
	run_psql <<-'SQL'
		\pset footer off
		\echo
		SELECT pg_size_pretty(sum(s.byte_count)) AS logs, sum(s.record_count) AS records, count(*) AS streams,
			(SELECT count(*) FROM l4_stream_event e JOIN l4_stream t USING (stream_id) WHERE t.job_id = 'failed') AS counts,
			(SELECT count(DISTINCT e.shape_id) FROM l4_stream_event e JOIN l4_stream t USING (stream_id)
				WHERE t.job_id = 'failed') AS shapes,
			(SELECT count(*) FROM l4_unexplained('failed')) AS unexplained
		FROM l4_stream s WHERE s.job_id = 'failed';
	SQL
}

# The seconds with the library as it is: match, asked, all.
time_library() {
	local news="CREATE TEMP TABLE filtered AS SELECT array_agg(u) AS news FROM l4_unexplained('failed') u"
	seconds "SELECT count(*) FROM filtered f, l4_match_faults('failed', f.news)" "$news"
	seconds "SELECT count(*) FROM filtered f, l4_asked_records('failed', true, f.news, l4_limits_in_force(),
		l4_wordings_in_force())" "$news"
	seconds "SELECT count(*) FROM l4_match_faults('failed')"
}

main_patterns() {
	local rows match asked all elapsed summaries slow=
	create_tools
	load_generated
	describe_job
	read -r summaries _ < <(read_summaries)
	echo "known: $(run_psql -At -F ' on ' -c "SELECT fault_key, node FROM l4_match_faults('failed') LIMIT 1")"
	echo "seconds of the processor; a plain read of the summaries takes $summaries"
	printf '%8s %8s %8s %8s %10s %12s\n' faults match asked all elapsed all/reading
	for rows in ${ROWS:-0 1000 3000}; do
		add_faults "$rows"
		read -r match _ asked _ all elapsed < <(time_library | paste -sd ' ')
		printf '%8d %8.2f %8.2f %8.2f %10.2f %12.1f\n' "$(run_psql -At -c 'SELECT count(*) FROM l4_fault_library')" \
			"$match" "$asked" "$all" "$elapsed" "$(awk -v a="$all" -v b="$summaries" 'BEGIN { print a / (b > 0 ? b : 0.001) }')"
		awk -v a="$all" 'BEGIN { exit a > 10 }' || slow=yes
	done
	[ -z "$slow" ] || { echo "l4: more than 10 s" >&2; exit 1; }
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
	main_patterns
fi
