/*
 * Limits: every number that decides a verdict of the diagnosis, as a row with its unit and its reason.
 *
 * A limit more is a row more: the type l4_limits, by which they are passed down, is made of the rows (49_rules_passed.sql).
 * Built-in rows belong into the file; a site writes a row of its own of the same name, which takes the place of the built-in
 * one, is dumped, and stays at upgrades. Names begin with what they are about: gravity, clock, progress, unexplained, evidence,
 * weight, onset, fault.
 */
CREATE TABLE @extschema@.l4_limit (
	name text NOT NULL CHECK (name ~ '^[a-z][a-z0-9_]{0,62}$'),
	value double precision NOT NULL,
	unit text NOT NULL DEFAULT '',
	why text NOT NULL DEFAULT '',
	builtin boolean NOT NULL DEFAULT false,
	PRIMARY KEY (name, builtin)
);
COMMENT ON TABLE @extschema@.l4_limit IS
'The numbers that decide what the diagnosis says. l4_limits_in_force gathers them in one value.';
COMMENT ON COLUMN @extschema@.l4_limit.name IS 'what it limits; a row of a name that l4 does not know has no effect';
COMMENT ON COLUMN @extschema@.l4_limit.value IS 'the number';
COMMENT ON COLUMN @extschema@.l4_limit.unit IS 'what it counts: records, s, share of nodes, factor, ...';
COMMENT ON COLUMN @extschema@.l4_limit.why IS 'what depends on it, and why it is so large';
COMMENT ON COLUMN @extschema@.l4_limit.builtin IS 'came with l4';

-- How grave a record is: levels from trace 1 to fatal 6 (l4_level_rank), and wordings on the same scale (l4_text_gravity).
INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'gravity_trouble', 4, 'gravity', 'From here on a record tells of trouble: a warning, or a wording of trouble.'),
	(true, 'gravity_error', 5, 'gravity', 'From here on it tells of an error: its level says so, or it is an exception.'),
	(true, 'gravity_fatal', 6, 'gravity', 'Here it tells of an end, and is looked at whenever it came.');

INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'clock_points', 2000, 'points',
		'So many points of time are kept of a file that several streams share, at most; each record placed in it '
		'searches them.'),
	(true, 'clock_nodes', 3, 'nodes',
		'A statement tells of clocks where so many nodes log it: of two that differ nobody knows which is off.'),
	(true, 'clock_node_share', 0.75, 'share of nodes',
		'And where this share of the nodes does: what few log need not be logged at one time.'),
	(true, 'clock_statements', 5, 'statements', 'So many statements tell how far a clock is off; fewer may agree by chance.'),
	(true, 'clock_offset', 0.5, 's',
		'A clock is off by more than this: ranks that work together are not that far apart in an iteration.'),
	(true, 'clock_offset_before_iterations', 1.5, 's', 'The same where nothing was iterated yet: starts are less in step.'),
	(true, 'clock_spread_factor', 4, 'factor', 'And by more than so many times the spread of what the statements say of it.');

INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'progress_iterations', 4, 'iterations', 'So many must have begun before grave records can be older than progress.'),
	(true, 'progress_share', 0.2, 'share of iterations',
		'What sounds grave is outlived where this share of the iterations came after it ...'),
	(true, 'progress_most', 10, 'iterations', '... or so many: the longer the job ran, the less the share need be.'),
	(true, 'progress_known_share', 0.75, 'share of statements',
		'Much of what successful jobs log: where this share of it has come, a job that '
		'fails while it starts has made progress.'),
	(true, 'progress_known_statements', 20, 'statements',
		'So many of them must a file have, for its lines to tell of progress.');

INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'unexplained_value_occurrences', 20, 'records',
		'Fewer of them in the pool do not tell what values a position takes.'),
	(true, 'unexplained_range_occurrences', 5, 'records', 'Nor do fewer than this tell how large its numbers are.'),
	(true, 'unexplained_range_factor', 100, 'factor',
		'A number is out of range so many times beyond the largest, or below the smallest, of the pool.'),
	(true, 'unexplained_burst_factor', 4, 'factor',
		'A burst is more than so many times the largest count in a stream of the pool ...'),
	(true, 'unexplained_burst_records', 20, 'records', '... and at least so many records.'),
	(true, 'unexplained_role_share', 0.25, 'share of streams',
		'What at most this share of the streams of successful jobs log is the business of a '
		'role (rank 0, the last rank): it tells nothing of its node.'),
	(true, 'unexplained_late_share', 0.3, 'share of lines',
		'Without a pool, in a stream without times: what is grave counts behind this share of '
		'its lines, for noise begins early.'),
	(true, 'unexplained_quotes', 500, 'records',
		'So many records are read for their text, those of rare shapes first; all of them would take minutes.');

INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'onset_segments', 4, 'segments',
		'So many segments before a place are opened for the stage and the iteration there.'),
	(true, 'onset_stream_bytes', 268435456, 'bytes',
		'A longer stream is not read wholly for its iterations: it would take many seconds.'),
	(true, 'fault_values', 32, 'values',
		'So many further values of the parameters of a shape are tried on the fault library, those of rare positions '
		'first.');
