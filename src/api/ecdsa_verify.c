/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ECDSA verification: bytes into lanes, and the kernel's word on each. Nothing here is secret; the workspace is closed like any other
 * all the same, since it may lie where secrets lay before.
 */
#include "api/ec_internal.h"
#include "api/op_internal.h"

#include <octuple/op.h>

int oct_ecdsa_verify_op(int curve)
{
    return curve == OCT_EC_P256 ? OCT_OP_P256_VERIFY : curve == OCT_EC_P384 ? OCT_OP_P384_VERIFY : -1;
}

static int check_arguments(const struct oct_ops *ops, int curve, const struct oct_ecdsa_verify_lane lane[],
                           unsigned lanes, const struct oct_lanes *result)
{
    if (!oct_ec_bytes(curve) || !lane || !result || lanes < 1 || lanes > OCT_LANES)
        return OCT_ERR_ARGUMENT;
    for (unsigned i = 0; i < lanes; i++)
        if (!lane[i].public_key || !lane[i].digest || !lane[i].signature)
            return OCT_ERR_ARGUMENT;
    for (unsigned i = 0; i < lanes; i++)
        if (lane[i].digest_len < 1 || lane[i].digest_len > OCT_EC_MAX_DIGEST)
            return OCT_ERR_LENGTH;
    return ops ? OCT_OK : OCT_ERR_UNSUPPORTED;
}

/* Numbers 0 to 4 of the batch: x, y, the digest, r, s. */
static void read_lane(const struct oct_ec_batch *b, unsigned i, const struct oct_ecdsa_verify_lane *lane)
{
    const size_t bytes = b->bytes, len = lane->digest_len;
    oct_ec_batch_read(b, b->number[0], i, lane->public_key, bytes);
    oct_ec_batch_read(b, b->number[1], i, lane->public_key + bytes, bytes);
    oct_ec_batch_read(b, b->number[2], i, lane->digest, len < bytes ? len : bytes);
    oct_ec_batch_read(b, b->number[3], i, lane->signature, bytes);
    oct_ec_batch_read(b, b->number[4], i, lane->signature + bytes, bytes);
}

int oct_ecdsa_verify_on(const struct oct_ops *ops, int curve, const struct oct_ecdsa_verify_lane lane[],
                        unsigned lanes, struct oct_lanes *result)
{
    struct oct_ec_batch b = {.ops = ops, .curve = curve, .lanes = lanes};
    int status = check_arguments(ops, curve, lane, lanes, result);
    if (status != OCT_OK)
        return status;
    const uint64_t *comb = oct_ops_ec_comb(ops, (unsigned)curve);
    status = comb ? oct_ec_batch_open(&b, *ops->ec_verify[curve].workspace) : OCT_ERR_MEMORY;
    if (status != OCT_OK)
        return status;
    for (unsigned i = 0; i < lanes; i++)
        read_lane(&b, i, &lane[i]);
    const struct oct_ec_verify_args args = {.workspace = b.kernel, .comb = comb, .x = b.number[0], .y = b.number[1],
        .digest = b.number[2], .r = b.number[3], .s = b.number[4]};
    oct_lanes_report(result, lanes, ops->ec_verify[curve].run(&args));
    oct_ec_batch_close(&b);
    return OCT_OK;
}

int oct_ecdsa_verify_x8(int curve, const struct oct_ecdsa_verify_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return oct_ecdsa_verify_on(oct_op_table(oct_ecdsa_verify_op(curve)), curve, lane, lanes, result);
}
