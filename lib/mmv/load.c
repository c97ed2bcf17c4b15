/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/load.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "pcp/words.h"

#define TRIES 10
#define PAUSE 20000000 /* nanoseconds between two tries */

/* Version and both generations: what a writer changes when it changes anything but values. */
#define STAMP_SIZE 24

static int load_once(const char *path, struct pu_mmv_file *file, struct pu_err *err)
{
    struct pu_span magic = {(const unsigned char *)"MMV", 4};

    pu_mmv_unload(file);
    if (pu_io_read(path, magic, PU_MMV_FILE_MAX, &file->blob, err) < 0)
        return -1;
    return pu_mmv_decode(pu_blob_span(&file->blob), &file->mmv, &file->damage, err);
}

static bool is_settled(const char *path, const struct pu_mmv_file *file)
{
    unsigned char stamp[STAMP_SIZE];

    if (file->mmv.header.generation1 != file->mmv.header.generation2)
        return false;
    ssize_t got = pu_io_peek(path, stamp, sizeof(stamp));
    return got < 0 || ((size_t)got == sizeof(stamp) && memcmp(stamp, file->blob.data, got) == 0);
}

int pu_mmv_load(const char *path, struct pu_mmv_file *file, struct pu_err *err)
{
    const struct timespec pause = {.tv_nsec = PAUSE};

    memset(file, 0, sizeof(*file));
    for (int i = 0; i < TRIES; i++) {
        if (i > 0)
            nanosleep(&pause, NULL);
        int result = load_once(path, file, err);
        if (result < 0 || is_settled(path, file))
            return result;
        if (!file->blob.regular || strcmp(path, "-") == 0)
            break; /* what has been read is gone */
    }
    struct pu_err damage;
    pu_err_damage(&damage, 8,
                  "being rewritten, or left half written: its generations are %" PRIu64
                  " and %" PRIu64,
                  file->mmv.header.generation1, file->mmv.header.generation2);
    pu_err_where(&damage, "header");
    pu_errors_add(&file->damage, &damage);
    return 0;
}

void pu_mmv_unload(struct pu_mmv_file *file)
{
    pu_mmv_free(&file->mmv);
    pu_errors_free(&file->damage);
    pu_blob_free(&file->blob);
}

const char *pu_mmv_directory(char to[PU_MMV_DIRECTORY_MAX])
{
    const char *parent = pu_pcp_config("PCP_TMP_DIR");

    snprintf(to, PU_MMV_DIRECTORY_MAX, "%s/mmv", parent ? parent : "/var/lib/pcp/tmp");
    return to;
}
