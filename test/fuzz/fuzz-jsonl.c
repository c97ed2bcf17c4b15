/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON lines: what can be packed of any text is a sound array. */
#include <stdio.h>
#include <stdlib.h>

#include "event/file.h"
#include "event/jsonl.h"
#include "event/verify.h"
#include "fuzz.h"

#define INPUT_MAX 65536

static void broken(const char *what)
{
    fprintf(stderr, "fuzz-jsonl: %s\n", what);
    abort();
}

/* Less than 0 missed events are let through where that is asked for. */
static void report(struct pu_judge *judge, const struct pu_finding *finding)
{
    (void)judge;
    if (finding->rule->severity == PU_ERROR && strcmp(finding->rule->name, "E07") != 0)
        broken(finding->message);
    if (strcmp(finding->rule->name, "W04") == 0)
        broken("padding that is not zero");
}

static void check(const struct pu_buf *bytes, uint32_t max)
{
    struct pu_judge judge = {report};
    struct pu_event_verify verify = {.judge = &judge};
    struct pu_event_file file = pu_event_file("fuzz", pu_buf_span(bytes));
    struct pu_event_sample sample;

    while (pu_event_file_next(&file, &sample)) {
        if (max && sample.bytes.size > max)
            broken("larger than allowed");
        pu_event_verify(&verify, &sample);
    }
    if (file.at != bytes->size)
        broken("bytes behind the last array");
}

static void run(struct pu_span text, struct pu_event_pack pack)
{
    struct pu_buf bytes = {0};
    struct pu_err err = {0};
    bool refused = false;

    pack.to = &bytes;
    while (text.size > 0 && !refused) {
        const unsigned char *end = memchr(text.data, '\n', text.size);
        size_t size = end ? (size_t)(end - text.data) : text.size;
        refused = pu_event_pack_line(&pack, (struct pu_span){text.data, size}, &err) < 0;
        size += end ? 1 : 0;
        text = (struct pu_span){text.data + size, text.size - size};
    }
    if (refused && !err.message[0])
        broken("an error without a message");
    if (!refused) {
        if (pu_event_pack_end(&pack, &err) < 0)
            broken(err.message);
        check(&bytes, pack.max);
    }
    pu_event_pack_free(&pack);
    pu_buf_free(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > INPUT_MAX)
        return 0;
    unsigned char *copy = malloc(size);
    if (size > 0)
        memcpy(copy, data, size);
    struct pu_span text = {copy, size};
    run(text, (struct pu_event_pack){.order = PU_HOST});
    run(text,
        (struct pu_event_pack){.kind = PU_EVENT_NS, .order = PU_BIG, .compat = true, .max = 100});
    free(copy);
    return 0;
}
