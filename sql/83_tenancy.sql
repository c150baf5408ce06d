/*
 * Tenants: roles whose jobs are hidden from each other. A job is of the role that registers it (l4_job.tenant), and who has
 * the rights of
 * that role sees it. Row security does the hiding, with the rights of whoever asks: nothing here is SECURITY DEFINER.
 *
 * - Jobs, and the lines that wait for them, are hidden by their tenant; all that has a job_id, by its job (l4_sees_job).
 * - Shapes, events and pools, which jobs share, are shared within a tenant. Their ids differ from tenant to tenant
 * (l4_tenant_salt), so that
 *   no row of one can be joined with one of another, whoever asks, and no clash of keys tells of another's row.
 * - Rules, limits, wordings and the fault library are everybody's.
 *
 * What a clash of keys tells, and what is refused: the name of a job, which tenants share (l4_claim_job).
 *
 * Policies are found from the catalog: a table of l4 that comes later is hidden as soon as it has one of these columns.
 */
ALTER TABLE @extschema@.l4_job ALTER COLUMN tenant SET DEFAULT @extschema@.l4_default_tenant();
ALTER TABLE @extschema@.l4_inbox ALTER COLUMN tenant SET DEFAULT @extschema@.l4_default_tenant();
ALTER TABLE @extschema@.l4_fault_history ALTER COLUMN tenant SET DEFAULT @extschema@.l4_default_tenant();
ALTER TABLE @extschema@.l4_accelerator ALTER COLUMN tenant SET DEFAULT @extschema@.l4_default_tenant();

COMMENT ON COLUMN @extschema@.l4_job.tenant IS
'role whose job it is, where tenants are kept apart (l4_enable_tenancy); NULL: of none, seen by the owner of the tables and '
'superusers alone';
COMMENT ON COLUMN @extschema@.l4_shape.tenant IS
'the tenant whose jobs have it; its id is the hash of the shape and of this name';
COMMENT ON COLUMN @extschema@.l4_event.tenant IS
'the tenant whose shapes it groups; its id is the hash of the template and of this name';
COMMENT ON COLUMN @extschema@.l4_pool.tenant IS 'the tenant whose jobs it is of';
COMMENT ON COLUMN @extschema@.l4_inbox.tenant IS
'role that sent the line, where tenants are kept apart: it comes in where the job is of the same; NULL: of none, it comes in '
'anywhere';
COMMENT ON COLUMN @extschema@.l4_fault_history.tenant IS
'role that took the step, where tenants are kept apart; others do not see it';

-- A filter on it may use its index though it is asked before row security: it has no way to tell what it was given.
ALTER FUNCTION @extschema@.l4_shape_key(text) LEAKPROOF;

CREATE FUNCTION @extschema@.l4_claim_job(job_id text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF NOT @extschema@.l4_tenancy() THEN
		RETURN;
	END IF;
	INSERT INTO @extschema@.l4_job (job_id) VALUES (l4_claim_job.job_id) ON CONFLICT DO NOTHING;
	IF NOT FOUND AND NOT @extschema@.l4_sees_job(l4_claim_job.job_id) THEN
		RAISE EXCEPTION 'a job cannot be called "%"', l4_claim_job.job_id
			USING ERRCODE = 'unique_violation',
				HINT = 'Tenants share one space of names. Take another, such as one that begins with the name of yours.';
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_claim_job(text) IS
'Step: Where tenants are kept apart: makes the name of a new job the caller''s. Errors: 23505 where it is another''s. For '
'l4_register_job.';

CREATE FUNCTION @extschema@.l4_sees_own_wholly(relation text) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 100
BEGIN ATOMIC
	SELECT @extschema@.l4_tenancy()
		AND NOT EXISTS (SELECT FROM pg_policy p
			WHERE p.polrelid = l4_sees_own_wholly.relation::regclass AND p.polname NOT LIKE 'l4\_tenant%');
END;
COMMENT ON FUNCTION @extschema@.l4_sees_own_wholly(text) IS
'Step: Does who sees a row of this table see all rows of its tenant? True where tenants are kept apart and nothing else '
'hides rows.';

CREATE FUNCTION @extschema@.l4_tenant_policies()
RETURNS TABLE (relation regclass, may_see text, may_write text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 30
BEGIN ATOMIC
	SELECT t.relation, t.may_see, t.may_see || COALESCE(' AND ' || w.id, '')
	FROM (
		SELECT r.relation, concat_ws(' AND ',
			-- flows bear no name: they are of whose accelerator sent them
			CASE WHEN r.relation = '@extschema@.l4_flow'::regclass
				THEN 'source IN (SELECT a.address FROM @extschema@.l4_accelerator a)' END,
			CASE WHEN 'tenant' = ANY (c.names) THEN '@extschema@.l4_sees_tenant(tenant)'
				WHEN 'job_id' = ANY (c.names) THEN '@extschema@.l4_sees_job(job_id)' END,
			CASE WHEN 'tenant' <> ALL (c.names) AND 'pool_id' = ANY (c.keys)
				THEN 'pool_id IN (SELECT p.pool_id FROM @extschema@.l4_pool p)' END) AS may_see
		FROM @extschema@.l4_own_relations() r
		CROSS JOIN LATERAL (
			SELECT array_agg(a.attname::text) AS names, array_agg(a.attname::text) FILTER (WHERE a.attnotnull) AS keys
			FROM pg_attribute a WHERE a.attrelid = r.relation AND a.attnum > 0 AND NOT a.attisdropped) c
		WHERE r.is_table) t
	-- a key that a tenant cannot have as his own would tell, by the clash, that another has it
	LEFT JOIN (VALUES
		('@extschema@.l4_shape'::regclass, 'shape_id = @extschema@.l4_text_hash(shape) # @extschema@.l4_tenant_salt(tenant)'),
		('@extschema@.l4_event', 'event_id = @extschema@.l4_text_hash(template) # @extschema@.l4_tenant_salt(tenant)'),
		('@extschema@.l4_pool', 'pool_id = @extschema@.l4_pool_id(settings) # @extschema@.l4_tenant_salt(tenant)'))
		w (relation, id)
		ON w.relation = t.relation
	WHERE t.may_see <> '';
END;
COMMENT ON FUNCTION @extschema@.l4_tenant_policies() IS
'Step: Which tables of l4 hold rows of tenants, and the conditions under which one may see and write a row. All other tables '
'are '
'everybody''s.';

CREATE TABLE @extschema@.l4_tenants_apart (
	apart boolean PRIMARY KEY DEFAULT true CHECK (apart),
	since timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE @extschema@.l4_tenants_apart IS
'Has a row while tenants are kept apart. A dump has no policies of an extension''s tables, but it has this row, which sets '
'them anew when it is restored. '
'Written by l4_enable_tenancy and l4_disable_tenancy.';
COMMENT ON COLUMN @extschema@.l4_tenants_apart.apart IS 'true';
COMMENT ON COLUMN @extschema@.l4_tenants_apart.since IS 'since when';
SELECT pg_extension_config_dump('@extschema@.l4_tenants_apart', '');

CREATE FUNCTION @extschema@.l4_drop_tenant_policies() RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	policy record;
	relations regclass[] := '{}';
	relation regclass;
BEGIN
	FOR policy IN
		SELECT p.polrelid::regclass AS relation, p.polname FROM @extschema@.l4_own_relations() r
		JOIN pg_policy p ON p.polrelid = r.relation AND p.polname LIKE 'l4\_tenant%'
	LOOP
		EXECUTE format('DROP POLICY %I ON %s', policy.polname, policy.relation);
		relations := relations || policy.relation;
	END LOOP;
	FOREACH relation IN ARRAY relations LOOP
		IF NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = relation) THEN
			EXECUTE format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', relation);
		END IF;
	END LOOP;
	RETURN (SELECT count(DISTINCT r) FROM unnest(relations) r);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_drop_tenant_policies() IS
'Step: Drops the policies of tenants, and switches row security off where no others are. Returns the number of tables. For '
'l4_enable_tenancy and l4_disable_tenancy.';

CREATE FUNCTION @extschema@.l4_set_tenant_policies() RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	policy record;
	other name;
	empty text;
	made bigint := 0;
BEGIN
	PERFORM @extschema@.l4_drop_tenant_policies();
	FOR policy IN SELECT p.* FROM @extschema@.l4_tenant_policies() p LOOP
		SELECT p.polname INTO other FROM pg_policy p WHERE p.polrelid = policy.relation AND p.polpermissive LIMIT 1;
		IF FOUND THEN
			RAISE EXCEPTION 'the policy "%" of table "%" shows rows to others', other, policy.relation
				USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Drop it, or make it AS RESTRICTIVE.';
		END IF;
		EXECUTE format('CREATE POLICY l4_tenant ON %s USING (%s) WITH CHECK (%s)',
			policy.relation, policy.may_see, policy.may_write);
		EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', policy.relation);
		made := made + 1;
	END LOOP;
	-- The name of a job is free for others once nothing is left under it.
	SELECT string_agg(format('NOT EXISTS (SELECT FROM %s t WHERE t.job_id = l4_job.job_id)', p.relation), ' AND ') INTO empty
	FROM @extschema@.l4_tenant_policies() p WHERE p.may_see LIKE '%l4_sees_job%';
	EXECUTE format('CREATE POLICY l4_tenant_delete ON @extschema@.l4_job AS RESTRICTIVE FOR DELETE USING (%s)', empty);
	RETURN made;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_set_tenant_policies() IS
'Step: Sets the policies of l4_tenant_policies anew, and one that keeps a job while rows of its are left: its name must not '
'become '
'another tenant''s before. '
'Returns the number of tables. For l4_enable_tenancy.';

CREATE FUNCTION @extschema@.l4_restore_tenancy() RETURNS trigger
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF NOT @extschema@.l4_tenancy() THEN
		PERFORM @extschema@.l4_set_tenant_policies();
	END IF;
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_restore_tenancy() IS
'Step: Trigger of l4_tenants_apart: where a row comes in, tenants are kept apart, also when a dump is restored.';
CREATE TRIGGER l4_restore_tenancy AFTER INSERT ON @extschema@.l4_tenants_apart
	FOR EACH ROW EXECUTE FUNCTION @extschema@.l4_restore_tenancy();

CREATE FUNCTION @extschema@.l4_enable_tenancy() RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
BEGIN
	PERFORM @extschema@.l4_need_owner('to keep tenants apart');
	IF @extschema@.l4_is_distributed() THEN
		RAISE EXCEPTION 'l4 is distributed over a cluster, which cannot keep tenants apart'
			USING ERRCODE = 'feature_not_supported', HINT = 'SELECT l4_undistribute() makes it one of a single server again.';
	END IF;
	INSERT INTO @extschema@.l4_tenants_apart DEFAULT VALUES ON CONFLICT DO NOTHING;
	IF EXISTS (SELECT FROM pg_roles r
		WHERE r.rolname = 'l4_importer' AND pg_has_role(r.oid, 'pg_read_server_files', 'MEMBER')) THEN
		RAISE WARNING 'members of l4_importer can read any file of the server, other tenants'' data among them'
			USING HINT = 'SELECT l4_create_roles(server_files => false) takes that right away.';
	END IF;
	RETURN @extschema@.l4_set_tenant_policies();
END
$$;
REVOKE ALL ON FUNCTION @extschema@.l4_enable_tenancy() FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.l4_enable_tenancy() IS
'Keeps tenants apart from now on: a job is of the role that registers it, and only who has the rights of that role sees it, '
'its '
'logs, and all that comes of them; others are told that there is no such job. Jobs that are there already stay of none. Sets '
'the '
'policy l4_tenant on every table with rows of tenants, and returns their number; called again, it brings them up to date. The '
'owner of the tables, superusers and roles with BYPASSRLS see all. Errors: 42501 for others than the owner, 0A000 while l4 is '
'distributed over a cluster, 55000 where a permissive policy of the site would show rows. Takes an exclusive lock on these '
'tables: not while imports run.';

CREATE FUNCTION @extschema@.l4_disable_tenancy() RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
BEGIN
	PERFORM @extschema@.l4_need_owner('to end that tenants are kept apart');
	DELETE FROM @extschema@.l4_tenants_apart;
	RETURN @extschema@.l4_drop_tenant_policies();
END
$$;
REVOKE ALL ON FUNCTION @extschema@.l4_disable_tenancy() FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.l4_disable_tenancy() IS
'Ends what l4_enable_tenancy began: whoever may read the tables sees all rows. Jobs stay of their tenants, whose pools and '
'events '
'remain their own; new ones are of none. Returns the number of tables. Errors: 42501 for others than the owner.';

-- A version with more tables hides them too.
DO $$
BEGIN
	IF @extschema@.l4_tenancy() THEN
		PERFORM @extschema@.l4_set_tenant_policies();
	END IF;
END
$$;
