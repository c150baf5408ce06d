/*
 * pattern.c: pcre2 with palloc as its allocator and with match limits.
 *
 * pcre2 allocates with malloc and cannot be interrupted while it matches. So every pattern gets a general context that allocates in
 * one memory context, and limits on matching steps, depth and heap: a pattern that would run away ends with an error instead. Compiled machine
 * code (JIT) lies outside palloc; a reset callback of the memory context gives it back, after errors too.
 *
 * Patterns work on bytes unless they hold a non-ASCII byte or a Unicode property: log lines may hold anything.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "tools/pattern.h"

#include <pcre2.h>

#include "miscadmin.h"
#include "utils/memutils.h"

/* Steps, nesting and heap (in kibibytes) that one match may take; far above what a sane pattern needs on a 64 kB record. */
#define PATTERN_MATCH_LIMIT 1000000
#define PATTERN_DEPTH_LIMIT 20000
#define PATTERN_HEAP_LIMIT 16384

struct L4Pattern
{
	pcre2_code *code;
	pcre2_match_data *match;
	PCRE2_SIZE *offsets;		/* of the groups of the last match */
	int			group_count;
	pcre2_match_context *limits;
	char	   *name;
	L4Bytes		subject;		/* of the last match */
	bool		machine_code;	/* pcre2_jit_match may be called: compiled, and works on bytes */
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

	if (pattern->code != NULL)
		pcre2_code_free(pattern->code);
	pattern->code = NULL;
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

/*
 * pattern_compile: regex (size bytes) to a pattern owned by the current memory context. what names it in messages.
 * Errors: 2201B with pcre2's message and the position. Cost: some 10 to 100 microseconds.
 */
L4Pattern *
pattern_compile(const char *regex, size_t size, const char *what)
{
	pcre2_general_context *general = pcre2_general_context_create(pattern_malloc, pattern_free, CurrentMemoryContext);
	pcre2_compile_context *compile = pcre2_compile_context_create(general);
	L4Pattern  *pattern = palloc0(sizeof(L4Pattern));
	uint32_t	options = pattern_needs_unicode(regex, size) ? PCRE2_UTF | PCRE2_MATCH_INVALID_UTF : 0;
	int			error;
	PCRE2_SIZE	offset;

	pattern->name = pstrdup(what);
	pattern->code = pcre2_compile((PCRE2_SPTR) regex, size, options | PCRE2_NEVER_BACKSLASH_C, &error, &offset, compile);
	if (pattern->code == NULL)
	{
		PCRE2_UCHAR message[200];

		pcre2_get_error_message(error, message, sizeof(message));
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_REGULAR_EXPRESSION),
				 errmsg("invalid regular expression in %s", what),
				 errdetail("%s, at offset %zu of \"%s\".", (char *) message, (size_t) offset, pnstrdup(regex, size)),
				 errhint("Patterns are in PCRE2 syntax.")));
	}
	pattern->release.func = pattern_release;
	pattern->release.arg = pattern;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &pattern->release);

	pattern->match = pcre2_match_data_create_from_pattern(pattern->code, general);
	pattern->offsets = pcre2_get_ovector_pointer(pattern->match);
	pattern->group_count = (int) pcre2_get_ovector_count(pattern->match);
	pattern->limits = pcre2_match_context_create(general);
	pcre2_set_match_limit(pattern->limits, PATTERN_MATCH_LIMIT);
	pcre2_set_depth_limit(pattern->limits, PATTERN_DEPTH_LIMIT);
	pcre2_set_heap_limit(pattern->limits, PATTERN_HEAP_LIMIT);
	/* without it the interpreter matches; with Unicode the subject must be checked, which only pcre2_match does */
	pattern->machine_code = pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE) == 0 && options == 0;
	return pattern;
}

L4MatchResult
pattern_try(L4Pattern *pattern, L4Bytes subject, size_t offset, bool anchored)
{
	uint32_t	options = anchored ? PCRE2_ANCHORED : 0;
	int			result;

	/* pcre2 takes the JIT path only without run-time anchoring; the interpreter is as quick for one start position */
	if (pattern->machine_code && !anchored)
		result = pcre2_jit_match(pattern->code, (PCRE2_SPTR) subject.data, subject.size, offset, 0,
								 pattern->match, pattern->limits);
	else
		result = pcre2_match(pattern->code, (PCRE2_SPTR) subject.data, subject.size, offset, options,
							 pattern->match, pattern->limits);
	if (result == PCRE2_ERROR_JIT_STACKLIMIT)
		result = pcre2_match(pattern->code, (PCRE2_SPTR) subject.data, subject.size, offset, options | PCRE2_NO_JIT,
							 pattern->match, pattern->limits);
	if (result >= 0)
	{
		pattern->subject = subject;
		return L4_MATCH;
	}
	if (result == PCRE2_ERROR_NOMATCH)
		return L4_NO_MATCH;
	if (result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_DEPTHLIMIT || result == PCRE2_ERROR_HEAPLIMIT)
		return L4_GAVE_UP;
	elog(ERROR, "pcre2 failed on %s with error %d", pattern->name, result);
	return L4_NO_MATCH;			/* not reached */
}

/*
 * pattern_match: is there a match at or after offset (anchored: at offset)? Errors: 54000 when a limit is reached.
 */
bool
pattern_match(L4Pattern *pattern, L4Bytes subject, size_t offset, bool anchored)
{
	L4MatchResult result = pattern_try(pattern, subject, offset, anchored);

	if (result == L4_GAVE_UP)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%s takes too many steps on a text of %zu bytes", pattern->name, subject.size),
				 errdetail("The limit is %d matching steps.", PATTERN_MATCH_LIMIT),
				 errhint("Avoid nested repetition in the pattern, or switch the rule off.")));
	return result == L4_MATCH;
}

bool
pattern_group(L4Pattern *pattern, int group, L4Bytes *span)
{
	const PCRE2_SIZE *offsets = pattern->offsets;

	if (group < 0 || group >= pattern->group_count || offsets[2 * group] == PCRE2_UNSET)
		return false;
	span->data = pattern->subject.data + offsets[2 * group];
	span->size = offsets[2 * group + 1] - offsets[2 * group];
	return true;
}

int
pattern_group_number(L4Pattern *pattern, const char *name)
{
	int			number = pcre2_substring_number_from_name(pattern->code, (PCRE2_SPTR) name);

	return number > 0 ? number : -1;
}
