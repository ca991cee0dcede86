/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The client's key shares for ECDHE, and the secrets that follow from the server's.
 *
 * By default the client's private scalar is 1: its share is the group's generator G, and the shared secret s*G of a
 * server whose scalar is s is just the share that the server has sent. The client then has nothing to compute, while
 * the server does all its usual work: OpenSSL's scalar multiplications run in constant time and do not know G when it
 * comes from the peer. With `count` > 0 that many real key pairs are made beforehand and used in turn, each with a
 * derivation of its own per handshake.
 */
#ifndef OCTUPLE_LOADGEN_KEX_H
#define OCTUPLE_LOADGEN_KEX_H

#include <openssl/evp.h>

#include "bytes.h"
#include "options.h"

#define LOAD_SHARE_MAX  133 /* an uncompressed point of P-521 */
#define LOAD_SHARED_MAX 66

struct load_kex {
    enum load_group group;
    size_t share_len, secret_len;
    unsigned count; /* real key pairs; 0: the generator */
    uint8_t (*share)[LOAD_SHARE_MAX];
    EVP_PKEY **key;
    EVP_PKEY_CTX **ctx;
};

void load_kex_init(struct load_kex *kex, enum load_group group, unsigned count);
void load_kex_clear(struct load_kex *kex);

/* The client's share for its n-th handshake: share_len bytes. */
const uint8_t *load_kex_share(const struct load_kex *kex, uint64_t n);

/* The secret of the n-th handshake, secret_len bytes; false if the peer's share is not one of this group. */
bool load_kex_derive(const struct load_kex *kex, uint8_t *secret, uint64_t n, const uint8_t *peer, size_t peer_len);

/*
 * For RSA key exchange: pre-master secrets that have been encrypted for the server's key beforehand, as a client's
 * encryption would cost it nearly what the server's decryption costs an accelerated server. They are made when the
 * first certificate arrives, and made anew when another one does.
 */
#define LOAD_PREMASTER_LEN   48
#define LOAD_PREMASTER_COUNT 64
#define LOAD_RSA_BYTES_MAX   1024

struct load_premasters {
    uint8_t *certificate; /* whose key they were encrypted for; NULL: none were made yet */
    size_t certificate_len;
    size_t encrypted_len;
    uint8_t secret[LOAD_PREMASTER_COUNT][LOAD_PREMASTER_LEN];
    uint8_t encrypted[LOAD_PREMASTER_COUNT][LOAD_RSA_BYTES_MAX];
};

/* False if the bytes are no certificate with an RSA key of at most 8 * LOAD_RSA_BYTES_MAX bits. */
bool load_premasters_make(struct load_premasters *pool, const uint8_t *certificate, size_t len);
void load_premasters_clear(struct load_premasters *pool);

#endif
