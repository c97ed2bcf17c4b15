/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One run of evarray: what was asked for, where arrays come from, and who takes them. */
#ifndef PU_EVARRAY_JOB_H
#define PU_EVARRAY_JOB_H

#include "cli/main.h"
#include "event/archive.h"

enum form { TEXT, JSON, JSON_LINES, CSV };

struct config {
    int form;
    const char *archive;
    const char *host;
    bool local;
    struct pu_strings specs;
    const char *names; /* a file of a name space */
    struct pu_pcp_times times;
    const char *zone;
    bool host_zone;
    uint64_t samples; /* 0 = no end */
    bool follow;
    int64_t interval; /* nanoseconds */
    bool stats;
    bool empty;
    struct pu_strings flags;
    struct pu_strings params;
    struct pu_strings ignore;
    bool rules;
    bool strict;
    bool all;
    int resolution; /* of enum resolution */
    bool big_endian;
    uint64_t max_bytes;
    bool compat;
    bool truncate;
};

/* Are operands metrics? Otherwise they are files. */
static inline bool evarray_has_metrics(const struct config *config)
{
    return config->archive || config->host || config->local;
}

static inline bool evarray_has_window(const struct config *config)
{
    const struct pu_pcp_times *times = &config->times;

    return times->start || times->finish || times->align || times->origin;
}

enum resolution { AUTO, MICROSECONDS, NANOSECONDS };

/* Takes the arrays of a source. Put it first in a struct of one's own. */
struct taker {
    void (*take)(struct taker *taker, const struct pu_event_sample *sample);
    /* `size` bytes of a file behind the sample's array are no array. */
    void (*extra)(struct taker *taker, const struct pu_event_sample *sample, uint64_t size);
    /* Something is wrong with a file of the source. */
    void (*fail)(struct taker *taker, const char *file, const struct pu_err *err);
    void (*pause)(struct taker *taker); /* nothing will come for a while */
    /* Between two arrays: true when no more are wanted. */
    bool (*done)(const struct taker *taker);
    struct pu_event_catalog *catalog; /* borrowed; set by the source, NULL: nothing is known */
    struct pu_errors *errors;         /* borrowed; gets what is wrong with the source, or NULL */
};

/* Hands over all arrays of the source that the options and operands name. Returns a status. */
int evarray_each(const struct pu_tool *tool, const struct config *config, char **operands,
                 size_t count, struct taker *taker);

/* Those of config->archive. */
int evarray_archive(const struct pu_tool *tool, const struct config *config,
                    struct pu_event_selection *selection, struct taker *taker);

/* Those of config->host, or of agents in this process. */
int evarray_live(const struct pu_tool *tool, const struct config *config,
                 struct pu_event_selection *selection, struct taker *taker);

/* pu_cli_error(), and into taker->errors. */
int evarray_tell(struct taker *taker, const char *file, const struct pu_err *err);
void evarray_keep(struct taker *taker, const char *file, const struct pu_err *err);

/* A source that cannot be opened, or not as the options say. */
int evarray_live_error(const struct pu_tool *tool, const struct config *config,
                       const struct pu_err *err);
int evarray_window_error(const struct pu_tool *tool, const struct pu_err *err);

/* From here on that is the local time zone. */
void evarray_use_zone(const char *zone);

int evarray_dump(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                 char **operands, size_t count);
int evarray_verify(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                   char **operands, size_t count);
int evarray_pack(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                 char **operands, size_t count);

#endif
