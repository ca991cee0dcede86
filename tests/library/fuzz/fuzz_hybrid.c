/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The shares of hybrid groups that come from outside, with edits: groups that are none, lane counts, null pointers,
 * keys with numbers that are not below q, points that are none. What a server makes of a good share its client makes
 * too; a bad one fails its own lane and leaves zeros; an error leaves everything untouched.
 */
#include "input.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FILL 0xa7
#define DK   3168

/* A client of each group, made once, and a server's key pair. */
struct client {
    uint8_t share[OCT_HYBRID_MAX_SHARE], dk[DK], key[48], server_key[48], server_point[96];
    size_t kem, curve, point; /* where the parts begin; a point's bytes */
    int set;
};
static struct client client[OCT_HYBRID_GROUPS];

static void make_pair(int group, const uint8_t *key, uint8_t *point)
{
    const struct oct_x25519_lane x = {key, NULL, point};
    const struct oct_ec_public_lane ec = {key, point};
    struct oct_lanes result;
    if (group == OCT_HYBRID_X25519MLKEM768)
        FUZZ_CHECK(oct_x25519_public_x8(&x, 1, &result) == OCT_OK && result.ok == 1);
    else
        FUZZ_CHECK(oct_ec_public_x8(group - 1, &ec, 1, &result) == OCT_OK && result.ok == 1);
}

static void make_client(int group)
{
    struct client *c = &client[group];
    struct oct_mlkem_keygen_lane lane;
    struct oct_lanes result;
    c->set = group == OCT_HYBRID_SECP384R1MLKEM1024 ? OCT_MLKEM_1024 : OCT_MLKEM_768;
    c->point = oct_hybrid_share_bytes(group) - oct_mlkem_ek_bytes(c->set);
    c->kem = c->point % 2 ? c->point : 0;
    c->curve = c->point % 2 ? 0 : oct_mlkem_ek_bytes(c->set);
    lane = (struct oct_mlkem_keygen_lane){NULL, c->share + c->kem, c->dk};
    FUZZ_CHECK(oct_mlkem_keygen_x8(c->set, &lane, 1, &result) == OCT_OK && result.ok == 1);
    memset(c->key, 0x11, sizeof c->key);
    memset(c->server_key, 0x22, sizeof c->server_key);
    c->share[c->curve] = 4;
    make_pair(group, c->key, c->share + c->curve + c->point % 2);
    make_pair(group, c->server_key, c->server_point);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    if (!oct_op_is_on(OCT_OP_X25519MLKEM768_SERVER))
        exit(77);
    for (int group = 0; group < OCT_HYBRID_GROUPS; group++)
        make_client(group);
    return 0;
}

struct one {
    uint8_t share[OCT_HYBRID_MAX_SHARE], reply[OCT_HYBRID_MAX_SHARE], secret[OCT_HYBRID_MAX_SECRET];
    uint8_t back[OCT_HYBRID_MAX_SECRET];
    bool edited;
};

static void edit(struct fuzz_input *in, struct one *o, const struct client *c, size_t len)
{
    const unsigned kind = fuzz_below(in, 6);
    memcpy(o->share, c->share, len);
    o->edited = kind != 0;
    if (kind == 1)
        o->share[fuzz_below(in, (unsigned)len)] ^= (uint8_t)fuzz_byte(in);
    if (kind == 2)
        memset(o->share + c->kem + 3 * fuzz_below(in, 384), 0xff, 2);
    if (kind == 3)
        fuzz_bytes(in, o->share + c->curve, c->point);
    if (kind == 4)
        memset(o->share + c->curve, (int)fuzz_below(in, 2), c->point);
    if (kind == 5)
        fuzz_bytes(in, o->share, len);
}

static void check_lane(int group, const struct oct_lanes *result, unsigned i, const struct one *o)
{
    static const uint8_t zeros[OCT_HYBRID_MAX_SHARE];
    const struct client *c = &client[group];
    const struct oct_hybrid_client_lane lane = {c->dk, c->key, o->reply, (uint8_t *)o->back};
    struct oct_lanes own;
    FUZZ_CHECK((result->ok >> i & 1) != (result->invalid >> i & 1));
    if (result->invalid >> i & 1) {
        FUZZ_CHECK(o->edited);
        FUZZ_CHECK(memcmp(o->reply, zeros, oct_hybrid_reply_bytes(group)) == 0);
        FUZZ_CHECK(memcmp(o->secret, zeros, oct_hybrid_secret_bytes(group)) == 0);
        return;
    }
    FUZZ_CHECK(oct_mlkem_ek_is_valid_var(c->set, o->share + c->kem) == 1);
    FUZZ_CHECK(oct_hybrid_client_x8(group, &lane, 1, &own) == OCT_OK && own.ok == 1);
    if (!o->edited)
        FUZZ_CHECK(memcmp(o->back, o->secret, oct_hybrid_secret_bytes(group)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct one one[OCT_LANES + 2], was[OCT_LANES + 2];
    struct fuzz_input in = {data, size};
    struct oct_hybrid_server_lane lane[OCT_LANES + 2];
    struct oct_lanes result;
    const int group = (int)fuzz_below(&in, OCT_HYBRID_GROUPS + 2) - 1;
    const unsigned lanes = fuzz_below(&in, OCT_LANES + 2), null = fuzz_below(&in, 20);
    const int known = group >= 0 && group < OCT_HYBRID_GROUPS ? group : 0;
    const struct client *c = &client[known];
    memset(one, FILL, sizeof one);
    for (unsigned i = 0; i < lanes; i++) {
        edit(&in, &one[i], c, oct_hybrid_share_bytes(known));
        lane[i] =
            (struct oct_hybrid_server_lane){one[i].share, c->server_key, c->server_point, one[i].reply, one[i].secret};
    }
    if (lanes > 0 && null < 5)
        ((void **)&lane[fuzz_below(&in, lanes)])[null] = NULL;
    memcpy(was, one, sizeof one);
    const int status = oct_hybrid_server_x8(group, lane, lanes, &result);
    const int good = group == known && lanes >= 1 && lanes <= OCT_LANES && null >= 5;
    FUZZ_CHECK((status == OCT_OK) == good);
    if (status != OCT_OK)
        FUZZ_CHECK(memcmp(was, one, sizeof one) == 0);
    for (unsigned i = 0; good && i < lanes; i++)
        check_lane(group, &result, i, &one[i]);
    return 0;
}
