/*
 * module.c: what makes the library loadable. Nothing else.
 */
#include "ground/l4.h"

#include "bindings/guard.h"
#include "fmgr.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	guard_define_settings();
}
