/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS tables */
/*
 * Hybrid key exchange by the batch calls and the queue, against the operations that it is made of: both sides agree,
 * the parts stand where TLS has them, and a share that is none fails its own lane.
 */
#include "depth.h"
#include "operation_on.h"

#include <octuple/hybrid.h>
#include <octuple/queue.h>
#include <stdbool.h>

struct shape {
    int set;
    size_t point, number, kem_at, curve_at, ct_at, point_at, kem_secret, curve_secret;
};
static const struct shape shapes[OCT_HYBRID_GROUPS] = {
    [OCT_HYBRID_X25519MLKEM768] = {OCT_MLKEM_768, 32, 32, 0, 1184, 0, 1088, 0, 32},
    [OCT_HYBRID_SECP256R1MLKEM768] = {OCT_MLKEM_768, 65, 32, 65, 0, 65, 0, 32, 0},
    [OCT_HYBRID_SECP384R1MLKEM1024] = {OCT_MLKEM_1024, 97, 48, 97, 0, 97, 0, 48, 0},
    [OCT_HYBRID_CURVESM2MLKEM768] = {OCT_MLKEM_768, 65, 32, 65, 0, 65, 0, 32, 0},
};

static uint8_t share[OCT_LANES][OCT_HYBRID_MAX_SHARE], reply[OCT_LANES][OCT_HYBRID_MAX_SHARE], dk[OCT_LANES][3168];
static uint8_t client_key[OCT_LANES][48], server_key[OCT_LANES][48], server_point[OCT_LANES][96];
static uint8_t server_secret[OCT_LANES][OCT_HYBRID_MAX_SECRET], client_secret[OCT_LANES][OCT_HYBRID_MAX_SECRET];
static struct oct_hybrid_server_lane server[OCT_LANES];
static struct oct_hybrid_client_lane client[OCT_LANES];
static struct oct_lanes result;

static void make_points(int group, uint8_t (*key)[48], uint8_t *point[], unsigned first)
{
    const bool is_x25519 = group == OCT_HYBRID_X25519MLKEM768;
    struct oct_x25519_lane x[OCT_LANES];
    struct oct_ec_public_lane ec[OCT_LANES];
    for (unsigned i = 0; i < OCT_LANES; i++) {
        memset(key[i], (int)(first + i), sizeof key[i]);
        key[i][0] = 1; /* below the order of the group */
        x[i] = (struct oct_x25519_lane){key[i], NULL, point[i]};
        ec[i] = (struct oct_ec_public_lane){key[i], point[i]};
    }
    if (is_x25519)
        assert_int_equal(oct_x25519_public_x8(x, OCT_LANES, &result), OCT_OK);
    else
        assert_int_equal(oct_ec_public_x8(group - 1, ec, OCT_LANES, &result), OCT_OK);
    assert_int_equal(result.ok, 0xff);
}

/* Eight clients with their shares, and eight servers. */
static void prepare(int group)
{
    const struct shape *s = &shapes[group];
    const size_t prefix = s->point % 2;
    struct oct_mlkem_keygen_lane keygen[OCT_LANES];
    uint8_t *clients[OCT_LANES], *servers[OCT_LANES];
    for (unsigned i = 0; i < OCT_LANES; i++) {
        keygen[i] = (struct oct_mlkem_keygen_lane){NULL, share[i] + s->kem_at, dk[i]};
        share[i][s->curve_at] = 4;
        clients[i] = share[i] + s->curve_at + prefix;
        servers[i] = server_point[i];
        server[i] =
            (struct oct_hybrid_server_lane){share[i], server_key[i], server_point[i], reply[i], server_secret[i]};
        client[i] = (struct oct_hybrid_client_lane){dk[i], client_key[i], reply[i], client_secret[i]};
    }
    assert_int_equal(oct_mlkem_keygen_x8(s->set, keygen, OCT_LANES, &result), OCT_OK);
    make_points(group, client_key, clients, 10);
    make_points(group, server_key, servers, 30);
}

static void need_groups(void)
{
    for (int group = 0; group < OCT_HYBRID_GROUPS; group++) {
        need_operation(oct_hybrid_server_op(group));
        need_operation(oct_hybrid_client_op(group));
    }
}

static void test_sizes(void **state)
{
    static const size_t sizes[OCT_HYBRID_GROUPS][3] = {
        {1216, 1120, 64}, {1249, 1153, 64}, {1665, 1665, 80}, {1249, 1153, 64}};
    (void)state;
    for (int group = 0; group < OCT_HYBRID_GROUPS; group++) {
        assert_int_equal(oct_hybrid_share_bytes(group), sizes[group][0]);
        assert_int_equal(oct_hybrid_reply_bytes(group), sizes[group][1]);
        assert_int_equal(oct_hybrid_secret_bytes(group), sizes[group][2]);
    }
    for (int group = -1; group <= OCT_HYBRID_GROUPS; group += OCT_HYBRID_GROUPS + 1) {
        assert_int_equal(oct_hybrid_share_bytes(group) + oct_hybrid_reply_bytes(group), 0);
        assert_int_equal(oct_hybrid_secret_bytes(group), 0);
        assert_int_equal(oct_hybrid_server_op(group), -1);
        assert_int_equal(oct_hybrid_client_op(group), -1);
    }
}

/* What the parts say by themselves is what stands in the shares and secrets. */
static void assert_parts(int group, unsigned i)
{
    const struct shape *s = &shapes[group];
    uint8_t kem[32], curve[48];
    const struct oct_mlkem_decaps_lane decaps = {dk[i], reply[i] + s->ct_at, kem};
    const struct oct_x25519_lane x = {client_key[i], reply[i] + s->point_at, curve};
    const struct oct_ec_derive_lane ec = {client_key[i], reply[i] + s->point_at + 1, curve};
    assert_int_equal(oct_mlkem_decaps_x8(s->set, &decaps, 1, &result), OCT_OK);
    if (group == OCT_HYBRID_X25519MLKEM768)
        assert_int_equal(oct_x25519_derive_x8(&x, 1, &result), OCT_OK);
    else
        assert_int_equal(oct_ec_derive_x8(group - 1, &ec, 1, &result), OCT_OK);
    assert_int_equal(result.ok, 1);
    assert_memory_equal(server_secret[i] + s->kem_secret, kem, 32);
    assert_memory_equal(server_secret[i] + s->curve_secret, curve, s->number);
    assert_memory_equal(reply[i] + s->point_at + s->point % 2, server_point[i], s->point - s->point % 2);
    if (s->point % 2 != 0)
        assert_int_equal(reply[i][s->point_at], 4);
}

static void test_both_sides_agree(void **state)
{
    (void)state;
    need_groups();
    for (int group = 0; group < OCT_HYBRID_GROUPS; group++) {
        prepare(group);
        for (unsigned lanes = 1; lanes <= OCT_LANES; lanes += amount(1, 1, OCT_LANES - 1)) {
            const unsigned all = (1u << lanes) - 1;
            assert_int_equal(oct_hybrid_server_x8(group, server, lanes, &result), OCT_OK);
            assert_true(result.ok == all && result.invalid == 0);
            assert_int_equal(oct_hybrid_client_x8(group, client, lanes, &result), OCT_OK);
            assert_true(result.ok == all && result.invalid == 0);
            for (unsigned i = 0; i < lanes; i++) {
                assert_memory_equal(server_secret[i], client_secret[i], oct_hybrid_secret_bytes(group));
                assert_parts(group, i);
            }
        }
    }
}

static void assert_lost(int group, unsigned lane, const uint8_t *out, const uint8_t *secret)
{
    static const uint8_t zeros[OCT_HYBRID_MAX_SHARE];
    assert_true(result.ok == (0xff & ~(1u << lane)) && result.invalid == 1u << lane);
    if (out)
        assert_memory_equal(out, zeros, oct_hybrid_reply_bytes(group));
    assert_memory_equal(secret, zeros, oct_hybrid_secret_bytes(group));
}

/* A bad key of ML-KEM, and a bad point, each in its own lane, with nothing left in its outputs. */
static void test_invalid_shares(void **state)
{
    (void)state;
    need_groups();
    for (int group = 0; group < OCT_HYBRID_GROUPS; group++) {
        const struct shape *s = &shapes[group];
        prepare(group);
        memset(share[3] + s->kem_at, 0xff, 3);
        assert_int_equal(oct_hybrid_server_x8(group, server, OCT_LANES, &result), OCT_OK);
        assert_lost(group, 3, reply[3], server_secret[3]);
        prepare(group);
        if (s->point % 2 == 0)
            memset(share[6] + s->curve_at, 0, s->point);
        else
            share[6][s->curve_at] = 2;
        assert_int_equal(oct_hybrid_server_x8(group, server, OCT_LANES, &result), OCT_OK);
        assert_lost(group, 6, reply[6], server_secret[6]);
        if (s->point % 2 == 0)
            continue;
        prepare(group);
        share[1][s->curve_at + 9] ^= 1;
        assert_int_equal(oct_hybrid_server_x8(group, server, OCT_LANES, &result), OCT_OK);
        assert_lost(group, 1, reply[1], server_secret[1]);
    }
}

static void test_invalid_replies(void **state)
{
    (void)state;
    need_groups();
    for (int group = 0; group < OCT_HYBRID_GROUPS; group++) {
        const struct shape *s = &shapes[group];
        prepare(group);
        assert_int_equal(oct_hybrid_server_x8(group, server, OCT_LANES, &result), OCT_OK);
        memset(reply[2] + s->point_at, 0, s->point);
        reply[5][s->ct_at] ^= 1; /* implicit rejection: another secret, and no error */
        assert_int_equal(oct_hybrid_client_x8(group, client, OCT_LANES, &result), OCT_OK);
        assert_lost(group, 2, NULL, client_secret[2]);
        assert_memory_not_equal(client_secret[5] + s->kem_secret, server_secret[5] + s->kem_secret, 32);
        assert_memory_equal(client_secret[5] + s->curve_secret, server_secret[5] + s->curve_secret, s->number);
    }
}

static void test_arguments(void **state)
{
    struct oct_hybrid_server_lane s = {share[0], server_key[0], server_point[0], reply[0], server_secret[0]};
    struct oct_hybrid_client_lane c = {dk[0], client_key[0], reply[0], client_secret[0]};
    (void)state;
    assert_int_equal(oct_hybrid_server_x8(-1, &s, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_hybrid_server_x8(0, &s, 9, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_hybrid_client_x8(0, &c, 0, &result), OCT_ERR_ARGUMENT);
    for (size_t i = 0; i < sizeof s / sizeof(void *); i++) {
        struct oct_hybrid_server_lane bad = s;
        ((void **)&bad)[i] = NULL;
        assert_int_equal(oct_hybrid_server_x8(0, &bad, 1, &result), OCT_ERR_ARGUMENT);
    }
    for (size_t i = 0; i < sizeof c / sizeof(void *); i++) {
        struct oct_hybrid_client_lane bad = c;
        ((void **)&bad)[i] = NULL;
        assert_int_equal(oct_hybrid_client_x8(0, &bad, 1, &result), OCT_ERR_ARGUMENT);
    }
}

/* Eight jobs of one group run as a batch; one of another group waits. */
static void test_queue(void **state)
{
    struct oct_queue *queue = oct_queue_thread();
    struct oct_job job[OCT_LANES + 1];
    (void)state;
    need_groups();
    prepare(OCT_HYBRID_X25519MLKEM768);
    memset(job, 0, sizeof job);
    job[OCT_LANES].op = OCT_OP_SECP256R1MLKEM768_SERVER;
    job[OCT_LANES].hybrid_server = server[0];
    assert_int_equal(oct_queue_submit(queue, &job[OCT_LANES]), OCT_OK);
    for (int i = 0; i < OCT_LANES; i++) {
        job[i].op = OCT_OP_X25519MLKEM768_SERVER;
        job[i].hybrid_server = server[i];
        assert_int_equal(oct_queue_submit(queue, &job[i]), OCT_OK);
    }
    for (int i = 0; i < OCT_LANES; i++)
        assert_true(job[i].state == OCT_JOB_DONE && job[i].status == OCT_OK);
    assert_int_equal(oct_queue_waiting(queue), 1);
    assert_int_equal(oct_queue_cancel(queue, &job[OCT_LANES]), OCT_OK);
    assert_int_equal(oct_hybrid_client_x8(0, client, OCT_LANES, &result), OCT_OK);
    for (int i = 0; i < OCT_LANES; i++)
        assert_memory_equal(client_secret[i], server_secret[i], oct_hybrid_secret_bytes(0));
}

/* ML-KEM on every CPU: one operation, with its check of keys. */
static void test_anywhere(void **state)
{
    static uint8_t ek[1568], own[3168], ct[1568];
    uint8_t secret[32], back[32];
    (void)state;
    for (int set = 0; set < OCT_MLKEM_SETS; set++) {
        const struct oct_mlkem_keygen_lane keygen = {NULL, ek, own};
        const struct oct_mlkem_encaps_lane encaps = {ek, NULL, ct, secret};
        const struct oct_mlkem_decaps_lane decaps = {own, ct, back};
        assert_int_equal(oct_mlkem_keygen_anywhere(set, &keygen), OCT_OK);
        assert_int_equal(oct_mlkem_ek_is_valid_var(set, ek), 1);
        assert_int_equal(oct_mlkem_encaps_anywhere(set, &encaps), OCT_OK);
        assert_int_equal(oct_mlkem_decaps_anywhere(set, &decaps), OCT_OK);
        assert_memory_equal(secret, back, sizeof back);
        for (size_t at = 0; at < oct_mlkem_ek_bytes(set) - 32; at += 381) {
            const uint8_t before = ek[at + 1];
            ek[at + 1] |= 0x0f; /* the first number of these three bytes is 0xf00 or more */
            assert_int_equal(oct_mlkem_ek_is_valid_var(set, ek), 0);
            assert_int_equal(oct_mlkem_encaps_anywhere(set, &encaps), OCT_ERR_RANGE);
            ek[at + 1] = before;
        }
        assert_int_equal(oct_mlkem_keygen_anywhere(set, NULL), OCT_ERR_ARGUMENT);
    }
    assert_int_equal(oct_mlkem_encaps_anywhere(OCT_MLKEM_SETS, NULL), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_mlkem_ek_is_valid_var(-1, ek), 0);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_sizes, test_both_sides_agree, test_invalid_shares, test_invalid_replies,
                     test_arguments, test_queue, test_anywhere);
}
