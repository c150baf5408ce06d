/*
 * files_bytes.c: the bytes of a file as they come from disk or out of an unpacker, and what is said of it where they do not.
 */
#include "doors/files_private.h"

#include <ctype.h>
#include <unistd.h>

#include "miscadmin.h"
#include "pgstat.h"
#include "utils/memutils.h"

/* Bytes asked of the file system at once. */
#define INPUT_SIZE (256 * 1024)

void
files_fail(L4FileReader *reader, bool broken, const char *format, const char *detail)
{
	MemoryContext caller = MemoryContextSwitchTo(reader->context);
	char	   *error = psprintf(format, detail);

	reader->failed = true;
	reader->broken |= broken;
	for (size_t size = strlen(error); size > 0 && isspace((unsigned char) error[size - 1]); size--)
		error[size - 1] = '\0';
	reader->error = files_name_text(error);
	pfree(error);
	MemoryContextSwitchTo(caller);
}

void
files_note(L4FileReader *reader, const char *remark)
{
	reader->remark = MemoryContextStrdup(reader->context, remark);
}

size_t
files_window_memory(void)
{
	return (size_t) maintenance_work_mem * 1024;
}

/*
 * Asked inside libarchive, where raising would jump over its frames: the read fails instead and the caller raises.
 */
bool
files_cancel_pending(void)
{
	return InterruptHoldoffCount == 0 && CritSectionCount == 0 &&
		(ProcDiePending || (QueryCancelPending && QueryCancelHoldoffCount == 0));
}

/* read() that goes on after a signal and shows as a wait. */
static ssize_t
read_descriptor(int descriptor, char *buffer, size_t room)
{
	ssize_t		size;

	pgstat_report_wait_start(WAIT_EVENT_COPY_FILE_READ);
	do
		size = read(descriptor, buffer, room);
	while (size < 0 && errno == EINTR && !files_cancel_pending());
	pgstat_report_wait_end();
	return size;
}

ssize_t
files_pull(void *argument, char *buffer, size_t room)
{
	L4FileReader *reader = argument;
	ssize_t		size = files_cancel_pending() ? -1 : read_descriptor(reader->descriptor, buffer, Min(room, INPUT_SIZE));

	if (size < 0)
		files_fail(reader, true, "could not read file: %s", strerror(errno));
	return size;
}

ssize_t
files_read_unpacker(L4FileReader *reader, L4Unpacker *unpacker, char *buffer, size_t room)
{
	ssize_t		size = unpacker_read(unpacker, buffer, room);

	if (size < 0 && unpacker_error(unpacker))
		files_fail(reader, reader->archive == NULL, "could not decompress: %s", unpacker_error(unpacker));
	if (size == 0 && unpacker_remark(unpacker))
		files_note(reader, unpacker_remark(unpacker));
	return size;
}

size_t
files_take_head(Head *head, char *buffer, size_t room)
{
	size_t		size = Min(room, head->size - head->used);

	memcpy(buffer, head->bytes + head->used, size);
	head->used += size;
	return size;
}

ssize_t
files_read_below(L4FileReader *reader, char *buffer, size_t room)
{
	size_t		size = files_take_head(&reader->below, buffer, room);

	if (size > 0)
		return size;
	return reader->unpacker ? files_read_unpacker(reader, reader->unpacker, buffer, room) : files_pull(reader, buffer, room);
}
