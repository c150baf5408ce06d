/*
 * line_template_learn.c: what a tool puts before each line of a file that several processes wrote, learnt from its first lines.
 *
 * Whatever the tool, its label stands before what programs print and before what they log alike, and piece by piece it is the
 * same: texts that do not change, and fields of which there are few values. One of these tells the writer: it is the name of a
 * node of the job, or a number that comes again and again, none left out, of as many as the job has ranks or nodes. What other
 * fields hold (a process, an identifier, a time) does not matter. The label ends where what it opened is closed, with the signs
 * behind that; and with a word that all lines have there before another such sign.
 */
#include "algorithms/line_template.h"

#include "storage/shmem.h"
#include "tools/bytes.h"

/* Of ten lines so many have a piece; so many at least have the label, or of those with headers. */
#define NEARLY_ALL 9
#define LEAST_LINES 4
/* From fewer lines nothing is learnt. */
#define SOME_LINES 8
/* Values of a field of so many lines that are few; the different numbers of ranks that are counted. */
#define LINES_PER_VALUE 3
#define VALUES_LIMIT 64
/* Of ten numbers up to the highest so many are there; and of the job's ranks. */
#define MOST 8
/* Of a file in which others have none, those with a label begin alike for so many pieces. */
#define BEGIN_PIECES 3
/* Letters of a word. */
#define WORD_LETTERS 3
/* One of so many lines has a header of its own behind a stamp. */
#define LINES_PER_STAMPED 5
/* Words behind the writer that are the label's, and pieces of one with the sign behind it. */
#define WORDS_BEHIND 2
#define WORD_PIECES 10
/* So many first lines may be one that has a label. */
#define FIRST_LINES 3
/* Only so many first bytes of a line are looked at. */
#define LABEL_BYTES 400

/* A line of the sample: its pieces, and which of them the piece of the template is that is looked at. */
typedef struct Line
{
	L4Bytes		text;
	const char *at;				/* behind its pieces so far */
	int			count;
	int			next;			/* of its pieces */
	bool		here;			/* it is as the template has it so far */
	L4Piece		pieces[L4_TEMPLATE_PIECES];
	L4Bytes		values[L4_TEMPLATE_PIECES]; /* what it has for each piece of the template */
} Line;

typedef struct Sample
{
	Line	   *lines;
	int			count;
	const L4TemplateJob *job;
	bool		(*has_header) (const void *argument, L4Bytes text);
} Sample;

/* One of the pieces of a line; NULL where it has not so many. */
static const L4Piece *
piece_of(const Sample *sample, Line *line, int piece)
{
	const L4TemplateJob *job = sample->job;

	while (piece >= line->count)
	{
		if (line->count == L4_TEMPLATE_PIECES ||
			!line_piece_next(&line->at, line->text.data + Min(line->text.size, LABEL_BYTES), job->is_node, job->argument,
							 &line->pieces[line->count]))
			return NULL;
		line->count++;
	}
	return &line->pieces[piece];
}

static int
count_here(const Sample *sample)
{
	int			here = 0;
	int			i;

	for (i = 0; i < sample->count; i++)
		here += sample->lines[i].here;
	return here;
}

static inline const L4Piece *
next_piece(const Sample *sample, Line *line)
{
	return piece_of(sample, line, line->next);
}

/* The commonest kind of the next piece, if nearly all lines here have it, which then are those that do; else 0. */
static int
next_kind(Sample *sample)
{
	int			counts[128] = {0};
	int			here = count_here(sample);
	int			best = 0;
	int			i;

	for (i = 0; i < sample->count; i++)
	{
		const L4Piece *piece = sample->lines[i].here ? next_piece(sample, &sample->lines[i]) : NULL;

		if (piece != NULL && ++counts[piece->kind] > counts[best])
			best = piece->kind;
	}
	return counts[best] * 10 >= here * NEARLY_ALL ? best : 0;
}

/* The text that nearly all lines here have next; of no bytes where they have several. */
static L4Bytes
next_text(const Sample *sample, int kind)
{
	L4Bytes		best = {NULL, 0};
	int			here = count_here(sample);
	int			tries = 0;
	int			i;

	/* what nearly all have one of the first has */
	for (i = 0; i < sample->count && tries < 3; i++)
	{
		const L4Piece *piece = sample->lines[i].here ? next_piece(sample, &sample->lines[i]) : NULL;
		int			same = 0;
		int			j;

		if (piece == NULL || (int) piece->kind != kind)
			continue;
		tries++;
		for (j = 0; j < sample->count; j++)
		{
			const L4Piece *other = sample->lines[j].here ? next_piece(sample, &sample->lines[j]) : NULL;

			same += other != NULL && (int) other->kind == kind && bytes_equal(other->text, piece->text);
		}
		if (same * 10 >= here * NEARLY_ALL && piece->text.size <= L4_TEMPLATE_TEXT)
			best = piece->text;
		if (best.size > 0)
			break;
	}
	return best;
}

/* Have the lines here few values for a piece of the template? */
static bool
has_few_values(const Sample *sample, int piece)
{
	L4Bytes		known[VALUES_LIMIT];
	int			here = 0;
	int			count = 0;
	int			i;
	int			j;

	for (i = 0; i < sample->count; i++)
	{
		if (!sample->lines[i].here)
			continue;
		here++;
		for (j = 0; j < count && !bytes_equal(known[j], sample->lines[i].values[piece]); j++)
			;
		if (j < count)
			continue;
		if (count == VALUES_LIMIT)
			return false;
		known[count++] = sample->lines[i].values[piece];
	}
	return count * LINES_PER_VALUE <= here;
}

/* Goes on behind the next piece of the lines that have it as the template does; the others are not here any more. */
static void
pass_piece(Sample *sample, int piece, int kind, L4Bytes literal)
{
	int			i;

	for (i = 0; i < sample->count; i++)
	{
		Line	   *line = &sample->lines[i];
		const L4Piece *next = line->here ? next_piece(sample, line) : NULL;

		line->here = next != NULL && (int) next->kind == kind && (literal.size == 0 || bytes_equal(next->text, literal));
		if (!line->here)
			continue;
		line->values[piece] = next->text;
		line->next++;
	}
}

static inline bool
parts_cells(const L4TemplatePiece *piece)
{
	return piece->kind == L4_PIECE_SIGN && piece->literal && piece->size == 1 && strchr("\t|,", piece->text[0]) != NULL;
}

/* Where the cell of a line ends that begins with its next piece; -1 where no such sign follows. */
static int
cell_end(const Sample *sample, Line *line, char sign)
{
	const L4Piece *piece;
	int			i;

	for (i = line->next; (piece = piece_of(sample, line, i)) != NULL; i++)
		if (piece->kind == L4_PIECE_SIGN && piece->text.data[0] == sign)
			return i;
	return -1;
}

/* Adds what stands before the next sign of those that part cells, whatever it is, where it is one of a few values. */
static bool
add_cell(Sample *sample, L4LineTemplate *template)
{
	int			piece = template->count;
	char		sign;
	int			i;

	if (piece == 0 || piece + 2 > L4_TEMPLATE_PIECES || !parts_cells(&template->pieces[piece - 1]))
		return false;
	sign = template->pieces[piece - 1].text[0];
	for (i = 0; i < sample->count; i++)
	{
		Line	   *line = &sample->lines[i];
		int			end = line->here ? cell_end(sample, line, sign) : -1;
		const char *from;

		line->here = end >= 0;
		if (!line->here)
			continue;
		from = line->pieces[line->next].text.data;
		line->values[piece] = (L4Bytes) {from, (size_t) (line->pieces[end].text.data - from)};
		line->values[piece + 1] = line->pieces[end].text;
		line->next = end + 1;
	}
	if (!has_few_values(sample, piece))
		return false;
	template->pieces[piece].kind = L4_PIECE_CELL;
	template->pieces[piece].literal = false;
	template->pieces[piece + 1] = template->pieces[piece - 1];
	template->count += 2;
	return true;
}

/* Adds the next piece, as far as the lines here have one in common. */
static bool
add_piece(Sample *sample, L4LineTemplate *template)
{
	int			kind = next_kind(sample);
	int			piece = template->count;
	L4TemplatePiece *added = &template->pieces[piece];
	L4Bytes		literal;

	if (kind == 0)
		return add_cell(sample, template);
	literal = kind == L4_PIECE_BLANK || kind == L4_PIECE_NODE || kind == L4_PIECE_TIME || kind == L4_PIECE_CLOCK ?
		(L4Bytes) {NULL, 0} : next_text(sample, kind);
	if (literal.size == 0 && kind == L4_PIECE_SIGN)
		return false;
	/* the level of most lines is not that of all */
	if (literal.size > 1 && kind == L4_PIECE_LETTERS && level_from_text(literal) != L4_LEVEL_NONE)
		literal.size = 0;
	added->kind = (char) kind;
	added->literal = literal.size > 0;
	added->size = (uint8) literal.size;
	memcpy(added->text, literal.data != NULL ? literal.data : "", literal.size);
	pass_piece(sample, piece, kind, literal);
	template->count++;
	return added->literal || (kind != L4_PIECE_LETTERS && kind != L4_PIECE_MIXED) || has_few_values(sample, piece) ||
		kind == L4_PIECE_MIXED;
}

/* Takes as many pieces as nearly all lines have in common, or enough of them. */
static void
find_pieces(Sample *sample, L4LineTemplate *template)
{
	bool	   *before = palloc(mul_size(sample->count, sizeof(bool)));
	int			i;

	template->count = 0;
	while (template->count < L4_TEMPLATE_PIECES)
	{
		int			count = template->count;

		for (i = 0; i < sample->count; i++)
			before[i] = sample->lines[i].here;
		if (add_piece(sample, template) && count_here(sample) * 10 >= sample->count * LEAST_LINES)
			continue;
		template->count = count;
		for (i = 0; i < sample->count; i++)
			sample->lines[i].here = before[i];
		break;
	}
	pfree(before);
}

/* Is a word of the template one of these, whatever its letters' case? */
static bool
is_one_of(const L4TemplatePiece *piece, const char *const *words, int count)
{
	int			i;

	for (i = 0; i < count; i++)
		if (piece->literal && piece->size == strlen(words[i]) && pg_strncasecmp(piece->text, words[i], piece->size) == 0)
			return true;
	return false;
}

/* What the word before a number says of it. */
typedef enum Hint
{
	HINT_NONE, HINT_RANK, HINT_LOCAL, HINT_STEP
} Hint;

static Hint
hint_before(const L4LineTemplate *template, int number)
{
	static const char *const ranks[] = {"rank"};
	static const char *const locals[] = {"gpu", "device", "npu", "slot"};
	static const char *const steps[] = {"iter", "iteration", "epoch", "batch", "loss", "it"};
	int			i = number;

	while (i-- > 0 && number - i <= 4 && !(template->pieces[i].literal && template->pieces[i].kind == L4_PIECE_LETTERS))
		;
	if (i < 0 || number - i > 4)
		return HINT_NONE;
	if (is_one_of(&template->pieces[i], ranks, lengthof(ranks)))
	{
		static const char *const local[] = {"local"};

		return i > 1 && is_one_of(&template->pieces[i - 2], local, lengthof(local)) ? HINT_LOCAL : HINT_RANK;
	}
	if (is_one_of(&template->pieces[i], locals, lengthof(locals)))
		return HINT_LOCAL;
	return is_one_of(&template->pieces[i], steps, lengthof(steps)) ? HINT_STEP : HINT_NONE;
}

/* The numbers of a field: how many different ones, the highest, and whether they go back and forth as those of writers do. */
typedef struct Numbers
{
	int			different;
	int			highest;
	bool		recur;
} Numbers;

static bool
count_numbers(const Sample *sample, int piece, Numbers *numbers)
{
	bool	   *seen = palloc0(L4_LABEL_RANKS * sizeof(bool));
	int			here = 0;
	int			back = 0;
	int			last = 0;
	int			i;

	*numbers = (Numbers) {0, 0, false};
	for (i = 0; i < sample->count; i++)
	{
		int			number;

		if (!sample->lines[i].here)
			continue;
		number = bytes_number(sample->lines[i].values[piece]);
		if (number < 0 || number >= L4_LABEL_RANKS)
			break;
		here++;
		numbers->different += !seen[number];
		seen[number] = true;
		numbers->highest = Max(numbers->highest, number);
		back += number < last;
		last = number;
	}
	pfree(seen);
	numbers->recur = numbers->different * LINES_PER_VALUE <= here && back * numbers->different * 4 >= here;
	return i == sample->count && numbers->different > 1;
}

/* Are there so many numbers as there are of what they count, from 0 on? */
static inline bool
are_all_of(const Numbers *numbers, int64 of)
{
	return of > 0 && numbers->highest < of && numbers->different * 10 >= of * MOST;
}

/* Does one number stand with several nodes, as those do that count the ranks of each? */
static bool
are_local(const Sample *sample, int host, int number)
{
	int			i;
	int			j;

	for (i = 0; i < sample->count; i++)
		for (j = 0; sample->lines[i].here && j < i; j++)
			if (sample->lines[j].here && !bytes_equal(sample->lines[i].values[host], sample->lines[j].values[host]) &&
				bytes_number(sample->lines[i].values[number]) == bytes_number(sample->lines[j].values[number]))
				return true;
	return false;
}

static inline bool
is_sign(const L4LineTemplate *template, int piece, char sign)
{
	return piece >= 0 && piece < template->count && template->pieces[piece].kind == L4_PIECE_SIGN &&
		template->pieces[piece].text[0] == sign;
}

/* Stands another number behind a dot beside this one, as in an address? */
static bool
is_of_address(const L4LineTemplate *template, int piece)
{
	const L4TemplatePiece *pieces = template->pieces;

	return (is_sign(template, piece - 1, '.') && piece > 1 && pieces[piece - 2].kind == L4_PIECE_NUMBER) ||
		(is_sign(template, piece + 1, '.') && piece + 2 < template->count && pieces[piece + 2].kind == L4_PIECE_NUMBER);
}

/* What the number in a label counts: nothing that tells a writer, ranks, those of a node, a launcher's tasks on the nodes. */
typedef enum Counted
{
	COUNTS_NOTHING, COUNTS_RANKS, COUNTS_LOCAL, COUNTS_TASKS
} Counted;

static Counted
what_counts(const Sample *sample, const L4LineTemplate *template, int piece)
{
	const L4TemplateJob *job = sample->job;
	int64		ranks = (int64) job->nodes * job->ranks_per_node;
	Hint		hint = hint_before(template, piece);
	Numbers		numbers;

	if (template->pieces[piece].kind != L4_PIECE_NUMBER || template->pieces[piece].literal || hint == HINT_STEP ||
		is_of_address(template, piece) ||
		!count_numbers(sample, piece, &numbers) || !numbers.recur)
		return COUNTS_NOTHING;
	if (template->host >= 0 && are_local(sample, template->host, piece))
		return are_all_of(&numbers, job->ranks_per_node > 0 ? job->ranks_per_node : numbers.highest + 1) ?
			COUNTS_LOCAL : COUNTS_NOTHING;
	if (hint == HINT_LOCAL && numbers.highest < (job->ranks_per_node > 0 ? job->ranks_per_node : L4_LABEL_RANKS))
		return COUNTS_LOCAL;
	if (ranks == 0 || hint == HINT_RANK)
		return are_all_of(&numbers, numbers.highest + 1) && (ranks == 0 || numbers.highest < ranks) ?
			COUNTS_RANKS : COUNTS_NOTHING;
	if (are_all_of(&numbers, ranks))
		return COUNTS_RANKS;
	if (template->host >= 0)
		return COUNTS_NOTHING;
	if (template->number < 0 && are_all_of(&numbers, job->nodes))
		return COUNTS_TASKS;
	/* of a file of one node, as its path may tell, or behind the number of a task */
	return are_all_of(&numbers, job->ranks_per_node) ? COUNTS_LOCAL : COUNTS_NOTHING;
}

/* Has a piece more than one value? */
static bool
has_several(const Sample *sample, int piece)
{
	const L4Bytes *first = NULL;
	int			i;

	for (i = 0; i < sample->count; i++)
	{
		if (!sample->lines[i].here)
			continue;
		if (first != NULL && !bytes_equal(*first, sample->lines[i].values[piece]))
			return true;
		first = &sample->lines[i].values[piece];
	}
	return false;
}

/* Finds which pieces tell the writer; returns the last of them, -1 where none does. */
static int
find_writer(const Sample *sample, L4LineTemplate *template)
{
	Hint		best = HINT_NONE;
	int			i;

	template->host = template->number = template->local = template->time = template->level = -1;
	for (i = 0; i < template->count && template->host < 0; i++)
		if (template->pieces[i].kind == L4_PIECE_NODE && has_several(sample, i))
			template->host = i;
	for (i = 0; i < template->count; i++)
	{
		Counted		counted = what_counts(sample, template, i);

		if (counted == COUNTS_LOCAL)
			template->local = i;
		else if (counted != COUNTS_NOTHING && best != HINT_RANK)
		{
			template->number = i;
			template->tasks = counted == COUNTS_TASKS;
			best = hint_before(template, i);
		}
	}
	/* a rank tells its node */
	if (template->number >= 0 && !template->tasks)
		template->local = -1;
	return Max(template->host, Max(template->local, template->number));
}

/* What the pieces so far have opened and not closed; a sign that both opens and closes is looked up. */
static int
open_after(const L4LineTemplate *template, int count)
{
	char		open[L4_TEMPLATE_PIECES];
	int			depth = 0;
	int			i;

	for (i = 0; i < count; i++)
	{
		char		c = template->pieces[i].kind == L4_PIECE_SIGN && template->pieces[i].size == 1 ?
			template->pieces[i].text[0] : '\0';

		if (c == '(' || c == '[' || c == '{' || (c == '<' && i == 0))
			open[depth++] = c;
		else if (depth > 0 && ((c == ')' && open[depth - 1] == '(') || (c == ']' && open[depth - 1] == '[') ||
							   (c == '}' && open[depth - 1] == '{') || (c == '>' && open[depth - 1] == '<')))
			depth--;
		else if (c == '"' || c == '\'')
		{
			if (depth > 0 && open[depth - 1] == c)
				depth--;
			else
				open[depth++] = c;
		}
	}
	return depth;
}

static bool
is_behind(const L4TemplatePiece *piece)
{
	if (piece->kind == L4_PIECE_BLANK)
		return true;
	return piece->kind == L4_PIECE_SIGN && (piece->size > 1 || strchr("])}>\"'|:,;-=\t", piece->text[0]) != NULL);
}

static bool
is_strong(const L4TemplatePiece *piece)
{
	return piece->kind == L4_PIECE_SIGN && (piece->size > 1 || strchr("])}>|:\t", piece->text[0]) != NULL);
}

/*
 * Begins a header that a rule knows in nearly all lines where a piece of the template does? Where it does in some alone, the
 * others have that piece, too, which thus is the label's.
 */
static bool
has_header_at(const Sample *sample, int piece)
{
	int			headed = 0;
	int			here = 0;
	int			i;

	for (i = 0; i < sample->count; i++)
	{
		const Line *line = &sample->lines[i];
		const char *at = line->values[piece].data;

		if (!line->here)
			continue;
		here++;
		headed += sample->has_header(sample->job->argument,
									 (L4Bytes) {at, (size_t) (line->text.data + line->text.size - at)});
	}
	return headed * 10 >= here * NEARLY_ALL;
}

/* Is a piece a stamp that was put before lines, behind which some have a header of their own? */
static bool
is_stamp(const Sample *sample, const L4LineTemplate *template, int piece)
{
	int			here = 0;
	int			headed = 0;
	int			i;

	if (piece >= template->count ||
		(template->pieces[piece].kind != L4_PIECE_TIME && template->pieces[piece].kind != L4_PIECE_CLOCK))
		return false;
	for (i = 0; i < sample->count; i++)
	{
		const Line *line = &sample->lines[i];
		const char *at = line->here ? line->values[piece].data + line->values[piece].size : NULL;
		const char *end = line->text.data + line->text.size;

		if (!line->here)
			continue;
		here++;
		while (at < end && (*at == ' ' || *at == '\t'))
			at++;
		headed += sample->has_header(sample->job->argument, (L4Bytes) {at, (size_t) (end - at)});
	}
	return headed * LINES_PER_STAMPED >= here;
}

/* Where what all lines have from here on ends in a sign with a blank behind it: "out: ", "stderr | ", "python3[71]: "; or 0. */
static int
behind_word(const L4LineTemplate *template, int from, int open)
{
	int			i;

	for (i = from; i < Min(template->count, from + WORD_PIECES); i++)
	{
		char		kind = template->pieces[i].kind;

		if (kind == L4_PIECE_TIME || kind == L4_PIECE_CLOCK || kind == L4_PIECE_CELL)
			return 0;
		if (is_strong(&template->pieces[i]) && open_after(template, i + 1) == open && i + 1 < template->count &&
			(template->pieces[i + 1].kind == L4_PIECE_BLANK || is_sign(template, i, '\t')))
			return i + 1;
	}
	return 0;
}

/* Where the label ends whose last telling piece is this one: in pieces; 0 where it does not. */
static int
find_end(const Sample *sample, const L4LineTemplate *template, int last)
{
	const char	first = template->pieces[0].text[0];
	int			open = template->tail == L4_TAIL_SIGN && (first == '"' || first == '\'');
	int			end = last + 1;
	int			words = 0;

	/* the writer may be within a word */
	if (end < template->count && !is_behind(&template->pieces[end]) && open_after(template, end) == open)
		end = Max(end, behind_word(template, end, open));
	while (end < template->count && open_after(template, end) > open)
		end++;
	if (open_after(template, end) > open)
		return 0;
	for (;;)
	{
		int			next;

		while (end < template->count && is_behind(&template->pieces[end]))
			end++;
		if (is_stamp(sample, template, end))
		{
			end++;
			continue;
		}
		next = words++ < WORDS_BEHIND && end < template->count ? behind_word(template, end, open) : 0;
		if (next == 0 || has_header_at(sample, end))
			break;
		end = next;
	}
	return end > last + 1 ? end : 0;
}

/* Do nearly all values of a piece name levels? */
static bool
has_levels(const Sample *sample, int piece)
{
	int			here = 0;
	int			levels = 0;
	int			i;

	for (i = 0; i < sample->count; i++)
	{
		L4Bytes		text = sample->lines[i].values[piece];

		if (!sample->lines[i].here)
			continue;
		here++;
		levels += text.size > 1 && level_from_text(text) != L4_LEVEL_NONE;
	}
	return levels * 10 >= here * NEARLY_ALL;
}

/* Finds the time and the level in the label. */
static void
find_rest(const Sample *sample, L4LineTemplate *template)
{
	int			i;

	for (i = 0; i < template->count; i++)
	{
		char		kind = template->pieces[i].kind;

		if ((kind == L4_PIECE_TIME || kind == L4_PIECE_CLOCK) && template->time < 0)
			template->time = i;
		else if (kind == L4_PIECE_LETTERS && !template->pieces[i].literal && template->level < 0 && has_levels(sample, i))
			template->level = i;
	}
}

/* Is there something that closes nearly all lines, because they begin with what opens it? */
static char
find_tail(const Sample *sample)
{
	L4LineTemplate tried = {.tail = L4_TAIL_ELEMENT};
	const char *first = sample->lines[0].text.data;
	int			closed = 0;
	int			i;

	if (sample->lines[0].text.size < 2 || strchr("<^\"'|", *first) == NULL || *first == '\0')
		return L4_TAIL_NONE;
	if (*first != '<')
		tried.tail = L4_TAIL_SIGN;
	for (i = 0; i < sample->count; i++)
		closed += sample->lines[i].text.size > 1 && sample->lines[i].text.data[0] == *first &&
			line_template_tail(&tried, sample->lines[i].text) > 0;
	return closed * 10 >= sample->count * NEARLY_ALL ? tried.tail : L4_TAIL_NONE;
}

/* Are there words in a text? Rows of a program's own table have numbers. */
static bool
says_words(L4Bytes text)
{
	int			letters = 0;
	size_t		i;

	for (i = 0; i < text.size && letters < WORD_LETTERS; i++)
		letters = is_letter(text.data[i]) ? letters + 1 : 0;
	return letters == WORD_LETTERS;
}

/* Does the label stand before nearly all lines, or are those without it no worse than those that have no header, either? */
static bool
is_before_lines(const Sample *sample, const L4LineTemplate *template)
{
	int			labelled = 0;
	int			said = 0;
	int			headed = 0;
	int			i;

	for (i = 0; i < sample->count; i++)
	{
		const Line *line = &sample->lines[i];
		L4TemplateValues values;
		size_t		size = line_template_match(template, line->text, sample->job->is_node, sample->job->argument, &values);

		labelled += size > 0;
		said += size > 0 && says_words((L4Bytes) {line->text.data + size, line->text.size - size});
		headed += size > 0 &&
			sample->has_header(sample->job->argument, (L4Bytes) {line->text.data + size, line->text.size - size});
	}
	if (said * 2 < labelled)
		return false;
	return labelled * 10 >= sample->count * NEARLY_ALL ||
		(labelled * 10 >= sample->count * LEAST_LINES && headed * 10 >= labelled * NEARLY_ALL);
}

/* Do two lines begin with pieces of the same kinds, and with the same signs? */
static bool
begin_alike(const Sample *sample, Line *a, Line *b)
{
	int			i;

	if (piece_of(sample, a, BEGIN_PIECES - 1) == NULL || piece_of(sample, b, BEGIN_PIECES - 1) == NULL)
		return false;
	for (i = 0; i < BEGIN_PIECES; i++)
		if (a->pieces[i].kind != b->pieces[i].kind ||
			(a->pieces[i].kind == L4_PIECE_SIGN && !bytes_equal(a->pieces[i].text, b->pieces[i].text)))
			return false;
	return true;
}

/* Looks at all lines again, or at those that begin alike as most do. */
static void
look_at(Sample *sample, bool alike)
{
	Line	   *like = sample->lines;
	int			best = 0;
	int			i;
	int			j;

	for (i = 0; alike && i < Min(sample->count, SOME_LINES); i++)
	{
		int			same = 0;

		for (j = 0; j < sample->count; j++)
			same += begin_alike(sample, &sample->lines[i], &sample->lines[j]);
		if (same > best)
		{
			best = same;
			like = &sample->lines[i];
		}
	}
	for (i = 0; i < sample->count; i++)
	{
		const L4Piece *first = piece_of(sample, &sample->lines[i], 0);

		sample->lines[i].here = !alike || begin_alike(sample, &sample->lines[i], like);
		/* numbers before lines are padded */
		sample->lines[i].next = first != NULL && first->kind == L4_PIECE_BLANK;
	}
}

static bool
learn(Sample *sample, L4LineTemplate *template, bool alike)
{
	int			last;

	look_at(sample, alike);
	template->tail = find_tail(sample);
	find_pieces(sample, template);
	last = find_writer(sample, template);
	template->count = last >= 0 ? find_end(sample, template, last) : 0;
	if (template->count == 0)
		return false;
	find_rest(sample, template);
	template->set_off = open_after(template, last) > 0;
	return is_before_lines(sample, template);
}

bool
line_template_learn(const L4Bytes *lines, int count, const L4TemplateJob *job,
					bool (*has_header) (const void *argument, L4Bytes text), L4LineTemplate *template)
{
	Sample		sample = {NULL, count, job, has_header};
	bool		learnt;
	int			i;

	memset(template, 0, sizeof(L4LineTemplate));
	if (count < SOME_LINES)
		return false;
	sample.lines = palloc(mul_size(count, sizeof(Line)));
	for (i = 0; i < count; i++)
	{
		sample.lines[i].text = lines[i];
		sample.lines[i].at = lines[i].data;
		sample.lines[i].count = 0;
	}
	learnt = learn(&sample, template, false) || learn(&sample, template, true);
	if (!learnt)
		template->count = 0;
	pfree(sample.lines);
	return learnt;
}

/* Takes the first pieces of a line apart. */
static int
first_pieces(L4Bytes line, const L4TemplateJob *job, L4Piece *pieces)
{
	const char *at = line.data;
	const char *end = at + Min(line.size, LABEL_BYTES);
	int			count = 0;

	while (count < L4_TEMPLATE_PIECES && line_piece_next(&at, end, job->is_node, job->argument, &pieces[count]))
		count++;
	return count;
}

/* Is the first piece of a line that differs from that of another one, both alike before it, a number, or the name of a node? */
static bool
differ_in_writer(const L4Piece *a, int count, const L4Piece *b, int others)
{
	int			i;

	for (i = 0; i < Min(count, others) && a[i].kind == b[i].kind; i++)
	{
		if (a[i].kind == L4_PIECE_NODE)
			return true;
		if (a[i].kind == L4_PIECE_NUMBER && a[i].text.size <= 5 && !bytes_equal(a[i].text, b[i].text))
			return true;
		if (a[i].kind == L4_PIECE_SIGN && !bytes_equal(a[i].text, b[i].text))
			return false;
	}
	return false;
}

/*
 * Quick: where the first lines are those of one writer they are not alike but for a number, or a node, that they have in the
 * same place.
 */
bool
line_template_may_be(const L4Bytes *lines, int count, const L4TemplateJob *job)
{
	L4Piece		like[L4_TEMPLATE_PIECES];
	L4Piece		pieces[L4_TEMPLATE_PIECES];
	int			first;
	int			i;

	for (first = 0; first < Min(count, FIRST_LINES); first++)
	{
		int			known = first_pieces(lines[first], job, like);
		int			may = 0;

		for (i = 0; i < count; i++)
			may += i != first && differ_in_writer(like, known, pieces, first_pieces(lines[i], job, pieces));
		if (may * LINES_PER_VALUE >= count)
			return true;
	}
	return false;
}
