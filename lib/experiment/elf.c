/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/elf.h"

#include "pcputils-config.h"

#ifdef PU_HAVE_LIBELF

#include <gelf.h>
#include <libelf.h>

#include "base/attr.h"

#define PAGE UINT64_C(65536) /* the largest there is: mappings begin and end at pages */

static void end(Elf **elf)
{
    if (*elf)
        elf_end(*elf);
}

static bool fits(uint64_t offset, uint64_t length, uint64_t size)
{
    return offset <= size && length <= size - offset;
}

/* The header's tables and all loadable segments lie inside. */
static bool is_whole(Elf *elf, const GElf_Ehdr *header, size_t segments, uint64_t size)
{
    if (!fits(header->e_shoff, (uint64_t)header->e_shnum * header->e_shentsize, size) ||
        !fits(header->e_phoff, (uint64_t)segments * header->e_phentsize, size))
        return false;
    for (size_t i = 0; i < segments; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment))
            return false;
        if (segment.p_type == PT_LOAD && !fits(segment.p_offset, segment.p_filesz, size))
            return false;
    }
    return true;
}

/* Does a loadable segment hold the stretch, give or take the pages at its ends? */
static bool is_loaded(Elf *elf, size_t segments, const struct pu_elf_range *range)
{
    for (size_t i = 0; i < segments; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD)
            continue;
        uint64_t from = segment.p_offset / PAGE * PAGE;
        uint64_t length = segment.p_memsz + (segment.p_offset - from) + PAGE;
        if (range->offset >= from && range->offset - from < length)
            return true;
    }
    return false;
}

enum pu_elf_verdict pu_elf_judge(int fd, uint64_t size, bool is_64,
                                 const struct pu_elf_range *ranges, size_t count)
{
    GElf_Ehdr header;
    size_t segments = 0;

    if (elf_version(EV_CURRENT) == EV_NONE)
        return PU_ELF_GOOD;
    PU_CLEANUP(end) Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (!elf || elf_kind(elf) != ELF_K_ELF)
        return PU_ELF_NONE;
    if (!gelf_getehdr(elf, &header) || elf_getphdrnum(elf, &segments) < 0 ||
        !is_whole(elf, &header, segments, size))
        return PU_ELF_TRUNCATED;
    if (gelf_getclass(elf) != (is_64 ? ELFCLASS64 : ELFCLASS32))
        return PU_ELF_OTHER;
    for (size_t i = 0; i < count; i++) {
        if (!is_loaded(elf, segments, &ranges[i]))
            return PU_ELF_OTHER;
    }
    return PU_ELF_GOOD;
}

#else

enum pu_elf_verdict pu_elf_judge(int fd, uint64_t size, bool is_64,
                                 const struct pu_elf_range *ranges, size_t count)
{
    (void)fd;
    (void)size;
    (void)is_64;
    (void)ranges;
    (void)count;
    return PU_ELF_GOOD;
}

#endif
