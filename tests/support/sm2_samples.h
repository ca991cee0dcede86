/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Signatures of SM2, good ones and others, at the numbers where implementations break. */
#ifndef OCT_TESTS_SM2_SAMPLES_H
#define OCT_TESTS_SM2_SAMPLES_H

#include "ecdsa_samples.h"

enum sm2_kind {
    SM2_GOOD,
    SM2_GOOD_ZERO_E, /* the digest is 0, n, or all ones */
    SM2_GOOD_N_E,
    SM2_GOOD_ONES_E,
    SM2_GOOD_DOUBLED,   /* s*G and t*P are one point */
    SM2_GOOD_X_ABOVE_N, /* x of the sum is n or more */
    SM2_FIRST_BAD,
    SM2_INFINITY = SM2_FIRST_BAD, /* s*G and t*P are opposite points */
    SM2_ZERO_T,                   /* r + s is n */
    SM2_ZERO_R,
    SM2_ZERO_S,
    SM2_ZERO_BOTH,
    SM2_N_R,
    SM2_N_S,
    SM2_N1_R,
    SM2_N1_S,
    SM2_ONES_BOTH,
    SM2_BAD_E,
    SM2_BAD_R,
    SM2_BAD_S,
    SM2_SWAPPED,
    SM2_OTHER_KEY,
    SM2_NEGATED_KEY,
    SM2_FIRST_BAD_KEY, /* from here on libcrypto does not take the key */
    SM2_KEY_PLUS_P = SM2_FIRST_BAD_KEY,
    SM2_FIRST_REF_KEY, /* the kinds of ec_ref_peer(), from 6 on */
    SM2_KINDS = SM2_FIRST_REF_KEY + EC_REF_PEERS - 6
};

/* Makes one of a kind, of new random numbers; `good` says whether it has to be accepted. */
void sm2_sample_make(const struct ec_ref *ref, struct ecdsa_sample *sample, enum sm2_kind kind);

#endif
