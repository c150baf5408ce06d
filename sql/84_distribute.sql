/*
 * One installation over several servers, by the extension Citus: job tables are spread over the nodes by job_id, so that all of
 * a job is on one node; what jobs share is on each. See docs/scale.md.
 *
 * What Citus does not plan is a function in SQL with arguments over such tables. So such functions get a twin in PL/pgSQL on
 * each node, made of their own body, which goes when l4 is of one server again. Rules stay plain tables, the same on each node,
 * so that an update of the extension can change its own; a site's rows are passed on when they are committed.
 */

CREATE TABLE @extschema@.l4_cluster_lock (
	what text PRIMARY KEY
);
COMMENT ON TABLE @extschema@.l4_cluster_lock IS
'Of a cluster of Citus: a row for each lock that all nodes share (l4_event, l4_pool; see l4_lock), and one for whoever writes '
'rows of l4_shape; the table itself is the lock l4_shape. Empty elsewhere, and in no dump: what is restored is of one server.';
COMMENT ON COLUMN @extschema@.l4_cluster_lock.what IS
'the lock';

CREATE TABLE @extschema@.l4_replaced_function (
	signature text PRIMARY KEY,
	definition text NOT NULL
);
COMMENT ON TABLE @extschema@.l4_replaced_function IS
'Of a cluster of Citus, on each node: the functions and views of l4 that have a twin in their place, or another setting, as '
'they were. In no dump: what is restored is of one server.';
COMMENT ON COLUMN @extschema@.l4_replaced_function.signature IS
'name, and types of the arguments';
COMMENT ON COLUMN @extschema@.l4_replaced_function.definition IS
'the statement that makes it again';

CREATE FUNCTION @extschema@.l4_table_places() RETURNS TABLE (table_name text, place text, reason text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 60
BEGIN ATOMIC
	SELECT t.name, p.place, p.reason
	FROM (VALUES
		('job', ARRAY['l4_job', 'l4_stream', 'l4_segment', 'l4_source_counts', 'l4_timeline', 'l4_address',
			'l4_parameter_sketch', 'l4_source_state', 'l4_diagnosis', 'l4_finding'],
			'rows of one job, which are read and written together'),
		('shared', ARRAY['l4_shape', 'l4_event', 'l4_pool', 'l4_pool_job', 'l4_pool_event', 'l4_pool_parameter',
			'l4_pool_job_event', 'l4_pool_job_parameter', 'l4_label',
			'l4_failure_report', 'l4_fault_feedback', 'l4_fault_history', 'l4_fault_override', 'l4_job_tenant'],
			'what jobs share, small beside their logs'),
		('rules', ARRAY['l4_pool_setting', 'l4_format', 'l4_stage_rule', 'l4_iteration_rule', 'l4_mask', 'l4_limit',
			'l4_wording', 'l4_advice_rule', 'l4_link', 'l4_fault', 'l4_fault_explains'],
			'came with the extension on each node, with a site''s own rows beside them'),
		('locks', ARRAY['l4_cluster_lock'], 'a row a lock, on one node')) p (place, tables, reason)
	CROSS JOIN LATERAL unnest(p.tables) WITH ORDINALITY t (name, number)
	ORDER BY p.place, t.number;
END;
COMMENT ON FUNCTION @extschema@.l4_table_places() IS
'Step: Where the tables of l4 lie on a cluster of Citus, and why: job (by job_id, on the node of the job), shared (a copy on '
'each node), rules (plain tables, the same on each node), locks (a row a lock). A table that is not named is each node''s own.';

CREATE FUNCTION @extschema@.l4_is_distributed() RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	answer boolean;
BEGIN
	IF to_regclass('pg_catalog.pg_dist_partition') IS NULL THEN
		RETURN false;
	END IF;
	EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = ''@extschema@.l4_job''::regclass)'
		INTO answer;
	RETURN answer;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_is_distributed() IS
'Is l4 spread over the nodes of a cluster of Citus (l4_distribute)?';

CREATE FUNCTION @extschema@.l4_is_spread(relation regclass) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	RETURN @extschema@.l4_is_distributed() AND EXISTS (SELECT FROM @extschema@.l4_table_places() t
		WHERE t.place <> 'rules' AND to_regclass('@extschema@.' || t.table_name) = l4_is_spread.relation);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_is_spread(regclass) IS
'Step: Of a distributed installation: is this a table of l4 that Citus distributes, or copies to each node?';

CREATE FUNCTION @extschema@.l4_copy_here(table_name text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	name text;
BEGIN
	IF @extschema@.l4_is_distributed() THEN
		EXECUTE 'SELECT coalesce(to_regclass($1 || ''_'' || s.shardid), $1::regclass)::text
			FROM pg_dist_shard s WHERE s.logicalrelid = $1::regclass'
			INTO name USING '@extschema@.' || l4_copy_here.table_name;
	END IF;
	RETURN name;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_copy_here(text) IS
'Step: Of a distributed installation: the name of this node''s copy of a table of l4 of which each node has one, or of the '
'table where this one has none. NULL on one server.';

CREATE FUNCTION @extschema@.l4_need_preloaded() RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF current_setting('shared_preload_libraries') !~ '\mcitus\M.*\ml4\M' THEN
		RAISE EXCEPTION 'l4 is not in shared_preload_libraries, without which Citus writes rows past the policies of tenants'
			USING ERRCODE = 'object_not_in_prerequisite_state',
				HINT = 'Write shared_preload_libraries = ''citus, l4'' on each node.';
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_need_preloaded() IS
'Step: Refuses to keep tenants apart on a node of a cluster that does not load l4, behind Citus, as it starts (55000): what '
'Citus copies into shards is to be seen by their policies in each session.';

CREATE FUNCTION @extschema@.l4_list_tenants() RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	DELETE FROM @extschema@.l4_job_tenant;
	INSERT INTO @extschema@.l4_job_tenant (job_id, tenant) SELECT j.job_id, j.tenant FROM @extschema@.l4_job j;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_list_tenants() IS
'Step: Writes l4_job_tenant anew from l4_job.';

CREATE FUNCTION @extschema@.l4_need_roles(names name[]) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	missing name := (SELECT n FROM unnest(l4_need_roles.names) n WHERE to_regrole(quote_ident(n)) IS NULL ORDER BY n LIMIT 1);
BEGIN
	IF missing IS NOT NULL THEN
		RAISE EXCEPTION 'the role "%" of a tenant is not there', missing USING ERRCODE = 'undefined_object',
			HINT = 'Make the roles of tenants, and what they are members of, on each node; CREATE ROLE and GRANT on the '
				'coordinator do so from now on.';
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_need_roles(name[]) IS
'Step: Refuses to keep tenants apart on a node without their roles (42704).';

CREATE FUNCTION @extschema@.l4_need_ready() RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	-- what l4_prepare_node makes last, and an update of the extension takes away first
	IF @extschema@.l4_is_distributed() AND NOT EXISTS (SELECT FROM pg_trigger t
		WHERE t.tgrelid = '@extschema@.l4_limit'::regclass AND t.tgname = 'l4_share_rule') THEN
		RAISE EXCEPTION 'this node of the cluster is not ready for l4'
			USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'It was added, or the extension was updated.',
				HINT = 'SELECT l4_distribute() on the coordinator makes all nodes ready.';
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_need_ready() IS
'Step: Refuses to go on, on a node of a cluster that l4_prepare_node has not made ready since it was added, or since the '
'extension was updated (55000). Says nothing on one server.';

CREATE FUNCTION @extschema@.l4_is_home(job_id text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	answer boolean;
BEGIN
	EXECUTE 'SELECT EXISTS (SELECT FROM pg_dist_placement p JOIN pg_dist_local_group g USING (groupid)
		WHERE p.shardid = get_shard_id_for_distribution_column(''@extschema@.l4_job'', $1))'
		INTO answer USING l4_is_home.job_id;
	RETURN answer;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_is_home(text) IS
'Step: Of a distributed installation: are the rows of a job on this node?';

CREATE FUNCTION @extschema@.l4_home_tables(job_id text) RETURNS TABLE (relation oid, shard oid, kind int)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 30
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF NOT @extschema@.l4_is_distributed() OR NOT @extschema@.l4_is_home(l4_home_tables.job_id) THEN
		RETURN;
	END IF;
	RETURN QUERY EXECUTE 'SELECT p.logicalrelid::oid, to_regclass(''@extschema@.'' || t.table_name || ''_'' || s.shardid)::oid,
			CASE t.place WHEN ''job'' THEN 0 WHEN ''shared'' THEN 1 ELSE 2 END
		FROM pg_dist_partition p
		LEFT JOIN @extschema@.l4_table_places() t ON to_regclass(''@extschema@.'' || t.table_name) = p.logicalrelid
		LEFT JOIN pg_dist_shard s ON s.logicalrelid = p.logicalrelid AND (t.place = ''shared'' OR t.place = ''job''
			AND s.shardminvalue = (SELECT h.shardminvalue FROM pg_dist_shard h
				WHERE h.shardid = get_shard_id_for_distribution_column(''@extschema@.l4_job'', $1)))'
		USING l4_home_tables.job_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_home_tables(text) IS
'Step: On the node of a cluster that holds a job: the tables that Citus distributes, with the shard of each that holds the '
'job''s rows (kind 0), or all rows (1: what all nodes have a copy of); 2: any other table, no shard. No row anywhere else.';

CREATE FUNCTION @extschema@.l4_work_at_home(job_id text, may_write boolean) RETURNS boolean
	LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_work_at_home';
COMMENT ON FUNCTION @extschema@.l4_work_at_home(text, boolean) IS
'Step: On the node of a cluster that holds a job, until the end of the transaction: queries that ask for the rows of this job '
'alone are planned for its shards at once and not by Citus, which takes several times as long. may_write: changes too, for who '
'has locked the place of the shards (l4_lock_on_cluster). Says whether that is so; false elsewhere, and on one server.';

CREATE FUNCTION @extschema@.l4_lock_on_cluster(what text, name text, shared boolean) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
	PERFORM @extschema@.l4_need_ready();
	IF l4_lock_on_cluster.what = 'l4_job' THEN
		-- on the node of the job, its own locks keep those apart who add to it
		IF l4_lock_on_cluster.shared AND @extschema@.l4_is_home(l4_lock_on_cluster.name) THEN
			-- changes nothing, but from here on no shard of the job is moved
			UPDATE @extschema@.l4_job j SET status = j.status WHERE j.job_id = l4_lock_on_cluster.name AND j.status = '';
			PERFORM @extschema@.l4_work_at_home(l4_lock_on_cluster.name, true);
			PERFORM FROM @extschema@.l4_job j WHERE j.job_id = l4_lock_on_cluster.name FOR KEY SHARE;
		ELSE
			PERFORM FROM @extschema@.l4_job j WHERE j.job_id = l4_lock_on_cluster.name FOR UPDATE;
		END IF;
	ELSIF l4_lock_on_cluster.what = 'l4_shape' THEN
		-- Citus takes it on each node, in one order; who adds shapes has it shared on his own node alone (store_locks.c)
		LOCK TABLE @extschema@.l4_cluster_lock IN SHARE UPDATE EXCLUSIVE MODE;
	ELSE
		PERFORM FROM @extschema@.l4_cluster_lock c WHERE c.what = l4_lock_on_cluster.what FOR UPDATE;
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_lock_on_cluster(text, text, boolean) IS
'Step: Takes a lock of l4 (l4_lock) for all nodes of a distributed installation, until the end of the transaction: on the '
'row of a job, on a row of l4_cluster_lock, or of shapes on that table. Who adds to a job on another node than its own has it '
'exclusively. Errors: 55000 on a node that is not ready (l4_need_ready).';

CREATE FUNCTION @extschema@.l4_spread_relations() RETURNS TABLE (relation regclass)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 50
BEGIN ATOMIC
	WITH RECURSIVE spread AS (
		SELECT to_regclass('@extschema@.' || t.table_name)::oid AS id FROM @extschema@.l4_table_places() t
		WHERE t.place <> 'rules'
		UNION
		SELECT w.ev_class FROM spread r
		JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = r.id AND d.classid = 'pg_rewrite'::regclass
		JOIN pg_rewrite w ON w.oid = d.objid
	)
	SELECT r.id::regclass FROM spread r;
END;
COMMENT ON FUNCTION @extschema@.l4_spread_relations() IS
'Step: The tables that l4_distribute distributes or copies to each node, and the views over them.';

CREATE FUNCTION @extschema@.l4_own_functions(of_language text) RETURNS SETOF pg_proc
LANGUAGE sql STABLE PARALLEL SAFE ROWS 500
BEGIN ATOMIC
	SELECT p.*
	FROM pg_extension e
	JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
		AND d.classid = 'pg_proc'::regclass
	JOIN pg_proc p ON p.oid = d.objid
	JOIN pg_language l ON l.oid = p.prolang
	WHERE e.extname = 'l4' AND l.lanname = l4_own_functions.of_language AND p.prokind = 'f';
END;
COMMENT ON FUNCTION @extschema@.l4_own_functions(text) IS
'Step: The functions of l4 that are written in a language.';

CREATE FUNCTION @extschema@.l4_functions_to_twin() RETURNS TABLE (function regprocedure)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
BEGIN ATOMIC
	SELECT p.oid::regprocedure FROM @extschema@.l4_own_functions('sql') p
	-- a relation in the range of a query, not one whose row type alone is used
	WHERE EXISTS (SELECT FROM regexp_matches(p.prosqlbody::text, ':rtekind 0 :relid (\d+)', 'g') m
		WHERE m[1]::oid IN (SELECT r.relation FROM @extschema@.l4_spread_relations() r));
END;
COMMENT ON FUNCTION @extschema@.l4_functions_to_twin() IS
'Step: The functions of l4 in SQL whose body reads a table that is distributed or a copy of one on each node.';

CREATE FUNCTION @extschema@.l4_functions_to_replan() RETURNS TABLE (function regprocedure)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
BEGIN ATOMIC
	SELECT p.oid::regprocedure FROM @extschema@.l4_own_functions('plpgsql') p
	WHERE p.prorettype <> 'trigger'::regtype
		AND p.proname <> ALL ('{l4_is_distributed,l4_place_table,l4_distribute,l4_undistribute}')
		AND NOT (p.proparallel = 'u' AND coalesce('plan_cache_mode=force_custom_plan' = ANY (p.proconfig), false))
		AND p.prosrc ~ (SELECT '\m(' || string_agg(c.relname, '|') || ')\M'
			FROM @extschema@.l4_spread_relations() r JOIN pg_class c ON c.oid = r.relation);
END;
COMMENT ON FUNCTION @extschema@.l4_functions_to_replan() IS
'Step: The functions of l4 in PL/pgSQL that name a table that is distributed or a copy of one on each node, and are not '
'yet set to plan for each call (l4_prepare_node).';

CREATE FUNCTION @extschema@.l4_result_columns(function oid) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT array_agg(format_type(c.type, NULL) ORDER BY c.number)
	FROM pg_proc p CROSS JOIN LATERAL (
		SELECT a.type, a.number FROM unnest(p.proallargtypes, p.proargmodes) WITH ORDINALITY a (type, mode, number)
		WHERE a.mode IN ('o', 'b', 't')
		UNION ALL
		SELECT a.atttypid, a.attnum FROM pg_type t JOIN pg_attribute a ON a.attrelid = t.typrelid
		WHERE p.proallargtypes IS NULL AND t.oid = p.prorettype AND a.attnum > 0 AND NOT a.attisdropped
		UNION ALL
		SELECT p.prorettype, 1 FROM pg_type t WHERE p.proallargtypes IS NULL AND t.oid = p.prorettype AND t.typrelid = 0) c
	WHERE p.oid = l4_result_columns.function;
END;
COMMENT ON FUNCTION @extschema@.l4_result_columns(oid) IS
'Step: The types of the columns that a function gives back, in order.';

CREATE FUNCTION @extschema@.l4_twin(function oid) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	routine pg_proc := (SELECT p FROM pg_proc p WHERE p.oid = l4_twin.function);
	definition text := pg_get_functiondef(l4_twin.function);
	body text := pg_get_function_sqlbody(l4_twin.function);
	types text[] := @extschema@.l4_result_columns(l4_twin.function);
	head text := left(definition, strpos(definition, body) - 1);
	query text := regexp_replace(regexp_replace(body, '^\s*BEGIN ATOMIC\s+', ''), ';\s*END\s*$', '');
	columns text;
BEGIN
	head := regexp_replace(head, '\mLANGUAGE sql\M', 'LANGUAGE plpgsql');
	head := regexp_replace(head, '\mPARALLEL SAFE\M', 'PARALLEL UNSAFE');
	-- the names of the body are looked up again at each call
	IF strpos(head, 'SET search_path') = 0 THEN
		head := head || E'\nSET search_path TO pg_catalog, pg_temp\n';
	END IF;
	IF body ~ '^\s*RETURN ' THEN
		query := 'RETURN (' || regexp_replace(body, '^\s*RETURN ', '') || ')';
	ELSIF routine.prorettype = 'void'::regtype THEN
		NULL;
	ELSIF routine.proretset THEN
		columns := (SELECT string_agg(format('q.c%s::%s', n, t), ', ' ORDER BY n) FROM unnest(types) WITH ORDINALITY u (t, n));
		query := format('RETURN QUERY SELECT %s FROM (%s) AS q (%s)', columns, query,
			(SELECT string_agg('c' || n, ', ' ORDER BY n) FROM generate_subscripts(types, 1) n));
	ELSE
		query := 'RETURN (' || query || ')';
	END IF;
	RETURN head || 'AS ' || quote_literal(format(E'#variable_conflict use_column\nBEGIN\n%s;\nEND', query));
END
$$;
COMMENT ON FUNCTION @extschema@.l4_twin(oid) IS
'Step: The definition of a function in PL/pgSQL that does what one in SQL does: its queries get their arguments as constants, '
'which Citus needs to find the node of a job.';

/*
 * Views over all jobs join what Citus does not join: so on a cluster they take the rows of jobs, or what is made of them on
 * their nodes, from functions.
 */

CREATE FUNCTION @extschema@.l4_all_rows(of anyelement) RETURNS SETOF anyelement
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 10000
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT t.* FROM %s t', pg_typeof(l4_all_rows.of));
END
$$;
COMMENT ON FUNCTION @extschema@.l4_all_rows(anyelement) IS
'Step: All rows of the table or view whose row type the argument has (NULL::l4_job), from all nodes of a cluster: what stands '
'for it in views over all jobs there (l4_views_to_twin).';

CREATE FUNCTION @extschema@.l4_views_to_twin() RETURNS TABLE (view regclass, definition text, twin text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 20
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	-- taken whole, with what is joined in them, and not looked into
	whole CONSTANT text[] := '{l4_job,l4_job_logs,l4_job_nodes,l4_diagnosis,l4_finding}';
	name text;
BEGIN
	FOR view, definition IN
		SELECT c.oid::regclass, pg_get_viewdef(c.oid)
		FROM @extschema@.l4_spread_relations() r JOIN pg_class c ON c.oid = r.relation
		WHERE c.relkind = 'v' AND c.relname <> ALL (whole) ORDER BY c.relname COLLATE "C"
	LOOP
		twin := definition;
		FOREACH name IN ARRAY whole LOOP
			-- in FROM a name is followed by its alias
			twin := replace(twin, '@extschema@.' || name || ' ', '@extschema@.l4_all_rows(NULL::@extschema@.' || name || ') ');
		END LOOP;
		IF twin <> definition THEN
			definition := format('CREATE OR REPLACE VIEW %s WITH (security_invoker = true) AS %s', view, definition);
			twin := format('CREATE OR REPLACE VIEW %s WITH (security_invoker = true) AS %s', view, twin);
			RETURN NEXT;
		END IF;
	END LOOP;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_views_to_twin() IS
'Step: The views of l4 over all jobs that are not made so already, how they are made, and how on a cluster: with l4_all_rows '
'in the place of tables.';

CREATE FUNCTION @extschema@.l4_on_nodes(command text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	refused record;
BEGIN
	EXECUTE 'WITH node AS (
			SELECT array_agg(d.nodename) AS names, array_agg(d.nodeport) AS ports, array_agg($1) AS commands
			FROM pg_dist_node d WHERE d.isactive AND d.noderole = ''primary''
				AND d.groupid <> (SELECT g.groupid FROM pg_dist_local_group g))
		SELECT r.node_name, r.node_port, r.result
		FROM node n CROSS JOIN LATERAL master_run_on_worker(n.names, n.ports, n.commands, true) r
		WHERE NOT r.success ORDER BY 1, 2 LIMIT 1'
		INTO refused USING l4_on_nodes.command;
	IF refused.node_name IS NOT NULL THEN
		RAISE EXCEPTION 'node %:% refused: %', refused.node_name, refused.node_port, refused.result
			USING ERRCODE = 'external_routine_exception', DETAIL = l4_on_nodes.command;
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_on_nodes(text) IS
'Step: Runs a command on each other node of the cluster, in a transaction of its own on each. Errors: 38000 with '
'the node and what it said.';

/* Rules of a site: what is changed on one node is changed on the others when it is committed. */

CREATE FUNCTION @extschema@.l4_take_rule(table_name text, before jsonb, after jsonb) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	place regclass := ('@extschema@.' || quote_ident(l4_take_rule.table_name))::regclass;
	keys text := (SELECT string_agg(format('x.%1$I = o.%1$I', a.attname), ' AND ') FROM pg_index i
		JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
		WHERE i.indrelid = place AND i.indisprimary);
	gone jsonb;
BEGIN
	-- for the trigger l4_share_rule: it came from elsewhere
	PERFORM set_config('l4.taking_rule', 'on', true);
	FOREACH gone IN ARRAY ARRAY[l4_take_rule.before, l4_take_rule.after] LOOP
		EXECUTE format('DELETE FROM %1$s x USING jsonb_populate_record(NULL::%1$s, $1) o WHERE %2$s', place, keys) USING gone;
	END LOOP;
	IF l4_take_rule.after IS NOT NULL THEN
		EXECUTE format('INSERT INTO %1$s SELECT o.* FROM jsonb_populate_record(NULL::%1$s, $1) o', place)
			USING l4_take_rule.after;
	END IF;
	SET CONSTRAINTS ALL IMMEDIATE;
	PERFORM set_config('l4.taking_rule', '', true);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_take_rule(text, jsonb, jsonb) IS
'Step: Puts a row of a table of rules (after) in the place of another one (before; either may be NULL), as another node of the '
'cluster did.';

CREATE FUNCTION @extschema@.l4_share_rule() RETURNS trigger
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF current_setting('l4.taking_rule', true) IS DISTINCT FROM 'on' THEN
		PERFORM @extschema@.l4_on_nodes(format('SELECT @extschema@.l4_take_rule(%L, %L, %L)', TG_TABLE_NAME,
			CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END, CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END));
	END IF;
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_share_rule() IS
'Step: Trigger on the tables of rules of a cluster: tells the other nodes of a change at the end of the transaction that '
'makes it. Errors: 38000 where a node does not take it; then the transaction fails, but nodes asked before may have taken it.';

CREATE FUNCTION @extschema@.l4_prepare_node(apart boolean DEFAULT NULL) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET client_min_messages = warning
AS $$
DECLARE
	routine regprocedure;
	place text;
	twins text[] := ARRAY(SELECT v.twin FROM @extschema@.l4_views_to_twin() v);
BEGIN
	-- each node makes its own
	PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
	IF apart AND NOT @extschema@.l4_tenancy() THEN
		PERFORM @extschema@.l4_need_preloaded();
		PERFORM @extschema@.l4_set_tenant_policies();
	ELSIF NOT apart AND @extschema@.l4_tenancy() THEN
		PERFORM @extschema@.l4_drop_tenant_policies();
	END IF;
	-- what is done already is in none of the three; what is there anew, after an update, takes the place of what was kept of it
	INSERT INTO @extschema@.l4_replaced_function (signature, definition)
	SELECT f.function::text, pg_get_functiondef(f.function) FROM @extschema@.l4_functions_to_twin() f
	UNION ALL SELECT f.function::text, pg_get_functiondef(f.function) FROM @extschema@.l4_functions_to_replan() f
	UNION ALL SELECT v.view::text, v.definition FROM @extschema@.l4_views_to_twin() v
	ON CONFLICT (signature) DO UPDATE SET definition = excluded.definition;
	FOREACH place IN ARRAY twins LOOP
		EXECUTE place;
	END LOOP;
	FOR routine IN SELECT f.function FROM @extschema@.l4_functions_to_twin() f LOOP
		EXECUTE @extschema@.l4_twin(routine);
	END LOOP;
	-- a plan without the values of its arguments knows no node; nor does a parallel process speak to other nodes
	FOR routine IN SELECT f.function FROM @extschema@.l4_functions_to_replan() f LOOP
		EXECUTE format('ALTER FUNCTION %s PARALLEL UNSAFE SET plan_cache_mode = force_custom_plan', routine);
	END LOOP;
	-- views over all jobs ask functions about single ones, on the node that has both
	IF NOT EXISTS (SELECT FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
		WHERE d.datname = current_database() AND s.setrole = 0
			AND 'citus.allow_nested_distributed_execution=on' = ANY (s.setconfig)) THEN
		EXECUTE format('ALTER DATABASE %I SET citus.allow_nested_distributed_execution = on', current_database());
	END IF;
	FOR place IN
		SELECT t.table_name FROM @extschema@.l4_table_places() t
		WHERE t.place = 'rules' AND NOT EXISTS (SELECT FROM pg_trigger g
			WHERE g.tgrelid = ('@extschema@.' || t.table_name)::regclass AND g.tgname = 'l4_share_rule')
	LOOP
		EXECUTE format('CREATE CONSTRAINT TRIGGER l4_share_rule AFTER INSERT OR UPDATE OR DELETE ON @extschema@.%I '
			'DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION @extschema@.l4_share_rule()', place);
	END LOOP;
END
$$;
REVOKE ALL ON FUNCTION @extschema@.l4_prepare_node(boolean) FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.l4_prepare_node(boolean) IS
'Step: What l4_distribute does on each node: puts a twin in PL/pgSQL (l4_twin) in the place of each function in SQL that reads '
'distributed tables, and functions in the place of tables in views over all jobs, has all such functions plan for each '
'call, lets functions ask for rows from within queries on the shards that hold them (a setting of the database), and passes a '
'site''s rules on (l4_share_rule). apart: tenants are kept apart here, or not (NULL: as they are). What is done already is '
'left alone, so that it may be called at any time.';

CREATE FUNCTION @extschema@.l4_restore_functions() RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET client_min_messages = warning
AS $$
DECLARE
	replaced record;
	place text;
BEGIN
	PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
	-- what an update of the extension dropped does not come back
	FOR replaced IN
		SELECT f.definition FROM @extschema@.l4_replaced_function f
		WHERE f.signature IN (SELECT p.oid::regprocedure::text FROM pg_proc p WHERE p.proname LIKE 'l4\_%'
			UNION ALL SELECT c.oid::regclass::text FROM pg_class c WHERE c.relname LIKE 'l4\_%')
		ORDER BY f.signature
	LOOP
		EXECUTE replaced.definition;
	END LOOP;
	DELETE FROM @extschema@.l4_replaced_function;
	FOR place IN SELECT t.table_name FROM @extschema@.l4_table_places() t WHERE t.place = 'rules' LOOP
		EXECUTE format('DROP TRIGGER IF EXISTS l4_share_rule ON @extschema@.%I', place);
	END LOOP;
	EXECUTE format('ALTER DATABASE %I RESET citus.allow_nested_distributed_execution', current_database());
END
$$;
REVOKE ALL ON FUNCTION @extschema@.l4_restore_functions() FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.l4_restore_functions() IS
'Step: Undoes what l4_prepare_node did on this node: functions and views as they were, no triggers, no setting of the '
'database.';

CREATE FUNCTION @extschema@.l4_restore_node() RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET client_min_messages = warning
AS $$
BEGIN
	PERFORM @extschema@.l4_restore_functions();
	-- the shards are gone; Citus would drop the tables with what it knows of them
	EXECUTE 'UPDATE pg_dist_object SET distribution_argument_index = NULL, colocationid = NULL
		WHERE classid = ''pg_proc''::regclass AND objid = $1'
		USING '@extschema@.l4_import(text, text, text, int, int)'::regprocedure;
	EXECUTE 'WITH gone AS (SELECT t.table_name::regclass AS id FROM unnest($1) t (table_name)),
		placement AS (DELETE FROM pg_dist_placement p WHERE p.shardid IN
			(SELECT s.shardid FROM pg_dist_shard s JOIN gone g ON g.id = s.logicalrelid)),
		shard AS (DELETE FROM pg_dist_shard s USING gone g WHERE s.logicalrelid = g.id),
		part AS (DELETE FROM pg_dist_partition p USING gone g WHERE p.logicalrelid = g.id RETURNING p.colocationid)
		DELETE FROM pg_dist_colocation c WHERE c.colocationid IN (SELECT a.colocationid FROM part a) AND NOT EXISTS (
			SELECT FROM pg_dist_partition o
			WHERE o.colocationid = c.colocationid AND o.logicalrelid NOT IN (SELECT g.id FROM gone g))'
		USING ARRAY(SELECT '@extschema@.' || t.table_name FROM @extschema@.l4_table_places() t WHERE t.place <> 'rules');
END
$$;
REVOKE ALL ON FUNCTION @extschema@.l4_restore_node() FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.l4_restore_node() IS
'Step: What l4_undistribute does on each node: puts the functions back as they were (l4_restore_functions), and has Citus '
'forget the tables, whose shards are gone.';

CREATE FUNCTION @extschema@.l4_need_coordinator() RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	on_coordinator boolean;
BEGIN
	IF to_regclass('pg_catalog.pg_dist_partition') IS NULL THEN
		RAISE EXCEPTION 'Citus is not in this database' USING ERRCODE = 'feature_not_supported',
			HINT = 'Load it (shared_preload_libraries = ''citus''), CREATE EXTENSION citus, and add the nodes with '
				'citus_add_node.';
	END IF;
	EXECUTE 'SELECT citus_is_coordinator()' INTO on_coordinator;
	IF NOT on_coordinator THEN
		RAISE EXCEPTION 'this is not the coordinator' USING ERRCODE = 'object_not_in_prerequisite_state',
			HINT = 'Call it there.';
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_need_coordinator() IS
'Step: Refuses what only the coordinator of a cluster can do elsewhere (55000), or where there is no Citus (0A000).';

CREATE FUNCTION @extschema@.l4_need_own_transaction() RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
		RAISE EXCEPTION 'this transaction has changed something already, for which other nodes would wait'
			USING ERRCODE = 'active_sql_transaction', HINT = 'Call it in a transaction of its own.';
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_need_own_transaction() IS
'Step: Refuses what begins with transactions of other nodes in one that has changed something (25001): they would wait for '
'what it has locked there, and it for them.';

CREATE FUNCTION @extschema@.l4_place_table(table_name text, place text, shard_count int) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	relation CONSTANT text := '@extschema@.' || l4_place_table.table_name;
	is_placed boolean;
BEGIN
	EXECUTE 'SELECT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = $1::regclass)' INTO is_placed USING relation;
	IF is_placed OR l4_place_table.place = 'rules' THEN
		RETURN;
	ELSIF l4_place_table.place = 'shared' THEN
		EXECUTE 'SELECT create_reference_table($1::regclass)' USING relation;
	ELSIF l4_place_table.place = 'locks' THEN
		EXECUTE 'SELECT create_distributed_table($1, ''what'', shard_count => 1, colocate_with => ''none'')' USING relation;
		INSERT INTO @extschema@.l4_cluster_lock (what) VALUES ('l4_event'), ('l4_shape_rows'), ('l4_pool')
			ON CONFLICT DO NOTHING;
	ELSIF l4_place_table.table_name = 'l4_job' THEN
		EXECUTE 'SELECT create_distributed_table($1, ''job_id'', shard_count => $2, colocate_with => ''none'')'
			USING relation, l4_place_table.shard_count;
	ELSE
		EXECUTE 'SELECT create_distributed_table($1, ''job_id'', colocate_with => ''@extschema@.l4_job'')' USING relation;
	END IF;
	EXECUTE 'SELECT truncate_local_data_after_distributing_table($1::regclass)' USING relation;
END
$$;
REVOKE ALL ON FUNCTION @extschema@.l4_place_table(text, text, int) FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.l4_place_table(text, text, int) IS
'Step: Has Citus distribute a table of l4, or copy it to each node, by its place (l4_table_places), with its rows; where that '
'is done already, nothing. Errors: those of Citus.';

CREATE FUNCTION @extschema@.l4_distribute(shard_count int DEFAULT 32) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	place record;
	own jsonb;
	is_distributed boolean;
BEGIN
	PERFORM @extschema@.l4_need_owner('to distribute l4');
	PERFORM @extschema@.l4_need_coordinator();
	IF @extschema@.l4_tenancy() THEN
		PERFORM @extschema@.l4_need_preloaded();
	ELSIF current_setting('shared_preload_libraries') !~ '\mcitus\M.*\ml4\M' THEN
		RAISE WARNING 'l4 is not in shared_preload_libraries: CALL l4_import(NULL, ...) would end this server'
			USING HINT = 'Write shared_preload_libraries = ''citus, l4'' on each node.';
	END IF;
	-- where l4 was there before Citus, the other nodes do not have it yet
	IF NOT @extschema@.l4_is_distributed() THEN
		EXECUTE 'CREATE EXTENSION IF NOT EXISTS l4';
		IF @extschema@.l4_tenancy() THEN
			LOCK TABLE @extschema@.l4_job IN SHARE MODE;
			PERFORM @extschema@.l4_list_tenants();
		END IF;
	END IF;
	-- first of all, for then nothing is locked there; where something fails below, another call finds it done
	IF @extschema@.l4_tenancy() THEN
		PERFORM @extschema@.l4_on_nodes(format('SELECT @extschema@.l4_need_roles(%L)',
			ARRAY(SELECT DISTINCT t.tenant FROM @extschema@.l4_job_tenant t WHERE t.tenant IS NOT NULL)));
	END IF;
	PERFORM @extschema@.l4_on_nodes(format('SELECT @extschema@.l4_prepare_node(%L)', @extschema@.l4_tenancy()));
	IF (SELECT has_table_privilege(r.oid, '@extschema@.l4_job', 'SELECT') FROM pg_roles r WHERE r.rolname = 'l4_reader') THEN
		PERFORM @extschema@.l4_on_nodes(format('SELECT @extschema@.l4_make_roles(%L, alone => true)',
			pg_has_role('l4_importer', 'pg_read_server_files', 'MEMBER')));
	END IF;
	FOR place IN SELECT t.table_name, t.place FROM @extschema@.l4_table_places() t LOOP
		PERFORM @extschema@.l4_place_table(place.table_name, place.place, l4_distribute.shard_count);
	END LOOP;
	PERFORM @extschema@.l4_prepare_node();
	FOR place IN SELECT t.table_name FROM @extschema@.l4_table_places() t WHERE t.place = 'rules' LOOP
		FOR own IN EXECUTE format('SELECT to_jsonb(r) FROM @extschema@.%I r WHERE NOT r.builtin', place.table_name) LOOP
			PERFORM @extschema@.l4_on_nodes(format('SELECT @extschema@.l4_take_rule(%L, NULL, %L)', place.table_name, own));
		END LOOP;
	END LOOP;
	-- an update of the extension makes it anew
	EXECUTE 'SELECT EXISTS (SELECT FROM pg_dist_object o WHERE o.classid = ''pg_proc''::regclass AND o.objid = $1
			AND o.distribution_argument_index IS NOT NULL)'
		INTO is_distributed USING '@extschema@.l4_import(text, text, text, int, int)'::regprocedure;
	IF NOT is_distributed THEN
		EXECUTE 'SELECT create_distributed_function($1, ''job_id'', colocate_with => ''@extschema@.l4_job'')'
			USING '@extschema@.l4_import(text, text, text, int, int)'::regprocedure;
	END IF;
END
$$;
REVOKE ALL ON FUNCTION @extschema@.l4_distribute(int) FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.l4_distribute(int) IS
'Spreads l4 over the nodes of a cluster of Citus, on its coordinator: the rows of jobs by job_id, in so many shards, all of a '
'job on one node; what jobs share (shapes, events, pools, changes of the library) on each; rules stay tables of each node, and '
'what a site changes in them goes to all. Rows that are there move along. Afterwards everything is called as before, on any '
'node: l4_import and l4_diagnose work where the job is. Called again it does what is left to do: makes nodes ready that were '
'added since (before jobs are moved there), and all of them after an update of the extension; shard_count says nothing then. '
'Tenants stay apart. Errors: 0A000 where Citus is not in the database; 55000 where '
'this is not the coordinator, or tenants are kept apart and l4 is not in shared_preload_libraries of each node; 38000 with '
'what another node said. Cost: a copy of all rows the first time; '
'later some milliseconds a node.';

CREATE FUNCTION @extschema@.l4_undistribute(keep_rows boolean DEFAULT true) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	kept text[] := ARRAY(SELECT t.table_name FROM @extschema@.l4_table_places() t
		WHERE l4_undistribute.keep_rows AND t.place IN ('job', 'shared') AND t.table_name <> 'l4_job_tenant');
	place text;
BEGIN
	PERFORM @extschema@.l4_need_owner('to distribute l4');
	IF NOT @extschema@.l4_is_distributed() THEN
		RAISE EXCEPTION 'l4 is not distributed' USING ERRCODE = 'object_not_in_prerequisite_state';
	END IF;
	PERFORM @extschema@.l4_need_coordinator();
	PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
	-- nobody writes what would not move along
	EXECUTE 'LOCK TABLE ' || (SELECT string_agg('@extschema@.' || t.table_name, ', ') FROM @extschema@.l4_table_places() t
		WHERE t.place <> 'rules') || ' IN EXCLUSIVE MODE';
	FOREACH place IN ARRAY kept LOOP
		EXECUTE format('CREATE TEMPORARY TABLE %I ON COMMIT DROP AS SELECT t.* FROM @extschema@.%I t', 'kept_' || place, place);
	END LOOP;
	-- from here on the others know nothing of the tables; where something fails below, another call goes on
	PERFORM @extschema@.l4_on_nodes('SELECT @extschema@.l4_restore_node()');
	PERFORM set_config('citus.enable_metadata_sync', 'off', true);
	FOR place IN SELECT t.table_name FROM @extschema@.l4_table_places() t WHERE t.place <> 'rules' LOOP
		EXECUTE 'SELECT citus_drop_all_shards($1, $2, $3)'
			USING ('@extschema@.' || place)::regclass, (parse_ident('@extschema@'))[1], place;
	END LOOP;
	PERFORM @extschema@.l4_restore_node();
	FOREACH place IN ARRAY kept LOOP
		EXECUTE format('INSERT INTO @extschema@.%I SELECT t.* FROM pg_temp.%I t', place, 'kept_' || place);
	END LOOP;
END
$$;
REVOKE ALL ON FUNCTION @extschema@.l4_undistribute(boolean) FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.l4_undistribute(boolean) IS
'Makes l4 an installation of one server again, the coordinator, with all rows, or with those of rules alone where keep_rows is '
'false (before DROP EXTENSION, which Citus would let leave its shards behind). Errors: 55000 where l4 is not distributed, '
'or this is not the coordinator. Cost: a copy of all rows, twice.';

-- A version with more tables of tenants hides them too.
DO $$
BEGIN
	IF @extschema@.l4_tenancy() THEN
		PERFORM @extschema@.l4_set_tenant_policies();
	END IF;
END
$$;
