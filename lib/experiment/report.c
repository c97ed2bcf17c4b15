/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "experiment/name.h"
#include "experiment/rules.h"
#include "experiment/xml.h"

enum pu_exp_rule pu_exp_xml_rule(int damage)
{
    static const enum pu_exp_rule rules[] = {
        [PU_XML_BROKEN] = R_XML_BROKEN,       [PU_XML_CUT] = R_XML_CUT,
        [PU_XML_STRAY_END] = R_XML_STRAY_END, [PU_XML_OUTSIDE] = R_XML_OUTSIDE,
        [PU_XML_NULS] = R_XML_NULS,           [PU_XML_DEEP] = R_XML_DEEP,
    };

    return rules[damage];
}

void pu_exp_report_open(struct pu_exp_report *report, struct pu_judge *judge, const char *directory,
                        const char *name, uint64_t size)
{
    memset(report, 0, sizeof(*report));
    report->judge = judge;
    report->size = size;
    report->directory = directory;
    report->name = name;
}

static void pass_on(struct pu_exp_report *report, enum pu_exp_rule rule, const uint64_t *offset,
                    const char *message)
{
    struct pu_finding finding = {.rule = &pu_exp_rules[rule]};
    char file[PATH_MAX + PU_EXP_NAME_MAX]; /* of names in the log, which may be longer, a part */

    snprintf(file, sizeof(file), "%s%s%s", report->directory, report->name ? "/" : "",
             report->name ? report->name : "");
    finding.place.file = file;
    finding.place.has_offset = offset != NULL;
    if (offset)
        finding.place.offset = *offset < report->size ? *offset : report->size;
    snprintf(finding.message, sizeof(finding.message), "%s", message);
    report->judge->report(report->judge, &finding);
}

static void PU_PRINTF(4, 0) tell(struct pu_exp_report *report, enum pu_exp_rule rule,
                                 const uint64_t *offset, const char *fmt, va_list args)
{
    char message[300];

    if (!report->judge || ++report->told[rule] > PU_EXP_TOLD)
        return;
    vsnprintf(message, sizeof(message), fmt, args);
    pass_on(report, rule, offset, message);
}

void pu_exp_report_at(struct pu_exp_report *report, enum pu_exp_rule rule, uint64_t offset,
                      const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    tell(report, rule, &offset, fmt, args);
    va_end(args);
}

void pu_exp_report_file(struct pu_exp_report *report, enum pu_exp_rule rule, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    tell(report, rule, NULL, fmt, args);
    va_end(args);
}

void pu_exp_report_close(struct pu_exp_report *report)
{
    char message[64];

    for (int rule = 0; report->judge && rule < PU_EXP_RULE_COUNT; rule++) {
        if (report->told[rule] <= PU_EXP_TOLD)
            continue;
        snprintf(message, sizeof(message), "%llu more like the last ones",
                 (unsigned long long)(report->told[rule] - PU_EXP_TOLD));
        pass_on(report, (enum pu_exp_rule)rule, NULL, message);
    }
    report->judge = NULL;
}
