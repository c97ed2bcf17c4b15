/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/findings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/status.h"

static const struct pu_field record_field = {.form = PU_FORM_LINE};
static const struct pu_field file_field = {.key = "file", .form = PU_FORM_PREFIX};
static const struct pu_field offset_field = {.key = "offset", .form = PU_FORM_NEXT_PREFIX};
static const struct pu_field severity_field = {.key = "severity", .form = PU_FORM_PREFIX};
static const struct pu_field place_field = {.key = "place", .form = PU_FORM_PREFIX};
static const struct pu_field message_field = {.key = "message", .form = PU_FORM_CLAUSE};
static const struct pu_field effect_field = {.key = "effect"};
static const struct pu_field advice_field = {.key = "advice", .form = PU_FORM_HIDDEN};
static const struct pu_field rule_field = {.key = "rule", .form = PU_FORM_TAG};

static void put_place(struct pu_out *out, const struct pu_place *place)
{
    pu_out_string(out, &file_field, place->file);
    if (place->has_offset)
        pu_out_u64(out, &offset_field, place->offset);
}

static void put_related(struct pu_out *out, const struct pu_finding *finding)
{
    static const struct pu_field related_field = {.key = "related", .form = PU_FORM_HIDDEN};

    pu_out_list(out, &related_field);
    for (size_t i = 0; i < finding->related_count; i++) {
        pu_out_object(out, NULL);
        put_place(out, &finding->related[i]);
        if (finding->related[i].what[0])
            pu_out_string(out, &place_field, finding->related[i].what);
        pu_out_end(out);
    }
    pu_out_end(out);
}

static void report(struct pu_judge *judge, const struct pu_finding *finding)
{
    struct pu_findings *findings = (struct pu_findings *)judge;
    struct pu_out *out = findings->out;

    if (pu_rule_set_has(&findings->ignored, finding->rule))
        return;
    findings->counts[finding->rule->severity]++;
    pu_out_object(out, &record_field);
    put_place(out, &finding->place);
    pu_out_string(out, &severity_field, pu_severity_word(finding->rule->severity));
    if (finding->place.what[0])
        pu_out_string(out, &place_field, finding->place.what);
    pu_out_string(out, &message_field, finding->message);
    pu_out_string(out, &effect_field, finding->rule->effect);
    pu_out_string(out, &advice_field, finding->rule->advice);
    pu_out_string(out, &rule_field, finding->rule->name);
    if (finding->related_count > 0)
        put_related(out, finding);
    pu_out_end(out);
}

/* One argument: a rule, or several with commas between them. */
static int add_rules(struct pu_rule_set *set, size_t rule_count, const char *list,
                     struct pu_err *err)
{
    while (*list) {
        size_t size = strcspn(list, ",");
        char name[64];
        snprintf(name, sizeof(name), "%.*s", (int)size, list);
        const struct pu_rule *rule = pu_rule_find(set->rules, rule_count, name);
        if (strcmp(name, "all") == 0)
            memset(set->has, true, rule_count * sizeof(*set->has));
        else if (!rule || size >= sizeof(name))
            return pu_err_set(err, PU_E_SYNTAX, "there is no rule '%s'", name);
        else
            set->has[rule - set->rules] = true;
        list += size;
        list += *list == ',';
    }
    return 0;
}

int pu_rule_set_init(struct pu_rule_set *set, const struct pu_rule *rules, size_t rule_count,
                     const struct pu_strings *names, struct pu_err *err)
{
    *set = (struct pu_rule_set){rules, calloc(rule_count, sizeof(*set->has))};
    if (!set->has)
        return pu_err_system(err, ENOMEM, "cannot hold the rules");
    for (size_t i = 0; i < names->count; i++) {
        if (add_rules(set, rule_count, names->items[i], err) < 0)
            return -1;
    }
    return 0;
}

void pu_rule_set_free(struct pu_rule_set *set)
{
    free(set->has);
    set->has = NULL;
}

int pu_findings_init(struct pu_findings *findings, struct pu_out *out, const struct pu_rule *rules,
                     size_t rule_count, const struct pu_strings *ignore, struct pu_err *err)
{
    *findings = (struct pu_findings){.judge.report = report, .out = out};
    return pu_rule_set_init(&findings->ignored, rules, rule_count, ignore, err);
}

void pu_findings_free(struct pu_findings *findings)
{
    pu_rule_set_free(&findings->ignored);
}

void pu_findings_begin(struct pu_findings *findings)
{
    static const struct pu_field findings_field = {.key = "findings"};

    pu_out_list(findings->out, &findings_field);
}

void pu_findings_end(struct pu_findings *findings)
{
    static const struct pu_field summary_field = {.key = "summary", .form = PU_FORM_HIDDEN};
    static const struct pu_field count_fields[] = {
        {.key = "notes"}, {.key = "warnings"}, {.key = "errors"}};

    pu_out_end(findings->out);
    pu_out_object(findings->out, &summary_field);
    for (int severity = PU_ERROR; severity >= PU_NOTE; severity--)
        pu_out_u64(findings->out, &count_fields[severity], findings->counts[severity]);
    pu_out_end(findings->out);
}

int pu_findings_status(const struct pu_findings *findings, bool strict)
{
    if (findings->counts[PU_ERROR] > 0 || (strict && findings->counts[PU_WARNING] > 0))
        return PU_DAMAGED;
    return PU_DONE;
}

void pu_findings_put_rules(struct pu_out *out, const struct pu_rule *rules, size_t rule_count)
{
    static const struct pu_field rules_field = {.key = "rules"};
    static const struct pu_field block_field = {.form = PU_FORM_BLOCK};
    static const struct pu_field fields[] = {
        {.key = "rule", .label = "rule"},
        {.key = "severity", .label = "  severity"},
        {.key = "effect", .label = "  effect"},
        {.key = "advice", .label = "  advice"},
    };

    pu_out_list(out, &rules_field);
    for (size_t i = 0; i < rule_count; i++) {
        pu_out_object(out, &block_field);
        pu_out_string(out, &fields[0], rules[i].name);
        pu_out_string(out, &fields[1], pu_severity_word(rules[i].severity));
        pu_out_string(out, &fields[2], rules[i].effect);
        pu_out_string(out, &fields[3], rules[i].advice);
        pu_out_end(out);
    }
    pu_out_end(out);
}
