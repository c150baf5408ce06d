#!/bin/bash
# findings.sh DATA: every row that l4_diagnose gives for the jobs of DATA (as for accuracy.sh), to tell whether a change of the
# code changes an answer.
#
# The jobs are diagnosed as they lie, without a pool, and with a pool of one job. Prints a line for each variant with the number
# of jobs and rows and a digest of them all. Options, as environment variables:
#   OUT=file        keeps the rows, one a line as JSON, for a later run to be compared with; the server's user must be able to
#                   write it
#   REFERENCE=file  compares with the rows of such a run: prints how many rows are the same, and the first rows that differ;
#                   fails if any does. Only what both sides have is compared of a row: columns that are new are named, not
#                   counted as a difference.
#   VARIANTS="a b"  only these of: pool, none (no pool), one (a pool of one job)
set -euo pipefail
. "$(dirname "$0")/accuracy.sh"

# Diagnoses all jobs of the current database that are labelled (with "use_pool" $2) and adds their rows as variant $1.
diagnose_jobs() {
	run_psql -At -v variant="$1" -v pool="$2" >> "$work/rows" <<-'SQL'
		SET jit = off;
		SET client_min_messages = warning;
		SELECT jsonb_build_object('variant', :'variant', 'job', b.job ->> 'job_id', 'row', to_jsonb(d))
		FROM bench_job b CROSS JOIN LATERAL l4_diagnose(b.job ->> 'job_id', :'pool') d
		WHERE b.job ->> 'job_id' IN (SELECT job_id FROM l4_stream)
		ORDER BY b.job ->> 'job_id' COLLATE "C", d.ordinal, d.kind COLLATE "C";
	SQL
}

wanted() { case " ${VARIANTS:-pool none one} " in *" $1 "*) ;; *) return 1 ;; esac; }

collect_rows() {
	local home=${PGDATABASE:-postgres}
	: > "$work/rows"
	if wanted pool || wanted none; then
		jobs_of all > "$work/list"
		create_group "${home}_work"
		! wanted pool || diagnose_jobs pool true
		! wanted none || diagnose_jobs none false
		export PGDATABASE=$home
	fi
	if wanted one; then
		POOL=1
		jobs_of all > "$work/list"
		create_group "${home}_work"
		diagnose_jobs one true
		export PGDATABASE=$home
	fi
	run_psql -c "DROP DATABASE IF EXISTS \"${home}_work\""
}

# Holds the rows against those of $REFERENCE, column by column as far as both have it.
compare_rows() {
	run_psql -c 'CREATE TABLE bench_row (side text, found jsonb)' \
		-c "COPY bench_row (found) FROM STDIN (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')" < "$work/rows"
	run_psql -c "UPDATE bench_row SET side = 'now'" \
		-c "COPY bench_row (found) FROM STDIN (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')" < "$REFERENCE"
	run_psql -c "UPDATE bench_row SET side = 'before' WHERE side IS NULL"
	run_psql -f "$here/findings.sql"
}

main_findings() {
	read_jobs "$1"
	collect_rows
	run_psql -At -c "CREATE TABLE bench_line (found jsonb)" \
		-c "COPY bench_line FROM STDIN (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')" < "$work/rows"
	run_psql -c "SELECT found ->> 'variant' AS variant, count(DISTINCT found ->> 'job') AS jobs, count(*) AS rows,
		md5(string_agg(found::text, E'\n' ORDER BY found::text COLLATE \"C\")) AS digest
		FROM bench_line GROUP BY 1 ORDER BY 1"
	[ -z "${OUT:-}" ] || cp "$work/rows" "$OUT"
	[ -z "${REFERENCE:-}" ] || compare_rows
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
	main_findings "${1:?usage: make bench-findings DATA=folder with labelled jobs}"
fi
