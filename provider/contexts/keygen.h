/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Key generation contexts of all families. A family that adds to it puts a struct oct_keygen first into a struct of its
 * own. Whatever a family does not make by itself is OpenSSL's own, in the private context.
 */
#ifndef OCT_PROVIDER_KEYGEN_H
#define OCT_PROVIDER_KEYGEN_H

#include <openssl/core_dispatch.h>
#include <openssl/evp.h>

struct oct_prov;

struct oct_keygen {
    struct oct_prov *prov;
    int family;       /* enum oct_prov_family_id */
    const char *name; /* of OpenSSL's own key management; NULL: the family's */
    int selection;
    EVP_PKEY_CTX *ctx; /* of the private context, initialised; NULL: not needed yet */
};

/* A context of `size` bytes, zeros but for the above; NULL with an error raised. */
void *oct_keygen_new(struct oct_prov *prov, int family, size_t size, int selection);

OSSL_FUNC_keymgmt_gen_cleanup_fn oct_keygen_cleanup;

/* The context of OpenSSL's own, for a pair, or for parameters if no pair was selected; made if need be, and borrowed.
 * NULL, perhaps with an error raised. */
EVP_PKEY_CTX *oct_keygen_fallback(struct oct_keygen *gen);

/* Hands parameters to it; an empty list needs none. */
int oct_keygen_set_fallback(struct oct_keygen *gen, const OSSL_PARAM params[]);

/* A key of OpenSSL's own; NULL with an error raised. */
EVP_PKEY *oct_keygen_generate_fallback(struct oct_keygen *gen);

#endif
