/*
 * given_up.c: how users are told that rules gave up on texts. Rules that take too many steps on a text are left out for it, and
 * nothing else is; so a call says once, at its end, which rules those were.
 */
#include "loading/given_up.h"

#include "algorithms/header.h"
#include "doors/store_settings.h"

void
given_up_warn(const StringInfoData *names)
{
	if (names->len > 0)
		ereport(WARNING,
				(errcode(ERRCODE_WARNING),
				 errmsg(GIVEN_UP_MESSAGE),
				 errdetail_internal("%s.", names->data),
				 errhint(GIVEN_UP_HINT)));
}

StringInfoData
given_up_of_import(const L4SourceContext *context)
{
	const L4Rules *rules = context->rules;
	StringInfoData names;
	int			i;

	initStringInfo(&names);
	header_note_given_up(context->parser, &names);
	for (i = 0; i < rules->mask_count; i++)
		pattern_note_given_up(rules->masks[i], &names);
	for (i = 0; i < rules->progress.stage_count; i++)
		pattern_note_given_up(rules->progress.stages[i].pattern, &names);
	for (i = 0; i < rules->progress.iteration_count; i++)
		pattern_note_given_up(rules->progress.iterations[i].pattern, &names);
	return names;
}
