/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Judges packed event arrays: rules E01 to E13 for what cannot be read, of which the first ends the
 * array, and W01 to W13 for what can, and is odd. Effects are those of PCP's readers, measured on
 * 6.0.3 and 7.2.1.
 */
#ifndef PU_EVENT_VERIFY_H
#define PU_EVENT_VERIFY_H

#include "base/finding.h"
#include "event/sample.h"

enum pu_event_rule {
    PU_EVENT_E01,
    PU_EVENT_E02,
    PU_EVENT_E03,
    PU_EVENT_E04,
    PU_EVENT_E05,
    PU_EVENT_E06,
    PU_EVENT_E07,
    PU_EVENT_E08,
    PU_EVENT_E09,
    PU_EVENT_E10,
    PU_EVENT_E11,
    PU_EVENT_E12,
    PU_EVENT_E13,
    PU_EVENT_W01,
    PU_EVENT_W02,
    PU_EVENT_W03,
    PU_EVENT_W04,
    PU_EVENT_W05,
    PU_EVENT_W06,
    PU_EVENT_W07,
    PU_EVENT_W08,
    PU_EVENT_W09,
    PU_EVENT_W10,
    PU_EVENT_W11,
    PU_EVENT_W12,
    PU_EVENT_W13,
    PU_EVENT_RULES,
};

extern const struct pu_rule pu_event_rules[PU_EVENT_RULES];

/* Release with pu_event_verify_free(). */
struct pu_event_verify {
    struct pu_judge *judge;           /* borrowed */
    struct pu_event_catalog *catalog; /* borrowed; NULL: nothing is known of metrics */
    bool forgiving;  /* not a word of W04 and W11, which PCP itself brings about on the way */
    uint64_t arrays; /* counted */
    uint64_t records;
    struct pu_event_catalog told; /* owned: W09 and W10 are told once for a PMID, not a parameter */
};

void pu_event_verify_free(struct pu_event_verify *verify);

/* One array. */
void pu_event_verify(struct pu_event_verify *verify, const struct pu_event_sample *sample);

/* E13: `size` bytes of a file, behind the sample's array, that are no array. */
void pu_event_verify_extra(struct pu_event_verify *verify, const struct pu_event_sample *sample,
                           uint64_t size);

#endif
