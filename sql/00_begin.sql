/* l4: diagnosis of failed LLM training jobs from their logs. Joined by make from sql/NN_*.sql; edit those. */
\echo Use "CREATE EXTENSION l4" to load this file. \quit
