/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/scan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/span.h"
#include "experiment/dir.h"

#define GROUP_MAX (1 << 20)

static const char group_magic[] = "#analyzer experiment group";

static void free_text(char **text)
{
    free(*text);
}

/* A member of a group, which stands in the folder of the group file or in the working directory. */
static int add_member(const char *group, const char *member, struct pu_paths *paths,
                      struct pu_err *err)
{
    const char *slash = strrchr(group, '/');
    PU_CLEANUP(free_text) char *beside = NULL;

    if (!slash || member[0] == '/')
        return pu_paths_add(paths, member, err);
    if (asprintf(&beside, "%.*s%s", (int)(slash + 1 - group), group, member) < 0) {
        beside = NULL;
        return pu_err_system(err, ENOMEM, "cannot list experiments");
    }
    bool here = access(beside, F_OK) != 0 && access(member, F_OK) == 0;
    return pu_paths_add(paths, here ? member : beside, err);
}

static int add_line(const char *group, struct pu_span line, struct pu_paths *paths,
                    struct pu_err *err)
{
    while (line.size > 0 && strchr(" \t\r", line.data[line.size - 1]))
        line.size--;
    while (line.size > 0 && (*line.data == ' ' || *line.data == '\t')) {
        line.data++;
        line.size--;
    }
    if (line.size == 0 || line.data[0] == '#')
        return 0;
    PU_CLEANUP(free_text) char *member = strndup((const char *)line.data, line.size);
    if (!member)
        return pu_err_system(err, ENOMEM, "cannot list experiments");
    return add_member(group, member, paths, err);
}

static bool is_group(struct pu_span text)
{
    struct pu_span magic = pu_span_text(group_magic);

    if (!pu_span_equal(pu_span_clip(text, 0, magic.size), magic))
        return false;
    return text.size == magic.size || strchr("\r\n", text.data[magic.size]);
}

static int scan_group(const char *path, struct pu_paths *paths, struct pu_err *err)
{
    PU_CLEANUP(pu_blob_free) struct pu_blob blob = {0};

    if (pu_io_read(path, pu_span_text(group_magic), GROUP_MAX, &blob, err) < 0)
        return -1;
    struct pu_span text = pu_blob_span(&blob);
    if (!is_group(text))
        return pu_err_damage(err, 0,
                             "neither an experiment nor a group file: it does not begin "
                             "with the line \"%s\"",
                             group_magic);
    while (text.size > 0) {
        const unsigned char *end = memchr(text.data, '\n', text.size);
        size_t size = end ? (size_t)(end - text.data) : text.size;
        if (add_line(path, (struct pu_span){text.data, size}, paths, err) < 0)
            return -1;
        size += end != NULL;
        text.data += size;
        text.size -= size;
    }
    return 0;
}

/* A directory that is no experiment by its name: one by what is in it, or a folder of them. */
static int scan_folder(const struct pu_exp_dir *dir, struct pu_paths *paths, struct pu_err *err)
{
    size_t before = paths->count;
    const char *slash = strcmp(dir->path, "/") == 0 ? "" : "/";

    if (pu_exp_dir_find(dir, "log.xml"))
        return pu_paths_add(paths, dir->path, err);
    for (size_t i = 0; i < dir->count; i++) {
        PU_CLEANUP(free_text) char *path = NULL;
        if (!pu_exp_entry_is_member(&dir->entries[i]))
            continue;
        if (asprintf(&path, "%s%s%s", dir->path, slash, dir->entries[i].name) < 0) {
            path = NULL;
            return pu_err_system(err, ENOMEM, "cannot list experiments");
        }
        if (pu_io_is_directory(path) && pu_paths_add(paths, path, err) < 0)
            return -1;
    }
    if (paths->count == before)
        return pu_err_set(err, PU_E_SYSTEM, "no experiment in this directory");
    return 0;
}

int pu_exp_scan(const char *operand, struct pu_paths *paths, struct pu_err *err)
{
    PU_CLEANUP(pu_exp_dir_free) struct pu_exp_dir dir = {.fd = -1};

    if (!pu_io_is_directory(operand))
        return scan_group(operand, paths, err);
    if (pu_exp_dir_open(operand, &dir, err) < 0)
        return -1;
    if (dir.kind != PU_EXP_NONE)
        return pu_paths_add(paths, operand, err);
    return scan_folder(&dir, paths, err);
}
