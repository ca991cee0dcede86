/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A server's key exchange with a hybrid group for `octuple speed`, all of it: the client's share is parsed, a key pair
 * is made, and the secret comes out. Eight different clients. OpenSSL has X25519MLKEM768 from 3.5 on, and
 * curveSM2MLKEM768 from 4.0 on.
 */
#include "keys.h"
#include "speed.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SHARE   1249 /* at most */
#define REPLY   1153
#define SECRET  64
#define EK      1184
#define DK      2400
#define PRIVATE 32
#define PUBLIC  64 /* at most */

/* X25519's share has ML-KEM's key and then the curve's, SM2's has the curve's point first. */
struct group {
    const char *name;
    int number; /* enum oct_hybrid_group */
    size_t key_at, public_at;
};
static const struct group groups[] = {{"X25519MLKEM768", OCT_HYBRID_X25519MLKEM768, 0, EK},
                                      {"curveSM2MLKEM768", OCT_HYBRID_CURVESM2MLKEM768, 65, 1}};

struct hybrid_state {
    const struct group *group;
    bool has_openssl;
    uint8_t share[OCT_LANES][SHARE], dk[OCT_LANES][DK], client[OCT_LANES][PRIVATE];
    uint8_t reply[OCT_LANES][REPLY], secret[OCT_LANES][SECRET];             /* what Octuple made last */
    uint8_t their_reply[OCT_LANES][REPLY], their_secret[OCT_LANES][SECRET]; /* what OpenSSL made last */
};

static int lanes_are_good(int status, const struct oct_lanes *result)
{
    return status == OCT_OK && result->ok == 0xff;
}

static int make_pairs(const struct group *group, uint8_t private_key[OCT_LANES][PRIVATE], uint8_t *public_key,
                      size_t stride)
{
    struct oct_lanes result;
    if (group->number == OCT_HYBRID_X25519MLKEM768) {
        struct oct_x25519_lane lane[OCT_LANES];
        if (RAND_priv_bytes(private_key[0], OCT_LANES * PRIVATE) <= 0)
            return 0;
        for (int i = 0; i < OCT_LANES; i++)
            lane[i] = (struct oct_x25519_lane){private_key[i], NULL, public_key + i * stride};
        return lanes_are_good(oct_x25519_public_x8(lane, OCT_LANES, &result), &result);
    }
    struct oct_ec_keygen_lane lane[OCT_LANES];
    for (int i = 0; i < OCT_LANES; i++)
        lane[i] = (struct oct_ec_keygen_lane){private_key[i], public_key + i * stride};
    return lanes_are_good(oct_ec_keygen_x8(OCT_EC_SM2, lane, OCT_LANES, &result), &result);
}

static int make_clients(struct hybrid_state *s)
{
    struct oct_mlkem_keygen_lane lane[OCT_LANES];
    struct oct_lanes result;
    for (int i = 0; i < OCT_LANES; i++) {
        s->share[i][0] = 4; /* before a point; ML-KEM's key overwrites it */
        lane[i] = (struct oct_mlkem_keygen_lane){NULL, s->share[i] + s->group->key_at, s->dk[i]};
    }
    return lanes_are_good(oct_mlkem_keygen_x8(OCT_MLKEM_768, lane, OCT_LANES, &result), &result) &&
           make_pairs(s->group, s->client, s->share[0] + s->group->public_at, SHARE);
}

static void hybrid_close(void *arg)
{
    struct hybrid_state *s = arg;
    if (s != NULL) {
        OPENSSL_cleanse(s, sizeof *s);
        free(s);
    }
}

/* Where Octuple is off there are no clients of its making to measure OpenSSL with: then nothing is. */
static void *hybrid_open(const struct speed_op *op)
{
    struct hybrid_state *s = speed_libctx() != NULL ? calloc(1, sizeof *s) : NULL;
    if (s == NULL || !speed_op_is_on(op))
        return s;
    s->group = &groups[op->param];
    s->has_openssl = speed_openssl_has(s->group->name);
    if (make_clients(s))
        return s;
    cli_say("octuple speed", "%s cannot be prepared", op->name);
    hybrid_close(s);
    return NULL;
}

static unsigned octuple_server(void *arg)
{
    struct hybrid_state *s = arg;
    uint8_t private_key[OCT_LANES][PRIVATE], public_key[OCT_LANES][PUBLIC];
    struct oct_hybrid_server_lane lane[OCT_LANES];
    struct oct_lanes result;
    if (!make_pairs(s->group, private_key, public_key[0], PUBLIC))
        return 0;
    for (int i = 0; i < OCT_LANES; i++) {
        lane[i] =
            (struct oct_hybrid_server_lane){s->share[i], private_key[i], public_key[i], s->reply[i], s->secret[i]};
    }
    int ok = lanes_are_good(oct_hybrid_server_x8(s->group->number, lane, OCT_LANES, &result), &result);
    OPENSSL_cleanse(private_key, sizeof private_key);
    return ok ? OCT_LANES : 0;
}

static unsigned openssl_server(void *arg)
{
    struct hybrid_state *s = arg;
    if (!s->has_openssl)
        return SPEED_NONE;
    const size_t share = oct_hybrid_share_bytes(s->group->number);
    for (int i = 0; i < OCT_LANES; i++) {
        size_t reply = REPLY, secret = SECRET;
        EVP_PKEY *key = EVP_PKEY_new_raw_public_key_ex(speed_libctx(), s->group->name, NULL, s->share[i], share);
        EVP_PKEY_CTX *ctx = key != NULL ? EVP_PKEY_CTX_new_from_pkey(speed_libctx(), key, NULL) : NULL;
        int ok = ctx != NULL && EVP_PKEY_encapsulate_init(ctx, NULL) > 0 &&
                 EVP_PKEY_encapsulate(ctx, s->their_reply[i], &reply, s->their_secret[i], &secret) > 0;
        EVP_PKEY_CTX_free(ctx);
        EVP_PKEY_free(key);
        if (!ok)
            return 0;
    }
    return OCT_LANES;
}

/* The clients come to the same secrets as each server did. */
static int agrees(const struct hybrid_state *s, const uint8_t (*reply)[REPLY], const uint8_t (*secret)[SECRET])
{
    struct oct_hybrid_client_lane lane[OCT_LANES];
    uint8_t back[OCT_LANES][SECRET];
    struct oct_lanes result;
    for (int i = 0; i < OCT_LANES; i++)
        lane[i] = (struct oct_hybrid_client_lane){s->dk[i], s->client[i], reply[i], back[i]};
    return lanes_are_good(oct_hybrid_client_x8(s->group->number, lane, OCT_LANES, &result), &result) &&
           memcmp(back, secret, sizeof back) == 0;
}

static int same_server(void *arg)
{
    const struct hybrid_state *s = arg;
    return agrees(s, s->reply, s->secret) && (!s->has_openssl || agrees(s, s->their_reply, s->their_secret));
}

const struct speed_op speed_hybrid_ops[] = {
    {"x25519mlkem768-server", "op/s", OCT_OP_X25519MLKEM768_SERVER, 0, hybrid_open, hybrid_close, octuple_server,
     openssl_server, same_server},
    {"curvesm2mlkem768-server", "op/s", OCT_OP_CURVESM2MLKEM768_SERVER, 1, hybrid_open, hybrid_close, octuple_server,
     openssl_server, same_server},
    {0},
};
