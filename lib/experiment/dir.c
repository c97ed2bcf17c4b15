/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/time.h"

struct role_name {
    const char *name;
    enum pu_exp_role role;
};

static const struct role_name role_names[] = {
    {"archive.log", PU_EXP_ARCHIVE_LOG},
    {"archives", PU_EXP_ARCHIVES},
    {"data.frameinfo", PU_EXP_FRAMES},
    {"dataraces", PU_EXP_DATA},
    {"deadlocks", PU_EXP_DATA},
    {"dyntext", PU_EXP_DYNTEXT},
    {"er_archive.log", PU_EXP_ARCHIVE_LOG},
    {"heaptrace", PU_EXP_DATA},
    {"hwcounters", PU_EXP_DATA},
    {"ifreq", PU_EXP_COUNTS},
    {"iotrace", PU_EXP_DATA},
    {"jclasses", PU_EXP_CLASSES},
    {"JAVA_CLASSES", PU_EXP_CLASSES},
    {"labels.xml", PU_EXP_LABELS},
    {"log.xml", PU_EXP_LOG},
    {"map.xml", PU_EXP_MAP},
    {"mpview.dat3", PU_EXP_MPI},
    {"notes", PU_EXP_NOTES},
    {"omptrace", PU_EXP_DATA},
    {"overview", PU_EXP_OVERVIEW},
    {"profile", PU_EXP_DATA},
    {"synctrace", PU_EXP_DATA},
    {"warnings.xml", PU_EXP_WARNINGS},
};

const char *pu_exp_role_word(enum pu_exp_role role)
{
    static const char *const words[] = {
        "other",    "log",          "map",     "overview", "stacks",
        "packets",  "dynamic-code", "classes", "notes",    "labels",
        "warnings", "archive-log",  "mpi",     "counts",   "archives",
    };

    return words[role];
}

/* OTF files of MPI tracing: a.otf, a.0.def.z and the like. */
static bool is_otf(const char *name)
{
    size_t size = strlen(name);

    return strcmp(name, "a.otf") == 0 ||
           (size > 4 && strncmp(name, "a.", 2) == 0 && strcmp(name + size - 2, ".z") == 0);
}

static enum pu_exp_role role_of(const char *name)
{
    for (size_t i = 0; i < sizeof(role_names) / sizeof(role_names[0]); i++) {
        if (strcmp(role_names[i].name, name) == 0)
            return role_names[i].role;
    }
    return is_otf(name) ? PU_EXP_MPI : PU_EXP_OTHER;
}

static enum pu_exp_type type_of(mode_t mode)
{
    if (S_ISREG(mode))
        return PU_EXP_FILE;
    if (S_ISDIR(mode))
        return PU_EXP_DIRECTORY;
    return S_ISLNK(mode) ? PU_EXP_LINK : PU_EXP_SPECIAL;
}

static void look_at(const struct pu_exp_dir *dir, struct pu_exp_entry *entry)
{
    struct stat status;

    if (fstatat(dir->fd, entry->name, &status, AT_SYMLINK_NOFOLLOW) < 0) {
        entry->unreadable = errno;
        entry->type = PU_EXP_SPECIAL;
        return;
    }
    entry->type = type_of(status.st_mode);
    entry->mtime = status.st_mtim.tv_sec * PU_NANOSECONDS + status.st_mtim.tv_nsec;
    entry->disk = (uint64_t)status.st_blocks * 512;
    entry->size = entry->type == PU_EXP_FILE ? (uint64_t)status.st_size : 0;
}

static int add(struct pu_exp_dir *dir, const char *name, size_t *room, struct pu_err *err)
{
    if (dir->count == *room) {
        *room = *room ? *room * 2 : 32;
        struct pu_exp_entry *entries = reallocarray(dir->entries, *room, sizeof(*entries));
        if (!entries)
            return pu_err_system(err, ENOMEM, "cannot list files");
        dir->entries = entries;
    }
    struct pu_exp_entry *entry = &dir->entries[dir->count];
    *entry = (struct pu_exp_entry){.name = strdup(name), .role = role_of(name)};
    if (!entry->name)
        return pu_err_system(err, ENOMEM, "cannot list files");
    dir->count++;
    look_at(dir, entry);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const struct pu_exp_entry *one = a;
    const struct pu_exp_entry *other = b;

    return pu_exp_name_compare(one->name, other->name);
}

static void close_directory(DIR **directory)
{
    if (*directory)
        closedir(*directory);
}

static int list(struct pu_exp_dir *dir, struct pu_err *err)
{
    int copy = fcntl(dir->fd, F_DUPFD_CLOEXEC, 3);
    PU_CLEANUP(close_directory) DIR *directory = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *entry;
    size_t room = 0;

    if (!directory) {
        int errnum = errno;
        pu_io_close(&copy);
        return pu_err_system(err, errnum, "cannot open");
    }
    while (errno = 0, (entry = readdir(directory))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (add(dir, entry->d_name, &room, err) < 0)
            return -1;
    }
    if (errno != 0)
        return pu_err_system(err, errno, "cannot read");
    if (dir->count > 0)
        qsort(dir->entries, dir->count, sizeof(*dir->entries), by_name);
    return 0;
}

/* The path without slashes at its end; "/" stays. */
static void trim(char *path)
{
    size_t size = strlen(path);

    while (size > 1 && path[size - 1] == '/')
        path[--size] = '\0';
}

static void take_name(struct pu_exp_dir *dir)
{
    char *slash;

    trim(dir->path);
    slash = strrchr(dir->path, '/');
    dir->name = slash && slash[1] ? slash + 1 : dir->path;
    dir->kind = pu_exp_name_kind(dir->name);
}

/* Only what lies in an experiment is a sub-experiment; anywhere else it is one of its own. */
static void see_founder(struct pu_exp_dir *dir)
{
    size_t size = (size_t)(dir->name - dir->path);

    if (pu_exp_kind_is_sub(dir->kind) && !(size > 4 && memcmp(dir->name - 4, ".er/", 4) == 0))
        dir->kind = PU_EXP_FOUNDER;
}

static int open_at(int at, const char *name, int flags, struct pu_exp_dir *dir, struct pu_err *err)
{
    dir->fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | flags);
    if (dir->fd < 0)
        return pu_err_system(err, errno, "cannot open");
    return list(dir, err);
}

int pu_exp_dir_open(const char *path, struct pu_exp_dir *dir, struct pu_err *err)
{
    dir->path = strdup(path);
    if (!dir->path)
        return pu_err_system(err, ENOMEM, "cannot open");
    take_name(dir);
    see_founder(dir);
    return open_at(AT_FDCWD, path, 0, dir, err);
}

int pu_exp_dir_open_member(const struct pu_exp_dir *founder, const char *name,
                           struct pu_exp_dir *dir, struct pu_err *err)
{
    if (asprintf(&dir->path, "%s/%s", founder->path, name) < 0) {
        dir->path = NULL;
        return pu_err_system(err, ENOMEM, "cannot open");
    }
    take_name(dir);
    if (dir->kind == PU_EXP_FOUNDER)
        dir->kind = PU_EXP_ODD;
    return open_at(founder->fd, name, O_NOFOLLOW, dir, err);
}

void pu_exp_dir_free(struct pu_exp_dir *dir)
{
    for (size_t i = 0; i < dir->count; i++)
        free(dir->entries[i].name);
    free(dir->entries);
    free(dir->path);
    pu_io_close(&dir->fd);
    *dir = (struct pu_exp_dir){.fd = -1};
}

static int by_given_name(const void *key, const void *element)
{
    const struct pu_exp_entry *entry = element;

    return pu_exp_name_compare(key, entry->name);
}

const struct pu_exp_entry *pu_exp_dir_find(const struct pu_exp_dir *dir, const char *name)
{
    if (dir->count == 0)
        return NULL;
    return bsearch(name, dir->entries, dir->count, sizeof(*dir->entries), by_given_name);
}

bool pu_exp_entry_is_member(const struct pu_exp_entry *entry)
{
    return (entry->type == PU_EXP_DIRECTORY || entry->type == PU_EXP_LINK) &&
           pu_exp_name_kind(entry->name) != PU_EXP_NONE;
}

int pu_exp_dir_open_file(const struct pu_exp_dir *dir, const char *name, struct pu_err *err)
{
    struct stat status;
    /* Names come from log.xml too, and may try to lead out of the directory. */
    if (!*name || strchr(name, '/') || strcmp(name, "..") == 0 || strcmp(name, ".") == 0)
        return pu_err_set(err, PU_E_DAMAGED, "not the name of a file in the experiment");
    int fd = openat(dir->fd, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);

    if (fd < 0 && errno == ELOOP)
        return pu_err_system(err, ELOOP, "a link, which is not followed");
    if (fd < 0)
        return pu_err_system(err, errno, "cannot open");
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        return fd;
    close(fd);
    return pu_err_set(err, PU_E_SYSTEM, "not a regular file");
}

int pu_exp_dir_read(const struct pu_exp_dir *dir, const char *name, uint64_t max,
                    struct pu_blob *blob, struct pu_err *err)
{
    PU_CLEANUP(pu_io_close) int fd = pu_exp_dir_open_file(dir, name, err);

    if (fd < 0)
        return -1;
    return pu_io_read_fd(fd, (struct pu_span){NULL, 0}, max, blob, err);
}
