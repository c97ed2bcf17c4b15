/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/log.h"
#include "experiment/xml.h"

#define SIZE_MAX_PLAUSIBLE (UINT64_C(1) << 40)

struct reader {
    struct pu_xml_handler handler; /* first */
    struct pu_map *map;
    struct pu_exp_report *report;
};

const char *pu_map_kind_word(enum pu_map_kind kind)
{
    static const char *const words[] = {"segment", "dynfunc", "function",
                                        "jcm",     "unmap",   "unknown"};

    return words[kind];
}

static enum pu_map_kind kind_of(const struct pu_xml_record *record)
{
    const char *kind = pu_xml_get(record, "kind");
    const char *object = pu_xml_get(record, "object");

    if (kind && strcmp(kind, "unmap") == 0)
        return PU_MAP_UNMAP;
    for (int i = PU_MAP_SEGMENT; kind && object && i < PU_MAP_UNMAP; i++) {
        if (strcmp(object, pu_map_kind_word((enum pu_map_kind)i)) == 0)
            return (enum pu_map_kind)i;
    }
    return PU_MAP_UNKNOWN;
}

/* "0x00007F..", "+0x0", "-0x10", "4096": its magnitude, and whether it is negative. */
static bool parse(const char *text, uint64_t *value, bool *negative)
{
    char *end;

    *negative = *text == '-';
    text += *text == '-' || *text == '+';
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *value = strtoull(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
    return errno == 0 && !*end;
}

static bool number(struct reader *reader, const struct pu_xml_record *record, const char *name,
                   uint64_t *value)
{
    const char *text = pu_xml_get(record, name);
    bool negative;

    if (!text)
        return false;
    if (parse(text, value, &negative) && !negative)
        return true;
    *value = 0;
    pu_exp_report_at(reader->report, R_MAP_RECORD, record->offset, "%s \"%.60s\" is no number",
                     name, text);
    return false;
}

static void take_offset(struct reader *reader, const struct pu_xml_record *record,
                        struct pu_map_record *to)
{
    const char *text = pu_xml_get(record, "foffset");
    uint64_t value;
    bool negative;

    if (!text)
        return;
    if (parse(text, &value, &negative) && value <= INT64_MAX)
        to->offset = negative ? -(int64_t)value : (int64_t)value;
    else
        pu_exp_report_at(reader->report, R_MAP_RECORD, record->offset,
                         "foffset \"%.60s\" is no offset", text);
}

static void take_time(struct reader *reader, const struct pu_xml_record *record,
                      struct pu_map_record *to)
{
    const char *text = pu_xml_get(record, "tstamp");

    if (!text)
        return;
    to->has_time = pu_log_parse_time(text, &to->time);
    if (!to->has_time)
        pu_exp_report_at(reader->report, R_TIME, record->offset,
                         "tstamp \"%.60s\": not seconds with nine decimals", text);
}

static void require(struct reader *reader, const struct pu_map_record *record, bool is_there,
                    const char *what)
{
    if (!is_there)
        pu_exp_report_at(reader->report, R_MAP_RECORD, record->at, "%s without %s",
                         pu_map_kind_word(record->kind), what);
}

static void judge(struct reader *reader, const struct pu_map_record *record, bool has_size)
{
    switch (record->kind) {
    case PU_MAP_UNMAP:
        require(reader, record, record->has_address || record->method, "vaddr or methodId");
        return;
    case PU_MAP_UNKNOWN:
        pu_exp_report_at(reader->report, R_MAP_RECORD, record->at,
                         "neither a known mapping nor an unmap");
        return;
    case PU_MAP_SEGMENT:
    case PU_MAP_FUNCTION:
        require(reader, record, *record->name, "name");
        break;
    case PU_MAP_DYNFUNC:
    case PU_MAP_JCM:
        break;
    }
    require(reader, record, record->has_address, "vaddr");
    require(reader, record, has_size, "size");
    if (record->size > SIZE_MAX_PLAUSIBLE || record->size > 0 - record->address - 1)
        pu_exp_report_at(reader->report, R_MAP_RANGE, record->at, "0x%llx, %llu bytes",
                         (unsigned long long)record->address, (unsigned long long)record->size);
}

static int take(struct pu_xml_handler *handler, const struct pu_xml_record *record)
{
    struct reader *reader = (struct reader *)handler;
    struct pu_map *map = reader->map;
    struct pu_map_record to = {.at = record->offset, .name = "", .function = ""};
    const struct pu_span *name = pu_xml_get_span(record, "name");
    const struct pu_span *function = pu_xml_get_span(record, "funcname");

    to.unmapped = INT64_MAX;
    to.kind = kind_of(record);
    if (strcmp(record->element, "event") != 0)
        pu_exp_report_at(reader->report, R_ELEMENT_UNKNOWN, record->offset, "element <%.60s>",
                         record->element);
    to.has_address = number(reader, record, "vaddr", &to.address);
    bool has_size = number(reader, record, "size", &to.size);
    (void)number(reader, record, "modes", &to.modes);
    (void)number(reader, record, "methodId", &to.method);
    take_offset(reader, record, &to);
    take_time(reader, record, &to);
    if (name)
        to.name = pu_arena_text(&map->strings, *name);
    if (function)
        to.function = pu_arena_text(&map->strings, *function);
    judge(reader, &to, has_size);
    if (map->strings.failed || !pu_exp_grow(&map->records, &map->room, map->count, sizeof(to)))
        return -1;
    map->records[map->count++] = to;
    return 0;
}

static void take_damage(struct pu_xml_handler *handler, enum pu_xml_damage kind, uint64_t offset,
                        const char *what)
{
    struct reader *reader = (struct reader *)handler;

    if (kind != PU_XML_STRAY_END)
        reader->map->damages++;
    pu_exp_report_at(reader->report, pu_exp_xml_rule((int)kind), offset, "%s", what);
}

/* --- what ends when -----------------------------------------------------------------------------
 */

static int by_address(const void *a, const void *b)
{
    const struct pu_map_record *one = *(struct pu_map_record *const *)a;
    const struct pu_map_record *other = *(struct pu_map_record *const *)b;

    if (one->address != other->address)
        return one->address < other->address ? -1 : 1;
    return one < other ? -1 : one > other;
}

static void free_index(struct pu_map_record ***index)
{
    free(*index);
}

/* Segments and unmaps by address and then as in the file; NULL when memory runs out. */
static struct pu_map_record **make_index(const struct pu_map *map, bool unmaps, size_t *count)
{
    struct pu_map_record **index =
        reallocarray(NULL, map->count + 1, sizeof(struct pu_map_record *));

    *count = 0;
    for (size_t i = 0; index && i < map->count; i++) {
        struct pu_map_record *record = &map->records[i];
        if (record->has_address &&
            (record->kind == PU_MAP_SEGMENT || (unmaps && record->kind == PU_MAP_UNMAP)))
            index[(*count)++] = record;
    }
    if (index && *count > 0)
        qsort(index, *count, sizeof(struct pu_map_record *), by_address);
    return index;
}

/* An unmap ends the segment that was mapped last at its address. */
static bool pair_unmaps(struct pu_map *map)
{
    size_t count;
    PU_CLEANUP(free_index) struct pu_map_record **index = make_index(map, true, &count);

    for (size_t i = 1; index && i < count; i++) {
        struct pu_map_record *before = index[i - 1];
        if (index[i]->kind == PU_MAP_UNMAP && index[i]->has_time &&
            before->kind == PU_MAP_SEGMENT && before->address == index[i]->address)
            before->unmapped = index[i]->time;
    }
    return index != NULL;
}

int pu_map_read(struct pu_span bytes, struct pu_map *map, struct pu_exp_report *report,
                struct pu_err *err)
{
    struct reader reader = {.handler = {take, take_damage}, .map = map, .report = report};

    if (pu_xml_read(bytes, &reader.handler, err) < 0)
        return -1;
    return pair_unmaps(map) ? 0 : pu_err_system(err, ENOMEM, "cannot read");
}

void pu_map_free(struct pu_map *map)
{
    free(map->records);
    pu_arena_free(&map->strings);
    memset(map, 0, sizeof(*map));
}

static bool coexist(const struct pu_map_record *a, const struct pu_map_record *b)
{
    return a->time < b->unmapped && b->time < a->unmapped;
}

bool pu_map_check_overlaps(const struct pu_map *map, struct pu_exp_report *report)
{
    enum { LOOK_AHEAD = 64 }; /* enough for any real file, and no square of a hostile one */
    size_t count;
    PU_CLEANUP(free_index) struct pu_map_record **index = make_index(map, false, &count);

    for (size_t i = 0; index && i < count; i++) {
        for (size_t j = i + 1; j < count && j - i < LOOK_AHEAD; j++) {
            if (index[j]->address - index[i]->address >= index[i]->size)
                break;
            if (coexist(index[i], index[j]))
                pu_exp_report_at(report, R_MAP_OVERLAP, index[j]->at,
                                 "%.80s at 0x%llx lies over %.80s at 0x%llx", index[j]->name,
                                 (unsigned long long)index[j]->address, index[i]->name,
                                 (unsigned long long)index[i]->address);
        }
    }
    return index != NULL;
}

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text);
    size_t tail = strlen(end);

    return size >= tail && strcmp(text + size - tail, end) == 0;
}

/* ".../test.1.er/log.xml": the collector's own mappings. */
static bool is_own(const char *name)
{
    const char *slash = strrchr(name, '/');

    return slash && slash - name > 3 && memcmp(slash - 3, ".er", 3) == 0;
}

bool pu_map_is_object(const struct pu_map_record *record)
{
    const char *name = record->name;

    if (record->kind != PU_MAP_SEGMENT || !*name || strchr("[<", *name))
        return false;
    return strcmp(name, "LinuxKernel") != 0 && strncmp(name, "/memfd:", 7) != 0 &&
           strncmp(name, "/dev/", 5) != 0 && strncmp(name, "/SYSV", 5) != 0 &&
           !ends_with(name, "(deleted)") && !is_own(name);
}
