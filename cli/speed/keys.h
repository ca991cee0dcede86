/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * RSA keys of one size for eight lanes, in both forms, made at run time and kept for the rest of the run. Lanes share
 * some of them.
 */
#ifndef OCT_CLI_SPEED_KEYS_H
#define OCT_CLI_SPEED_KEYS_H

#include <openssl/evp.h>
#include <stdbool.h>
#include "cli/core/cli.h"

struct speed_keys {
    unsigned bits;
    EVP_PKEY *pkey[OCT_LANES];
    struct oct_rsa_key *key[OCT_LANES];
};

/* The library context in which OpenSSL's side lives: the default provider and no configuration. NULL if it fails. */
OSSL_LIB_CTX *speed_libctx(void);

/* Whether it has keys of this name there. */
bool speed_openssl_has(const char *name);

/* NULL on failure, which was then told. The keys belong to the cache. */
const struct speed_keys *speed_keys_get(unsigned bits);

void speed_keys_forget(void);

#endif
