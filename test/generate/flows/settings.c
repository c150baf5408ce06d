/* settings.c: the command line. The options of a scenario are read first, those given beside it over them. */
#include "flows.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define MOST_WORDS 64

static const struct option options[] = {
	{"out", 1, NULL, 'o'}, {"seed", 1, NULL, 's'}, {"scenario", 1, NULL, 'S'}, {"list", 0, NULL, 'L'}, {"check", 0, NULL, 'c'},
	{"window", 1, NULL, 'w'}, {"jobs", 1, NULL, 'j'}, {"shape", 1, NULL, 'p'}, {"idle", 1, NULL, 'i'},
	{"servers", 1, NULL, 'n'}, {"nics", 1, NULL, 'k'}, {"pod", 1, NULL, 'P'}, {"spines", 1, NULL, 'x'},
	{"rate", 1, NULL, 'r'}, {"jitter", 1, NULL, 'J'}, {"loss", 1, NULL, 'l'}, {"active-timeout", 1, NULL, 'a'},
	{"idle-timeout", 1, NULL, 'I'}, {"bad", 1, NULL, 'b'}, {"scatter", 0, NULL, 't'},
	{"clock-offset", 1, NULL, 'C'}, {"duplicates", 1, NULL, 'd'}, {"out-of-order", 1, NULL, 'O'}, {"noise", 1, NULL, 'N'},
	{"shared-servers", 0, NULL, 'h'}, {"comes-and-goes", 0, NULL, 'g'}, {"fault", 1, NULL, 'f'}, {NULL, 0, NULL, 0}
};

/* Shapes and faults of a scenario go when others are given. */
typedef struct
{
	settings   *s;
	cluster    *net;
	int			own_shapes;
	int			own_faults;
} reading;

static double
number(const char *text, double least, double most)
{
	char	   *rest;
	double		n = strtod(text, &rest);

	if (rest == text || *rest != '\0' || !(n >= least && n <= most))
		fail("not a number, or out of range:", text);
	return n;
}

static void
take_shape(reading *r, const char *text)
{
	settings   *s = r->s;

	if (!r->own_shapes++)
	{
		s->shapes = 0;
		s->any_shape = 0;
	}
	if (strcmp(text, "any") == 0)
	{
		s->any_shape = 1;
		return;
	}
	if (s->shapes == MOST_SHAPES)
		fail("too many shapes:", text);
	s->shape[s->shapes] = plain_shape;
	shape_read(text, &s->shape[s->shapes++]);
}

static void
take_fault(reading *r, const char *text)
{
	if (!r->own_faults++)
		r->s->faults = 0;
	if (strcmp(text, "none") != 0)
		fault_read(r->s, text);
}

/* What the collectors do, and what is beside the jobs. */
static int
take_disturbance(settings *s, int option, const char *text)
{
	switch (option)
	{
		case 'J': s->jitter = number(text, 0, 1); return 1;
		case 'l': s->loss = number(text, 0, 1); return 1;
		case 'a': s->active_timeout = number(text, 0, 1e6); return 1;
		case 'I': s->idle_timeout = number(text, 0, 1e3); return 1;
		case 'b': s->bad = number(text, 0, 1); return 1;
		case 't': s->scatter = 1; return 1;
		case 'C': s->clock_offset = number(text, 0, 1e3); return 1;
		case 'd': s->duplicates = number(text, 0, 1); return 1;
		case 'O': s->out_of_order = number(text, 0, 1e3); return 1;
		case 'N': s->noise = number(text, 0, 1e8); return 1;
		case 'h': s->shared_servers = 1; return 1;
		case 'g': s->comes_and_goes = 1; return 1;
	}
	return 0;
}

static int
take_size(reading *r, int option, const char *text)
{
	switch (option)
	{
		case 'w': r->s->window = number(text, 0.001, 1e5); return 1;
		case 'j': r->s->jobs = (int) number(text, 1, 4096); return 1;
		case 'i': r->s->idle = (int) number(text, 0, 1e5); return 1;
		case 'n': r->net->servers = (int) number(text, 1, 1e5); return 1;
		case 'k': r->net->nics = (int) number(text, 1, 250); return 1;
		case 'P': r->net->pod = (int) number(text, 1, 1e5); return 1;
		case 'x': r->net->spines = (int) number(text, 1, 1e4); return 1;
		case 'r': r->net->rate = number(text, 1e3, 1e15); return 1;
	}
	return 0;
}

static void
read_options(reading *r, int count, char **arguments)
{
	int			option;

	r->own_shapes = r->own_faults = 0;
	optind = 0;
	while ((option = getopt_long(count, arguments, "", options, NULL)) != -1)
	{
		if (take_size(r, option, optarg) || take_disturbance(r->s, option, optarg))
			continue;
		switch (option)
		{
			case 'o': r->s->out = optarg; break;
			case 's': r->s->seed = strtoull(optarg, NULL, 10); break;
			case 'S': r->s->scenario = optarg; break;
			case 'c': r->s->check = 1; break;
			case 'p': take_shape(r, optarg); break;
			case 'f': take_fault(r, optarg); break;
			case 'L': scenarios_list(); exit(0);
			default: fail("see the head of flows.c for", "the options");
		}
	}
	if (optind < count)
		fail("unknown argument", arguments[optind]);
}

/* The scenario's options as a command line of their own. A name that ends with digits has a seed of its own: healthy7. */
static void
read_scenario(reading *r, const char *name)
{
	char	   *words[MOST_WORDS] = {"flows"};
	char	   *plain = strdup(name);
	const char *given = scenario_options(name);
	char	   *rest;
	int			count = 1;

	if (given == NULL)
	{
		size_t		length = strcspn(name, "0123456789");

		plain[length] = '\0';
		given = scenario_options(plain);
	}
	if (given == NULL)
		fail("unknown scenario", name);
	rest = strdup(given);
	for (char *word; count < MOST_WORDS - 1 && (word = strsep(&rest, " ")) != NULL;)
		if (*word != '\0')
			words[count++] = word;
	read_options(r, count, words);
	free(plain);
}

void
settings_read(world *w, int count, char **arguments)
{
	settings   *s = &w->set;
	reading		r = {.s = s, .net = &w->net};

	*s = (settings) {.seed = 1, .scenario = "", .window = 60, .jobs = 1, .shapes = 1, .shape = {plain_shape}, .jitter = 0.015};
	w->net = (cluster) {.nics = 8, .pod = 32, .spines = 8, .outside = 64, .rate = 50e9};
	shape_read("dp4,pp2,tp8", &s->shape[0]);
	read_options(&r, count, arguments);
	if (s->scenario[0] != '\0')
	{
		read_scenario(&r, s->scenario);
		read_options(&r, count, arguments);
	}
	if (s->out == NULL)
		fail("where to? Name a folder:", "--out DIR");
	if (s->scenario[0] != '\0' && scenario_options(s->scenario) == NULL)
		s->seed = s->seed * 1000 + strtoull(s->scenario + strcspn(s->scenario, "0123456789"), NULL, 10);
}
