/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An MMV file as it was at one moment. */
#ifndef PU_MMV_LOAD_H
#define PU_MMV_LOAD_H

#include "base/io.h"
#include "mmv/decode.h"

/* Larger files are refused: PCP's agent could not serve a hundredth of it. */
#define PU_MMV_FILE_MAX (UINT64_C(1) << 30)

struct pu_mmv_file {
    struct pu_blob blob;
    struct pu_mmv mmv; /* into the blob */
    bool unsettled;    /* it was being rewritten */
    struct pu_errors damage;
};

/* How long files that are being rewritten are waited for: each, and all of a run together. */
#define PU_MMV_PATIENCE     INT64_C(200000000) /* nanoseconds */
#define PU_MMV_PATIENCE_ALL (5 * PU_MMV_PATIENCE)

/*
 * Reads the file at `path` ("-": standard input) and takes it apart. One that is being rewritten
 * (its generations differ, or change while it is read, or its beginning is not there yet) is waited
 * for, at most PU_MMV_PATIENCE and what is left of `patience`, which shrinks; after that what is
 * there is taken, and said to be damaged. Errors as pu_io_read() and pu_mmv_decode(). Release with
 * pu_mmv_unload() in any case.
 */
int pu_mmv_load(const char *path, int64_t *patience, struct pu_mmv_file *file,
                struct pu_err *err) PU_MUST_CHECK;
void pu_mmv_unload(struct pu_mmv_file *file);

/* Where applications put their files for the agent: $PCP_TMP_DIR/mmv of PCP's configuration. */
#define PU_MMV_DIRECTORY_MAX 4096
const char *pu_mmv_directory(char to[PU_MMV_DIRECTORY_MAX]);

#endif
