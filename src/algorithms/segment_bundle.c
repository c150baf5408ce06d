/*
 * segment_bundle.c: the segments of several small files as one.
 *
 * A small file's segment is mostly what its neighbours' are too: the texts of its shapes, and tables of zstd. Each segment
 * stays whole within the bundle, so that one can be read, or taken out, without the others.
 */
#include "algorithms/segment_bundle.h"

#include "tools/bundle.h"
#include "tools/codec.h"
#include "tools/order.h"

struct L4SegmentBundle
{
	L4BundleWriter *structure;
	L4BundleWriter *texts;
	L4BundleWriter *parameters;
};

L4SegmentBundle *
segment_bundle_create(void)
{
	L4SegmentBundle *bundle = palloc(sizeof(L4SegmentBundle));

	bundle->structure = bundle_create(L4_STRUCTURE_SECTIONS);
	bundle->texts = bundle_create(L4_TEXTS_SECTIONS);
	bundle->parameters = bundle_create(L4_PARAMETER_SECTIONS);
	return bundle;
}

void
segment_bundle_add(L4SegmentBundle *bundle, int stream_count, const L4SegmentImage *image)
{
	bundle_add(bundle->structure, stream_count, image->structure);
	bundle_add(bundle->texts, stream_count, image->texts);
	bundle_add(bundle->parameters, stream_count, image->parameters);
}

void
segment_bundle_finish(const L4SegmentBundle *bundle, L4SegmentBlobs *blobs)
{
	blobs->parameters = bundle_pack(bundle->parameters, NULL);
	blobs->texts = bundle_pack(bundle->texts, blobs->parameters);
	blobs->structure = bundle_pack(bundle->structure, blobs->texts);
}

/* Opens one of the three blobs. */
static const L4Bundle *
open_one(const bytea *blob, int section_count)
{
	const L4Bundle *bundle;

	if (!blob_is_bundle(blob))
		column_corrupted("a part of a bundle is none");
	bundle = bundle_open(blob);
	if (bundle->section_count != section_count)
		column_corrupted("a bundle has another number of sections");
	return bundle;
}

/* One of the three blobs of a segment. */
static bytea *
member_of(const bytea *blob, int section_count, int member)
{
	const L4Bundle *bundle = open_one(blob, section_count);

	if (member >= bundle->count)
		column_corrupted("the parts of a bundle have different numbers of segments");
	return bundle_member(bundle, member);
}

int
segment_bundle_streams(const L4SegmentBlobs *blobs, int member)
{
	const L4Bundle *bundle;

	if (!blob_is_bundle(blobs->structure))
		return -1;
	blob_check_bound(blobs->structure, blobs->texts);
	blob_check_bound(blobs->texts, blobs->parameters);
	bundle = open_one(blobs->structure, L4_STRUCTURE_SECTIONS);
	return member < bundle->count ? bundle->stream_counts[member] : -1;
}

void
segment_bundle_member(const L4SegmentBlobs *blobs, int member, L4SegmentBlobs *member_blobs)
{
	member_blobs->structure = member_of(blobs->structure, L4_STRUCTURE_SECTIONS, member);
	member_blobs->texts = member_of(blobs->texts, L4_TEXTS_SECTIONS, member);
	member_blobs->parameters = member_of(blobs->parameters, L4_PARAMETER_SECTIONS, member);
}

/* Adds the segment of one of the blobs to a writer. */
static void
keep(L4BundleWriter *writer, const bytea *blob, int section_count, int member, int stream_count)
{
	const L4Bundle *bundle = open_one(blob, section_count);

	if (member >= bundle->count)
		column_corrupted("the parts of a bundle have different numbers of segments");
	bundle_add(writer, stream_count, bundle_sections(bundle, member));
}

/* Is one of the streams among those that are gone? */
static bool
is_gone(const int64 *streams, int count, const int64 *gone, int gone_count)
{
	int			i;

	for (i = 0; i < count; i++)
		if (int64_set_has(gone, gone_count, streams[i]))
			return true;
	return false;
}

bool
segment_bundle_without(L4SegmentBlobs *blobs, int64 *streams, int *count, const int64 *gone, int gone_count)
{
	L4SegmentBundle *left = segment_bundle_create();
	int			from = 0;
	int			kept = 0;
	int			own;
	int			member;

	for (member = 0; (own = segment_bundle_streams(blobs, member)) >= 0; member++)
	{
		if (own > *count - from)
			column_corrupted("a bundle has more streams than its row says");
		if (!is_gone(streams + from, own, gone, gone_count))
		{
			keep(left->structure, blobs->structure, L4_STRUCTURE_SECTIONS, member, own);
			keep(left->texts, blobs->texts, L4_TEXTS_SECTIONS, member, own);
			keep(left->parameters, blobs->parameters, L4_PARAMETER_SECTIONS, member, own);
			memmove(streams + kept, streams + from, own * sizeof(int64));
			kept += own;
		}
		from += own;
	}
	*count = kept;
	if (bundle_writer_count(left->structure) == 0)
		return false;
	segment_bundle_finish(left, blobs);
	return true;
}
