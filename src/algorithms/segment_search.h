/*
 * segment_search.h: a pattern searched in stored segments, of which most are told apart without expanding one record.
 */
#ifndef L4_SEGMENT_SEARCH_H
#define L4_SEGMENT_SEARCH_H

#include "ground/l4.h"
#include "algorithms/segment.h"

typedef struct L4SegmentSearch L4SegmentSearch;

/* A search for a pcre2 pattern, owned by the current memory context. Errors: 2201B for a bad pattern. */
extern L4SegmentSearch *segment_search_create(L4Bytes pattern);

/* Where in one segment matches may be; lives in the memory context that was current. */
typedef struct L4SegmentHope L4SegmentHope;

/* What the segment's texts alone say. */
extern L4SegmentHope *segment_search_texts(const L4SegmentSearch *search, const bytea *texts);
/* Is a match certain to be in texts, so that the parameters need no look before the segment is read? */
extern bool segment_search_found(const L4SegmentHope *hope);
/* May the parameters hold a match, as far as is known of their bytes? False is certain. */
extern bool segment_search_masks(const L4SegmentSearch *search, const L4SegmentHope *hope);
/* The same, as far as the statistics of their source tells of the segment's one stream. */
extern bool segment_search_statistics(const L4SegmentSearch *search, const L4SegmentHope *hope, const bytea *stats,
								  int64 stream_id);
/* The same from the parameters themselves. */
extern bool segment_search_parameters(const L4SegmentSearch *search, const L4SegmentHope *hope, const bytea *parameters);
/* Looks into the parameters of each frame and shape of an opened segment. */
extern void segment_search_columns(const L4SegmentSearch *search, L4SegmentHope *hope, const L4SegmentReader *reader);
/* May the record last read match, and does it (raw: its bytes)? Errors: 54000 where the pattern takes too many steps. */
extern bool segment_search_hopeful(const L4SegmentHope *hope, const L4SegmentReader *reader);
extern bool segment_search_match(const L4SegmentSearch *search, L4Bytes raw);

#endif							/* L4_SEGMENT_SEARCH_H */
