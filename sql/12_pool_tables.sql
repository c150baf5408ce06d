/* Pools: what successful jobs of the same settings log. See 53_pools.sql. */

CREATE TABLE @extschema@.l4_pool (
	pool_id bigint PRIMARY KEY,
	settings jsonb NOT NULL,
	job_count int NOT NULL DEFAULT 0,
	tenant name
);
COMMENT ON TABLE @extschema@.l4_pool IS
'A pool: the successful jobs of equal settings. What they log is normal for such a job (the paper''s normal log event pool '
'N).';
COMMENT ON COLUMN @extschema@.l4_pool.pool_id IS
'content hash of the settings';
COMMENT ON COLUMN @extschema@.l4_pool.settings IS
'the settings that decide, as far as the jobs have them';
COMMENT ON COLUMN @extschema@.l4_pool.job_count IS
'successful jobs in it';

CREATE TABLE @extschema@.l4_pool_job (
	pool_id bigint NOT NULL,
	job_id text NOT NULL,
	stream_count int NOT NULL,
	duration interval,
	step_seconds double precision,
	node_count int,
	PRIMARY KEY (pool_id, job_id)
);
COMMENT ON TABLE @extschema@.l4_pool_job IS
'Which job is in which pool.';
COMMENT ON COLUMN @extschema@.l4_pool_job.pool_id IS
'the pool';
COMMENT ON COLUMN @extschema@.l4_pool_job.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_pool_job.stream_count IS
'streams of the job that have records';
COMMENT ON COLUMN @extschema@.l4_pool_job.duration IS
'from the first to the last time of that stream of the job for which this is longest; NULL where no stream has times';
COMMENT ON COLUMN @extschema@.l4_pool_job.step_seconds IS
'how long a step takes for a lasting part of the job at most, in seconds; NULL where the job tells of few iterations';
COMMENT ON COLUMN @extschema@.l4_pool_job.node_count IS
'on how many nodes the job ran, by its list or its logs; NULL where neither tells';

CREATE TABLE @extschema@.l4_pool_event (
	pool_id bigint NOT NULL,
	shape_id bigint NOT NULL,
	event_id bigint,
	job_count int NOT NULL,
	occurrences bigint NOT NULL,
	max_per_stream bigint NOT NULL,
	mean_per_stream double precision NOT NULL,
	max_stream_share double precision NOT NULL,
	stream_share double precision NOT NULL,
	PRIMARY KEY (pool_id, shape_id)
);
COMMENT ON TABLE @extschema@.l4_pool_event IS
'What is normal in a pool: per shape in how many jobs it occurs, and how often.';
COMMENT ON COLUMN @extschema@.l4_pool_event.pool_id IS
'the pool';
COMMENT ON COLUMN @extschema@.l4_pool_event.shape_id IS
'the shape';
COMMENT ON COLUMN @extschema@.l4_pool_event.event_id IS
'its event';
COMMENT ON COLUMN @extschema@.l4_pool_event.job_count IS
'jobs of the pool that have it';
COMMENT ON COLUMN @extschema@.l4_pool_event.occurrences IS
'records in all jobs of the pool';
COMMENT ON COLUMN @extschema@.l4_pool_event.max_per_stream IS
'the largest number of records in one stream';
COMMENT ON COLUMN @extschema@.l4_pool_event.mean_per_stream IS
'mean number of records in the streams that have it';
COMMENT ON COLUMN @extschema@.l4_pool_event.max_stream_share IS
'the largest share of a job''s streams that have it';
COMMENT ON COLUMN @extschema@.l4_pool_event.stream_share IS
'share of the streams of its kind (ranks, launchers, ...) that have it, over all jobs; small for what only one role logs '
'(rank 0, the last rank)';

CREATE TABLE @extschema@.l4_pool_parameter (
	pool_id bigint NOT NULL,
	shape_id bigint NOT NULL,
	position int NOT NULL,
	job_count int NOT NULL,
	stream_count int NOT NULL,
	occurrences bigint NOT NULL,
	values text[],
	minimum double precision,
	maximum double precision,
	PRIMARY KEY (pool_id, shape_id, position)
);
COMMENT ON TABLE @extschema@.l4_pool_parameter IS
'Per pool, shape and parameter position: the values it takes (NULL where they are many) and the range of its numbers.';
COMMENT ON COLUMN @extschema@.l4_pool_parameter.pool_id IS
'the pool';
COMMENT ON COLUMN @extschema@.l4_pool_parameter.shape_id IS
'the shape';
COMMENT ON COLUMN @extschema@.l4_pool_parameter.position IS
'which <*> of the shape, from 1';
COMMENT ON COLUMN @extschema@.l4_pool_parameter.job_count IS
'number of jobs that have the shape';
COMMENT ON COLUMN @extschema@.l4_pool_parameter.stream_count IS
'number of streams that have it';
COMMENT ON COLUMN @extschema@.l4_pool_parameter.occurrences IS
'number of records counted';
COMMENT ON COLUMN @extschema@.l4_pool_parameter.values IS
'all values of the position in the pool, NULL where a stream has more than 16 or the pool more than 32';
COMMENT ON COLUMN @extschema@.l4_pool_parameter.minimum IS
'smallest number, NULL where there is none';
COMMENT ON COLUMN @extschema@.l4_pool_parameter.maximum IS
'largest number, NULL where there is none';

-- What one successful job brings to its pool, computed once when it comes in: a pool is then made of these few rows a job, not
-- of all its jobs' streams.
CREATE TABLE @extschema@.l4_pool_job_event (
	job_id text NOT NULL,
	shape_id bigint NOT NULL,
	kind text NOT NULL,
	streams int NOT NULL,
	of_streams int NOT NULL,
	of_job int NOT NULL,
	occurrences bigint NOT NULL,
	largest bigint NOT NULL,
	PRIMARY KEY (job_id, shape_id, kind)
);
COMMENT ON TABLE @extschema@.l4_pool_job_event IS
'What a job of a pool has of each shape, per kind of stream: l4_pool_event is made of it. Written by l4_pool_learn.';
COMMENT ON COLUMN @extschema@.l4_pool_job_event.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_pool_job_event.shape_id IS
'the shape';
COMMENT ON COLUMN @extschema@.l4_pool_job_event.kind IS
'kind of the streams: rank, launcher, ...';
COMMENT ON COLUMN @extschema@.l4_pool_job_event.streams IS
'streams of the kind that have the shape';
COMMENT ON COLUMN @extschema@.l4_pool_job_event.of_streams IS
'streams of the kind';
COMMENT ON COLUMN @extschema@.l4_pool_job_event.of_job IS
'streams of the job';
COMMENT ON COLUMN @extschema@.l4_pool_job_event.occurrences IS
'records';
COMMENT ON COLUMN @extschema@.l4_pool_job_event.largest IS
'the largest number of records in one stream';

CREATE TABLE @extschema@.l4_pool_job_parameter (
	job_id text NOT NULL,
	shape_id bigint NOT NULL,
	position int NOT NULL,
	streams int NOT NULL,
	occurrences bigint NOT NULL,
	values text[],
	minimum double precision,
	maximum double precision,
	PRIMARY KEY (job_id, shape_id, position)
);
COMMENT ON TABLE @extschema@.l4_pool_job_parameter IS
'What values the parameters of a shape take in a job of a pool: l4_pool_parameter is made of it. Written by l4_pool_learn.';
COMMENT ON COLUMN @extschema@.l4_pool_job_parameter.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_pool_job_parameter.shape_id IS
'the shape';
COMMENT ON COLUMN @extschema@.l4_pool_job_parameter.position IS
'which <*> of the shape, from 1';
COMMENT ON COLUMN @extschema@.l4_pool_job_parameter.streams IS
'streams that have the shape';
COMMENT ON COLUMN @extschema@.l4_pool_job_parameter.occurrences IS
'records counted';
COMMENT ON COLUMN @extschema@.l4_pool_job_parameter.values IS
'all values of the position in the job, in byte order; NULL where a stream has more than 16 or the job more than 32';
COMMENT ON COLUMN @extschema@.l4_pool_job_parameter.minimum IS
'smallest number, NULL where there is none';
COMMENT ON COLUMN @extschema@.l4_pool_job_parameter.maximum IS
'largest number, NULL where there is none';
