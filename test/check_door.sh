#!/bin/bash
# check_door.sh: one door to the rows of jobs. Run from the top of the checkout.
#
# Lists every line of SQL that names one of the tables with the rows of jobs' logs, but in the files whose business they are:
# the tables themselves (10_* to 14_*), what writes and takes away rows (32_drain.sql to 35_sketches.sql, what is learnt at the
# end of an import (54_*), 79_retention.sql, 80_guard.sql, 81_replication.sql), the view l4_log and the search in texts, whose
# filters the planner takes to segments (33_import.sql, 55_search.sql), and the doors: 50_job_rows.sql and 51_job_times.sql for
# a job, 52_all_jobs.sql for all.
set -uo pipefail
tables='segment|stream|stream_event|source_counts|parameter_sketch|timeline|address|source_state'
status=0
for file in sql/[0-9][0-9]_*.sql; do
	case ${file#sql/} in
		1[0-4]_* | 3[2-5]_* | 50_job_rows.sql | 51_job_times.sql | 52_all_jobs.sql | 54_*) continue ;;
		55_search.sql | 79_retention.sql | 80_guard.sql | 81_replication.sql) continue ;;
	esac
	if grep -HnP "\@extschema\@\.l4_($tables)\b" "$file"; then
		status=1
	fi
done
exit $status
