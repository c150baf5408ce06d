#!/bin/bash
# page.sh: the report as a page, of five different failures, as a browser shows it: at 1,400 and 420 px, light, dark and
# printed.
#
# The failures: the demo's two (an error of the user's code, and what happened on one node), and three generated ones (an
# accelerator off the bus, one that hangs, a node that becomes slow), beside successful jobs of their kind. axe-core looks for
# what keeps people from reading a page. Prints the violations of each page and by how much it is wider than the window; fails
# where a violation is serious or critical, or a page is too wide.
#
# KEEP   a folder that the one who runs it may write to: pages and pictures stay there
#
# Needs Debian's chromium, nodejs and npm ("make bench-page" as root installs them); playwright-core and axe-core come from
# npm's registry into a folder that goes away.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${L4_WORK:-/tmp}/page.XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
out=${KEEP:-$work/out}
mkdir -p "$out"
run_psql() { psql -Xq -v ON_ERROR_STOP=1 "$@"; }

need() {
	local program missing=
	for program in chromium node npm; do
		command -v "$program" > /dev/null || missing="$missing ${program/#%node/nodejs}"
	done
	[ -z "$missing" ] ||
		{ echo "l4: bench-page needs:$missing (as root: apt-get install$missing)" >&2; exit 1; }
	mkdir -p "$work/driver"
	(cd "$work/driver" && npm_config_cache="$work/npm" npm install --silent --no-audit --no-fund --ignore-scripts \
		playwright-core@1 axe-core@4 > "$work/npm.log" 2>&1) ||
		{ tail -n 5 "$work/npm.log" >&2; echo "l4: npm could not install playwright-core and axe-core" >&2; exit 1; }
}

# One generated job. $1 name, $2 status, then options of the generator.
load_job() {
	"$work/generate" --out "$work/logs/$1" --job "$1" --nodes 16 --ranks-per-node 8 --bytes 8M "${@:3}" > /dev/null
	chmod -R a+rX "$work/logs"
	run_psql -v job="$1" -v status="$2" <<-SQL
		SET client_min_messages = warning;
		SELECT l4_register_job(:'job', '{"framework": "Megatron-LM", "model": "generated"}', :'status',
			ARRAY(SELECT 'node-' || lpad(n::text, 4, '0') FROM generate_series(0, 15) n), 8) \\g /dev/null
		CALL l4_import('$1', '$work/logs/$1');
	SQL
	rm -rf "${work:?}/logs/$1"
}

load_jobs() {
	(cd "$here/../.." && bash test/demo.sh load > /dev/null)
	cc -O2 -D_GNU_SOURCE -o "$work/generate" "$here"/../generate/*.c
	mkdir -p "$work/logs"
	load_job ok-1 succeeded --seed 101
	load_job ok-2 succeeded --seed 102
	load_job xid79 failed --seed 1 --fault xid79 --fault-node 5
	load_job straggler failed --seed 2 --fault straggler --fault-node 3
	load_job hang failed --seed 3 --fault hang --fault-node 7
}

need
load_jobs
for job in ds-f02 mg-f11 xid79 straggler hang; do
	run_psql -At -c "SET jit = off" -c "SELECT l4_report('$job', 'html')" > "$out/$job.html"
done
NODE_PATH="$work/driver/node_modules" HOME="$work" node "$here/page.js" "$out" "$(command -v chromium)"
