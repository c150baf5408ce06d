/*
 * column.c: the values of each parameter of a segment, each column packed by what its values are: writing.
 *
 * Nearly all parameters are numbers. As text a digit takes three bits and a half of zstd's, whatever it says; as a number it
 * takes what it differs from its neighbours. So the values of a column are held to be numbers of one form (column_number.c),
 * and of these the differences are kept, or what they are more than the least, or which of a few they are. Where that promises
 * no gain over text, by a count of bits and without trying, the column stays text. Every value comes back byte by byte.
 */
#include "algorithms/column.h"

#include "algorithms/byte_class.h"
#include "algorithms/column_number.h"
#include "algorithms/column_private.h"
#include "port/pg_bitutils.h"
#include "tools/bytes.h"
#include "tools/codec.h"

/* Columns of fewer values stay text: what tells of the numbers would take more than they save. */
#define NUMBERS_MINIMUM 4
/* What a byte of text takes in the end, in eighths of a bit. */
#define TEXT_COST 26
/* What a wide number's class takes, in eighths of a bit; its bits take what they are. */
#define CLASS_COST 24
/* What a descriptor takes: every column pays for it. */
#define DESCRIPTOR_COST (4 * 8 * 8)
#define CHOICE_SLOTS (4 * CHOICE_LIMIT)

struct L4ColumnWriter
{
	StringInfoData sections[SECTION_COUNT];
	int			room;			/* of the next two, in values */
	L4Bytes    *values;			/* of the column at hand, in the order they are kept in */
	int64	   *numbers;		/* of its numbers */
};

/* How numbers are going to be packed, and what that is estimated to take, in eighths of a bit. */
typedef struct Plan
{
	NumberWay	way;
	int64		base;			/* the least, or the first */
	int64		step;			/* the least step */
	bool		negative;		/* any number is */
	int			choice_count;
	int64		choices[CHOICE_LIMIT];
	uint64		cost;
} Plan;

/* Values seen so far, for CHOICE. */
typedef struct Choices
{
	int			count;
	uint8		slots[CHOICE_SLOTS];	/* 1 + which; 0: free */
	uint64		hashes[CHOICE_LIMIT];
} Choices;

L4ColumnWriter *
columns_create(void)
{
	L4ColumnWriter *writer = palloc0(sizeof(L4ColumnWriter));
	int			i;

	for (i = 0; i < SECTION_COUNT; i++)
		initStringInfo(&writer->sections[i]);
	return writer;
}

/* ---- numbers ---- */

static inline int
bit_length(uint64 number)
{
	return number == 0 ? 0 : pg_leftmost_one_pos64(number) + 1;
}

static inline uint64
zigzag(uint64 step)
{
	return (step << 1) ^ (uint64) ((int64) step >> 63);
}

/* The slot of a hash, or the free one where it belongs. */
static inline int
choice_slot(const Choices *choices, uint64 hash)
{
	int			slot = (int) ((hash * UINT64CONST(0x9e3779b97f4a7c15)) >> 56) % CHOICE_SLOTS;

	while (choices->slots[slot] != 0 && choices->hashes[choices->slots[slot] - 1] != hash)
		slot = (slot + 1) % CHOICE_SLOTS;
	return slot;
}

/* How many values are worth being chosen from. */
static inline int
choice_limit(int count)
{
	return Min(CHOICE_LIMIT, count / 4);
}

/* Are the numbers few different ones? Then plan has them. */
static bool
find_choices(Plan *plan, Choices *choices, const int64 *numbers, int count)
{
	int			limit = choice_limit(count);
	int			i;

	choices->count = 0;
	memset(choices->slots, 0, sizeof(choices->slots));
	for (i = 0; i < count; i++)
	{
		int			slot = choice_slot(choices, (uint64) numbers[i]);

		if (choices->slots[slot] != 0)
			continue;
		if (choices->count == limit)
			return false;
		plan->choices[choices->count] = numbers[i];
		choices->hashes[choices->count] = (uint64) numbers[i];
		choices->slots[slot] = (uint8) ++choices->count;
	}
	plan->choice_count = choices->count;
	return true;
}

static inline void
plan_if_cheaper(Plan *plan, NumberWay way, uint64 cost)
{
	if (cost < plan->cost)
	{
		plan->way = way;
		plan->cost = cost;
	}
}

/* What all numbers, and all steps between them, lie in, and how long they are in all. */
typedef struct Spread
{
	int64		least;
	int64		most;
	int64		least_step;
	int64		most_step;
	uint64		bits;			/* of what the numbers are more than the least */
	uint64		step_bits;		/* of the steps, zigzag */
} Spread;

static Spread
spread_of(const int64 *numbers, int count)
{
	Spread		spread = {numbers[0], numbers[0], PG_INT64_MAX, PG_INT64_MIN, 0, 0};
	int			i;

	for (i = 1; i < count; i++)
	{
		int64		step = (int64) ((uint64) numbers[i] - (uint64) numbers[i - 1]);

		spread.least = Min(spread.least, numbers[i]);
		spread.most = Max(spread.most, numbers[i]);
		spread.least_step = Min(spread.least_step, step);
		spread.most_step = Max(spread.most_step, step);
		spread.step_bits += bit_length(zigzag((uint64) step));
	}
	for (i = 0; i < count; i++)
		spread.bits += bit_length((uint64) numbers[i] - (uint64) spread.least);
	return spread;
}

/* Chooses how to pack numbers. */
static void
plan_numbers(Plan *plan, Choices *choices, const int64 *numbers, int count)
{
	Spread		spread = spread_of(numbers, count);
	uint64		range = (uint64) spread.most - (uint64) spread.least;
	uint64		step_range = (uint64) spread.most_step - (uint64) spread.least_step;
	uint64		wide_cost = DESCRIPTOR_COST + (uint64) count * CLASS_COST;
	bool		steps;

	plan->negative = spread.least < 0;
	plan->way = WAY_EVEN;
	plan->cost = DESCRIPTOR_COST;
	plan->base = numbers[0];
	plan->step = count > 1 ? spread.least_step : 0;
	if (range == 0 || step_range == 0)
		return;
	plan->cost = PG_UINT64_MAX;
	steps = spread.step_bits < spread.bits;
	plan_if_cheaper(plan, steps ? WAY_WIDE_STEPS : WAY_WIDE, wide_cost + 6 * (steps ? spread.step_bits : spread.bits));
	if (range <= PG_UINT8_MAX)
		plan_if_cheaper(plan, WAY_BYTES, DESCRIPTOR_COST + Min((uint64) count * bit_length(range), spread.bits + count) * 7);
	if (step_range <= PG_UINT8_MAX)
		plan_if_cheaper(plan, WAY_STEP_BYTES,
						DESCRIPTOR_COST + Min((uint64) count * bit_length(step_range), spread.step_bits + count) * 7);
	if (range > PG_UINT8_MAX && step_range > PG_UINT8_MAX && find_choices(plan, choices, numbers, count))
		plan_if_cheaper(plan, WAY_CHOICE,
						DESCRIPTOR_COST + (uint64) plan->choice_count * 24 * 8 +
						(uint64) count * bit_length(plan->choice_count) * 7);
	plan->base = plan->way == WAY_BYTES || plan->way == WAY_WIDE ? spread.least : numbers[0];
}

/* Makes room for so many bytes behind those of a section. Returns where they go. */
static char *
reserve(StringInfo section, uint64 bytes)
{
	enlargeStringInfo(section, (int) Min(bytes, PG_INT32_MAX));
	return section->data + section->len;
}

/* Bits that wait to become bytes. */
typedef struct BitWriter
{
	char	   *at;
	uint64		waiting;
	int			count;
} BitWriter;

static inline void
put_bits(BitWriter *writer, uint64 bits, int count)
{
	while (count > 0)
	{
		int			some = Min(count, 32);

		writer->waiting |= (bits & ((UINT64CONST(1) << some) - 1)) << writer->count;
		writer->count += some;
		bits >>= some;
		count -= some;
		for (; writer->count >= 8; writer->count -= 8)
		{
			*writer->at++ = (char) writer->waiting;
			writer->waiting >>= 8;
		}
	}
}

/* Puts a number's bits; returns its class. */
static inline char
put_wide(BitWriter *bits, uint64 number)
{
	int			length;

	if (number < WIDE_SMALL)
		return (char) number;
	length = pg_leftmost_one_pos64(number);
	put_bits(bits, number, length - 2);
	return (char) (WIDE_SMALL + 4 * (length - 3) + ((number >> (length - 2)) & 3));
}

static void
put_wides(L4ColumnWriter *writer, const Plan *plan, const int64 *numbers, int count)
{
	StringInfo	section = &writer->sections[SECTION_BITS];
	char	   *begin = reserve(section, (uint64) count * sizeof(uint64));
	char	   *classes = reserve(&writer->sections[SECTION_CLASSES], count);
	BitWriter	bits = {begin, 0, 0};
	int			first = plan->way == WAY_WIDE ? 0 : 1;
	int			i;

	if (plan->way == WAY_WIDE)
		for (i = 0; i < count; i++)
			classes[i] = put_wide(&bits, (uint64) numbers[i] - (uint64) plan->base);
	else
		for (i = 1; i < count; i++)
			classes[i - 1] = put_wide(&bits, zigzag((uint64) numbers[i] - (uint64) numbers[i - 1]));
	put_bits(&bits, 0, (8 - bits.count) % 8);
	writer->sections[SECTION_CLASSES].len += count - first;
	section->len += (int) (bits.at - begin);
	column_put_unsigned(&writer->sections[SECTION_DESCRIPTORS], bits.at - begin);
}

static void
put_choices(L4ColumnWriter *writer, const Plan *plan, const Choices *choices, const int64 *numbers, int count)
{
	char	   *bytes = reserve(&writer->sections[SECTION_BYTES], count);
	int			i;

	column_put_unsigned(&writer->sections[SECTION_DESCRIPTORS], plan->choice_count);
	for (i = 0; i < plan->choice_count; i++)
		column_put_signed(&writer->sections[SECTION_DESCRIPTORS], plan->choices[i]);
	for (i = 0; i < count; i++)
		bytes[i] = (char) (choices->slots[choice_slot(choices, (uint64) numbers[i])] - 1);
	writer->sections[SECTION_BYTES].len += count;
}

/* Packs numbers as planned. */
static void
put_numbers(L4ColumnWriter *writer, const Plan *plan, const Choices *choices, const int64 *numbers, int count)
{
	StringInfo	descriptors = &writer->sections[SECTION_DESCRIPTORS];
	StringInfo	section = &writer->sections[SECTION_BYTES];
	char	   *bytes = reserve(section, count);
	int			i;

	column_put_unsigned(descriptors, plan->way);
	if (plan->way == WAY_CHOICE)
	{
		put_choices(writer, plan, choices, numbers, count);
		return;
	}
	column_put_signed(descriptors, plan->base);
	if (plan->way == WAY_EVEN || plan->way == WAY_STEP_BYTES)
		column_put_signed(descriptors, plan->step);
	if (plan->way == WAY_BYTES)
	{
		for (i = 0; i < count; i++)
			bytes[i] = (char) ((uint64) numbers[i] - (uint64) plan->base);
		section->len += count;
	}
	else if (plan->way == WAY_STEP_BYTES)
	{
		for (i = 1; i < count; i++)
			bytes[i - 1] = (char) ((uint64) numbers[i] - (uint64) numbers[i - 1] - (uint64) plan->step);
		section->len += count - 1;
	}
	else if (plan->way != WAY_EVEN)
		put_wides(writer, plan, numbers, count);
}

/* ---- columns ---- */

static void
put_descriptor(L4ColumnWriter *writer, int count, ColumnKind kind)
{
	column_put_unsigned(&writer->sections[SECTION_DESCRIPTORS], (uint64) count * 8 + kind);
}

/* Are all values the first? Seen without taking them apart: the bytes come again and again. */
static bool
is_constant(const StringInfoData *stored, L4Bytes first)
{
	int			stride = (int) (first.data + first.size - stored->data);

	return stored->len % stride == 0 && memcmp(stored->data, stored->data + stride, stored->len - stride) == 0;
}

/* Takes the values apart, in the order they are kept in. */
static void
take_values(L4ColumnWriter *writer, const StringInfoData *stored, int count, const int *order)
{
	L4ColumnReader in = {stored->data, stored->data + stored->len};
	L4Bytes    *values;
	int			i;

	if (count > writer->room)
	{
		writer->room = Max(count, 1024);
		writer->values = palloc(mul_size(writer->room, 2 * sizeof(L4Bytes)));
		writer->numbers = palloc(mul_size(writer->room, (L4_FORM_NUMBERS + 1) * sizeof(int64)));
	}
	values = order == NULL ? writer->values : writer->values + count;
	for (i = 0; i < count; i++)
		if (likely(in.at < in.end && (unsigned char) *in.at < 0x80))
		{
			values[i].size = (unsigned char) *in.at++;
			values[i].data = in.at;
			in.at += values[i].size;
		}
		else
			values[i] = column_get_bytes(&in);
	if (order != NULL)
		for (i = 0; i < count; i++)
			writer->values[i] = values[order[i]];
}

/* A way to pack a column as numbers. */
typedef struct Packing
{
	ColumnKind	kind;
	L4NumberForm form;
	int			places;
	int			count;			/* of the columns of numbers */
	const int64 *numbers;
	Plan		plans[L4_FORM_NUMBERS];
	Choices		choices[L4_FORM_NUMBERS];
	uint64		cost;
} Packing;

static void
plan_packing(Packing *packing, const int64 *numbers, int count)
{
	int			n;

	packing->numbers = numbers;
	packing->cost = 0;
	for (n = 0; n < packing->count; n++)
	{
		plan_numbers(&packing->plans[n], &packing->choices[n], numbers + (size_t) n * count, count);
		packing->cost += packing->plans[n].cost;
	}
}

/* How to pack the values as numbers of a form, if they are. */
static bool
plan_formed(L4ColumnWriter *writer, Packing *packing, int count, bool with_points)
{
	const L4NumberForm *form = &packing->form;

	if (!(with_points && number_plain_find(&packing->form, writer->values, count, writer->numbers)) &&
		!number_form_find(&packing->form, writer->values, count, with_points, writer->numbers))
		return false;
	packing->count = form->count;
	packing->kind = COLUMN_NUMBERS;
	if (form->count == 1 && form->numbers[0].before.size == 0 && form->after.size == 0 && form->numbers[0].width == 0 &&
		form->numbers[0].scale == 0)
		packing->kind = COLUMN_INTEGERS;
	plan_packing(packing, writer->numbers, count);
	return true;
}

/* Short decimals are not worth a look at their binary digits. */
static inline bool
may_be_binary(const Packing *packing)
{
	return packing->count == 1 && packing->form.numbers[0].scale > 6;
}

/* How to pack the values as floating-point numbers, if they are. */
static bool
plan_binary(L4ColumnWriter *writer, Packing *packing, int count)
{
	int64	   *numbers = writer->numbers + (size_t) L4_FORM_NUMBERS * writer->room;

	if (!number_binary_find(writer->values, count, numbers, &packing->places))
		return false;
	packing->kind = COLUMN_BINARY;
	packing->count = 1;
	plan_packing(packing, numbers, count);
	return true;
}

/* The bytes that the numbers have as texts. */
static uint32
packing_mask(const Packing *packing)
{
	const L4NumberForm *form = &packing->form;
	uint32		mask = byte_mask('0');
	int			n;

	if (packing->kind == COLUMN_BINARY)
		return mask | byte_mask('.') | byte_mask('e') | byte_mask('+') | byte_mask('-');
	for (n = 0; n < form->count; n++)
	{
		mask |= text_mask(form->numbers[n].before);
		if (form->numbers[n].scale > 0)
			mask |= byte_mask('.');
		if (packing->plans[n].negative)
			mask |= byte_mask('-');
	}
	return mask | text_mask(form->after);
}

/* Packs the column as numbers, if it is cheaper than as text. */
static bool
put_packed(L4ColumnWriter *writer, int count, uint64 text_cost, uint32 *mask)
{
	Packing		formed;
	Packing		binary;
	const Packing *best = NULL;
	int			n;

	if (plan_formed(writer, &formed, count, true))
		best = &formed;
	if ((best == NULL || may_be_binary(best)) && plan_binary(writer, &binary, count) &&
		(best == NULL || binary.cost < best->cost))
		best = &binary;
	if (best == NULL && plan_formed(writer, &formed, count, false))
		best = &formed;
	if (best == NULL || best->cost >= text_cost)
		return false;
	*mask = packing_mask(best);
	put_descriptor(writer, count, best->kind);
	if (best->kind == COLUMN_NUMBERS)
		number_form_put(&writer->sections[SECTION_DESCRIPTORS], &best->form);
	else if (best->kind == COLUMN_BINARY)
		column_put_unsigned(&writer->sections[SECTION_DESCRIPTORS], best->places);
	for (n = 0; n < best->count; n++)
		put_numbers(writer, &best->plans[n], &best->choices[n], best->numbers + (size_t) n * count, count);
	return true;
}

static inline uint64
value_hash(L4Bytes value)
{
	uint64		hash = value.size;
	size_t		i;

	for (i = 0; i < value.size; i++)
		hash = (hash ^ (unsigned char) value.data[i]) * UINT64CONST(0x100000001b3);
	return hash;
}

/* Packs the column as texts of which there are few. Two texts with one hash end the attempt. */
static bool
put_choice(L4ColumnWriter *writer, int count, uint32 *mask)
{
	const L4Bytes *values = writer->values;
	int			limit = choice_limit(count);
	L4Bytes		different[CHOICE_LIMIT];
	Choices		choices = {0};
	uint8	   *which = (uint8 *) writer->numbers;	/* not needed any more */
	int			i;

	for (i = 0; i < count; i++)
	{
		uint64		hash = value_hash(values[i]);
		int			slot = choice_slot(&choices, hash);

		if (choices.slots[slot] == 0)
		{
			if (choices.count == limit)
				return false;
			different[choices.count] = values[i];
			choices.hashes[choices.count] = hash;
			choices.slots[slot] = (uint8) ++choices.count;
		}
		which[i] = choices.slots[slot] - 1;
		if (!bytes_equal(different[which[i]], values[i]))
			return false;
	}
	put_descriptor(writer, count, COLUMN_CHOICE);
	column_put_unsigned(&writer->sections[SECTION_DESCRIPTORS], choices.count);
	*mask = 0;
	for (i = 0; i < choices.count; i++)
	{
		*mask |= text_mask(different[i]);
		column_put_bytes(&writer->sections[SECTION_TEXTS], different[i]);
	}
	appendBinaryStringInfo(&writer->sections[SECTION_BYTES], (const char *) which, count);
	return true;
}

/* Packs the column as texts. Their lengths get into the mask, which does no harm. */
static uint32
put_texts(L4ColumnWriter *writer, int count)
{
	StringInfo	texts = &writer->sections[SECTION_TEXTS];
	int			before = texts->len;
	int			i;

	put_descriptor(writer, count, COLUMN_TEXTS);
	for (i = 0; i < count; i++)
		column_put_bytes(texts, writer->values[i]);
	column_put_unsigned(&writer->sections[SECTION_DESCRIPTORS], texts->len - before);
	return text_mask((L4Bytes) {texts->data + before, texts->len - before});
}

uint32
columns_add(L4ColumnWriter *writer, const StringInfoData *stored, int count, const int *order)
{
	L4ColumnReader in = {stored->data, stored->data + stored->len};
	uint64		text_cost = DESCRIPTOR_COST + (uint64) stored->len * TEXT_COST;
	uint32		mask;

	if (count > 0)
	{
		L4Bytes		first = column_get_bytes(&in);

		if (is_constant(stored, first))
		{
			put_descriptor(writer, count, COLUMN_CONSTANT);
			column_put_bytes(&writer->sections[SECTION_TEXTS], first);
			return text_mask(first);
		}
	}
	take_values(writer, stored, count, order);
	if (count >= NUMBERS_MINIMUM && (put_packed(writer, count, text_cost, &mask) || put_choice(writer, count, &mask)))
		return mask;
	return put_texts(writer, count);
}

void
columns_sections(L4ColumnWriter *writer, L4Bytes *sections)
{
	StringInfoData sizes;
	int			i;

	initStringInfo(&sizes);
	for (i = 0; i < SECTION_COUNT; i++)
	{
		column_put_unsigned(&sizes, writer->sections[i].len);
		sections[1 + i] = (L4Bytes) {writer->sections[i].data, writer->sections[i].len};
	}
	sections[0] = (L4Bytes) {sizes.data, sizes.len};
}
