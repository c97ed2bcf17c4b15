/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event/archive.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "base/time.h"
#include "event/unpack.h"

enum block_format { INSITU, BLOCK_DYNAMIC, BLOCK_STATIC };

/* Files */

/* Takes an ending off a name, if it is one that a file of an archive has. */
static size_t strip(const char *name, size_t size)
{
    static const char *const endings[] = {".meta", ".index"};
    size_t digits = size;

    for (size_t i = 0; pu_event_unzip_suffixes[i]; i++) {
        size_t length = strlen(pu_event_unzip_suffixes[i]);
        if (size > length && strncmp(name + size - length, pu_event_unzip_suffixes[i], length) == 0)
            return strip(name, size - length);
    }
    for (size_t i = 0; i < 2; i++) {
        size_t length = strlen(endings[i]);
        if (size > length && strncmp(name + size - length, endings[i], length) == 0)
            return size - length;
    }
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        digits--;
    return digits > 1 && digits < size && name[digits - 1] == '.' ? digits - 1 : size;
}

/* The name is that of the archive if it has a .meta or a .0; else that of one of its files. */
static char *find_base(const char *name)
{
    static const char *const endings[] = {"meta", "meta.xz", "meta.zst", "0", "0.xz", "0.zst"};
    char *path;

    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        if (asprintf(&path, "%s.%s", name, endings[i]) < 0)
            return NULL;
        bool there = access(path, F_OK) == 0;
        free(path);
        if (there)
            return strdup(name);
    }
    return strndup(name, strip(name, strlen(name)));
}

/* The number behind "BASE." in a file's name, if that is all that stands there; -1 for others. */
static int64_t volume_number(const char *file, const char *base)
{
    size_t size = strlen(base);
    char digits[24];
    uint64_t number;

    if (strncmp(file, base, size) != 0 || file[size] != '.')
        return -1;
    file += size + 1;
    size = strspn(file, "0123456789");
    if (size == 0 || size >= sizeof(digits))
        return -1;
    memcpy(digits, file, size);
    digits[size] = '\0';
    if (!pu_num_parse_u64(digits, INT32_MAX, &number))
        return -1;
    for (size_t i = 0; file[size] && pu_event_unzip_suffixes[i]; i++) {
        if (strcmp(file + size, pu_event_unzip_suffixes[i]) == 0)
            return (int64_t)number;
    }
    return file[size] ? -1 : (int64_t)number;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The volume's number of a path in the list: it is one, so there is no other case. */
static int64_t number_of(const char *path, const char *base)
{
    return volume_number(last_part(path), last_part(base));
}

static int by_number(const void *a, const void *b, void *base)
{
    const char *const *x = a;
    const char *const *y = b;
    int64_t left = number_of(*x, base);
    int64_t right = number_of(*y, base);

    return left != right ? (left > right) - (left < right) : strcmp(*x, *y);
}

/* Sorts what is behind the first `known`, and keeps one of those with the same number: that which
 * is not packed. */
static void sort_volumes(struct pu_event_archive *archive, size_t known)
{
    struct pu_paths *volumes = &archive->volumes;
    size_t kept = known;

    if (volumes->count > known)
        qsort_r(volumes->items + known, volumes->count - known, sizeof(*volumes->items), by_number,
                archive->base);
    for (size_t i = known; i < volumes->count; i++) {
        if (kept > known && number_of(volumes->items[i], archive->base) ==
                                number_of(volumes->items[kept - 1], archive->base))
            free(volumes->items[i]);
        else
            volumes->items[kept++] = volumes->items[i];
    }
    volumes->count = kept;
}

static int add_volume(struct pu_event_archive *archive, const char *file, struct pu_err *err)
{
    int directory = (int)(last_part(archive->base) - archive->base);
    char *path;

    if (asprintf(&path, "%.*s%s", directory, archive->base, file) < 0)
        return pu_err_system(err, ENOMEM, "cannot list volumes");
    int result = pu_paths_add(&archive->volumes, path, err);
    free(path);
    return result;
}

/* Volumes that are not known yet: their numbers are higher than those of all that are. */
static int list_volumes(struct pu_event_archive *archive, struct pu_err *err)
{
    size_t known = archive->volumes.count;
    int64_t highest = known ? number_of(archive->volumes.items[known - 1], archive->base) : -1;
    size_t size = (size_t)(last_part(archive->base) - archive->base);
    char *name = size ? strndup(archive->base, size) : strdup(".");
    DIR *directory = name ? opendir(name) : NULL;
    int result = 0;

    free(name);
    if (!directory)
        return pu_err_system(err, errno, "cannot open");
    for (struct dirent *entry; result == 0 && (entry = readdir(directory));) {
        int64_t number = volume_number(entry->d_name, last_part(archive->base));
        if (number > highest)
            result = add_volume(archive, entry->d_name, err);
    }
    closedir(directory);
    sort_volumes(archive, known);
    return result;
}

/* Unless it has been told: .meta is read twice. */
static void note(struct pu_errors *damage, const struct pu_event_archive *archive,
                 struct pu_err *err)
{
    for (size_t i = 0; i < damage->kept; i++) {
        if (damage->items[i].offset == err->offset &&
            strcmp(damage->items[i].message, err->message) == 0)
            return;
    }
    if (!err->where[0])
        pu_err_where(err, "%s", archive->meta.path ? last_part(archive->meta.path) : ".meta");
    pu_errors_add(damage, err);
}

/* Descriptors first: they tell whose instances are needed. */
static void read_meta(struct pu_event_archive *archive, struct pu_errors *damage)
{
    struct pu_err err;

    for (int round = 0; round < 2; round++) {
        if (pu_event_archive_open_meta(archive, &err) < 0) {
            note(damage, archive, &err);
            continue;
        }
        while (pu_event_archive_meta(archive, round == 0, round == 1, &err) < 0) {
            note(damage, archive, &err);
            if (err.code != PU_E_DAMAGED)
                break;
        }
    }
}

int pu_event_archive_open(struct pu_event_archive *archive, const char *name,
                          struct pu_errors *damage, struct pu_err *err)
{
    struct stat status;

    *archive =
        (struct pu_event_archive){.data.fd = -1, .meta.fd = -1, .from = INT64_MIN, .to = INT64_MAX};
    archive->base = find_base(name);
    if (!archive->base)
        return pu_err_system(err, ENOMEM, "cannot open");
    if (list_volumes(archive, err) < 0)
        return -1;
    if (archive->volumes.count == 0 && stat(name, &status) == 0 && S_ISDIR(status.st_mode))
        return pu_err_system(err, EISDIR, "cannot open; name an archive in it");
    if (archive->volumes.count == 0)
        return pu_err_system(err, ENOENT, "cannot open");
    read_meta(archive, damage);
    return 0;
}

const char *pu_event_archive_file(const struct pu_event_archive *archive)
{
    return archive->data.path ? archive->data.path : archive->base;
}

void pu_event_archive_close(struct pu_event_archive *archive)
{
    free(archive->base);
    pu_event_catalog_free(&archive->catalog);
    pu_event_stream_close(&archive->meta);
    pu_event_stream_close(&archive->data);
    pu_paths_free(&archive->volumes);
    pu_buf_free(&archive->indoms);
}

/* Records */

static int record_damage(struct pu_event_archive *archive, struct pu_err *err, const char *what)
{
    archive->metrics = 0;
    archive->values = 0;
    return pu_err_damage(err, archive->record_offset, "%s", what);
}

/* Behind a gap: could this be a record of values? Times do not go back. */
static bool is_believable(const void *context, struct pu_span record)
{
    const struct pu_event_archive *archive = context;
    struct pu_cursor in = pu_cursor(pu_span_clip(record, 0, record.size - 4), 4, PU_BIG);
    int64_t time = pu_event_archive_time(&in, archive->version);
    struct pu_cursor last = pu_cursor(in.span, in.at - 4, PU_BIG);
    uint32_t fraction = pu_cursor_u32(&last);
    uint32_t metrics = pu_cursor_u32(&in);

    return !in.bad && time >= archive->time && time < INT64_MAX &&
           fraction < (archive->version == 3 ? PU_NANOSECONDS : 1000000) &&
           pu_span_has(in.span, in.at, UINT64_C(8) * metrics);
}

int pu_event_archive_go_on(struct pu_event_stream *stream, const struct pu_err *damage,
                           bool (*believe)(const void *context, struct pu_span record),
                           const void *context, struct pu_err *err)
{
    uint64_t from = stream->offset;
    bool cut = stream->cut;
    struct pu_err other;
    int found = pu_event_stream_search(stream, believe, context, &other);

    *err = *damage;
    if (found > 0)
        pu_err_damage(err, from, "%.140s; reading goes on at 0x%" PRIx64 ", %" PRIu64 " bytes on",
                      damage->message, stream->offset, stream->offset - from);
    else if (found == 0 && !cut)
        pu_err_damage(err, from, "%.140s; no record is found behind it", damage->message);
    return found;
}

/* The next volume: 1, or 0 when there is none. */
static int open_volume(struct pu_event_archive *archive, struct pu_err *err)
{
    struct pu_span record;
    int64_t time;

    if (archive->volume == archive->volumes.count)
        return 0;
    pu_event_stream_close(&archive->data);
    archive->given_up = true; /* unless all goes well */
    if (pu_event_stream_open(&archive->data, archive->volumes.items[archive->volume++], err) < 0)
        return -1;
    int result = pu_event_stream_next(&archive->data, &record, err);
    bool last = archive->volume == archive->volumes.count;
    if ((result == 0 || archive->data.cut) && archive->follow && last) {
        archive->volume--; /* it has just been made */
        pu_event_stream_close(&archive->data);
        return 0;
    }
    if (result == 0)
        return pu_err_damage(err, 0, "too small: no label");
    if (result < 0 || pu_event_archive_label(archive, record, &time, err) < 0)
        return -1;
    archive->given_up = false;
    archive->time = time;
    return 1;
}

/* More of the archive, if it has grown: 1 when it was worth to look. */
static int look_for_more(struct pu_event_archive *archive, struct pu_err *err)
{
    if (!archive->follow)
        return 1;
    if (pu_event_archive_meta(archive, true, true, err) < 0)
        return -1;
    return list_volumes(archive, err) < 0 ? -1 : 1;
}

/* The next record of any volume: 1, 0 at the end, -1. */
static int next_raw(struct pu_event_archive *archive, struct pu_err *err)
{
    for (;;) {
        int result = 0;
        if (archive->data.fd >= 0 && !archive->given_up) {
            result = pu_event_stream_next(&archive->data, &archive->record, err);
            if (result > 0)
                return 1;
            bool last = archive->volume == archive->volumes.count;
            if (result < 0 && archive->data.cut && archive->follow && last)
                return 0;
            if (result < 0) {
                struct pu_err damage = *err;
                archive->given_up = damage.code != PU_E_DAMAGED ||
                                    pu_event_archive_go_on(&archive->data, &damage, is_believable,
                                                           archive, err) <= 0;
                return -1;
            }
        }
        result = open_volume(archive, err);
        if (result <= 0)
            return result;
    }
}

/* The next one with metrics in the window: 1, 0 at the end, -1. */
static int next_record(struct pu_event_archive *archive, struct pu_err *err)
{
    if (look_for_more(archive, err) < 0)
        return -1;
    for (;;) {
        int result = next_raw(archive, err);
        if (result <= 0)
            return result;
        archive->record_offset = archive->data.offset - archive->record.size;
        archive->in =
            pu_cursor(pu_span_clip(archive->record, 0, archive->record.size - 4), 4, PU_BIG);
        archive->time = pu_event_archive_time(&archive->in, archive->version);
        archive->metrics = pu_cursor_u32(&archive->in);
        archive->budget = archive->record.size;
        archive->wanted = false;
        if (archive->in.bad)
            return record_damage(archive, err, "a record that is too small");
        if (archive->time < archive->from || archive->time > archive->to)
            archive->metrics = 0;
        if (archive->metrics > 0)
            return 1;
    }
}

/* A metric of the record: its values are next, unless nobody wants them. */
static int next_metric(struct pu_event_archive *archive, struct pu_err *err)
{
    struct pu_cursor *in = &archive->in;
    uint32_t pmid = pu_cursor_u32(in);
    int32_t count = pu_cursor_i32(in);

    archive->metrics--;
    if (in->bad)
        return record_damage(archive, err, "a record with more metrics than it has room for");
    if (count <= 0)
        return 0;
    archive->format = pu_cursor_u32(in);
    if (in->bad || !pu_span_has(in->span, in->at, UINT64_C(8) * (uint32_t)count))
        return record_damage(archive, err, "a record with more values than it has room for");
    archive->metric = pu_event_catalog_find(&archive->catalog, pmid);
    archive->unknown = (struct pu_event_metric){pmid, -1, PU_EVENT_NO_INDOM, {0}, {0}};
    if (!archive->metric)
        archive->metric = &archive->unknown;
    bool known = archive->metric->type >= 0;
    if ((known ? pu_event_is_event(archive->metric) : archive->format != INSITU) &&
        (!archive->selection || pu_event_selection_has(archive->selection, archive->metric)))
        archive->values = (uint32_t)count;
    else
        in->at += UINT64_C(8) * (uint32_t)count;
    return 0;
}

static bool is_wanted(const struct pu_event_archive *archive, const struct pu_event_sample *sample)
{
    if (!archive->selection)
        return true;
    if (sample->has_instance)
        return pu_event_selection_has_instance(archive->selection, sample->metric, sample->instance,
                                               sample->instance_name);
    return pu_event_selection_has_singular(archive->selection, sample->metric);
}

/* The block of a value: the array, and what follows it if its length cannot be true. */
static int find_block(struct pu_event_archive *archive, uint32_t index, struct pu_span *block,
                      struct pu_err *err)
{
    uint64_t offset = UINT64_C(4) * index - 8;

    if (archive->format == INSITU)
        return pu_err_damage(err, archive->record_offset, "metric %.80s has a number, no array",
                             (const char *)archive->metric->names.data);
    *block = pu_span_clip(archive->in.span, offset, UINT64_MAX);
    if (index < 2 || block->size < 4)
        return pu_err_damage(err, archive->record_offset, "a value outside of its record");
    uint32_t length = pu_event_length(*block, PU_BIG);
    if (length >= PU_EVENT_HEADER_SIZE && length <= block->size)
        block->size = length;
    if (block->size > archive->budget)
        return record_damage(archive, err, "a record whose values overlap");
    archive->budget -= block->size;
    return 0;
}

/* The next value: 1 when it is one to be had, 0 when not. */
static int next_value(struct pu_event_archive *archive, struct pu_event_sample *sample,
                      struct pu_err *err)
{
    int32_t instance = pu_cursor_i32(&archive->in);
    uint32_t index = pu_cursor_u32(&archive->in);
    const struct pu_event_metric *metric = archive->metric;
    struct pu_span block;

    archive->values--;
    if (find_block(archive, index, &block, err) < 0)
        return -1;
    if (metric->type < 0 && !pu_event_is_array(block, PU_BIG))
        return 0;
    *sample = (struct pu_event_sample){
        .file = archive->data.path,
        .has_offset = true,
        .offset = archive->record_offset + UINT64_C(4) * index - 8,
        .metric = metric,
        .has_instance = metric->indom != PU_EVENT_NO_INDOM || instance != -1,
        .instance = instance,
        .has_time = true,
        .time = archive->time,
        .bytes = block,
        .order = PU_BIG,
    };
    if (sample->has_instance)
        sample->instance_name =
            pu_event_catalog_instance(&archive->catalog, metric->indom, instance, archive->time);
    return is_wanted(archive, sample);
}

int pu_event_archive_next(struct pu_event_archive *archive, struct pu_event_sample *sample,
                          struct pu_err *err)
{
    for (;;) {
        int result = 0;
        if (archive->values > 0) {
            result = next_value(archive, sample, err);
            if (result > 0) {
                archive->records += !archive->wanted;
                archive->wanted = true;
                return 1;
            }
        } else if (archive->metrics > 0) {
            result = next_metric(archive, err);
        } else {
            result = next_record(archive, err);
            if (result == 0)
                return 0;
        }
        if (result < 0)
            return -1;
    }
}
