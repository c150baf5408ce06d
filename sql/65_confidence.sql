/*
 * How sure a finding is: what it stands on as a few numbers (its standing), and from these a probability, by a logistic model
 * whose coefficients are rows of l4_limit (confidence_<kind>_<name>), which l4_calibrate fits to labelled jobs.
 */

CREATE FUNCTION @extschema@.l4_confidence(kind text, standing jsonb, limits @extschema@.l4_limits) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT @extschema@.l4_logistic(sum(c.value::float8
		* CASE c.name WHEN 'base' THEN 1 ELSE COALESCE((l4_confidence.standing ->> c.name)::float8, 0) END
		ORDER BY c.name COLLATE "C"))
	FROM (
		SELECT substr(l.key, length(p.prefix) + 1) AS name, l.value
		FROM (SELECT 'confidence_' || l4_confidence.kind || '_' AS prefix) p, jsonb_each_text(to_jsonb(limits)) l
		WHERE starts_with(l.key, p.prefix)) c
	WHERE l4_confidence.standing IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_confidence(text, jsonb, @extschema@.l4_limits) IS
'Step: how likely a finding of a kind is right, 0 to 1: l4_logistic of confidence_<kind>_base and, for each further row '
'confidence_<kind>_<name> of l4_limit, it times the number under that name in standing (0 where there is none). NULL without '
'a standing, or for a kind without such rows.';

CREATE FUNCTION @extschema@.l4_node_standing(score double precision, rival double precision) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN jsonb_build_object('score', round(ln(1 + score)::numeric, 2),
	'lead', COALESCE(round((score / NULLIF(score + rival, 0))::numeric, 2), 0));
COMMENT ON FUNCTION @extschema@.l4_node_standing(double precision, double precision) IS
'Step: what suspicion of a unit stands on: how much evidence there is in all (score: ln of 1 + its sum), and how much more '
'than against any other unit (lead: its share of what there is against both; 1 where there is nothing against others). More '
'evidence makes both larger, never smaller.';
