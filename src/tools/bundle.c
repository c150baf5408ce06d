/*
 * bundle.c: what several small things amount to, as one blob.
 */
#include "tools/bundle.h"

#include "lib/stringinfo.h"
#include "utils/memutils.h"

#include "tools/codec.h"

struct L4BundleWriter
{
	int			count;
	int			section_count;
	StringInfoData directory;
	StringInfoData sections[L4_BUNDLE_SECTIONS];
};

L4BundleWriter *
bundle_create(int section_count)
{
	L4BundleWriter *writer = palloc0(sizeof(L4BundleWriter));
	int			i;

	Assert(section_count <= L4_BUNDLE_SECTIONS);
	writer->section_count = section_count;
	initStringInfo(&writer->directory);
	for (i = 0; i < section_count; i++)
		initStringInfo(&writer->sections[i]);
	return writer;
}

void
bundle_add(L4BundleWriter *writer, int stream_count, const L4Bytes *sections)
{
	int			i;

	column_put_unsigned(&writer->directory, stream_count);
	for (i = 0; i < writer->section_count; i++)
	{
		column_put_unsigned(&writer->directory, sections[i].size);
		if (sections[i].size > 0)
			appendBinaryStringInfo(&writer->sections[i], sections[i].data, (int) sections[i].size);
	}
	writer->count++;
}

int
bundle_writer_count(const L4BundleWriter *writer)
{
	return writer->count;
}

bytea *
bundle_pack(const L4BundleWriter *writer, const bytea *other)
{
	L4Bytes		parts[L4_BUNDLE_SECTIONS + 1];
	StringInfoData head;
	int			i;

	initStringInfo(&head);
	column_put_unsigned(&head, writer->count);
	column_put_unsigned(&head, writer->section_count);
	appendBinaryStringInfo(&head, writer->directory.data, writer->directory.len);
	parts[0] = (L4Bytes) {head.data, head.len};
	for (i = 0; i < writer->section_count; i++)
		parts[i + 1] = (L4Bytes) {writer->sections[i].data, writer->sections[i].len};
	return blob_pack_bundle(parts, writer->section_count + 1, other);
}

/* ---- reading ---- */

/*
 * Bundles read last, unpacked. A query that reads one member by member unpacks it once; a segment has three blobs, and two may
 * be under way. Larger ones than any import makes are refused.
 */
#define REMEMBERED 6
#define PLAIN_LIMIT ((size_t) 64 * 1024 * 1024)

typedef struct Remembered
{
	MemoryContext context;		/* NULL: free */
	bytea	   *blob;
	L4Bundle	bundle;
} Remembered;

static Remembered remembered[REMEMBERED];
static int	next_remembered;

static void
forget_one(Remembered *slot)
{
	MemoryContext context = slot->context;

	slot->context = NULL;
	if (context != NULL)
		MemoryContextDelete(context);
}

void
bundle_forget(void)
{
	int			i;

	for (i = 0; i < REMEMBERED; i++)
		forget_one(&remembered[i]);
}

/* Reads how many streams each member has, and how long its sections are. */
static void
read_directory(L4Bundle *bundle, L4ColumnReader *in)
{
	int			i;
	int			j;

	for (i = 0; i < bundle->count; i++)
	{
		bundle->stream_counts[i] = column_get_number_to(in, PG_INT16_MAX, "a bundle has too many streams");
		for (j = 0; j < bundle->section_count; j++)
			bundle->sections[i * bundle->section_count + j].size = column_get_unsigned(in);
	}
}

/* The sections, one of all members after the other. */
static void
place_sections(L4Bundle *bundle, L4ColumnReader *in)
{
	int			i;
	int			j;

	for (j = 0; j < bundle->section_count; j++)
		for (i = 0; i < bundle->count; i++)
		{
			L4Bytes    *section = &bundle->sections[i * bundle->section_count + j];

			if (section->size > (size_t) (in->end - in->at))
				column_corrupted("a bundle is cut short");
			section->data = in->at;
			in->at += section->size;
		}
	if (in->at != in->end)
		column_corrupted("a bundle has more bytes than it says");
}

static void
unpack(L4Bundle *bundle, const bytea *blob)
{
	L4Bytes		plain = blob_unpack_bundle(blob);
	L4ColumnReader in = {plain.data, plain.data + plain.size};

	if (plain.size > PLAIN_LIMIT)
		column_corrupted("a bundle is too large");
	bundle->count = column_get_count(&in, PG_INT16_MAX);
	bundle->section_count = column_get_number_to(&in, L4_BUNDLE_SECTIONS, "a bundle has too many sections");
	bundle->stream_counts = palloc(mul_size(Max(bundle->count, 1), sizeof(int)));
	bundle->sections = palloc(mul_size(Max(bundle->count * bundle->section_count, 1), sizeof(L4Bytes)));
	read_directory(bundle, &in);
	place_sections(bundle, &in);
}

const L4Bundle *
bundle_open(const bytea *blob)
{
	size_t		size = VARSIZE_ANY_EXHDR(blob);
	MemoryContext context;
	MemoryContext caller;
	Remembered *slot;
	int			i;

	for (i = 0; i < REMEMBERED; i++)
	{
		slot = &remembered[i];
		if (slot->context != NULL && VARSIZE(slot->blob) - VARHDRSZ == size &&
			memcmp(VARDATA(slot->blob), VARDATA_ANY(blob), size) == 0)
			return &slot->bundle;
	}
	/* goes with its caller should the bytes be damaged */
	context = AllocSetContextCreate(CurrentMemoryContext, "l4 bundle", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(context);
	slot = &remembered[next_remembered];
	next_remembered = (next_remembered + 1) % REMEMBERED;
	forget_one(slot);
	unpack(&slot->bundle, blob);
	slot->blob = palloc(VARHDRSZ + size);
	SET_VARSIZE(slot->blob, VARHDRSZ + size);
	memcpy(VARDATA(slot->blob), VARDATA_ANY(blob), size);
	MemoryContextSwitchTo(caller);
	MemoryContextSetParent(context, TopMemoryContext);
	slot->context = context;
	return &slot->bundle;
}

const L4Bytes *
bundle_sections(const L4Bundle *bundle, int member)
{
	return &bundle->sections[member * bundle->section_count];
}

bytea *
bundle_member(const L4Bundle *bundle, int member)
{
	return blob_store(bundle_sections(bundle, member), bundle->section_count);
}
