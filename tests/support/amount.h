/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* How much of a test is run: all that it has by OCT_TEST_FULL=1, less by OCT_TEST_BRIEF=1, which ./check sets for what
 * has been through the rest in another build. */
#ifndef OCT_TESTS_SUPPORT_AMOUNT_H
#define OCT_TESTS_SUPPORT_AMOUNT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool amount_is_full(void)
{
    return getenv("OCT_TEST_FULL") != NULL;
}

static inline bool amount_is_brief(void)
{
    return getenv("OCT_TEST_BRIEF") != NULL && !amount_is_full();
}

/* `full`, or `some`, or in brief `few`. */
static inline unsigned amount(unsigned full, unsigned some, unsigned few)
{
    return amount_is_full() ? full : amount_is_brief() ? few : some;
}

/* In how many different lanes a known answer is run on a table (by its name). The portable one is slow, and its lanes
 * are rounds of a loop. */
static inline unsigned amount_of_lanes(const char *table)
{
    return strcmp(table, "c") == 0 && !amount_is_full() ? 1 : 3;
}

#endif
