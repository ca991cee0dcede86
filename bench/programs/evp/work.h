/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* One AEAD of one provider at work through EVP, in each of the ways in which programs use it. */
#ifndef OCT_BENCH_EVP_WORK_H
#define OCT_BENCH_EVP_WORK_H

#include <openssl/evp.h>
#include <stddef.h>
#include <stdint.h>

#define WORK_MAX_LEN 16384
#define WORK_TAG     16
#define WORK_BATCH   8 /* records in a unit of work */
#define WORK_RECORD  (8 + WORK_MAX_LEN + WORK_TAG)

enum work_shape {
    WORK_PIECES,  /* one record, handed over in pieces of `len` bytes */
    WORK_RECORDS, /* as libssl does with TLS 1.3: nonce, additional data, `len` bytes of text, tag */
    WORK_TLS12,   /* as libssl does with TLS 1.2: additional data, then a whole record with `len` bytes of text */
    WORK_SHAPES
};
extern const char *const work_shape_name[WORK_SHAPES];

/* Test data throughout: no key here protects anything. */
struct work {
    EVP_CIPHER_CTX *ctx;
    enum work_shape shape;
    int sealing;
    size_t len, count;       /* of each piece or record; how many of them make a unit */
    size_t before, overhead; /* the nonce in front of a record of TLS 1.2, and that with the tag */
    uint8_t tag[WORK_TAG];
    uint8_t in[WORK_BATCH * WORK_MAX_LEN];
    uint8_t out[WORK_BATCH][WORK_RECORD];
};

/* Work with the AEAD `name` as `libctx` serves it to those who ask for nothing special. NULL if it does not come about.
 */
struct work *work_new(OSSL_LIB_CTX *libctx, const char *name, enum work_shape shape, int sealing, size_t len);
void work_free(struct work *w);

/* Makes ready for a unit of work, which work_do() does; only that is to be timed. 1, or 0 if anything failed. */
int work_prepare(struct work *w);
int work_do(struct work *w);
/* 1 if both have come to the same bytes. */
int work_same(const struct work *a, const struct work *b);

#endif
