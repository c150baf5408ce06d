/*
 * Sentences on what is unexplained, on what was left out, and on onsets: made of facts, at the end. Nothing reads them back.
 */

CREATE FUNCTION @extschema@.l4_unexplained_sentence(reason text, numbers jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT CASE l4_unexplained_sentence.reason
		WHEN 'new' THEN 'successful jobs do not log it'
		WHEN 'severe' THEN
			'there is no successful job to compare with; it sounds grave and first comes when the job stops making progress'
		WHEN 'follows' THEN 'there is no successful job to compare with; it never came before what sounds grave'
		WHEN 'new value' THEN format('%s is "%s"; in successful jobs it is always "%s"', p.name, numbers ->> 'value',
			numbers ->> 'pool_value')
		WHEN 'range' THEN format('%s is %s; in successful jobs it lies between %s and %s', p.name,
			(numbers ->> 'number')::float8,
			(numbers ->> 'pool_minimum')::float8, (numbers ->> 'pool_maximum')::float8)
		WHEN 'setup' THEN @extschema@.l4_setup_sentence(numbers)
		WHEN 'storm' THEN format('%s times in this stream; at most %s in a stream of a successful job', numbers ->> 'times',
			numbers ->> 'pool_times')
	END
	FROM (SELECT COALESCE('the value after "' || (numbers ->> 'name') || '"',
		format('value %s of the record', numbers ->> 'position')) AS name) p;
END;
COMMENT ON FUNCTION @extschema@.l4_unexplained_sentence(text, jsonb) IS
'Step: Why a record is unexplained, in a few words, from reason and numbers of l4_unexplained_record.';

CREATE FUNCTION @extschema@.l4_onset_sentence(place text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE place
	WHEN 'own' THEN 'the first unusual record of the suspected node''s own rank'
	WHEN 'stopped' THEN 'where the suspected node''s rank stood when it stopped'
	WHEN 'outside' THEN 'the first unusual record of the suspected node outside its ranks'
	WHEN 'rank' THEN 'the first unusual record of any rank'
	WHEN 'any' THEN 'the first unusual record in the logs'
	WHEN 'slow' THEN 'the first step that takes longer for good'
	WHEN 'end' THEN 'where the first rank to end ended'
END;
COMMENT ON FUNCTION @extschema@.l4_onset_sentence(text) IS
'Step: Where a failure may have begun, in words, from the place of l4_onset.';

CREATE FUNCTION @extschema@.l4_reported_sentence(reason text, numbers jsonb, streams bigint, of_streams bigint, pool_words text)
	RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT format('Reported: %s%s; so in %s of the %s streams that log it%s.',
		CASE l4_reported_sentence.reason
			WHEN 'severe' THEN d.detail
			WHEN 'follows' THEN d.detail
			WHEN 'new' THEN 'it is new'
			WHEN 'new value' THEN 'it has a new value'
			WHEN 'range' THEN 'a number in it is out of range'
			WHEN 'setup' THEN 'this unit is set up differently'
			WHEN 'storm' THEN 'it comes in a storm'
			ELSE 'of rule "' || l4_reported_sentence.reason || '"'
		END, CASE WHEN l4_reported_sentence.reason IN ('severe', 'follows') THEN '' ELSE ' (' || d.detail || ')' END,
		l4_reported_sentence.streams, l4_reported_sentence.of_streams, '; compared with ' || l4_reported_sentence.pool_words)
	FROM (SELECT @extschema@.l4_unexplained_sentence(l4_reported_sentence.reason, l4_reported_sentence.numbers) AS detail) d;
END;
COMMENT ON FUNCTION @extschema@.l4_reported_sentence(text, jsonb, bigint, bigint, text) IS
'Step: Why a shape is reported, in words: reason and numbers of l4_unexplained_record, in how many streams of those that '
'log it, and what it is compared with (NULL: nothing).';

CREATE FUNCTION @extschema@.l4_left_out_sentence(rule text, facts jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'Left out: ' || CASE rule
	WHEN 'ended' THEN 'there is no successful job to compare with, and this one ended normally: all ranks say that they have '
		'done their work, and none crashes after it'
	WHEN 'mild' THEN 'there is no successful job to compare with, and it does not sound grave'
	WHEN 'tolerated' THEN 'there is no successful job to compare with, and it says that the program goes on in spite of it'
	WHEN 'early' THEN 'there is no successful job to compare with, and it begins, or sounds like what is logged, '
		'while the job makes progress'
	WHEN 'known' THEN format('known to the pool of %s: %s of its %s jobs log%s it, up to %s times in a stream (here up to %s), '
			'with such values',
		facts ->> 'pool_settings', facts ->> 'pool_jobs', facts ->> 'pool_size',
		CASE facts ->> 'pool_jobs' WHEN '1' THEN 's' ELSE '' END,
		facts ->> 'pool_max_per_stream', facts ->> 'max_per_stream')
	WHEN 'known words' THEN format('the pool of %s (jobs: %s) logs the same words with other signs, numbers or line breaks',
		facts ->> 'pool_settings', facts ->> 'pool_size')
	WHEN 'beside' THEN format('it sounds harmless, and clustering puts it beside a statement of the pool of %s: %s',
		facts ->> 'pool_settings',
		left(facts ->> 'beside', 100))
	WHEN 'variant' THEN format('it sounds harmless, and the pool of %s logs it with other names, or without the word before it',
		facts ->> 'pool_settings')
	WHEN 'other settings' THEN format('successful jobs of other settings log it (%s)', facts ->> 'other_settings')
	WHEN 'not judged' THEN 'there are only successful jobs of similar settings, or without such streams, to compare with, '
		'and it does not sound of trouble'
	WHEN 'advice' THEN 'it is advice to programmers, which tells of no failure'
	WHEN 'outlived' THEN 'it ceased while the job still made progress: the job outlived it'
	WHEN 'well again' THEN 'it says that something is well again, or was taken back so by the log that says it'
	WHEN 'harmless' THEN format('the fault library knows it as harmless (%s)', facts ->> 'harmless')
	ELSE format('the pool of %s does not have it, and none of the rules for unusual records takes it up',
		facts ->> 'pool_settings')
END || '.';
COMMENT ON FUNCTION @extschema@.l4_left_out_sentence(text, jsonb) IS
'Step: Why a shape is not reported, in words: the rule of l4_left_out_rule and the facts of l4_explained_shapes.';
