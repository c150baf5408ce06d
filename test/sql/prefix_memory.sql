-- What a line begins with is remembered from file to file: but only for files in which the same prefixes count, also where both
-- files are gone on with.
\set folder `folder=$(mktemp -d) && chmod 777 "$folder" && echo "$folder"`
\setenv L4_FOLDER :folder
SET client_min_messages = warning;
SELECT l4_register_job('prefix memory', '{}', 'failed') \g /dev/null

-- of a the numbers are labels of ranks; of b, where few lines begin with one, they are not
\! cd "$L4_FOLDER" && seq 1 9000 | awk '{ print $1 % 4 ": step " $1 " done" }' > a.log
\! cd "$L4_FOLDER" && seq 1 9000 | awk '{ print "item " $1 " is ready" } $1 % 1000 == 0 { print "3: step " $1 " done" }' > b.log
\! chmod a+r "$L4_FOLDER"/*
CALL l4_import('prefix memory', :'folder');
SELECT source, label, rank, record_count FROM l4_stream WHERE job_id = 'prefix memory' AND record_count > 0
ORDER BY source COLLATE "C", label COLLATE "C";

\echo == gone on with
\! cd "$L4_FOLDER" && seq 9001 9100 | awk '{ print $1 % 4 ": step " $1 " done" }' >> a.log
\! cd "$L4_FOLDER" && seq 1 100 | awk '{ print $1 % 4 ": step " $1 " done" }' >> b.log
CALL l4_import('prefix memory', :'folder');
SELECT source, label, rank, record_count FROM l4_stream WHERE job_id = 'prefix memory' AND record_count > 0
ORDER BY source COLLATE "C", label COLLATE "C";

\! rm -r "$L4_FOLDER"
SELECT l4_delete_job('prefix memory') \g /dev/null
