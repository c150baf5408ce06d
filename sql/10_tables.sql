/*
 * Tables. Those that hold a job's logs are keyed by job_id first and use no sequences, no triggers and no serial columns,
 * so that they can be distributed by job_id; ids are content hashes, the same on every machine.
 */

CREATE TABLE @extschema@.l4_job (
	job_id text PRIMARY KEY CHECK (job_id <> ''),
	settings jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(settings) = 'object'),
	status text NOT NULL DEFAULT 'unknown'
		CHECK (@extschema@.l4_is_one_of(status, 'status', 'running', 'succeeded', 'failed', 'unknown')),
	nodes text[],
	ranks_per_node int CHECK (ranks_per_node > 0),
	started_at timestamptz,
	ended_at timestamptz,
	time_zone text NOT NULL DEFAULT 'UTC',
	owner name NOT NULL DEFAULT current_user,
	registered_at timestamptz NOT NULL DEFAULT now(),
	tenant name,
	restart_of text,
	CONSTRAINT l4_job_restart_of CHECK (restart_of <> '' AND restart_of <> job_id)
);

CREATE TABLE @extschema@.l4_stream (
	job_id text NOT NULL,
	stream_id bigint NOT NULL,
	source_id bigint NOT NULL,
	file_id bigint NOT NULL,
	source text NOT NULL,
	label text,
	kind text NOT NULL CHECK (kind IN ('rank', 'launcher', 'system', 'shared', 'other')),
	node text,
	rank int,
	attempt int,
	format text,
	state text NOT NULL DEFAULT 'imported' CHECK (state IN ('pending', 'imported', 'failed')),
	error text,
	byte_count bigint NOT NULL DEFAULT 0,
	line_count bigint NOT NULL DEFAULT 0,
	record_count bigint NOT NULL DEFAULT 0,
	first_ts timestamptz,
	last_ts timestamptz,
	last_stage text,
	first_iteration bigint,
	last_iteration bigint,
	file_size bigint,
	file_modified_at timestamptz,
	imported_at timestamptz,
	told_node text,
	bundle_id bigint,
	PRIMARY KEY (job_id, stream_id)
);
CREATE INDEX l4_stream_file_id ON @extschema@.l4_stream (job_id, file_id);

CREATE TABLE @extschema@.l4_segment (
	job_id text NOT NULL,
	source_id bigint NOT NULL,
	segment_no int NOT NULL,
	first_line bigint NOT NULL,
	last_line bigint NOT NULL,
	record_count int NOT NULL,
	first_ts timestamptz,
	last_ts timestamptz,
	raw_bytes bigint NOT NULL,
	stream_ids bigint[] NOT NULL,
	shape_ids bigint[] NOT NULL,
	structure bytea NOT NULL,
	texts bytea NOT NULL,
	parameters bytea NOT NULL,
	PRIMARY KEY (job_id, source_id, segment_no)
);
-- The columns are compressed by l4 already, and ids are hashes: TOAST must not try again.
ALTER TABLE @extschema@.l4_segment
	ALTER COLUMN stream_ids SET STORAGE EXTERNAL,
	ALTER COLUMN shape_ids SET STORAGE EXTERNAL,
	ALTER COLUMN structure SET STORAGE EXTERNAL,
	ALTER COLUMN texts SET STORAGE EXTERNAL,
	ALTER COLUMN parameters SET STORAGE EXTERNAL;

CREATE TABLE @extschema@.l4_shape (
	shape_id bigint PRIMARY KEY,
	shape text NOT NULL,
	event_id bigint,
	tentative int,
	tenant name
);
-- Holds next to nothing: finds the few that may go.
CREATE INDEX l4_shape_tentative ON @extschema@.l4_shape (shape_id) WHERE tentative IS NOT NULL;
CREATE INDEX l4_shape_event_id ON @extschema@.l4_shape (event_id);

CREATE TABLE @extschema@.l4_event (
	event_id bigint PRIMARY KEY,
	template text NOT NULL,
	parent_id bigint,
	first_seen timestamptz NOT NULL DEFAULT now(),
	tenant name
);

-- How often each stream of a source logs each shape, packed: a job of many ranks has millions of such counts. The view
-- l4_stream_event shows them as rows.
CREATE TABLE @extschema@.l4_source_counts (
	job_id text NOT NULL,
	source_id bigint NOT NULL,
	row_count int NOT NULL,
	counts bytea NOT NULL,
	PRIMARY KEY (job_id, source_id)
);
-- Compressed by l4 already: TOAST must not try again.
ALTER TABLE @extschema@.l4_source_counts ALTER COLUMN counts SET STORAGE EXTERNAL;

CREATE TABLE @extschema@.l4_timeline (
	job_id text PRIMARY KEY,
	iterations bigint[] NOT NULL,
	started_at timestamptz[] NOT NULL,
	stale boolean NOT NULL DEFAULT false
);

CREATE TABLE @extschema@.l4_address (
	job_id text NOT NULL,
	address text NOT NULL,
	node text NOT NULL,
	PRIMARY KEY (job_id, address)
);

CREATE TABLE @extschema@.l4_parameter_sketch (
	job_id text NOT NULL,
	source_id bigint NOT NULL,
	sketch bytea NOT NULL,
	PRIMARY KEY (job_id, source_id)
);
-- Compressed by l4 already: TOAST must not try again.
ALTER TABLE @extschema@.l4_parameter_sketch ALTER COLUMN sketch SET STORAGE EXTERNAL;

CREATE TABLE @extschema@.l4_source_state (
	job_id text NOT NULL,
	source_id bigint NOT NULL,
	byte_count bigint NOT NULL,
	settings_hash bigint NOT NULL,
	head_hash bigint NOT NULL,
	tail_hash bigint NOT NULL,
	shape_ids bigint[],
	state bytea,
	PRIMARY KEY (job_id, source_id)
);
-- Compressed by l4 already: TOAST must not try again.
ALTER TABLE @extschema@.l4_source_state ALTER COLUMN state SET STORAGE EXTERNAL;

-- Rows that shippers and client-side COPY write. No sequence: arrived_at grows within each session.
CREATE FUNCTION @extschema@.l4_arrival_time() RETURNS timestamptz
	LANGUAGE c VOLATILE PARALLEL RESTRICTED COST 1 AS 'MODULE_PATHNAME', 'l4_arrival_time';
COMMENT ON FUNCTION @extschema@.l4_arrival_time() IS
'Step: The time of the clock, but later than what the session was told before: gives the rows that a session writes into '
'l4_inbox their order.';

CREATE TABLE @extschema@.l4_inbox (
	job_id text,
	node text,
	rank int,
	source text,
	ts timestamptz,
	level text,
	line text,
	arrived_at timestamptz NOT NULL DEFAULT @extschema@.l4_arrival_time(),
	tenant name
);

CREATE TABLE @extschema@.l4_inbox_refused (
	job_id text NOT NULL,
	node text,
	rank int,
	source text,
	ts timestamptz,
	level text,
	line text NOT NULL,
	arrived_at timestamptz NOT NULL,
	reason text NOT NULL,
	refused_at timestamptz NOT NULL DEFAULT now()
);
