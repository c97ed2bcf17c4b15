/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/name.h"

#include <string.h>

#include "base/num.h"

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* The size of the name without ".er", or 0 when it does not end so, or is nothing else. */
static size_t stem_size(const char *name)
{
    size_t size = strlen(name);

    return size > 3 && size < PU_EXP_NAME_MAX && strcmp(name + size - 3, ".er") == 0 ? size - 3 : 0;
}

static size_t digits_at(const char *text, size_t size)
{
    size_t count = 0;

    while (count < size && is_digit(text[count]))
        count++;
    return count;
}

/* The size of the lineage's last step, "_f3", or 0 when there is none. */
static size_t last_step(const char *stem, size_t size)
{
    size_t at = size;

    while (at > 0 && is_digit(stem[at - 1]))
        at--;
    if (at == size || at < 2 || !memchr("fxcC", stem[at - 1], 4) || stem[at - 2] != '_')
        return 0;
    return size - (at - 2);
}

static bool is_lineage(const char *stem, size_t size)
{
    while (size > 0) {
        size_t step = last_step(stem, size);
        if (step == 0)
            return false;
        size -= step;
    }
    return true;
}

static bool is_rank(const char *stem, size_t size)
{
    return size > 3 && memcmp(stem, "M_r", 3) == 0 && digits_at(stem + 3, size - 3) == size - 3;
}

/* Where the digits of _NAME_PID_1264.1 begin, or NULL; NAME may hold "_PID_" itself. */
static const char *process_digits(const char *stem, size_t size)
{
    static const char mark[] = "_PID_";
    const size_t length = sizeof(mark) - 1;

    if (size < 2 + length + 3 || stem[0] != '_' || memcmp(stem + size - 2, ".1", 2) != 0)
        return NULL;
    size -= 2;
    size_t at = size;
    while (at > 0 && is_digit(stem[at - 1]))
        at--;
    if (at == size || at < 2 + length || memcmp(stem + at - length, mark, length) != 0)
        return NULL;
    return stem + at;
}

enum pu_exp_kind pu_exp_name_kind(const char *name)
{
    size_t size = stem_size(name);

    if (strcmp(name, "_.er") == 0)
        return PU_EXP_ODD;
    if (size == 0)
        return PU_EXP_NONE;
    if (process_digits(name, size))
        return PU_EXP_PROCESS;
    if (is_lineage(name, size))
        return PU_EXP_LINEAGE;
    if (is_rank(name, size))
        return PU_EXP_RANK;
    return name[0] == '_' ? PU_EXP_ODD : PU_EXP_FOUNDER;
}

const char *pu_exp_kind_word(enum pu_exp_kind kind)
{
    static const char *const words[] = {"none", "founder", "lineage", "rank", "process", "odd"};

    return words[kind];
}

uint64_t pu_exp_name_number(const char *name)
{
    char digits[PU_EXP_NAME_MAX] = "";
    size_t size = stem_size(name);
    const char *from = size > 0 && is_rank(name, size) ? name + 3 : process_digits(name, size);
    uint64_t number = 0;

    if (!from)
        return 0;
    memcpy(digits, from, digits_at(from, size));
    return pu_num_parse_u64(digits, UINT64_MAX, &number) ? number : 0;
}

const char *pu_exp_name_stem(const char *name, char to[PU_EXP_NAME_MAX])
{
    size_t size = stem_size(name);

    memcpy(to, name, size);
    to[size] = '\0';
    return to;
}

bool pu_exp_name_parent(const char *name, char to[PU_EXP_NAME_MAX])
{
    size_t size = stem_size(name);

    if (size == 0 || !is_lineage(name, size))
        return false;
    size -= last_step(name, size);
    memcpy(to, name, size);
    to[size] = '\0';
    return true;
}

/* Without leading zeros, more digits are a larger number. */
static int compare_digits(const char **a, const char **b)
{
    while (**a == '0' && is_digit((*a)[1]))
        ++*a;
    while (**b == '0' && is_digit((*b)[1]))
        ++*b;
    size_t size_a = digits_at(*a, strlen(*a));
    size_t size_b = digits_at(*b, strlen(*b));
    if (size_a != size_b)
        return size_a < size_b ? -1 : 1;
    int order = memcmp(*a, *b, size_a);
    *a += size_a;
    *b += size_b;
    return order;
}

int pu_exp_name_compare(const char *a, const char *b)
{
    const char *start_a = a;
    const char *start_b = b;

    while (*a && *b) {
        if (is_digit(*a) && is_digit(*b)) {
            int order = compare_digits(&a, &b);
            if (order != 0)
                return order;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    if (*a || *b)
        return *a ? 1 : -1;
    return strcmp(start_a, start_b);
}
