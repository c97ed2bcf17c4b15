/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory and the members; the other check-*.c have the files. */
#include "experiment/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "experiment/check-private.h"

void pu_check_tell(const struct pu_check *check, const char *name, enum pu_exp_rule rule,
                   const char *fmt, ...)
{
    struct pu_exp_report report;
    char message[300];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    pu_exp_report_open(&report, check->judge, check->exp->dir.path, name, 0);
    pu_exp_report_file(&report, rule, "%s", message);
    pu_exp_report_close(&report);
}

/* --- the directory ------------------------------------------------------------------------------
 */

static void check_name(struct pu_check *check)
{
    const struct pu_exp_dir *dir = &check->exp->dir;

    if (dir->kind == PU_EXP_ODD)
        pu_check_tell(check, NULL, R_NAME, "\"%.80s\" is no lineage, rank or process", dir->name);
    else if (dir->kind == PU_EXP_NONE)
        pu_check_tell(check, NULL, R_NAME, "the name does not end in .er");
}

/* A class that a loader of its own brought, a copy of a program: below these lies more. */
static bool is_known_directory(const struct pu_exp_entry *entry)
{
    return entry->role == PU_EXP_ARCHIVES || strcmp(entry->name, "jdynclasses") == 0;
}

static void check_entry(struct pu_check *check, const struct pu_exp_entry *entry)
{
    bool is_known = entry->role != PU_EXP_OTHER || pu_exp_declared(check->exp, entry->name);

    if (pu_exp_entry_is_member(entry))
        return;
    if (entry->unreadable) {
        pu_check_tell(check, entry->name, R_UNREADABLE, "%s", strerrordesc_np(entry->unreadable));
    } else if (entry->type == PU_EXP_LINK) {
        /* Files of packets and the like say so when they are read. */
        if (!is_known || entry->role == PU_EXP_ARCHIVES || entry->role == PU_EXP_MPI)
            pu_check_tell(check, entry->name, R_LINK, "a symbolic link");
    } else if (is_known_directory(entry)) {
        if (entry->type != PU_EXP_DIRECTORY)
            pu_check_tell(check, entry->name, R_NOT_A_FILE, "not a directory");
    } else if (!is_known) {
        pu_check_tell(check, entry->name, R_STRAY_FILE, "a %s of unknown purpose",
                      entry->type == PU_EXP_FILE ? "file" : "directory or special file");
    }
}

static const char *present(const struct pu_exp_dir *dir, char *to, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < dir->count && used < size; i++)
        used +=
            (size_t)snprintf(to + used, size - used, "%s%s", i ? ", " : "", dir->entries[i].name);
    return dir->count ? to : "nothing";
}

void pu_check_directory(struct pu_check *check)
{
    const struct pu_exp_dir *dir = &check->exp->dir;
    char names[160] = "";

    check_name(check);
    if (dir->count == 0)
        pu_check_tell(check, NULL, R_NOTHING_RECORDED, "the directory is empty");
    else if (!pu_exp_dir_find(dir, "log.xml"))
        pu_check_tell(check, NULL, R_LOG_MISSING, "there is no log.xml, only: %s",
                      present(dir, names, sizeof(names)));
    for (size_t i = 0; i < dir->count; i++)
        check_entry(check, &dir->entries[i]);
    if (check->converted)
        pu_check_tell(check, NULL, R_CONVERTED, "neither collector nor process is named");
}

/* --- one experiment -----------------------------------------------------------------------------
 */

static void release(struct pu_check *check)
{
    pu_map_free(&check->map);
    pu_frames_free(&check->frames);
    pu_set_free(&check->clock_threads);
    pu_set_free(&check->other_threads);
}

int pu_exp_check(const struct pu_exp *exp, const struct pu_tree *tree,
                 const struct pu_tree_node *node, struct pu_judge *judge, struct pu_err *err)
{
    PU_CLEANUP(release)
    struct pu_check check = {.exp = exp,
                             .tree = tree,
                             .node = node,
                             .judge = judge,
                             .end = pu_log_end(&exp->log),
                             .converted = pu_log_is_converted(&exp->log)};

    if (exp->dir.fd < 0)
        return 0;
    pu_check_directory(&check);
    if (exp->dir.count == 0)
        return 0;
    pu_check_log(&check);
    if (pu_check_texts(&check, err) < 0 || pu_check_overview(&check, err) < 0 ||
        pu_check_data(&check, err) < 0 || pu_check_dynamic(&check, err) < 0)
        return -1;
    if (check.clock_threads.lost || check.other_threads.lost)
        return pu_err_system(err, ENOMEM, "cannot count threads");
    pu_check_measurement(&check);
    return 0;
}

/* --- members ------------------------------------------------------------------------------------
 */

static void check_node(const struct pu_exp *founder, const struct pu_tree *tree,
                       const struct pu_tree_node *node, struct pu_judge *judge)
{
    struct pu_exp_report report;
    bool announced = node->relation == PU_TREE_EXEC || node->relation == PU_TREE_FORK ||
                     node->kind == PU_EXP_RANK || node->kind == PU_EXP_PROCESS;

    if (node == &tree->nodes[0] || !node->has_log)
        return;
    pu_exp_report_open(&report, judge, founder->dir.path, node->name, 0);
    if (!announced)
        pu_exp_report_file(&report, R_MEMBER_UNANNOUNCED, "process %lld", (long long)node->pid);
    if (pu_tree_differs(tree, node))
        pu_exp_report_file(&report, R_PARENT_DIFFERS,
                           "by its name it comes from %s, by ids from %s",
                           tree->nodes[node->name_parent].name,
                           node->parent == PU_NO_NODE ? "nowhere" : tree->nodes[node->parent].name);
    pu_exp_report_close(&report);
}

static void check_fork(const struct pu_exp *founder, const struct pu_tree *tree,
                       const struct pu_tree_fork *fork, struct pu_judge *judge)
{
    struct pu_exp_report report;
    const struct pu_tree_node *node = &tree->nodes[fork->node];
    char name[PU_EXP_NAME_MAX + 16];

    if (!pu_tree_is_missing(fork))
        return;
    snprintf(name, sizeof(name), "%s%slog.xml", fork->node ? node->name : "",
             fork->node ? "/" : "");
    pu_exp_report_open(&report, judge, founder->dir.path, name, UINT64_MAX);
    pu_exp_report_at(&report, R_MEMBER_MISSING, fork->at, "process %lld was forked as %.80s",
                     (long long)fork->pid, fork->lineage);
    pu_exp_report_close(&report);
}

void pu_exp_check_tree(const struct pu_exp *founder, const struct pu_tree *tree,
                       struct pu_judge *judge)
{
    for (size_t i = 0; i < tree->count; i++)
        check_node(founder, tree, &tree->nodes[i], judge);
    for (size_t i = 0; i < tree->fork_count; i++)
        check_fork(founder, tree, &tree->forks[i], judge);
}
