/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One run of pmlcctl: what was asked for, and the logger it is about. */
#ifndef PU_PMLCCTL_JOB_H
#define PU_PMLCCTL_JOB_H

#include "cli/main.h"
#include "logger/find.h"
#include "logger/pmcd.h"
#include "logger/view.h"

struct config {
    const char *host;
    uint64_t port; /* 0 = not given, as the next */
    uint64_t pid;
    const char *socket;
    bool primary;
    const char *interval;
    const char *busy_wait;
    int64_t timeout; /* nanoseconds, as the next */
    int64_t patience;
    bool force;
    bool dry_run;
    bool json;
};

struct job {
    const struct pu_tool *tool;
    const struct pu_verb *verb;
    struct config *config;
    int64_t start;                /* as of pu_time_clock() */
    char host[PU_PMCD_HOST_MAX];  /* of the logger, for TCP */
    struct pu_logger_ports ports; /* owned */
    int context;                  /* PMAPI's, or -1 */
    struct pu_logger_address address;
    struct pu_client client; /* owned */
    struct pu_logger_view view;
    char subject[PU_PMCD_HOST_MAX + 64]; /* the logger, as messages name it */
    struct pu_sink sink;
    struct pu_out out;
};

/* Starts a run; the status of what is wrong with its options, or PU_DONE. */
int pmlcctl_begin(struct job *job, const struct pu_tool *tool, const struct pu_verb *verb,
                  struct config *config);
void pmlcctl_end(struct job *job);

/*
 * Ends the tool with PU_TIMED_OUT if the calls of PCP's library that follow take longer than the
 * answers to so many questions may; 0: they are done. While they run nothing has been changed.
 */
void pmlcctl_guard(const struct job *job, int questions);

/* Tells an error of the logger's. Returns its status. */
int pmlcctl_error(const struct job *job, struct pu_err *err);

/* Tells an error of pmcd's. Returns its status. */
int pmlcctl_pmcd_error(const char *host, const struct pu_err *err);

/* Finds the loggers of this host or the other into `ports`. PU_DONE, or it has told why not. */
int pmlcctl_find(struct job *job);

/* Connects to the logger that is meant. PU_DONE, or it has told why not. */
int pmlcctl_connect(struct job *job);

/* The PMAPI context that the logger's metrics are in. PU_DONE, or it has told why not. */
int pmlcctl_use_pmcd(struct job *job);

/* The document with its first members; `shown`: text tells which logger it is. Its end, and the
 * worse status. */
void pmlcctl_begin_output(struct job *job, bool shown);
int pmlcctl_end_output(struct job *job, int status);

/* What each verb does; see struct pu_verb. */
int pmlcctl_query(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                  char **operands, size_t count);
int pmlcctl_change(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                   char **operands, size_t count);
int pmlcctl_status(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                   char **operands, size_t count);
int pmlcctl_list(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                 char **operands, size_t count);
int pmlcctl_new_volume(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                       char **operands, size_t count);
int pmlcctl_flush(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                  char **operands, size_t count);

/* What the verbs that share pmlcctl_change() ask for: struct pu_verb's `code`. */
enum change { MANDATORY_ON, MANDATORY_OFF, MANDATORY_MAYBE, ADVISORY_ON, ADVISORY_OFF };

#endif
