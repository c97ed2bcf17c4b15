/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All names of the name space, for one who would ask for many parts of it. */
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "logger/plan-private.h"
#include "pcp/compat.h"

struct loading {
    struct pu_plan_tree *tree;
    bool failed; /* memory ran out */
};

static void add_name(const char *name, void *context)
{
    struct loading *in = context;
    struct pu_plan_tree *tree = in->tree;
    struct pu_plan_name *grown = tree->names;

    if (in->failed)
        return;
    if ((tree->count & (tree->count - 1)) == 0)
        grown = reallocarray(grown, tree->count ? 2 * tree->count : 1, sizeof(*grown));
    in->failed = !grown;
    if (in->failed)
        return;
    tree->names = grown;
    grown[tree->count] = (struct pu_plan_name){strdup(name), tree->count};
    in->failed = !grown[tree->count].text;
    tree->count += !in->failed;
}

static int by_text(const void *a, const void *b)
{
    const struct pu_plan_name *left = a;
    const struct pu_plan_name *right = b;

    return strcmp(left->text, right->text);
}

int pu_plan_tree_load(struct pu_plan_tree *tree, struct pu_err *err)
{
    struct loading in = {tree, false};
    int code = pmTraversePMNS_r("", add_name, &in);

    if (in.failed)
        return pu_plan_no_memory(err);
    if (pu_plan_is_fatal(code))
        return pu_plan_pmapi(err, code, "cannot look up metrics");
    if (tree->count > 0)
        qsort(tree->names, tree->count, sizeof(*tree->names), by_text);
    tree->loaded = true;
    return 0;
}

void pu_plan_tree_free(struct pu_plan_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++)
        free(tree->names[i].text);
    free(tree->names);
}

/* The part of the name space below `text`, which is "" or stands before a dot. */
struct root {
    const char *text;
    size_t size;
};

/* Before, among or behind those below the root. */
static int by_root(const void *element, const void *key)
{
    const struct pu_plan_name *name = element;
    const struct root *root = key;
    int order = strncmp(name->text, root->text, root->size);

    return order || root->size == 0 ? order : (unsigned char)name->text[root->size] - '.';
}

void pu_plan_tree_find(const struct pu_plan_tree *tree, const char *root, size_t *first,
                       size_t *end)
{
    const struct root wanted = {root, strlen(root)};

    *first = pu_lower_bound(&wanted, tree->names, tree->count, sizeof(*tree->names), by_root);
    *end = *first;
    while (*end < tree->count && by_root(&tree->names[*end], &wanted) == 0)
        ++*end;
}
