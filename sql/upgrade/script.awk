# Makes of the script of a new installation one that works where l4 is installed: what is there is replaced or left, what is not is made.
# Statements begin at the beginning of a line, and those of types end at the end of a line.
function name(line) { match(line, /@extschema@\.[a-z0-9_]+/); return substr(line, RSTART + 12, RLENGTH - 12) }
/^\\echo / { next }
/^CREATE (FUNCTION|PROCEDURE|AGGREGATE|VIEW|TRIGGER) / { sub(/^CREATE/, "CREATE OR REPLACE") }
/^CREATE (TABLE|INDEX|STATISTICS) / { $0 = $1 " " $2 " IF NOT EXISTS" substr($0, length($1 " " $2) + 1) }
/^CREATE UNIQUE INDEX / { sub(/INDEX/, "INDEX IF NOT EXISTS") }
/^ALTER TABLE [^ ]+ ADD CONSTRAINT / { print "ALTER TABLE " $3 " DROP CONSTRAINT IF EXISTS " $6 ";" }
/^CREATE TYPE / {
	print "DO $upgrade$ BEGIN"
	print "IF NOT EXISTS (SELECT FROM pg_type t WHERE t.typname = '" name($0) "' AND t.typnamespace = '@extschema@'::regnamespace" \
		(/ \($/ && !/ AS \($/ ? " AND t.typisdefined" : "") ") THEN"
	in_type = 1
}
{ print }
in_type && /;$/ { print "END IF; END $upgrade$;"; in_type = 0 }
