/*
 * files.c: who may read files of the server, and which files a path holds.
 *
 * Names become source texts of the database here, in one way for files on disk and members of archives.
 */
#include "doors/files_private.h"

#include <sys/stat.h>
#include <unistd.h>

#include "catalog/pg_authid.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/acl.h"

/* Folders below the imported one; deeper ones are reported, not walked. */
#define DEPTH_LIMIT 64

/* A folder on the way from the root of the file system to where the walk is. */
typedef struct Folder
{
	const struct Folder *above;
	dev_t		device;
	ino_t		inode;
	int			depth;			/* below the imported folder */
} Folder;

/* ---------- privilege ---------- */

/*
 * Lets pass who may read files of the server: superusers and members of pg_read_server_files, as for COPY FROM.
 * Errors: 42501 for everybody else.
 */
void
files_check_privilege(void)
{
	if (has_privs_of_role(GetUserId(), ROLE_PG_READ_SERVER_FILES))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("permission denied to read files of the server"),
			 errdetail("Only superusers and roles with privileges of the \"%s\" role may read files of the server.",
					   "pg_read_server_files"),
			 errhint("Ask for membership of that role, or send the lines from the client.")));
}

/* ---------- names ---------- */

/*
 * Appends a name as valid text of the database: a byte that is not is written \xNN, and so is a backslash before an x, so
 * that no two names become the same text.
 */
void
files_append_name(StringInfo text, const char *name, size_t size)
{
	int			encoding = GetDatabaseEncoding();

	while (size > 0)
	{
		int			width = pg_encoding_verifymbchar(encoding, name, (int) Min(size, 16));
		bool		escape = width <= 0 || (*name == '\\' && size > 1 && name[1] == 'x');

		if (escape)
		{
			appendStringInfo(text, "\\x%02X", (unsigned char) *name);
			width = 1;
		}
		else
			appendBinaryStringInfo(text, name, width);
		name += width;
		size -= width;
	}
}

/* The name as valid text, in the current memory context. */
char *
files_name_text(const char *name)
{
	StringInfoData text;

	initStringInfo(&text);
	files_append_name(&text, name, strlen(name));
	return text.data;
}

/* Seconds (and nanoseconds) since 1970 as a timestamp; otherwise where PostgreSQL has no such time. */
TimestampTz
files_timestamp(int64 seconds, long nanoseconds, TimestampTz otherwise)
{
	TimestampTz result;

	if (seconds < -INT64CONST(200000000000) || seconds > INT64CONST(9000000000000))
		return otherwise;
	result = time_t_to_timestamptz((pg_time_t) seconds) + nanoseconds / 1000;
	return IS_VALID_TIMESTAMP(result) ? result : otherwise;
}

/* ---------- the walk ---------- */

/* A file of the list; status may be NULL and error too. */
static L4File *
make_file(const char *path, const char *source, const struct stat *status, const char *error)
{
	L4File	   *file = palloc0(sizeof(L4File));

	file->path = pstrdup(path);
	file->source = files_name_text(source);
	file->error = error ? pstrdup(error) : NULL;
	if (status)
	{
		file->size = status->st_size;
		file->modified_at = files_timestamp(status->st_mtime, status->st_mtim.tv_nsec, 0);
	}
	return file;
}

/* A file that exists: why it cannot be read, or NULL. */
static const char *
reason_unreadable(const char *path, const struct stat *status)
{
	if (!S_ISREG(status->st_mode))
		return "not a regular file";
	if (access(path, R_OK) != 0)
		return psprintf("could not open file: %s", strerror(errno));
	return NULL;
}

/* A file that stat() refused with errno: the entry that says why. */
static L4File *
make_missing_file(const char *path, const char *source)
{
	int			reason = errno;
	struct stat status;
	bool		found = lstat(path, &status) == 0;
	const char *error = psprintf("could not stat file: %s", strerror(reason));

	if (found && S_ISLNK(status.st_mode))
		error = reason == ENOENT ? "symbolic link to a file that does not exist" :
			psprintf("could not follow symbolic link: %s", strerror(reason));
	return make_file(path, source, found ? &status : NULL, error);
}

/* Whether the folder is one of those that lead to it. */
static bool
leads_back(const Folder *way, const struct stat *status)
{
	for (; way != NULL; way = way->above)
		if (way->device == status->st_dev && way->inode == status->st_ino)
			return true;
	return false;
}

/* The names in a folder, read at once so that no descriptor stays open below; on failure *error says why. */
static List *
folder_names(const char *path, const char **error)
{
	List	   *names = NIL;
	DIR		   *folder = AllocateDir(path);
	struct dirent *entry;

	*error = NULL;
	if (folder == NULL)
	{
		*error = psprintf("could not open folder: %s", strerror(errno));
		return NIL;
	}
	while ((entry = ReadDirExtended(folder, path, LOG)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			names = lappend(names, pstrdup(entry->d_name));
	}
	if (errno != 0)
		*error = psprintf("could not read folder: %s", strerror(errno));
	FreeDir(folder);
	return names;
}

static List *list_folder(List *files, const char *path, const char *source, const Folder *here);

/* Adds what one name of a folder stands for: a file, all files of a folder, or why it is neither. */
static List *
list_entry(List *files, const char *path, const char *source, const Folder *above)
{
	struct stat status;
	Folder		here;

	CHECK_FOR_INTERRUPTS();
	if (stat(path, &status) != 0)
		return lappend(files, make_missing_file(path, source));
	if (!S_ISDIR(status.st_mode))
		return lappend(files, make_file(path, source, &status, reason_unreadable(path, &status)));
	if (leads_back(above, &status))
		return files;
	here.above = above;
	here.device = status.st_dev;
	here.inode = status.st_ino;
	here.depth = above->depth + 1;
	if (here.depth > DEPTH_LIMIT)
		return lappend(files, make_file(path, source, &status,
										psprintf("more than %d folders deep", DEPTH_LIMIT)));
	return list_folder(files, path, source, &here);
}

/* Adds all files below a folder; source is "" for the imported folder itself, which must be readable. */
static List *
list_folder(List *files, const char *path, const char *source, const Folder *here)
{
	const char *error;
	List	   *names = folder_names(path, &error);
	ListCell   *cell;

	if (error != NULL && *source == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("could not list \"%s\"", path),
				 errdetail("The server reports: %s.", error)));
	if (error != NULL)
		files = lappend(files, make_file(path, source, NULL, error));
	foreach(cell, names)
	{
		const char *name = lfirst(cell);
		char	   *below = psprintf("%s/%s", strcmp(path, "/") == 0 ? "" : path, name);
		char	   *below_source = *source == '\0' ? pstrdup(name) : psprintf("%s/%s", source, name);

		files = list_entry(files, below, below_source, here);
		pfree(below);
		pfree(below_source);
	}
	list_free_deep(names);
	return files;
}

/*
 * The way from the root of the file system to the imported folder, that folder last: a link that leads to any of them
 * leads back. Folders that cannot be looked at are left out.
 */
static Folder *
way_to(const char *path)
{
	char	   *prefix = pstrdup(path);
	Folder	   *way = NULL;
	size_t		size = strlen(path);

	for (size_t end = 1; end <= size; end++)
	{
		struct stat status;
		Folder	   *folder;

		if (end > 1 && end < size && path[end] != '/')
			continue;
		prefix[end] = '\0';
		if (stat(prefix, &status) == 0)
		{
			folder = palloc0(sizeof(Folder));
			folder->above = way;
			folder->device = status.st_dev;
			folder->inode = status.st_ino;
			way = folder;
		}
		prefix[end] = path[end];
	}
	return way;
}

/* Order of the list: bytes of the source, then of the path. */
static int
compare_files(const ListCell *a, const ListCell *b)
{
	const L4File *one = lfirst(a);
	const L4File *other = lfirst(b);
	int			order = strcmp(one->source, other->source);

	return order != 0 ? order : strcmp(one->path, other->path);
}

/* The path without redundant slashes and dots; errors where it is relative or empty. */
static char *
checked_path(const char *path)
{
	char	   *result = pstrdup(path);

	canonicalize_path(result);
	if (!is_absolute_path(result))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("path \"%s\" is not absolute", path),
				 errhint("Give the full path of a file or folder on the server.")));
	return result;
}

/* A folder without files is a mistake in the path, or logs that are not there yet: nobody asks for nothing. */
static void
raise_empty(const char *root)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_FILE),
			 errmsg("folder \"%s\" holds no files", root),
			 errdetail("Looked for files of any name in it and in the folders below it, hidden ones too, and through "
					   "symbolic links, down to %d levels.", DEPTH_LIMIT),
			 errhint("Is it the right folder of the machine that the database server runs on? "
					 "An archive (.tar, .tar.gz, .zip, ...) may be given itself.")));
}

/*
 * Lists what is to be imported.
 *
 * In: the absolute path of a file or folder on the server. Out: a list of L4File in the current memory context, sorted by
 * source in byte order: every file below the folder at any depth up to 64, hidden ones too, or the file itself. What cannot be
 * read is listed with the reason in error. Links to files and folders are followed; a folder that is one of those leading to it
 * is left out. Bytes of names that are not valid in the database's encoding appear in the source as \xNN. Errors: 42602 where
 * the path is not absolute, 42809 where it is neither file nor folder, that of the operating system where it is missing, 58P01
 * where the folder holds no file. Cost: one stat per file; memory: the list.
 */
List *
files_list(const char *path)
{
	char	   *root = checked_path(path);
	const char *name = last_dir_separator(root);
	struct stat status;
	List	   *files;
	L4File	   *file;
	bool		found;
	bool		loop;

	found = stat(root, &status) == 0;
	loop = !found && (errno == ELOOP || errno == ENAMETOOLONG);
	if (!found)
		ereport(ERROR,
				(loop ? errcode(ERRCODE_INVALID_NAME) : errcode_for_file_access(),
				 errmsg("could not stat file \"%s\": %m", root),
				 errhint("The path is one of the machine that the database server runs on, and the server's user must "
						 "reach it. Lines from elsewhere come in by l4_inbox or l4_ingest.")));
	if (S_ISDIR(status.st_mode))
	{
		files = list_folder(NIL, root, "", way_to(root));
		if (files == NIL)
			raise_empty(root);
		list_sort(files, compare_files);
		return files;
	}
	if (!S_ISREG(status.st_mode))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is neither a file nor a folder", root)));
	file = make_file(root, name ? name + 1 : root, &status, reason_unreadable(root, &status));
	file->is_root = true;
	return list_make1(file);
}
