/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Ephemeral key pairs, made eight at a time ahead of need. They depend on no peer, so nobody has to wait: eight in
 * lanes cost less than two on OpenSSL's own code.
 *
 * Each thread has its own eight of a kind at the most. A pair is handed out once and cleared where it lay. The memory
 * is left out of core dumps and found empty by the child of a fork; on a kernel that cannot promise that there is no
 * pool. Private, as api/verdict.h is.
 */
#ifndef OCT_BATCH_POOL_H
#define OCT_BATCH_POOL_H

#include <octuple/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Random bytes for private keys, of whom the pairs are for. False if there are none. */
typedef bool oct_pool_draw(void *arg, uint8_t *bytes, size_t size);

/* A pair that nobody has had, of the operation that makes such pairs (enum oct_op: key generation with X25519, P-256,
 * P-384 or SM2), in the form of its C API; a private key of X25519 has its fixed bits set. False if there is none to be
 * had here: no table, no memory, no random bytes. */
OCT_API bool oct_pool_take(int op, oct_pool_draw *draw, void *arg, uint8_t *public_key, uint8_t *private_key);

/* Clears what the calling thread has left. */
OCT_API void oct_pool_clear(void);

#endif
