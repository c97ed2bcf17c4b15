/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stands on a command line: selectors, intervals, points in time. The input is one argument.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/selector.h"
#include "base/time.h"
#include "fuzz.h"

/* Matching takes time in proportion to pattern and name. */
#define INPUT_MAX 4096

static void broken(const char *what)
{
    fprintf(stderr, "fuzz-text: %s\n", what);
    abort();
}

/* Whatever fails says why, and a column lies in the text or right behind it. */
static void check_error(const struct pu_err *err, size_t size)
{
    if (err->code != PU_E_SYNTAX || err->message[0] == '\0' || err->column > size + 1)
        broken("an error that does not say what is wrong where");
}

static void run_selector(const char *text, size_t size)
{
    static const char *const names[] = {"",     "a",     "req.total", "disk [0] \"x\", y",
                                        "****", "\xff\n"};
    struct pu_selector selector;
    struct pu_err err = {0};

    if (pu_selector_parse(text, &selector, &err) < 0)
        check_error(&err, size);
    else
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
            (void)pu_selector_has_metric(&selector, pu_span_text(names[i]));
            (void)pu_selector_has_instance(&selector, (int32_t)i - 2, pu_span_text(names[i]));
            (void)pu_selector_has_singular(&selector);
        }
    pu_selector_free(&selector);
}

static void run_interval(const char *text, size_t size)
{
    struct pu_err err = {0};
    int64_t interval;

    if (pu_time_parse_interval(text, &interval, &err) < 0)
        check_error(&err, size);
    else if (interval < 0)
        broken("an interval below zero");
}

static void run_point(const char *text, size_t size)
{
    char shown[PU_TIME_MAX + 1];
    struct pu_err err = {0};
    int64_t point;
    int64_t again;

    if (pu_time_parse_point(text, &point, &err) < 0) {
        check_error(&err, size);
        return;
    }
    shown[pu_time_iso(shown, point)] = '\0';
    if (strncmp(text, "now", 3) != 0 &&
        (pu_time_parse_point(shown, &again, &err) < 0 || again != point))
        broken("a point that does not read back");
    if (pu_time_local(shown, point) > PU_TIME_MAX)
        broken("a point that takes too much room");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > INPUT_MAX)
        return 0;
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    size = strlen(text);
    run_selector(text, size);
    run_interval(text, size);
    run_point(text, size);
    free(text);
    return 0;
}
