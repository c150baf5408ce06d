-- Where the job's nodes are known by name: any name counts in a path and before the lines, whatever a site calls its nodes, and
-- what else a path says does not hang on it.
CREATE SCHEMA named_nodes;
SET search_path = named_nodes, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE FUNCTION load_job(job text, nodes text[], sources text[], label text DEFAULT '') RETURNS SETOF text
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', 'failed', nodes, 2);
	PERFORM l4_ingest(job, format($q$
		SELECT format('%%s2026-11-20 10:00:0%%s INFO step %%s', replace(%L, '{node}', n.node), s, s) AS line, f.source
		FROM unnest(%L::text[]) f (source), generate_series(1, 9) s, unnest(%L::text[]) WITH ORDINALITY n (node, turn)
		WHERE n.turn = 1 + s %% cardinality(%3$L::text[]) ORDER BY f.source, s$q$,
		label, sources, coalesce(nodes, '{node-0}')));
	RETURN QUERY SELECT concat_ws(' ', s.source, coalesce(s.label, '-'), s.kind, coalesce(s.node, '-'), s.rank)
	FROM l4_stream s WHERE s.job_id = job ORDER BY s.source COLLATE "C", s.label COLLATE "C";
END $$;

\echo == in a path: a folder, or between separators; the longest name; with its domain or without
SELECT load_job('paths', '{athena,hera,gpu-a3-04.dc2.example.com,10.3.4.17,gpu-a3,9}',
	'{athena/3.log,slurm-47-hera-2.out,hera_3.err,gpu-a3-04.dc2.example.com/rank4.log,gpu-a3-04/5/stderr.log,
	logs/10.3.4.17.log,run-gpu-a3.out,9/train.log,athenaeum/syslog}');
\echo == numbered processes are nodes where nobody says what nodes are called, else ranks
SELECT load_job('members', '{athena,hera}', '{worker-3.log,task_1/stdout,athena/worker-1.log}');
SELECT load_job('unknown', NULL, '{worker-3.log}');
SELECT load_job('pods', '{worker-2,worker-3}', '{worker-3.log}');
\echo == before the lines
SELECT load_job('brackets', '{athena,hera}', '{run.out}', '[{node}] ');
SELECT load_job('colon', '{athena.dc2.example.com,hera.dc2.example.com}', '{run.out}', 'athena: ');
SELECT load_job('bar', '{10.3.4.17,10.3.4.18}', '{run.out}', '{node}  | ');
SELECT load_job('no_node', '{athena,hera}', '{run.out}', '[zeus] ');
\echo == an address far behind in a record that has all settings of a rank
SELECT l4_register_job('far_behind', '{}', 'failed', '{athena,hera,zeus}', 1) \g /dev/null
SELECT l4_ingest('far_behind', $$SELECT format('2026-11-20 10:00:01 INFO settings {%s, ''address'': ''10.3.4.%s''}',
		(SELECT string_agg(format('''option_%s'': %s', chr(97 + o / 10) || chr(97 + o % 10), o * 7), ', ' ORDER BY o)
			FROM generate_series(1, 60) o), turn) AS line, n || '/rank.log' AS source
	FROM unnest('{athena,hera,zeus}'::text[]) WITH ORDINALITY n (n, turn)$$) \g /dev/null
SELECT address, node FROM l4_address WHERE job_id = 'far_behind' ORDER BY address;
\echo == who misses another one tells of another address than its own
SELECT l4_register_job('missed', '{}', 'failed', '{athena,hera,zeus}', 1) \g /dev/null
SELECT l4_ingest('missed', $$SELECT format('2026-11-20 10:00:01 ERROR connection closed by peer [10.3.4.%s]', turn % 3 + 1)
		AS line, n || '/rank.log' AS source
	FROM unnest('{athena,hera,zeus}'::text[]) WITH ORDINALITY n (n, turn)$$) \g /dev/null
SELECT address, node FROM l4_address WHERE job_id = 'missed' ORDER BY address;
\echo == what a node of the successful jobs says is no news of one of another name, however grave; in other words it is
CREATE FUNCTION say(job text, status text, nodes text[], said text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{"place": 1}', status, nodes, 1);
	RETURN (l4_ingest(job, format($q$
		SELECT * FROM (
			SELECT format('2026-11-20 10:00:01 ERROR sensors of %%s cannot be read: no such device', n), n || '/agent.log'
			FROM unnest(%L::text[]) n
			UNION ALL SELECT %L, 'athena/agent.log' WHERE %2$L <> '') l (line, source)
		ORDER BY source, line COLLATE "C"$q$, nodes, said))).rows;
END $$;
SELECT say('there', 'succeeded', '{zeus,hermes}', ''), say('there2', 'succeeded', '{ares,hestia}', ''),
	say('here', 'failed', '{athena,hera}', '2026-11-20 10:00:02 ERROR sensors of athena cannot be trusted: no such thing');
SELECT node, reason, message FROM l4_unexplained('here') ORDER BY node, message COLLATE "C";
\echo == on which node a rank is it says itself, with a name without digits or an address, too; who does not is with its like
CREATE FUNCTION say_hosts(job text, nodes text[], ranks_per_node int, silent int[]) RETURNS TABLE (rank int, told_node text)
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', 'failed', nodes, ranks_per_node);
	-- the launcher deals ranks out in another order than that of the list
	PERFORM l4_ingest(job, format($q$
		SELECT format('[%%s]<stdout>:%%s', r, CASE s WHEN 1 THEN 'extension is not there' WHEN 2 THEN format(
				'rank %%s of 8, program 3.1, host %%s', r, (%L::text[])[cardinality(%1$L::text[]) - r / %L::int]) END) AS line,
			'run.out' AS source
		FROM generate_series(0, cardinality(%1$L::text[]) * %2$L::int - 1) r, generate_series(1, 2) s
		WHERE s = 1 OR r <> ALL (%L::int[]) ORDER BY s, r$q$, nodes, ranks_per_node, silent));
	RETURN QUERY SELECT s.rank, s.told_node FROM l4_stream s WHERE s.job_id = job AND s.rank IS NOT NULL ORDER BY s.rank;
END $$;
SELECT * FROM say_hosts('written', '{athena,hera,zeus,n07}', 2, '{2}');
-- names that stand within other words, too
SELECT * FROM say_hosts('short', '{a,pro,ost}', 1, '{}');
SELECT * FROM say_hosts('addressed', '{10.3.4.17,10.3.4.18,10.3.4.19,10.3.4.20}', 1, '{1}');
-- of two whose like say nothing either nobody knows where they are
SELECT l4_silent_rank_nodes('{0,1,4,5}', '{d,d,b,b}', '{a,b,c,d}', 2) AS two_nodes_left;
SELECT l4_silent_rank_nodes('{0,1,2,4,5}', '{b,c,a,b,c}', '{a,b,c}', 2) AS dealt_out_in_turn;
\echo == where no rank says it, its launcher may: of one rank after another, or in one list
CREATE FUNCTION say_of(job text, said text[], ranks_per_node int DEFAULT 2) RETURNS TABLE (hosts text)
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', 'failed', '{athena,hera,gpu-7}', ranks_per_node);
	PERFORM l4_ingest(job, format($q$
		SELECT format('[%%s]<stdout>:step %%s', r, s) AS line, 'run.out' AS source
		FROM generate_series(0, 5) r, generate_series(1, 3) s
		UNION ALL SELECT t, 'run.out' FROM unnest(%L::text[]) t$q$, said));
	RETURN QUERY SELECT string_agg(s.rank || ' ' || coalesce(s.told_node, '-'), ', ' ORDER BY s.rank)
	FROM l4_stream s WHERE s.job_id = job AND s.rank IS NOT NULL;
END $$;
SELECT * FROM say_of('listed', '{"slots: gpu-7 -> 0,1, hera -> 2,3, athena -> 4,5"}');
SELECT * FROM say_of('ranges', ARRAY['placing 6 ranks: gpu-7: 2 slots, ranks 0-1; athena.example.com: 2 slots, ranks 2-3; '
	'hera: 2 slots, ranks 4-5']);
SELECT * FROM say_of('mapping', ARRAY['global_rank_mapping=defaultdict(<class ''list''>, {''hera'': [0, 1], '
	'''athena'': [2, 3], ''gpu-7'': [4, 5]})']);
SELECT * FROM say_of('ended', ARRAY['rank 5 on athena (slot 1) exited with status 1',
	'rank 2 on hera (slot 0) exited with status 1', 'rank 0 on gpu-7 (slot 0) exited with status 1']);
SELECT * FROM say_of('before', '{"athena: rank 4 is up","hera, rank 3: up","gpu-7 rank_1 up"}');
-- neither who counts the ranks of a node, nor who names another host, nor a list that is not of all ranks
SELECT * FROM say_of('local', '{"local rank 1 on athena is up"}');
SELECT * FROM say_of('lost', '{"rank 0 lost its connection to athena"}');
SELECT * FROM say_of('twice', '{"rank 0 on athena is up","rank 0 on hera is up"}');
SELECT * FROM say_of('full', '{"rank 0 on athena","rank 1 on athena","rank 2 on athena"}');
SELECT * FROM say_of('some', '{"slots: gpu-7 -> 0,1, hera -> 3"}');
INSERT INTO l4_limit (name, value) VALUES ('place_bytes', 40);
SELECT * FROM say_of('much', '{"slots: gpu-7 -> 0,1, hera -> 2,3, athena -> 4,5"}');
DELETE FROM l4_limit WHERE name = 'place_bytes' AND NOT builtin;
SELECT * FROM say_of('overlap', '{"slots: gpu-7 -> 0-3, hera -> 3-5"}');
-- ranges are not written out
SELECT count(*) AS dealt FROM l4_dealt_hosts(ARRAY(SELECT w FROM l4_placing_words(
	ARRAY[repeat('hera 0-499999 athena 500000-999999 ', 2000), 'hera 0-499999 athena 500000-999999'], '{hera,athena}') w),
	'{7}');
-- nor what is said of other numbers: rank 1 is elsewhere, as it says
SELECT l4_register_job('daemons', '{}', 'failed', '{athena,hera,gpu-7}', 2) \g /dev/null
SELECT l4_ingest('daemons', $$SELECT format('[%s]<stdout>:rank %s of 6, host %s', r, r,
			('{hera,gpu-7,athena}'::text[])[1 + r / 2]) AS line, 'run.out' AS source FROM generate_series(0, 5) r WHERE r <> 4
	UNION ALL SELECT '[4]<stdout>:here', 'run.out'
	UNION ALL SELECT format('rank %s on %s is up', r, ('{athena,hera,gpu-7}'::text[])[1 + r]), 'daemons.out'
	FROM generate_series(0, 2) r$$) \g /dev/null
SELECT string_agg(s.rank || ' ' || coalesce(s.told_node, '-'), ', ' ORDER BY s.rank) AS hosts
FROM l4_stream s WHERE s.job_id = 'daemons' AND s.rank IS NOT NULL;
\echo == a list of hosts is as long as the job has nodes; a header that was cut off there does not make it news
CREATE FUNCTION say_list(job text, status text, nodes text[], header text) RETURNS bigint LANGUAGE sql AS $$
	SELECT l4_register_job(job, '{"place": 2}', status, nodes, 1);
	SELECT (l4_ingest(job, format('SELECT %L AS line, ''master.log'' AS source', format(
		'2026-11-20 10:00:01 %s reserved some slots for this job on %s', header, (SELECT string_agg('gpu.q@' || n, ', ')
		FROM unnest(nodes) n))))).rows
$$;
SELECT say_list('list1', 'succeeded', '{zeus,hermes}', 'queue master'),
	say_list('list2', 'failed', '{athena,hera,juno}', 'queue master'),
	say_list('list3', 'failed', '{athena,hera,juno}', 'I queue master');
SELECT u.node, u.reason, u.message FROM unnest('{list2,list3}'::text[]) j, l4_unexplained(j) u;
\echo == nor are commands, which have the options of their job
CREATE FUNCTION say_command(job text, status text, said text) RETURNS bigint LANGUAGE sql AS $$
	SELECT l4_register_job(job, '{"place": 3}', status, '{athena,hera}', 1);
	SELECT (l4_ingest(job, format('SELECT %L AS line, ''run.log'' AS source', '2026-11-20 10:00:01 INFO ' || said))).rows
$$;
SELECT say_command('command1', 'succeeded', 'runs python3 train.py --lr 0.1 --layers 7'),
	say_command('command2', 'failed', 'starts python3 train.py --lr 0.1 --layers 7 --timeout 9'),
	say_command('command3', 'failed', 'starts python3 train.py --lr 0.1 with all layers') \g /dev/null
SELECT j, u.reason, u.message FROM unnest('{command2,command3}'::text[]) j, l4_unexplained(j) u;
-- nothing is left for other tests
SELECT l4_delete_job(j) FROM unnest(
	'{paths,members,unknown,pods,brackets,colon,bar,no_node,far_behind,missed,there,there2,here}'::text[]
	|| '{written,short,addressed,listed,ranges,mapping,ended,before,local,lost,twice,full,some,much,overlap}'::text[]
	|| '{list1,list2,list3,daemons,command1,command2,command3}'::text[]) j \g /dev/null
DROP SCHEMA named_nodes CASCADE;
