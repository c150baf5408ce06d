/* shapes.c: how jobs are parallelised: reading a shape from a text, and shapes to pick from. */
#include "flows.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const shape plain_shape = {.dp = 1, .pp = 1, .tp = 1, .ep = 1, .cp = 1, .layers = 1, .chunks = 1, .microbatches = 8,
	.buckets = 4, .channels = 1, .pieces = 3, .split = 1, .step = 2, .data = 0.08, .activation = 32e6};

/* What a cluster of today runs; the ranks of one server are whole tensor-parallel groups. */
static const char *const usual[] = {
	"dp4,pp2,tp8,micro8,step1.6",
	"dp8,pp4,tp4,micro16,step2.4",
	"dp4,pp8,tp4,micro16,step2,split2",
	"dp16,pp1,tp4,buckets6,step1.2,micro2",
	"dp8,pp2,tp4,micro8,step1.8,zero1",
	"dp4,pp4,tp4,micro12,step2.8,overlap",
	"dp8,pp2,tp2,micro8,step1.4",
	"dp4,pp4,tp8,micro8,step3,eval40",
};

typedef struct
{
	const char *name;
	size_t		place;
	int			kind;			/* d: whole number, f: number, other: the value of a word without one */
	int			value;
} field;

#define WHOLE(name, member) {name, offsetof(shape, member), 'd', 0}
#define NUMBER(name, member) {name, offsetof(shape, member), 'f', 0}
#define WORD(name, member, value) {name, offsetof(shape, member), 'w', value}

/* A name that begins like another one comes before it. */
static const field fields[] = {
	WHOLE("dp", dp), WHOLE("pp", pp), WHOLE("tp", tp), WHOLE("ep", ep), WHOLE("cp", cp), WHOLE("layers", layers),
	WHOLE("virtual", chunks), WHOLE("micro", microbatches), WHOLE("buckets", buckets), WHOLE("channels", channels),
	WHOLE("pieces", pieces),
	WHOLE("split", split), WHOLE("eval", evaluate), WHOLE("checkpoint", checkpoint), NUMBER("step", step), NUMBER("data", data),
	NUMBER("activation", activation), WORD("zero1", zero1, 1), WORD("zerobubble", schedule, ZERO_BUBBLE),
	WHOLE("shard", shard), WORD("norm", norm, 1), WORD("overlap", overlap, 1), WORD("fsdp", schedule, SHARDED),
	WORD("ring", collective, RING), WORD("tree", collective, TREE), WORD("hierarchical", collective, HIERARCHICAL),
};

static int
read_field(const char *word, const field *f, shape *s)
{
	char	   *place = (char *) s + f->place;
	char	   *rest = "";
	size_t		length = strlen(f->name);

	if (strncmp(word, f->name, length) != 0 || (f->kind == 'w') != (word[length] == '\0'))
		return 0;
	if (f->kind == 'd')
		*(int *) place = (int) strtol(word + length, &rest, 10);
	else if (f->kind == 'f')
		*(double *) place = strtod(word + length, &rest);
	else
		*(int *) place = f->value;
	return *rest == '\0';
}

static int
read_word(const char *word, shape *s)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (read_field(word, &fields[i], s))
			return 1;
	return 0;
}

static void
examine(const shape *s, const char *text)
{
	if (s->dp < 1 || s->pp < 1 || s->tp < 1 || s->ep < 1 || s->cp < 1 || s->layers < 1 ||
		s->chunks < 1 || s->microbatches < 1 || s->buckets < 1 || s->channels < 1 || s->pieces < 1 ||
		s->split < 1 || s->step <= 0 || s->data < 0 || s->data >= 1)
		fail("out of range in shape", text);
	if (s->dp % s->ep != 0)
		fail("ep does not divide dp in shape", text);
	if (s->chunks > 1 && (s->microbatches % s->pp != 0 || s->pp < 2))
		fail("virtual stages need a pipeline, and microbatches in multiples of it, in shape", text);
	if (s->schedule == SHARDED && s->pp * s->ep * s->cp > 1)
		fail("fsdp goes with dp and tp alone in shape", text);
	if (s->shard < 0 || (s->shard > 0 && (s->schedule != SHARDED || s->dp % s->shard != 0)))
		fail("shard divides the dp of fsdp in shape", text);
	if (s->schedule == ZERO_BUBBLE && s->chunks > 1)
		fail("zerobubble has no virtual stages in shape", text);
}

void
shape_read(const char *text, shape *s)
{
	char	   *copy = strdup(text);
	char	   *rest = copy;

	for (char *word; (word = strsep(&rest, ",")) != NULL;)
		if (*word != '\0' && !read_word(word, s))
			fail("unknown word in shape", word);
	examine(s, text);
	free(copy);
}

shape
shape_any(sequence *r, int nics)
{
	shape		s = plain_shape;

	shape_read(usual[random_below(r, sizeof(usual) / sizeof(usual[0]))], &s);
	while (s.tp > nics)
		s.tp /= 2;
	s.step *= 0.7 + 0.6 * random_unit(r);
	s.data *= 0.7 + 0.8 * random_unit(r);
	s.buckets += (int) random_below(r, 4);
	s.microbatches += s.pp * (int) random_below(r, 3);
	return s;
}

int
shape_ranks(const shape *s)
{
	return s->dp * s->pp * s->tp * s->cp;
}
