/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/load.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "pcp/words.h"

#define PAUSE INT64_C(10000000) /* nanoseconds between two tries */

/* Magic, version and both generations: what changes when anything but values does. */
#define STAMP_SIZE 24

static int load_once(const char *path, struct pu_mmv_file *file, struct pu_err *err)
{
    struct pu_span magic = {(const unsigned char *)"MMV", 4};

    pu_mmv_unload(file);
    if (pu_io_read(path, magic, PU_MMV_FILE_MAX, &file->blob, err) < 0)
        return -1;
    return pu_mmv_decode(pu_blob_span(&file->blob), &file->mmv, &file->damage, err);
}

/* Is it still as it was read? What can be read only once is. */
static bool is_same(const char *path, const struct pu_mmv_file *file)
{
    unsigned char stamp[STAMP_SIZE];
    struct pu_span read = pu_span_clip(pu_blob_span(&file->blob), 0, STAMP_SIZE);
    ssize_t got = pu_io_peek(path, stamp, sizeof(stamp));

    return got < 0 || pu_span_equal(read, (struct pu_span){stamp, (size_t)got});
}

/* A writer that has truncated the file, or not come to its header yet, leaves this. */
static bool is_unwritten(const struct pu_mmv_file *file, const struct pu_err *err)
{
    struct pu_span start = pu_span_clip(pu_blob_span(&file->blob), 0, 4);

    return err->code == PU_E_DAMAGED &&
           (err->status == PU_MMV_TOO_SMALL || (start.size > 0 && start.data[0] == '\0'));
}

static bool is_settled(const char *path, const struct pu_mmv_file *file, int result,
                       const struct pu_err *err)
{
    if (!file->blob.regular)
        return true; /* what has been read is gone */
    if (result < 0)
        return !is_unwritten(file, err);
    return file->mmv.header.generation1 == file->mmv.header.generation2 && is_same(path, file);
}

static void report_unsettled(struct pu_mmv_file *file)
{
    struct pu_err damage;

    file->unsettled = true;
    pu_err_damage(&damage, 8,
                  "being rewritten, or left half written: its generations are %" PRIu64
                  " and %" PRIu64,
                  file->mmv.header.generation1, file->mmv.header.generation2);
    pu_err_where(&damage, "header");
    pu_errors_add(&file->damage, &damage);
}

/* Waits until the file is another one; false when patience ends before. */
static bool wait_for_change(const char *path, const struct pu_mmv_file *file, int64_t *own,
                            int64_t *patience)
{
    const struct timespec pause = {.tv_nsec = PAUSE};

    while (*own > 0 && *patience > 0) {
        nanosleep(&pause, NULL);
        *own -= PAUSE;
        *patience -= PAUSE;
        if (!is_same(path, file))
            return true;
    }
    return false;
}

int pu_mmv_load(const char *path, int64_t *patience, struct pu_mmv_file *file, struct pu_err *err)
{
    int64_t own = PU_MMV_PATIENCE;
    int result;

    memset(file, 0, sizeof(*file));
    do {
        result = load_once(path, file, err);
        if (is_settled(path, file, result, err))
            break;
    } while (wait_for_change(path, file, &own, patience));
    if (result == 0 && file->mmv.header.generation1 != file->mmv.header.generation2)
        report_unsettled(file);
    return result;
}

void pu_mmv_unload(struct pu_mmv_file *file)
{
    pu_mmv_free(&file->mmv);
    pu_errors_free(&file->damage);
    pu_blob_free(&file->blob);
    file->unsettled = false;
}

const char *pu_mmv_directory(char to[PU_MMV_DIRECTORY_MAX])
{
    const char *parent = pu_pcp_config("PCP_TMP_DIR");

    snprintf(to, PU_MMV_DIRECTORY_MAX, "%s/mmv", parent ? parent : "/var/lib/pcp/tmp");
    return to;
}
