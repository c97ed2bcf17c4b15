/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What PCP calls things: types, semantics, units, as in the answers of its web API (PMWEBAPI(3)),
 * and identifiers as its tools print them.
 */
#ifndef PU_PCP_WORDS_H
#define PU_PCP_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* "32", "u32", "64", "u64", "float", "double", "string" for types 0 to 6; NULL for all others. */
const char *pu_pcp_type_word(int32_t type);

/* "counter" 1, "instant" 3, "discrete" 4; NULL for all others. */
const char *pu_pcp_semantics_word(int32_t semantics);

/*
 * A units word: dimension and scale of space, time and count in six fields of four bits from the
 * top (pmLookupDesc(3)), and in the lowest byte, since PCP 7.2, an extra unit and its scale.
 */
struct pu_units {
    int space, time, count;   /* exponents, -8 to 7 */
    unsigned int space_scale; /* 0 byte, 1 Kbyte, ... as powers of 1024 */
    unsigned int time_scale;  /* 0 nsec, 1 usec, 2 msec, 3 sec, 4 min, 5 hour */
    int count_scale;          /* power of ten */
    int extra;                /* 0 none, 1 temperature, 2 voltage, 3 current, 4 power */
    unsigned int extra_scale; /* 1 up; see pu_pcp_extra_word() */
};

struct pu_units pu_pcp_units(uint32_t word);

/* The text that pmUnitsStr(3) gives for space, time and count, e.g. "Kbyte / sec"; "" for none. */
#define PU_UNITS_MAX 80
const char *pu_pcp_units_text(uint32_t word, char to[PU_UNITS_MAX]);

/*
 * The other way: the word for a text that pmParseUnitsStr(3) takes, or for "" or "none". A
 * multiplier, as in "2.5 kbyte", has no place in a word and is refused. -1 with `why` filled.
 */
int pu_pcp_units_parse(const char *text, uint32_t *word, char *why, size_t size);

/* The extra unit as a word, "degrees C", "mV", "kW"; NULL for none and for unknown numbers. */
const char *pu_pcp_extra_word(const struct pu_units *units);

/* A value of PCP's configuration (pcp.conf(5), overridden by the environment), or NULL. */
const char *pu_pcp_config(const char *name);

#endif
