# citus.sh: a throwaway cluster of three servers with Citus, for the tests of l4_distribute. To be sourced after cluster.sh.
#
# Citus is taken from the system, where a package put it, or from $L4_CITUS, a folder into which it was installed with
# "make install-extension DESTDIR=...". Each node has the parts data/ and log in $L4_WORK/node0 (the coordinator), node1, node2;
# they speak to each other on the loopback, at ports from $PGPORT on.

CITUS_NODES=3
# times that a worker is killed for each import that is to be ended by it
CITUS_TRIES=6
# settings of the nodes, as name=value
CITUS_SETTINGS=()

# The folder that holds Citus' files, below its DESTDIR; says no where there is none.
citus_source() {
	[ -f "${L4_CITUS:-}$("$L4_PG_CONFIG" --pkglibdir)/citus.so" ]
}

# Puts what $L4_CITUS holds into the relocated server.
citus_link() {
	local folder file
	[ -n "${L4_CITUS:-}" ] || return 0
	for folder in "$("$L4_PG_CONFIG" --pkglibdir)" "$("$L4_PG_CONFIG" --sharedir)/extension"; do
		for file in "$L4_CITUS$folder"/citus*; do
			ln -sf "$file" "$L4_ROOT$folder/"
		done
	done
}

citus_port() { echo $((PGPORT + $1)); }

# psql on a node. Arguments: its number, those of psql.
citus_psql() {
	local port
	port=$(citus_port "$1")
	shift
	psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --port="$port" "$@"
}

# The answer of a node, its rows alone and without signs. Arguments: node, database, statement.
citus_ask() { PGOPTIONS='-c client_min_messages=warning' citus_psql "$1" --dbname="$2" -At --command="$3"; }

# Starts a node, or starts it again. Argument: its number.
citus_node_start() {
	"$L4_BINDIR/pg_ctl" --pgdata="$L4_WORK/node$1/data" --log="$L4_WORK/node$1/log" --silent --wait start >&2
}

# Makes and starts a node. Argument: its number.
citus_node_create() {
	local node=$1 setting
	mkdir -p "$L4_WORK/node$node"
	"$L4_BINDIR/initdb" --pgdata="$L4_WORK/node$node/data" --no-sync --encoding=UTF8 --locale=C ${L4_LOCALE:-} --auth=trust \
		--username=postgres > "$L4_WORK/node$node/initdb.log" 2>&1 || { cat "$L4_WORK/node$node/initdb.log" >&2; return 1; }
	{
		echo "listen_addresses = 'localhost'"
		echo "unix_socket_directories = '$L4_WORK/socket'"
		echo "port = $(citus_port "$node")"
		echo "timezone = 'UTC'"
		echo "log_timezone = 'UTC'"
		echo "shared_preload_libraries = 'citus, l4'"
		echo "wal_level = logical"
		echo "max_prepared_transactions = 100"
		echo "citus.max_cached_conns_per_worker = 4"
		for setting in "${CITUS_SETTINGS[@]}"; do
			echo "${setting%%=*} = '${setting#*=}'"
		done
	} >> "$L4_WORK/node$node/data/postgresql.conf"
	citus_node_start "$node"
}

# Makes the cluster. PGPORT is that of its coordinator.
citus_start() {
	local node
	mkdir -m 700 -p "$L4_WORK/socket"
	for node in $(seq 0 $((CITUS_NODES - 1))); do
		citus_node_create "$node"
	done
}

# An empty database of a node. Arguments: its number, name of the database.
citus_empty_database() {
	citus_psql "$1" --dbname=postgres --command="SET citus.enable_create_database_propagation = off" \
		--command="CREATE DATABASE $2 TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'"
}

# A database on all nodes that know each other, with l4. Arguments: its name, the schema of l4.
citus_database() {
	local node
	for node in $(seq 0 $((CITUS_NODES - 1))); do
		citus_empty_database "$node" "$1"
		citus_psql "$node" --dbname="$1" --command='CREATE EXTENSION citus' --command='SET citus.enable_ddl_propagation = off' \
			--command="ALTER DATABASE $1 SET search_path = ${2:-public}"
	done
	citus_psql 0 --dbname="$1" --output=/dev/null --command="SELECT citus_set_coordinator_host('localhost', $PGPORT)"
	for node in $(seq 1 $((CITUS_NODES - 1))); do
		citus_psql 0 --dbname="$1" --output=/dev/null --command="SELECT citus_add_node('localhost', $(citus_port "$node"))"
	done
	citus_ask 0 "$1" "CREATE SCHEMA IF NOT EXISTS ${2:-public}"
	citus_psql 0 --dbname="$1" --command="CREATE EXTENSION l4 SCHEMA ${2:-public}"
}

citus_stop() {
	local data
	for data in "$L4_WORK"/node*/data; do
		[ ! -f "$data/postmaster.pid" ] ||
			"$L4_BINDIR/pg_ctl" --pgdata="$data" --silent --mode=immediate --wait stop >/dev/null 2>&1 || true
	done
}

# Runs a file of SQL on nodes in turn, a statement a node: each line of the file is one statement. Arguments: database, file.
citus_in_turn() {
	local database=$1 line node=0
	while IFS= read -r line; do
		PGOPTIONS='-c client_min_messages=warning' citus_psql "$node" --dbname="$database" --output=/dev/null --command="$line"
		node=$(((node + 1) % CITUS_NODES))
	done < "$2"
}

# Statements that register and import jobs, the successful ones first: those of test/data/demo, and those below the given
# folders, each of which has a folder with job.json and an archive of logs.
citus_load_statements() {
	local file folder
	{
		[ $# = 0 ] || find "$@" -name job.json
	} | LC_ALL=C sort | while read -r file; do
		folder=$(dirname "$file")
		printf '%s\t' "$folder"
		tr -d '\n' < "$file" | sed 's/\\/\\\\/g; s/\t/ /g'
		echo
	done > "$L4_WORK/labelled.tsv"
	citus_psql 0 --tuples-only --no-align --dbname=postgres --set=folder="$PWD/test/data/demo" <<-SQL
		CREATE TEMP TABLE job (job_id text, status text, settings jsonb, nodes text[], ranks_per_node int,
			started_at timestamptz, archive text);
		\\copy job (job_id, status, settings, nodes, ranks_per_node, started_at) from 'test/data/demo/jobs.csv' csv header
		UPDATE job SET archive = :'folder' || '/' || job_id || '.tar.gz';
		CREATE TEMP TABLE labelled (folder text, job jsonb);
		\\copy labelled from '$L4_WORK/labelled.tsv'
		INSERT INTO job SELECT l.job ->> 'job_id', CASE l.job ->> 'status' WHEN 'success' THEN 'succeeded' ELSE 'failed' END,
			l.job -> 'settings', ARRAY(SELECT jsonb_array_elements_text(l.job -> 'nodes')),
			(l.job -> 'settings' ->> 'ranks_per_node')::int, NULL, l.folder || '/' || (l.job ->> 'job_id') || '.tar.gz'
			FROM labelled l WHERE NOT EXISTS (SELECT FROM job j WHERE j.job_id = l.job ->> 'job_id');
		SELECT statement
		FROM job, LATERAL (VALUES
			(1, format('SELECT l4_register_job(job_id => %L, settings => %L, status => %L, nodes => %L, ranks_per_node => %L, '
				'started_at => %L);', job_id, settings, status, nodes, ranks_per_node, started_at)),
			(2, format('CALL l4_import(%L, %L);', job_id, archive))) AS step (position, statement)
		ORDER BY status <> 'succeeded', started_at, job_id COLLATE "C", position;
	SQL
}

# All that is found out about all jobs, asked on a node. Arguments: node, database.
citus_findings() {
	citus_psql "$1" --dbname="$2" --tuples-only --no-align --command="SELECT format('
		SELECT %1\$L, f.* FROM l4_diagnose(%1\$L) f;
		SELECT l4_report(%1\$L, ''html'', NULL);
		SELECT %1\$L, count(*), sum(hashtext(l::text)) FROM l4_log l WHERE job_id = %1\$L;
		SELECT %1\$L, g.* FROM l4_grep(%1\$L, ''(?i)error'') g ORDER BY source, line_no, part;', j.job_id)
		FROM l4_job j ORDER BY j.job_id COLLATE \"C\"" > "$L4_WORK/ask.sql"
	citus_psql "$1" --dbname="$2" --tuples-only --no-align --file="$L4_WORK/ask.sql"
	citus_psql "$1" --dbname="$2" --tuples-only --no-align --command="TABLE l4_job_nodes ORDER BY 1, 2" \
		--command="SELECT to_jsonb(f) - 'imported_at' FROM l4_failures f ORDER BY f.job_id" \
		--command="SELECT j.job_id, j.status, j.nodes, j.ranks, j.files, j.records, j.bytes, j.last_iteration
			FROM l4_job_facts j ORDER BY 1" \
		--command="SELECT f.fault_key, f.jobs, f.occurrences FROM l4_fault_statistics f WHERE f.jobs > 0 ORDER BY 1" \
		--command="SELECT l::text FROM l4_lost_hours l ORDER BY 1" \
		--command="SELECT to_jsonb(n) - 'last_used_at' FROM l4_fleet_nodes n ORDER BY n.node" \
		--command="SELECT h.shape_id, h.shape, h.event_id, h.tentative FROM l4_shape h ORDER BY 1" \
		--command="TABLE l4_pool_event ORDER BY 1, 2"
}

# The same rows, whichever node is asked, as on one server.
citus_equal() {
	local node
	for node in $(seq 0 $((CITUS_NODES - 1))); do
		citus_findings "$node" "$1" > "$L4_WORK/findings.$node"
		diff "$L4_WORK/findings.one" "$L4_WORK/findings.$node" || { echo "node $node finds something else"; return 1; }
	done
	echo "figures: $(citus_ask 0 one 'SELECT count(*) FROM l4_job') jobs, $(wc -l < "$L4_WORK/findings.one") lines of answers" \
		"equal on $CITUS_NODES nodes"
}

# What a cluster has left behind on any node, a line each: tables of l4 that Citus knows, and shards. Argument: database.
citus_remains() {
	local node
	for node in $(seq 0 $((CITUS_NODES - 1))); do
		citus_ask "$node" "$1" "SELECT 'node $node: ' || logicalrelid::text FROM pg_dist_partition
			WHERE logicalrelid::text ~ '^l4_'
			UNION ALL SELECT 'node $node: ' || relname FROM pg_class WHERE relname ~ '^l4_.*_[0-9]{6}$'"
	done
}

# What there is of a job: lines by the counts of its streams, records and bytes by its log. Arguments: database, job.
citus_lines() {
	citus_ask 0 "$1" "SELECT sum(s.line_count), (SELECT count(*) || ' ' || sum(octet_length(l.raw_bytes)) FROM l4_log l
		WHERE l.job_id = '$2') FROM l4_stream s WHERE s.job_id = '$2'"
}

# Events found anew from all shapes, which changes nothing that lasts, are those of one server. Argument: database.
citus_reclusters() {
	local of
	for of in one "$1"; do
		citus_ask 0 "$of" "BEGIN; SELECT l4_recluster(5, 0.6); SELECT h.shape_id, h.event_id FROM l4_shape h ORDER BY 1;
			SELECT e.event_id, e.template FROM l4_event e ORDER BY 1; ROLLBACK" > "$L4_WORK/events.$of"
	done
	diff "$L4_WORK/events.one" "$L4_WORK/events.$1"
	[ "$(wc -l < "$L4_WORK/events.one")" -gt 100 ]
}

# The number of the node that has the rows of a job. Arguments: database, job.
citus_home() {
	citus_ask 0 "$1" "SELECT d.nodeport - $PGPORT FROM pg_dist_placement p JOIN pg_dist_node d USING (groupid)
		WHERE p.shardid = get_shard_id_for_distribution_column('l4_job', '$2'::text)"
}

# Kills all processes of a node at once, and starts it again. Argument: its number.
citus_node_kill() {
	local postmaster
	postmaster=$(head -n 1 "$L4_WORK/node$1/data/postmaster.pid")
	kill -9 "$postmaster" $(pgrep -P "$postmaster") 2>/dev/null || true
	rm -f "$L4_WORK/node$1/data/postmaster.pid"
	# one that began as the others were killed goes by itself
	until citus_node_start "$1" 2>/dev/null; do sleep 0.5; done
}

# Kills the worker of a job amid its import, until so many imports were ended by it, some being done before; afterwards each
# import is called again. No line is lost or doubled. Arguments: database, imports.
citus_kill_imports() {
	local database=$1 time=0 job=ds-f02 lines pid call home ended=0 began takes
	lines=$(citus_lines "$database" "$job")
	# how long an import takes that nobody disturbs: it is hit somewhere within
	citus_ask 0 "$database" "SELECT l4_register_job('killed-0', status => 'failed')"
	began=$(date +%s%3N)
	citus_ask 0 "$database" "CALL l4_import('killed-0', '$PWD/test/data/demo/$job.tar.gz')" || return 1
	takes=$(($(date +%s%3N) - began))
	while [ "$ended" -lt "$2" ]; do
		[ $((time += 1)) -le $((CITUS_TRIES * $2)) ] || { echo "only $ended imports were ended"; return 1; }
		call="CALL l4_import('killed-$time', '$PWD/test/data/demo/$job.tar.gz')"
		citus_ask 0 "$database" "SELECT l4_register_job('killed-$time', status => 'failed')"
		home=$(citus_home "$database" "killed-$time")
		citus_ask 0 "$database" "$call" >/dev/null 2>&1 &
		pid=$!
		sleep "$(awk -v t="$takes" -v i="$time" 'BEGIN { print t * (i % 10) / 10000 }')"
		citus_node_kill "$home"
		wait "$pid" || ended=$((ended + 1))
		citus_ask 0 "$database" "$call" > "$L4_WORK/again" 2>&1 || { cat "$L4_WORK/again"; return 1; }
		[ "$(citus_lines "$database" "killed-$time")" = "$lines" ] ||
			{ echo "lines are lost or doubled: killed-$time"; return 1; }
	done
	echo "figures: a worker killed in $time imports, $ended of which it ended; after another call no line is lost or doubled"
}

# The same, and leaves nothing behind, whatever it finds: others compare all jobs.
citus_kill() {
	local result=0
	citus_kill_imports "$@" || result=1
	citus_delete "$1" killed-
	return "$result"
}

# Deletes the jobs whose names begin so. Arguments: database, beginning.
citus_delete() {
	citus_ask 0 "$1" "SELECT l4_delete_job(d)
		FROM unnest(ARRAY(SELECT job_id FROM l4_job WHERE job_id LIKE '$2%')) d" > /dev/null
}

# Imports that begin all at once, on all nodes, whose logs say the same that no job said before: rows of l4_shape have copies on
# all nodes. Argument: database.
citus_together() {
	local import imports=() lines
	for import in $(seq 1 10); do
		mkdir -p "$L4_WORK/together/$import"
		# each in an order of its own
		for lines in {a..j}{a..j}; do echo "the ${lines:0:1} statement ${lines:1:1}$lines begins to work"; done |
			sort --random-sort --random-source=<(yes "$import") > "$L4_WORK/together/$import/rank0.log"
		citus_ask 0 "$1" "SELECT l4_register_job('together-$import', status => 'failed')" > /dev/null
	done
	for import in $(seq 1 10); do
		citus_ask $((import % CITUS_NODES)) "$1" "CALL l4_import('together-$import', '$L4_WORK/together/$import')" &
		imports+=($!)
	done
	for import in "${imports[@]}"; do wait "$import" || { echo "an import failed"; return 1; }; done
	lines=$(citus_ask 0 "$1" "SELECT count(*), min(c.shapes), max(c.shapes) FROM (SELECT count(DISTINCT l.shape_id) AS shapes
		FROM l4_log l WHERE l.job_id LIKE 'together-%' GROUP BY l.job_id) c")
	[ "$lines" = '10|100|100' ] || { echo "jobs, and shapes of each: $lines"; return 1; }
	citus_delete "$1" together-
}

# Who has the lock of shapes shared on one node keeps out whoever wants it for himself on another, and the other way round; who
# shares it on another does not wait. Argument: database.
citus_locks() {
	local shared holder patient="SET statement_timeout = 1000; SELECT l4_lock('l4_shape', NULL"
	for shared in true false; do
		mkfifo "$L4_WORK/hold"
		citus_psql 1 --dbname="$1" -At < "$L4_WORK/hold" > "$L4_WORK/held" &
		holder=$!
		exec 7> "$L4_WORK/hold"
		echo "BEGIN; SELECT l4_lock('l4_shape', NULL, $shared);" >&7
		until [ -s "$L4_WORK/held" ]; do sleep 0.1; done
		citus_refused 2 "$1" "$patient, NOT $shared)" 'statement timeout' || return 1
		[ "$shared" = false ] || citus_ask 2 "$1" "$patient, true)" || return 1
		exec 7>&-
		wait "$holder"
		rm "$L4_WORK/hold" "$L4_WORK/held"
	done
}

# Several jobs in one transaction, after a query on all of them: each shard has a session of its own then, of which one alone
# writes the new rows of l4_shape. The nodes of ranks are learnt from those. Argument: database.
citus_one_transaction() {
	local found
	found=$(citus_ask 0 "$1" "SET citus.force_max_query_parallelization = on; BEGIN; SELECT FROM l4_stream;
		SELECT FROM generate_series(1, 4) i, l4_register_job('at-once-' || i, status => 'failed');
		SELECT FROM generate_series(1, 4) i, l4_ingest('at-once-' || i, format(\$query\$
			SELECT format('rank%%s | %s turn, host gpu-%%s', r, r / 2) AS line, 'job.out' AS source
			FROM generate_series(0, 7) r\$query\$, chr(96 + i)));
		SELECT s.job_id, count(s.told_node) FROM l4_stream s WHERE s.job_id LIKE 'at-once-%' GROUP BY 1 ORDER BY 1; ROLLBACK" |
		grep at-once | paste -sd' ')
	[ "$found" = 'at-once-1|8 at-once-2|8 at-once-3|8 at-once-4|8' ] || { echo "nodes learnt: $found"; return 1; }
}

# Small files that came in together, of which too few to share rows anew are written again: they leave the rows that they
# shared. Argument: database.
citus_changed() {
	local file found before sharing="SELECT count(s.bundle_id) FROM l4_stream s WHERE s.job_id = 'changed'"
	mkdir -p "$L4_WORK/changed"
	for file in {1..20}; do echo "file $file begins to work" > "$L4_WORK/changed/rank$file.log"; done
	citus_ask 0 "$1" "SELECT l4_register_job('changed', status => 'failed')" > /dev/null
	citus_ask 1 "$1" "CALL l4_import('changed', '$L4_WORK/changed')" > /dev/null || return 1
	before=$(citus_ask 0 "$1" "$sharing")
	for file in {3..9}; do echo "file $file was written anew" > "$L4_WORK/changed/rank$file.log"; done
	citus_ask 2 "$1" "CALL l4_import('changed', '$L4_WORK/changed')" > /dev/null || return 1
	found=$(citus_ask 0 "$1" "SELECT count(*), count(*) FILTER (WHERE l.raw ~ 'anew'), ($sharing) < $before
		FROM l4_log l WHERE l.job_id = 'changed'")
	citus_delete "$1" changed
	[ "$found" = '20|7|t' ] || { echo "lines, new ones, do fewer share rows than $before: $found"; return 1; }
}

# Imports without end, one after the other, until there is no $L4_WORK/moving. Arguments: database, number.
citus_import_meanwhile() {
	local database=$1 jobs=(ds-f02 mg-f11 ds-ok-01 mg-ok-02) turn=0 job
	while [ -e "$L4_WORK/moving" ]; do
		job=${jobs[$((($2 + turn) % 4))]}
		citus_ask 0 "$database" "SELECT l4_register_job('moved-$2-$turn', status => 'failed',
			settings => jsonb_build_object('copy of', '$job'))"
		citus_ask $((($2 + turn) % 3)) "$database" "CALL l4_import('moved-$2-$turn', '$PWD/test/data/demo/$job.tar.gz',
			workers => $((1 + $2 % 2)))"
		turn=$((turn + 1))
	done
}

# Runs statements on the coordinator while ten imports are under way at any time; no line is lost or doubled. Arguments:
# database, statements.
citus_amid_imports() {
	local database=$1 import imports=() statement
	shift
	touch "$L4_WORK/moving"
	for import in $(seq 1 10); do
		citus_import_meanwhile "$database" "$import" &
		imports+=($!)
	done
	for statement in "$@"; do
		citus_ask 0 "$database" "$statement" || { echo "failed: $statement"; rm "$L4_WORK/moving"; wait; return 1; }
	done
	rm "$L4_WORK/moving"
	for import in "${imports[@]}"; do wait "$import" || { echo "an import failed"; return 1; }; done
	citus_ask 0 "$database" "WITH
		line AS MATERIALIZED (SELECT l.job_id, count(*), sum(hashtext(concat(l.source, l.line_no, l.part, l.raw)))
			FROM l4_log l GROUP BY l.job_id),
		job AS MATERIALIZED (SELECT j.job_id, j.settings ->> 'copy of' AS original FROM l4_job j)
		SELECT 'lost or doubled: ' || m.job_id FROM job m LEFT JOIN line l ON l.job_id = m.job_id
		LEFT JOIN line o ON o.job_id = m.original WHERE m.job_id LIKE 'moved-%'
			AND (l.count, l.sum) IS DISTINCT FROM (o.count, o.sum)" > "$L4_WORK/unequal"
	[ ! -s "$L4_WORK/unequal" ] || { cat "$L4_WORK/unequal"; return 1; }
	citus_ask 0 "$database" "SELECT 'figures: ' || count(*) || ' jobs imported, ten at a time: no line lost or doubled'
		FROM l4_job WHERE job_id LIKE 'moved-%'"
	citus_delete "$database" moved-
}

# How many shards of a table a node has. Arguments: database, number of the node.
citus_shards() {
	citus_ask 0 "$1" "SELECT count(*)
		FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid) JOIN pg_dist_node d USING (groupid)
		WHERE s.logicalrelid = 'l4_segment'::regclass AND d.nodeport = $(citus_port "$2")"
}

# A node more for a database. Arguments: the database, the schema of l4.
citus_add() {
	if [ -d "$L4_WORK/node3" ]; then citus_node_start 3; else citus_node_create 3; fi
	citus_empty_database 3 "$1"
	citus_psql 3 --dbname="$1" --command='CREATE EXTENSION citus' --command='SET citus.enable_ddl_propagation = off' \
		--command="ALTER DATABASE $1 SET search_path = ${2:-public}"
	citus_ask 0 "$1" "SELECT citus_add_node('localhost', $(citus_port 3))"
}

# A node more, and jobs move there while others are imported. Until it is ready it says so.
citus_grow() {
	local CITUS_NODES=4
	citus_ask 0 "$1" "INSERT INTO l4_wording (name, class, pattern) VALUES ('site', 'fatal', 'of this site')"
	citus_add "$1"
	citus_refused 3 "$1" "SELECT l4_delete_job('ds-f02')" 'not ready for l4'
	citus_amid_imports "$1" 'SELECT l4_distribute()' 'SELECT citus_rebalance_start()' 'SELECT citus_rebalance_wait()'
	[ "$(citus_shards "$1" 3)" -gt 0 ] || { echo "no shard moved"; return 1; }
	[ "$(citus_ask 3 "$1" "SELECT count(*) FROM l4_wording WHERE name = 'site'")" = 1 ] ||
		{ echo "without the site's rule"; return 1; }
	citus_ask 3 "$1" "DELETE FROM l4_wording WHERE name = 'site'"
	citus_equal "$1"
}

# The node goes again.
citus_shrink() {
	local port
	port=$(citus_port 3)
	citus_amid_imports "$1" "SELECT citus_drain_node('localhost', $port)" "SELECT citus_remove_node('localhost', $port)"
	"$L4_BINDIR/pg_ctl" --pgdata="$L4_WORK/node3/data" --silent --mode=immediate --wait stop
	citus_equal "$1"
}

# The script that brings a version l4 never had up to this one. Argument: the version, and what that changes in tables.
citus_update_script() {
	local new
	new=$(sed -n "s/^default_version *= *'\(.*\)'/\1/p" l4.control)
	{
		cat sql/upgrade/1_drop.sql
		echo "$2"
		cat sql/upgrade/3_rows.sql
		cat sql/[0-9][0-9]_*.sql | awk -f sql/upgrade/script.awk
		cat sql/upgrade/4_grants.sql
	} > "$L4_ROOT$("$L4_PG_CONFIG" --sharedir)/extension/l4--$1--$new.sql"
}

# Makes all nodes believe that they have a version. Arguments: database, version.
citus_version() {
	local node
	for node in $(seq 0 $((CITUS_NODES - 1))); do
		citus_ask "$node" "$1" "UPDATE pg_extension SET extversion = '$2' WHERE extname = 'l4'"
	done
}

# An update of the extension, on all nodes: functions and views are made anew, and made ready for the cluster by another call of
# l4_distribute. One that changes tables is refused.
citus_update() {
	citus_update_script 0.0.1 ''
	citus_update_script 0.0.2 'ALTER TABLE @extschema@.l4_job ADD COLUMN newer text;'
	citus_version "$1" 0.0.2
	citus_refused 0 "$1" 'ALTER EXTENSION l4 UPDATE' 'changes tables'
	citus_version "$1" 0.0.1
	citus_ask 0 "$1" 'ALTER EXTENSION l4 UPDATE'
	citus_refused 0 "$1" "SELECT count(*) FROM l4_diagnose('ds-f02')" 'not ready for l4'
	citus_ask 0 "$1" 'SELECT l4_distribute()'
	citus_goes_home "$1"
	citus_equal "$1"
}

# A dump of the coordinator is one of one server, which may be distributed again.
citus_dump() {
	citus_empty_database 0 restored
	pg_dump --port="$PGPORT" --dbname="$1" --format=custom --file="$L4_WORK/dump"
	pg_restore --port="$PGPORT" --dbname=restored --exit-on-error "$L4_WORK/dump"
	[ "$(citus_ask 0 restored 'SELECT l4_is_distributed()')" = f ]
	citus_findings 0 restored > "$L4_WORK/findings.restored"
	diff "$L4_WORK/findings.one" "$L4_WORK/findings.restored"
	citus_ask 0 postgres 'DROP DATABASE restored WITH (FORCE)'
}

# A database of one server, with the jobs, to compare with. Arguments: folders with labelled jobs.
citus_one_server() {
	citus_load_statements "$@" > "$L4_WORK/load.sql"
	citus_empty_database 0 one
	citus_psql 0 --dbname=one --command='CREATE EXTENSION l4'
	PGOPTIONS='-c client_min_messages=warning' citus_psql 0 --dbname=one --output=/dev/null --file="$L4_WORK/load.sql"
	citus_findings 0 one > "$L4_WORK/findings.one"
	[ "$(wc -l < "$L4_WORK/findings.one")" -gt 1000 ]
}

# A database of the cluster, with l4 distributed over its nodes. Argument: its name.
citus_spread() {
	citus_database "$1"
	citus_ask 0 "$1" 'SELECT l4_distribute(4)'
	[ "$(citus_ask 1 "$1" 'SELECT l4_is_distributed()')" = t ]
}

# The rows of each job lie on one worker, none on the coordinator, and a diagnosis is planned for the node of its job.
citus_goes_home() {
	citus_ask 0 "$1" "EXPLAIN (COSTS OFF) SELECT l4_findings_in_zone(j.job_id, true, 'UTC') FROM l4_job j
		WHERE j.job_id = 'ds-f02'" | tee "$L4_WORK/plan"
	grep -q 'Task Count: 1' "$L4_WORK/plan"
	[ "$(citus_ask 0 "$1" "SELECT count(DISTINCT d.nodeport) || ' ' ||
		count(*) FILTER (WHERE d.groupid = 0) FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid)
		JOIN pg_dist_node d USING (groupid) WHERE s.logicalrelid = 'l4_segment'::regclass")" = '2 0' ]
}

# Aggregates of l4 over rows of several nodes: each node makes states of its own rows, where Citus may not fetch these (no row
# of the table comes to the coordinator), and the result is that of one table. Grouped by another column than that by which
# the table is distributed, and not grouped at all. (States of l4_iforest_collect and l4_dtw_collect are not compared: they have
# values in the order in which they came.) Argument: database.
citus_pushes_down() {
	citus_psql 0 --dbname="$1" --output=/dev/null --command="SET client_min_messages = warning" \
		--command="CREATE TABLE said AS SELECT 'job-' || i % 7 AS job, 'node-' || i % 5 AS node, i::bigint AS at,
			format('step %s of %s took %s s', i, 100 * (i % 3), i % 11) AS line, 'f' || i % 4 AS feature,
			(i * 37 % 101)::float8 + CASE WHEN i % 5 = 3 THEN 50 ELSE 0 END AS value,
			ARRAY[i % 13, i % 17]::bigint[] AS events
			FROM generate_series(1, 2000) i" \
		--command="CREATE TABLE spread_said (LIKE said)" \
		--command="SELECT create_distributed_table('spread_said', 'job')" \
		--command="INSERT INTO spread_said SELECT * FROM said"
	local aggregate group turn=0 of
	for aggregate in 'l4_drain(line)' 'l4_drain(line, 4, 0.5, 5)' 'l4_drain_state(line)' \
		'l4_iforest_rank(node, feature, value)' 'l4_iforest_rank(node, at % 4, value)' 'l4_dtw_scores(at, events)' \
		'l4_connected_components(job, node)' 'l4_change_points(at, value)' \
		'l4_online_change_points(at, value)' 'l4_period(at)'; do
		for group in node "''"; do
			for of in said spread_said; do
				citus_ask 0 "$1" "SET citus.coordinator_aggregation_strategy = 'disabled';
					SELECT g, md5(s::text) FROM (SELECT $group AS g, $aggregate AS s FROM $of GROUP BY 1) a
					ORDER BY g" > "$L4_WORK/$of" || { echo "not pushed down: $aggregate by $group"; return 1; }
			done
			diff "$L4_WORK/said" "$L4_WORK/spread_said" || { echo "not the same: $aggregate by $group"; return 1; }
			turn=$((turn + 1))
		done
	done
	citus_ask 0 "$1" "EXPLAIN (VERBOSE, COSTS OFF) SELECT node, l4_drain(line) FROM spread_said GROUP BY 1" > "$L4_WORK/plan"
	grep -q 'worker_partial_agg' "$L4_WORK/plan"
	! citus_ask 0 "$1" "SET citus.coordinator_aggregation_strategy = 'disabled';
		SELECT node, string_agg(line, ',' ORDER BY at) FROM spread_said GROUP BY 1" > /dev/null 2>&1 ||
		{ echo 'the setting refuses nothing'; return 1; }
	citus_ask 0 "$1" 'DROP TABLE said, spread_said'
	echo "figures: $turn queries are pushed down"
}

# Two tenants on the cluster: what each sees and may do, asked on these nodes. See test/citus/tenants.pl.
citus_tenants_look() {
	local node ports=()
	for node in "$@"; do ports+=("$(citus_port "$node")"); done
	run_tap --verbose test/citus/tenants.pl :: "$L4_WORK/socket" "$PGPORT" "${ports[@]}" ||
		{ tail -n 20 "$L4_WORK/tap/tmp_check/log/regress_log_tenants"; return 1; }
}

citus_tenants() {
	citus_database apart l4
	citus_ask 0 apart 'SELECT l4_distribute(4)'
	citus_ask 0 apart 'CREATE POLICY theirs ON l4_job AS RESTRICTIVE USING (true)'
	citus_refused 0 apart 'SELECT l4_enable_tenancy()' 'policy "theirs" of table "l4.l4_job" shows rows to others'
	citus_ask 0 apart 'DROP POLICY theirs ON l4_job'
	citus_refused 0 apart 'BEGIN; CREATE TABLE mine (); SELECT l4_enable_tenancy()' 'in a transaction of its own'
	citus_refused 0 apart 'BEGIN; CREATE TABLE mine (); SELECT l4_create_roles()' 'in a transaction of its own'
	citus_tenants_look 0 1 2
}

# A node that comes later has the roles, their rights and the policies as well, and so have shards that move there.
citus_tenants_grow() {
	citus_add apart l4
	citus_ask 0 apart 'SELECT l4_distribute()'
	citus_ask 0 apart 'SELECT citus_rebalance_start()'
	citus_ask 0 apart 'SELECT citus_rebalance_wait()'
	[ "$(citus_shards apart 3)" -gt 0 ] || { echo "no shard moved"; return 1; }
	citus_tenants_look 3
	citus_ask 0 apart "SELECT citus_drain_node('localhost', $(citus_port 3))"
	citus_ask 0 apart "SELECT citus_remove_node('localhost', $(citus_port 3))"
	"$L4_BINDIR/pg_ctl" --pgdata="$L4_WORK/node3/data" --silent --mode=immediate --wait stop
}

# They stay apart over an update of the extension, of which the scripts are those of citus_update.
citus_tenants_update() {
	citus_version apart 0.0.1
	citus_ask 0 apart 'ALTER EXTENSION l4 UPDATE'
	citus_ask 0 apart 'SELECT l4_distribute()'
	citus_ask 0 apart 'SELECT l4_enable_tenancy()'
	citus_tenants_look 1
}

# Tenants stay apart when l4 becomes one of one server, and when it is distributed again.
citus_tenants_back() {
	local of
	for of in t f; do
		citus_ask 0 apart "$([ "$of" = t ] && echo 'SELECT l4_undistribute()' || echo 'SELECT l4_distribute(4)')"
		citus_tenants_look 0
		[ "$(citus_ask 0 apart "SELECT count(*) = 0 FROM l4_job_tenant")" = "$of" ]
	done
	citus_tenants_look 2
	citus_ask 0 apart 'SELECT l4_disable_tenancy()'
	[ "$(citus_ask 1 apart 'SET ROLE tenant_b; SELECT l4_tenancy(), count(*) FROM l4_job')" = 'f|8' ]
}

# The regression tests that are not run on distributed tables, each with what is in its way.
citus_unfit() {
	cat <<-'LIST'
		calls           counts calls on the server that is asked
		catalog         lists settings and triggers, which a cluster has others of
		columns         functions of its session (pg_temp) over tables of jobs
		counts          joins tables of jobs with temporary ones; plans
		diagnose        joins tables of jobs with local ones
		distribute      distributes by itself
		evaluate        subqueries in VALUES; messages that name the shard
		flow_job_report a role that may not log in on other nodes
		flow_steps      flows are of one node, and are asked for by a query that goes to others
		flows           a role that may not log in
		ingest          roles that may not log in
		log             drops the extension; functions of its session
		own_rules       functions of its session over tables of jobs
		patterns        warnings of other nodes come with their details
		report          the page of a job of very many nodes, made by a step away from its node: minutes
		retention       roles that may not log in
		search          plans; subqueries in the list of a SELECT
		shapes          correlated subqueries over tables of which all nodes have a copy
		words           messages that name the shard
	LIST
}

# Runs all other regression tests in a database of the cluster. Its objects of the session are of the coordinator alone, without
# a warning. Argument: database.
citus_regress() {
	local file name names=()
	for file in test/sql/*.sql; do
		name=$(basename "$file" .sql)
		citus_unfit | grep -q "^$name " || names+=("$name")
	done
	mkdir -p "$L4_WORK/citus_regress"
	PGOPTIONS='-c citus.enable_ddl_propagation=off' "$(dirname "$("$L4_PG_CONFIG" --pgxs)")/../test/regress/pg_regress" \
		--bindir="$L4_BINDIR" --inputdir=test --outputdir="$L4_WORK/citus_regress" --host="$PGHOST" --port="$PGPORT" \
		--user=postgres --dbname="$1" --use-existing "${names[@]}" > "$L4_WORK/citus_regress/report" 2>&1 ||
		{ grep -E 'FAILED|^not ok' "$L4_WORK/citus_regress/report"
			head -c 60000 "$L4_WORK/citus_regress/regression.diffs"; return 1; }
	echo "figures: ${#names[@]} regression tests pass, $(citus_unfit | wc -l) cannot be run"
}

# What is changed on a worker is so on the coordinator, and what is rolled back is nowhere.
citus_shares_rules() {
	citus_ask 1 "$1" "INSERT INTO l4_wording (name, class, pattern) VALUES ('site', 'fatal', 'of this site')"
	citus_ask 1 "$1" "BEGIN; DELETE FROM l4_wording WHERE name = 'site'; ROLLBACK"
	[ "$(citus_ask 0 "$1" "SELECT count(*) FROM l4_wording WHERE name = 'site'")" = 1 ]
	citus_ask 0 "$1" "DELETE FROM l4_wording WHERE name = 'site'"
	[ "$(citus_ask 2 "$1" "SELECT count(*) FROM l4_wording WHERE name = 'site'")" = 0 ]
}

# A statement is refused. Arguments: node, database, statement, what the refusal says.
citus_refused() {
	! citus_ask "$1" "$2" "$3" 2> "$L4_WORK/refusal" || { echo "not refused: $3"; return 1; }
	grep "$4" "$L4_WORK/refusal" || { echo "refused otherwise: $3"; cat "$L4_WORK/refusal"; return 1; }
}

citus_refuses() {
	citus_refused 0 "$1" 'DROP EXTENSION l4 CASCADE' 'while it is distributed'
	citus_refused 1 "$1" 'SELECT l4_enable_tenancy()' 'not the coordinator'
	citus_refused 1 "$1" 'SELECT l4_undistribute()' 'not the coordinator'
	# which Citus would not survive
	citus_refused 0 "$1" "CALL l4_import(NULL, '/tmp')" 'needs a job_id'
}

# All rows come back to the coordinator, and nothing stays elsewhere.
citus_back() {
	citus_ask 0 "$1" 'SELECT l4_undistribute()'
	citus_remains "$1" > "$L4_WORK/remains"
	[ ! -s "$L4_WORK/remains" ] || { cat "$L4_WORK/remains"; return 1; }
	citus_findings 0 "$1" > "$L4_WORK/findings.back"
	diff "$L4_WORK/findings.one" "$L4_WORK/findings.back"
	citus_ask 0 "$1" 'DROP EXTENSION l4 CASCADE'
}

# An installation with jobs is distributed, and gives the same answers.
citus_full() {
	citus_database filled
	PGOPTIONS='-c client_min_messages=warning' citus_psql 0 --dbname=filled --output=/dev/null --file="$L4_WORK/load.sql"
	citus_ask 0 filled 'SELECT l4_distribute(4)'
	citus_equal filled
}
