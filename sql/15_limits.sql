/*
 * Limits: every number that decides a verdict of the diagnosis, as a row with its unit and its reason.
 *
 * A limit more is a row more: the type l4_limits, by which they are passed down, is made of the rows (49_rules_passed.sql).
 * Built-in rows belong into the file; a site writes a row of its own of the same name, which takes the place of the built-in
 * one, is dumped, and stays at upgrades. Names begin with what they are about: gravity, clock, progress, unexplained, evidence,
 * weight, slow, onset, fault, pool, confidence, look_first, calibrate.
 */

-- How grave a record is: levels from trace 1 to fatal 6 (l4_level_rank), and wordings on the same scale (l4_text_gravity).
INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'gravity_trouble', 4, 'gravity', 'From here on a record tells of trouble: a warning, or a wording of trouble.'),
	(true, 'gravity_error', 5, 'gravity', 'From here on it tells of an error: its level says so, or it is an exception.'),
	(true, 'gravity_fatal', 6, 'gravity', 'Here it tells of an end, and is looked at whenever it came.');

INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'clock_points', 2000, 'points',
		'So many points of time are kept of a file that several streams share, at most; each record placed in it '
		'searches them.'),
	(true, 'clock_displaced_share', 0.5, 'share of stamps',
		'A stamp that is younger than this share of those on later lines of its file is not the time of its line.'),
	(true, 'clock_agreeing_share', 0.75, 'share of stamps',
		'A stream of a shared file goes by the clock of the best-stamped one if so many of its stamps lie between those.'),
	(true, 'clock_nodes', 3, 'nodes',
		'A statement tells of clocks where so many nodes log it: of two that differ nobody knows which is off.'),
	(true, 'clock_node_share', 0.75, 'share of nodes',
		'And where this share of the nodes does: what few log need not be logged at one time.'),
	(true, 'clock_statements', 5, 'statements', 'So many statements tell how far a clock is off; fewer may agree by chance.'),
	(true, 'clock_offset', 0.5, 's',
		'A clock is off by more than this: ranks that work together are not that far apart in an iteration.'),
	(true, 'clock_offset_before_iterations', 1.5, 's', 'The same where nothing was iterated yet: starts are less in step.'),
	(true, 'clock_spread_factor', 4, 'factor', 'And by more than so many times the spread of what the statements say of it.'),
	(true, 'zone_step', 1800, 's', 'Zones are apart by whole half hours, but for two small ones.'),
	(true, 'zone_least', 3600, 's', 'And by an hour at least, most of them: less may be another attempt.'),
	(true, 'zone_most', 50400, 's', 'And by so much at most, from either side of UTC.'),
	(true, 'zone_together', 120, 's', 'What the nodes of a job log begins within so much of its ranks, as a rule.'),
	(true, 'zone_sources', 2, 'files', 'So many files must agree on how far they are apart.');

INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'progress_iterations', 4, 'iterations', 'So many must have begun before grave records can be older than progress.'),
	(true, 'progress_share', 0.2, 'share of iterations',
		'What sounds grave is outlived where this share of the iterations came after it ...'),
	(true, 'progress_most', 10, 'iterations', '... or so many: the longer the job ran, the less the share need be.'),
	(true, 'progress_own_share', 0.4, 'share of records',
		'What sounds fatal is outlived where its own stream says this share of what it says again and again after it ...'),
	(true, 'progress_own_most', 15, 'records', '... or so many: threads that are left behind go on for some iterations.'),
	(true, 'progress_own_records', 10, 'records', 'What a stream says so often is its routine.'),
	(true, 'progress_own_statements', 0.25, 'share of statements',
		'So many statements of its routine may go on without the others: a process that stands still may beat on.'),
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
	(true, 'unexplained_range_number_share', 0.5, 'share of records',
		'Where fewer of the values are numbers none is one: of hexadecimal digests some look like numbers, and huge ones.'),
	(true, 'unexplained_burst_factor', 4, 'factor',
		'A burst is more than so many times the largest count in a stream of the pool ...'),
	(true, 'unexplained_burst_records', 10, 'records', '... and at least so many records.'),
	(true, 'unexplained_alone_power', 2, 'power',
		'Where a single successful job tells a range or a largest count, how jobs differ among each other is not known: '
		'either factor is taken to this power.'),
	(true, 'command_options', 3, 'options',
		'What names so many options is a command, which is another one for each job.'),
	(true, 'name_words', 6, 'words', 'A name (of a job, a project, an owner) has at most so many words ...'),
	(true, 'name_beside_words', 3, 'words',
		'... and its statement so many others: two short ones are alike by chance.'),
	(true, 'name_line_words', 60, 'words', 'Of longer lines all runs of words are too many.'),
	(true, 'name_lines', 500, 'lines', 'Names are looked for in no more lines that no successful job logs ...'),
	(true, 'name_pool_lines', 2000, 'lines', '... and compared with no more of what only some successful jobs log.'),
	(true, 'name_jobs', 20, 'jobs', 'So many successful jobs show well enough where a name stands.'),
	(true, 'unexplained_role_share', 0.25, 'share of streams',
		'What at most this share of the streams of successful jobs log is the business of a '
		'role (rank 0, the last rank): it tells nothing of its node.'),
	(true, 'unexplained_late_share', 0.3, 'share of lines',
		'Without a pool, in a stream without times: what is grave counts behind this share of '
		'its lines, for noise begins early.'),
	(true, 'unexplained_block_lines', 3, 'lines',
		'Lines without a header that follow one another so closely are one statement: rulers and empty lines lie between.'),
	(true, 'unexplained_quotes', 500, 'records',
		'So many records are read for their text, those of rare shapes first; all of them would take minutes.');

-- Without a pool.
INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'alone_good_iterations', 3, 'iterations',
		'Without a pool: what came before so many of the last iterations began, the job made progress after.'),
	(true, 'alone_peer_share', 0.5, 'share of ranks',
		'Without a pool: what this share of the ranks logs belongs to the job, whether it fails or not.'),
	(true, 'alone_peer_statements', 4, 'statements',
		'A rank that logs so many of them first after something grave went on after it; what is said at an end are fewer.'),
	(true, 'alone_survived_share', 0.5, 'share of streams',
		'Without a pool: where more of those that log something grave went on after it, the others did not fail of it.');

-- How a job is set up, and who is set up differently.
INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'setup_streams', 32, 'streams',
		'So many streams of each kind tell what all have alike; all of a large job would take seconds.'),
	(true, 'setup_records', 16, 'records',
		'A program says how it is set up once, or once a device; what it says more often before it iterates is measured.'),
	(true, 'setup_usual_share', 0.75, 'share of streams', 'A setting has one value on so many of these streams.'),
	(true, 'setup_unit_share', 0.75, 'share of nodes',
		'So many of the nodes make the statement: what fewer say is of their role.'),
	(true, 'setup_units', 4, 'nodes',
		'Of so many nodes one can say who differs; of fewer only where successful jobs have the value of the others, too.'),
	(true, 'setup_odd_share', 0.25, 'share of nodes',
		'Where more of the nodes have other values there are two kinds of nodes, or it is no setting.'),
	(true, 'setup_others', 3, 'settings', 'So many settings are told that the whole job has otherwise than successful jobs.'),
	(true, 'setup_pool_streams', 8, 'streams',
		'So many streams of successful jobs show that a plain number is the same in all of a job.');

INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'onset_segments', 4, 'segments',
		'So many segments before a place are opened for the stage and the iteration there.'),
	(true, 'onset_told_share', 0.5, 'share of records',
		'Where nothing is unexplained, ranks with so many times the records of the most talkative one tell where the job '
		'ended: others leave it to them to speak.'),
	(true, 'onset_stream_bytes', 268435456, 'bytes',
		'A longer stream is not read wholly for its iterations: it would take many seconds.'),
	(true, 'fault_values', 32, 'values',
		'So many further values of the parameters of a shape are tried on the fault library, those of rare positions '
		'first.');

-- Counters that tell of progress where no rule knows the iteration.
INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'counter_records', 4, 'records', 'Fewer values of a number do not show that it counts.'),
	(true, 'counter_equal_share', 0.5, 'share of steps',
		'So many steps are the same: lines may be lost or joined with others, the first step be another.'),
	(true, 'counter_record_share', 0.4, 'share of records',
		'What is said so much less often than another count is one of epochs or evaluations.'),
	(true, 'counter_told_share', 0.4, 'share of numbers',
		'What begins anew so early that it tells so many fewer numbers than another count is within an iteration.'),
	(true, 'counter_back_share', 0.2, 'share of steps', 'So many steps lead back, to where an epoch begins.'),
	(true, 'counter_line_share', 0.25, 'share of lines',
		'A counter of iterations goes through much of what a rank logs; one of shards that are loaded ends before.'),
	(true, 'counter_gap_share', 0.5, 'share of records',
		'So many values may be left out, where lines are lost or joined: a counter leaves out none.'),
	(true, 'counter_together_share', 0.5, 'share of the largest', 'Ranks that work together get about as far.'),
	(true, 'counter_named_apart', 4, 'iterations',
		'Iterations that lines name so far apart from each other are those of checkpoints and evaluations; a number may count '
		'them all.'),
	(true, 'counter_named_factor', 2, 'factor', 'It does where it has so many times as many records.'),
	(true, 'counter_named_most', 16, 'iterations',
		'Where lines name more iterations these tell of the progress, be it coarsely, and no number need be learnt.'),
	(true, 'counter_stamped_share', 0.5, 'share of iterations',
		'Where fewer have a time of their own, how long they took is better told by what their records print.'),
	(true, 'counter_streams', 16, 'streams', 'So many ranks are looked at, those that log most: all would take seconds.');

-- Attempts of a job that was started again.
INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'attempt_setup_share', 0.5, 'share of statements',
		'A stream that iterates begins anew where it says this share again of what it said before its first iteration ...'),
	(true, 'attempt_setup_statements', 3, 'statements',
		'... and at least so many: one or two recur with every epoch.'),
	(true, 'attempt_streams', 32, 'streams', 'So many streams, launchers first, are asked for the number of the restart.');

-- What a node's own records say where its addresses are, which nodes ranks say they are on, and whom records name.
INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'address_name_records', 3, 'records', 'A name that a process says so often of itself is its own.'),
	(true, 'address_name_factor', 2, 'factor', '... if no other one says it half as often: it may be that of a neighbour.'),
	(true, 'address_name_bytes', 200, 'bytes', 'The header of a record names who writes it within so many bytes.'),
	(true, 'address_records', 50, 'records a node',
		'A statement that comes more often tells of traffic, not of who has which address.'),
	(true, 'address_segments', 2, 'segments',
		'Names and addresses are told early: so many segments of each file are read for them.'),
	(true, 'place_rank_share', 0.75, 'share of ranks',
		'Where ranks run is told by a statement that so many of them make, each with one host of its own ...'),
	(true, 'place_started_seconds', 30, 's',
		'Files that begin within so much time of each other are of processes that began together, not parts of one log.'),
	(true, 'place_even_factor', 1.34, 'factor',
		'... and about as many ranks a host: places times the ranks of the fullest one are at most so many times the ranks.'),
	(true, 'place_words', 3, 'words', '... or, by another process, by one that names the host so near to the rank.'),
	(true, 'place_bytes', 4e6, 'bytes',
		'So much of what other processes say is read for that: some hundred bytes for each rank of the largest jobs.'),
	(true, 'accusation_lines', 1000, 'records',
		'So many lines of logs of no node are read for whom they name: a controller names one a line.');

-- How much a kind of evidence weighs. The order of the weights matters, their exact size does not.
INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'weight_missing', 5, 'weight', 'A node without a record is the strongest sign that there is: it never came up.'),
	(true, 'weight_silent', 4, 'weight', 'A node that stopped logging altogether is powered off, or its kernel hangs.'),
	(true, 'weight_named', 4, 'weight', 'A log of no node, as of a controller, is no victim and names by right.'),
	(true, 'weight_quiet', 4, 'weight', 'Who is killed has no time to complain: the victims do.'),
	(true, 'weight_accused', 3, 'weight', 'In a ring everyone is accused by a neighbour, but only one accuses nobody.'),
	(true, 'weight_first', 3, 'weight', 'What a node says of itself before the failure shows elsewhere may well be its cause.'),
	(true, 'weight_own', 1, 'weight', 'The same later may be a consequence.'),
	(true, 'weight_lag', 0.5, 'weight', 'Ranks that do not iterate in step end an iteration apart by chance.'),
	(true, 'weight_behind', 1.5, 'weight',
		'Who is a step behind is whom the others wait for, or was held up itself.'),
	(true, 'weight_late', 1.5, 'weight', 'Who came late is, too, but it got there.'),
	(true, 'weight_counter', 1.5, 'weight', 'A counter that grew tells of trouble, not that it mattered.'),
	(true, 'weight_slow', 2, 'weight', 'Measured over all the time that the job ran: enough alone.'),
	(true, 'weight_setup', 2, 'weight',
		'Who alone is set up differently need not have failed by that, but nobody else has it to answer for: enough alone.'),
	(true, 'weight_link', 2, 'weight',
		'Between two that accuse only each other something is broken: either may be it, and both are named.'),
	(true, 'weight_between', 3, 'weight',
		'Around a ring who waits to send and who waits to receive tell the place, though they are all victims.'),
	(true, 'weight_elsewhere', 2.5, 'weight',
		'Who alone is not where all others wait is whom they wait for, unless its stack was torn.'),
	(true, 'weight_flow', 3, 'weight', 'Switches are no party: who ceased to send, or sends slowly, is seen from outside.'),
	(true, 'weight_forest', 0.5, 'weight', 'Counts of records point at the loudest, which is the victim as often as not.'),
	(true, 'weight_needed', 2, 'weight',
		'A node with less than this in all is not reported: a weak suspect is worse than none ...'),
	(true, 'weight_needed_measured_share', 0.6, 'share of weight_needed',
		'... unless no node has it and progress, durations or counters speak against one, which, other than words, are not '
		'everywhere.');

-- What is evidence against a node, by kind; a part weighs the pieces of one kind against each other.
INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'evidence_common_share', 0.6, 'share of nodes',
		'What more of the nodes have alike is the failure at large, and no evidence against any of them.'),
	(true, 'evidence_spread_factor', 1.4826, 'factor',
		'So many times the median of the deviations from the median is the standard deviation of what is normally '
		'distributed: a spread that single outliers do not change.'),

	(true, 'survived_streams', 32, 'streams', 'So many of those that log an error tell whether they go on after it.'),
	(true, 'survived_statements', 3, 'statements',
		'A stream goes on that says so many different harmless things after an error: one or two a program says as it ends.'),
	(true, 'evidence_common_least_share', 0.333333333333333333, 'share of nodes',
		'An error that speaks for itself and that more of those have who did the same thing is a common cause: so many '
		'nodes do not break by themselves at once.'),
	(true, 'evidence_spokesman_factor', 4, 'factor',
		'A node whose ranks say so many times as much as those of the middle one speaks for all.'),
	(true, 'evidence_spokesman_share', 0.25, 'share of nodes', 'Where more of the nodes speak, none speaks for all.'),
	(true, 'role_records', 2, 'records', 'What a rank says so often belongs to its role where few ranks say it.'),
	(true, 'role_streams', 32, 'streams',
		'So many ranks that fail, and as many others, are asked for what only few say: all would take tenths of a second.'),
	(true, 'waited_records', 8, 'records', 'What a rank says so often tells at which pace it worked.'),
	(true, 'waited_steps', 10, 'steps',
		'Whose error comes so many of its steps after it last said what it says in each had waited for something ...'),
	(true, 'waited_least', 5, 's', '... and this long at least: to break off takes a moment.'),
	(true, 'waited_streams', 32, 'streams', 'So many of those that log a common error tell whether they had waited.'),
	(true, 'evidence_spokesman_part', 0.25, 'part',
		'What the one that speaks for all says alone the others may have met, too: they never print in that phase.'),

	(true, 'evidence_missing_share', 0.4, 'share of nodes', 'Where more of the nodes have no logs, logs were not collected.'),
	(true, 'evidence_absent_records_share', 0.5, 'share of the records',
		'Whose ranks say at most so much of what the middle one says is asked whether they started at all ...'),
	(true, 'evidence_absent_peers', 3, 'nodes', '... of so many others, which say alike what is said at start ...'),
	(true, 'evidence_absent_statements', 2, 'statements',
		'... where they have so many statements in common: one may be chance.'),

	(true, 'evidence_elsewhere_ranks', 4, 'ranks',
		'Of three that print where they stand two tell nothing: they may be neighbours.'),

	(true, 'evidence_silent_share', 0.4, 'share of nodes', 'Where more of the nodes are silent nobody can say who is healthy.'),
	(true, 'evidence_silent_spread_factor', 2, 'factor',
		'A node is silent where it ends this many times as long before the middle of the nodes as the last of them ends '
		'after it ...'),
	(true, 'evidence_silent_spread', 1, 's', '... or this long, where all others end at once ...'),
	(true, 'evidence_silent_gap', 5, 's', '... and this much more: buffers and clocks are some seconds apart.'),
	(true, 'evidence_silent_beat_records', 5, 'records',
		'What a node says so often at least, it says steadily, so that one knows when it should have come again.'),
	(true, 'evidence_silent_beat_factor', 1.2, 'factor',
		'A beat is left out after so many times what lies between two, as none is quite even.'),

	(true, 'evidence_quiet_share', 0.4, 'share of nodes',
		'Where more of the nodes stop without a word, to do so is no exception.'),
	(true, 'evidence_quiet_launcher_part', 0.5, 'part',
		'A launcher or another log that stays quiet tells half as much as a rank that does: many say nothing at all.'),
	(true, 'evidence_quiet_least_part', 0.45, 'part',
		'Several quiet nodes share the suspicion (by the root of their number), but each keeps as much.'),
	(true, 'evidence_quiet_told_part', 0.25, 'part',
		'A rank that its launcher told to end before the job had stood still had no time to say what the others say.'),
	(true, 'evidence_quiet_still_factor', 2, 'factor',
		'The job stood still where it was told so after more than so many times what lies between two iterations.'),
	(true, 'evidence_quiet_rank_share', 0.333333333333333333, 'share of ranks',
		'Where more of the ranks stop without a word, to do so is no exception.'),
	(true, 'evidence_quiet_rank_part', 0.75, 'part',
		'One quiet rank beside others of its node that fail aloud is less than a quiet node.'),

	(true, 'evidence_flow_span', 300, 's',
		'The last minutes in which a job sent anything tell of its end; to read all its flows would take long. 0: flows are '
		'no evidence in l4_diagnose.'),
	(true, 'evidence_flow_search', 7200, 's',
		'They are looked for in the last two hours of its logs: longer than a collective waits before it gives up.'),
	(true, 'evidence_flow_slow_part', 0.6, 'part',
		'Who sends or computes slowly keeps a job back; that it ended the job is not said. Enough where nothing else is.'),

	(true, 'evidence_named_share', 0.333333333333333333, 'share of nodes',
		'A statement of no node that names more of the nodes is a list, no accusation.'),
	(true, 'evidence_named_launcher_part', 0.5, 'part',
		'A launcher names whose process ended first, which may be a victim, too.'),
	(true, 'evidence_named_late_part', 0.25, 'part',
		'Where it does so when the failure shows at large already, that is likely.'),
	(true, 'awaiting_share', 0.5, 'share of all',
		'Where the job meets, who says that more than this share is there waited for the others: who could not come '
		'complains of it, and so do those who waited with it.'),
	(true, 'evidence_named_again_part', 0.5, 'part',
		'A launcher says of many, after all were told to end, what it said of one before: that was the first, or the first '
		'that it saw.'),
	(true, 'evidence_named_victim_part', 0.5, 'part',
		'A scheduler tells how each process ended, and first who saw that another one was gone.'),
	(true, 'evidence_named_recovered_part', 0.25, 'part',
		'What was well again before the failure shows at large may have been something else.'),

	(true, 'evidence_first_harmless_part', 0.75, 'part',
		'A record that sounds harmless tells less than one that sounds of trouble.'),
	(true, 'evidence_first_peer_part', 0.33, 'part',
		'A rank that another kept waiting or left, be it unnamed, speaks of that one.'),

	(true, 'evidence_accused_majority_share', 0.5, 'share of accusers',
		'Whom more of those that accuse anybody accuse is guilty, even where it accuses somebody back.'),
	(true, 'evidence_accused_lone_part', 0.5, 'part', 'One accuser is half a witness: its own link may be the broken one.'),

	(true, 'evidence_first_survived_part', 0.5, 'part', 'What a rank survived is rather noise, however grave it sounds.'),
	(true, 'evidence_first_itself_factor', 2, 'factor',
		'An error that speaks for itself, and that no other node has, is a cause rather than a consequence, whenever it comes; '
		'but not where many nodes have such ones.'),

	(true, 'evidence_first_odd_share', 0.9, 'share of the others',
		'Where so many of the others say one thing alike, who says something else instead tells of its own trouble.'),

	(true, 'evidence_late_records', 4, 'records',
		'A statement that a rank prints so often while it iterates is a step that recurs.'),
	(true, 'evidence_late_nodes', 4, 'nodes',
		'So many nodes tell what is usual; of fewer one cannot say who is early and who late.'),
	(true, 'evidence_late_node_share', 0.75, 'share of nodes',
		'And this share of those that log: what only few print, the others do not wait for.'),
	(true, 'evidence_late_step_share', 0.25, 'share of a step',
		'Late is who comes this share of the usual time between two steps after the middle of the nodes ...'),
	(true, 'evidence_late_spread_factor', 5, 'factor', '... by so many standard deviations of the nodes ...'),
	(true, 'evidence_late_least', 0.02, 's', '... and so long at least, as clocks are no better.'),
	(true, 'evidence_late_part', 0.5, 'part', 'Who came late and then went on is less suspect than who came late and stood.'),

	(true, 'evidence_counter_records', 3, 'records', 'Fewer values of a number do not show whether it grows.'),
	(true, 'evidence_counter_nodes', 4, 'nodes', 'So many nodes tell how such a number grows as a rule.'),
	(true, 'evidence_counter_growth', 10, 'units',
		'A counter grew by this at least: small numbers are many times others by chance.'),
	(true, 'evidence_counter_factor', 10, 'factor', 'And by more than so many times what it did on the half of the nodes.'),
	(true, 'evidence_counter_pool_factor', 2, 'factor', 'And beyond so many times the largest value in successful jobs.'),
	(true, 'evidence_lossy_deviations', 2.5, 'standard deviations',
		'What others send to a node gets lost where it counts less than they do by so much: counts differ by chance.'),
	(true, 'evidence_lossy_records', 2, 'records', 'What such a number counts its name tells; from two values on it grows.'),
	(true, 'evidence_resent_growth', 5, 'units',
		'Who sends again while the job stands still does it so often: some probes and heartbeats get lost anyway ...'),
	(true, 'evidence_resent_factor', 2, 'factor', '... and so many times as often as anybody but it and one more.'),
	(true, 'peer_records', 2, 'records', 'Who its neighbours are a rank says no more often.'),
	(true, 'evidence_counter_alone_part', 0.4, 'part', 'Without successful jobs nobody knows how such a counter grows.'),

	(true, 'evidence_named_columns', 5, 'words',
		'What has so many may be the row of a table: an identifier and columns; a sentence of fewer begins with its verb.'),
	(true, 'evidence_slow_records', 8, 'records', 'So many durations of a rank give a mean that tells something.'),
	(true, 'evidence_slow_few_records', 5, 'records',
		'Fewer do, down to so many, of a rank that stands out by as many times more as they are fewer.'),
	(true, 'evidence_slow_change_records', 2, 'records',
		'So many before steps became slow and since tell how a duration changed, where the other ranks tell how theirs did.'),
	(true, 'evidence_slow_nodes', 4, 'nodes', 'So many nodes tell what is usual.'),
	(true, 'evidence_slow_streams', 3, 'streams',
		'Where durations are printed, so many that print them tell what is usual: the middle one.'),
	(true, 'evidence_slow_spread', 0.05, 'share of a duration',
		'The least spread assumed: what differs less nobody notices, however even the others are.'),
	(true, 'evidence_slow_chances', 50, 'statements',
		'So many statements may be compared in a job: among all their ranks none stands out by chance.'),
	(true, 'evidence_slow_parts_share', 0.75, 'share of a duration',
		'Numbers behind a duration are its parts where they add up to so much of it, and it to so much of their sum.'),
	(true, 'evidence_slow_step_share', 0.02, 'share of a step',
		'Of durations of less than this share of the time between two such statements nobody waits for anybody.'),
	(true, 'evidence_slow_node_share', 0.333333333333333333, 'share of nodes',
		'Where more of the nodes stand out, there are two kinds of nodes or of work.'),
	(true, 'evidence_slow_late_share', 0.1, 'share of what a step takes longer',
		'So much later than the others a rank comes to what all come to, or it does not explain that steps are slow.'),
	(true, 'evidence_slow_named_share', 0.8, 'share of records',
		'Who is so often called the slowest since steps are slow holds them up.'),
	(true, 'evidence_slow_named_before', 0.5, 'share of records', '... unless it was so before: somebody always is.'),
	(true, 'evidence_slow_waits_part', 0.9, 'part',
		'Who waits less than the others is slow elsewhere, as a rule: a little less than slowness itself.'),
	(true, 'evidence_slow_explained_share', 0.5, 'share of what a step takes longer',
		'What one rank alone takes longer by so much explains most of it; so what all others wait longer, if this one does '
		'not.'),
	(true, 'evidence_slow_idle_share', 0.1, 'share of what a step takes longer', 'What grew by no more did not grow.'),
	(true, 'evidence_ends_factor', 4, 'factor',
		'Since steps are slow, whose processes end later than all others'' by so many times what lies between these is short '
		'of something at the end, too ...'),
	(true, 'evidence_ends_least', 1.5, 's', '... and this long: ends are told to the second, and ranks end at their leisure.'),
	(true, 'evidence_slow_ends_part', 0.75, 'part', 'Slow at the end is less than slow in the steps.'),

	(true, 'evidence_link_share', 0.333333333333333333, 'links a node',
		'Where more links are bad the network is, not a link.'),

	(true, 'evidence_between_share', 0.5, 'share of ranks',
		'So many must wait in vain, to send or to receive, that these tell where between them a ring is broken.'),

	(true, 'evidence_setup_explains_factor', 3, 'factor',
		'Where a rank fails because ranks do not have alike what they must, one that is set up differently explains it: more '
		'than whatever the rank that found it says.'),
	(true, 'evidence_setup_alone_part', 0.75, 'part',
		'Of a job that iterated, a value that no successful job confirms to be alike everywhere: it may have differed before.'),

	(true, 'evidence_forest_places', 3, 'nodes', 'So many of the most isolated nodes are told of.');

-- Steps that take longer than they should.
INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'slow_factor', 1.5, 'factor',
		'Steps are slow that take so many times as long as before: less comes and goes with data and load.'),
	(true, 'slow_spell_factor', 2.5, 'factor',
		'Of steps that are slow now and then (packets get lost) those are that take so many times as long as the quick ones.'),
	(true, 'slow_spell_quick_share', 0.25, 'share of steps', 'What so many steps are within is quick.'),
	(true, 'slow_spell_share', 0.2, 'share of steps', 'So many are, or it is chance.'),
	(true, 'slow_spell_least', 4, 'spells',
		'... in so many spells, between which steps are quick: else it is a phase, or they swell.'),
	(true, 'slow_spell_rise', 4, 'factor', 'So many times as often as before: checkpoints and evaluations come all the time.'),
	(true, 'slow_spell_evidence', 7, 'logarithm of a likelihood ratio',
		'So much more likely are two shares of slow steps, before and since, than one, at the best of all places.'),
	(true, 'slow_larger_share', 0.9, 'share of pairs',
		'A step since must take longer than one before in so many cases: noise that merely swells overlaps more.'),
	(true, 'slow_steps_least', 8, 'steps',
		'So many steps must be slow, and as many not: fewer are a pause, a checkpoint or an evaluation.'),
	(true, 'slow_few_most', 24, 'steps',
		'Of fewer steps that are measured their order alone cannot tell a change: one is told where they are apart.'),
	(true, 'slow_few_least', 4, 'steps', 'So many must be slow then, and as many not.'),
	(true, 'slow_few_apart', 1.2, 'factor', 'And each by so much slower than any before but the first, in which all warms up.'),
	(true, 'slow_few_before', 3, 'steps', 'So few may come before where each since takes slow_few_far times as long ...'),
	(true, 'slow_few_far', 3, 'factor', '... as any of them but the first: first steps are slow, not quick.'),
	(true, 'slow_steps_read', 2000, 'steps',
		'Of more than twice as many some are looked at, then all about the place found: all would take tenths of a second.'),
	(true, 'slow_partial_share', 0.5, 'share of a step',
		'What takes less than this share of the steps before and after it is a part of a step.'),
	(true, 'slow_pool_share', 0.75, 'share of steps',
		'As long as so many steps of a successful job take at most is normal: a level that lasted for the rest is.'),
	(true, 'slow_told_share', 0.5, 'share of records',
		'A statement tells of slow steps where this share of its records since then has a measure beyond those of successful '
		'jobs by slow_factor ...'),
	(true, 'slow_told_before', 0.1, 'share of records', '... and at most this share before: first steps warm up.'),
	(true, 'slow_pool_factor', 2, 'factor',
		'All steps are slow that take so many times as long as in any successful job: jobs differ by load and placement.'),
	(true, 'slow_counted_records', 100000, 'records',
		'Of a counter that is learnt, steps are told by the records of one stream; more of them are not read.'),
	(true, 'slow_growing_share', 0.9, 'share of records',
		'A time that is larger (or smaller) than the one before in so many records adds up (or what is left): no duration of a '
		'step.'),
	(true, 'slow_pool_jobs', 3, 'jobs', 'So many successful jobs tell how long a step takes.'),
	(true, 'slow_streams', 64, 'streams',
		'So many of the ranks, evenly chosen, are read for what changed with the steps: all would take seconds ...'),
	(true, 'slow_streams_extreme', 4, 'streams', '... and so many whose durations are the longest and the shortest.'),
	(true, 'slow_window', 500, 'steps', 'So many steps before and since are read there.');

-- Which event is the root, in which order findings stand, and how much of each is quoted.
INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'event_together', 1, 's',
		'What begins so soon after the first trouble may have begun with it: clocks and buffers are about that far apart.'),
	(true, 'event_score_root', 3, 'score',
		'A root stands before all that follows: more than gravity, rarity and time together can make up for.'),
	(true, 'event_score_suspect', 3, 'score',
		'So does, among roots, what the suspect says of itself, or a log of no node says of it.'),
	(true, 'event_quotes', 3, 'records', 'So many records are quoted for an event: more are the same again.'),
	(true, 'evidence_quotes', 4, 'pieces',
		'Of a suspect the records of so many of the strongest pieces of evidence are quoted.'),
	(true, 'fault_asked_severity', 3, 'severity',
		'Without a pool a known cause that nothing else makes conspicuous counts from this severity on (3 error): healthy jobs '
		'log many a warning.'),
	(true, 'fault_lead_severity', 3, 'severity',
		'A known fault comes first from this severity on (3 error, 4 critical), where it is of the suspect or of all alike; '
		'a warning, or what merely follows, leaves the first place to the node.'),
	(true, 'iteration_check_turn', 50, 'turn',
		'What a recurring check found is told behind all places where evidence begins ...'),
	(true, 'iteration_later_turns', 60, 'turns',
		'... and before an iteration that is later than the most telling place: no beginning ...'),
	(true, 'iteration_unlike_turn', 100, 'turn', '... and last come iterations that merely run unlike the others.'),
	(true, 'iteration_check_period', 4, 'iterations',
		'What recurs more often than this is no check: the iteration where it failed is the guess then.'),
	(true, 'iteration_unlike_most', 3, 'iterations',
		'So many iterations that run unlike the others are told: the rest is noise.');

-- Of pools: they count when a job comes into its pool, or its pool is made anew.
INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'pool_stream_values', 16, 'values',
		'A position that takes more values than this in a stream has no list of values to be held against: what it takes '
		'next is as good as any. An import keeps no more than 16.'),
	(true, 'pool_values', 32, 'values', 'The same where a job or the pool has more than this in all.');

-- How sure a finding is: l4_logistic(base + the sum of coefficient * what stands under the name in the facts of the finding, as
-- "standing"). A row more, with its name in the standing, is a coefficient more; all but base only make surer (l4_calibrate).
INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'confidence_node_base', -4.5, 'log odds', 'A unit that nothing speaks against is not at fault.'),
	(true, 'confidence_node_score', 1.7, 'log odds',
		'For each doubling or so of all the evidence against it: ln(1 + sum of the weights).'),
	(true, 'confidence_node_lead', 4.4, 'log odds',
		'For how far it is ahead of the next suspect: nothing blames a node like that nobody else comes near.'),

	(true, 'confidence_fault_base', -0.9, 'log odds',
		'A known fault that stands somewhere among what is unexplained need not be the cause.'),
	(true, 'confidence_fault_root', 0.75, 'log odds', 'Its event is a root of the failure, no consequence.'),
	(true, 'confidence_fault_cause', 1.6, 'log odds', 'The library has it as a cause, not as what follows from one.'),
	(true, 'confidence_fault_own', 0.45, 'log odds',
		'It shows on the suspect or names it; where nobody is suspected all have it.'),

	(true, 'confidence_iteration_base', -0.9, 'log odds', 'An iteration that merely runs unlike the others is a guess.'),
	(true, 'confidence_iteration_onset', 1, 'log odds', 'Evidence begins there.'),
	(true, 'confidence_iteration_agreed', 2.4, 'log odds', 'Several places where the failure may have begun agree on it.'),

	(true, 'confidence_named', 0.5, 'probability',
		'A verdict names the first suspect where it is at fault rather than not; else it says where to look first.'),
	(true, 'look_first_confidence', 0.15, 'probability',
		'Where nothing suffices to name a node, one is still worth a look from here on ...'),
	(true, 'look_first_most', 3, 'nodes',
		'... unless more than so many are: then no order to look at them is better than another.'),
	(true, 'calibrate_penalty', 1, 'penalty',
		'So strongly coefficients are held to those that came with l4 while they are fitted: as by the word of a few jobs.'),
	(true, 'calibrate_jobs', 8, 'jobs', 'Fewer labelled jobs are no ground to change a coefficient.');

-- Of the views over all jobs.
INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'job_gap', 604800, 's',
		'Stamps with longer than this nothing before or behind them are of another time (a wrong year, a clock that was off, '
		'old lines of a log that goes on for years), where they are few; a job that hangs over a weekend is still the same.'),
	(true, 'job_stray_share', 0.2, 'share of stamps',
		'They are few with less than this share of those of the longest run of stamps: a job that went on after weeks has '
		'more.'),
	(true, 'job_stamped_streams', 3, 'streams',
		'Fewer streams with times than this cannot outvote one of them: all their stamps are looked at.'),
	(true, 'offender_rate', 0.05, 'share of nodes',
		'So many of the nodes that are called offenders may be so by chance (false discovery rate of Benjamini and Hochberg).'),
	(true, 'diff_factor', 3, 'factor',
		'An event that another job has, too, is told of in a comparison where it is so many times as frequent or as rare.'),
	(true, 'diff_records', 10, 'records', '... and where it is so many records more or less than were to be expected.');

INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'notify_diagnoses', 0, 'yes or no',
		'Above 0, l4_save_diagnosis tells who listens of each diagnosis (NOTIFY l4_diagnosis). Not by itself: in a transaction '
		'that notifies commits go one by one, and it cannot be prepared for a commit in two phases.');

-- Of flows between accelerators (56_flows.sql and what follows).
INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'flow_window_share', 0.01, 'share of flows',
		'Where no time is asked for, the window is made of the minutes with at least this share of the flows of the fullest '
		'one: clocks that jumped are not in it.'),
	(true, 'flow_after_logs', 60, 's', 'Flows of a job go on for so long after its last record: collectors close them late.'),
	(true, 'flow_pause', 0.001, 's',
		'Silence that ends a message. Between the pieces of a collective are microseconds, between two microbatches is what '
		'computing one takes, many milliseconds.'),
	(true, 'flow_bytes', 16384, 'bytes',
		'Smaller records carry acknowledgements, barriers, norms, pings; activations and gradients are larger.'),
	(true, 'flow_twice', 0.00005, 's',
		'A record of the same queue pair, size and duration within this is the same one, given by another switch of its path.'),
	(true, 'flow_pair_share', 0.001, 'share of bytes',
		'A pair of accelerators trains together where it moves this share of the bytes of the busiest pair of one of them: '
		'what a ring or a pipeline gives a rank to do is much alike, and all else is little beside it.'),
	(true, 'flow_sizes_read', 1000, 'records',
		'So many records of what goes one way between two, evenly spread, are looked at for their sizes (l4_flow_messages).'),
	(true, 'flow_strange_pairs', 0.5, 'share of bytes',
		'Who trains sends the same again and again, at the same times, or both ways at once. Where more of the bytes are of '
		'pairs that do nothing of this nobody trains: of pairs that send at random a quarter seems regular by chance.'),
	(true, 'flow_last_messages', 8, 'messages',
		'So many of the last of a pair are looked at for one that trains: who trains no more may still be asked how it is, but '
		'is not for long, as a scheduler ends it.'),
	(true, 'flow_regular_count', 0.6, 'share of intervals',
		'Bursts come regularly where this share of the intervals between them is alike ...'),
	(true, 'flow_regular_time', 0.5, 'share of time',
		'... and where these make up this share of the time: pauses for evaluation and checkpoints are the rest.'),
	(true, 'flow_regular_most', 0.8, 'share of time',
		'First bursts are sought that come regularly for this share of the time: buckets of gradients, which may come for two '
		'thirds of each step, or for three quarters, are parts of one.'),
	(true, 'flow_regular_tolerance', 0.3, 'share of the interval', 'Intervals are alike within this.'),
	(true, 'flow_period_pairs', 0.05, 'share of pairs',
		'The step of a job is the longest period that so many of its pairs have: the data-parallel ones close each step once, '
		'others come more often.'),
	(true, 'flow_period_tolerance', 0.03, 'share of the period', 'Periods are the same within this.'),
	(true, 'flow_step_silence', 1.5, 'steps',
		'Who trains together sends in each step: silence of so many steps is of a longer one.'),
	(true, 'flow_step_active', 0.5, 'share of time',
		'A pair is silent for whole steps in more of its time than this where what seems a step is a microbatch, a layer or a '
		'bucket; evaluations and checkpoints take less of it.'),
	(true, 'flow_step_rests', 0.8, 'share of time',
		'The same where such silences come again and again: forwards of layers whose gradients alone are seen, a third or a '
		'quarter of each step. Evaluations that come so often take less.'),
	(true, 'flow_step_members', 0.5, 'share of accelerators',
		'Of a step that is none, so many accelerators at least have such a pair: all have part in the data-parallel traffic.'),
	(true, 'flow_meet', 0.1, 'share of time',
		'Accelerators of a stage begin their data-parallel phase together where their begins differ by at most this share of '
		'what they differ by in how long they have been ready.'),
	(true, 'flow_lead', 0.8, 'microbatches',
		'Who sends the first activations sooner than this behind the end of a step began to compute before: parameters came '
		'meanwhile. Who begins at the end takes one, or longer.'),
	(true, 'flow_lead_share', 0.02, 'share of links',
		'So many of the links along a pipeline, and two of them at least, must tell that: those of the first of up to some '
		'twenty stages do.'),
	(true, 'flow_parts_tolerance', 0.03, 'share of the bytes',
		'Parameters are as large as gradients, or half as large, within this, and links of one exchange move as much: some '
		'records are lost.'),
	(true, 'flow_least_steps', 6, 'steps',
		'In fewer steps none is told: what is slow is so for flow_slow_steps, beside one that is not, and with few of them '
		'what comes more often is taken for steps.'),
	(true, 'flow_server_overlap', 0.5, 'share of servers',
		'Clusters that share so much of the servers of the smaller one, in step with each other, are one job: what tensor '
		'parallelism moves within a server passes no switch. Where a ring leaves a server by another accelerator than it '
		'came to, what is seen are links of two servers each, of which the next one has one.'),
	(true, 'flow_in_step', 0.1, 'share of the step',
		'They are in step where their steps end within this of each other, but for a constant.'),
	(true, 'flow_in_step_time', 0.005, 's', 'Clusters without steps are in step where their messages begin within this.'),
	(true, 'flow_in_step_share', 0.7, 'share of steps', 'And this share of the steps must.'),
	(true, 'flow_step_pause', 0.25, 'share of the step',
		'Silence of this much of a step parts the data-parallel phase of one from that of the next; buckets that overlap with '
		'the backward pass are closer together.'),
	(true, 'flow_short_pause', 0.125, 'share of the step',
		'A pipeline whose stages trade experts too hardly rests: where so long a silence parts no step, this does.'),
	(true, 'flow_parted_steps', 0.5, 'share of steps',
		'Phases of a pair tell when steps end where there are so many of them as steps fit between the first and the last.'),
	(true, 'flow_even_time', 2, 's',
		'Where no steps are seen rates are those of so much time: a few steps, or a part of a long one.'),
	(true, 'flow_cycle_ratio', 1.3, 'factor',
		'Where parameters are sharded a layer backwards takes twice as long as forwards: bursts come at two speeds, at least '
		'so far apart.'),
	(true, 'flow_cycle_share', 0.35, 'share of bursts',
		'There are as many layers backwards as forwards: each of the two speeds has nearly half of the bursts. Evaluations, '
		'which go forwards only, have not.'),
	(true, 'flow_cycle_run', 4, 'bursts', 'So many layers at least follow each other at one speed.'),
	(true, 'flow_cycle_tolerance', 0.1, 'share of the cycle', 'Cycles of layers take as long as each other within this.'),
	(true, 'flow_cycles_shown', 0.5, 'share of cycles',
		'Clusters go through the same cycles where both show this much of those of the one that shows fewer: while something '
		'is slow one may show none.'),
	(true, 'flow_cycle_pairs', 0.3, 'share of pairs',
		'So many pairs of a job must have such cycles: links that are busy all the time show none.'),
	(true, 'flow_cycle_alike', 0.8, 'share of pairs',
		'Two of the same length are enough where so many pairs of the job have them or repeat themselves with them: all of a '
		'job go through the same collectives, what is no cycle differs from pair to pair. And where most pairs are of tokens, '
		'so many of the others must have such cycles.'),
	(true, 'flow_repeated', 0.4, 'share of variance',
		'Where one cluster has cycles of layers, and what another on the same servers sends repeats itself from one of them '
		'to the next for this much, they are one job: of another job it is one part in as many as there are cycles, and '
		'this much once in a thousand with six of them.'),
	(true, 'flow_repeated_parts', 8, 'parts', 'Of a cycle, to see that: a third of it goes forwards, two backwards.'),
	(true, 'flow_layer_ratio', 4, 'factor',
		'A layer backwards takes less than so many times as long as one forwards: what comes less often than so is of steps.'),
	(true, 'flow_layer_pairs', 0.05, 'share of pairs',
		'Where more of the pairs tell that what comes regularly are layers, it is no step, though too few cycles of layers are '
		'in the window to tell one.'),
	(true, 'flow_microbatch_bytes', 1.3, 'factor',
		'Where gradients are accumulated over microbatches and scattered in the last one alone, that moves so many times as '
		'much as the others: it would be 1.5 to 2 times.'),
	(true, 'flow_microbatch_deviations', 5, 'deviations',
		'Else a step is told by the optimizer: the microbatch behind it comes later than others by so many robust deviations '
		'of what they take. Noise in what layers take does not come each k-th time; more than the 3 of flow_sigma, as many k '
		'are tried.'),
	(true, 'flow_whole_collectives', 0.5, 'share of bytes',
		'Where ranks that are early send the first pieces of a collective long before the last one sends, no pause parts one '
		'from the next; but each moves the same, which at least so much of a link moves in one piece for some pause.'),
	(true, 'flow_cycle_regular', 0.9, 'share of steps',
		'The steps of a link with sharded parameters are those of its sender where this share of them takes as long as the one '
		'before; else those of the most regular link beside it or, as layers go in lockstep, of the job.'),
	(true, 'flow_data_span', 0.45, 'share of the step',
		'Data-parallel traffic comes in a phase of at most this much of a step; the pipeline, experts and contexts send '
		'throughout.'),
	(true, 'flow_backward_span', 0.8, 'share of the step',
		'Where gradients are not accumulated they go with the whole backward, two thirds of a step, or three quarters where '
		'what was computed forwards is computed again: so it is where nothing of a job comes in a shorter phase.'),
	(true, 'flow_step_phases', 1.5, 'phases',
		'And in one phase of each step: two that get back from each other what they sent, at other times, are of the '
		'pipeline.'),
	(true, 'flow_returned', 0.5, 'share of bytes',
		'What goes forth along a pipeline comes back as gradients: a pair is one of the pipeline where the lesser direction '
		'has this share of the bytes of the greater.'),
	(true, 'flow_together', 0.8, 'share of messages',
		'It exchanges, as experts and contexts do, where this share of the messages goes together with one the other way.'),
	(true, 'flow_together_time', 0.0005, 's', 'They go together, or are done together, within this.'),
	(true, 'flow_at_once', 0.5, 'share of time',
		'What two exchange goes both ways at once for this share of its time: collectives do for nearly all of it, pipelines '
		'for a tenth by chance.'),
	(true, 'flow_answered', 0.8, 'share of messages',
		'Sizes of activations differ where sequences do, but gradients come back as large as what went: two are of a pipeline '
		'where so many messages are answered so; the rest is lost or outside of the window. Of the tokens of experts, each of '
		'a size of its own, some are by chance, or all as they go both ways at once.'),
	(true, 'flow_answer_least', 0.01, 'share of the mean',
		'Norms and signs of life go beside activations, and are a millionth of them; the smallest of these a tenth of others. '
		'They take no turns, begin no step, and a path with so little beside the others of a sender is theirs.'),
	(true, 'flow_in_turn', 0.5, 'share of messages',
		'Where stages send as they get, all go at once but the first activations of a step and its last gradients: these are '
		'this share of the messages that go alone. The rest has lost the record of the one it went with; of what ranks '
		'exchange nothing else goes alone, so that two in turn are chance.'),
	(true, 'flow_answer_size', 0.00001, 'share of bytes',
		'They are as large within this: a header or two of an activation of tens of megabytes.'),
	(true, 'flow_lockstep', 0.0003, 's',
		'Ranks of a tensor-parallel group compute in lockstep, layer by layer: most of what they send goes within this of each '
		'other. Two columns of a pipeline on one server drift apart by more within a step.'),
	(true, 'flow_lossy_lockstep', 0.7, 'share of steps',
		'In place of flow_together where records are lost (flow_known_steps): with one in ten the first message that one or '
		'the other sends in a step is missing in a fifth of the steps.'),
	(true, 'flow_same_size', 0.5, 'share of records',
		'Activations have one size: less than this share of the records having the most frequent one is no pipeline.'),
	(true, 'flow_own_size', 0.05, 'share of records',
		'Layers and buckets come in few sizes, the most frequent of which a fifth of the records have, also where some are '
		'cut; of the tokens of experts each message has a size of its own.'),
	(true, 'flow_expert_pairs', 0.8, 'share of pairs',
		'Tokens of experts go from each to each of a group: fewer pairs than this share of all of accelerators on different '
		'servers are a chain (of three: two of three) or a ring (of four: four of six).'),
	(true, 'flow_halved', 0.02, 'logarithm',
		'Rounds of halving and doubling exchange half of each other to the byte, less what padding to whole elements and lost '
		'records make; that a pipeline has twice the bytes of the gradients beside it on each of four sides is chance.'),
	(true, 'flow_mesh_members', 3, 'accelerators',
		'From each to each of two servers there are at least so many on each: two pairs of two may be of anything.'),
	(true, 'flow_whole_phase', 0.8, 'share of bytes',
		'The last phase of the window is whole where it has this share of the usual bytes.');

-- Of what is slow or silent among them (58_flow_elements.sql, 58_flow_slowness.sql, 58_flow_silence.sql).
INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'flow_same_bytes', 0.1, 'logarithm',
		'Nothing is said to be slow of a job whose steps do not move the same: gradients and parameters have one size, so '
		'bytes of steps differ by what is lost or sampled alone. What is taken for steps are layers or buckets, where they do '
		'...'),
	(true, 'flow_like_steps', 0.3, 'logarithm',
		'... or take so much longer or shorter than the one before: sequences that differ in length make it a tenth or two '
		'...'),
	(true, 'flow_agreeing', 0.8, 'share of steps',
		'... or on fewer of which accelerators agree: all of a job go through the same steps.'),
	(true, 'flow_sigma', 3, 'deviations', 'k-sigma of the paper: what is slow is so many robust deviations off its like.'),
	(true, 'flow_slow_rate', 0.2, 'logarithm',
		'A link is slow with this much less of the rate of its like, for several steps: paths of one network differ by a tenth '
		'for good, and sharing and jitter come to that.'),
	(true, 'flow_alone', 0.25, 'share of bytes',
		'Messages that meet at an interface share it, and may do so for many steps: what goes forwards along a pipeline with '
		'what goes backwards, layers that are gathered with gradients that are scattered. Messages with so '
		'much of what moves in a step are alone on their link; one that is slow is so for these as well.'),
	(true, 'flow_like_rate', 0.1, 'logarithm',
		'Rates of links of one kind that differ by more (robust deviation) tell nothing of each other. Paths differ by a '
		'hundredth or two; among experts, who wait for each other, each link has a rate of its own, by the tokens that '
		'its receiver gets, and they differ by a third or a half.'),
	(true, 'flow_steady_rate', 3, 'deviations',
		'And by the same in each step, as a link has lost a part of its rate: by so many robust deviations of what it is slow '
		'by. A message lasts until its receiver is ready, which differs from step to step.'),
	(true, 'flow_lost_factor', 3, 'factor',
		'Of such links to one receiver one is slow that loses so many times the seconds of any other: where the receiver is '
		'late all lose much the same, and behind a slow link it is late by a part of what that loses.'),
	(true, 'flow_slow_work', 0.07, 'logarithm',
		'An accelerator is slow that computes this much longer than those of its stage: its tensor-parallel peers, who wait '
		'for it in each layer, hide a part of what it is slow by.'),
	(true, 'flow_waited_for', 0.33, 'share',
		'And all wait for it: it begins its gradients later than its like, or steps last longer than at other times, by this '
		'much at least of what it computes longer. The rest may be hidden in pauses. Who computes longer and is not waited '
		'for does now what others do later, as the gradients of weights in a pipeline without bubbles.'),
	(true, 'flow_stage_members', 4, 'accelerators',
		'What a stage usually computes is the first quarter, of so many at least not less than the second shortest: the '
		'shortest may be of one whose phase began too early. Of fewer it may be slow itself.'),
	(true, 'flow_known_steps', 0.5, 'share of steps',
		'Where accelerators know on average what they computed in fewer of their steps than this, as records of the others are '
		'lost, those of a tensor-parallel group are taken together: what is slow must be so for several steps that are known.'),
	(true, 'flow_slow_beside', 0.12, 'logarithm',
		'Where parameters are sharded it is slow that computes single layers this much longer: where accelerators differ by '
		'2 % for good, healthy ones come to 8 %.'),
	(true, 'flow_beside', 4, 'servers',
		'It is compared with those of so many other servers, most of which must tell: one of them may be slow itself.'),
	(true, 'flow_beside_parts', 3, 'steps',
		'At least once in so many steps: while the job waits for it steps take longer than before, up to so many times.'),
	(true, 'flow_beside_deviations', 6, 'deviations',
		'And by the same each time, within this part of it: who is slow is so in each layer; who comes late by the way that '
		'collectives take does so now by more and now by less.'),
	(true, 'flow_beside_pace', 0.33, 'share',
		'And all wait for it: the job moves less then than at other times, by this much at least of what it is slow by.'),
	(true, 'flow_beside_share', 0.8, 'share',
		'Of several that are slow at once those are told that are so by this much of the slowest: others wait for it, too, so '
		'that what they are slow by does not show.'),
	(true, 'flow_awaited', 0.8, 'factor',
		'While steps take longer all wait for the server whose links send at most this much of what those of any other do '
		'before the last one is there: behind it one rank more can send around the ring with each place, ahead of it nearly '
		'all can.'),
	(true, 'flow_slow_step', 0.08, 'logarithm', 'Steps are slow that take this much longer than those before, for several.'),
	(true, 'flow_slow_steps', 5, 'steps', 'For so many steps at least.'),
	(true, 'flow_slow_chance', 0.0001, 'expected number',
		'A level lasts where so few runs as long are to be expected of one series by chance, by how many of its other values '
		'are at that level: a thousand links have a tenth then. Where links meet on their way, they are slow now and then.'),
	(true, 'flow_slow_share', 0.8, 'share of steps',
		'And in so many of those from the first to the last: what is slow is so in all of them, and what shares its way or '
		'waits by chance is as quick as ever in between.'),
	(true, 'flow_element_share', 0.8, 'share of pairs',
		'A network interface or switch is slow where this share of the pairs that use it are: else it is some links.'),
	(true, 'flow_element_pairs', 2, 'pairs', 'Fewer pairs than this tell nothing of what they have in common.'),
	(true, 'flow_server_links', 3, 'links',
		'Where all links from one server to another, and so many at least, are slow at once none of them is to blame: each has '
		'a network interface of its own, and who sends waits, as for a collective within the server. Two may be so by chance.'),
	(true, 'flow_slow_at_once', 3, 'elements',
		'Faults are rare: where so many links of a job, or so many interfaces, are slow at once with no switch in common none '
		'of them is to blame: their paths meet where nobody sees it, or all wait for the same ...'),
	(true, 'flow_explained', 0.5, 'share of links',
		'What links of a job have in common is slow where it explains so many of all that are slow at that time, or all but '
		'fewer than flow_slow_at_once: several faults at once are rare, and many slow links on ways of their own are of '
		'chance, as hashes lead some onto the same uplink for good.'),
	(true, 'flow_stands_out', 1.5, 'factor',
		'... but for one that is slow by so much more (of its logarithm) than any other: the others wait for it.'),
	(true, 'flow_slowest', 0.01, 'logarithm',
		'Where all links of a ring are slow, the one that makes them so is slower than the others by this at least: of these '
		'first pieces wait for nobody.'),
	(true, 'flow_group_members', 3, 'accelerators',
		'In a data-parallel group of fewer a slow network interface makes all pairs slow: the interface is named.'),
	(true, 'flow_silent_steps', 3, 'steps',
		'A job has stopped that has been silent for so many of its steps, while the window went on.'),
	(true, 'flow_known_times', 0.001, 'seconds',
		'When somebody sent last is known no better than this, as clocks of collectors are.'),
	(true, 'flow_interruptions', 3, 'steps',
		'So many long steps of a job are looked at for whether it stood still amid them.'),
	(true, 'flow_interrupted_left', 1.5, 'steps', 'What was left of a step when a job went on takes at most this.'),
	(true, 'flow_interrupted_before', 24, 'steps', 'So many before tell what is usual.'),
	(true, 'flow_interrupted_amid', 0.5, 'share of accelerators',
		'A job stands still amid a step when so many of its accelerators have sent something since the last one: behind a '
		'step, as for an evaluation, none has but stragglers.'),
	(true, 'flow_open_piece', 100000, 'bytes',
		'Of an exchange that was cut off who sent less than the others by this much stopped first: the others sent first '
		'pieces, of 128 KiB or more, before they waited for it.'),
	(true, 'flow_open_spread', 5, 'deviations', '... and by this many times what the bytes of a step vary by (the median).'),
	(true, 'flow_open_together', 0.01, 'share of the step', 'Exchanges are cut off together within this.'),
	(true, 'flow_longer_silent', 1.5, 'factor',
		'Of both ends of a message that is missed first the one stopped that had been silent for so much longer when it was '
		'due: it had so much more time to stop in.'),
	(true, 'flow_open_votes', 0.5, 'share of exchanges',
		'More of the exchanges in which somebody is behind must be behind for the same server: others wait for it in turn.'),
	(true, 'flow_pause_steps', 2, 'steps',
		'An accelerator is silent that has not sent for so many steps of a job that goes on: evaluations and checkpoints '
		'are in step with the others.'),
	(true, 'flow_time_out_factor', 3, 'factor',
		'A message that takes so many times as long as usual on its link waited for a time-out.'),
	(true, 'flow_time_out_least', 0.01, 's',
		'And by so much at least: the time-outs of network interfaces are 4 microseconds times a power of 2 that is set to 14 '
		'or more (67 ms), and what goes several times as slowly for a millisecond or two shares its way with others.'),
	(true, 'flow_time_outs', 2, 'messages', 'So many such messages of one sender are no chance ...'),
	(true, 'flow_time_out_rate', 10, 'factor', '... where they are so many times as frequent as among all others.');

-- Of steps of logs beside those of flows (62_flow_steps.sql).
INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'flow_check_share', 0.05, 'share of the step',
		'Steps of logs and flows disagree where they differ by more than this, and by more than the stamps are off: what a '
		'rank does before it writes its line differs by less from step to step.'),
	(true, 'flow_check_offset', 300, 's',
		'Clocks are taken to be off by no more than this: what is not synchronised at all drifts by some seconds a day.'),
	(true, 'flow_check_steps', 1000, 'steps', 'So many of the last steps tell by how much the clocks are off.'),
	(true, 'flow_check_marks', 100, 'marks',
		'Of the marks in their time so many are looked at, evenly chosen: the mean of them is right to a tenth of what one is '
		'off by.'),
	(true, 'flow_check_guesses', 3, 'marks',
		'Of these so many are taken for the begin of each step in turn: one that is late by chance spoils no more than its own '
		'guesses.'),
	(true, 'flow_check_least', 5, 'marks', 'With fewer marks in common any offset fits.'),
	(true, 'flow_check_common', 0.7, 'share of marks',
		'And where fewer than this share of those of the best case are in common: the ends of two series fit by chance.'),
	(true, 'flow_check_alike', 0.001, 's',
		'Offsets fit alike whose marks are off by no more than this more: stamps are of milliseconds.'),
	(true, 'flow_check_alike_factor', 1.25, 'factor',
		'Or by this much more of what the best is off by: the mean of a hundred stamps of whole seconds is no surer.'),
	(true, 'flow_check_poor', 0.2, 'share of the step',
		'Marks that are off by more than this are not those of these steps: by chance it is a quarter.'),
	(true, 'flow_check_late', 0.75, 'share of the step',
		'A line may be off by so much of a step, and be that of its iteration all the same; where it is off by more, the flows '
		'show no step that begins there.');

-- Of watching them live (79_flow_watch.sql).
INSERT INTO @extschema@.l4_limit (builtin, name, value, unit, why) VALUES
	(true, 'flow_watch_steps', 8, 'steps',
		'The records of so many steps before the last that ended are kept for the next window: so what lasts flow_slow_steps '
		'is found across its border, and a step is told from a pause.'),
	(true, 'flow_watch_windows', 3, 'windows',
		'But never those of more windows than this, which bounds memory; of a job whose steps are not seen, these.'),
	(true, 'flow_watch_overlap', 0.5, 'share of accelerators',
		'A job is the one of the window before where this share of the accelerators of both is in common (Jaccard): a window '
		'may miss some.'),
	(true, 'flow_watch_late', 2, 'windows',
		'So many windows later it is counted how many flows came late; counting looks at all flows of the window again.'),
	(true, 'flow_watch_forget', 60, 'windows', 'A job that was told to be silent is forgotten after so many.'),
	(true, 'flow_watch_keep', 604800, 's', 'Results that are older are taken out: a week.');
