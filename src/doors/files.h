/*
 * files.h: the one door to the server's file system: who may read, which files a path holds, and their bytes, plain,
 * compressed or out of an archive. The walk is in files.c, the reader in files_read.c and files_archive.c.
 */
#ifndef L4_FILES_H
#define L4_FILES_H

#include "ground/l4.h"
#include "nodes/pg_list.h"

/*
 * One file on disk under the imported path. The source is valid text of the database: a byte of the name that is not is written
 * \xNN (capital digits), and so is a backslash that stands before an x, so that different names stay different.
 */
typedef struct L4File
{
	char	   *path;			/* absolute path on the server, bytes as they are: may be invalid as text */
	char	   *source;			/* relative to the imported folder, '/' between parts; the base name where the path is a file */
	bool		is_root;		/* the imported path itself */
	int64		size;			/* bytes on disk; 0 where error is set and the file could not be looked at */
	TimestampTz modified_at;	/* 0 likewise */
	char	   *error;			/* why it cannot be read (permission, dangling link, ...), or NULL */
} L4File;

/* Errors (42501) unless the caller is a member of pg_read_server_files (or a superuser). */
extern void files_check_privilege(void);

/*
 * All files below path (or path itself), sorted by source in byte order; what cannot be read, folders among it, with its error.
 * Errors where path does not exist, is relative, is neither file nor folder, or is a folder that cannot be listed or holds
 * no file.
 */
extern List *files_list(const char *path);

typedef struct L4FileReader L4FileReader;

/*
 * Opens a file, always with a reader for result. Then files_next_member steps through what is in it: one member with the file's
 * own source for a plain or merely compressed file, every regular file of an archive (source: the member's path below the
 * archive's own source, or the member's path alone where the archive is the imported path itself; ".." is escaped as bytes of
 * names are, paths over 4 kB are shortened), decompressed where it is compressed, and what a tar archive holds behind a damaged
 * header, as a member that says so in its end.
 * files_read fills a buffer with decompressed bytes and returns how many; 0 at the end of the member.
 *
 * Failures (permission, truncated or corrupt data) never raise: the functions return false / -1 and files_error says why.
 * files_read -1: the member ends here, what was read before stays; go on with files_next_member.
 * files_remark, after files_read gave 0: what is odd about a member of which every byte was handed out, or NULL.
 * files_next_member false: with files_error NULL the file is at its end, else its rest (or all of it) cannot be read.
 *
 * Strings and the reader come from the current memory context. Open, read and close in the same transaction: the server closes
 * the descriptor at its end, reads then fail (they do not raise) and files_close frees the rest. An error or a cancel in
 * between leaks neither descriptors nor memory.
 */
extern L4FileReader *files_open(const L4File *file);
extern bool files_next_member(L4FileReader *reader, char **source, int64 *size, TimestampTz *modified_at);
extern ssize_t files_read(L4FileReader *reader, char *buffer, size_t room);
/* Is the file neither compressed nor an archive, so that its bytes can be read where they stand? */
extern bool files_is_plain(const L4FileReader *reader);
/*
 * Can its bytes be read by their places, as those of a plain file, or of a compressed one that is unpacked in less time than
 * its lines take (all but bzip2)? Of that files_read_at and files_seek cost what it takes to come there from the beginning,
 * or from where one of two readings is or was shortly before: a way back of up to a megabyte is short.
 */
extern bool files_has_places(const L4FileReader *reader);
/* Is it an archive, compressed or not? */
extern bool files_is_archive(const L4FileReader *reader);
/*
 * Bytes from an offset on, of a file with places, as many as there are up to size; the place of files_read stays. Fewer where
 * they cannot be read.
 */
extern size_t files_read_at(L4FileReader *reader, char *buffer, size_t size, int64 offset);
/* Sets where files_read goes on in a file with places; false where that cannot be. */
extern bool files_seek(L4FileReader *reader, int64 offset);
/* How many lines end before an offset of a compressed file with places. Cost: as files_seek. */
extern int64 files_lines_before(L4FileReader *reader, int64 offset);
extern const char *files_error(L4FileReader *reader);
extern const char *files_remark(L4FileReader *reader);
extern void files_close(L4FileReader *reader);

#endif							/* L4_FILES_H */
