#!/bin/bash
# setup.sh: checks that everything needed to build and test l4 is on this machine.
#
#   setup.sh         what build, demo and tests need
#   setup.sh tests   and what single tests need, which are skipped without it
#   setup.sh fuzz    and the compiler with libFuzzer
#   setup.sh page    and the browser that looks at the report, with what drives it
#
# Looks for the things themselves (a header, a program), not for packages, so it is silent and does not touch the network
# where all is there, on any distribution. What is missing is installed with apt when run by root on Debian or a
# relative of it, and named otherwise (exit 1).
set -euo pipefail

pg_config=${PG_CONFIG:-pg_config}
minimum_major=15

have_program() { command -v "$1" >/dev/null 2>&1; }

have_header() {
	have_program cc && echo "#include <$1>" | cc -DPCRE2_CODE_UNIT_WIDTH=8 -E -x c - >/dev/null 2>&1
}

have_perl_module() { have_program perl && perl -M"$1" -e 1 >/dev/null 2>&1; }

# The major version pg_config tells, or nothing.
config_major() {
	have_program "$pg_config" || return 0
	"$pg_config" --version 2>/dev/null | sed -n 's/^PostgreSQL \([0-9]*\).*/\1/p'
}

# The server, its build files and its test drivers, all of one installation.
have_server() {
	[ -n "$(config_major)" ] && [ -x "$("$pg_config" --bindir)/postgres" ] && [ -x "$("$pg_config" --bindir)/initdb" ]
}
have_server_headers() {
	[ -n "$(config_major)" ] && [ -f "$("$pg_config" --pgxs)" ] && [ -f "$("$pg_config" --includedir-server)/postgres.h" ]
}

# The major version to install: that of a server already here, else the release's own.
debian_major() {
	local major
	major=$(ls /usr/lib/postgresql/*/bin/postgres 2>/dev/null | sed 's|/usr/lib/postgresql/\([0-9]*\)/.*|\1|' |
		sort -n | tail -n 1)
	[ -n "$major" ] || major=$(apt-cache depends postgresql 2>/dev/null | sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p' |
		head -n 1)
	echo "$major"
}

# Ends with one line where the server here, or else the one that would be installed, is too old. Before anything is installed.
refuse_old_server() {
	local major version
	if [ -n "$(config_major)" ]; then
		major=$(config_major)
		version="$pg_config is of $("$pg_config" --version); give another one with: make PG_CONFIG=/path/to/pg_config"
	else
		major=$(debian_major)
		version="this machine has, or would install, PostgreSQL $major"
	fi
	[ -n "$major" ] && [ "$major" -lt "$minimum_major" ] || return 0
	echo "l4 needs PostgreSQL $minimum_major or later; $version" >&2
	exit 1
}

# Prints the Debian packages that bring what is missing, one a line.
missing_packages() {
	local major
	have_program cc && have_header stdio.h || printf '%s\n' gcc libc6-dev
	have_program make || echo make
	have_header pcre2.h || echo libpcre2-dev
	have_header zstd.h || echo libzstd-dev
	have_header archive.h || echo libarchive-dev
	have_header xxhash.h || echo libxxhash-dev
	have_header zlib.h || echo zlib1g-dev
	have_header lzma.h || echo liblzma-dev
	have_header bzlib.h || echo libbz2-dev
	have_header lz4frame.h || echo liblz4-dev
	have_program perl && have_program prove || echo perl
	have_perl_module IPC::Run || echo libipc-run-perl
	if ! have_server || ! have_server_headers; then
		major=$(debian_major)
		if [ -n "$major" ]; then
			printf '%s\n' "postgresql-$major" "postgresql-server-dev-$major"
		else
			printf '%s\n' postgresql postgresql-server-dev-all
		fi
	fi
}

# The same for what only single tests need; without it they say so and are skipped.
optional_packages() {
	compgen -G '/usr/lib*/*/odbc/psqlodbcw.so' >/dev/null || [ -n "${L4_ODBC_DRIVER:-}" ] || echo odbc-postgresql
	[ -x /usr/sbin/rsyslogd ] || echo rsyslog
	# without dbconfig, which would set up a database for it
	compgen -G '/usr/lib*/*/rsyslog/ompgsql.so' >/dev/null || printf '%s\n' rsyslog-pgsql dbconfig-no-thanks
	have_program unzip || echo unzip
	have_program nfcapd && have_program nfdump || echo nfdump
	python3 -c 'import pyodbc' >/dev/null 2>&1 || /usr/bin/python3 -c 'import pyodbc' >/dev/null 2>&1 || echo python3-pyodbc
}

# The same for looking for inputs that break the algorithms.
fuzz_packages() {
	echo 'int main(void) { return 0; }' | clang -x c -fsanitize=fuzzer-no-link,address,undefined -o /dev/null - 2>/dev/null ||
		printf '%s\n' clang libclang-rt-dev
}

# The same for the browser that looks at the report.
page_packages() {
	have_program chromium || echo chromium
	have_program node || echo nodejs
	have_program npm || echo npm
}

# The services that start with the machine, one a line; without those of systemd itself, which may come along where there
# was none.
enabled_services() {
	{ ls -d /etc/systemd/system/*.wants/*.service /etc/rc[2-5].d/S* 2>/dev/null || true; } |
		sed -E 's|.*/(S[0-9]+)?||; s|\.service$||; /^(getty@|systemd-)/d' | LC_ALL=C sort -u
}

# Switches off the services that were not among those of the argument, and says so.
disable_new_services() {
	local service
	for service in $(LC_ALL=C comm -13 <(echo "$1") <(enabled_services)); do
		update-rc.d "$service" disable >/dev/null 2>&1 || true
		DPKG_MAINTSCRIPT_PACKAGE=$service deb-systemd-helper disable "$service.service" >/dev/null 2>&1 || true
		echo "l4: $service came with the packages and is left switched off;" \
			"to have it start with the machine: systemctl enable $service"
	done
}

# Installs the packages named in the arguments, but no service: the tests start what they need themselves. The distribution
# would create and start a server of its own with the PostgreSQL package, and make an rsyslog or nfcapd that comes for one test
# this machine's; while the packages are being set up, both are switched off, and afterwards what would start with the machine.
install_packages() {
	local log drop_in=/etc/postgresql-common/createcluster.d/l4-setup.conf policy=/usr/sbin/policy-rc.d services
	log=$(mktemp)
	services=$(enabled_services)
	mkdir -p "$(dirname "$drop_in")"
	echo 'create_main_cluster = false' > "$drop_in"
	if [ -e "$policy" ]; then
		policy=
	else
		printf '#!/bin/sh\ncase $1 in rsyslog*|syslog*|nfdump*) exit 101 ;; esac\n' > "$policy"
		chmod 755 "$policy"
	fi
	trap 'rm -f "'"$drop_in"'" '"$policy" EXIT
	if ! DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >"$log" 2>&1 </dev/null; then
		tail -n 20 "$log" >&2
		echo "l4: apt-get could not install: $*" >&2
		exit 1
	fi
	rm -f "$log" "$drop_in" $policy
	disable_new_services "$services"
}

update_package_lists() {
	local log
	log=$(mktemp)
	if ! apt-get update >"$log" 2>&1; then
		tail -n 5 "$log" >&2
		echo "l4: apt-get update failed; going on with the package lists at hand" >&2
	fi
	rm -f "$log"
}

# Installs what the packages named by a function bring, if that can be done; says so if not, and goes on.
setup_optional() {
	local missing
	missing=$("$1")
	[ -n "$missing" ] && [ "$(id -u)" = 0 ] && have_program apt-get || return 0
	update_package_lists
	echo "l4: installing" $missing
	(install_packages $missing) || echo "l4: going on without; what needs it is skipped" >&2
}

main() {
	local missing
	refuse_old_server
	missing=$(missing_packages)
	if [ -n "$missing" ]; then
		if [ "$(id -u)" != 0 ] || ! have_program apt-get; then
			echo "l4 needs what these packages bring (Debian's names):" $missing >&2
			have_program apt-get && echo "Install them with: sudo apt-get install" $missing >&2
			exit 1
		fi
		update_package_lists
		refuse_old_server
		missing=$(missing_packages)
		echo "l4: installing" $missing
		install_packages $missing
		hash -r
		missing=$(missing_packages)
		if [ -n "$missing" ]; then
			echo "l4: installed, but still not usable:" $missing >&2
			exit 1
		fi
	fi
	refuse_old_server
}

main
case ${1:-} in
	tests) setup_optional optional_packages ;;
	fuzz) setup_optional fuzz_packages ;;
	page) setup_optional page_packages ;;
esac
