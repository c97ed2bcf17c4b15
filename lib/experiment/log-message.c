/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The collector's numbered messages, in words of our own; meanings from Oracle's manuals and from
 * experiments. */
#include <stddef.h>

#include "experiment/log.h"

struct message {
    int64_t id;
    const char *text;
};

static const struct message errors[] = {
    {2, "the directory for the experiment is bad"},
    {7, "the directory is not writable"},
    {9, "clock profiling could not be started"},
    {10, "synchronization tracing could not be started"},
    {11, "counter profiling could not be started"},
    {12, "counter profiling could not be started"},
    {13, "a file could not be opened"},
    {14, "the size limit was reached"},
    {16, "the overview could not be opened"},
    {17, "the overview could not be written"},
    {18, "figures for the overview could not be read"},
    {22, "a data file could not be opened"},
    {23, "a data file could not be extended: the disk may be full"},
    {24, "a data file could not be mapped"},
    {25, "heap tracing could not be started"},
    {26, "the profiling signal's dispatcher could not be installed"},
    {27, "the profiling timer could not be made"},
    {31, "the lineage is too long or wrong"},
    {32, "no space for the lineage"},
    {34, "the directory could not be made"},
    {35, "the JVM does not support profiling"},
    {36, "the JVM refused profiling"},
    {37, "the JVM is too old"},
    {38, "dyntext could not be opened"},
    {39, "dyntext could not be written"},
    {40, "map.xml could not be opened"},
    {41, "map.xml could not be written"},
    {42, "the list of mappings could not be read"},
    {43, "the list of mappings could not be read"},
    {45, "the limit of the duration could not be set"},
    {49, "too many threads: data of some is dropped"},
    {50, "I/O tracing could not be started"},
    {51, "there is no data to record"},
    {55, "log.xml could not be opened"},
};

static const struct message warnings[] = {
    {201, "the experiment lies on a file system that can distort the run"},
    {202, "the profiling interval was changed"},
    {203, "the size limit was changed or reached"},
    {204, "the program replaced the handler of SIGPROF"},
    {206, "the program uses the profiling timer itself"},
    {207, "the profiling timer was changed during the run"},
    {208, "the program replaced the handler of SIGEMT"},
    {209, "the program's use of the counters was blocked"},
    {210, "vfork was replaced by fork"},
    {212, "the program handles the sample signal itself"},
    {213, "the program handles the pause signal itself"},
    {216, "the program masked the profiling signal"},
    {217, "a descendant could not be followed"},
    {218, "a descendant could not be followed"},
    {219, "user or group id were changed"},
    {221, "the program uses the profiling timer itself"},
    {222, "no heap tracing of Java"},
    {231, "no profile data was recorded"},
    {232, "reading the list of mappings was slow"},
    {233, "reading the list of mappings was slow"},
    {234, "the ids of the CPUs are not known"},
};

static const struct message comments[] = {
    {202, "the profiling interval was rounded"},
    {400, "archiving"},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const char *find(const struct message *table, size_t count, int64_t id)
{
    for (size_t i = 0; i < count; i++) {
        if (table[i].id == id)
            return table[i].text;
    }
    return NULL;
}

const char *pu_log_message(enum pu_log_event_kind kind, int64_t id)
{
    if (kind == PU_EV_CERROR)
        return find(errors, COUNT(errors), id);
    if (kind == PU_EV_CWARN)
        return find(warnings, COUNT(warnings), id);
    return kind == PU_EV_COMMENT ? find(comments, COUNT(comments), id) : NULL;
}
