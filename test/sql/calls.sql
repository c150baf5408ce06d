-- How often a diagnosis calls steps that read logs or make a parser: where a query asks them for each of its rows, a job of
-- some ranks takes minutes.
\getenv abs_srcdir PG_ABS_SRCDIR
SET client_min_messages = warning;
\set logs :abs_srcdir '/data/demo/ds-f02.tar.gz'
SELECT l4_register_job('often', status => 'failed') \g /dev/null
CALL l4_import('often', :'logs');
SET track_functions = 'all';
SELECT count(*) > 0 AS diagnosed FROM l4_diagnose('often');
SELECT pg_stat_force_next_flush() \g /dev/null
SELECT u.funcname, u.calls <= (SELECT 2 * count(*) FROM l4_onsets('often')) AS once_a_place
FROM pg_stat_user_functions u WHERE u.funcname = 'l4_latest_time';
SELECT l4_delete_job('often') \g /dev/null
