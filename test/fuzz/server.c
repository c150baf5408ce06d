/*
 * server.c: the little of the server that the algorithms call, for programs without one.
 *
 * Each piece of memory is one malloc, so the address sanitizer sees every step outside of it; the server's own allocator would
 * hide that in its blocks. Contexts and their callbacks work as in the server, fresh memory is filled with rubbish, and what
 * one input may take in all is bounded. An error goes back to server_try. What is pure in the server (hashes, checksums, UTF-8,
 * random numbers, base64, sorting) comes from its own libpgcommon and libpgport.
 */
#include "fuzz.h"

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "tools/bytes.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/expandeddatum.h"
#include "utils/memutils.h"

/* What all memory of one input may take: a multiple of what any input needs. */
#define MEMORY_LIMIT ((size_t) 1 << 30)

/* ---- memory ---- */

typedef struct Chunk
{
	struct Chunk *next;
	struct Chunk *previous;
	Size		size;
	MemoryContext context;		/* last: where the server's headers look for it */
} Chunk;

typedef struct Context
{
	MemoryContextData head;		/* its type is what the server's inline functions see */
	Chunk	   *chunks;
} Context;

static Context root;
MemoryContext CurrentMemoryContext = &root.head;
MemoryContext TopMemoryContext = &root.head;

static size_t memory_used;
static size_t memory_peak;

static void
link_chunk(Chunk *chunk)
{
	Context    *context = (Context *) chunk->context;

	chunk->previous = NULL;
	chunk->next = context->chunks;
	if (chunk->next != NULL)
		chunk->next->previous = chunk;
	context->chunks = chunk;
}

static void
unlink_chunk(Chunk *chunk)
{
	if (chunk->previous != NULL)
		chunk->previous->next = chunk->next;
	else
		((Context *) chunk->context)->chunks = chunk->next;
	if (chunk->next != NULL)
		chunk->next->previous = chunk->previous;
}

static void
count_memory(Size more)
{
	if (more > MEMORY_LIMIT || memory_used + more > MEMORY_LIMIT)
		fuzz_failed(__FILE__, __LINE__, "memory of one input is bounded");
	memory_used += more;
	memory_peak = Max(memory_peak, memory_used);
}

static void
check_size(Size size, bool huge)
{
	if (!(huge ? AllocHugeSizeIsValid(size) : AllocSizeIsValid(size)))
		elog(ERROR, "invalid memory alloc request size %zu", size);
}

static void *
allocate(MemoryContext context, Size size, bool huge)
{
	Chunk	   *chunk;

	check_size(size, huge);
	count_memory(size);
	chunk = malloc(sizeof(Chunk) + size);
	if (chunk == NULL)
		abort();
	chunk->size = size;
	chunk->context = context;
	link_chunk(chunk);
	return memset(chunk + 1, 0x7f, size);
}

static void *
reallocate(void *pointer, Size size, bool huge)
{
	Chunk	   *chunk = (Chunk *) pointer - 1;
	void	   *larger = allocate(chunk->context, size, huge);

	memcpy(larger, pointer, Min(size, chunk->size));
	pfree(pointer);
	return larger;
}

void
pfree(void *pointer)
{
	Chunk	   *chunk = (Chunk *) pointer - 1;

	memory_used -= chunk->size;
	unlink_chunk(chunk);
	free(chunk);
}

void *MemoryContextAlloc(MemoryContext context, Size size) { return allocate(context, size, false); }
void *MemoryContextAllocHuge(MemoryContext context, Size size) { return allocate(context, size, true); }
void *MemoryContextAllocZero(MemoryContext context, Size size) { return memset(allocate(context, size, false), 0, size); }
void *MemoryContextAllocZeroAligned(MemoryContext context, Size size) { return MemoryContextAllocZero(context, size); }
void *palloc(Size size) { return allocate(CurrentMemoryContext, size, false); }
void *palloc0(Size size) { return MemoryContextAllocZero(CurrentMemoryContext, size); }
void *repalloc(void *pointer, Size size) { return reallocate(pointer, size, false); }
void *repalloc_huge(void *pointer, Size size) { return reallocate(pointer, size, true); }

void *
MemoryContextAllocExtended(MemoryContext context, Size size, int flags)
{
	void	   *memory = allocate(context, size, (flags & MCXT_ALLOC_HUGE) != 0);

	return (flags & MCXT_ALLOC_ZERO) != 0 ? memset(memory, 0, size) : memory;
}

char *
pnstrdup(const char *text, Size size)
{
	char	   *copy;

	size = strnlen(text, size);
	copy = memcpy(palloc(size + 1), text, size);
	copy[size] = '\0';
	return copy;
}

char *pstrdup(const char *text) { return pnstrdup(text, strlen(text)); }

MemoryContext
AllocSetContextCreateInternal(MemoryContext parent, const char *name, Size minimum, Size initial, Size maximum)
{
	Context    *context = calloc(1, sizeof(Context));

	if (context == NULL)
		abort();
	context->head.type = T_AllocSetContext;
	context->head.name = name;
	context->head.parent = parent;
	context->head.nextchild = parent->firstchild;
	if (parent->firstchild != NULL)
		parent->firstchild->prevchild = &context->head;
	parent->firstchild = &context->head;
	return &context->head;
}

void
MemoryContextRegisterResetCallback(MemoryContext context, MemoryContextCallback *callback)
{
	callback->next = context->reset_cbs;
	context->reset_cbs = callback;
}

/* As the server does: first the children, then the callbacks, then the memory. */
void
MemoryContextReset(MemoryContext context)
{
	while (context->firstchild != NULL)
		MemoryContextDelete(context->firstchild);
	while (context->reset_cbs != NULL)
	{
		MemoryContextCallback *callback = context->reset_cbs;

		context->reset_cbs = callback->next;
		callback->func(callback->arg);
	}
	while (((Context *) context)->chunks != NULL)
		pfree(((Context *) context)->chunks + 1);
}

/* Takes a context from among its siblings. */
static void
unlink_context(MemoryContext context)
{
	if (context->prevchild != NULL)
		context->prevchild->nextchild = context->nextchild;
	else
		context->parent->firstchild = context->nextchild;
	if (context->nextchild != NULL)
		context->nextchild->prevchild = context->prevchild;
}

void
MemoryContextSetParent(MemoryContext context, MemoryContext new_parent)
{
	unlink_context(context);
	context->parent = new_parent;
	context->prevchild = NULL;
	context->nextchild = new_parent->firstchild;
	if (new_parent->firstchild != NULL)
		new_parent->firstchild->prevchild = context;
	new_parent->firstchild = context;
}

void
MemoryContextDelete(MemoryContext context)
{
	MemoryContextReset(context);
	unlink_context(context);
	free(context);
}

Size
MemoryContextMemAllocated(MemoryContext context, bool recurse)
{
	Size		total = 0;
	MemoryContext child;

	for (Chunk *chunk = ((Context *) context)->chunks; chunk != NULL; chunk = chunk->next)
		total += chunk->size;
	for (child = context->firstchild; recurse && child != NULL; child = child->nextchild)
		total += MemoryContextMemAllocated(child, true);
	return total;
}

void
server_reset(void)
{
	static Context input;

	if (input.head.parent == NULL)
	{
		input.head.type = T_AllocSetContext;
		input.head.name = "input";
		input.head.parent = &root.head;	/* which does not know of it, and so keeps its own */
	}
	CurrentMemoryContext = &input.head;
	MemoryContextReset(&input.head);
	memory_peak = memory_used;
}

size_t server_peak(void) { return memory_peak; }

/* ---- errors ---- */

static sigjmp_buf *try_frame;
static int	error_code;
static char error_text[2000];

const char *server_message(void) { return error_text; }

int
server_try(void (*action) (void *argument), void *argument)
{
	sigjmp_buf	frame;
	sigjmp_buf *outer = try_frame;
	MemoryContext context = CurrentMemoryContext;
	int			result = 0;

	if (sigsetjmp(frame, 0) == 0)
	{
		try_frame = &frame;
		action(argument);
	}
	else
		result = error_code;
	try_frame = outer;
	CurrentMemoryContext = context;
	return result;
}

bool
errstart(int level, const char *domain)
{
	error_code = ERRCODE_INTERNAL_ERROR;
	return level >= ERROR;
}

bool errstart_cold(int level, const char *domain) { return errstart(level, domain); }

void
errfinish(const char *file, int line, const char *function)
{
	if (try_frame == NULL)
		fuzz_failed(file, line, error_text);
	siglongjmp(*try_frame, 1);
}

int
errcode(int code)
{
	error_code = code;
	return 0;
}

/* Details and hints are formatted too, so that the sanitizers see their arguments. */
static int
format_text(char *out, size_t room, const char *format, va_list arguments)
{
	vsnprintf(out, room, format, arguments);
	return 0;
}

#define FORMAT_INTO(buffer) \
	va_list		arguments; \
	va_start(arguments, format); \
	format_text(buffer, sizeof(buffer), format, arguments); \
	va_end(arguments); \
	return 0

int errmsg(const char *format,...) { FORMAT_INTO(error_text); }
int errmsg_internal(const char *format,...) { FORMAT_INTO(error_text); }
int errdetail(const char *format,...) { char text[2000]; FORMAT_INTO(text); }
int errhint(const char *format,...) { char text[2000]; FORMAT_INTO(text); }

volatile sig_atomic_t InterruptPending = false;
int			maintenance_work_mem = 65536;

void ProcessInterrupts(void) {}

/* ---- strings ---- */

void
initStringInfo(StringInfo string)
{
	string->data = palloc(1024);
	string->maxlen = 1024;
	resetStringInfo(string);
}

StringInfo
makeStringInfo(void)
{
	StringInfo	string = palloc(sizeof(StringInfoData));

	initStringInfo(string);
	return string;
}

void
resetStringInfo(StringInfo string)
{
	string->data[0] = '\0';
	string->len = 0;
	string->cursor = 0;
}

void
enlargeStringInfo(StringInfo string, int needed)
{
	Size		room = Max(string->maxlen, 1);

	if (needed < 0)
		elog(ERROR, "invalid string enlargement request size: %d", needed);
	if ((Size) needed >= MaxAllocSize - (Size) string->len)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("out of memory")));
	if (string->len + needed + 1 <= string->maxlen)
		return;
	while (room < (Size) string->len + needed + 1)
		room *= 2;
	string->maxlen = (int) Min(room, MaxAllocSize);
	string->data = repalloc(string->data, string->maxlen);
}

/* Under its name in the server, whose later versions declare it with another type of data. */
void		append_binary(StringInfo string, const void *data, int size) __asm__("appendBinaryStringInfo");

void
append_binary(StringInfo string, const void *data, int size)
{
	enlargeStringInfo(string, size);
	memcpy(string->data + string->len, data, size);
	string->len += size;
	string->data[string->len] = '\0';
}

void appendStringInfoString(StringInfo string, const char *text) { appendBinaryStringInfo(string, text, strlen(text)); }
void appendStringInfoChar(StringInfo string, char c) { appendBinaryStringInfo(string, &c, 1); }

void
appendStringInfo(StringInfo string, const char *format,...)
{
	va_list		arguments;
	char		text[4000];
	int			size;

	va_start(arguments, format);
	size = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fuzz_require(size >= 0 && size < (int) sizeof(text));
	appendBinaryStringInfo(string, text, size);
}

char *
psprintf(const char *format,...)
{
	va_list		arguments;
	char		text[4000];
	int			size;

	va_start(arguments, format);
	size = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fuzz_require(size >= 0 && size < (int) sizeof(text));
	return pstrdup(text);
}

/* ---- sizes ---- */

Size
add_size(Size a, Size b)
{
	Size		sum = a + b;

	if (sum < a)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("requested shared memory size overflows size_t")));
	return sum;
}

Size
mul_size(Size a, Size b)
{
	Size		product;

	if (__builtin_mul_overflow(a, b, &product))
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("requested shared memory size overflows size_t")));
	return product;
}

/* ---- texts and values ---- */

int GetDatabaseEncoding(void) { return PG_UTF8; }

bool
pg_verify_mbstr(int encoding, const char *text, int size, bool no_error)
{
	const char *at = text;

	fuzz_require(no_error);
	while (at < text + size)
	{
		int			step = bytes_character(at, text + size);

		if (step == 0)
			return false;
		at += step;
	}
	return true;
}

/* Decimal digits without a NUL behind them; returns how many. */
int
pg_ulltoa_n(uint64 value, char *digits)
{
	char		text[32];
	int			size = snprintf(text, sizeof(text), "%llu", (unsigned long long) value);

	memcpy(digits, text, size);
	return size;
}

void
EOH_init_header(ExpandedObjectHeader *object, const ExpandedObjectMethods *methods, MemoryContext context)
{
	object->vl_len_ = EOH_HEADER_MAGIC;
	object->eoh_methods = methods;
	object->eoh_context = context;
}

/* ---- times ---- */

const int	day_tab[2][13] = {
	{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0},
	{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0}
};

/* Julian days of the Gregorian calendar, after Fliegel and Van Flandern (CACM 1968). */
int
date2j(int year, int month, int day)
{
	int			before = (month - 14) / 12;

	return day - 32075 + 1461 * (year + 4800 + before) / 4 + 367 * (month - 2 - before * 12) / 12 -
		3 * ((year + 4900 + before) / 100) / 4;
}

void
j2date(int julian, int *year, int *month, int *day)
{
	int			l = julian + 68569;
	int			n = 4 * l / 146097;
	int			i;
	int			j;

	l = l - (146097 * n + 3) / 4;
	i = 4000 * (l + 1) / 1461001;
	l = l - 1461 * i / 4 + 31;
	j = 80 * l / 2447;
	*day = l - 2447 * j / 80;
	l = j / 11;
	*month = j + 2 - 12 * l;
	*year = 100 * (n - 49) + i + l;
}

pg_tz *
server_zone(void)
{
	static char zone;

	return (pg_tz *) &zone;
}

int
DetermineTimeZoneOffset(struct pg_tm *time, pg_tz *zone)
{
	time->tm_isdst = time->tm_mon >= 4 && time->tm_mon < 10;
	return time->tm_isdst ? -7200 : -3600;
}

bool pg_get_timezone_offset(const pg_tz *zone, long int *offset) { return false; }
