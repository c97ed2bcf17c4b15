/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event/words.h"

#include "base/num.h"

static const char *const types[] = {"32",     "u32",          "64",
                                    "u64",    "float",        "double",
                                    "string", "aggregate",    "aggregate_static",
                                    "event",  "highres_event"};
#define TYPES (sizeof(types) / sizeof(types[0]))

const char *pu_event_type_word(uint32_t type)
{
    return type < TYPES ? types[type] : NULL;
}

bool pu_event_type_parse(struct pu_span word, uint32_t *type)
{
    for (uint32_t i = 0; i < TYPES; i++) {
        if (pu_span_equal(word, pu_span_text(types[i]))) {
            *type = i;
            return true;
        }
    }
    return false;
}

const char *pu_event_flag_word(unsigned int bit)
{
    static const char *const flags[] = {"point", "start", "end", "id", "parent"};

    if (bit == 31)
        return "missed";
    return bit < sizeof(flags) / sizeof(flags[0]) ? flags[bit] : NULL;
}

uint32_t pu_event_flag_parse(struct pu_span word)
{
    for (unsigned int bit = 0; bit < 32; bit++) {
        const char *flag = pu_event_flag_word(bit);
        if (flag && pu_span_equal(word, pu_span_text(flag)))
            return UINT32_C(1) << bit;
    }
    return 0;
}

size_t pu_event_flags_text(char to[PU_EVENT_FLAGS_MAX], uint32_t flags)
{
    size_t size = 0;

    for (; flags; flags &= flags - 1) {
        unsigned int bit = (unsigned int)__builtin_ctz(flags);
        const char *word = pu_event_flag_word(bit);
        if (size > 0)
            to[size++] = ',';
        if (word) {
            size_t length = strlen(word);
            memcpy(to + size, word, length);
            size += length;
        } else {
            size += pu_num_u64(to + size, bit);
        }
    }
    to[size] = '\0';
    return size;
}
