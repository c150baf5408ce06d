/*
 * shared_tempfile.c: bytes that the processes of one call hand to each other by name, through the server's shared temporary
 * files.
 *
 * What a worker makes of a part of a file is megabytes: too much for a queue whose reader is busy, and of no size known in
 * advance. The server's shared temporary files hold it, as they do for its own parallel joins and sorts: in temp_tablespaces,
 * gone with the call, and after a crash.
 */
#include "doors/shared_tempfile.h"

#include <fcntl.h>

#include "storage/buffile.h"
#include "utils/memutils.h"

void
shared_tempfile_create(SharedFileSet *set, dsm_segment *segment)
{
	SharedFileSetInit(set, segment);
}

void
shared_tempfile_attach(SharedFileSet *set, dsm_segment *segment)
{
	SharedFileSetAttach(set, segment);
}

void
shared_tempfile_put(SharedFileSet *set, const char *name, L4Bytes bytes)
{
	BufFile    *file = BufFileCreateFileSet(&set->fs, name);
	int64		size = (int64) bytes.size;

	BufFileWrite(file, &size, sizeof(size));
	BufFileWrite(file, unconstify(char *, bytes.data), bytes.size);
	BufFileClose(file);
}

L4Bytes
shared_tempfile_get(SharedFileSet *set, const char *name)
{
	BufFile    *file = BufFileOpenFileSet(&set->fs, name, O_RDONLY, true);
	L4Bytes		bytes = {NULL, 0};
	int64		size;
	char	   *data;

	if (file == NULL)
		return bytes;
	if (BufFileRead(file, &size, sizeof(size)) != sizeof(size) || size < 0)
		elog(ERROR, "temporary file \"%s\" is cut short", name);
	data = MemoryContextAllocHuge(CurrentMemoryContext, Max(size, 1));
	if (BufFileRead(file, data, size) != (size_t) size)
		elog(ERROR, "temporary file \"%s\" is cut short", name);
	BufFileClose(file);
	bytes.data = data;
	bytes.size = size;
	return bytes;
}

void
shared_tempfile_delete(SharedFileSet *set, const char *name)
{
	BufFileDeleteFileSet(&set->fs, name, true);
}
