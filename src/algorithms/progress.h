/*
 * progress.h: stage and iteration of each record of a stream, by rules.
 */
#ifndef L4_PROGRESS_H
#define L4_PROGRESS_H

#include "ground/l4.h"
#include "lib/stringinfo.h"
#include "algorithms/pattern_set.h"

typedef enum L4IterationPosition
{
	L4_ITERATION_START,			/* the record opens the iteration it names */
	L4_ITERATION_INSIDE,		/* the record belongs to it; so do those that follow */
	L4_ITERATION_END			/* the iteration ends with the record; what follows belongs to the next */
} L4IterationPosition;

typedef struct L4StageRule
{
	L4Pattern  *pattern;
	int			stage;			/* 1 + index into l4_stages */
	bool		ends;			/* the stage ends with the record */
} L4StageRule;

typedef struct L4IterationRule
{
	L4Pattern  *pattern;
	int			group;			/* of the number */
	L4IterationPosition position;
} L4IterationRule;

typedef struct L4ProgressRules
{
	L4StageRule *stages;
	int			stage_count;
	L4PatternSet *stage_set;	/* of their patterns, in their order */
	L4IterationRule *iterations;
	int			iteration_count;
	L4PatternSet *iteration_set;
} L4ProgressRules;

/* What the rules say of a shape; a pure function of its text. */
typedef struct L4ProgressClass
{
	int			stage;			/* 0 = none */
	bool		stage_ends;		/* with such a record */
	int			iteration_rule; /* -1 = none */
	/* which parameter (from 0) is the number that the rule reads; -1 where it is not one alone */
	int			iteration_parameter;
} L4ProgressClass;

/* Where a stream stands. Zero it at the stream's beginning. */
typedef struct L4ProgressState
{
	int			stage;
	int			before;			/* of an evaluation or a checkpoint: the stage that it interrupts, to which it leads back */
	bool		has_iteration;
	int64		iteration;
} L4ProgressState;

extern void progress_stage_sample(StringInfo out, L4Bytes shape_text);
extern L4ProgressClass progress_classify(const L4ProgressRules *rules, L4Bytes shape_text);
/*
 * Whether the stage after such a record of such a level (marked: it named an iteration) is the same whatever it was before.
 */
extern bool progress_is_settled(L4ProgressClass class, L4Level level, bool marked);
/*
 * Moves the state past a record; of_record is what the record itself belongs to. Returns whether the record named an
 * iteration.
 */
extern bool progress_advance(const L4ProgressRules *rules, L4ProgressState *state, L4ProgressClass class, L4Level level,
							 L4Bytes message, const L4Bytes *parameters, int parameter_count, L4ProgressState *of_record);

#endif							/* L4_PROGRESS_H */
