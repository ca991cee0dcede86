/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* One key derivation of TLS by one provider, from fetching it to freeing its context, as libssl has it. */
#ifndef OCT_BENCH_EVP_DERIVE_H
#define OCT_BENCH_EVP_DERIVE_H

#include <openssl/kdf.h>
#include <openssl/params.h>
#include <stddef.h>
#include <stdint.h>

enum derive_shape {
    DERIVE_SECRET,  /* TLS 1.3: a traffic secret from a secret and the hash of the messages */
    DERIVE_KEY,     /* TLS 1.3: a key of sixteen bytes from a traffic secret */
    DERIVE_EXTRACT, /* TLS 1.3: the next secret from the one before and the shared one */
    DERIVE_MASTER,  /* TLS 1.2: the master secret */
    DERIVE_BLOCK,   /* TLS 1.2: the keys of an AES-GCM suite */
    DERIVE_SHAPES
};
extern const char *const derive_shape_name[DERIVE_SHAPES];

#define DERIVE_COUNT 8 /* derivations in a unit of work */

struct derive {
    OSSL_LIB_CTX *libctx;
    enum derive_shape shape;
    int mode;
    size_t len;
    OSSL_PARAM params[10];
    uint8_t out[64];
};

/* A derivation as `libctx` serves it to those who ask for nothing special. *d stays where it is. */
void derive_init(struct derive *d, OSSL_LIB_CTX *libctx, enum derive_shape shape, const char *digest,
                 size_t digest_size);

/* OpenSSL's name for the algorithm. */
const char *derive_algorithm(enum derive_shape shape);

/* For struct unit: what is timed, and the comparison. */
int derive_run(void *d);
int derive_same(const void *a, const void *b);

#endif
