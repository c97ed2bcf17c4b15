/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The layout of Memory Mapped Values files, versions 1 to 3, as in mmv(5) and, where that is silent
 * or wrong, as PCP's own library writes and its agent reads them.
 *
 * Numbers are in the byte order of the host that wrote the file, offsets count from the start of
 * the file, nothing is aligned for sure. 40 bytes of header are followed by the table of contents,
 * 16 bytes an entry; each entry names a section: records of one kind, back to back. A file may have
 * any number of sections of a kind, in any order.
 */
#ifndef PU_MMV_FORMAT_H
#define PU_MMV_FORMAT_H

#define PU_MMV_HEADER_SIZE  40
#define PU_MMV_TOC_SIZE     16
#define PU_MMV_INDOM_SIZE   32
#define PU_MMV_VALUE_SIZE   32
#define PU_MMV_STRING_SIZE  256 /* a NUL included */
#define PU_MMV_LABEL_SIZE   256
#define PU_MMV_PAYLOAD_SIZE 244 /* the JSON text of a label, a NUL included */
#define PU_MMV_NAME_SIZE    64  /* names inside the records of version 1, a NUL included */

/* Records that differ: version 1 holds names, versions 2 and 3 hold offsets of strings. */
#define PU_MMV_METRIC1_SIZE   104
#define PU_MMV_METRIC2_SIZE   48
#define PU_MMV_INSTANCE1_SIZE 80
#define PU_MMV_INSTANCE2_SIZE 24

enum pu_mmv_kind {
    PU_MMV_INDOMS = 1,
    PU_MMV_INSTANCES,
    PU_MMV_METRICS,
    PU_MMV_VALUES,
    PU_MMV_STRINGS,
    PU_MMV_LABELS,
};

enum {
    PU_MMV_NOPREFIX = 0x1, /* metrics are mmv.NAME instead of mmv.FILE.NAME */
    PU_MMV_PROCESS = 0x2,  /* exported only while the process lives */
    PU_MMV_SENTINEL = 0x4, /* special values mean "no value" */
};

/* Types are PCP's (pmLookupDesc(3)), but for one. */
enum pu_mmv_type {
    PU_MMV_NOSUPPORT = -1,
    PU_MMV_I32,
    PU_MMV_U32,
    PU_MMV_I64,
    PU_MMV_U64,
    PU_MMV_FLOAT,
    PU_MMV_DOUBLE,
    PU_MMV_STRING,
    PU_MMV_ELAPSED = 9, /* time that runs: exported as a 64-bit counter of microseconds */
};

enum {
    PU_MMV_LABEL_INDOM = 0x04,    /* identity: serial of the indom */
    PU_MMV_LABEL_REGISTRY = 0x08, /* identity: cluster */
    PU_MMV_LABEL_ITEM = 0x10,     /* identity: item of the metric */
    PU_MMV_LABEL_INSTANCE = 0x20, /* identity: serial of the indom, and an internal instance id */
    PU_MMV_LABEL_OPTIONAL = 0x80, /* beside one of the above */
};

/* Limits of the agent: more in a file and the section, or the record, is dropped. */
#define PU_MMV_ITEM_MAX    1023
#define PU_MMV_CLUSTER_MAX 4095
#define PU_MMV_LABELS_MAX  255 /* of a section */
#define PU_MMV_DOMAIN      70

#endif
