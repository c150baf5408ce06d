/*
 * Tenants, as far as tables and imports need them: whose a row is, who sees it, and how their ids are kept apart. All else
 * of tenants is in
 * 83_tenancy.sql.
 */

CREATE FUNCTION @extschema@.l4_tenancy() RETURNS boolean
	LANGUAGE c STABLE PARALLEL SAFE COST 10 AS 'MODULE_PATHNAME', 'l4_tenancy';
COMMENT ON FUNCTION @extschema@.l4_tenancy() IS
'Step: Are tenants kept apart? True from l4_enable_tenancy to l4_disable_tenancy: while row security with the policy '
'l4_tenant is '
'on for l4_job.';

CREATE FUNCTION @extschema@.l4_default_tenant() RETURNS name
	LANGUAGE c STABLE PARALLEL SAFE COST 10 AS 'MODULE_PATHNAME', 'l4_default_tenant';
COMMENT ON FUNCTION @extschema@.l4_default_tenant() IS
'Step: Whose a new row is: the current role''s where tenants are kept apart, else nobody''s (NULL).';

CREATE FUNCTION @extschema@.l4_sees_tenant(tenant name) RETURNS boolean
	LANGUAGE c STABLE STRICT PARALLEL SAFE COST 2 AS 'MODULE_PATHNAME', 'l4_sees_tenant';
COMMENT ON FUNCTION @extschema@.l4_sees_tenant(name) IS
'Step: Has the current role the rights of this one? False for a role that there is not. The policies of tenants ask it of each '
'row. Cost: two look-ups.';

CREATE FUNCTION @extschema@.l4_sees_job(job_id text) RETURNS boolean
	LANGUAGE c STABLE STRICT PARALLEL SAFE COST 5 AS 'MODULE_PATHNAME', 'l4_sees_job';
COMMENT ON FUNCTION @extschema@.l4_sees_job(text) IS
'Step: Does the caller see this job in l4_job? The policies of tenants ask it of each row of a table with a job_id; it is '
'looked '
'up with the rights of the caller, '
'once for rows of one job that follow each other; on a cluster in l4_job_tenant, of which each node has a copy. Errors: 42501 '
'without the right to read these.';

CREATE FUNCTION @extschema@.l4_sees_pool(pool_id bigint) RETURNS boolean
	LANGUAGE c STABLE STRICT PARALLEL SAFE COST 5 AS 'MODULE_PATHNAME', 'l4_sees_pool';
COMMENT ON FUNCTION @extschema@.l4_sees_pool(bigint) IS
'Step: Does the caller see this pool in l4_pool? The policies of tenants ask it of each row of a table with a pool_id; as '
'l4_sees_job.';

CREATE FUNCTION @extschema@.l4_text_hash(value text) RETURNS bigint
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2 AS 'MODULE_PATHNAME', 'l4_text_hash';
COMMENT ON FUNCTION @extschema@.l4_text_hash(text) IS
'Step: The content hash (XXH3, 64 bit) of a text as it is: the shape_id of a shape, the event_id of a template, where there '
'are no '
'tenants.';

CREATE FUNCTION @extschema@.l4_tenant_salt(tenant name) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 2
RETURN COALESCE(@extschema@.l4_text_hash('tenant ' || tenant::text), 0);
COMMENT ON FUNCTION @extschema@.l4_tenant_salt(name) IS
'Step: What the ids of a tenant''s shapes, events and pools differ in (#) from the hashes of their texts, so that no two '
'tenants '
'share one; 0 for NULL.';

CREATE FUNCTION @extschema@.l4_tenant_of(job_id text) RETURNS name
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	RETURN (SELECT j.tenant FROM @extschema@.l4_job j WHERE j.job_id = l4_tenant_of.job_id);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_tenant_of(text) IS
'Step: Whose a job is; NULL for one of nobody, or that the caller does not see.';
