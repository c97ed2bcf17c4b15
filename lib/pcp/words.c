/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pcp/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pcp/compat.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *pu_pcp_type_word(int32_t type)
{
    static const char *const words[] = {"32", "u32", "64", "u64", "float", "double", "string"};

    return type >= 0 && (size_t)type < COUNT(words) ? words[type] : NULL;
}

const char *pu_pcp_semantics_word(int32_t semantics)
{
    switch (semantics) {
    case PM_SEM_COUNTER:
        return "counter";
    case PM_SEM_INSTANT:
        return "instant";
    case PM_SEM_DISCRETE:
        return "discrete";
    default:
        return NULL;
    }
}

static int sign_extend(uint32_t bits, unsigned int width)
{
    uint32_t sign = 1u << (width - 1);

    return (int)((bits & (2 * sign - 1)) ^ sign) - (int)sign;
}

struct pu_units pu_pcp_units(uint32_t word)
{
    return (struct pu_units){
        .space = sign_extend(word >> 28, 4),
        .time = sign_extend(word >> 24, 4),
        .count = sign_extend(word >> 20, 4),
        .space_scale = word >> 16 & 15,
        .time_scale = word >> 12 & 15,
        .count_scale = sign_extend(word >> 8, 4),
        .extra = sign_extend(word >> 3, 5),
        .extra_scale = word & 7,
    };
}

const char *pu_pcp_units_text(uint32_t word, char to[PU_UNITS_MAX])
{
    struct pu_units units = pu_pcp_units(word);
    pmUnits pcp = {0};

    pcp.dimSpace = units.space;
    pcp.dimTime = units.time;
    pcp.dimCount = units.count;
    pcp.scaleSpace = units.space_scale;
    pcp.scaleTime = units.time_scale;
    pcp.scaleCount = units.count_scale;
    to[0] = '\0';
    pmUnitsStr_r(&pcp, to, PU_UNITS_MAX);
    return to;
}

static uint32_t word_of(const pmUnits *units)
{
    return ((uint32_t)units->dimSpace & 15) << 28 | ((uint32_t)units->dimTime & 15) << 24 |
           ((uint32_t)units->dimCount & 15) << 20 | ((uint32_t)units->scaleSpace & 15) << 16 |
           ((uint32_t)units->scaleTime & 15) << 12 | ((uint32_t)units->scaleCount & 15) << 8;
}

int pu_pcp_units_parse(const char *text, uint32_t *word, char *why, size_t size)
{
    pmUnits units = {0};
    double multiplier = 1;
    char *message = NULL;

    *word = 0;
    if (*text == '\0' || strcmp(text, "none") == 0)
        return 0;
    if (pmParseUnitsStr(text, &units, &multiplier, &message) < 0) {
        snprintf(why, size, "\"%s\" is no unit that PCP knows", text);
        free(message);
        return -1;
    }
    if (multiplier != 1) {
        snprintf(why, size, "\"%s\" is %g times a unit; only the unit itself can be stored", text,
                 1 / multiplier);
        return -1;
    }
    *word = word_of(&units);
    return 0;
}

const char *pu_pcp_extra_word(const struct pu_units *units)
{
    static const char *const words[5][5] = {
        [1] = {NULL, "degrees C", "degrees F", "K"},
        [2] = {NULL, "V", "mV", "uV"},
        [3] = {NULL, "A", "mA", "uA"},
        [4] = {NULL, "kW", "W", "mW", "uW"},
    };

    if (units->extra < 1 || units->extra > 4 || units->extra_scale > 4)
        return NULL;
    return words[units->extra][units->extra_scale];
}

const char *pu_pcp_config(const char *name)
{
    const char *value = pmGetOptionalConfig(name);

    return value && *value ? value : NULL;
}
