#!/bin/bash
# collection.sh: how well l4 reads the logs of one job as launchers, schedulers, platforms and collectors would have left them
# (test/data/collection_survey), in five halves: four may be looked at when rules are made, of the fifth only these figures.
#
# For each half: the share of lines whose node, rank, time, level and message are as the truth has them (mean over the
# layouts, so that none counts for more than another), of layouts in which nearly all are; and of the failed jobs those in which
# the faulty node is named first, or other ones are. Options, as environment variables:
#   HALF=n          only this half (1 to 5)
#   SEED=n          another job (1)
#   LAYOUTS="a b"   only these
#   MISSES=1        also prints the layouts of the first four halves in which something is wrong, with an example each
set -euo pipefail

run_psql() { psql -Xq -v ON_ERROR_STOP=1 "$@"; }

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
read -ra layouts <<< "${HALF:-} ${LAYOUTS:-}"
python3 "$here/../data/collection_survey/layouts.py" "$work" "${SEED:-1}" "${layouts[@]}"
chmod -R a+rX "$work"
run_psql -c 'SET client_min_messages = warning' -c 'CREATE EXTENSION IF NOT EXISTS l4' \
	-c 'CREATE TABLE survey_job (job_id text, layout text, half int, status text, nodes text, ranks_per_node int,
		faulty_node text)' \
	-c 'CREATE TABLE survey_line (job_id text, source text, line_no bigint, node text, rank text, ts text, level text,
		message text, position text)' \
	-c "\\copy survey_job from '$work/jobs.tsv' with (header)" -c "\\copy survey_line from '$work/truth.tsv' with (header)"
psql -XqAt -v work="$work" > "$work/load.sql" <<'END'
SELECT format(E'SELECT l4_register_job(%L, %L, %L, %L, %s, %L, %L) \\g /dev/null\nCALL l4_import(%L, %L);', j.job_id,
	jsonb_build_object('model', j.layout),
	CASE j.status WHEN 'failed' THEN 'failed' ELSE 'succeeded' END, string_to_array(j.nodes, ','), j.ranks_per_node, t.first,
	t.last, j.job_id, :'work' || '/jobs/' || j.job_id)
FROM survey_job j
CROSS JOIN LATERAL (SELECT min(l.ts::timestamptz) AS first, max(l.ts::timestamptz) AS last FROM survey_line l
	WHERE l.job_id = j.job_id AND l.ts NOT IN ('', '?')) t
ORDER BY j.job_id;
END
run_psql -c 'SET client_min_messages = warning' -f "$work/load.sql"
run_psql -v misses="${MISSES:-0}" -f "$here/collection.sql"
