/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * log.xml as a model: who recorded what, which packets there are and where their fields lie, and
 * what happened. All text is as it was in the file, decoded; it ends with a NUL and may hold any
 * byte.
 */
#ifndef PU_EXPERIMENT_LOG_H
#define PU_EXPERIMENT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/span.h"
#include "experiment/arena.h"
#include "experiment/rules.h"

enum pu_log_type {
    PU_LOG_INT32,
    PU_LOG_UINT32,
    PU_LOG_INT64,
    PU_LOG_UINT64,
    PU_LOG_STRING, /* to the end of the packet or the first NUL */
    PU_LOG_DOUBLE,
    PU_LOG_DATE,
    PU_LOG_UNKNOWN,
};

/* Bytes that a value takes, 0 for PU_LOG_STRING and PU_LOG_UNKNOWN. */
size_t pu_log_type_size(enum pu_log_type type);

/* <state>: what a value of a field is called. */
struct pu_log_state {
    int64_t value;
    const char *name;
};

struct pu_log_field {
    const char *name;
    uint32_t offset; /* in the packet */
    enum pu_log_type type;
    uint64_t at;        /* of the declaration, in log.xml */
    size_t first_state; /* in pu_log.states */
    size_t state_count;
};

/* <profpckt>: the layout of one kind of packet. */
struct pu_log_packet {
    int64_t kind;
    struct pu_log_field *fields; /* owned */
    size_t field_count;
    size_t field_room;
};

/* <profile>, or what stands at top level in place of one. */
struct pu_log_data {
    const char *name;              /* "heaptrace"; "" when only <profdata> was seen */
    const char *file;              /* "" when none is declared */
    int64_t tick;                  /* microseconds; 0 = not declared */
    int64_t states;                /* microstates; 0 = not declared */
    struct pu_log_packet *packets; /* owned */
    size_t packet_count;
    size_t packet_room;
    uint64_t at;
};

struct pu_log_counter {
    const char *name;
    const char *internal_name;
    int64_t interval;
    int64_t tag;
    uint64_t at;
};

enum pu_log_event_kind {
    PU_EV_RUN,
    PU_EV_SAMPLE,
    PU_EV_PAUSE,
    PU_EV_RESUME,
    PU_EV_THREAD_PAUSE,
    PU_EV_THREAD_RESUME,
    PU_EV_EXIT,
    PU_EV_DESC_START,
    PU_EV_DESC_STARTED,
    PU_EV_EXEC_START,
    PU_EV_EXEC_ERROR,
    PU_EV_CERROR,
    PU_EV_CWARN,
    PU_EV_COMMENT,
    PU_EV_JTHREAD_START,
    PU_EV_JTHREAD_END,
    PU_EV_GC_START,
    PU_EV_GC_END,
    PU_EV_ARCHIVE_RUN,
    PU_EV_UNKNOWN,
};

struct pu_log_event {
    enum pu_log_event_kind kind;
    uint64_t at;
    bool has_time;
    int64_t time;      /* nanoseconds: since the run's start, or of its clock (run, jthread, gc) */
    int64_t id;        /* of a sample, error, warning, comment; -1 = none */
    int64_t value;     /* run: epoch seconds; cerror: errno; else 0 */
    const char *label; /* sample: label; pause: name; run: tm_zone; desc, exec: variant */
    const char *text;  /* desc, exec: msg; cerror, cwarn, comment: their text */
    const char *lineage;
    bool follow;
};

struct pu_log_setting {
    const char *name;
    const char *value;
    uint64_t at;
};

enum pu_log_end {
    PU_END_CLOSED,
    PU_END_EXEC,    /* complete: the process went on as another program */
    PU_END_CLOSING, /* killed while closing */
    PU_END_OPEN,    /* killed, or still running */
    PU_END_NEVER,   /* never started */
    PU_END_CONVERTED,
};

/* Start from zeros; release with pu_log_free(). */
struct pu_log {
    struct pu_arena strings; /* owned */
    bool present;            /* there was a file with a record in it */
    bool cut;                /* the text ends inside of a tag */
    uint64_t records;
    uint64_t damages;
    const char *version; /* "" = not told, as for all text here */
    const char *collector;
    const char *hostname;
    const char *architecture;
    const char *system;
    int64_t page_size;
    int64_t pages;       /* of memory */
    int big_endian;      /* as declared: 0, 1; -1 = not */
    const char *scaling; /* of the CPUs' frequency: "enabled"; "" = not told */
    const char *turbo;   /* likewise */
    size_t cpus;
    int64_t clock_low;  /* MHz; of the slowest CPU */
    int64_t clock_high; /* of the fastest */
    int64_t pid;        /* -1 = not told, as for the next */
    int64_t ppid;
    int64_t pgrp;
    int64_t sid;
    int64_t word_size; /* as declared: bits; 0 = not */
    const char *directory;
    const char *command;
    const char *java;                /* version of the JVM; "" = none */
    struct pu_log_setting *settings; /* owned */
    size_t setting_count;
    size_t setting_room;
    struct pu_log_data *data; /* owned */
    size_t data_count;
    size_t data_room;
    struct pu_log_state *states; /* owned: of all fields */
    size_t state_count;
    size_t state_room;
    struct pu_log_counter *counters; /* owned */
    size_t counter_count;
    size_t counter_room;
    struct pu_log_event *events; /* owned; in the order of the file */
    size_t event_count;
    size_t event_room;
};

/*
 * Reads log.xml (or warnings.xml, which has the same words) into `log`, telling what is wrong.
 * Errors: PU_E_SYSTEM when memory runs out.
 */
int pu_log_read(struct pu_span bytes, struct pu_log *log, struct pu_exp_report *report,
                struct pu_err *err) PU_MUST_CHECK;
void pu_log_free(struct pu_log *log);

const char *pu_log_event_word(enum pu_log_event_kind kind);

/* The first event of a kind from index `from` on, or NULL. */
const struct pu_log_event *pu_log_find(const struct pu_log *log, enum pu_log_event_kind kind,
                                       size_t from);
/* The name that the log declares for a value of a field, or NULL. */
const char *pu_log_state(const struct pu_log *log, const struct pu_log_field *field, int64_t value);
/* The value of a setting, or NULL. */
const char *pu_log_setting(const struct pu_log *log, const char *name);

enum pu_log_end pu_log_end(const struct pu_log *log);
const char *pu_log_end_word(enum pu_log_end end);

/* Neither collector nor process is named: made from gmon.out; see rule "converted". */
bool pu_log_is_converted(const struct pu_log *log);
/* Declared or guessed: big-endian? 64 bits? */
bool pu_log_is_big_endian(const struct pu_log *log);
bool pu_log_is_64(const struct pu_log *log);
/* Studio's collectors have their name in the collector string; gprofng's only a number. */
bool pu_log_is_studio(const struct pu_log *log);
/* Bytes of a block of packets: 16384, 65536; 0 when there are none. */
uint64_t pu_log_block_size(const struct pu_log *log);

/* Nanoseconds of "S.NNNNNNNNN"; false for anything else, nine digits short included. */
bool pu_log_parse_time(const char *text, int64_t *time) PU_MUST_CHECK;
/* A decimal number with a sign perhaps; false for anything else. */
bool pu_log_parse_number(const char *text, int64_t *number) PU_MUST_CHECK;

/* What an error, warning or comment id means; NULL when it is not known. */
const char *pu_log_message(enum pu_log_event_kind kind, int64_t id);

#endif
