#!/bin/bash
# flows.sh [SCENARIO..]: how good l4_flow_jobs, l4_flow_pairs, l4_flow_groups, l4_flow_steps and l4_flow_diagnose are on
# simulated windows, against the exact truth (test/generate/flows), and the plain method of the paper (flows_paper.sql) beside.
#
# SCENARIO   names of flows --list; healthy stands for healthy1 to healthy$HEALTHY; other1 to other14 are of a second simulator
#            (flows_other.py), written apart from the first and from what is measured: nothing is tuned on them but on
#            other4, other6, other10, other12 and other14, which showed what has been mended. big (ten million flows) comes only
#            where it is named. check: the scoring itself, with the truth as what is said, which must be right, and with a
#            damaged truth, which must not. Default: all but big and check.
# SCENARIOS  the same in the environment, for make bench-flows SCENARIOS="small slow_link".
# SEED       of the simulator (default 7); of the second one only where OTHER_SEED is given. HEALTHY: how many healthy windows
#            (default 5).
# METHODS    what is measured (default "ours paper").
# SECONDS_EACH   a method that takes longer for a window is skipped (default 480).
# SHOW=1     prints each wrong finding, and each fault that is not found, below the line.
# KEEP       a folder where the windows of the simulators stay, to look at.
#
# One line a window and method: adjusted Rand index of jobs (1: exact), share of pairs of the right kind before and after the
# refinement, share of jobs whose data-parallel and pipeline degrees, and order of stages, are right, share of whole steps that
# are found, steps said that are none (%), mean error of their begin and end (% of the step), faults found of all, wrong
# findings, CPU of l4_flow_diagnose (paper: of all of it), the ratio of that to ordering the same flows (SELECT count(*),
# sum(bytes) of all, ORDER BY source, started_at) and its memory. How each is scored: flows.sql. "-": not measured; what is said
# behind it tells why. The paper's method names steps, groups and switches, but no accelerator or link: those it cannot find.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
generator=$here/../generate/flows
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seed=${SEED:-7}

run() { psql -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }

all_scenarios() {
	local number
	echo small clean8 lossy noise disordered merged bad fsdp experts contexts interleaved tree hierarchical zero_bubble norm \
		pauses comings shared_servers multi_tenant64 slow_accelerator slow_link slow_nic slow_switch slow_spine stalled dead \
		timeouts healthy
	for number in $(seq 14); do
		echo "other$number"
	done
}

# The names, with healthy spelt out, one a line.
spell() {
	local name
	for name in "$@"; do
		case $name in
			healthy) seq -f 'healthy%.0f' "${HEALTHY:-5}" ;;
			*) echo "$name" ;;
		esac
	done
}

generate() {
	rm -rf "$work/window"
	case $1 in
		other*) python3 "$here/flows_other.py" "$1" "$work/window" ${OTHER_SEED:-} ;;
		*) "$generator/flows" --out "$work/window" --scenario "$1" --seed "$seed" ;;
	esac > "$work/said" 2>&1 || { cat "$work/said" >&2; return 1; }
	if [ -n "${KEEP:-}" ]; then
		mkdir -p "$KEEP/$1"
		cp "$work"/window/* "$KEEP/$1"
	fi
}

# Statements that fill a table from a file of the window.
copying() {
	echo "TRUNCATE $1;"
	echo "\\copy $1 ($(head -n 1 "$2")) FROM '$2' (FORMAT csv, HEADER)"
}

# Argument: whether the windows' bounds are left to the functions.
load() {
	local table
	{
		copying l4_flow "$work/window/flows.csv"
		copying l4_accelerator "$work/window/accelerators.csv"
		for table in jobs pairs steps pauses faults; do
			copying "bench.truth_$table" "$work/window/truth_$table.csv"
		done
		echo "SELECT bench.loaded($1);"
	} | run > /dev/null
	rm -rf "$work/window"
}

# Arguments: scenario, method, statement that fills the tables of what is found, what comes before it.
measure() {
	local failed=
	if ! run -c "${4:-SELECT}" -c "SET statement_timeout = '${SECONDS_EACH:-480}s'" -c "$3" > "$work/said" 2>&1; then
		failed=$(grep -m 1 ERROR "$work/said" || head -n 1 "$work/said")
		case $failed in
			*'statement timeout'*) failed="skipped: more than ${SECONDS_EACH:-480} s" ;;
		esac
		run -v remark="$failed" <<-'SQL' > /dev/null
			SELECT bench.clear();
			INSERT INTO bench.spent (remark) VALUES (:'remark');
		SQL
	fi
	run -v scenario="$1" -v method="$2" <<-'SQL'
		SELECT bench.score(:'scenario', :'method') \g /dev/null
		SELECT bench.line(:'scenario', :'method');
	SQL
	[ -z "${SHOW:-}" ] || run -c 'SELECT bench.what_is_wrong()'
}

# Until the extension has them: tables of the same shape.
create_tables() {
	run <<-'SQL'
		SELECT to_regclass('l4_flow') IS NULL AS missing \gset
		\if :missing
		CREATE TABLE l4_flow (started_at timestamptz NOT NULL, duration double precision NOT NULL,
			source text COLLATE "C" NOT NULL, destination text COLLATE "C" NOT NULL, bytes bigint NOT NULL, switches text[],
			packets bigint, retransmits bigint, queue_pair bigint, port int);
		CREATE TABLE l4_accelerator (address text COLLATE "C" PRIMARY KEY, server text NOT NULL, rail int, leaf text,
			tenant text);
		\endif
	SQL
}

main_flows() {
	local name method
	[ $# -gt 0 ] || set -- ${SCENARIOS:-$(all_scenarios)}
	make -s -C "$generator" flows
	create_tables
	run -f "$here/flows.sql" -f "$here/flows_paper.sql"
	if [ "$1" = check ]; then
		. "$here/flows_check.sh"
		check_scoring
		return
	fi
	run -c 'SELECT bench.head()'
	for name in $(spell "$@"); do
		generate "$name"
		# where clocks jumped, what time it is is a question, too
		load "$([ "$name" = bad ] && echo true || echo false)"
		for method in ${METHODS:-ours paper}; do
			case $method in
				ours) measure "$name" ours 'SELECT bench.measure()' ;;
				paper) measure "$name" paper 'SELECT bench.paper()' ;;
			esac
		done
	done
	run -c 'SELECT bench.summary()'
}

main_flows "$@"
