#!/bin/bash
# formats.sh: how well l4 reads stage and iteration out of logs of many training programs (test/data/formats_survey), in two
# halves: the first may be looked at when rules are made, of the second only these figures.
#
# For each half: the share of labelled lines whose stage (iteration) is right in l4_log; and of jobs that stopped at labelled
# places, where all ranks just end (plain) or one fails (fails), the share in which the stage (an iteration within 1) of the
# diagnosis is right. Options, as environment variables:
#   HALF=1        only the first half
#   MISSES=1      also prints what is wrong in the first half
set -euo pipefail

run_psql() { psql -Xq -v ON_ERROR_STOP=1 "$@"; }

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
perl "$here/../data/formats_survey/expand.pl" "$work" "${HALF:-}" > "$work/rows"
chmod -R a+rX "$work"
run_psql -c 'SET client_min_messages = warning' -c 'CREATE EXTENSION IF NOT EXISTS l4' \
	-c 'CREATE TABLE survey_row (kind text, half int, format text, job_id text, line_no bigint, stages text[],
		iterations bigint[])' \
	-c "\\copy survey_row from '$work/rows'"
for job in "$work"/jobs/*; do
	name=${job##*/}
	echo "SELECT l4_register_job('$name', '{}', 'failed', '{node-0,node-1}', 1) \\g /dev/null"
	echo "CALL l4_import('$name', '$job');"
done > "$work/load.sql"
run_psql -c 'SET client_min_messages = warning' -f "$work/load.sql"
run_psql -v misses="${MISSES:-0}" -f "$here/formats.sql"
