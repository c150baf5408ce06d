/*
 * module.c: what makes the library loadable. Nothing else.
 */
#include "ground/l4.h"

#include "fmgr.h"

PG_MODULE_MAGIC;
