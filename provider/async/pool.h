/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Ephemeral key pairs, made eight at a time ahead of need. They depend on no peer, so nobody has to wait: eight in
 * lanes cost less than two on OpenSSL's own code.
 *
 * Each thread has its own eight of a kind at the most. A pair is handed out once and cleared where it lay. The memory
 * is left out of core dumps and found empty by the child of a fork; on a kernel that cannot promise that there is no
 * pool.
 */
#ifndef OCT_PROVIDER_POOL_H
#define OCT_PROVIDER_POOL_H

#include <octuple/octuple.h>

struct oct_prov;

#define OCT_PROV_POOL(name) OCT_POOL_##name,
enum oct_pool_id {
#include "provider/core/families.def"
    OCT_POOLS
};

/* What pairs of a kind are; a constant object of its family. */
struct oct_pool_kind {
    enum oct_pool_id id;
    int op;                              /* enum oct_op, of the operation that makes them */
    size_t private_size, public_size;    /* at most OCT_EC_MAX_BYTES, and twice that */
    void (*clamp)(uint8_t *private_key); /* brings random bytes into the form of a private key; NULL: they are one */
    void (*fill)(struct oct_job *job, const uint8_t *private_key, uint8_t *public_key);
};

#define OCT_PROV_POOL(name) extern const struct oct_pool_kind oct_pool_##name;
#include "provider/core/families.def"

/* A pair that nobody has had, in the form of the family's C API; 0 if there is none to be had here: switched off, no
 * table, no memory. No error is raised. */
int oct_pool_take(struct oct_prov *prov, const struct oct_pool_kind *kind, uint8_t *public_key, uint8_t *private_key);

/* Clears what the calling thread has left. */
void oct_pool_clear(void);

#endif
