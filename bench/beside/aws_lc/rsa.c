/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* RSA beside AWS-LC: raw operations, two keys in turns. Both sides check every private result before it leaves. */
#include "aws_lc.h"

#include <octuple/rsa.h>
#include <openssl/bn.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>

#define KEYS      2
#define MAX_BYTES 512

struct rsa {
    size_t len;
    RSA *key[KEYS];
    struct oct_rsa_key *octuple[KEYS];
    struct oct_rsa_lane lane[LANES];
    uint8_t in[LANES][MAX_BYTES], ours[LANES][MAX_BYTES], theirs[LANES][MAX_BYTES];
};

static int take_key(struct oct_rsa_key **out, const RSA *key, size_t len)
{
    const BIGNUM *const number[] = {RSA_get0_n(key),    RSA_get0_e(key),    RSA_get0_p(key),   RSA_get0_q(key),
                                    RSA_get0_dmp1(key), RSA_get0_dmq1(key), RSA_get0_iqmp(key)};
    uint8_t bytes[7][MAX_BYTES];
    struct oct_bytes b[7];
    int ok = 1;
    for (int i = 0; ok && i < 7; i++) {
        b[i] = (struct oct_bytes){bytes[i], i < 2 ? len : len / 2};
        ok = BN_bn2bin_padded(bytes[i], b[i].len, number[i]);
    }
    const struct oct_rsa_numbers numbers = {
        .n = b[0], .e = b[1], .p = b[2], .q = b[3], .dp = b[4], .dq = b[5], .qinv = b[6]};
    ok = ok && oct_rsa_key_new(out, &numbers) == OCT_OK;
    OPENSSL_cleanse(bytes, sizeof bytes);
    return ok;
}

static void rsa_close(void *arg)
{
    struct rsa *s = arg;
    for (int i = 0; i < KEYS; i++) {
        RSA_free(s->key[i]);
        oct_rsa_key_free(s->octuple[i]);
    }
    free(s);
}

static void *rsa_open(const struct beside_row *row)
{
    struct rsa *s = calloc(1, sizeof *s);
    BIGNUM *e = BN_new();
    int ok = s != NULL && e != NULL && BN_set_word(e, RSA_F4);
    for (int i = 0; ok && i < KEYS; i++) {
        s->len = (size_t)row->which / 8;
        s->key[i] = RSA_new();
        ok = s->key[i] != NULL && RSA_generate_key_ex(s->key[i], row->which, e, NULL) &&
             take_key(&s->octuple[i], s->key[i], s->len);
    }
    for (int i = 0; ok && i < LANES; i++) {
        s->lane[i] = (struct oct_rsa_lane){s->octuple[i % KEYS], s->in[i], s->ours[i]};
        ok = beside_fill(s->in[i] + 1, s->len - 1); /* below every modulus */
    }
    BN_free(e);
    if (ok)
        return s;
    if (s != NULL)
        rsa_close(s);
    return NULL;
}

OURS(rsa, private, oct_rsa_private_x8(s->lane, LANES, &result))
OURS(rsa, public, oct_rsa_public_x8(s->lane, LANES, &result))

static unsigned rsa_their_private(void *arg)
{
    struct rsa *s = arg;
    size_t len;
    for (int i = 0; i < LANES; i++)
        if (!RSA_sign_raw(s->key[i % KEYS], &len, s->theirs[i], s->len, s->in[i], s->len, RSA_NO_PADDING))
            return 0;
    return LANES;
}

static unsigned rsa_their_public(void *arg)
{
    struct rsa *s = arg;
    size_t len;
    for (int i = 0; i < LANES; i++)
        if (!RSA_verify_raw(s->key[i % KEYS], &len, s->theirs[i], s->len, s->in[i], s->len, RSA_NO_PADDING))
            return 0;
    return LANES;
}

static int rsa_same(void *arg)
{
    struct rsa *s = arg;
    return memcmp(s->ours, s->theirs, sizeof s->ours) == 0;
}

#define ROWS(bits)                                                                                                     \
    AWS_LC_ROW("rsa" #bits "-private", bits, rsa, private), AWS_LC_ROW("rsa" #bits "-public", bits, rsa, public)

const struct beside_row aws_lc_rsa[] = {ROWS(2048), ROWS(3072), ROWS(4096), {0}};
