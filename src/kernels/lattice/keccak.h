/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SHA-3 and SHAKE (FIPS 202) of eight messages of one length: arguments and entry points. The workspace is
 * oct_*_keccak_workspace bytes, 64-byte aligned, and left dirty: the caller clears it. Lengths are public, messages
 * may be secret.
 */
#ifndef OCT_KERNELS_KECCAK_H
#define OCT_KERNELS_KECCAK_H

#include "base/base.h"

enum oct_keccak_function { OCT_SHA3_256, OCT_SHA3_512, OCT_SHAKE128, OCT_SHAKE256, OCT_KECCAK_FUNCTIONS };

struct oct_keccak_args {
    void *workspace;
    unsigned lanes; /* 1 to 8: the first ones are used; the pointers of the others are not looked at */
    const uint8_t *in[8];
    uint8_t *out[8];
    size_t in_len, out_len;
    enum oct_keccak_function function; /* SHA-3's out_len is that of its digest */
};
typedef void oct_keccak_fn(const struct oct_keccak_args *args);

#define OCT_KECCAK_DECLARE(backend)                                                                                    \
    extern const size_t oct_##backend##_keccak_workspace;                                                              \
    oct_keccak_fn oct_##backend##_keccak;

OCT_KECCAK_DECLARE(avx512)
OCT_KECCAK_DECLARE(avx2)
OCT_KECCAK_DECLARE(c)
OCT_KECCAK_DECLARE(bound)

#endif
