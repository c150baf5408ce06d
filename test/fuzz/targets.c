/*
 * targets.c: the list of all targets.
 */
#include "fuzz.h"

const FuzzEntry fuzz_targets[] = {
	{"stored_segment", fuzz_stored_segment, "lines", fuzz_stored_segment_seed, 4},
	{"stored_statistics", fuzz_stored_statistics, "lines", fuzz_stored_statistics_seed, 4},
	{"stored_counts", fuzz_stored_counts, "lines", fuzz_stored_counts_seed, 4},
	{"blob", fuzz_blob, "lines", fuzz_blob_seed, 4},
	{"counts_state", fuzz_counts_state, "lines", fuzz_counts_state_seed, 4},
	{"forest_state", fuzz_forest_state, "lines", fuzz_forest_state_seed, 4},
	{"scores_state", fuzz_scores_state, "lines", fuzz_scores_state_seed, 4},
	{"components_state", fuzz_components_state, "lines", fuzz_components_state_seed, 4},
	{"flows_state", fuzz_flows_state, "lines", fuzz_flows_state_seed, 4},
	{"steps_state", fuzz_steps_state, "lines", fuzz_steps_state_seed, 4},
	{"segment", fuzz_segment, "lines", NULL, 1},
	{"site_rules", fuzz_site_rules, "site_rules", NULL, 2},
	{"records", fuzz_records, "lines", NULL, 1},
	{"prefixes", fuzz_line_prefixes, "lines", NULL, 1},
	{"times", fuzz_times, "lines", NULL, 4},
	{"masks", fuzz_masks, "lines", NULL, 4},
	{"drain", fuzz_drain, "lines", NULL, 2},
	{"patterns", fuzz_patterns, "patterns", NULL, 2},
	{"distances", fuzz_distances, "distances", NULL, 2},
	{"components", fuzz_components, "lines", NULL, 4},
	{"online_changes", fuzz_online_changes, "lines", NULL, 1},
	{"period", fuzz_period, "lines", NULL, 2},
	{"flow_messages", fuzz_flow_messages, "lines", NULL, 2},
	{"intervals", fuzz_intervals, "lines", NULL, 2},
	{"step_phases", fuzz_step_phases, "lines", NULL, 2},
	{"places", fuzz_places, "places", NULL, 2},
	{"exports", fuzz_exports, "exports", NULL, 4},
	{"unpack", fuzz_unpack, "lines", fuzz_unpack_seed, 1},
};
const int	fuzz_target_count = lengthof(fuzz_targets);
