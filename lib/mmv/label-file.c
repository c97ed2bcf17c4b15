/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/label-file.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/replace.h"
#include "mmv/upgrade.h"
#include "mmv/walk.h"

#define ALIGNMENT 8

/* Where the parts of the header are. */
enum { AT_GENERATION1 = 8, AT_GENERATION2 = 16, AT_CLUSTER = 36 };

static size_t label_toc(const struct pu_mmv *mmv)
{
    size_t toc = 0;

    while (toc < mmv->section_count && mmv->sections[toc].kind != PU_MMV_LABELS)
        toc++;
    return toc;
}

int pu_mmv_labels_check(struct pu_mmv *mmv, struct pu_err *err)
{
    size_t sections = 0;

    if (mmv->order != PU_HOST)
        return pu_err_set(err, PU_E_NONE,
                          "it is in the byte order of another machine: label it there, or make it "
                          "anew with mmvcreate");
    for (size_t i = 0; i < mmv->section_count; i++)
        sections += mmv->sections[i].kind == PU_MMV_LABELS;
    if (sections > 1)
        return pu_err_set(err, PU_E_NONE,
                          "it has %zu sections of labels, of which PCP's agent reads the last one "
                          "alone: make it anew with mmvcreate",
                          sections);
    return 0;
}

void pu_mmv_look_through(struct pu_mmv *mmv, struct pu_errors *damage)
{
    const struct pu_mmv_view view = {.path = "", .mmv = mmv, .damage = damage};
    struct pu_mmv_walk walk;
    struct pu_mmv_reading reading;

    for (size_t toc = 0; toc < mmv->section_count; toc++) {
        if (mmv->sections[toc].kind != PU_MMV_VALUES)
            continue;
        pu_mmv_walk_section(&walk, &view, toc);
        while (pu_mmv_walk_next(&walk, &reading)) {
        }
    }
}

void pu_mmv_labels_tidy(struct pu_mmv_labels *labels)
{
    size_t kept = 0;

    for (size_t i = 0; i < labels->count; i++) {
        if (kept > 0 &&
            memcmp(&labels->records[kept - 1], &labels->records[i], PU_MMV_LABEL_SIZE) == 0)
            continue;
        labels->records[kept++] = labels->records[i];
    }
    memset(&labels->records[kept], 0, (labels->count - kept) * sizeof(*labels->records));
    labels->count = kept;
}

/* Bytes of the file */

static void put(struct pu_buf *bytes, uint64_t at, const void *from, size_t size)
{
    memcpy(bytes->data + at, from, size);
}

static int resize(struct pu_buf *bytes, uint64_t size, struct pu_err *err)
{
    if (size > bytes->size) {
        size_t more = size - bytes->size;
        char *room = pu_buf_room(bytes, more);
        if (!room)
            return pu_err_system(err, ENOMEM, "cannot hold the file");
        memset(room, 0, more);
    }
    bytes->size = size;
    return 0;
}

enum way {
    STAY, /* where the section is, and the file does not shrink */
    FIT,  /* where it is; the file shrinks when that was its end */
    MOVE, /* to the end of the file */
};

struct placing {
    const struct pu_mmv_labels *labels;
    int32_t cluster;
    uint64_t generation; /* 0 = as it is */
    enum way way;
};

/* Where the section goes. */
static uint64_t choose_offset(const struct pu_mmv *mmv, const struct pu_mmv_section *section,
                              enum way way)
{
    if (way != MOVE)
        return section->offset;
    return (mmv->span.size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Are there only zeros from `offset` on, where more labels are to go? */
static bool has_room(struct pu_span span, uint64_t offset, uint64_t size)
{
    struct pu_span room = pu_span_clip(span, offset, size);

    if (offset > span.size)
        return false;
    for (size_t i = 0; i < room.size; i++) {
        if (room.data[i])
            return false;
    }
    return true;
}

/*
 * The bytes of the section, and behind it those of records that an interrupted change has written
 * and not counted yet, or not counted any more and not wiped out yet.
 */
static uint64_t section_size(const struct pu_mmv *mmv, const struct pu_mmv_section *section)
{
    uint64_t size = section->usable * PU_MMV_LABEL_SIZE;

    while (pu_mmv_is_interrupted(&mmv->header)) {
        struct pu_span rest = pu_span_clip(mmv->span, section->offset + size, PU_MMV_LABEL_SIZE);
        struct pu_cursor cursor = pu_cursor(rest, 0, PU_HOST);
        uint32_t flags = pu_cursor_u32(&cursor) & ~(uint32_t)PU_MMV_LABEL_OPTIONAL;
        bool level = flags == PU_MMV_LABEL_REGISTRY || flags == PU_MMV_LABEL_INDOM ||
                     flags == PU_MMV_LABEL_ITEM || flags == PU_MMV_LABEL_INSTANCE;
        if (!level || rest.size < 13 || rest.data[12] != '{')
            break;
        size += rest.size;
    }
    return size;
}

static void put_header(struct pu_buf *bytes, const struct placing *placing)
{
    put(bytes, AT_CLUSTER, &placing->cluster, sizeof(placing->cluster));
    if (placing->generation) {
        put(bytes, AT_GENERATION1, &placing->generation, sizeof(placing->generation));
        put(bytes, AT_GENERATION2, &placing->generation, sizeof(placing->generation));
    }
}

/* `bytes` are the file, which has a section for labels. -1 when it is not possible this way. */
static int place(const struct pu_mmv *mmv, const struct placing *placing, struct pu_buf *bytes,
                 struct pu_err *err)
{
    const struct pu_mmv_section *section = &mmv->sections[label_toc(mmv)];
    uint64_t old_size = section_size(mmv, section);
    uint64_t old_end = section->offset + old_size;
    uint64_t size = placing->labels->count * PU_MMV_LABEL_SIZE;
    uint64_t offset = choose_offset(mmv, section, placing->way);
    uint32_t count = (uint32_t)placing->labels->count;

    if (count == 0)
        offset = section->offset;
    if (offset == section->offset && size > old_size &&
        !has_room(mmv->span, old_end, size - old_size))
        return pu_err_set(err, PU_E_NONE, "something else follows its labels");
    if (old_size > 0)
        memset(bytes->data + section->offset, 0, old_size);
    if (offset + size > bytes->size && resize(bytes, offset + size, err) < 0)
        return -1;
    if (placing->way != STAY && offset == section->offset && size < old_size &&
        old_end == bytes->size)
        bytes->size = offset + size;
    if (size > 0)
        put(bytes, offset, placing->labels->records, size);
    put(bytes, section->toc_offset + 4, &count, sizeof(count));
    put(bytes, section->toc_offset + 8, &offset, sizeof(offset));
    put_header(bytes, placing);
    return 0;
}

/* Does the result hold what it should, and all else as it was? */
static int check_result(struct pu_mmv *old, const struct placing *placing, struct pu_span bytes,
                        struct pu_err *err)
{
    PU_CLEANUP(pu_errors_free) struct pu_errors damage = {0};
    PU_CLEANUP(pu_mmv_labels_free) struct pu_mmv_labels labels = {0};
    PU_CLEANUP(pu_mmv_free) struct pu_mmv mmv;
    int result = pu_mmv_decode(bytes, &mmv, &damage, err);

    if (result == 0 && damage.count == 0)
        result = pu_mmv_labels_read(&mmv, &labels, err);
    if (result < 0 && err->code == PU_E_SYSTEM)
        return -1;
    if (result < 0 || damage.count > 0 || !pu_mmv_labels_equal(&labels, placing->labels) ||
        mmv.header.cluster != placing->cluster || !pu_mmv_same(old, &mmv))
        return pu_err_set(err, PU_E_NONE,
                          "its parts overlap or lead where they should not: changing its labels "
                          "would change more; make it anew with mmvcreate");
    return 0;
}

static int try_way(struct pu_mmv *old, struct pu_span start, struct pu_mmv *mmv,
                   const struct placing *placing, struct pu_buf *bytes, struct pu_err *err)
{
    bytes->size = 0;
    pu_buf_add(bytes, start.data, start.size);
    if (bytes->failed)
        return pu_err_system(err, ENOMEM, "cannot hold the file");
    if (place(mmv, placing, bytes, err) < 0)
        return -1;
    return check_result(old, placing, pu_buf_span(bytes), err);
}

static int place_somehow(struct pu_mmv *old, struct pu_span start, struct placing *placing,
                         struct pu_buf *bytes, struct pu_err *err)
{
    PU_CLEANUP(pu_errors_free) struct pu_errors damage = {0};
    PU_CLEANUP(pu_mmv_free) struct pu_mmv mmv;

    if (pu_mmv_decode(start, &mmv, &damage, err) < 0)
        return -1;
    if (label_toc(&mmv) == mmv.section_count)
        return pu_err_set(err, PU_E_NONE, "it cannot become version 3");
    placing->way = FIT;
    if (try_way(old, start, &mmv, placing, bytes, err) == 0)
        return 0;
    if (err->code == PU_E_SYSTEM)
        return -1;
    placing->way = MOVE;
    return try_way(old, start, &mmv, placing, bytes, err);
}

int pu_mmv_labels_rebuild(struct pu_mmv *mmv, const struct pu_mmv_labels *labels, int32_t cluster,
                          bool settle, struct pu_buf *bytes, struct pu_err *err)
{
    PU_CLEANUP(pu_buf_free) struct pu_buf upgraded = {0};
    struct placing placing = {labels, cluster, 0, FIT};
    struct pu_span start = mmv->span;
    bool lacks_section = label_toc(mmv) == mmv->section_count;

    if (settle)
        placing.generation = pu_mmv_next_generation(mmv->header.generation1);
    if (labels->count > 0 && (mmv->header.version < 3 || lacks_section)) {
        if (pu_mmv_upgrade(mmv, &upgraded, err) < 0)
            return -1;
        start = pu_buf_span(&upgraded);
    } else if (lacks_section) {
        pu_buf_add(bytes, start.data, start.size);
        if (bytes->failed)
            return pu_err_system(err, ENOMEM, "cannot hold the file");
        put_header(bytes, &placing);
        return 0;
    }
    return place_somehow(mmv, start, &placing, bytes, err);
}

/* Files in use */

static int check_page(uint64_t old_size, uint64_t size, struct pu_err *err)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

    if (size <= (old_size + page - 1) / page * page)
        return 0;
    return pu_err_set(err, PU_E_NONE,
                      "no room for more labels in the last page of %llu bytes, and the application "
                      "may crash if the file grows",
                      (unsigned long long)page);
}

int pu_mmv_labels_plan_live(struct pu_mmv *mmv, const struct pu_mmv_labels *labels, int32_t cluster,
                            struct pu_buf *bytes, struct pu_err *err)
{
    struct placing placing = {labels, cluster, pu_mmv_next_generation(mmv->header.generation1),
                              STAY};

    if (cluster != mmv->header.cluster)
        return pu_err_set(err, PU_E_NONE, "its cluster cannot change while it is in use");
    if (mmv->header.version < 3)
        return pu_err_set(err, PU_E_NONE, "it is of version %d, and becomes version 3 with labels",
                          (int)mmv->header.version);
    if (label_toc(mmv) == mmv->section_count)
        return pu_err_set(err, PU_E_NONE, "it has no section for labels");
    int result = try_way(mmv, mmv->span, mmv, &placing, bytes, err);
    if (result < 0 && err->code != PU_E_SYSTEM && mmv->counts[PU_MMV_LABELS] == 0) {
        placing.way = MOVE; /* an empty section can be anywhere */
        result = try_way(mmv, mmv->span, mmv, &placing, bytes, err);
    }
    if (result < 0)
        return -1;
    return check_page(mmv->span.size, bytes->size, err);
}

static int write_at(int fd, struct pu_span bytes, uint64_t offset, size_t size, struct pu_err *err)
{
    struct pu_span rest = pu_span_clip(bytes, offset, size);

    while (rest.size > 0) {
        ssize_t done = pwrite(fd, rest.data, rest.size, (off_t)(rest.data - bytes.data));
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return pu_err_system(err, errno, "cannot write");
        rest.data += done;
        rest.size -= (size_t)done;
    }
    return 0;
}

static int write_word(int fd, uint64_t offset, uint64_t word, struct pu_err *err)
{
    if (pwrite(fd, &word, sizeof(word), (off_t)offset) != (ssize_t)sizeof(word))
        return pu_err_system(err, errno, "cannot write");
    return 0;
}

/* Are the generations still as we know them? An application may start anew at any time. */
static int check_header(int fd, uint64_t generation1, uint64_t generation2, struct pu_err *err)
{
    uint64_t words[2];

    if (pread(fd, words, sizeof(words), AT_GENERATION1) == (ssize_t)sizeof(words) &&
        words[0] == generation1 && words[1] == generation2)
        return 0;
    return pu_err_set(err, PU_E_NONE, "the application has rewritten it meanwhile: try again");
}

/* One after the other, so that a label that moves up is there twice rather than not at all. */
static int write_records(int fd, const struct pu_mmv *mmv, struct pu_span bytes, uint64_t offset,
                         uint64_t size, struct pu_err *err)
{
    for (uint64_t at = offset; at < offset + size; at += PU_MMV_LABEL_SIZE) {
        struct pu_span old = pu_span_clip(mmv->span, at, PU_MMV_LABEL_SIZE);
        struct pu_span new = pu_span_clip(bytes, at, PU_MMV_LABEL_SIZE);
        if (!pu_span_equal(old, new) && write_at(fd, bytes, at, PU_MMV_LABEL_SIZE, err) < 0)
            return -1;
    }
    return 0;
}

/* Labels, then how many there are, then zeros where there are none any more. */
static int write_labels(int fd, const struct pu_mmv *mmv, struct pu_span bytes, struct pu_err *err)
{
    const struct pu_mmv_section *section = &mmv->sections[label_toc(mmv)];
    struct pu_cursor entry = pu_cursor(bytes, section->toc_offset + 4, PU_HOST);
    uint64_t size = (uint64_t)pu_cursor_u32(&entry) * PU_MMV_LABEL_SIZE;
    uint64_t offset = pu_cursor_u64(&entry);
    uint64_t old_size = offset == section->offset ? section_size(mmv, section) : 0;

    if (write_records(fd, mmv, bytes, offset, size, err) < 0 ||
        write_at(fd, bytes, section->toc_offset, PU_MMV_TOC_SIZE, err) < 0)
        return -1;
    if (old_size <= size)
        return 0;
    return write_records(fd, mmv, bytes, offset + size, old_size - size, err);
}

int pu_mmv_labels_write_live(int fd, const struct pu_mmv *mmv, struct pu_span bytes,
                             struct pu_err *err)
{
    uint64_t old = mmv->header.generation1;
    struct pu_err later;

    if (check_header(fd, old, mmv->header.generation2, err) < 0 ||
        write_word(fd, AT_GENERATION2, ~old, err) < 0)
        return -1;
    int result = write_labels(fd, mmv, bytes, err);
    if (check_header(fd, old, ~old, &later) == 0) {
        /* Also after a failure, as for want of room on the disk: what is there is sound. */
        if (write_at(fd, bytes, AT_GENERATION1, 2 * sizeof(old), &later) == 0)
            return result;
    }
    if (result == 0)
        *err = later;
    return -1;
}

static bool is_alive(int32_t pid)
{
    return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM);
}

pid_t pu_mmv_user(const char *path, const struct pu_mmv_header *header)
{
    if (header->flags & PU_MMV_PROCESS && is_alive(header->pid))
        return header->pid;
    return pu_mapped_by(path);
}
