/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * OpenSSL's own implementation, for everything that does not run in lanes: a private library context with the default
 * provider and nothing else, so that nothing fetched in it can come back to this provider, whatever the application's
 * default properties say. It is made at the first key, not when the provider is loaded.
 */
#ifndef OCT_PROVIDER_FALLBACK_H
#define OCT_PROVIDER_FALLBACK_H

#include "family.h"

#include <openssl/evp.h>
#include <openssl/provider.h>

struct oct_prov;

struct oct_fallback {
    OSSL_LIB_CTX *ctx;
    OSSL_PROVIDER *default_provider;
    EVP_KEYMGMT *keymgmt[OCT_FAMILIES]; /* for the lists of parameters that this version of OpenSSL knows */
    void *part[OCT_FAMILIES];           /* what a family's open() has made */
    struct oct_fallback *left_before;   /* see oct_fallback_leave() */
};

/* All of the above, made if need be; NULL, with an error raised, if it cannot be made. No lock is held meanwhile,
 * because a child that another thread forks would find it held for ever: threads that race keep what the first one
 * stored. */
const struct oct_fallback *oct_fallback_get(struct oct_prov *prov);

void oct_fallback_free(struct oct_fallback *fallback);

/* For a child that ends: its parent's stays as it is, since to take it apart would copy all its pages. The module that
 * points to it stays as well, so that who looks for leaks finds it. fallback may be NULL. */
void oct_fallback_leave(struct oct_fallback *fallback);

/* The private library context; NULL as above. */
OSSL_LIB_CTX *oct_fallback_ctx(struct oct_prov *prov);

/* What the family (enum oct_prov_family_id) keeps there, borrowed; NULL as above, or without its key management. */
void *oct_fallback_part(struct oct_prov *prov, int family);

/* The default provider's key management there, and its lists of parameters; NULL as above, or if it has none. */
EVP_KEYMGMT *oct_fallback_keymgmt(struct oct_prov *prov, int family);
const OSSL_PARAM *oct_fallback_gettable(struct oct_prov *prov, int family);
const OSSL_PARAM *oct_fallback_settable(struct oct_prov *prov, int family);
const OSSL_PARAM *oct_fallback_gen_settable(struct oct_prov *prov, int family);

/* A context there for new keys of a family, or for a key; the caller's. NULL, perhaps with an error raised. */
EVP_PKEY_CTX *oct_fallback_new_ctx(struct oct_prov *prov, int family);
EVP_PKEY_CTX *oct_fallback_named_ctx(struct oct_prov *prov, const char *name); /* of a family with several types */
EVP_PKEY_CTX *oct_fallback_key_ctx(struct oct_prov *prov, EVP_PKEY *key);

/* A key there made of its parameters; the arguments are those of a key management's `import`. NULL with an error. */
EVP_PKEY *oct_fallback_import(struct oct_prov *prov, int family, int selection, const OSSL_PARAM params[]);
EVP_PKEY *oct_fallback_import_named(struct oct_prov *prov, const char *name, int selection, const OSSL_PARAM params[]);

/* Asks a key of that context for one parameter: 1, 0 if it has none, or -1 if that cannot be said, as without memory.
 */
int oct_fallback_ask(EVP_PKEY *key, OSSL_PARAM *asked);

/* The same key, or NULL, and then it is freed; key may be NULL. OpenSSL notes the size of a key as it makes one, and
 * takes 0 for good where it has no memory to ask for that. A key that is kept goes through here as soon as it is made.
 */
EVP_PKEY *oct_fallback_whole(EVP_PKEY *key);

/* Whether the parts of a key of that context that are selected are good, by OpenSSL's own checks; the arguments are
 * those of a key management's `validate`. 0 without a key. */
int oct_fallback_validate(struct oct_prov *prov, EVP_PKEY *key, int selection, int type);

#endif
