#!/bin/bash
# flows.sh [SCENARIO..]: how good l4_flow_jobs, l4_flow_pairs, l4_flow_groups, l4_flow_steps and l4_flow_diagnose are on
# simulated windows, against the exact truth (test/generate/flows), and the plain method of the paper (flows_paper.sql) beside.
#
# SCENARIO   names of flows --list; healthy stands for healthy1 to healthy$HEALTHY; other1 to other19 are of a second simulator
#            (flows_other.py), written apart from the first and from what is measured: nothing is tuned on them but on
#            other4, other6, other10, other12 and other14 to other19, which showed what has been mended. third1 to third10
#            (third: all of them) are of a third one (flows_third.py), fourth1 to fourth12 (fourth) of one more
#            (flows_fourth.py), fifth1 to fifth10 (fifth) of one of chunks that queue at ports (flows_fifth.py), sixth1 to
#            sixth10 (sixth) of one of recurrences of times (flows_sixth.py), seventh1 to seventh10 (seventh) of one of
#            programs that wait for signals (flows_seventh.py), eighth1 to eighth10 (eighth) of a graph of data flow
#            (flows_eighth.py), ninth1 to ninth10 (ninth) of queues of commands (flows_ninth.py), tenth1 to tenth12 (tenth) of
#            rates that are fair (flows_tenth.py), eleventh1 to eleventh12 (eleventh) of ways that collide
#            (flows_eleventh.py), and twelfth1 to twelfth12 (twelfth) of cells that live (flows_twelfth.py). Of the tenth to
#            the twelfth the odd ones may be read and the even ones are blind: no rule may be looked at with them. big (ten
#            million flows) comes only where it is named.
#            check: the scoring itself, with the truth as what is said, which must be right, and with a damaged truth, which
#            must not. Default: all but big and check.
# SCENARIOS  the same in the environment, for make bench-flows SCENARIOS="small slow_link".
# SEED       of the simulator (default 7); of the others only where OTHER_SEED is given. HEALTHY: how many healthy windows
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
. "$here/flows_window.sh"

all_scenarios() {
	local number
	echo small clean8 lossy noise disordered merged bad fsdp hybrid experts contexts interleaved tree hierarchical \
		zero_bubble norm pauses comings shared_servers multi_tenant64 slow_accelerator slow_sharded slow_link slow_nic \
		slow_switch slow_spine stalled dead timeouts healthy
	for number in $(seq 19); do
		echo "other$number"
	done
	echo third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
}

# The names, with healthy spelt out, one a line.
spell() {
	local name
	for name in "$@"; do
		case $name in
			healthy) seq -f 'healthy%.0f' "${HEALTHY:-5}" ;;
			third) seq -f 'third%.0f' 10 ;;
			fourth) seq -f 'fourth%.0f' 12 ;;
			fifth) seq -f 'fifth%.0f' 10 ;;
			sixth) seq -f 'sixth%.0f' 10 ;;
			seventh) seq -f 'seventh%.0f' 10 ;;
			eighth) seq -f 'eighth%.0f' 10 ;;
			ninth) seq -f 'ninth%.0f' 10 ;;
			tenth) seq -f 'tenth%.0f' 12 ;;
			eleventh) seq -f 'eleventh%.0f' 12 ;;
			twelfth) seq -f 'twelfth%.0f' 12 ;;
			*) echo "$name" ;;
		esac
	done
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
	local name
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
		measure_all "$name"
	done
	run -c 'SELECT bench.summary()'
}

main_flows "$@"
