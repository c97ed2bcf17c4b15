/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/archives.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiment/dynamic.h"
#include "experiment/elf.h"

#define POLYNOMIAL UINT64_C(0x807)
#define BASE_MAX   243 /* a longer base name is cut, and has a hash of its own */
#define RANGES_MAX 64  /* mappings of one file that are compared */

const char *pu_archive_status_word(enum pu_archive_status status)
{
    static const char *const words[] = {"present",   "digest", "linked", "missing",   "dangling",
                                        "truncated", "wrong",  "newer",  "not-needed"};

    return words[status];
}

bool pu_archive_is_bad(const struct pu_archive *archive)
{
    return archive->status >= PU_ARCHIVE_MISSING && archive->status <= PU_ARCHIVE_WRONG;
}

/* --- names --------------------------------------------------------------------------------------
 */

static uint64_t crc(struct pu_span bytes)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < bytes.size; i++) {
        sum ^= (uint64_t)bytes.data[i] << 56;
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 63 ? sum << 1 ^ POLYNOMIAL : sum << 1;
    }
    return sum;
}

void pu_archive_hash(struct pu_span directory, char to[PU_ARCHIVE_HASH + 1])
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
    uint64_t sum = crc(directory);

    for (int i = 0; i < PU_ARCHIVE_HASH; i++, sum >>= 6)
        to[i] = digits[sum & 63];
    to[PU_ARCHIVE_HASH] = '\0';
}

const char *pu_archive_name(struct pu_arena *strings, const char *path, char separator)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    struct pu_span directory = pu_span_text("./");
    char hash[PU_ARCHIVE_HASH + 1];
    char tail[PU_ARCHIVE_HASH + 2] = "";
    char name[BASE_MAX + 2 * (PU_ARCHIVE_HASH + 1) + 1];

    if (slash)
        directory = pu_span_clip(pu_span_text(path), 0, (size_t)(base - path));
    pu_archive_hash(directory, hash);
    if (strlen(base) > BASE_MAX) {
        tail[0] = '_';
        pu_archive_hash(pu_span_text(base), tail + 1);
    }
    snprintf(name, sizeof(name), "%.*s%s%c%s", BASE_MAX, base, tail, separator, hash);
    return pu_arena_text(strings, pu_span_text(name));
}

/* --- what is needed -----------------------------------------------------------------------------
 */

/* False when memory runs out. */
static bool add_needed(struct pu_archives *archives, struct pu_map_record record,
                       struct pu_span name)
{
    record.name = pu_arena_text(&archives->strings, name);
    if (archives->strings.failed || !pu_exp_grow(&archives->needed, &archives->needed_room,
                                                 archives->needed_count, sizeof(record)))
        return false;
    archives->needed[archives->needed_count++] = record;
    return true;
}

static int need_mapped(struct pu_archives *archives, const struct pu_exp *exp,
                       struct pu_judge *judge, struct pu_err *err)
{
    PU_CLEANUP(pu_blob_free) struct pu_blob blob = {0};
    PU_CLEANUP(pu_exp_report_close) struct pu_exp_report report = {0};
    PU_CLEANUP(pu_map_free) struct pu_map map = {0};

    pu_exp_report_on(exp, judge, "map.xml", &report);
    int found = pu_exp_read(exp, "map.xml", &report, &blob, err);
    if (found <= 0)
        return found;
    if (pu_map_read(pu_blob_span(&blob), &map, &report, err) < 0)
        return -1;
    for (size_t i = 0; i < map.count; i++) {
        if (pu_map_is_object(&map.records[i]) &&
            !add_needed(archives, map.records[i], pu_span_text(map.records[i].name)))
            return pu_err_system(err, ENOMEM, "cannot hold the mappings");
    }
    return 0;
}

static bool has_suffix(const char *text, const char *suffix)
{
    size_t size = strlen(text);
    size_t length = strlen(suffix);

    return size > length && strcmp(text + size - length, suffix) == 0;
}

static bool is_java(const char *path)
{
    return has_suffix(path, ".jar") || has_suffix(path, ".class");
}

struct java_needs {
    struct pu_archives *archives;
    bool lost; /* memory ran out */
};

/* The classes of one archive follow each other mostly. */
static bool need_class(void *data, const struct pu_class_record *record)
{
    struct java_needs *needs = data;
    struct pu_archives *archives = needs->archives;
    PU_CLEANUP(pu_buf_free) struct pu_buf buf = {0};

    if (record->kind != PU_CLASS_LOCATION)
        return true;
    pu_class_path(record, &buf);
    const char *path = pu_buf_text(&buf);
    bool again = archives->needed_count > 0 &&
                 strcmp(archives->needed[archives->needed_count - 1].name, path) == 0;
    if (is_java(path) && !again)
        needs->lost |= !add_needed(archives, (struct pu_map_record){0}, pu_span_text(path));
    needs->lost |= buf.failed;
    return !needs->lost;
}

static int need_classes(struct pu_archives *archives, const struct pu_exp *exp, const char *name,
                        struct pu_judge *judge, struct pu_err *err)
{
    PU_CLEANUP(pu_blob_free) struct pu_blob blob = {0};
    PU_CLEANUP(pu_exp_report_close) struct pu_exp_report report = {0};
    struct java_needs needs = {.archives = archives};

    pu_exp_report_on(exp, judge, name, &report);
    int found = pu_exp_read(exp, name, &report, &blob, err);
    if (found <= 0)
        return found;
    (void)pu_classes_read(pu_blob_span(&blob), exp->order, &report, need_class, &needs);
    return needs.lost ? pu_err_system(err, ENOMEM, "cannot hold the classes") : 0;
}

int pu_archives_need(struct pu_archives *archives, const struct pu_exp *exp, struct pu_judge *judge,
                     struct pu_err *err)
{
    if (need_mapped(archives, exp, judge, err) < 0 ||
        need_classes(archives, exp, "jclasses", judge, err) < 0)
        return -1;
    return need_classes(archives, exp, "JAVA_CLASSES", judge, err);
}

/* --- what is there ------------------------------------------------------------------------------
 */

struct comparison {
    struct pu_archives *archives;
    const struct pu_exp *founder;
    struct pu_exp_dir dir; /* archives/ */
    bool *used;            /* by entry */
};

static enum pu_archive_status judge_java(int fd, const char *path)
{
    unsigned char head[4] = {0};
    bool jar = has_suffix(path, ".jar");

    if (pread(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head))
        return PU_ARCHIVE_TRUNCATED;
    return memcmp(head, jar ? "PK\3\4" : "\xca\xfe\xba\xbe", 4) == 0 ? PU_ARCHIVE_PRESENT
                                                                     : PU_ARCHIVE_WRONG;
}

/* The mappings of one file follow each other. */
static enum pu_archive_status judge_elf(const struct comparison *comparison, int fd,
                                        const struct pu_exp_entry *entry,
                                        const struct pu_map_record *first)
{
    struct pu_elf_range ranges[RANGES_MAX];
    const struct pu_archives *archives = comparison->archives;
    const struct pu_map_record *end = archives->needed + archives->needed_count;
    size_t count = 0;

    for (; first < end && count < RANGES_MAX; first++) {
        if (count > 0 && strcmp(first->name, first[-1].name) != 0)
            break;
        if (first->offset >= 0)
            ranges[count++] = (struct pu_elf_range){(uint64_t)first->offset, first->size};
        else
            break;
    }
    switch (pu_elf_judge(fd, entry->size, comparison->founder->is_64, ranges, count)) {
    case PU_ELF_TRUNCATED:
        return PU_ARCHIVE_TRUNCATED;
    case PU_ELF_NONE:
        return entry->size == 0 ? PU_ARCHIVE_TRUNCATED : PU_ARCHIVE_WRONG;
    case PU_ELF_OTHER:
        return PU_ARCHIVE_WRONG;
    case PU_ELF_GOOD:
        break;
    }
    return PU_ARCHIVE_PRESENT;
}

/* Data files are mapped as well, locales for instance: what was not executable need not be ELF. */
static bool was_executable(const struct comparison *comparison, const struct pu_map_record *first)
{
    const struct pu_archives *archives = comparison->archives;
    const char *name = first->name;
    uint64_t mask = pu_log_is_studio(&comparison->founder->log) ? 1 : 4;

    for (; first < archives->needed + archives->needed_count && strcmp(first->name, name) == 0;
         first++) {
        if (first->modes & mask)
            return true;
    }
    return false;
}

/* The only look behind a link: whether there is something. */
static enum pu_archive_status judge_link(const struct comparison *comparison, const char *name)
{
    struct stat status;

    return fstatat(comparison->dir.fd, name, &status, 0) == 0 ? PU_ARCHIVE_LINKED
                                                              : PU_ARCHIVE_DANGLING;
}

/* Its records are not looked into. */
static enum pu_archive_status judge_digest(const struct pu_exp_entry *entry)
{
    if (entry->type != PU_EXP_FILE)
        return PU_ARCHIVE_WRONG;
    return entry->size > 0 ? PU_ARCHIVE_DIGEST : PU_ARCHIVE_TRUNCATED;
}

static enum pu_archive_status judge(const struct comparison *comparison,
                                    const struct pu_exp_entry *entry,
                                    const struct pu_map_record *first)
{
    struct pu_err err;
    enum pu_archive_status result = PU_ARCHIVE_PRESENT;

    PU_CLEANUP(pu_io_close) int fd = pu_exp_dir_open_file(&comparison->dir, entry->name, &err);
    if (fd < 0)
        return PU_ARCHIVE_WRONG;
    if (is_java(first->name))
        result = judge_java(fd, first->name);
    else if (was_executable(comparison, first))
        result = judge_elf(comparison, fd, entry, first);
    int64_t start = comparison->founder->wall_start;
    if (result == PU_ARCHIVE_PRESENT && start > 0 && entry->mtime > start)
        result = PU_ARCHIVE_NEWER;
    return result;
}

static const struct pu_exp_entry *use(struct comparison *comparison, const char *name)
{
    const struct pu_exp_entry *entry =
        comparison->dir.fd < 0 ? NULL : pu_exp_dir_find(&comparison->dir, name);

    if (entry)
        comparison->used[entry - comparison->dir.entries] = true;
    return entry;
}

static int add(struct pu_archives *archives, struct pu_archive item, struct pu_err *err)
{
    if (archives->strings.failed ||
        !pu_exp_grow(&archives->items, &archives->room, archives->count, sizeof(item)))
        return pu_err_system(err, ENOMEM, "cannot hold the archives");
    archives->items[archives->count++] = item;
    return 0;
}

static int compare_one(struct comparison *comparison, const struct pu_map_record *first,
                       struct pu_err *err)
{
    struct pu_arena *strings = &comparison->archives->strings;
    struct pu_archive item = {.path = first->name, .name = "", .status = PU_ARCHIVE_MISSING};
    const char *digest = pu_archive_name(strings, first->name, '.');

    item.wanted = pu_archive_name(strings, first->name, '_');
    const struct pu_exp_entry *entry = use(comparison, item.wanted);
    bool copied = entry != NULL;
    if (!entry)
        entry = use(comparison, digest);
    if (entry) {
        if (entry->type == PU_EXP_LINK)
            item.status = judge_link(comparison, entry->name);
        else
            item.status = copied ? judge(comparison, entry, first) : judge_digest(entry);
        item.name = pu_arena_text(strings, pu_span_text(entry->name));
        item.size = entry->size;
        item.mtime = entry->mtime;
    }
    return add(comparison->archives, item, err);
}

static int by_name(const void *a, const void *b)
{
    const struct pu_map_record *one = a;
    const struct pu_map_record *other = b;
    int order = strcmp(one->name, other->name);

    return order ? order : (one->offset > other->offset) - (one->offset < other->offset);
}

static int compare_needed(struct comparison *comparison, struct pu_err *err)
{
    struct pu_archives *archives = comparison->archives;

    if (archives->needed_count > 0)
        qsort(archives->needed, archives->needed_count, sizeof(*archives->needed), by_name);
    for (size_t i = 0; i < archives->needed_count; i++) {
        const struct pu_map_record *record = &archives->needed[i];
        if (i > 0 && strcmp(record->name, record[-1].name) == 0)
            continue;
        if (compare_one(comparison, record, err) < 0)
            return -1;
    }
    return 0;
}

static int list_unneeded(struct comparison *comparison, struct pu_err *err)
{
    struct pu_arena *strings = &comparison->archives->strings;

    for (size_t i = 0; i < comparison->dir.count; i++) {
        const struct pu_exp_entry *entry = &comparison->dir.entries[i];
        if (comparison->used[i])
            continue;
        struct pu_archive item = {.path = "",
                                  .wanted = "",
                                  .status = PU_ARCHIVE_NOT_NEEDED,
                                  .size = entry->size,
                                  .mtime = entry->mtime};
        item.name = pu_arena_text(strings, pu_span_text(entry->name));
        if (add(comparison->archives, item, err) < 0)
            return -1;
    }
    return 0;
}

static void release(struct comparison *comparison)
{
    pu_exp_dir_free(&comparison->dir);
    free(comparison->used);
}

int pu_archives_compare(struct pu_archives *archives, const struct pu_exp *founder,
                        struct pu_err *err)
{
    PU_CLEANUP(release)
    struct comparison comparison = {.archives = archives, .founder = founder, .dir.fd = -1};

    if (pu_exp_dir_find(&founder->dir, "archives") &&
        pu_exp_dir_open_member(&founder->dir, "archives", &comparison.dir, err) < 0) {
        pu_err_where(err, "archives");
        return -1;
    }
    comparison.used = calloc(comparison.dir.count + 1, sizeof(bool));
    if (!comparison.used)
        return pu_err_system(err, ENOMEM, "cannot hold the archives");
    if (compare_needed(&comparison, err) < 0)
        return -1;
    return list_unneeded(&comparison, err);
}

void pu_archives_free(struct pu_archives *archives)
{
    free(archives->items);
    free(archives->needed);
    pu_arena_free(&archives->strings);
    memset(archives, 0, sizeof(*archives));
}
