/*
 * What to do after a diagnosis, as rows: the first rule of which all conditions hold (l4_advice_rule). Causes alone decide,
 * never what follows from one. And no rule says other than the headline: where a node is suspected, a fault decides only if
 * that node shows it.
 */
INSERT INTO @extschema@.l4_advice_rule (builtin, priority, name, action, statuses, reason) VALUES
	(true, 10, 'succeeded', 'none', '{succeeded}', 'The job succeeded.'),
	(true, 11, 'running', 'watch', '{running}',
		'The job still runs: what its logs show so far may pass, or may be what it will fail of.');
INSERT INTO @extschema@.l4_advice_rule (builtin, priority, name, action, statuses, ended_normally, reason) VALUES
	(true, 12, 'ended_normally', 'none', '{unknown}', true,
		'The ranks say that they have done all their work, and none crashes after it.'),
	(true, 12, 'ended_normally_yet_failed', 'look', '{failed}', true,
		'These logs show no failure, the ranks have done all their work: what called the job failed knows why (the exit '
		'status, the scheduler, a check of the results).');

-- Known causes by name, where the kind of the fault alone would say another thing.
INSERT INTO @extschema@.l4_advice_rule (builtin, priority, name, action, roles, fault_keys, places, reason) VALUES
	(true, 100, 'preempted', 'wait', '{root}', '{slurm_preempted,k8s_evicted,k8s_unschedulable}', NULL,
		'The scheduler took the room away, and starts the job again when there is some.'),
	(true, 100, 'time_limit', 'user', '{root}', '{slurm_time_limit}', NULL,
		'The job was ended because its time was over: given as much again it ends alike.'),
	(true, 100, 'killed', 'test', '{root}', '{process_sigkill}', '{suspect,one}',
		'Somebody or something killed the process, and the logs do not say who: the kernel''s log of the node may.'),
	(true, 100, 'killed_many', 'look', '{root}', '{process_sigkill}', '{some,all}',
		'Somebody or something killed processes on several nodes: the scheduler''s log may say who.'),
	(true, 100, 'crash', 'test', '{root}', '{segfault,nccl_segfault}', '{suspect,one}',
		'Program or machine may be to blame for the crash of one process: whether it comes again elsewhere tells which.'),
	(true, 100, 'disk', 'storage', '{root}', '{enospc,disk_nearly_full,fs_readonly}', NULL,
		'Nothing can be written there before somebody has made room, or mended the disk.');

-- By what brings back what failed.
INSERT INTO @extschema@.l4_advice_rule (builtin, priority, name, action, roles, recoveries, places, least_confidence,
	reason) VALUES
	(true, 110, 'passes', 'wait', '{root}', '{wait}', NULL, NULL, 'It comes back by itself.'),
	(true, 110, 'restart_job', 'restart', '{root}', '{restart_job}', NULL, NULL,
		'A new start is all that it takes, as a rule.'),
	(true, 110, 'reset_device', 'reset', '{root}', '{reset_device}', '{suspect,one}', 0.5,
		'The accelerator works again once it has been reset.');

-- By the kind of the cause.
INSERT INTO @extschema@.l4_advice_rule (builtin, priority, name, action, roles, categories, subtypes, recoveries, severities,
	places, least_confidence, reason) VALUES
	(true, 121, 'storage', 'storage', '{root}', NULL, '{storage,storage_mount}', NULL, NULL, NULL, NULL,
		'The job cannot mend what it reads from or writes to.'),
	(true, 121, 'network', 'network', '{root}', NULL, '{network,network_settings}', NULL, NULL, NULL, NULL,
		'The job cannot mend the network.'),
	(true, 122, 'repair', 'cordon', '{root}', NULL, NULL, '{replace,repair,ask_vendor}', NULL, '{suspect,one}', 0.5,
		'It fails again until somebody has mended it.'),
	(true, 123, 'broken', 'cordon', '{root}', '{hardware}', '{accelerator,node}', NULL, '{critical}', '{suspect,one}', 0.5,
		'Whatever runs there next fails, too.'),
	(true, 124, 'doubtful', 'test', '{root}', '{hardware,platform}', NULL, NULL, NULL, '{suspect,one}', NULL,
		'It may come again there, and need not.');
-- What many show and one began may come from that one: a loss that is not a number, say.
INSERT INTO @extschema@.l4_advice_rule (builtin, priority, name, action, suspected, roles, recoveries, categories, places,
	reason)
SELECT true, r.priority, r.name || p.ending, 'user', p.suspected, '{root}', r.recoveries, r.categories, p.places, r.reason
FROM (VALUES
	(110, 'fix_job', '{fix_job}'::text[], NULL::text[],
		'The job itself has to be changed: started again as it is, it fails again.'),
	(120, 'user', NULL, '{user,framework}',
		'Code, data and settings fail on any node: started again as it is, the job fails again.'))
	r (priority, name, recoveries, categories, reason)
CROSS JOIN (VALUES ('', false, NULL::text[]), ('_of_suspect', true, '{suspect}')) p (ending, suspected, places);
INSERT INTO @extschema@.l4_advice_rule (builtin, priority, name, action, suspected, roles, categories, places, reason) VALUES
	(true, 125, 'shared', 'look', false, '{root}', '{hardware,platform}', '{some,all}',
		'So many nodes do not break at once: look at what they share.');

-- No cause is known of the suspect: what speaks against it decides.
INSERT INTO @extschema@.l4_advice_rule (builtin, priority, name, action, suspected, evidence, least_confidence, reason) VALUES
	(true, 200, 'gone', 'cordon', true, '{missing,silent}', 0.8, 'The node is gone, and nobody knows why.'),
	(true, 201, 'set_up_differently', 'user', true, '{setup}', NULL,
		'A setting is no matter of the node: with the same settings it fails on any other.'),
	(true, 201, 'bad_link', 'network', true, '{link,between}', NULL,
		'Between two nodes either end may be it, or what lies between.'),
	(true, 206, 'named', 'test', true, '{named}', 0.9,
		'What leads the job names the node, and does not say what is wrong with it.'),
	(true, 207, 'named_first', 'look', true, '{named}', NULL,
		'A launcher names whose processes ended first, and that may be a victim.'),
	(true, 208, 'suspect', 'test', true, NULL, 0.8, 'The logs do not say what is wrong with the node.'),
	(true, 209, 'weak_suspect', 'look', true, NULL, NULL, 'The evidence is too thin to take the node out for it.');
INSERT INTO @extschema@.l4_advice_rule (builtin, priority, name, action, suspected, evidence, event_places, has_code_line,
	reason) VALUES
	(true, 202, 'own_error', 'user', true, '{first,own}', '{suspect}', true,
		'The node fails by an error of the program that the library does not know: the line that raised it tells whether '
		'program or node is to blame.');

INSERT INTO @extschema@.l4_advice_rule (builtin, priority, name, action, suspected, lossy, reason) VALUES
	(true, 205, 'lossy', 'network', true, true,
		'Who sends counts what gets lost on the way: the other end, or what lies between, may be to blame as well as the '
		'node.');

-- Nobody is suspected, and the library knows no cause.
INSERT INTO @extschema@.l4_advice_rule (builtin, priority, name, action, suspected, event_places, has_code_line, reason) VALUES
	(true, 300, 'same_error', 'user', false, '{some,all}', true,
		'Nodes that fail by the same error share code, data and settings, not a broken part.'),
	(true, 301, 'unknown_event', 'look', false, '{suspect,one,some,all}', NULL,
		'The library does not know what successful jobs do not log here.'),
	(true, 900, 'nothing', 'look', NULL, NULL, NULL,
		'Neither a known fault nor evidence against a node stands in the logs: look where the ranks stood, and who ended it.');
