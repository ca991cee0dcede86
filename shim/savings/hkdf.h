/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* HKDF for programs that speak QUIC (hkdf.c): what each thread keeps for it. */
#ifndef OCT_SHIM_HKDF_H
#define OCT_SHIM_HKDF_H

#include "savings/fetched.h"

#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <stdatomic.h>

/* More than a secret of SHA-512, and than a label of TLS 1.3 with such a context. */
#define OCT_HKDF_ROOM 96

enum oct_hkdf_field { OCT_HKDF_KEY, OCT_HKDF_SALT, OCT_HKDF_INFO, OCT_HKDF_FIELDS };

struct oct_hkdf {
    struct oct_question question;
    EVP_PKEY_CTX *ctx;              /* it has begun, and nothing has been set in it; NULL: there is none */
    EVP_KDF_CTX *kdf;               /* what derives in its place, and keeps nothing */
    _Atomic(EVP_PKEY_CTX *) handed; /* ctx, while the program has it */
    bool begun;                     /* by the program */
    struct oct_hkdf_set {
        bool has_mode;
        int mode;
        const EVP_MD *digest; /* NULL: not set, as are fields without a length */
        size_t len[OCT_HKDF_FIELDS];
        unsigned char field[OCT_HKDF_FIELDS][OCT_HKDF_ROOM];
    } set; /* by the program */
};

/* fetched.c: the calling thread's; NULL if there is none. */
struct oct_hkdf *oct_hkdf_here(void);
/* fetched.c: of any thread, whose context this is; NULL: it is none of them. */
struct oct_hkdf *oct_hkdf_of(const EVP_PKEY_CTX *ctx);

/* The thread ends. What the program has still stays until it frees it. */
void oct_hkdf_drop(struct oct_hkdf *hkdf);

/* In a program whose handshakes of QUIC are served. */
void oct_hkdf_setup(const void *program);

#endif
