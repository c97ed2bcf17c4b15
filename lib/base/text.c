/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/text.h"

#include <stdio.h>
#include <wchar.h>
#include <wctype.h>

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

size_t pu_text_utf8(struct pu_span text, uint32_t *character)
{
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first;
    size_t size;

    if (text.size == 0)
        return 0;
    first = text.data[0];
    if (first < 0x80) {
        *character = first;
        return 1;
    }
    size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size < size)
        return 0;
    uint32_t value = first & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if (!is_continuation(text.data[i]))
            return 0;
        value = value << 6 | (text.data[i] & 0x3f);
    }
    if (value < smallest[size] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 0;
    *character = value;
    return size;
}

bool pu_text_is_unsafe(uint32_t character)
{
    return character == 0x061c || character == 0x180e ||
           (character >= 0x200b && character <= 0x200f) ||
           (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2060 && character <= 0x206f) || character == 0xfeff ||
           (character >= 0xfff9 && character <= 0xfffb) ||
           (character >= 0xe0000 && character <= 0xe007f);
}

#define EACH_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

/* Is one of the eight bytes zero? */
static bool has_zero_byte(uint64_t word)
{
    return (word - EACH_BYTE(1)) & ~word & EACH_BYTE(0x80);
}

/* Eight bytes at once: all between ' ' and '~', none a backslash or a quote? */
static bool is_plain_word(uint64_t word)
{
    uint64_t below = (word - EACH_BYTE(' ')) & ~word;
    uint64_t above = (word + EACH_BYTE(1)) | word;

    return !((below | above) & EACH_BYTE(0x80)) && !has_zero_byte(word ^ EACH_BYTE('"')) &&
           !has_zero_byte(word ^ EACH_BYTE('\\'));
}

static bool is_plain_byte(unsigned char byte)
{
    return byte >= ' ' && byte <= '~' && byte != '"' && byte != '\\';
}

static bool is_plain_at(struct pu_span text, size_t at)
{
    uint64_t word;

    memcpy(&word, text.data + at, sizeof(word));
    return is_plain_word(word);
}

size_t pu_text_plain(struct pu_span text)
{
    const size_t step = sizeof(uint64_t);
    size_t at = 0;

    while (text.size - at >= step && is_plain_at(text, at))
        at += step;
    /* The last few bytes together with some before them, which are known to be plain. */
    if (text.size - at < step && text.size >= step && is_plain_at(text, text.size - step))
        return text.size;
    while (at < text.size && is_plain_byte(text.data[at]))
        at++;
    return at;
}

static size_t escape_ascii(unsigned char byte, bool quote, char *to)
{
    static const char letters[] = "\\\\\nn\tt\rr";

    for (const char *pair = letters; *pair; pair += 2) {
        if (byte == (unsigned char)pair[0])
            return (size_t)sprintf(to, "\\%c", pair[1]);
    }
    if (byte == '"' && quote)
        return (size_t)sprintf(to, "\\\"");
    if (byte < 0x20 || byte == 0x7f)
        return (size_t)sprintf(to, "\\x%02x", byte);
    *to = (char)byte;
    return 1;
}

size_t pu_text_escape_one(struct pu_span text, bool quote, char *to, size_t *used)
{
    mbstate_t state = {0};
    wchar_t wide;
    uint32_t character;

    *used = 1;
    if (text.data[0] < 0x80)
        return escape_ascii(text.data[0], quote, to);
    size_t size = pu_text_utf8(text, &character);
    if (size > 0 && pu_text_is_unsafe(character)) {
        *used = size;
        return (size_t)sprintf(to, "\\u%04x", (unsigned int)character);
    }
    size = mbrtowc(&wide, (const char *)text.data, text.size, &state);
    if (size == (size_t)-1 || size == (size_t)-2 || size == 0 || !iswprint((wint_t)wide) ||
        pu_text_is_unsafe((uint32_t)wide))
        return (size_t)sprintf(to, "\\x%02x", text.data[0]);
    *used = size;
    memcpy(to, text.data, size);
    return size;
}

void pu_text_escape(struct pu_buf *to, struct pu_span text, bool quote)
{
    char escaped[PU_ESCAPE_MAX];
    size_t used;

    while (text.size > 0) {
        used = pu_text_plain(text);
        if (used > 0)
            pu_buf_add(to, text.data, used);
        else
            pu_buf_add(to, escaped, pu_text_escape_one(text, quote, escaped, &used));
        text.data += used;
        text.size -= used;
    }
}
