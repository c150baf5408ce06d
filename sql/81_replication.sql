/*
 * Logical replication. Deletes and updates of a published table need a replica identity, and PUBLICATION ... FOR ALL TABLES,
 * which may be somebody else's, publishes l4's tables as well: without one, an import of a file that grew fails. All tables
 * have their primary key but these two, for which a key would cost more than the lines that wait. The whole row as identity
 * costs nothing where nothing is decoded (wal_level below logical, or no delete), and then only the old row in the log.
 */
ALTER TABLE @extschema@.l4_inbox REPLICA IDENTITY FULL;
ALTER TABLE @extschema@.l4_inbox_refused REPLICA IDENTITY FULL;

CREATE FUNCTION @extschema@.l4_skip_row() RETURNS trigger
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
BEGIN
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_skip_row() IS
'Step: Trigger that leaves a row out: l4_prepare_subscriber sets it on l4_inbox, for rows that come by replication alone.';

CREATE FUNCTION @extschema@.l4_prepare_subscriber() RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	kept record;
	holds boolean;
BEGIN
	FOR kept IN
		SELECT t.id::regclass AS name, t.condition FROM pg_extension e, unnest(e.extconfig, e.extcondition) t (id, condition)
		WHERE e.extname = 'l4' ORDER BY t.id
	LOOP
		EXECUTE format('SELECT EXISTS (SELECT FROM %s %s)', kept.name, kept.condition) INTO holds;
		IF holds THEN
			RAISE EXCEPTION 'this database cannot become a subscriber, because % has rows of its own', kept.name
				USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Take a database in which l4 has just been created.';
		END IF;
		-- The publisher sends the built-in rows too.
		EXECUTE format('TRUNCATE %s', kept.name);
	END LOOP;
	-- Lines that wait are the publisher's; without a key each one taken out would be searched in all of them.
	CREATE TRIGGER l4_skip_row BEFORE INSERT ON @extschema@.l4_inbox FOR EACH ROW EXECUTE FUNCTION @extschema@.l4_skip_row();
	ALTER TABLE @extschema@.l4_inbox ENABLE REPLICA TRIGGER l4_skip_row;
END
$$;
REVOKE ALL ON FUNCTION @extschema@.l4_prepare_subscriber() FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.l4_prepare_subscriber() IS
'Makes a database in which l4 has just been created ready for CREATE SUBSCRIPTION to one whose publication has l4''s '
'tables: takes out the built-in rows, which the publisher sends, and keeps the lines that wait in l4_inbox from being copied. '
'To be called once, by the owner of the tables. Both sides need the same version of l4. Errors: 55000 where a table has rows '
'other than built-in ones, 42501 for others than the owner.';
