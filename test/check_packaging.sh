#!/bin/bash
# check_packaging.sh: what packagers rely on. Run from the top of a checkout or a copy of it, with a folder of its own in
# L4_WORK.
#
#   - a build with VPATH has all objects, installs below DESTDIR what an installation needs, and with clang (where it is) has no
#     warnings
#   - META.json, l4.control, CHANGELOG.md and debian/changelog agree on the version
#   - make dist holds all that is committed, and the script
set -euo pipefail
pg_config=${L4_PG_CONFIG:-${PG_CONFIG:-pg_config}}
work=$L4_WORK/packaging
top=$PWD
rm -rf "$work"
mkdir -p "$work/build"
version=$(sed -n "s/^default_version *= *'\(.*\)'/\1/p" l4.control)

complain() { echo "$*"; exit 1; }

# The sources alone: make would find objects of a build in the checkout.
mkdir "$work/source"
tar --exclude='*.o' --exclude='*.so' --exclude='*.bc' --exclude='sql/l4--*' -cf - Makefile META.json l4.control sql src |
	tar -C "$work/source" -xf -
compiler=$(command -v clang || echo cc)
make -C "$work/build" -f "$work/source/Makefile" PG_CONFIG="$pg_config" with_llvm=no CC="$(basename "$compiler")" \
	COPT='-Werror -O1' -j2 all > "$work/log" 2>&1 ||
	{ grep -E ': (error|warning):|\*\*\*' "$work/log" | head -n 20; complain "the build with VPATH and $compiler failed"; }
make -C "$work/build" -f "$work/source/Makefile" PG_CONFIG="$pg_config" with_llvm=no DESTDIR="$work/root" install >> \
	"$work/log" 2>&1 || complain "$(tail -n 5 "$work/log")"
for source in src/*/*.c; do
	[ -f "$work/build/${source%.c}.o" ] || complain "a build with VPATH does not compile $source"
done
nm -D --defined-only "$work/root$("$pg_config" --pkglibdir)/l4.so" | grep -c ' l4_import$' > /dev/null ||
	complain 'l4.so of a build with VPATH is empty'
scripts=("l4--$version.sql")
for source in sql/upgrade/*.*.*.sql; do
	scripts+=("l4--$(basename "$source" .sql)--$version.sql")
done
for file in l4.control "${scripts[@]}"; do
	[ -s "$work/root$("$pg_config" --sharedir)/extension/$file" ] || complain "$file is not installed"
done

perl -MJSON::PP -0777 -e '
	my $meta = decode_json(<STDIN>);
	my $provided = $meta->{provides}{l4};
	die "META.json says $_ where l4.control says $ARGV[0]\n" 
		for grep { $_ ne $ARGV[0] } $meta->{version}, $provided->{version}, $provided->{file} =~ /l4--(.*)\.sql$/;
	die "META.json names no resources\n" unless $meta->{resources}' "$version" < META.json
[ ! -f CHANGELOG.md ] || grep -q "^## $version\$" CHANGELOG.md || complain "CHANGELOG.md says nothing about $version"
[ ! -f debian/changelog ] || head -n 1 debian/changelog | grep -q "(${version//./\\.})" ||
	complain "debian/changelog does not begin with $version"

if git --version >/dev/null 2>&1 && command -v unzip >/dev/null; then
	cp -R "$top" "$work/checkout"
	cd "$work/checkout"
	rm -rf .git
	git init -q .
	git add -A .
	git -c user.name=test -c user.email=test@localhost commit -q -m test
	make dist > "$work/log" 2>&1 || complain "$(tail -n 5 "$work/log")"
	{ git ls-files; printf 'sql/%s\n' "${scripts[@]}"; } | LC_ALL=C sort > "$work/wanted"
	unzip -Z1 "l4-$version.zip" | grep -v '/$' | sed "s|^l4-$version/||" | LC_ALL=C sort > "$work/packed"
	diff "$work/wanted" "$work/packed" || complain 'make dist packs other files than are committed'
else
	echo '.. skipped: make dist, for want of git or unzip'
fi
