#!/bin/bash
# versions.sh: l4 on every supported server, each in a fresh chroot of a distribution that ships it, built by gcc and by clang
# with -Werror.
#
#   versions.sh [MAJOR..]   as root: 17 16 15 18 14 13 by default; prints one line for each server and what was tried there,
#                           PASS, FAILED or SKIPPED with the reason; fails if any failed, or if all were skipped
#
# A chroot starts as debootstrap's smallest system with make and git alone, so that test/setup.sh is tried too: "make demo" is
# to run there, and no service to start with the machine that did not before. gcc runs "make test", clang the regression tests;
# then the Debian package is built and tested by "make installcheck" (check_debian.sh).
# Servers that are too old are to be refused by one line, before anything is installed. Debian's and Ubuntu's mirrors are those
# of this machine's apt where it has them, else debootstrap's own. Ubuntu's key, where this machine has none, is that of the
# package in Debian trixie. One chroot at a time is made, of about 1.5 GB, below $L4_TMPDIR (/var/tmp), and removed; logs of
# what failed stay.
set -uo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
minimum_major=15
release_of() {
	case $1 in
		13) echo 'Debian bullseye' ;;
		14) echo 'Ubuntu jammy' ;;
		15) echo 'Debian bookworm' ;;
		16) echo 'Ubuntu noble' ;;
		17) echo 'Debian trixie' ;;
		18) echo 'Debian sid' ;;
		*) return 1 ;;
	esac
}

# The mirror of a distribution that this machine uses, or nothing.
mirror_of() {
	apt-get indextargets --format '$(ORIGIN) $(LABEL) $(SITE)' 2>/dev/null | sed -n "s/^$1 $1 //p" | sort -u | head -n 1
}

# Takes Ubuntu's key out of the package that Debian trixie has of it, where this machine has none. By an apt of its own, with
# lists and sources in $work: nothing of this machine's changes, and the package is signed by Debian's key.
fetch_ubuntu_key() {
	local mirror apt=$work/apt key=usr/share/keyrings/ubuntu-archive-keyring.gpg
	[ ! -f "/$key" ] && [ ! -f "$work/ubuntu-archive-keyring.gpg" ] || return 0
	mirror=$(mirror_of Debian)
	[ -n "$mirror" ] || { echo 'no key of Ubuntu, and no mirror of Debian that has it'; return 1; }
	mkdir -p "$apt"/{etc/apt.conf.d,etc/preferences.d,state/lists/partial,cache/archives/partial,unpacked}
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" > "$apt/etc/sources.list"
	( cd "$apt" && private_apt update && private_apt download ubuntu-keyring ) &&
		dpkg-deb -x "$apt"/ubuntu-keyring_*.deb "$apt/unpacked" &&
		cp "$apt/unpacked/$key" "$work/"
}

# apt-get with lists and sources in $work/apt alone, and this machine's settings; it may fetch as root there.
private_apt() {
	apt-get -o Dir::Etc::SourceList="$work/apt/etc/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::Etc::PreferencesParts="$work/apt/etc/preferences.d" -o Dir::State="$work/apt/state" \
		-o Dir::State::status=/dev/null -o Dir::Cache="$work/apt/cache" -o APT::Sandbox::User=root "$@"
}

# Makes the chroot of a release; its log goes to the standard output. Arguments: distribution, release.
bootstrap() {
	local options=(--variant=minbase --include=make,git) mirror script=/usr/share/debootstrap/scripts/$2
	mirror=$(mirror_of "$1")
	case $1 in
		Ubuntu)
			options+=(--components=main,universe)
			# releases younger than this debootstrap are made like their forerunners
			[ -e "$script" ] || script=${script%/*}/jammy
			fetch_ubuntu_key || { echo 'no key of Ubuntu: install ubuntu-archive-keyring'; return 1; }
			[ ! -f "$work/ubuntu-archive-keyring.gpg" ] || options+=(--keyring="$work/ubuntu-archive-keyring.gpg")
			;;
	esac
	debootstrap "${options[@]}" "$2" "$root" "$mirror" "$script" || return 1
	# how this machine reaches the mirrors: proxies, archives that are kept past their date
	apt-config dump | grep -E '^Acquire::(http|https|Check-Valid-Until)\b.* ".+";' > "$root/etc/apt/apt.conf.d/90host" || true
	printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
	chmod 755 "$root/usr/sbin/policy-rc.d"
	mkdir "$root/l4"
	tar -C "$top" --exclude=./.git --exclude='*.o' --exclude='*.bc' --exclude='*.so' -cf - . |
		tar -C "$root/l4" --no-same-owner -xf -
}

# Runs a command in the chroot, with mounts and processes that end with it.
inside() {
	unshare --mount --pid --fork --kill-child \
		bash -c 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"' "$root" \
		env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root \
			DEBIAN_FRONTEND=noninteractive "$@" </dev/null
}

# Prints the line of what passed. Arguments: major version, what was tried, result.
pass() {
	local server
	server=$(inside pg_config --version 2>/dev/null)
	echo "PASS    ${server:-PostgreSQL $1}, $release, $2: $3"
	passed=$((passed + 1))
}

# The same for what failed, with the lines of its log that say why. Arguments: major version, what was tried, result, log.
fail() {
	echo "FAILED  PostgreSQL $1, $release, $2: $3; log: $4"
	grep -E '^FAILED|error:|\*\*\*' "$4" | head -n 20
	failed=$((failed + 1))
}

# Runs tests by a command, the last line of which counts them. Arguments: major version, what is tried, log, command.
try_command() {
	local major=$1 tried=$2 log=$work/$1-$3.log status=0 counts
	shift 3
	inside "$@" > "$log" 2>&1 || status=$?
	counts=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
	if [ "$status" = 0 ] && [[ $counts == [1-9]*' passed, 0 failed' ]] &&
		[[ $(inside pg_config --version) == "PostgreSQL $major"[.\ b]* ]]; then
		pass "$major" "$tried" "$counts"
	else
		fail "$major" "$tried" "${counts:-broke off}" "$log"
	fi
}

# Argument: major version.
try_demo() {
	local log=$work/$1-demo.log began=$SECONDS
	if inside make -C /l4 demo > "$log" 2>&1 && grep -q '^In a line each:$' "$log"; then
		pass "$1" 'make demo on the bare system' "$((SECONDS - began)) s with all that it installs"
	else
		fail "$1" 'make demo' "broke off" "$log"
	fi
}

# What a compiler calls itself. Argument: the compiler.
named() { inside "$1" --version 2>/dev/null | head -n 1; }

# The services that start with the chroot's machine, without those of systemd itself.
services() {
	find "$root"/etc/systemd/system "$root"/etc/rc[2-5].d -path '*.wants/*.service' -o -name 'S*' |
		grep -v -E '/(getty@|systemd-)[^/]*$' | sort
}

# Argument: major version.
try_new_server() {
	local major=$1 log=$work/$1-setup.log before
	before=$(services)
	try_demo "$major"
	try_command "$major" "make test, $(named cc)" cc make -C /l4 test
	if [ "$(services)" != "$before" ]; then
		diff <(echo "$before") <(services) > "$work/$major-services.log"
		cat "$work/$major-services.log"
		fail "$major" 'make test' 'left services that start with the machine' "$work/$major-services.log"
	fi
	if inside apt-get install -y --no-install-recommends clang >> "$log" 2>&1; then
		try_command "$major" "regression tests, $(named clang)" clang \
			env L4_CC=clang L4_COPT=-Werror bash /l4/test/run.sh regress
	else
		echo "SKIPPED PostgreSQL $major, $release, clang: $(tail -n 1 "$log")"
	fi
	try_command "$major" 'dpkg-buildpackage, make installcheck under C and en_US.UTF-8' package \
		env -C /l4 test/check_debian.sh
}

# Argument: major version.
try_old_server() {
	local log=$work/$1-cc.log before told
	before=$(inside dpkg --list)
	if ! inside make -C /l4 test > "$log" 2>&1 && told=$(grep -v '^make: ' "$log") && [ "$(inside dpkg --list)" = "$before" ] &&
		[[ $told == 'l4 needs PostgreSQL 15 or later; '*"PostgreSQL $1" ]]; then
		pass "$1" 'make test' "refused: $told"
	else
		fail "$1" 'make test' 'not refused by one line, before anything is installed' "$log"
	fi
}

try_server() {
	local major=$1 distribution release log
	read -r distribution release < <(release_of "$major")
	root=$work/$release
	log=$work/$major-setup.log
	if ! bootstrap "$distribution" "$release" > "$log" 2>&1; then
		echo "SKIPPED PostgreSQL $major, $release: $(grep -v '^I: ' "$log" | tail -n 1)"
	else
		inside apt-get update >> "$log" 2>&1
		if [ "$major" -lt "$minimum_major" ]; then
			try_old_server "$major"
		else
			try_new_server "$major"
		fi
	fi
	rm -rf --one-file-system "$root"
}

cleanup() {
	[ "$failed" != 0 ] && find "$work" -mindepth 1 -maxdepth 1 ! -name '*.log' -exec rm -rf --one-file-system {} + ||
		rm -rf --one-file-system "$work"
}

main() {
	local major
	[ "$(id -u)" = 0 ] || { echo 'l4: chroots need root' >&2; exit 1; }
	for major in debootstrap unshare apt-get; do
		command -v "$major" >/dev/null || { echo "l4: $major is missing" >&2; exit 1; }
	done
	[ $# -gt 0 ] || set -- 17 16 15 18 14 13
	for major; do
		release_of "$major" >/dev/null || { echo "l4: there is no release for PostgreSQL $major" >&2; exit 1; }
	done
	work=$(mktemp -d "${L4_TMPDIR:-/var/tmp}/l4-versions.XXXXXX")
	trap cleanup EXIT
	for major; do
		try_server "$major"
	done
	[ "$failed" = 0 ] && [ "$passed" != 0 ]
}

passed=0
failed=0
main "$@"
