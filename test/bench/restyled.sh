#!/bin/bash
# restyled.sh DATA...: how much of a verdict hangs on forms. The labelled jobs of the folders (as for accuracy.sh; never those
# of a folder named validation*) are diagnosed as they are, and as other software would have logged them: with other headers,
# names of hosts, and places where the rank stands, the messages untouched (restyle.py, restyle_headers.py).
#
# Each family gets a style of each kind by lot. The styles are in two halves: with those of the first what is lost may be read
# and mended, of those of the second only the figures. Printed for each half: the figures beside those of the same jobs as they
# are, in total and for each style; and of the first half the jobs that lose. Options, as environment variables:
#   SEED=n        another lot of styles for the families (1)
#   HALF=1        only the first half
#   STYLES="a b"  only these styles; all else stays as it is. "identity": nothing changes, and no figure may
#   SHOW="a b"    also prints the first rows of l4_diagnose for jobs a and b, as they are and restyled
#   KEEP=folder   leaves the restyled logs, and what restyle.py was given, there
set -euo pipefail
. "$(dirname "$0")/accuracy.sh"

# Loads the jobs of bench_job into a database of their own and keeps what l4_evaluate says as run $1.
evaluate_run() {
	local run=$1
	jobs_of all > "$work/list"
	create_group "${home}_work"
	run_psql -v copy="$work" -v run="$run" -f "$here/restyled_run.sql" -c "\\copy bench_run to '$work/run'" \
		-c "\\copy bench_hit to '$work/hit'"
	show_jobs > "$work/shown"
	[ ! -s "$work/shown" ] || { echo "Run $run:"; cat "$work/shown"; }
	[ "$run" != plain ] || run_psql -v records="$work/records" -v formats="$work/formats" -f "$here/restyled.sql"
	export PGDATABASE=$home
	run_psql -c "\\copy bench_run from '$work/run'" -c "\\copy bench_hit from '$work/hit'" -c "DROP DATABASE \"${home}_work\""
}

restyle() {
	local half=$1
	rm -rf "$work/logs"
	LC_ALL=C.UTF-8 python3 "$here/restyle.py" "$work/records" "$work/formats" "$work/plain.tsv" "$work" "$half" "${SEED:-1}" \
		${STYLES:-}
	if [ -n "${KEEP:-}" ]; then
		rm -rf "$KEEP/$half"
		mkdir -p "$KEEP/$half"
		cp -r "$work/logs" "$work"/*.tsv "$work/records" "$work/formats" "$KEEP/$half"
	fi
	run_psql -c 'TRUNCATE bench_job' -c "\\copy bench_job from '$work/jobs.tsv'" \
		-c "\\copy bench_style (job_id, family, header, system_header, host, place) from '$work/styles.tsv'" \
		-c "UPDATE bench_style SET run = $half WHERE run IS NULL"
}

main_restyled() {
	local half home=${PGDATABASE:-postgres} folders
	unset MODE NO_POOL POOL
	mapfile -t folders < <(find "$@" -name 'validation*' -prune -o -name job.json -printf '%h\n' | LC_ALL=C sort)
	read_jobs "${folders[@]}"
	cp "$work/jobs.tsv" "$work/plain.tsv"
	run_psql -c "CREATE TABLE bench_run (run text, e l4_evaluation)" \
		-c "CREATE TABLE bench_hit (run text, job_id text, label_no int, lines bigint)" \
		-c "CREATE TABLE bench_style (run text, job_id text, family text, header text, system_header text, host text,
			place text)"
	evaluate_run plain
	for half in $([ -n "${STYLES:-}" ] && echo 0 || echo "${HALF:-1 2}"); do
		restyle "$half"
		evaluate_run "$half"
	done
	run_psql -f "$here/restyled_show.sql"
}

main_restyled "${@:?usage: make bench-restyled DATA=folder with labelled jobs}"
