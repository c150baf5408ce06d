/* scenarios_show.sql: prints bench_more, by class. */
\pset footer off
\pset null ''
\echo 'Each class, nodes at fault named at all, rank, first event, component and attempts:'
SELECT fault, count(*) AS jobs, round(avg(named)::numeric, 3) AS named, round(avg(rank)::numeric, 3) AS rank,
	round(avg(root_first)::numeric, 3) AS root_first, round(avg(component)::numeric, 3) AS component,
	round(avg(attempt)::numeric, 3) AS attempt
FROM bench_more GROUP BY ROLLUP (fault) ORDER BY fault COLLATE "C" NULLS LAST;
