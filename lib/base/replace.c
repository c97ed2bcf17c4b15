/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/replace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int write_all(int fd, struct pu_span bytes)
{
    while (bytes.size > 0) {
        ssize_t done = write(fd, bytes.data, bytes.size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        bytes.data += done;
        bytes.size -= (size_t)done;
    }
    return 0;
}

/* The name of the file is not on disk before its directory is. Best effort: it is there by then. */
static void sync_directory(const char *directory)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

static int give_name(const char *temporary, const char *path, bool overwrite)
{
    if (overwrite)
        return rename(temporary, path);
    if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE) == 0 || errno == EEXIST)
        return errno == EEXIST ? -1 : 0;
    /* Not every file system can do that; a link does not replace anything either. */
    if (link(temporary, path) < 0)
        return -1;
    (void)unlink(temporary);
    return 0;
}

/* What the new file is to be like. */
struct likeness {
    mode_t mode;
    const struct stat *owner; /* NULL: whoever runs this */
    bool overwrite;
};

/* Only where it is another one: not everybody may do that. It may take bits from the mode. */
static int give_owner(int fd, const struct stat *owner)
{
    struct stat own;

    if (!owner)
        return 0;
    if (fstat(fd, &own) < 0)
        return -1;
    if (own.st_uid == owner->st_uid && own.st_gid == owner->st_gid)
        return 0;
    return fchown(fd, owner->st_uid, owner->st_gid);
}

/* Fills the new file and gives it its name. -1 with errno. */
static int finish(int fd, const char *temporary, const char *path, struct pu_span bytes,
                  const struct likeness *like)
{
    if (write_all(fd, bytes) < 0 || give_owner(fd, like->owner) < 0 || fchmod(fd, like->mode) < 0 ||
        fsync(fd) < 0)
        return -1;
    return give_name(temporary, path, like->overwrite);
}

/* A device or a pipe would be lost, and whoever has it open would not see what is written. */
static bool is_special(const char *path)
{
    struct stat file;

    return stat(path, &file) == 0 && !S_ISREG(file.st_mode);
}

static int replace(const char *path, struct pu_span bytes, const struct likeness *like,
                   struct pu_err *err)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
    char *temporary = NULL;

    if (like->overwrite && is_special(path)) {
        free(directory);
        return pu_err_set(err, PU_E_SYSTEM, "it is not a regular file");
    }
    if (!directory || asprintf(&temporary, "%s.%s.XXXXXX", directory, name) < 0) {
        free(directory);
        return pu_err_system(err, ENOMEM, "cannot write");
    }
    int result = 0;
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        result = pu_err_system(err, errno, "cannot write beside it");
    } else {
        if (finish(fd, temporary, path, bytes, like) < 0) {
            result = pu_err_system(err, errno, "cannot write");
            (void)unlink(temporary);
        } else {
            sync_directory(directory);
        }
        close(fd);
    }
    free(temporary);
    free(directory);
    return result;
}

int pu_replace(const char *path, struct pu_span bytes, mode_t mode, bool overwrite,
               struct pu_err *err)
{
    struct likeness like = {.mode = mode, .overwrite = overwrite};

    return replace(path, bytes, &like, err);
}

int pu_replace_like(const char *path, struct pu_span bytes, const struct stat *old,
                    struct pu_err *err)
{
    struct likeness like = {.mode = old->st_mode & 07777, .owner = old, .overwrite = true};

    return replace(path, bytes, &like, err);
}

/*
 * Is one of the maps of the file, and for writing to it? Lines are
 * "ADDRESS MODE OFFSET MAJOR:MINOR INODE PATH", and such a MODE is "rw-s".
 */
static bool maps_file(const char *maps, const struct stat *file)
{
    FILE *stream = fopen(maps, "re");
    char *line = NULL;
    size_t size = 0;
    bool found = false;

    while (stream && !found && getline(&line, &size, stream) > 0) {
        unsigned int major_number, minor_number;
        unsigned long long inode;
        char mode[5];
        found = sscanf(line, "%*s %4s %*s %x:%x %llu", mode, &major_number, &minor_number,
                       &inode) == 4 &&
                mode[1] == 'w' && mode[3] == 's' && inode == file->st_ino &&
                major_number == major(file->st_dev) && minor_number == minor(file->st_dev);
    }
    free(line);
    if (stream)
        fclose(stream);
    return found;
}

pid_t pu_mapped_by(const char *path)
{
    DIR *directory = opendir("/proc");
    struct stat file;
    struct dirent *entry;
    pid_t user = 0;

    if (directory && stat(path, &file) == 0) {
        while (user == 0 && (entry = readdir(directory))) {
            char maps[280];
            long pid = strtol(entry->d_name, NULL, 10);
            if (pid <= 0)
                continue;
            snprintf(maps, sizeof(maps), "/proc/%ld/maps", pid);
            if (maps_file(maps, &file))
                user = (pid_t)pid;
        }
    }
    if (directory)
        closedir(directory);
    return user;
}
