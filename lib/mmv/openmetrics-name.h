/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How names, units, labels and texts are spelled in OpenMetrics. */
#ifndef PU_MMV_OPENMETRICS_NAME_H
#define PU_MMV_OPENMETRICS_NAME_H

#include "base/buf.h"
#include "base/span.h"

/* `name` with '_' in place of every byte that is no ASCII letter, digit or '_'. */
void pu_openmetrics_name(struct pu_buf *to, struct pu_span name);

/* As pu_openmetrics_name(), with '_' in front of a digit and "label" in front of a reserved "__".
 */
void pu_openmetrics_label_name(struct pu_buf *to, struct pu_span name);

/* "bytes", "kibibytes_per_second", "milliseconds"; nothing for plain counts and pure numbers. */
void pu_openmetrics_unit(struct pu_buf *to, uint32_t units);

/* For label values and HELP: '\\', '"' and newline escaped; no UTF-8 and other control bytes:
 * U+FFFD. */
void pu_openmetrics_text(struct pu_buf *to, struct pu_span text);

#endif
