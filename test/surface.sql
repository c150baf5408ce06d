-- What users call, by task, in the order of docs/reference.md. All other functions are steps: their COMMENT begins with
-- "Step: ", and docs/steps.md has them. test/sql/catalog.sql checks both.
CREATE TEMP TABLE surface_task (turn int, task text, names text[]);
INSERT INTO surface_task VALUES
	(1, 'Load the logs of jobs', '{l4_register_job,l4_import,l4_ingest,l4_ingest_inbox,l4_inbox_fluentbit,l4_learn_addresses,
		l4_learn_rank_nodes, l4_learn_ranks}'),
	(2, 'Read and search logs', '{l4_grep,l4_context,l4_wrap,l4_printable,l4_parse}'),
	(3, 'Diagnose', '{l4_diagnose,l4_explain_event,l4_restart_advice,l4_iteration_scores,l4_report,l4_save_diagnosis,
		l4_first_error,l4_diff,l4_worst_nodes,l4_notify}'),
	(4, 'Confirm faults and learn from them', '{l4_confirm_fault,l4_backtest_fault,l4_activate_fault,l4_retire_fault,
		l4_override_fault,l4_judge_fault,l4_note_fault,l4_import_failure_reports,l4_similar_failures,l4_match_faults,
		l4_export_faults,l4_import_faults}'),
	(5, 'Measure how good the diagnosis is', '{l4_evaluate,l4_evaluate_summary,l4_calibrate}'),
	(6, 'Keep, drop, administer', '{l4_drop_log_text,l4_delete_job,l4_forget_shapes,l4_recluster,l4_prepare_subscriber,
		l4_create_roles,l4_enable_tenancy,l4_disable_tenancy,l4_distribute,l4_undistribute,l4_is_distributed}'),
	(7, 'Diagnose by network flows', '{l4_diagnose_flows,l4_flow_step_check,l4_flow_diagnose,l4_flow_jobs,
		l4_flow_groups,l4_flow_pairs,l4_flow_steps,l4_flow_report,l4_watch_flows,l4_flow_watch_report,l4_create_flow_partitions,
		l4_drop_flows}'),
	(8, 'Algorithms for tables of your own', '{l4_drain,l4_iforest_rank,l4_dtw_scores,l4_dtw_distance,l4_edit_distance,
		l4_change_points,l4_online_change_points,l4_period,l4_connected_components,
		l4_flow_messages,l4_regular_interval,l4_together,l4_answers,l4_bursts,
		l4_step_phases,l4_step_rounds,l4_step_cycles,l4_step_work,l4_step_overdue,l4_step_traffic,l4_step_places,
		l4_repeated_share,l4_step_beside,l4_step_early,l4_step_exchanges,l4_exchanges_behind,l4_late_messages,
		l4_logistic_fit,l4_logistic,
		l4_hypergeometric_tail,l4_shape,l4_shape_id,l4_pattern_matches,l4_match_patterns,l4_escape_pattern,l4_line_pattern}');
CREATE TEMP VIEW surface AS
SELECT t.turn, t.task, n.name COLLATE "C" AS name, n.place FROM surface_task t, unnest(t.names) WITH ORDINALITY n (name, place);
