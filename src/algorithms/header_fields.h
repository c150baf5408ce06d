/*
 * header_fields.h: a header as a row of fields, whatever software writes it: times, levels, names, numbers, parted by brackets
 * and signs. header_learn.c learns from a sample which fields the lines of a file have; header_fields.c takes them off a line.
 */
#ifndef L4_HEADER_FIELDS_H
#define L4_HEADER_FIELDS_H

#include "ground/l4.h"
#include "tools/codec.h"

/* Fields of a header at most, and bytes of what may stand between two of them, blanks that pad left out. */
#define L4_FIELD_LIMIT 10
#define L4_FIELD_GAP 12
/* A number before a line is that of a rank below this. */
#define L4_LABEL_RANKS 65536
/* Different headers that a file may have, besides those of known formats. */
#define L4_HEADER_FORM_LIMIT 3

/* What a field is; the letters are what a form is written and compared by. */
typedef enum L4FieldKind
{
	L4_FIELD_TIME = 't',		/* a date with a time of day */
	L4_FIELD_CLOCK = 'c',		/* a time of day alone */
	L4_FIELD_EPOCH = 'e',		/* a number since 1970 */
	L4_FIELD_LEVEL = 'l',
	L4_FIELD_RANK = 'r',		/* "rank 3" */
	L4_FIELD_NUMBER = 'n',
	L4_FIELD_WORD = 'w',
	L4_FIELD_BOX = 'b'			/* a text in brackets */
} L4FieldKind;

/* What stands between fields: "] [", ": ". Runs of blanks are one, and none where they pad a bracket, a bar or a colon. */
typedef struct L4FieldGap
{
	uint8		size;
	char		text[L4_FIELD_GAP];
} L4FieldGap;

static inline bool
same_gap(const L4FieldGap *a, const L4FieldGap *b)
{
	return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

/* A field as it stands in a line, with the gap before it. */
typedef struct L4Field
{
	L4FieldKind kind;
	L4FieldGap	gap;
	L4Bytes		text;			/* of a rank its digits */
} L4Field;

/* Of what kinds the fields of a header are, and what is between them and behind the last one. */
typedef struct L4HeaderForm
{
	int			count;
	struct
	{
		char		kind;
		L4FieldGap	gap;
	}			fields[L4_FIELD_LIMIT];
	L4FieldGap	end;
	int			cut;			/* so many of them are taken off: what a process calls itself readers want to see */
	/* which of them says what; -1 where none does */
	int			time;
	int			level;
	int			name;
	int			rank;
	int			host;
} L4HeaderForm;

/* Is a text the name of one of the job's nodes? */
typedef bool (*L4IsNode) (const void *argument, L4Bytes name);

/*
 * Takes the next field off a line: *at is where the one before it ends, start the line's first byte. False where no field of a
 * header stands there.
 */
extern bool header_field_next(const char *start, const char **at, const char *end, L4Field *field);

/* The gap before whatever comes next, and where that stands. False where it is longer than a gap may be. */
extern bool header_gap_next(const char *start, const char **at, const char *end, L4FieldGap *gap);

/*
 * What a launcher puts before all lines of a file, that of its ranks or hosts which wrote each: a field with the rank's number
 * in it; or the name of a node, with such a number beside it in the same field, or in the next one, or perhaps a word there
 * that is always the same.
 */
typedef struct L4LabelForm
{
	L4HeaderForm form;			/* its field host holds a node's name, its field rank the number */
	bool		local;			/* which counts the ranks of a node */
	uint8		sizes[2];		/* of the texts of its fields, digits left out */
	char		texts[2][L4_FIELD_GAP];
} L4LabelForm;

/* Does a field of a line go for one of this kind? Of a level any word in capitals does, of a name in brackets a number. */
extern bool header_field_goes(char kind, const L4Field *field);

/*
 * Takes the header off a text that it begins: its fields, and how many bytes are taken off with what parts them from the rest;
 * 0 where the text has no header of this form.
 */
extern size_t header_form_match(const L4HeaderForm *form, L4Bytes text, L4Field *fields);

/*
 * The name of a node in a text, and what stands beside it, before or behind a sign: "node-05:3", "3@node-05", or nothing. False
 * where it has none.
 */
extern bool header_label_parts(L4Bytes text, L4IsNode is_node, const void *argument, L4Bytes *node, L4Bytes *beside);

/*
 * Takes the label off a text that it begins: its size, 0 where there is none, with the name of the node and the digits of the
 * rank (of no bytes where it has none).
 */
extern size_t header_label_match(const L4LabelForm *label, L4Bytes text, L4IsNode is_node, const void *argument, L4Bytes *node,
								 L4Bytes *number);

/* The first number in a text, of no bytes where it has none. */
extern L4Bytes header_first_number(L4Bytes text);

/* A text without its digits, as far as there is room; its size. */
extern size_t header_without_digits(L4Bytes text, char *out, size_t room);

/* Appends a form as bytes, and takes it from them (XX001). */
extern void header_label_save(const L4LabelForm *label, StringInfo out);
extern void header_label_restore(L4LabelForm *label, L4ColumnReader *in);
extern void header_form_save(const L4HeaderForm *form, StringInfo out);
extern void header_form_restore(L4HeaderForm *form, L4ColumnReader *in);

#endif							/* L4_HEADER_FIELDS_H */
