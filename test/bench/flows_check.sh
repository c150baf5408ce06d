# flows_check.sh: the scoring of flows.sh itself. Functions that say the truth must have full marks; such that say a part of it
# wrongly must not. To be sourced.

# Prints and returns what is wrong with the row of scores of a scenario and method, where a condition does not hold.
expect() {
	local wrong
	wrong=$(run -v scenario="$1" -v method="$2" <<-SQL
		SELECT 'FAIL: not so: ' || c.text
		FROM (SELECT * FROM bench.score_of WHERE scenario = :'scenario' AND method = :'method') s
		CROSS JOIN LATERAL (VALUES $3) c(text, holds)
		WHERE c.holds IS NOT TRUE;
	SQL
	)
	[ -z "$wrong" ] || { echo "$wrong"; missed=1; }
}

check_scoring() {
	local name missed=0
	run -f "$here/flows_check.sql"
	run -c 'SELECT bench.head()'
	for name in small clean8 experts pauses slow_accelerator slow_nic slow_spine dead timeouts other4 other5; do
		generate "$name"
		load false
		measure "$name" truth 'SELECT bench.measure()' 'SET search_path = truth_said, public'
		expect "$name" truth "('jobs', jobs = 1), ('pairs before', pairs_before = 1), ('pairs', pairs = 1),
			('data', data_degree = 1), ('pipeline', pipeline_degree = 1), ('order', stage_order = 1), ('steps', steps = 1),
			('extra', extra_steps = 0),
			('begin', begin_error < 1e-3), ('end', end_error < 1e-3), ('found', found = faults), ('wrong', wrong = 0)"
		measure "$name" wrong 'SELECT bench.measure()' "SET search_path = truth_said, public; SET bench.damage = '10'"
		expect "$name" wrong "('jobs', jobs < 1), ('pairs before', pairs_before < 0.99), ('pairs', pairs BETWEEN 0.8 AND 0.99),
			('data', data_degree < 1), ('pipeline', pipeline_degree < 1), ('order', stage_order IS NULL OR stage_order < 1),
			('steps', steps BETWEEN 0.8 AND 0.99), ('extra', extra_steps > 1), ('begin', begin_error BETWEEN 0.5 AND 1.5),
			('end', end_error BETWEEN 0.5 AND 1.5), ('found', faults = 0 OR found < faults), ('wrong', wrong = 3)"
	done
	[ "$missed" = 0 ] && echo 'the scoring is right' || exit 1
}
