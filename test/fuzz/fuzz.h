/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a fuzz target offers: to libFuzzer, to main.c and, if it is of MMV files, to mutate.c. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Always 0. Ends the program when the library breaks a promise. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
