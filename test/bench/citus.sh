#!/bin/bash
# citus.sh: what l4 costs on a cluster of three servers with Citus, beside one server: imports, whose CPU they take, diagnosis.
#
# JOBS       jobs of MEGABYTES each (default 20 of 12), imported by a call on a worker, the two in turn
# LARGE      megabytes of one more job (default 120; 0: none)
#
# The logs are written by test/generate: 8 nodes of 4 ranks, one of which fails. Each job is imported into a database of one
# server and into the cluster, one after the other, each by a session of its own, and diagnosed likewise on the coordinator: so
# what else the machine does falls on both. CPU is user and system time of all processes of a server, from /proc, with those
# that ended; "one server" is the coordinator's, in a database that is not distributed. Bars: of the cluster's CPU while jobs
# are imported at most 10 % on the coordinator; import at most 1.15 of one server's CPU, diagnosis at most 1.3.
# Without Citus (or $L4_CITUS) it says so and ends.
set -euo pipefail

. test/citus.sh
if ! citus_source; then
	echo "skipped: Citus is not installed beside $("$L4_PG_CONFIG" --version), nor is there one in \$L4_CITUS"
	exit
fi
jobs=${JOBS:-20}
work=$(mktemp -d "$L4_WORK/citus.XXXXXX")
chmod 755 "$work"
trap 'citus_stop; rm -rf "$work"' EXIT
citus_link
export PGPORT=$((PGPORT + 10)) PGDATABASE=postgres
CITUS_SETTINGS=(fsync=off shared_buffers=256MB max_wal_size=8GB max_connections=100 max_worker_processes=40)
citus_start
citus_empty_database 0 one
citus_ask 0 one 'CREATE EXTENSION l4'
citus_database spread > /dev/null
citus_ask 0 spread 'SELECT l4_distribute(8)' > /dev/null

make -s -C test/generate 2> /dev/null
generate() {
	test/generate/generate --out "$work/$1" --nodes 8 --ranks-per-node 4 --bytes "$2" --seed "$3" --fault xid79 --fault-node 4 \
		> /dev/null
}

# CPU of a server so far, in ticks. Argument: its number.
ticks() {
	local postmaster
	postmaster=$(head -n 1 "$L4_WORK/node$1/data/postmaster.pid")
	for process in "$postmaster" $(pgrep -P "$postmaster"); do
		cut -d')' -f2- "/proc/$process/stat" 2> /dev/null || true
	done | awk '{ t += $12 + $13 + $14 + $15 } END { print t + 0 }'
}

# Runs a statement on a node of a database and writes what it cost into $work/figures: kind, job, database, ticks of each server
# and wall time. Arguments: kind, job, node, database, statement.
measure() {
	local before after node wall
	before=$(for node in 0 1 2; do ticks "$node"; done)
	wall=$EPOCHREALTIME
	citus_ask "$3" "$4" "$5" > /dev/null
	wall=$(awk -v a="$wall" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
	# a session that ends while it is read would be counted neither as one that runs nor as one that ended
	sleep 0.2
	after=$(for node in 0 1 2; do ticks "$node"; done)
	paste -d' ' <(echo "$before") <(echo "$after") |
		awk -v head="$1 $2 $4" -v wall="$wall" '{ line = line " " $2 - $1 } END { print head line, wall }' >> "$work/figures"
}

# One job, on one server and on the cluster. Arguments: job, kind of its import, its number.
both() {
	local database
	for database in one spread; do
		citus_ask 0 "$database" "SELECT l4_register_job('$1', '{\"framework\": \"generated\"}', 'failed',
			ranks_per_node => 4)" > /dev/null
	done
	measure "$2" "$1" 0 one "CALL l4_import('$1', '$work/$1')"
	measure "$2" "$1" $((1 + $3 % 2)) spread "CALL l4_import('$1', '$work/$1')"
	for database in one spread; do
		measure "diagnose_$2" "$1" 0 "$database" "SELECT count(*) FROM l4_diagnose('$1')"
	done
}

for number in $(seq "$jobs"); do
	generate "job-$number" "${MEGABYTES:-12}M" "$number"
	both "job-$number" import "$number"
	rm -rf "$work/job-$number"
done
if [ "${LARGE:-120}" != 0 ]; then
	generate large "${LARGE:-120}M" 1
	both large import_large 1
fi

awk -v jobs="$jobs" -v size="${MEGABYTES:-12}" -v large="${LARGE:-120}" -v hz="$(getconf CLK_TCK)" '
	{ cpu[$1, $3] += $4 + $5 + $6; coordinator[$1, $3] += $4; wall[$1, $3] += $7 }
	function show(what, kind, bar) {
		if (!((kind, "one") in cpu)) return
		printf "%s: one server %.2f s CPU %.1f s wall, cluster %.2f s CPU %.1f s wall; CPU of cluster / one %.2f (bar %s)\n",
			what, cpu[kind, "one"] / hz, wall[kind, "one"], cpu[kind, "spread"] / hz, wall[kind, "spread"],
			cpu[kind, "spread"] / cpu[kind, "one"], bar
	}
	END {
		show("import of " jobs " jobs of " size " MB", "import", "1.15")
		printf "of the CPU of these imports on the coordinator: %.1f %% (bar 10)\n",
			100 * coordinator["import", "spread"] / cpu["import", "spread"]
		show("their diagnosis", "diagnose_import", "1.3")
		show("import of a job of " large " MB", "import_large", "1.15")
		show("its diagnosis", "diagnose_import_large", "1.3")
	}' "$work/figures"
