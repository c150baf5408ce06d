#!/bin/bash
# check_debian.sh: the Debian package is built by dpkg-buildpackage and installed, and "make installcheck" passes with it in
# clusters of the locales C and en_US.UTF-8, and leaves nothing in the checkout. The last line is "N passed, N failed".
#
# As root, from the top of a checkout. Installs what it needs, and the package: for machines to throw away, as versions.sh's
# chroots and those of CI are.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive

# Runs a command; its output is shown only if it fails.
quietly() {
	"$@" > "$work/log" 2>&1 || { tail -n 30 "$work/log"; echo "l4: $1 failed" >&2; exit 1; }
}

as_postgres() { setpriv --reuid=postgres --regid=postgres --init-groups -- env HOME="$work" "$@"; }

# What is in the checkout, but for what make joins from its parts and where pg_regress leaves its outputs.
contents() { find . -type f ! -name 'l4--*.sql' ! -path '*/results/*' | LC_ALL=C sort; }

# Prints how many tests passed and failed. Argument: the locale of the cluster.
installcheck() {
	local log=$work/installcheck-$1.log status=0 passed failed pattern='^(test)?[ ]+[a-z0-9_-]+[ ]+\.\.\. '
	as_postgres pg_virtualenv -v "$major" -i "--locale=$1 --encoding=UTF8" \
		make PG_CONFIG="$pg_config" installcheck > "$log" 2>&1 || status=$?
	passed=$(grep -cE "(${pattern}ok|^ok) " "$log" || true)
	failed=$(grep -cE "(${pattern}FAILED|^not ok) " "$log" || true)
	[ "$status" = 0 ] || [ "$failed" != 0 ] || failed=1
	if [ "$failed" != 0 ]; then
		tail -n 20 "$log" >&2
		find . -name regression.diffs -exec head -c 20000 {} + >&2
	fi
	echo "$passed $failed"
}

[ "$(id -u)" = 0 ] || { echo 'l4: packages are installed by root' >&2; exit 1; }
work=$(mktemp -d /var/tmp/l4.XXXXXX)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir "$work/l4"
tar --exclude=./.git --exclude='*.o' --exclude='*.bc' --exclude='*.so' --exclude='./sql/l4--*.sql' -cf - . |
	tar -C "$work/l4" --no-same-owner -xf -
cd "$work/l4"
quietly apt-get install -y --no-install-recommends dpkg-dev locales
quietly apt-get build-dep -y --no-install-recommends "$work/l4"
[ "$(locale -a | grep -c '^en_US\.utf8$')" = 1 ] || quietly localedef -i en_US -f UTF-8 en_US.UTF-8
chown -R postgres:postgres "$work"

before=$(contents)
quietly as_postgres env DEB_BUILD_OPTIONS=noautodbgsym dpkg-buildpackage -b -us -uc
as_postgres debian/rules clean > "$work/log" 2>&1
all_passed=0
all_failed=0
for package in "$work"/postgresql-*-l4_*.deb; do
	major=${package##*/postgresql-}
	major=${major%%-l4_*}
	pg_config=/usr/lib/postgresql/$major/bin/pg_config
	quietly apt-get install -y --no-install-recommends "$package"
	for locale in C en_US.UTF-8; do
		read -r passed failed < <(installcheck "$locale")
		echo "$(basename "$package"), installcheck under $locale: $passed passed, $failed failed"
		all_passed=$((all_passed + passed))
		all_failed=$((all_failed + failed))
	done
done
if ! diff <(echo "$before") <(contents); then
	echo 'l4: dpkg-buildpackage or make installcheck leave files in the checkout'
	all_failed=$((all_failed + 1))
fi
echo "$all_passed passed, $all_failed failed"
[ "$all_failed" = 0 ] && [ "$all_passed" != 0 ]
