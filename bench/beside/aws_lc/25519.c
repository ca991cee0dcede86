/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* X25519 and Ed25519 beside AWS-LC. Ed25519 signs 130 bytes, as TLS 1.3 does with SHA-256. */
#include "aws_lc.h"

#include <octuple/ed25519.h>
#include <octuple/x25519.h>
#include <openssl/curve25519.h>
#include <stdlib.h>
#include <string.h>

#define BYTES         32
#define MESSAGE_BYTES 130

struct x25519 {
    uint8_t scalar[LANES][BYTES], public[LANES][BYTES], ours[LANES][BYTES], theirs[LANES][BYTES];
    struct oct_x25519_lane derive[LANES], keygen[LANES];
};

static void *x25519_open(const struct beside_row *row)
{
    struct x25519 *s = calloc(1, sizeof *s);
    (void)row;
    if (s == NULL || !beside_fill(s->scalar, sizeof s->scalar)) {
        free(s);
        return NULL;
    }
    for (int i = 0; i < LANES; i++) {
        X25519_public_from_private(s->public[i], s -> scalar[i]);
        s->derive[i] = (struct oct_x25519_lane){s->scalar[i], s->public[(i + 1) % LANES], s -> ours[i]};
        s->keygen[i] = (struct oct_x25519_lane){s->scalar[i], NULL, s->ours[i]};
    }
    return s;
}

OURS(x25519, derive, oct_x25519_derive_x8(s->derive, LANES, &result))
OURS(x25519, keygen, oct_x25519_public_x8(s->keygen, LANES, &result))

static unsigned x25519_their_derive(void *arg)
{
    struct x25519 *s = arg;
    for (int i = 0; i < LANES; i++)
        if (!X25519(s->theirs[i], s->scalar[i], s->public[(i + 1) % LANES]))
            return 0;
    return LANES;
}

static unsigned x25519_their_keygen(void *arg)
{
    struct x25519 *s = arg;
    for (int i = 0; i < LANES; i++)
        X25519_public_from_private(s->theirs[i], s->scalar[i]);
    return LANES;
}

static int x25519_same(void *arg)
{
    struct x25519 *s = arg;
    return memcmp(s->ours, s->theirs, sizeof s->ours) == 0;
}

struct ed25519 {
    uint8_t seed[LANES][BYTES], public[LANES][BYTES], private[LANES][2 * BYTES], message[LANES][MESSAGE_BYTES];
    uint8_t ours[LANES][2 * BYTES], theirs[LANES][2 * BYTES];
    struct oct_ed25519_key *key[LANES];
    struct oct_ed25519_sign_lane sign[LANES];
    struct oct_ed25519_verify_lane verify[LANES];
};

static void ed25519_close(void *arg)
{
    struct ed25519 *s = arg;
    for (int i = 0; i < LANES; i++)
        oct_ed25519_key_free(s->key[i]);
    free(s);
}

OURS(ed25519, sign, oct_ed25519_sign_x8(s->sign, LANES, &result))
OURS(ed25519, verify, oct_ed25519_verify_x8(s->verify, LANES, &result))

static unsigned ed25519_their_sign(void *arg)
{
    struct ed25519 *s = arg;
    for (int i = 0; i < LANES; i++)
        if (!ED25519_sign(s->theirs[i], s->message[i], MESSAGE_BYTES, s->private[i]))
            return 0;
    return LANES;
}

static unsigned ed25519_their_verify(void *arg)
{
    struct ed25519 *s = arg;
    for (int i = 0; i < LANES; i++)
        if (!ED25519_verify(s->message[i], MESSAGE_BYTES, s->theirs[i], s->public[i]))
            return 0;
    return LANES;
}

static void *ed25519_open(const struct beside_row *row)
{
    struct ed25519 *s = calloc(1, sizeof *s);
    int ok = s != NULL && beside_fill(s->seed, sizeof s->seed) && beside_fill(s->message, sizeof s->message);
    (void)row;
    for (int i = 0; ok && i < LANES; i++) {
        ED25519_keypair_from_seed(s->public[i], s -> private[i], s -> seed[i]);
        ok = oct_ed25519_key_new(&s->key[i], s->seed[i]) == OCT_OK;
        s->sign[i] = (struct oct_ed25519_sign_lane){s->key[i], s->message[i], MESSAGE_BYTES, s->ours[i]};
        s->verify[i] = (struct oct_ed25519_verify_lane){s->public[i], s -> message[i], MESSAGE_BYTES, s -> ours[i]};
    }
    if (ok && ed25519_our_sign(s) != 0 && ed25519_their_sign(s) != 0)
        return s;
    if (s != NULL)
        ed25519_close(s);
    return NULL;
}

static int ed25519_same(void *arg)
{
    struct ed25519 *s = arg;
    return memcmp(s->ours, s->theirs, sizeof s->ours) == 0;
}

#define x25519_close free

const struct beside_row aws_lc_25519[] = {AWS_LC_ROW("x25519-derive", 0, x25519, derive),
                                          AWS_LC_ROW("x25519-keygen", 0, x25519, keygen),
                                          AWS_LC_ROW("ed25519-sign", 0, ed25519, sign),
                                          AWS_LC_ROW("ed25519-verify", 0, ed25519, verify),
                                          {0}};
