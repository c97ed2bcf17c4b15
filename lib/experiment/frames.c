/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "experiment/arena.h"

#define RATIO      UINT64_C(0x0b1f3c4b5701d8bd)
#define COMPRESSED UINT32_C(0x80000000)
#define NONE       SIZE_MAX

struct reader {
    struct pu_frames *frames;
    struct pu_packets *packets;
    bool is_64;
    bool lost; /* memory ran out */
};

static void broken(struct reader *reader, uint64_t at, const char *what)
{
    reader->packets->damages++;
    pu_exp_report_at(reader->packets->report, R_FRAME_BROKEN, at, "%s", what);
}

/* --- reading ------------------------------------------------------------------------------------
 */

static void add_word(struct reader *reader, uint64_t word)
{
    struct pu_frames *frames = reader->frames;

    if (!pu_exp_grow(&frames->words, &frames->word_room, frames->word_count, sizeof(word)))
        reader->lost = true;
    else
        frames->words[frames->word_count++] = word;
}

/* Adds the words from the cursor on; returns how many. */
static uint32_t add_words(struct reader *reader, struct pu_cursor *cursor, uint64_t size)
{
    unsigned int width = reader->is_64 ? 8 : 4;
    uint32_t count = (uint32_t)(size / width);

    for (uint32_t i = 0; i < count && !reader->lost; i++)
        add_word(reader,
                 reader->is_64 ? pu_cursor_u64(cursor) : (uint64_t)(int64_t)pu_cursor_i32(cursor));
    return count;
}

static struct pu_frame_list *add_list(struct reader *reader, uint64_t at, unsigned int kind)
{
    struct pu_frames *frames = reader->frames;

    if (!pu_exp_grow(&frames->lists, &frames->list_room, frames->list_count,
                     sizeof(*frames->lists))) {
        reader->lost = true;
        return NULL;
    }
    struct pu_frame_list *list = &frames->lists[frames->list_count++];
    *list = (struct pu_frame_list){
        .at = at, .kind = (uint8_t)kind, .first = frames->word_count, .next = NONE};
    return list;
}

/* Least significant byte first, whatever the byte order of the rest. */
static uint64_t link_at(struct pu_span bytes)
{
    struct pu_cursor cursor = pu_cursor(bytes, 0, PU_LITTLE);

    return pu_cursor_u64(&cursor);
}

/* Words, and a link behind them; of a list without words the link is the id itself. */
static void take_words(struct reader *reader, struct pu_frame_list *list, struct pu_span bytes,
                       uint64_t from, bool compressed)
{
    struct pu_cursor cursor = pu_cursor(bytes, from, reader->packets->order);
    uint64_t size = bytes.size - from;

    list->linked = compressed;
    list->link = list->id;
    if (compressed) {
        reader->frames->compressed++;
        if (size >= 8) {
            size -= 8;
            list->link = link_at(pu_span_clip(bytes, from + size, 8));
        } else if (size > 0) {
            broken(reader, list->at, "a compressed list without room for its link");
        }
    }
    if (size % (reader->is_64 ? 8 : 4) != 0)
        broken(reader, list->at, "a list that ends inside of an address");
    list->count = add_words(reader, &cursor, size);
}

static void take_info(struct reader *reader, struct pu_span bytes, uint64_t at)
{
    struct pu_cursor cursor = pu_cursor(bytes, 4, reader->packets->order);
    uint32_t word = pu_cursor_u32(&cursor);
    unsigned int kind = word & ~COMPRESSED;

    if (kind < PU_FRAME_STACK || kind > PU_FRAME_OMP2) {
        broken(reader, at, "a list of unknown kind");
        return;
    }
    struct pu_frame_list *list = add_list(reader, at, kind);
    if (!list)
        return;
    if (kind >= PU_FRAME_OMP) {
        list->state = pu_cursor_u32(&cursor);
        (void)pu_cursor_u32(&cursor);
        list->link = kind == PU_FRAME_OMP2 ? pu_cursor_u64(&cursor) : 0;
        list->linked = kind == PU_FRAME_OMP2;
    } else {
        list->id = pu_cursor_u64(&cursor);
    }
    if (cursor.bad)
        broken(reader, at, "a list that is too short");
    else if (kind >= PU_FRAME_OMP && cursor.at != bytes.size)
        broken(reader, at, "a state with more than a state in it");
    else if (kind < PU_FRAME_OMP)
        take_words(reader, list, bytes, cursor.at, (word & COMPRESSED) != 0);
}

static void take_infos(struct reader *reader, const struct pu_packet *packet, uint64_t from)
{
    struct pu_span bytes = packet->bytes;

    while (from < bytes.size && !reader->lost) {
        struct pu_cursor cursor = pu_cursor(bytes, from, reader->packets->order);
        uint32_t size = pu_cursor_u32(&cursor);
        if (cursor.bad || size < 8 || !pu_span_has(bytes, from, size)) {
            broken(reader, packet->at + from, "a list with an impossible size");
            return;
        }
        take_info(reader, pu_span_clip(bytes, from, size), packet->at + from);
        from += size;
    }
}

static void take_frame(struct reader *reader, const struct pu_packet *packet)
{
    struct pu_frames *frames = reader->frames;
    struct pu_cursor cursor = pu_cursor(packet->bytes, 4, reader->packets->order);
    uint32_t head = pu_cursor_u32(&cursor);
    struct pu_frame_packet to = {
        .id = pu_cursor_u64(&cursor), .at = packet->at, .first = frames->list_count};

    if (cursor.bad || head < 16 || head > packet->bytes.size) {
        broken(reader, packet->at, "a call stack with an impossible head");
        return;
    }
    take_infos(reader, packet, head);
    to.count = (uint32_t)(frames->list_count - to.first);
    if (!pu_exp_grow(&frames->packets, &frames->packet_room, frames->packet_count, sizeof(to)))
        reader->lost = true;
    else
        frames->packets[frames->packet_count++] = to;
}

/* A list of its own, which others link to. */
static void take_uid(struct reader *reader, const struct pu_packet *packet)
{
    struct pu_cursor cursor = pu_cursor(packet->bytes, 4, reader->packets->order);
    uint32_t flags = pu_cursor_u32(&cursor);
    uint64_t id = pu_cursor_u64(&cursor);

    if (cursor.bad) {
        broken(reader, packet->at, "a list that is too short");
        return;
    }
    struct pu_frame_list *list = add_list(reader, packet->at, PU_FRAME_STACK);
    if (!list)
        return;
    list->id = id;
    take_words(reader, list, packet->bytes, cursor.at, (flags & COMPRESSED) != 0);
}

static void take_packet(struct reader *reader, const struct pu_packet *packet)
{
    if (packet->type == PU_PACKET_FRAME)
        take_frame(reader, packet);
    else if (packet->type == PU_PACKET_UID)
        take_uid(reader, packet);
    else
        pu_exp_report_at(reader->packets->report, R_PACKET_UNDECLARED, packet->at,
                         "a packet of type %u among call stacks", packet->type);
}

/* --- finding ------------------------------------------------------------------------------------
 */

static int by_id(const void *a, const void *b)
{
    const struct pu_frame_key *one = a;
    const struct pu_frame_key *other = b;

    if (one->id != other->id)
        return one->id < other->id ? -1 : 1;
    return one->index < other->index ? -1 : one->index > other->index;
}

static size_t find(const struct pu_frame_key *index, size_t count, uint64_t id)
{
    const struct pu_frame_key first = {.id = id};
    size_t at = pu_lower_bound(&first, index, count, sizeof(*index), by_id);

    return at < count && index[at].id == id ? index[at].index : NONE;
}

/* The first of each id stays. */
static size_t drop_repeats(struct pu_frame_key *index, size_t count)
{
    size_t to = 0;

    for (size_t i = 0; i < count; i++) {
        if (to == 0 || index[to - 1].id != index[i].id)
            index[to++] = index[i];
    }
    return to;
}

/* Lists with content only: one that merely names another must not be found in its place. */
static bool index_lists(struct pu_frames *frames)
{
    size_t count = 0;

    frames->list_index = reallocarray(NULL, frames->list_count + 1, sizeof(*frames->list_index));
    if (!frames->list_index)
        return false;
    for (size_t i = 0; i < frames->list_count; i++) {
        const struct pu_frame_list *list = &frames->lists[i];
        if (list->kind < PU_FRAME_OMP && !(list->linked && list->count == 0))
            frames->list_index[count++] = (struct pu_frame_key){list->id, i};
    }
    qsort(frames->list_index, count, sizeof(*frames->list_index), by_id);
    frames->list_index_count = drop_repeats(frames->list_index, count);
    return true;
}

static bool index_packets(struct pu_frames *frames)
{
    frames->packet_index =
        reallocarray(NULL, frames->packet_count + 1, sizeof(*frames->packet_index));
    if (!frames->packet_index)
        return false;
    for (size_t i = 0; i < frames->packet_count; i++)
        frames->packet_index[i] = (struct pu_frame_key){frames->packets[i].id, i};
    qsort(frames->packet_index, frames->packet_count, sizeof(*frames->packet_index), by_id);
    frames->packet_index_count = drop_repeats(frames->packet_index, frames->packet_count);
    return true;
}

const struct pu_frame_packet *pu_frames_find(struct pu_frames *frames, uint64_t id)
{
    if (frames->packet_count > 0 && frames->packets[frames->last].id == id)
        return &frames->packets[frames->last];
    size_t index = find(frames->packet_index, frames->packet_index_count, id);
    if (index == NONE)
        return NULL;
    frames->last = index;
    return &frames->packets[index];
}

/* --- whole stacks -------------------------------------------------------------------------------
 */

static enum pu_frame_end end_of(uint64_t word)
{
    if (word == UINT64_MAX - 1)
        return PU_FRAME_TRUNCATED;
    return word == UINT64_MAX - 2 ? PU_FRAME_FAILED : PU_FRAME_COMPLETE;
}

/* Nothing to point at when the whole file has no word. */
static const uint64_t *words_of(const struct pu_frames *frames, const struct pu_frame_list *list)
{
    return list->count > 0 ? frames->words + list->first : NULL;
}

/* Folds the list's own words onto what it goes on in, which is resolved. */
static void fold(const struct pu_frames *frames, struct pu_frame_list *list)
{
    const uint64_t *words = words_of(frames, list);
    const struct pu_frame_list *rest = list->next == NONE ? NULL : &frames->lists[list->next];

    list->factor = rest ? rest->factor : 1;
    list->sum = rest ? rest->sum : 0;
    list->depth = rest ? rest->depth : 0;
    list->end = rest ? rest->end : PU_FRAME_COMPLETE;
    list->broken |= rest && rest->broken;
    for (uint32_t i = list->count; i > 0; i--) {
        list->sum = (list->sum + words[i - 1]) * RATIO;
        list->factor *= RATIO;
    }
    if (!rest && list->count > 0 && list->kind == PU_FRAME_STACK)
        list->end = (uint8_t)end_of(words[list->count - 1]);
    list->depth += list->count;
    list->visited = 2;
}

/* Goes along the links to what is resolved, and comes back. `path` has room for every list. */
static void resolve(struct reader *reader, size_t index, size_t *path)
{
    struct pu_frames *frames = reader->frames;
    size_t length = 0;

    while (index != NONE && frames->lists[index].visited == 0) {
        struct pu_frame_list *list = &frames->lists[index];
        list->visited = 1;
        path[length++] = index;
        if (list->linked)
            list->next = find(frames->list_index, frames->list_index_count, list->link);
        if (list->linked && list->next == NONE) {
            list->broken = true;
            pu_exp_report_at(reader->packets->report, R_FRAME_LINK, list->at,
                             "a link to 0x%llx, which is not there",
                             (unsigned long long)list->link);
        }
        index = list->next;
    }
    if (index != NONE && frames->lists[index].visited == 1) {
        struct pu_frame_list *list = &frames->lists[path[length - 1]];
        list->next = NONE;
        list->broken = true;
        pu_exp_report_at(reader->packets->report, R_FRAME_CYCLE, list->at,
                         "a link to 0x%llx, which leads back here", (unsigned long long)list->link);
    }
    while (length > 0)
        fold(frames, &frames->lists[path[--length]]);
}

static bool resolve_all(struct reader *reader)
{
    struct pu_frames *frames = reader->frames;
    size_t *path = reallocarray(NULL, frames->list_count + 1, sizeof(*path));

    for (size_t i = 0; path && i < frames->list_count; i++)
        resolve(reader, i, path);
    free(path);
    return path != NULL;
}

/* --- verifying ----------------------------------------------------------------------------------
 */

static void verify_list(struct reader *reader, const struct pu_frame_list *list)
{
    uint64_t id = list->linked ? list->link : 1;

    if (list->kind >= PU_FRAME_OMP || (!reader->is_64 && list->kind != PU_FRAME_STACK))
        return;
    for (uint32_t i = list->count; i > 0; i--)
        id = (id + reader->frames->words[list->first + i - 1]) * RATIO;
    if (id != list->id)
        pu_exp_report_at(reader->packets->report, R_FRAME_CHECKSUM, list->at,
                         "the list's id is 0x%llx, its content makes it 0x%llx",
                         (unsigned long long)list->id, (unsigned long long)id);
}

/* States and lists that cannot be resolved leave nothing to verify. */
static void verify_packet(struct reader *reader, const struct pu_frame_packet *packet)
{
    uint64_t id = RATIO;

    for (uint32_t i = 0; i < packet->count; i++) {
        const struct pu_frame_list *list = &reader->frames->lists[packet->first + i];
        if (list->kind >= PU_FRAME_OMP || list->broken ||
            (!reader->is_64 && list->kind != PU_FRAME_STACK))
            return;
        id = id * list->factor + list->sum;
    }
    if (packet->count > 0 && id != packet->id)
        pu_exp_report_at(reader->packets->report, R_FRAME_CHECKSUM, packet->at,
                         "the call stack's id is 0x%llx, its content makes it 0x%llx",
                         (unsigned long long)packet->id, (unsigned long long)id);
}

/* The same stack may be recorded more than once, but not two under one id. */
static void verify_repeats(struct reader *reader)
{
    struct pu_frames *frames = reader->frames;

    for (size_t i = 0; i < frames->packet_count; i++) {
        const struct pu_frame_packet *packet = &frames->packets[i];
        size_t first = find(frames->packet_index, frames->packet_index_count, packet->id);
        const struct pu_frame_packet *other = &frames->packets[first];
        if (packet == other || packet->count == 0 || other->count == 0)
            continue;
        const struct pu_frame_list *a = &frames->lists[packet->first];
        const struct pu_frame_list *b = &frames->lists[other->first];
        if (!a->broken && !b->broken && (a->sum != b->sum || a->depth != b->depth))
            pu_exp_report_at(reader->packets->report, R_FRAME_CONFLICT, packet->at,
                             "the call stack 0x%llx is another one at offset %llu",
                             (unsigned long long)packet->id, (unsigned long long)other->at);
    }
}

static void verify(struct reader *reader)
{
    struct pu_frames *frames = reader->frames;

    for (size_t i = 0; i < frames->list_count; i++)
        verify_list(reader, &frames->lists[i]);
    for (size_t i = 0; i < frames->packet_count; i++)
        verify_packet(reader, &frames->packets[i]);
    verify_repeats(reader);
}

int pu_frames_read(struct pu_packets *packets, bool is_64, struct pu_frames *frames,
                   struct pu_err *err)
{
    struct reader reader = {.frames = frames, .packets = packets, .is_64 = is_64};
    struct pu_packet packet;

    while (!reader.lost && !frames->limited && pu_packets_next(packets, &packet)) {
        take_packet(&reader, &packet);
        frames->limited = frames->word_count > PU_FRAMES_WORDS_MAX ||
                          frames->list_count > PU_FRAMES_WORDS_MAX / 8;
    }
    if (frames->limited)
        broken(&reader, packets->at, "more call stacks than this tool takes: the rest is not read");
    if (reader.lost || !index_lists(frames) || !index_packets(frames) || !resolve_all(&reader))
        return pu_err_system(err, ENOMEM, "cannot hold the call stacks");
    verify(&reader);
    return 0;
}

void pu_frames_walk(const struct pu_frames *frames, const struct pu_frame_packet *packet,
                    bool (*take)(void *data, const struct pu_frame_list *list,
                                 const uint64_t *words, bool goes_on),
                    void *data)
{
    for (uint32_t i = 0; i < packet->count; i++) {
        const struct pu_frame_list *list = &frames->lists[packet->first + i];
        for (;;) {
            bool goes_on = list->next != NONE;
            if (!take(data, list, words_of(frames, list), goes_on))
                return;
            if (!goes_on)
                break;
            list = &frames->lists[list->next];
        }
    }
}

void pu_frames_free(struct pu_frames *frames)
{
    free(frames->words);
    free(frames->lists);
    free(frames->packets);
    free(frames->packet_index);
    free(frames->list_index);
    memset(frames, 0, sizeof(*frames));
}
