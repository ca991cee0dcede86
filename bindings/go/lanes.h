/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the Go code calls: liboctuple.so.0, looked up at run time, with batches in flat buffers. */
#ifndef OCTUPLE_GO_LANES_H
#define OCTUPLE_GO_LANES_H

#include "api.h"

/* Looks the library up: 1 if it is there with all functions. Called once, before anything else. */
int octuple_load(void);

int octuple_is_on(int op);

/*
 * Keys; NULL if these bytes are none that lanes serve. RSA: n of `modulus` bytes; then p, q, dp, dq, qinv of half as
 * many each; then e of 8.
 */
struct oct_rsa_key *octuple_rsa_key(const uint8_t *numbers, size_t modulus);
struct oct_ed25519_key *octuple_ed25519_key(const uint8_t *seed, const uint8_t *public_key);
void octuple_rsa_key_free(struct oct_rsa_key *key);
void octuple_ed25519_key_free(struct oct_ed25519_key *key);

/* Makes an RSA key with e = 65537: n and d of `modulus` bytes each, then p and q of half as many. 1 if it is made; 0
 * also where the library is too old to make any. */
int octuple_rsa_generate(uint8_t *numbers, size_t modulus);

/*
 * Runs 1 to 8 operations. Lane i reads in_len[i] bytes of `in`, behind those of the lanes before, and writes out_len
 * bytes at out + i * out_len:
 *
 *   RSA, private     key[i]; the number
 *   ECDSA            private key, digest
 *   Ed25519          key[i]; the message
 *   verifications    public key, signature, then digest or message; nothing is written
 *
 * All pointers but key[] may be Go's; nothing is kept. Returns a bit for each lane that is ok; 0 if nothing was run.
 */
unsigned octuple_run(int op, unsigned lanes, void *const key[], const uint8_t *in, const size_t in_len[], uint8_t *out,
                     size_t out_len);

#endif
