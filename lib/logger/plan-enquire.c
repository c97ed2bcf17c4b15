/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How things are. Of values that are named in a request the logger tells what it keeps, and asks
 * pmcd nothing; of all values of a metric it first asks pmcd which there are, at two round trips a
 * metric (measured, 6.0.3 and 7.2). So all are named, as far as we know them.
 */
#include <stdlib.h>

#include "logger/plan-private.h"
#include "pcp/compat.h"

/* Metrics in one question, and values named in it. While the logger looks for the answer, it
 * samples nothing. */
#define BATCH        4096
#define BATCH_VALUES 65536

/* A question about some metrics, and the place of each in the plan. */
struct question {
    struct pu_log_result request;
    struct pu_log_set sets[BATCH];
    size_t places[BATCH];
    size_t values;
    struct pu_log_value whole; /* the one of a metric without instances */
};

/* No values: all that there are, and all that the logger has ever seen. */
static void add(struct question *question, const struct pu_plan *plan, size_t place,
                struct pu_log_value *values, size_t count)
{
    size_t at = question->request.numpmid++;

    question->values += count;
    question->places[at] = place;
    question->sets[at] = (struct pu_log_set){
        .pmid = plan->metrics[place].pmid,
        .numval = (int32_t)count,
        .vlist = values,
    };
}

static struct question *new_question(struct pu_err *err)
{
    struct question *question = calloc(1, sizeof(*question));

    if (!question) {
        pu_plan_no_memory(err);
        return NULL;
    }
    question->request.vset = question->sets;
    question->whole.inst = PM_IN_NULL;
    return question;
}

/* --- all values ------------------------------------------------------------------------------- */

/* What was asked of nobody is of the entry for all. */
static void keep_all_word(struct pu_plan_metric *metric, const struct pu_log_set *set)
{
    const struct pu_log_value *value = set ? pu_plan_find_value(set, PU_PLAN_NOBODY) : NULL;

    if (value)
        metric->all_word = value->value;
}

/* Items for the metrics from `*place` up to the last of the question, faulty ones in between too.
 */
static int make_items(struct pu_plan *plan, const struct question *question,
                      struct pu_log_result *answer, size_t *place, size_t end, struct pu_err *err)
{
    size_t at = 0;

    for (; *place < end; ++*place) {
        struct pu_log_set *set = NULL;
        if (at < question->request.numpmid && question->places[at] == *place)
            set = &answer->vset[at++];
        if (set && set->numval < 0)
            pu_plan_set_logger_fault(plan, &plan->metrics[*place], set->numval);
        if (pu_plan_make_items(plan, *place, set, err) < 0)
            return -1;
        keep_all_word(&plan->metrics[*place], set);
    }
    return 0;
}

/* Instances that have gone only the logger knows; for a change they are seen to by its check. */
static bool knows_instances(const struct pu_plan *plan, const struct pu_plan_metric *metric)
{
    return plan->wish.control != PU_LOG_ENQUIRE && metric->indom && metric->indom->code == 0 &&
           metric->indom->count < BATCH_VALUES;
}

static void add_metric(struct question *question, const struct pu_plan *plan, size_t place)
{
    const struct pu_plan_metric *metric = &plan->metrics[place];

    if (metric->pmindom == PM_INDOM_NULL)
        add(question, plan, place, &question->whole, 1);
    else if (knows_instances(plan, metric))
        add(question, plan, place, metric->indom->values, metric->indom->count + 1);
    else
        add(question, plan, place, NULL, 0);
}

/* While the logger is at work on a question, so is pmcd on our own. */
static int ask(struct pu_plan *plan, struct pu_client *client, const struct question *question,
               struct pu_log_result *answer, struct pu_err *err)
{
    const struct pu_log_result *request = &question->request;

    if (request->numpmid > 0 &&
        pu_logger_control_ask(client, request, PU_LOG_ENQUIRE, PU_LOG_OFF, 0, err) < 0)
        return -1;
    if (!plan->indoms && pu_plan_look_up_indoms(plan, err) < 0)
        return -1;
    if (request->numpmid == 0)
        return 0;
    return pu_logger_control_take(client, request, answer, err);
}

static int enquire_batch(struct pu_plan *plan, struct pu_client *client, struct question *question,
                         size_t *place, struct pu_err *err)
{
    struct pu_log_result answer = {0};
    size_t end = *place;

    question->request.numpmid = 0;
    question->values = 0;
    for (; end < plan->metric_count && question->request.numpmid < BATCH &&
           question->values < BATCH_VALUES;
         end++) {
        if (!plan->metrics[end].fault)
            add_metric(question, plan, end);
    }
    if (ask(plan, client, question, &answer, err) < 0)
        return -1;
    int result = make_items(plan, question, &answer, place, end, err);
    pu_log_result_free(&answer);
    return result;
}

/* --- entries for all instances ---------------------------------------------------------------- */

static int probe_batch(struct pu_plan *plan, struct pu_client *client,
                       const struct question *question, struct pu_err *err)
{
    struct pu_log_result answer;

    if (question->request.numpmid == 0)
        return 0;
    if (pu_logger_control(client, &question->request, PU_LOG_ENQUIRE, PU_LOG_OFF, 0, &answer, err) <
        0)
        return -1;
    for (size_t i = 0; i < answer.numpmid; i++) {
        if (answer.vset[i].numval > 0)
            plan->metrics[question->places[i]].all_word = answer.vset[i].vlist[0].value;
    }
    pu_log_result_free(&answer);
    return 0;
}

int pu_plan_probe(struct pu_plan *plan, struct pu_client *client,
                  bool (*pick)(const struct pu_plan *plan, const struct pu_plan_metric *metric),
                  struct pu_err *err)
{
    struct pu_log_value nobody = {.inst = PU_PLAN_NOBODY};
    struct question *question = new_question(err);
    int result = question ? 0 : -1;

    for (size_t i = 0; i < plan->metric_count && result == 0; i++) {
        const struct pu_plan_metric *metric = &plan->metrics[i];
        if (metric->fault || metric->pmindom == PM_INDOM_NULL || !pick(plan, metric))
            continue;
        add(question, plan, i, &nobody, 1);
        if (question->request.numpmid < BATCH)
            continue;
        result = probe_batch(plan, client, question, err);
        question->request.numpmid = 0;
    }
    if (result == 0)
        result = probe_batch(plan, client, question, err);
    free(question);
    return result;
}

/* The item of a metric that has instances and none of them now, if it is one. */
static struct pu_plan_item *empty_item(const struct pu_plan *plan,
                                       const struct pu_plan_metric *metric)
{
    struct pu_plan_item *item = &plan->items[metric->first];

    if (metric->pmindom == PM_INDOM_NULL || metric->count == 0 || item->verdict || item->has_inst)
        return NULL;
    return item;
}

/* A change needs to know of all that was not asked of nobody yet; for a question only an entry that
 * shows in no instance counts. */
static bool is_of_interest(const struct pu_plan *plan, const struct pu_plan_metric *metric)
{
    if (plan->wish.control == PU_LOG_ENQUIRE)
        return empty_item(plan, metric);
    return !knows_instances(plan, metric);
}

static void fill_empty_items(struct pu_plan *plan)
{
    for (size_t i = 0; i < plan->metric_count; i++) {
        struct pu_plan_item *item = empty_item(plan, &plan->metrics[i]);
        if (!item)
            continue;
        item->before = plan->metrics[i].all_word;
        item->has_before = true;
    }
}

int pu_plan_enquire(struct pu_plan *plan, struct pu_client *client, struct pu_err *err)
{
    struct question *question = new_question(err);
    size_t place = 0;
    int result = question ? 0 : -1;

    if (result == 0 && plan->wish.control != PU_LOG_ENQUIRE)
        result = pu_plan_look_up_indoms(plan, err);
    while (place < plan->metric_count && result == 0)
        result = enquire_batch(plan, client, question, &place, err);
    free(question);
    if (result == 0)
        result = pu_plan_probe(plan, client, is_of_interest, err);
    if (result == 0)
        fill_empty_items(plan);
    return result;
}
