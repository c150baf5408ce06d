/*
 * mask.c: a message to its shape and its parameters, and back.
 *
 * One pass over the bytes with a class table, after CLP's rule (Rodrigues et al., OSDI 2021): a run of word bytes that holds a
 * digit is variable. Beyond it: paths, URLs, hosts with a port, long hexadecimal words, sizes with their unit, calendar stamps
 * (they hold words without digits), and whatever is not valid UTF-8. The site's own masks (pcre2) come first. A literal <*> in
 * the message is a parameter too, so that
 *     shape text with its n-th <*> replaced by parameter n = the message, byte by byte.
 * The shape is a pure function of the message and the masks; it is what groups equal statements on every machine alike.
 */
#define XXH_INLINE_ALL
#include "algorithms/mask.h"

#include <xxhash.h>

#include "tools/bytes.h"

/* A message longer than this keeps its first bytes as shape; the rest is one parameter. Bounds every shape. */
#define MASK_MESSAGE_LIMIT 16384
/* A hexadecimal word without a digit counts as variable from this length on ("deadbeef", not "added"). */
#define MASK_HEX_MINIMUM 8

#define CLASS_WORD 1			/* letters, digits, _ + - . backslash */
#define CLASS_DIGIT 2
#define CLASS_HEX 4
#define CLASS_PATH 8			/* what a path goes on with */
#define CLASS_URL 16			/* what a URL goes on with */
#define CLASS_ALPHA 32
#define CLASS_BEGINS 64			/* something may begin here that is not copied as it is */
#define CLASS_UNIT 128			/* what a unit of size begins with, or the blank before it */

static uint8 byte_classes[256];
static bool byte_classes_ready = false;

static void
classes_init(void)
{
	int			c;

	if (byte_classes_ready)
		return;
	for (c = 0; c < 256; c++)
	{
		uint8		k = 0;

		if (c >= '0' && c <= '9')
			k |= CLASS_DIGIT | CLASS_WORD | CLASS_HEX;
		if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
			k |= CLASS_HEX;
		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
			k |= CLASS_ALPHA | CLASS_WORD;
		if (c == '_' || c == '+' || c == '-' || c == '.' || c == '\\')
			k |= CLASS_WORD;
		if ((k & CLASS_WORD) || c == '/' || c == '@' || c == '%' || c == '~' || c == '=')
			k |= CLASS_PATH;
		if (c > ' ' && c < 0x7f && c != '"' && c != '\'' && c != '<' && c != '>' && c != ')' && c != ']' && c != '}' &&
			c != '|' && c != ',')
			k |= CLASS_URL;
		if ((k & CLASS_WORD) || c >= 0x80 || c == 0 || c == '/' || c == '<' || c == '~' || c == '[' || c == '|')
			k |= CLASS_BEGINS;
		if (strchr(" KkMGTB", c) != NULL && c != 0)
			k |= CLASS_UNIT;
		byte_classes[c] = k;
	}
	byte_classes_ready = true;
}

#define HAS_CLASS(c, k) ((byte_classes[(unsigned char) (c)] & (k)) != 0)

/*
 * shape_init: makes an empty shape in the current memory context. mask_message may be called on it any number of times.
 */
void
shape_init(L4Shape *shape)
{
	classes_init();
	initStringInfo(&shape->text);
	shape->parameter_count = 0;
	shape->parameter_room = 16;
	shape->parameters = palloc(shape->parameter_room * sizeof(L4Bytes));
	shape->digits_matter = false;
}

void
shape_reserve(L4Shape *shape, int parameter_count)
{
	if (shape->parameter_room >= parameter_count)
		return;
	while (shape->parameter_room < parameter_count)
		shape->parameter_room *= 2;
	shape->parameters = repalloc(shape->parameters, mul_size(shape->parameter_room, sizeof(L4Bytes)));
}

/* Adds literal bytes; mask_message has made room for all that a message can become. */
static inline void
shape_add_text(L4Shape *shape, const char *data, size_t size)
{
	memcpy(shape->text.data + shape->text.len, data, size);
	shape->text.len += (int) size;
}

static inline void
shape_add_parameter(L4Shape *shape, const char *from, const char *to)
{
	if (unlikely(shape->parameter_count == shape->parameter_room))
		shape_reserve(shape, shape->parameter_count + 1);
	shape->parameters[shape->parameter_count].data = from;
	shape->parameters[shape->parameter_count].size = to - from;
	shape->parameter_count++;
	shape_add_text(shape, L4_PLACEHOLDER, L4_PLACEHOLDER_SIZE);
}

/* The end of a calendar stamp as ctime prints it, "Sun Jul 10 03:55:15 2005" (or without weekday or year), or NULL. */
static const char *
scan_calendar(const char *at, const char *end)
{
	static const char weekdays[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	const char *p = at;
	int			i;

	for (i = 0; i < 7 && end - p > 4; i++)
		if (memcmp(p, weekdays + 3 * i, 3) == 0 && p[3] == ' ')
		{
			p += 4;
			break;
		}
	for (i = 0; i < 12 && end - p > 4; i++)
		if (memcmp(p, months + 3 * i, 3) == 0 && p[3] == ' ')
			break;
	if (i == 12 || end - p < 14)
		return NULL;
	p += 4;
	if (*p == ' ')
		p++;
	for (i = 0; i < 2 && p < end && HAS_CLASS(*p, CLASS_DIGIT); i++)
		p++;
	if (i == 0 || end - p < 9 || p[0] != ' ' || p[3] != ':' || p[6] != ':' ||
		!HAS_CLASS(p[1], CLASS_DIGIT) || !HAS_CLASS(p[4], CLASS_DIGIT) || !HAS_CLASS(p[8], CLASS_DIGIT))
		return NULL;
	p += 9;
	while (p < end && (HAS_CLASS(*p, CLASS_DIGIT) || *p == '.'))
		p++;
	if (end - p >= 5 && p[0] == ' ' && (p[1] == '1' || p[1] == '2') && HAS_CLASS(p[2], CLASS_DIGIT) &&
		HAS_CLASS(p[3], CLASS_DIGIT) && HAS_CLASS(p[4], CLASS_DIGIT) && (end - p == 5 || !HAS_CLASS(p[5], CLASS_WORD)))
		p += 5;
	return p;
}

/* The end of a URL whose scheme begins at `at`, or NULL. */
static const char *
scan_url(const char *at, const char *end)
{
	const char *p = at;

	while (p < end && HAS_CLASS(*p, CLASS_ALPHA) && p - at < 8)
		p++;
	if (p - at < 2 || end - p < 4 || p[0] != ':' || p[1] != '/' || p[2] != '/')
		return NULL;
	p += 3;
	while (p < end && HAS_CLASS(*p, CLASS_URL))
		p++;
	while (p[-1] == '.' || p[-1] == ':' || p[-1] == ';')	/* the sentence's, not the URL's */
		p--;
	return p;
}

/*
 * The end of an absolute path that begins at `at` (a slash, or ./ or ../ or ~/), or NULL: a slash, then a path byte that is no
 * slash.
 */
static const char *
scan_path(const char *at, const char *end)
{
	const char *p = at;

	while (p < end && (*p == '.' || *p == '~') && p - at < 2)
		p++;
	if (end - p < 2 || p[0] != '/' || !HAS_CLASS(p[1], CLASS_WORD | CLASS_DIGIT))
		return NULL;
	while (p < end && HAS_CLASS(*p, CLASS_PATH))
		p++;
	while (p[-1] == '.' || p[-1] == '=')
		p--;
	return p;
}

/* The end of a unit of size or of time behind a number, with at most one space before it; `at` where there is none. */
static const char *
scan_unit(const char *at, const char *end)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "KB", "kB", "MB", "GB", "TB", "B"};
	const char *p = (at < end && *at == ' ') ? at + 1 : at;
	int			i;

	if (p == end || *p == ' ' || !HAS_CLASS(*p, CLASS_UNIT))
		return at;
	for (i = 0; i < (int) lengthof(units); i++)
	{
		size_t		size = strlen(units[i]);

		if ((size_t) (end - p) >= size && memcmp(p, units[i], size) == 0 &&
			((size_t) (end - p) == size || !HAS_CLASS(p[size], CLASS_WORD | CLASS_PATH)))
			return p + size;
	}
	return at;
}

/* Is the run of word bytes [from, to) a variable: does it hold a digit, or is it a long hexadecimal word? */
static bool
word_is_variable(const char *from, const char *to)
{
	bool		all_hex = true;
	const char *p;

	for (p = from; p < to; p++)
	{
		if (HAS_CLASS(*p, CLASS_DIGIT))
			return true;
		all_hex = all_hex && HAS_CLASS(*p, CLASS_HEX);
	}
	return all_hex && to - from >= MASK_HEX_MINIMUM;
}

static bool
is_number(const char *from, const char *to)
{
	const char *p;

	for (p = from; p < to; p++)
		if (!HAS_CLASS(*p, CLASS_DIGIT) && *p != '.' && *p != '-' && *p != '+')
			return false;
	return to > from;
}

/* The end of the run of bytes that are no valid UTF-8 (a NUL counts as one), a few valid bytes in between included. */
static const char *
scan_undecodable(const char *at, const char *end)
{
	const char *p = at;
	const char *last = at;

	while (p < end && p - last < 4)
	{
		int			size = bytes_character(p, end);

		if (size == 0)
			last = p + 1;
		p += size > 0 ? size : 1;
	}
	return last;
}

/* Where the run of word bytes at `at` ends; two or more dots end it too: they are leaders or an ellipsis. */
static const char *
scan_word(const char *at, const char *end)
{
	while (at < end && HAS_CLASS(*at, CLASS_WORD) && !(*at == '.' && end - at > 1 && at[1] == '.'))
		at++;
	return at;
}

/* Without the full stops at its end, which belong to the sentence. */
static const char *
without_full_stop(const char *at, const char *to)
{
	while (to - at > 1 && to[-1] == '.')
		to--;
	return to;
}

/* The end of a variable word with what colons join to it: ports, parts of hardware addresses, minutes and seconds. */
static const char *
scan_joined(const char *to, const char *end)
{
	while (to < end && *to == ':')
	{
		const char *from = to + 1;
		const char *next = without_full_stop(from, scan_word(from, end));

		if (next == from ||
			!(word_is_variable(from, next) ||
			  (next - from == 2 && HAS_CLASS(from[0], CLASS_HEX) && HAS_CLASS(from[1], CLASS_HEX))))
			break;
		to = next;
	}
	return to;
}

/*
 * Is the label [from, to) one that a host's name may end with? Endings of source files ("engine.py:52") and names of modules
 * are none.
 */
static bool
is_top_domain(const char *from, const char *to, int labels)
{
	static const char *const domains[] = {"com", "org", "net", "edu", "gov", "mil", "int", "info", "io", "ai", "dev", "app",
										  "cloud", "local", "internal", "intra",
	"lan", "corp", "svc"};
	static const char suffixes[] = " cc cs cu ex fs go hs jl js kt md ml mm pl ps py rb rs sh so ts vb ";
	size_t		size = to - from;
	const char *known;
	int			i;

	for (i = 0; i < (int) lengthof(domains); i++)
		if (strlen(domains[i]) == size && memcmp(domains[i], from, size) == 0)
			return true;
	if (size != 2 || labels < 3)
		return false;
	for (known = suffixes; known[1] != '\0'; known += 3)
		if (memcmp(known + 1, from, 2) == 0)
			return false;
	return true;
}

/*
 * Is the run of word bytes [from, to), which holds no digit, a host's full name: labels of letters and hyphens, the last one a
 * top-level domain?
 */
static bool
is_host_name(const char *from, const char *to)
{
	const char *label = from;
	const char *p;
	int			labels = 1;

	for (p = from; p < to; p++)
	{
		if (*p == '.' && p > label && to - p > 1)
		{
			label = p + 1;
			labels++;
		}
		else if (!HAS_CLASS(*p, CLASS_ALPHA) && *p != '-')
			return false;
	}
	return labels >= 2 && is_top_domain(label, to, labels);
}

/* Handles a run of word bytes at `at`: a parameter or literal text. Returns where it ends. */
static const char *
mask_word(L4Shape *shape, const char *at, const char *end)
{
	const char *to = NULL;
	uint8		any = 0;
	uint8		all = CLASS_HEX;
	bool		calls;

	if (*at >= 'A' && *at <= 'Z' && end - at >= 14 && at[3] == ' ')
	{
		to = scan_calendar(at, end);
		shape->digits_matter |= to != NULL; /* it asks how a year begins */
	}
	else if (*at == '.')
		to = scan_path(at, end);
	if (to != NULL)
	{
		shape_add_parameter(shape, at, to);
		return to;
	}
	for (to = at; to < end && HAS_CLASS(*to, CLASS_WORD) && !(*to == '.' && end - to > 1 && to[1] == '.'); to++)
	{
		any |= byte_classes[(unsigned char) *to];
		all &= byte_classes[(unsigned char) *to];
	}
	if (to < end && *to == ':' && HAS_CLASS(*at, CLASS_ALPHA))
	{
		const char *url = scan_url(at, end);

		if (url != NULL)
		{
			shape_add_parameter(shape, at, url);
			return url;
		}
	}
	if (to == at)
		all = 0;				/* it begins with a run of dots */
	while (to == at || (*at == '.' && to < end && *to == '.'))
		to++;
	calls = end - to >= 2 && to[0] == '(' && to[1] == ')' && HAS_CLASS(*at, CLASS_ALPHA);	/* a function's name */
	if (calls || !((any & CLASS_DIGIT) || (all != 0 && to - at >= MASK_HEX_MINIMUM) ||
				   (end - to >= 2 && to[0] == ':' && HAS_CLASS(to[1], CLASS_DIGIT) && is_host_name(at, to))))
	{
		shape->digits_matter |= (any & CLASS_DIGIT) != 0;	/* those of a function's name stay */
		shape_add_text(shape, at, to - at);
		return to;
	}
	to = scan_joined(without_full_stop(at, to), end);
	if (to < end && HAS_CLASS(*to, CLASS_UNIT) && is_number(at, to))
		to = scan_unit(to, end);
	shape_add_parameter(shape, at, to);
	return to;
}

/*
 * The end of what draws a progress bar from `at` on: blocks, signs and figures up to the next |, or NULL where there is
 * anything else.
 */
static const char *
scan_bar(const char *at, const char *end)
{
	const char *p = at;

	while (p < end && *p != '|' && p - at < 1000 &&
		   ((unsigned char) *p >= 0x80 || HAS_CLASS(*p, CLASS_DIGIT) || strchr(" #=>-.", *p) != NULL))
		p += Max(bytes_character(p, end), 1);
	return p < end && *p == '|' ? p : NULL;
}

/*
 * The end of a progress bar's clock from behind its [ on: time spent and time left with < between, a comma, the rate; or NULL.
 */
static const char *
scan_clock(const char *at, const char *end)
{
	const char *p = at;
	bool		left = false;

	while (p < end && (HAS_CLASS(*p, CLASS_DIGIT) || strchr(":<?.", *p) != NULL))
		left |= *p++ == '<';
	if (!left || end - p < 2 || *p != ',')
		return NULL;
	for (p++; p < end && *p != ',' && *p != ']'; p++)
		if ((unsigned char) *p < ' ' || p - at > 100)
			return NULL;
	return p;
}

/*
 * A progress bar prints the same statement with another drawing each time: "37%|###7 | 20/54 [00:57<01:22, 2.86s/it]". Handles
 * the | after a percent sign, or the [ after the counts, at `at`, and returns where the masked part ends; `at` where it is
 * none.
 */
static const char *
mask_bar(L4Shape *shape, const char *start, const char *at, const char *end)
{
	const char *to = NULL;

	if (*at == '|' && at > start && at[-1] == '%')
		to = scan_bar(at + 1, end);
	else if (*at == '[')
		to = scan_clock(at + 1, end);
	if (to == NULL)
		return at;
	shape_add_text(shape, at, 1);
	shape_add_parameter(shape, at + 1, to);
	return to;
}

/* Masks the bytes [start, end) by the scanner alone. */
static void
mask_span(L4Shape *shape, const char *start, const char *end)
{
	const char *at = start;

	while (at < end)
	{
		const char *run = at;
		const char *found;
		int			size;

		/* literal bytes that begin nothing are copied whole */
		while (at < end && !HAS_CLASS(*at, CLASS_BEGINS))
			at++;
		shape_add_text(shape, run, at - run);
		if (at == end)
			break;
		if (HAS_CLASS(*at, CLASS_WORD))
			at = mask_word(shape, at, end);
		else if ((*at == '[' || *at == '|') && (found = mask_bar(shape, start, at, end)) != at)
			at = found;
		else if ((size = bytes_character(at, end)) == 0)
		{
			found = scan_undecodable(at, end);
			shape_add_parameter(shape, at, found);
			at = found;
		}
		else if ((*at == '/' || *at == '~') && at > start && HAS_CLASS(at[-1], CLASS_WORD))
			shape_add_text(shape, at++, 1);	/* "it/s", "tokens/s": no path */
		else if ((*at == '/' || *at == '~') && (found = scan_path(at, end)) != NULL)
		{
			shape_add_parameter(shape, at, found);
			at = found;
		}
		else if (end - at >= L4_PLACEHOLDER_SIZE && memcmp(at, L4_PLACEHOLDER, L4_PLACEHOLDER_SIZE) == 0)
		{
			shape_add_parameter(shape, at, at + L4_PLACEHOLDER_SIZE);
			at += L4_PLACEHOLDER_SIZE;
		}
		else
		{
			shape_add_text(shape, at, size);
			at += size;
		}
	}
}

/* Where a mask is in a message. */
typedef struct MaskPlace
{
	L4Bytes		next;			/* what it matches next, size 0 where that is not known */
	bool		done;			/* it matches no more, or has given up on the message */
} MaskPlace;

/*
 * Finds what a mask matches next in message, at or after offset. Empty matches do not count; neither does one that begins
 * before offset, as \K in a look behind can have it: what is masked already stays as it is.
 */
static void
find_next(L4Pattern *mask, L4Bytes message, size_t offset, MaskPlace *place)
{
	if (place->done || (place->next.size > 0 && place->next.data >= message.data + offset))
		return;
	place->done = pattern_try(mask, message, offset, false) != L4_MATCH;
	if (place->done || !pattern_group(mask, 0, &place->next) || place->next.data < message.data + offset)
		place->next.size = 0;
}

/* The first match of any mask in message at or after offset, the earliest, then the first in the order of masks. */
static bool
next_mask(L4Bytes message, size_t offset, L4Pattern **masks, MaskPlace *places, int mask_count, L4Bytes *found)
{
	bool		any = false;
	int			i;

	for (i = 0; i < mask_count; i++)
	{
		find_next(masks[i], message, offset, &places[i]);
		if (places[i].next.size > 0 && (!any || places[i].next.data < found->data))
		{
			*found = places[i].next;
			any = true;
		}
	}
	return any;
}

/* Masks the first bytes of a message by the masks as far as they reach, and returns where they end. */
static const char *
apply_masks(L4Shape *shape, L4Bytes first, L4Pattern **masks, int mask_count)
{
	MaskPlace  *places = palloc0(mul_size(mask_count, sizeof(MaskPlace)));
	const char *at = first.data;
	L4Bytes		found = {NULL, 0};

	while (at < first.data + first.size && next_mask(first, at - first.data, masks, places, mask_count, &found))
	{
		mask_span(shape, at, found.data);
		shape_add_parameter(shape, found.data, found.data + found.size);
		at = found.data + found.size;
	}
	pfree(places);
	return at;
}

/*
 * mask_message: fills shape with the shape text and the parameters of message, whose bytes must outlive them. masks are tried
 * first; one that gives up on the message finds no more in it (pattern_note_given_up). Cost: one pass, plus a match of each
 * mask per place that it masks.
 */
void
mask_message(L4Shape *shape, L4Bytes message, L4Pattern **masks, int mask_count)
{
	const char *at = message.data;
	const char *end = message.data + Min(message.size, MASK_MESSAGE_LIMIT);
	L4Bytes		first;

	resetStringInfo(&shape->text);
	/* every byte may become a parameter of its own, and so may the rest behind the limit */
	enlargeStringInfo(&shape->text, (int) (end - at + 1) * L4_PLACEHOLDER_SIZE);
	shape->parameter_count = 0;
	shape->digits_matter = mask_count > 0;
	first.data = message.data;
	first.size = end - at;
	if (mask_count > 0)
		at = apply_masks(shape, first, masks, mask_count);
	mask_span(shape, at, end);
	if (message.size > MASK_MESSAGE_LIMIT)
		shape_add_parameter(shape, end, message.data + message.size);
	shape->text.data[shape->text.len] = '\0';
}

/*
 * shape_hash: the 64-bit content hash of a shape or template text (XXH3), the same on every machine.
 */
uint64
shape_hash(const char *text, size_t size)
{
	return XXH3_64bits(text, size);
}

/*
 * shape_expand: appends the message that a shape and its parameters stand for. Errors: XX001 where their numbers differ.
 */
void
shape_expand(StringInfo out, L4Bytes shape_text, const L4Bytes *parameters, int parameter_count)
{
	const char *at = shape_text.data;
	const char *end = shape_text.data + shape_text.size;
	int			used = 0;

	while (at < end)
	{
		const char *found = memchr(at, '<', end - at);

		if (found == NULL)
			found = end;
		appendBinaryStringInfo(out, at, found - at);
		at = found;
		if (end - at >= L4_PLACEHOLDER_SIZE && memcmp(at, L4_PLACEHOLDER, L4_PLACEHOLDER_SIZE) == 0 && used < parameter_count)
		{
			appendBinaryStringInfo(out, parameters[used].data, parameters[used].size);
			used++;
			at += L4_PLACEHOLDER_SIZE;
		}
		else if (at < end)
			appendStringInfoChar(out, *at++);
	}
	if (used != parameter_count)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("a shape takes %d parameters but has %d", used, parameter_count)));
}
