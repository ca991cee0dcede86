/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* X25519 and Ed25519 beside crypto_mb. Ed25519 signs 130 bytes, as TLS 1.3 does with SHA-256. */
#include "crypto_mb.h"

#include <crypto_mb/ed25519.h>
#include <crypto_mb/x25519.h>
#include <octuple/ed25519.h>
#include <octuple/x25519.h>
#include <stdlib.h>
#include <string.h>

#define BYTES         32
#define MESSAGE_BYTES 130

struct x25519 {
    uint8_t scalar[LANES][BYTES], public[LANES][BYTES], ours[LANES][BYTES], theirs[LANES][BYTES];
    struct oct_x25519_lane lane[LANES];
    const int8u *scalars[LANES], *peers[LANES];
    int8u *to[LANES];
};

static void *x25519_open(const struct beside_row *row)
{
    struct x25519 *s = calloc(1, sizeof *s);
    struct oct_lanes result;
    (void)row;

    if (s == NULL || !beside_fill(s->scalar, sizeof s->scalar)) {
        free(s);
        return NULL;
    }
    for (int i = 0; i < LANES; i++)
        s->lane[i] = (struct oct_x25519_lane){s->scalar[i], NULL, s->public[i]};
    if (!all_good(oct_x25519_public_x8(s->lane, LANES, &result), &result)) {
        free(s);
        return NULL;
    }
    for (int i = 0; i < LANES; i++) {
        s->lane[i] = (struct oct_x25519_lane){s->scalar[i], s->public[(i + 1) % LANES], s -> ours[i]};
        s->scalars[i] = s->scalar[i];
        s->peers[i] = s->public[(i + 1) % LANES];
        s->to[i] = s->theirs[i];
    }
    return s;
}

OURS(x25519, derive, oct_x25519_derive_x8(s->lane, LANES, &result))

static unsigned x25519_their_derive(void *arg)
{
    struct x25519 *s = arg;
    return mbx_x25519_mb8(s->to, s->scalars, s->peers) == MBX_STATUS_OK ? LANES : 0;
}

OURS(x25519, keygen, oct_x25519_public_x8(s->lane, LANES, &result))

static unsigned x25519_their_keygen(void *arg)
{
    struct x25519 *s = arg;
    return mbx_x25519_public_key_mb8(s->to, s->scalars) == MBX_STATUS_OK ? LANES : 0;
}

static int x25519_same(void *arg)
{
    struct x25519 *s = arg;
    return memcmp(s->ours, s->theirs, sizeof s->ours) == 0;
}

struct ed25519 {
    uint8_t seed[LANES][BYTES], public[LANES][BYTES], message[LANES][MESSAGE_BYTES];
    uint8_t ours[LANES][2 * BYTES], r[LANES][BYTES], s[LANES][BYTES];
    struct oct_ed25519_key *key[LANES];
    struct oct_ed25519_sign_lane sign[LANES];
    struct oct_ed25519_verify_lane verify[LANES];
    ed25519_sign_component *r_to[LANES], *s_to[LANES];
    const ed25519_private_key *seeds[LANES];
    const ed25519_public_key *publics[LANES];
    const int8u *messages[LANES];
    int32u lens[LANES];
};

static void ed25519_close(void *arg)
{
    struct ed25519 *s = arg;
    for (int i = 0; i < LANES; i++)
        oct_ed25519_key_free(s->key[i]);
    free(s);
}

static int ed25519_fill_lane(struct ed25519 *s, int i)
{
    if (oct_ed25519_key_new(&s->key[i], s->seed[i]) != OCT_OK)
        return 0;
    memcpy(s->public[i], oct_ed25519_key_public(s->key[i]), BYTES);
    s->sign[i] = (struct oct_ed25519_sign_lane){s->key[i], s->message[i], MESSAGE_BYTES, s->ours[i]};
    s->verify[i] = (struct oct_ed25519_verify_lane){s->public[i], s -> message[i], MESSAGE_BYTES, s -> ours[i]};
    s->r_to[i] = &s->r[i];
    s->s_to[i] = &s->s[i];
    s->seeds[i] = &s->seed[i];
    s->publics[i] = &s->public[i];
    s->messages[i] = s->message[i];
    s->lens[i] = MESSAGE_BYTES;
    return 1;
}

OURS(ed25519, sign, oct_ed25519_sign_x8(s->sign, LANES, &result))

static unsigned ed25519_their_sign(void *arg)
{
    struct ed25519 *s = arg;
    return mbx_ed25519_sign_mb8(s->r_to, s->s_to, s->messages, s->lens, s->seeds, s->publics) == MBX_STATUS_OK ? LANES
                                                                                                               : 0;
}

OURS(ed25519, verify, oct_ed25519_verify_x8(s->verify, LANES, &result))

static unsigned ed25519_their_verify(void *arg)
{
    struct ed25519 *s = arg;
    return mbx_ed25519_verify_mb8((const ed25519_sign_component *const *)s->r_to,
                                  (const ed25519_sign_component *const *)s->s_to, s->messages, s->lens,
                                  s->publics) == MBX_STATUS_OK
               ? LANES
               : 0;
}

/* With a signature of either, so that both can be verified. */
static void *ed25519_open(const struct beside_row *row)
{
    struct ed25519 *s = calloc(1, sizeof *s);
    int ok = s != NULL && beside_fill(s->seed, sizeof s->seed) && beside_fill(s->message, sizeof s->message);
    (void)row;

    for (int i = 0; ok && i < LANES; i++)
        ok = ed25519_fill_lane(s, i);
    if (ok && ed25519_our_sign(s) != 0 && ed25519_their_sign(s) != 0)
        return s;
    if (s != NULL)
        ed25519_close(s);
    return NULL;
}

static int ed25519_same(void *arg)
{
    struct ed25519 *s = arg;
    for (int i = 0; i < LANES; i++)
        if (memcmp(s->ours[i], s->r[i], BYTES) != 0 || memcmp(s->ours[i] + BYTES, s->s[i], BYTES) != 0)
            return 0;
    return 1;
}

#define ROW(family, verb)                                                                                              \
    {                                                                                                                  \
#family "-" #verb, "op/s", 0, 0, family##_open, family##_close, family##_our_##verb, family##_their_##verb,    \
            family##_same                                                                                              \
    }
#define x25519_close free

const struct beside_row crypto_mb_25519[] = {
    ROW(x25519, derive), ROW(x25519, keygen), ROW(ed25519, sign), ROW(ed25519, verify), {0},
};
