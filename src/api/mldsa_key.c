/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-DSA keys: expanded once, then only read. */
#include "api/mldsa_internal.h"
#include "base/guarded.h"

#include <octuple/op.h>

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct oct_mldsa_secret) <= OCT_GUARDED_MAX, "a key's secrets are one piece");

int oct_mldsa_batch_open(struct oct_mldsa_batch *b, int set, size_t extra)
{
    b->set = set;
    b->ops = oct_mldsa_selected(NULL);
    if (!b->ops)
        return OCT_ERR_UNSUPPORTED;
    const size_t own = *b->ops->set[set].workspace, hash = *b->ops->shake256_workspace;
    const size_t kernel = own > hash ? own : hash;
    b->workspace = oct_workspace_open(kernel + extra + 64);
    if (!b->workspace)
        return OCT_ERR_MEMORY;
    b->kernel = oct_workspace_take(b->workspace, kernel);
    return OCT_OK;
}

void oct_mldsa_batch_close(struct oct_mldsa_batch *b)
{
    oct_workspace_close(b->workspace);
    oct_scrub_stack();
}

static size_t key_bytes(int set)
{
    const size_t size = sizeof(struct oct_mldsa_key) + oct_mldsa_size[set].matrix * sizeof(int32_t);
    return (size + 63) / 64 * 64;
}

/* tr, of the public key. */
static void hash_public(const struct oct_mldsa_batch *b, struct oct_mldsa_key *key)
{
    const struct oct_shake256_args args = {.workspace = b->kernel,
                                           .lanes = 1,
                                           .body = {key->pk},
                                           .body_len = {oct_mldsa_size[b->set].pk},
                                           .out = {key->tr}};
    b->ops->shake256(&args);
}

/* Fills in a key whose pk is there, or is made of `sk`. */
static int expand(struct oct_mldsa_key *key, int set, const uint8_t *sk)
{
    struct oct_mldsa_batch b;
    const int status = oct_mldsa_batch_open(&b, set, 0);
    if (status != OCT_OK)
        return status;
    const struct oct_mldsa_expand_args args = {.workspace = b.kernel,
                                               .sk = sk,
                                               .pk = key->pk,
                                               .matrix = key->matrix,
                                               .t1 = key->t1,
                                               .secrets = sk ? key->secret->numbers : NULL};
    const unsigned bad = b.ops->set[set].expand(&args);
    hash_public(&b, key);
    oct_mldsa_batch_close(&b);
    return bad ? OCT_ERR_RANGE : OCT_OK;
}

/* A key without contents; NULL without memory. */
static struct oct_mldsa_key *key_alloc(int set, bool is_private)
{
    struct oct_mldsa_key *key = aligned_alloc(64, key_bytes(set));
    if (!key)
        return NULL;
    memset(key, 0, sizeof *key);
    key->set = set;
    key->secret = is_private ? oct_guarded_new(sizeof *key->secret) : NULL;
    if (is_private && !key->secret) {
        free(key);
        return NULL;
    }
    return key;
}

static int key_new(struct oct_mldsa_key **key, int set, const uint8_t *sk, const uint8_t *pk)
{
    struct oct_mldsa_key *made = key_alloc(set, sk != NULL);
    if (!made)
        return OCT_ERR_MEMORY;
    if (sk)
        memcpy(made->secret->seed, sk + OCT_MLDSA_SK_K_AT, sizeof made->secret->seed);
    else
        memcpy(made->pk, pk, oct_mldsa_size[set].pk);
    const int status = expand(made, set, sk);
    if (status == OCT_OK)
        *key = made;
    else
        oct_mldsa_key_free(made);
    return status;
}

int oct_mldsa_key_new_private(struct oct_mldsa_key **key, int set, const uint8_t *sk)
{
    if (!key || !oct_mldsa_is_set(set) || !sk)
        return OCT_ERR_ARGUMENT;
    return oct_op_is_on(oct_mldsa_sign_op(set)) ? key_new(key, set, sk, NULL) : OCT_ERR_UNSUPPORTED;
}

int oct_mldsa_key_new_public(struct oct_mldsa_key **key, int set, const uint8_t *pk)
{
    if (!key || !oct_mldsa_is_set(set) || !pk)
        return OCT_ERR_ARGUMENT;
    return oct_op_is_on(oct_mldsa_verify_op(set)) ? key_new(key, set, NULL, pk) : OCT_ERR_UNSUPPORTED;
}

void oct_mldsa_key_free(struct oct_mldsa_key *key)
{
    if (!key)
        return;
    oct_guarded_free(key->secret, sizeof *key->secret);
    free(key);
}

const uint8_t *oct_mldsa_key_public(const struct oct_mldsa_key *key)
{
    return key ? key->pk : NULL;
}
