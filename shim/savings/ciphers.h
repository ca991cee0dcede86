/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The ciphers of programs that speak QUIC (ciphers.c): what each thread keeps of them. */
#ifndef OCT_SHIM_CIPHERS_H
#define OCT_SHIM_CIPHERS_H

#include <openssl/evp.h>
#include <stdint.h>

/* Two AEADs of AES and their counter modes, and ChaCha20 with and without Poly1305. */
#define OCT_CIPHERS 6

struct oct_ciphers {
    uint64_t epoch;                   /* base/epoch.h; 0: none is kept */
    EVP_CIPHER *fetched[OCT_CIPHERS]; /* NULL: not asked for yet */
};

/* fetched.c: the calling thread's; NULL if there are none. */
struct oct_ciphers *oct_ciphers_here(void);

/* The thread ends. */
void oct_ciphers_drop(struct oct_ciphers *ciphers);

/* In a program whose handshakes of QUIC are served. */
void oct_ciphers_setup(const void *program);

#endif
