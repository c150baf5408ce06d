/*
 * Tables of flows: what the switches of a cluster tell of the traffic between accelerators, whoever's jobs they run.
 *
 * Flows come by the million in the order of time and go by age: the table is partitioned by time, so that old ones are dropped
 * whole, and has no index but one of ranges of blocks, which costs next to nothing to keep and finds a window. It has no
 * checks: a record that cannot be right must not end a COPY; it is set aside, and counted, by whoever reads.
 */
CREATE TABLE @extschema@.l4_flow (
	started_at timestamptz NOT NULL,
	duration double precision NOT NULL,
	source text COLLATE "C" NOT NULL,
	destination text COLLATE "C" NOT NULL,
	bytes bigint NOT NULL,
	switches text[],
	packets bigint,
	retransmits bigint,
	queue_pair bigint,
	port int
) PARTITION BY RANGE (started_at);
CREATE TABLE @extschema@.l4_flow_default PARTITION OF @extschema@.l4_flow DEFAULT;
-- Each partition has its own: of an index of them all, which is the extension's, pg_restore would make the parts twice.
CREATE INDEX l4_flow_default_started_at ON @extschema@.l4_flow_default USING brin (started_at);
ALTER TABLE @extschema@.l4_flow REPLICA IDENTITY FULL;
ALTER TABLE @extschema@.l4_flow_default REPLICA IDENTITY FULL;

COMMENT ON TABLE @extschema@.l4_flow IS
'Records of flows between addresses, as the collectors of switches give them: one for each direction of a queue pair and '
'each time a collector closed it. Loaded by COPY. Partitioned by started_at: see l4_create_flow_partitions and '
'l4_drop_flows; what has no partition of its own is in l4_flow_default. Read by l4_flow_jobs, l4_flow_steps, '
'l4_flow_diagnose and their like, which take any other table of such columns as well.';
COMMENT ON COLUMN @extschema@.l4_flow.started_at IS 'when its first packet was seen';
COMMENT ON COLUMN @extschema@.l4_flow.duration IS 'seconds from its first packet to its last';
COMMENT ON COLUMN @extschema@.l4_flow.source IS 'address of who sent: of the network interface of an accelerator';
COMMENT ON COLUMN @extschema@.l4_flow.destination IS 'address of who got it';
COMMENT ON COLUMN @extschema@.l4_flow.bytes IS 'bytes sent';
COMMENT ON COLUMN @extschema@.l4_flow.switches IS
'names of the switches it passed, from source to destination; NULL: not known';
COMMENT ON COLUMN @extschema@.l4_flow.packets IS 'packets sent; NULL: not known';
COMMENT ON COLUMN @extschema@.l4_flow.retransmits IS 'packets sent again; NULL: not known';
COMMENT ON COLUMN @extschema@.l4_flow.queue_pair IS 'RoCE queue pair of the destination; NULL: not known';
COMMENT ON COLUMN @extschema@.l4_flow.port IS 'UDP port of the source, which decides the path; NULL: not known';
COMMENT ON TABLE @extschema@.l4_flow_default IS
'Partition of l4_flow for times that have none of their own. l4_create_flow_partitions takes rows out of it.';
COMMENT ON COLUMN @extschema@.l4_flow_default.started_at IS 'as in l4_flow';
COMMENT ON COLUMN @extschema@.l4_flow_default.duration IS 'as in l4_flow';
COMMENT ON COLUMN @extschema@.l4_flow_default.source IS 'as in l4_flow';
COMMENT ON COLUMN @extschema@.l4_flow_default.destination IS 'as in l4_flow';
COMMENT ON COLUMN @extschema@.l4_flow_default.bytes IS 'as in l4_flow';
COMMENT ON COLUMN @extschema@.l4_flow_default.switches IS 'as in l4_flow';
COMMENT ON COLUMN @extschema@.l4_flow_default.packets IS 'as in l4_flow';
COMMENT ON COLUMN @extschema@.l4_flow_default.retransmits IS 'as in l4_flow';
COMMENT ON COLUMN @extschema@.l4_flow_default.queue_pair IS 'as in l4_flow';
COMMENT ON COLUMN @extschema@.l4_flow_default.port IS 'as in l4_flow';
SELECT pg_extension_config_dump('@extschema@.l4_flow_default', '');

CREATE TABLE @extschema@.l4_accelerator (
	address text COLLATE "C" PRIMARY KEY CHECK (address <> ''),
	server text NOT NULL CHECK (server <> ''),
	rail int,
	leaf text,
	tenant name
);
COMMENT ON TABLE @extschema@.l4_accelerator IS
'Whose the addresses in l4_flow are. Where it has rows, flows of other addresses (storage, clients) are left out; where it has '
'none, who is an accelerator is told from the traffic, and servers are not known. Loaded by COPY.';
COMMENT ON COLUMN @extschema@.l4_accelerator.address IS 'address of its network interface, spelt as in l4_flow';
COMMENT ON COLUMN @extschema@.l4_accelerator.server IS
'name of the server it is in; where that is a node of the job''s logs, l4_diagnose_flows joins them';
COMMENT ON COLUMN @extschema@.l4_accelerator.rail IS 'which of the server''s network interfaces, from 0; NULL: not known';
COMMENT ON COLUMN @extschema@.l4_accelerator.leaf IS 'name of the switch it is connected to; NULL: not known';
COMMENT ON COLUMN @extschema@.l4_accelerator.tenant IS
'whose it is; where tenants are kept apart, the role who sees it and the flows that it sends';
SELECT pg_extension_config_dump('@extschema@.l4_accelerator', '');
