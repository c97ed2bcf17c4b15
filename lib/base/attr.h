/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compiler attributes under one spelling. */
#ifndef PU_BASE_ATTR_H
#define PU_BASE_ATTR_H

#define PU_MUST_CHECK        __attribute__((warn_unused_result))
#define PU_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
/* Run `fn(&variable)` when the variable leaves its scope. */
#define PU_CLEANUP(fn) __attribute__((cleanup(fn)))

#endif
