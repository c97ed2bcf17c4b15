/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words for types and flags, as our output and input have them. */
#ifndef PU_EVENT_WORDS_H
#define PU_EVENT_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/span.h"
#include "event/format.h"

/* "32" to "aggregate_static", "event", "highres_event"; NULL for all others. */
const char *pu_event_type_word(uint32_t type);

/* The other way. */
bool pu_event_type_parse(struct pu_span word, uint32_t *type) PU_MUST_CHECK;

/* "point", bit 0, to "parent", bit 4, and "missed", bit 31; NULL for all others. */
const char *pu_event_flag_word(unsigned int bit);

/* The other way: the flag, or 0. */
uint32_t pu_event_flag_parse(struct pu_span word);

/* Names with commas between, undefined bits as their numbers; "" for none. NUL at the end. */
#define PU_EVENT_FLAGS_MAX 128
size_t pu_event_flags_text(char to[PU_EVENT_FLAGS_MAX], uint32_t flags);

#endif
