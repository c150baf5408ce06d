/*
 * workers.h: the one door to other processes: background workers that act for the calling session, with its user, role and
 * settings.
 */
#ifndef L4_WORKERS_H
#define L4_WORKERS_H

#include "ground/l4.h"
#include "nodes/pg_list.h"
#include "storage/dsm.h"

/* ---------- the leader's side ---------- */

typedef struct L4Workers L4Workers;

/* What became of a worker that did not finish. */
typedef struct L4WorkerFailure
{
	int			number;			/* from 1 */
	int			pid;
	int			task;			/* what worker_set_task said last, or -1: it was between two tasks */
	int			first;
	int			end;
	int			sqlstate;		/* of its error, 0 where it ended without a word */
	char	   *message;		/* likewise NULL */
	char	   *detail;
	char	   *hint;
} L4WorkerFailure;

/*
 * May workers act for this session? Not inside a SECURITY DEFINER function or another change of user that they could not take
 * over.
 */
extern bool workers_may_act(void);

/*
 * Makes shared memory of the given size (zeroed) and the channels for so many workers; they stay across transactions until
 * workers_stop, which the caller must reach on every path (PG_CATCH). An exit of the process stops the workers too.
 */
extern L4Workers *workers_create(Size shared_size, int most);
extern void *workers_shared(L4Workers *workers);
extern dsm_segment *workers_segment(L4Workers *workers);

/*
 * Starts so many workers at most: function is the C function of this library that they run, what says for whom in
 * pg_stat_activity. Returns how many slots were free.
 */
extern int	workers_start(L4Workers *workers, const char *function, const char *what, int count);

/*
 * Takes what the workers reported since: warnings are raised here as the caller's own. Never waits. Returns how many still run.
 */
extern int	workers_listen(L4Workers *workers);
/* How many of those that run wait in worker_pause; lets them go on. */
extern int	workers_paused(L4Workers *workers);
extern void workers_resume(L4Workers *workers);

/* Does the process with this id still run? The caller itself does, and so does any worker that was heard of last as running. */
extern bool workers_runs(const L4Workers *workers, int pid);

/* Waits for news of any worker, or so many milliseconds. Can be cancelled. */
extern void workers_wait(long milliseconds);

/*
 * The next one that has ended before it was done, each once; NULL where there is no more just now. Valid until
 * workers_stop.
 */
extern L4WorkerFailure *workers_next_failure(L4Workers *workers);

/* Ends all workers that still run, waits until they are gone and frees the shared memory. Never raises. */
extern void workers_stop(L4Workers *workers);

/* ---------- a worker's side ---------- */

typedef struct L4Worker L4Worker;

/*
 * Becomes the leader's session: database, user, role, settings. To be called first, with the argument of the worker's function.
 * No transaction runs afterwards.
 */
extern L4Worker *worker_begin(Datum argument);
/* Its number among the workers, from 0. */
extern int	worker_number(const L4Worker *worker);
/* Waits until the leader calls workers_resume. */
extern void worker_pause(L4Worker *worker);
extern void *worker_shared(L4Worker *worker);
extern dsm_segment *worker_segment(L4Worker *worker);
/*
 * Notes what the worker is at, for the leader should it end: a task, or -1 for none, of those from first to before end
 * that get done together or not at all.
 */
extern void worker_set_task(L4Worker *worker, int task, int first, int end);
/*
 * Raises a warning in the leader. Waits while the channel is full: to be called outside transactions, where nobody can wait for
 * this worker. detail and hint may be NULL.
 */
extern void worker_warn(L4Worker *worker, const char *message, const char *detail, const char *hint);
/* The work is done. */
extern void worker_finish(L4Worker *worker);
/*
 * In PG_CATCH: aborts the transaction, logs the error and reports it to the leader. The worker's function should return then.
 */
extern void worker_fail(L4Worker *worker);

#endif							/* L4_WORKERS_H */
