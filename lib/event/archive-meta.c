/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The metadata of an archive: descriptors and instances. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "event/archive.h"

enum record_type {
    DESCRIPTOR = 1,
    INSTANCES_V2 = 2,
    INSTANCES = 5,
    INSTANCES_CHANGE = 6,
    LABELS = 7, /* the last one */
};

#define NAMES_MAX 1024 /* of one metric */

static int damaged(const struct pu_event_archive *archive, uint64_t record, struct pu_err *err)
{
    return pu_err_damage(err, archive->meta.offset - record,
                         "a record with counts or lengths that "
                         "do not fit into it");
}

/* The names of a descriptor, each with a NUL behind it. */
static int read_names(struct pu_cursor *in, uint32_t count, struct pu_buf *names)
{
    if (count > NAMES_MAX)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        struct pu_span name = pu_cursor_bytes(in, pu_cursor_u32(in));
        if (in->bad)
            return -1;
        name = pu_span_until_nul(name);
        pu_buf_add(names, name.data, name.size);
        pu_buf_add_char(names, '\0');
    }
    return 0;
}

static int read_descriptor(struct pu_event_archive *archive, struct pu_cursor *in,
                           struct pu_err *err)
{
    PU_CLEANUP(pu_buf_free) struct pu_buf names = {0};
    struct pu_event_metric metric = {.pmid = pu_cursor_u32(in)};

    metric.type = pu_cursor_i32(in);
    metric.indom = pu_cursor_u32(in);
    (void)pu_cursor_u64(in); /* semantics and units */
    if (read_names(in, pu_cursor_u32(in), &names) < 0 || in->bad)
        return damaged(archive, in->span.size + 4, err);
    if (names.failed || archive->indoms.failed)
        return pu_err_system(err, ENOMEM, "cannot hold the metrics");
    metric.names = pu_buf_span(&names);
    if (pu_event_is_event(&metric) && metric.indom != PU_EVENT_NO_INDOM)
        pu_buf_add(&archive->indoms, &metric.indom, sizeof(metric.indom));
    return pu_event_catalog_add(&archive->catalog, &metric, NULL, err);
}

static bool is_event_indom(const struct pu_event_archive *archive, uint32_t indom)
{
    struct pu_cursor known = pu_cursor(pu_buf_span(&archive->indoms), 0, PU_HOST);

    while (known.at < known.span.size) {
        if (pu_cursor_u32(&known) == indom)
            return true;
    }
    return false;
}

/* Instances whose names other metrics have are never asked for. */
static int read_instances(struct pu_event_archive *archive, struct pu_cursor *in, int version,
                          struct pu_err *err)
{
    int64_t from = pu_event_archive_time(in, version);
    uint32_t indom = pu_cursor_u32(in);
    uint32_t count = pu_cursor_u32(in);
    uint64_t names = in->at + UINT64_C(8) * count;

    if (in->bad || !pu_span_has(in->span, in->at, UINT64_C(8) * count))
        return damaged(archive, in->span.size + 4, err);
    if (!is_event_indom(archive, indom))
        return 0;
    struct pu_cursor offsets = pu_cursor(in->span, in->at + UINT64_C(4) * count, PU_BIG);
    for (uint32_t i = 0; i < count; i++) {
        int32_t id = pu_cursor_i32(in);
        int32_t offset = pu_cursor_i32(&offsets);
        struct pu_span name;
        if (offset < 0)
            continue; /* it left */
        if (names + (uint32_t)offset >= in->span.size)
            return damaged(archive, in->span.size + 4, err);
        name = pu_span_until_nul(pu_span_clip(in->span, names + (uint32_t)offset, UINT64_MAX));
        if (pu_event_catalog_add_instance(&archive->catalog, indom, id, from, name, err) < 0)
            return -1;
    }
    return 0;
}

static int read_record(struct pu_event_archive *archive, struct pu_span record, bool descriptors,
                       bool instances, struct pu_err *err)
{
    /* Without the lengths around it: offsets in it count from the first length. */
    struct pu_cursor in = pu_cursor(pu_span_clip(record, 0, record.size - 4), 4, PU_BIG);
    uint32_t type = pu_cursor_u32(&in);

    if (type == DESCRIPTOR && descriptors)
        return read_descriptor(archive, &in, err);
    if (type == INSTANCES_V2 && instances)
        return read_instances(archive, &in, 2, err);
    if ((type == INSTANCES || type == INSTANCES_CHANGE) && instances)
        return read_instances(archive, &in, 3, err);
    return 0; /* labels and texts, and what will be invented */
}

/* Behind a gap: could this be a record of metadata? */
static bool is_believable(const void *context, struct pu_span record)
{
    struct pu_cursor in = pu_cursor(record, 4, PU_BIG);
    uint32_t type = pu_cursor_u32(&in);

    (void)context;
    return type >= DESCRIPTOR && type <= LABELS;
}

int pu_event_archive_meta(struct pu_event_archive *archive, bool descriptors, bool instances,
                          struct pu_err *err)
{
    struct pu_span record;
    int more;

    if (archive->meta.fd < 0)
        return 0;
    while ((more = pu_event_stream_next(&archive->meta, &record, err)) > 0) {
        if (read_record(archive, record, descriptors, instances, err) < 0)
            return -1;
    }
    /* One that is being written is not damaged. */
    if (more == 0 || (archive->meta.cut && archive->follow))
        return 0;
    struct pu_err damage = *err;
    if (damage.code == PU_E_DAMAGED &&
        pu_event_archive_go_on(&archive->meta, &damage, is_believable, NULL, err) < 0)
        pu_event_stream_close(&archive->meta);
    return -1;
}

/* "BASE.meta", or with a suffix of what it is packed as. NULL: out of memory. */
static char *find_meta(const char *base)
{
    char *path = NULL;

    if (asprintf(&path, "%s.meta", base) < 0)
        return NULL;
    for (size_t i = 0; access(path, F_OK) < 0 && pu_event_unzip_suffixes[i]; i++) {
        char *packed = NULL;
        if (asprintf(&packed, "%s.meta%s", base, pu_event_unzip_suffixes[i]) < 0)
            continue;
        if (access(packed, F_OK) == 0) {
            free(path);
            return packed;
        }
        free(packed);
    }
    return path;
}

int pu_event_archive_open_meta(struct pu_event_archive *archive, struct pu_err *err)
{
    char *path = find_meta(archive->base);
    struct pu_span record;
    int64_t time;

    pu_event_stream_close(&archive->meta);
    if (!path)
        return pu_err_system(err, ENOMEM, "cannot open");
    int result = pu_event_stream_open(&archive->meta, path, err);
    free(path);
    if (result < 0)
        return -1;
    result = pu_event_stream_next(&archive->meta, &record, err);
    if (result == 0)
        return pu_err_damage(err, 0, "too small: no label");
    return result < 0 ? -1 : pu_event_archive_label(archive, record, &time, err);
}
