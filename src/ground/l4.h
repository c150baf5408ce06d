/*
 * l4.h: types and limits shared by all layers. No function bodies but small inline ones, no includes above the server's own.
 *
 * Layers (a file includes only headers of its own layer or of one before it):
 *   ground      compat.h, l4.h
 *   tools       pcre2 wrapper, byte hygiene, column codec
 *   algorithms  pure: no SPI, no catalog, no globals; seed and memory context are arguments
 *   doors       the database and the file system: SPI, privileges, files
 *   bindings    functions callable from SQL
 */
#ifndef L4_H
#define L4_H

#include "ground/compat.h"
#include "utils/timestamp.h"

/* A span of bytes that somebody else owns; not NUL-terminated, may hold any byte. */
typedef struct L4Bytes
{
	const char *data;
	size_t		size;
} L4Bytes;

/* Severity of a record, as stored in segments and summaries; 0 where the record states none. */
typedef enum L4Level
{
	L4_LEVEL_NONE = 0,
	L4_LEVEL_TRACE,
	L4_LEVEL_DEBUG,
	L4_LEVEL_INFO,
	L4_LEVEL_WARNING,
	L4_LEVEL_ERROR,
	L4_LEVEL_FATAL
} L4Level;

/* The mark of a variable part in the text of a shape and in templates. */
#define L4_PLACEHOLDER "<*>"
#define L4_PLACEHOLDER_SIZE 3

/* Drain's defaults (He et al., ICWS 2017), adjustable per call. */
#define L4_DRAIN_DEPTH 4
#define L4_DRAIN_SIMILARITY 0.5

#endif							/* L4_H */
