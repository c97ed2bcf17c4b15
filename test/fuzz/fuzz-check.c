/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mmvcheck on any bytes, as each agent would read them. Beside not crashing: a finding is of a
 * rule, has a place inside the file and something to say, and both forms of it are what they always
 * are.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/findings.h"
#include "fuzz.h"
#include "mmv/check.h"

/* More than this only takes longer. */
#define INPUT_MAX 65536

/* Looks at each finding, and passes it on. */
struct witness {
    struct pu_judge judge;
    struct pu_findings *findings;
    size_t size; /* of the file */
};

static void broken(const char *what)
{
    fprintf(stderr, "fuzz-check: %s\n", what);
    abort();
}

static void look_at(struct pu_judge *judge, const struct pu_finding *finding)
{
    struct witness *witness = (struct witness *)judge;

    if (finding->rule < pu_mmv_rules || finding->rule >= pu_mmv_rules + pu_mmv_rule_count)
        broken("a finding without rule");
    if (finding->place.has_offset && finding->place.offset > witness->size)
        broken("a finding outside of the file");
    if (!finding->message[0])
        broken("a finding that says nothing");
    for (size_t i = 0; i < finding->related_count; i++) {
        if (finding->related[i].has_offset && finding->related[i].offset > witness->size)
            broken("related to something outside of the file");
    }
    witness->findings->judge.report(&witness->findings->judge, finding);
}

/* In the C locale only printable ASCII is left as it is; a finding is a line. */
static void check_text(const struct pu_buf *text, const struct pu_findings *findings)
{
    uint64_t lines = 0;

    for (size_t i = 0; i < text->size; i++) {
        unsigned char byte = (unsigned char)text->data[i];
        if (byte != '\n' && (byte < ' ' || byte > '~'))
            broken("text that is not printable");
        lines += byte == '\n';
    }
    if (lines !=
        findings->counts[PU_NOTE] + findings->counts[PU_WARNING] + findings->counts[PU_ERROR])
        broken("a line too many, or too few");
}

static void check_json(const struct pu_buf *text)
{
    json_error_t error;
    json_t *json = json_loadb(text->data, text->size, JSON_REJECT_DUPLICATES, &error);

    if (!json) {
        fprintf(stderr, "fuzz-check: %s at byte %d\n", error.text, error.position);
        broken("JSON that does not parse");
    }
    json_decref(json);
}

static void run(struct pu_span bytes, enum pu_mmv_reader reader, bool as_json)
{
    static struct pu_sink sink;
    static struct pu_buf text; /* kept from run to run */
    const struct pu_strings none = {0};
    struct pu_findings findings;
    struct pu_out out;
    struct pu_err err;

    text.size = 0;
    pu_sink_to_memory(&sink, &text);
    if (as_json)
        pu_out_to_json(&out, &sink);
    else
        pu_out_to_text(&out, &sink);
    if (pu_findings_init(&findings, &out, pu_mmv_rules, pu_mmv_rule_count, &none, &err) < 0)
        broken(err.message);
    struct witness witness = {{look_at}, &findings, bytes.size};
    struct pu_mmv_check check = {&witness.judge, reader};
    if (as_json)
        pu_out_document(&out, "mmvcheck", 1);
    pu_findings_begin(&findings);
    if (pu_mmv_check_bytes(&check, "tmp/fuzz", bytes, &err) < 0)
        broken(err.message);
    pu_findings_end(&findings);
    if (as_json)
        pu_out_end(&out);
    if (pu_sink_flush(&sink) != 0)
        broken("the sink is full");
    if (as_json)
        check_json(&text);
    else
        check_text(&text, &findings);
    pu_findings_free(&findings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > INPUT_MAX)
        return 0;
    /* Of this size and no more, so that one byte too far is noticed. */
    unsigned char *copy = malloc(size);
    if (size > 0)
        memcpy(copy, data, size);
    run((struct pu_span){copy, size}, PU_MMV_READER_7, false);
    run((struct pu_span){copy, size}, PU_MMV_READER_6_0, true);
    free(copy);
    return 0;
}
