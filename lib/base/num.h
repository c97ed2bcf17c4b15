/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers to text and back; LC_NUMERIC must be "C", as the tools leave it. The writers return the
 * number of bytes written (no NUL) and never need more than PU_NUM_MAX.
 */
#ifndef PU_BASE_NUM_H
#define PU_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

#define PU_NUM_MAX 32

size_t pu_num_u64(char *to, uint64_t value);
size_t pu_num_i64(char *to, int64_t value);
/* "0x" and the digits, no more than needed. */
size_t pu_num_hex(char *to, uint64_t value);

/*
 * The fewest digits that read back equal, always with a '.' or an 'e' in it; "nan", "inf", "-inf".
 * The float form reads back equal as a float, and also by way of a double.
 */
size_t pu_num_double(char *to, double value);
size_t pu_num_float(char *to, float value);

/*
 * As printf's %f (six decimals, "-nan" for a NaN with its sign bit set) where that reads back equal
 * and the magnitude is below 10^15; the shortest form elsewhere.
 */
size_t pu_num_fixed_double(char *to, double value);
size_t pu_num_fixed_float(char *to, float value);

/* Digits only, at most `max`. Returns false, with `value` untouched, for anything else. */
bool pu_num_parse_u64(const char *text, uint64_t max, uint64_t *value) PU_MUST_CHECK;

#endif
