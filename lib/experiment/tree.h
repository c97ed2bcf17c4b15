/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processes of a founder and its sub-experiments. Who came from whom is told, in this order, by
 * process ids (one id: one process that went on as another program), by records of forks, by the
 * parent's id, and last by names, which follow what a shell or a library left in the environment.
 * Ids and clocks mean something on one host only; MPI ranks may have been on others.
 */
#ifndef PU_EXPERIMENT_TREE_H
#define PU_EXPERIMENT_TREE_H

#include "experiment/experiment.h"

#define PU_NO_NODE SIZE_MAX

enum pu_tree_relation {
    PU_TREE_ROOT, /* the founder, or an operand of its own */
    PU_TREE_EXEC, /* the same process as its parent, which ended by exec */
    PU_TREE_FORK, /* its parent recorded the fork */
    PU_TREE_PPID, /* its parent by process id; no record of it */
    PU_TREE_NAME, /* by its name alone */
    PU_TREE_ORPHAN,
};

struct pu_tree_node {
    const char *name; /* in the founder's directory; the founder's own last component */
    enum pu_exp_kind kind;
    bool has_log;
    int64_t pid; /* -1 = not told, as for ppid */
    int64_t ppid;
    bool has_start;
    const char *host;
    int64_t start;      /* nanoseconds of the machine's clock, the same for all of a host */
    int64_t wall_start; /* nanoseconds since 1970; 0 = not known */
    int64_t last;       /* the last time in the log, since its start */
    enum pu_log_end end;
    bool exec_followed; /* ended by exec: would the new program be recorded? */
    const char *command;
    size_t parent; /* PU_NO_NODE = none */
    enum pu_tree_relation relation;
    size_t name_parent; /* what the name says; PU_NO_NODE = nothing */
    size_t next_exec;   /* the node in which an exec goes on; PU_NO_NODE = none */
    unsigned int level; /* distance from a root */
};

/* A fork that the parent recorded. */
struct pu_tree_fork {
    size_t node;
    int64_t pid;
    int64_t time; /* since the node's start */
    uint64_t at;  /* in its log.xml */
    const char *lineage;
    bool follow;
    bool found; /* a node has that pid */
};

/* It was to be recorded, and has no directory. */
static inline bool pu_tree_is_missing(const struct pu_tree_fork *fork)
{
    return fork->follow && !fork->found;
}

/* Start from zeros; release with pu_tree_free(). */
struct pu_tree {
    struct pu_arena strings;
    struct pu_tree_node *nodes; /* owned; the founder first, the others in natural order */
    size_t count;
    size_t room;
    struct pu_tree_fork *forks; /* owned */
    size_t fork_count;
    size_t fork_room;
    size_t *order; /* owned: nodes as they are to be shown, children behind their parent */
};

/*
 * Reads the logs of the founder and its members. With `alone` members are left out, and forks. What
 * is wrong in them is not reported here. Errors: PU_E_SYSTEM when memory runs out.
 */
int pu_tree_read(const struct pu_exp *founder, bool alone, struct pu_tree *tree,
                 struct pu_err *err) PU_MUST_CHECK;
void pu_tree_free(struct pu_tree *tree);

const char *pu_tree_relation_word(enum pu_tree_relation relation);

/* The node of that name, or NULL. */
const struct pu_tree_node *pu_tree_find(const struct pu_tree *tree, const char *name);

/* Did the node go on by an exec that was to be recorded, and nothing here has its id? */
bool pu_tree_lacks_exec(const struct pu_tree *tree, const struct pu_tree_node *node);

/* Nanoseconds between the founder's start and the node's. False when no common clock tells. */
bool pu_tree_since(const struct pu_tree *tree, const struct pu_tree_node *node, int64_t *since);

/* Does the name tell another parent than the ids do? */
bool pu_tree_differs(const struct pu_tree *tree, const struct pu_tree_node *node);

#endif
