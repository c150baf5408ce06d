#!/bin/bash
# scale.sh: a job of 1,024 nodes with 4 ranks each, in several sizes: import against COPY of the same files, room, memory,
# diagnosis, and reading back.
#
# SIZES   gigabytes, in a list (default "0.1 1"; "0.1 1 10" needs 35 GB of disk and half an hour)
# NODES   nodes of the job (default 1024), RANKS ranks of each (default 4)
# FAULT   what happens to one of them (default xid79; test/generate/faults.c lists them)
# WORD    the rare word that is searched (default what the kernel says of that fault: "fallen off")
#
# The logs are written by test/generate. CPU is user and system time of the backend, from /proc; memory is the most that the
# backend had of its own (RssAnon: neither shared buffers nor files), looked at five times a second. COPY reads the same files
# into an unlogged table of one column. Room is all that l4's tables grew by, after VACUUM, with indexes and TOAST. The
# diagnosis should name the node in the middle. What is read back is measured warm: the last of three runs. grep searches the
# plain files, in the file cache as far as memory allows.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${L4_WORK:-/tmp}/scale.XXXXXX")
chmod 755 "$work"
nodes=${NODES:-1024}
ranks=${RANKS:-4}
fault=${FAULT:-xid79}
word=${WORD:-fallen off}
settings='{"framework": "Megatron-LM", "model": "generated", "ranks_per_node": 4}'
sampler=
finish() {
	[ -z "$sampler" ] || kill "$sampler" 2> /dev/null || true
	PGDATABASE=postgres psql -Xq -c 'DROP DATABASE IF EXISTS l4_scale' > /dev/null 2>&1 || true
	rm -rf "$work"
}
trap finish EXIT
run() { psql -XqAt -v ON_ERROR_STOP=1 "$@"; }

make -s -C "$top/test/generate"
generate() { "$top/test/generate/generate" "$@"; }

# ---- measuring ----
# Runs the SQL of a file in one session of its own. Sets cpu and wall (seconds) of the part behind the line "-- measured", and
# memory (MB) of the session.
cat > "$work/clock.sql" <<'SQL'
\! cut -d' ' -f14,15 /proc/$SCALE_PID/stat >> "$SCALE_WORK/clock"; date +%s.%N >> "$SCALE_WORK/clock"
SQL
export SCALE_WORK=$work
sample() {
	local pid most=0 now
	while sleep 0.2; do
		pid=$(cat "$work/pid" 2> /dev/null || true)
		now=$([ -z "$pid" ] || awk '$1 == "RssAnon:" { print $2 }' "/proc/$pid/status" 2> /dev/null || true)
		[ "${now:-0}" -le "$most" ] || { most=$now; echo "$most" > "$work/memory"; }
	done
}
measure() {
	rm -f "$work/clock" "$work/memory" "$work/pid"
	{
		echo "SELECT pg_backend_pid() AS pid \\gset"
		echo "\\setenv SCALE_PID :pid"
		echo "\\! echo \$SCALE_PID > \"\$SCALE_WORK/pid\""
		echo "SET client_min_messages = warning;"
		awk -v clock="$work/clock.sql" '/^-- measured/ { print "\\i " clock; next } { print }' "$1"
		echo "\\i $work/clock.sql"
	} > "$work/all.sql"
	sample &
	sampler=$!
	run -f "$work/all.sql" > "$work/out"
	kill "$sampler"
	wait "$sampler" 2> /dev/null || true
	sampler=
	memory=$(awk '{ printf "%.0f", $1 / 1024 }' "$work/memory" 2> /dev/null || echo 0)
	read -r cpu wall < <(awk -v hz="$(getconf CLK_TCK)" 'NR % 2 == 1 { cpu[NR] = $1 + $2 } NR % 2 == 0 { wall[NR] = $1 }
		END { printf "%.3f %.3f\n", (cpu[NR - 1] - cpu[NR - 3]) / hz, wall[NR] - wall[NR - 2] }' "$work/clock")
}
quotient() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", (b > 0 ? a / b : 0) }'; }

# ---- one size ----
one_size() {
	local size=$1 bytes copy_cpu copy_wall import_cpu import_wall import_memory before room
	echo "== $size GB"
	rm -rf "$work/job" "$work/ok"
	generate --out "$work/ok" --nodes 64 --ranks-per-node "$ranks" --bytes 60M --seed 2 > /dev/null
	generate --out "$work/job" --nodes "$nodes" --ranks-per-node "$ranks" \
		--bytes "$(awk -v s="$size" 'BEGIN { printf "%.0f", s * 1e9 }')" --fault "$fault" --fault-node $((nodes / 2)) |
		sed 's/^/generator: /'
	find "$work/job" -type f | LC_ALL=C sort > "$work/files"
	bytes=$(xargs stat -c %s < "$work/files" | awk '{ s += $1 } END { printf "%.0f", s }')

	PGDATABASE=postgres psql -Xq -c 'DROP DATABASE IF EXISTS l4_scale' -c 'CREATE DATABASE l4_scale TEMPLATE template0'
	export PGDATABASE=l4_scale
	run -c 'CREATE EXTENSION l4' -c 'CREATE UNLOGGED TABLE scale_line (line text)'

	{ echo "-- measured"; awk -v q="'" \
		'{ print "COPY scale_line FROM " q $0 q " (FORMAT csv, DELIMITER e" q "\\x02" q ", QUOTE e" q "\\x01" q ");" }' \
		"$work/files"; } > "$work/copy.sql"
	measure "$work/copy.sql"
	copy_cpu=$cpu copy_wall=$wall
	run -c 'TRUNCATE scale_line' -c CHECKPOINT

	run -c "SELECT l4_register_job('ok', '$settings', 'succeeded', ranks_per_node => $ranks)" \
		-c "CALL l4_import('ok', '$work/ok')" \
		-c "SELECT l4_register_job('job', '$settings', 'failed', ranks_per_node => $ranks)" > /dev/null 2>&1
	run -c VACUUM
	before=$(room)
	printf -- "-- measured\nCALL l4_import('job', '%s');\n" "$work/job" > "$work/import.sql"
	measure "$work/import.sql"
	import_cpu=$cpu import_wall=$wall import_memory=$memory
	[ "$(run -c "SELECT sum(byte_count) FROM l4_stream WHERE job_id = 'job'")" = "$bytes" ] ||
		{ echo "scale.sh: the import lost bytes" >&2; exit 1; }
	run -c VACUUM -c CHECKPOINT
	room=$(($(room) - before))
	awk -v n="$bytes" -v a="$copy_cpu" -v b="$copy_wall" -v c="$import_cpu" -v d="$import_wall" -v m="$import_memory" \
		-v r="$room" -v f="$(wc -l < "$work/files")" 'BEGIN {
		printf "files %d, bytes %.0f\n", f, n
		printf "COPY:      %7.1f s CPU %7.1f s wall %5.0f MB/s CPU\n", a, b, n / 1e6 / a
		printf "import:    %7.1f s CPU %7.1f s wall %5.0f MB/s CPU, ", c, d, n / 1e6 / c
		printf "CPU of import / COPY %.2f, %d MB of own memory (bar 256)\n", c / a, m
		printf "room:      %7.1f MB, of the raw bytes %.4f (bar 0.12)\n", r / 1e6, r / n }'
	run -c "SELECT format('blobs:     structure %s, texts %s, parameters %s of the raw bytes',
		round(sum(octet_length(structure)) / $bytes.0, 4),
		round(sum(octet_length(texts)) / $bytes.0, 4), round(sum(octet_length(parameters)) / $bytes.0, 4)) FROM l4_segment \
		WHERE job_id = 'job'"

	cat > "$work/diagnose.sql" <<-'SQL'
		-- measured
		SELECT count(*) || ' findings, first suspect '
			|| coalesce(min(node) FILTER (WHERE kind = 'node' AND ordinal = 1), 'none')
		FROM l4_diagnose('job');
	SQL
	measure "$work/diagnose.sql"
	echo "diagnose:  $cpu s CPU $wall s wall (bar 5), $memory MB of own memory (bar 512), $(cat "$work/out")" \
		"(faulty is node-$(printf %04d $((nodes / 2))))"
	read_back "$bytes"
	echo "figures: $size $bytes $copy_cpu $copy_wall $import_cpu $import_wall $import_memory $room" \
		"$cpu_diagnose $wall_diagnose $memory_diagnose $wall_log $wall_l4_grep $cpu_l4_grep $wall_grep $cpu_grep" \
		>> "$work/figures"
	export PGDATABASE=postgres
}

room() {
	run -c "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_extension e JOIN pg_depend d ON d.refobjid = e.oid
		AND d.deptype = 'e' AND d.classid = 'pg_class'::regclass
		JOIN pg_class c ON c.oid = d.objid AND c.relkind = 'r' WHERE e.extname = 'l4'"
}

# Sets wall and cpu of the last of three runs of a query; settings come first.
warm() {
	printf '%s\n%s\n%s\n-- measured\n%s\n' "$1" "$2" "$2" "$2" > "$work/warm.sql"
	measure "$work/warm.sql"
}

# l4_log by node and minute, and a rare word.
read_back() {
	local middle
	cpu_diagnose=$cpu wall_diagnose=$wall memory_diagnose=$memory
	middle=$(run -c "SELECT to_timestamp((extract(epoch FROM min(first_ts)) + extract(epoch FROM max(last_ts))) / 2)
		- interval '5 minutes' FROM l4_stream WHERE job_id = 'job' AND kind = 'rank'")
	warm '' "SELECT count(raw) FROM l4_log WHERE job_id = 'job' AND node = 'node-$(printf %04d $((nodes / 3)))'
		AND ts >= '$middle' AND ts < '$middle'::timestamptz + interval '1 minute';"
	wall_log=$wall
	awk -v w="$wall" -v n="$(tail -n 1 "$work/out")" \
		'BEGIN { printf "l4_log by node and minute: %.0f ms, %d records (bar 100 ms)\n", w * 1000, n }'
	warm '' "SELECT count(*) FROM l4_grep('job', '$word');"
	wall_l4_grep=$wall
	warm 'SET max_parallel_workers_per_gather = 0;' "SELECT count(*) FROM l4_grep('job', '$word');"
	cpu_l4_grep=$cpu
	[ "$(tail -n 1 "$work/out")" = "$(grep -rh -- "$word" "$work/job" | wc -l)" ] ||
		{ echo "scale.sh: l4_grep and grep do not find the same" >&2; exit 1; }
	TIMEFORMAT='%R %U %S'
	read -r wall_grep user system < <({ time LC_ALL=C grep -rh -- "$word" "$work/job" > /dev/null; } 2>&1)
	cpu_grep=$(awk -v a="$user" -v b="$system" 'BEGIN { print a + b }')
	echo "rare word: l4_grep $wall_l4_grep s wall (in parallel), $cpu_l4_grep s CPU (alone);" \
		"grep $wall_grep s wall, $cpu_grep s CPU:" \
		"$(quotient "$wall_grep" "$wall_l4_grep") times in wall, $(quotient "$cpu_grep" "$cpu_l4_grep") times in CPU (bar 5)"
}

for size in ${SIZES:-0.1 1}; do
	one_size "$size"
done
echo
echo "| GB | import / COPY, CPU | import MB/s CPU | room / raw | import memory | diagnose CPU | wall | memory" \
	"| node and minute | l4_grep CPU | grep CPU |"
echo "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
awk '{ printf "| %s | %.2f | %.0f | %.3f | %d MB | %.1f s | %.1f s | %d MB | %.0f ms | %.2f s | %.2f s |\n",
	$2, $6 / $4, $3 / 1e6 / $6, $9 / $3, $8, $10, $11, $12, $13 * 1000, $15, $17 }' "$work/figures"
