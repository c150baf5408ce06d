-- What rings of which all links are slow have in common; pieces that go at the rate of the wire; evaluations between steps.
SET search_path = public;
SET client_min_messages = warning;
\set VERBOSITY terse

-- Two steps: first pieces, small and many, are as quick as ever; what a quarter of the bytes has at least is slow in the
-- second.
SELECT ARRAY(SELECT round((b / s)::numeric, 1) FROM unnest((t).bytes, (t).busy) x(b, s)) AS rates
FROM (SELECT l4_step_traffic(array_agg(at ORDER BY at), array_agg(bytes::real ORDER BY at),
		array_agg((bytes / rate)::real ORDER BY at), array_agg(1::smallint ORDER BY at), 0, '{0,100,200}', 0.25) AS t
	FROM (SELECT step * 100 + n AS at, CASE WHEN n % 2 = 1 THEN 1 ELSE 200 END AS bytes,
			CASE WHEN step = 1 AND n % 2 = 0 THEN 20.0 ELSE 40 END AS rate
		FROM generate_series(0, 1) step, generate_series(1, 20) n) m) x;

-- Thirty-six steps of ten layers, forwards and backwards; two of them, twenty apart, begin behind an evaluation, for which all
-- layers go forwards twice: that ends no step of twenty microbatches. Where more goes backwards in two of them it may.
CREATE TEMP TABLE layer AS
SELECT step, layer, step * 0.62 + CASE WHEN step > 6 THEN 0.44 ELSE 0 END + CASE WHEN step > 26 THEN 0.44 ELSE 0 END
	+ LEAST(layer, 10) * 0.02 + GREATEST(layer - 10, 0) * 0.04 + sin(step * 7 + layer * 3) * 0.001 AS at, layer >= 10 AS back
FROM generate_series(0, 35) step, generate_series(0, 19) layer;
CREATE TEMP TABLE evaluated AS
SELECT at, (CASE WHEN back THEN 1 ELSE 5 END)::real AS bytes FROM layer
UNION ALL
SELECT step * 0.62 + CASE WHEN step > 7 THEN 0.44 ELSE 0 END + n * 0.02, 5
FROM unnest('{7,27}'::int[]) step, generate_series(0, 21) n;
SELECT e.case, (c).microbatches, cardinality((c).ended) AS steps
FROM (SELECT 'evaluated' AS case, l4_step_cycles(array_agg(at ORDER BY at), array_agg(0.001::real ORDER BY at),
			array_agg(bytes ORDER BY at), 1.3, 0.35, 4, 0.6, 0.1, 1.3, 5, 0.5) AS c FROM evaluated
	UNION ALL
	SELECT 'backwards', l4_step_cycles(array_agg(at ORDER BY at), array_agg(0.001::real ORDER BY at),
			array_agg((CASE WHEN back AND step IN (6, 26) THEN 60 WHEN back THEN 1 ELSE 5 END)::real ORDER BY at),
			1.3, 0.35, 4, 0.6, 0.1, 1.3, 5, 0.5)
		FROM (SELECT step, back, step * 0.62 + LEAST(layer, 10) * 0.02 + GREATEST(layer - 10, 0) * 0.04
				+ sin(step * 7 + layer * 3) * 0.001 AS at FROM layer) l) e
ORDER BY 1 DESC;

-- Rings of four servers on two leaves, with a spine from one leaf to the other that three have in common, and one back of its
-- own; from step 20 to 39 links are slower by such factors.
CREATE FUNCTION pg_temp.rings(rings int, slowness float8[]) RETURNS SETOF l4_flow_trace LANGUAGE sql AS $$
	SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'kind', 'accelerator',
		'source', format('r%s-%s', r, p), 'server', format('server-%s', p), 'period', 1, 'last_at', 61))
	FROM generate_series(1, rings) r, generate_series(1, 4) p
	UNION ALL
	SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'kind', 'data',
		'source', format('r%s-%s', r, p), 'destination', format('r%s-%s', r, p % 4 + 1), 'server', format('server-%s', p),
		'path', CASE WHEN p = 2 THEN format('leaf-1-%s,spine-%s,leaf-2-%s', r, 1 + r / 4, r)
			WHEN p = 4 THEN format('leaf-2-%s,spine-1%s,leaf-1-%s', r, r, r) ELSE format('leaf-%s-%s', 1 + p / 2, r) END,
		'period', 1, 'moved', jsonb_agg(100 ORDER BY n),
		'busy', jsonb_agg(CASE WHEN n BETWEEN 20 AND 39 THEN slowness[4 * (r - 1) + p] ELSE 1 END * (1 + 0.001 * (n % 3))
			ORDER BY n),
		'began', jsonb_agg(n ORDER BY n)))
	FROM generate_series(1, rings) r, generate_series(1, 4) p, generate_series(1, 60) n GROUP BY r, p
$$;
SELECT t.case, e.kind, e.subject, round(e.factor::numeric, 2) AS factor, e.facts - 'links' - 'members' AS facts
FROM (VALUES ('1: all of one ring alike', 1, '{2,2,2,2}'::float8[]), ('2: one link of it is slowest', 1, '{1.9,1.9,2,1.9}'),
	('2: one is slowest by next to nothing', 1, '{1.99,1.99,2,1.99}'),
	('3: three rings through one spine, one not', 4, '{2,2,2,2,2,2,2,2,2,2,2,2,1,1,1,1}')) t("case", rings, slowness),
	LATERAL l4_slow_elements(ARRAY(SELECT r FROM pg_temp.rings(t.rings, t.slowness) r), l4_limits_in_force()) e
ORDER BY 1, 2, 3;
