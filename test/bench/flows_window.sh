# flows_window.sh: windows of simulated flows, made, loaded and measured. Sourced by the benchmarks of flows, which set here.
#
# Environment: SEED of the first simulator (default 7), OTHER_SEED of the others (default: that of the name),
# KEEP: a folder where the windows stay, to look at; METHODS, SECONDS_EACH, SHOW: as in flows.sh.
generator=$here/../generate/flows
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seed=${SEED:-7}

run() { psql -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }

generate() {
	rm -rf "$work/window"
	case $1 in
		other*|third*|fourth*|fifth*|sixth*|seventh*|eighth*|ninth*|tenth*|eleventh*)
			python3 "$here/flows_${1%%[0-9]*}.py" "$1" "$work/window" ${OTHER_SEED:-} ;;
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

# Argument: scenario.
measure_all() {
	local method
	for method in ${METHODS:-ours paper}; do
		case $method in
			ours) measure "$1" ours 'SELECT bench.measure()' ;;
			paper) measure "$1" paper 'SELECT bench.paper()' ;;
		esac
	done
}
