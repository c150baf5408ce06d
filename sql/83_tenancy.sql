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
 *
 * On a cluster of Citus shards have the policies of their tables, which the coordinator sends; tables of each node alone get
 * theirs there. What they ask of other rows has to be on each node, so whose a job is stands in l4_job_tenant, too.
 */
CREATE TABLE @extschema@.l4_job_tenant (
	job_id text PRIMARY KEY,
	tenant name
);
COMMENT ON TABLE @extschema@.l4_job_tenant IS
'Of a cluster of Citus where tenants are kept apart: whose each job is, a copy on each node. Empty elsewhere, and in no dump: '
'what is restored is of one server. Written by l4_register_job.';
COMMENT ON COLUMN @extschema@.l4_job_tenant.job_id IS
'the job; its name is taken as long as it stands here, also when a tenant has deleted the job, who may delete nothing here';
COMMENT ON COLUMN @extschema@.l4_job_tenant.tenant IS
'as in l4_job';

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
	BEGIN
		IF NOT @extschema@.l4_is_distributed() THEN
			INSERT INTO @extschema@.l4_job (job_id) VALUES (l4_claim_job.job_id) ON CONFLICT DO NOTHING;
		-- Citus takes an ON CONFLICT for a change of rows that are there, which is not a tenant's
		ELSIF NOT @extschema@.l4_sees_job(l4_claim_job.job_id) THEN
			INSERT INTO @extschema@.l4_job_tenant (job_id, tenant)
			VALUES (l4_claim_job.job_id, @extschema@.l4_default_tenant());
		END IF;
	EXCEPTION WHEN unique_violation THEN
		NULL;		-- below
	END;
	IF NOT @extschema@.l4_sees_job(l4_claim_job.job_id) THEN
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
				THEN '@extschema@.l4_sees_pool(pool_id)' END) AS may_see
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

CREATE FUNCTION @extschema@.l4_drop_tenant_policies(spread boolean DEFAULT true) RETURNS bigint
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
		WHERE l4_drop_tenant_policies.spread OR NOT @extschema@.l4_is_spread(r.relation)
	LOOP
		EXECUTE format('DROP POLICY %I ON %s', policy.polname, policy.relation);
		relations := relations || policy.relation;
	END LOOP;
	FOR relation IN SELECT DISTINCT r.relation FROM unnest(relations) r (relation) LOOP
		IF NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = relation) THEN
			EXECUTE format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', relation);
		END IF;
	END LOOP;
	RETURN (SELECT count(DISTINCT r) FROM unnest(relations) r);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_drop_tenant_policies(boolean) IS
'Step: Drops the policies of tenants, and switches row security off where no others are. spread: as for '
'l4_set_tenant_policies. Returns the number of tables. For l4_enable_tenancy and l4_disable_tenancy.';

CREATE FUNCTION @extschema@.l4_is_bare_job(job_id text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	relation regclass;
	holds boolean;
BEGIN
	FOR relation IN SELECT p.relation FROM @extschema@.l4_tenant_policies() p WHERE p.may_see LIKE '%l4_sees_job%' LOOP
		EXECUTE format('SELECT EXISTS (SELECT FROM %s t WHERE t.job_id = $1)', relation) INTO holds USING l4_is_bare_job.job_id;
		IF holds THEN
			RETURN false;
		END IF;
	END LOOP;
	RETURN true;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_is_bare_job(text) IS
'Step: Has no table of l4 a row of a job that the caller sees by its row of l4_job? The policy of tenants for deleting the '
'latter asks it: the name of a job is free for others once nothing is left under it.';

CREATE FUNCTION @extschema@.l4_set_tenant_policies(spread boolean DEFAULT true) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	policy record;
	other name;
	made bigint := 0;
BEGIN
	IF @extschema@.l4_is_distributed() THEN
		PERFORM @extschema@.l4_need_preloaded();
	END IF;
	PERFORM @extschema@.l4_drop_tenant_policies(l4_set_tenant_policies.spread);
	FOR policy IN
		SELECT p.*, p.relation = '@extschema@.l4_job'::regclass AS of_jobs FROM @extschema@.l4_tenant_policies() p
		WHERE l4_set_tenant_policies.spread OR NOT @extschema@.l4_is_spread(p.relation)
	LOOP
		-- Citus (13.2.2) sends a restrictive one to the shards as one that permits
		SELECT p.polname INTO other FROM pg_policy p WHERE p.polrelid = policy.relation
			AND (p.polpermissive OR @extschema@.l4_is_spread(policy.relation)) LIMIT 1;
		IF FOUND THEN
			RAISE EXCEPTION 'the policy "%" of table "%" shows rows to others', other, policy.relation
				USING ERRCODE = 'object_not_in_prerequisite_state',
					HINT = CASE WHEN @extschema@.l4_is_spread(policy.relation) THEN 'Drop it.'
						ELSE 'Drop it, or make it AS RESTRICTIVE.' END;
		END IF;
		-- all that is done to a row, but that a job is deleted last
		EXECUTE format('CREATE POLICY l4_tenant ON %s FOR %s USING (%s)%s', policy.relation,
			CASE WHEN policy.of_jobs THEN 'SELECT' ELSE 'ALL' END, policy.may_see,
			CASE WHEN NOT policy.of_jobs THEN format(' WITH CHECK (%s)', policy.may_write) END);
		IF policy.of_jobs THEN
			EXECUTE format('CREATE POLICY l4_tenant_insert ON %s FOR INSERT WITH CHECK (%s)',
				policy.relation, policy.may_write);
			EXECUTE format('CREATE POLICY l4_tenant_update ON %s FOR UPDATE USING (%s) WITH CHECK (%s)',
				policy.relation, policy.may_see, policy.may_write);
			EXECUTE format('CREATE POLICY l4_tenant_delete ON %s FOR DELETE '
				'USING (%s AND @extschema@.l4_is_bare_job(job_id))', policy.relation, policy.may_see);
		END IF;
		EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', policy.relation);
		made := made + 1;
	END LOOP;
	RETURN made;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_set_tenant_policies(boolean) IS
'Step: Sets the policies of l4_tenant_policies anew; that of l4_job keeps a job while rows of its are left: its name must not '
'become another tenant''s before. spread: of a cluster, also those of the tables that lie on several nodes, which the '
'coordinator sends on. Returns the number of tables. Errors: 55000 where a policy of the site would show rows. For '
'l4_enable_tenancy.';

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
DECLARE
	made bigint;
BEGIN
	PERFORM @extschema@.l4_need_owner('to keep tenants apart');
	IF @extschema@.l4_is_distributed() THEN
		PERFORM @extschema@.l4_need_coordinator();
		PERFORM @extschema@.l4_need_own_transaction();
		PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
		PERFORM @extschema@.l4_on_nodes('SELECT @extschema@.l4_set_tenant_policies(spread => false)');
	END IF;
	IF EXISTS (SELECT FROM pg_roles r
		WHERE r.rolname = 'l4_importer' AND pg_has_role(r.oid, 'pg_read_server_files', 'MEMBER')) THEN
		RAISE WARNING 'members of l4_importer can read any file of the server, other tenants'' data among them'
			USING HINT = 'SELECT l4_create_roles(server_files => false) takes that right away.';
	END IF;
	made := @extschema@.l4_set_tenant_policies();
	INSERT INTO @extschema@.l4_tenants_apart DEFAULT VALUES ON CONFLICT DO NOTHING;
	IF @extschema@.l4_is_distributed() THEN
		PERFORM @extschema@.l4_list_tenants();
	END IF;
	RETURN made;
END
$$;
REVOKE ALL ON FUNCTION @extschema@.l4_enable_tenancy() FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.l4_enable_tenancy() IS
'Keeps tenants apart from now on: a job is of the role that registers it, and only who has the rights of that role sees it, '
'its '
'logs, and all that comes of them; others are told that there is no such job. Jobs that are there already stay of none. Sets '
'the '
'policy l4_tenant on every table with rows of tenants, and returns their number; called again, it brings them up to date. The '
'owner of the tables, superusers and roles with BYPASSRLS see all. Of a cluster, on its coordinator, for all nodes. Errors: '
'42501 for others than the owner, 55000 where a policy of the site would show rows, or on a cluster where this is not the '
'coordinator or l4 is not in shared_preload_libraries of each node, 25001 there in a transaction that has changed something; '
'38000 with what another node said. Takes an exclusive '
'lock on these tables: not while imports run.';

CREATE FUNCTION @extschema@.l4_disable_tenancy() RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	dropped bigint;
BEGIN
	PERFORM @extschema@.l4_need_owner('to end that tenants are kept apart');
	IF @extschema@.l4_is_distributed() THEN
		PERFORM @extschema@.l4_need_coordinator();
		PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
	END IF;
	DELETE FROM @extschema@.l4_tenants_apart;
	DELETE FROM @extschema@.l4_job_tenant;
	dropped := @extschema@.l4_drop_tenant_policies();
	IF @extschema@.l4_is_distributed() THEN
		PERFORM @extschema@.l4_on_nodes('SELECT @extschema@.l4_drop_tenant_policies(spread => false)');
	END IF;
	RETURN dropped;
END
$$;
REVOKE ALL ON FUNCTION @extschema@.l4_disable_tenancy() FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.l4_disable_tenancy() IS
'Ends what l4_enable_tenancy began: whoever may read the tables sees all rows. Jobs stay of their tenants, whose pools and '
'events '
'remain their own; new ones are of none. Returns the number of tables. Errors: 42501 for others than the owner; on a cluster '
'55000 where this is not the coordinator, 38000 with what another node said.';
