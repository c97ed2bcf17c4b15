/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text from strangers, made safe to show: what is not printable in the user's locale is escaped, so
 * that no file can drive a terminal, forge a line of our output, or reorder what the eye reads.
 *
 * Escapes: \\ \n \t \r, \" where asked for, \xHH for any other byte, \uHHHH for the invisible
 * characters that change the direction of writing or break lines.
 */
#ifndef PU_BASE_TEXT_H
#define PU_BASE_TEXT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

#define PU_ESCAPE_MAX 16 /* bytes of the longest escape of one character */

/* Bytes of the UTF-8 character that `text` begins with (1 to 4), or 0 when it begins with none. */
size_t pu_text_utf8(struct pu_span text, uint32_t *character);

/* Invisible characters that break lines or reorder text: U+2028, U+202E and their kin. */
bool pu_text_is_unsafe(uint32_t character);

/* How many bytes at the start of `text` are printable ASCII other than backslash and '"'. */
size_t pu_text_plain(struct pu_span text);

/*
 * Writes the first character of `text` (not empty), escaped if need be, to `to` (PU_ESCAPE_MAX
 * bytes); sets `used` to the bytes of `text` that it stands for. `quote`: escape '"' too.
 */
size_t pu_text_escape_one(struct pu_span text, bool quote, char *to, size_t *used);

void pu_text_escape(struct pu_buf *to, struct pu_span text, bool quote);

#endif
