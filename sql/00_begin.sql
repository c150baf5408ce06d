/* l4: diagnosis of failed LLM training jobs from their logs. Joined by make from sql/NN_*.sql; edit those. */
\echo Use "CREATE EXTENSION l4" to load this file. \quit

/*
 * The script looks up what it does not qualify in pg_catalog, so that bodies can say count(*); l4's own objects are always
 * qualified. Bodies of functions in SQL (BEGIN ATOMIC, RETURN) and views are bound to what they name here, whatever search_path
 * they are called under.
 */
SET LOCAL search_path = pg_catalog, pg_temp;
