/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A curve beside crypto_mb: #define CURVE (nistp256), WHICH (enum oct_ec_curve), BYTES, ROWS and PREFIX ("p256"), and
 * include; it names its functions by the curve. Key pairs are made of given private keys on both sides. crypto_mb signs
 * with nonces that are given; Octuple makes its own, with a hash and randomness, in each signature.
 *
 * With `#define OF_MESSAGES` signatures are SM2's, which crypto_mb makes of messages: what is a digest below is a short
 * message then, and both sides hash it with the identifier and the key.
 */
#include "crypto_mb.h"

#include <octuple/ec.h>
#include <stdlib.h>
#include <string.h>

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c)  JOIN_(a, b, c)
#define MBX(verb)      JOIN(mbx_, CURVE, verb)
#define WORDS          (BYTES / 8)

/* What crypto_mb takes: digests, or messages with their identifiers, and the signer's key. */
#ifdef OF_MESSAGES
#define ID_BYTES        (sizeof OCT_SM2_DEFAULT_ID - 1)
#define SIGNED(s)       (s)->ids, (s)->id_lens, (s)->digests, (s)->lens
#define SIGNER(s)       (const int64u *const *)(s)->x_to, (const int64u *const *)(s)->y_to, NULL,
#define DIGEST_OF(s, i) (s)->e[i]
#define HASHES(s)       (oct_sm2_digest_x8((s)->hash, LANES) == OCT_OK)
#else
#define SIGNED(s) (s)->digests
#define SIGNER(s)
#define DIGEST_OF(s, i) (s)->digest[i]
#define HASHES(s)       1
#endif

struct state {
    uint8_t private[LANES][BYTES], public[LANES][2 * BYTES], digest[LANES][BYTES];
    uint8_t secret[LANES][BYTES], their_secret[LANES][BYTES];
    uint8_t signature[LANES][2 * BYTES], r[LANES][BYTES], s[LANES][BYTES], their_signature[LANES][2 * BYTES];
    struct oct_ec_public_lane keygen[LANES];
    struct oct_ec_derive_lane derive[LANES];
    struct oct_ecdsa_sign_lane sign[LANES];
    struct oct_ecdsa_verify_lane verify[LANES];
    int64u words[LANES][WORDS], nonce[LANES][WORDS], x[LANES][WORDS], y[LANES][WORDS];
    const int64u *keys[LANES], *nonces[LANES], *peer_x[LANES], *peer_y[LANES];
    int64u *x_to[LANES], *y_to[LANES];
    int8u *r_to[LANES], *s_to[LANES], *secret_to[LANES];
    const int8u *digests[LANES];
#ifdef OF_MESSAGES
    struct oct_sm2_digest_lane hash[LANES];
    uint8_t e[LANES][BYTES];
    const int8u *ids[LANES];
    int id_lens[LANES], lens[LANES];
#endif
};

static unsigned our_keygen(void *arg)
{
    struct state *s = arg;
    struct oct_lanes result;
    return all_good(oct_ec_public_x8(WHICH, s->keygen, LANES, &result), &result) ? LANES : 0;
}

static unsigned their_keygen(void *arg)
{
    struct state *s = arg;
    return MBX(_ecpublic_key_mb8)(s->x_to, s->y_to, NULL, s->keys, NULL) == MBX_STATUS_OK ? LANES : 0;
}

static unsigned our_derive(void *arg)
{
    struct state *s = arg;
    struct oct_lanes result;
    return all_good(oct_ec_derive_x8(WHICH, s->derive, LANES, &result), &result) ? LANES : 0;
}

static unsigned their_derive(void *arg)
{
    struct state *s = arg;
    return MBX(_ecdh_mb8)(s->secret_to, s->keys, s->peer_x, s->peer_y, NULL, NULL) == MBX_STATUS_OK ? LANES : 0;
}

static unsigned our_sign(void *arg)
{
    struct state *s = arg;
    struct oct_lanes result;
    return HASHES(s) && all_good(oct_ecdsa_sign_x8(WHICH, s->sign, LANES, &result), &result) ? LANES : 0;
}

static unsigned their_sign(void *arg)
{
    struct state *s = arg;
    return MBX(_ecdsa_sign_mb8)(s->r_to, s->s_to, SIGNED(s), s->nonces, s->keys, SIGNER(s) NULL) == MBX_STATUS_OK
               ? LANES
               : 0;
}

static unsigned our_verify(void *arg)
{
    struct state *s = arg;
    struct oct_lanes result;
    return HASHES(s) && all_good(oct_ecdsa_verify_x8(WHICH, s->verify, LANES, &result), &result) ? LANES : 0;
}

static unsigned their_verify(void *arg)
{
    struct state *s = arg;
    const int64u *x[LANES], *y[LANES];
    for (int i = 0; i < LANES; i++) {
        x[i] = s->x[i];
        y[i] = s->y[i];
    }
    return MBX(_ecdsa_verify_mb8)((const int8u *const *)s->r_to, (const int8u *const *)s->s_to, SIGNED(s), x, y, NULL,
                                  NULL) == MBX_STATUS_OK
               ? LANES
               : 0;
}

/* The zero at the top keeps a private key and a nonce below the order. */
static int fill_lane(struct state *s, int i)
{
    const int ok =
        beside_fill(s->private[i], BYTES) && beside_fill(s->nonce[i], BYTES) && beside_fill(s->digest[i], BYTES);
    const int next = (i + 1) % LANES;

    s->private[i][0] = 0;
    ((uint8_t *)s->nonce[i])[BYTES - 1] = 0;
    reversed(s->words[i], s->private[i], BYTES);
    s->keygen[i] = (struct oct_ec_public_lane){s->private[i], s -> public[i]};
    s->derive[i] = (struct oct_ec_derive_lane){s->private[i], s -> public[next], s -> secret[i]};
    s->sign[i] = (struct oct_ecdsa_sign_lane){s->private[i], DIGEST_OF(s, i), BYTES, s -> signature[i]};
    s->verify[i] = (struct oct_ecdsa_verify_lane){s->public[i], DIGEST_OF(s, i), BYTES, s -> their_signature[i]};
    s->keys[i] = s->words[i];
    s->nonces[i] = s->nonce[i];
    s->peer_x[i] = s->x[next];
    s->peer_y[i] = s->y[next];
    s->x_to[i] = s->x[i];
    s->y_to[i] = s->y[i];
    s->r_to[i] = s->r[i];
    s->s_to[i] = s->s[i];
    s->secret_to[i] = s->their_secret[i];
    s->digests[i] = s->digest[i];
#ifdef OF_MESSAGES
    s->ids[i] = (const int8u *)OCT_SM2_DEFAULT_ID;
    s->id_lens[i] = ID_BYTES;
    s->lens[i] = BYTES;
    s->hash[i] = (struct oct_sm2_digest_lane){s->ids[i], ID_BYTES, s->public[i], s -> digest[i], BYTES, s -> e[i]};
#endif
    return ok;
}

/* Their signatures, in our form. */
static void take_signatures(struct state *s)
{
    for (int i = 0; i < LANES; i++) {
        memcpy(s->their_signature[i], s->r[i], BYTES);
        memcpy(s->their_signature[i] + BYTES, s->s[i], BYTES);
    }
}

static void *open_state(const struct beside_row *row)
{
    struct state *s = calloc(1, sizeof *s);
    int ok = s != NULL;
    (void)row;

    for (int i = 0; ok && i < LANES; i++)
        ok = fill_lane(s, i);
    if (ok && our_keygen(s) != 0 && their_keygen(s) != 0 && their_sign(s) != 0) {
        take_signatures(s);
        return s;
    }
    free(s);
    return NULL;
}

static int same_keys(void *arg)
{
    struct state *s = arg;
    for (int i = 0; i < LANES; i++) {
        uint8_t number[2][BYTES];
        reversed(number[0], (const uint8_t *)s->x[i], BYTES);
        reversed(number[1], (const uint8_t *)s->y[i], BYTES);
        if (memcmp(s->public[i], number, 2 * BYTES) != 0)
            return 0;
    }
    return 1;
}

static int same_secrets(void *arg)
{
    struct state *s = arg;
    return memcmp(s->secret, s->their_secret, sizeof s->secret) == 0;
}

/* Signatures are random: each side's are good for the other one. Theirs, in r and s, make place for ours. */
static int good_signatures(void *arg)
{
    struct state *s = arg;

    if (our_verify(s) == 0)
        return 0;
    for (int i = 0; i < LANES; i++) {
        memcpy(s->r[i], s->signature[i], BYTES);
        memcpy(s->s[i], s->signature[i] + BYTES, BYTES);
    }
    return their_verify(s) != 0;
}

/* Both have already said that eight good signatures are good. A wrong one is neither's. */
static int refuse_bad(void *arg)
{
    struct state *s = arg;
    int refused;

    s->digest[3][0] ^= 1;
    refused = our_verify(s) == 0 && their_verify(s) == 0;
    s->digest[3][0] ^= 1;
    return refused;
}

#define ROW(verb, check)                                                                                               \
    {                                                                                                                  \
        PREFIX "-" #verb, "op/s", 0, 0, open_state, free, our_##verb, their_##verb, check                              \
    }

const struct beside_row ROWS[] = {
    ROW(sign, good_signatures), ROW(verify, refuse_bad), ROW(derive, same_secrets), ROW(keygen, same_keys), {0},
};
