/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Ed25519 verification: nothing here is secret. */
#include "api/bytes25519.h"
#include "api/ed25519_internal.h"
#include "api/op_internal.h"

#include <octuple/op.h>

static int check_arguments(const struct oct_ops *ops, const struct oct_ed25519_verify_lane lane[], unsigned lanes,
                           const struct oct_lanes *result)
{
    if (!lane || !result || lanes < 1 || lanes > OCT_LANES)
        return OCT_ERR_ARGUMENT;
    for (unsigned i = 0; i < lanes; i++)
        if (!lane[i].public_key || !lane[i].signature || (!lane[i].message && lane[i].message_len > 0))
            return OCT_ERR_ARGUMENT;
    for (unsigned i = 0; i < lanes; i++)
        if (lane[i].message_len >= OCT_ED25519_MESSAGE_LIMIT)
            return OCT_ERR_LENGTH;
    return ops ? OCT_OK : OCT_ERR_UNSUPPORTED;
}

/* wide = H(R || A || M), a = A, point = R, sum = S. */
static void read_lanes(struct oct_ed25519_batch *b, const struct oct_ed25519_verify_lane lane[])
{
    struct oct_sha512_message message[OCT_LANES];
    uint64_t word[4];
    for (unsigned i = 0; i < b->lanes; i++) {
        memcpy(b->head[i], lane[i].signature, 32);
        memcpy(b->head[i] + 32, lane[i].public_key, 32);
        message[i] = (struct oct_sha512_message){b->head[i], lane[i].message, sizeof b->head[i], lane[i].message_len};
    }
    oct_ed25519_batch_hash(b, message);
    for (unsigned i = 0; i < OCT_LANES; i++) {
        const struct oct_ed25519_verify_lane *from = &lane[i < b->lanes ? i : 0];
        oct_load_words(word, from->public_key);
        oct_spread_point(b->a, i, word);
        oct_load_words(word, from->signature);
        oct_spread_point(b->point, i, word);
        oct_load_words(word, from->signature + 32);
        oct_spread52(b->sum, i, word);
    }
}

int oct_ed25519_verify_on(const struct oct_ops *ops, const struct oct_ed25519_verify_lane lane[], unsigned lanes,
                          struct oct_lanes *result)
{
    struct oct_ed25519_batch b = {.ops = ops, .lanes = lanes};
    int status = check_arguments(ops, lane, lanes, result);
    if (status == OCT_OK)
        status = oct_ed25519_batch_open(&b, *ops->ed25519_verify[0].workspace);
    if (status != OCT_OK)
        return status;
    read_lanes(&b, lane);
    const struct oct_ed25519_verify_args args = {.workspace = b.kernel, .comb = b.comb, .wide = b.wide, .s = b.sum,
                                                 .a = b.a, .r = b.point};
    oct_lanes_report(result, lanes, ops->ed25519_verify[0].run(&args));
    oct_ed25519_batch_close(&b);
    return OCT_OK;
}

int oct_ed25519_verify_x8(const struct oct_ed25519_verify_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return oct_ed25519_verify_on(oct_op_table(OCT_OP_ED25519_VERIFY), lane, lanes, result);
}
