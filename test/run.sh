#!/bin/bash
# run.sh: builds l4 and runs it in a private, throwaway cluster.
#
#   test/run.sh demo               loads the demo's failed jobs and prints their diagnosis
#   test/run.sh shell              the same cluster, with psql to try things out
#   test/run.sh test               all tests; the last line is "N passed, N failed"
#   test/run.sh regress [NAME..]   only these regression tests (all if none is named)
#   test/run.sh isolation [NAME..] only these isolation tests
#   test/run.sh tap [FILE..]       only these TAP tests
#   test/run.sh fleet              only the questions of docs/questions.md and the dashboards of docs/grafana
#   test/run.sh accept NAME..      runs these regression or isolation tests and takes their output as the expected one;
#                                  README and questions take the output of the examples in README.md and docs/questions.md
#   test/run.sh fuzz [SECONDS [TARGET..]]   looks for inputs that break the algorithms; see test/fuzz/run.sh
#   test/run.sh sanitized [CALLS]  regression and isolation tests, with so many random calls of each function (100), in a server
#                                  whose l4 is built with the address and undefined behaviour sanitizers of gcc
#   test/run.sh crash [ENDINGS [KILLS]]     ends and kills so many imports at random moments (500, 200) and prints the counts
#   test/run.sh citus [FOLDER..]   l4 on a cluster of three servers with Citus, where that is installed (or in $L4_CITUS): the
#                                  jobs of the demo, and the labelled ones of these folders, give the same rows as on one;
#                                  workers are killed until $L4_CITUS_KILLS imports (4) were ended by it
#   test/run.sh docs               writes docs/reference.md and docs/steps.md from the COMMENTs
#   test/run.sh bench-NAME [ARG..] runs test/bench/NAME.sh in a cluster with the extension
#
# Works in a copy of the checkout below /tmp, or /var/tmp where programs may not run from /tmp (or in $L4_TMPDIR), and as an
# unprivileged user, because PostgreSQL refuses root. Nothing is installed in the system, and all is removed at the end; with
# L4_KEEP=1 in the environment the work folder stays. L4_CC is the compiler, L4_COPT are further flags of it.
set -euo pipefail

# ---------------------------------------------------------------------------------------------------------------------
# Outside: make the copy, drop the privileges, and take results back into the checkout.

unprivileged_user() {
	if [ "$(id -u)" != 0 ]; then
		id -un
	elif id postgres >/dev/null 2>&1; then
		echo postgres
	else
		echo nobody
	fi
}

# Runs a command as the unprivileged user.
as_user() {
	if [ "$(id -u)" != 0 ]; then
		"$@"
	else
		setpriv --reuid="$L4_USER" --regid="$(id -g "$L4_USER")" --init-groups -- "$@"
	fi
}

outside_cleanup() {
	[ -n "${L4_KEEP:-}" ] && echo "kept: $L4_WORK" >&2 || rm -rf "$L4_WORK"
}

# Copies the checkout, without what earlier builds and runs left in it.
copy_checkout() {
	tar -C "$L4_TOP" --exclude=./.git --exclude=./.build --exclude='*.o' --exclude='*.bc' --exclude='*.so' \
		--exclude='./sql/l4--*.sql' --exclude=./results --exclude=./tmp_check -cf - . |
		as_user tar -C "$L4_WORK/l4" --no-same-owner -xf -
}

# Takes the files named in $L4_WORK/taken.list back into the checkout.
take_back() {
	local file
	[ -f "$L4_WORK/taken.list" ] || return 0
	while read -r file; do
		mkdir -p "$(dirname "$L4_TOP/$file")"
		cat "$L4_WORK/l4/$file" > "$L4_TOP/$file"
		echo "wrote $file"
	done < "$L4_WORK/taken.list"
}

# Makes the work folder, where programs may run: /tmp is mounted "noexec" on some machines, and the server is copied there.
make_work_folder() {
	local folder
	for folder in ${L4_TMPDIR:-/tmp /var/tmp}; do
		L4_WORK=$(mktemp -d "$folder/l4.XXXXXX") || continue
		printf '#!/bin/sh\n' > "$L4_WORK/runs"
		chmod 755 "$L4_WORK/runs"
		if "$L4_WORK/runs" 2>/dev/null; then
			rm "$L4_WORK/runs"
			return 0
		fi
		rm -r "$L4_WORK"
	done
	echo "l4: no programs can be run from ${L4_TMPDIR:-/tmp or /var/tmp} (mounted noexec?);" \
		"name a folder where they can: L4_TMPDIR=/folder" >&2
	exit 1
}

outside_main() {
	local status=0
	L4_TOP=$(cd "$(dirname "$0")/.." && pwd)
	L4_USER=$(unprivileged_user)
	make_work_folder
	trap outside_cleanup EXIT
	[ "$(id -u)" != 0 ] || chown "$L4_USER" "$L4_WORK"
	as_user mkdir "$L4_WORK/l4"
	copy_checkout
	export L4_WORK
	cd "$L4_WORK"
	as_user bash "$L4_WORK/l4/test/run.sh" "$@" || status=$?
	take_back
	exit "$status"
}

# ---------------------------------------------------------------------------------------------------------------------
# Inside: build, start, run.

processors() { nproc 2>/dev/null || echo 2; }

psql_quiet() { psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 "$@"; }

# Builds and installs into the relocated server. The tests need no bitcode.
build() {
	local make=(make PG_CONFIG="$L4_PG_CONFIG" with_llvm=no COPT="${L4_COPT:-}" ${L4_CC:+CC="$L4_CC"})
	if ! "${make[@]}" -j"$(processors)" all > "$L4_WORK/build.log" 2>&1; then
		grep -E '(error|warning):|undefined reference|\*\*\*' "$L4_WORK/build.log" | head -n 40 >&2 ||
			tail -n 40 "$L4_WORK/build.log" >&2
		echo "l4: the build failed" >&2
		return 1
	fi
	tree_create
	"${make[@]}" DESTDIR="$L4_ROOT" install > "$L4_WORK/install.log" 2>&1 ||
		{ tail -n 20 "$L4_WORK/install.log" >&2; return 1; }
}

inside_cleanup() {
	local status=$?
	case $status in
		0 | 130 | 141 | 143) ;;		# done, or the user broke it off
		*) [ -z "${L4_SHOW_LOG:-}" ] || cluster_log >&2 ;;
	esac
	[ -z "${CITUS_NODES:-}" ] || citus_stop
	cluster_stop
}

# Compiling the plans of steps that tests call one by one, on next to no rows, would take most of the time. What users call
# switches it off by itself.
# Argument: how long a statement may take, if not five minutes.
start_for_tests() {
	L4_LOCALE=$(test_locale) cluster_start jit=off fsync=off synchronous_commit=off full_page_writes=off shared_buffers=256MB \
		max_wal_size=4GB \
		statement_timeout=${1:-5min} log_min_messages=warning
}

# A database of locale C, as the outputs in README and in docs are.
create_database() {
	psql_quiet --command="CREATE DATABASE $1 TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'"
	PGDATABASE=$1 psql_quiet --command='CREATE EXTENSION l4'
	export PGDATABASE=$1
}

# Prepares all that demo and shell have in common.
demo_start() {
	echo "Building l4 ..."
	build
	cluster_start fsync=off synchronous_commit=off full_page_writes=off shared_buffers=256MB max_wal_size=4GB
	L4_SHOW_LOG=1
	create_database demo
	bash test/demo.sh load
}

command_demo() {
	demo_start
	bash test/demo.sh show
}

command_shell() {
	demo_start
	bash test/demo.sh hints
	psql || true
}

command_bench() {
	local name=$1 argument
	shift
	for argument in "$@"; do
		case $argument in
			/*)
				[ -r "$argument" ] && continue
				echo "l4: user $(id -un), who runs the benchmark, cannot read $argument" >&2
				exit 1
				;;
		esac
	done
	[ -f "test/bench/$name.sh" ] || { echo "l4: there is no benchmark test/bench/$name.sh" >&2; exit 1; }
	build
	cluster_start shared_buffers=512MB max_wal_size=8GB checkpoint_timeout=30min
	L4_SHOW_LOG=1
	create_database bench
	export L4_ROOT L4_BINDIR L4_PG_CONFIG
	bash "test/bench/$name.sh" "$@"
}

# Writes reference.md and steps.md into a folder.
write_reference() {
	psql_quiet --tuples-only --no-align --set=steps=f --file=test/reference.sql > "$1/reference.md"
	psql_quiet --tuples-only --no-align --set=steps=t --file=test/reference.sql > "$1/steps.md"
}

command_docs() {
	build
	start_for_tests
	create_database docs
	mkdir -p docs
	write_reference docs
	printf '%s\n' docs/reference.md docs/steps.md > "$L4_WORK/taken.list"
}

# ---------------------------------------------------------------------------------------------------------------------
# Tests. Each prints one line and counts as one, passed or failed.

passed=0
failed=0

pass() { passed=$((passed + 1)); echo "ok      $1"; }
fail() { failed=$((failed + 1)); echo "FAILED  $1"; }

# Runs a command as the test named $1; its output is shown only if it fails, or what it counted ("figures: ..").
check() {
	local name=$1 output status
	shift
	# Not as a condition: the shell would then not stop at the first error inside.
	set +e
	output=$(set -e; "$@" 2>&1)
	status=$?
	set -e
	if [ "$status" = 0 ]; then
		pass "$name"
		[ -z "$output" ] || printf '%s\n' "$output" | grep -iE '^(warning|figures: )|[.]{2} *skipped: ' || true
	else
		fail "$name"
		printf '%s\n' "$output"
	fi
}

# The names of the tests of a folder, one a line. Arguments: folder, ending, names (none: all).
test_names() {
	local folder=$1 ending=$2 file
	shift 2
	if [ $# -gt 0 ]; then
		printf '%s\n' "$@"
	else
		for file in "$folder"/*"$ending"; do
			[ ! -f "$file" ] || basename "$file" "$ending"
		done
	fi
}

# Reads the report of pg_regress and counts its tests; understands the two formats it has had.
count_regress() {
	local kind=$1 line name pattern_old='^(test)?[ ]+([A-Za-z0-9_-]+)[ ]+\.\.\. (ok|FAILED)' \
		pattern_new='^(not )?ok [0-9]+[ ]+[-+] ([A-Za-z0-9_-]+)'
	while IFS= read -r line; do
		if [[ $line =~ $pattern_old ]]; then
			name=${BASH_REMATCH[2]}
			[ "${BASH_REMATCH[3]}" = ok ] && pass "$kind $name" || fail "$kind $name"
		elif [[ $line =~ $pattern_new ]]; then
			name=${BASH_REMATCH[2]}
			[ -z "${BASH_REMATCH[1]}" ] && pass "$kind $name" || fail "$kind $name"
		fi
	done
}

# Runs pg_regress or its brother for isolation tests. Arguments: driver, kind, folder, ending, names.
run_regress() {
	local driver=$1 kind=$2 folder=$3 ending=$4 name names=() before=$((passed + failed)) output=$L4_WORK/$2
	shift 4
	mkdir -p "$output"
	for name in $(test_names "$folder" "$ending" "$@"); do
		if [ -f "test/expected/$name.out" ]; then
			names+=("$name")
		else
			fail "$kind $name: expected/$name.out is missing"
			# The driver gives up on a missing expected file; with an empty one it runs, and "accept" has an output to take.
			[ -z "${L4_ACCEPT:-}" ] || { : > "test/expected/$name.out"; names+=("$name"); }
		fi
	done
	[ ${#names[@]} -gt 0 ] || return 0
	"$driver" --bindir="$L4_BINDIR" --inputdir=test --outputdir="$output" --host="$PGHOST" --port="$PGPORT" --user=postgres \
		--dbname="l4_$kind" --load-extension=l4 "${names[@]}" > "$output/report" 2>&1 || true
	count_regress "$kind" < "$output/report"
	if [ $((passed + failed)) -lt $((before + ${#names[@]})) ]; then
		fail "$kind: broke off"
		cat "$output/report"
	fi
	[ -z "${L4_ACCEPT:-}" ] || return 0
	[ ! -s "$output/regression.diffs" ] || head -c 60000 "$output/regression.diffs"
}

test_regress() { run_regress "$L4_PGXS_TEST/regress/pg_regress" regress test/sql .sql "$@"; }
test_isolation() { run_regress "$L4_PGXS_TEST/isolation/pg_isolation_regress" isolation test/specs .spec "$@"; }

# Runs a TAP test, which starts clusters of its own, from the same relocated server. Arguments: those of prove, the last one its
# file.
run_tap() {
	mkdir -p "$L4_WORK/tap"
	env TESTDIR="$L4_WORK/tap" TESTDATADIR="$L4_WORK/tap/data" TESTLOGDIR="$L4_WORK/tap/log" \
		PG_REGRESS="$L4_PGXS_TEST/regress/pg_regress" L4_TOP="$PWD" prove -I "$L4_PGXS_TEST/perl" -I test/t "$@"
}

test_tap() {
	local file files=("$@")
	[ ${#files[@]} -gt 0 ] || files=(test/t/*.pl)
	for file in "${files[@]}"; do
		[ ! -f "$file" ] || check "tap $(basename "$file" .pl)" run_tap --verbose "$file"
	done
}

check_reference() {
	create_database docs
	mkdir -p "$L4_WORK/docs"
	write_reference "$L4_WORK/docs"
	diff -u docs/reference.md "$L4_WORK/docs/reference.md" && diff -u docs/steps.md "$L4_WORK/docs/steps.md" ||
		{ echo 'run "make docs" to write it anew'; return 1; }
}

# The demo, and the README's examples, which use its jobs. In the database demo.
test_demo() {
	export PGDATABASE=demo
	[ ! -f test/data/demo/jobs.csv ] || check 'demo: loads and diagnoses' \
		bash -c 'bash test/demo.sh load && bash test/demo.sh check'
	[ ! -f README.md ] || check 'README runs as written' bash test/check_readme.sh README.md
	check 'names in the texts' bash test/check_names.sh README.md CONTRIBUTING.md docs/*.md
}

# A made-up month of a fleet, in a database of its own.
create_fleet() {
	create_database fleet
	psql_quiet --file=test/fleet_load.sql
}

# The questions of docs/questions.md, and all that the dashboards ask.
test_fleet() {
	check 'fleet: loads and diagnoses' create_fleet
	export PGDATABASE=fleet
	check 'questions run as written' bash test/check_readme.sh docs/questions.md
	check 'panels of the dashboards' bash test/check_grafana.sh docs/grafana/*.json
}

# l4 on a cluster of three. Arguments: folders with labelled jobs.
test_citus() {
	. test/citus.sh
	if ! citus_source; then
		echo "skipped: Citus is not installed beside $("$L4_PG_CONFIG" --version), nor is there one in \$L4_CITUS"
		return
	fi
	citus_link
	export PGPORT=$((PGPORT + 10)) PGDATABASE=postgres
	CITUS_SETTINGS=(jit=off fsync=off shared_buffers=128MB max_connections=200 max_worker_processes=40)
	check 'citus: three servers' citus_start
	check 'citus: l4 on one of them, with jobs' citus_one_server "$@"
	check 'citus: distributed while it is empty' citus_spread spread
	check 'citus: jobs through three nodes' citus_in_turn spread "$L4_WORK/load.sql"
	check 'citus: the same rows as on one server' citus_equal spread
	check 'citus: imports go where the job is' citus_goes_home spread
	check 'citus: a site'"'"'s rule goes to all nodes' citus_shares_rules spread
	check 'citus: aggregates are pushed down' citus_pushes_down spread
	check 'citus: events found anew' citus_reclusters spread
	check 'citus: regression tests on distributed tables, in a database' citus_spread regressed
	check 'citus: regression tests on distributed tables' citus_regress regressed
	check 'citus: workers killed amid imports' citus_kill spread "${L4_CITUS_KILLS:-4}"
	check 'citus: imports that say the same new things at once' citus_together spread
	check 'citus: the lock of shapes' citus_locks spread
	check 'citus: several jobs in one transaction' citus_one_transaction spread
	check 'citus: small files that change' citus_changed spread
	check 'citus: a node more, and jobs move amid imports' citus_grow spread
	check 'citus: a node less' citus_shrink spread
	check 'citus: an update of the extension' citus_update spread
	check 'citus: a dump is one of one server' citus_dump spread
	check 'citus: tenants' citus_tenants
	check 'citus: tenants, and a node more' citus_tenants_grow
	check 'citus: tenants, and an update' citus_tenants_update
	check 'citus: tenants on one server, and again on several' citus_tenants_back
	check 'citus: what is refused' citus_refuses spread
	check 'citus: back to one server' citus_back spread
	check 'citus: distributed with its rows' citus_full
	citus_stop
}

# Builds, starts the server and creates the extension; sets "ready" if all of that went well.
test_start() {
	local before
	check 'layers and sizes' bash test/check_layers.sh
	check 'widths and statements' bash test/check_lines.sh
	check 'numbers that decide are limits' bash test/check_literals.sh
	check 'one door to the rows of jobs' bash test/check_door.sh
	check 'no result hangs on a plan' bash test/check_order.sh
	check 'nothing reads sentences' bash test/check_sentences.sh
	check 'fuzz: corpus and mutations' bash test/fuzz/run.sh short
	check 'simulated flows: what must hold' make -s -C test/generate/flows check
	check 'builds elsewhere, packages' bash test/check_packaging.sh
	before=$failed
	ready=
	check 'build without warnings' build
	[ "$failed" = "$before" ] || return 0
	check 'server starts' start_for_tests
	[ "$failed" = "$before" ] || return 0
	check 'CREATE EXTENSION' create_database demo
	[ "$failed" != "$before" ] || ready=yes
}

report_counts() {
	if cluster_crashed; then
		fail 'the server did not crash'
		cluster_log
	fi
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}

command_test() {
	L4_COPT=-Werror
	test_start		# not as a condition, see check()
	if [ -n "$ready" ]; then
		test_regress
		test_isolation
		test_tap
		check 'the reference is up to date' check_reference
		test_demo
		test_fleet
		test_citus
	fi
	report_counts
}

command_citus() {
	build
	test_citus "$@"
	report_counts
}

# Only some tests. Arguments: the function, names.
command_some() {
	build
	start_for_tests
	"$@"
	report_counts
}

# The same test as among the others, with many more rounds.
command_crash() {
	build
	L4_CRASH_ENDINGS=${1:-500} L4_CRASH_KILLS=${2:-200} run_tap test/t/008_crash.pl
}

# Their library must be the first that the server loads, and begin before all others: where the constructor of one of them (that
# of p11-kit) is what makes it begin, it waits for a lock of that one for ever. What they find ends the backend, and is in the
# server's log.
command_sanitized() {
	local first=$L4_WORK/first.so
	L4_COPT='-Werror -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all' L4_CC=gcc
	gcc -O0 -shared -fPIC -Wl,-z,initfirst -o "$first" -x c - <<-'C'
		#include <stdlib.h>
		__attribute__((constructor)) static void begin(void) { free(malloc(1)); }
	C
	build
	# leaks are palloc's affair; the server looks for the end of its stack itself
	ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0 LD_PRELOAD="$(gcc -print-file-name=libasan.so) $first" \
		start_for_tests 1h
	export L4_RANDOM_CALLS=${1:-100}
	# not the hostile texts of the built-in patterns, which would take an hour: pcre2 is not built with the sanitizers
	test_regress $(cd test/sql && ls | sed 's/\.sql$//' | grep -vx patterns)
	test_isolation
	check 'the sanitizers found nothing' found_nothing
	report_counts
}

found_nothing() { ! grep -E -A 12 'Sanitizer|runtime error:' "$L4_SERVER_LOG"; }

# Needs no server; what it finds is taken back into the corpus.
command_fuzz() { bash test/fuzz/run.sh long "$@"; }

command_accept() {
	local name
	[ $# -gt 0 ] || { echo "l4: which tests?" >&2; exit 1; }
	build
	start_for_tests
	L4_ACCEPT=1
	for name in "$@"; do
		if [ "$name" = README ]; then
			create_database demo
			[ ! -f test/data/demo/jobs.csv ] || bash test/demo.sh load
			bash test/check_readme.sh --accept README.md
			echo README.md >> "$L4_WORK/taken.list"
			continue
		elif [ "$name" = questions ]; then
			create_fleet
			bash test/check_readme.sh --accept docs/questions.md
			echo docs/questions.md >> "$L4_WORK/taken.list"
			continue
		elif [ -f "test/sql/$name.sql" ]; then
			test_regress "$name" >/dev/null
			cp "$L4_WORK/regress/results/$name.out" "expected/$name.out"
		else
			test_isolation "$name" >/dev/null
			cp "$L4_WORK/isolation/results/$name.out" "expected/$name.out"
		fi
		echo "expected/$name.out" >> "$L4_WORK/taken.list"
	done
}

inside_main() {
	# A make that called this must not steer the one called here.
	unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES DATA DESTDIR
	cd "$L4_WORK/l4"
	. test/cluster.sh
	L4_PGXS_TEST=$(dirname "$("$L4_PG_CONFIG" --pgxs)")/../test
	cluster_environment
	trap inside_cleanup EXIT
	case ${1:-} in
		demo | shell | test | docs) "command_$1" ;;
		regress | isolation | tap | fleet) command_some "test_$1" "${@:2}" ;;
		accept) command_accept "${@:2}" ;;
		fuzz | crash | sanitized | citus) "command_$1" "${@:2}" ;;
		bench-*) command_bench "${1#bench-}" "${@:2}" ;;
	esac
}

case ${1:-} in
	demo | shell | test | docs | regress | isolation | tap | fleet | accept | fuzz | crash | sanitized | citus | bench-*) ;;
	*)
		sed -n '2,/^set /s/^# \{0,1\}//p' "$0"
		exit 1
		;;
esac
if [ -z "${L4_WORK:-}" ]; then
	outside_main "$@"
else
	inside_main "$@"
fi
