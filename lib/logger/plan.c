/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "logger/plan.h"

#include <errno.h>
#include <stdlib.h>

#include "logger/plan-private.h"
#include "pcp/compat.h"

int pu_plan_pmapi(struct pu_err *err, int code, const char *what)
{
    char text[PM_MAXERRMSGLEN];

    pu_err_set(err, PU_E_PMAPI, "%s: %s", what, pmErrStr_r(code, text, sizeof(text)));
    err->status = code;
    return -1;
}

int pu_plan_no_memory(struct pu_err *err)
{
    return pu_err_system(err, ENOMEM, "cannot hold the metrics");
}

bool pu_plan_is_fatal(int code)
{
    return code == PM_ERR_IPC || code == PM_ERR_TIMEOUT || code == PM_ERR_NOTCONN ||
           code == PM_ERR_NOCONTEXT || code == PM_ERR_PERMISSION || (code < 0 && code > -1000);
}

void pu_plan_set_fault(struct pu_plan_metric *metric, int code)
{
    metric->code = code;
    metric->fault = code == PM_ERR_PMID ? PU_VERDICT_NO_METRIC : PU_VERDICT_UNAVAILABLE;
}

void pu_plan_set_logger_fault(struct pu_plan *plan, struct pu_plan_metric *metric, int code)
{
    pu_plan_set_fault(metric, code);
    plan->sick = plan->sick || pu_plan_is_fatal(code);
}

int pu_plan_add(struct pu_plan *plan, const char *text, struct pu_err *err)
{
    struct pu_selector *grown = plan->selectors;

    /* The room doubles: a file can hold many. */
    if ((plan->selector_count & (plan->selector_count - 1)) == 0)
        grown = reallocarray(grown, plan->selector_count ? 2 * plan->selector_count : 1,
                             sizeof(*grown));
    if (!grown)
        return pu_plan_no_memory(err);
    plan->selectors = grown;
    if (pu_selector_parse(text, &grown[plan->selector_count], err) < 0) {
        pu_selector_free(&grown[plan->selector_count]);
        return -1;
    }
    plan->selector_count++;
    return 0;
}

void pu_plan_free(struct pu_plan *plan)
{
    for (size_t i = 0; i < plan->selector_count; i++)
        pu_selector_free(&plan->selectors[i]);
    for (size_t i = 0; i < plan->entry_count; i++)
        free(plan->entries[i].name);
    for (size_t i = 0; i < plan->indom_count; i++)
        pu_plan_indom_free(&plan->indoms[i]);
    free(plan->selectors);
    free(plan->entries);
    free(plan->metrics);
    free(plan->indoms);
    free(plan->items);
    *plan = (struct pu_plan){.wish = plan->wish};
}

const char *pu_verdict_word(enum pu_verdict verdict)
{
    static const char *const words[] = {
        NULL,          "changed",        "already",          "planned",     "refused",
        "denied",      "unknown-metric", "no-such-instance", "unsupported", "derived",
        "unavailable", "lost",           "unknown",          "unsent",
    };

    return words[verdict];
}

bool pu_verdict_good(enum pu_verdict verdict)
{
    return verdict <= PU_VERDICT_PLANNED;
}
