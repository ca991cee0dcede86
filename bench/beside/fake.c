/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A peer that is none, for the program that measures Octuple beside others: rows that are good, that differ, and that
 * fail on either side or when they are prepared. FAKE_REASON in the environment is why it cannot run here,
 * and FAKE_OFF a row that Octuple leaves alone.
 */
#include "../beside/beside.h"

#include <stdlib.h>
#include <string.h>

#define UNITS 8

static int nothing; /* the state of every row */

static void *open_it(const struct beside_row *row)
{
    return row->which ? &nothing : NULL;
}

static void close_it(void *state)
{
    (void)state;
}

static unsigned works(void *state)
{
    static volatile unsigned char buffer[512];
    (void)state;
    for (size_t i = 0; i < sizeof buffer; i++)
        buffer[i] ^= (unsigned char)i;
    return UNITS;
}

static unsigned fails(void *state)
{
    (void)state;
    return 0;
}

static int agree(void *state)
{
    unsigned char random[8] = {0}, zero[8] = {0};
    return state == &nothing && beside_fill(random, sizeof random) && memcmp(random, zero, sizeof zero) != 0;
}

static int differ(void *state)
{
    return !agree(state);
}

#define ROW(name, unit, opens, ours, theirs, same)                                                                     \
    {                                                                                                                  \
        name, unit, opens, 0, open_it, close_it, ours, theirs, same                                                    \
    }

static const struct beside_row good[] = {
    ROW("good-operation", "op/s", 1, works, works, agree), ROW("good-bytes", "B/s", 1, works, works, agree), {0}};
static const struct beside_row bad[] = {ROW("bad-results", "op/s", 1, works, works, differ),
                                        ROW("bad-peer", "op/s", 1, works, fails, agree),
                                        ROW("broken-octuple", "op/s", 1, fails, works, agree),
                                        ROW("broken-keys", "op/s", 0, works, works, agree),
                                        {0}};
static const struct beside_row *const families[] = {good, bad, NULL};

static const char *version(void)
{
    return "fake 1.0";
}

static const char *why_not(void)
{
    return getenv("FAKE_REASON");
}

static const char *note(void)
{
    return getenv("FAKE_NOTE");
}

static const char *off(const struct beside_row *row)
{
    const char *name = getenv("FAKE_OFF");
    return name != NULL && strcmp(name, row->name) == 0 ? "not on this CPU" : NULL;
}

const struct beside_peer beside_peer = {version, families, why_not, note, off};
