/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses a JSON file with jansson, and nothing else: json-parse FILE */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
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
