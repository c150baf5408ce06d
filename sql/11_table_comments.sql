/* What each table and column holds. The tables of pools and findings are described where they are used. */

COMMENT ON TABLE @extschema@.l4_job IS
'One training job: its settings, its status, and what the scheduler knows of its nodes. Written by l4_register_job.';
COMMENT ON COLUMN @extschema@.l4_job.job_id IS
'name of the job, free text';
COMMENT ON COLUMN @extschema@.l4_job.settings IS
'what the job was run with, a JSON object; the keys in l4_pool_setting decide which jobs are comparable';
COMMENT ON COLUMN @extschema@.l4_job.status IS
'running, succeeded, failed or unknown';
COMMENT ON COLUMN @extschema@.l4_job.nodes IS
'names of its nodes in rank order, NULL where not known';
COMMENT ON COLUMN @extschema@.l4_job.ranks_per_node IS
'ranks a node runs: rank r is on node r / ranks_per_node; NULL where not known';
COMMENT ON COLUMN @extschema@.l4_job.started_at IS
'start of the job; resolves times without a year';
COMMENT ON COLUMN @extschema@.l4_job.ended_at IS
'end of the job';
COMMENT ON COLUMN @extschema@.l4_job.time_zone IS
'zone of times that state none';
COMMENT ON COLUMN @extschema@.l4_job.owner IS
'role that registered it';
COMMENT ON COLUMN @extschema@.l4_job.registered_at IS
'when it was registered';
COMMENT ON COLUMN @extschema@.l4_job.restart_of IS
'the job that it goes on from or repeats, as whoever started it again says; that job need not be known. See l4_restarts';

COMMENT ON TABLE @extschema@.l4_stream IS
'One source of log lines: a file, or the lines of one label (rank or host) in a file that several share. The row whose '
'label is NULL stands for the file itself.';
COMMENT ON COLUMN @extschema@.l4_stream.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_stream.stream_id IS
'content hash of source and label';
COMMENT ON COLUMN @extschema@.l4_stream.source_id IS
'stream_id of the files own row';
COMMENT ON COLUMN @extschema@.l4_stream.file_id IS
'content hash of the path of the file on disk: an archive holds several sources';
COMMENT ON COLUMN @extschema@.l4_stream.source IS
'path relative to the imported folder; below an archives own path for its members';
COMMENT ON COLUMN @extschema@.l4_stream.label IS
'rank or host as the lines state it; NULL for the files own row';
COMMENT ON COLUMN @extschema@.l4_stream.kind IS
'rank (log of a process), launcher, system (syslog, kernel), shared (of no single node), other';
COMMENT ON COLUMN @extschema@.l4_stream.node IS
'node it comes from, NULL where not known or of none';
COMMENT ON COLUMN @extschema@.l4_stream.rank IS
'global rank, NULL where not known or of none';
COMMENT ON COLUMN @extschema@.l4_stream.attempt IS
'number of the restart it belongs to, where the path says so';
COMMENT ON COLUMN @extschema@.l4_stream.format IS
'header format that most of its records have';
COMMENT ON COLUMN @extschema@.l4_stream.state IS
'imported, failed (could not be read, or not to its end), pending';
COMMENT ON COLUMN @extschema@.l4_stream.error IS
'why it could not be read, or not to its end; where state is imported, what was odd about it though every byte is there';
COMMENT ON COLUMN @extschema@.l4_stream.byte_count IS
'bytes read, decompressed (files own row only)';
COMMENT ON COLUMN @extschema@.l4_stream.line_count IS
'lines read (files own row only): the number of the last one';
COMMENT ON COLUMN @extschema@.l4_stream.record_count IS
'records of this stream';
COMMENT ON COLUMN @extschema@.l4_stream.first_ts IS
'earliest time of its records';
COMMENT ON COLUMN @extschema@.l4_stream.last_ts IS
'latest time of its records';
COMMENT ON COLUMN @extschema@.l4_stream.last_stage IS
'stage in which its last record left it';
COMMENT ON COLUMN @extschema@.l4_stream.first_iteration IS
'first iteration its own markers name';
COMMENT ON COLUMN @extschema@.l4_stream.last_iteration IS
'iteration of its last record, by its own markers';
COMMENT ON COLUMN @extschema@.l4_stream.file_size IS
'bytes of the file on disk when it was read';
COMMENT ON COLUMN @extschema@.l4_stream.file_modified_at IS
'time of the files last change when it was read';
COMMENT ON COLUMN @extschema@.l4_stream.imported_at IS
'when it was read';
COMMENT ON COLUMN @extschema@.l4_stream.told_node IS
'node that its rank says it is on, where neither path nor label names one (l4_learn_rank_nodes)';
COMMENT ON COLUMN @extschema@.l4_stream.bundle_id IS
'of a small file that came in with others: the key, in place of source_id, of the rows of l4_segment, l4_source_counts and '
'l4_parameter_sketch that it shares with these; else NULL';

COMMENT ON TABLE @extschema@.l4_segment IS
'Some thousands of consecutive records of one source as compressed columns, or those of several small files in a bundle '
'(segment_no -1). Read it through the view l4_log or l4_segment_records.';
COMMENT ON COLUMN @extschema@.l4_segment.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_segment.source_id IS
'the source; of a bundle its id (l4_stream.bundle_id)';
COMMENT ON COLUMN @extschema@.l4_segment.segment_no IS
'0, 1, 2 ... in file order; -1: a bundle of small files, each whole, of which first and last line and time are those of any';
COMMENT ON COLUMN @extschema@.l4_segment.first_line IS
'number of its first line';
COMMENT ON COLUMN @extschema@.l4_segment.last_line IS
'number of its last line';
COMMENT ON COLUMN @extschema@.l4_segment.record_count IS
'records in it';
COMMENT ON COLUMN @extschema@.l4_segment.first_ts IS
'earliest time in it';
COMMENT ON COLUMN @extschema@.l4_segment.last_ts IS
'latest time in it';
COMMENT ON COLUMN @extschema@.l4_segment.raw_bytes IS
'bytes of log it holds, uncompressed';
COMMENT ON COLUMN @extschema@.l4_segment.stream_ids IS
'the streams its records are of; records name them by position; of a bundle file by file';
COMMENT ON COLUMN @extschema@.l4_segment.shape_ids IS
'the shapes that occur in it; of a bundle that files have left (they were read again) maybe more';
COMMENT ON COLUMN @extschema@.l4_segment.structure IS
'per record: stream, line, time, level, component, stage, iteration, frame (in the order of streams), shape; version, '
'checksum, zstd';
COMMENT ON COLUMN @extschema@.l4_segment.texts IS
'dictionaries of components, frames and shapes; version, checksum, zstd';
COMMENT ON COLUMN @extschema@.l4_segment.parameters IS
'parameters by shape and position, of a shape in the order of streams, numbers as such; version, checksum, zstd';

COMMENT ON TABLE @extschema@.l4_shape IS
'Every distinct shape: a message with its variable parts as <*>. Grows with the number of kinds of statements, not of '
'lines.';
COMMENT ON COLUMN @extschema@.l4_shape.shape_id IS
'content hash (XXH3, 64 bit) of the shape';
COMMENT ON COLUMN @extschema@.l4_shape.shape IS
'the masked message';
COMMENT ON COLUMN @extschema@.l4_shape.event_id IS
'the event it belongs to; NULL until l4_assign_events ran';

COMMENT ON COLUMN @extschema@.l4_shape.tentative IS
'where only last records of sources have it, which more bytes may still change: of how many sources; else NULL, and for good '
'where 4 have had it. 0: nothing has it any more';

COMMENT ON TABLE @extschema@.l4_event IS
'Every event: a Drain template over shapes.';
COMMENT ON COLUMN @extschema@.l4_event.event_id IS
'content hash of the template it was created with; does not change once given';
COMMENT ON COLUMN @extschema@.l4_event.template IS
'the template, variable parts as <*>';
COMMENT ON COLUMN @extschema@.l4_event.parent_id IS
'id of the template before groups were split by a literal position';
COMMENT ON COLUMN @extschema@.l4_event.first_seen IS
'when l4 first saw it';

COMMENT ON TABLE @extschema@.l4_source_counts IS
'Per source, or bundle of small files: how often its streams log each shape, and where and when first and last, packed. The '
'view l4_stream_event shows this as rows.';
COMMENT ON COLUMN @extschema@.l4_source_counts.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_source_counts.source_id IS
'the source; of a bundle its id (l4_stream.bundle_id)';
COMMENT ON COLUMN @extschema@.l4_source_counts.row_count IS
'how many rows of l4_stream_event these are';
COMMENT ON COLUMN @extschema@.l4_source_counts.counts IS
'packed: see l4_unpack_counts';

COMMENT ON TABLE @extschema@.l4_timeline IS
'Per job: when each iteration began, by the earliest marker of any stream. Places records of ranks that print no markers.';
COMMENT ON COLUMN @extschema@.l4_timeline.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_timeline.iterations IS
'iteration numbers, in the order of their start';
COMMENT ON COLUMN @extschema@.l4_timeline.started_at IS
'their starts, ascending';
COMMENT ON COLUMN @extschema@.l4_timeline.stale IS
'a record that named a start is no more: the import under way makes the row anew at its end';

COMMENT ON TABLE @extschema@.l4_address IS
'Network addresses of a job''s nodes, learned from its own records by l4_learn_addresses at the end of an import. A site '
'may add rows.';
COMMENT ON COLUMN @extschema@.l4_address.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_address.address IS
'an address as it stands in the logs; or, of a job of which ranks are compared, a process, as "pid 4711"';
COMMENT ON COLUMN @extschema@.l4_address.node IS
'the node that has it';

COMMENT ON TABLE @extschema@.l4_parameter_sketch IS
'Per source: the packed sketches of the parameters of its shapes, which the view l4_stream_parameter shows as rows. '
'Written by l4_import.';
COMMENT ON COLUMN @extschema@.l4_parameter_sketch.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_parameter_sketch.source_id IS
'the source, as in l4_stream; of small files in a bundle its id (l4_stream.bundle_id)';
COMMENT ON COLUMN @extschema@.l4_parameter_sketch.sketch IS
'for l4_sketch_parameters; with version and checksum';

COMMENT ON TABLE @extschema@.l4_source_state IS
'What it takes to go on with a source where it ended: a plain file that grows, or lines that come as rows. Written with '
'the source; without a row it is read anew.';
COMMENT ON COLUMN @extschema@.l4_source_state.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_source_state.source_id IS
'the source, as in l4_stream; of small files in a bundle its id (l4_stream.bundle_id)';
COMMENT ON COLUMN @extschema@.l4_source_state.byte_count IS
'bytes taken in so far';
COMMENT ON COLUMN @extschema@.l4_source_state.settings_hash IS
'hash of the rules and of what the job says of times and places: with others the source is taken in anew';
COMMENT ON COLUMN @extschema@.l4_source_state.head_hash IS
'hash of the files first 64 kB: tells one that grew from one that was rewritten';
COMMENT ON COLUMN @extschema@.l4_source_state.tail_hash IS
'hash of the last 64 kB taken in';
COMMENT ON COLUMN @extschema@.l4_source_state.shape_ids IS
'shapes that only its last records have, which may still change; NULL where there are none';
COMMENT ON COLUMN @extschema@.l4_source_state.state IS
'where the open segment begins, how each stream stood there, and what was counted before the last records; version, '
'checksum, zstd. NULL: the source is short and read anew. Of a bundle: which of shape_ids are of which source';

COMMENT ON TABLE @extschema@.l4_inbox IS
'Lines on their way in: written by client-side COPY and log shippers, who need no right but INSERT, and taken out by '
'l4_ingest_inbox. A row is a whole line. What has the same job_id, node, rank and source is one source; its lines keep the '
'order in which a session wrote them.';
COMMENT ON COLUMN @extschema@.l4_inbox.job_id IS
'the job; rows of a job that is not registered wait until it is';
COMMENT ON COLUMN @extschema@.l4_inbox.node IS
'node the line comes from, NULL where not known';
COMMENT ON COLUMN @extschema@.l4_inbox.rank IS
'global rank, NULL where not known or of none';
COMMENT ON COLUMN @extschema@.l4_inbox.source IS
'name of the file or program it comes from, NULL for one without a name';
COMMENT ON COLUMN @extschema@.l4_inbox.ts IS
'time by the shipper; counts where the line states none';
COMMENT ON COLUMN @extschema@.l4_inbox.level IS
'level by the shipper (info, warning, ... or a syslog severity 0 to 7); counts where the line states none';
COMMENT ON COLUMN @extschema@.l4_inbox.line IS
'the line, without its end';
COMMENT ON COLUMN @extschema@.l4_inbox.arrived_at IS
'order of the rows of a session; not to be given';

COMMENT ON TABLE @extschema@.l4_inbox_refused IS
'Rows of l4_inbox that cannot be lines of a log, set aside by l4_ingest_inbox so that the others come in: as they were, '
'with the reason. To take one in after all, correct it and put it back: WITH r AS (DELETE FROM l4_inbox_refused WHERE ... '
'RETURNING *) INSERT INTO l4_inbox (job_id, node, rank, source, ts, level, line, arrived_at) SELECT job_id, node, NULL, '
'source, ts, level, line, arrived_at FROM r.';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.job_id IS
'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.node IS
'as in l4_inbox; refused where longer than 1,024 bytes';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.rank IS
'as in l4_inbox; refused where below 0';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.source IS
'as in l4_inbox; refused where longer than 4,096 bytes';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.ts IS
'as in l4_inbox; refused where infinite or not of the years 1 to 9999';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.level IS
'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.line IS
'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.arrived_at IS
'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.reason IS
'why it was refused';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.refused_at IS
'when it was refused';
