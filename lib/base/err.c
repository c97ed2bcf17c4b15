/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int set(struct pu_err *err, enum pu_code code, int status, const char *fmt, va_list args)
{
    memset(err, 0, offsetof(struct pu_err, message));
    err->code = code;
    err->status = status;
    vsnprintf(err->message, sizeof(err->message), fmt, args);
    return -1;
}

int pu_err_set(struct pu_err *err, enum pu_code code, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    set(err, code, 0, fmt, args);
    va_end(args);
    return -1;
}

int pu_err_system(struct pu_err *err, int errnum, const char *fmt, ...)
{
    va_list args;
    char reason[128];

    va_start(args, fmt);
    set(err, PU_E_SYSTEM, errnum, fmt, args);
    va_end(args);
    size_t used = strlen(err->message);
    snprintf(err->message + used, sizeof(err->message) - used, ": %s",
             strerror_r(errnum, reason, sizeof(reason)));
    return -1;
}

int pu_err_damage(struct pu_err *err, uint64_t offset, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    set(err, PU_E_DAMAGED, 0, fmt, args);
    va_end(args);
    err->has_offset = true;
    err->offset = offset;
    return -1;
}

int pu_err_where(struct pu_err *err, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(err->where, sizeof(err->where), fmt, args);
    va_end(args);
    return -1;
}

void pu_errors_add(struct pu_errors *list, const struct pu_err *err)
{
    list->count++;
    if (list->kept == PU_ERRORS_KEPT)
        return;
    if (!list->items)
        list->items = calloc(PU_ERRORS_KEPT, sizeof(*list->items));
    if (list->items)
        list->items[list->kept++] = *err;
}

void pu_errors_free(struct pu_errors *list)
{
    free(list->items);
    memset(list, 0, sizeof(*list));
}
