#!/bin/bash
# files.sh [FILES [ROUNDS]]: many small files, and files that change under the import. Prints counts; fails where a line is lost
# or there twice.
#   FILES (100000)  files of three lines each are imported, and once more, when none may be read
#   ROUNDS (60)     rounds in which files are appended to, rewritten, cut, moved away and replaced while they are imported;
#                   after each a last import must give their bytes
set -euo pipefail

files=${1:-100000}
rounds=${2:-60}
folder=$(mktemp -d "${TMPDIR:-/tmp}/l4files.XXXXXX")
trap 'rm -rf "$folder"' EXIT

sql() { psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --command="$1"; }

# The notice of an import, without its WARNINGs.
import() { psql --no-psqlrc --quiet --command="CALL l4_import('$1', '$2')" 2>&1 |
	sed -n 's/^NOTICE:  job "[^"]*": \([0-9]* records .*\)/\1/p' | tail -n 1; }

many_files() {
	perl -e 'use File::Path "make_path"; my ($folder, $files) = @ARGV;
		for my $i (0 .. $files - 1) {
			my $in = sprintf "%s/many/node-%d", $folder, $i / 1000;
			make_path($in) if $i % 1000 == 0;
			open my $f, ">", "$in/rank-$i.log" or die $!;
			print $f "step $_ of rank $i\n" for 1 .. 3;
		}' "$folder" "$files"
	sql "SELECT l4_register_job('many', '{}', 'failed')" > /dev/null
	echo "$files files: $(import many "$folder/many")"
	echo "again: $(import many "$folder/many")"
	[ "$(sql "SELECT count(*), sum(line_count), count(DISTINCT rank) FROM l4_stream WHERE job_id = 'many'")" = \
		"$files|$((3 * files))|$files" ] ||
		{ echo "l4: not every file is there once" >&2; exit 1; }
}

# Changes twenty files at random for as long as the file "busy" is there.
disturb() {
	perl -e 'my ($folder, $seed) = @ARGV; srand $seed; my $n = 0;
		while (-e "$folder/busy") {
			my $file = sprintf "%s/changing/rank-%d.log", $folder, rand 20;
			my $way = int rand 5;
			my $open = $way < 3 ? ">>" : ">";
			if ($way == 4) { rename $file, "$folder/gone"; }
			open my $f, $open, $file or next;
			$n++;
			print $f map { "line $n $_ " . ("x" x rand 60) . "\n" } 1 .. 1 + rand 400;
			print $f "a line without an en" if $way == 1;
			close $f;
			truncate $file, (-s $file) / 2 if $way == 2;
			select undef, undef, undef, 0.005;
		}
		print $n' "$folder" "$1"
}

# How many files do not come back byte by byte.
wrong_files() {
	local file wrong=0
	for file in "$folder"/changing/*; do
		[ "$(sql "SELECT md5(coalesce(string_agg(raw_bytes, ''::bytea ORDER BY line_no, part), '')) FROM l4_log
			WHERE job_id = 'changing' AND source = '$(basename "$file")'")" \
			= "$(md5sum < "$file" | cut -d' ' -f1)" ] || wrong=$((wrong + 1))
	done
	echo "$wrong"
}

changing_files() {
	local round changes=0 wrong=0 i
	mkdir "$folder/changing"
	for i in $(seq 0 19); do echo "first line of $i" > "$folder/changing/rank-$i.log"; done
	sql "SELECT l4_register_job('changing', '{}', 'running')" > /dev/null
	for round in $(seq "$rounds"); do
		touch "$folder/busy"
		disturb "$round" > "$folder/changes" &
		import changing "$folder/changing" > /dev/null
		import changing "$folder/changing" > /dev/null
		rm "$folder/busy"
		wait
		changes=$((changes + $(cat "$folder/changes")))
		sleep 0.02			# a change within the same tick of the clock and of the same size would be no change
		touch "$folder"/changing/*
		import changing "$folder/changing" > /dev/null
		wrong=$((wrong + $(wrong_files)))
	done
	echo "$rounds rounds, $changes changes under the import: $wrong of $((20 * rounds)) files not byte by byte"
	[ "$wrong" = 0 ]
}

many_files
changing_files
