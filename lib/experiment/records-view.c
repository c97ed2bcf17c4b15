/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What dump shows of the files that hold no packets. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/dump-view.h"
#include "experiment/dynamic.h"
#include "experiment/xml.h"

/* --- log.xml, map.xml and their like ------------------------------------------------------------
 */

struct xml_view {
    struct pu_xml_handler handler; /* first */
    const struct pu_dump *dump;
    struct pu_exp_report *report;
};

static void put_indent(struct pu_out *out, unsigned int depth)
{
    static const struct pu_field indent = {.form = PU_FORM_PLAIN};
    static const char blanks[PU_XML_DEPTH * 2 + 1] =
        "                                                                ";

    if (depth > 0)
        pu_out_bytes(out, &indent,
                     (struct pu_span){(const unsigned char *)blanks, (size_t)depth * 2 - 1});
}

/* What a message's number means. */
static void put_meaning(struct pu_out *out, const struct pu_xml_record *record)
{
    static const struct pu_field meaning = {.key = "meaning", .form = PU_FORM_TAG};
    const char *kind = pu_xml_get(record, "kind");
    const char *id = pu_xml_get(record, "id");
    const char *text = NULL;
    int64_t number;

    if (!kind || !id || !pu_log_parse_number(id, &number))
        return;
    for (int i = PU_EV_CERROR; i <= PU_EV_COMMENT && !text; i++) {
        if (strcmp(kind, pu_log_event_word((enum pu_log_event_kind)i)) == 0)
            text = pu_log_message((enum pu_log_event_kind)i, number);
    }
    if (text)
        pu_out_string(out, &meaning, text);
}

/* Studio counts r=4 w=2 x=1, gprofng r=1 w=2 x=4, both shared=8. */
static void put_permissions(const struct pu_dump *dump, const struct pu_xml_record *record)
{
    static const struct pu_field permissions = {.key = "permissions", .form = PU_FORM_TAG};
    const char *modes = pu_xml_get(record, "modes");
    bool studio = pu_log_is_studio(&dump->exp->log);
    char text[] = "---p";

    if (!modes || !*modes)
        return;
    unsigned long bits = strtoul(modes, NULL, 16);
    if (bits & (studio ? 4 : 1))
        text[0] = 'r';
    if (bits & 2)
        text[1] = 'w';
    if (bits & (studio ? 1 : 4))
        text[2] = 'x';
    if (bits & 8)
        text[3] = 's';
    pu_out_string(dump->out, &permissions, text);
}

static void put_attributes(struct pu_out *out, const struct pu_xml_record *record)
{
    static const struct pu_field attributes = {.key = "attributes"};
    static const struct pu_field name = {.key = "name"};
    static const struct pu_field value = {.key = "value", .form = PU_FORM_QUOTED};

    pu_out_list(out, &attributes);
    for (size_t i = 0; i < record->attribute_count; i++) {
        pu_out_object(out, NULL);
        pu_out_string(out, &name, record->attributes[i].name);
        pu_out_bytes(out, &value, record->attributes[i].value);
        pu_out_end(out);
    }
    pu_out_end(out);
}

static int put_record(struct pu_xml_handler *handler, const struct pu_xml_record *record)
{
    static const struct pu_field depth = {.key = "depth", .form = PU_FORM_HIDDEN};
    static const struct pu_field element = {.key = "element"};
    static const struct pu_field text = {.key = "text", .form = PU_FORM_QUOTED};
    const struct pu_dump *dump = ((struct xml_view *)handler)->dump;

    pu_dump_begin(dump, record->offset);
    pu_out_u64(dump->out, &depth, record->depth);
    put_indent(dump->out, record->depth);
    pu_out_string(dump->out, &element, record->element);
    put_attributes(dump->out, record);
    if (record->text.size > 0)
        pu_out_bytes(dump->out, &text, record->text);
    put_meaning(dump->out, record);
    put_permissions(dump, record);
    pu_out_end(dump->out);
    return 0;
}

static void tell_damage(struct pu_xml_handler *handler, enum pu_xml_damage kind, uint64_t offset,
                        const char *what)
{
    struct xml_view *view = (struct xml_view *)handler;

    pu_exp_report_at(view->report, pu_exp_xml_rule((int)kind), offset, "%s", what);
}

int pu_dump_xml(const struct pu_dump *dump, struct pu_err *err)
{
    PU_CLEANUP(pu_blob_free) struct pu_blob blob = {0};
    PU_CLEANUP(pu_exp_report_close) struct pu_exp_report report = {0};
    struct xml_view view = {{put_record, tell_damage}, dump, &report};

    pu_exp_report_on(dump->exp, dump->judge, dump->file, &report);
    int found = pu_exp_read(dump->exp, dump->file, &report, &blob, err);
    if (found <= 0)
        return found;
    return pu_xml_read(pu_blob_span(&blob), &view.handler, err);
}

/* --- overview -----------------------------------------------------------------------------------
 */

#define LABELLED(word)                                                                             \
    {                                                                                              \
        .key = word, .form = PU_FORM_LABELLED                                                      \
    }

static const struct pu_field times[PU_OVERVIEW_TIMES] = {
    LABELLED("user_time"),       LABELLED("system_time"),     LABELLED("trap_time"),
    LABELLED("text_fault_time"), LABELLED("data_fault_time"), LABELLED("kernel_fault_time"),
    LABELLED("lock_time"),       LABELLED("sleep_time"),      LABELLED("wait_cpu_time"),
    LABELLED("stopped_time")};
static const struct pu_field counts[PU_OVERVIEW_COUNTS] = {LABELLED("minor_faults"),
                                                           LABELLED("major_faults"),
                                                           LABELLED("swaps"),
                                                           LABELLED("blocks_in"),
                                                           LABELLED("blocks_out"),
                                                           LABELLED("messages_sent"),
                                                           LABELLED("messages_received"),
                                                           LABELLED("signals"),
                                                           LABELLED("voluntary_switches"),
                                                           LABELLED("involuntary_switches"),
                                                           LABELLED("calls"),
                                                           LABELLED("characters")};

/* What every system fills stands there always, the rest when it is not 0. */
static void put_overview(const struct pu_dump *dump, const struct pu_overview_record *record)
{
    static const struct pu_field pid = {.key = "pid", .form = PU_FORM_LABELLED};
    static const struct pu_field lwps = {.key = "lwps", .form = PU_FORM_LABELLED};
    static const struct pu_field time = {.key = "time"};
    struct pu_out *out = dump->out;
    int64_t since;

    if (dump->exp->has_start && !__builtin_sub_overflow(record->time, dump->exp->start, &since))
        pu_out_double(out, &time, (double)since / 1e9);
    pu_out_i64(out, &pid, record->pid);
    pu_out_i64(out, &lwps, record->lwps);
    for (int i = 0; i < PU_OVERVIEW_TIMES; i++) {
        if (i <= PU_OVERVIEW_SYSTEM || record->times[i] != 0)
            pu_out_double(out, &times[i], (double)record->times[i] / 1e9);
    }
    for (int i = 0; i < PU_OVERVIEW_COUNTS; i++) {
        if (i <= PU_OVERVIEW_MAJOR_FAULTS || record->counts[i] != 0)
            pu_out_u64(out, &counts[i], record->counts[i]);
    }
}

int pu_dump_overview(const struct pu_dump *dump, struct pu_err *err)
{
    PU_CLEANUP(pu_blob_free) struct pu_blob blob = {0};
    PU_CLEANUP(pu_exp_report_close) struct pu_exp_report report = {0};
    uint64_t size = pu_overview_size(dump->exp->is_64);
    uint64_t at = 0;

    pu_exp_report_on(dump->exp, dump->judge, dump->file, &report);
    int found = pu_exp_read(dump->exp, dump->file, &report, &blob, err);
    for (; found > 0 && pu_span_has(pu_blob_span(&blob), at, size); at += size) {
        struct pu_overview_record record =
            pu_overview_at(pu_blob_span(&blob), at, dump->exp->is_64, dump->exp->order);
        pu_dump_begin(dump, at);
        put_overview(dump, &record);
        pu_out_end(dump->out);
    }
    if (found > 0 && at < blob.size)
        pu_exp_report_at(&report, R_OVERVIEW, at, "the last record is not whole");
    return found < 0 ? -1 : 0;
}

/* --- dyntext ------------------------------------------------------------------------------------
 */

struct dyntext_view {
    const struct pu_dump *dump;
    struct pu_map map;
};

/* The function's record in map.xml; real files have some hundreds. */
static const struct pu_map_record *find_function(const struct pu_map *map, uint64_t address)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct pu_map_record *record = &map->records[i];
        bool code = record->kind == PU_MAP_FUNCTION || record->kind == PU_MAP_JCM;
        if (code && record->address == address)
            return record;
    }
    return NULL;
}

static void put_lines(const struct pu_dump *dump, struct pu_span lines)
{
    static const struct pu_field list = {.key = "lines"};
    static const struct pu_field offset = {.key = "offset", .form = PU_FORM_PREFIX};
    static const struct pu_field number = {.key = "line"};
    struct pu_cursor cursor = pu_cursor(lines, 0, dump->exp->order);

    pu_out_list(dump->out, &list);
    while (pu_span_has(lines, cursor.at, 8)) {
        pu_out_object(dump->out, NULL);
        pu_out_u64(dump->out, &offset, pu_cursor_u32(&cursor));
        pu_out_u64(dump->out, &number, pu_cursor_u32(&cursor));
        pu_out_end(dump->out);
    }
    pu_out_end(dump->out);
}

static void put_mapped(const struct pu_dump *dump, const struct pu_map_record *record)
{
    static const struct pu_field name = {.key = "name", .form = PU_FORM_QUOTED};
    static const struct pu_field size = {.key = "mapped_size", .form = PU_FORM_LABELLED};
    static const struct pu_field at = {.key = "map_offset", .form = PU_FORM_LABELLED};
    static const struct pu_field method = {.key = "method", .form = PU_FORM_LABELLED};

    if (!record)
        return;
    if (*record->name)
        pu_out_string(dump->out, &name, record->name);
    if (record->method)
        pu_out_hex(dump->out, &method, record->method);
    pu_out_u64(dump->out, &size, record->size);
    pu_out_u64(dump->out, &at, record->at);
}

static bool put_dynamic(void *data, const struct pu_dynamic *dynamic)
{
    static const struct pu_field address = {.key = "address"};
    static const struct pu_field loaded = {.key = "loaded", .form = PU_FORM_LABELLED};
    static const struct pu_field size = {.key = "size", .form = PU_FORM_LABELLED};
    static const struct pu_field code_at = {.key = "code_offset", .form = PU_FORM_HIDDEN};
    static const struct pu_field source = {.key = "source", .form = PU_FORM_QUOTED};
    static const struct pu_field code = {
        .key = "code_b64", .label = "code", .form = PU_FORM_LABELLED};
    const struct dyntext_view *view = data;
    const struct pu_dump *dump = view->dump;

    pu_dump_begin(dump, dynamic->at);
    pu_out_hex(dump->out, &address, dynamic->address);
    pu_out_double(dump->out, &loaded, (double)dynamic->time / 1e9);
    pu_out_u64(dump->out, &size, dynamic->code.size);
    put_mapped(dump, find_function(&view->map, dynamic->address));
    if (dynamic->source.size > 0)
        pu_out_bytes(dump->out, &source, dynamic->source);
    if (dynamic->code.size > 0)
        pu_out_u64(dump->out, &code_at, dynamic->code_at);
    put_lines(dump, dynamic->lines);
    if (dynamic->code.size > 0)
        pu_out_binary(dump->out, &code, dynamic->code);
    pu_out_end(dump->out);
    return true;
}

/* The file beside it that names its functions; damage there is told when that file is shown. */
static int read_map(const struct pu_dump *dump, struct pu_map *map, struct pu_err *err)
{
    PU_CLEANUP(pu_blob_free) struct pu_blob blob = {0};
    PU_CLEANUP(pu_exp_report_close) struct pu_exp_report report = {0};

    pu_exp_report_on(dump->exp, NULL, "map.xml", &report);
    int found = pu_exp_read(dump->exp, "map.xml", &report, &blob, err);
    if (found <= 0)
        return found;
    return pu_map_read(pu_blob_span(&blob), map, &report, err);
}

static void free_view(struct dyntext_view *view)
{
    pu_map_free(&view->map);
}

int pu_dump_dyntext(const struct pu_dump *dump, struct pu_err *err)
{
    PU_CLEANUP(pu_blob_free) struct pu_blob blob = {0};
    PU_CLEANUP(pu_exp_report_close) struct pu_exp_report report = {0};
    PU_CLEANUP(free_view) struct dyntext_view view = {.dump = dump};

    pu_exp_report_on(dump->exp, dump->judge, dump->file, &report);
    if (read_map(dump, &view.map, err) < 0)
        return -1;
    int found = pu_exp_read(dump->exp, dump->file, &report, &blob, err);
    if (found > 0)
        (void)pu_dynamic_read(pu_blob_span(&blob), dump->exp->order, &report, put_dynamic, &view);
    return found < 0 ? -1 : 0;
}

/* --- jclasses -----------------------------------------------------------------------------------
 */

static bool put_class(void *data, const struct pu_class_record *record)
{
    static const struct pu_field kind = {.key = "kind"};
    static const struct pu_field class_id = {.key = "class", .form = PU_FORM_LABELLED};
    static const struct pu_field method = {.key = "method", .form = PU_FORM_LABELLED};
    static const struct pu_field time = {.key = "time", .form = PU_FORM_LABELLED};
    static const struct pu_field name = {.key = "name", .form = PU_FORM_QUOTED};
    static const struct pu_field signature = {.key = "signature", .form = PU_FORM_QUOTED};
    static const struct pu_field source = {.key = "source", .form = PU_FORM_QUOTED};
    static const char *const kinds[] = {"class", "method", "location"};
    const struct pu_dump *dump = data;
    int64_t since;

    pu_dump_begin(dump, record->at);
    pu_out_string(dump->out, &kind, kinds[record->kind]);
    pu_out_hex(dump->out, &class_id, record->class_id);
    if (record->kind == PU_METHOD) {
        pu_out_hex(dump->out, &method, record->method_id);
        pu_out_bytes(dump->out, &name, record->name);
    }
    if (record->kind == PU_CLASS && dump->exp->has_start &&
        !__builtin_sub_overflow(record->time, dump->exp->start, &since))
        pu_out_double(dump->out, &time, (double)since / 1e9);
    pu_out_bytes(dump->out, &signature, record->signature);
    if (record->kind != PU_METHOD)
        pu_out_bytes(dump->out, &source, record->source);
    pu_out_end(dump->out);
    return true;
}

int pu_dump_classes(const struct pu_dump *dump, struct pu_err *err)
{
    PU_CLEANUP(pu_blob_free) struct pu_blob blob = {0};
    PU_CLEANUP(pu_exp_report_close) struct pu_exp_report report = {0};
    struct pu_dump copy = *dump;

    pu_exp_report_on(dump->exp, dump->judge, dump->file, &report);
    int found = pu_exp_read(dump->exp, dump->file, &report, &blob, err);
    if (found > 0)
        (void)pu_classes_read(pu_blob_span(&blob), dump->exp->order, &report, put_class, &copy);
    return found < 0 ? -1 : 0;
}

/* --- notes and logs of the archivers ------------------------------------------------------------
 */

int pu_dump_text(const struct pu_dump *dump, struct pu_err *err)
{
    static const struct pu_field text = {.key = "text"};
    PU_CLEANUP(pu_blob_free) struct pu_blob blob = {0};
    PU_CLEANUP(pu_exp_report_close) struct pu_exp_report report = {0};

    pu_exp_report_on(dump->exp, dump->judge, dump->file, &report);
    int found = pu_exp_read(dump->exp, dump->file, &report, &blob, err);
    for (size_t at = 0; found > 0 && at < blob.size;) {
        struct pu_span rest = pu_span_clip(pu_blob_span(&blob), at, blob.size);
        const unsigned char *feed = memchr(rest.data, '\n', rest.size);
        size_t size = feed ? (size_t)(feed - rest.data) : rest.size;
        pu_dump_begin(dump, at);
        pu_out_bytes(dump->out, &text, pu_span_clip(rest, 0, size));
        pu_out_end(dump->out);
        at += size + 1;
    }
    return found < 0 ? -1 : 0;
}

/* --- which of them ------------------------------------------------------------------------------
 */

static int dump_role(const struct pu_dump *dump, enum pu_exp_role role, struct pu_err *err)
{
    switch (role) {
    case PU_EXP_LOG:
    case PU_EXP_MAP:
    case PU_EXP_LABELS:
    case PU_EXP_WARNINGS:
        return pu_dump_xml(dump, err);
    case PU_EXP_OVERVIEW:
        return pu_dump_overview(dump, err);
    case PU_EXP_FRAMES:
        return pu_dump_frames(dump, err);
    case PU_EXP_DYNTEXT:
        return pu_dump_dyntext(dump, err);
    case PU_EXP_CLASSES:
        return pu_dump_classes(dump, err);
    case PU_EXP_NOTES:
    case PU_EXP_ARCHIVE_LOG:
        return pu_dump_text(dump, err);
    default:
        return pu_err_set(err, PU_E_SYSTEM, "files of this kind cannot be shown");
    }
}

int pu_dump_put(const struct pu_dump *dump, struct pu_err *err)
{
    const struct pu_exp_entry *entry = pu_exp_dir_find(&dump->exp->dir, dump->file);

    if (!entry)
        return pu_err_system(err, ENOENT, "cannot open");
    if (pu_exp_declared(dump->exp, dump->file) || entry->role == PU_EXP_DATA)
        return pu_dump_packets(dump, err);
    if (dump->has_thread || dump->from != INT64_MIN || dump->to != INT64_MAX)
        return pu_err_set(err, PU_E_REFUSED,
                          "threads and times can be chosen in files of packets only");
    return dump_role(dump, entry->role, err);
}
