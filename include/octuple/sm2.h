/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM2 (GB/T 32918, ISO/IEC 14888-3) in lanes. Keys and key exchange are those of octuple/ec.h on OCT_EC_SM2, and so are
 * the signatures: oct_ecdsa_sign_x8() and oct_ecdsa_verify_x8() with that curve sign by GB/T 32918.2 what stands in
 * their lanes as the digest, which is the number e. This file makes e of messages.
 */
#ifndef OCTUPLE_SM2_H
#define OCTUPLE_SM2_H

#include <octuple/ec.h>
#include <octuple/sm3.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OCT_SM2_MAX_ID 8191
/* The distinguishing identifier where parties agreed on no other (GM/T 0009). */
#define OCT_SM2_DEFAULT_ID "1234567812345678"

struct oct_sm2_digest_lane {
    const uint8_t *id;         /* the signer's distinguishing identifier; may be NULL if id_len is 0 */
    size_t id_len;             /* at most OCT_SM2_MAX_ID */
    const uint8_t *public_key; /* the signer's, x and y one after the other; not checked here */
    const uint8_t *message;    /* may be NULL if len is 0 */
    size_t len;                /* below 2^61 - 96 */
    uint8_t *digest;           /* OCT_SM3_BYTES; overlaps no input of the call, and no other digest */
};

/* digest = e = SM3(Z || message), Z = SM3(bits of the id || id || a || b || G || public key), of 1 to 8 messages, for
 * programs that sign or verify by SM2 without OpenSSL.
 * Errors, with nothing written: OCT_ERR_ARGUMENT, OCT_ERR_LENGTH, OCT_ERR_UNSUPPORTED, OCT_ERR_MEMORY. */
OCT_API OCT_MUST_USE int oct_sm2_digest_x8(const struct oct_sm2_digest_lane lane[], unsigned lanes);

#ifdef __cplusplus
}
#endif
#endif
