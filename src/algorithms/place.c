/*
 * place.c: node, rank and kind of a stream from its file's path or from a label on its lines.
 *
 * Paths are matched without their compression suffix, rule by rule in the order of priority; each rule may add what no earlier
 * one knew; what a rotation appended is left out where no rule knows the whole. The name of one of the job's nodes, as a folder
 * or anywhere between separators, beats every rule; the rules then see a plain name in its place, for what else the path says
 * does not hang on how a site calls its nodes. A local rank becomes a global one only where node list and ranks per node are
 * known; a rank gives its node the same way.
 */
#include "algorithms/place.h"

#include "lib/stringinfo.h"
#include "tools/bytes.h"

enum PlaceGroup
{
	GROUP_NODE, GROUP_RANK, GROUP_NUMBER, GROUP_MEMBER, GROUP_LOCAL_RANK, GROUP_ATTEMPT, GROUP_LAUNCHER, GROUP_SYSTEM,
	GROUP_SHARED, GROUP_COUNT
};

static const char *const group_names[GROUP_COUNT] = {
	"node", "rank", "number", "member", "local_rank", "attempt", "launcher", "system", "shared"
};

/* What the rules see in the place of a node's name. */
#define PLAIN_NODE "node0"

/* Longer paths than any file system has tell no place. */
#define PATH_LIMIT 4096

typedef struct PlaceRule
{
	const char *what;
	L4Pattern  *pattern;
	int			groups[GROUP_COUNT];
} PlaceRule;

struct L4PlaceRules
{
	int			count;
	PlaceRule  *rules;
};

static void
add_rule(L4PlaceRules *rules, const char *pattern, const char *what)
{
	PlaceRule  *rule = &rules->rules[rules->count++];
	int			i;

	rule->what = what;
	rule->pattern = pattern_compile(pattern, strlen(pattern), what);
	for (i = 0; i < GROUP_COUNT; i++)
		rule->groups[i] = pattern_group_number(rule->pattern, group_names[i]);
}

/* Appends the pattern for one {word} of a layout and returns where it ends. */
static const char *
layout_word(StringInfo out, const char *at, const char *layout)
{
	const char *end = strchr(at, '}');
	char	   *word = end != NULL ? pnstrdup(at + 1, end - at - 1) : NULL;

	if (word != NULL && strcmp(word, "node") == 0)
		appendStringInfoString(out, "(?<node>[^/]+?)");
	else if (word != NULL && (strcmp(word, "rank") == 0 || strcmp(word, "local_rank") == 0 || strcmp(word, "attempt") == 0))
		appendStringInfo(out, "(?<%s>\\d+)", word);
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("layout \"%s\" is not valid at \"%s\"", layout, at),
				 errhint("A layout is a path with {node}, {rank}, {local_rank}, {attempt} and * in it, such as "
						 "'{node}/rank-{rank}.log'.")));
	return end + 1;
}

static char *
layout_pattern(const char *layout)
{
	StringInfoData out;
	const char *at = layout;

	if (strstr(layout, "{node}") == NULL && strstr(layout, "rank}") == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("layout \"%s\" names neither node nor rank", layout),
				 errhint("A layout is a path with {node}, {rank}, {local_rank}, {attempt} and * in it, such as "
						 "'{node}/rank-{rank}.log'.")));
	initStringInfo(&out);
	appendStringInfoString(&out, "^(?:.*/)?");
	while (*at != '\0')
	{
		if (*at == '{')
			at = layout_word(&out, at, layout);
		else if (*at == '*')
		{
			/* of several in a row each but the first would only add ways to match the same */
			appendStringInfoString(&out, "[^/]*");
			at += strspn(at, "*");
		}
		else
		{
			if (strchr("\\^$.|?+()[]", *at) != NULL)
				appendStringInfoChar(&out, '\\');
			appendStringInfoChar(&out, *at++);
		}
	}
	appendStringInfoChar(&out, '$');
	return out.data;
}

L4PlaceRules *
place_rules_create(const L4Format *formats, int count, const char *layout)
{
	L4PlaceRules *rules = palloc0(sizeof(L4PlaceRules));
	int			i;

	rules->rules = palloc(mul_size(count + 1, sizeof(PlaceRule)));
	if (layout != NULL)
		add_rule(rules, layout_pattern(layout), "the layout");
	for (i = 0; i < count; i++)
		if (formats[i].kind == L4_FORMAT_PATH)
			add_rule(rules, formats[i].pattern, psprintf("format \"%s\"", formats[i].name));
	return rules;
}

/* The path without suffixes of compression. */
static L4Bytes
without_compression(const char *source)
{
	static const char *const suffixes[] = {".gz", ".zst", ".xz", ".bz2", ".lz4"};
	L4Bytes		path = {source, strlen(source)};
	int			i;

	for (i = 0; i < (int) lengthof(suffixes); i++)
	{
		size_t		size = strlen(suffixes[i]);

		if (path.size > size && memcmp(path.data + path.size - size, suffixes[i], size) == 0)
			path.size -= size;
	}
	return path;
}

/* A rotation's number, or its time in digits and signs, is no longer. */
#define ROTATION_BYTES 24

/* Ends a text with one of the endings of logs? */
static bool
ends_like_log(L4Bytes path)
{
	static const char *const endings[] = {".log", ".txt", ".out", ".err", ".json", ".jsonl"};
	int			i;

	for (i = 0; i < (int) lengthof(endings); i++)
	{
		size_t		size = strlen(endings[i]);

		if (path.size > size && memcmp(path.data + path.size - size, endings[i], size) == 0)
			return true;
	}
	return false;
}

/*
 * The path without what whoever rotated the log put behind its ending: a number or a time ("rank_0.log.1",
 * "0.log.20261103-083035", "train.log-20261103"). The path itself where nothing stands there.
 */
static L4Bytes
without_rotation(L4Bytes path)
{
	size_t		size = path.size;

	while (size > 0 && path.size - size < ROTATION_BYTES &&
		   ((path.data[size - 1] >= '0' && path.data[size - 1] <= '9') || strchr("-_.:T", path.data[size - 1]) != NULL))
		size--;
	if (size == path.size || strchr("-_.", path.data[size]) == NULL || !is_digit(path.data[path.size - 1]) ||
		!ends_like_log((L4Bytes) {path.data, size}))
		return path;
	return (L4Bytes) {path.data, size};
}

/* How much of a host's name is its own, without its domain; all of an address. */
static size_t
short_size(const char *name, size_t size)
{
	const char *dot = memchr(name, '.', size);

	return dot == NULL || (name[0] >= '0' && name[0] <= '9') ? size : (size_t) (dot - name);
}

/* The node with this name, or else with this name before its domain, where one of both has a domain; -1 where none has. */
static int
node_index(const L4Cluster *cluster, const char *name, size_t size)
{
	size_t		own = short_size(name, size);
	int			found = -1;
	int			i;

	for (i = 0; i < cluster->node_count; i++)
	{
		const char *node = cluster->nodes[i];
		size_t		node_size = strlen(node);

		if (node_size == size && memcmp(node, name, size) == 0)
			return i;
		if (found < 0 && (own < size) != (short_size(node, node_size) < node_size) && short_size(node, node_size) == own &&
			memcmp(node, name, own) == 0)
			found = i;
	}
	return found;
}

/* A folder of the path that bears the name of one of the job's nodes; the outermost counts. */
static int
node_of_folders(const L4Cluster *cluster, L4Bytes path, L4Bytes *name)
{
	const char *at = path.data;
	const char *end = path.data + path.size;

	while (at < end)
	{
		const char *slash = memchr(at, '/', end - at);
		int			index;

		if (slash == NULL)
			break;
		index = node_index(cluster, at, slash - at);
		if (index >= 0)
		{
			*name = (L4Bytes) {at, (size_t) (slash - at)};
			return index;
		}
		at = slash + 1;
	}
	return -1;
}

/* Where a name stands in a text from an offset on, with neither letters nor digits beside it; NULL where it does not. */
static const char *
find_name(L4Bytes text, size_t from, const char *name, size_t size)
{
	const char *end = text.data + text.size;
	const char *at = text.data + from;

	while ((at = memmem(at, end - at, name, size)) != NULL)
	{
		if ((at == text.data || !is_alphanumeric(at[-1])) && (at + size == end || !is_alphanumeric(at[size])))
			return at;
		at++;
	}
	return NULL;
}

/* Can this name be told from a number that stands in a path for something else? */
static bool
is_telling_name(const char *name)
{
	return strlen(name) > 1 && strspn(name, "0123456789") < strlen(name);
}

/* The node whose name stands in the path between separators: the one with the longest name. */
static int
node_of_path(const L4Cluster *cluster, L4Bytes path, L4Bytes *name)
{
	int			found = -1;
	int			i;

	*name = (L4Bytes) {NULL, 0};
	for (i = 0; i < cluster->node_count; i++)
	{
		size_t		size = strlen(cluster->nodes[i]);
		const char *at;

		if (size <= name->size || size > path.size || !is_telling_name(cluster->nodes[i]))
			continue;
		at = find_name(path, 0, cluster->nodes[i], size);
		if (at == NULL)
			continue;
		*name = (L4Bytes) {at, size};
		found = i;
	}
	return found;
}

/* The path with a plain name wherever a node's name stands in it. */
static L4Bytes
with_plain_node(L4Bytes path, L4Bytes name)
{
	StringInfoData out;
	size_t		from = 0;
	const char *at;

	initStringInfo(&out);
	while ((at = find_name(path, from, name.data, name.size)) != NULL)
	{
		appendBinaryStringInfo(&out, path.data + from, (int) (at - path.data - from));
		appendStringInfoString(&out, PLAIN_NODE);
		from = at - path.data + name.size;
	}
	appendBinaryStringInfo(&out, path.data + from, (int) (path.size - from));
	return (L4Bytes) {out.data, (size_t) out.len};
}

/* Fills what node list and ranks per node allow to conclude. */
static void
complete_place(const L4Cluster *cluster, L4Place *place, int local_rank)
{
	int			index;

	if (cluster->node_count == 0 || cluster->ranks_per_node == 0)
		return;
	if (place->rank >= 0 && place->node == NULL && place->rank / cluster->ranks_per_node < cluster->node_count)
		place->node = cluster->nodes[place->rank / cluster->ranks_per_node];
	else if (place->rank < 0 && local_rank >= 0 && local_rank < cluster->ranks_per_node && place->node != NULL &&
			 (index = node_index(cluster, place->node, strlen(place->node))) >= 0 &&
			 (int64) index * cluster->ranks_per_node + local_rank <= PG_INT32_MAX)
		place->rank = index * cluster->ranks_per_node + local_rank;
}

/* May a number be that of a rank? Where it is known how many there are others are those of jobs or processes. */
static bool
may_be_rank(const L4Cluster *cluster, int number)
{
	return number >= 0 && (cluster->node_count == 0 || cluster->ranks_per_node == 0 ||
						   number / cluster->ranks_per_node < cluster->node_count);
}

/* Takes from a rule that matched what is not known yet. */
static void
take_groups(const PlaceRule *rule, const L4Cluster *cluster, L4Place *place, int *local_rank)
{
	L4Bytes		span;

	if (place->node == NULL && pattern_group(rule->pattern, rule->groups[GROUP_NODE], &span) && span.size > 0)
		place->node = pnstrdup(span.data, span.size);
	if (place->rank < 0 && pattern_group(rule->pattern, rule->groups[GROUP_RANK], &span))
		place->rank = bytes_number(span);
	if (place->rank < 0 && pattern_group(rule->pattern, rule->groups[GROUP_NUMBER], &span) &&
		may_be_rank(cluster, bytes_number(span)))
		place->rank = bytes_number(span);
	/* one of several where no node is named: a node itself, where nobody says what the job's nodes are called */
	if (place->rank < 0 && place->node == NULL && cluster->node_count > 0 &&
		pattern_group(rule->pattern, rule->groups[GROUP_MEMBER], &span))
		place->rank = bytes_number(span);
	if (*local_rank < 0 && pattern_group(rule->pattern, rule->groups[GROUP_LOCAL_RANK], &span))
		*local_rank = bytes_number(span);
	if (place->attempt < 0 && pattern_group(rule->pattern, rule->groups[GROUP_ATTEMPT], &span))
		place->attempt = bytes_number(span);
	if (place->kind == NULL && pattern_group(rule->pattern, rule->groups[GROUP_LAUNCHER], &span))
		place->kind = "launcher";
	if (place->kind == NULL && pattern_group(rule->pattern, rule->groups[GROUP_SYSTEM], &span))
		place->kind = "system";
	/* what is named by one node is that node's, wherever a launcher put it */
	if (place->kind == NULL && place->node == NULL && pattern_group(rule->pattern, rule->groups[GROUP_SHARED], &span))
		place->kind = "shared";
}

/* Matches one rule and takes from it what is not known yet. */
static void
apply_rule(const PlaceRule *rule, const L4Cluster *cluster, L4Bytes path, L4Place *place, int *local_rank)
{
	L4MatchResult result = pattern_try(rule->pattern, path, 0, false);

	if (result == L4_MATCH)
		take_groups(rule, cluster, place, local_rank);
	else if (result == L4_GAVE_UP && place->doubt == NULL)
		place->doubt = psprintf("%s takes too many steps on the path, so it does not tell node or rank", rule->what);
}

/* How many bytes of a name are the word before its number, if it is what whoever numbers machines calls them; else 0. */
static size_t
numbered_word(const char *name)
{
	static const char *const words[] = {"node", "host", "machine", "instance", "server", "worker", "trainer", "replica"};
	int			i;

	for (i = 0; i < (int) lengthof(words); i++)
	{
		size_t		size = strlen(words[i]);
		const char *number = name + size;

		if (strncmp(name, words[i], size) != 0)
			continue;
		number += *number != '\0' && strchr("-_.", *number) != NULL;
		if (is_digit(*number) && number[strspn(number, "0123456789")] == '\0')
			return size;
	}
	return 0;
}

/* Do the job's nodes have other names than such a word with a number? */
static bool
are_named_otherwise(const L4Cluster *cluster, const char *word, size_t size)
{
	int			i;

	for (i = 0; size > 0 && i < cluster->node_count; i++)
		if (strncmp(cluster->nodes[i], word, size) == 0)
			return false;
	return size > 0;
}

/*
 * "worker-3.log" is of node worker-3, or of the third of the workers: of this one where the job's nodes have other names. And
 * "node3.log" is of the node with that number in the job's list, where nodes are called otherwise: which one that is all files
 * tell together, for some count from one.
 */
static void
forget_other_node(const L4Cluster *cluster, L4Place *place)
{
	if (cluster->node_count > 0 && place->node != NULL && node_index(cluster, place->node, strlen(place->node)) < 0 &&
		(place->rank >= 0 || are_named_otherwise(cluster, place->node, numbered_word(place->node))))
		place->node = NULL;
}

/* Applies the rules to a path; to what it was before a rotation, too, where they find no rank. */
static void
apply_rules(const L4PlaceRules *rules, const L4Cluster *cluster, L4Bytes path, L4Place *place, int *local_rank)
{
	L4Bytes		unrotated = without_rotation(path);
	int			i;

	for (i = 0; i < rules->count; i++)
		apply_rule(&rules->rules[i], cluster, path, place, local_rank);
	for (i = 0; unrotated.size < path.size && place->rank < 0 && *local_rank < 0 && i < rules->count; i++)
		apply_rule(&rules->rules[i], cluster, unrotated, place, local_rank);
}

/*
 * place_from_path: node, rank and kind of a file by its source. Cost: a match per rule, bounded. Errors: none.
 */
L4Place
place_from_path(L4PlaceRules *rules, const L4Cluster *cluster, const char *source)
{
	L4Place		place = {NULL, NULL, -1, -1, NULL};
	L4Bytes		path = without_compression(source);
	L4Bytes		name = {NULL, 0};
	int			local_rank = -1;
	int			index;

	index = node_of_folders(cluster, path, &name);
	if (index < 0 && path.size <= PATH_LIMIT)
		index = node_of_path(cluster, path, &name);
	if (index >= 0)
		place.node = cluster->nodes[index];
	if (path.size > PATH_LIMIT)
		place.doubt = psprintf("a path of %zu bytes tells neither node nor rank", path.size);
	else
	{
		if (index >= 0)
			path = with_plain_node(path, name);
		apply_rules(rules, cluster, path, &place, &local_rank);
		forget_other_node(cluster, &place);
	}
	if (place.kind == NULL || place.rank >= 0 || local_rank >= 0)
		complete_place(cluster, &place, local_rank);
	if (place.kind == NULL)
		place.kind = (place.rank >= 0 || local_rank >= 0) ? "rank" : "other";
	return place;
}

L4Place
place_of_rows(L4PlaceRules *rules, const L4Cluster *cluster, const char *source, const char *node, int rank)
{
	L4Place		place = place_from_path(rules, cluster, source != NULL ? source : "");

	if (node == NULL && rank < 0)
		return place;
	if (rank >= 0)
	{
		place.rank = rank;
		place.node = NULL;
		if (strcmp(place.kind, "other") == 0 || strcmp(place.kind, "shared") == 0)
			place.kind = "rank";
	}
	if (node != NULL)
		place.node = pstrdup(node);
	complete_place(cluster, &place, -1);
	return place;
}

/* Of a launcher with one task a node, which a number names, the node; -1 where the text is no such number. */
static int
node_of_task(const L4Cluster *cluster, L4Bytes text)
{
	int			number = text.size > 0 && strspn(text.data, "0123456789") >= text.size ? bytes_number(text) : -1;

	return number < cluster->node_count ? number : -1;
}

/* Of a container's name that a tool made of its node's and a number ("trainer0-1") the node; -1 if it is none such. */
static int
node_of_container(const L4Cluster *cluster, L4Bytes name)
{
	size_t		size = name.size;

	while (size > 0 && is_digit(name.data[size - 1]))
		size--;
	if (size < 2 || size == name.size || (name.data[size - 1] != '-' && name.data[size - 1] != '_'))
		return -1;
	return node_index(cluster, name.data, size - 1);
}

/*
 * The host that a label names, as the job calls it: of "node-05 train[60]" what stands before the blank, of "worker.3@node-05"
 * what stands behind the @. index: which of the job's nodes that is (-1: none).
 */
static char *
host_of_label(const L4Cluster *cluster, L4Bytes label, int *index)
{
	const char *blank = memchr(label.data, ' ', label.size);
	const char *end = blank != NULL ? blank : label.data + label.size;
	const char *at = memchr(label.data, '@', end - label.data);
	const char *host = at != NULL ? at + 1 : label.data;

	*index = node_index(cluster, host, end - host);
	if (*index < 0)
		*index = node_of_task(cluster, (L4Bytes) {host, (size_t) (end - host)});
	if (*index < 0)
		*index = node_of_container(cluster, (L4Bytes) {host, (size_t) (end - host)});
	return *index >= 0 ? pstrdup(cluster->nodes[*index]) : pnstrdup(host, end - host);
}

L4Place
place_from_label(const L4Cluster *cluster, const L4Place *base, const L4Header *header, char **label)
{
	L4Place		place = *base;

	*label = NULL;
	if (base->rank >= 0 || (header->rank < 0 && header->local_rank < 0 && header->host.size == 0))
		return place;
	if (header->host.size > 0)
	{
		int			index;
		char	   *host = host_of_label(cluster, header->host, &index);

		/* in a file that one node collected for all, a line is of the node that stands before it */
		if (place.node == NULL || index >= 0)
			place.node = host;
	}
	place.rank = header->rank;
	complete_place(cluster, &place, header->local_rank);
	if (header->rank >= 0 && header->local_rank >= 0 && header->host.size > 0)
		*label = psprintf("%.*s %d %d", (int) header->host.size, header->host.data, header->local_rank, header->rank);
	else if (header->rank >= 0)
		*label = psprintf("%d", header->rank);
	else if (header->host.size > 0 && header->local_rank >= 0)
		*label = psprintf("%.*s %d", (int) header->host.size, header->host.data, header->local_rank);
	else if (header->local_rank >= 0)
		*label = psprintf("local %d", header->local_rank);
	else
		*label = pnstrdup(header->host.data, header->host.size);
	if (header->rank >= 0 || header->local_rank >= 0)
		place.kind = "rank";
	return place;
}
