/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/finding.h"

#include <string.h>

const char *pu_severity_word(enum pu_severity severity)
{
    static const char *const words[] = {"note", "warning", "error"};

    return words[severity];
}

const struct pu_rule *pu_rule_find(const struct pu_rule *rules, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rules[i].name, name) == 0)
            return &rules[i];
    }
    return NULL;
}
