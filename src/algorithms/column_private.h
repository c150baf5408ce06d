/*
 * column_private.h: what writing (column.c) and reading (column_read.c) of columns share: the stored format.
 *
 * A blob begins with the sizes of its sections. `descriptors` says of each column, in order, how it is packed; the other
 * sections hold what it needs, one column after the other. Bytes of one kind lie together and zstd is told where a section
 * ends, so that each kind has its own statistics.
 */
#ifndef L4_COLUMN_PRIVATE_H
#define L4_COLUMN_PRIVATE_H

typedef enum ColumnSection
{
	SECTION_DESCRIPTORS, SECTION_TEXTS, SECTION_BYTES, SECTION_CLASSES, SECTION_BITS, SECTION_COUNT
} ColumnSection;

/* How the values of a column are packed. A descriptor begins with 8 * the number of values + one of these. */
typedef enum ColumnKind
{
	COLUMN_TEXTS,				/* size; texts: each with its length */
	COLUMN_CONSTANT,			/* texts: the one value, with its length */
	COLUMN_CHOICE,				/* how many; texts: these, with their lengths; bytes: which of them */
	COLUMN_INTEGERS,			/* numbers, written plainly */
	COLUMN_NUMBERS,				/* form (number_form_put); the numbers of each place */
	COLUMN_BINARY				/* places (number_binary_find); numbers */
} ColumnKind;

/* How one column of numbers is packed. */
typedef enum NumberWay
{
	WAY_EVEN,					/* first, step: each is the one before and the step */
	WAY_BYTES,					/* least; bytes: what each is more than that */
	WAY_STEP_BYTES,				/* first, least step; bytes: what each step is more than that */
	WAY_CHOICE,					/* how many, these; bytes: which of them */
	WAY_WIDE,					/* least, size of bits; classes and bits: what each is more than that */
	WAY_WIDE_STEPS				/* first, size of bits; classes and bits: each step, zigzag */
} NumberWay;

/*
 * A wide number is a class and some bits. Below 8 the class is the number; else it says how long the number is and what its
 * second and third bits are, and the rest are bits, from the lowest. Classes of similar numbers are alike, bits are noise.
 */
#define WIDE_SMALL 8
#define WIDE_CLASSES (WIDE_SMALL + 4 * 61)

/* So many different values at most has a COLUMN_CHOICE or WAY_CHOICE. */
#define CHOICE_LIMIT 64

#endif							/* L4_COLUMN_PRIVATE_H */
