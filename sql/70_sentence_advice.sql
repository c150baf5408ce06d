/* Advice in words, made of its action and of the facts that decided. */

CREATE FUNCTION @extschema@.l4_advice_sentence(facts jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT CASE f.facts ->> 'action'
		WHEN 'none' THEN 'Nothing to restart'
		WHEN 'watch' THEN 'It still runs: watch it' || COALESCE(', and look at ' || (f.facts ->> 'suspect'), '')
		WHEN 'restart' THEN 'Restart as is'
		WHEN 'wait' THEN 'Wait, then restart as is'
		WHEN 'test' THEN COALESCE('Restart without ' || f.target || ', and test it', 'Restart, and watch')
		WHEN 'cordon' THEN format('Take %s out, then restart', COALESCE(f.target, 'the node'))
		WHEN 'reset' THEN format('Reset the %s, then restart', COALESCE('accelerators of ' || f.target, 'accelerator'))
		WHEN 'user' THEN 'Call the user before a restart' || COALESCE(': look at ' || (f.facts ->> 'code_line'), '')
		WHEN 'storage' THEN 'Call the storage team before a restart' || COALESCE(', about ' || f.target, '')
		WHEN 'network' THEN COALESCE(
			CASE WHEN f.facts ->> 'rests_on' = 'node' AND (f.facts -> 'lossy')::boolean AND f.facts ->> 'evidence' <> 'link'
				THEN 'Call the network team before a restart, about the connections of ' || f.target END,
			'Restart without ' || f.target || ', and call the network team about it', 'Call the network team before a restart')
		ELSE 'Look further before a restart' || COALESCE(', first at ' || COALESCE(f.looked_at, f.target,
			'event ' || (f.facts ->> 'event_ordinal')), '') END
	FROM (SELECT l4_advice_sentence.facts AS facts, l4_advice_sentence.facts ->> 'target' AS target,
		NULLIF(array_to_string(ARRAY(SELECT jsonb_array_elements_text(
			CASE jsonb_typeof(l4_advice_sentence.facts -> 'look_first')
				WHEN 'array' THEN l4_advice_sentence.facts -> 'look_first' ELSE '[]' END)), ', '), '') AS looked_at) f;
END;
COMMENT ON FUNCTION @extschema@.l4_advice_sentence(jsonb) IS
'Step: what to do, in words, from the columns of l4_advice_facts, action and target.';

CREATE FUNCTION @extschema@.l4_advice_reason_sentence(facts jsonb, reasons text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT concat_ws(' ', CASE f.facts ->> 'rests_on'
			WHEN 'fault' THEN format('%s%s.', f.facts ->> 'title', COALESCE(' (on ' || (f.facts ->> 'fault_node') || ')', ''))
			WHEN 'node' THEN format('The evidence points at %s: %s.', f.facts ->> 'suspect', reasons)
			WHEN 'event' THEN format('Event %s shows %s.', f.facts ->> 'event_ordinal', CASE f.facts ->> 'event_place'
				WHEN 'all' THEN 'on all nodes' WHEN 'some' THEN 'on several nodes'
				ELSE COALESCE('on ' || (f.facts ->> 'event_node'), 'on one node') END) END,
		f.facts ->> 'reason',
		CASE WHEN f.facts ->> 'rests_on' = 'fault' THEN f.facts ->> 'fix' END,
		'Suspected too, less: ' || CASE WHEN f.facts ->> 'suspect' IS NOT NULL AND f.facts ->> 'action' NOT IN ('none', 'watch')
			THEN NULLIF(array_to_string(ARRAY(SELECT jsonb_array_elements_text(f.others)), ', '), '') END || '.')
	FROM (SELECT l4_advice_reason_sentence.facts AS facts, CASE jsonb_typeof(l4_advice_reason_sentence.facts -> 'others')
		WHEN 'array' THEN l4_advice_reason_sentence.facts -> 'others' ELSE '[]' END AS others) f;
END;
COMMENT ON FUNCTION @extschema@.l4_advice_reason_sentence(jsonb, text) IS
'Step: why that is to be done, in words: what it rests on (reasons: the evidence against the suspect in words), the reason of '
'the rule, and the fix of the fault.';
