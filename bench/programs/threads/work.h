/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* One private operation of one provider through EVP, as a thread that serves a connection calls it. */
#ifndef OCT_BENCH_THREADS_WORK_H
#define OCT_BENCH_THREADS_WORK_H

#include <openssl/evp.h>
#include <stddef.h>
#include <stdint.h>

enum work_op { WORK_RSA2048, WORK_P256, WORK_ED25519, WORK_X25519, WORK_OPS };
extern const char *const work_op_name[WORK_OPS];

/* The keys of an operation in one library context, for all threads. Made here for the occasion: they protect
 * nothing. */
struct work_keys {
    enum work_op op;
    OSSL_LIB_CTX *libctx;
    EVP_PKEY *own, *peer; /* peer: for key exchange */
};

/* The same keys in another library context. 1, or 0 if anything failed, as in all that follows. */
int work_keys_make(struct work_keys *keys, OSSL_LIB_CTX *libctx, enum work_op op);
int work_keys_copy(struct work_keys *copy, OSSL_LIB_CTX *libctx, const struct work_keys *keys);
void work_keys_free(struct work_keys *keys);

/* What one thread needs. */
struct work {
    const struct work_keys *keys;
    EVP_PKEY_CTX *ctx;
    EVP_MD_CTX *md; /* Ed25519 signs messages */
    uint8_t out[512];
    size_t out_len;
};

int work_open(struct work *work, const struct work_keys *keys);
void work_close(struct work *work);

/* The operation, once. */
int work_do(struct work *work);

/* Whether the last result is right, by the keys of OpenSSL's own provider. */
int work_is_right(const struct work *work, const struct work_keys *stock);

#endif
