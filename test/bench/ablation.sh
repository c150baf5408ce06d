#!/bin/bash
# ablation.sh DATA: what each kind of evidence is worth, and how the diagnosis bears poor conditions. DATA as for accuracy.sh.
#
#   1. each kind of evidence against nodes switched off in turn (that kind weighing 0), then each alone (all others 0)
#   2. each reason of being unexplained beyond new statements switched off in turn (that limit out of reach)
#   3. the pool: of 5, 4, 3, 2, 1 and 0 successful jobs a family (the first by id), and of other families only (a failed job
#      gets the settings of the next family's jobs). Successful jobs are taken out by their status; the events stay those of the
#      clustering over all jobs.
#   4. silent failures by a cut network or power: the jobs whose fault is so named (CUT, a regular expression)
#   5. 30 % of the nodes failing at once: copies of the jobs whose process or node was killed (KILLED, a regular expression on
#      the fault, of 6 nodes or more) in which the content of the faulty node's logs, from the first record to the last, stands
#      in place of that of other nodes until 30 % are like it. All else stays: other nodes and controllers speak of the one node
#      alone, and copied lines of the name of the node they come from.
#
# Nodes only are of interest in 1 and 5, events in 2. JOBS="a b" leaves all other failed jobs out.
set -euo pipefail
. "$(dirname "$0")/accuracy.sh"

# Evaluates all labelled jobs and keeps the rows as variant $1. $2: true or false, with the pool or without.
evaluate() {
	run_psql -v variant="$1" -v pool="${2:-true}" <<-'SQL'
		SET jit = off;
		INSERT INTO bench_variant SELECT (SELECT count(DISTINCT variant) FROM bench_variant), :'variant', e.*
		FROM l4_evaluate(methods => '{l4}', use_pool => :'pool') e;
	SQL
}

# Sets limit $1 to $2, by a row of the site's own.
set_limit() {
	run_psql -v name="$1" -v value="$2" <<-'SQL'
		INSERT INTO l4_limit (name, value) VALUES (:'name', :'value') ON CONFLICT (name, builtin) DO UPDATE SET value
			= excluded.value;
	SQL
}

reset_limits() { run_psql -c 'DELETE FROM l4_limit WHERE NOT builtin'; }

# The weights of the kinds of evidence, one a line.
weights() {
	run_psql -At -c "SELECT name FROM l4_limit WHERE builtin AND name ~ '^weight_' AND name !~ '^weight_needed'
		ORDER BY name COLLATE \"C\""
}

drop_evidence() {
	local kind other
	for kind in $(weights); do
		set_limit "$kind" 0
		evaluate "1 without evidence: ${kind#weight_}"
		reset_limits
	done
	# whatever there is of one kind is enough to name a node
	for kind in $(weights); do
		for other in $(weights); do
			[ "$other" = "$kind" ] || set_limit "$other" 0
		done
		set_limit weight_needed 0.01
		evaluate "1 nothing but: ${kind#weight_}"
		reset_limits
	done
}

drop_reasons() {
	local limit reason
	while read -r limit reason; do
		set_limit "$limit" 1e15
		evaluate "2 without news: $reason"
		reset_limits
	done <<-'END'
		unexplained_value_occurrences new value
		unexplained_range_occurrences range
		unexplained_burst_records storm
	END
}

# Leaves the first $1 successful jobs of each family in the pools.
shrink_pool() {
	run_psql <<-SQL
		SELECT l4_register_job(job_id, status => CASE WHEN turn <= $1 THEN 'succeeded' ELSE 'unknown' END)
		FROM (SELECT job ->> 'job_id' AS job_id,
			row_number() OVER (PARTITION BY family ORDER BY job ->> 'job_id' COLLATE "C") AS turn
			FROM bench_job WHERE job ->> 'status' = 'success') h
		WHERE EXISTS (SELECT FROM l4_job j WHERE j.job_id = h.job_id AND j.status IN ('succeeded', 'unknown')) \\g /dev/null
	SQL
}

shrink_pools() {
	local size
	for size in 5 4 3 2 1; do
		shrink_pool $size
		evaluate "3 pool of $size"
	done
	shrink_pool 1000
	evaluate '3 pool of 0' false
}

# Family by family: its own successful jobs are taken out, and its failed jobs given the settings of the next family's jobs; and
# back.
other_pool() {
	local family
	[ "$(run_psql -At -c "SELECT count(DISTINCT settings) > 1 FROM l4_pool")" = t ] || return 0
	run_psql -At -c "SELECT family FROM bench_job WHERE job ->> 'status' <> 'success' GROUP BY family
		ORDER BY family COLLATE \"C\"" > "$work/families"
	while read -r family; do
		run_psql -v family="$family" <<-'SQL'
			SET jit = off;
			CREATE TEMP TABLE own AS
				SELECT job ->> 'job_id' AS job_id, job FROM bench_job b JOIN l4_job j ON j.job_id = job ->> 'job_id'
				WHERE family = :'family';
			CREATE TEMP TABLE other AS
				SELECT j.settings FROM bench_job b JOIN l4_job j ON j.job_id = job ->> 'job_id' WHERE j.status = 'succeeded'
					AND family <> :'family'
				ORDER BY family COLLATE "C" < :'family' COLLATE "C", family COLLATE "C", j.job_id COLLATE "C" LIMIT 1;
			SELECT l4_register_job(job_id, status => 'unknown') FROM own WHERE job ->> 'status' = 'success' \g /dev/null
			SELECT l4_register_job(job_id, settings => o.settings)
			FROM own, other o WHERE job ->> 'status' <> 'success' \g /dev/null
			INSERT INTO bench_variant SELECT (SELECT count(DISTINCT variant) FROM bench_variant
				WHERE variant <> '3 pool of another family'), '3 pool of another family', e.*
			FROM l4_evaluate(ARRAY(SELECT DISTINCT job_id FROM own JOIN l4_label USING (job_id)), '{l4}') e;
			SELECT l4_register_job(job_id, settings => job -> 'settings')
			FROM own WHERE job ->> 'status' <> 'success' \g /dev/null
			SELECT l4_register_job(job_id, status => 'succeeded') FROM own WHERE job ->> 'status' = 'success' \g /dev/null
		SQL
	done < "$work/families"
}

main_ablation() {
	local home=${PGDATABASE:-postgres}
	read_jobs "$1"
	unset MODE NO_POOL POOL
	jobs_of all > "$work/list"
	create_group "${home}_work" all
	[ -z "${JOBS:-}" ] || run_psql -v jobs="$JOBS" <<-'SQL'
		DELETE FROM l4_label WHERE job_id <> ALL (string_to_array(:'jobs', ' '));
	SQL
	run_psql -c "CREATE TABLE bench_variant (turn int, variant text, LIKE l4_evaluation)"
	evaluate 'all evidence'
	drop_evidence
	drop_reasons
	shrink_pools
	other_pool
	run_psql -v cut="${CUT:-(link|power|network)}" -v killed="${KILLED:-(kill|power)}" -f "$here/ablation.sql"
	export PGDATABASE=$home
	run_psql -c "DROP DATABASE \"${home}_work\""
}

main_ablation "${1:?usage: make bench-ablation DATA=folder with labelled jobs}"
