/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What a thread keeps of libcrypto's answers (fetched.c), and what an answer depends on. */
#ifndef OCT_SHIM_FETCHED_H
#define OCT_SHIM_FETCHED_H

#include "libssl/resolve.h"

#include <stdbool.h>
#include <stdint.h>

#define OCT_QUESTION_TEXT 24

struct oct_question {
    uint64_t epoch;       /* 0: none is kept here */
    const void *provider; /* of a key */
    char name[OCT_QUESTION_TEXT], kind[OCT_QUESTION_TEXT], properties[OCT_QUESTION_TEXT];
};

/* False if no answer to it can be kept. */
bool oct_question_ask(struct oct_question *q, const OSSL_LIB_CTX *library, const char *name, const char *kind,
                      const char *properties);
bool oct_question_is_same(const struct oct_question *a, const struct oct_question *b);

#endif
