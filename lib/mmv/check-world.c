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
    bool used[PU_MMV_CLUSTER_MAX + 1]; /* clusters */
};

/* The agent's own, which no file can have. */
static const char *const reserved[] = {"mmv.control.reload", "mmv.control.debug",
                                       "mmv.control.files", "mmv.control.metrics"};

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
    world->used[cluster] = true;
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
    exports[world->export_count++] = export;
    return 0;
}

static bool is_reserved(const struct pu_mmv_export *export)
{
    for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
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
    if (is_reserved(export)) {
        pu_mmv_what(what, "metric", export->index, pu_span_text(export->name));
        pu_mmv_say(subject, R_DUPLICATE_NAME, export->offset, what,
                   "the agent has a metric of this name itself");
    }
    struct pu_mmv_export **named = tsearch(export, &world->names, by_name);
    if (named && *named != export && !same_id(*named, export)) {
        snprintf(message, sizeof(message), "a metric of %s has this name already", (*named)->path);
        say(subject, R_DUPLICATE_NAME, export, *named, message);
        return 0;
    }
    struct pu_mmv_export **numbered = named ? tsearch(export, &world->items, by_item) : NULL;
    if (!numbered)
        return no_memory(err);
    if (*numbered != export)
        judge_item(subject, export, *numbered);
    return 0;
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

/* The metric that stands where `export` has a branch, or NULL. */
static const struct pu_mmv_export *find_leaf_above(struct pu_mmv_world *world,
                                                   const struct pu_mmv_export *export)
{
    PU_CLEANUP(pu_buf_free) struct pu_buf prefix = {0};

    for (const char *dot = strchr(export->name, '.'); dot; dot = strchr(dot + 1, '.')) {
        struct pu_mmv_export key = {0};
        prefix.size = 0;
        pu_buf_add(&prefix, export->name, (size_t)(dot - export->name));
        pu_buf_add_char(&prefix, '\0');
        key.name = prefix.data;
        struct pu_mmv_export **found = prefix.failed ? NULL : tfind(&key, &world->names, by_name);
        if (found)
            return *found;
    }
    return NULL;
}

void pu_mmv_world_check_names(const struct pu_mmv_check *check, struct pu_mmv_world *world)
{
    struct pu_mmv_subject subject = {.check = check, .world = world};

    for (size_t i = 0; i < world->export_count; i++) {
        struct pu_mmv_export *export = world->exports[i];
        const struct pu_mmv_export *leaf = find_leaf_above(world, export);
        char message[300];
        if (!leaf)
            continue;
        snprintf(message, sizeof(message), "its name is below that of the metric \"%s\" of %s",
                 leaf->name, leaf->path);
        subject.path = export->path;
        say(&subject, R_LEAF_AND_BRANCH, export, leaf, message);
    }
}
