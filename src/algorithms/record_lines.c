/*
 * record_lines.c: what lines of logs look like: those of tracebacks, frames, frames of rules, bars and labels.
 */
#include "algorithms/record_lines.h"

#include "tools/bytes.h"

/* The longest number in a label of a launcher, and by how many first bytes two texts are alike. */
#define LABEL_DIGITS 6
#define ALIKE_BYTES 6

/* A line of ten or more = (or - where dashes count). */
bool
line_is_rule(L4Bytes line, bool dashes)
{
	L4Bytes		text = line_trimmed(line);
	size_t		i;

	if (text.size < 10 || (text.data[0] != '=' && !(dashes && text.data[0] == '-')))
		return false;
	for (i = 1; i < text.size; i++)
		if (text.data[i] != text.data[0])
			return false;
	return true;
}

bool
line_is_indented(L4Bytes line)
{
	return line.size > 2 && (line.data[0] == '\t' || (line.data[0] == ' ' && line.data[1] == ' '));
}

/* A frame as Ruby prints it: "/app/lib/trainer.rb:32:in `run'". */
static bool
is_ruby_frame(L4Bytes text)
{
	const char *blank = memchr(text.data, ' ', text.size);
	size_t		size = blank != NULL ? (size_t) (blank - text.data) : 0;

	return size > 5 && memcmp(blank - 3, ":in", 3) == 0 && blank[-4] >= '0' && blank[-4] <= '9' &&
		blank + 1 < text.data + text.size && (blank[1] == '`' || blank[1] == '\'');
}

/* Begins a list of native frames or a dump of thread stacks, or is a line of one, or a frame of Ruby's or JavaScript's. */
bool
line_is_frame(L4Bytes line)
{
	L4Bytes		text = line_behind_blanks(line);

	switch (text.size == 0 ? '\0' : text.data[0])
	{
		case 'f':
			return line_starts_with(text, "frame #");
		case 'w':
			return line_starts_with(text, "what():");
		case 'E':
			return line_starts_with(line_trimmed(text), "Exception raised from ") ||
				line_starts_with(text, "Extension modules:");
		case 'T':
			return line_starts_with(text, "Thread 0x");
		case 'C':
			return line_starts_with(text, "Current thread 0x");
		case '#':
			return text.size > 2 && text.data[1] >= '0' && text.data[1] <= '9' && line_contains(text, " 0x");
		case 'a':
			return line_is_indented(line) && line.data[0] == ' ' && line_starts_with(text, "at ") && line_contains(text, ":");
		default:
			return is_ruby_frame(text);
	}
}

bool
line_is_chain(L4Bytes line)
{
	return line_starts_with(line, "The above exception was the direct cause") ||
		line_starts_with(line, "During handling of the above exception") ||
		line_starts_with(line, L4_TRACEBACK) || line_starts_with(line, "Caused by: ");
}

static bool
is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '$';
}

/* A Java exception as it is printed: a class in its packages ("java.io.IOException"), then its message or nothing. */
bool
line_is_java_exception(L4Bytes line)
{
	const char *dot = NULL;
	size_t		size = 0;
	L4Bytes		name;

	while (size < line.size && is_name_byte(line.data[size]))
	{
		if (line.data[size] == '.')
			dot = line.data + size;
		size++;
	}
	if (dot == NULL || (size < line.size && line.data[size] != ':'))
		return false;
	name = (L4Bytes) {dot, line.data + size - dot};
	return line_contains(name, "Exception") || line_contains(name, "Error");
}

/* Behind what moves a terminal's cursor or erases, from here on. */
const char *
line_behind_cursor_moves(const char *at, const char *end)
{
	while (end - at > 2 && at[0] == '\033' && at[1] == '[')
	{
		for (at += 2; at < end && ((*at >= '0' && *at <= '9') || *at == ';'); at++)
			;
		at += at < end;
	}
	return at;
}

/* The end of blanks that overwrite a progress bar, with the moves of the cursor behind them, or 0. */
size_t
line_blanked_bar_end(L4Bytes line)
{
	const char *end = line.data + line.size;
	const char *blank = line.data;
	const char *at;

	while (blank < end && *blank == ' ')
		blank++;
	at = line_behind_cursor_moves(blank, end);
	/* what sets a colour is of the text */
	return at == blank || at == end || at[-1] == 'm' ? 0 : (size_t) (at - line.data);
}

/* The digits at a place, no more than a label has. */
static const char *
skip_digits(const char *at, const char *end)
{
	const char *limit = at + Min(end - at, LABEL_DIGITS);

	while (at < limit && *at >= '0' && *at <= '9')
		at++;
	return at;
}

/* The size of a launcher's label for a rank, "[3] " or (tagged) "[1,3]<stdout>:", at a place of a line; 0 where none stands. */
static size_t
label_size(const char *at, const char *end, bool *tagged)
{
	const char *start = at;

	*tagged = false;
	if (at == end || *at != '[' || (at = skip_digits(start + 1, end)) == start + 1)
		return 0;
	if (end - at >= 2 && memcmp(at, "] ", 2) == 0)
		return at + 2 - start;
	if (at == end || *at != ',')
		return 0;
	at = skip_digits(at + 1, end);
	*tagged = end - at >= 10 && at[-1] != ',' && (memcmp(at, "]<stdout>:", 10) == 0 || memcmp(at, "]<stderr>:", 10) == 0);
	return *tagged ? at + 10 - start : 0;
}

/* Do two texts begin alike, whatever digits are in them? */
static bool
begin_alike(const char *a, const char *b, const char *end)
{
	int			i;

	if (end - b < ALIKE_BYTES)
		return false;
	for (i = 0; i < ALIKE_BYTES; i++)
	{
		if ((a[i] >= '0' && a[i] <= '9') ? b[i] < '0' || b[i] > '9' : a[i] != b[i])
			return false;
	}
	return true;
}

/* Does a line end in a plain label with nothing behind it? So does one whose end its rank wrote by itself. */
static bool
ends_in_label(L4Bytes line)
{
	const char *at = line.data + line.size - 2;
	int			digits = 0;

	if (line.size < 5 || memcmp(at, "] ", 2) != 0)
		return false;
	while (digits < LABEL_DIGITS && at[-1] >= '0' && at[-1] <= '9')
	{
		at--;
		digits++;
	}
	return digits > 0 && at[-1] == '[';
}

/*
 * The end of what one rank wrote into a labelled line that goes on with what another one did, or 0. A launcher that labels each
 * write of a rank (hydra, Open MPI) joins them where a rank's write has no line end: "[1] step 7[3] step 7[1] ". Texts have
 * brackets of their own, so a plain label counts only where the line ends in one, or what follows it begins as the line does.
 */
size_t
line_labelled_end(L4Bytes line)
{
	const char *end = line.data + line.size;
	const char *text;
	const char *at;
	bool		tagged;
	size_t		size = label_size(line.data, end, &tagged);
	bool		open;

	if (size == 0)
		return 0;
	text = line.data + size;
	open = !tagged && ends_in_label(line);
	for (at = memchr(text, '[', end - text); at != NULL; at = memchr(at + 1, '[', end - at - 1))
	{
		bool		like;

		size = label_size(at, end, &like);
		if (size > 0 && at > text && like == tagged && (tagged || at[-1] != ' ') &&
			(tagged || open || begin_alike(text, at + size, end)))
			return at - line.data;
	}
	return 0;
}
