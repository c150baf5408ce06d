#!/bin/bash
# run.sh: builds the fuzzer of the pure algorithms, with the address and undefined behaviour sanitizers, and runs it. See
# driver.c and server.c.
#
#   run.sh short                       replays the corpus and a fixed number of mutations: the same on every run, some seconds,
#                                      any C compiler
#   run.sh long [SECONDS [TARGET..]]   libFuzzer looks for inputs that reach new code, SECONDS (60) for each target; needs clang
#
# Run from the top of the checkout. Needs no server, only its headers and the static libraries that come with them. An input on
# which a target fails is put into test/fuzz/corpus/TARGET, where it is replayed from then on.
set -euo pipefail

RUNS=${RUNS:-1000}
pg_config=${L4_PG_CONFIG:-${PG_CONFIG:-pg_config}}
work=${L4_WORK:-/tmp}/fuzz
corpus=test/fuzz/corpus

# The leak check looks into the process from outside, which containers forbid; memory belongs to contexts here in any case.
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=0 UBSAN_OPTIONS=abort_on_error=1:print_stacktrace=1

has_sanitizers() {
	echo 'int main(void) { return 0; }' | "$1" -x c -fsanitize="$2" -o /dev/null - 2>/dev/null
}

# Compiles all there is but the functions of SQL, of which only those that read aggregates' states are reached
# (target_state_*.c). What of these files calls the server and is not reached is left out by the linker. Arguments: compiler,
# sanitizers of the compilation, how to link, further flags.
build() {
	local compiler=$1 sanitizers=$2 file
	local -a link=($3)
	shift 3
	local flags=(-g -O1 -fwrapv -fno-strict-aliasing -fno-omit-frame-pointer -ffunction-sections -fdata-sections -D_GNU_SOURCE \
		-DUSE_ASSERT_CHECKING=1
		-Isrc -Itest/fuzz -I"$("$pg_config" --includedir-server)" -fsanitize="$sanitizers" -fno-sanitize-recover=undefined "$@")
	mkdir -p "$work"
	rm -f "$work"/*.o
	for file in src/algorithms/*.c src/tools/*.c src/bindings/aggregate_state.c test/fuzz/*.c; do
		printf '%s\0' "$file"
	done | xargs -0 -P "$(nproc)" -I{} sh \
		-c 'compiler=$1; file=$2; shift 2; "$compiler" "$@" -c -o "$0/$(echo "$file" | tr / _).o" "$file"' \
		"$work" "$compiler" {} "${flags[@]}"
	"$compiler" "${link[@]}" -o "$work/fuzz" "$work"/*.o \
		-L"$("$pg_config" --pkglibdir)" -L"$("$pg_config" --libdir)" \
			-lpgcommon -lpgport -lpcre2-8 -lzstd -lz -llzma -lbz2 -llz4 -lm
}

# Puts inputs on which targets failed into the corpus, here and, by test/run.sh, in the checkout.
keep_failures() {
	local file target name
	for file in "$work"/failed/*; do
		[ -f "$file" ] || continue
		target=$(basename "$file" | sed 's/^failed-//; s/-.*//')
		name=$corpus/$target/failed-$(sha1sum < "$file" | cut -c1-12)
		mkdir -p "$corpus/$target"
		cp "$file" "$name"
		[ -z "${L4_WORK:-}" ] || echo "$name" >> "$L4_WORK/taken.list"
	done
}

short() {
	local status=0
	if ! has_sanitizers cc address,undefined; then
		echo ".. skipped: the C compiler has no sanitizers"
		return 0
	fi
	build cc address,undefined '-fsanitize=address,undefined -Wl,--gc-sections' -Wall -Werror
	FUZZ_FAILURES=$work/failed "$work/fuzz" run "$corpus" "$RUNS" || status=$?
	return "$status"
}

# One target under libFuzzer, from the corpus and what is made of it.
long_target() {
	local target=$1 seconds=$2
	mkdir -p "$work/inputs/$target"
	"$work/replay" seeds "$corpus" "$target" "$work/inputs/$target"
	FUZZ_TARGET=$target "$work/fuzz" -max_total_time="$seconds" -max_len=20000 -timeout=20 -rss_limit_mb=3000 \
		-print_final_stats=1 \
		-artifact_prefix="$work/failed/failed-$target-" "$work/inputs/$target" > "$work/$target.log" 2>&1 ||
			{ grep -vE '^#[0-9]+' "$work/$target.log" | tail -n 30; return 1; }
	sed -n '/DONE/p' "$work/$target.log" |
		sed "s/^#\([0-9]*\).*cov: \([0-9]*\).*/$(printf '%-16s' "$target") \1 inputs, \2 edges/"
}

long() {
	local seconds=${1:-60} target status=0
	[ $# -eq 0 ] || shift
	if ! has_sanitizers clang fuzzer-no-link,address,undefined; then
		echo "l4: this needs clang with libFuzzer (Debian: clang and libclang-rt-dev)" >&2
		return 1
	fi
	# clang's lists of variables and edges keep all there is, so what is not reached stays without an address: to call it would
	# crash
	build clang address,undefined '-fsanitize=address,undefined -no-pie -Wl,--unresolved-symbols=ignore-in-object-files' \
		-Wno-ignored-attributes
	mv "$work/fuzz" "$work/replay"
	build clang fuzzer-no-link,address,undefined \
		'-fsanitize=fuzzer,address,undefined -no-pie -Wl,--unresolved-symbols=ignore-in-object-files' \
		-Wno-ignored-attributes -DFUZZ_LIBFUZZER
	[ $# -gt 0 ] || set -- $("$work/replay" list)
	for target in "$@"; do
		long_target "$target" "$seconds" || status=1
	done
	return "$status"
}

trap keep_failures EXIT
rm -rf "$work"
mkdir -p "$work/failed"
case ${1:-} in
	short | long) "$@" ;;
	*) sed -n '2,/^set /s/^# \{0,1\}//p' "$0"; exit 1 ;;
esac
