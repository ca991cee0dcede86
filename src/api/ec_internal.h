/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The calls of octuple/ec.h on a given table and with a given source of nonces: for src/api and for tests. */
#ifndef OCT_API_EC_INTERNAL_H
#define OCT_API_EC_INTERNAL_H

#include "ops/ops.h"

#include <octuple/ec.h>
#include <stdbool.h>

#define OCT_EC_MAX_LIMBS   8
#define OCT_EC_NONCE_BYTES 64

/* One batch in its workspace: numbers in lanes; lanes without an operation repeat operation 0. */
struct oct_ec_batch {
    const struct oct_ops *ops;
    int curve;
    unsigned lanes, limbs;
    size_t bytes;
    struct oct_workspace *workspace;
    oct_limb8 *number[5]; /* [OCT_EC_NONCE_LIMBS] each: inputs and outputs, as the operation likes */
    void *kernel;         /* the kernel's own workspace */
};

/* Opens the workspace, for a kernel that wants `kernel` bytes; and closes it, with all that is secret cleared. */
int oct_ec_batch_open(struct oct_ec_batch *b, size_t kernel);
void oct_ec_batch_close(struct oct_ec_batch *b);

/* The big-endian bytes (at most 64) into lane i of x, and with i = 0 into all that have no operation. */
void oct_ec_batch_read(const struct oct_ec_batch *b, oct_limb8 *x, unsigned i, const uint8_t *bytes, size_t len);
/* Lane i of x into the curve's number of bytes. */
void oct_ec_batch_write(const struct oct_ec_batch *b, uint8_t *bytes, const oct_limb8 *x, unsigned i);

/* Digests of any length are cut by ECDSA; the e of SM2 is one number. */
OCT_INLINE bool oct_ecdsa_digest_is_good(unsigned curve, size_t len)
{
    return curve == OCT_EC_SM2 ? len == oct_ec_shape(curve).bytes : len >= 1 && len <= OCT_EC_MAX_DIGEST;
}

int oct_ec_derive_on(const struct oct_ops *ops, int curve, const struct oct_ec_derive_lane lane[], unsigned lanes,
                     struct oct_lanes *result);
int oct_ec_public_on(const struct oct_ops *ops, int curve, const struct oct_ec_public_lane lane[], unsigned lanes,
                     struct oct_lanes *result);
int oct_ec_keygen_on(const struct oct_ops *ops, int curve, const struct oct_ec_keygen_lane lane[], unsigned lanes,
                     struct oct_lanes *result);

/* `lanes` nonces, each a number of 512 bits, big-endian; 0 or an error. */
typedef int oct_ecdsa_nonce_fn(const struct oct_ops *ops, uint8_t nonce[OCT_LANES][OCT_EC_NONCE_BYTES], int curve,
                               const struct oct_ecdsa_sign_lane lane[], unsigned lanes);

/* What oct_ecdsa_sign_x8() uses: fresh randomness, then oct_ecdsa_hedge(). */
oct_ecdsa_nonce_fn oct_ecdsa_nonces;

/* The nonces of signatures from their private keys, digests and 32 bytes of randomness each, hashed together. 0, or
 * OCT_ERR_MEMORY. What the hashing leaves in frames is the caller's to scrub. */
int oct_ecdsa_hedge(const struct oct_ops *ops, uint8_t nonce[OCT_LANES][OCT_EC_NONCE_BYTES], int curve,
                    const struct oct_ecdsa_sign_lane lane[], uint8_t random[OCT_LANES][32], unsigned lanes);

int oct_ecdsa_sign_on(const struct oct_ops *ops, int curve, const struct oct_ecdsa_sign_lane lane[], unsigned lanes,
                      oct_ecdsa_nonce_fn *nonces, struct oct_lanes *result);

int oct_ecdsa_verify_on(const struct oct_ops *ops, int curve, const struct oct_ecdsa_verify_lane lane[], unsigned lanes,
                        struct oct_lanes *result);

#endif
