/* job.h: the job that is generated, shared by the parts of the generator. */
#ifndef GENERATE_JOB_H
#define GENERATE_JOB_H

#include "text.h"

/* What becomes of the rank that the fault hits. */
typedef enum
{
	ENDS_WELL,					/* no fault */
	ENDS_WITH_ERROR,			/* a traceback, then exit code 1 */
	ENDS_KILLED,				/* without a word; its launcher reports the signal */
	ENDS_STUCK,					/* without a word; its process stays */
	ENDS_NODE_GONE,				/* nothing more from its whole node */
	ENDS_EVERYWHERE,			/* every rank ends with the same error */
	ENDS_SLOW,					/* never: it is slow, and the job is cancelled */
	ENDS_CANCELLED				/* by the scheduler */
} ending;

/* What the other ranks see. */
typedef enum
{
	PEERS_NOTHING,
	PEERS_CLOSED,				/* connections that the faulty rank's end closed, after a moment */
	PEERS_TIMEOUT				/* collectives that time out, after minutes */
} peers;

typedef struct fault
{
	const char *name;
	const char *category;		/* of the root cause: hardware, user, framework, platform */
	const char *subtype;
	const char *symptom;
	const char *stage;
	const char *kernel[3];		/* lines of the kernel in the system log of the faulty node */
	const char *kernel_label;	/* regular expression for them */
	const char *error;			/* last line of the faulty rank's traceback */
	const char *error_label;
	const char *warning;		/* line of the faulty rank before it */
	ending		end;
	peers		others;
	int			delay;			/* seconds until the others notice */
} fault;

/* Who logs a statement of a scenario. "Hit" are the nodes at fault; of each of them one rank, the hit rank. */
typedef enum
{
	EVERYONE,
	HIT,						/* the hit ranks */
	HIT_1, HIT_2, HIT_3,		/* every third of them, from the first, second and third on */
	ALL_BUT_HIT_2,
	PEERS,						/* all but the hit ranks */
	CHAIN,						/* the same, one after another by their distance in the ring of nodes */
	BEFORE_HIT, AFTER_HIT,		/* the ring's neighbours of the first hit rank */
	SPOKESMAN,					/* the first or, with an even seed, the last rank: both speak for all in the routine */
	SAVERS,						/* two ranks, of the nodes' two halves */
	SOME,						/* an eighth of the ranks of other nodes */
	ONE,						/* a rank far from the first hit one */
	BOTH_ENDS,					/* the first rank and the last */
	HALF, OTHER_HALF,			/* some half of the ranks, and the other one */
	OTHER_NODES					/* all but those of the first node at fault, or that would be */
} who;

/* When: so many iterations before the fault (0 is the fault itself), or one of these. */
#define AT_START (-1)
#define AT_FIRST_FAULT (-2)		/* of a job that is restarted after it; hit is another node then */

/*
 * One statement of a scenario. Text holds {names} of values and <alternatives|of words> of which the job's seed picks one; a
 * label of it finds the lines that begin neither with a blank nor with "Traceback".
 */
typedef struct statement
{
	who			by;
	int			when;
	int			after;			/* milliseconds later */
	int			severity;		/* a level, or RAW: without a head, so without a time */
	const char *role;			/* of its label, NULL: tells nothing of the failure */
	const char *text;
} statement;

/* A fault that is told by statements alone; the fields of base from kernel to warning stay empty. */
typedef struct scenario
{
	fault		base;
	const char *component;		/* of the code that failed, NULL: none */
	const statement *says;		/* up to one without text */
	int			hits;			/* nodes at fault; A_THIRD of all */
	int			spread;			/* from one of them to the next */
	int			slower;			/* percent by which steps take longer from half of the job on */
	int			nodes;			/* that all ranks are on, if not as many as wanted */
	int			lasts;			/* iterations from the first sign to the failure */
	int			odd_driver;		/* hit nodes have another driver */
	int			shared;			/* one file of all ranks */
	int			restarts;
	int			early;			/* it fails before its first iteration */
} scenario;

#define A_THIRD (-3)
#define STATEMENTS 12			/* of a scenario, at most */

/* Lines that indicate the failure, as counted while they are written. */
typedef struct label
{
	const char *files;
	const char *regex;
	const char *role;
	long		lines;
	long		files_with;
} label;

enum
{
	LABEL_KERNEL, LABEL_WARNING, LABEL_ERROR, LABEL_PEER, LABEL_LAUNCHER_ROOT, LABEL_LAUNCHER_EFFECT, LABEL_RESTART,
	LABEL_CONTROLLER, LABEL_DRIVER, LABELS
};

typedef struct framework framework;

typedef struct job
{
	const char *id;
	const framework *style;
	const fault *what;
	const scenario *plays;		/* what is one of */
	long		dialect;		/* of the framework "house" */
	int			shared;
	long		nodes;
	long		ranks_per_node;
	long		ranks;
	long		iterations;		/* that are run; a failed job had more before it */
	long		planned;
	long		restart;		/* iterations run until then, 0: none */
	long		back;			/* of them are run again */
	long		fault_node;
	long		fault_rank;
	long		hit_delay;		/* seconds from the fault until the hit ranks end, */
	long		delay;			/* and until the others notice */
	long		step_time;		/* microseconds, about */
	uint64_t	seed;
	int64_t		started;		/* microseconds since 1970 */
	int64_t    *begins;			/* when each iteration begins, and after the last one its end */
	int64_t		fault_time;
	int64_t		ended;
	label		labels[LABELS];
	label		told[STATEMENTS];
} job;

/* One rank while its log is written. */
typedef struct rank
{
	job		   *of;
	text	   *out;
	long		rank;
	long		node;
	long		local;
	long		pid;
	int64_t		step;			/* microseconds of its iteration, waiting included */
	long		iteration;		/* that it is in, and milliseconds of parts of it, for house.c */
	long		fetch;
	long		compute;
	long		exchange;
} rank;

typedef enum
{
	DEBUG, INFO, WARNING, ERROR, RAW
} level;

/* A framework: how a line of it begins, and what a rank logs at its start, in an iteration and at a good end. */
struct framework
{
	const char *name;
	const char *software;		/* as in the job's settings */
	void		(*head) (rank *r, level l, const char *module, const char *place);
	void		(*start) (rank *r);
	void		(*iterate) (rank *r, long iteration, long length);
	void		(*finish) (rank *r);
	const char *module;			/* of error lines */
	const char *place;
};

extern const framework *framework_named(const char *name);
extern const fault *fault_named(const char *name);
extern const scenario *scenario_named(const char *name);
/* The names of all scenarios, one a line. */
extern void list_scenarios(void);

/* Is a checkpoint saved at the end of an iteration? Before a fault of the saving one is. */
extern int	saves(const rank *r, long iteration);
/* The loss of an iteration, times 10^4; the same on all ranks. */
extern long loss_of(const rank *r, long iteration);
/* Lets the clock of a rank go on by microseconds, a little more or less: by how many. */
extern long pass(rank *r, long microseconds);

/* Which of the nodes at fault a node is, from 0; -1: none. */
extern long hit_number(const job *j, long node);
/* The iteration that is the i-th one run, from 0. */
extern long iteration_at(const job *j, long i);
/* Milliseconds until the last statement of hit ranks, or of all, after the fault (or another moment). */
extern long last_word(const scenario *s, int when, int hit_only);
/* What a rank logs of the scenario so many iterations before the fault; moment: the time of that. */
extern void rank_tells(rank *r, int when, int64_t moment);
/* A text of a scenario or dialect in a rank's words, or (rank NULL) as a regular expression of its lines. */
extern void render(const job *j, const rank *r, text *out, const char *words, uint64_t choice);
/* The regular expression of a statement's label, ended by a zero byte. */
extern void label_words(const job *j, const statement *said, text *out);

/* The made-up framework (house.c). */
extern void house_head(rank *r, level l, const char *module, const char *place);
extern void house_start(rank *r);
extern void house_iterate(rank *r, long iteration, long length);
extern void house_finish(rank *r);

/* A record of a rank: head of the framework, message as for text_add, end of line. */
extern void say(rank *r, level l, const char *module, const char *place, const char *format, ...);

/* Counts lines of a label, which all stand in one file. */
extern void count(label *l, const char *files, const char *regex, const char *role, long lines);

/* How a rank's log ends, by the job's fault. */
extern void rank_ends(rank *r);
/* What the fault leaves in the system log of a node, the launcher's of a node, and the controller's. */
extern void kernel_tells(job *j, text *out, long node);
extern void launcher_tells(job *j, text *out, long node);
extern void launcher_restarts(job *j, text *out, long node);
extern void srun_tells(job *j, text *out);
extern void controller_tells(job *j, text *out);

#endif
