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
	ENDS_SLOW					/* never: it is slow, and the job is cancelled */
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
	LABEL_KERNEL, LABEL_WARNING, LABEL_ERROR, LABEL_PEER, LABEL_LAUNCHER_ROOT, LABEL_LAUNCHER_EFFECT, LABEL_CONTROLLER, LABELS
};

typedef struct framework framework;

typedef struct job
{
	const char *id;
	const framework *style;
	const fault *what;
	long		nodes;
	long		ranks_per_node;
	long		ranks;
	long		iterations;		/* that are run; a failed job had more before it */
	long		planned;
	long		fault_node;
	long		fault_rank;
	long		step_time;		/* microseconds, about */
	uint64_t	seed;
	int64_t		started;		/* microseconds since 1970 */
	int64_t    *begins;			/* when each iteration begins, and after the last one its end */
	int64_t		fault_time;
	int64_t		ended;
	label		labels[LABELS];
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
} rank;

typedef enum
{
	DEBUG, INFO, WARNING, ERROR
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

/* A record of a rank: head of the framework, message as for text_add, end of line. */
extern void say(rank *r, level l, const char *module, const char *place, const char *format, ...);

/* How a rank's log ends, by the job's fault. */
extern void rank_ends(rank *r);
/* What the fault leaves in the system log of a node, the launcher's of a node, and the controller's. */
extern void kernel_tells(job *j, text *out, long node);
extern void launcher_tells(job *j, text *out, long node);
extern void controller_tells(job *j, text *out);

#endif
