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

/* Fills the new file and gives it its name. -1 with errno. */
static int finish(int fd, const char *temporary, const char *path, struct pu_span bytes,
                  mode_t mode, bool overwrite)
{
    if (write_all(fd, bytes) < 0 || fchmod(fd, mode) < 0 || fsync(fd) < 0)
        return -1;
    return give_name(temporary, path, overwrite);
}

/* A device or a pipe would be lost, and whoever has it open would not see what is written. */
static bool is_special(const char *path)
{
    struct stat file;

    return stat(path, &file) == 0 && !S_ISREG(file.st_mode);
}

int pu_replace(const char *path, struct pu_span bytes, mode_t mode, bool overwrite,
               struct pu_err *err)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
    char *temporary = NULL;

    if (overwrite && is_special(path)) {
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
        if (finish(fd, temporary, path, bytes, mode, overwrite) < 0) {
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

/* Does one of the maps belong to the file? Lines are "ADDRESS MODE OFFSET MAJOR:MINOR INODE PATH".
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
        found = sscanf(line, "%*s %*s %*s %x:%x %llu", &major_number, &minor_number, &inode) == 3 &&
                inode == file->st_ino && major_number == major(file->st_dev) &&
                minor_number == minor(file->st_dev);
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
