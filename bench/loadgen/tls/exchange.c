/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See exchange.h. */
#include "exchange.h"

#include <octuple/mlkem.h>
#include <stdio.h>

struct hybrid {
    enum load_group group, curve;
    enum oct_mlkem_set set;
    bool curve_first;
};

static const struct hybrid hybrids[] = {
    {LOAD_GROUP_X25519MLKEM768, LOAD_GROUP_X25519, OCT_MLKEM_768, false},
    {LOAD_GROUP_SECP256R1MLKEM768, LOAD_GROUP_P256, OCT_MLKEM_768, true},
    {LOAD_GROUP_SECP384R1MLKEM1024, LOAD_GROUP_P384, OCT_MLKEM_1024, true},
};
#define HYBRIDS (sizeof hybrids / sizeof hybrids[0])

static const struct hybrid *hybrid_of(enum load_group group)
{
    for (size_t i = 0; i < HYBRIDS; i++)
        if (hybrids[i].group == group)
            return &hybrids[i];
    return NULL;
}

bool load_group_is_hybrid(enum load_group group)
{
    return hybrid_of(group) != NULL;
}

/* ML-KEM fails for want of memory or randomness only. */
static void require(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "octuple-load: %s failed\n", what);
    exit(3);
}

/* On a CPU without lanes they are made one by one. */
static void make_pairs(struct load_exchange *exchange)
{
    struct oct_mlkem_keygen_lane lane[LOAD_KEM_PAIRS];
    struct oct_lanes result;
    for (unsigned i = 0; i < LOAD_KEM_PAIRS; i++)
        lane[i] = (struct oct_mlkem_keygen_lane){NULL, exchange->pair[i].ek, exchange->pair[i].dk};
    int status = oct_mlkem_keygen_x8(exchange->set, lane, LOAD_KEM_PAIRS, &result);
    if (status == OCT_ERR_UNSUPPORTED) {
        status = OCT_OK;
        for (unsigned i = 0; status == OCT_OK && i < LOAD_KEM_PAIRS; i++)
            status = oct_mlkem_keygen_anywhere(exchange->set, &lane[i]);
    }
    require(status == OCT_OK, "making ML-KEM keys");
    exchange->left = LOAD_KEM_PAIRS;
}

static void add_kem(struct load_exchange *exchange, enum oct_mlkem_set set)
{
    exchange->set = set;
    exchange->ek_len = oct_mlkem_ek_bytes(set);
    exchange->dk_len = oct_mlkem_dk_bytes(set);
    exchange->ct_len = oct_mlkem_ct_bytes(set);
    exchange->kem_len = OCT_MLKEM_SECRET_BYTES;
    require(exchange->ek_len <= LOAD_EK_MAX && exchange->dk_len <= LOAD_DK_MAX, "finding room for ML-KEM keys");
    exchange->pair = calloc(LOAD_KEM_PAIRS, sizeof *exchange->pair);
    require(exchange->pair != NULL, "memory for ML-KEM keys");
    make_pairs(exchange); /* now, as the first call also tests the kernels, and no handshake is to wait for that */
}

void load_exchange_init(struct load_exchange *exchange, enum load_group group, unsigned count)
{
    const struct hybrid *hybrid = hybrid_of(group);
    *exchange = (struct load_exchange){.group = group, .set = -1};
    load_kex_init(&exchange->curve, hybrid ? hybrid->curve : group, count);
    if (hybrid) {
        exchange->curve_first = hybrid->curve_first;
        add_kem(exchange, hybrid->set);
    }
    exchange->share_len = exchange->ek_len + exchange->curve.share_len;
    exchange->reply_len = exchange->ct_len + exchange->curve.share_len;
    exchange->secret_len = exchange->kem_len + exchange->curve.secret_len;
}

void load_exchange_clear(struct load_exchange *exchange)
{
    load_kex_clear(&exchange->curve);
    free(exchange->pair);
    *exchange = (struct load_exchange){.set = -1};
}

/* Where the two parts of a share or a secret begin. */
struct place {
    size_t kem, curve;
};

static struct place place(const struct load_exchange *exchange, size_t kem_len, size_t curve_len)
{
    return exchange->curve_first ? (struct place){curve_len, 0} : (struct place){0, kem_len};
}

void load_exchange_offer(struct load_exchange *exchange, uint8_t *share, uint8_t *dk, uint64_t n)
{
    struct place at = place(exchange, exchange->ek_len, exchange->curve.share_len);
    memcpy(share + at.curve, load_kex_share(&exchange->curve, n), exchange->curve.share_len);
    if (exchange->set < 0)
        return;
    if (exchange->left == 0)
        make_pairs(exchange);
    const struct load_kem_pair *pair = &exchange->pair[--exchange->left];
    memcpy(share + at.kem, pair->ek, exchange->ek_len);
    memcpy(dk, pair->dk, exchange->dk_len);
}

bool load_exchange_derive(const struct load_exchange *exchange, uint8_t *secret, uint64_t n, const uint8_t *dk,
                          const uint8_t *reply, size_t reply_len)
{
    const struct load_kex *curve = &exchange->curve;
    if (reply_len != exchange->reply_len)
        return false;
    struct place in = place(exchange, exchange->ct_len, curve->share_len);
    struct place out = place(exchange, exchange->kem_len, curve->secret_len);
    if (exchange->set >= 0) {
        struct oct_mlkem_decaps_lane lane = {dk, reply + in.kem, secret + out.kem};
        require(oct_mlkem_decaps_anywhere(exchange->set, &lane) == OCT_OK, "ML-KEM decapsulation");
    }
    return load_kex_derive(curve, secret + out.curve, n, reply + in.curve, curve->share_len);
}
