/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a change would do, and the change. What a logger makes of each request in each state was
 * measured (6.0.3 and 7.2, all combinations), and differs from __pmControlLog(3) in places.
 */
#include <errno.h>
#include <stdlib.h>

#include "logger/plan-private.h"
#include "pcp/compat.h"

/* Metrics, or values, in one request: the logger samples nothing until it is done with it, and
 * needs about a tenth of a millisecond for each value. */
#define CHUNK_METRICS 100
#define CHUNK_VALUES  1000

/* A logger that fetches more instances one by one would send pmcd a request of more than 64 KiB,
 * and be dropped: 16,373, were they of one domain. */
#define PROFILE_MAX 16000

static const char in_force[] = "mandatory logging is in force";
static const char in_force_some[] = "mandatory logging is in force for some instances";
static const char in_force_gone[] = "mandatory logging is in force for an instance that has gone";
static const char all_in_force[] = "an entry for all instances is in force";
static const char too_many[] = "too many instances one by one; name the metric as a whole";
static const char kept[] = "the logger keeps it as it is";
static const char no_pmcd[] = "the logger has lost its pmcd; try again later";
static const char gone[] = "the instance has gone";

/* --- what would come of it -------------------------------------------------------------------- */

/* What a word becomes when the logger honours the wish for it; off has no interval. */
static uint32_t wished(const struct pu_wish *wish)
{
    bool on = wish->state == PU_LOG_ON;
    bool mandatory = wish->control == PU_LOG_MANDATORY && wish->state != PU_LOG_MAYBE;

    return pu_log_word(mandatory, on, wish->delta);
}

/* Is a value logged as was wished for? With "maybe" everything will do that is not mandatory. */
static bool is_wished(const struct pu_wish *wish, uint32_t word)
{
    if (wish->state == PU_LOG_MAYBE)
        return !PU_PMLC_GET_MAND(word);
    return PU_LOG_STATE(word) == wished(wish);
}

/* Every time that "once" is asked for, the values are logged once more. */
static bool is_once(const struct pu_wish *wish)
{
    return wish->state == PU_LOG_ON && wish->delta == 0;
}

static void refuse(struct pu_plan_item *item, const char *reason)
{
    item->verdict = PU_VERDICT_REFUSED;
    item->reason = reason;
    item->after = item->before;
    item->has_after = item->has_before;
}

static void expect(struct pu_plan_item *item, uint32_t word, bool holds)
{
    item->verdict = holds ? PU_VERDICT_ALREADY : PU_VERDICT_PLANNED;
    item->after = holds ? item->before : word;
    item->has_after = true;
}

static void predict_one(struct pu_plan *plan, const struct pu_plan_metric *metric,
                        struct pu_plan_item *item)
{
    const struct pu_wish *wish = &plan->wish;
    uint32_t word = wished(wish);

    if (item->has_inst && pu_plan_has_all_entry(metric))
        refuse(item, all_in_force);
    else if (wish->control == PU_LOG_ADVISORY && PU_PMLC_GET_MAND(item->before))
        refuse(item, in_force);
    else
        /* "maybe" turns an advisory value off, so only what is off already stays as it is. */
        expect(item, word, PU_LOG_STATE(item->before) == word && !is_once(wish));
}

/* Counted as many as the logger would fetch one by one, were this one added. */
static void add_to_profile(struct pu_plan *plan, const struct pu_plan_metric *metric,
                           const struct pu_plan_item *item)
{
    struct pu_plan_instance *instance = pu_plan_instance_by_id(metric->indom, item->inst);

    if (item->verdict != PU_VERDICT_PLANNED || plan->wish.state != PU_LOG_ON || !item->has_inst ||
        !instance || instance->wanted)
        return;
    instance->wanted = true;
    plan->profile++;
}

/* How the instances of a metric are logged, all taken together. */
static bool has_mandatory(const struct pu_plan *plan, const struct pu_plan_metric *metric)
{
    for (size_t i = 0; i < metric->count; i++) {
        const struct pu_plan_item *item = &plan->items[metric->first + i];
        if (item->has_before && PU_PMLC_GET_MAND(item->before))
            return true;
    }
    return false;
}

/* What "maybe" leaves in place: an advisory entry for all, and advisory ones for some. */
static bool stays(const struct pu_plan *plan, const struct pu_plan_metric *metric, bool mandatory)
{
    return plan->wish.state == PU_LOG_MAYBE && !mandatory && !PU_PMLC_GET_MAND(metric->all_word);
}

/* Does it leave no entries? Then how the instances that there are now are logged does not tell
 * whether it is so already. */
static bool clears(const struct pu_wish *wish)
{
    return wish->state == PU_LOG_MAYBE ||
           (wish->control == PU_LOG_ADVISORY && wish->state == PU_LOG_OFF);
}

static void predict_all(struct pu_plan *plan, struct pu_plan_metric *metric)
{
    const struct pu_wish *wish = &plan->wish;
    bool entry = pu_plan_has_all_entry(metric);
    bool mandatory = entry ? PU_PMLC_GET_MAND(metric->all_word) : has_mandatory(plan, metric);
    uint32_t word = wished(wish);

    metric->doubtful = !entry && clears(wish) && !(wish->control == PU_LOG_ADVISORY && mandatory);
    for (size_t i = 0; i < metric->count; i++) {
        struct pu_plan_item *item = &plan->items[metric->first + i];
        if (item->verdict)
            continue;
        if (wish->control == PU_LOG_ADVISORY && mandatory)
            refuse(item, entry ? in_force : in_force_some);
        else if (stays(plan, metric, mandatory))
            expect(item, item->before, true);
        else
            expect(item, word,
                   PU_LOG_STATE(item->before) == word && PU_LOG_STATE(metric->all_word) == word &&
                       !is_once(wish));
    }
}

static void predict_metric(struct pu_plan *plan, struct pu_plan_metric *metric)
{
    if (!metric->fault && metric->all && metric->pmindom != PM_INDOM_NULL)
        predict_all(plan, metric);
    for (size_t i = 0; i < metric->count; i++) {
        struct pu_plan_item *item = &plan->items[metric->first + i];
        if (item->verdict)
            continue;
        predict_one(plan, metric, item);
        add_to_profile(plan, metric, item);
    }
}

static void limit(struct pu_plan *plan, const struct pu_plan_metric *metric)
{
    for (size_t i = 0; !metric->all && i < metric->count; i++) {
        struct pu_plan_item *item = &plan->items[metric->first + i];
        if (item->verdict == PU_VERDICT_PLANNED && item->has_inst)
            refuse(item, too_many);
    }
}

static void drop(struct pu_plan *plan, struct pu_plan_metric *metric, enum pu_verdict verdict,
                 const char *reason)
{
    metric->send = false;
    for (size_t i = 0; i < metric->count; i++) {
        struct pu_plan_item *item = &plan->items[metric->first + i];
        if (item->verdict != PU_VERDICT_PLANNED)
            continue;
        item->verdict = verdict;
        item->reason = reason;
        item->has_after = false;
    }
}

/* Nothing may be sent any more. */
static void abandon(struct pu_plan *plan)
{
    for (size_t i = 0; i < plan->metric_count; i++)
        drop(plan, &plan->metrics[i], PU_VERDICT_UNAVAILABLE, no_pmcd);
}

static size_t count_planned(const struct pu_plan *plan, const struct pu_plan_metric *metric)
{
    size_t count = 0;

    for (size_t i = 0; i < metric->count; i++)
        count += plan->items[metric->first + i].verdict == PU_VERDICT_PLANNED;
    return count;
}

void pu_plan_predict(struct pu_plan *plan)
{
    for (size_t i = 0; i < plan->metric_count; i++)
        predict_metric(plan, &plan->metrics[i]);
    for (size_t i = 0; i < plan->metric_count; i++) {
        struct pu_plan_metric *metric = &plan->metrics[i];
        if (plan->profile > PROFILE_MAX && plan->wish.state == PU_LOG_ON)
            limit(plan, metric);
        metric->send = metric->doubtful || count_planned(plan, metric) > 0;
    }
    if (plan->sick)
        abandon(plan);
}

/* --- the change ------------------------------------------------------------------------------- */

/* One request: metrics from `first` up to `end` of the plan that have something to send. */
struct chunk {
    struct pu_log_result request;
    struct pu_log_set sets[CHUNK_METRICS];
    size_t places[CHUNK_METRICS];
    struct pu_log_value *values; /* owned */
    size_t end;
};

static bool is_whole(const struct pu_plan_metric *metric)
{
    return metric->all && metric->pmindom != PM_INDOM_NULL;
}

/* Takes metrics from `start` until the request is large enough, or up to `limit`. Returns how many
 * values they have. */
static size_t gather(const struct pu_plan *plan, size_t start, size_t limit, struct chunk *chunk)
{
    size_t values = 0;

    chunk->request = (struct pu_log_result){.vset = chunk->sets};
    for (chunk->end = start; chunk->end < limit; chunk->end++) {
        const struct pu_plan_metric *metric = &plan->metrics[chunk->end];
        size_t at = chunk->request.numpmid;
        if (!metric->send)
            continue;
        size_t count = count_planned(plan, metric);
        if (at == CHUNK_METRICS || (at > 0 && values + count > CHUNK_VALUES))
            break;
        chunk->places[at] = chunk->end;
        chunk->sets[at] = (struct pu_log_set){
            .pmid = metric->pmid,
            .singular = metric->pmindom == PM_INDOM_NULL,
            .numval = is_whole(metric) ? 0 : (int32_t)count,
        };
        chunk->request.numpmid++;
        values += count;
    }
    return values;
}

static int fill(const struct pu_plan *plan, struct chunk *chunk, size_t values)
{
    struct pu_log_value *value = calloc(values + 1, sizeof(*value));

    chunk->values = value;
    if (!value)
        return -1;
    for (size_t i = 0; i < chunk->request.numpmid; i++) {
        const struct pu_plan_metric *metric = &plan->metrics[chunk->places[i]];
        if (is_whole(metric))
            continue;
        chunk->sets[i].vlist = value;
        for (size_t k = 0; k < metric->count; k++) {
            if (plan->items[metric->first + k].verdict == PU_VERDICT_PLANNED)
                (value++)->inst = plan->items[metric->first + k].inst;
        }
    }
    return 0;
}

static void judge_item(const struct pu_wish *wish, struct pu_plan_item *item,
                       const struct pu_log_value *value)
{
    item->has_after = value != NULL;
    if (!value) {
        item->verdict = PU_VERDICT_UNAVAILABLE;
        item->reason = gone;
        return;
    }
    item->after = value->value;
    if (is_wished(wish, value->value)) {
        item->verdict = PU_VERDICT_CHANGED;
        return;
    }
    item->verdict = PU_VERDICT_REFUSED;
    item->reason = kept;
}

static void judge_metric(struct pu_plan *plan, struct pu_plan_metric *metric,
                         struct pu_log_set *answer)
{
    metric->asked = true;
    if (answer->numval < 0)
        metric->code = answer->numval;
    pu_plan_sort_values(answer);
    for (size_t i = 0; i < metric->count; i++) {
        struct pu_plan_item *item = &plan->items[metric->first + i];
        if (item->verdict != PU_VERDICT_PLANNED)
            continue;
        const struct pu_log_value *value = pu_plan_find_value(answer, item->inst);
        if (answer->numval < 0) {
            item->verdict = PU_VERDICT_UNAVAILABLE;
            item->has_after = false;
        } else if (value || !is_whole(metric)) {
            judge_item(&plan->wish, item, value);
        }
    }
}

static int send_chunk(struct pu_plan *plan, struct pu_client *client, struct chunk *chunk,
                      struct pu_err *err)
{
    const struct pu_wish *wish = &plan->wish;
    struct pu_log_result answer;

    if (pu_logger_control(client, &chunk->request, wish->control, wish->state, (int)wish->delta,
                          &answer, err) < 0)
        return -1;
    for (size_t i = 0; i < chunk->request.numpmid; i++)
        judge_metric(plan, &plan->metrics[chunk->places[i]], &answer.vset[i]);
    pu_log_result_free(&answer);
    return 0;
}

/* One for all instances of which the answer has not each: there is none, or one has gone since. */
static bool is_open(const struct pu_plan *plan, const struct pu_plan_metric *metric)
{
    for (size_t i = 0; metric->asked && i < metric->count; i++) {
        if (plan->items[metric->first + i].verdict == PU_VERDICT_PLANNED)
            return true;
    }
    return false;
}

static int judge_open(struct pu_plan *plan, struct pu_client *client, struct pu_err *err)
{
    if (pu_plan_probe(plan, client, is_open, err) < 0)
        return -1;
    for (size_t i = 0; i < plan->metric_count; i++) {
        const struct pu_plan_metric *metric = &plan->metrics[i];
        struct pu_log_value value = {.value = metric->all_word};
        for (size_t k = 0; metric->asked && k < metric->count; k++) {
            struct pu_plan_item *item = &plan->items[metric->first + k];
            if (item->verdict == PU_VERDICT_PLANNED)
                judge_item(&plan->wish, item, &value);
        }
    }
    return 0;
}

/* What an error means for what was asked last, and for what was not asked any more. */
static enum pu_verdict verdict_of(const struct pu_err *err, bool asked)
{
    if (err->code == PU_E_PMAPI && err->status == PM_ERR_PERMISSION)
        return PU_VERDICT_DENIED;
    if (err->code == PU_E_PMAPI && err->status == -ECONNRESET)
        return PU_VERDICT_LOST;
    return asked ? PU_VERDICT_UNKNOWN : PU_VERDICT_UNSENT;
}

static void give_up(struct pu_plan *plan, const struct pu_err *err)
{
    for (size_t i = 0; i < plan->metric_count; i++) {
        const struct pu_plan_metric *metric = &plan->metrics[i];
        for (size_t k = 0; k < metric->count; k++) {
            struct pu_plan_item *item = &plan->items[metric->first + k];
            if (item->verdict != PU_VERDICT_PLANNED)
                continue;
            item->verdict = verdict_of(err, metric->asked);
            item->has_after = false;
        }
    }
}

/* The entries for instances that have gone, their words in one. They count as any other, and come
 * into their own again with the instance. A logger tells of those that it has logged. */
static uint32_t gone_states(const struct pu_plan_metric *metric, const struct pu_log_set *set)
{
    uint32_t states = 0;

    for (int32_t i = 0; i < set->numval; i++) {
        if (!pu_plan_instance_by_id(metric->indom, set->vlist[i].inst))
            states |= PU_LOG_STATE(set->vlist[i].value);
    }
    return states;
}

static void expect_gone(struct pu_plan *plan, struct pu_plan_metric *metric)
{
    for (size_t i = 0; i < metric->count; i++) {
        struct pu_plan_item *item = &plan->items[metric->first + i];
        if (item->verdict != PU_VERDICT_ALREADY && item->verdict != PU_VERDICT_PLANNED)
            continue;
        if (plan->wish.control == PU_LOG_ADVISORY)
            refuse(item, in_force_gone);
        else
            expect(item, 0, PU_LOG_STATE(item->before) == 0);
    }
}

/* What there is of instances that have gone changes what was foretold. Is there something to send?
 */
static bool settle_gone(struct pu_plan *plan, struct pu_plan_metric *metric,
                        const struct pu_log_set *set)
{
    const struct pu_wish *wish = &plan->wish;

    if (!is_whole(metric) || pu_plan_has_all_entry(metric) || metric->indom->code < 0)
        return true;
    uint32_t states = gone_states(metric, set);
    bool mandatory = PU_PMLC_GET_MAND(states);
    if (mandatory && (wish->control == PU_LOG_ADVISORY || wish->state == PU_LOG_MAYBE))
        expect_gone(plan, metric);
    if (count_planned(plan, metric) > 0)
        return true;
    return metric->doubtful && (wish->state == PU_LOG_MAYBE ? mandatory : states && !mandatory);
}

/* Can the logger still look them up? Those that it cannot are taken out of the plan, and so is what
 * needs no change after all. */
static int check_chunk(struct pu_plan *plan, struct pu_client *client, const struct chunk *chunk,
                       bool *all_well, struct pu_err *err)
{
    struct pu_log_set sets[CHUNK_METRICS];
    struct pu_log_result request = {.numpmid = chunk->request.numpmid, .vset = sets};
    struct pu_log_result answer;

    for (size_t i = 0; i < request.numpmid; i++)
        sets[i] = (struct pu_log_set){.pmid = chunk->sets[i].pmid};
    if (pu_logger_control(client, &request, PU_LOG_ENQUIRE, PU_LOG_OFF, 0, &answer, err) < 0)
        return -1;
    *all_well = true;
    for (size_t i = 0; i < answer.numpmid; i++) {
        struct pu_plan_metric *metric = &plan->metrics[chunk->places[i]];
        if (answer.vset[i].numval < 0) {
            pu_plan_set_logger_fault(plan, metric, answer.vset[i].numval);
            drop(plan, metric, metric->fault, NULL);
        } else {
            metric->send = settle_gone(plan, metric, &answer.vset[i]);
        }
        *all_well = *all_well && metric->send;
    }
    pu_log_result_free(&answer);
    if (plan->sick)
        abandon(plan);
    return 0;
}

/* The next request, of what has been checked. Returns how many values are in it, or -1; it may be
 * empty before the end. */
static int64_t next_chunk(struct pu_plan *plan, struct pu_client *client, struct chunk *chunk,
                          size_t start, struct pu_err *err)
{
    bool all_well;
    size_t values = gather(plan, start, plan->metric_count, chunk);

    if (chunk->request.numpmid == 0)
        return 0;
    if (check_chunk(plan, client, chunk, &all_well, err) < 0)
        return -1;
    if (!all_well)
        values = gather(plan, start, chunk->end, chunk);
    return (int64_t)values;
}

int pu_plan_check(struct pu_plan *plan, struct pu_client *client, struct pu_err *err)
{
    struct chunk *chunk = calloc(1, sizeof(*chunk));
    int result = chunk ? 0 : pu_plan_no_memory(err);

    for (size_t at = 0; result == 0 && at < plan->metric_count; at = chunk->end)
        result = next_chunk(plan, client, chunk, at, err) < 0 ? -1 : 0;
    free(chunk);
    if (result < 0)
        give_up(plan, err);
    return result;
}

static int apply_chunk(struct pu_plan *plan, struct pu_client *client, struct chunk *chunk,
                       size_t start, struct pu_err *err)
{
    int64_t values = next_chunk(plan, client, chunk, start, err);
    int result = 0;

    if (values < 0 || chunk->request.numpmid == 0)
        return values < 0 ? -1 : 0;
    if (fill(plan, chunk, (size_t)values) < 0)
        return pu_plan_no_memory(err);
    for (size_t i = 0; i < chunk->request.numpmid; i++)
        plan->metrics[chunk->places[i]].asked = true;
    result = send_chunk(plan, client, chunk, err);
    free(chunk->values);
    return result;
}

int pu_plan_apply(struct pu_plan *plan, struct pu_client *client,
                  void (*progress)(void *context, size_t done, size_t all), void *context,
                  struct pu_err *err)
{
    struct chunk *chunk = calloc(1, sizeof(*chunk));
    int result = chunk ? 0 : pu_plan_no_memory(err);

    for (size_t at = 0; result == 0 && at < plan->metric_count; at = chunk->end) {
        result = apply_chunk(plan, client, chunk, at, err);
        if (result == 0 && progress)
            progress(context, chunk->end, plan->metric_count);
    }
    free(chunk);
    if (result == 0)
        result = judge_open(plan, client, err);
    if (result < 0)
        give_up(plan, err);
    return result;
}
