/* What tables ask of words that are one of a few. */

CREATE FUNCTION @extschema@.l4_is_one_of(word text, what text, VARIADIC words text[]) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT COST 10
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF word = ANY (words) THEN
		RETURN true;
	END IF;
	RAISE EXCEPTION '% "%" is not known', what, word
		USING ERRCODE = 'check_violation', HINT = format('It is one of: %s.', array_to_string(words, ', '));
END
$$;
COMMENT ON FUNCTION @extschema@.l4_is_one_of(text, text, text[]) IS
'Step: True where the word is one of those listed, NULL where it is NULL; for CHECK constraints, so that a wrong word is '
'told which ones there are. Errors: 23514 for any other word, with the list as its hint.';

CREATE FUNCTION @extschema@.l4_is_link(url text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT COST 10
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF url COLLATE "C" ~ ('^https://[a-zA-Z0-9][a-zA-Z0-9.-]*(:[0-9]{1,5})?'
		'([/?#]([^[:cntrl:][:space:]<>"''`\\{}]|\{(job|node|from|to)\})*)?$') THEN
		RETURN true;
	END IF;
	RAISE EXCEPTION 'the template of a link "%" is not understood', url
		USING ERRCODE = 'check_violation',
			HINT = 'It begins with https:// and a host, and may have {job}, {node}, {from} and {to} behind that; other signs '
				'such as blanks and quotes are written as in URLs, %20 say.';
END
$$;
COMMENT ON FUNCTION @extschema@.l4_is_link(text) IS
'Step: True where a text is a template of l4_link, NULL where it is NULL; for a CHECK constraint. Errors: 23514 for what is '
'none.';

CREATE FUNCTION @extschema@.l4_stages() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY['environment_init', 'rendezvous', 'communicator_init', 'data_load', 'model_build', 'checkpoint_load', 'iterating',
	'evaluation', 'checkpoint_save', 'teardown'];
COMMENT ON FUNCTION @extschema@.l4_stages() IS
'Step: The stages of a job in the order in which they come. The one list of them in SQL; that of the import is in '
'segment.c.';

CREATE FUNCTION @extschema@.l4_is_setup_stage(stage text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN array_position(@extschema@.l4_stages(), stage) < array_position(@extschema@.l4_stages(), 'iterating');
COMMENT ON FUNCTION @extschema@.l4_is_setup_stage(text) IS
'Step: Is a stage one of those that come before a job iterates, and do not come again once it does? NULL for NULL.';

