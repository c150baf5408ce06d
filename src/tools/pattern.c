/*
 * pattern.c: pcre2 with palloc as its allocator, bounded and to be interrupted.
 *
 * pcre2 allocates with malloc; here every pattern gets a general context that allocates in one memory context. Compiled machine
 * code (JIT) lies outside palloc; a reset callback of the memory context gives it back, after errors too.
 *
 * pcre2 cannot be interrupted while it matches, and its match limit counts anew from each place where a match may begin. So a
 * text is tried in two ways. At first as quickly as can be, with so low a limit that the call ends within a second whatever the
 * pattern asks for. A pattern that needs more, or a long text, is tried once more with a callout before each item: the steps of
 * the whole call are counted there, the bytes that were passed over since the last one among them, and interrupts are looked
 * for. Past the bound the pattern gives up on the text. The bound is a number of steps for the size of the text: what is given
 * up never depends on the time or the machine's load.
 *
 * Patterns work on bytes unless they hold a non-ASCII byte or a Unicode property: log lines may hold anything.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "tools/pattern.h"

#include <pcre2.h>

#include "miscadmin.h"
#include "utils/memutils.h"

/* The steps of a whole call: so many, and so many for each byte of the text. A step takes 10 to 30 ns. */
#define PATTERN_STEPS INT64CONST(10000000)
#define PATTERN_STEPS_PER_BYTE INT64CONST(100)
/* So many bytes that one item passes over at once count as a step. */
#define PATTERN_BYTES_PER_STEP 16
/* Nesting and heap (in kibibytes) of one match. */
#define PATTERN_DEPTH_LIMIT 20000
#define PATTERN_HEAP_LIMIT 16384
/* What the quick way may take at most: places where a match may begin x steps of each x bytes that each step may pass over. */
#define QUICK_WORK 5e8
/* Below so many steps for each place the quick way is not worth a try. */
#define QUICK_STEPS_LEAST 16
#define QUICK_STEPS_MOST 100000

/* A compiled pattern, in one of the two ways. */
typedef struct PatternCode
{
	pcre2_code *code;
	bool		ready;			/* machine code was made, or cannot be */
	bool		machine_code;	/* pcre2_jit_match may be called: made, and works on bytes */
} PatternCode;

struct L4Pattern
{
	PatternCode quick;
	PatternCode counted;		/* with callouts; made when first needed */
	pcre2_general_context *general;
	pcre2_compile_context *dialect;
	pcre2_match_context *limits;
	pcre2_match_data *match;
	PCRE2_SIZE *offsets;		/* of the groups of the last match */
	int			group_count;
	char	   *name;
	char	   *regex;
	size_t		regex_size;
	bool		unicode;
	bool		one_start;		/* a match can only begin at the beginning of the text */
	L4Bytes		subject;		/* of the last match */
	int64		steps;			/* that the call under way may still take */
	PCRE2_SIZE	position;		/* where its last callout was */
	int			problem;		/* what pcre2 said when the pattern gave up last */
	int64		given_up;
	MemoryContextCallback release;
};

static void *
pattern_malloc(PCRE2_SIZE size, void *context)
{
	return MemoryContextAlloc((MemoryContext) context, size);
}

static void
pattern_free(void *pointer, void *context)
{
	if (pointer != NULL)
		pfree(pointer);
}

static void
pattern_release(void *argument)
{
	L4Pattern  *pattern = argument;

	if (pattern->quick.code != NULL)
		pcre2_code_free(pattern->quick.code);
	if (pattern->counted.code != NULL)
		pcre2_code_free(pattern->counted.code);
	pattern->quick.code = pattern->counted.code = NULL;
}

/* A pattern needs Unicode matching when it holds a non-ASCII byte or asks for properties. */
static bool
pattern_needs_unicode(const char *regex, size_t size)
{
	size_t		i;

	for (i = 0; i < size; i++)
	{
		if ((unsigned char) regex[i] >= 0x80)
			return true;
		if (regex[i] == '\\' && i + 1 < size && strchr("pPX", regex[i + 1]) != NULL)
			return true;
	}
	return false;
}

static void
refuse_pattern(const L4Pattern *pattern, const char *problem, size_t offset, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_REGULAR_EXPRESSION),
			 errmsg("invalid regular expression in %s", pattern->name),
			 errdetail("%s, at offset %zu of \"%s\".", problem, offset, pattern->regex),
			 errhint("%s", hint)));
}

/*
 * What pcre2 is told besides the pattern: this is the one place. A pattern may not change it: settings at its beginning such as
 * (*UTF), (*CRLF) or (*LIMIT_MATCH=1) would have bytes read as characters that were never checked, or other lines, classes and
 * limits than those that all who read patterns here (literals.c, pattern_walk.c) count on.
 */
static bool
compile_code(L4Pattern *pattern, uint32_t ways, PatternCode *compiled, int *error, PCRE2_SIZE *offset)
{
	uint32_t	options = PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UCP | ways;

	options |= pattern->unicode ? PCRE2_UTF | PCRE2_MATCH_INVALID_UTF : PCRE2_NEVER_UTF;
	compiled->code = pcre2_compile((PCRE2_SPTR) pattern->regex, pattern->regex_size, options, error, offset, pattern->dialect);
	return compiled->code != NULL;
}

/*
 * Machine code, at the first match: to make it takes longer than the rest of compiling, and of a fault library on a job's texts
 * few patterns are ever run. Without it the interpreter matches; with Unicode the subject must be checked, which only
 * pcre2_match does.
 */
static void
make_ready(const L4Pattern *pattern, PatternCode *compiled)
{
	if (compiled->ready)
		return;
	compiled->machine_code = pcre2_jit_compile(compiled->code, PCRE2_JIT_COMPLETE) == 0 && !pattern->unicode;
	compiled->ready = true;
}

/* Counts a step and looks for interrupts; ends the match when all steps are used up. */
static int
count_step(pcre2_callout_block *place, void *argument)
{
	L4Pattern  *pattern = argument;
	PCRE2_SIZE	at = place->current_position;
	PCRE2_SIZE	passed = at > pattern->position ? at - pattern->position : pattern->position - at;

	pattern->steps -= 1 + (int64) passed / PATTERN_BYTES_PER_STEP;
	pattern->position = at;
	CHECK_FOR_INTERRUPTS();
	return pattern->steps >= 0 ? 0 : PCRE2_ERROR_MATCHLIMIT;
}

/* All that belongs to a pattern but its code. */
static L4Pattern *
pattern_create(const char *regex, size_t size, const char *what)
{
	L4Pattern  *pattern = palloc0(sizeof(L4Pattern));

	pattern->name = pstrdup(what);
	pattern->regex = memcpy(palloc(size + 1), regex, size);
	pattern->regex[size] = '\0';
	pattern->regex_size = size;
	pattern->unicode = pattern_needs_unicode(regex, size);
	pattern->general = pcre2_general_context_create(pattern_malloc, pattern_free, CurrentMemoryContext);
	pattern->dialect = pcre2_compile_context_create(pattern->general);
	pcre2_set_newline(pattern->dialect, PCRE2_NEWLINE_LF);
	pcre2_set_bsr(pattern->dialect, PCRE2_BSR_UNICODE);
	pattern->limits = pcre2_match_context_create(pattern->general);
	pcre2_set_depth_limit(pattern->limits, PATTERN_DEPTH_LIMIT);
	pcre2_set_heap_limit(pattern->limits, PATTERN_HEAP_LIMIT);
	pcre2_set_callout(pattern->limits, count_step, pattern);
	return pattern;
}

/* What pcre2 says of a match goes here. Made anew it gives back the heap that the interpreter took for the last one. */
static void
make_room_for_match(L4Pattern *pattern)
{
	if (pattern->match != NULL)
		pcre2_match_data_free(pattern->match);
	pattern->match = pcre2_match_data_create_from_pattern(pattern->quick.code, pattern->general);
	pattern->offsets = pcre2_get_ovector_pointer(pattern->match);
	pattern->group_count = (int) pcre2_get_ovector_count(pattern->match);
}

/*
 * pattern_compile: regex (size bytes) to a pattern owned by the current memory context. what names it in messages.
 * Errors: 2201B with pcre2's message and the position, and for settings at the beginning. Cost: some 10 to 100 microseconds.
 */
L4Pattern *
pattern_compile(const char *regex, size_t size, const char *what)
{
	L4Pattern  *pattern = pattern_create(regex, size, what);
	PCRE2_UCHAR message[200];
	uint32_t	options;
	int			error;
	PCRE2_SIZE	offset;

	if (size > 2 && regex[0] == '(' && regex[1] == '*' && regex[2] >= 'A' && regex[2] <= 'Z')
		refuse_pattern(pattern, "a pattern may not begin with a setting or a verb", 0,
					   "Leave \"(*...)\" out. Options such as (?i), (?m), (?s) and (?x) may stand there.");
	if (!compile_code(pattern, 0, &pattern->quick, &error, &offset))
	{
		pcre2_get_error_message(error, message, sizeof(message));
		refuse_pattern(pattern, (char *) message, offset, "Patterns are in PCRE2 syntax.");
	}
	pattern->release.func = pattern_release;
	pattern->release.arg = pattern;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &pattern->release);
	pcre2_pattern_info(pattern->quick.code, PCRE2_INFO_ALLOPTIONS, &options);
	pattern->one_start = (options & PCRE2_ANCHORED) != 0;
	make_room_for_match(pattern);
	return pattern;
}

/* The steps that the quick way may take from each place, so that it ends soon whatever each step does. */
static double
quick_steps(const L4Pattern *pattern, size_t size, bool anchored)
{
	double		bytes = Max(size, 1);

	return Min(QUICK_WORK / (pattern->one_start || anchored ? bytes : bytes * bytes), QUICK_STEPS_MOST);
}

/* One call of pcre2. */
static int
run_code(L4Pattern *pattern, PatternCode *compiled, L4Bytes subject, size_t offset, uint32_t options)
{
	PCRE2_SPTR	text = (PCRE2_SPTR) (subject.data != NULL ? subject.data : "");

	make_ready(pattern, compiled);
	/* pcre2 takes the JIT path only without run-time anchoring; the interpreter is as quick for one start position */
	if (compiled->machine_code && options == 0)
		return pcre2_jit_match(compiled->code, text, subject.size, offset, 0, pattern->match, pattern->limits);
	return pcre2_match(compiled->code, text, subject.size, offset, options, pattern->match, pattern->limits);
}

static void
begin_count(L4Pattern *pattern, size_t size, size_t offset)
{
	pattern->steps = PATTERN_STEPS + PATTERN_STEPS_PER_BYTE * (int64) size;
	pattern->position = offset;
}

/*
 * The way that counts. What asks for more of the machine's stack than there is goes to the interpreter, whose heap is bounded.
 */
static int
run_counted(L4Pattern *pattern, L4Bytes subject, size_t offset, uint32_t options)
{
	int			result;
	PCRE2_SIZE	place;

	/* with its callouts a pattern may be larger than pcre2 can have it: then it is given up */
	if (pattern->counted.code == NULL && !compile_code(pattern, PCRE2_AUTO_CALLOUT, &pattern->counted, &result, &place))
		return PCRE2_ERROR_MATCHLIMIT;
	begin_count(pattern, subject.size, offset);
	pcre2_set_match_limit(pattern->limits, (uint32_t) Min(pattern->steps, PG_UINT32_MAX));
	result = run_code(pattern, &pattern->counted, subject, offset, options);
	if (result == PCRE2_ERROR_JIT_STACKLIMIT)
	{
		begin_count(pattern, subject.size, offset);
		result = run_code(pattern, &pattern->counted, subject, offset, options | PCRE2_NO_JIT);
	}
	return result;
}

/*
 * pattern_try: is there a match at or after offset (anchored: at offset), or does the pattern give up on this text? Never fails
 * but for want of memory. Cost: a match; where it gives up, some tenths of a second and one to three seconds for each megabyte.
 */
L4MatchResult
pattern_try(L4Pattern *pattern, L4Bytes subject, size_t offset, bool anchored)
{
	uint32_t	options = anchored ? PCRE2_ANCHORED : 0;
	double		steps = quick_steps(pattern, subject.size, anchored);
	int			result = PCRE2_ERROR_MATCHLIMIT;

	CHECK_FOR_INTERRUPTS();
	if (steps >= QUICK_STEPS_LEAST)
	{
		begin_count(pattern, subject.size, offset);
		pcre2_set_match_limit(pattern->limits, (uint32_t) steps);
		result = run_code(pattern, &pattern->quick, subject, offset, options);
	}
	if (result < PCRE2_ERROR_NOMATCH)
		result = run_counted(pattern, subject, offset, options);
	if (result == PCRE2_ERROR_NOMATCH)
		return L4_NO_MATCH;
	/* where the bytes at offset are no UTF-8, pcre2 takes the place behind them for the beginning */
	if (result >= 0 && anchored && pcre2_get_startchar(pattern->match) != offset)
		return L4_NO_MATCH;
	if (result >= 0)
	{
		pattern->subject = subject;
		return L4_MATCH;
	}
	pattern->problem = result;
	pattern->given_up++;
	make_room_for_match(pattern);
	return L4_GAVE_UP;
}

/* Says why the pattern gave up. */
static void
raise_problem(const L4Pattern *pattern, size_t size)
{
	PCRE2_UCHAR message[200];
	bool		steps = pattern->problem == PCRE2_ERROR_MATCHLIMIT || pattern->problem == PCRE2_ERROR_DEPTHLIMIT ||
		pattern->problem == PCRE2_ERROR_HEAPLIMIT;

	if (steps)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%s takes too many steps on a text of %zu bytes", pattern->name, size),
				 errdetail("A match may take " INT64_FORMAT " steps, and " INT64_FORMAT " more for each byte of the text.",
						   PATTERN_STEPS, PATTERN_STEPS_PER_BYTE),
				 errhint("Avoid nested repetition in the pattern and bound what it repeats, as in [^\\n]{0,100}.")));
	pcre2_get_error_message(pattern->problem, message, sizeof(message));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_REGULAR_EXPRESSION),
			 errmsg("%s cannot be matched against a text of %zu bytes", pattern->name, size),
			 errdetail("pcre2 says: %s.", (char *) message),
			 errhint("A recursion such as (?R) must take at least one character before it comes round again.")));
}

/*
 * pattern_match: pattern_try for one who needs an answer. Errors: 54000 where the pattern gives up because it takes too many
 * steps, 2201B where it recurses for ever.
 */
bool
pattern_match(L4Pattern *pattern, L4Bytes subject, size_t offset, bool anchored)
{
	L4MatchResult result = pattern_try(pattern, subject, offset, anchored);

	if (result == L4_GAVE_UP)
		raise_problem(pattern, subject.size);
	return result == L4_MATCH;
}

/*
 * Whatever offsets a match gives (\K can put its beginning behind its end), the span lies in the subject and is none of less
 * than nothing.
 */
bool
pattern_group(L4Pattern *pattern, int group, L4Bytes *span)
{
	const PCRE2_SIZE *offsets = pattern->offsets;
	size_t		from;
	size_t		to;

	if (group < 0 || group >= pattern->group_count || offsets[2 * group] == PCRE2_UNSET)
		return false;
	to = Min(offsets[2 * group + 1], pattern->subject.size);
	from = Min(offsets[2 * group], to);
	span->data = pattern->subject.data + from;
	span->size = to - from;
	return true;
}

int
pattern_group_number(L4Pattern *pattern, const char *name)
{
	int			number = pcre2_substring_number_from_name(pattern->quick.code, (PCRE2_SPTR) name);

	return number > 0 ? number : -1;
}

void
pattern_note_given_up(const L4Pattern *pattern, StringInfo out)
{
	if (pattern->given_up == 0)
		return;
	appendStringInfo(out, "%s%s (", out->len > 0 ? ", " : "", pattern->name);
	appendStringInfo(out, pattern->given_up == 1 ? "once)" : INT64_FORMAT " times)", pattern->given_up);
}
