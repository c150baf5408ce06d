/* Roles. An extension may own none, as they are of the whole server: a function makes them, and grants what they need here. */

CREATE FUNCTION @extschema@.l4_own_relations() RETURNS TABLE (relation regclass, is_table boolean, is_rule boolean)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 50
BEGIN ATOMIC
	SELECT c.oid::regclass, c.relkind <> 'v',
		c.relname IN ('l4_fault_override', 'l4_tenants_apart') OR EXISTS (
			SELECT FROM pg_attribute a
			WHERE a.attrelid = c.oid AND a.attname = 'builtin' AND NOT a.attisdropped AND c.relkind <> 'v')
	FROM pg_extension e
	JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
		AND d.classid = 'pg_class'::regclass AND d.deptype = 'e'
	JOIN pg_class c ON c.oid = d.objid AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
	-- what is kept there is run by the owner
	WHERE e.extname = 'l4' AND c.relname <> 'l4_replaced_function'
	ORDER BY c.relname COLLATE "C";
END;
COMMENT ON FUNCTION @extschema@.l4_own_relations() IS
'Step: The tables and views of the extension that roles may be given rights on, without partitions; is_rule: tables of '
'rules and of the fault library, which '
'decide what all diagnoses say.';

CREATE FUNCTION @extschema@.l4_need_owner(what text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF NOT (SELECT pg_has_role(c.relowner, 'USAGE') FROM pg_class c WHERE c.oid = '@extschema@.l4_job'::regclass) THEN
		RAISE EXCEPTION 'permission denied: %', l4_need_owner.what
			USING ERRCODE = 'insufficient_privilege', HINT = 'Only the owner of the tables of l4, or a superuser, may do that.';
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_need_owner(text) IS
'Step: Does nothing for the owner of the tables and for superusers; 42501 for all others. what: what they may not do, in a few '
'words.';

CREATE FUNCTION @extschema@.l4_create_role(name text, made_for text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF EXISTS (SELECT FROM pg_roles r WHERE r.rolname = l4_create_role.name) THEN
		RETURN;
	ELSIF NOT (SELECT r.rolcreaterole OR r.rolsuper FROM pg_roles r WHERE r.rolname = current_user) THEN
		RAISE EXCEPTION 'permission denied to create the role %', l4_create_role.name
			USING ERRCODE = 'insufficient_privilege',
				HINT = format('It takes CREATEROLE. Or call again after: CREATE ROLE %I NOLOGIN', l4_create_role.name);
	END IF;
	EXECUTE format('CREATE ROLE %I NOLOGIN', l4_create_role.name);
	EXECUTE format('COMMENT ON ROLE %I IS %L', l4_create_role.name, l4_create_role.made_for);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_create_role(text, text) IS
'Step: Makes a role that cannot log in, unless there is one of that name. Errors: 42501 without CREATEROLE. For '
'l4_create_roles.';

CREATE FUNCTION @extschema@.l4_make_roles(files boolean, alone boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	own record;
BEGIN
	IF alone THEN
		PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
	END IF;
	PERFORM @extschema@.l4_create_role('l4_reader', 'l4: diagnoses, reports, searches');
	PERFORM @extschema@.l4_create_role('l4_importer', 'l4: registers, imports and deletes jobs, saves diagnoses');
	PERFORM @extschema@.l4_create_role('l4_curator', 'l4: writes rules and confirms faults');
	GRANT USAGE ON SCHEMA @extschema@ TO l4_reader;
	FOR own IN SELECT r.* FROM @extschema@.l4_own_relations() r LOOP
		EXECUTE format('GRANT SELECT ON %s TO l4_reader', own.relation);
		IF own.is_rule THEN
			EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON %s FROM l4_importer', own.relation);
			EXECUTE format('GRANT INSERT, UPDATE, DELETE ON %s TO l4_curator', own.relation);
		-- what l4_watch_flows writes is of all tenants, and so the owner's
		ELSIF own.is_table AND own.relation <> ALL (ARRAY['@extschema@.l4_flow_watch', '@extschema@.l4_flow_watch_window',
				'@extschema@.l4_flow_watch_job', '@extschema@.l4_flow_watch_tail', '@extschema@.l4_flow_step_time',
				'@extschema@.l4_flow_watch_finding']::regclass[]) THEN
			EXECUTE format('GRANT INSERT, UPDATE, DELETE ON %s TO l4_importer', own.relation);
		END IF;
	END LOOP;
	-- neither the name of a job nor whose it is
	REVOKE UPDATE ON @extschema@.l4_job FROM l4_importer;
	GRANT UPDATE (settings, status, nodes, ranks_per_node, started_at, ended_at, time_zone, owner, registered_at, restart_of)
		ON @extschema@.l4_job TO l4_importer;
	-- else what is left of a job could become another tenant's, who takes its name
	REVOKE UPDATE, DELETE ON @extschema@.l4_job_tenant FROM l4_importer;
	GRANT INSERT ON @extschema@.l4_inbox_entry TO l4_importer;
	IF NOT pg_has_role('l4_importer', 'l4_reader', 'MEMBER') THEN
		GRANT l4_reader TO l4_importer;
	END IF;
	IF NOT pg_has_role('l4_curator', 'l4_importer', 'MEMBER') THEN
		GRANT l4_importer TO l4_curator;
	END IF;
	IF files AND NOT pg_has_role('l4_importer', 'pg_read_server_files', 'MEMBER') THEN
		GRANT pg_read_server_files TO l4_importer;
	ELSIF NOT files AND pg_has_role('l4_importer', 'pg_read_server_files', 'MEMBER') THEN
		REVOKE pg_read_server_files FROM l4_importer;
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_make_roles(boolean, boolean) IS
'Step: Makes the roles of l4_create_roles that there are not yet, and grants each what it needs. files: l4_importer is in '
'pg_read_server_files. alone: on this node of a cluster alone. Errors: 42501 as for l4_create_roles.';

CREATE FUNCTION @extschema@.l4_create_roles(server_files boolean DEFAULT NULL) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	files boolean := coalesce(l4_create_roles.server_files, NOT @extschema@.l4_tenancy());
BEGIN
	PERFORM @extschema@.l4_need_owner('to grant rights on tables of l4');
	-- Citus passes on what concerns the tables that it distributes, to their shards too, but not the others, and no views
	IF @extschema@.l4_is_distributed() THEN
		PERFORM @extschema@.l4_need_coordinator();
		PERFORM @extschema@.l4_need_own_transaction();
		PERFORM @extschema@.l4_on_nodes(format('SELECT @extschema@.l4_make_roles(%L, alone => true)', files));
		PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
	END IF;
	PERFORM @extschema@.l4_make_roles(files);
END
$$;
REVOKE ALL ON FUNCTION @extschema@.l4_create_roles(boolean) FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.l4_create_roles(boolean) IS
'Makes the roles l4_reader (diagnoses, reports, searches), l4_importer (also registers, imports and deletes jobs, saves '
'diagnoses) and l4_curator (also writes rules and confirms faults), those that there are not yet, and grants each what it '
'needs '
'of the tables, views and schema of l4. server_files: l4_importer is in pg_read_server_files, without which l4_import is '
'refused, and with which any file of the server can be read; NULL: unless tenants are kept apart. May be called again at any '
'time, as after an upgrade, a restore, or in another database: roles are of the whole server, grants of each database. Of a '
'cluster, on its coordinator, for all nodes. Errors: '
'42501 for others than the owner of the tables, without CREATEROLE, or without the right to grant pg_read_server_files; on a '
'cluster 55000 where this is not the coordinator, 25001 in a transaction that has changed something, 38000 with what another '
'node said.';
