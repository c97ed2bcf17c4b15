/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * log.xml, map.xml, labels.xml and warnings.xml: not XML documents, but elements one after the
 * other, padded with NULs, cut anywhere. What is between two damages is read; the damages are told
 * with their place. Bytes are kept as they were, whatever their encoding; the collector's own
 * escapes, %c3%, are undone (so a literal "%41%" reads as "A": the format cannot tell them apart).
 */
#ifndef PU_EXPERIMENT_XML_H
#define PU_EXPERIMENT_XML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/span.h"

#define PU_XML_DEPTH 32 /* elements in elements; more are damage */

struct pu_xml_attribute {
    const char *name;
    struct pu_span value; /* a NUL follows it */
};

/* An element with the text before its first child. Borrowed; gone when the handler returns. */
struct pu_xml_record {
    const char *element;
    unsigned int depth; /* 0: not inside another */
    uint64_t offset;    /* of its '<' in the file */
    const struct pu_xml_attribute *attributes;
    size_t attribute_count;
    struct pu_span text; /* a NUL follows it */
};

enum pu_xml_damage {
    PU_XML_BROKEN,    /* what stands here is not read, up to the next line that begins with '<' */
    PU_XML_CUT,       /* the text ends inside of a tag or an element */
    PU_XML_STRAY_END, /* an end tag without a start tag; nothing is lost */
    PU_XML_OUTSIDE,   /* text outside of all elements */
    PU_XML_NULS,      /* NULs inside of the text: it was written and is gone, or never written */
    PU_XML_DEEP,      /* nested too deep; the inner elements are not read */
};

struct pu_xml_handler {
    /* In the order of the file, a parent before its children. Not 0: end with it. */
    int (*record)(struct pu_xml_handler *handler, const struct pu_xml_record *record);
    void (*damage)(struct pu_xml_handler *handler, enum pu_xml_damage kind, uint64_t offset,
                   const char *what);
};

/*
 * Reads a file's bytes. Returns what the handler ended with, 0 at the end, or -1 with PU_E_SYSTEM
 * when memory runs out, which is the only error.
 */
int pu_xml_read(struct pu_span bytes, struct pu_xml_handler *handler,
                struct pu_err *err) PU_MUST_CHECK;

/* The value of an attribute, or NULL. It ends with a NUL, and may hold others. */
const char *pu_xml_get(const struct pu_xml_record *record, const char *name);
const struct pu_span *pu_xml_get_span(const struct pu_xml_record *record, const char *name);

/* Where the text ends and the padding begins. */
uint64_t pu_xml_text_end(struct pu_span bytes);

/* Undoes the collector's escapes in place; returns the size that is left. */
size_t pu_xml_unescape(char *text, size_t size);

#endif
