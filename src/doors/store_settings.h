/*
 * store_settings.h: what decides how logs are read: the job and the rules in force. Needs a connected SPI.
 */
#ifndef L4_STORE_SETTINGS_H
#define L4_STORE_SETTINGS_H

#include "ground/l4.h"
#include "algorithms/shape_limit.h"
#include "algorithms/header.h"
#include "algorithms/place.h"
#include "algorithms/progress.h"

/* What import needs to know of a job. */
typedef struct L4Job
{
	const char *job_id;
	char	   *time_zone;
	TimestampTz started_at;		/* 0 where not known */
	L4Cluster	cluster;
	const char *tenant;			/* whose it is; NULL without tenants */
	uint64		salt;			/* what the ids of its shapes differ in from their hashes; 0 without tenants */
} L4Job;

/* The rules of the tables, compiled in the current memory context. */
typedef struct L4Rules
{
	L4Format   *formats;
	int			format_count;
	L4ProgressRules progress;
	L4Pattern **masks;
	int			mask_count;
	L4GraveWords grave;
} L4Rules;

/* The job, in the current memory context. Errors: P0002 where there is none. */
extern L4Job *store_job(const char *schema, const char *job_id);
/* All rules that are switched on. Errors: 2201B for a pattern that does not compile, with the rule's name. */
extern L4Rules *store_rules(const char *schema);
/* A hash over all that decides what a line of the job becomes: rules, time zone, start, nodes. */
extern int64 store_settings_hash(const char *schema, const char *job_id);

#endif							/* L4_STORE_SETTINGS_H */
