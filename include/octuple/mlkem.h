/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-KEM (FIPS 203) with the parameter sets 768 and 1024, up to eight operations at a time, each with a key of its own.
 *
 * Keys and ciphertexts are bytes as FIPS 203 encodes them. Seeds, messages, decapsulation keys and shared secrets are
 * secret: neither the time nor the addresses touched depend on them. Encapsulation keys and ciphertexts are public.
 */
#ifndef OCTUPLE_MLKEM_H
#define OCTUPLE_MLKEM_H

#include <octuple/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Parameter sets; the values are stable. */
enum oct_mlkem_set { OCT_MLKEM_768 = 0, OCT_MLKEM_1024 = 1, OCT_MLKEM_SETS = 2 };

#define OCT_MLKEM_SECRET_BYTES  32
#define OCT_MLKEM_MESSAGE_BYTES 32
#define OCT_MLKEM_KEYGEN_BYTES  64 /* the seeds d and z, one behind the other */

/* Bytes of an encapsulation key (1184, 1568), a decapsulation key (2400, 3168) and a ciphertext (1088, 1568); 0 for a
 * number that is no set. */
OCT_API size_t oct_mlkem_ek_bytes(int set);
OCT_API size_t oct_mlkem_dk_bytes(int set);
OCT_API size_t oct_mlkem_ct_bytes(int set);

/* No output may overlap anything else of the call. */
struct oct_mlkem_keygen_lane {
    const uint8_t *seed; /* OCT_MLKEM_KEYGEN_BYTES; secret. NULL: drawn from the kernel, for all such lanes at once */
    uint8_t *ek;         /* oct_mlkem_ek_bytes() */
    uint8_t *dk;         /* oct_mlkem_dk_bytes(); secret. The caller wipes it after use */
};

struct oct_mlkem_encaps_lane {
    const uint8_t *ek;
    const uint8_t *message; /* OCT_MLKEM_MESSAGE_BYTES; secret. NULL: drawn, as above; others are for tests */
    uint8_t *ct;            /* oct_mlkem_ct_bytes() */
    uint8_t *secret;        /* OCT_MLKEM_SECRET_BYTES */
};

struct oct_mlkem_decaps_lane {
    const uint8_t *dk; /* made by oct_mlkem_keygen_x8(), or found good by oct_mlkem_dk_check() */
    const uint8_t *ct; /* exactly oct_mlkem_ct_bytes(): another length is the caller's to refuse */
    uint8_t *secret;
};

/*
 * Runs 1 to 8 lanes of one set. Returns OCT_OK when they were run: look at *result. Errors, with nothing written:
 * OCT_ERR_ARGUMENT, OCT_ERR_UNSUPPORTED (no table on this CPU, the operation is off, or the kernel has no randomness),
 * OCT_ERR_MEMORY (workspace).
 *
 * A key pair is never invalid. An encapsulation key with a number that is not below q is (FIPS 203, 7.2): its lane is
 * invalid and its outputs are zero. A ciphertext never is: one that is not good gives a secret of its own (implicit
 * rejection, 6.3), and nobody learns which it was.
 */
OCT_API OCT_MUST_USE int oct_mlkem_keygen_x8(int set, const struct oct_mlkem_keygen_lane lane[], unsigned lanes,
                                             struct oct_lanes *result);
OCT_API OCT_MUST_USE int oct_mlkem_encaps_x8(int set, const struct oct_mlkem_encaps_lane lane[], unsigned lanes,
                                             struct oct_lanes *result);
OCT_API OCT_MUST_USE int oct_mlkem_decaps_x8(int set, const struct oct_mlkem_decaps_lane lane[], unsigned lanes,
                                             struct oct_lanes *result);

/*
 * One operation wherever the program runs: on the table that serves the set, else on portable code. For programs that
 * must speak ML-KEM on every CPU; portable code is slow (the same constant-time kernels, a lane of eight used). Returns
 * OCT_OK, OCT_ERR_RANGE (an encapsulation key that is invalid), or errors as above.
 */
OCT_API OCT_MUST_USE int oct_mlkem_keygen_anywhere(int set, const struct oct_mlkem_keygen_lane *lane);
OCT_API OCT_MUST_USE int oct_mlkem_encaps_anywhere(int set, const struct oct_mlkem_encaps_lane *lane);
OCT_API OCT_MUST_USE int oct_mlkem_decaps_anywhere(int set, const struct oct_mlkem_decaps_lane *lane);

/* 1 if every number of an encapsulation key is below q (FIPS 203, 7.2), else 0. Public: its time depends on the key. */
OCT_API int oct_mlkem_ek_is_valid_var(int set, const uint8_t *ek);

/* OCT_OK if the hash in a decapsulation key from elsewhere is that of its encapsulation key (FIPS 203, 7.3),
 * OCT_ERR_RANGE if not; errors as above. For programs that read such keys from files. */
OCT_API OCT_MUST_USE int oct_mlkem_dk_check(int set, const uint8_t *dk);

/* The operations (enum oct_op) of a set; -1 for a number that is none. */
OCT_API int oct_mlkem_keygen_op(int set);
OCT_API int oct_mlkem_encaps_op(int set);
OCT_API int oct_mlkem_decaps_op(int set);

#ifdef __cplusplus
}
#endif
#endif
