/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What the key objects of all families have in common: references, and which parts there are. A family puts a struct
 * oct_prov_key first into a struct of its own; functions that take a key as void * take any family's.
 */
#ifndef OCT_PROVIDER_KEY_H
#define OCT_PROVIDER_KEY_H

#include <openssl/core_dispatch.h>
#include <openssl/evp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct oct_prov;

struct oct_prov_key {
    _Atomic unsigned references;
    struct oct_prov *prov;
    void (*destroy)(void *key); /* after the last reference: frees the object and what it holds */
    int has_public, has_private;
};

/* An object of `size` bytes, zeros but for the above, with one reference; NULL with an error raised. */
void *oct_prov_key_new(struct oct_prov *prov, size_t size, void (*destroy)(void *key));

/* One more reference, one less; key may be NULL. */
void oct_prov_key_up_ref(void *key);
OSSL_FUNC_keymgmt_free_fn oct_prov_key_free;

/* Puts a reference to a key (NULL: none) in the place of another. */
void oct_prov_key_replace(void **place, void *key);

/* 1 if nobody else has a reference: only then may an object change as a whole. */
bool oct_prov_key_is_unshared(const struct oct_prov_key *key);

/* Takes over the object that a reference from a decoder or store of this provider holds. */
OSSL_FUNC_keymgmt_load_fn oct_prov_key_load;

/* 1 if it has the public and the private part, as far as they are asked for. */
OSSL_FUNC_keymgmt_has_fn oct_prov_key_has;

/* A duplicate of a key whose numbers never change, and stand in `fallback` (NULL: it is empty): one more reference if
 * the whole is selected, else an object by `make` with what is selected, which `import` gives it (its last argument is
 * the object). NULL with an error raised. */
void *oct_prov_key_dup(struct oct_prov_key *key, EVP_PKEY *fallback, int selection, OSSL_FUNC_keymgmt_new_fn *make,
                       OSSL_CALLBACK *import);

/* *memory, made if need be: `size` bytes for a private key, in OpenSSL's secure heap if the application has one. NULL
 * with an error raised. */
uint8_t *oct_prov_key_private(struct oct_prov *prov, uint8_t **memory, size_t size);

#endif
