#!/bin/bash
# check_names.sh FILE..: lists each name l4_... in texts that is not one of an object of the extension. In the database that the
# PG* variables name. No objects of it are what a text's own examples create, the roles and policies that l4 makes when told to,
# and names in settings: a subscription, parts of shippers'.
set -euo pipefail
others='l4_curator|l4_importer|l4_reader|l4_tenant|l4_copy|l4_files|l4_line|l4_messages?'
objects=$(psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --command="
	SELECT DISTINCT (regexp_matches(pg_describe_object(d.classid, d.objid, 0), '\ml4_\w+', 'g'))[1]
	FROM pg_extension x JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = x.oid
	WHERE x.extname = 'l4' AND d.deptype = 'e'")
status=0
for file in "$@"; do
	created=$(sed -nE 's/^CREATE [A-Z]+ [^ ]*\b(l4_[a-z0-9_]+).*/\1/p' "$file")
	unknown=$(grep -noE '\bl4_[a-z0-9_]+' "$file" | grep -vwE "$others" | grep -vwF "$objects"$'\n'"$created" || true)
	[ -z "$unknown" ] || { printf '%s\n' "$unknown" | sed "s|^|$file:|"; status=1; }
done
exit $status
