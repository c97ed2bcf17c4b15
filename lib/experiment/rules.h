/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What can be wrong with an experiment. The readers of its files and the checks report by these
 * rules; the order is that of --rules and of the manual page.
 */
#ifndef PU_EXPERIMENT_RULES_H
#define PU_EXPERIMENT_RULES_H

#include "base/finding.h"

enum pu_exp_rule {
    /* the directory */
    R_NOTHING_RECORDED,
    R_LOG_MISSING,
    R_NAME,
    R_LINK,
    R_NOT_A_FILE,
    R_UNREADABLE,
    R_DATA_MISSING,
    R_STRAY_FILE,
    R_CONVERTED,
    /* log.xml, map.xml and the other texts */
    R_XML_EMPTY,
    R_XML_BROKEN,
    R_XML_CUT,
    R_XML_STRAY_END,
    R_XML_OUTSIDE,
    R_XML_NULS,
    R_XML_DEEP,
    R_FILE_CUT,
    R_ELEMENT_UNKNOWN,
    R_EVENT_UNKNOWN,
    R_ATTRIBUTE,
    R_TIME,
    R_TIME_ORDER,
    R_VERSION_MISSING,
    R_VERSION,
    R_WORD_SIZE,
    R_BYTE_ORDER,
    R_LOG_REPEATED,
    R_NEVER_STARTED,
    R_NOT_CLOSED,
    R_SAMPLE_ORDER,
    R_PROFILE_UNKNOWN,
    R_PACKET_KIND,
    R_FIELD,
    R_COUNTER_TAG,
    R_SCHEME,
    R_MAP_MISSING,
    R_MAP_RECORD,
    R_MAP_RANGE,
    R_MAP_OVERLAP,
    /* binary files */
    R_OVERVIEW,
    R_OVERVIEW_COUNT,
    R_PACKET_BROKEN,
    R_PACKET_LOST,
    R_PACKET_UNDECLARED,
    R_PACKET_SHORT,
    R_PACKET_TIME,
    R_PACKET_VALUE,
    R_FRAMES_MISSING,
    R_FRAME_BROKEN,
    R_FRAME_LINK,
    R_FRAME_CYCLE,
    R_FRAME_CHECKSUM,
    R_FRAME_CONFLICT,
    R_STACK_MISSING,
    R_DYNTEXT,
    R_DYNTEXT_MISSING,
    R_CLASSES,
    /* processes */
    R_MEMBER_MISSING,
    R_MEMBER_UNANNOUNCED,
    R_PARENT_DIFFERS,
    /* is the measurement to be trusted */
    R_COLLECTOR_ERROR,
    R_COLLECTOR_WARNING,
    R_TICK,
    R_TICK_SHORT,
    R_CPU_COVERAGE,
    R_NO_SAMPLES,
    R_NO_STACK,
    R_STACK_TRUNCATED,
    R_STACK_FAILED,
    R_THREAD_UNSAMPLED,
    R_REALLOC,
    R_COUNTER_INVALID,
    R_SIZE_LIMIT,
    R_PAUSED,
    R_EXEC_UNFOLLOWED,
    R_RECORDING,
    PU_EXP_RULE_COUNT
};

extern const struct pu_rule pu_exp_rules[PU_EXP_RULE_COUNT];

/* The rule that an enum pu_xml_damage breaks. */
enum pu_exp_rule pu_exp_xml_rule(int damage);

/* Does it say that something cannot be shown, rather than that it is odd? */
bool pu_exp_rule_is_loss(const struct pu_rule *rule);

/*
 * Findings of one file, or of the directory. Of each rule the first PU_EXP_TOLD are passed on one
 * by one; how many more there were is told at the end.
 */
#define PU_EXP_TOLD 10

struct pu_exp_report {
    struct pu_judge *judge;           /* borrowed; NULL: nobody listens */
    const char *directory;            /* borrowed, as the next; findings are of DIRECTORY/NAME */
    const char *name;                 /* NULL: the directory itself */
    uint64_t size;                    /* of the file: no finding is placed behind its end */
    uint64_t told[PU_EXP_RULE_COUNT]; /* owned */
};

/* A judge sees the file's name only while it is told of a finding. */
void pu_exp_report_open(struct pu_exp_report *report, struct pu_judge *judge, const char *directory,
                        const char *name, uint64_t size);
void pu_exp_report_close(struct pu_exp_report *report);

void pu_exp_report_at(struct pu_exp_report *report, enum pu_exp_rule rule, uint64_t offset,
                      const char *fmt, ...) PU_PRINTF(4, 5);
void pu_exp_report_file(struct pu_exp_report *report, enum pu_exp_rule rule, const char *fmt, ...)
    PU_PRINTF(3, 4);

#endif
