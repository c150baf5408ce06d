/*
 * Logistic regression of few features, for whatever is to get a probability.
 */

CREATE FUNCTION @extschema@.l4_logistic(x double precision) RETURNS double precision
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_logistic';
COMMENT ON FUNCTION @extschema@.l4_logistic(double precision) IS
'The logistic function 1 / (1 + exp(-x)), for any x without overflow: from the sum of features times coefficients '
'(l4_logistic_fit) to a probability. NULL for NULL.';

CREATE FUNCTION @extschema@.l4_logistic_fit(outcomes boolean[], features double precision[],
	weights double precision[] DEFAULT NULL, penalty double precision DEFAULT 1, prior double precision[] DEFAULT NULL,
	bounded boolean[] DEFAULT NULL) RETURNS double precision[]
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'l4_logistic_fit';
COMMENT ON FUNCTION @extschema@.l4_logistic_fit(boolean[], double precision[], double precision[], double precision,
	double precision[], boolean[]) IS
'Logistic regression with a ridge penalty: the coefficients of the features with which l4_logistic(sum of coefficient * '
'feature) fits the outcomes best. features: a row for each outcome (array_agg of arrays, both in one order); for an '
'intercept one of them is 1 in all rows. weights: of the rows, NULL for 1 each. The loss is the sum of weight * -ln('
'probability of the outcome), plus penalty / 2 * the squared distance of the coefficients from prior (NULL: 0), which '
'so few rows leave them near. bounded: which coefficients must not be negative (NULL: none). There is one best fit for any '
'data, and it does not depend on a start. NULL if outcomes or features is. Errors: 2202E arrays that do not fit each other; '
'22004 NULL elements; 22003 a number beyond 1e30, a negative weight; 22023 a penalty that is not positive; 54000 more '
'than 64 features. Time about 10 * rows * features^2.';
