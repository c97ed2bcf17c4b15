/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/check.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/time.h"
#include "mmv/check-private.h"

static void report(const struct pu_mmv_check *check, enum pu_mmv_rule rule,
                   const struct pu_place *place, const struct pu_place *related, const char *fmt,
                   va_list args)
{
    struct pu_finding finding = {
        .rule = &pu_mmv_rules[rule],
        .place = *place,
        .related = related,
        .related_count = related != NULL,
    };

    vsnprintf(finding.message, sizeof(finding.message), fmt, args);
    check->judge->report(check->judge, &finding);
}

void pu_mmv_say_related(const struct pu_mmv_subject *subject, enum pu_mmv_rule rule,
                        uint64_t offset, const char *what, const struct pu_place *related,
                        const char *fmt, ...)
{
    struct pu_place place = {.file = subject->path, .has_offset = true, .offset = offset};
    va_list args;

    snprintf(place.what, sizeof(place.what), "%s", what);
    va_start(args, fmt);
    report(subject->check, rule, &place, related, fmt, args);
    va_end(args);
}

void pu_mmv_say(const struct pu_mmv_subject *subject, enum pu_mmv_rule rule, uint64_t offset,
                const char *what, const char *fmt, ...)
{
    struct pu_place place = {.file = subject->path, .has_offset = true, .offset = offset};
    va_list args;

    snprintf(place.what, sizeof(place.what), "%s", what);
    va_start(args, fmt);
    report(subject->check, rule, &place, NULL, fmt, args);
    va_end(args);
}

void pu_mmv_say_file(const struct pu_mmv_check *check, enum pu_mmv_rule rule, const char *path,
                     const struct pu_place *related, const char *fmt, ...)
{
    struct pu_place place = {.file = path};
    va_list args;

    va_start(args, fmt);
    report(check, rule, &place, related, fmt, args);
    va_end(args);
}

const char *pu_mmv_what(char to[PU_MMV_WHAT_MAX], const char *record, size_t index,
                        struct pu_span name)
{
    snprintf(to, PU_MMV_WHAT_MAX, "%s[%zu] \"%.*s\"", record, index, (int)name.size,
             (const char *)name.data);
    return to;
}

void pu_mmv_check_slot(struct pu_mmv_subject *subject, uint64_t slot, size_t size, const char *what)
{
    struct pu_span bytes = pu_span_clip(subject->mmv->span, slot, size);
    size_t used = pu_span_until_nul(bytes).size;

    if (used == size) {
        pu_mmv_say(subject, R_TEXT_UNTERMINATED, slot, what, "no NUL in %zu bytes", size);
        return;
    }
    for (size_t i = used; i < bytes.size; i++) {
        if (bytes.data[i] != 0) {
            if (subject->stale_count++ == 0)
                subject->stale_first = slot + i;
            return;
        }
    }
}

void pu_mmv_check_help(struct pu_mmv_subject *subject, uint64_t field, uint64_t offset,
                       const char *kind, const char *what)
{
    if (offset == 0)
        return;
    if (pu_mmv_wraps(offset, PU_MMV_STRING_SIZE))
        pu_mmv_say(subject, R_OFFSET_WRAP, field, what, "its %s help is at offset %" PRIu64, kind,
                   offset);
    else if (!pu_span_has(subject->mmv->span, offset, PU_MMV_STRING_SIZE))
        pu_mmv_say(subject, R_HELP_OFFSET, field, what,
                   "its %s help is at offset %" PRIu64 ", the file ends at %zu", kind, offset,
                   subject->mmv->span.size);
    else
        pu_mmv_check_slot(subject, offset, PU_MMV_STRING_SIZE, what);
}

static int by_number(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;

    return left < right ? -1 : left > right;
}

static int list_serials(struct pu_mmv_subject *subject, struct pu_err *err)
{
    struct pu_mmv_records indom = pu_mmv_records(subject->mmv, PU_MMV_INDOMS);

    subject->serial_count = subject->mmv->counts[PU_MMV_INDOMS];
    subject->serials = calloc(subject->serial_count + 1, sizeof(*subject->serials));
    if (!subject->serials)
        return pu_err_system(err, ENOMEM, "cannot hold the indoms");
    while (pu_mmv_next(&indom))
        subject->serials[indom.index] = pu_mmv_indom(subject->mmv, indom.offset).serial;
    qsort(subject->serials, subject->serial_count, sizeof(*subject->serials), by_number);
    return 0;
}

bool pu_mmv_has_serial(const struct pu_mmv_subject *subject, uint32_t serial)
{
    return bsearch(&serial, subject->serials, subject->serial_count, sizeof(serial), by_number);
}

/* This and those below return false when the agent would not export the file. */
static bool check_generations(const struct pu_mmv_subject *subject)
{
    const struct pu_mmv_header *header = &subject->mmv->header;

    if (header->generation1 != header->generation2)
        pu_mmv_say(subject, R_GENERATION_MISMATCH, 8, "header",
                   "the generations are %" PRIu64 " and %" PRIu64, header->generation1,
                   header->generation2);
    else if (header->generation1 == 0)
        pu_mmv_say(subject, R_GENERATION_ZERO, 8, "header", "both generations are 0");
    return header->generation1 == header->generation2 && header->generation1 != 0;
}

static bool check_process(const struct pu_mmv_subject *subject)
{
    const struct pu_mmv_header *header = &subject->mmv->header;

    if (!(header->flags & PU_MMV_PROCESS))
        return true;
    if (header->pid == 0) {
        pu_mmv_say(subject, R_PROCESS_ZERO, 32, "header", "the process id is 0");
    } else if (header->pid < 0 || (kill(header->pid, 0) < 0 && errno == ESRCH)) {
        pu_mmv_say(subject, R_PROCESS_GONE, 32, "header", "there is no process %" PRId32,
                   header->pid);
        return false;
    }
    return true;
}

/* A file that is not exported takes no cluster away from others. */
static bool check_cluster(struct pu_mmv_subject *subject, bool exported)
{
    int32_t declared = subject->mmv->header.cluster;

    subject->cluster = declared > 0 ? (uint32_t)declared : 1;
    if (declared < 0 || declared > PU_MMV_CLUSTER_MAX) {
        pu_mmv_say(subject, R_CLUSTER_RANGE, 36, "header", "the cluster is %" PRId32, declared);
        return false;
    }
    if (exported)
        subject->cluster = pu_mmv_world_cluster(subject->world, declared);
    if (declared == 0 && exported)
        pu_mmv_say(subject, R_CLUSTER_AUTO, 36, "header", "the cluster is 0: it would be %" PRIu32,
                   subject->cluster);
    else if (declared == 0)
        pu_mmv_say(subject, R_CLUSTER_AUTO, 36, "header", "the cluster is 0");
    return exported;
}

static bool check_toc_count(const struct pu_mmv_subject *subject)
{
    int32_t count = subject->mmv->header.toc_count;

    if (count < 2)
        pu_mmv_say(subject, R_TOC_COUNT, 24, "header",
                   "the table of contents has %" PRId32 " entries", count);
    else if (!pu_mmv_toc_fits(subject->mmv))
        pu_mmv_say(subject, R_TOC_SIZE, 24, "header",
                   "the table of contents has %" PRId32 " entries, the file room for %zu", count,
                   (subject->mmv->span.size - PU_MMV_HEADER_SIZE) / PU_MMV_TOC_SIZE);
    return count >= 2 && pu_mmv_toc_fits(subject->mmv);
}

bool pu_mmv_check_header(struct pu_mmv_subject *subject)
{
    const struct pu_mmv_header *header = &subject->mmv->header;
    uint32_t unknown =
        header->flags & ~(uint32_t)(PU_MMV_NOPREFIX | PU_MMV_PROCESS | PU_MMV_SENTINEL);
    bool exported = true;

    if (subject->mmv->order == PU_FOREIGN) {
        pu_mmv_say(subject, R_BYTE_ORDER, 4, "header",
                   "version %" PRId32 " in the other byte order", header->version);
        exported = false;
    }
    exported &= check_generations(subject);
    exported &= check_toc_count(subject);
    if (unknown)
        pu_mmv_say(subject, R_UNKNOWN_FLAGS, 28, "header", "flags 0x%" PRIx32 " are not known",
                   unknown);
    exported &= check_process(subject);
    return check_cluster(subject, exported);
}

/* What pu_mmv_decode() could not take apart. */
static int say_refusal(const struct pu_mmv_subject *subject, const struct pu_err *refusal)
{
    static const enum pu_mmv_rule rules[] = {
        [PU_MMV_TOO_SMALL] = R_TOO_SMALL,
        [PU_MMV_NOT_MMV] = R_MAGIC,
        [PU_MMV_BAD_VERSION] = R_VERSION,
    };

    pu_mmv_say(subject, rules[refusal->status], refusal->offset, "header", "%s", refusal->message);
    return 0;
}

static int check_parts(struct pu_mmv_subject *subject, struct pu_err *err)
{
    if (!pu_mmv_toc_fits(subject->mmv))
        return 0; /* what would be taken for sections is anything */
    pu_mmv_check_sections(subject);
    if (list_serials(subject, err) < 0 || pu_mmv_check_indoms(subject, err) < 0 ||
        pu_mmv_check_metrics(subject, err) < 0 || pu_mmv_check_values(subject, err) < 0 ||
        pu_mmv_check_labels(subject, err) < 0)
        return -1;
    if (subject->stale_count > 0)
        pu_mmv_say(subject, R_STALE_BYTES, subject->stale_first, "",
                   "bytes behind the end of %" PRIu64 " texts or values, here for the first time",
                   subject->stale_count);
    return 0;
}

/*
 * One file of a world, `loaded` as pu_mmv_decode() returned. `path` must stay as long as the world.
 */
static int check_loaded(const struct pu_mmv_check *check, struct pu_mmv_world *world,
                        const char *path, struct pu_mmv *mmv, int loaded, struct pu_err *err)
{
    struct pu_mmv_world *own = NULL;
    struct pu_mmv_subject subject = {
        .check = check, .world = world, .path = path, .mmv = mmv, .now = pu_time_now()};

    if (loaded < 0)
        return err->code == PU_E_DAMAGED ? say_refusal(&subject, err) : -1;
    /* What the agent leaves out is judged for itself, and gets in nobody's way. */
    if (!pu_mmv_check_header(&subject))
        subject.world = own = pu_mmv_world_new();
    int result =
        subject.world ? check_parts(&subject, err) : pu_err_system(err, ENOMEM, "cannot check");
    if (own)
        pu_mmv_world_check_names(check, own);
    pu_mmv_world_free(own);
    free(subject.serials);
    free(subject.exports);
    return result;
}

static int check_one(const struct pu_mmv_check *check, struct pu_mmv_world *world, const char *path,
                     int64_t *patience, struct pu_err *err)
{
    struct pu_mmv_file file;
    int result = pu_mmv_load(path, patience, &file, err);

    result = check_loaded(check, world, path, &file.mmv, result, err);
    pu_mmv_unload(&file);
    return result;
}

int pu_mmv_check_file(const struct pu_mmv_check *check, const char *path, struct pu_err *err)
{
    struct pu_mmv_world *world = pu_mmv_world_new();
    int64_t patience = PU_MMV_PATIENCE_ALL;

    if (!world)
        return pu_err_system(err, ENOMEM, "cannot check");
    int result = check_one(check, world, path, &patience, err);
    if (result == 0)
        pu_mmv_world_check_names(check, world);
    pu_mmv_world_free(world);
    return result;
}

int pu_mmv_check_bytes(const struct pu_mmv_check *check, const char *path, struct pu_span bytes,
                       struct pu_err *err)
{
    struct pu_mmv_world *world = pu_mmv_world_new();
    struct pu_errors damage = {0};
    struct pu_mmv mmv;

    if (!world)
        return pu_err_system(err, ENOMEM, "cannot check");
    int result = pu_mmv_decode(bytes, &mmv, &damage, err);
    result = check_loaded(check, world, path, &mmv, result, err);
    if (result == 0)
        pu_mmv_world_check_names(check, world);
    pu_mmv_world_free(world);
    pu_mmv_free(&mmv);
    pu_errors_free(&damage);
    return result;
}

/* -1 with an error when it cannot be read. */
static int check_listed(const struct pu_mmv_check *check, struct pu_mmv_world *world,
                        const char *path, int64_t *patience, struct pu_err *err)
{
    if (check_one(check, world, path, patience, err) == 0)
        return 0;
    if (err->code != PU_E_SYSTEM || err->status != ENOENT)
        return -1;
    pu_mmv_say_file(check, R_VANISHED, path, NULL, "it was there when the directory was read");
    return 0;
}

long pu_mmv_check_directory(const struct pu_mmv_check *check, const char *path,
                            pu_mmv_failed *failed, void *context, struct pu_err *err)
{
    PU_CLEANUP(pu_paths_free) struct pu_paths paths = {0};
    struct pu_mmv_world *world;
    int64_t patience = PU_MMV_PATIENCE_ALL;
    long unread = 0;

    if (pu_mmv_check_entries(check, path, err) < 0 || pu_io_list(path, &paths, err) < 0)
        return -1;
    world = pu_mmv_world_new();
    if (!world)
        return pu_err_system(err, ENOMEM, "cannot check");
    for (size_t i = 0; i < paths.count; i++) {
        if (check_listed(check, world, paths.items[i], &patience, err) == 0)
            continue;
        unread++;
        failed(context, paths.items[i], err);
    }
    pu_mmv_world_check_names(check, world);
    pu_mmv_world_free(world);
    return unread;
}
