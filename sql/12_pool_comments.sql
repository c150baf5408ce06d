/* What the tables of pools and findings hold. */

COMMENT ON TABLE @extschema@.l4_pool_setting IS
'The keys of a job''s settings that decide which jobs are comparable. Never scale, seed or host names.';
COMMENT ON COLUMN @extschema@.l4_pool_setting.key IS
'key of l4_job.settings; a site''s own row takes the place of the built-in one of the same key';
COMMENT ON COLUMN @extschema@.l4_pool_setting.weight IS 'how much an equal value counts where no pool has all keys equal';
COMMENT ON COLUMN @extschema@.l4_pool_setting.builtin IS 'came with l4';
COMMENT ON COLUMN @extschema@.l4_pool_setting.enabled IS
'counts; false in a site''s own row switches off the built-in one of the same key too';
COMMENT ON TABLE @extschema@.l4_pool IS
'A pool: the successful jobs of equal settings. What they log is normal for such a job (the paper''s normal log event pool N).';
COMMENT ON COLUMN @extschema@.l4_pool.pool_id IS 'content hash of the settings';
COMMENT ON COLUMN @extschema@.l4_pool.settings IS 'the settings that decide, as far as the jobs have them';
COMMENT ON COLUMN @extschema@.l4_pool.job_count IS 'successful jobs in it';
COMMENT ON TABLE @extschema@.l4_pool_job IS 'Which job is in which pool.';
COMMENT ON COLUMN @extschema@.l4_pool_job.pool_id IS 'the pool';
COMMENT ON COLUMN @extschema@.l4_pool_job.job_id IS 'the job';
COMMENT ON COLUMN @extschema@.l4_pool_job.stream_count IS 'streams of the job that have records';
COMMENT ON COLUMN @extschema@.l4_pool_job.duration IS
'from the first to the last time of that stream of the job for which this is longest; NULL where no stream has times';
COMMENT ON TABLE @extschema@.l4_pool_event IS 'What is normal in a pool: per shape in how many jobs it occurs, and how often.';
COMMENT ON COLUMN @extschema@.l4_pool_event.pool_id IS 'the pool';
COMMENT ON COLUMN @extschema@.l4_pool_event.shape_id IS 'the shape';
COMMENT ON COLUMN @extschema@.l4_pool_event.event_id IS 'its event';
COMMENT ON COLUMN @extschema@.l4_pool_event.job_count IS 'jobs of the pool that have it';
COMMENT ON COLUMN @extschema@.l4_pool_event.occurrences IS 'records in all jobs of the pool';
COMMENT ON COLUMN @extschema@.l4_pool_event.max_per_stream IS 'the largest number of records in one stream';
COMMENT ON COLUMN @extschema@.l4_pool_event.mean_per_stream IS 'mean number of records in the streams that have it';
COMMENT ON COLUMN @extschema@.l4_pool_event.max_stream_share IS 'the largest share of a job''s streams that have it';
COMMENT ON TABLE @extschema@.l4_finding IS 'Saved diagnoses: the rows of l4_diagnose at a time. Written by l4_save_diagnosis.';
COMMENT ON COLUMN @extschema@.l4_finding.job_id IS 'the job';
COMMENT ON COLUMN @extschema@.l4_finding.saved_at IS 'when the diagnosis was saved; the rows of one diagnosis share it';
COMMENT ON COLUMN @extschema@.l4_finding.kind IS 'fault, event, node, stage or iteration';
COMMENT ON COLUMN @extschema@.l4_finding.ordinal IS 'place within its kind, from 1, most telling first';
COMMENT ON COLUMN @extschema@.l4_finding.score IS 'what it is ordered by, larger is more telling; comparable within a kind';
COMMENT ON COLUMN @extschema@.l4_finding.node IS 'the node it points at, NULL where none';
COMMENT ON COLUMN @extschema@.l4_finding.rank IS 'the rank it points at, NULL where none';
COMMENT ON COLUMN @extschema@.l4_finding.stage IS 'the stage it is of';
COMMENT ON COLUMN @extschema@.l4_finding.iteration IS 'the iteration it is of';
COMMENT ON COLUMN @extschema@.l4_finding.event_id IS 'the event it is of';
COMMENT ON COLUMN @extschema@.l4_finding.template IS 'the template of the event';
COMMENT ON COLUMN @extschema@.l4_finding.first_seen IS 'when it shows first';
COMMENT ON COLUMN @extschema@.l4_finding.occurrences IS 'number of records';
COMMENT ON COLUMN @extschema@.l4_finding.nodes_affected IS 'number of nodes that have it';
COMMENT ON COLUMN @extschema@.l4_finding.evidence IS 'records that say so, as source:line: text';
COMMENT ON COLUMN @extschema@.l4_finding.explanation IS 'in a sentence, why';
COMMENT ON COLUMN @extschema@.l4_finding.fault_key IS 'the known fault, for kind fault';
COMMENT ON COLUMN @extschema@.l4_finding.root_cause IS 'its root cause';
COMMENT ON COLUMN @extschema@.l4_finding.fix IS 'its fix';
COMMENT ON COLUMN @extschema@.l4_finding.role IS
'of an event: root, cascade or context (see l4_diagnose); NULL for other kinds';
COMMENT ON COLUMN @extschema@.l4_finding.severity IS 'of a fault: info, warning, error or critical';
COMMENT ON COLUMN @extschema@.l4_finding.category IS 'of a fault: hardware, user, framework or platform';
COMMENT ON COLUMN @extschema@.l4_finding.facts IS
'what the finding rests on, as data: what explanation and evidence are made of (70_sentences.sql names the keys); NULL in '
'findings saved by a version before 0.2';
