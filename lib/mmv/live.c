/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/live.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#define PAUSE INT64_C(10000000) /* nanoseconds between two tries */

/* Beyond this, what was looked up is forgotten: spellings, their bytes, values found. */
#define SPELLED_MAX       262144
#define SPELLED_BYTES_MAX (UINT64_C(16) << 20)
#define FOUND_MAX         1048576

/* Where the two generations stand. */
enum { GENERATION1 = 8, GENERATION2 = 16 };

void pu_mmv_live_begin(struct pu_mmv_live *live, const char *path, bool rehearsal)
{
    *live =
        (struct pu_mmv_live){.path = path, .rehearsal = rehearsal, .patience = PU_MMV_PATIENCE_ALL};
}

static void forget_spelled(struct pu_mmv_live *live)
{
    pu_table_clear(&live->spelled);
    live->found.count = 0;
}

static void unload(struct pu_mmv_live *live)
{
    forget_spelled(live);
    if (live->targets.mmv)
        pu_mmv_targets_free(&live->targets);
    pu_mapping_close(&live->mapping);
    pu_mmv_unload(&live->file);
    live->ready = false;
}

void pu_mmv_live_close(struct pu_mmv_live *live)
{
    unload(live);
    pu_table_free(&live->spelled);
    free(live->runs);
    free(live->found.items);
}

static uint64_t generation(const struct pu_mmv_live *live, uint64_t field)
{
    return __atomic_load_n(pu_mapping_word(live->mapping.data, field), __ATOMIC_ACQUIRE);
}

/* Is the mapping of the file that was taken apart, and not being rewritten? */
static bool is_settled(const struct pu_mmv_live *live)
{
    const struct pu_mmv_header *header = &live->file.mmv.header;

    return live->rehearsal || (generation(live, GENERATION1) == header->generation1 &&
                               generation(live, GENERATION2) == header->generation2 &&
                               !pu_mapping_is_lost(&live->mapping));
}

/* Is it still the one that the path leads to, and as large as it was? */
static bool is_in_place(const struct pu_mmv_live *live)
{
    struct stat file;

    return live->rehearsal ||
           (stat(live->path, &file) == 0 && file.st_dev == live->mapping.device &&
            file.st_ino == live->mapping.inode && (uint64_t)file.st_size >= live->mapping.size);
}

/* What cannot be used though it can be read. */
static int judge(const struct pu_mmv_live *live, struct pu_err *err)
{
    const struct pu_mmv_file *file = &live->file;

    if (file->damage.kept > 0) {
        *err = file->damage.items[file->unsettled ? file->damage.kept - 1 : 0];
        return -1;
    }
    if (file->damage.count > 0) /* and no memory to keep it */
        return pu_err_set(err, PU_E_DAMAGED, "damaged");
    if (file->mmv.header.generation1 == 0)
        return pu_err_damage(err, GENERATION1, "not complete: its generations are 0");
    if (file->mmv.order != PU_HOST)
        return pu_err_set(err, PU_E_REFUSED,
                          "it is in the byte order of another machine, and not in use on this one");
    return 0;
}

/* Reads the file, and maps the same one. 1 when it has become another between the two. */
static int load(struct pu_mmv_live *live, struct pu_err *err)
{
    struct pu_mmv_file *file = &live->file;

    if (!live->rehearsal && pu_mapping_open(live->path, PU_MMV_FILE_MAX, &live->mapping, err) < 0)
        return -1;
    if (pu_mmv_load(live->path, &live->patience, file, err) < 0)
        return -1;
    if (!live->rehearsal &&
        (file->blob.device != live->mapping.device || file->blob.inode != live->mapping.inode ||
         file->blob.size != live->mapping.size))
        return 1;
    if (judge(live, err) < 0)
        return -1;
    return is_settled(live) ? 0 : 1;
}

static bool pause_before_next(struct pu_mmv_live *live)
{
    const struct timespec pause = {.tv_nsec = PAUSE};

    if (live->patience <= 0)
        return false;
    live->patience -= PAUSE;
    nanosleep(&pause, NULL);
    return true;
}

/* Tries until it works or patience ends. A file that was there before will come back. */
static int reload(struct pu_mmv_live *live, bool was_there, struct pu_err *err)
{
    int result;

    for (;;) {
        unload(live);
        result = load(live, err);
        bool again = result > 0 ||
                     (result < 0 && was_there && err->code == PU_E_SYSTEM && err->status == ENOENT);
        if (!again || !pause_before_next(live))
            break;
    }
    if (result > 0)
        return pu_err_set(err, PU_E_REFUSED, "it changes all the time");
    return result;
}

static int prepare(struct pu_mmv_live *live, struct pu_err *err)
{
    struct pu_mmv_file *file = &live->file;

    if (reload(live, live->ready, err) < 0 ||
        pu_mmv_targets_build(&file->mmv, live->path, &live->targets, &file->damage, err) < 0)
        return -1;
    return judge(live, err);
}

int pu_mmv_live_refresh(struct pu_mmv_live *live, struct pu_err *err)
{
    if (live->ready && is_settled(live) && is_in_place(live))
        return 0;
    if (prepare(live, err) < 0) {
        unload(live);
        return -1;
    }
    live->ready = true;
    live->patience = PU_MMV_PATIENCE_ALL;
    return 0;
}

int pu_mmv_live_settle(struct pu_mmv_live *live, struct pu_err *err)
{
    return live->ready && is_settled(live) ? 0 : pu_mmv_live_refresh(live, err);
}

static int remember(struct pu_mmv_live *live, struct pu_span spelling, struct pu_mmv_run run,
                    struct pu_err *err)
{
    size_t number = live->spelled.count;

    if (number == live->run_capacity) {
        size_t capacity = number ? 2 * number : 64;
        void *runs = reallocarray(live->runs, capacity, sizeof(*live->runs));
        if (!runs)
            return pu_err_system(err, ENOMEM, "cannot hold %zu names", capacity);
        live->runs = runs;
        live->run_capacity = capacity;
    }
    live->runs[number] = run;
    return pu_table_add(&live->spelled, spelling, number, err);
}

/* Reads the spelling, and looks it up in the file. */
static int look_up(struct pu_mmv_live *live, struct pu_span spelling, struct pu_err *err)
{
    struct pu_selector selector;
    char *text = NULL;
    int result = -1;

    if (spelling.size > 0 && memchr(spelling.data, '\0', spelling.size))
        return pu_err_set(err, PU_E_SYNTAX, "a name cannot hold a NUL");
    text = strndup((const char *)spelling.data, spelling.size);
    if (!text)
        return pu_err_system(err, ENOMEM, "cannot hold a name");
    if (pu_selector_parse(text, &selector, err) == 0)
        result = pu_mmv_targets_find(&live->targets, &selector, &live->found, err);
    pu_selector_free(&selector);
    free(text);
    return result;
}

int pu_mmv_live_find(struct pu_mmv_live *live, struct pu_span spelling,
                     const struct pu_mmv_target **found, size_t *count, struct pu_err *err)
{
    size_t number = pu_table_find(&live->spelled, spelling);
    struct pu_mmv_run run;

    if (number != PU_TABLE_NONE) {
        run = live->runs[number];
    } else {
        if (live->spelled.count >= SPELLED_MAX || live->spelled.keys.size >= SPELLED_BYTES_MAX ||
            live->found.count >= FOUND_MAX)
            forget_spelled(live);
        run.first = live->found.count;
        if (look_up(live, spelling, err) < 0)
            return -1;
        run.count = live->found.count - run.first;
        if (remember(live, spelling, run, err) < 0) {
            live->found.count = run.first;
            return -1;
        }
    }
    *found = live->found.items + run.first;
    *count = run.count;
    return 0;
}

/* So that the value can be shown as it is now, whatever others do to it meanwhile. */
static void copy_back(struct pu_mmv_live *live, const struct pu_mmv_target *target,
                      struct pu_span text, const struct pu_mmv_words *after)
{
    unsigned char *record = live->file.blob.data + target->offset;

    memcpy(record, &after->raw, sizeof(after->raw));
    if (target->type == PU_MMV_ELAPSED)
        memcpy(record + 8, &after->extra, sizeof(after->extra));
    if (target->type == PU_MMV_STRING) {
        unsigned char *slot = live->file.blob.data + target->slot;
        memset(slot, 0, PU_MMV_STRING_SIZE);
        memcpy(slot, text.data, text.size);
    }
}

int pu_mmv_live_poke(struct pu_mmv_live *live, const struct pu_mmv_target *target, bool add,
                     struct pu_span text, struct pu_err *err)
{
    const struct pu_mmv_poke poke = {
        .add = add,
        .text = text,
        .sentinel = live->file.mmv.header.flags & PU_MMV_SENTINEL,
    };
    unsigned char *bytes = live->rehearsal ? live->file.blob.data : live->mapping.data;
    struct pu_mmv_words after;

    if (pu_mmv_poke(bytes, target, &poke, &after, err) < 0)
        return -1;
    if (pu_mapping_is_lost(&live->mapping))
        return pu_err_set(err, PU_E_SYSTEM, "it was cut by another program, and nothing was set");
    copy_back(live, target, text, &after);
    return 0;
}
