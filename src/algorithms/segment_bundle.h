/*
 * segment_bundle.h: the segments of several small files as one: three blobs, each a bundle of those of the segments (bundle.h).
 * The streams of a bundle are those of its segments, one segment after the other.
 */
#ifndef L4_SEGMENT_BUNDLE_H
#define L4_SEGMENT_BUNDLE_H

#include "ground/l4.h"
#include "algorithms/segment.h"

typedef struct L4SegmentBundle L4SegmentBundle;

/* All memory of a bundle being made lies in the current memory context; drop that to free it. */
extern L4SegmentBundle *segment_bundle_create(void);
/* Adds a segment with so many streams; its bytes are copied. */
extern void segment_bundle_add(L4SegmentBundle *bundle, int stream_count, const L4SegmentImage *image);
/* The blobs of all segments added, palloc'd. */
extern void segment_bundle_finish(const L4SegmentBundle *bundle, L4SegmentBlobs *blobs);

/*
 * How many streams the segment of that number, from 0, has; -1 where there is none: behind the last one, and of blobs that are
 * no bundle. Errors: XX001 for damaged bytes, and blobs that do not belong together.
 */
extern int	segment_bundle_streams(const L4SegmentBlobs *blobs, int member);
/* The blobs of that segment, palloc'd. Errors: XX001. */
extern void segment_bundle_member(const L4SegmentBlobs *blobs, int member, L4SegmentBlobs *member_blobs);
/*
 * A bundle without the segments that have one of these streams (gone: ascending); streams: those of the bundle, of which
 * *count and the ids of those that stay are set. Returns false where none stays. Errors: XX001.
 */
extern bool segment_bundle_without(L4SegmentBlobs *blobs, int64 *streams, int *count, const int64 *gone, int gone_count);

#endif							/* L4_SEGMENT_BUNDLE_H */
