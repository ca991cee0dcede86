/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * RSA beside crypto_mb: raw operations, two keys in turns. Octuple checks every private result before it leaves;
 * crypto_mb does not. So a private operation has two rows: beside theirs as it is, and ("-checked") beside theirs
 * followed by their public operation and a comparison, which is what a check takes there.
 */
#include "crypto_mb.h"

#include <crypto_mb/rsa.h>
#include <octuple/rsa.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>

#define KEYS      2
#define MAX_BYTES 512

enum number { P, Q, DP, DQ, QINV, N, E, NUMBERS };

static const char *const number_name[NUMBERS] = {
    OSSL_PKEY_PARAM_RSA_FACTOR1,   OSSL_PKEY_PARAM_RSA_FACTOR2,      OSSL_PKEY_PARAM_RSA_EXPONENT1,
    OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1, OSSL_PKEY_PARAM_RSA_N,
    OSSL_PKEY_PARAM_RSA_E};

struct key {
    struct oct_rsa_key *octuple;
    uint8_t bytes[NUMBERS][MAX_BYTES];
    int64u words[NUMBERS][MAX_BYTES / 8];
};

struct state {
    int bits;
    size_t len;
    struct key key[KEYS];
    const mbx_RSA_Method *private_method, *public_method;
    struct oct_rsa_lane lane[LANES];
    uint8_t in[LANES][MAX_BYTES], ours[LANES][MAX_BYTES], theirs[LANES][MAX_BYTES], again[LANES][MAX_BYTES];
    const int8u *from[LANES];
    int8u *to[LANES], *back[LANES];
    const int64u *number[NUMBERS][LANES];
};

static int get_number(struct key *key, EVP_PKEY *pkey, enum number which, size_t len, struct oct_bytes *out)
{
    BIGNUM *bn = NULL;
    const int ok = EVP_PKEY_get_bn_param(pkey, number_name[which], &bn) &&
                   BN_bn2binpad(bn, key->bytes[which], (int)len) > 0 &&
                   BN_bn2lebinpad(bn, (unsigned char *)key->words[which], (int)len) > 0;
    BN_clear_free(bn);
    *out = (struct oct_bytes){key->bytes[which], len};
    return ok;
}

static int make_key(struct key *key, int bits)
{
    EVP_PKEY *pkey = EVP_RSA_gen((unsigned)bits);
    struct oct_bytes b[NUMBERS];
    int ok = pkey != NULL;

    for (int i = 0; ok && i < NUMBERS; i++)
        ok = get_number(key, pkey, (enum number)i, (size_t)bits / (i < N ? 16 : 8), &b[i]);
    EVP_PKEY_free(pkey);
    if (ok) {
        const struct oct_rsa_numbers numbers = {
            .n = b[N], .e = b[E], .p = b[P], .q = b[Q], .dp = b[DP], .dq = b[DQ], .qinv = b[QINV]};
        ok = oct_rsa_key_new(&key->octuple, &numbers) == OCT_OK;
    }
    return ok;
}

/* The leading byte is 0, so that the input is below every modulus. */
static int fill_lane(struct state *s, unsigned i)
{
    const struct key *key = &s->key[i % KEYS];

    s->lane[i] = (struct oct_rsa_lane){key->octuple, s->in[i], s->ours[i]};
    s->from[i] = s->in[i];
    s->to[i] = s->theirs[i];
    s->back[i] = s->again[i];
    for (int n = 0; n < NUMBERS; n++)
        s->number[n][i] = key->words[n];
    return beside_fill(s->in[i] + 1, s->len - 1);
}

static void close_state(void *arg)
{
    struct state *s = arg;
    for (int i = 0; i < KEYS; i++)
        oct_rsa_key_free(s->key[i].octuple);
    OPENSSL_cleanse(s, sizeof *s);
    free(s);
}

static void *open_state(const struct beside_row *row)
{
    struct state *s = calloc(1, sizeof *s);
    int ok = s != NULL;

    if (!ok)
        return NULL;
    s->bits = row->which;
    s->len = (size_t)s->bits / 8;
    s->private_method = mbx_RSA_private_crt_Method(s->bits);
    s->public_method = mbx_RSA_pub65537_Method(s->bits);
    for (int i = 0; ok && i < KEYS; i++)
        ok = make_key(&s->key[i], s->bits);
    for (unsigned i = 0; ok && i < LANES; i++)
        ok = fill_lane(s, i);
    if (ok && s->private_method != NULL && s->public_method != NULL)
        return s;
    close_state(s);
    return NULL;
}

static unsigned our_private(void *arg)
{
    struct state *s = arg;
    struct oct_lanes result;
    return all_good(oct_rsa_private_x8(s->lane, LANES, &result), &result) ? LANES : 0;
}

static unsigned our_public(void *arg)
{
    struct state *s = arg;
    struct oct_lanes result;
    return all_good(oct_rsa_public_x8(s->lane, LANES, &result), &result) ? LANES : 0;
}

static unsigned their_private(void *arg)
{
    struct state *s = arg;
    return mbx_rsa_private_crt_mb8(s->from, s->to, s->number[P], s->number[Q], s->number[DP], s->number[DQ],
                                   s->number[QINV], s->bits, s->private_method, NULL) == MBX_STATUS_OK
               ? LANES
               : 0;
}

static unsigned their_checked(void *arg)
{
    struct state *s = arg;
    int differs = 0;

    if (their_private(s) == 0 || mbx_rsa_public_mb8((const int8u *const *)s->to, s->back, s->number[N], s->bits,
                                                    s->public_method, NULL) != MBX_STATUS_OK)
        return 0;
    for (int i = 0; i < LANES; i++)
        differs |= CRYPTO_memcmp(s->again[i], s->in[i], s->len);
    return differs ? 0 : LANES;
}

static unsigned their_public(void *arg)
{
    struct state *s = arg;
    return mbx_rsa_public_mb8(s->from, s->to, s->number[N], s->bits, s->public_method, NULL) == MBX_STATUS_OK ? LANES
                                                                                                              : 0;
}

static int same(void *arg)
{
    struct state *s = arg;
    int differs = 0;
    for (int i = 0; i < LANES; i++)
        differs |= memcmp(s->ours[i], s->theirs[i], s->len);
    return !differs;
}

#define ROW(name, bits, ours, theirs)                                                                                  \
    {                                                                                                                  \
        name, "op/s", bits, 0, open_state, close_state, ours, theirs, same                                             \
    }
#define ROWS(bits)                                                                                                     \
    ROW("rsa" #bits "-private", bits, our_private, their_private),                                                     \
        ROW("rsa" #bits "-private-checked", bits, our_private, their_checked),                                         \
        ROW("rsa" #bits "-public", bits, our_public, their_public)

const struct beside_row crypto_mb_rsa[] = {ROWS(2048), ROWS(3072), ROWS(4096), {0}};
