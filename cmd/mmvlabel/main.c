/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mmvlabel: show and change the labels of MMV files. */
#include <stdio.h>
#include <stdlib.h>

#include "job.h"

#define AT(member) offsetof(struct config, member)
#define EDITS      (PU_VERB(SET) | PU_VERB(UNSET) | PU_VERB(CLEAR))

static const struct pu_option options[] = {
    {.letter = 'j',
     .name = "json",
     .kind = PU_OPTION_FLAG,
     .offset = AT(json),
     .verbs = PU_VERB(LIST),
     .help = "list: one JSON document"},
    {.letter = 'e',
     .name = "effective",
     .kind = PU_OPTION_FLAG,
     .offset = AT(effective),
     .verbs = PU_VERB(LIST),
     .help = "list: also what comes of the labels"},
    {.letter = 'r',
     .name = "registry",
     .kind = PU_OPTION_FLAG,
     .offset = AT(registry),
     .group = "target",
     .help = "labels of the file, for all its metrics"},
    {.letter = 'm',
     .name = "metric",
     .kind = PU_OPTION_LIST,
     .offset = AT(metrics),
     .group = "target",
     .argument = "METRIC",
     .help = "of metrics: name, pattern or item; repeatable"},
    {.letter = 'd',
     .name = "indom",
     .kind = PU_OPTION_LIST,
     .offset = AT(indoms),
     .group = "target",
     .argument = "SERIAL",
     .help = "of an instance domain; repeatable"},
    {.letter = 'i',
     .name = "instance",
     .kind = PU_OPTION_LIST,
     .offset = AT(instances),
     .group = "target",
     .argument = "SERIAL/SELECTOR",
     .help = "of its instances; repeatable"},
    {.letter = 'A',
     .name = "all",
     .kind = PU_OPTION_FLAG,
     .offset = AT(all),
     .group = "target",
     .verbs = PU_VERB(CLEAR),
     .help = "clear: all labels of all levels"},
    {.letter = 'o',
     .name = "optional",
     .kind = PU_OPTION_FLAG,
     .offset = AT(optional),
     .verbs = PU_VERB(SET),
     .help = "set: say that the label is optional"},
    {.letter = 'c',
     .name = "cluster",
     .kind = PU_OPTION_COUNT,
     .offset = AT(cluster),
     .choice = PU_MMV_CLUSTER_MAX,
     .verbs = PU_VERB(SET),
     .argument = "NUMBER",
     .help = "set: give the file this cluster if it is 0"},
    {.letter = 'n',
     .name = "dry-run",
     .kind = PU_OPTION_FLAG,
     .offset = AT(dry_run),
     .verbs = EDITS,
     .help = "tell what would be done"},
    {.letter = 'f',
     .name = "force",
     .kind = PU_OPTION_FLAG,
     .offset = AT(force),
     .verbs = EDITS,
     .help = "replace a file that is in use, if need be"},
};

static const struct pu_verb verbs[] = {
    [LIST] = {"list", "FILE ...", "show labels", LIST, mmvlabel_list},
    [SET] = {"set", "FILE NAME=VALUE ...", "set labels, in place of those of that name", SET,
             mmvlabel_edit},
    [UNSET] = {"unset", "FILE NAME ...", "remove labels by name", UNSET, mmvlabel_edit},
    [CLEAR] = {"clear", "FILE", "remove all labels of a target", CLEAR, mmvlabel_edit},
};

static const char *const examples[] = {
    "mmvlabel list --effective myapp",
    "mmvlabel set --metric 'http.*' myapp team=web",
    NULL,
};

static int find_all(const struct pu_strings *words, uint32_t level, const struct pu_mmv *mmv,
                    const char *path, bool loose, struct pu_mmv_label_targets *targets,
                    const char **word, struct pu_err *err)
{
    for (size_t i = 0; i < words->count; i++) {
        *word = words->items[i];
        if (pu_mmv_label_find(mmv, path, level, *word, loose, targets, err) < 0)
            return -1;
    }
    *word = NULL;
    return 0;
}

int mmvlabel_find(const struct config *config, const struct pu_mmv *mmv, const char *path,
                  bool loose, struct pu_mmv_label_targets *targets, const char **word,
                  struct pu_err *err)
{
    struct pu_mmv_label_target registry = {PU_MMV_LABEL_REGISTRY, loose,
                                           (uint32_t)mmv->header.cluster, -1};

    *word = NULL;
    if (config->registry && pu_mmv_label_targets_add(targets, registry, err) < 0)
        return -1;
    if (find_all(&config->metrics, PU_MMV_LABEL_ITEM, mmv, path, loose, targets, word, err) < 0 ||
        find_all(&config->indoms, PU_MMV_LABEL_INDOM, mmv, path, loose, targets, word, err) < 0)
        return -1;
    return find_all(&config->instances, PU_MMV_LABEL_INSTANCE, mmv, path, loose, targets, word,
                    err);
}

int mmvlabel_complain(const struct pu_tool *tool, const char *path, const char *word,
                      struct pu_err *err)
{
    if (err->code == PU_E_SYNTAX)
        return pu_cli_usage_error(tool, "'%.60s': %s", word ? word : path, err->message);
    if (word)
        pu_err_where(err, "%s", word);
    pu_cli_error(path, err);
    return PU_FAILED;
}

int main(int argc, char **argv)
{
    static const struct pu_tool tool = {
        .name = "mmvlabel",
        .synopsis = "VERB FILE ...",
        .purpose = "Show and change labels in MMV files",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .examples = examples,
        .verbs = verbs,
        .verb_count = sizeof(verbs) / sizeof(verbs[0]),
    };
    struct config config = {0};
    int status = pu_cli_main(&tool, argc, argv, &config);

    free(config.metrics.items);
    free(config.indoms.items);
    free(config.instances.items);
    return status;
}
