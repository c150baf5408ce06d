#!/bin/bash
# accuracy.sh DATA: how well l4_diagnose finds what was injected into labelled jobs, beside the paper's plain method and two
# simple rankers.
#
# DATA holds, at any depth, folders family/job with job.json (labels) and <job_id>.tar.gz (the logs). The figures are those of
# l4_evaluate. Options, as environment variables:
#   MODE=family   each family in a database of its own (else all jobs in one)
#   NO_POOL=1     only the failed jobs are loaded
#   POOL=k        only k successful jobs a family: those that job.json names for a pool of that size, else the first by id
#   POOL=near     only the successful jobs of near settings that job.json names
#   HALF=1        of the failed jobs a half by lot: the first digit of the SHA-256 of "0 " and the name is below 8
#   HALF=2        the other half
#   SHOW="a b"    also prints the first five rows of l4_diagnose for jobs a and b
# Needs the right to create databases. ablation.sh takes its functions from here.
set -euo pipefail

run_psql() { psql -Xq -v ON_ERROR_STOP=1 "$@"; }

# The table bench_job: a row for each job.json below the folders.
read_jobs() {
	local file folder
	find "$@" -name job.json | LC_ALL=C sort | while read -r file; do
		folder=$(dirname "$file")
		printf '%s\t%s\t' "$(basename "$(dirname "$folder")")" "$folder"
		tr -d '\n' < "$file" | sed 's/\\/\\\\/g; s/\t/ /g'
		echo
	done > "$work/jobs.tsv"
	[ -s "$work/jobs.tsv" ] || { echo "l4: no job.json below $*" >&2; exit 1; }
	create_job_table
}

create_job_table() {
	run_psql -c "CREATE TABLE bench_job (family text, folder text, job jsonb)" -c "\\copy bench_job from '$work/jobs.tsv'"
}

# The groups of jobs that share a database, one a line: families with failed jobs, or "all".
groups() {
	if [ "${MODE:-}" = family ]; then
		run_psql -At -c "SELECT family FROM bench_job WHERE job ->> 'status' <> 'success' GROUP BY family
			ORDER BY family COLLATE \"C\""
	else
		echo all
	fi
}

# The jobs of group $1 to be loaded, successful ones first: job_id, folder.
jobs_of() {
	run_psql -At -F $'\t' -v group="$1" -v pool="${NO_POOL:+0}${POOL:-}" -v half="${HALF:-}" <<-'SQL'
		WITH failed AS (
			SELECT * FROM bench_job WHERE job ->> 'status' <> 'success' AND :'group' IN ('all', family)
				AND (:'half' = '' OR (get_byte(sha256(convert_to('0 ' || (job ->> 'job_id'), 'UTF8')), 0) < 128)
					= (:'half' = '1'))
		), healthy AS (
			SELECT *, row_number() OVER (PARTITION BY family ORDER BY job ->> 'job_id' COLLATE "C") AS turn
			FROM bench_job WHERE job ->> 'status' = 'success'
		), pool AS (
			SELECT h.* FROM healthy h
			WHERE CASE
				WHEN :'pool' = '' THEN h.family IN (SELECT family FROM failed) OR :'group' = 'all'
				WHEN :'pool' = 'near' THEN EXISTS (SELECT FROM failed f
					WHERE f.job -> 'near_reference_jobs' ? (h.family || '/' || (h.job ->> 'job_id')))
				WHEN EXISTS (SELECT FROM failed f WHERE f.family = h.family AND f.job -> 'pools' ? :'pool')
					THEN EXISTS (SELECT FROM failed f WHERE f.family = h.family
						AND f.job -> 'pools' -> :'pool' ? (h.job ->> 'job_id'))
				ELSE h.family IN (SELECT family FROM failed) AND h.turn <= substring(:'pool', '^\d+$')::int
			END
		)
		SELECT j.job ->> 'job_id', j.folder
		FROM (SELECT family, folder, job FROM failed UNION ALL SELECT family, folder, job FROM pool) j
		WHERE :'pool' <> 'near' OR j.job ->> 'status' = 'success'
			OR coalesce(jsonb_array_length(j.job -> 'near_reference_jobs'), 0) > 0
		ORDER BY j.job ->> 'status' <> 'success', j.job ->> 'job_id' COLLATE "C"
	SQL
}

# Loads the jobs listed in file $1 into the current database.
load_jobs() {
	local job folder logs
	while IFS=$'\t' read -r job folder; do
		logs=$work/logs/$job
		if [ ! -d "$logs" ]; then
			mkdir -p "$logs"
			tar -xzf "$folder/$job.tar.gz" -C "$logs"
			chmod -R a+rX "$work/logs"
		fi
		[ ! -d "$logs/$job" ] || logs=$logs/$job
		cat <<-SQL
			SELECT l4_register_job(job ->> 'job_id', job -> 'settings', CASE job ->> 'status' WHEN 'success' THEN 'succeeded'
				ELSE 'failed' END,
				ARRAY(SELECT jsonb_array_elements_text(job -> 'nodes')), (job -> 'settings' ->> 'ranks_per_node')::int)
			FROM bench_job WHERE job ->> 'job_id' = '$job' \\g /dev/null
			CALL l4_import('$job', '$logs');
		SQL
	done < "$1" > "$work/load.sql"
	run_psql -c 'SET client_min_messages = warning' -f "$work/load.sql"
	run_psql -c 'ANALYZE' -f "$here/labels.sql"
}

# Makes database $1 with the jobs listed in $work/list and goes on in it.
create_group() {
	run_psql -c 'SET client_min_messages = warning' -c "DROP DATABASE IF EXISTS \"$1\"" \
		-c "CREATE DATABASE \"$1\" TEMPLATE template0"
	export PGDATABASE=$1
	run_psql -c 'CREATE EXTENSION l4'
	create_job_table
	load_jobs "$work/list"
}

# The first five rows of the diagnosis of each job of $SHOW that is here.
show_jobs() {
	local job
	for job in ${SHOW:-}; do
		run_psql -v job="$job" <<-'SQL'
			SELECT EXISTS (SELECT FROM l4_stream WHERE job_id = :'job') AS here,
				(SELECT job ->> 'fault' FROM bench_job WHERE job ->> 'job_id' = :'job') AS fault \gset
			\if :here
			\echo
			\echo :job (:fault):
			\pset tuples_only on
			\pset format unaligned
			SET jit = off;
			SELECT concat_ws(' ', d.kind, d.ordinal, coalesce(d.node, 'rank ' || d.rank), d.stage, 'iteration ' || d.iteration)
				|| ': ' || left(d.explanation, 240)
				|| coalesce(E'\n    ' || left(split_part(d.evidence, E'\n', 1), 200), '')
			FROM l4_diagnose(:'job') d LIMIT 5;
			\endif
		SQL
	done
}

# What else is to be measured in a group's database, and then shown; scenarios.sh has something.
measure_more() { :; }
show_more() { :; }

main_accuracy() {
	local group all home=${PGDATABASE:-postgres}
	read_jobs "$1"
	all=$(groups)
	run_psql -c "CREATE TABLE bench_evaluation OF l4_evaluation" \
		-c "CREATE TABLE bench_mistake (job_id text, what text, event_id bigint, quote text, explanation text)"
	for group in $all; do
		jobs_of "$group" > "$work/list"
		if [ -s "$work/list" ]; then
			create_group "${home}_work"
			run_psql -v copy="$work" -f "$here/evaluate.sql" -c "\\copy bench_evaluation to '$work/evaluation'" \
				-c "\\copy bench_mistake to '$work/mistake'"
			show_jobs >> "$work/shown"
			measure_more
			export PGDATABASE=$home
			run_psql -c "\\copy bench_evaluation from '$work/evaluation'" -c "\\copy bench_mistake from '$work/mistake'" \
				-c "DROP DATABASE \"${home}_work\""
		fi
	done
	run_psql -f "$here/accuracy.sql"
	show_more
	[ ! -s "$work/shown" ] || cat "$work/shown"
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
if [ "${BASH_SOURCE[0]}" = "$0" ]; then
	main_accuracy "${1:?usage: make bench-accuracy DATA=folder with labelled jobs}"
fi
