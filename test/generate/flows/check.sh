#!/bin/sh
# check.sh: every scenario of the simulator holds what it must, in a short window, and the same seed gives the same bytes.
# Argument: the program.
set -eu
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

failed() {
	echo "scenario $1: $2"
	cat "$work/said"
	exit 1
}

"$program" --list | while read -r name rest; do
	case $name in
		huge) window=5 ;;
		*) window=8 ;;
	esac
	"$program" --out "$work/once" --scenario "$name" --seed 7 --window $window --check > "$work/said" 2>&1 ||
		failed "$name" 'does not hold'
	case $name in
		small | lossy | merged | shared_servers)
			tail -n +2 "$work/once/flows.csv" | cut -d, -f1 | LC_ALL=C sort -c 2>> "$work/said" ||
				failed "$name" 'not in order' ;;
	esac
done
for name in small slow_link lossy; do
	"$program" --out "$work/once" --scenario "$name" --seed 7 --window 5 > "$work/said"
	"$program" --out "$work/twice" --scenario "$name" --seed 7 --window 5 > "$work/said"
	diff -rq "$work/once" "$work/twice" > "$work/said" || failed "$name" 'not the same bytes twice'
done
