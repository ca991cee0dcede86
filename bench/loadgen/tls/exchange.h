/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The key exchange of one group: a curve's (kex.h), and in the hybrid groups of TLS 1.3 ML-KEM beside it
 * (draft-ietf-tls-ecdhe-mlkem). ML-KEM has no share whose secret costs nothing, so every handshake gets a key pair of
 * its own. They are made eight at a time, which costs a handshake a fraction of one made alone.
 */
#ifndef OCTUPLE_LOADGEN_EXCHANGE_H
#define OCTUPLE_LOADGEN_EXCHANGE_H

#include <octuple/hybrid.h>

#include "kex.h"

#define LOAD_EXCHANGE_SECRET_MAX OCT_HYBRID_MAX_SECRET
#define LOAD_KEM_PAIRS           8
#define LOAD_EK_MAX              1568 /* of ML-KEM-1024 */
#define LOAD_DK_MAX              3168

struct load_kem_pair {
    uint8_t ek[LOAD_EK_MAX], dk[LOAD_DK_MAX];
};

struct load_exchange {
    enum load_group group;
    struct load_kex curve;
    int set;                                 /* enum oct_mlkem_set; -1: no ML-KEM, and its lengths are 0 */
    bool curve_first;                        /* in shares and in the secret */
    size_t ek_len, dk_len, ct_len, kem_len;  /* kem_len: of ML-KEM's secret */
    size_t share_len, reply_len, secret_len; /* the client's share, the server's, and what both make of them */
    unsigned left;                           /* pairs that no handshake has had yet: pair[0 .. left - 1] */
    struct load_kem_pair *pair;              /* LOAD_KEM_PAIRS of them; NULL without ML-KEM */
};

/* count: see struct load_kex. */
void load_exchange_init(struct load_exchange *exchange, enum load_group group, unsigned count);
void load_exchange_clear(struct load_exchange *exchange);

/* Writes the client's share for its n-th handshake, share_len bytes, and to dk (LOAD_DK_MAX bytes) what
 * load_exchange_derive() needs of it. */
void load_exchange_offer(struct load_exchange *exchange, uint8_t *share, uint8_t *dk, uint64_t n);

/* The secret of the n-th handshake, secret_len bytes; false if the reply is not one of this group. */
bool load_exchange_derive(const struct load_exchange *exchange, uint8_t *secret, uint64_t n, const uint8_t *dk,
                          const uint8_t *reply, size_t reply_len);

/* Whether a group needs TLS 1.3. */
bool load_group_is_hybrid(enum load_group group);

#endif
