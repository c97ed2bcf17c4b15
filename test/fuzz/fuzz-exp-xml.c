/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as log.xml and as map.xml: places lie inside, depth and sizes are what they say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/log.h"
#include "experiment/map.h"
#include "experiment/xml.h"
#include "fuzz.h"

struct witness {
    struct pu_xml_handler handler; /* first */
    size_t size;
};

static void broken(const char *what)
{
    fprintf(stderr, "fuzz-exp-xml: %s\n", what);
    abort();
}

static int look(struct pu_xml_handler *handler, const struct pu_xml_record *record)
{
    const struct witness *witness = (struct witness *)handler;

    if (record->offset >= witness->size)
        broken("a record outside of the file");
    if (record->depth >= PU_XML_DEPTH)
        broken("a record too deep");
    if (!record->element[0] || record->text.data[record->text.size] != '\0')
        broken("text without end");
    for (size_t i = 0; i < record->attribute_count; i++) {
        const struct pu_xml_attribute *attribute = &record->attributes[i];
        if (attribute->value.data[attribute->value.size] != '\0' || !attribute->name[0])
            broken("a value without end");
    }
    return 0;
}

static void look_at_damage(struct pu_xml_handler *handler, enum pu_xml_damage kind, uint64_t offset,
                           const char *what)
{
    if (offset > ((struct witness *)handler)->size || !what[0] || kind > PU_XML_DEEP)
        broken("a damage outside of the file");
}

static void ignore(struct pu_judge *judge, const struct pu_finding *finding)
{
    (void)judge;
    if (!finding->message[0])
        broken("a finding that says nothing");
}

static void read_models(struct pu_span bytes)
{
    struct pu_judge judge = {ignore};
    struct pu_exp_report report;
    struct pu_log log = {0};
    struct pu_map map = {0};
    struct pu_err err;

    pu_exp_report_open(&report, &judge, "x.er", "log.xml", bytes.size);
    if (pu_log_read(bytes, &log, &report, &err) < 0)
        broken(err.message);
    (void)pu_log_end(&log);
    (void)pu_log_block_size(&log);
    if (pu_map_read(bytes, &map, &report, &err) < 0 || !pu_map_check_overlaps(&map, &report))
        broken("no memory");
    pu_exp_report_close(&report);
    pu_log_free(&log);
    pu_map_free(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct witness witness = {{look, look_at_damage}, size};
    struct pu_err err;
    unsigned char *copy = malloc(size);

    if (size > 0)
        memcpy(copy, data, size);
    if (pu_xml_read((struct pu_span){copy, size}, &witness.handler, &err) != 0)
        broken("no memory");
    read_models((struct pu_span){copy, size});
    free(copy);
    return 0;
}
