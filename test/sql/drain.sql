-- Drain: l4_cluster_shapes, l4_drain, l4_drain_state, l4_drain_merge, l4_shape_counts
SET client_min_messages = warning;

-- what a statement yields, or its SQLSTATE and message
CREATE FUNCTION pg_temp.attempt(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE statement INTO result;
	RETURN coalesce(result, 'NULL');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END $$;

-- template and parent of each shape, without ids
CREATE FUNCTION pg_temp.templates(shapes text[], depth int DEFAULT 4, similarity float8 DEFAULT 0.5, split_values int DEFAULT 5)
RETURNS TABLE (shape text, template text, parent text) LANGUAGE sql AS $$
	SELECT s.shape, c.template, c.parent_template
	FROM unnest(shapes) WITH ORDINALITY AS s(shape, i)
	JOIN public.l4_cluster_shapes(ARRAY(SELECT g FROM generate_subscripts(shapes, 1) AS g)::bigint[], shapes, depth, similarity,
		split_values) AS c
		ON c.shape_id = s.i
	ORDER BY s.shape COLLATE "C"
$$;

--
-- l4_cluster_shapes
--

-- a position with many values is a parameter
SELECT * FROM pg_temp.templates(ARRAY['open file alpha now', 'open file beta now', 'open file gamma now', 'open file delta now',
	'open file epsilon now', 'open file zeta now']);
-- names in the first place: more than ten of them, before two words or more, are a parameter; what stands with one of them
-- alone joins
SELECT count(*), min(template)
FROM pg_temp.templates(ARRAY(SELECT 'layer.' || chr(96 + n) || '.weight has norm <*>' FROM generate_series(1, 11) AS n));
SELECT count(*) FROM pg_temp.templates(ARRAY(SELECT 'layer.' || chr(96 + n) || '.weight has norm <*>'
	FROM generate_series(1, 10) AS n));
SELECT count(*) FROM pg_temp.templates(ARRAY(SELECT chr(96 + n) || ' failed' FROM generate_series(1, 20) AS n));
SELECT DISTINCT template
FROM pg_temp.templates(ARRAY(SELECT chr(96 + n) || ' is done after ' || v || ' tries' FROM generate_series(1, 12) AS n,
	generate_series(1, 12) AS g, chr(64 + g) AS v)
	|| ARRAY['z is done after all tries', 'y is late before all tries']) ORDER BY 1;
-- a merged group that another one covers goes into that one, and so does what comes later
SELECT template, count(*)
FROM pg_temp.templates(ARRAY(SELECT 'b' || chr(96 + n) || ' <*> u k w x y z' FROM generate_series(1, 12) AS n)
	|| ARRAY(SELECT 'm' || chr(96 + n) || ' <*> u <*> w x y z' FROM generate_series(1, 12) AS n)
		|| ARRAY['zz j u k w x y z', 'zzz q u r w x y z']) GROUP BY 1;
-- one with few splits the group, the parent stays; not with split_values below 2
SELECT * FROM pg_temp.templates(ARRAY['worker <*> was started by agent', 'worker <*> was stopped by agent']);
SELECT * FROM pg_temp.templates(ARRAY['worker <*> was started by agent', 'worker <*> was stopped by agent'], split_values => 1);
-- names are no words of the statement, nor is what another value could be an instance of
SELECT * FROM pg_temp.templates(ARRAY['session closed for user root', 'session closed for user news']);
SELECT * FROM pg_temp.templates(ARRAY['read failed path=<*> again', 'read failed path=none again']);
SELECT * FROM pg_temp.templates(ARRAY['session opened by (uid=<*>) for us', 'session opened by LOGIN(uid=<*>) for us']);
-- what differs keeps the punctuation around it
SELECT DISTINCT template
FROM pg_temp.templates(ARRAY['login by user=anna, refused at door', 'login by user=bert, refused at door'], split_values => 0);
-- lists of different lengths meet; a shape made mostly of <*> joins its own kind
SELECT * FROM pg_temp.templates(ARRAY['peers <*> <*> are lost', 'peers <*> <*> <*> <*> are lost',
	'peers <*>, <*>, <*> are lost']);
SELECT * FROM pg_temp.templates(ARRAY['mark <*> <*>: <*> <*>; <*> a <*>.', 'mark <*> <*>: <*> <*>; <*> b <*>.',
	'mark <*> <*>: <*> <*>; <*> c <*>.',
	'mark <*> <*>: <*> <*>; <*> d <*>.', 'mark <*> <*>: <*> <*>; <*> e <*>.', 'mark <*> <*>: <*> <*>; <*> f <*>.']);
--
-- statements with optional parts: one event, whatever of them is there
--
CREATE FUNCTION pg_temp.events(VARIADIC shapes text[]) RETURNS TABLE (template text, shapes bigint) LANGUAGE sql AS $$
	SELECT template, count(*) FROM pg_temp.templates(shapes) GROUP BY template ORDER BY template COLLATE "C"
$$;
-- quantities: units or none, units in brackets, "less than", lists
SELECT * FROM pg_temp.events('<*> close, <*> bytes sent, <*> bytes received, lifetime <*>',
	'<*> close, <*> bytes (<*> KB) sent, <*> bytes received, lifetime <*>',
	'<*> close, <*> bytes (<*>) sent, <*> bytes (<*>) received, lifetime <<*> sec',
	'<*> close, <*> sent, <*> received, lifetime <*> min <*> sec');
SELECT * FROM pg_temp.events('scrub took <*> h <*> min <*> s.', 'scrub took <*>.', 'scrub took <*> days',
	'scrub took <*> (<*> %)',
	'scrub took place', 'scrub took <*> turns');
SELECT * FROM pg_temp.events('lost ranks <*>, <*> and <*> of <*>', 'lost ranks <*> and <*> of <*>', 'lost ranks <*> of <*>');
-- what is counted: one or more
SELECT * FROM pg_temp.events('deleted <*> file in <*>', 'deleted <*> files in <*> s', 'door was shut', 'doors was shut');
-- brackets behind a word: a clause that may be missing ...
SELECT * FROM pg_temp.events('connection lost, retrying now', 'connection lost (errno <*>), retrying now');
SELECT * FROM pg_temp.events('wrote <*> buffers <*> done', 'wrote <*> buffers (<*>%) <*> done',
	'wrote <*> buffers (<*>%, <*> MB) (<*>) <*> done');
SELECT * FROM pg_temp.events('login from <*> () at <*>', 'login from <*> (<*>) at <*>', 'run (/a <*>) now', 'run (<*>) now');
-- ... unless several alternate: then they tell statements apart, as words do; more than that are a parameter again
SELECT * FROM pg_temp.events('signal <*> (SIGABRT) by pid <*>', 'signal <*> (SIGKILL) by pid <*>', 'signal <*> by pid <*>');
SELECT * FROM pg_temp.events(VARIADIC
	ARRAY(SELECT 'signal <*> (SIG' || chr(64 + n) || ') by pid <*>' FROM generate_series(1, 9) AS n));
-- no clauses: words alone in brackets, brackets that do not close, brackets that are all there is
SELECT * FROM pg_temp.events('Traceback (most recent call last):', 'Traceback <*>', 'call (<*> and so on',
	'call <*>) and so on',
	'v <*>', 'v (<*>)', '(<*>)', '<*> (<*>)', 'w (no value for <*>)', 'w');
-- lists of words, texts in quotes or square brackets, of any length: none of them tells statements apart
SELECT * FROM pg_temp.events('frozen modules head, norm, proj are kept', 'frozen modules head, norm, proj, <*>, embed are kept',
	'frozen modules are kept');
SELECT * FROM pg_temp.events('copy "my new file": done', 'copy "report": done', 'copy "old.txt": done',
	'copy "GET <*> x": done',
	'copy "a b c d e f g h i j k l m n": done');
SELECT * FROM pg_temp.events('queues [low] are empty', 'queues [low mid] are empty', 'queues [low mid high] are empty',
	'queues [] are empty');
-- lists of quantities in brackets, alone or behind a word, of any length and depth
SELECT * FROM pg_temp.events('input torch.Size([<*>]) on <*>', 'input torch.Size([<*>, <*>, <*>]) on <*>',
	'input torch.Size([<*>, <*>]), on <*>', 'output torch.Size([<*>]) on <*>', 'output torch.Size([]) on <*>');
SELECT * FROM pg_temp.events('step=<*> lr=[<*>, <*>], mom=[(<*>, <*>), (<*>, <*>)]', 'step=<*> lr=[<*>], mom=[(<*>, <*>)]');
SELECT * FROM pg_temp.events('nodes:node-[<*> <*>] are down', 'nodes:node-[<*>] are down', 'nodes:<*> are down');
SELECT * FROM pg_temp.events('group [<*>, <*>] is ready', 'group [<*>] is ready', 'group [<*>] is ready: [<*>, <*>]');
-- ... no lists: words in them, brackets that do not close or with more behind them
SELECT * FROM pg_temp.events('call f(<*>, self) now', 'call f(<*>, x, y) now', 'open [<*>, <*> now', 'open [<*>, <*>, <*> now',
	'layer[<*>].weight is set', 'layer[<*>].bias is set');
-- what is said again, a parameter in it, is a list of any length, too; other words in it are another statement
SELECT * FROM pg_temp.events('nodesets differ: <*> <*> <ok>', 'nodesets differ: <*> <*> <ok> <*> <*> <ok>',
	'nodesets differ: <*> <*> <ok>, <*> <*> <ok>, <*> <*> <ok>', 'nodesets differ: <*> <*> <ok> <*> <*> <bad>');
SELECT * FROM pg_temp.events('memory: rank <*>: <*> MB, peak <*> MB',
	'memory: rank <*>: <*> MB, peak <*> MB, rank <*>: <*> MB, peak <*> MB',
	'knock knock', 'knock', 'no no no: rank <*>');
-- a field that names the event of a record is no parameter, however many there are; other fields are
SELECT count(DISTINCT template) AS events, count(*) AS shapes FROM pg_temp.templates(ARRAY(SELECT
		format('{"time": <*>, "type": "point", "key": "stat_%s", "value": "%s", "in": {"file": "<*>", "line": <*>}}', k, v)
	FROM unnest(string_to_array('a b c d e f g h i', ' ')) AS k, unnest(string_to_array('p q r s t u', ' ')) AS v));
SELECT * FROM pg_temp.events(VARIADIC ARRAY(SELECT format('{"time": <*>, "event": "%s", "by": "agent", "rank": <*>}', e)
	FROM unnest(string_to_array('start stop save load wait join fail', ' ')) AS e));
-- <*> with something around it is an instance of <*> in the first place too; a name with its value is none
SELECT * FROM pg_temp.events('<*> open through gate <*>', 'x.cn:<*> open through gate <*>',
	'localhost:<*> open through gate <*>',
	'port=<*> open through gate <*>', 'nothing open through gate <*>', '<*> shut through gate <*>',
	'x.cn:<*> shut through gate <*>');
-- and where it is <*>, more names than a statement has words are enough to be a parameter
SELECT * FROM pg_temp.events(VARIADIC ARRAY['<*>: used much time', 'user@<*>.service: used much time']
	|| ARRAY(SELECT chr(96 + n) || 'd.service: used much time' FROM generate_series(1, 5) AS n));
SELECT count(*) FROM pg_temp.events(VARIADIC ARRAY['<*>: used much time', 'user@<*>.service: used much time']
	|| ARRAY(SELECT chr(96 + n) || 'd.service: used much time' FROM generate_series(1, 4) AS n));
-- statements that differ in a word stay apart
SELECT * FROM pg_temp.events('password refused for <*> at <*>', 'password refused for unknown user <*> at <*>',
	'backup of <*> (<*> MB) started', 'backup of <*> finished', 'door <*> opened', 'door <*> closed', 'link <*> up (<*> Gbps)',
	'link <*> down');
-- a parameter at one position does not hide the words of another
SELECT * FROM pg_temp.events('job <*> on <*> was started by agent', 'job <*> on <*> was stopped by agent',
	'job <*> on gpu was started by agent', 'job <*> on gpu was stopped by agent');
-- l4_shape_key counts the same tokens: shapes of another number change nothing, so those of one number may be clustered alone
SELECT l4_shape_key('<*> close, <*> bytes (<*> KB) sent') >> 48 AS tokens,
	l4_shape_key('<*> close, <*> sent') = l4_shape_key('<*> close, <*> bytes (<*> KB) sent') AS same_quantities,
	l4_shape_key('wrote, then left') = l4_shape_key('wrote (errno <*>), then left') AS same_words,
	l4_shape_key('<*> is open') = l4_shape_key('x.cn:<*> is open') AS same_instance;
CREATE TEMP TABLE optional AS
	SELECT format('%s <*>%s sent %s%s, %s', w, u, v, c, e) AS shape, row_number() OVER () AS id
	FROM unnest(ARRAY['<*>', 'x.cn:<*>', 'alpha']) AS w,
		unnest(ARRAY['', ' bytes', ' bytes (<*>)', ' [<*>]', ' [<*>, <*>]', ' to <*> to <*>']) AS u,
		unnest(ARRAY['mail', '"my mail"']) AS v, unnest(ARRAY['', ' (errno <*>)', ' (code <*>)']) AS c,
		unnest(ARRAY['ok', 'done so far']) AS e;
SELECT count(*) AS shapes, count(DISTINCT c.event_id) AS events, count(*) FILTER (WHERE c.event_id <> p.event_id) AS differences
FROM (SELECT array_agg(id) AS ids, array_agg(shape) AS shapes FROM optional) AS o, l4_cluster_shapes(o.ids, o.shapes) AS c,
	(SELECT array_agg(id ORDER BY id DESC) AS ids, array_agg(shape ORDER BY id DESC) AS shapes
		FROM optional GROUP BY l4_shape_key(shape) >> 48) AS q, l4_cluster_shapes(q.ids, q.shapes) AS p
WHERE p.shape_id = c.shape_id;

-- white space: that of the first member; a shape alone is its own template
SELECT shape, quote_literal(template) FROM pg_temp.templates(ARRAY[E'  a\tb\n c  ', 'x  y', 'x y']);
-- empty shapes, one token, placeholders only
SELECT quote_literal(shape), quote_literal(template), quote_literal(parent)
FROM pg_temp.templates(ARRAY['', ' ', 'one', '<*>', '<*> <*>', '<*>,']);
-- ids: hashes of the texts; equal shapes twice
SELECT c.shape_id, c.event_id = d.event_id AS same_event, c.parent_id = c.event_id AS own_parent, c.template
FROM l4_cluster_shapes(ARRAY[7, 7, 9], ARRAY['lone shape here', 'lone shape here', 'another thing altogether so']) c,
	l4_cluster_shapes(ARRAY[1], ARRAY['lone shape here']) d
ORDER BY c.shape_id;
-- options: similarity 0 joins all of a leaf, 1 none; depth 3 knows the number of tokens alone
SELECT count(DISTINCT template) FROM pg_temp.templates(ARRAY['p a b c', 'p d e f', 'q a b c'], 4, 0, 0);
SELECT count(DISTINCT template) FROM pg_temp.templates(ARRAY['p a b c', 'p d e f', 'q a b c'], 4, 1, 0);
SELECT count(DISTINCT template) FROM pg_temp.templates(ARRAY['p a b c', 'p d e f', 'q a b c'], 3, 0.5, 0);
-- no rows
SELECT count(*) FROM l4_cluster_shapes('{}', '{}');
SELECT count(*) FROM l4_cluster_shapes(NULL, ARRAY['a']);
-- errors
SELECT pg_temp.attempt($$SELECT l4_cluster_shapes('{1,2}', '{a}')$$);
SELECT pg_temp.attempt($$SELECT l4_cluster_shapes('{1}', '{NULL}')$$);
SELECT pg_temp.attempt($$SELECT l4_cluster_shapes('{NULL}', '{a}')$$);
SELECT pg_temp.attempt($$SELECT l4_cluster_shapes('{{1},{2}}', '{a,b}')$$);
SELECT pg_temp.attempt($$SELECT l4_cluster_shapes('{1}', '{a}', 2)$$);
SELECT pg_temp.attempt($$SELECT l4_cluster_shapes('{1}', '{a}', 65)$$);
SELECT pg_temp.attempt($$SELECT l4_cluster_shapes('{1}', '{a}', 4, 'NaN')$$);
SELECT pg_temp.attempt($$SELECT l4_cluster_shapes('{1}', '{a}', 4, -0.1)$$);
SELECT pg_temp.attempt($$SELECT l4_cluster_shapes('{1}', '{a}', 4, 1.1)$$);
SELECT pg_temp.attempt($$SELECT l4_cluster_shapes('{1}', '{a}', 4, 0.5, -1)$$);
SELECT pg_temp.attempt($$SELECT l4_cluster_shapes('{1}', '{a}', 4, 0.5, 101)$$);

-- a pure function of the set: the order does not matter; floods of distinct shapes stay bounded
CREATE TEMP TABLE flood AS
	SELECT i, translate(concat_ws(' ', md5(i::text), 'saw', md5((i % 7)::text), 'with', md5((i / 3)::text)), '0123456789',
		'ghijklmnop') AS shape
	FROM generate_series(1, 3000) AS i;
SELECT count(*) AS shapes, count(DISTINCT event_id) < 1500 AS bounded
FROM (SELECT array_agg(i::bigint ORDER BY i) AS ids, array_agg(shape ORDER BY i) AS shapes FROM flood) AS f,
	l4_cluster_shapes(ids, shapes);
SELECT count(*) AS differences FROM (
	(SELECT c.* FROM (SELECT array_agg(i::bigint ORDER BY i) AS ids, array_agg(shape ORDER BY i) AS shapes FROM flood) AS f,
		l4_cluster_shapes(ids, shapes) AS c)
	EXCEPT
	(SELECT c.* FROM (SELECT array_agg(i::bigint ORDER BY hashint4(i)) AS ids, array_agg(shape ORDER BY hashint4(i)) AS shapes
		FROM flood) AS f,
		l4_cluster_shapes(ids, shapes) AS c)) AS d;
-- a group of its own for each template
SELECT count(*) FILTER (WHERE n > 1) AS templates_with_several_events
FROM (SELECT count(DISTINCT event_id) AS n FROM (SELECT array_agg(i::bigint) AS ids, array_agg(shape) AS shapes
	FROM flood) AS f,
	l4_cluster_shapes(ids, shapes) GROUP BY template) AS t;
-- very long shapes
SELECT octet_length(template)
FROM l4_cluster_shapes(ARRAY[1, 2], ARRAY[repeat('word ', 20000) || 'x', repeat('word ', 20000) || 'y'], split_values => 0);
-- the budget
SET maintenance_work_mem = '1MB';
SELECT pg_temp.attempt($$SELECT count(*) FROM (SELECT array_agg(i::bigint) AS ids, array_agg(i || ' ' || md5(i::text)) AS shapes
	FROM generate_series(1, 20000) AS i) AS f, l4_cluster_shapes(ids, shapes)$$) ~ '^54000: clustering 20000 shapes';
SELECT pg_temp.attempt($$SELECT array_length(l4_drain(translate(md5(i::text), '0123456789', 'ghijklmnop')), 1)
	FROM generate_series(1, 20000) AS i$$);
RESET maintenance_work_mem;

--
-- l4_drain
--
CREATE TABLE drain_message (i int, part int, message text);
INSERT INTO drain_message
	SELECT i, i % 5, CASE i % 4
		WHEN 0 THEN format('rank %s: loss %s at step %s', i % 8, round(sqrt(i)::numeric, 3), i)
		WHEN 1 THEN format('connection to 10.0.0.%s %s', i % 200, CASE WHEN i % 8 = 1 THEN 'closed' ELSE 'opened' END)
		WHEN 2 THEN format('saved /data/checkpoint/%s in %s MB', i, i % 90)
		ELSE NULL END
	FROM generate_series(1, 8000) AS i;
SELECT e.template, e.occurrences, e.shapes, e.example
FROM (SELECT l4_drain(message) AS events FROM drain_message) AS d, unnest(d.events) WITH ORDINALITY AS e
ORDER BY e.ordinality;
-- the event's id is that of the template's shape
SELECT e.template, e.event_id, c.event_id AS of_its_shape FROM (SELECT l4_drain(message) AS events FROM drain_message) AS d,
	unnest(d.events) AS e, l4_cluster_shapes(ARRAY[1], ARRAY[e.template]) AS c
WHERE e.event_id <> c.event_id;
-- nothing, only NULLs, one row, an empty message
SELECT l4_drain(message) IS NULL FROM drain_message WHERE false;
SELECT l4_drain(message) IS NULL FROM drain_message WHERE message IS NULL;
SELECT template, occurrences, shapes, example FROM unnest((SELECT l4_drain('only 1 row'))) AS e;
SELECT template, occurrences, shapes, example FROM unnest((SELECT l4_drain(''))) AS e;
-- ties: by template
SELECT template, occurrences FROM unnest((SELECT l4_drain(m) FROM unnest(ARRAY['b b', 'a', 'c c c', 'B b']) AS m)) AS e;
-- the example is the smallest message, cut at a character's end
SELECT octet_length(example) FROM unnest((SELECT l4_drain(repeat('x' || U&'\20AC', 500)))) AS e;
SELECT example FROM unnest((SELECT l4_drain(m) FROM unnest(ARRAY['step 3', 'step 20', 'step 100']) AS m)) AS e;
-- options
SELECT template, occurrences FROM unnest((SELECT l4_drain(message, 4, 0.5, 0) FROM drain_message)) AS e;
SELECT pg_temp.attempt($$SELECT l4_drain('a', 1, 0.5, 5)$$);
SELECT pg_temp.attempt($$SELECT l4_drain('a', 4, 2, 5)$$);
SELECT pg_temp.attempt($$SELECT l4_drain('a', 4, 0.5, -5)$$);
SELECT pg_temp.attempt($$SELECT l4_drain('a', NULL, 0.5, 5)$$);
SELECT pg_temp.attempt($$SELECT l4_drain(m, d, 0.5, 5) FROM (VALUES ('a', 4), ('b', 5)) AS v(m, d)$$);
SELECT pg_temp.attempt($$SELECT l4_drain_merge(s)
	FROM (SELECT l4_drain_state(m, d, 0.5, 5) AS s FROM (VALUES ('a', 4), ('b', 5)) AS v(m, d) GROUP BY d) AS x$$);
SELECT pg_temp.attempt($$SELECT l4_drain_transition(NULL, 'a')$$);
SELECT pg_temp.attempt($$SELECT l4_drain_combine(l4_drain_state('a'), NULL)::text$$);

-- the same from any order, any plan, and from states of parts
CREATE TEMP TABLE drain_expected AS SELECT l4_drain(message) AS events FROM drain_message;
SELECT l4_drain(message ORDER BY hashint4(i)) = (SELECT events FROM drain_expected) AS shuffled FROM drain_message;
SELECT l4_drain_merge(state) = (SELECT events FROM drain_expected) AS merged
FROM (SELECT l4_drain_state(message) AS state FROM drain_message GROUP BY part) AS s;
SELECT l4_drain_merge(state::text::l4_shape_counts) = (SELECT events FROM drain_expected) AS merged_from_text
FROM (SELECT l4_drain_state(message) AS state FROM drain_message GROUP BY part) AS s;
SELECT l4_drain_final(l4_drain_state(message)) = (SELECT events FROM drain_expected) AS final FROM drain_message;
SELECT (SELECT l4_drain_state(message ORDER BY i)::text FROM drain_message) = (
	SELECT l4_drain_state(message ORDER BY i DESC)::text FROM drain_message) AS same_state;
SELECT count(*) AS windows, bool_or(events = (SELECT events FROM drain_expected)) AS last_one
FROM (SELECT l4_drain(message) OVER (ORDER BY part) AS events FROM drain_message WHERE i > 0) AS w;
BEGIN;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL max_parallel_workers_per_gather = 3;
ALTER TABLE drain_message SET (parallel_workers = 3);
DO $$
DECLARE
	line text;
BEGIN
	FOR line IN EXPLAIN (COSTS OFF) SELECT l4_drain(message) FROM drain_message LOOP
		IF line ~ 'Partial Aggregate' THEN
			RAISE WARNING 'partial aggregate';
		END IF;
	END LOOP;
END $$;
SELECT l4_drain(message) = (SELECT events FROM drain_expected) AS parallel FROM drain_message;
SELECT l4_drain(message, 4, 0.5, 5) = (SELECT events FROM drain_expected) AS parallel_with_options FROM drain_message;
SELECT part, sum(e.occurrences) AS messages
FROM (SELECT part, l4_drain(message) AS events FROM drain_message GROUP BY part) AS d, unnest(events) AS e
GROUP BY part ORDER BY part;
ROLLBACK;
DROP TABLE drain_message;

--
-- the type l4_shape_counts: crafted values
--
CREATE FUNCTION pg_temp.craft(bytes text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	RETURN l4_drain_final(encode(decode(replace(bytes, ' ', ''), 'hex'), 'base64')::l4_shape_counts);
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ': ' || SQLERRM || ': ' || detail;
END $$;
SELECT encode(l4_shape_counts_send(l4_drain_state('ab 1')), 'hex');
-- a good one, none, and every way to be wrong
SELECT pg_temp.craft('01 3fe0000000000000 04 05 01 01 61 02 01 62') ~ ',a,2,1,b' AS good;
SELECT pg_temp.craft('01 3fe0000000000000 04 05 00') AS no_entries;
SELECT pg_temp.craft('') AS empty;
SELECT pg_temp.craft('02 3fe0000000000000 04 05 00') AS version;
SELECT pg_temp.craft('01 3fe0000000') AS short;
SELECT pg_temp.craft('01 7ff8000000000000 04 05 00') AS nan;
SELECT pg_temp.craft('01 4000000000000000 04 05 00') AS similarity;
SELECT pg_temp.craft('01 3fe0000000000000 02 05 00') AS depth;
SELECT pg_temp.craft('01 3fe0000000000000 41 05 00') AS depth_too_large;
SELECT pg_temp.craft('01 3fe0000000000000 04 65 00') AS split_values;
SELECT pg_temp.craft('01 3fe0000000000000 04 05 02 01 61 02 01 62') AS entry_missing;
SELECT pg_temp.craft('01 3fe0000000000000 04 05 ffffffffffffffffff01') AS count_too_large;
SELECT pg_temp.craft('01 3fe0000000000000 04 05 ffffffffffffffffff02') AS number_too_long;
SELECT pg_temp.craft('01 3fe0000000000000 04 05 01 7f 61 02 01 62') AS shape_too_long;
SELECT pg_temp.craft('01 3fe0000000000000 04 05 01 01 61 00 01 62') AS no_occurrence;
SELECT pg_temp.craft('01 3fe0000000000000 04 05 01 01 61 ffffffffffffffffff01 01 62') AS negative;
SELECT pg_temp.craft('01 3fe0000000000000 04 05 01 01 61 02 8108 62') AS example_too_long;
SELECT pg_temp.craft('01 3fe0000000000000 04 05 01 01 ff 02 01 62') AS shape_no_text;
SELECT pg_temp.craft('01 3fe0000000000000 04 05 01 01 61 02 01 00') AS example_no_text;
SELECT pg_temp.craft('01 3fe0000000000000 04 05 02 01 62 02 00 01 61 02 00') AS unordered;
SELECT pg_temp.craft('01 3fe0000000000000 04 05 02 01 61 02 00 01 61 02 00') AS twice;
SELECT pg_temp.craft('01 3fe0000000000000 04 05 00 00') AS trailing;
SELECT pg_temp.attempt($$SELECT 'no*base64'::l4_shape_counts$$);
-- overflow of the number of messages
SELECT pg_temp.attempt($$SELECT l4_drain_merge(s::l4_shape_counts) FROM unnest(ARRAY[
	encode('\x013fe000000000000004050101 61 ffffffffffffffff7f 00', 'base64'),
	encode('\x013fe000000000000004050101 61 01 00', 'base64')]) AS s$$);
-- every cut and every flipped byte of a state is refused or read, never worse
SELECT substring(result, '^(\w{5}): ') AS error, count(*) FROM (
	SELECT pg_temp.craft(encode(substr(b, 1, n), 'hex')) AS result FROM (SELECT l4_shape_counts_send(l4_drain_state(m)) AS b
		FROM unnest(ARRAY['a 1', 'b 2 c', 'd']) AS m) AS s, generate_series(0, octet_length(b) - 1) AS n
	UNION ALL
	SELECT pg_temp.craft(encode(set_byte(b, n, (get_byte(b, n) + d) % 256), 'hex'))
	FROM (SELECT l4_shape_counts_send(l4_drain_state(m)) AS b
		FROM unnest(ARRAY['a 1', 'b 2 c', 'd']) AS m) AS s, generate_series(0, octet_length(b) - 1) AS n,
		unnest(ARRAY[1, 127, 128, 255]) AS d) AS x GROUP BY 1 ORDER BY 1;
