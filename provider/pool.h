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

enum oct_pool_kind { OCT_POOL_X25519 = 0, OCT_POOL_P256 = 1, OCT_POOL_P384 = 2, OCT_POOL_KINDS = 3 };

/* The kind of a curve (enum oct_ec_curve). */
enum oct_pool_kind oct_pool_of_curve(int curve);

/* A pair that nobody has had, in the form of the family's C API; 0 if there is none to be had here: switched off, no
 * table, no memory. No error is raised. */
int oct_pool_take(struct oct_prov *prov, enum oct_pool_kind kind, uint8_t *public_key, uint8_t *private_key);

/* Clears what the calling thread has left. */
void oct_pool_clear(void);

#endif
