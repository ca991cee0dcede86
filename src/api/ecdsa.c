/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ECDSA and the signatures of SM2: the nonces, and the signatures made with them. A nonce that an attacker knows, or
 * that serves two messages, gives the private key away, so none is made ahead, none outlives its call, and none rests
 * on the random source alone (the hedging of RFC 6979 with added randomness, 3.6, in one hash: its HMAC construction
 * serves parties that must agree on the nonce, which these need not). 512 bits modulo n are even to within 2^-256 on
 * P-256 and 2^-128 on P-384.
 */
#include "api/ec_internal.h"
#include "api/flat_internal.h"
#include "api/op_internal.h"
#include "api/operation.h"
#include "api/random.h"
#include "api/sha512_lanes.h"
#include "api/workspace.h"

#include <octuple/op.h>

#include <string.h>

#define RANDOM_BYTES 32

/* Before it all, with the curve's number behind it: 15 bytes. */
static const char domain[] = "octuple-ecdsa-";

int oct_ecdsa_sign_op(int curve)
{
    return oct_operation_find(&oct_family_ec_sign, curve);
}

/* What the nonces of one batch are made in. */
struct hedge {
    struct oct_sha512_space hash;
    uint8_t message[OCT_LANES][sizeof domain + OCT_EC_MAX_BYTES + RANDOM_BYTES + OCT_EC_MAX_DIGEST];
};

/* The parts have a fixed length or are last, so that no two inputs make one message. With P-256 and SHA-256 it is one
 * block. */
static size_t write_message(uint8_t *message, int curve, const struct oct_ecdsa_sign_lane *lane,
                            const uint8_t random[RANDOM_BYTES])
{
    uint8_t *end = message;
    const size_t bytes = oct_ec_bytes(curve);
    memcpy(end, domain, sizeof domain - 1);
    end += sizeof domain - 1;
    *end++ = (uint8_t)curve;
    memcpy(end, lane->private_key, bytes);
    end += bytes;
    memcpy(end, random, RANDOM_BYTES);
    end += RANDOM_BYTES;
    memcpy(end, lane->digest, lane->digest_len);
    end += lane->digest_len;
    return (size_t)(end - message);
}

int oct_ecdsa_hedge(const struct oct_ops *ops, uint8_t nonce[OCT_LANES][OCT_EC_NONCE_BYTES], int curve,
                    const struct oct_ecdsa_sign_lane lane[], uint8_t random[OCT_LANES][RANDOM_BYTES], unsigned lanes)
{
    struct oct_hash_message message[OCT_LANES] = {{.head = NULL}};
    struct oct_workspace *workspace = oct_workspace_open(sizeof(struct hedge) + 64);
    if (!workspace)
        return OCT_ERR_MEMORY;
    struct hedge *h = oct_workspace_take(workspace, sizeof *h);
    for (unsigned i = 0; i < lanes; i++) {
        message[i].body = h->message[i];
        message[i].body_len = write_message(h->message[i], curve, &lane[i], random[i]);
    }
    oct_sha512_lanes(ops, &h->hash, message, lanes);
    memcpy(nonce, h->hash.digest, lanes * sizeof nonce[0]);
    oct_workspace_close(workspace);
    return OCT_OK;
}

int oct_ecdsa_nonces(const struct oct_ops *ops, uint8_t nonce[OCT_LANES][OCT_EC_NONCE_BYTES], int curve,
                     const struct oct_ecdsa_sign_lane lane[], unsigned lanes)
{
    uint8_t random[OCT_LANES][RANDOM_BYTES];
    int status = oct_random(random, lanes * sizeof random[0]);
    if (status == OCT_OK)
        status = oct_ecdsa_hedge(ops, nonce, curve, lane, random, lanes);
    oct_cleanse(random, sizeof random);
    return status;
}

static int sign_check(const struct oct_operation *operation, const void *vlane)
{
    const struct oct_ecdsa_sign_lane *lane = vlane;
    if (!lane->private_key || !lane->digest || !lane->signature)
        return OCT_ERR_ARGUMENT;
    return oct_ecdsa_digest_is_good(operation->variant, lane->digest_len) ? OCT_OK : OCT_ERR_LENGTH;
}

/* Signs in all lanes; returns the good ones, whose r and s are numbers 3 and 4 of the batch. */
static unsigned sign_lanes(struct oct_ec_batch *b, const uint64_t *comb, const struct oct_ecdsa_sign_lane lane[],
                           uint8_t nonce[OCT_LANES][OCT_EC_NONCE_BYTES])
{
    for (unsigned i = 0; i < b->lanes; i++) {
        const size_t len = lane[i].digest_len;
        oct_ec_batch_read(b, b->number[0], i, lane[i].private_key, b->bytes);
        oct_ec_batch_read(b, b->number[1], i, nonce[i], OCT_EC_NONCE_BYTES);
        oct_ec_batch_read(b, b->number[2], i, lane[i].digest, len < b->bytes ? len : b->bytes);
    }
    const struct oct_ec_sign_args args = {.workspace = b->kernel,
                                          .comb = comb,
                                          .d = b->number[0],
                                          .nonce = b->number[1],
                                          .digest = b->number[2],
                                          .r = b->number[3],
                                          .s = b->number[4]};
    return b->ops->ec_sign[b->curve].run(&args) & ((1u << b->lanes) - 1);
}

/* One round: nonces, and signatures written to where they belong. */
static int sign_once(const struct oct_ops *ops, int curve, const struct oct_ecdsa_sign_lane lane[], unsigned lanes,
                     oct_ecdsa_nonce_fn *nonces, unsigned *good)
{
    struct oct_ec_batch b = {.ops = ops, .curve = curve, .lanes = lanes};
    uint8_t nonce[OCT_LANES][OCT_EC_NONCE_BYTES];
    const uint64_t *comb = oct_ops_ec_comb(ops, (unsigned)curve);
    int status = comb ? nonces(ops, nonce, curve, lane, lanes) : OCT_ERR_MEMORY;
    if (status == OCT_OK)
        status = oct_ec_batch_open(&b, *ops->ec_sign[curve].workspace);
    if (status == OCT_OK) {
        *good = sign_lanes(&b, comb, lane, nonce);
        for (unsigned i = 0; i < lanes; i++) {
            oct_ec_batch_write(&b, lane[i].signature, b.number[3], i);
            oct_ec_batch_write(&b, lane[i].signature + b.bytes, b.number[4], i);
        }
        oct_ec_batch_close(&b);
    }
    oct_cleanse(nonce, sizeof nonce);
    return status;
}

/* A lane that fails is tried once more, alone, with a new nonce: if its key is good it had met a zero, which happens
 * once in 2^256 times, so that one which fails twice has a bad key. */
static int sign_checked(const struct oct_ops *ops, int curve, const struct oct_ecdsa_sign_lane lane[], unsigned lanes,
                        oct_ecdsa_nonce_fn *nonces, struct oct_lanes *result)
{
    const unsigned all = (1u << lanes) - 1;
    unsigned good = 0;
    const int status = sign_once(ops, curve, lane, lanes, nonces, &good);
    for (unsigned i = 0; status == OCT_OK && good != all && i < lanes; i++) {
        unsigned again = 0;
        if (!(good >> i & 1) && sign_once(ops, curve, &lane[i], 1, nonces, &again) == OCT_OK)
            good |= (again & 1) << i;
    }
    if (status == OCT_OK)
        oct_lanes_report(result, lanes, good);
    return status;
}

static int sign_x8(const struct oct_operation *operation, const struct oct_ops *ops, const void *lane, unsigned lanes,
                   struct oct_lanes *result)
{
    return sign_checked(ops, (int)operation->variant, lane, lanes, oct_ecdsa_nonces, result);
}

static void flat_form(const struct oct_operation *operation, struct oct_flat_form *form)
{
    form->in = oct_ec_bytes((int)operation->variant);
    form->more = OCT_EC_MAX_DIGEST;
    form->out = 2 * form->in;
}

static void flat_lay(const struct oct_operation *operation, void *vlane, const struct oct_flat_lane *at)
{
    struct oct_ecdsa_sign_lane *lane = vlane;
    const size_t bytes = oct_ec_bytes((int)operation->variant);
    *lane = (struct oct_ecdsa_sign_lane){
        .private_key = at->in, .digest = at->in + bytes, .digest_len = at->in_len - bytes, .signature = at->out};
}

static const struct oct_flat flat = {.form = flat_form, .lay = flat_lay};

const struct oct_family oct_family_ec_sign = {.lane_bytes = sizeof(struct oct_ecdsa_sign_lane),
                                              .whole = true,
                                              .check = sign_check,
                                              .run_x8 = sign_x8,
                                              .flat = &flat};

int oct_ecdsa_sign_on(const struct oct_ops *ops, int curve, const struct oct_ecdsa_sign_lane lane[], unsigned lanes,
                      oct_ecdsa_nonce_fn *nonces, struct oct_lanes *result)
{
    const int status = oct_operation_check(oct_ecdsa_sign_op(curve), lane, lanes, result);
    if (status != OCT_OK)
        return status;
    return ops ? sign_checked(ops, curve, lane, lanes, nonces, result) : OCT_ERR_UNSUPPORTED;
}

int oct_ecdsa_sign_x8(int curve, const struct oct_ecdsa_sign_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return oct_operation_x8(oct_ecdsa_sign_op(curve), lane, lanes, result);
}
