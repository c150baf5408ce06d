/*
 * line_template.h: what a tool puts before each line of a file that several processes wrote, learnt from the file itself: texts
 * that are always the same, and between them fields of few values, one of which tells the node or the rank.
 */
#ifndef L4_LINE_TEMPLATE_H
#define L4_LINE_TEMPLATE_H

#include "ground/l4.h"
#include "algorithms/header_fields.h"
#include "algorithms/level.h"
#include "tools/codec.h"

/* Pieces of a label at most, and bytes of a text in it. */
#define L4_TEMPLATE_PIECES 40
#define L4_TEMPLATE_TEXT 24

/* What a piece of a line is; the letters are what is saved. */
typedef enum L4PieceKind
{
	L4_PIECE_SIGN = 's',		/* one sign, or one of those that draw boxes */
	L4_PIECE_BLANK = 'b',		/* some blanks */
	L4_PIECE_LETTERS = 'a',
	L4_PIECE_NUMBER = 'n',
	L4_PIECE_MIXED = 'm',		/* letters and digits in turn */
	L4_PIECE_NODE = 'h',		/* the name of a node of the job */
	L4_PIECE_TIME = 't',		/* a date with a time of day, or a number since 1970 */
	L4_PIECE_CLOCK = 'c',		/* a time of day */
	L4_PIECE_CELL = 'x'			/* whatever stands before the sign that follows, of a row of such cells */
} L4PieceKind;

typedef struct L4TemplatePiece
{
	char		kind;
	bool		literal;		/* it is always this text */
	uint8		size;
	char		text[L4_TEMPLATE_TEXT];
} L4TemplatePiece;

/* What closes a line behind what was written. */
typedef enum L4TemplateTail
{
	L4_TAIL_NONE = '-',
	L4_TAIL_SIGN = '^',			/* the sign that it begins with */
	L4_TAIL_ELEMENT = '<'		/* the element that it begins with: "</stdout>", a line's end as an entity before it */
} L4TemplateTail;

typedef struct L4LineTemplate
{
	int			count;			/* 0: there is none */
	L4TemplatePiece pieces[L4_TEMPLATE_PIECES];
	/* which pieces say what; -1 where none does */
	int			host;
	int			number;			/* of a rank, or (tasks) of a launcher's task, one on each node */
	int			local;			/* of a rank on its node */
	int			time;
	int			level;
	bool		tasks;
	bool		set_off;		/* who writes stands in brackets or quotes; known where it was just learnt */
	char		tail;			/* L4TemplateTail */
} L4LineTemplate;

/* What the label of a line says; of no bytes where it says nothing of the kind. */
typedef struct L4TemplateValues
{
	L4Bytes		host;
	L4Bytes		number;
	L4Bytes		local;
	L4Bytes		time;
	bool		is_clock;		/* the time is one of day alone */
	L4Bytes		level;
} L4TemplateValues;

/* A piece of a line as it stands there. */
typedef struct L4Piece
{
	L4PieceKind kind;
	L4Bytes		text;
} L4Piece;

/* Takes the next piece off a line, behind what sets a terminal's colours; false at its end. */
extern bool line_piece_next(const char **at, const char *end, L4IsNode is_node, const void *argument, L4Piece *piece);

/* What is known of the job whose lines are looked at. */
typedef struct L4TemplateJob
{
	L4IsNode	is_node;
	const void *argument;		/* of it */
	int			nodes;			/* 0 where not known */
	int			ranks_per_node;	/* likewise */
} L4TemplateJob;

/* May some lines, the first ones of a file, have a label that tells several writers apart? Cost: below a microsecond a line. */
extern bool line_template_may_be(const L4Bytes *lines, int count, const L4TemplateJob *job);

/*
 * Learns what stands before some lines that follow one another: before nearly all of them, or before all that have a header
 * behind it (has_header). False where nothing does that tells several writers apart. Cost: a microsecond a line where there is
 * nothing, some where there is.
 */
extern bool line_template_learn(const L4Bytes *lines, int count, const L4TemplateJob *job,
								bool (*has_header) (const void *argument, L4Bytes text), L4LineTemplate *template);

/* Takes it off a line: how many bytes it has, 0 where the line has none. */
extern size_t line_template_match(const L4LineTemplate *template, L4Bytes text, L4IsNode is_node, const void *argument,
								  L4TemplateValues *values);

/* How many bytes at the end of a line that begins as the template has it close it. */
extern size_t line_template_tail(const L4LineTemplate *template, L4Bytes line);

/* Appends a template as bytes, and takes it from them (XX001). */
extern void line_template_save(const L4LineTemplate *template, StringInfo out);
extern void line_template_restore(L4LineTemplate *template, L4ColumnReader *in);

#endif							/* L4_LINE_TEMPLATE_H */
