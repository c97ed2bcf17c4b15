/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pages that --help and --version print, made from the option table. */
#ifndef PU_CLI_USAGE_H
#define PU_CLI_USAGE_H

#include "cli/options.h"
#include "out/sink.h"

void pu_usage_help(struct pu_sink *sink, const struct pu_tool *tool);
void pu_usage_version(struct pu_sink *sink, const struct pu_tool *tool);

#endif
