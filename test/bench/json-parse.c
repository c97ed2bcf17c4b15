/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses a JSON file with jansson, and nothing else: json-parse FILE, or, with an object on each
 * line, json-parse --lines FILE
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse_lines(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *line = NULL;
    size_t capacity = 0;
    ssize_t size;

    while (file && (size = getline(&line, &capacity, file)) > 0) {
        json_t *json = json_loadb(line, (size_t)size, JSON_REJECT_DUPLICATES, NULL);
        if (!json)
            return 1;
        json_decref(json);
    }
    return file ? 0 : 2;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--lines") == 0)
        return parse_lines(argv[2]);
    json_error_t error;
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;

    if (!file || fseek(file, 0, SEEK_END) < 0)
        return 2;
    size_t size = (size_t)ftell(file);
    char *text = malloc(size + 1);
    rewind(file);
    if (!text || fread(text, 1, size, file) != size)
        return 2;
    return json_loadb(text, size, JSON_REJECT_DUPLICATES, &error) ? 0 : 1;
}
