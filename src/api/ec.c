/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ECDH and key pairs: bytes into lanes, the kernel, lanes into bytes. Which lanes are good the kernel says.
 */
#include "api/ec_internal.h"
#include "api/flat_internal.h"
#include "api/op_internal.h"
#include "api/operation.h"
#include "api/random.h"
#include "api/workspace.h"
#include "base/big.h"

#include <octuple/op.h>

#include <string.h>

#define MAX_WORDS 8

_Static_assert(OCT_EC_TABLES == OCT_EC_CURVES, "every curve of the API has kernels");

size_t oct_ec_bytes(int curve)
{
    return curve >= 0 && curve < OCT_EC_TABLES ? oct_ec_shape((unsigned)curve).bytes : 0;
}

int oct_ec_derive_op(int curve)
{
    return oct_operation_find(&oct_family_ec_derive, curve);
}

int oct_ec_keygen_op(int curve)
{
    return oct_operation_find(&oct_family_ec_public, curve);
}

int oct_ec_batch_open(struct oct_ec_batch *b, size_t kernel)
{
    const size_t number = OCT_EC_NONCE_LIMBS * sizeof(oct_limb8);
    const struct oct_ec_shape shape = oct_ec_shape((unsigned)b->curve);
    b->limbs = shape.limbs;
    b->bytes = shape.bytes;
    b->workspace = oct_workspace_open(OCT_ARRAY_LEN(b->number) * number + kernel + 64);
    if (!b->workspace)
        return OCT_ERR_MEMORY;
    for (size_t i = 0; i < OCT_ARRAY_LEN(b->number); i++)
        b->number[i] = oct_workspace_take(b->workspace, number);
    b->kernel = oct_workspace_take(b->workspace, kernel);
    return OCT_OK;
}

void oct_ec_batch_close(struct oct_ec_batch *b)
{
    b->ops->clear_registers();
    oct_workspace_close(b->workspace);
    oct_scrub_stack();
}

void oct_ec_batch_read(const struct oct_ec_batch *b, oct_limb8 *x, unsigned i, const uint8_t *bytes, size_t len)
{
    const unsigned limbs = len > b->bytes ? OCT_EC_NONCE_LIMBS : b->limbs;
    uint64_t word[MAX_WORDS], limb[OCT_EC_NONCE_LIMBS];
    (void)oct_big_from_bytes(word, MAX_WORDS, bytes, len);
    oct_big_to_limbs52(limb, limbs, word, MAX_WORDS);
    for (unsigned j = 0; j < limbs; j++) {
        x[j][i] = limb[j];
        for (unsigned rest = b->lanes; i == 0 && rest < OCT_LANES; rest++)
            x[j][rest] = limb[j];
    }
    oct_cleanse(word, sizeof word);
    oct_cleanse(limb, sizeof limb);
}

void oct_ec_batch_write(const struct oct_ec_batch *b, uint8_t *bytes, const oct_limb8 *x, unsigned i)
{
    uint64_t word[MAX_WORDS], limb[OCT_EC_MAX_LIMBS];
    for (unsigned j = 0; j < b->limbs; j++)
        limb[j] = x[j][i];
    oct_big_from_limbs52(word, MAX_WORDS, limb, b->limbs);
    oct_big_to_bytes(bytes, b->bytes, word, MAX_WORDS);
    oct_cleanse(word, sizeof word);
    oct_cleanse(limb, sizeof limb);
}

static int derive_check(const struct oct_operation *operation, const void *vlane)
{
    const struct oct_ec_derive_lane *lane = vlane;
    (void)operation;
    return lane->private_key && lane->peer && lane->secret ? OCT_OK : OCT_ERR_ARGUMENT;
}

static int derive_x8(const struct oct_operation *operation, const struct oct_ops *ops, const void *vlane,
                     unsigned lanes, struct oct_lanes *result)
{
    const struct oct_ec_derive_lane *lane = vlane;
    const unsigned curve = operation->variant;
    struct oct_ec_batch b = {.ops = ops, .curve = (int)curve, .lanes = lanes};
    const int status = oct_ec_batch_open(&b, *ops->ec_derive[curve].workspace);
    if (status != OCT_OK)
        return status;
    for (unsigned i = 0; i < lanes; i++) {
        oct_ec_batch_read(&b, b.number[0], i, lane[i].private_key, b.bytes);
        oct_ec_batch_read(&b, b.number[1], i, lane[i].peer, b.bytes);
        oct_ec_batch_read(&b, b.number[2], i, lane[i].peer + b.bytes, b.bytes);
    }
    const struct oct_ec_derive_args args = {
        .workspace = b.kernel, .scalar = b.number[0], .x = b.number[1], .y = b.number[2], .out = b.number[3]};
    oct_lanes_report(result, lanes, ops->ec_derive[curve].run(&args));
    for (unsigned i = 0; i < lanes; i++)
        oct_ec_batch_write(&b, lane[i].secret, b.number[3], i);
    oct_ec_batch_close(&b);
    return OCT_OK;
}

static int public_check(const struct oct_operation *operation, const void *vlane)
{
    const struct oct_ec_public_lane *lane = vlane;
    (void)operation;
    return lane->private_key && lane->public_key ? OCT_OK : OCT_ERR_ARGUMENT;
}

static int public_x8(const struct oct_operation *operation, const struct oct_ops *ops, const void *vlane,
                     unsigned lanes, struct oct_lanes *result)
{
    const struct oct_ec_public_lane *lane = vlane;
    const unsigned curve = operation->variant;
    struct oct_ec_batch b = {.ops = ops, .curve = (int)curve, .lanes = lanes};
    const uint64_t *comb = oct_ops_ec_comb(ops, curve);
    const int status = comb ? oct_ec_batch_open(&b, *ops->ec_public[curve].workspace) : OCT_ERR_MEMORY;
    if (status != OCT_OK)
        return status;
    for (unsigned i = 0; i < lanes; i++)
        oct_ec_batch_read(&b, b.number[0], i, lane[i].private_key, b.bytes);
    const struct oct_ec_public_args args = {
        .workspace = b.kernel, .comb = comb, .scalar = b.number[0], .x = b.number[1], .y = b.number[2]};
    oct_lanes_report(result, lanes, ops->ec_public[curve].run(&args));
    for (unsigned i = 0; i < lanes; i++) {
        oct_ec_batch_write(&b, lane[i].public_key, b.number[1], i);
        oct_ec_batch_write(&b, lane[i].public_key + b.bytes, b.number[2], i);
    }
    oct_ec_batch_close(&b);
    return OCT_OK;
}

/* New candidates for the lanes in `wanted`, with one system call. */
static int draw_keys(int curve, const struct oct_ec_keygen_lane lane[], unsigned lanes, unsigned wanted)
{
    uint8_t random[OCT_LANES * OCT_EC_MAX_BYTES];
    const size_t bytes = oct_ec_bytes(curve);
    const int status = oct_random(random, lanes * bytes);
    for (unsigned i = 0; status == OCT_OK && i < lanes; i++)
        if (wanted >> i & 1)
            memcpy(lane[i].private_key, random + i * bytes, bytes);
    oct_cleanse(random, sizeof random);
    return status;
}

/* A candidate is out of range once in 2^32 times (P-256) or never (P-384): then all lanes are computed again. */
int oct_ec_keygen_on(const struct oct_ops *ops, int curve, const struct oct_ec_keygen_lane lane[], unsigned lanes,
                     struct oct_lanes *result)
{
    struct oct_ec_public_lane public[OCT_LANES];
    struct oct_lanes now = {0};
    if (!lane || lanes > OCT_LANES)
        return OCT_ERR_ARGUMENT;
    for (unsigned i = 0; i < lanes; i++)
    public[i] = (struct oct_ec_public_lane){lane[i].private_key, lane[i].public_key};
    const unsigned all = (1u << lanes) - 1;
    int status = oct_operation_check(oct_ec_keygen_op(curve), public, lanes, result);
    if (status == OCT_OK && !ops)
        status = OCT_ERR_UNSUPPORTED;
    while (status == OCT_OK && now.ok != all) {
        status = draw_keys(curve, lane, lanes, all & ~now.ok);
        if (status == OCT_OK)
            status = oct_ec_public_on(ops, curve, public, lanes, &now);
    }
    if (status == OCT_OK)
        *result = now;
    return status;
}

static void derive_form(const struct oct_operation *operation, struct oct_flat_form *form)
{
    form->out = oct_ec_bytes((int)operation->variant);
    form->in = 3 * form->out;
}

static void derive_lay(const struct oct_operation *operation, void *vlane, const struct oct_flat_lane *at)
{
    struct oct_ec_derive_lane *lane = vlane;
    *lane = (struct oct_ec_derive_lane){at->in, at->in + oct_ec_bytes((int)operation->variant), at->out};
}

static void pair_form(const struct oct_operation *operation, struct oct_flat_form *form)
{
    form->out = 3 * oct_ec_bytes((int)operation->variant);
}

static void pair_lay(const struct oct_operation *operation, void *vlane, const struct oct_flat_lane *at)
{
    struct oct_ec_keygen_lane *lane = vlane;
    *lane = (struct oct_ec_keygen_lane){at->out, at->out + oct_ec_bytes((int)operation->variant)};
}

static int pair_x8(const struct oct_operation *operation, void *lane, unsigned lanes, struct oct_lanes *result)
{
    return oct_ec_keygen_x8((int)operation->variant, lane, lanes, result);
}

static const struct oct_flat derive_flat = {.form = derive_form, .lay = derive_lay};
static const struct oct_flat pair_flat = {.form = pair_form, .lay = pair_lay, .draw_x8 = pair_x8};
/* A lane of a pair takes the place of one of a public key. */
_Static_assert(sizeof(struct oct_ec_keygen_lane) == sizeof(struct oct_ec_public_lane), "lanes of two sizes");

const struct oct_family oct_family_ec_derive = {.lane_bytes = sizeof(struct oct_ec_derive_lane),
                                                .whole = true,
                                                .check = derive_check,
                                                .run_x8 = derive_x8,
                                                .flat = &derive_flat};
const struct oct_family oct_family_ec_public = {.lane_bytes = sizeof(struct oct_ec_public_lane),
                                                .whole = true,
                                                .check = public_check,
                                                .run_x8 = public_x8,
                                                .flat = &pair_flat};

int oct_ec_derive_on(const struct oct_ops *ops, int curve, const struct oct_ec_derive_lane lane[], unsigned lanes,
                     struct oct_lanes *result)
{
    return oct_operation_on(oct_ec_derive_op(curve), ops, lane, lanes, result);
}

int oct_ec_public_on(const struct oct_ops *ops, int curve, const struct oct_ec_public_lane lane[], unsigned lanes,
                     struct oct_lanes *result)
{
    return oct_operation_on(oct_ec_keygen_op(curve), ops, lane, lanes, result);
}

int oct_ec_derive_x8(int curve, const struct oct_ec_derive_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return oct_operation_x8(oct_ec_derive_op(curve), lane, lanes, result);
}

int oct_ec_public_x8(int curve, const struct oct_ec_public_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return oct_operation_x8(oct_ec_keygen_op(curve), lane, lanes, result);
}

int oct_ec_keygen_x8(int curve, const struct oct_ec_keygen_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return oct_ec_keygen_on(oct_op_table(oct_ec_keygen_op(curve)), curve, lane, lanes, result);
}
