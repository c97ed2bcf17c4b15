/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* map.xml and the other texts, the overview, dyntext and jclasses. */
#include <errno.h>
#include <string.h>

#include "experiment/check-private.h"
#include "experiment/dynamic.h"
#include "experiment/xml.h"

static bool is_file(const struct pu_check *check, const char *name)
{
    const struct pu_exp_entry *entry = pu_exp_dir_find(&check->exp->dir, name);

    return entry && entry->type == PU_EXP_FILE;
}

/* --- texts --------------------------------------------------------------------------------------
 */

static int check_map(struct pu_check *check, struct pu_err *err)
{
    PU_CLEANUP(pu_blob_free) struct pu_blob blob = {0};
    PU_CLEANUP(pu_exp_report_close) struct pu_exp_report report = {0};

    pu_exp_report_on(check->exp, check->judge, "map.xml", &report);
    if (!pu_exp_dir_find(&check->exp->dir, "map.xml"))
        pu_exp_report_file(&report, R_MAP_MISSING, "there is no map.xml");
    int found = pu_exp_read(check->exp, "map.xml", &report, &blob, err);
    if (found <= 0)
        return found;
    if (pu_map_read(pu_blob_span(&blob), &check->map, &report, err) < 0)
        return -1;
    if (check->map.count == 0)
        pu_exp_report_file(&report, R_XML_EMPTY, "no record can be read");
    if (!check->converted && blob.size % 16384 != 0)
        pu_exp_report_at(&report, R_FILE_CUT, blob.size, "%zu bytes are no whole blocks",
                         blob.size);
    return pu_map_check_overlaps(&check->map, &report) ? 0
                                                       : pu_err_system(err, ENOMEM, "cannot check");
}

struct reader {
    struct pu_xml_handler handler; /* first */
    struct pu_exp_report *report;
};

static int pass(struct pu_xml_handler *handler, const struct pu_xml_record *record)
{
    (void)handler;
    (void)record;
    return 0;
}

static void tell_damage(struct pu_xml_handler *handler, enum pu_xml_damage kind, uint64_t offset,
                        const char *what)
{
    pu_exp_report_at(((struct reader *)handler)->report, pu_exp_xml_rule((int)kind), offset, "%s",
                     what);
}

/* Only that it can be read. */
static int check_xml(struct pu_check *check, const char *name, struct pu_err *err)
{
    PU_CLEANUP(pu_blob_free) struct pu_blob blob = {0};
    PU_CLEANUP(pu_exp_report_close) struct pu_exp_report report = {0};
    struct reader reader = {{pass, tell_damage}, &report};

    pu_exp_report_on(check->exp, check->judge, name, &report);
    int found = pu_exp_read(check->exp, name, &report, &blob, err);
    return found <= 0 ? found : pu_xml_read(pu_blob_span(&blob), &reader.handler, err);
}

int pu_check_texts(struct pu_check *check, struct pu_err *err)
{
    if (check_map(check, err) < 0 || check_xml(check, "labels.xml", err) < 0)
        return -1;
    return check_xml(check, "warnings.xml", err);
}

/* --- overview -----------------------------------------------------------------------------------
 */

static void check_record(const struct pu_check *check, struct pu_exp_report *report, uint64_t at,
                         const struct pu_overview_record *before,
                         const struct pu_overview_record *record)
{
    if (check->exp->log.pid >= 0 && record->pid != check->exp->log.pid)
        pu_exp_report_at(report, R_OVERVIEW, at, "a record of process %ld, the log is of %lld",
                         (long)record->pid, (long long)check->exp->log.pid);
    if (record->time == 0)
        pu_exp_report_at(report, R_OVERVIEW, at, "a record with an impossible time");
    else if (before && record->time < before->time)
        pu_exp_report_at(report, R_OVERVIEW, at, "a record that is older than the one before");
    else if (before && (record->times[PU_OVERVIEW_USER] < before->times[PU_OVERVIEW_USER] ||
                        record->times[PU_OVERVIEW_SYSTEM] < before->times[PU_OVERVIEW_SYSTEM]))
        pu_exp_report_at(report, R_OVERVIEW, at, "CPU times that are less than before");
}

static void check_records(struct pu_check *check, struct pu_span bytes,
                          struct pu_exp_report *report)
{
    const struct pu_exp *exp = check->exp;
    uint64_t size = pu_overview_size(exp->is_64);
    struct pu_overview_record first = {0};
    struct pu_overview_record before = {0};
    uint64_t at = 0;

    for (; pu_span_has(bytes, at, size); at += size) {
        struct pu_overview_record record = pu_overview_at(bytes, at, exp->is_64, exp->order);
        check_record(check, report, at, at ? &before : NULL, &record);
        if (at == 0)
            first = record;
        before = record;
    }
    check->has_usage = at > size;
    for (int i = PU_OVERVIEW_USER; i <= PU_OVERVIEW_SYSTEM; i++) {
        if (__builtin_add_overflow(check->cpu_time, before.times[i] - first.times[i],
                                   &check->cpu_time))
            check->has_usage = false;
    }
}

/* A log that says 32 beside records of 64 bits, or the other way round. */
static bool is_other_size(const struct pu_exp *exp, uint64_t bytes)
{
    return bytes > 0 && bytes % pu_overview_size(exp->is_64) != 0 &&
           bytes % pu_overview_size(!exp->is_64) == 0;
}

/* One may be on its way while the program runs. */
static bool is_count_right(const struct pu_check *check, uint64_t records)
{
    bool open = check->end == PU_END_OPEN || check->end == PU_END_CLOSING;
    uint64_t more = records > check->samples ? records - check->samples : check->samples - records;

    return more == 0 || (open && more == 1);
}

int pu_check_overview(struct pu_check *check, struct pu_err *err)
{
    PU_CLEANUP(pu_blob_free) struct pu_blob blob = {0};
    PU_CLEANUP(pu_exp_report_close) struct pu_exp_report report = {0};
    uint64_t size = pu_overview_size(check->exp->is_64);

    if (check->converted || !check->exp->log.present)
        return 0;
    pu_exp_report_on(check->exp, check->judge, "overview", &report);
    if (!pu_exp_dir_find(&check->exp->dir, "overview"))
        pu_exp_report_file(&report, R_OVERVIEW, "there is no overview");
    int found = pu_exp_read(check->exp, "overview", &report, &blob, err);
    if (found <= 0)
        return found;
    if (is_other_size(check->exp, blob.size))
        pu_exp_report_file(&report, R_WORD_SIZE, "records are of %d bits, log.xml says %d",
                           check->exp->is_64 ? 32 : 64, check->exp->is_64 ? 64 : 32);
    else if (blob.size % size != 0)
        pu_exp_report_at(&report, R_OVERVIEW, blob.size - blob.size % size,
                         "the last record is not whole");
    check_records(check, pu_blob_span(&blob), &report);
    if (!is_count_right(check, blob.size / size))
        pu_exp_report_file(&report, R_OVERVIEW_COUNT, "%llu records, the log has %llu samples",
                           (unsigned long long)(blob.size / size),
                           (unsigned long long)check->samples);
    return 0;
}

/* --- dynamic code -------------------------------------------------------------------------------
 */

struct functions {
    uint64_t count;
    struct pu_exp_report *report;
};

static bool count_function(void *data, const struct pu_dynamic *dynamic)
{
    struct functions *functions = data;

    functions->count++;
    if (dynamic->lines.size % 8 != 0)
        pu_exp_report_at(functions->report, R_DYNTEXT, dynamic->at,
                         "a line table that is not whole");
    return true;
}

/*
 * Functions in map.xml that were made at run time; the vsyscall page has no readable code. A child
 * of a fork names the vdso again, whose code is with its parent.
 */
static uint64_t mapped_functions(const struct pu_check *check)
{
    bool child = strcmp(check->exp->log.command, "(fork)") == 0;
    uint64_t count = 0;

    for (size_t i = 0; i < check->map.count; i++) {
        const struct pu_map_record *record = &check->map.records[i];
        bool code = record->kind == PU_MAP_FUNCTION || record->kind == PU_MAP_JCM;
        count +=
            code && strcmp(record->name, "[vsyscall]") != 0 && !(child && record->name[0] == '[');
    }
    return count;
}

static int check_dyntext(struct pu_check *check, struct pu_err *err)
{
    PU_CLEANUP(pu_blob_free) struct pu_blob blob = {0};
    PU_CLEANUP(pu_exp_report_close) struct pu_exp_report report = {0};
    struct functions functions = {.report = &report};
    uint64_t mapped = mapped_functions(check);

    pu_exp_report_on(check->exp, check->judge, "dyntext", &report);
    int found = pu_exp_read(check->exp, "dyntext", &report, &blob, err);
    if (found < 0)
        return -1;
    if (found > 0)
        (void)pu_dynamic_read(pu_blob_span(&blob), check->exp->order, &report, count_function,
                              &functions);
    if (mapped > functions.count)
        pu_exp_report_file(&report, R_DYNTEXT_MISSING,
                           "%llu dynamic functions in map.xml, %llu here",
                           (unsigned long long)mapped, (unsigned long long)functions.count);
    return 0;
}

static bool ignore_class(void *data, const struct pu_class_record *record)
{
    (void)data;
    (void)record;
    return true;
}

static int check_classes(struct pu_check *check, const char *name, struct pu_err *err)
{
    PU_CLEANUP(pu_blob_free) struct pu_blob blob = {0};
    PU_CLEANUP(pu_exp_report_close) struct pu_exp_report report = {0};

    if (!is_file(check, name))
        return 0;
    pu_exp_report_on(check->exp, check->judge, name, &report);
    int found = pu_exp_read(check->exp, name, &report, &blob, err);
    if (found > 0)
        (void)pu_classes_read(pu_blob_span(&blob), check->exp->order, &report, ignore_class, NULL);
    return found < 0 ? -1 : 0;
}

int pu_check_dynamic(struct pu_check *check, struct pu_err *err)
{
    if (check_dyntext(check, err) < 0 || check_classes(check, "jclasses", err) < 0)
        return -1;
    return check_classes(check, "JAVA_CLASSES", err);
}
