/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* P-256 and P-384 beside AWS-LC. It signs with a hash of the key and randomness in its nonces, as Octuple does. */
#include "aws_lc.h"

#include <octuple/ec.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/ec_key.h>
#include <openssl/ecdh.h>
#include <openssl/ecdsa.h>
#include <openssl/mem.h>
#include <openssl/nid.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES 48

struct ec {
    int curve;
    size_t len;
    const EC_GROUP *group;
    EC_KEY *key[LANES], *made[LANES];
    ECDSA_SIG *signature[LANES];
    uint8_t private[LANES][MAX_BYTES], public[LANES][2 * MAX_BYTES], digest[LANES][MAX_BYTES];
    uint8_t our_secret[LANES][MAX_BYTES], their_secret[LANES][MAX_BYTES], our_signature[LANES][2 * MAX_BYTES];
    uint8_t new_private[LANES][MAX_BYTES], new_public[LANES][2 * MAX_BYTES];
    struct oct_ec_derive_lane derive[LANES];
    struct oct_ec_keygen_lane keygen[LANES];
    struct oct_ecdsa_sign_lane sign[LANES];
    struct oct_ecdsa_verify_lane verify[LANES];
};

/* x and y one after the other. */
static int take_public(uint8_t *out, size_t len, const EC_KEY *key)
{
    uint8_t *text = NULL;
    const size_t got = EC_KEY_key2buf(key, POINT_CONVERSION_UNCOMPRESSED, &text, NULL);
    const int ok = got == 1 + 2 * len;
    if (ok)
        memcpy(out, text + 1, 2 * len);
    OPENSSL_free(text);
    return ok;
}

static int take_signature(uint8_t *out, size_t len, const ECDSA_SIG *signature)
{
    return BN_bn2bin_padded(out, len, ECDSA_SIG_get0_r(signature)) &&
           BN_bn2bin_padded(out + len, len, ECDSA_SIG_get0_s(signature));
}

static void ec_close(void *arg)
{
    struct ec *s = arg;
    for (int i = 0; i < LANES; i++) {
        EC_KEY_free(s->key[i]);
        EC_KEY_free(s->made[i]);
        ECDSA_SIG_free(s->signature[i]);
    }
    free(s);
}

/* Keys, digests, and signatures of AWS-LC's for both sides to verify. */
static int fill_lane(struct ec *s, int nid, int i)
{
    s->key[i] = EC_KEY_new_by_curve_name(nid);
    s->made[i] = EC_KEY_new_by_curve_name(nid);
    if (!s->key[i] || !s->made[i] || !EC_KEY_generate_key(s->key[i]) || !beside_fill(s->digest[i], s->len) ||
        !BN_bn2bin_padded(s->private[i], s -> len, EC_KEY_get0_private_key(s->key[i])) ||
        !take_public(s->public[i], s -> len, s -> key[i]))
        return 0;
    s->signature[i] = ECDSA_do_sign(s->digest[i], s->len, s->key[i]);
    s->sign[i] = (struct oct_ecdsa_sign_lane){s->private[i], s -> digest[i], s -> len, s -> our_signature[i]};
    s->keygen[i] = (struct oct_ec_keygen_lane){s->new_private[i], s->new_public[i]};
    s->verify[i] = (struct oct_ecdsa_verify_lane){s->public[i], s -> digest[i], s -> len, s -> our_signature[i]};
    return s->signature[i] && take_signature(s->our_signature[i], s->len, s->signature[i]);
}

static void *ec_open(const struct beside_row *row)
{
    struct ec *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    const int nid = row->which == OCT_EC_P256 ? NID_X9_62_prime256v1 : NID_secp384r1;
    int ok = 1;
    s->curve = row->which;
    s->len = oct_ec_bytes(row->which);
    for (int i = 0; ok && i < LANES; i++)
        ok = fill_lane(s, nid, i);
    for (int i = 0; ok && i < LANES; i++)
        s->derive[i] = (struct oct_ec_derive_lane){s->private[i], s -> public[(i + 1) % LANES], s -> our_secret[i]};
    if (ok)
        return s;
    ec_close(s);
    return NULL;
}

OURS(ec, derive, oct_ec_derive_x8(s->curve, s->derive, LANES, &result))
OURS(ec, keygen, oct_ec_keygen_x8(s->curve, s->keygen, LANES, &result))
OURS(ec, sign, oct_ecdsa_sign_x8(s->curve, s->sign, LANES, &result))
OURS(ec, verify, oct_ecdsa_verify_x8(s->curve, s->verify, LANES, &result))

/* The other side's point comes as bytes on both sides: a peer's share is read and checked each time. */
static unsigned ec_their_derive(void *arg)
{
    struct ec *s = arg;
    const EC_GROUP *group = EC_KEY_get0_group(s->key[0]);
    EC_POINT *point = EC_POINT_new(group);
    int ok = point != NULL;
    for (int i = 0; ok && i < LANES; i++) {
        uint8_t text[1 + 2 * MAX_BYTES] = {POINT_CONVERSION_UNCOMPRESSED};
        memcpy(text + 1, s->public[(i + 1) % LANES], 2 * s -> len);
        ok = EC_POINT_oct2point(group, point, text, 1 + 2 * s->len, NULL) &&
             ECDH_compute_key(s->their_secret[i], s->len, point, s->key[i], NULL) == (int)s->len;
    }
    EC_POINT_free(point);
    return ok ? LANES : 0;
}

static unsigned ec_their_keygen(void *arg)
{
    struct ec *s = arg;
    for (int i = 0; i < LANES; i++)
        if (!EC_KEY_generate_key(s->made[i]))
            return 0;
    return LANES;
}

static unsigned ec_their_sign(void *arg)
{
    struct ec *s = arg;
    for (int i = 0; i < LANES; i++) {
        ECDSA_SIG_free(s->signature[i]);
        s->signature[i] = ECDSA_do_sign(s->digest[i], s->len, s->key[i]);
        if (!s->signature[i])
            return 0;
    }
    return LANES;
}

static unsigned ec_their_verify(void *arg)
{
    struct ec *s = arg;
    for (int i = 0; i < LANES; i++)
        if (ECDSA_do_verify(s->digest[i], s->len, s->signature[i], s->key[i]) != 1)
            return 0;
    return LANES;
}

/* Secrets are equal, and AWS-LC accepts our signatures, of which the first call has made new ones. */
static int ec_same(void *arg)
{
    struct ec *s = arg;
    if (memcmp(s->our_secret, s->their_secret, sizeof s->our_secret) != 0)
        return 0;
    for (int i = 0; i < LANES; i++) {
        ECDSA_SIG *ours = ECDSA_SIG_new();
        BIGNUM *r = BN_bin2bn(s->our_signature[i], s->len, NULL);
        BIGNUM *t = BN_bin2bn(s->our_signature[i] + s->len, s->len, NULL);
        const int ok =
            ours && r && t && ECDSA_SIG_set0(ours, r, t) && ECDSA_do_verify(s->digest[i], s->len, ours, s->key[i]) == 1;
        ECDSA_SIG_free(ours);
        if (!ok)
            return 0;
    }
    return 1;
}

#define ROWS(name, curve)                                                                                              \
    AWS_LC_ROW(name "-derive", curve, ec, derive), AWS_LC_ROW(name "-keygen", curve, ec, keygen),                      \
        AWS_LC_ROW(name "-sign", curve, ec, sign), AWS_LC_ROW(name "-verify", curve, ec, verify)

const struct beside_row aws_lc_ec[] = {ROWS("p256", OCT_EC_P256), ROWS("p384", OCT_EC_P384), {0}};
