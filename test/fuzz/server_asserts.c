/*
 * server_asserts.c: what a failed Assert does. Apart, because the server's versions declare it with different arguments, of
 * which the first is always the condition.
 */
#include <stdio.h>
#include <stdlib.h>

void		ExceptionalCondition(const char *condition);

void
ExceptionalCondition(const char *condition)
{
	fprintf(stderr, "assertion failed: %s\n", condition);
	abort();
}
