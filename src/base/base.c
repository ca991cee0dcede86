/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void oct_assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "octuple: %s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}

void oct_cleanse(void *data, size_t len)
{
    memset(data, 0, len);
    __asm__ volatile("" : : "r"(data) : "memory");
}

OCT_NOINLINE void oct_scrub_stack(void)
{
    uint8_t region[OCT_SCRUB_BYTES];
    oct_cleanse(region, sizeof region);
}
