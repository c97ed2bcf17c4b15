/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs and libraries. Without libelf nothing is looked into, and everything is taken as it is.
 */
#ifndef PU_EXPERIMENT_ELF_H
#define PU_EXPERIMENT_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pu_elf_verdict { PU_ELF_GOOD, PU_ELF_NONE, PU_ELF_TRUNCATED, PU_ELF_OTHER };

/* A stretch of a file that was mapped. */
struct pu_elf_range {
    uint64_t offset;
    uint64_t size;
};

/*
 * Looks at a file of `size` bytes: is it ELF, whole, of that word size, and do its loadable
 * segments hold what was mapped? PU_ELF_GOOD for all when built without libelf.
 */
enum pu_elf_verdict pu_elf_judge(int fd, uint64_t size, bool is_64,
                                 const struct pu_elf_range *ranges, size_t count);

#endif
