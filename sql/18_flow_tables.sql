CREATE TABLE @extschema@.l4_flow (started_at timestamptz NOT NULL, duration double precision NOT NULL, source text COLLATE "C" NOT NULL,
 destination text COLLATE "C" NOT NULL, bytes bigint NOT NULL, switches text[], packets bigint, retransmits bigint, queue_pair bigint, port int);
CREATE TABLE @extschema@.l4_accelerator (address text COLLATE "C" PRIMARY KEY, server text NOT NULL, rail int, leaf text, tenant text);
