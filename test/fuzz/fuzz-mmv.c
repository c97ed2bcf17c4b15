/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * MMV files: decodes any bytes and shows them in every view. Beside not crashing, the output has to
 * be what it always is: text that drives no terminal, JSON that parses, an exposition with its end.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/selector.h"
#include "cli/main.h"
#include "fuzz.h"
#include "mmv/openmetrics-view.h"
#include "mmv/view.h"

/* Views print some times what they read; more than this only takes longer. */
#define INPUT_MAX 65536

/* Any point in time will do, as long as it is always the same one. */
#define NOW INT64_C(1700000060000000000)

static const char *const selector_texts[] = {"*[0,-3,s*,\"a b\"]", "mmv.fuzz.*.*", "req.total"};
#define SELECTORS (sizeof(selector_texts) / sizeof(selector_texts[0]))

/* One view being made. */
struct run {
    struct pu_mmv_view *view;
    struct pu_sink *sink;
    struct pu_buf *text; /* what the view wrote */
    struct pu_errors damage;
};

/*
 * Read by AddressSanitizer, where it is there. Most of the time, and by default a quarter of a
 * gigabyte, would go into remembering who freed what long ago.
 */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "quarantine_size_mb=4:malloc_context_size=8:max_malloc_fill_size=16";
}

static void broken(const char *what)
{
    fprintf(stderr, "fuzz-mmv: %s\n", what);
    abort();
}

/* In the C locale only printable ASCII is left as it is. */
static void check_text(const struct pu_buf *text)
{
    for (size_t i = 0; i < text->size; i++) {
        unsigned char byte = (unsigned char)text->data[i];
        if (byte != '\n' && (byte < ' ' || byte > '~'))
            broken("text that is not printable");
    }
}

/*
 * jansson makes thousands of small allocations, and the sanitizer takes its time over each of them.
 * Those for our own checks need none of its care.
 */
static _Alignas(16) char arena[1 << 22];
static size_t arena_used;

static void *arena_alloc(size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if (size > sizeof(arena) - arena_used)
        return malloc(size);
    arena_used += size;
    return arena + arena_used - size;
}

static void arena_free(void *place)
{
    uintptr_t offset = (uintptr_t)place - (uintptr_t)arena;

    if (offset >= sizeof(arena))
        free(place);
}

static void check_json(const struct pu_buf *text)
{
    json_error_t error;

    arena_used = 0;
    json_set_alloc_funcs(arena_alloc, arena_free);
    json_t *json = json_loadb(text->data, text->size, JSON_REJECT_DUPLICATES, &error);
    if (!json) {
        fprintf(stderr, "fuzz-mmv: %s at byte %d\n", error.text, error.position);
        broken("JSON that does not parse");
    }
    json_decref(json);
    json_set_alloc_funcs(malloc, free);
}

static void check_lines(const struct pu_buf *text)
{
    size_t start = 0;

    for (size_t i = 0; i < text->size; i++) {
        if (text->data[i] != '\n')
            continue;
        check_json(&(struct pu_buf){.data = text->data + start, .size = i - start});
        start = i + 1;
    }
    if (start != text->size)
        broken("a record without its end");
}

static void check_exposition(const struct pu_buf *text)
{
    static const char end[] = "# EOF\n";
    size_t size = strlen(end);

    if (text->size < size || memcmp(text->data + text->size - size, end, size) != 0)
        broken("an exposition without its end");
}

static void begin(struct run *run)
{
    run->damage = (struct pu_errors){0};
    run->view->damage = &run->damage;
    run->text->size = 0;
    pu_sink_to_memory(run->sink, run->text);
}

static void end(struct run *run)
{
    if (pu_sink_flush(run->sink) != 0)
        broken("the sink is full");
    pu_errors_free(&run->damage);
}

static void run_text(struct run *run)
{
    begin(run);
    pu_mmv_text_view(run->sink, run->view);
    end(run);
    check_text(run->text);
}

static void run_json(struct run *run)
{
    struct pu_out out;
    struct pu_err err;

    begin(run);
    pu_out_to_json(&out, run->sink);
    if (pu_mmv_json_view(&out, run->view, &err) < 0)
        abort();
    pu_cli_put_errors(&out, &run->damage);
    pu_out_end(&out);
    end(run);
    check_json(run->text);
}

static void run_values(struct run *run, bool json)
{
    struct pu_mmv_values how = {.show_path = true};
    struct pu_out out;

    begin(run);
    if (json)
        pu_out_to_json_lines(&out, run->sink);
    else
        pu_out_to_text(&out, run->sink);
    pu_mmv_values_view(&out, run->view, &how);
    end(run);
    if (json)
        check_lines(run->text);
    else
        check_text(run->text);
}

static void run_openmetrics(struct run *run)
{
    struct pu_err err;

    begin(run);
    if (pu_mmv_openmetrics_view(run->sink, run->view, 1, &err) < 0)
        broken(err.message);
    end(run);
    check_exposition(run->text);
}

static void run_views(struct pu_mmv *mmv, const struct pu_selector *selectors, size_t count)
{
    static struct pu_sink sink;
    static struct pu_buf text; /* kept from run to run: growing it takes longer than filling it */
    struct pu_mmv_view view = {.path = "tmp/fuzz",
                               .mmv = mmv,
                               .now = NOW,
                               .selectors = selectors,
                               .selector_count = count};
    struct run run = {.view = &view, .sink = &sink, .text = &text};
    struct pu_err err;

    if (pu_mmv_view_pick(&view, &err) < 0)
        broken(err.message);
    run_text(&run);
    run_json(&run);
    run_values(&run, true);
    run_values(&run, false);
    run_openmetrics(&run);
    free(view.picked);
}

static void run_selected(struct pu_mmv *mmv)
{
    struct pu_selector selectors[SELECTORS];
    struct pu_err err;

    for (size_t i = 0; i < SELECTORS; i++) {
        if (pu_selector_parse(selector_texts[i], &selectors[i], &err) < 0)
            broken(err.message);
    }
    run_views(mmv, selectors, SELECTORS);
    for (size_t i = 0; i < SELECTORS; i++)
        pu_selector_free(&selectors[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pu_errors damage = {0};
    struct pu_mmv mmv;
    struct pu_err err;

    if (size > INPUT_MAX)
        return 0;
    /* Of this size and no more, so that one byte too far is noticed. */
    unsigned char *copy = malloc(size);
    if (size > 0)
        memcpy(copy, data, size);
    if (pu_mmv_decode((struct pu_span){copy, size}, &mmv, &damage, &err) == 0) {
        run_views(&mmv, NULL, 0);
        run_selected(&mmv);
    }
    pu_mmv_free(&mmv);
    pu_errors_free(&damage);
    free(copy);
    return 0;
}
