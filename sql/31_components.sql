/* Connected components: what belongs together by pairs, on anyone's table. */

CREATE TYPE @extschema@.l4_component_member AS (
	member text,
	component text,
	members bigint
);
COMMENT ON TYPE @extschema@.l4_component_member IS
'One member of the result of l4_connected_components.';
COMMENT ON COLUMN @extschema@.l4_component_member.member IS
'The name as given.';
COMMENT ON COLUMN @extschema@.l4_component_member.component IS
'What the component is called: its smallest member, byte by byte (collation C).';
COMMENT ON COLUMN @extschema@.l4_component_member.members IS
'How many members the component has.';

CREATE FUNCTION @extschema@.l4_connected_components_transition(state bytea, a text, b text) RETURNS bytea
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_connected_components_transition';
COMMENT ON FUNCTION @extschema@.l4_connected_components_transition(bytea, text, text) IS
'Takes one row into a state of l4_connected_components. Error 22P03 if it is none.';

CREATE FUNCTION @extschema@.l4_connected_components_combine(bytea, bytea) RETURNS bytea
	LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_connected_components_combine';
COMMENT ON FUNCTION @extschema@.l4_connected_components_combine(bytea, bytea) IS
'Adds the second state of l4_connected_components to the first. Error 22P03 if one is none.';

CREATE FUNCTION @extschema@.l4_connected_components_final(bytea) RETURNS @extschema@.l4_component_member[]
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100000 AS 'MODULE_PATHNAME', 'l4_connected_components_final';
COMMENT ON FUNCTION @extschema@.l4_connected_components_final(bytea) IS
'Lists the members of a state of l4_connected_components. Error 22P03 if it is none.';

CREATE AGGREGATE @extschema@.l4_connected_components(a text, b text) (
	SFUNC = @extschema@.l4_connected_components_transition,
	STYPE = bytea,
	FINALFUNC = @extschema@.l4_connected_components_final,
	COMBINEFUNC = @extschema@.l4_connected_components_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_connected_components(text, text) IS
'Which names belong together by pairs, such as which accelerators make up a job by the flows between them: each row connects '
'a and b, in both directions, and whatever can be reached over such pairs is one component. Result: one l4_component_member '
'per name, by component, then by member (byte by byte), to be unnested; NULL for no rows. A row in which a or b is NULL, or '
'both are equal, counts the name in and connects it with nothing; one in which both are NULL says nothing. Names are the '
'same where their bytes are. The result is the same for any order of rows and any plan. Errors: 53400 more than '
'maintenance_work_mem. Cost: a row some 200 nanoseconds; memory some 50 bytes and twice its length for each distinct name, '
'nothing for a pair. Union-find (Tarjan, Journal of the ACM 1975).';
