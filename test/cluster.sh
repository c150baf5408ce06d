# cluster.sh: a private, throwaway PostgreSQL for demo, tests and benchmarks. To be sourced.
#
# A server looks for extensions only in its own folders, which belong to the system. So that nothing is installed there,
# and two checkouts can be tested at the same time, the server's programs are copied into the work folder (all else is linked):
# PostgreSQL finds its libraries and shared files relative to the program that runs.
#
# Needs L4_WORK, a folder of the calling user's own. Gives it the parts
#   root/    the relocated server; "make install DESTDIR=$L4_WORK/root" installs into it
#   data/    the cluster, socket/ its socket, server.log its log

L4_ROOT=$L4_WORK/root
L4_SERVER_LOG=$L4_WORK/server.log
# As a path, for the relocated server has a pg_config too, and that is to come first in PATH.
L4_PG_CONFIG=$(command -v "${PG_CONFIG:-pg_config}")
L4_BINDIR=$L4_ROOT$("$L4_PG_CONFIG" --bindir)

# Links everything in folder $1 but l4's own files into the same folder below the root.
tree_link() {
	local entry
	mkdir -p "$L4_ROOT$1"
	for entry in "$1"/*; do
		case ${entry##*/} in
			l4.so | l4.control | l4--*.sql | bitcode | extension) ;;
			*) ln -s "$entry" "$L4_ROOT$1/" ;;
		esac
	done
}

# Makes the relocated server.
tree_create() {
	local bindir sharedir pkglibdir program
	bindir=$("$L4_PG_CONFIG" --bindir)
	sharedir=$("$L4_PG_CONFIG" --sharedir)
	pkglibdir=$("$L4_PG_CONFIG" --pkglibdir)
	mkdir -p "$L4_BINDIR"
	cp -RL "$bindir"/{postgres,initdb,pg_ctl,psql,pg_config,pg_dump,pg_dumpall,pg_restore,pg_basebackup,pg_isready,pgbench} \
		"$L4_BINDIR/"
	for program in "$bindir"/*; do
		[ -e "$L4_BINDIR/${program##*/}" ] || ln -s "$program" "$L4_BINDIR/"
	done
	tree_link "$pkglibdir"
	tree_link "$sharedir"
	tree_link "$sharedir/extension"
}

# A locale for tests, as options of initdb: one that sorts words as people do and passes over signs, as those of the C library,
# where the server has ICU; a test whose output hangs on the locale then fails.
test_locale() {
	case $("$L4_PG_CONFIG" --version):$("$L4_PG_CONFIG" --configure) in
		*--without-icu*) ;;
		"PostgreSQL 15"*--with-icu* | "PostgreSQL "1[6-9]*) echo --locale-provider=icu --icu-locale=en-US-u-ka-shifted ;;
	esac
}

# Starts the cluster, of the locale in $L4_LOCALE (C), and points the PG* variables at it. Arguments: settings of the server, as
# name=value.
cluster_start() {
	local setting
	mkdir -m 700 -p "$L4_WORK/socket"
	"$L4_BINDIR/initdb" --pgdata="$L4_WORK/data" --no-sync --encoding=UTF8 --locale=C ${L4_LOCALE:-} --auth=trust \
		--username=postgres \
		> "$L4_WORK/initdb.log" 2>&1 || { cat "$L4_WORK/initdb.log" >&2; return 1; }
	{
		echo "listen_addresses = ''"
		echo "unix_socket_directories = '$L4_WORK/socket'"
		echo "port = $PGPORT"
		echo "timezone = 'UTC'"
		echo "log_timezone = 'UTC'"
		echo "log_line_prefix = '%m [%p] %q%d '"
		for setting in "$@"; do
			echo "${setting%%=*} = '${setting#*=}'"
		done
	} >> "$L4_WORK/data/postgresql.conf"
	if ! "$L4_BINDIR/pg_ctl" --pgdata="$L4_WORK/data" --log="$L4_SERVER_LOG" --silent --wait start >&2; then
		cluster_log >&2
		return 1
	fi
}

# Stops the cluster if it runs; never fails.
cluster_stop() {
	[ -f "$L4_WORK/data/postmaster.pid" ] || return 0
	"$L4_BINDIR/pg_ctl" --pgdata="$L4_WORK/data" --silent --mode=fast --wait stop >/dev/null 2>&1 ||
		"$L4_BINDIR/pg_ctl" --pgdata="$L4_WORK/data" --silent --mode=immediate --wait stop >/dev/null 2>&1 || true
}

# Shows the end of the server's log.
cluster_log() {
	[ -s "$L4_SERVER_LOG" ] || return 0
	echo "--- end of the server's log"
	tail -n 40 "$L4_SERVER_LOG"
}

# Whether a process of the server crashed.
cluster_crashed() { grep -qE 'PANIC:|TRAP:|was terminated by signal|terminated by exception' "$L4_SERVER_LOG" 2>/dev/null; }

# Clears what the caller's environment says about PostgreSQL and languages, and sets what psql and the test drivers need. The
# drivers of TAP tests drop LC_ALL; the encoding of their databases is that of LANG.
cluster_environment() {
	local name
	for name in ${!PG*} ${!LC_*}; do
		[ "$name" = PG_CONFIG ] || unset "$name"
	done
	export PATH="$L4_BINDIR:$PATH" LC_ALL=C LANG=C.UTF-8 HOME="$L4_WORK"
	export PGHOST="$L4_WORK/socket" PGPORT=$((50000 + $$ % 10000)) PGUSER=postgres PGDATABASE=postgres
	export PSQLRC=/dev/null PGCLIENTENCODING=UTF8
}
