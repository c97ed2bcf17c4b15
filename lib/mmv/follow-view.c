/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/follow-view.h"

#include <errno.h>
#include <stdlib.h>

#include "base/time.h"

int pu_mmv_followers_add(struct pu_mmv_followers *followers, const char *path, struct pu_err *err)
{
    for (size_t i = 0; i < followers->count; i++) {
        if (strcmp(followers->items[i].path, path) == 0) {
            followers->items[i].listed = true;
            return 0;
        }
    }
    char *copy = strdup(path);
    struct pu_mmv_follower *items =
        copy ? reallocarray(followers->items, followers->count + 1, sizeof(*items)) : NULL;
    if (!items) {
        free(copy);
        return pu_err_system(err, ENOMEM, "cannot watch one more file");
    }
    followers->items = items;
    items[followers->count++] = (struct pu_mmv_follower){.path = copy, .listed = true};
    return 0;
}

void pu_mmv_followers_prune(struct pu_mmv_followers *followers)
{
    size_t kept = 0;

    for (size_t i = 0; i < followers->count; i++) {
        struct pu_mmv_follower *follower = &followers->items[i];
        if (!follower->listed && !follower->present) {
            free(follower->path);
            pu_mmv_unload(&follower->file);
            continue;
        }
        follower->listed = false;
        followers->items[kept++] = *follower;
    }
    followers->count = kept;
}

void pu_mmv_followers_free(struct pu_mmv_followers *followers)
{
    for (size_t i = 0; i < followers->count; i++) {
        free(followers->items[i].path);
        pu_mmv_unload(&followers->items[i].file);
    }
    free(followers->items);
    memset(followers, 0, sizeof(*followers));
}

static void put_event(struct pu_out *out, const struct pu_mmv_follower *follower,
                      const struct pu_mmv_follow *how, const char *event)
{
    static const struct pu_field record_field = {.form = PU_FORM_LINE};
    static const struct pu_field time_field = {.key = "time"};
    static const struct pu_field file_field = {.key = "file", .form = PU_FORM_PREFIX};
    static const struct pu_field event_field = {.key = "event"};

    pu_out_object(out, &record_field);
    pu_out_time(out, &time_field, how->now);
    pu_out_string(out, &file_field, follower->path);
    pu_out_string(out, &event_field, event);
    pu_out_end(out);
}

/* What happened to the file between two looks; NULL when no more than values can have changed. */
static const char *what_happened(const struct pu_mmv_file *before, const struct pu_mmv_file *now)
{
    struct pu_span old = pu_blob_span(&before->blob);
    struct pu_span new = pu_blob_span(&now->blob);
    size_t head = PU_MMV_HEADER_SIZE + before->mmv.section_count * PU_MMV_TOC_SIZE;

    if (before->blob.inode != now->blob.inode || before->blob.device != now->blob.device)
        return "replaced";
    if (old.size != new.size ||
        !pu_span_equal(pu_span_clip(old, 0, head), pu_span_clip(new, 0, head)))
        return "rewritten";
    return NULL;
}

static bool same_atom(const struct pu_mmv_atom *a, const struct pu_mmv_atom *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case PU_MMV_ATOM_NONE:
    case PU_MMV_ATOM_UNKNOWN:
        return true;
    case PU_MMV_ATOM_FLOAT:
        return memcmp(&a->number32, &b->number32, sizeof(a->number32)) == 0;
    case PU_MMV_ATOM_TEXT:
    case PU_MMV_ATOM_LOST:
        return pu_span_equal(a->text, b->text);
    default:
        return a->u64 == b->u64;
    }
}

static bool is_number(enum pu_mmv_atom_kind kind)
{
    return kind == PU_MMV_ATOM_I64 || kind == PU_MMV_ATOM_U64 || kind == PU_MMV_ATOM_FLOAT ||
           kind == PU_MMV_ATOM_DOUBLE || kind == PU_MMV_ATOM_ELAPSED;
}

/* How far a counter went; integers as integers, which a double cannot always hold. */
static double difference(const struct pu_mmv_atom *before, const struct pu_mmv_atom *now)
{
    switch (now->kind) {
    case PU_MMV_ATOM_U64:
        return now->u64 < before->u64 ? -1 : (double)(now->u64 - before->u64);
    case PU_MMV_ATOM_FLOAT:
        return (double)now->number32 - (double)before->number32;
    case PU_MMV_ATOM_DOUBLE:
        return now->number64 - before->number64;
    default:
        return now->i64 < before->i64 ? -1 : (double)((uint64_t)now->i64 - (uint64_t)before->i64);
    }
}

/* A counter that went down was set back: there is no telling how much it counted. */
static bool get_rate(const struct pu_mmv_atom *before, const struct pu_mmv_atom *now,
                     int64_t interval, double *rate)
{
    double counted = before->kind == now->kind ? difference(before, now) : -1;

    if (!(counted >= 0))
        return false;
    *rate = counted * (double)PU_NANOSECONDS / (double)interval;
    return true;
}

/*
 * Both have the same layout, so a value stands at the same offset in both. `interval`, in
 * nanoseconds, is the time between them, or 0 where no rates are asked for.
 */
static void put_change(struct pu_out *out, const struct pu_mmv_view *before,
                       const struct pu_mmv_view *now, const struct pu_mmv_values *values,
                       const struct pu_mmv_reading *reading, int64_t interval)
{
    struct pu_mmv_reading old;
    double rate;

    pu_mmv_read(before, reading->metric, reading->value.offset, &old);
    if (reading->atom.kind == PU_MMV_ATOM_UNKNOWN ? old.value.raw == reading->value.raw
                                                  : same_atom(&old.atom, &reading->atom))
        return;
    bool as_rate = interval > 0 && reading->metric && pu_mmv_is_counter(reading->metric) &&
                   is_number(reading->atom.kind) &&
                   get_rate(&old.atom, &reading->atom, interval, &rate);
    pu_mmv_value_record(out, now, values, reading, as_rate ? &rate : NULL);
}

static void put_changes(struct pu_out *out, const struct pu_mmv_view *before,
                        const struct pu_mmv_view *now, const struct pu_mmv_values *values,
                        int64_t interval)
{
    struct pu_mmv_walk walk;
    struct pu_mmv_reading reading;

    for (size_t toc = 0; toc < now->mmv->section_count; toc++) {
        if (now->mmv->sections[toc].kind != PU_MMV_VALUES)
            continue;
        pu_mmv_walk_section(&walk, now, toc);
        while (pu_mmv_walk_next(&walk, &reading))
            put_change(out, before, now, values, &reading, interval);
    }
}

static int show(struct pu_out *out, struct pu_mmv_follower *follower,
                const struct pu_mmv_follow *how, struct pu_mmv_file *file, int64_t clock,
                struct pu_err *err)
{
    struct pu_mmv_values values = {.show_path = how->show_path, .time = &how->now};
    struct pu_mmv_view now = {
        .path = follower->path,
        .mmv = &file->mmv,
        .now = how->now,
        .selectors = how->selectors,
        .selector_count = how->selector_count,
        .matched = how->matched,
        .damage = &file->damage,
    };
    struct pu_mmv_view before = {
        .path = follower->path, .mmv = &follower->file.mmv, .now = follower->time};
    const char *event =
        !follower->present ? how->first ? NULL : "appeared" : what_happened(&follower->file, file);

    if (pu_mmv_view_pick(&now, err) < 0) {
        free(now.picked);
        return -1;
    }
    follower->fresh = !follower->present || event;
    if (event)
        put_event(out, follower, how, event);
    if (follower->fresh)
        pu_mmv_values_view(out, &now, &values);
    else
        put_changes(out, &before, &now, &values, how->rates ? clock - follower->clock : 0);
    free(now.picked);
    return 0;
}

/* The file cannot be read. That is news once, and when it has just gone the event says so. */
static void lose(struct pu_out *out, struct pu_mmv_follower *follower,
                 const struct pu_mmv_follow *how)
{
    bool gone = follower->err.status == ENOENT;

    if (follower->present)
        put_event(out, follower, how, gone ? "gone" : "unreadable");
    follower->failed = !follower->told && !(follower->present && gone);
    follower->told = true;
    follower->present = false;
    pu_mmv_unload(&follower->file);
}

int pu_mmv_follow_view(struct pu_out *out, struct pu_mmv_follower *follower,
                       const struct pu_mmv_follow *how, struct pu_err *err)
{
    struct pu_mmv_file file;
    bool waited = follower->present && follower->file.unsettled;
    int64_t none = 0;

    follower->fresh = false;
    if (pu_mmv_load(follower->path, waited ? &none : how->patience, &file, &follower->err) < 0) {
        pu_mmv_unload(&file);
        lose(out, follower, how);
        return 0;
    }
    int64_t clock = pu_time_clock();
    int result = show(out, follower, how, &file, clock, err);
    follower->fresh |= file.damage.count != follower->file.damage.count;
    follower->failed = follower->told = false;
    pu_mmv_unload(&follower->file);
    follower->file = file;
    follower->time = how->now;
    follower->clock = clock;
    follower->present = follower->seen = true;
    return result;
}
