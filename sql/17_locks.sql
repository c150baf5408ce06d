/*
 * Locks, for the parts of l4 that are written in SQL. Which there are, and in which order they are taken:
 * src/doors/store_locks.c.
 */

CREATE FUNCTION @extschema@.l4_lock(what text, name text, shared boolean) RETURNS void
	LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'l4_lock';
COMMENT ON FUNCTION @extschema@.l4_lock(text, text, boolean) IS
'Step: Takes a lock of l4 until the end of the transaction, waiting for whoever has it: l4_job by the name of a job '
'(shared: its logs may be added to; else also taken away), l4_event (to give events), l4_shape (shared: to add shapes; '
'else to give them events or take them back) or l4_pool (to change pools). To be taken in this order, so that nobody waits '
'in a circle. For functions of l4 and sites'' own that do the same; pg_locks shows them as locks on objects. Errors: 42501 '
'without the right to change l4_job or l4_stream, 22023 for a lock that there is not, 55P03 and 40P01 as for any lock.';
