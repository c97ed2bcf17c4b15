/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The collector's numbered messages, in words of our own; meanings from Oracle's manuals and from
 * experiments. Of some only the group is known that they belong to: these share a text. */
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
    {31, "something is wrong with the lineage"},
    {32, "no space is left"},
    {34, "the directory could not be made"},
    {35, "the JVM cannot be profiled"},
    {36, "the JVM cannot be profiled"},
    {37, "the JVM cannot be profiled"},
    {38, "dynamic code could not be recorded"},
    {39, "dynamic code could not be recorded"},
    {40, "mappings could not be recorded"},
    {41, "mappings could not be recorded"},
    {42, "mappings could not be recorded"},
    {43, "mappings could not be recorded"},
    {45, "something is wrong with the limit of the duration"},
    {49, "too many threads: data of some is dropped"},
    {50, "I/O tracing could not be started"},
    {51, "there is no data to record"},
    {55, "log.xml could not be opened"},
};

static const struct message warnings[] = {
    {201, "something is wrong with the file system that the experiment is on"},
    {202, "the profiling interval was changed"},
    {203, "about the size limit"},
    {204, "the program replaced the handler of SIGPROF"},
    {206, "the program uses the profiling timer itself"},
    {207, "the profiling timer was changed during the run"},
    {208, "the program replaced the handler of SIGEMT"},
    {209, "the program's use of the counters was blocked"},
    {210, "vfork was replaced by fork"},
    {212, "the program handles the sample signal itself"},
    {213, "the program handles the pause signal itself"},
    {216, "the program masked the profiling signal"},
    {217, "about following descendants"},
    {218, "about following descendants"},
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
