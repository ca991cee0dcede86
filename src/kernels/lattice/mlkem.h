/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-KEM (FIPS 203) with the parameter sets 768 and 1024, eight operations at once, each with a key of its own:
 * arguments and entry points. Randomness is the caller's, and so are lengths: pointers are to exactly the bytes named
 * here, at any address.
 *
 * 1 to 8 lanes are used, the first `lanes` of each array. Inputs of the others are not looked at; their outputs are
 * set to zero where their pointers are not NULL. A key pair may not overlap anything; other outputs are written when
 * all inputs have been read. The workspace is 64-byte aligned and left dirty: the caller clears it.
 *
 * Everything that is made from d, z, m or a decapsulation key is secret, but for the encapsulation key inside of
 * these.
 */
#ifndef OCT_KERNELS_MLKEM_H
#define OCT_KERNELS_MLKEM_H

#include "base/base.h"

#define OCT_MLKEM_SEED_BYTES   32
#define OCT_MLKEM_SECRET_BYTES 32
#define OCT_MLKEM_EK_BYTES(k)  (384 * (size_t)(k) + 32)
#define OCT_MLKEM_DK_BYTES(k)  (768 * (size_t)(k) + 96)
#define OCT_MLKEM_CT_BYTES(k)  ((k) == 4 ? (size_t)1568 : 320 * (size_t)(k) + 128)
/* Numbers of an expanded matrix, which is public; its form is the kernels' own. */
#define OCT_MLKEM_MATRIX_NUMBERS(k) (256 * (size_t)(k) * (size_t)(k))
#define OCT_MLKEM_MAX_EK_BYTES      OCT_MLKEM_EK_BYTES(4)
#define OCT_MLKEM_MAX_DK_BYTES      OCT_MLKEM_DK_BYTES(4)
#define OCT_MLKEM_MAX_CT_BYTES      OCT_MLKEM_CT_BYTES(4)

struct oct_mlkem_keygen_args {
    void *workspace;
    unsigned lanes;
    const uint8_t *d[8], *z[8]; /* 32 bytes each; secret */
    uint8_t *ek[8], *dk[8];
    int16_t *matrix[8]; /* of all used lanes or of none (NULL): the key's matrix, for decapsulation; 64-byte aligned */
};
typedef void oct_mlkem_keygen_fn(const struct oct_mlkem_keygen_args *args);

/* Returns the lanes whose ek is not valid: a number in it is not below q. Their outputs are zero. */
struct oct_mlkem_encaps_args {
    void *workspace;
    unsigned lanes;
    const uint8_t *ek[8];
    const uint8_t *m[8]; /* 32 bytes; secret */
    uint8_t *ct[8], *secret[8];
};
typedef unsigned oct_mlkem_encaps_fn(const struct oct_mlkem_encaps_args *args);

/* With implicit rejection: a ciphertext that is not good gives a secret of its own, and nobody learns which it was. */
struct oct_mlkem_decaps_args {
    void *workspace;
    unsigned lanes;
    const uint8_t *dk[8]; /* secret, and checked before */
    const uint8_t *ct[8];
    uint8_t *secret[8];
    const int16_t *matrix[8]; /* of all used lanes or of none (NULL): what making the keys left there; saves half */
};
typedef void oct_mlkem_decaps_fn(const struct oct_mlkem_decaps_args *args);

/* Checks decapsulation keys from elsewhere: returns the lanes whose hash does not fit their encapsulation key. */
struct oct_mlkem_check_args {
    void *workspace;
    unsigned lanes;
    const uint8_t *dk[8];
};
typedef unsigned oct_mlkem_check_fn(const struct oct_mlkem_check_args *args);

#define OCT_MLKEM_DECLARE(backend, set)                                                                                \
    extern const size_t oct_##backend##_mlkem##set##_workspace;                                                        \
    oct_mlkem_keygen_fn oct_##backend##_mlkem##set##_keygen;                                                           \
    oct_mlkem_encaps_fn oct_##backend##_mlkem##set##_encaps;                                                           \
    oct_mlkem_decaps_fn oct_##backend##_mlkem##set##_decaps;                                                           \
    oct_mlkem_check_fn oct_##backend##_mlkem##set##_check;

OCT_MLKEM_DECLARE(avx512, 768)
OCT_MLKEM_DECLARE(avx2, 768)
OCT_MLKEM_DECLARE(avx512, 1024)
OCT_MLKEM_DECLARE(avx2, 1024)
OCT_MLKEM_DECLARE(c, 768)
OCT_MLKEM_DECLARE(c, 1024)
OCT_MLKEM_DECLARE(bound, 768)
OCT_MLKEM_DECLARE(bound, 1024)

#endif
