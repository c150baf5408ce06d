#!/bin/sh
# check.sh: every scenario of the simulator holds what it must, in a short window, and the same seed gives the same bytes.
# Argument: the program.
set -eu
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$program" --list | while read -r name rest; do
	"$program" --out "$work/once" --scenario "$name" --seed 7 --window 10 --check > "$work/said" 2>&1 ||
		{ echo "scenario $name:"; cat "$work/said"; exit 1; }
	case $name in
		disordered | bad) ;;
		*) tail -n +2 "$work/once/flows.csv" | cut -d, -f1 | LC_ALL=C sort -c ||
			{ echo "scenario $name: not in order"; exit 1; } ;;
	esac
done
for scenario in small slow_link; do
	"$program" --out "$work/once" --scenario "$scenario" --seed 7 --window 10 > /dev/null
	"$program" --out "$work/twice" --scenario "$scenario" --seed 7 --window 10 > /dev/null
	diff -r "$work/once" "$work/twice" > /dev/null || { echo "scenario $scenario: not the same bytes twice"; exit 1; }
done
