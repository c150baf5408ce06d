/*
 * flows.h: the simulated world, shared by the parts of the simulator: the cluster, its jobs, what is wrong with it, and the
 * records that its switches' collectors give.
 *
 * Times are seconds since the begin of the window; INFINITY is never. What waits for something that never comes is at INFINITY
 * itself, so a stall needs no code of its own.
 */
#ifndef FLOWS_FLOWS_H
#define FLOWS_FLOWS_H

#include <math.h>
#include <stdio.h>

#include "random.h"

#define LONGEST_NAME 24
#define INSIDE_RATE 300e9		/* bytes a second between accelerators of one server */

/* ---- the cluster ---- */

/* What has an address: an accelerator's NIC or, after those, a host outside the jobs (storage, clients). */
typedef struct
{
	char		address[LONGEST_NAME];
	int			server;
	int			rail;
	int			leaf;
	int			tenant;
	int			job;			/* its place in the list of jobs, -1: idle */
	int			rank;
} endpoint;

typedef struct
{
	int			servers;
	int			nics;			/* of each server */
	int			pod;			/* servers that share their leaf switches, one a rail */
	int			leaves;			/* the last is the one of the hosts outside */
	int			spines;
	int			accelerators;
	int			outside;		/* hosts outside, behind the accelerators in "all" */
	double		rate;			/* of a NIC, bytes a second */
	endpoint   *all;
} cluster;

/* Makes servers, NICs, addresses and switches. */
extern void cluster_make(cluster *c);

/* The name of a leaf or spine switch, from 0; name has room for LONGEST_NAME. */
extern void leaf_name(int leaf, char *name);
extern void spine_name(int spine, char *name);

/* The place of an endpoint that has this address or, for digits alone, this number; -1: none. */
extern int	cluster_find(const cluster *c, const char *subject);

/* Which spine a flow takes, by the hash of its addresses and its port; -1: its ends share a leaf. */
extern int	cluster_spine(const cluster *c, int source, int destination, unsigned port);

/* ---- shapes of jobs ---- */

typedef enum
{
	ONE_F_ONE_B,				/* one forward, one backward (PipeDream flush), interleaved if there are chunks */
	ZERO_BUBBLE,				/* the backward of the weights apart, where there would be a bubble (ZB-H1) */
	SHARDED						/* ZeRO-3 / FSDP: no pipeline, parameters gathered layer by layer */
} schedule_kind;

typedef enum
{
	RING,
	TREE,						/* two binary trees, each for half of the data */
	HIERARCHICAL				/* a ring in each pod, then one over the pods */
} collective_kind;

/* How a job is parallelised, and how much it moves. */
typedef struct
{
	int			dp, pp, tp, ep, cp;	/* ep is within dp */
	int			layers;			/* of experts, in a chunk */
	int			chunks;			/* virtual stages of a stage */
	int			microbatches;
	int			buckets;		/* of gradients; layers where SHARDED */
	int			channels;		/* of a collective at each NIC, each with a queue pair */
	int			pieces;			/* records of a bucket on a channel; as many as its ring has steps: the exact ring */
	int			zero1;			/* gradients are scattered, then parameters gathered (distributed optimizer) */
	int			norm;			/* the stages agree on the norm of the gradients before the optimizer */
	int			shard;			/* SHARDED among so many ranks, of which there are replicas (hybrid); 0: among all */
	int			overlap;		/* buckets go while the last backward still computes */
	int			split;			/* records of a message of the pipeline, each with a queue pair */
	int			evaluate;		/* after so many steps, 0: never */
	int			checkpoint;
	schedule_kind schedule;
	collective_kind collective;
	double		step;			/* seconds, about */
	double		data;			/* share of the data-parallel phase in it, about */
	double		activation;		/* bytes of a rank and microbatch */
} shape;

/* Reads "dp4,pp2,tp2,micro8,buckets4,..." into s, over what is there. Errors end the program. */
extern void shape_read(const char *text, shape *s);

/* One of the shapes that are built in, picked at random. */
extern shape shape_any(sequence *r, int nics);
extern int	shape_ranks(const shape *s);
extern const shape plain_shape;

/* ---- jobs ---- */

typedef enum
{
	PAIR_DATA,
	PAIR_PIPELINE,
	PAIR_EXPERT,
	PAIR_CONTEXT,
	PAIR_CONTROL,				/* a few bytes among the stages: the norm of the gradients */
	PAIR_STORAGE,
	PAIR_NOISE,					/* of no job */
	PAIR_KINDS
} pair_kind;

extern const char *const pair_names[];

/* One entry of a stage's plan: what it computes next. */
typedef enum
{
	FORWARD,
	BACKWARD,
	WEIGHTS						/* the second half of a backward */
} work_kind;

typedef struct
{
	work_kind	kind;
	int			microbatch;
	int			chunk;
} work;

/*
 * The ranks that reduce their gradients together. Those of one server exchange inside it; what crosses servers goes around
 * rings, one a channel, each with one NIC of each server.
 */
typedef struct
{
	int			members;
	int		   *member;			/* ranks */
	int		   *node_of;		/* for each member: which of the group's servers, from 0 */
	int			nodes;
	int			channels;
	int		   *hop;			/* channel * nodes + node: the rank whose NIC is used there */
	int			pods;			/* with as many of the servers each; 1: one, or they differ */
	double	   *ready;			/* for each node: when the last member there is ready */
} group;

typedef struct
{
	int			number;			/* from 1 */
	int			tenant;
	shape		plan;
	int			ranks;
	int			columns;		/* pipelines side by side: dp / ep */
	int			lanes;			/* ranks that wait for each other within a work: ep * cp * tp */
	int		   *seat;			/* of each rank: its place in cluster.all */
	double		began;			/* of the job; INFINITY where it never ended */
	double		ended;			/* no flow begins then or later */
	double		stops;			/* no step begins at or after this */
	sequence	random;
	double	   *speed;			/* of each rank: its own lasting deviation from 1 */
	long		step;			/* the next one */
	double		forward;		/* seconds of a microbatch in a chunk; the backward takes twice as long */
	double	   *bucket;			/* bytes of each */
	int			works;			/* entries of a stage's plan */
	work	   *order;			/* stage * works + i */
	double	   *arrives;		/* of activations and gradients at each stage of a column */
	group	   *data;			/* of each stage and tensor rank; of each shard's holders where SHARDED is hybrid */
	int			groups;
	group	   *replica;		/* of those who hold the same part of a shard then */
	int			replica_groups;
	group	   *expert;			/* of each rank of experts: what they reduce among themselves */
	int			expert_groups;
	/* of each rank, in the step that is simulated */
	double	   *since;			/* its begin: the end of the former data-parallel phase */
	double	   *now;			/* how far it is */
	double	   *computed;
	double	   *piped;			/* seconds of its pipeline flows */
	double	   *reduces;		/* begin of its data-parallel phase */
} job;

/* ---- what is wrong ---- */

typedef enum
{
	SLOW_ACCELERATOR,
	SLOW_LINK,
	SLOW_SWITCH,
	STALLED,
	DEAD_ACCELERATOR,
	FLAPPING					/* now and then, what it sends waits for a time-out */
} fault_kind;

extern const char *const fault_names[];

typedef struct
{
	fault_kind	kind;
	char		text[96];		/* as given */
	int			from_end;		/* endpoints, -1: not one */
	int			to_end;
	int			leaf;			/* switches, -1: not one */
	int			spine;
	int			upward;			/* a link from the leaf to the spine, not back */
	double		factor;			/* 0.2: 20 percent slower */
	double		began;
	double		ended;
} fault;

#define MOST_FAULTS 16

/* ---- records ---- */

typedef struct
{
	double		key;			/* what the records are sorted by */
	double		start;
	double		duration;
	int64_t		bytes;
	int			source;
	int			destination;
	unsigned	queue_pair;
	int			spine;			/* -1: the ends share a leaf */
	unsigned	retransmits;
	unsigned	port;
} flow;

/* ---- the whole ---- */

#define MOST_SHAPES 16

typedef struct
{
	const char *out;			/* folder */
	const char *scenario;
	uint64_t	seed;
	double		window;			/* seconds */
	int			jobs;
	int			shapes;
	shape		shape[MOST_SHAPES];
	int			any_shape;
	int			comes_and_goes;	/* jobs begin and end inside the window */
	int			scatter;		/* a job's servers are anywhere, not side by side */
	int			shared_servers;
	int			idle;			/* servers without a job */
	double		jitter;
	double		loss;
	double		idle_timeout;
	double		active_timeout;
	double		clock_offset;
	double		duplicates;
	double		out_of_order;
	double		bad;			/* share of records that cannot be right */
	double		noise;			/* flows a second */
	int			check;
	int			faults;
	fault		fault[MOST_FAULTS];
} settings;

typedef struct queue queue;
typedef struct writer writer;
typedef struct truth truth;
typedef struct merger merger;

typedef struct
{
	settings	set;
	cluster		net;
	int			jobs;
	job		   *job;
	merger	   *open;			/* records that may still grow */
	queue	   *waiting;		/* records until all earlier ones are known */
	writer	   *flows;			/* flows.csv */
	truth	   *truth;
	sequence	disturb;
	sequence	background;
	double		noise_until;	/* background flows are made up to here */
	double	   *offset;			/* of each leaf's clock */
	long		made;			/* flows, before any disturbance */
} world;

/* ---- the parts ---- */

/* settings.c: reads the command line, over the options of the scenario it names. scenarios.c: those options, NULL: no such. */
extern void settings_read(world *w, int count, char **arguments);
extern const char *scenario_options(const char *name);
extern void scenarios_list(void);

/* jobs.c: makes the jobs and gives them their accelerators. groups.c: who reduces with whom. */
extern void jobs_make(world *w);
extern void groups_make(world *w, job *j);

/* schedule.c: the order in which each stage computes. */
extern void schedule_make(job *j);

/* step.c: simulates the next step of a job. Returns before when none of its later flows can begin; INFINITY: no more. */
extern double step_simulate(world *w, job *j);

/* pipeline.c: the microbatches of a step, or the forwards of an evaluation. sharded.c: the same for SHARDED. */
extern void pipeline_run(world *w, job *j, int evaluation);
extern void sharded_run(world *w, job *j);

/* Of a layer, what each rank of a shard holds; 0 where it has no replicas. */
extern double part_of_shard(const job *j, double bytes);

/* Seconds that a rank computes what takes "seconds" on a healthy one. */
extern double compute_time(world *w, job *j, int rank, double seconds, double at);

/* exchange.c: what the lanes of a cell exchange amid a work (experts, contexts); at: when each is ready, then goes on. */
extern void exchange_run(world *w, job *j, int first, double *at, double bytes);

/* collective.c: reduces a bucket in a group; moves now[] of its members on. halves: 2 for all-reduce, 1 for half of it. */
extern void collective_run(world *w, job *j, group *g, double bytes, int halves);

/* pauses.c: evaluation and checkpoint after a step, if it is time. */
extern void pauses_run(world *w, job *j);

/* faults.c */
extern void fault_read(settings *s, const char *text);
extern void faults_resolve(world *w);
extern double fault_slows_compute(const world *w, int place, double at);	/* a factor of time */
extern double fault_slows_flow(const world *w, const flow *f);	/* a factor of the rate */
/* Seconds that a flow waits for time-outs, which it counts. */
extern double fault_delays(world *w, flow *f, sequence *r);
extern double fault_silences(const world *w, int source, int destination);	/* from when on */

/* network.c */
typedef struct
{
	pair_kind	kind;
	double		bytes;
	int			share;			/* flows that share the NIC meanwhile */
	int			channel;		/* of the pair; each has its queue pair */
	double		opened;			/* the record begins here if that is before; INFINITY: it does not */
} message;

/* Moves a message from one rank to another, from "at" on. Returns when it has arrived. */
extern double network_send(world *w, job *j, int from, int to, const message *m, double at);

/* The same between any two endpoints; j may be NULL, its random sequence is r. */
extern double network_move(world *w, job *j, sequence *r, int source, int destination, const message *m, double at);

/* noise.c: background flows that begin before "until". */
extern void noise_make(world *w, double until);

/* disturb.c: what collectors do to a flow on its way into the queue. */
extern void disturb_begin(world *w);
extern void disturb_add(world *w, const flow *f);

/* merge.c: puts messages of one queue pair together. merge_end: ends what has been silent up to "until"; returns the begin of
 * the earliest record that is still open. */
extern merger *merge_begin(void);
extern void merge_add(world *w, const flow *f);
extern double merge_end(world *w, double until);

/* queue.c: records in the order of their keys. */
extern queue *queue_begin(double window);
extern void queue_add(queue *q, const flow *f);
extern void queue_write(queue *q, double until, world *w);	/* those with keys before */

/* writer.c: CSV, quickly. */
extern writer *writer_open(const char *folder, const char *file, const char *head);
extern void write_flow(world *w, const flow *f);
extern void write_text(writer *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
extern void write_time(writer *o, double at);	/* empty for INFINITY */
extern long writer_close(writer *o);	/* bytes */

/* truth.c */
extern void truth_begin(world *w);
extern void truth_flow(world *w, const job *j, pair_kind kind, const flow *f);
extern void truth_step(world *w, const job *j);
extern void truth_pause(world *w, const job *j, const char *kind, double began, double ended);
extern void truth_end(world *w);

/* check.c: what must hold of the truth; tells what does not. check_end: does all of it hold? */
extern void check_begin(const job *j);	/* of a step */
extern void check_flow(const world *w, const job *j, pair_kind kind, const flow *f);
extern void check_step(const world *w, const job *j);
extern int	check_end(const world *w);

/* flows.c: ends the program. */
extern void fail(const char *what, const char *name) __attribute__((noreturn));
extern void *take(size_t size);	/* zeroed memory */

#endif
