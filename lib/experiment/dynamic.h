/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dyntext and jclasses: code made at run time, and Java's classes and methods. */
#ifndef PU_EXPERIMENT_DYNAMIC_H
#define PU_EXPERIMENT_DYNAMIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "experiment/rules.h"

/* A dynamic function. Borrows the file's bytes. */
struct pu_dynamic {
    uint64_t at;
    int64_t time; /* nanoseconds since the run's start */
    uint64_t address;
    struct pu_span code; /* empty = not there */
    uint64_t code_at;
    struct pu_span lines; /* pairs of u32: offset, line or bytecode index */
    struct pu_span source;
};

/* Both: calls `take` for each; false from it ends. Returns how many damages there were. */
uint64_t pu_dynamic_read(struct pu_span bytes, enum pu_order order, struct pu_exp_report *report,
                         bool (*take)(void *data, const struct pu_dynamic *dynamic), void *data);

enum pu_class_kind { PU_CLASS, PU_METHOD, PU_CLASS_LOCATION };

struct pu_class_record {
    enum pu_class_kind kind;
    uint64_t at;
    uint64_t class_id;
    int64_t time;        /* of a class; nanoseconds of the run's clock */
    uint64_t method_id;  /* of a method */
    struct pu_span name; /* of a method */
    struct pu_span signature;
    struct pu_span source; /* of a class: its file; of a location: its URL */
};

/*
 * Appends the path of the file that a class was read from, as its location tells: of "file:/x.jar"
 * and "jar:file:/x.jar!/" the archive, in "file:/home/demo/" the class's own file. Nothing for
 * other records and for what is no file, "jrt:/java.base". The forms are Java's; experiments with
 * real ones were not at hand.
 */
void pu_class_path(const struct pu_class_record *record, struct pu_buf *path);

uint64_t pu_classes_read(struct pu_span bytes, enum pu_order order, struct pu_exp_report *report,
                         bool (*take)(void *data, const struct pu_class_record *record),
                         void *data);

#endif
