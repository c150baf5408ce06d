/*
 * header_learn_label.c: what a launcher puts before all lines of a file, learnt from its first lines: which rank or which node
 * wrote each, in whatever form.
 *
 * Nearly all lines begin alike but for a number, which changes with who writes and comes again and again, as that of a rank
 * does; or with the name of one of the job's nodes, alone or with such a number beside it ("node-05:3", "3@node-05") or in the
 * field behind it. Numbers that stand with several nodes count the ranks of each.
 */
#include "algorithms/header_learn_private.h"

#include "storage/shmem.h"
#include "tools/bytes.h"

/*
 * Of ten lines so many have a label; the ranks of a label write so many lines each, few numbers are left out (those of
 * processes of a system begin anywhere), and so often it is the turn of one that wrote before.
 */
#define NEARLY_ALL 9
#define LINES_PER_RANK 3
#define LEAST_RETURNS 3

/* Does a text look like the number of a rank: one with a word, or two of which the second says how many there are? */
static bool
is_like_rank(L4Bytes text)
{
	size_t		i;
	int			letters = 0;
	bool		digit = false;

	for (i = 0; i < text.size; i++)
	{
		digit = digit || is_digit(text.data[i]);
		letters += !is_digit(text.data[i]) && text.data[i] != '/';
	}
	return digit && letters <= L4_FIELD_GAP && text.size <= VALUE_BYTES;
}

static bool
holds_rank(const L4Field *field)
{
	return (field->kind == L4_FIELD_NUMBER || field->kind == L4_FIELD_WORD || field->kind == L4_FIELD_BOX ||
			field->kind == L4_FIELD_RANK) && is_like_rank(field->text);
}

/* The node and the number that the label of a line says, as far as it has them; number: of its rank's field. */
typedef struct Speaker
{
	L4Bytes		node;
	L4Bytes		number;
} Speaker;

/* Do the numbers of the lines here change with who writes, rather than count up line by line, as those of progress do? */
static bool
are_ranks(const L4SampleLine *lines, int count, const Speaker *speakers)
{
	bool	   *seen = palloc0(L4_LABEL_RANKS * sizeof(bool));
	int			here = 0;
	int			ranks = 0;
	int			most = 0;
	int			turns = 0;
	int			back = 0;
	int			last = -1;
	int			i;

	for (i = 0; i < count; i++)
	{
		int			rank;

		if (!lines[i].here)
			continue;
		rank = bytes_number(speakers[i].number);
		if (rank < 0 || rank >= L4_LABEL_RANKS)
			break;
		here++;
		ranks += !seen[rank];
		seen[rank] = true;
		most = Max(most, rank);
		/* one may write much before it is the turn of others */
		turns += rank != last;
		back += rank < last;
		last = rank;
	}
	pfree(seen);
	return i == count && ranks > 1 && ranks * LINES_PER_RANK <= here && ranks * 10 >= most * MOST &&
		back >= LEAST_RETURNS && back * ranks * 2 >= turns;
}

/* Does one number stand with several nodes, as those do that count the ranks of each? */
static bool
are_local(const L4SampleLine *lines, int count, const Speaker *speakers)
{
	int			i;
	int			j;

	for (i = 0; i < count; i++)
		for (j = 0; lines[i].here && j < i; j++)
			if (lines[j].here && bytes_number(speakers[i].number) == bytes_number(speakers[j].number) &&
				!bytes_equal(speakers[i].node, speakers[j].node))
				return true;
	return false;
}

/* Marks the lines that begin as the first one of them does that may have a label; returns how many do. */
static int
mark_labelled(L4SampleLine *lines, int count, const L4SampleLine *like)
{
	char		text[VALUE_BYTES];
	size_t		size = header_without_digits(like->fields[0].text, text, sizeof(text));
	int			here = 0;
	int			i;

	for (i = 0; i < count; i++)
	{
		char		other[VALUE_BYTES];

		lines[i].here = lines[i].count > 0 && holds_rank(&lines[i].fields[0]) && header_begin_alike(&lines[i], like, 0) &&
			header_without_digits(lines[i].fields[0].text, other, sizeof(other)) == size && memcmp(text, other, size) == 0;
		here += lines[i].here;
	}
	return here;
}

static bool
has_tab_behind(const L4SampleLine *line, int field)
{
	const char *behind = line->fields[field].text.data + line->fields[field].text.size;

	return behind < line->text.data + line->text.size && *behind == '\t';
}

/* What the labels of the lines here say, whose rank's number stands in a field; with nodes, beside their names or not. */
static Speaker *
speakers_of(const L4SampleLine *lines, int count, int field, L4IsNode is_node, const void *argument)
{
	Speaker    *speakers = palloc0(mul_size(count, sizeof(Speaker)));
	int			i;

	for (i = 0; i < count; i++)
	{
		L4Bytes		beside = {NULL, 0};

		if (!lines[i].here)
			continue;
		if (is_node != NULL)
			(void) header_label_parts(lines[i].fields[0].text, is_node, argument, &speakers[i].node, &beside);
		if (field > 0 || is_node == NULL)
			beside = lines[i].fields[field].text;
		if (is_like_rank(beside))
			speakers[i].number = header_first_number(beside);
	}
	return speakers;
}

/* Do nearly all lines begin with a rank's number in a field of its own, set off from what follows? */
static bool
has_rank_label(L4SampleLine *lines, int count)
{
	Speaker    *speakers;
	bool		ranks;
	int			i = 0;

	while (i < Min(count, SOME_LINES) && !(lines[i].count > 0 && holds_rank(&lines[i].fields[0]) &&
										   mark_labelled(lines, count, &lines[i]) * 10 >= count * NEARLY_ALL))
		i++;
	if (i == Min(count, SOME_LINES) || header_of_ten(lines, count, 0, EXCEPTION, header_is_step) ||
		!(header_is_delimited(lines, count, 0) || header_of_ten(lines, count, 0, MOST, has_tab_behind)))
		return false;
	speakers = speakers_of(lines, count, 0, NULL, NULL);
	ranks = are_ranks(lines, count, speakers);
	pfree(speakers);
	return ranks;
}

/* Is the first field of a line the name of a node, or does it hold one beside something else? */
static bool
names_node(const L4SampleLine *line, L4IsNode is_node, const void *argument, L4Bytes *node)
{
	L4Bytes		beside;

	return line->count > 0 && header_label_parts(line->fields[0].text, is_node, argument, node, &beside);
}

/* Do nearly all lines begin with the name of a node, and with those of several? */
static bool
has_node_label(L4SampleLine *lines, int count, L4IsNode is_node, const void *argument)
{
	L4Bytes		first = {NULL, 0};
	bool		several = false;
	int			nodes = 0;
	int			i;

	for (i = 0; i < count; i++)
	{
		L4Bytes		node;

		lines[i].here = names_node(&lines[i], is_node, argument, &node);
		if (!lines[i].here)
			continue;
		first = nodes++ == 0 ? node : first;
		several = several || !bytes_equal(node, first);
	}
	return several && nodes * 10 >= count * NEARLY_ALL;
}

bool
header_may_have_label(const L4SampleLine *lines, int count, L4IsNode is_node, const void *argument)
{
	L4Bytes		node;
	int			may = 0;
	int			i;

	for (i = 0; i < count; i++)
		may += lines[i].count > 0 && (holds_rank(&lines[i].fields[0]) || names_node(&lines[i], is_node, argument, &node));
	return may * 10 >= count * MOST;
}

/* Keeps of a field what its values have alike, their digits left out. */
static void
keep_text(const L4SampleLine *line, int field, L4LabelForm *label)
{
	label->sizes[field] = (uint8) header_without_digits(line->fields[field].text, label->texts[field],
														sizeof(label->texts[field]));
}

static const L4SampleLine *
first_here(const L4SampleLine *lines)
{
	while (!lines->here)
		lines++;
	return lines;
}

/* Finds the ranks that stand in a field of the label of a node, beside its name or behind it. */
static void
find_ranks(const L4SampleLine *lines, int count, int field, L4IsNode is_node, const void *argument, L4LabelForm *label)
{
	Speaker    *speakers = speakers_of(lines, count, field, is_node, argument);

	if (are_ranks(lines, count, speakers))
	{
		label->form.rank = field;
		label->local = are_local(lines, count, speakers);
	}
	pfree(speakers);
}

/* Adds the field behind that of a node: its rank's number, or a word that is always the same and says nothing else. */
static void
add_field(L4SampleLine *lines, int count, L4IsNode is_node, const void *argument, L4LabelForm *label)
{
	L4LabelForm longer = *label;
	bool	   *before = header_lines_here(lines, count);

	if (header_find_next_field(lines, count, &longer.form))
	{
		const L4SampleLine *line = first_here(lines);

		if (label->form.rank < 0 && holds_rank(&line->fields[1]) && header_is_delimited(lines, count, 1))
			find_ranks(lines, count, 1, is_node, argument, &longer);
		if (longer.form.rank == 1 ||
			(longer.form.fields[1].kind == L4_FIELD_WORD && header_is_one_name(lines, count, 1) &&
			 header_goes_on_variously(lines, count, 1)))
		{
			*label = longer;
			label->form.cut = label->form.count;
			keep_text(line, 1, label);
			pfree(before);
			return;
		}
	}
	header_look_at_lines(lines, count, before);
}

bool
header_learn_label(L4SampleLine *lines, int count, L4IsNode is_node, const void *argument, L4LabelForm *label)
{
	const L4SampleLine *line;
	bool		node = count >= SOME_LINES && has_node_label(lines, count, is_node, argument);

	if (count < SOME_LINES || (!node && !has_rank_label(lines, count)))
		return false;
	line = first_here(lines);
	memset(label, 0, sizeof(L4LabelForm));
	label->form.count = label->form.cut = 1;
	label->form.fields[0].kind = (char) line->fields[0].kind;
	label->form.fields[0].gap = line->fields[0].gap;
	label->form.time = label->form.level = label->form.name = -1;
	label->form.host = node ? 0 : -1;
	label->form.rank = node ? -1 : 0;
	if (node)
	{
		find_ranks(lines, count, 0, is_node, argument, label);
		add_field(lines, count, is_node, argument, label);
	}
	else
		keep_text(line, 0, label);
	return header_find_end(lines, count, label->form.count - 1, &label->form.end);
}
