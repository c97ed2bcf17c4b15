/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/openmetrics-name.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "pcp/words.h"

static bool is_letter(unsigned char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static bool is_digit(unsigned char byte)
{
    return byte >= '0' && byte <= '9';
}

void pu_openmetrics_name(struct pu_buf *to, struct pu_span name)
{
    for (size_t i = 0; i < name.size; i++) {
        unsigned char byte = name.data[i];
        pu_buf_add_char(to, is_letter(byte) || is_digit(byte) ? (char)byte : '_');
    }
}

void pu_openmetrics_label_name(struct pu_buf *to, struct pu_span name)
{
    if (name.size == 0 || is_digit(name.data[0]))
        pu_buf_add_char(to, '_');
    else if (name.size > 1 && !is_letter(name.data[0]) && !is_letter(name.data[1]))
        pu_buf_add_text(to, "label");
    pu_openmetrics_name(to, name);
}

struct dimension {
    int exponent;
    const char *many; /* its unit, in the plural and in the singular; NULL = scale not known */
    const char *one;
};

static struct dimension space(const struct pu_units *units)
{
    static const char *const many[] = {"bytes",     "kibibytes", "mebibytes",
                                       "gibibytes", "tebibytes", "pebibytes",
                                       "exbibytes", "zebibytes", "yobibytes"};
    static const char *const one[] = {"byte",     "kibibyte", "mebibyte", "gibibyte", "tebibyte",
                                      "pebibyte", "exbibyte", "zebibyte", "yobibyte"};
    bool known = units->space_scale < sizeof(many) / sizeof(many[0]);

    return (struct dimension){units->space, known ? many[units->space_scale] : NULL,
                              known ? one[units->space_scale] : NULL};
}

static struct dimension time_dimension(const struct pu_units *units)
{
    static const char *const many[] = {"nanoseconds", "microseconds", "milliseconds",
                                       "seconds",     "minutes",      "hours"};
    static const char *const one[] = {"nanosecond", "microsecond", "millisecond",
                                      "second",     "minute",      "hour"};
    bool known = units->time_scale < sizeof(many) / sizeof(many[0]);

    return (struct dimension){units->time, known ? many[units->time_scale] : NULL,
                              known ? one[units->time_scale] : NULL};
}

/* "hits", "e3_hits": a plain count has no unit of its own, unless it is what there is one of. */
static struct dimension count(const struct pu_units *units, char text[2][32])
{
    int scale = units->count_scale;

    for (int i = 0; i < 2; i++) {
        if (scale == 0)
            snprintf(text[i], sizeof(text[i]), i == 0 ? "counts" : "count");
        else
            snprintf(text[i], sizeof(text[i]), "e%s%d_%s", scale < 0 ? "minus" : "", abs(scale),
                     i == 0 ? "counts" : "count");
    }
    return (struct dimension){units->count, text[0], text[1]};
}

static void put_power(struct pu_buf *to, const char *word, int exponent)
{
    pu_buf_add_text(to, word);
    if (exponent > 1)
        pu_buf_printf(to, "%d", exponent);
}

void pu_openmetrics_unit(struct pu_buf *to, uint32_t word)
{
    struct pu_units units = pu_pcp_units(word);
    char text[2][32];
    const struct dimension all[] = {space(&units), time_dimension(&units), count(&units, text)};
    const char *gap = "";

    if (units.space == 0 && units.time == 0 && units.count == 1 && units.count_scale == 0)
        return;
    for (size_t i = 0; i < 3; i++) {
        /* A count over something goes without saying: "_per_second". */
        bool plain_count = i == 2 && units.count == 1 && units.count_scale == 0;
        if (all[i].exponent <= 0 || !all[i].many || plain_count)
            continue;
        pu_buf_add_text(to, gap);
        put_power(to, all[i].many, all[i].exponent);
        gap = "_";
    }
    for (size_t i = 0; i < 3; i++) {
        if (all[i].exponent >= 0 || !all[i].one)
            continue;
        pu_buf_add_text(to, gap);
        pu_buf_add_text(to, "per_");
        put_power(to, all[i].one, -all[i].exponent);
        gap = "_";
    }
}

static void put_character(struct pu_buf *to, struct pu_span text, size_t size, uint32_t character)
{
    if (character == '\n')
        pu_buf_add_text(to, "\\n");
    else if (character == '"' || character == '\\')
        pu_buf_printf(to, "\\%c", (int)character);
    else if (size == 0 || character < 0x20 || (character >= 0x7f && character < 0xa0) ||
             pu_text_is_unsafe(character))
        pu_buf_add_text(to, "\xef\xbf\xbd");
    else
        pu_buf_add(to, text.data, size);
}

void pu_openmetrics_text(struct pu_buf *to, struct pu_span text)
{
    while (text.size > 0) {
        uint32_t character = 0;
        size_t size = pu_text_plain(text);
        if (size > 0) {
            pu_buf_add(to, text.data, size);
        } else {
            size = pu_text_utf8(text, &character);
            put_character(to, text, size, character);
            size = size ? size : 1;
        }
        text.data += size;
        text.size -= size;
    }
}
