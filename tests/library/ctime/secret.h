/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the constant-time programs need beyond base/checkmem.h: to ask whether memory is still marked, and to refuse to
 * run where no tool looks on, since then nothing would be checked. */
#ifndef OCT_TESTS_CTIME_SECRET_H
#define OCT_TESTS_CTIME_SECRET_H

#include "base/checkmem.h"

#include <stdio.h>
#include <stdlib.h>

/* 1 if any byte is marked secret, 0 if none is. */
static inline int is_secret(const void *p, size_t len)
{
#if defined(OCT_CHECKMEM_MSAN)
    return __msan_test_shadow(p, len) >= 0;
#elif defined(OCT_CHECKMEM_VALGRIND)
    unsigned char bits[4096];
    (void)VALGRIND_GET_VBITS(p, bits, len);
    for (size_t i = 0; i < len; i++)
        if (bits[i])
            return 1;
    return 0;
#else
    (void)p, (void)len;
    return 0;
#endif
}

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
