/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/tree-view.h"

#include <string.h>

#include "base/text.h"

static void put_indent(struct pu_out *out, unsigned int level)
{
    static const struct pu_field indent = {.form = PU_FORM_PLAIN};
    static const char blanks[] = "                                        ";
    size_t size = level * 2 < sizeof(blanks) - 2 ? level * 2 : sizeof(blanks) - 2;

    if (size > 0)
        pu_out_bytes(out, &indent, (struct pu_span){(const unsigned char *)blanks, size - 1});
}

static const char *name_of(const struct pu_tree *tree, size_t index)
{
    return tree->nodes[index].name;
}

static void put_parents(struct pu_out *out, const struct pu_tree *tree,
                        const struct pu_tree_node *node)
{
    static const struct pu_field parent = {.key = "parent", .form = PU_FORM_HIDDEN};
    static const struct pu_field by_name = {.key = "parent_by_name", .form = PU_FORM_HIDDEN};
    static const struct pu_field differs = {.label = "name says", .form = PU_FORM_LABELLED};

    if (node->parent != PU_NO_NODE)
        pu_out_string(out, &parent, name_of(tree, node->parent));
    if (node->name_parent != PU_NO_NODE)
        pu_out_string(out, &by_name, name_of(tree, node->name_parent));
    if (pu_tree_differs(tree, node))
        pu_out_string(out, &differs, name_of(tree, node->name_parent));
}

static void put_start(struct pu_out *out, const struct pu_tree *tree,
                      const struct pu_tree_node *node)
{
    static const struct pu_field start = {.key = "start", .form = PU_FORM_LABELLED};
    static const struct pu_field wall = {.key = "started", .form = PU_FORM_HIDDEN};
    static const struct pu_field duration = {.key = "duration", .form = PU_FORM_LABELLED};
    int64_t since;

    if (!node->has_start)
        return;
    if (pu_tree_since(tree, node, &since))
        pu_out_double(out, &start, (double)since / 1e9);
    if (node->wall_start > 0)
        pu_out_time(out, &wall, node->wall_start);
    pu_out_double(out, &duration, (double)node->last / 1e9);
}

static void put_node(struct pu_out *out, const struct pu_tree *tree,
                     const struct pu_tree_node *node, const char *path)
{
    static const struct pu_field line = {.form = PU_FORM_LINE};
    static const struct pu_field name = {.key = "name"};
    static const struct pu_field founder = {.key = "name", .form = PU_FORM_HIDDEN};
    static const struct pu_field where = {.form = PU_FORM_PLAIN};
    static const struct pu_field kind = {.key = "kind", .form = PU_FORM_HIDDEN};
    static const struct pu_field level = {.key = "level", .form = PU_FORM_HIDDEN};
    static const struct pu_field relation = {.key = "relation", .form = PU_FORM_TAG};
    static const struct pu_field pid = {.key = "pid", .form = PU_FORM_LABELLED};
    static const struct pu_field ppid = {.key = "ppid", .form = PU_FORM_LABELLED};
    static const struct pu_field ended = {.key = "ended"};
    static const struct pu_field command = {.key = "command", .form = PU_FORM_QUOTED};

    pu_out_object(out, &line);
    put_indent(out, node->level);
    /* The document has the path elsewhere; people see it where they begin to read. */
    pu_out_string(out, node == tree->nodes ? &founder : &name, node->name);
    if (node == tree->nodes)
        pu_out_string(out, &where, path);
    pu_out_string(out, &kind, pu_exp_kind_word(node->kind));
    pu_out_u64(out, &level, node->level);
    pu_out_string(out, &relation, pu_tree_relation_word(node->relation));
    if (node->pid >= 0)
        pu_out_i64(out, &pid, node->pid);
    if (node->ppid >= 0)
        pu_out_i64(out, &ppid, node->ppid);
    put_start(out, tree, node);
    pu_out_string(out, &ended, node->has_log ? pu_log_end_word(node->end) : "no-log");
    pu_out_string(out, &command, node->command);
    put_parents(out, tree, node);
    pu_out_end(out);
}

static void put_missing(struct pu_out *out, const char *lineage, int64_t pid, const char *parent)
{
    static const struct pu_field line = {.form = PU_FORM_LINE};
    static const struct pu_field mark = {.form = PU_FORM_PLAIN};
    static const struct pu_field name = {.key = "lineage"};
    static const struct pu_field relation = {.key = "relation", .form = PU_FORM_TAG};
    static const struct pu_field id = {.key = "pid", .form = PU_FORM_LABELLED};
    static const struct pu_field from = {.key = "parent", .form = PU_FORM_LABELLED};

    pu_out_object(out, &line);
    pu_out_string(out, &mark, "missing:");
    if (lineage)
        pu_out_string(out, &name, lineage);
    pu_out_string(out, &relation, pu_tree_relation_word(lineage ? PU_TREE_FORK : PU_TREE_EXEC));
    pu_out_i64(out, &id, pid);
    pu_out_string(out, &from, parent);
    pu_out_end(out);
}

/* Forks and execs that were followed and left no directory; of an exec no name is told. */
static void put_all_missing(struct pu_out *out, const struct pu_tree *tree)
{
    static const struct pu_field missing = {.key = "missing"};

    pu_out_list(out, &missing);
    for (size_t i = 0; i < tree->fork_count; i++) {
        const struct pu_tree_fork *fork = &tree->forks[i];
        if (pu_tree_is_missing(fork))
            put_missing(out, fork->lineage, fork->pid, name_of(tree, fork->node));
    }
    for (size_t i = 0; i < tree->count; i++) {
        if (pu_tree_lacks_exec(tree, &tree->nodes[i]))
            put_missing(out, NULL, tree->nodes[i].pid, name_of(tree, i));
    }
    pu_out_end(out);
}

void pu_tree_put(struct pu_out *out, const char *path, const struct pu_tree *tree)
{
    static const struct pu_field path_field = {.key = "path", .form = PU_FORM_HIDDEN};
    static const struct pu_field processes = {.key = "processes"};

    pu_out_object(out, NULL);
    pu_out_string(out, &path_field, path);
    pu_out_list(out, &processes);
    for (size_t i = 0; i < tree->count; i++)
        put_node(out, tree, &tree->nodes[tree->order[i]], path);
    pu_out_end(out);
    put_all_missing(out, tree);
    pu_out_end(out);
}

/* --- DOT ----------------------------------------------------------------------------------------
 */

/* Our escapes hold backslashes, which DOT has escapes with: they are doubled. */
static void put_label(struct pu_sink *sink, struct pu_span text)
{
    char escaped[PU_ESCAPE_MAX];

    while (text.size > 0) {
        size_t used;
        size_t size = pu_text_escape_one(text, false, escaped, &used);
        for (size_t i = 0; i < size; i++) {
            if (escaped[i] == '\\' || escaped[i] == '"')
                pu_sink_char(sink, '\\');
            pu_sink_char(sink, escaped[i]);
        }
        text.data += used;
        text.size -= used;
    }
}

static void put_dot_node(struct pu_sink *sink, const struct pu_tree_node *node, size_t number,
                         size_t index)
{
    pu_sink_printf(sink, "    n%zu_%zu [label=\"", number, index);
    put_label(sink, pu_span_text(node->name));
    pu_sink_printf(sink, "\\npid %lld, %s\\n", (long long)node->pid,
                   node->has_log ? pu_log_end_word(node->end) : "no-log");
    put_label(sink, pu_span_clip(pu_span_text(node->command), 0, 60));
    pu_sink_text(sink, "\"];\n");
}

static void put_edge(struct pu_sink *sink, const struct pu_tree *tree, size_t number, size_t index)
{
    const struct pu_tree_node *node = &tree->nodes[index];

    if (node->parent != PU_NO_NODE)
        pu_sink_printf(sink, "    n%zu_%zu -> n%zu_%zu [label=\"%s\"];\n", number, node->parent,
                       number, index, pu_tree_relation_word(node->relation));
    if (pu_tree_differs(tree, node))
        pu_sink_printf(sink,
                       "    n%zu_%zu -> n%zu_%zu [label=\"by name\", style=dotted, "
                       "constraint=false];\n",
                       number, node->name_parent, number, index);
}

static void put_dot_missing(struct pu_sink *sink, const struct pu_tree_fork *fork, size_t number,
                            size_t index)
{
    pu_sink_printf(sink, "    m%zu_%zu [style=dashed, label=\"", number, index);
    put_label(sink, pu_span_text(fork->lineage));
    pu_sink_printf(sink, "\\npid %lld, missing\"];\n", (long long)fork->pid);
    pu_sink_printf(sink, "    n%zu_%zu -> m%zu_%zu [label=\"fork\", style=dashed];\n", number,
                   fork->node, number, index);
}

static void put_dot_exec(struct pu_sink *sink, size_t number, size_t index)
{
    pu_sink_printf(sink, "    e%zu_%zu [style=dashed, label=\"missing\"];\n", number, index);
    pu_sink_printf(sink, "    n%zu_%zu -> e%zu_%zu [label=\"exec\", style=dashed];\n", number,
                   index, number, index);
}

void pu_tree_put_dot(struct pu_sink *sink, const char *path, const struct pu_tree *tree,
                     size_t number)
{
    pu_sink_printf(sink, "  subgraph cluster_%zu {\n    label=\"", number);
    put_label(sink, pu_span_text(path));
    pu_sink_text(sink, "\";\n");
    for (size_t i = 0; i < tree->count; i++)
        put_dot_node(sink, &tree->nodes[i], number, i);
    for (size_t i = 0; i < tree->count; i++)
        put_edge(sink, tree, number, i);
    for (size_t i = 0; i < tree->fork_count; i++) {
        if (pu_tree_is_missing(&tree->forks[i]))
            put_dot_missing(sink, &tree->forks[i], number, i);
    }
    for (size_t i = 0; i < tree->count; i++) {
        if (pu_tree_lacks_exec(tree, &tree->nodes[i]))
            put_dot_exec(sink, number, i);
    }
    pu_sink_text(sink, "  }\n");
}
