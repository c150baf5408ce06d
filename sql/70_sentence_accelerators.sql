/* Sentences of findings of flows: made last, read by nobody but people. */

CREATE FUNCTION @extschema@.l4_sentence_flow(finding @extschema@.l4_flow_finding) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 100
BEGIN ATOMIC
	SELECT CASE WHEN (finding).facts ? 'went_on' THEN format('The job stood still amid a step from %s to %s, and went on: %s.',
			w.began, w.ended, CASE (finding).kind WHEN 'silent' THEN 'for whom it waited cannot be told'
				ELSE 'it waited for ' || w.who END)
		ELSE CASE (finding).kind
		WHEN 'stalled' THEN CASE WHEN (finding).facts ? 'exchanges'
			THEN format('%s sends no more since %s: of the exchange that was cut off then it had sent least, and the job '
				'stands still.', w.who, w.began)
			ELSE format('%s sends no more since %s, while others still send to it; %s did not come, and the job stands still.',
				w.who, w.began, (finding).facts ->> 'missed') END
		WHEN 'missing' THEN CASE WHEN ((finding).facts ->> 'job_stopped')::boolean
			THEN format('%s is silent since %s; %s did not come, and the job stands still.', w.who, w.began,
				(finding).facts ->> 'missed')
			ELSE format('%s (%s) is silent since %s, while its job goes on.', (finding).subject,
				(finding).facts ->> 'server', w.began) END
		WHEN 'silent' THEN format('The job of %s accelerators (%s and others) sends nothing since %s%s.',
			(finding).facts ->> 'accelerators', (finding).facts ->> 'address', w.began,
			CASE WHEN ((finding).facts ->> 'job_stopped')::boolean
					THEN ', amid a step; which of them stands still cannot be told'
				WHEN ((finding).facts ->> 'flows')::bigint > 0 THEN ': it has ended, or stands still'
				ELSE ', and nobody else does: the collector of flows may stand still' END)
		WHEN 'time_outs' THEN format('%s of %s waited for time-outs with %s messages from %s to %s, all others with %s: such a '
			'network interface often fails soon.', (finding).subject, (finding).facts ->> 'server',
			(finding).facts ->> 'messages', w.began, w.ended, (finding).facts ->> 'elsewhere')
		WHEN 'slow_link' THEN format('%s %s %s%% less than its like from %s to %s.', (finding).subject,
			COALESCE((finding).facts ->> 'end', 'moves'), w.less, w.began, w.ended)
		WHEN 'slow_switch' THEN format('What passes %s moves %s%% less than its like from %s to %s (%s pairs).',
			(finding).subject, w.less, w.began, w.ended, (finding).facts ->> 'slow_pairs')
		WHEN 'slow_group' THEN format('The data-parallel group of %s (%s accelerators) moves %s%% less than the others from '
			'%s to %s, on %s of its %s links.', (finding).subject, jsonb_array_length((finding).facts -> 'members'), w.less,
			w.began, w.ended, (finding).facts ->> 'slow_pairs', (finding).facts ->> 'pairs')
		WHEN 'slow_accelerator' THEN format('%s computes %s%% longer than its like from %s to %s, and others wait for it.',
			(finding).subject, w.more, w.began, w.ended)
		WHEN 'slow_step' THEN format('Steps took %s%% longer (%s s, not %s s) from %s to %s, beginning with %s.', w.more,
			round(((finding).facts ->> 'seconds')::numeric, 3), round(((finding).facts ->> 'usual')::numeric, 3), w.began,
			w.ended, (finding).subject)
		END END
	FROM (SELECT to_char(to_timestamp((finding).began) AT TIME ZONE 'UTC', 'HH24:MI:SS"Z"') AS began,
		to_char(to_timestamp((finding).ended) AT TIME ZONE 'UTC', 'HH24:MI:SS"Z"') AS ended,
		round(100 * (1 - (finding).factor)::numeric) AS less, round(100 * ((finding).factor - 1)::numeric) AS more,
		CASE WHEN jsonb_path_exists((finding).facts, '$.accelerators[1]')
			THEN format('%s (one of %s accelerators that stopped together)', (finding).subject,
				jsonb_array_length((finding).facts -> 'accelerators'))
			ELSE format('%s (%s)', (finding).subject, (finding).facts ->> 'server') END AS who) w;
END;
COMMENT ON FUNCTION @extschema@.l4_sentence_flow(@extschema@.l4_flow_finding) IS
'Step: What a finding of flows says, for people; times in UTC.';
