/* Kernels for the flows between the accelerators of training jobs: each works alone, on anyone's table. */

CREATE TYPE @extschema@.l4_flow_series AS (
	records bigint,
	small bigint,
	duplicates bigint,
	set_aside bigint,
	bytes bigint,
	retransmits bigint,
	same_size double precision,
	began double precision[],
	lasted real[],
	moved real[],
	busy real[],
	path smallint[],
	lost smallint[],
	paths text[]
);
COMMENT ON TYPE @extschema@.l4_flow_series IS
'The result of l4_flow_messages: what went one way between two addresses, as messages in order of their beginning; the arrays '
'from began to lost have an element for each.';
COMMENT ON COLUMN @extschema@.l4_flow_series.records IS 'Records that the messages are made of.';
COMMENT ON COLUMN @extschema@.l4_flow_series.small IS 'Records with fewer bytes than least_bytes, which make no messages.';
COMMENT ON COLUMN @extschema@.l4_flow_series.duplicates IS 'Records that came again from another switch, left out.';
COMMENT ON COLUMN @extschema@.l4_flow_series.set_aside IS 'Records that cannot be right, left out.';
COMMENT ON COLUMN @extschema@.l4_flow_series.bytes IS 'Bytes of messages and of small records.';
COMMENT ON COLUMN @extschema@.l4_flow_series.retransmits IS 'Packets that were sent again.';
COMMENT ON COLUMN @extschema@.l4_flow_series.same_size IS 'Share of the records that have the most frequent size, 0 to 1.';
COMMENT ON COLUMN @extschema@.l4_flow_series.began IS 'When each message began, in seconds since 1970.';
COMMENT ON COLUMN @extschema@.l4_flow_series.lasted IS 'Seconds from its first byte to its last.';
COMMENT ON COLUMN @extschema@.l4_flow_series.moved IS 'Its bytes.';
COMMENT ON COLUMN @extschema@.l4_flow_series.busy IS
'Seconds of its records, one by one: moved / busy is the rate of a record, whatever goes beside it.';
COMMENT ON COLUMN @extschema@.l4_flow_series.path IS 'Which of the paths it took, from 1.';
COMMENT ON COLUMN @extschema@.l4_flow_series.lost IS 'Packets of it that were sent again, at most 32,767.';
COMMENT ON COLUMN @extschema@.l4_flow_series.paths IS
'The different lists of switches, each as one text with commas, in order (collation C); empty where there is none, or more '
'than 256.';

CREATE FUNCTION @extschema@.l4_flow_messages_transition(state bytea, started_at timestamptz, duration double precision,
	bytes bigint, queue_pair bigint, retransmits bigint, switches text[], pause double precision, least_bytes bigint,
	twice double precision) RETURNS bytea
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_flow_messages_transition';
COMMENT ON FUNCTION @extschema@.l4_flow_messages_transition(bytea, timestamptz, double precision, bigint, bigint, bigint,
	text[], double precision, bigint, double precision) IS
'Takes one record into a state of l4_flow_messages. Error 22P03 if it is none.';

CREATE FUNCTION @extschema@.l4_flow_messages_combine(bytea, bytea) RETURNS bytea
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_flow_messages_combine';
COMMENT ON FUNCTION @extschema@.l4_flow_messages_combine(bytea, bytea) IS
'Adds the second state of l4_flow_messages to the first. Error 22P03 if one is none.';

CREATE FUNCTION @extschema@.l4_flow_messages_final(bytea) RETURNS @extschema@.l4_flow_series
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'l4_flow_messages_final';
COMMENT ON FUNCTION @extschema@.l4_flow_messages_final(bytea) IS
'Makes the messages of a state of l4_flow_messages. Error 22P03 if it is none.';

CREATE AGGREGATE @extschema@.l4_flow_messages(started_at timestamptz, duration double precision, bytes bigint,
	queue_pair bigint, retransmits bigint, switches text[], pause double precision, least_bytes bigint,
	twice double precision) (
	SFUNC = @extschema@.l4_flow_messages_transition,
	STYPE = bytea,
	SSPACE = 20000,
	FINALFUNC = @extschema@.l4_flow_messages_final,
	COMBINEFUNC = @extschema@.l4_flow_messages_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_flow_messages(timestamptz, double precision, bigint, bigint, bigint, text[],
	double precision, bigint, double precision) IS
'The messages that went one way between two addresses, from the records that switches'' collectors give of their flows: one'
' l4_flow_series, NULL for no rows. A collector cuts long flows, gives a record for each queue pair, and the same one from '
'two switches: what overlaps or follows on one path within pause seconds is one message, a record of the same queue pair, '
'size and duration within twice seconds is left out. started_at, duration (seconds), bytes: of a record; one that has none '
'of them, less than 0 seconds, or no bytes is counted (set_aside). queue_pair, retransmits, switches: may be NULL. Records '
'with fewer bytes than least_bytes are counted alone. Rows without switches have a path of their own, the empty text, beside '
'rows that have some; of more than 256 paths none is told apart, and paths is empty. The result is the same for any order of '
'rows and any plan. Errors: 22023 pause under a microsecond, or options that differ from row to row; 54000 more than some 40 '
'million records in a worker. Cost: some 300 nanoseconds and 24 bytes a record, those of '
'all groups in memory up to a quarter of the server''s hash memory, the rest on disk (error 53400 above temp_file_limit).';

CREATE AGGREGATE @extschema@.l4_flow_messages_state(started_at timestamptz, duration double precision, bytes bigint,
	queue_pair bigint, retransmits bigint, switches text[], pause double precision, least_bytes bigint,
	twice double precision) (
	SFUNC = @extschema@.l4_flow_messages_transition,
	STYPE = bytea,
	SSPACE = 20000,
	COMBINEFUNC = @extschema@.l4_flow_messages_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_flow_messages_state(timestamptz, double precision, bigint, bigint, bigint, text[],
	double precision, bigint, double precision) IS
'Step: The state of l4_flow_messages for the same rows, to be kept and added to others with l4_flow_messages_joined: 24 '
'bytes a record.';

CREATE AGGREGATE @extschema@.l4_flow_messages_joined(state bytea) (
	SFUNC = @extschema@.l4_flow_messages_combine,
	STYPE = bytea,
	FINALFUNC = @extschema@.l4_flow_messages_final,
	COMBINEFUNC = @extschema@.l4_flow_messages_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_flow_messages_joined(bytea) IS
'Step: What l4_flow_messages gives for the rows of all states (l4_flow_messages_state). Errors: 22P03 one that is none, 22023'
' options that differ.';

CREATE FUNCTION @extschema@.l4_flow_messages_since(state bytea, since timestamptz) RETURNS bytea
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'l4_flow_messages_since';
COMMENT ON FUNCTION @extschema@.l4_flow_messages_since(bytea, timestamptz) IS
'Step: A state of l4_flow_messages_state without the records that began before a time, NULL where none is left. Error 22P03 '
'if it is none.';

CREATE TYPE @extschema@.l4_regularity AS (
	"interval" double precision,
	pause double precision,
	bursts bigint
);
COMMENT ON TYPE @extschema@.l4_regularity IS 'The result of l4_regular_interval.';
COMMENT ON COLUMN @extschema@.l4_regularity."interval" IS
'Seconds from the beginning of a burst to that of the next, the median.';
COMMENT ON COLUMN @extschema@.l4_regularity.pause IS 'Seconds of silence that part bursts.';
COMMENT ON COLUMN @extschema@.l4_regularity.bursts IS 'How many there are.';

CREATE FUNCTION @extschema@.l4_regular_interval(began double precision[], lasted real[], share_of_count double precision,
	share_of_time double precision, tolerance double precision) RETURNS @extschema@.l4_regularity
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'l4_regular_interval';
COMMENT ON FUNCTION @extschema@.l4_regular_interval(double precision[], real[], double precision, double precision,
	double precision) IS
'The finest bursts of messages (began and lasted, seconds) that come regularly, such as those of the gradients of each step: '
'NULL where there are none. Pauses are tried from the shortest on, where as many were longer if they were half as long again; '
'of the intervals between bursts a share_of_count, and those that make up a share_of_time of all, must be within tolerance (a '
'share) of the median; where no pauses do, bursts are of one message. Errors: 22023 arrays of '
'different lengths, or with NULLs. Cost: time n * log(n).';

CREATE FUNCTION @extschema@.l4_together(began double precision[], others double precision[], tolerance double precision)
	RETURNS double precision
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'l4_together';
COMMENT ON FUNCTION @extschema@.l4_together(double precision[], double precision[], double precision) IS
'Share, 0 to 1, of the messages (began, in order) that begin as long before or after the nearest of others (in order) as '
'most of them do, within tolerance seconds: what two exchange goes together, what one answers does not. 0 where one array is '
'empty. Errors: 22023 NULLs in an array. Cost: time n * log(n).';

CREATE TYPE @extschema@.l4_answer AS (
	alike double precision,
	at_once double precision,
	end_together double precision,
	turns bigint,
	in_turn double precision
);
COMMENT ON TYPE @extschema@.l4_answer IS 'The result of l4_answers.';
COMMENT ON COLUMN @extschema@.l4_answer.alike IS
'Share, 0 to 1, of the messages of one way that one of the same size answers later; of the way of which more are answered.';
COMMENT ON COLUMN @extschema@.l4_answer.at_once IS
'Share, 0 to 1, of the time of the way that sends for a shorter one in which the other sends, too.';
COMMENT ON COLUMN @extschema@.l4_answer.end_together IS
'Share, 0 to 1, of the messages of the first way that end as long before or after the nearest end of the other way as most do.';
COMMENT ON COLUMN @extschema@.l4_answer.turns IS
'How often messages go alone one way, and then alone the other way, in that order rather than the other: a stage of a '
'pipeline that sends as it gets begins a step with activations alone, and ends it with gradients alone.';
COMMENT ON COLUMN @extschema@.l4_answer.in_turn IS
'Share, 0 to 1, of the messages that go alone which are of such turns; of both ways as many as the way has that has fewer.';

CREATE FUNCTION @extschema@.l4_answers(began double precision[], lasted real[], moved real[], back_began double precision[],
	back_lasted real[], back_moved real[], pause double precision, tolerance double precision, together double precision,
	smallest double precision DEFAULT 0) RETURNS @extschema@.l4_answer
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 3000 AS 'MODULE_PATHNAME', 'l4_answers';
COMMENT ON FUNCTION @extschema@.l4_answers(double precision[], real[], real[], double precision[], real[], real[],
	double precision, double precision, double precision, double precision) IS
'Whether what goes one way between two is answered by what comes back, as along a pipeline, where gradients are as large as '
'the activations were, or whether it goes both ways at once, as what collectives and experts exchange. began, lasted, moved: '
'when each message began, in order, seconds it lasted, its bytes; of one way, then of the other. pause: seconds, shorter ones '
'are none. tolerance: sizes are the same within this share. together: seconds, as the tolerance of l4_together; messages so '
'close to each other go at once. smallest: messages that move less than this share of the mean take no turns. An answer is one '
'of the next 128 of the other way. 0 where one way has none. Errors: 22023 arrays of different lengths, or with NULLs. Cost: '
'time n * log(n).';

CREATE TYPE @extschema@.l4_burst_times AS (
	bursts bigint,
	seconds double precision
);
COMMENT ON TYPE @extschema@.l4_burst_times IS 'The result of l4_bursts.';
COMMENT ON COLUMN @extschema@.l4_burst_times.bursts IS 'How many bursts there are.';
COMMENT ON COLUMN @extschema@.l4_burst_times.seconds IS 'How long they last, all together.';

CREATE FUNCTION @extschema@.l4_bursts(began double precision[], lasted real[], pause double precision)
	RETURNS @extschema@.l4_burst_times
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'l4_bursts';
COMMENT ON FUNCTION @extschema@.l4_bursts(double precision[], real[], double precision) IS
'How many bursts of messages there are, where pause seconds of silence part them, and how long they last all together: with a '
'pause of a step or more, for how long somebody sends in each step. began and lasted: of each message, in any order. Errors: '
'22023 arrays of different lengths, or with NULLs. Cost: time n * log(n).';

CREATE TYPE @extschema@.l4_step_phase_series AS (
	began double precision[],
	ended double precision[],
	bytes double precision[]
);
COMMENT ON TYPE @extschema@.l4_step_phase_series IS 'The result of l4_step_phases; the arrays have an element for each phase.';
COMMENT ON COLUMN @extschema@.l4_step_phase_series.began IS 'When it began to send, in seconds since 1970.';
COMMENT ON COLUMN @extschema@.l4_step_phase_series.ended IS 'When the last message was through.';
COMMENT ON COLUMN @extschema@.l4_step_phase_series.bytes IS 'Bytes sent and got.';

CREATE FUNCTION @extschema@.l4_step_phases_transition(state bytea, began double precision[], lasted real[], moved real[],
	sent boolean, pause double precision, whole double precision) RETURNS bytea
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_step_phases_transition';
COMMENT ON FUNCTION @extschema@.l4_step_phases_transition(bytea, double precision[], real[], real[], boolean,
	double precision, double precision) IS
'Takes the messages of one direction into a state of l4_step_phases. Error 22P03 if it is none.';

CREATE FUNCTION @extschema@.l4_step_phases_combine(bytea, bytea) RETURNS bytea
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_step_phases_combine';
COMMENT ON FUNCTION @extschema@.l4_step_phases_combine(bytea, bytea) IS
'Adds the second state of l4_step_phases to the first. Error 22P03 if one is none.';

CREATE FUNCTION @extschema@.l4_step_phases_final(bytea) RETURNS @extschema@.l4_step_phase_series
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'l4_step_phases_final';
COMMENT ON FUNCTION @extschema@.l4_step_phases_final(bytea) IS
'Finds the phases of a state of l4_step_phases. Error 22P03 if it is none.';

CREATE AGGREGATE @extschema@.l4_step_phases(began double precision[], lasted real[], moved real[], sent boolean,
	pause double precision, whole double precision) (
	SFUNC = @extschema@.l4_step_phases_transition,
	STYPE = bytea,
	FINALFUNC = @extschema@.l4_step_phases_final,
	COMBINEFUNC = @extschema@.l4_step_phases_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_step_phases(double precision[], real[], real[], boolean, double precision,
	double precision) IS
'The data-parallel phases of one accelerator, each of which closes a step: one l4_step_phase_series. A row is what goes one '
'way between it and another: began, lasted, moved as l4_flow_messages gives them, sent (by it, not to it). Silence of pause '
'seconds parts phases; the last is left out where it has less than whole (a share) of the usual bytes. The result is the same '
'for any order of rows and any plan. Errors: 22023 arrays of different lengths, with NULLs, or with times that are not finite '
'or run backwards, or options that differ from row to row; 53400 more than maintenance_work_mem. Cost: time n * log(n), 40 '
'bytes a message.';

CREATE TYPE @extschema@.l4_step_work_series AS (
	computed double precision[],
	sent double precision[],
	closing double precision[]
);
COMMENT ON TYPE @extschema@.l4_step_work_series IS 'The result of l4_step_work; the arrays have an element for each step.';
COMMENT ON COLUMN @extschema@.l4_step_work_series.computed IS
'Seconds from when it had what it needed to when it sent on what it made of it.';
COMMENT ON COLUMN @extschema@.l4_step_work_series.sent IS 'Seconds of the messages that it sent.';
COMMENT ON COLUMN @extschema@.l4_step_work_series.closing IS
'Of computed the last part, until its data-parallel phase began; this may be waiting for who it sends to there. NaN where the '
'step lacks messages that others have, which may be lost: what it computed is not sure then.';

CREATE FUNCTION @extschema@.l4_step_work_transition(state bytea, began double precision[], lasted real[], busy real[],
	sent boolean, peer text, ends double precision[], closes double precision[]) RETURNS bytea
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_step_work_transition';
COMMENT ON FUNCTION @extschema@.l4_step_work_transition(bytea, double precision[], real[], real[], boolean, text,
	double precision[], double precision[]) IS
'Takes the messages of one direction into a state of l4_step_work. Error 22P03 if it is none.';

CREATE FUNCTION @extschema@.l4_step_work_combine(bytea, bytea) RETURNS bytea
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_step_work_combine';
COMMENT ON FUNCTION @extschema@.l4_step_work_combine(bytea, bytea) IS
'Adds the second state of l4_step_work to the first. Error 22P03 if one is none.';

CREATE FUNCTION @extschema@.l4_step_work_final(bytea) RETURNS @extschema@.l4_step_work_series
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'l4_step_work_final';
COMMENT ON FUNCTION @extschema@.l4_step_work_final(bytea) IS
'Works out the steps of a state of l4_step_work. Error 22P03 if it is none.';

CREATE AGGREGATE @extschema@.l4_step_work(began double precision[], lasted real[], busy real[], sent boolean, peer text,
	ends double precision[], closes double precision[]) (
	SFUNC = @extschema@.l4_step_work_transition,
	STYPE = bytea,
	FINALFUNC = @extschema@.l4_step_work_final,
	COMBINEFUNC = @extschema@.l4_step_work_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_step_work(double precision[], real[], real[], boolean, text, double precision[],
	double precision[]) IS
'What one accelerator did in each step, by the messages of its pipeline: one l4_step_work_series. A row is what goes one way '
'between it and a peer: began, lasted, busy as l4_flow_messages gives them, sent (by it, not to it). ends: the ends of its '
'steps, one more than there are steps; closes: when the data-parallel phase of each began; both the same in every row. '
'Waiting for others is not counted, so that who is slow is told from who waits. The result is the same for any order of rows '
'and any plan. Errors: 22023 arrays of different lengths, with NULLs, or with times that are not finite or run backwards, or '
'ends and closes that differ from row to row; 53400 more than maintenance_work_mem. Cost: time n * log(n), 40 bytes a message.';

CREATE FUNCTION @extschema@.l4_step_overdue_transition(state bytea, began double precision[], lasted real[], moved real[],
	sent boolean, ends double precision[]) RETURNS bytea
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_step_overdue_transition';
COMMENT ON FUNCTION @extschema@.l4_step_overdue_transition(bytea, double precision[], real[], real[], boolean,
	double precision[]) IS
'Takes the messages of one direction into a state of l4_step_overdue. Error 22P03 if it is none.';

CREATE FUNCTION @extschema@.l4_step_overdue_combine(bytea, bytea) RETURNS bytea
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_step_overdue_combine';
COMMENT ON FUNCTION @extschema@.l4_step_overdue_combine(bytea, bytea) IS
'Adds the second state of l4_step_overdue to the first. Error 22P03 if one is none.';

CREATE FUNCTION @extschema@.l4_step_overdue_final(bytea) RETURNS double precision
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'l4_step_overdue_final';
COMMENT ON FUNCTION @extschema@.l4_step_overdue_final(bytea) IS
'Works out when the accelerator of a state of l4_step_overdue should have sent again. Error 22P03 if it is none.';

CREATE AGGREGATE @extschema@.l4_step_overdue(began double precision[], lasted real[], moved real[], sent boolean,
	ends double precision[]) (
	SFUNC = @extschema@.l4_step_overdue_transition,
	STYPE = bytea,
	FINALFUNC = @extschema@.l4_step_overdue_final,
	COMBINEFUNC = @extschema@.l4_step_overdue_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_step_overdue(double precision[], real[], real[], boolean, double precision[]) IS
'When an accelerator should have sent again, in seconds since 1970: its last sending, and as long behind it as it usually '
'takes from the same place in a step to the next one: when as many messages were sent (as much, where their number differs), '
'or the one that came as long after the step began, if that is a later one. Of accelerators that stand still, the one '
'that should have sent first stands still for a reason of its own; the others wait. NULL where it sent nothing or nothing is '
'usual. A row is what goes one way between it and another: began, lasted, moved as l4_flow_messages gives them, sent (by it, '
'not to it); ends: the ends of its steps, the same in every row. The result is the same for any order of rows and any plan. '
'Errors: 22023 arrays of different lengths, with NULLs, or with times that are not finite or run backwards, or ends that '
'differ from row to row; 53400 more than maintenance_work_mem. Cost: time n * log(n), 40 bytes a message.';

CREATE TYPE @extschema@.l4_exchange_series AS (
	began double precision[],
	since double precision[],
	got double precision[],
	step int[],
	turn int[]
);
COMMENT ON TYPE @extschema@.l4_exchange_series IS
'The result of l4_step_exchanges; the arrays have an element for each exchange, in their order.';
COMMENT ON COLUMN @extschema@.l4_exchange_series.began IS 'When it sent for the first time, in seconds since 1970.';
COMMENT ON COLUMN @extschema@.l4_exchange_series.since IS
'When all that it sent and got in the exchange before was through; NaN before the first.';
COMMENT ON COLUMN @extschema@.l4_exchange_series.got IS 'Bytes that it got in the exchange before.';
COMMENT ON COLUMN @extschema@.l4_exchange_series.step IS
'Of which step, from 1; 0: what is between since and began is not computing alone.';
COMMENT ON COLUMN @extschema@.l4_exchange_series.turn IS 'Which one of those that begin in its step, from 0.';

CREATE FUNCTION @extschema@.l4_step_exchanges_transition(state bytea, began double precision[], lasted real[], moved real[],
	sent boolean, peer text, ends double precision[], closes double precision[], pause double precision) RETURNS bytea
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_step_exchanges_transition';
COMMENT ON FUNCTION @extschema@.l4_step_exchanges_transition(bytea, double precision[], real[], real[], boolean, text,
	double precision[], double precision[], double precision) IS
'Takes the messages of one direction into a state of l4_step_exchanges. Error 22P03 if it is none.';

CREATE FUNCTION @extschema@.l4_step_exchanges_combine(bytea, bytea) RETURNS bytea
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_step_exchanges_combine';
COMMENT ON FUNCTION @extschema@.l4_step_exchanges_combine(bytea, bytea) IS
'Adds the second state of l4_step_exchanges to the first. Error 22P03 if one is none.';

CREATE FUNCTION @extschema@.l4_step_exchanges_final(bytea) RETURNS @extschema@.l4_exchange_series
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'l4_step_exchanges_final';
COMMENT ON FUNCTION @extschema@.l4_step_exchanges_final(bytea) IS
'Finds the exchanges of a state of l4_step_exchanges. Error 22P03 if it is none.';

CREATE AGGREGATE @extschema@.l4_step_exchanges(began double precision[], lasted real[], moved real[], sent boolean, peer text,
	ends double precision[], closes double precision[], pause double precision) (
	SFUNC = @extschema@.l4_step_exchanges_transition,
	STYPE = bytea,
	FINALFUNC = @extschema@.l4_step_exchanges_final,
	COMBINEFUNC = @extschema@.l4_step_exchanges_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_step_exchanges(double precision[], real[], real[], boolean, text, double precision[],
	double precision[], double precision) IS
'The exchanges, all with all, of one accelerator, as of tokens among experts: one l4_exchange_series. A row is what goes one '
'way between it and a peer: began, lasted, moved as l4_flow_messages gives them, sent (by it, not to it); peer NULL: what is '
'no exchange, but may have been waited for. An exchange begins where it sends again to whom it has sent in the one before, '
'behind a silence that is not short beside the others of more than pause seconds. ends: the ends of its steps, one more than '
'there are steps; closes: when the data-parallel phase of each began; both, and pause, the same in every row. The result is '
'the same for any order of rows and any plan. Errors: 22023 arrays of different lengths, with NULLs, or with times that are '
'not finite or run backwards, or options that differ from row to row; 53400 more than maintenance_work_mem. Cost: time '
'n * log(n), 40 bytes a message.';

CREATE FUNCTION @extschema@.l4_exchanges_behind(members @extschema@.l4_exchange_series[], servers int[], steps int)
	RETURNS double precision[]
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'l4_exchanges_behind';
COMMENT ON FUNCTION @extschema@.l4_exchanges_behind(@extschema@.l4_exchange_series[], int[], int) IS
'By how much longer (a logarithm) each of those who exchange with each other computes than is usual among them, in each of so '
'many steps, one member after the other: all wait in each exchange for the last one to send, so that all begin at once, and '
'who computes longer is the last to send in the next; or, if that is more, than it usually does itself in the same turn of '
'its other steps, less what the others do. What is told is what it is late by in three quarters of the exchanges '
'of a step, less what it got more bytes by; NaN where fewer than three tell. servers: of each member, numbered from 1, as '
'nobody sees what those of one server send each other. Errors: 22023 arrays of different lengths, or with NULLs, or a server '
'out of range. Cost: time n * log(n).';

CREATE TYPE @extschema@.l4_step_traffic_series AS (
	bytes double precision[],
	busy double precision[],
	began double precision[]
);
COMMENT ON TYPE @extschema@.l4_step_traffic_series IS
'The result of l4_step_traffic; the arrays have an element for each step.';
COMMENT ON COLUMN @extschema@.l4_step_traffic_series.bytes IS 'Bytes of the messages that began in it.';
COMMENT ON COLUMN @extschema@.l4_step_traffic_series.busy IS 'Seconds of their records.';
COMMENT ON COLUMN @extschema@.l4_step_traffic_series.began IS
'When the first of them began that is of this step (what comes at once may be left over from the last, and the '
'smallest may be beside it); 0 where there is none.';

CREATE TYPE @extschema@.l4_step_cycle_series AS (
	"interval" double precision,
	began double precision[],
	ended double precision[],
	bytes double precision[],
	microbatches int,
	regular double precision,
	layer double precision,
	weight double precision
);
COMMENT ON TYPE @extschema@.l4_step_cycle_series IS 'Steps of a job with sharded parameters.';
COMMENT ON COLUMN @extschema@.l4_step_cycle_series.layer IS
'Seconds from a burst to the next at the lower speed, where bursts are layers, whether steps are seen or not; else NULL.';
COMMENT ON COLUMN @extschema@.l4_step_cycle_series.weight IS
'Bytes of a burst at the lower speed over those of one at the higher, where bursts are layers: some 2 where gradients are '
'scattered on the way back, 1 along a pipeline.';
COMMENT ON COLUMN @extschema@.l4_step_cycle_series."interval" IS
'Seconds from the beginning of a step to that of the next, the median.';
COMMENT ON COLUMN @extschema@.l4_step_cycle_series.began IS
'When each began, which is when the one before ended, in seconds since 1970.';
COMMENT ON COLUMN @extschema@.l4_step_cycle_series.ended IS 'When the last message before the next one was through.';
COMMENT ON COLUMN @extschema@.l4_step_cycle_series.bytes IS 'Bytes sent in it.';
COMMENT ON COLUMN @extschema@.l4_step_cycle_series.microbatches IS
'Over how many microbatches, which go through all layers each, a step accumulates gradients; 0: which of the cycles begin a '
'step cannot be told, as they are too few.';
COMMENT ON COLUMN @extschema@.l4_step_cycle_series.regular IS
'The share of steps that take as long as the one before (0 to 1): how sure it is.';

CREATE FUNCTION @extschema@.l4_step_cycles(began double precision[], lasted real[], moved real[], ratio double precision,
	share double precision, run int, regular double precision, tolerance double precision,
	bytes_ratio double precision DEFAULT 1.3, deviations double precision DEFAULT 5, whole_share double precision DEFAULT 0.5)
	RETURNS @extschema@.l4_step_cycle_series
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20000 AS 'MODULE_PATHNAME', 'l4_step_cycles';
COMMENT ON FUNCTION @extschema@.l4_step_cycles(double precision[], real[], real[], double precision, double precision, int,
	double precision, double precision, double precision, double precision, double precision) IS
'Steps of a job with sharded parameters (ZeRO-3, FSDP), by the messages of one link (in order, as l4_flow_messages gives '
'them): bursts that come at one speed, then at a lower one, as layers do forwards and backwards. A cycle begins where they '
'come faster again; the first may have begun before, the last is left out where it is not over. Intervals at the lower speed '
'are ratio times as long at least, each speed has this share of the intervals and comes in runs of so many bursts, and a '
'regular share of the cycles takes as long as the one before, within tolerance (a share). Where no pause parts layers, as '
'some ranks begin long before others, messages are pieces of collectives that move the same within tolerance, if whole_share '
'of the bytes come in whole ones. NULL where there are no such '
'cycles; layer alone where there are too few of them. Where gradients are accumulated over microbatches each of these is a '
'cycle, and each k-th begins a step: the one before it moves bytes_ratio times as much as the others, or it comes later than '
'the others do, by so many robust deviations, behind a pause that they have not: the optimizer. Of fewer than nine cycles, or '
'where this may be so but is not seen often enough, it cannot be told. Errors: 22023 arrays of different lengths, or with '
'NULLs, or options out of their range. Cost: time n * log(n).';

CREATE FUNCTION @extschema@.l4_step_rounds(began double precision[], lasted real[], moved real[], pause double precision,
	regular double precision, tolerance double precision, bytes_ratio double precision, deviations double precision)
	RETURNS @extschema@.l4_step_cycle_series
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'l4_step_rounds';
COMMENT ON FUNCTION @extschema@.l4_step_rounds(double precision[], real[], real[], double precision, double precision,
	double precision, double precision, double precision) IS
'The steps of a job that scatters gradients in each microbatch and gathers parameters once a step (ZeRO-2), from the messages '
'of one way between two: bursts, parted by pause seconds of silence, of which each k-th moves bytes_ratio times as much as the '
'others, by so many deviations, and ends a step; a share regular of the steps takes as long as the one before, within '
'tolerance. NULL where there are none. Errors: 22023 arrays of different lengths, or with NULLs, or options out of '
'their range. Cost: time n * log(n), and 64 times the bursts.';

CREATE FUNCTION @extschema@.l4_step_traffic(began double precision[], moved real[], busy real[], path smallint[],
	only_path int, ends double precision[], fastest double precision DEFAULT 1, smallest double precision DEFAULT 0)
	RETURNS @extschema@.l4_step_traffic_series
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'l4_step_traffic';
COMMENT ON FUNCTION @extschema@.l4_step_traffic(double precision[], real[], real[], smallint[], int, double precision[],
	double precision, double precision) IS
'What messages (as l4_flow_messages gives them) moved in each step, of which ends are the ends, one more than there are '
'steps. only_path: those of this path, 0 for all. fastest: how long that takes is told by the rate that messages with this '
'share of the bytes of a step have at least, 1: by what they take all together. smallest: what moves less than this share of '
'the mean of a step does not begin it. Errors: 22023 arrays of different lengths, or with NULLs. Cost: time n * log(n).';

CREATE FUNCTION @extschema@.l4_step_lead(began double precision[], lasted real[], back_began double precision[],
	back_lasted real[], ends double precision[], needed int) RETURNS double precision
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'l4_step_lead';
COMMENT ON FUNCTION @extschema@.l4_step_lead(double precision[], real[], double precision[], real[], double precision[], int) IS
'How soon behind the ends of steps a stage sends the activations of the first microbatch, over how long behind these it sends '
'those of the second: the median of the steps in which it gets nothing back until well behind these; below 1 it began to '
'compute before the step ended. began, lasted: what it sends to the next stage, back_began, back_lasted: what comes back. NULL '
'where fewer steps than needed tell. Errors: 22023 arrays of different lengths, or with NULLs. Cost: time n * log(n).';

CREATE FUNCTION @extschema@.l4_step_parts(began double precision[], lasted real[], moved real[], phase_began double precision[],
	phase_ended double precision[], tolerance double precision) RETURNS double precision[]
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'l4_step_parts';
COMMENT ON FUNCTION @extschema@.l4_step_parts(double precision[], real[], real[], double precision[], double precision[],
	double precision) IS
'When the gradients of each phase were summed up, of a link (messages as l4_flow_messages gives them) that moves them and then '
'the parameters: before the longest silence behind which as many bytes come as before it, or half as many, within tolerance (a '
'share); where there is none, but in most phases, as long before the end as in these, if as much is moved, else the end of the '
'phase. Errors: 22023 arrays of different lengths, or with NULLs. Cost: time n.';

CREATE FUNCTION @extschema@.l4_step_early(began double precision[], lasted real[], moved real[], ends double precision[],
	whole_share double precision, tolerance double precision) RETURNS double precision[]
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20000 AS 'MODULE_PATHNAME', 'l4_step_early';
COMMENT ON FUNCTION @extschema@.l4_step_early(double precision[], real[], real[], double precision[], double precision,
	double precision) IS
'Of what a link with collectives (of sharded parameters: ZeRO-3, FSDP) moves in each step, of which ends are the ends, one '
'more than there are steps, the share that goes in pieces before the last one of their collective: those who are early send '
'what they have, and the rest when the last one is there; from that one, around a ring, everything goes at once. NaN for a '
'step without any. NULL where less than whole_share of the bytes comes in collectives that move the same within tolerance, '
'for any pause between them. began (in order), lasted, moved: messages as l4_flow_messages gives them. Errors: 22023 arrays '
'of different lengths, or with NULLs, or options out of their range. Cost: time n * log(n).';

CREATE FUNCTION @extschema@.l4_step_places(times double precision[], reference double precision[], tolerance double precision)
	RETURNS int[]
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'l4_step_places';
COMMENT ON FUNCTION @extschema@.l4_step_places(double precision[], double precision[], double precision) IS
'For each of times, in order, the place (from 1) of the nearest of reference, in order; 0 where none is within tolerance. '
'Errors: 22023 NULLs in an array. Cost: time n.';

CREATE FUNCTION @extschema@.l4_repeated_share(times double precision[], moved real[], ends double precision[], parts int,
	needed int) RETURNS double precision
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'l4_repeated_share';
COMMENT ON FUNCTION @extschema@.l4_repeated_share(double precision[], real[], double precision[], int, int) IS
'How much of what differs in what is moved in the parts of cycles is the same in all of them: 1 where each is like the others, '
'next to 0 for what goes on without them. times, moved: when so many bytes went, in order; ends: of cycles, in order; parts: '
'into how many each is parted. NULL for fewer cycles than needed within these times, or where nothing differs. Errors: 22023 '
'arrays of different lengths, or with NULLs, or parts out of their range. Cost: time n.';

CREATE FUNCTION @extschema@.l4_step_beside(began double precision[], lasted real[], moved real[],
	other_began double precision[], other_lasted real[], other_moved real[], ends double precision[]) RETURNS double precision[]
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20000 AS 'MODULE_PATHNAME', 'l4_step_beside';
COMMENT ON FUNCTION @extschema@.l4_step_beside(double precision[], real[], real[], double precision[], real[], real[],
	double precision[]) IS
'By how much longer (a logarithm) the sender of one link computes than that of another, in each step, of which ends are the '
'ends, one more than there are steps: where parameters are sharded (ZeRO-3, FSDP) both take part in the same collectives, '
'layer by layer, and who is slow is the last to begin. Of the time from one collective to the next, where the other one began '
'both before it, and of itself, not as soon as it could after waiting, and both moved the same: the median; NaN for a step in '
'which that is never seen. Where nothing is gathered ahead, of the silences before collectives. began (in order), lasted, '
'moved: messages as l4_flow_messages gives them. Errors: 22023 arrays of different lengths, or with NULLs. '
'Cost: time n * log(n).';

CREATE FUNCTION @extschema@.l4_late_messages(began double precision[], moved real[], busy real[], factor double precision,
	least_seconds double precision DEFAULT 0) RETURNS double precision[]
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'l4_late_messages';
COMMENT ON FUNCTION @extschema@.l4_late_messages(double precision[], real[], real[], double precision, double precision) IS
'When those messages (as l4_flow_messages gives them) began that took more than factor times as long for their bytes as the '
'median, and least_seconds more, as those do that wait for a time-out. Errors: 22023 arrays of different lengths, or with '
'NULLs, a factor under 1, or negative seconds. Cost: time n * log(n).';
