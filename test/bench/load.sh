#!/bin/bash
# load.sh [DATA]: importing logs against COPY of the same lines: CPU, wall time and room on disk, in one run.
#
# DATA       a folder with archives of logs (*.tar.gz) at any depth, one job each; default: the jobs of the demo.
# MEGABYTES  how much is loaded (default 200).
# REPEAT     how often each way is measured; the smallest figure counts (default 3).
#
# The files of one kind (the same name but for digits) of all jobs of a family (the first two letters of the archive's name) are
# put one after the other into one file of some megabytes, which is about what a rank of a longer run leaves behind: really
# different lines, nothing made up. That set is copied, folder by folder, until it is large enough. Copies do not flatter the
# compression: a segment lies within one file and is compressed by itself. Only the shapes, of which there is one row however
# large a job is, are shared.
#
# COPY reads the same files into an unlogged table of one column (FORMAT csv with a delimiter and a quote that no line has). CPU
# is what the backend used, user and system, from /proc. Room is everything that belongs to the job: all l4 tables that hold its
# rows, with their indexes and TOAST.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
data=${1:-$top/test/data/demo}
megabytes=${MEGABYTES:-200}
repeat=${REPEAT:-3}
work=$(mktemp -d "${L4_WORK:-/tmp}/load.XXXXXX")
chmod 755 "$work"
run() { psql -XqAt -v ON_ERROR_STOP=1 "$@"; }
finish() { rm -rf "$work"; run -c 'SET client_min_messages = warning; DROP TABLE IF EXISTS load_line'; }
trap finish EXIT

# ---- the files ----
find "$data" -name '*.tar.gz' | LC_ALL=C sort | while read -r archive; do
	job=$(basename "$archive" .tar.gz)
	mkdir -p "$work/jobs/$job" "$work/job/set/${job:0:2}"
	tar -xzf "$archive" -C "$work/jobs/$job"
	folder=$work/jobs/$job
	[ ! -d "$folder/$job" ] || folder=$folder/$job
	(cd "$folder" && find . -type f) | while read -r file; do
		name=$(basename "$file" | tr -d '0-9')
		# NUL would end COPY; the byte \x01 and \x02 stand for quote and delimiter there; \r alone is a line's end for COPY
		tr -d '\000\001\002\r' < "$folder/$file" | iconv -c -f UTF-8 -t UTF-8 >> "$work/job/set/${job:0:2}/$name"
	done
done
rm -rf "$work/jobs"
size=$(find "$work/job" -type f -printf '%s\n' | awk '{ s += $1 } END { print s + 0 }')
[ "$size" -gt 0 ] || { echo "load.sh: no *.tar.gz with logs in $data" >&2; exit 1; }
copies=$(awk -v m="$megabytes" -v s="$size" 'BEGIN { n = m * 1e6 / s; print n < 1 ? 1 : int(n + 0.5) }')
for number in $(seq 2 "$copies"); do
	cp -r "$work/job/set" "$work/job/set-$number"
done
find "$work/job" -type f | LC_ALL=C sort > "$work/files"
bytes=$((size * copies))
lines=$(xargs cat < "$work/files" | wc -l)
echo "$(wc -l < "$work/files") files, $bytes bytes, $lines lines"

# ---- measuring ----
# Runs the SQL of a file in one session and prints the CPU seconds of its backend and the wall seconds.
cat > "$work/begin.sql" <<'SQL'
SET client_min_messages = warning;
SELECT pg_backend_pid() AS pid \gset
\setenv LOAD_PID :pid
\! cut -d' ' -f14,15 /proc/$LOAD_PID/stat > "$LOAD_WORK/before"; date +%s.%N >> "$LOAD_WORK/before"
SQL
cat > "$work/end.sql" <<'SQL'
\! cut -d' ' -f14,15 /proc/$LOAD_PID/stat > "$LOAD_WORK/after"; date +%s.%N >> "$LOAD_WORK/after"
SQL
export LOAD_WORK=$work
measure() {
	cat "$work/begin.sql" "$1" "$work/end.sql" > "$work/all.sql"
	run -f "$work/all.sql" > /dev/null
	cat "$work/before" "$work/after" | awk -v hz="$(getconf CLK_TCK)" \
		'NR % 2 == 1 { cpu[NR] = $1 + $2 } NR % 2 == 0 { wall[NR] = $1 }
		END { printf "%.2f %.2f\n", (cpu[3] - cpu[1]) / hz, wall[4] - wall[2] }'
}
smaller() { awk -v a="$1" -v b="$2" 'BEGIN { print (a == "" || b < a) ? b : a }'; }

run -c "SET client_min_messages = warning; DROP TABLE IF EXISTS load_line; CREATE UNLOGGED TABLE load_line (line text)"
awk -v q="'" '{ gsub(q, q q);
	print "COPY load_line FROM " q $0 q " (FORMAT csv, DELIMITER e" q "\\x02" q ", QUOTE e" q "\\x01" q ");" }' \
	"$work/files" > "$work/copy.sql"
echo "CALL l4_import('load bench', '$work/job');" > "$work/import.sql"
copy_cpu= copy_wall= import_cpu= import_wall=
for number in $(seq "$repeat"); do
	run -c 'TRUNCATE load_line' -c CHECKPOINT
	read -r cpu wall < <(measure "$work/copy.sql")
	copy_cpu=$(smaller "$copy_cpu" "$cpu") copy_wall=$(smaller "$copy_wall" "$wall")
	run -c 'TRUNCATE l4_stream, l4_segment, l4_source_counts, l4_parameter_sketch, l4_timeline, l4_shape, l4_event, l4_job' \
		-c "SELECT l4_register_job('load bench', '{}', 'failed')" -c CHECKPOINT > /dev/null
	read -r cpu wall < <(measure "$work/import.sql")
	import_cpu=$(smaller "$import_cpu" "$cpu") import_wall=$(smaller "$import_wall" "$wall")
	echo "run $number: import $cpu s CPU, $wall s wall"
done
[ "$(run -c "SELECT sum(byte_count) FROM l4_stream WHERE job_id = 'load bench'")" = "$bytes" ] ||
	{ echo "load.sh: the import lost bytes" >&2; exit 1; }

# ---- results ----
awk -v a="$copy_cpu" -v b="$copy_wall" -v c="$import_cpu" -v d="$import_wall" -v n="$bytes" -v l="$lines" 'BEGIN {
	printf "%-8s %8s %8s %8s %14s\n", "", "CPU s", "wall s", "MB/s CPU", "lines/s CPU"
	printf "%-8s %8.2f %8.2f %8.0f %14.0f\n", "COPY", a, b, n / 1e6 / a, l / a
	printf "%-8s %8.2f %8.2f %8.0f %14.0f\n", "import", c, d, n / 1e6 / c, l / c
	printf "CPU of import / COPY  %.2f  (bar 1.0, stretch 0.6)\nwall of import / COPY %.2f\n", c / a, d / b }'
run -c VACUUM
run -F ' ' -v bytes="$bytes" <<'SQL'
SELECT rpad(relname, 20), lpad(pg_table_size(oid)::text, 12), lpad(pg_indexes_size(oid)::text, 12),
	lpad(round(pg_total_relation_size(oid)::numeric / :bytes, 4)::text, 8)
FROM pg_class WHERE relname IN ('l4_stream', 'l4_segment', 'l4_source_counts', 'l4_parameter_sketch', 'l4_timeline', 'l4_shape',
	'l4_event') AND relkind = 'r'
ORDER BY pg_total_relation_size(oid) DESC;
SELECT 'room on disk / raw bytes ' || round(sum(pg_total_relation_size(oid)) / :bytes, 4) || '  (bar 0.12, stretch 0.06)'
FROM pg_class WHERE relname IN ('l4_stream', 'l4_segment', 'l4_source_counts', 'l4_parameter_sketch', 'l4_timeline', 'l4_shape',
	'l4_event') AND relkind = 'r';
SELECT 'blobs of l4_segment / raw bytes: structure ' || round(sum(octet_length(structure))::numeric / :bytes, 4) || ', texts '
	|| round(sum(octet_length(texts))::numeric / :bytes, 4)
	|| ', parameters ' || round(sum(octet_length(parameters))::numeric / :bytes, 4) FROM l4_segment;
SELECT 'room of the COPY / raw bytes ' || round(pg_total_relation_size('load_line')::numeric / :bytes, 4);
SQL
