/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What programs look at when something fails: the return value, and the library and reason of the error. Each case runs
 * in OpenSSL alone and with Octuple preferred, and says the same in both. */
#ifndef OCT_TESTS_PROVIDER_VERDICTS_H
#define OCT_TESTS_PROVIDER_VERDICTS_H

#include "common.h"

struct fixture {
    EVP_PKEY *rsa, *rsa_public, *ec, *ec_public, *ed25519, *ed25519_public, *x25519, *x25519_public;
};

struct verdict_case {
    const char *name;
    int (*run)(const struct fixture *f);
};
#define CASE(name)                                                                                                     \
    {                                                                                                                  \
#name, name                                                                                                    \
    }

/* Group setup and teardown: the keys of both sides. */
int open_fixture(void **state);
int close_fixture(void **state);

/* A context of the key's side, ready for an operation. */
EVP_PKEY_CTX *start(EVP_PKEY *key, int (*init)(EVP_PKEY_CTX *));

/* Signs that many zeros with room for len bytes, and frees the context. */
int sign_with(EVP_PKEY_CTX *ctx, size_t len, size_t tbs_len);

/* Fails the test if any case says something else on one side than on the other. */
void expect_same_verdicts(const struct verdict_case cases[], size_t count);

#endif
