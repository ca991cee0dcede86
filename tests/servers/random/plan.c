/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See server.h. */
#include "server.h"

#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rule plan_rules[RULES_MAX];
int plan_rule_count;
static char **words;
static int word_count;

void fail(const char *what)
{
    perror(what);
    ERR_print_errors_fp(stderr);
    _exit(3);
}

static void read_rule(const char *text)
{
    struct rule *r = &plan_rules[plan_rule_count++];
    *r = (struct rule){.mod = 1};
    if (plan_rule_count > RULES_MAX ||
        sscanf(text, "%15[^:]:%15[^:]:%d:%d:%d:%d", r->point, r->act, &r->mod, &r->rest, &r->amount, &r->times) != 6 ||
        r->mod <= 0)
        fail(text);
}

void plan_read(int count, char **word)
{
    words = word;
    word_count = count;
    for (int i = 0; i < count; i++)
        if (strncmp(word[i], "at=", 3) == 0)
            read_rule(word[i] + 3);
}

const char *plan_text(const char *key, const char *otherwise)
{
    const size_t n = strlen(key);
    for (int i = 0; i < word_count; i++)
        if (strncmp(words[i], key, n) == 0 && words[i][n] == '=')
            return words[i] + n + 1;
    return otherwise;
}

bool plan_is(const char *key, const char *value)
{
    return strcmp(plan_text(key, ""), value) == 0;
}

int plan_number(const char *key, int otherwise)
{
    const char *text = plan_text(key, NULL);
    return text != NULL ? atoi(text) : otherwise;
}

bool plan_minds(const char *point)
{
    for (int i = 0; i < plan_rule_count; i++)
        if (strcmp(plan_rules[i].point, point) == 0)
            return true;
    return false;
}

bool plan_minds_act(const char *what)
{
    for (int i = 0; i < plan_rule_count; i++)
        if (strcmp(plan_rules[i].act, what) == 0)
            return true;
    return false;
}

bool plan_picks(const char *key, int id)
{
    int mod = 1, rest = 0;
    const char *text = plan_text(key, NULL);
    return text != NULL && sscanf(text, "%d:%d", &mod, &rest) == 2 && id % mod == rest;
}

unsigned plan_draw(int id, const char *topic, unsigned n)
{
    uint64_t hash = 0xcbf29ce484222325u ^ (uint64_t)plan_number("seed", 0);
    for (; *topic != '\0'; topic++)
        hash = (hash ^ (unsigned char)*topic) * 0x100000001b3u;
    hash = (hash ^ (uint64_t)id) * 0x100000001b3u;
    return (unsigned)((hash ^ hash >> 29) % 0x7fffffff) % n;
}
