/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What the constant-time check must catch, or it proves nothing: each argument plants one leak. `none` plants none.
 *
 * usage: ctime_planted branch | index | length | library | none
 */
#include "secret.h"

#include "base/base.h"
#include "base/big.h"

#include <string.h>

static volatile unsigned sink;
static unsigned char table[256];

static OCT_NOINLINE void leak_branch(const unsigned char *secret)
{
    if (secret[3] & 1)
        sink = 7;
}

static OCT_NOINLINE void leak_index(const unsigned char *secret)
{
    sink = table[secret[3]];
}

static OCT_NOINLINE void leak_length(const unsigned char *secret)
{
    for (unsigned i = 0; i < secret[3]; i++)
        sink = i;
}

/* The verdict of a mask from the library is as secret as what it was computed from, until somebody declassifies it. */
static OCT_NOINLINE void leak_library(const unsigned char *secret)
{
    uint64_t words[4], other[4] = {1};
    (void)oct_big_from_bytes(words, 4, secret, 32);
    if (oct_big_equal(words, other, 4))
        sink = 1;
}

static OCT_NOINLINE void leak_none(const unsigned char *secret)
{
    uint64_t words[4], other[4] = {1}, verdict;
    (void)oct_big_from_bytes(words, 4, secret, 32);
    verdict = oct_big_equal(words, other, 4);
    OCT_DECLASSIFY(&verdict, sizeof verdict);
    if (verdict)
        sink = 1;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*leak)(const unsigned char *secret);
    } plant[] = {{"branch", leak_branch},
                 {"index", leak_index},
                 {"length", leak_length},
                 {"library", leak_library},
                 {"none", leak_none}};
    unsigned char secret[32];
    REQUIRE(OCT_CHECKMEM_ON() && argc == 2);
    memset(secret, 5, sizeof secret);
    for (unsigned i = 0; i < sizeof table; i++)
        table[i] = (unsigned char)(255 - i);
    OCT_SECRET(secret, sizeof secret);
    REQUIRE(is_secret(secret, sizeof secret));
    for (unsigned i = 0; i < OCT_ARRAY_LEN(plant); i++) {
        if (strcmp(argv[1], plant[i].name) != 0)
            continue;
        plant[i].leak(secret);
        puts("ran");
        return 0;
    }
    return 1;
}
