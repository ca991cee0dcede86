/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * X25519 (RFC 7748), up to eight at a time: the shared secret with a peer's public key, and the public key of a scalar.
 *
 * Everything is 32 bytes, little-endian as the RFC has it. Scalars are clamped here: any 32 bytes are one. The top bit
 * of a public key is ignored and values of 2^255-19 and more are reduced. The scalar and the shared secret are secret:
 * neither the time nor the addresses touched depend on them, nor on the peer's key.
 */
#ifndef OCTUPLE_X25519_H
#define OCTUPLE_X25519_H

#include <octuple/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OCT_X25519_BYTES 32

/* One lane of a batch; each pointer to 32 bytes. `out` may be `scalar` or `peer` of its own lane, otherwise no output
 * may overlap anything else of the call. */
struct oct_x25519_lane {
    const uint8_t *scalar; /* secret */
    const uint8_t *peer;   /* the peer's public key; not read, and may be NULL, when a public key is made */
    uint8_t *out;
};

/*
 * out = X25519(scalar, peer) in each of `lanes` (1 to 8) lanes. A peer whose point has small order gives zero, whoever
 * has which scalar (RFC 7748, 6.1): its lane is invalid, and its output zero. Returns OCT_OK when the lanes were run:
 * look at *result. Errors, with nothing written: OCT_ERR_ARGUMENT, OCT_ERR_UNSUPPORTED (no table on this CPU, or the
 * operation is off), OCT_ERR_MEMORY (workspace).
 */
OCT_API OCT_MUST_USE int oct_x25519_derive_x8(const struct oct_x25519_lane lane[], unsigned lanes,
                                              struct oct_lanes *result);

/* out = X25519(scalar, 9), the public key, in each lane; none is ever invalid. Errors as above. */
OCT_API OCT_MUST_USE int oct_x25519_public_x8(const struct oct_x25519_lane lane[], unsigned lanes,
                                              struct oct_lanes *result);

#ifdef __cplusplus
}
#endif
#endif
