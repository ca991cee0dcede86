/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* X25519 batch calls: bytes into lanes, the kernel, lanes into bytes. */
#include "api/bytes25519.h"
#include "api/flat_internal.h"
#include "api/op_internal.h"
#include "api/operation.h"
#include "api/random.h"
#include "api/workspace.h"
#include "api/x25519_internal.h"
#include "base/checkmem.h"

#include <octuple/op.h>

#include <string.h>

/* One batch in its workspace. Lanes without an operation repeat operation 0. */
struct batch {
    const struct oct_x25519_lane *lane;
    unsigned lanes;
    struct oct_workspace *workspace;
    oct_limb8 *scalar, *peer, *out; /* [5] each */
    void *kernel;
};

static int batch_open(struct batch *b, size_t kernel)
{
    const size_t limbs = OCT_FE25519_LIMBS * sizeof(oct_limb8);
    b->workspace = oct_workspace_open(3 * limbs + kernel + 64);
    if (!b->workspace)
        return OCT_ERR_MEMORY;
    b->scalar = oct_workspace_take(b->workspace, limbs);
    b->peer = oct_workspace_take(b->workspace, limbs);
    b->out = oct_workspace_take(b->workspace, limbs);
    b->kernel = oct_workspace_take(b->workspace, kernel);
    return OCT_OK;
}

static void batch_close(struct batch *b, const struct oct_ops *ops)
{
    ops->clear_registers();
    oct_workspace_close(b->workspace);
    oct_scrub_stack();
}

/* RFC 7748, section 5: clear bits 0, 1, 2 and 255, set bit 254. */
static void clamp(uint64_t word[4])
{
    word[0] &= ~(uint64_t)7;
    word[3] &= ~(uint64_t)0 >> 1;
    word[3] |= (uint64_t)1 << 62;
}

static void read_inputs(struct batch *b, int derive)
{
    uint64_t scalar[4], peer[4];
    for (unsigned i = 0; i < OCT_LANES; i++) {
        const struct oct_x25519_lane *from = &b->lane[i < b->lanes ? i : 0];
        oct_load_words(scalar, from->scalar);
        clamp(scalar);
        oct_spread52(b->scalar, i, scalar);
        if (derive) {
            oct_load_words(peer, from->peer);
            oct_spread51(b->peer, i, peer);
        }
    }
    oct_cleanse(scalar, sizeof scalar);
}

/* Writes what lane i has; returns whether it is anything but zero. */
static unsigned write_output(const struct batch *b, unsigned i)
{
    uint64_t word[4];
    oct_gather51(word, b->out, i);
    for (int j = 0; j < 4; j++)
        oct_store_le64(b->lane[i].out + 8 * j, word[j]);
    uint64_t nonzero = oct_mask_nonzero(word[0] | word[1] | word[2] | word[3]);
    oct_cleanse(word, sizeof word);
    /* Whether a lane is invalid shows in the result. */
    OCT_DECLASSIFY(&nonzero, sizeof nonzero);
    return nonzero & 1;
}

static int public_check(const struct oct_operation *operation, const void *vlane)
{
    const struct oct_x25519_lane *lane = vlane;
    (void)operation;
    return lane->scalar && lane->out ? OCT_OK : OCT_ERR_ARGUMENT;
}

static int derive_check(const struct oct_operation *operation, const void *vlane)
{
    const struct oct_x25519_lane *lane = vlane;
    return lane->peer ? public_check(operation, lane) : OCT_ERR_ARGUMENT;
}

static int run_on(const struct oct_ops *ops, const struct oct_x25519_lane lane[], unsigned lanes,
                  struct oct_lanes *result, int derive)
{
    struct batch b = {.lane = lane, .lanes = lanes};
    const uint64_t *comb = derive ? NULL : oct_comb25519(ops);
    if (!derive && !comb)
        return OCT_ERR_MEMORY;
    const int status = batch_open(&b, derive ? *ops->x25519_derive[0].workspace : *ops->x25519_public[0].workspace);
    if (status != OCT_OK)
        return status;
    read_inputs(&b, derive);
    const struct oct_x25519_args args = {
        .workspace = b.kernel, .comb = comb, .scalar = b.scalar, .peer = b.peer, .out = b.out};
    (derive ? ops->x25519_derive[0].run : ops->x25519_public[0].run)(&args);
    unsigned ok = 0;
    for (unsigned i = 0; i < lanes; i++)
        ok |= write_output(&b, i) << i;
    oct_lanes_report(result, lanes, ok);
    batch_close(&b, ops);
    return OCT_OK;
}

static int derive_x8(const struct oct_operation *operation, const struct oct_ops *ops, const void *lane, unsigned lanes,
                     struct oct_lanes *result)
{
    (void)operation;
    return run_on(ops, lane, lanes, result, 1);
}

static int public_x8(const struct oct_operation *operation, const struct oct_ops *ops, const void *lane, unsigned lanes,
                     struct oct_lanes *result)
{
    (void)operation;
    return run_on(ops, lane, lanes, result, 0);
}

static void derive_form(const struct oct_operation *operation, struct oct_flat_form *form)
{
    (void)operation;
    form->in = 2 * OCT_X25519_BYTES;
    form->out = OCT_X25519_BYTES;
}

static void derive_lay(const struct oct_operation *operation, void *vlane, const struct oct_flat_lane *at)
{
    struct oct_x25519_lane *lane = vlane;
    (void)operation;
    *lane = (struct oct_x25519_lane){at->in, at->in + OCT_X25519_BYTES, at->out};
}

static void pair_form(const struct oct_operation *operation, struct oct_flat_form *form)
{
    (void)operation;
    form->out = 2 * OCT_X25519_BYTES;
}

static void pair_lay(const struct oct_operation *operation, void *vlane, const struct oct_flat_lane *at)
{
    struct oct_x25519_lane *lane = vlane;
    (void)operation;
    *lane = (struct oct_x25519_lane){.scalar = at->out, .out = at->out + OCT_X25519_BYTES};
}

/* The private keys, with one system call, and then the public ones. */
static int pair_x8(const struct oct_operation *operation, void *vlane, unsigned lanes, struct oct_lanes *result)
{
    const struct oct_x25519_lane *lane = vlane;
    uint8_t random[OCT_LANES * OCT_X25519_BYTES];
    int status = oct_random(random, lanes * OCT_X25519_BYTES);
    (void)operation;
    for (unsigned i = 0; status == OCT_OK && i < lanes; i++)
        memcpy(lane[i].out - OCT_X25519_BYTES, random + i * OCT_X25519_BYTES, OCT_X25519_BYTES);
    oct_cleanse(random, sizeof random);
    return status == OCT_OK ? oct_x25519_public_x8(lane, lanes, result) : status;
}

static const struct oct_flat derive_flat = {.form = derive_form, .lay = derive_lay};
static const struct oct_flat pair_flat = {.form = pair_form, .lay = pair_lay, .draw_x8 = pair_x8};

const struct oct_family oct_family_x25519_derive = {.lane_bytes = sizeof(struct oct_x25519_lane),
                                                    .whole = true,
                                                    .check = derive_check,
                                                    .run_x8 = derive_x8,
                                                    .flat = &derive_flat};
const struct oct_family oct_family_x25519_public = {.lane_bytes = sizeof(struct oct_x25519_lane),
                                                    .whole = true,
                                                    .check = public_check,
                                                    .run_x8 = public_x8,
                                                    .flat = &pair_flat};

int oct_x25519_derive_on(const struct oct_ops *ops, const struct oct_x25519_lane lane[], unsigned lanes,
                         struct oct_lanes *result)
{
    return oct_operation_on(OCT_OP_X25519_DERIVE, ops, lane, lanes, result);
}

int oct_x25519_public_on(const struct oct_ops *ops, const struct oct_x25519_lane lane[], unsigned lanes,
                         struct oct_lanes *result)
{
    return oct_operation_on(OCT_OP_X25519_KEYGEN, ops, lane, lanes, result);
}

int oct_x25519_derive_x8(const struct oct_x25519_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return oct_operation_x8(OCT_OP_X25519_DERIVE, lane, lanes, result);
}

int oct_x25519_public_x8(const struct oct_x25519_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return oct_operation_x8(OCT_OP_X25519_KEYGEN, lane, lanes, result);
}
