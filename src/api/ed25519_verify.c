/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Ed25519 verification: nothing here is secret. */
#include "api/bytes25519.h"
#include "api/ed25519_internal.h"
#include "api/flat_internal.h"
#include "api/op_internal.h"
#include "api/operation.h"

#include <octuple/op.h>

static int verify_check(const struct oct_operation *operation, const void *vlane)
{
    const struct oct_ed25519_verify_lane *lane = vlane;
    (void)operation;
    if (!lane->public_key || !lane->signature || (!lane->message && lane->message_len > 0))
        return OCT_ERR_ARGUMENT;
    return lane->message_len < OCT_ED25519_MESSAGE_LIMIT ? OCT_OK : OCT_ERR_LENGTH;
}

/* wide = H(R || A || M), a = A, point = R, sum = S. */
static void read_lanes(struct oct_ed25519_batch *b, const struct oct_ed25519_verify_lane lane[])
{
    struct oct_hash_message message[OCT_LANES];
    uint64_t word[4];
    for (unsigned i = 0; i < b->lanes; i++) {
        memcpy(b->head[i], lane[i].signature, 32);
        memcpy(b->head[i] + 32, lane[i].public_key, 32);
        message[i] = (struct oct_hash_message){b->head[i], lane[i].message, sizeof b->head[i], lane[i].message_len};
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

static int verify_x8(const struct oct_operation *operation, const struct oct_ops *ops, const void *vlane,
                     unsigned lanes, struct oct_lanes *result)
{
    const struct oct_ed25519_verify_lane *lane = vlane;
    struct oct_ed25519_batch b = {.ops = ops, .lanes = lanes};
    const int status = oct_ed25519_batch_open(&b, *ops->ed25519_verify[operation->variant].workspace);
    if (status != OCT_OK)
        return status;
    read_lanes(&b, lane);
    const struct oct_ed25519_verify_args args = {
        .workspace = b.kernel, .comb = b.comb, .wide = b.wide, .s = b.sum, .a = b.a, .r = b.point};
    oct_lanes_report(result, lanes, ops->ed25519_verify[0].run(&args));
    oct_ed25519_batch_close(&b);
    return OCT_OK;
}

/* The public key and the signature, before the message. */
#define FLAT_HEAD (OCT_ED25519_PUBLIC_BYTES + OCT_ED25519_SIGNATURE_BYTES)

static void flat_form(const struct oct_operation *operation, struct oct_flat_form *form)
{
    (void)operation;
    form->in = FLAT_HEAD;
    form->more = OCT_ED25519_MESSAGE_LIMIT - 1;
}

static void flat_lay(const struct oct_operation *operation, void *vlane, const struct oct_flat_lane *at)
{
    struct oct_ed25519_verify_lane *lane = vlane;
    (void)operation;
    *lane = (struct oct_ed25519_verify_lane){.public_key = at->in,
                                             .signature = at->in + OCT_ED25519_PUBLIC_BYTES,
                                             .message = at->in + FLAT_HEAD,
                                             .message_len = at->in_len - FLAT_HEAD};
}

static const struct oct_flat flat = {.form = flat_form, .lay = flat_lay};

const struct oct_family oct_family_ed25519_verify = {.lane_bytes = sizeof(struct oct_ed25519_verify_lane),
                                                     .whole = true,
                                                     .check = verify_check,
                                                     .run_x8 = verify_x8,
                                                     .flat = &flat};

int oct_ed25519_verify_on(const struct oct_ops *ops, const struct oct_ed25519_verify_lane lane[], unsigned lanes,
                          struct oct_lanes *result)
{
    return oct_operation_on(OCT_OP_ED25519_VERIFY, ops, lane, lanes, result);
}

int oct_ed25519_verify_x8(const struct oct_ed25519_verify_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return oct_operation_x8(OCT_OP_ED25519_VERIFY, lane, lanes, result);
}
