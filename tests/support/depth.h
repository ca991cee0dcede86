/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* How much of a test is run, by OCT_TEST_DEPTH: `exhaustive`, all that it has; `full`, also without the variable; or
 * `quick`, for what has been through the rest in another build, or will be. Another word ends the test. */
#ifndef OCT_TESTS_SUPPORT_DEPTH_H
#define OCT_TESTS_SUPPORT_DEPTH_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum depth { DEPTH_QUICK, DEPTH_FULL, DEPTH_EXHAUSTIVE };

static inline enum depth depth(void)
{
    static const char words[][12] = {"quick", "full", "exhaustive"};
    const char *word = getenv("OCT_TEST_DEPTH");
    if (!word || !*word)
        return DEPTH_FULL;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return (enum depth)i;
    fprintf(stderr, "OCT_TEST_DEPTH is quick, full or exhaustive, not %s\n", word);
    exit(2);
}

static inline bool depth_is_exhaustive(void)
{
    return depth() == DEPTH_EXHAUSTIVE;
}

static inline bool depth_is_quick(void)
{
    return depth() == DEPTH_QUICK;
}

/* As many as the depth asks for. */
static inline unsigned amount(unsigned exhaustive, unsigned full, unsigned quick)
{
    return depth_is_exhaustive() ? exhaustive : depth_is_quick() ? quick : full;
}

/* In how many different lanes a known answer is run on a table (by its name). The portable one is slow, and its lanes
 * are rounds of a loop. */
static inline unsigned amount_of_lanes(const char *table)
{
    return strcmp(table, "c") == 0 && !depth_is_exhaustive() ? 1 : 3;
}

#endif
