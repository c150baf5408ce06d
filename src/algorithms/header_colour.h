/*
 * header_colour.h: the header of a line that begins with a colour.
 */
#ifndef L4_HEADER_COLOUR_H
#define L4_HEADER_COLOUR_H

#include "ground/l4.h"
#include "algorithms/header.h"
#include "lib/stringinfo.h"

/* Colours are looked for in so many first bytes of a line. */
#define L4_COLOURED_BYTES 1024

/* A line without its colours, and where in the line each of its first bytes stands, and the one behind them. */
typedef struct L4Colours
{
	StringInfoData plain;
	int			count;
	uint16		places[L4_COLOURED_BYTES + 1];
} L4Colours;

extern bool header_is_coloured(L4Bytes line);
/* The line without colours, valid until the next one is asked for. colours: its plain is initialised. Cost: a copy. */
extern L4Bytes header_without_colours(L4Colours *colours, L4Bytes line);
/*
 * Makes the header of the line without colours that of the line: what is said of its sizes and spans. False where it goes
 * further than colours are looked for.
 */
extern bool header_place_in_colours(const L4Colours *colours, L4Bytes line, L4Header *header);

#endif							/* L4_HEADER_COLOUR_H */
