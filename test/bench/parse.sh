#!/bin/bash
# parse.sh: how well and how fast l4 groups log messages.
#
#   test/bench/parse.sh [DATA] [EVALUATOR]
#
# DATA       a folder with one folder per log, each holding NAME.log_structured.csv (columns LineId, Content, EventTemplate),
#            and possibly NAME.log_structured_corrected.csv with a second opinion on the templates. Without it only the speed is
#            measured, on made-up lines.
# EVALUATOR  a program called as: EVALUATOR --json TRUTH.csv RESULT.csv, which prints GA, PA, FGA and FTA as JSON (or set
#            PARSE_ACCURACY). Without it only the speed is measured.
# REPEAT     how many times the lines are repeated for the speed (default 50).
#
# The database is that of the PG* variables; l4 must be installed in it, and python3 on this machine. All logs are parsed with
# one
# configuration: the defaults. Only temporary and unlogged tables of the name parse_bench_* are made, and dropped at the end.
set -euo pipefail

data=${1:-}
evaluator=${2:-${PARSE_ACCURACY:-}}
repeat=${REPEAT:-50}
work=$(mktemp -d)

run() { psql -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }
finish() {
	run -c "SET client_min_messages = warning; DROP TABLE IF EXISTS parse_bench_line, parse_bench_many" || true
	rm -rf "$work"
}
fail() { echo "parse.sh: $*" >&2; exit 1; }

command -v psql > /dev/null || { rm -rf "$work"; fail "psql is not installed"; }
[ "$(run -c "SELECT count(*) FROM pg_extension WHERE extname = 'l4'")" = 1 ] ||
	{ rm -rf "$work"; fail "the extension l4 is not installed in this database"; }
trap finish EXIT
schema=$(run -c "SELECT quote_ident(nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
	WHERE extname = 'l4'")
export PGOPTIONS="${PGOPTIONS:-} -c search_path=$schema,public"
run -c "SET client_min_messages = warning; DROP TABLE IF EXISTS parse_bench_line, parse_bench_many" \
	-c "CREATE UNLOGGED TABLE parse_bench_line (log text, line_id int, message text, raw text)"

# ---- load ----
if [ -n "$data" ]; then
	[ -d "$data" ] || fail "$data is no folder"
	command -v python3 > /dev/null || fail "python3 is needed to read the files"
	python3 - "$data" > "$work/lines.csv" <<'PYTHON'
import csv, glob, os, sys
csv.field_size_limit(1 << 30)
out = csv.writer(sys.stdout, lineterminator="\n")
for path in sorted(glob.glob(os.path.join(sys.argv[1], "*", "*.log_structured.csv"))):
    with open(path, newline="", encoding="utf-8", errors="backslashreplace") as f:
        rows = list(csv.DictReader(f))
    # The lines as they were logged, header and all, lie beside the table; where they are not one to one with it, they are left
    # out.
    raw_path = path[: -len("_structured.csv")]
    raws = []
    if os.path.exists(raw_path):
        raws = open(raw_path, newline="", encoding="utf-8", errors="backslashreplace").read().split("\r\n")
    while raws and not raws[-1]:
        raws.pop()
    raws = raws if len(raws) == len(rows) else [""] * len(rows)
    for row, raw in zip(rows, raws):
        name = os.path.basename(path)[: -len(".log_structured.csv")]
        out.writerow([name, row["LineId"], row["Content"], raw.replace("\r", " ")])
PYTHON
	[ -s "$work/lines.csv" ] || fail "no */*.log_structured.csv in $data"
	run -c "\\copy parse_bench_line FROM '$work/lines.csv' WITH (FORMAT csv, FORCE_NOT_NULL (message, raw))"
else
	echo "parse.sh: no data folder given: made-up lines, accuracy is not measured"
	run -c "INSERT INTO parse_bench_line SELECT 'made-up', i, CASE i % 3
		WHEN 0 THEN format('rank %s: iteration %s, loss %s, %s ms', i % 8, i, round(sqrt(i)::numeric, 4), i % 977)
		WHEN 1 THEN format('connection to 10.0.%s.%s:29500 %s', i % 7, i % 200, CASE WHEN i % 2 = 0 THEN 'closed'
			ELSE 'opened' END)
		ELSE format('saved /data/checkpoint/step_%s/rank_%s.pt in %s MB', i, i % 8, i % 90) END
		FROM generate_series(1, 20000) AS i"
fi

# ---- accuracy ----
group_lines() {					# shape of a line, as an expression
	local shape=$1 log
	while read -r log; do
		run -v log="$log" > "$work/result_$log.csv" <<SQL
CREATE TEMP TABLE parse_bench_shape AS
	SELECT line_id, $shape AS shape FROM parse_bench_line WHERE log = :'log';
CREATE TEMP TABLE parse_bench_event AS
	SELECT a.shapes[c.shape_id] AS shape, c.template
	FROM (SELECT array_agg(n ORDER BY n) AS ids, array_agg(shape ORDER BY n) AS shapes
		FROM (SELECT shape, row_number() OVER (ORDER BY shape) AS n FROM parse_bench_shape GROUP BY shape) AS d) AS a,
		l4_cluster_shapes(a.ids, a.shapes) AS c;
COPY (SELECT line_id, template FROM parse_bench_shape JOIN parse_bench_event USING (shape) ORDER BY line_id) TO STDOUT
	WITH (FORMAT csv);
SQL
	done < "$work/logs"
}
evaluate() {					# one kind of truth: suffix of its files, name
	local suffix=$1 name=$2 log truth
	: > "$work/scores"
	while read -r log; do
		truth=$(find "$data" -name "$log.log_structured$suffix.csv" | head -n 1)
		[ -n "$truth" ] || continue
		"${evaluator_command[@]}" --json "$truth" "$work/result_$log.csv" | sed "s/^/$log /" >> "$work/scores"
	done < "$work/logs"
	[ -s "$work/scores" ] || return 0
	python3 - "$work/scores" "$name" <<'PYTHON'
import json, sys
rows = [line.split(" ", 1) for line in open(sys.argv[1])]
names = ("GA", "PA", "FGA", "FTA")
total = dict.fromkeys(names, 0.0)
print("%-24s" % sys.argv[2], *("%7s" % n for n in names))
for log, text in rows:
    score = json.loads(text)
    for n in names:
        total[n] += score[n] / len(rows)
    print("%-24s" % log, *("%7.4f" % score[n] for n in names))
print("%-24s" % "mean", *("%7.4f" % total[n] for n in names))
PYTHON
}

if [ -n "$data" ] && [ -z "$evaluator" ]; then
	echo "parse.sh: no evaluator given (second argument or PARSE_ACCURACY): accuracy is not measured"
elif [ -n "$data" ]; then
	[ -r "$evaluator" ] || fail "cannot read the evaluator $evaluator"
	evaluator_command=("$evaluator")
	case $evaluator in *.py) evaluator_command=(python3 "$evaluator") ;; esac
	run -c "SELECT DISTINCT log FROM parse_bench_line ORDER BY log" > "$work/logs"
	group_lines "l4_shape(message)"
	evaluate "" "truth as published"
	evaluate "_corrected" "truth as corrected"
	run -c "SELECT log FROM parse_bench_line GROUP BY log HAVING bool_or(raw <> '') ORDER BY log" > "$work/logs"
	group_lines "(l4_parse(raw)).template"
	evaluate "" "raw lines, as published"
fi

# ---- speed: the backend's own time, best of three ----
run -c "SET client_min_messages = warning" \
	-c "CREATE UNLOGGED TABLE parse_bench_many WITH (parallel_workers = 2) AS SELECT message FROM parse_bench_line,
		generate_series(1, $repeat)" \
	-c "VACUUM ANALYZE parse_bench_many"
run <<'SQL' 2>&1 | sed 's/^NOTICE: *//'
SET max_parallel_workers_per_gather = 0;
DO $$
DECLARE
	started timestamptz;
	lines bigint;
	bytes bigint;
	events int;
	seconds float8;
	best float8 := 'infinity';
	scan float8 := 'infinity';
BEGIN
	FOR i IN 1..3 LOOP
		started := clock_timestamp();
		SELECT count(*), sum(octet_length(message)) INTO lines, bytes FROM parse_bench_many;
		scan := least(scan, extract(epoch FROM clock_timestamp() - started));
		started := clock_timestamp();
		SELECT cardinality(l4_drain(message)) INTO events FROM parse_bench_many;
		seconds := extract(epoch FROM clock_timestamp() - started);
		best := least(best, seconds);
	END LOOP;
	RAISE NOTICE 'l4_drain: % lines, % MB, % events in % s: % lines/s, % MB/s on one core (reading the table alone: % s)',
	lines,
		round(bytes / 1e6, 1), events, round(best::numeric, 3), round(lines / best::numeric),
		round((bytes / 1e6 / best)::numeric), round(scan::numeric, 3);
END $$;
SQL

# ---- serial and parallel plans must give the same ----
for workers in 0 2; do
	run -c "SET max_parallel_workers_per_gather = $workers; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
		SET min_parallel_table_scan_size = 0" \
		-c "SELECT e.* FROM (SELECT l4_drain(message) AS events FROM parse_bench_many) d, unnest(d.events) e" > \
			"$work/drain_$workers"
	run -c "SET max_parallel_workers_per_gather = $workers; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
		SET min_parallel_table_scan_size = 0" \
		-c "EXPLAIN (COSTS off) SELECT l4_drain(message) FROM parse_bench_many" > "$work/plan_$workers"
done
grep -q 'Parallel Seq Scan' "$work/plan_2" || fail "the plan that should be parallel is not"
! grep -q 'Parallel' "$work/plan_0" || fail "the plan that should be serial is not"
cmp -s "$work/drain_0" "$work/drain_2" || fail "serial and parallel plans of l4_drain differ"
echo "l4_drain: serial plan and plan with 2 workers give the same $(wc -l < "$work/drain_0") rows of events"
