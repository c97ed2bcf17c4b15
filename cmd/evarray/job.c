/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "job.h"

#include <stdlib.h>
#include <time.h>

void evarray_use_zone(const char *zone)
{
    (void)setenv("TZ", zone, 1);
    tzset();
}

void evarray_keep(struct taker *taker, const char *file, const struct pu_err *err)
{
    struct pu_err copy = *err;

    if (!taker->errors)
        return;
    pu_err_where(&copy, "%.60s%s%.60s", file, err->where[0] ? ": " : "", err->where);
    pu_errors_add(taker->errors, &copy);
}

int evarray_tell(struct taker *taker, const char *file, const struct pu_err *err)
{
    evarray_keep(taker, file, err);
    return pu_cli_error(file, err);
}

int evarray_window_error(const struct pu_tool *tool, const struct pu_err *err)
{
    return pu_cli_usage_error(tool, "-S/--start, -T/--finish, -A/--align, -O/--origin: %s",
                              err->message);
}
