-- Registers and imports the jobs of jobs.csv (in the current folder); the successful ones first, since they are what the
-- failed ones are compared with. A job's logs are :folder/<job_id>.tar.gz.
SET client_min_messages = warning;
CREATE TEMP TABLE demo_job (job_id text, status text, settings jsonb, nodes text[], ranks_per_node int, started_at timestamptz);
\copy demo_job from 'jobs.csv' with (format csv, header true)

SELECT statement
FROM demo_job,
	LATERAL (VALUES
		(1, format('DO $register$BEGIN PERFORM l4_register_job(job_id => %L, settings => %L, status => %L, nodes => %L, '
			'ranks_per_node => %L, started_at => %L); END$register$',
			job_id, settings, status, nodes, ranks_per_node, started_at)),
		(2, format('CALL l4_import(%L, %L)', job_id, :'folder' || '/' || job_id || '.tar.gz')),
		(3, format('SELECT format(''  %%-28s %%-9s %%3s nodes %%4s streams %%9s lines %%8s'', %L, %L, count(DISTINCT node), '
			'count(*), sum(line_count), pg_size_pretty(sum(byte_count))) FROM l4_stream WHERE job_id = %L',
			job_id, status, job_id))) AS step (position, statement)
ORDER BY status <> 'succeeded', started_at, job_id COLLATE "C", position
\gexec
