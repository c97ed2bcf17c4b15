/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From what the user names to requests and back: which metrics and instances are meant, how each is
 * logged, what a change would do, the change itself, and what came of it.
 *
 * A change goes through these in order: pu_plan_resolve(), pu_plan_enquire(), pu_plan_predict(),
 * pu_plan_apply(), or pu_plan_check() in place of the last. A question ends after the second.
 *
 * What a logger keeps of a metric with instances is either one entry for all of them, which it
 * looks at whenever it fetches, or one for each of some instances. While there is the former, it
 * refuses every request that names instances, and says so by nothing (measured, 6.0.3 and 7.2).
 * Asking for an instance that cannot exist tells which it is.
 */
#ifndef PU_LOGGER_PLAN_H
#define PU_LOGGER_PLAN_H

#include "base/selector.h"
#include "logger/control.h"

/* What became of an item; the order is that of pu_verdict_word(). */
enum pu_verdict {
    PU_VERDICT_NONE,    /* a question: there is nothing to judge */
    PU_VERDICT_CHANGED, /* as wished now */
    PU_VERDICT_ALREADY, /* as wished before; nothing was asked */
    PU_VERDICT_PLANNED, /* would be changed */
    PU_VERDICT_REFUSED, /* the logger keeps, or would keep, the state that was */
    PU_VERDICT_DENIED,  /* no permission */
    PU_VERDICT_NO_METRIC,
    PU_VERDICT_NO_INSTANCE,
    PU_VERDICT_UNSUPPORTED, /* its agent has no values here */
    PU_VERDICT_DERIVED,     /* its number means another metric to the logger */
    PU_VERDICT_UNAVAILABLE, /* the logger or we cannot look it up: see `code` */
    PU_VERDICT_LOST,        /* the logger ended */
    PU_VERDICT_UNKNOWN,     /* asked, and no answer in time */
    PU_VERDICT_UNSENT,      /* not asked any more, after another one's end */
};

/* One value, or what the user named and there is not. */
struct pu_plan_item {
    size_t metric; /* its place */
    bool has_inst;
    int32_t inst;
    struct pu_span
        name; /* of the instance, or of a pattern that none fits; borrowed; may be empty */
    bool has_before;
    bool has_after;
    uint32_t before; /* words as of PU_PMLC_GET_ON() */
    uint32_t after;
    enum pu_verdict verdict;
    const char *reason; /* static; NULL = none known */
};

struct pu_plan_entry; /* private, as the next */
struct pu_plan_indom;

struct pu_plan_metric {
    struct pu_span name;           /* borrowed from the plan */
    size_t first_entry, end_entry; /* what named it */
    uint32_t pmid;
    uint32_t pmindom; /* PM_INDOM_NULL: singular */
    struct pu_plan_indom *indom;
    bool all;              /* asked for as a whole */
    bool asked;            /* has been sent */
    bool send;             /* has something to be sent */
    bool doubtful;         /* whether it has depends on instances that have gone */
    uint32_t all_word;     /* the entry for all instances; off and advisory: there is none */
    enum pu_verdict fault; /* of the metric as a whole, or PU_VERDICT_NONE */
    int code;              /* PMAPI code behind it, or 0 */
    size_t first, count;   /* its items */
};

struct pu_wish {
    int control; /* enum pu_log_control; PU_LOG_ENQUIRE: just look */
    int state;
    uint32_t delta; /* milliseconds; 0 = once */
};

struct pu_plan {
    struct pu_wish wish;
    struct pu_selector *selectors; /* owned, all below */
    size_t selector_count;
    struct pu_plan_entry *entries;
    size_t entry_count;
    struct pu_plan_metric *metrics;
    size_t metric_count;
    struct pu_plan_indom *indoms;
    size_t indom_count;
    struct pu_plan_item *items;
    size_t item_count;
    size_t item_capacity;
    size_t profile; /* instances that the logger would fetch one by one */
    bool sick;      /* the logger has lost its pmcd: asked for a change, it could exit */
};

/* Start from zeros, with the wish; release with pu_plan_free(). */
void pu_plan_free(struct pu_plan *plan);

/* A selector at the end. Errors: as of pu_selector_parse(). */
int pu_plan_add(struct pu_plan *plan, const char *text, struct pu_err *err) PU_MUST_CHECK;

/*
 * Looks up metrics and their descriptions in the current PMAPI context: few round trips, however
 * many there are. What there is not becomes a fault of its metric. Errors: PU_E_PMAPI when pmcd
 * does not answer, PU_E_SYSTEM (ENOMEM).
 */
int pu_plan_resolve(struct pu_plan *plan, struct pu_err *err) PU_MUST_CHECK;

/*
 * Asks the logger how all this is logged, looks up instances (for a change before, to name them;
 * else meanwhile), and makes the items. No question harms a logger. Errors: as of pu_plan_resolve()
 * and of the client.
 */
int pu_plan_enquire(struct pu_plan *plan, struct pu_client *client,
                    struct pu_err *err) PU_MUST_CHECK;

/* Gives each item the verdict that it would have: already, planned, refused, or its fault's. */
void pu_plan_predict(struct pu_plan *plan);

/*
 * Asks the logger whether it can look up what would be changed, and what it keeps of instances that
 * have gone. What it cannot look up is planned no more; entries of the latter can change a verdict,
 * and whether there is something to send. Errors: as of pu_plan_apply().
 */
int pu_plan_check(struct pu_plan *plan, struct pu_client *client, struct pu_err *err) PU_MUST_CHECK;

/*
 * Asks for the changes, some metrics at a time, so that the logger can work in between; and before
 * each time what pu_plan_check() asks. A timer of the logger's that goes off while it waits
 * for pmcd can make it lose its connection to it (seen with 6.0.3), and then a change is its end.
 * Each item that was planned has another verdict after it, also after an error, which is of the
 * client.
 * `progress` may be NULL; it is told how many metrics of how many are done.
 */
int pu_plan_apply(struct pu_plan *plan, struct pu_client *client,
                  void (*progress)(void *context, size_t done, size_t all), void *context,
                  struct pu_err *err) PU_MUST_CHECK;

/* "changed", "already", ...; NULL for none. */
const char *pu_verdict_word(enum pu_verdict verdict);
/* Is it as wished, or does nothing stand in the way? */
bool pu_verdict_good(enum pu_verdict verdict);

#endif
