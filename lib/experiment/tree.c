/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"

/* Ids of processes, sorted, to find them by. */
struct key {
    int64_t pid;
    size_t index; /* of a node or a fork */
};

struct builder {
    struct pu_tree *tree;
    struct key *pids; /* of nodes: by id, then by start */
    size_t pid_count;
    struct key *forks; /* by the child's id */
};

const char *pu_tree_relation_word(enum pu_tree_relation relation)
{
    static const char *const words[] = {"root", "exec", "fork", "ppid", "name", "orphan"};

    return words[relation];
}

/* --- reading ------------------------------------------------------------------------------------
 */

static bool add_fork(struct pu_tree *tree, const struct pu_log_event *event)
{
    struct pu_tree_fork fork = {
        .node = tree->count, .time = event->time, .at = event->at, .follow = event->follow};

    if (event->kind != PU_EV_DESC_STARTED || strncmp(event->text, "pid=", 4) != 0 ||
        !pu_log_parse_number(event->text + 4, &fork.pid))
        return true;
    fork.lineage = pu_arena_text(&tree->strings, pu_span_text(event->lineage));
    if (!pu_exp_grow(&tree->forks, &tree->fork_room, tree->fork_count, sizeof(fork)))
        return false;
    tree->forks[tree->fork_count++] = fork;
    return true;
}

static bool take_events(struct pu_tree *tree, const struct pu_log *log, struct pu_tree_node *node)
{
    for (size_t i = 0; i < log->event_count; i++) {
        const struct pu_log_event *event = &log->events[i];
        bool relative = event->kind != PU_EV_RUN && event->kind < PU_EV_JTHREAD_START;
        if (event->has_time && relative && event->time > node->last)
            node->last = event->time;
        if (event->kind == PU_EV_EXEC_START)
            node->exec_followed = event->follow;
        if (!add_fork(tree, event))
            return false;
    }
    return true;
}

static int add_node(struct pu_tree *tree, const struct pu_exp *exp, struct pu_err *err)
{
    const struct pu_log *log = &exp->log;
    struct pu_tree_node node = {.kind = exp->dir.kind,
                                .has_log = log->present,
                                .pid = log->pid,
                                .ppid = log->ppid,
                                .has_start = exp->has_start,
                                .start = exp->start,
                                .wall_start = exp->wall_start,
                                .end = pu_log_end(log),
                                .parent = PU_NO_NODE,
                                .name_parent = PU_NO_NODE,
                                .next_exec = PU_NO_NODE};

    node.name = pu_arena_text(&tree->strings, pu_span_text(exp->dir.name));
    node.host = pu_arena_text(&tree->strings, pu_span_text(log->hostname));
    node.command = pu_arena_text(&tree->strings, pu_span_text(log->command));
    if (!take_events(tree, log, &node) || tree->strings.failed ||
        !pu_exp_grow(&tree->nodes, &tree->room, tree->count, sizeof(node)))
        return pu_err_system(err, ENOMEM, "cannot hold the processes");
    tree->nodes[tree->count++] = node;
    return 0;
}

/* A member that cannot be opened, a link for instance, is a node without a log. */
static int add_member(struct pu_tree *tree, const struct pu_exp *founder, const char *name,
                      struct pu_err *err)
{
    PU_CLEANUP(pu_exp_free) struct pu_exp exp = PU_EXP_INIT;

    if (pu_exp_dir_open_member(&founder->dir, name, &exp.dir, err) < 0 &&
        (err->status == ENOMEM || !exp.dir.path))
        return -1;
    if (pu_exp_load(&exp, NULL, err) < 0)
        return -1;
    return add_node(tree, &exp, err);
}

/* --- building -----------------------------------------------------------------------------------
 */

static int by_pid(const void *a, const void *b)
{
    const struct key *one = a;
    const struct key *other = b;

    if (one->pid != other->pid)
        return one->pid < other->pid ? -1 : 1;
    return one->index < other->index ? -1 : one->index > other->index;
}

/* Children begin after their parents; this alone makes a tree of whatever the files say. */
static bool is_before(const struct pu_tree *tree, size_t a, size_t b)
{
    const struct pu_tree_node *one = &tree->nodes[a];
    const struct pu_tree_node *other = &tree->nodes[b];

    if (a == 0 || b == 0)
        return a == 0 && b != 0;
    if (one->has_start != other->has_start)
        return one->has_start;
    if (one->has_start && one->start != other->start)
        return one->start < other->start;
    return a < b;
}

static size_t first_key(const struct key *keys, size_t count, int64_t pid)
{
    const struct key first = {.pid = pid};

    return pu_lower_bound(&first, keys, count, sizeof(*keys), by_pid);
}

static bool same_host(const struct pu_tree *tree, size_t a, size_t b)
{
    return strcmp(tree->nodes[a].host, tree->nodes[b].host) == 0;
}

/* The node of that pid that began last before node `before`, on its host. */
static size_t latest(const struct builder *builder, int64_t pid, size_t before)
{
    size_t found = PU_NO_NODE;

    if (pid <= 0)
        return found;
    for (size_t i = first_key(builder->pids, builder->pid_count, pid);
         i < builder->pid_count && builder->pids[i].pid == pid; i++) {
        size_t node = builder->pids[i].index;
        if (node != before && same_host(builder->tree, node, before) &&
            is_before(builder->tree, node, before) &&
            (found == PU_NO_NODE || is_before(builder->tree, found, node)))
            found = node;
    }
    return found;
}

static size_t find_stem(const struct pu_tree *tree, const char *stem)
{
    char name[PU_EXP_NAME_MAX + 4];

    if (!*stem)
        return 0;
    strcpy(stpcpy(name, stem), ".er");
    const struct pu_tree_node *node = pu_tree_find(tree, name);
    return node ? (size_t)(node - tree->nodes) : PU_NO_NODE;
}

/* The next shorter lineage that is there: a part like _x0 has no directory. */
static size_t by_name(const struct pu_tree *tree, size_t index)
{
    char stem[PU_EXP_NAME_MAX];
    char name[PU_EXP_NAME_MAX + 4];

    if (tree->nodes[index].kind == PU_EXP_RANK)
        return 0;
    strcpy(name, tree->nodes[index].name);
    while (index != 0 && pu_exp_name_parent(name, stem)) {
        size_t found = find_stem(tree, stem);
        if (found != PU_NO_NODE)
            return found;
        strcpy(stpcpy(name, stem), ".er");
    }
    return PU_NO_NODE;
}

static size_t by_fork(const struct builder *builder, size_t index)
{
    struct pu_tree *tree = builder->tree;
    int64_t pid = tree->nodes[index].pid;

    for (size_t i = first_key(builder->forks, tree->fork_count, pid);
         pid > 0 && i < tree->fork_count && builder->forks[i].pid == pid; i++) {
        struct pu_tree_fork *fork = &tree->forks[builder->forks[i].index];
        if (!same_host(tree, fork->node, index))
            continue;
        fork->found = true;
        if (is_before(tree, fork->node, index))
            return fork->node;
    }
    return PU_NO_NODE;
}

static void choose(const struct builder *builder, size_t index)
{
    struct pu_tree *tree = builder->tree;
    struct pu_tree_node *node = &tree->nodes[index];
    size_t name_parent = by_name(tree, index);
    const size_t candidates[] = {latest(builder, node->pid, index), by_fork(builder, index),
                                 latest(builder, node->ppid, index), name_parent};

    node->name_parent = name_parent;
    node->relation = index == 0 ? PU_TREE_ROOT : PU_TREE_ORPHAN;
    for (int i = 0; index != 0 && i < 4; i++) {
        if (candidates[i] == PU_NO_NODE || !is_before(tree, candidates[i], index))
            continue;
        node->parent = candidates[i];
        node->relation = (enum pu_tree_relation)(PU_TREE_EXEC + i);
        break;
    }
    if (node->relation == PU_TREE_EXEC)
        tree->nodes[node->parent].next_exec = index;
}

/* --- the order in which it is shown -------------------------------------------------------------
 */

struct links {
    size_t *child;   /* the first */
    size_t *sibling; /* the next */
};

/* Children in the order of their start. */
static void insert(const struct pu_tree *tree, struct links *links, size_t *head, size_t index)
{
    while (*head != PU_NO_NODE && is_before(tree, *head, index))
        head = &links->sibling[*head];
    links->sibling[index] = *head;
    *head = index;
}

static int compare_starts(const void *a, const void *b, void *data)
{
    size_t one = *(const size_t *)a;
    size_t other = *(const size_t *)b;

    if (one == other)
        return 0;
    return is_before(data, one, other) ? -1 : 1;
}

/* Latest first, so that each goes to the head of its parent's list. */
static void link_all(struct pu_tree *tree, struct links *links, size_t *roots)
{
    for (size_t i = 0; i < tree->count; i++) {
        links->child[i] = links->sibling[i] = PU_NO_NODE;
        tree->order[i] = i;
    }
    qsort_r(tree->order, tree->count, sizeof(*tree->order), compare_starts, tree);
    *roots = PU_NO_NODE;
    for (size_t i = tree->count; i > 0; i--) {
        size_t index = tree->order[i - 1];
        size_t parent = tree->nodes[index].parent;
        insert(tree, links, parent == PU_NO_NODE ? roots : &links->child[parent], index);
    }
}

/* Down to the first child, else to the next sibling, else up: no recursion, however deep. */
static void walk(struct pu_tree *tree, const struct links *links, size_t node)
{
    size_t count = 0;
    unsigned int level = 0;

    while (node != PU_NO_NODE) {
        tree->nodes[node].level = level;
        tree->order[count++] = node;
        if (links->child[node] != PU_NO_NODE) {
            node = links->child[node];
            level++;
            continue;
        }
        while (node != PU_NO_NODE && links->sibling[node] == PU_NO_NODE) {
            node = tree->nodes[node].parent;
            level--;
        }
        if (node != PU_NO_NODE)
            node = links->sibling[node];
    }
}

static bool order(struct pu_tree *tree)
{
    struct links links = {malloc(tree->count * sizeof(size_t)),
                          malloc(tree->count * sizeof(size_t))};
    size_t roots;

    tree->order = malloc(tree->count * sizeof(*tree->order));
    bool done = links.child && links.sibling && tree->order;
    if (done) {
        link_all(tree, &links, &roots);
        walk(tree, &links, roots);
    }
    free(links.child);
    free(links.sibling);
    return done;
}

static bool build(struct pu_tree *tree)
{
    struct builder builder = {.tree = tree};

    builder.pids = reallocarray(NULL, tree->count, sizeof(struct key));
    builder.forks = reallocarray(NULL, tree->fork_count + 1, sizeof(struct key));
    bool done = builder.pids && builder.forks;
    for (size_t i = 0; done && i < tree->count; i++)
        builder.pids[builder.pid_count++] = (struct key){tree->nodes[i].pid, i};
    for (size_t i = 0; done && i < tree->fork_count; i++)
        builder.forks[i] = (struct key){tree->forks[i].pid, i};
    if (done) {
        qsort(builder.pids, builder.pid_count, sizeof(struct key), by_pid);
        qsort(builder.forks, tree->fork_count, sizeof(struct key), by_pid);
        for (size_t i = 0; i < tree->count; i++)
            choose(&builder, i);
        done = order(tree);
    }
    free(builder.pids);
    free(builder.forks);
    return done;
}

int pu_tree_read(const struct pu_exp *founder, bool alone, struct pu_tree *tree, struct pu_err *err)
{
    if (add_node(tree, founder, err) < 0)
        return -1;
    for (size_t i = 0; !alone && i < founder->dir.count; i++) {
        const struct pu_exp_entry *entry = &founder->dir.entries[i];
        if (pu_exp_entry_is_member(entry) && add_member(tree, founder, entry->name, err) < 0)
            return -1;
    }
    /* Where the children are nobody looked. */
    if (alone)
        tree->fork_count = 0;
    return build(tree) ? 0 : pu_err_system(err, ENOMEM, "cannot hold the processes");
}

static int by_given_name(const void *key, const void *element)
{
    const struct pu_tree_node *node = element;

    return pu_exp_name_compare(key, node->name);
}

const struct pu_tree_node *pu_tree_find(const struct pu_tree *tree, const char *name)
{
    if (tree->count == 0)
        return NULL;
    if (strcmp(tree->nodes[0].name, name) == 0)
        return &tree->nodes[0];
    return bsearch(name, tree->nodes + 1, tree->count - 1, sizeof(*tree->nodes), by_given_name);
}

bool pu_tree_lacks_exec(const struct pu_tree *tree, const struct pu_tree_node *node)
{
    /* Of a sub-experiment alone nobody looked for others. */
    return node->end == PU_END_EXEC && node->exec_followed && node->next_exec == PU_NO_NODE &&
           !pu_exp_kind_is_sub(tree->nodes[0].kind);
}

bool pu_tree_since(const struct pu_tree *tree, const struct pu_tree_node *node, int64_t *since)
{
    return node->has_start && tree->nodes[0].has_start &&
           same_host(tree, 0, (size_t)(node - tree->nodes)) &&
           !__builtin_sub_overflow(node->start, tree->nodes[0].start, since);
}

bool pu_tree_differs(const struct pu_tree *tree, const struct pu_tree_node *node)
{
    (void)tree;
    return node->relation != PU_TREE_ROOT && node->relation != PU_TREE_NAME &&
           node->name_parent != PU_NO_NODE && node->parent != node->name_parent;
}

void pu_tree_free(struct pu_tree *tree)
{
    free(tree->nodes);
    free(tree->forks);
    free(tree->order);
    pu_arena_free(&tree->strings);
    memset(tree, 0, sizeof(*tree));
}
