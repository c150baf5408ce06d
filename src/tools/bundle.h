/*
 * bundle.h: what several small things amount to, as one blob: like lies beside like, and what one says again costs next to
 * nothing.
 *
 * Each member is cut into the same number of sections. The blob has a directory (of each member how many streams it has, and
 * how long its sections are), then the first section of all members, then the second of all, and so on.
 */
#ifndef L4_BUNDLE_H
#define L4_BUNDLE_H

#include "ground/l4.h"

/* No member has more sections. */
#define L4_BUNDLE_SECTIONS 16

typedef struct L4BundleWriter L4BundleWriter;

/* All memory of a writer lies in the current memory context; drop that to free it. */
extern L4BundleWriter *bundle_create(int section_count);
/* Adds a member with so many streams; its bytes are copied. */
extern void bundle_add(L4BundleWriter *writer, int stream_count, const L4Bytes *sections);
extern int	bundle_writer_count(const L4BundleWriter *writer);
/* The blob, palloc'd; other: the blob that it is bound to (blob_check_bound), or NULL. */
extern bytea *bundle_pack(const L4BundleWriter *writer, const bytea *other);

/* A bundle as read back. */
typedef struct L4Bundle
{
	int			count;
	int			section_count;
	int		   *stream_counts;	/* of each member */
	L4Bytes    *sections;		/* of all members, one member after the other */
} L4Bundle;

/*
 * Opens a blob that blob_is_bundle. What comes back lives until another one is opened or bundle_forget is called: the bundles
 * read last are remembered, so that reading one member after the other, each by itself, costs little more than reading all at
 * once. Errors: XX001 for damaged bytes. Cost: decompression.
 */
extern const L4Bundle *bundle_open(const bytea *blob);
/* The sections of a member. */
extern const L4Bytes *bundle_sections(const L4Bundle *bundle, int member);
/* A member as a blob of its own (blob_store), palloc'd. */
extern bytea *bundle_member(const L4Bundle *bundle, int member);
/* Forgets what is remembered: at the end of a transaction. */
extern void bundle_forget(void);

#endif							/* L4_BUNDLE_H */
