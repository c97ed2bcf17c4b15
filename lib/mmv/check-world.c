/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What files that are loaded together export, and where they get in each other's way. */
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "mmv/check-private.h"

/* An indom under the number that the agent gives it. */
struct indom {
    uint32_t number;
    uint32_t cluster;
    uint32_t serial;
    const char *path;
    uint64_t offset;
};

struct pu_mmv_world {
    void *names; /* trees of tsearch(3): exports by name, exports by cluster and item, indoms */
    void *items;
    void *indoms;
    struct pu_mmv_export **exports; /* owned, with what they point to; in the order they came */
    size_t export_count;
    bool used[PU_MMV_CLUSTER_MAX + 1]; /* clusters that are not chosen any more */
    bool has_files;
};

/* The agent's own, which no file can have; the last one came with PCP 7. */
static const char *const reserved[] = {"mmv.control.reload", "mmv.control.debug",
                                       "mmv.control.files", "mmv.control.metrics"};

static size_t reserved_count(const struct pu_mmv_check *check)
{
    size_t count = sizeof(reserved) / sizeof(reserved[0]);

    return check->reader == PU_MMV_READER_6_0 ? count - 1 : count;
}

struct pu_mmv_world *pu_mmv_world_new(void)
{
    return calloc(1, sizeof(struct pu_mmv_world));
}

static void keep(void *node)
{
    (void)node;
}

static void free_export(struct pu_mmv_export *export)
{
    free(export->name);
    free(export->ids);
    free(export);
}

void pu_mmv_world_free(struct pu_mmv_world *world)
{
    if (!world)
        return;
    tdestroy(world->names, keep);
    tdestroy(world->items, keep);
    tdestroy(world->indoms, free);
    for (size_t i = 0; i < world->export_count; i++)
        free_export(world->exports[i]);
    free(world->exports);
    free(world);
}

uint32_t pu_mmv_world_cluster(struct pu_mmv_world *world, int32_t declared)
{
    uint32_t cluster = (uint32_t)declared;

    if (cluster == 0) {
        cluster = 1;
        while (cluster < PU_MMV_CLUSTER_MAX && world->used[cluster])
            cluster++;
    }
    /*
     * Measured: the agent looks at the first file once only, when it tries number 1. Another
     * number of that file's does not keep it from choosing the same again.
     */
    if (world->has_files || cluster == 1)
        world->used[cluster] = true;
    world->has_files = true;
    return cluster;
}

static int by_name(const void *a, const void *b)
{
    const struct pu_mmv_export *left = a;
    const struct pu_mmv_export *right = b;

    return strcmp(left->name, right->name);
}

static int by_item(const void *a, const void *b)
{
    const struct pu_mmv_export *left = a;
    const struct pu_mmv_export *right = b;

    if (left->cluster != right->cluster)
        return left->cluster < right->cluster ? -1 : 1;
    return left->item < right->item ? -1 : left->item > right->item;
}

static int by_number(const void *a, const void *b)
{
    const struct indom *left = a;
    const struct indom *right = b;

    return left->number < right->number ? -1 : left->number > right->number;
}

static int no_memory(struct pu_err *err)
{
    return pu_err_system(err, ENOMEM, "cannot hold the names");
}

static struct pu_place place_of(const struct pu_mmv_export *export)
{
    struct pu_place place = {.file = export->path, .has_offset = true, .offset = export->offset};

    pu_mmv_what(place.what, "metric", export->index, pu_span_text(export->name));
    return place;
}

static void say(struct pu_mmv_subject *subject, enum pu_mmv_rule rule,
                const struct pu_mmv_export *export, const struct pu_mmv_export *other,
                const char *message)
{
    char what[PU_MMV_WHAT_MAX];
    struct pu_place related = place_of(other);

    pu_mmv_what(what, "metric", export->index, pu_span_text(export->name));
    pu_mmv_say_related(subject, rule, export->offset, what, &related, "%s", message);
}

static bool same_id(const struct pu_mmv_export *a, const struct pu_mmv_export *b)
{
    return a->cluster == b->cluster && a->item == b->item;
}

static void judge_item(struct pu_mmv_subject *subject, const struct pu_mmv_export *export,
                       const struct pu_mmv_export *first)
{
    char message[300];

    if (first->type != export->type) {
        snprintf(message, sizeof(message),
                 "cluster %" PRIu32 ", item %" PRIu32 " has type %" PRId32 " here and %" PRId32
                 " in %s, as \"%s\"",
                 export->cluster, export->item, export->type, first->type, first->path,
                 first->name);
        say(subject, R_ITEM_TYPE_CLASH, export, first, message);
    } else if (strcmp(first->name, export->name) != 0) {
        snprintf(message, sizeof(message),
                 "cluster %" PRIu32 ", item %" PRIu32 " is \"%s\" of %s already", export->cluster,
                 export->item, first->name, first->path);
        say(subject, R_ITEM_CLASH, export, first, message);
    }
}

static int append(struct pu_mmv_world *world, struct pu_mmv_export *export, struct pu_err *err)
{
    struct pu_mmv_export **exports =
        reallocarray(world->exports, world->export_count + 1, sizeof(struct pu_mmv_export *));

    if (!exports) {
        free_export(export);
        return no_memory(err);
    }
    world->exports = exports;
    export->order = world->export_count;
    exports[world->export_count++] = export;
    return 0;
}

static bool is_reserved(const struct pu_mmv_check *check, const struct pu_mmv_export *export)
{
    for (size_t i = 0; i < reserved_count(check); i++) {
        if (strcmp(export->name, reserved[i]) == 0)
            return true;
    }
    return false;
}

int pu_mmv_world_add(struct pu_mmv_subject *subject, struct pu_mmv_export *export,
                     struct pu_err *err)
{
    struct pu_mmv_world *world = subject->world;
    char what[PU_MMV_WHAT_MAX];
    char message[300];

    if (append(world, export, err) < 0)
        return -1;
    if (is_reserved(subject->check, export)) {
        pu_mmv_what(what, "metric", export->index, pu_span_text(export->name));
        pu_mmv_say(subject, R_DUPLICATE_NAME, export->offset, what,
                   "the agent has a metric of this name itself");
        export->dropped = true;
        return 0;
    }
    struct pu_mmv_export **named = tsearch(export, &world->names, by_name);
    if (named && *named != export && !same_id(*named, export)) {
        snprintf(message, sizeof(message), "a metric of %s has this name already", (*named)->path);
        say(subject, R_DUPLICATE_NAME, export, *named, message);
        export->dropped = true;
        return 0;
    }
    struct pu_mmv_export **numbered = named ? tsearch(export, &world->items, by_item) : NULL;
    if (!numbered)
        return no_memory(err);
    if (*numbered != export)
        judge_item(subject, export, *numbered);
    subject->exports[export->index] = export;
    return 0;
}

static int by_id(const void *a, const void *b)
{
    int32_t left = *(const int32_t *)a;
    int32_t right = *(const int32_t *)b;

    return left < right ? -1 : left > right;
}

/* How many of the sorted ids are in both lists, and which is the first. */
static size_t count_common(const struct pu_mmv_export *export, const struct pu_mmv_export *first,
                           int32_t *id)
{
    size_t common = 0;

    for (size_t i = 0, j = 0; i < export->id_count && j < first->id_count;) {
        if (export->ids[i] == first->ids[j] && common++ == 0)
            *id = export->ids[i];
        if (export->ids[i] <= first->ids[j])
            i++;
        else
            j++;
    }
    return common;
}

/* The first file's list is that of all files which have the metric. */
static int join_ids(struct pu_mmv_export *first, const struct pu_mmv_export *export,
                    struct pu_err *err)
{
    size_t count = first->id_count + export->id_count;
    int32_t *ids = reallocarray(first->ids, count + 1, sizeof(*ids));

    if (!ids)
        return no_memory(err);
    if (export->id_count > 0)
        memcpy(ids + first->id_count, export->ids, export->id_count * sizeof(*ids));
    first->ids = ids;
    first->id_count = count;
    qsort(first->ids, first->id_count, sizeof(*ids), by_id);
    return 0;
}

int pu_mmv_world_add_values(struct pu_mmv_subject *subject, size_t index, bool singular,
                            int32_t *ids, size_t count, struct pu_err *err)
{
    struct pu_mmv_export *export = subject->exports[index];
    char message[300];
    int32_t id = 0;

    if (!export) {
        free(ids);
        return 0;
    }
    export->ids = ids;
    export->id_count = count;
    qsort(ids, count, sizeof(*ids), by_id);
    struct pu_mmv_export **found = tfind(export, &subject->world->items, by_item);
    struct pu_mmv_export *first = found ? *found : export;
    if (first == export || strcmp(first->name, export->name) != 0 || first->type != export->type)
        return 0;
    size_t common = count_common(export, first, &id);
    if (common > 0 && singular)
        snprintf(message, sizeof(message), "%s has a value for it already", first->path);
    else if (common > 0)
        snprintf(message, sizeof(message),
                 "files from %s on have values for %zu of its instances already, the first is "
                 "%" PRId32,
                 first->path, common, id);
    if (common > 0)
        say(subject, R_VALUE_SHADOWED, export, first, message);
    return join_ids(first, export, err);
}

int pu_mmv_world_add_indom(struct pu_mmv_subject *subject, uint32_t serial, uint64_t offset,
                           struct pu_err *err)
{
    struct indom *indom = malloc(sizeof(*indom));
    char what[PU_MMV_WHAT_MAX];

    if (!indom)
        return no_memory(err);
    *indom = (struct indom){.number = (subject->cluster << 11 | serial) & 0x3fffff,
                            .cluster = subject->cluster,
                            .serial = serial,
                            .path = subject->path,
                            .offset = offset};
    struct indom **found = tsearch(indom, &subject->world->indoms, by_number);
    if (!found) {
        free(indom);
        return no_memory(err);
    }
    if (*found == indom)
        return 0;
    if ((*found)->cluster != indom->cluster || (*found)->serial != serial) {
        struct pu_place related = {
            .file = (*found)->path, .has_offset = true, .offset = (*found)->offset};
        snprintf(related.what, sizeof(related.what), "indom %" PRIu32, (*found)->serial);
        snprintf(what, sizeof(what), "indom %" PRIu32, serial);
        pu_mmv_say_related(subject, R_INDOM_COLLISION, offset, what, &related,
                           "cluster %" PRIu32 ", serial %" PRIu32 " and cluster %" PRIu32
                           ", serial %" PRIu32 " are both indom %d.%" PRIu32,
                           indom->cluster, serial, (*found)->cluster, (*found)->serial,
                           PU_MMV_DOMAIN, indom->number);
    }
    free(indom);
    return 0;
}

/*
 * The metric that stands where `export` has a branch, or NULL: the agent took it before `export`,
 * or else after it. Measured: what comes first stays.
 */
static struct pu_mmv_export *find_leaf_above(struct pu_mmv_world *world,
                                             const struct pu_mmv_export *export, bool before)
{
    PU_CLEANUP(pu_buf_free) struct pu_buf prefix = {0};

    for (const char *dot = strchr(export->name, '.'); dot; dot = strchr(dot + 1, '.')) {
        struct pu_mmv_export key = {0};
        prefix.size = 0;
        pu_buf_add(&prefix, export->name, (size_t)(dot - export->name));
        pu_buf_add_char(&prefix, '\0');
        key.name = prefix.data;
        struct pu_mmv_export **found = prefix.failed ? NULL : tfind(&key, &world->names, by_name);
        if (found && !(*found)->dropped && ((*found)->order < export->order) == before)
            return *found;
    }
    return NULL;
}

/* Is `lower` a name below `upper`? */
static bool is_below(const char *lower, const char *upper)
{
    size_t size = strlen(upper);

    return strncmp(lower, upper, size) == 0 && lower[size] == '.';
}

static void check_reserved(struct pu_mmv_subject *subject, struct pu_mmv_export *export)
{
    char what[PU_MMV_WHAT_MAX];

    for (size_t i = 0; i < reserved_count(subject->check); i++) {
        bool above = is_below(reserved[i], export->name);
        if (!above && !is_below(export->name, reserved[i]))
            continue;
        pu_mmv_what(what, "metric", export->index, pu_span_text(export->name));
        pu_mmv_say(subject, above ? R_NAME_IS_BRANCH : R_LEAF_AND_BRANCH, export->offset, what,
                   "its name is %s that of the agent's own metric \"%s\"",
                   above ? "above" : "below", reserved[i]);
        export->dropped = above;
        return;
    }
}

/* Drops metrics above others. Such a one may stand above any number of them. */
static void drop_branches(struct pu_mmv_subject *subject, const struct pu_mmv_export *export)
{
    struct pu_mmv_export *leaf;
    char message[300];

    while ((leaf = find_leaf_above(subject->world, export, false))) {
        snprintf(message, sizeof(message), "the metric \"%s\" of %s is below it", export->name,
                 export->path);
        subject->path = leaf->path;
        say(subject, R_NAME_IS_BRANCH, leaf, export, message);
        leaf->dropped = true;
    }
}

static void check_leaf(struct pu_mmv_subject *subject, const struct pu_mmv_export *export)
{
    const struct pu_mmv_export *leaf = find_leaf_above(subject->world, export, true);
    char message[300];

    if (!leaf)
        return;
    snprintf(message, sizeof(message), "its name is below that of the metric \"%s\" of %s",
             leaf->name, leaf->path);
    subject->path = export->path;
    say(subject, R_LEAF_AND_BRANCH, export, leaf, message);
}

void pu_mmv_world_check_names(const struct pu_mmv_check *check, struct pu_mmv_world *world)
{
    struct pu_mmv_subject subject = {.check = check, .world = world};

    for (size_t i = 0; i < world->export_count; i++) {
        subject.path = world->exports[i]->path;
        if (!world->exports[i]->dropped)
            check_reserved(&subject, world->exports[i]);
    }
    for (size_t i = 0; i < world->export_count; i++) {
        if (!world->exports[i]->dropped)
            drop_branches(&subject, world->exports[i]);
    }
    for (size_t i = 0; i < world->export_count; i++) {
        if (!world->exports[i]->dropped)
            check_leaf(&subject, world->exports[i]);
    }
}
