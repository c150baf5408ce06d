/*
 * workers.c: background workers that act for the calling session, with its user, role and settings.
 *
 * The server's own parallel workers may not write and share their leader's transaction; an import writes, and commits file by
 * file. So these are dynamic background workers with transactions of their own. They take over what a session is made of the
 * way parallel workers do: login user, session user, role, loaded libraries and all settings. They gain no right by it and lose
 * none: each connects as the login user, and what the leader had become by SET SESSION AUTHORIZATION or SET ROLE is checked
 * again on the way.
 *
 * Reports travel through a queue per worker. A worker sends only between transactions, when nobody can wait for it; so a leader
 * that waits for a lock and a worker that waits for the leader to listen can never wait for each other.
 */
#include "doors/workers.h"

#include "access/xact.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/condition_variable.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/shm_mq.h"
#include "storage/shm_toc.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#define WORKERS_MAGIC 0x4c345752
#define QUEUE_SIZE 16384

enum Key
{
	KEY_SESSION = 1,
	KEY_LIBRARIES,
	KEY_SETTINGS,
	KEY_SLOTS,
	KEY_QUEUES,
	KEY_SHARED
};

/* Who the leader is. */
typedef struct Session
{
	Oid			database;
	Oid			login_user;
	Oid			role;			/* by SET ROLE, or none */
	bool		role_is_superuser;
	Oid			user;			/* whose privileges count in the end */
} Session;

typedef enum SlotState
{
	SLOT_AWAITED,				/* the worker has not begun */
	SLOT_AT_WORK,
	SLOT_PAUSED,				/* until workers_resume */
	SLOT_DONE
} SlotState;

typedef struct Slot
{
	pg_atomic_uint32 state;
	pg_atomic_uint32 pid;
	pg_atomic_uint32 task;		/* 1 + the task, 0 for none */
	pg_atomic_uint32 first;
	pg_atomic_uint32 end;
} Slot;

/* A report of a worker: this, then message, detail and hint, each with its NUL. */
typedef struct Report
{
	int			level;			/* WARNING or ERROR */
	int			sqlstate;
} Report;

/* What the leader knows of a worker. */
typedef struct Colleague
{
	BackgroundWorkerHandle *handle;
	shm_mq_handle *queue;
	bool		ended;
} Colleague;

struct L4Workers
{
	MemoryContext context;
	dsm_segment *segment;
	void	   *shared;
	Slot	   *slots;
	char	   *queues;
	int			most;
	int			count;
	Colleague  *colleagues;
	List	   *failures;
};

struct L4Worker
{
	dsm_segment *segment;
	void	   *shared;
	Slot	   *slot;
	int			number;			/* from 0 */
	shm_mq_handle *queue;
};

/* ---------- the segment, on either side ---------- */

static dsm_segment *held_segment = NULL;

/*
 * Lets go of the segment. Whoever sleeps on a condition variable in it stops first: the server takes a sleeper off its
 * list when the transaction is aborted, and would look for that list where nothing is mapped any more.
 */
static void
release_segment(void)
{
	dsm_segment *segment = held_segment;

	(void) ConditionVariableCancelSleep();
	held_segment = NULL;
	dsm_detach(segment);
}

/*
 * An exit by whatever way (terminated, shutdown, error of a worker) passes here. The server itself detaches a pinned
 * segment only when its statistics are shut down already, which the removal of temporary files still wants to report to.
 * Nothing of the transaction may use the segment later, so that ends first, as temporary tables do it.
 */
static void
release_at_exit(int code, Datum argument)
{
	if (held_segment == NULL)
		return;
	AbortOutOfAnyTransaction();
	release_segment();
}

/*
 * Keeps the segment mapped across transactions. The callback stays: with another one behind it, it could not be taken
 * back.
 */
static void
hold_segment(dsm_segment *segment)
{
	static bool registered = false;

	if (!registered)
		before_shmem_exit(release_at_exit, (Datum) 0);
	registered = true;
	dsm_pin_mapping(segment);
	held_segment = segment;
}

/* ---------- the leader ---------- */

bool
workers_may_act(void)
{
	Oid			user;
	int			context;

	GetUserIdAndSecContext(&user, &context);
	return context == 0 && user == GetOuterUserId();
}

/* When the leader's mapping goes, however it goes, nobody goes on. */
static void
terminate_all(dsm_segment *segment, Datum argument)
{
	L4Workers  *workers = (L4Workers *) DatumGetPointer(argument);
	int			i;

	for (i = 0; i < workers->count; i++)
		if (!workers->colleagues[i].ended)
			TerminateBackgroundWorker(workers->colleagues[i].handle);
}

static void
describe_session(Session *session)
{
	session->database = MyDatabaseId;
	session->login_user = GetAuthenticatedUserId();
	session->role = GetCurrentRoleId();
	session->role_is_superuser = superuser_arg(GetOuterUserId());
	session->user = GetUserId();
}

static L4Workers *
make_workers(int most)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "l4 workers", ALLOCSET_DEFAULT_SIZES);
	L4Workers  *workers = MemoryContextAllocZero(context, sizeof(L4Workers));

	workers->context = context;
	workers->most = most;
	workers->colleagues = MemoryContextAllocZero(context, mul_size(most, sizeof(Colleague)));
	return workers;
}

/*
 * From now on the segment stays until workers_stop or the end of the process. Its memory outlives the call: an exit frees
 * the call's first.
 */
static void
keep_workers(L4Workers *workers)
{
	on_dsm_detach(workers->segment, terminate_all, PointerGetDatum(workers));
	hold_segment(workers->segment);
	MemoryContextSetParent(workers->context, TopMemoryContext);
}

L4Workers *
workers_create(Size shared_size, int most)
{
	L4Workers  *workers = make_workers(most);
	Size		libraries = EstimateLibraryStateSpace();
	Size		settings = EstimateGUCStateSpace();
	shm_toc_estimator estimator;
	shm_toc    *toc;
	Session    *session;
	char	   *space;
	int			i;

	shm_toc_initialize_estimator(&estimator);
	shm_toc_estimate_chunk(&estimator, sizeof(Session));
	shm_toc_estimate_chunk(&estimator, libraries);
	shm_toc_estimate_chunk(&estimator, settings);
	shm_toc_estimate_chunk(&estimator, mul_size(most, sizeof(Slot)));
	shm_toc_estimate_chunk(&estimator, mul_size(most, QUEUE_SIZE));
	shm_toc_estimate_chunk(&estimator, shared_size);
	shm_toc_estimate_keys(&estimator, 6);
	workers->segment = dsm_create(shm_toc_estimate(&estimator), 0);
	toc = shm_toc_create(WORKERS_MAGIC, dsm_segment_address(workers->segment), shm_toc_estimate(&estimator));
	session = shm_toc_allocate(toc, sizeof(Session));
	describe_session(session);
	shm_toc_insert(toc, KEY_SESSION, session);
	space = shm_toc_allocate(toc, libraries);
	SerializeLibraryState(libraries, space);
	shm_toc_insert(toc, KEY_LIBRARIES, space);
	space = shm_toc_allocate(toc, settings);
	SerializeGUCState(settings, space);
	shm_toc_insert(toc, KEY_SETTINGS, space);
	workers->slots = shm_toc_allocate(toc, mul_size(most, sizeof(Slot)));
	for (i = 0; i < most; i++)
	{
		pg_atomic_init_u32(&workers->slots[i].state, SLOT_AWAITED);
		pg_atomic_init_u32(&workers->slots[i].pid, 0);
		pg_atomic_init_u32(&workers->slots[i].task, 0);
		pg_atomic_init_u32(&workers->slots[i].first, 0);
		pg_atomic_init_u32(&workers->slots[i].end, 0);
	}
	shm_toc_insert(toc, KEY_SLOTS, workers->slots);
	workers->queues = shm_toc_allocate(toc, mul_size(most, QUEUE_SIZE));
	for (i = 0; i < most; i++)
		shm_mq_set_receiver(shm_mq_create(workers->queues + (Size) i * QUEUE_SIZE, QUEUE_SIZE), MyProc);
	shm_toc_insert(toc, KEY_QUEUES, workers->queues);
	workers->shared = shm_toc_allocate(toc, shared_size);
	memset(workers->shared, 0, shared_size);
	shm_toc_insert(toc, KEY_SHARED, workers->shared);
	keep_workers(workers);
	return workers;
}

void *
workers_shared(L4Workers *workers)
{
	return workers->shared;
}

dsm_segment *
workers_segment(L4Workers *workers)
{
	return workers->segment;
}

int
workers_start(L4Workers *workers, const char *function, const char *what, int count)
{
	MemoryContext caller = MemoryContextSwitchTo(workers->context);

	while (workers->count < Min(count, workers->most))
	{
		Colleague  *colleague = &workers->colleagues[workers->count];
		BackgroundWorker worker = {0};
		shm_mq	   *queue = (shm_mq *) (workers->queues + (Size) workers->count * QUEUE_SIZE);

		snprintf(worker.bgw_name, BGW_MAXLEN, "l4 worker %d of %d for %s", workers->count + 1, MyProcPid, what);
		strlcpy(worker.bgw_type, "l4 import worker", BGW_MAXLEN);
		worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
		worker.bgw_start_time = BgWorkerStart_ConsistentState;
		worker.bgw_restart_time = BGW_NEVER_RESTART;
		strlcpy(worker.bgw_library_name, "l4", BGW_MAXLEN);
		strlcpy(worker.bgw_function_name, function, BGW_MAXLEN);
		worker.bgw_main_arg = UInt32GetDatum(dsm_segment_handle(workers->segment));
		memcpy(worker.bgw_extra, &workers->count, sizeof(int));
		worker.bgw_notify_pid = MyProcPid;
		if (!RegisterDynamicBackgroundWorker(&worker, &colleague->handle))
			break;
		colleague->queue = shm_mq_attach(queue, workers->segment, colleague->handle);
		workers->count++;
	}
	MemoryContextSwitchTo(caller);
	return workers->count;
}

/* The next string of a report, NULL for an empty one. */
static char *
report_text(const char **at)
{
	char	   *text = **at != '\0' ? pstrdup(*at) : NULL;

	*at += strlen(*at) + 1;
	return text;
}

static void
raise_warning(int sqlstate, const char *message, const char *detail, const char *hint)
{
	ereport(WARNING,
			(errcode(sqlstate),
			 errmsg_internal("%s", message),
			 detail != NULL ? errdetail_internal("%s", detail) : 0,
			 hint != NULL ? errhint("%s", hint) : 0));
}

static L4WorkerFailure *
add_failure(L4Workers *workers, int worker)
{
	L4WorkerFailure *failure = palloc0(sizeof(L4WorkerFailure));

	failure->number = worker + 1;
	failure->pid = (int) pg_atomic_read_u32(&workers->slots[worker].pid);
	failure->task = (int) pg_atomic_read_u32(&workers->slots[worker].task) - 1;
	failure->first = (int) pg_atomic_read_u32(&workers->slots[worker].first);
	failure->end = (int) pg_atomic_read_u32(&workers->slots[worker].end);
	workers->failures = lappend(workers->failures, failure);
	return failure;
}

static void
take_report(L4Workers *workers, int worker, const void *data)
{
	Report		report;
	const char *at = (const char *) data + sizeof(Report);
	char	   *message;
	char	   *detail;
	char	   *hint;
	L4WorkerFailure *failure;

	memcpy(&report, data, sizeof(Report));
	message = report_text(&at);
	detail = report_text(&at);
	hint = report_text(&at);
	if (report.level < ERROR)
	{
		raise_warning(report.sqlstate, message != NULL ? message : "", detail, hint);
		return;
	}
	failure = add_failure(workers, worker);
	failure->sqlstate = report.sqlstate;
	failure->message = message;
	failure->detail = detail;
	failure->hint = hint;
	workers->colleagues[worker].ended = true;
}

/* A worker's queue is closed: it has ended. */
static void
take_end(L4Workers *workers, int worker)
{
	Slot	   *slot = &workers->slots[worker];
	SlotState	state = pg_atomic_read_u32(&slot->state);

	workers->colleagues[worker].ended = true;
	if (state == SLOT_AT_WORK || state == SLOT_PAUSED)
		(void) add_failure(workers, worker);
	else if (state == SLOT_AWAITED)
		raise_warning(ERRCODE_INSUFFICIENT_RESOURCES, psprintf("worker %d could not begin", worker + 1), NULL,
					  "The server's log says why; the others do its share.");
}

/* Takes all reports of one worker; returns whether it still runs. */
static bool
listen_to(L4Workers *workers, int worker)
{
	Colleague  *colleague = &workers->colleagues[worker];

	while (!colleague->ended)
	{
		Size		size;
		void	   *data;
		shm_mq_result result = shm_mq_receive(colleague->queue, &size, &data, true);

		if (result == SHM_MQ_WOULD_BLOCK)
			return true;
		if (result == SHM_MQ_DETACHED)
			take_end(workers, worker);
		else
			take_report(workers, worker, data);
	}
	return false;
}

int
workers_listen(L4Workers *workers)
{
	MemoryContext caller = MemoryContextSwitchTo(workers->context);
	int			running = 0;
	int			i;

	for (i = 0; i < workers->count; i++)
		running += listen_to(workers, i);
	MemoryContextSwitchTo(caller);
	return running;
}

int
workers_paused(L4Workers *workers)
{
	int			paused = 0;
	int			i;

	for (i = 0; i < workers->count; i++)
		paused += !workers->colleagues[i].ended && pg_atomic_read_u32(&workers->slots[i].state) == SLOT_PAUSED;
	return paused;
}

void
workers_resume(L4Workers *workers)
{
	int			i;

	for (i = 0; i < workers->count; i++)
	{
		PGPROC	   *process = shm_mq_get_sender(shm_mq_get_queue(workers->colleagues[i].queue));
		uint32		paused = SLOT_PAUSED;

		if (pg_atomic_compare_exchange_u32(&workers->slots[i].state, &paused, SLOT_AT_WORK) && process != NULL)
			SetLatch(&process->procLatch);
	}
}

bool
workers_runs(const L4Workers *workers, int pid)
{
	int			i;

	for (i = 0; i < workers->count; i++)
		if (pg_atomic_read_u32(&workers->slots[i].pid) == (uint32) pid)
			return !workers->colleagues[i].ended;
	return pid == MyProcPid;
}

void
workers_wait(long milliseconds)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, milliseconds, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

L4WorkerFailure *
workers_next_failure(L4Workers *workers)
{
	L4WorkerFailure *failure;

	if (workers->failures == NIL)
		return NULL;
	failure = linitial(workers->failures);
	workers->failures = list_delete_first(workers->failures);
	return failure;
}

void
workers_stop(L4Workers *workers)
{
	int			i;

	/* A cancel that comes again must not leave a worker behind. */
	HOLD_INTERRUPTS();
	terminate_all(workers->segment, PointerGetDatum(workers));
	for (i = 0; i < workers->count; i++)
		(void) WaitForBackgroundWorkerShutdown(workers->colleagues[i].handle);
	workers->count = 0;
	release_segment();
	MemoryContextDelete(workers->context);
	RESUME_INTERRUPTS();
}

/* ---------- a worker ---------- */

/* Takes over the leader's session, as the server's parallel workers do. */
static void
become_session(shm_toc *toc)
{
	Session    *session = shm_toc_lookup(toc, KEY_SESSION, false);

	BackgroundWorkerInitializeConnectionByOid(session->database, session->login_user, 0);
	StartTransactionCommand();
	RestoreLibraryState(shm_toc_lookup(toc, KEY_LIBRARIES, false));
	RestoreGUCState(shm_toc_lookup(toc, KEY_SETTINGS, false));
	CommitTransactionCommand();
	SetCurrentRoleId(session->role, session->role_is_superuser);
	if (GetUserId() != session->user)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("a worker could not become the user of its leader")));
}

L4Worker *
worker_begin(Datum argument)
{
	L4Worker   *worker;
	shm_toc    *toc;
	shm_mq	   *queue;
	int			number;

	memcpy(&number, MyBgworkerEntry->bgw_extra, sizeof(int));
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	worker = MemoryContextAllocZero(TopMemoryContext, sizeof(L4Worker));
	CurrentResourceOwner = ResourceOwnerCreate(NULL, "l4 worker");
	worker->segment = dsm_attach(DatumGetUInt32(argument));
	if (worker->segment == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the leader of this worker has ended")));
	hold_segment(worker->segment);
	toc = shm_toc_attach(WORKERS_MAGIC, dsm_segment_address(worker->segment));
	worker->slot = (Slot *) shm_toc_lookup(toc, KEY_SLOTS, false) + number;
	worker->number = number;
	worker->shared = shm_toc_lookup(toc, KEY_SHARED, false);
	queue = (shm_mq *) ((char *) shm_toc_lookup(toc, KEY_QUEUES, false) + (Size) number * QUEUE_SIZE);
	shm_mq_set_sender(queue, MyProc);
	worker->queue = shm_mq_attach(queue, worker->segment, NULL);
	become_session(toc);
	pg_atomic_write_u32(&worker->slot->pid, (uint32) MyProcPid);
	pg_atomic_write_u32(&worker->slot->state, SLOT_AT_WORK);
	return worker;
}

void *
worker_shared(L4Worker *worker)
{
	return worker->shared;
}

dsm_segment *
worker_segment(L4Worker *worker)
{
	return worker->segment;
}

int
worker_number(const L4Worker *worker)
{
	return worker->number;
}

void
worker_pause(L4Worker *worker)
{
	PGPROC	   *leader = shm_mq_get_receiver(shm_mq_get_queue(worker->queue));

	pg_atomic_write_u32(&worker->slot->state, SLOT_PAUSED);
	if (leader != NULL)
		SetLatch(&leader->procLatch);
	while (pg_atomic_read_u32(&worker->slot->state) == SLOT_PAUSED)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, 1000, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

void
worker_set_task(L4Worker *worker, int task, int first, int end)
{
	pg_atomic_write_u32(&worker->slot->first, (uint32) first);
	pg_atomic_write_u32(&worker->slot->end, (uint32) end);
	pg_atomic_write_u32(&worker->slot->task, (uint32) (task + 1));
}

static void
append_text(StringInfo out, const char *text)
{
	if (text != NULL)
		appendStringInfoString(out, text);
	appendStringInfoChar(out, '\0');
}

/* A leader that is gone hears nothing; it has sent its workers the signal to end. */
static void
send_report(L4Worker *worker, int level, int sqlstate, const char *message, const char *detail, const char *hint)
{
	Report		report = {level, sqlstate};
	StringInfoData data;

	initStringInfo(&data);
	appendBinaryStringInfo(&data, (const char *) &report, sizeof(Report));
	append_text(&data, message);
	append_text(&data, detail);
	append_text(&data, hint);
	(void) shm_mq_send(worker->queue, data.len, data.data, false, true);
	pfree(data.data);
}

void
worker_warn(L4Worker *worker, const char *message, const char *detail, const char *hint)
{
	send_report(worker, WARNING, ERRCODE_WARNING, message, detail, hint);
}

void
worker_finish(L4Worker *worker)
{
	pg_atomic_write_u32(&worker->slot->state, SLOT_DONE);
	release_segment();
}

void
worker_fail(L4Worker *worker)
{
	ErrorData  *error;

	HOLD_INTERRUPTS();
	MemoryContextSwitchTo(TopMemoryContext);
	error = CopyErrorData();
	EmitErrorReport();
	FlushErrorState();
	AbortCurrentTransaction();
	RESUME_INTERRUPTS();
	send_report(worker, ERROR, error->sqlerrcode, error->message, error->detail, error->hint);
	release_segment();
}
