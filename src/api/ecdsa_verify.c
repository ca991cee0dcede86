/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Verification of ECDSA and of SM2: bytes into lanes, and the kernel's word on each. Nothing here is secret; the
 * workspace is closed like any other all the same, since it may lie where secrets lay before.
 */
#include "api/ec_internal.h"
#include "api/flat_internal.h"
#include "api/op_internal.h"
#include "api/operation.h"

#include <octuple/op.h>

int oct_ecdsa_verify_op(int curve)
{
    return oct_operation_find(&oct_family_ec_verify, curve);
}

static int verify_check(const struct oct_operation *operation, const void *vlane)
{
    const struct oct_ecdsa_verify_lane *lane = vlane;
    if (!lane->public_key || !lane->digest || !lane->signature)
        return OCT_ERR_ARGUMENT;
    return oct_ecdsa_digest_is_good(operation->variant, lane->digest_len) ? OCT_OK : OCT_ERR_LENGTH;
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

static int verify_x8(const struct oct_operation *operation, const struct oct_ops *ops, const void *vlane,
                     unsigned lanes, struct oct_lanes *result)
{
    const struct oct_ecdsa_verify_lane *lane = vlane;
    const unsigned curve = operation->variant;
    struct oct_ec_batch b = {.ops = ops, .curve = (int)curve, .lanes = lanes};
    const uint64_t *comb = oct_ops_ec_comb(ops, curve);
    const int status = comb ? oct_ec_batch_open(&b, *ops->ec_verify[curve].workspace) : OCT_ERR_MEMORY;
    if (status != OCT_OK)
        return status;
    for (unsigned i = 0; i < lanes; i++)
        read_lane(&b, i, &lane[i]);
    const struct oct_ec_verify_args args = {.workspace = b.kernel,
                                            .comb = comb,
                                            .x = b.number[0],
                                            .y = b.number[1],
                                            .digest = b.number[2],
                                            .r = b.number[3],
                                            .s = b.number[4]};
    oct_lanes_report(result, lanes, ops->ec_verify[curve].run(&args));
    oct_ec_batch_close(&b);
    return OCT_OK;
}

static void flat_form(const struct oct_operation *operation, struct oct_flat_form *form)
{
    form->in = 4 * oct_ec_bytes((int)operation->variant);
    form->more = OCT_EC_MAX_DIGEST;
}

static void flat_lay(const struct oct_operation *operation, void *vlane, const struct oct_flat_lane *at)
{
    struct oct_ecdsa_verify_lane *lane = vlane;
    const size_t bytes = oct_ec_bytes((int)operation->variant);
    *lane = (struct oct_ecdsa_verify_lane){.public_key = at->in,
                                           .signature = at->in + 2 * bytes,
                                           .digest = at->in + 4 * bytes,
                                           .digest_len = at->in_len - 4 * bytes};
}

static const struct oct_flat flat = {.form = flat_form, .lay = flat_lay};

const struct oct_family oct_family_ec_verify = {.lane_bytes = sizeof(struct oct_ecdsa_verify_lane),
                                                .whole = true,
                                                .check = verify_check,
                                                .run_x8 = verify_x8,
                                                .flat = &flat};

int oct_ecdsa_verify_on(const struct oct_ops *ops, int curve, const struct oct_ecdsa_verify_lane lane[], unsigned lanes,
                        struct oct_lanes *result)
{
    return oct_operation_on(oct_ecdsa_verify_op(curve), ops, lane, lanes, result);
}

int oct_ecdsa_verify_x8(int curve, const struct oct_ecdsa_verify_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return oct_operation_x8(oct_ecdsa_verify_op(curve), lane, lanes, result);
}
