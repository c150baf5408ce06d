/*
 * envelope.c: lines that a collector of logs wrapped into objects of JSON, or rows of key=value (logfmt).
 *
 * Container runtimes, shippers and stores (Docker, Fluent Bit, Filebeat, Vector, Loki, OpenTelemetry, Splunk, the clouds') each
 * have their own names for what a program wrote, who and when. So the values tell: the text is what has the most words; the
 * host what is the name of a node of the job; the time what is one. Of a collector's lines the object has the stream, or the
 * texts have headers of their own, or they are of several nodes and the object has no level, or it has nothing but times.
 *
 * A manager of jobs may tell of its own doings between what its tasks wrote, in objects of another kind: then those that name a
 * stream are what tasks wrote, and alone tell which key is which, if the others lack the text's.
 *
 * A program's own logger writes objects, too: they have a time and a level, and the text has no header. What such an object
 * says besides readers want to see (numbers of steps, tracebacks): then the line stays as it is.
 */
#include "algorithms/envelope.h"

#include "algorithms/header_object.h"
#include "algorithms/level.h"
#include "algorithms/timestamp.h"
#include "tools/bytes.h"

/* So many different keys are told apart; fewer objects than so many teach nothing; of ten so many have a part under its key. */
#define ENVELOPE_KEYS 48
#define OBJECTS_LEAST 3
#define OBJECTS_MOST 200
#define MOST 8
/* Of so many texts one begins with a header of its own, where programs have any. */
#define TEXTS_PER_HEADER 5
/* Of so many lines one is an object at least, or most of what ranks write would not be told apart by what objects say. */
#define LINES_PER_RANKED 2
/* An object begins within so many first bytes of a line; a time since 1970 has so many digits at least. */
#define TAG_BYTES 400
#define EPOCH_DIGITS 10
/* A row has so many keys at least: what, when, and whose it is. */
#define ROW_KEYS 3

/* What the objects of a sample have under a key. */
typedef struct KeyCount
{
	L4EnvelopeKey key;
	int			objects;		/* of which so many: */
	int			texts;
	int			times;
	int			streams;		/* "stdout" or "stderr" */
	int			levels;
	int			nodes;
	int			paths;
	int			headers;
	int			ranks;
	int			graves;			/* as a program's own logger says it, */
	int			names;			/* and who says it */
	int			rank_paths;
	int			changes;		/* values that are other than the one before, */
	int64		blanks;			/* and the blanks in these: a command line is always the same */
	L4Bytes		last;
	L4Bytes		node;			/* the first one */
	bool		several_nodes;
} KeyCount;

typedef struct Sample
{
	const L4EnvelopeAsk *ask;
	KeyCount	counts[ENVELOPE_KEYS];
	int			known;
	bool		only_streams;	/* are those meant alone that name a stream? */
	int			objects;		/* so many are meant, */
	int			rows;			/* of which so many are rows, */
	int			others;			/* so many are not, */
	int			streams;		/* and so many of all name a stream */
} Sample;

/* Where the object of a line begins; NULL where it has none to its end. */
static const char *
object_of(L4Bytes line)
{
	const char *end = line.data + line.size;
	const char *at = line.data;

	while (line.size > 0 && (end[-1] == ']' || end[-1] == ' ' || end[-1] == '\r'))
	{
		end--;
		if (--line.size == 0)
			return NULL;
	}
	if (line.size < 2 || end[-1] != '}')
		return NULL;
	if (*at != '{')
		at = memmem(at, Min(line.size, TAG_BYTES), "{\"", 2);
	return at;
}

/* The members of a line: of its object, or of the row that it is. */
typedef struct Members
{
	const char *at;				/* NULL where it is neither */
	const char *end;
	bool		row;
} Members;

static Members
object_members(L4Bytes line)
{
	return (Members) {object_of(line), line.data + line.size, false};
}

static Members
row_members(L4Bytes line)
{
	const char *end = line.data + line.size;

	while (end > line.data && (end[-1] == '\r' || end[-1] == ' '))
		end--;
	return (Members) {line.data, end, true};
}

/* Is a line a row to its end? It has some keys, and what it says in words stands in quotes. */
static bool
is_row(L4Bytes line)
{
	Members		row = row_members(line);
	L4ObjectPair pair;
	int			count = 0;
	bool		words = false;

	while (header_row_next(&row.at, row.end, &pair))
	{
		count++;
		words |= pair.quoted;
	}
	return words && count >= ROW_KEYS && row.at == row.end;
}

static Members
members_of(L4Bytes line)
{
	Members		members = object_members(line);

	return members.at == NULL && is_row(line) ? row_members(line) : members;
}

/* The next member, and its name: that of a row's has its equals sign, so that no object has it. */
static bool
next_member(Members *members, L4ObjectPair *pair, L4Bytes *name)
{
	if (members->at == NULL || !(members->row ? header_row_next(&members->at, members->end, pair) :
								 header_object_next(&members->at, members->end, pair)))
		return false;
	*name = (L4Bytes) {pair->key.data, pair->key.size + members->row};
	return true;
}

/* May a member be a text? In rows none needs quotes. */
static inline bool
is_text(const Members *members, const L4ObjectPair *pair)
{
	return pair->quoted || members->row;
}

static bool
is_key(const L4EnvelopeKey *key, L4Bytes name, int turn)
{
	return key->turn == turn && bytes_equal((L4Bytes) {key->name, key->size}, name);
}

/* Which of several keys of one name in an object the last of those seen so far is. */
static int
turn_of(const L4Bytes *seen, int count)
{
	int			turn = 1;
	int			i;

	for (i = 0; i < count - 1; i++)
		turn += bytes_equal(seen[i], seen[count - 1]);
	return turn;
}

static KeyCount *
count_of(Sample *sample, L4Bytes name, int turn)
{
	KeyCount   *count;
	int			i;

	for (i = 0; i < sample->known; i++)
		if (is_key(&sample->counts[i].key, name, turn))
			return &sample->counts[i];
	if (sample->known == ENVELOPE_KEYS || name.size > L4_ENVELOPE_KEY)
		return NULL;
	count = &sample->counts[sample->known++];
	memset(count, 0, sizeof(KeyCount));
	count->key.turn = (uint8) turn;
	count->key.size = (uint8) name.size;
	memcpy(count->key.name, name.data, name.size);
	return count;
}

/* A time as any is written, or since 1970. */
static bool
is_time(L4Bytes value)
{
	TimestampTz time;

	return header_object_is_time(value) || (value.size >= EPOCH_DIGITS && timestamp_parse_epoch(value, &time));
}

/* The host that a value names: itself, or what a stream of CloudWatch is named after (job/host-second). */
static L4Bytes
host_in(L4Bytes value)
{
	const char *slash = value.size > 0 ? memrchr(value.data, '/', value.size) : NULL;
	size_t		digits = 0;

	if (slash == NULL)
		return value;
	value.size -= slash + 1 - value.data;
	value.data = slash + 1;
	while (digits < value.size && is_digit(value.data[value.size - digits - 1]))
		digits++;
	if (digits >= EPOCH_DIGITS && digits < value.size && value.data[value.size - digits - 1] == '-')
		value.size -= digits + 1;
	return value;
}

static bool
is_stream(L4Bytes value)
{
	return bytes_equal(value, (L4Bytes) {"stdout", 6}) || bytes_equal(value, (L4Bytes) {"stderr", 6});
}

/* Notes what a value is. */
static void
note_value(const L4EnvelopeAsk *ask, const L4ObjectPair *pair, bool text, KeyCount *count)
{
	L4Bytes		value = pair->value;
	L4Bytes		host = host_in(value);
	bool		repeated;
	size_t		i;

	count->objects++;
	count->texts += text;
	count->times += is_time(value);
	count->streams += is_stream(value);
	count->levels += value.size > 0 && !is_digit(value.data[0]) && level_from_text(value) != L4_LEVEL_NONE;
	count->ranks += header_object_says(pair, L4_OBJECT_RANK);
	count->graves += header_object_says(pair, L4_OBJECT_LEVEL);
	count->names += header_object_says(pair, L4_OBJECT_NAME) && !ask->is_node(ask->argument, host);
	count->paths += value.size > 1 && (memchr(value.data, '/', value.size) != NULL || envelope_path_rank(value) >= 0);
	count->rank_paths += envelope_path_rank(value) >= 0;
	repeated = bytes_equal(value, count->last);
	count->changes += !repeated;
	for (i = 0; i < value.size && !repeated; i++)
		count->blanks += value.data[i] == ' ';
	count->last = value;
	if (value.size > 0 && ask->has_header(ask->argument, value))
		count->headers++;
	if (host.size == 0 || !ask->is_node(ask->argument, host))
		return;
	count->nodes++;
	count->several_nodes |= count->node.size > 0 && !bytes_equal(count->node, host);
	count->node = host;
}

/* Does an object name the stream that something was written to? */
static bool
names_stream(Members members)
{
	L4ObjectPair pair;
	L4Bytes		name;

	while (next_member(&members, &pair, &name))
		if (is_stream(pair.value))
			return true;
	return false;
}

/* Notes what an object has. */
static void
note_object(Sample *sample, L4Bytes line)
{
	L4Bytes		seen[ENVELOPE_KEYS];
	int			count = 0;
	Members		members = members_of(line);
	L4ObjectPair pair;
	bool		streamed;

	if (members.at == NULL)
		return;
	streamed = names_stream(members);
	sample->streams += streamed;
	if (sample->only_streams && !streamed)
	{
		sample->others++;
		return;
	}
	sample->objects++;
	sample->rows += members.row;
	while (count < ENVELOPE_KEYS && next_member(&members, &pair, &seen[count]))
	{
		KeyCount   *of = count_of(sample, seen[count], turn_of(seen, count + 1));

		count++;
		if (of != NULL)
			note_value(sample->ask, &pair, is_text(&members, &pair), of);
	}
}

static bool
is_most(const Sample *sample, int count)
{
	return count * 10 >= sample->objects * MOST;
}

/* The key under which most objects have the texts with the most words; NULL where none have any. */
static const KeyCount *
find_text(const Sample *sample)
{
	const KeyCount *best = NULL;
	int			i;

	for (i = 0; i < sample->known; i++)
	{
		const KeyCount *count = &sample->counts[i];

		if (is_most(sample, count->texts) && !is_most(sample, count->times) &&
			count->blanks > (best != NULL ? best->blanks : 0))
			best = count;
	}
	return best;
}

/* The first key that the objects have most times for what is counted, if most have it. */
#define FIND(sample, member) find_most((sample), offsetof(KeyCount, member))

static const KeyCount *
find_most(const Sample *sample, size_t member)
{
	const KeyCount *best = NULL;
	int			most = 0;
	int			i;

	for (i = 0; i < sample->known; i++)
	{
		int			count = *(const int *) ((const char *) &sample->counts[i] + member);

		if (is_most(sample, count) && count > most)
		{
			best = &sample->counts[i];
			most = count;
		}
	}
	return best;
}

/* Is a text an earlier time than another one, both of UTC as ISO 8601 has it? */
static bool
is_earlier(L4Bytes text, L4Bytes other)
{
	size_t		size = Min(text.size, other.size);
	int			order;

	if (size == 0 || text.data[text.size - 1] != 'Z' || other.data[other.size - 1] != 'Z')
		return false;
	order = memcmp(text.data, other.data, size - 1);
	return order < 0 || (order == 0 && text.size < other.size);
}

/*
 * The key of the time at which something was written: a collector says when it received or stored that, too, which is later. A
 * time that does not change with what is written is that of something else.
 */
static const KeyCount *
find_time(const Sample *sample)
{
	const KeyCount *best = FIND(sample, times);
	int			i;

	for (i = 0; best != NULL && i < sample->known; i++)
	{
		const KeyCount *count = &sample->counts[i];

		if (is_most(sample, count->times) && count->changes * 2 >= best->changes && is_earlier(count->last, best->last))
			best = count;
	}
	return best;
}

/* Do objects say nothing but what was written and when? */
static bool
are_only_times(const Sample *sample, const KeyCount *text)
{
	int			times = 0;
	int			i;

	for (i = 0; i < sample->known; i++)
	{
		const KeyCount *count = &sample->counts[i];

		if (count != text && count->times < count->objects)
			return false;
		times += count != text;
	}
	return times > 0;
}

/* Did a collector wrap these objects, which are most of the lines? */
static bool
are_wrapped(const Sample *sample, int lines, const KeyCount *const *parts)
{
	const KeyCount *text = parts[L4_ENVELOPE_TEXT];
	const KeyCount *host = parts[L4_ENVELOPE_HOST];

	return (sample->objects + sample->others) * 10 >= lines * MOST &&
		(FIND(sample, streams) != NULL || text->headers * TEXTS_PER_HEADER >= sample->objects || are_only_times(sample, text) ||
		 (host != NULL && host->several_nodes && FIND(sample, levels) == NULL));
}

/* Are these objects those of a program's own logger? */
static bool
are_own(const KeyCount *const *parts)
{
	return parts[L4_ENVELOPE_TIME] != NULL && parts[L4_ENVELOPE_LEVEL] != NULL &&
		parts[L4_ENVELOPE_LEVEL] != parts[L4_ENVELOPE_TEXT] && parts[L4_ENVELOPE_TIME] != parts[L4_ENVELOPE_TEXT];
}

/* Is a line what tells the interface of Elasticsearch to do with the object in the next one? */
static bool
is_bulk_action(L4Bytes line)
{
	static const char *const actions[] = {"{\"create\":", "{\"index\":", "{\"update\":", "{\"delete\":"};
	int			i;

	for (i = 0; line.data[0] == '{' && i < (int) lengthof(actions); i++)
	{
		size_t		size = strlen(actions[i]);

		if (line.size > size && memcmp(line.data, actions[i], size) == 0)
			return memmem(line.data, line.size, "\"_i", 3) != NULL || line.size <= size + strlen(" {}}");
	}
	return false;
}

/* Looks at the objects of the first lines; returns how many lines there are. */
static int
note_lines(Sample *sample, L4Bytes lines)
{
	L4Bytes		line;
	int			seen = 0;

	while (seen < OBJECTS_MOST && bytes_take_line(&lines, &line))
		if (line.size > 0 && !is_bulk_action(line))
		{
			seen++;
			note_object(sample, line);
		}
	return seen;
}

/* Looks at the objects of the first lines, or at those alone that name a stream; takes the form that they have, if any. */
static void
learn_form(Sample *sample, L4Bytes lines, L4EnvelopeForm *form)
{
	const KeyCount *parts[L4_ENVELOPE_PARTS];
	bool		wrapped;
	int			seen;
	int			i;

	sample->known = sample->objects = sample->rows = sample->others = sample->streams = 0;
	seen = note_lines(sample, lines);
	parts[L4_ENVELOPE_TEXT] = find_text(sample);
	parts[L4_ENVELOPE_HOST] = FIND(sample, nodes);
	parts[L4_ENVELOPE_TIME] = find_time(sample);
	parts[L4_ENVELOPE_PATH] = FIND(sample, rank_paths);
	if (parts[L4_ENVELOPE_PATH] == NULL)
		parts[L4_ENVELOPE_PATH] = FIND(sample, paths);
	parts[L4_ENVELOPE_RANK] = FIND(sample, ranks);
	parts[L4_ENVELOPE_LEVEL] = FIND(sample, graves);
	parts[L4_ENVELOPE_NAME] = FIND(sample, names);
	wrapped = sample->objects >= OBJECTS_LEAST && parts[L4_ENVELOPE_TEXT] != NULL && are_wrapped(sample, seen, parts);
	if (wrapped)
		parts[L4_ENVELOPE_LEVEL] = parts[L4_ENVELOPE_NAME] = NULL;
	else if (sample->objects * LINES_PER_RANKED < seen)
		parts[L4_ENVELOPE_RANK] = NULL;
	/* a program's own rows stay as they are: their headers are known (format_rules.c) */
	if (wrapped || (sample->rows == 0 && sample->objects >= OBJECTS_LEAST && parts[L4_ENVELOPE_TEXT] != NULL && are_own(parts)))
		for (i = 0; i < L4_ENVELOPE_PARTS; i++)
			if (parts[i] != NULL && (i == L4_ENVELOPE_TEXT || parts[i] != parts[L4_ENVELOPE_TEXT]))
				form->keys[i] = parts[i]->key;
}

/* Has one of the objects of a sample that name no stream a member of this key? */
static bool
others_have(const L4EnvelopeKey *key, L4Bytes lines)
{
	L4Bytes		line;

	while (bytes_take_line(&lines, &line))
	{
		Members		members = members_of(line);
		L4ObjectPair pair;
		L4Bytes		name;

		if (names_stream(members))
			continue;
		while (next_member(&members, &pair, &name))
			if (bytes_equal((L4Bytes) {key->name, key->size}, name))
				return true;
	}
	return false;
}

bool
envelope_learn(L4Bytes lines, const L4EnvelopeAsk *ask, L4EnvelopeForm *form)
{
	Sample	   *sample = palloc(sizeof(Sample));

	memset(form, 0, sizeof(L4EnvelopeForm));
	sample->ask = ask;
	sample->only_streams = false;
	learn_form(sample, lines, form);
	if (!envelope_is_here(form) && sample->streams < sample->objects)
	{
		sample->only_streams = true;
		learn_form(sample, lines, form);
		if (envelope_is_here(form) && (envelope_is_own(form) || sample->objects * TEXTS_PER_HEADER < sample->others ||
									   others_have(&form->keys[L4_ENVELOPE_TEXT], lines)))
			memset(form, 0, sizeof(L4EnvelopeForm));
	}
	pfree(sample);
	return envelope_is_here(form);
}

/* The time that stands before an object, be it in seconds since 1970; of no bytes where none does. */
static L4Bytes
tagged_time(L4Bytes line)
{
	const char *end = object_of(line);
	const char *at = line.data;
	L4TimeKind	kind;
	size_t		size = timestamp_scan((L4Bytes) {at, (size_t) (end - at)}, &kind);

	if (size > 0 && kind == L4_TIME_WHOLE)
		return (L4Bytes) {at, size};
	while (at < end)
	{
		const char *from = at;

		while (at < end && (is_digit(*at) || *at == '.'))
			at++;
		if (at - from >= EPOCH_DIGITS && is_digit(*from))
			return (L4Bytes) {from, (size_t) (at - from)};
		at += at == from;
	}
	return (L4Bytes) {NULL, 0};
}

/* The text without the end of the line that a container's runtime keeps in it. */
static L4Bytes
without_line_end(L4Bytes text)
{
	while (text.size >= 2 && text.data[text.size - 2] == '\\' &&
		   (text.data[text.size - 1] == 'n' || text.data[text.size - 1] == 'r') &&
		   (text.size == 2 || text.data[text.size - 3] != '\\'))
		text.size -= 2;
	return text;
}

/* Is a key one of some words, or (begins) does it begin with one, in whichever case? */
static bool
is_word_of(L4Bytes key, const char *const *words, int count, bool begins)
{
	int			i;

	for (i = 0; i < count; i++)
	{
		size_t		size = strlen(words[i]);

		if ((begins ? key.size >= size : key.size == size) && pg_strncasecmp(key.data, words[i], size) == 0)
			return true;
	}
	return false;
}

static bool
is_number(L4Bytes value)
{
	return value.size > 0 && strspn(value.data, "0123456789.-") >= value.size;
}

static bool
ends_with(L4Bytes key, const char *word)
{
	size_t		size = strlen(word);

	return key.size >= size && pg_strncasecmp(key.data + key.size - size, word, size) == 0;
}

/*
 * Does a member of a program's own object say more than its text does? Other words do, and what went wrong; so do numbers, but
 * for times and those that tell where in the program a record comes from and which process wrote it.
 */
static bool
says_more(const L4ObjectPair *pair)
{
	static const char *const troubles[] = {"err", "exc", "stack", "trace", "reason", "cause"};
	static const char *const origins[] = {
		"line", "lineno", "line_no", "line_number", "process", "thread", "no", "levelno", "level_no", "v", "world_size",
		"created", "msecs", "relativecreated"
	};

	if (is_word_of(pair->key, troubles, lengthof(troubles), true))
		return pair->value.size > 0;
	if (is_time(pair->value) || ends_with(pair->key, "name") || ends_with(pair->key, "id") || ends_with(pair->key, "rank"))
		return false;
	if (!pair->quoted || is_number(pair->value))
		return !is_word_of(pair->key, origins, lengthof(origins), false);
	return pair->value.size > 0 && memchr(pair->value.data, ' ', pair->value.size) != NULL;
}

size_t
envelope_tag_size(L4Bytes line)
{
	const char *object = object_of(line);

	return object != NULL ? (size_t) (object - line.data) : 0;
}

/* May the value of a part stand without quotes? */
static inline bool
is_number_part(int part)
{
	return part == L4_ENVELOPE_TIME || part == L4_ENVELOPE_RANK || part == L4_ENVELOPE_LEVEL;
}

/* Takes a member for the parts that it says, of which none is known yet; false where it says none. */
static bool
take_member(const L4EnvelopeForm *form, const L4ObjectPair *pair, L4Bytes name, int turn, bool text, L4Bytes *values)
{
	bool		taken = false;
	int			i;

	for (i = 0; i < L4_ENVELOPE_PARTS; i++)
		if (values[i].data == NULL && is_key(&form->keys[i], name, turn) && (text || is_number_part(i)))
		{
			values[i] = pair->value;
			taken = true;
		}
	return taken;
}

/* Are the lines of a form rows? The names of their members have their equals signs. */
static bool
are_rows(const L4EnvelopeForm *form)
{
	const L4EnvelopeKey *key = &form->keys[L4_ENVELOPE_TEXT];

	return key->size > 0 && key->name[key->size - 1] == '=';
}

bool
envelope_open(const L4EnvelopeForm *form, L4Bytes line, L4Bytes *values)
{
	L4Bytes		seen[ENVELOPE_KEYS];
	int			count = 0;
	Members		members = are_rows(form) ? row_members(line) : object_members(line);
	L4ObjectPair pair;

	memset(values, 0, L4_ENVELOPE_PARTS * sizeof(L4Bytes));
	while (count < ENVELOPE_KEYS && next_member(&members, &pair, &seen[count]))
	{
		int			turn = turn_of(seen, count + 1);

		if (!take_member(form, &pair, seen[count], turn, is_text(&members, &pair), values) && envelope_is_own(form) &&
			says_more(&pair))
			return false;
		count++;
	}
	if (values[L4_ENVELOPE_TEXT].data == NULL || (envelope_is_own(form) && count == ENVELOPE_KEYS) ||
		(members.row && members.at < members.end))
		return false;
	if (values[L4_ENVELOPE_TIME].data == NULL && !members.row)
		values[L4_ENVELOPE_TIME] = tagged_time(line);
	values[L4_ENVELOPE_TEXT] = without_line_end(values[L4_ENVELOPE_TEXT]);
	values[L4_ENVELOPE_HOST] = host_in(values[L4_ENVELOPE_HOST]);
	return true;
}

int
envelope_path_rank(L4Bytes path)
{
	const char *at = path.size > 0 ? memmem(path.data, path.size, "rank", 4) : NULL;
	const char *end = path.data + path.size;
	int			rank = 0;
	int			digits = 0;

	if (at == NULL)
		return -1;
	at += 4;
	if (at < end && strchr("-_.", *at) != NULL)
		at++;
	for (; at < end && is_digit(*at) && digits < 7; at++, digits++)
		rank = rank * 10 + (*at - '0');
	return digits > 0 && digits < 7 ? rank : -1;
}

void
envelope_save(const L4EnvelopeForm *form, StringInfo out)
{
	int			i;

	for (i = 0; i < L4_ENVELOPE_PARTS; i++)
	{
		column_put_unsigned(out, form->keys[i].turn);
		column_put_bytes(out, (L4Bytes) {form->keys[i].name, form->keys[i].size});
	}
}

void
envelope_restore(L4EnvelopeForm *form, L4ColumnReader *in)
{
	int			i;

	for (i = 0; i < L4_ENVELOPE_PARTS; i++)
	{
		int			turn = column_get_number_to(in, ENVELOPE_KEYS, "a collector's key is one of too many");
		L4Bytes		name = column_get_bytes(in);

		if (name.size > L4_ENVELOPE_KEY)
			column_corrupted("a collector's key is too long");
		form->keys[i].turn = (uint8) turn;
		form->keys[i].size = (uint8) name.size;
		memcpy(form->keys[i].name, name.data, name.size);
	}
}
