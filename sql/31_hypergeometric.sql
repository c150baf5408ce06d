/*
 * The hypergeometric distribution: is it chance that so many of those drawn are marked (Fisher's exact test, one-sided)?
 */

CREATE FUNCTION @extschema@.l4_hypergeometric_tail(hits bigint, drawn bigint, marked bigint, total bigint)
	RETURNS double precision
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20 AS 'MODULE_PATHNAME', 'l4_hypergeometric_tail';
COMMENT ON FUNCTION @extschema@.l4_hypergeometric_tail(bigint, bigint, bigint, bigint) IS
'How likely it is by chance that of drawn out of total, of which marked are marked, hits or more are: the p value of Fisher''s '
'exact test, one-sided. Such as: of 400 jobs on nodes (total) 12 were the node''s fault (marked); one node took part in 20 '
'(drawn), and 4 were its fault (hits). NULL for NULL. Errors: 22023 where drawn or marked is negative or more than total, or '
'total more than 1000000000. Cost: microseconds.';
