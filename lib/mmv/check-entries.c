/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stands in a directory beside files, and whether the agent may read what is there. */
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "mmv/check-private.h"
#include "pcp/words.h"

#define PATH_SIZE 4096

/* Who the agent runs as. Without such a user on this machine nothing can be said of its rights. */
struct reader {
    bool known;
    uid_t user;
    gid_t group;
};

static struct reader find_reader(void)
{
    const char *name = pu_pcp_config("PCP_USER");
    const struct passwd *entry = getpwnam(name ? name : "pcp");

    if (!entry)
        return (struct reader){.known = false};
    return (struct reader){true, entry->pw_uid, entry->pw_gid};
}

/* `bits` as for others, S_IROTH or S_IROTH | S_IXOTH. */
static bool may(const struct reader *reader, const struct stat *status, mode_t bits)
{
    if (!reader->known || reader->user == 0)
        return true;
    if (status->st_uid == reader->user)
        bits <<= 6;
    else if (status->st_gid == reader->group)
        bits <<= 3;
    return (status->st_mode & bits) == bits;
}

static int check_directory(const struct pu_mmv_check *check, const char *directory,
                           const struct reader *reader, struct pu_err *err)
{
    struct stat status;

    if (stat(directory, &status) < 0)
        return pu_err_system(err, errno, "cannot open");
    if (!may(reader, &status, S_IROTH | S_IXOTH))
        pu_mmv_say_file(check, R_DIRECTORY_CLOSED, directory, NULL,
                        "its mode is %04o, its owner %u", (unsigned int)status.st_mode & 07777,
                        (unsigned int)status.st_uid);
    return 0;
}

/* A link to a file of the same directory makes the agent see it twice. */
static void check_link(const struct pu_mmv_check *check, const char *directory, const char *path)
{
    char *target = realpath(path, NULL);
    char *home = realpath(directory, NULL);
    size_t size = home ? strlen(home) : 0;

    if (target && home && strncmp(target, home, size) == 0 && target[size] == '/' &&
        !strchr(target + size + 1, '/') && target[size + 1] != '.')
        pu_mmv_say_file(check, R_DOUBLE_LINK, path, NULL, "it leads to %s", target + size + 1);
    free(target);
    free(home);
}

static void check_entry(const struct pu_mmv_check *check, const char *directory, const char *name,
                        const struct reader *reader)
{
    char path[PATH_SIZE];
    struct stat own;
    struct stat status;

    snprintf(path, sizeof(path), "%s%s%s", directory,
             directory[strlen(directory) - 1] == '/' ? "" : "/", name);
    if (lstat(path, &own) < 0)
        return; /* gone again */
    if (name[0] == '.') {
        if (S_ISREG(own.st_mode))
            pu_mmv_say_file(check, R_DOT_FILE, path, NULL, "its name begins with a dot");
        return;
    }
    if (stat(path, &status) < 0) {
        if (S_ISLNK(own.st_mode))
            pu_mmv_say_file(check, R_DANGLING_LINK, path, NULL, "a link that leads nowhere");
        return;
    }
    if (!S_ISREG(status.st_mode)) {
        pu_mmv_say_file(check, R_NOT_A_FILE, path, NULL, "%s",
                        S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
        return;
    }
    if (S_ISLNK(own.st_mode))
        check_link(check, directory, path);
    if (!may(reader, &status, S_IROTH))
        pu_mmv_say_file(check, R_UNREADABLE, path, NULL, "its mode is %04o, its owner %u",
                        (unsigned int)status.st_mode & 07777, (unsigned int)status.st_uid);
}

/* Bytewise, whatever the locale is. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

int pu_mmv_check_entries(const struct pu_mmv_check *check, const char *directory,
                         struct pu_err *err)
{
    struct reader reader = find_reader();
    struct dirent **entries = NULL;

    if (check_directory(check, directory, &reader, err) < 0)
        return -1;
    int count = scandir(directory, &entries, NULL, by_name);
    if (count < 0)
        return pu_err_system(err, errno, "cannot read");
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
            check_entry(check, directory, name, &reader);
        free(entries[i]);
    }
    free(entries);
    return 0;
}
