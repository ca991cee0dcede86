/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See vectors.h. */
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void kat_die(const char *what, const char *file, int line)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    exit(1);
}

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    KAT_REQUIRE(f);
    KAT_REQUIRE(fseek(f, 0, SEEK_END) == 0);
    const long size = ftell(f);
    KAT_REQUIRE(size > 0);
    rewind(f);
    char *text = malloc((size_t)size + 1);
    KAT_REQUIRE(text && fread(text, 1, (size_t)size, f) == (size_t)size);
    text[size] = 0;
    fclose(f);
    return text;
}

/* The fields of one line, in place: `name=value` pairs after the word. */
struct line {
    char *word;
    struct {
        char *name, *value;
    } field[16];
    unsigned fields;
};

static void split(struct line *line, char *text)
{
    char *save = NULL;
    line->fields = 0;
    line->word = strtok_r(text, " ", &save);
    for (char *part; (part = strtok_r(NULL, " ", &save)) != NULL; line->fields++) {
        char *equals = strchr(part, '=');
        KAT_REQUIRE(equals && line->fields < 16);
        *equals = 0;
        line->field[line->fields].name = part;
        line->field[line->fields].value = equals + 1;
    }
}

static char *find(const struct line *line, const char *name)
{
    for (unsigned i = 0; i < line->fields; i++)
        if (strcmp(line->field[i].name, name) == 0)
            return line->field[i].value;
    return NULL;
}

static char *need(const struct line *line, const char *name)
{
    char *value = find(line, name);
    KAT_REQUIRE(value);
    return value;
}

static unsigned number(const struct line *line, const char *name)
{
    char *end;
    const unsigned long value = strtoul(need(line, name), &end, 10);
    KAT_REQUIRE(*end == 0);
    return (unsigned)value;
}

static unsigned digit(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    KAT_REQUIRE(c >= 'a' && c <= 'f');
    return (unsigned)(c - 'a') + 10;
}

/* Decodes hex into memory of its own, so that a sanitizer sees a read beyond its end. A missing field is empty. */
static struct kat_bytes bytes(const struct line *line, const char *name)
{
    const char *hex = find(line, name);
    const size_t len = hex ? strlen(hex) / 2 : 0;
    struct kat_bytes b = {malloc(len ? len : 1), len};
    KAT_REQUIRE(b.data && (!hex || strlen(hex) % 2 == 0));
    for (size_t i = 0; i < len; i++)
        b.data[i] = (uint8_t)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
    return b;
}

static enum kat_kind kind_of(const char *name)
{
    static const char *const names[] = {"rsa-pkcs1-verify", "rsa-pkcs1-sign", "rsa-pss-verify", "rsa-pkcs1-decrypt",
                                        "rsa-oaep-decrypt"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum kat_kind)i;
    kat_die(name, "unknown kind", 0);
}

static enum kat_result result_of(const char *name)
{
    if (strcmp(name, "valid") == 0)
        return KAT_VALID;
    if (strcmp(name, "invalid") == 0)
        return KAT_INVALID;
    KAT_REQUIRE(strcmp(name, "acceptable") == 0);
    return KAT_ACCEPTABLE;
}

static struct kat_key read_key(const struct line *l)
{
    return (struct kat_key){.id = number(l, "id"),
                            .n = bytes(l, "n"),
                            .e = bytes(l, "e"),
                            .d = bytes(l, "d"),
                            .p = bytes(l, "p"),
                            .q = bytes(l, "q"),
                            .dp = bytes(l, "dp"),
                            .dq = bytes(l, "dq"),
                            .qinv = bytes(l, "qinv")};
}

/* What a group says of the cases that follow it. */
static void read_group(struct kat_case *group, struct kat_file *file, const struct line *l)
{
    const unsigned id = number(l, "key");
    KAT_REQUIRE(id >= 1 && id <= file->key_count && file->keys[id - 1].id == id);
    *group = (struct kat_case){.key = &file->keys[id - 1], .sha = find(l, "sha"), .mgf = find(l, "mgf"), .salt = -1};
    if (find(l, "salt"))
        group->salt = (int)number(l, "salt");
}

static void read_case(struct kat_case *c, const struct kat_case *group, const struct line *l)
{
    *c = *group;
    c->id = number(l, "id");
    c->result = result_of(need(l, "result"));
    c->flags = need(l, "flags");
    c->msg = bytes(l, "msg");
    c->sig = bytes(l, "sig");
    c->ct = bytes(l, "ct");
    c->label = bytes(l, "label");
}

static size_t count_lines(const char *text, const char *start)
{
    size_t count = 0;
    for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        count += strncmp(at, start, strlen(start)) == 0;
    return count;
}

static void read_line(struct kat_file *file, struct kat_case *group, size_t *announced, char *text)
{
    struct line l;
    split(&l, text);
    if (strcmp(l.word, "file") == 0) {
        file->kind = kind_of(need(&l, "kind"));
        *announced = number(&l, "cases");
    } else if (strcmp(l.word, "key") == 0) {
        file->keys[file->key_count++] = read_key(&l);
    } else if (strcmp(l.word, "group") == 0) {
        read_group(group, file, &l);
    } else {
        KAT_REQUIRE(strcmp(l.word, "case") == 0 && group->key);
        read_case(&file->cases[file->case_count++], group, &l);
    }
}

void kat_load(struct kat_file *file, const char *path)
{
    struct kat_case group = {0};
    size_t announced = 0;
    char *save = NULL;
    *file = (struct kat_file){.path = path, .text = read_text(path)};
    file->keys = calloc(count_lines(file->text, "key ") + 1, sizeof *file->keys);
    file->cases = calloc(count_lines(file->text, "case ") + 1, sizeof *file->cases);
    KAT_REQUIRE(file->keys && file->cases);
    for (char *text = strtok_r(file->text, "\n", &save); text; text = strtok_r(NULL, "\n", &save))
        if (text[0] != '#')
            read_line(file, &group, &announced, text);
    KAT_REQUIRE(announced > 0 && announced == file->case_count);
}

void kat_unload(struct kat_file *file)
{
    for (size_t i = 0; i < file->key_count; i++) {
        struct kat_key *k = &file->keys[i];
        struct kat_bytes *all[] = {&k->n, &k->e, &k->d, &k->p, &k->q, &k->dp, &k->dq, &k->qinv};
        for (unsigned j = 0; j < sizeof all / sizeof all[0]; j++)
            free(all[j]->data);
    }
    for (size_t i = 0; i < file->case_count; i++) {
        free(file->cases[i].msg.data);
        free(file->cases[i].sig.data);
        free(file->cases[i].ct.data);
        free(file->cases[i].label.data);
    }
    free(file->keys);
    free(file->cases);
    free(file->text);
}

int kat_has_flag(const struct kat_case *c, const char *flag)
{
    const size_t len = strlen(flag);
    for (const char *at = c->flags; (at = strstr(at, flag)) != NULL; at += len)
        if ((at == c->flags || at[-1] == ',') && (at[len] == 0 || at[len] == ','))
            return 1;
    return 0;
}

int kat_check(struct kat_score *score, const struct kat_file *file, const struct kat_case *c, int good,
              const char *what)
{
    if (good) {
        score->passed++;
    } else {
        score->failed++;
        printf("FAIL %s case %u (%s): %s\n", file->path, c->id, c->flags, what);
    }
    return good;
}

int kat_end(const struct kat_score *score)
{
    printf("%u passed, %u failed\n", score->passed, score->failed);
    return score->failed > 0 || score->passed == 0;
}
