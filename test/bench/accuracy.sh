#!/bin/bash
# accuracy.sh DATA: how well l4_diagnose finds what was injected into labelled jobs, beside simple rankers and the plain method of the paper.
#
# DATA holds, at any depth, folders with job.json (labels) and <job_id>.tar.gz (the logs). Successful jobs are loaded first. The definitions of the
# figures are in accuracy.sql. NO_POOL=1 loads only the failed jobs.
set -euo pipefail
data=${1:?usage: make bench-accuracy DATA=folder with labelled jobs}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

psql -Xq -v ON_ERROR_STOP=1 -c "CREATE TABLE bench_job (folder text, job jsonb)"
find "$data" -name job.json | LC_ALL=C sort | while read -r file; do
	folder=$(dirname "$file")
	tr -d '\n' < "$file" | sed 's/\\/\\\\/g; s/\t/ /g' > "$work/job"
	printf '%s\t%s\n' "$folder" "$(cat "$work/job")"
done > "$work/jobs.tsv"
psql -Xq -v ON_ERROR_STOP=1 -c "\\copy bench_job from '$work/jobs.tsv'"
filter="true"
[ -z "${NO_POOL:-}" ] || filter="job ->> 'status' <> 'success'"

psql -XqAt -F $'\t' -v ON_ERROR_STOP=1 -c "
	SELECT job ->> 'job_id', folder FROM bench_job WHERE $filter ORDER BY job ->> 'status' <> 'success', job ->> 'job_id' COLLATE \"C\"" |
while IFS=$'\t' read -r job folder; do
	mkdir -p "$work/logs/$job"
	tar -xzf "$folder/$job.tar.gz" -C "$work/logs/$job"
	chmod -R a+rX "$work/logs/$job"
	logs=$work/logs/$job
	[ -d "$logs/$job" ] && logs=$logs/$job
	psql -Xq -v ON_ERROR_STOP=1 -v job="$job" -v logs="$logs" <<-'SQL'
		SET client_min_messages = warning;
		SELECT l4_register_job(job ->> 'job_id', job -> 'settings', CASE job ->> 'status' WHEN 'success' THEN 'succeeded' ELSE 'failed' END,
			ARRAY(SELECT jsonb_array_elements_text(job -> 'nodes')), (job -> 'settings' ->> 'ranks_per_node')::int)
		FROM bench_job WHERE job ->> 'job_id' = :'job' \g /dev/null
		CALL l4_import(:'job', :'logs');
	SQL
done
psql -Xq -v ON_ERROR_STOP=1 -c 'ANALYZE' -f "$here/accuracy.sql"
