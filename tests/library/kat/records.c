/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See records.h. */
#include "records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_KEYS 4096

static unsigned passed, failed;

_Noreturn void rec_die(const char *what, const char *file, int line)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    exit(1);
}

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    REC_REQUIRE(f);
    REC_REQUIRE(fseek(f, 0, SEEK_END) == 0);
    const long size = ftell(f);
    REC_REQUIRE(size > 0);
    rewind(f);
    char *text = malloc((size_t)size + 1);
    REC_REQUIRE(text && fread(text, 1, (size_t)size, f) == (size_t)size);
    text[size] = 0;
    fclose(f);
    return text;
}

/* Where the value of ` name=` begins in a line; NULL if the line has no such field. */
static const char *value_in(const char *line, const char *name)
{
    const size_t len = strlen(name);
    for (const char *at = line; at && (at = strchr(at, ' ')) != NULL;) {
        at++;
        if (strncmp(at, name, len) == 0 && at[len] == '=')
            return at + len + 1;
    }
    return NULL;
}

static size_t value_len(const char *value)
{
    return strcspn(value, " ");
}

static unsigned number(const char *line, const char *name)
{
    const char *value = value_in(line, name);
    char *end;
    REC_REQUIRE(value);
    const unsigned long n = strtoul(value, &end, 10);
    REC_REQUIRE(end != value && (*end == ' ' || *end == 0) && n < 1u << 30);
    return (unsigned)n;
}

/* A word of its own out of a line. */
static char *word(const char *line, const char *name)
{
    const char *value = value_in(line, name);
    REC_REQUIRE(value);
    char *copy = strndup(value, value_len(value));
    REC_REQUIRE(copy);
    return copy;
}

static size_t count_lines(const char *text)
{
    size_t count = 1;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static void add_case(struct rec_file *file, char *line, char *group, char *key)
{
    REC_REQUIRE(group && key);
    struct rec_case *c = &file->cases[file->count++];
    *c = (struct rec_case){.id = number(line, "id"), .line = {line, group, key}};
    c->result = word(line, "result");
    c->flags = word(line, "flags");
}

void rec_load(struct rec_file *file, const char *path)
{
    static char *keys[MAX_KEYS];
    char *save = NULL, *group = NULL;
    unsigned announced = 0, key = 0, key_count = 0;
    *file = (struct rec_file){.path = path, .text = read_text(path)};
    file->cases = calloc(count_lines(file->text), sizeof *file->cases);
    REC_REQUIRE(file->cases);
    for (char *line = strtok_r(file->text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (line[0] == '#')
            continue;
        if (strncmp(line, "file ", 5) == 0) {
            file->kind = word(line, "kind");
            announced = number(line, "cases");
        } else if (strncmp(line, "key ", 4) == 0) {
            REC_REQUIRE(key_count < MAX_KEYS && number(line, "id") == key_count + 1);
            keys[key_count++] = line;
        } else if (strncmp(line, "group ", 6) == 0) {
            group = line;
            key = number(line, "key");
            REC_REQUIRE(key >= 1 && key <= key_count);
        } else {
            REC_REQUIRE(strncmp(line, "case ", 5) == 0);
            add_case(file, line, group, key ? keys[key - 1] : NULL);
        }
    }
    REC_REQUIRE(file->kind && announced > 0 && announced == file->count);
}

void rec_unload(struct rec_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        free((char *)file->cases[i].result);
        free((char *)file->cases[i].flags);
    }
    free((char *)file->kind);
    free(file->cases);
    free(file->text);
}

static unsigned digit(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    REC_REQUIRE(c >= 'a' && c <= 'f');
    return (unsigned)(c - 'a') + 10;
}

static const char *value_of(const struct rec_case *c, const char *name)
{
    const char *value = NULL;
    for (int i = 0; i < 3 && !value; i++)
        value = value_in(c->line[i], name);
    REC_REQUIRE(value);
    return value;
}

int rec_says(const struct rec_case *c, const char *name, const char *text)
{
    const char *value = value_of(c, name);
    return value_len(value) == strlen(text) && strncmp(value, text, strlen(text)) == 0;
}

struct rec_bytes rec_field(const struct rec_case *c, const char *name)
{
    const char *hex = value_of(c, name);
    const size_t len = value_len(hex) / 2;
    struct rec_bytes b = {malloc(len ? len : 1), len};
    REC_REQUIRE(b.data && value_len(hex) % 2 == 0);
    for (size_t i = 0; i < len; i++)
        b.data[i] = (uint8_t)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
    return b;
}

int rec_has_flag(const struct rec_case *c, const char *flag)
{
    const size_t len = strlen(flag);
    for (const char *at = c->flags; (at = strstr(at, flag)) != NULL; at += len)
        if ((at == c->flags || at[-1] == ',') && (at[len] == 0 || at[len] == ','))
            return 1;
    return 0;
}

int rec_is(const struct rec_case *c, const char *result)
{
    return strcmp(c->result, result) == 0;
}

void rec_check(const struct rec_file *file, const struct rec_case *c, int good, const char *what)
{
    if (good) {
        passed++;
    } else {
        failed++;
        printf("FAIL %s case %u (%s): %s\n", file->path, c->id, c->flags, what);
    }
}

int rec_end(void)
{
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
