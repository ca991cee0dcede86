/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ECDSA signatures, good ones and every way to be a bad one. Among them what only somebody who chooses his numbers
 * meets: sums of equal and of opposite points, digests of zero, an x of the sum that is not below n, and one that would
 * be right if r were taken modulo p.
 */
#ifndef OCT_TESTS_ECDSA_SAMPLES_H
#define OCT_TESTS_ECDSA_SAMPLES_H

#include "ec_ref.h"

enum ecdsa_kind {
    GOOD,
    GOOD_NEGATED_S,
    GOOD_ZERO_DIGEST,
    GOOD_DIGEST_N,
    GOOD_ONES_DIGEST,
    GOOD_DOUBLING,
    GOOD_WRAPPED,
    GOOD_KEY_G,
    FIRST_BAD,
    BAD_DIGEST = FIRST_BAD,
    BAD_R,
    BAD_S,
    BAD_NEGATED_R,
    BAD_SWAPPED,
    BAD_OPPOSITE,
    BAD_ALMOST_WRAPPED,
    BAD_UNREDUCED,
    BAD_R_PLUS_N,
    BAD_S_PLUS_N,
    ZERO_R,
    ZERO_S,
    ZERO_BOTH,
    N_R,
    N_S,
    N_BOTH,
    N1_R,
    N1_S,
    ONES_R,
    ONES_S,
    ONES_BOTH,
    OTHER_KEY,
    NEGATED_KEY,
    FIRST_BAD_KEY, /* from here on libcrypto does not take the key */
    KEY_PLUS_P = FIRST_BAD_KEY,
    KEY_OTHER_CURVE, /* the signature is good, but for the key */
    FIRST_REF_KEY,   /* the kinds of ec_ref_peer(), from 6 on */
    ECDSA_KINDS = FIRST_REF_KEY + EC_REF_PEERS - 6
};

struct ecdsa_sample {
    uint8_t key[2 * OCT_EC_MAX_BYTES], digest[OCT_EC_MAX_DIGEST], signature[2 * OCT_EC_MAX_BYTES];
    size_t len; /* of the digest */
    int good;
};

/* Makes one of a kind, of new random numbers. `len` is the digest's length, where the kind does not want one of its
 * own. */
void ecdsa_sample_make(const struct ec_ref *ref, struct ecdsa_sample *sample, enum ecdsa_kind kind, size_t len);

#endif
