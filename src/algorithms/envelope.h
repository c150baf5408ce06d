/*
 * envelope.h: lines that a collector of logs, or a program's own logger, wrapped into objects of JSON: what a program wrote,
 * and who and when.
 */
#ifndef L4_ENVELOPE_H
#define L4_ENVELOPE_H

#include "ground/l4.h"
#include "tools/codec.h"

#define L4_ENVELOPE_KEY 40

/* A key by its last name, and which of several of that name in an object it is, from 1; 0: there is none. */
typedef struct L4EnvelopeKey
{
	uint8		turn;
	uint8		size;
	char		name[L4_ENVELOPE_KEY];
} L4EnvelopeKey;

typedef enum L4EnvelopePart
{
	L4_ENVELOPE_TEXT, L4_ENVELOPE_HOST, L4_ENVELOPE_TIME, L4_ENVELOPE_PATH, L4_ENVELOPE_RANK,
	/* of a program's own logger alone */
	L4_ENVELOPE_LEVEL, L4_ENVELOPE_NAME,
	L4_ENVELOPE_PARTS
} L4EnvelopePart;

/* Under which keys objects say what was written, on which host, when, to which file, and by which rank; how grave, by whom. */
typedef struct L4EnvelopeForm
{
	L4EnvelopeKey keys[L4_ENVELOPE_PARTS];
} L4EnvelopeForm;

/* What is asked of the texts in a sample. */
typedef struct L4EnvelopeAsk
{
	bool		(*is_node) (const void *argument, L4Bytes name);	/* is it a node of the job? */
	bool		(*has_header) (const void *argument, L4Bytes text);	/* does it begin with a header with a time or a level? */
	const void *argument;
} L4EnvelopeAsk;

static inline bool
envelope_is_here(const L4EnvelopeForm *form)
{
	return form->keys[L4_ENVELOPE_TEXT].turn > 0;
}

/* Are the objects those of a program's own logger? They say how grave what is written is. */
static inline bool
envelope_is_own(const L4EnvelopeForm *form)
{
	return form->keys[L4_ENVELOPE_LEVEL].turn > 0;
}

/*
 * Learns from the first lines of a file whether a collector wrapped them, or some of them are the objects of a program's own
 * logger (of which each has a time and a level, and a text without a header). False, and a form that is not here, where neither
 * is so.
 */
extern bool envelope_learn(L4Bytes sample, const L4EnvelopeAsk *ask, L4EnvelopeForm *form);

/*
 * The values that a line has, without quotes, of no bytes where it has none; that of the text without the line end that some
 * keep in it. False where the line is no such object, or the text of a program's own is not all that it says: there are other
 * words in it, what went wrong, or numbers that do not tell where it comes from. Cost: linear.
 */
extern bool envelope_open(const L4EnvelopeForm *form, L4Bytes line, L4Bytes *values);

/* How many bytes of such a line stand before the object. */
extern size_t envelope_tag_size(L4Bytes line);

/* The rank that the path of a file tells ("/var/log/train/rank_3.log"), or -1. */
extern int	envelope_path_rank(L4Bytes path);

/* Appends a form as bytes, and takes it from them (XX001). */
extern void envelope_save(const L4EnvelopeForm *form, StringInfo out);
extern void envelope_restore(L4EnvelopeForm *form, L4ColumnReader *in);

#endif							/* L4_ENVELOPE_H */
