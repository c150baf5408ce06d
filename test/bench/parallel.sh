#!/bin/bash
# parallel.sh [DATA]: importing with one process and with several: wall time, CPU and private memory, in one run, on many files,
# on one large file, plain and compressed, and on one archive.
#
# DATA       a folder with archives of logs (*.tar.gz) at any depth, one job each; default: the jobs of the demo.
# MEGABYTES  how much is loaded in each way (default 300).
# WORKERS    how many processes beside the measurement with one (default "2").
# KINDS      some of "many", "large", "gzip", "zstd" and "archive" (default: all).
# REPEAT     how often each wall time is measured; the shortest counts (default 3). Memory and CPU are of one more call.
#
# Many files: all files of all jobs, copied folder by folder. One large file: the ranks' logs of all jobs, one after the other.
# gzip, zstd: that file, compressed as one stream. Archive: a .tar.gz of that file, cut into 32.
# CPU is user and system of all processes, from /proc, and of the busiest of them: what the wall time comes down to where each
# has a core of its own, so its ratio holds on a busy machine too. Memory is the largest RssAnon (private pages) of any of them.
# Both are looked up every 50 ms, which itself takes a part of a core: so not while wall time is measured. The bar: two workers
# on two cores need at most 0.6 of the wall time of one, and no process more than 256 MB.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
data=${1:-$top/test/data/demo}
megabytes=${MEGABYTES:-300}
repeat=${REPEAT:-3}
work=$(mktemp -d "${L4_WORK:-/tmp}/parallel.XXXXXX")
chmod 755 "$work"
run() { psql -XqAt -v ON_ERROR_STOP=1 "$@"; }
trap 'rm -rf "$work"' EXIT

# ---- the files ----
mkdir -p "$work/jobs"
find "$data" -name '*.tar.gz' | LC_ALL=C sort | while read -r archive; do
	mkdir -p "$work/jobs/$(basename "$archive" .tar.gz)"
	tar -xzf "$archive" -C "$work/jobs/$(basename "$archive" .tar.gz)"
done
size=$(find "$work/jobs" -type f -printf '%s\n' | awk '{ s += $1 } END { print s + 0 }')
[ "$size" -gt 0 ] || { echo "parallel.sh: no *.tar.gz with logs in $data" >&2; exit 1; }
copies=$(awk -v m="$megabytes" -v s="$size" 'BEGIN { n = m * 1e6 / s; print n < 1 ? 1 : int(n + 0.5) }')
mkdir -p "$work/many" "$work/large"
for number in $(seq "$copies"); do cp -r "$work/jobs" "$work/many/$number"; done
find "$work/jobs" -type f -size +8k | LC_ALL=C sort > "$work/list"
xargs cat < "$work/list" > "$work/one"
copies=$(awk -v m="$megabytes" -v s="$(stat -c %s "$work/one")" 'BEGIN { n = m * 1e6 / s; print n < 1 ? 1 : int(n + 0.5) }')
for number in $(seq "$copies"); do cat "$work/one"; done > "$work/large/job.log"
kinds=${KINDS:-many large gzip zstd archive}
for kind in gzip zstd; do
	case $kinds in *$kind*) mkdir -p "$work/$kind"; "$kind" -qc "$work/large/job.log" > "$work/$kind/job.log.$kind" ;; esac
done
case $kinds in *archive*)
	mkdir -p "$work/archive" "$work/pieces"
	split -n l/32 -d --additional-suffix=.log "$work/large/job.log" "$work/pieces/rank-"
	tar -C "$work/pieces" -czf "$work/archive/job.tar.gz" .
esac
rm -rf "$work/jobs" "$work/one" "$work/pieces"

# ---- measuring ----
hz=$(getconf CLK_TCK)
postmaster=$(run -c "SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)")
empty() {
	run -c 'TRUNCATE l4_stream, l4_segment, l4_source_counts, l4_parameter_sketch, l4_source_state, l4_timeline, l4_shape,
		l4_event, l4_address, l4_job' \
		-c "SELECT l4_register_job('bench', '{}', 'failed')" -c CHECKPOINT > /dev/null
}
import() { run -c 'SET client_min_messages = warning' -c "CALL l4_import('bench', '$1', workers => $2)"; }
# Prints the wall seconds of a call of l4_import, the shortest of several.
measure_wall() {
	local number
	for number in $(seq "$repeat"); do
		empty
		TIMEFORMAT=%R
		{ time import "$1" "$2"; } 2>&1
	done | sort -n | head -n 1
}
# Prints half the wall seconds of two calls at once, of a job each: what two processes with nothing to share would need for one
# job on this machine.
measure_pair() {
	local number
	for number in $(seq "$repeat"); do
		empty
		run -c "SELECT l4_register_job('bench 2', '{}', 'failed')" > /dev/null
		TIMEFORMAT=%R
		{ time { run -c 'SET client_min_messages = warning' -c "CALL l4_import('bench 2', '$1')" & import "$1" 1; wait; }; } \
			2>&1
	done | sort -n | awk 'NR == 1 { printf "%.3f\n", $1 / 2 }'
}
# Prints the CPU seconds of all processes of a call and of the busiest, and the largest private memory in MB.
measure_processes() {
	local largest=0 value call process
	empty
	import "$1" "$2" &
	call=$!
	declare -A cpu=()
	while kill -0 "$call" 2>/dev/null; do
		for process in $(pgrep -P "$postmaster" -f 'postgres: l4 worker|postgres: .*CALL' || true); do
			value=$(awk '/^RssAnon/ { print $2 }' "/proc/$process/status" 2>/dev/null || true)
			[ "${value:-0}" -le "$largest" ] || largest=$value
			value=$(cut -d' ' -f14,15 "/proc/$process/stat" 2>/dev/null | awk '{ print $1 + $2 }' || true)
			[ -z "$value" ] || cpu[$process]=$value
		done
		sleep 0.05
	done
	wait "$call"
	for process in "${!cpu[@]}"; do echo "${cpu[$process]}"; done | awk -v hz="$hz" -v m="$largest" '
		{ s += $1; if ($1 > l) l = $1 } END { printf "%.2f %.2f %.0f\n", s / hz, l / hz, m / 1024 }'
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

printf '%-16s %7s %8s %8s %12s %12s %12s %14s\n' '' workers 'wall s' 'CPU s' 'busiest CPU' 'wall ratio' 'CPU ratio' 'private MB'
for kind in $kinds; do
	one=
	for workers in 1 ${WORKERS:-2}; do
		wall=$(measure_wall "$work/$kind" "$workers")
		read -r cpu busiest memory < <(measure_processes "$work/$kind" "$workers")
		[ -n "$one" ] || { one=$wall; one_cpu=$busiest; }
		printf '%-16s %7s %8s %8s %12s %12s %12s %14s\n' "$kind $(du -sm --apparent-size "$work/$kind" | cut -f1) MB" \
			"$workers" "$wall" "$cpu" "$busiest" \
			"$(ratio "$wall" "$one")" "$(ratio "$busiest" "$one_cpu")" "$memory"
	done
	wall=$(measure_pair "$work/$kind")
	printf '%-16s %7s %8s %8s %12s %12s\n' "$kind" pair "$wall" '' '' "$(ratio "$wall" "$one")"
done
echo 'pair: half of the time of two jobs at once, one process each: what the memory and caches that the cores share leave for' \
	'two processes'
echo 'bar: a ratio of 0.60 with 2 workers, 256 MB of private memory'
