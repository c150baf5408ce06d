/* Partitions of l4_flow: made ahead of the flows, dropped when they are old. */

CREATE VIEW @extschema@.l4_flow_partitions WITH (security_invoker = true) AS
	SELECT c.relname::text AS name, b.bounds[1]::timestamptz AS from_time, b.bounds[2]::timestamptz AS to_time,
		GREATEST(c.reltuples, 0)::bigint AS flows, pg_catalog.pg_total_relation_size(c.oid) AS bytes
	FROM pg_catalog.pg_inherits i
	JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
	LEFT JOIN LATERAL pg_catalog.regexp_match(pg_catalog.pg_get_expr(c.relpartbound, c.oid),
		'FROM \(''(.*)''\) TO \(''(.*)''\)') b(bounds) ON true
	WHERE i.inhparent = '@extschema@.l4_flow'::regclass;
COMMENT ON VIEW @extschema@.l4_flow_partitions IS 'The partitions of l4_flow.';
COMMENT ON COLUMN @extschema@.l4_flow_partitions.name IS 'name of the table';
COMMENT ON COLUMN @extschema@.l4_flow_partitions.from_time IS 'from when on; NULL: the default partition';
COMMENT ON COLUMN @extschema@.l4_flow_partitions.to_time IS 'up to before when; NULL: the default partition';
COMMENT ON COLUMN @extschema@.l4_flow_partitions.flows IS 'about how many rows it has, as of its last ANALYZE or VACUUM';
COMMENT ON COLUMN @extschema@.l4_flow_partitions.bytes IS 'its room, with its index';

CREATE FUNCTION @extschema@.l4_create_flow_partitions(from_time timestamptz, to_time timestamptz,
	width interval DEFAULT '1 hour') RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	most constant int := 10000;
	began timestamptz := l4_create_flow_partitions.from_time;
	ended timestamptz;
	name text;
	made bigint := 0;
BEGIN
	PERFORM @extschema@.l4_need_owner('to make partitions of l4_flow');
	IF l4_create_flow_partitions.width < interval '1 minute' THEN
		RAISE EXCEPTION 'partitions of % are too short', l4_create_flow_partitions.width
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Take a minute or more; an hour is usual.';
	ELSIF NOT (isfinite(began) AND isfinite(l4_create_flow_partitions.to_time)
			AND began < l4_create_flow_partitions.to_time) IS TRUE THEN
		RAISE EXCEPTION 'no time from % to %', began, l4_create_flow_partitions.to_time
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Give a time, then a later one.';
	ELSIF extract(epoch FROM l4_create_flow_partitions.to_time - began)
			/ extract(epoch FROM l4_create_flow_partitions.width) > most THEN
		RAISE EXCEPTION 'more than % partitions', most
			USING ERRCODE = 'program_limit_exceeded', HINT = 'Take wider ones, or a shorter time.';
	END IF;
	-- one at a time: two would both find that one is missing
	LOCK TABLE @extschema@.l4_flow IN SHARE ROW EXCLUSIVE MODE;
	WHILE began < l4_create_flow_partitions.to_time LOOP
		ended := LEAST(began + l4_create_flow_partitions.width, l4_create_flow_partitions.to_time);
		name := to_char(began AT TIME ZONE 'UTC', '"l4_flow_"YYYYMMDD"t"HH24MI');
		IF NOT EXISTS (SELECT FROM @extschema@.l4_flow_partitions p WHERE p.from_time < ended AND p.to_time > began) THEN
			EXECUTE format('CREATE TABLE @extschema@.%I (LIKE @extschema@.l4_flow INCLUDING DEFAULTS)', name);
			EXECUTE format('WITH moved AS (DELETE FROM @extschema@.l4_flow_default f
				WHERE f.started_at >= %1$L AND f.started_at < %2$L RETURNING f.*)
				INSERT INTO @extschema@.%3$I SELECT m.* FROM moved m', began, ended, name);
			EXECUTE format('CREATE INDEX %I ON @extschema@.%I USING brin (started_at)', name || '_started_at', name);
			EXECUTE format('ALTER TABLE @extschema@.%I REPLICA IDENTITY FULL', name);
			EXECUTE format('ALTER TABLE @extschema@.l4_flow ATTACH PARTITION @extschema@.%I FOR VALUES FROM (%L) TO (%L)', name,
				began, ended);
			made := made + 1;
		END IF;
		began := ended;
	END LOOP;
	RETURN made;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_create_flow_partitions(timestamptz, timestamptz, interval) IS
'Makes partitions of l4_flow from from_time to before to_time, each width wide, where there are none yet; rows of these '
'times that are in the default partition are moved. Returns how many it made. To be called ahead of the flows, by the owner'
' of the tables, such as each day for the next two. Errors: 42501 for others; 22023 no time, or a width under a minute; '
'54000 more than 10,000. Cost: that of the rows moved; writers wait meanwhile.';

CREATE FUNCTION @extschema@.l4_drop_flows(before timestamptz, OUT partitions bigint, OUT flows bigint)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	old text;
BEGIN
	PERFORM @extschema@.l4_need_owner('to drop partitions of l4_flow');
	partitions := 0;
	FOR old IN SELECT p.name FROM @extschema@.l4_flow_partitions p WHERE p.to_time <= l4_drop_flows.before LOOP
		EXECUTE format('DROP TABLE @extschema@.%I', old);
		partitions := partitions + 1;
	END LOOP;
	DELETE FROM @extschema@.l4_flow f WHERE f.started_at < l4_drop_flows.before;
	GET DIAGNOSTICS flows = ROW_COUNT;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_drop_flows(timestamptz) IS
'Takes out the flows from before a time: whole partitions are dropped (partitions: how many), the rest is deleted (flows: how '
'many rows). For the owner of the tables, such as each day; NULL takes out nothing. Errors: 42501 for others. Cost: dropping '
'costs next to nothing, deleting a scan.';
