/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Post-quantum groups of TLS 1.3: ML-KEM with an elliptic curve (octuple/hybrid.h), and ML-KEM alone. They are keys for
 * one handshake, known to libssl as groups, so there is no way to write or read them but as shares.
 *
 * A server's key is the client's share. A client's key is its own share with what is private. Either changes only while
 * it is made: a share that is set later is refused once there is one.
 */
#ifndef OCT_PROVIDER_HYBRID_H
#define OCT_PROVIDER_HYBRID_H

#include "provider/core/key.h"

#include <octuple/octuple.h>
#include <openssl/core_dispatch.h>
#include <openssl/evp.h>
#include <stdbool.h>

#define OCT_HYBRID_MAX_PRIVATE OCT_EC_MAX_BYTES
#define OCT_HYBRID_MAX_PUBLIC  (2 * OCT_EC_MAX_BYTES)

struct oct_prov;

/* One group, a row of a table (groups.c). Sizes in bytes. */
struct oct_prov_group {
    const char *name;
    int id, security_bits;
    int set;                       /* enum oct_mlkem_set */
    const char *algorithm, *curve; /* of the curve's keys, by OpenSSL's names; NULL: there is no curve */
    int pair_op;                   /* what makes the curve's key pairs */
    size_t point, number;          /* a point of the curve in a share, and its secret */
    bool curve_first;
    int server_op, client_op;
    const OSSL_DISPATCH *keymgmt;
};

static inline size_t oct_hybrid_share_size(const struct oct_prov_group *g)
{
    return oct_mlkem_ek_bytes(g->set) + g->point;
}
static inline size_t oct_hybrid_reply_size(const struct oct_prov_group *g)
{
    return oct_mlkem_ct_bytes(g->set) + g->point;
}
static inline size_t oct_hybrid_secret_size(const struct oct_prov_group *g)
{
    return OCT_MLKEM_SECRET_BYTES + g->number;
}

extern const struct oct_prov_group oct_prov_groups[];
enum { OCT_PROV_GROUPS = 6, OCT_PROV_SM2_GROUP = 3 }; /* in all; that of SM2, which needs OpenSSL 4.0 */

struct oct_prov_hybrid {
    struct oct_prov_key base;
    const struct oct_prov_group *group;
    uint8_t share[OCT_HYBRID_MAX_SHARE];
    uint8_t *dk;       /* of a client; wiped with the key. NULL: none */
    EVP_PKEY *classic; /* of a client: the curve's key on OpenSSL's own code; NULL: it is the number below */
    uint8_t private_key[OCT_HYBRID_MAX_PRIVATE];
};

/* Where the parts of a share, a reply or a secret begin, of which ML-KEM's takes `kem` and the curve's `curve` bytes.
 */
struct oct_hybrid_parts {
    size_t kem, curve;
};
static inline struct oct_hybrid_parts oct_hybrid_split(const struct oct_prov_group *g, size_t kem, size_t curve)
{
    return g->curve_first ? (struct oct_hybrid_parts){curve, 0} : (struct oct_hybrid_parts){0, kem};
}

/* An empty key of a group with one reference; NULL with an error raised. */
struct oct_prov_hybrid *oct_prov_hybrid_new(struct oct_prov *prov, const struct oct_prov_group *group);

/* The other side's share, from the network: 0 with an error raised if its length is wrong, a number of ML-KEM's key is
 * not below q, or the point is none of its curve. */
int oct_prov_hybrid_set_share(struct oct_prov_hybrid *key, const uint8_t *share, size_t len);

/* Makes a client's keys; 1, or 0 with an error raised. */
int oct_prov_hybrid_generate(struct oct_prov_hybrid *key);

/* A pair of the curve from the pool, its point in a share's form; 1, or 0 if there is none. */
int oct_hybrid_take_pair(struct oct_prov *prov, const struct oct_prov_group *group, uint8_t *point,
                         uint8_t *private_key);

/* The curve on OpenSSL's own code, of the private context: a new pair; a pair from its numbers; its point, in a share's
 * form; whether a point is good; the secret with the other side's point. 1, or 0 (NULL), perhaps with an error raised.
 */
EVP_PKEY *oct_hybrid_fallback_generate(struct oct_prov *prov, const struct oct_prov_group *group);
EVP_PKEY *oct_hybrid_fallback_import(struct oct_prov *prov, const struct oct_prov_group *group,
                                     const uint8_t *private_key, const uint8_t *point);
int oct_hybrid_fallback_point(const struct oct_prov_group *group, EVP_PKEY *own, uint8_t *point);
bool oct_hybrid_fallback_is_point(struct oct_prov *prov, const struct oct_prov_group *group, const uint8_t *point);
int oct_hybrid_fallback_derive(struct oct_prov *prov, const struct oct_prov_group *group, EVP_PKEY *own,
                               const uint8_t *point, uint8_t *secret);

extern const OSSL_DISPATCH oct_hybrid_kem_table[];

#endif
