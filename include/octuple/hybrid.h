/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Hybrid key exchange of TLS 1.3 (draft-ietf-tls-ecdhe-mlkem, draft-yang-tls-hybrid-sm2-mlkem): ML-KEM and an elliptic
 * curve in one, up to eight at a time. A lane is all that one side has to do when the other side's share has come: on a
 * server encapsulation and the curve's derivation, on a client decapsulation and the derivation.
 *
 * Shares and secrets are bytes in the order of TLS: ML-KEM first in X25519MLKEM768, the curve first in the others, its
 * point as 04 x y. Private keys, decapsulation keys and secrets are secret: neither the time nor the addresses touched
 * depend on them. Shares are public.
 */
#ifndef OCTUPLE_HYBRID_H
#define OCTUPLE_HYBRID_H

#include <octuple/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Groups; the values are stable. */
enum oct_hybrid_group {
    OCT_HYBRID_X25519MLKEM768 = 0,
    OCT_HYBRID_SECP256R1MLKEM768 = 1,
    OCT_HYBRID_SECP384R1MLKEM1024 = 2,
    OCT_HYBRID_CURVESM2MLKEM768 = 3,
    OCT_HYBRID_GROUPS = 4
};

#define OCT_HYBRID_MAX_SHARE  1665
#define OCT_HYBRID_MAX_SECRET 80

/* Bytes of a client's share (1216, 1249, 1665, 1249), of a server's (1120, 1153, 1665, 1153), and of the shared
 * secret (64, 64, 80, 64); 0 for a number that is no group. For programs that allocate by group. */
OCT_API size_t oct_hybrid_share_bytes(int group);
OCT_API size_t oct_hybrid_reply_bytes(int group);
OCT_API size_t oct_hybrid_secret_bytes(int group);

/* The curve's key pair is ephemeral and the caller's: of 32 and 32 bytes (X25519), or of 32 and 64 or, on P-384, 48
 * and 96 (the point without its 04). No output may overlap anything else of the call. */
struct oct_hybrid_server_lane {
    const uint8_t *share;       /* the client's */
    const uint8_t *private_key; /* of the curve */
    const uint8_t *public_key;
    uint8_t *reply; /* the server's share */
    uint8_t *secret;
};

struct oct_hybrid_client_lane {
    const uint8_t *dk;          /* made by oct_mlkem_keygen_x8() */
    const uint8_t *private_key; /* of the curve */
    const uint8_t *reply;       /* the server's share, exactly oct_hybrid_reply_bytes() */
    uint8_t *secret;
};

/*
 * Runs 1 to 8 lanes of one group. Returns OCT_OK when they were run: look at *result. Errors, with outputs untouched or
 * zero: those of oct_mlkem_encaps_x8() and of the curve's derivation.
 *
 * A lane is invalid, and its outputs are zero, if the ML-KEM key has a number that is not below q, if the point is none
 * of its curve, or if X25519's secret is zero. A ciphertext is never invalid (implicit rejection).
 */
OCT_API OCT_MUST_USE int oct_hybrid_server_x8(int group, const struct oct_hybrid_server_lane lane[], unsigned lanes,
                                              struct oct_lanes *result);
OCT_API OCT_MUST_USE int oct_hybrid_client_x8(int group, const struct oct_hybrid_client_lane lane[], unsigned lanes,
                                              struct oct_lanes *result);

/* The operations (enum oct_op) of a group; -1 for a number that is none. For programs that ask before they choose a
 * group whether it is on (oct_op_is_on()), or count by operation. */
OCT_API int oct_hybrid_server_op(int group);
OCT_API int oct_hybrid_client_op(int group);

#ifdef __cplusplus
}
#endif
#endif
