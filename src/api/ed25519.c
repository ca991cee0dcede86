/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Ed25519 keys and signatures: bytes into lanes, hashes and kernels in turns, lanes into bytes. */
#include "api/bytes25519.h"
#include "api/ed25519_internal.h"
#include "api/flat_internal.h"
#include "api/op_internal.h"
#include "api/operation.h"
#include "base/guarded.h"

#include <octuple/op.h>

#define LIMBS OCT_ED25519_LIMBS
#define WORDS 4 /* of 64 bits, in 32 bytes */

int oct_ed25519_batch_open(struct oct_ed25519_batch *b, size_t kernel)
{
    const size_t limbs = LIMBS * sizeof(oct_limb8), wide = OCT_ED25519_WIDE_LIMBS * sizeof(oct_limb8);
    const size_t size = sizeof *b->hash + OCT_LANES * sizeof *b->head + wide + 4 * limbs + kernel + 64;
    b->comb = oct_comb25519(b->ops);
    b->workspace = b->comb ? oct_workspace_open(size) : NULL;
    if (!b->workspace)
        return OCT_ERR_MEMORY;
    b->hash = oct_workspace_take(b->workspace, sizeof *b->hash);
    b->head = oct_workspace_take(b->workspace, OCT_LANES * sizeof *b->head);
    b->wide = oct_workspace_take(b->workspace, wide);
    b->scalar = oct_workspace_take(b->workspace, limbs);
    b->point = oct_workspace_take(b->workspace, limbs);
    b->a = oct_workspace_take(b->workspace, limbs);
    b->sum = oct_workspace_take(b->workspace, limbs);
    b->kernel = oct_workspace_take(b->workspace, kernel);
    return OCT_OK;
}

void oct_ed25519_batch_close(struct oct_ed25519_batch *b)
{
    b->ops->clear_registers();
    oct_workspace_close(b->workspace);
    oct_scrub_stack();
}

void oct_ed25519_batch_hash(struct oct_ed25519_batch *b, const struct oct_hash_message message[])
{
    uint64_t word[8];
    oct_sha512_lanes(b->ops, b->hash, message, b->lanes);
    for (unsigned i = 0; i < OCT_LANES; i++) {
        const uint8_t *digest = b->hash->digest[i < b->lanes ? i : 0];
        for (int j = 0; j < 8; j++)
            word[j] = oct_load_le64(digest + 8 * j);
        oct_spread_wide(b->wide, i, word);
    }
    oct_cleanse(word, sizeof word);
}

/* scalar and point from wide: the lanes that are good. */
static unsigned run_base(struct oct_ed25519_batch *b)
{
    const struct oct_ed25519_base_args args = {
        .workspace = b->kernel, .comb = b->comb, .wide = b->wide, .scalar = b->scalar, .point = b->point};
    return b->ops->ed25519_base[0].run(&args) & ((1u << b->lanes) - 1);
}

static void write_words(uint8_t *bytes, const uint64_t word[WORDS])
{
    for (int i = 0; i < WORDS; i++)
        oct_store_le64(bytes + 8 * i, word[i]);
}

static void write_point(uint8_t *bytes, const oct_limb8 *point, unsigned lane)
{
    uint64_t word[WORDS];
    oct_gather51(word, point, lane);
    write_words(bytes, word);
}

/* The key of a seed whose digest stands in the batch. All lanes compute the same. */
static int finish_key(struct oct_ed25519_batch *b, struct oct_ed25519_key *key)
{
    uint64_t word[8] = {0};
    const uint8_t *digest = b->hash->digest[0];
    for (int i = 0; i < WORDS; i++)
        word[i] = oct_load_le64(digest + 8 * i);
    /* RFC 8032, 5.1.5: clear bits 0, 1, 2 and 255, set bit 254. */
    word[0] &= ~(uint64_t)7;
    word[3] &= ~(uint64_t)0 >> 1;
    word[3] |= (uint64_t)1 << 62;
    memcpy(key->scalar, word, sizeof key->scalar);
    memcpy(key->prefix, digest + 32, sizeof key->prefix);
    for (unsigned i = 0; i < OCT_LANES; i++)
        oct_spread_wide(b->wide, i, word);
    oct_cleanse(word, sizeof word);
    if (!run_base(b) && !run_base(b))
        return OCT_ERR_FAULT;
    write_point(key->public_key, b->point, 0);
    return OCT_OK;
}

int oct_ed25519_key_new_on(const struct oct_ops *ops, struct oct_ed25519_key **key, const uint8_t *seed)
{
    struct oct_ed25519_batch b = {.ops = ops, .lanes = 1};
    const struct oct_hash_message message = {.body = seed, .body_len = OCT_ED25519_SEED_BYTES};
    struct oct_ed25519_key *made = oct_guarded_new(sizeof *made);
    int status = made ? oct_ed25519_batch_open(&b, *ops->ed25519_base[0].workspace) : OCT_ERR_MEMORY;
    if (status == OCT_OK) {
        oct_ed25519_batch_hash(&b, &message);
        status = finish_key(&b, made);
        oct_ed25519_batch_close(&b);
    }
    if (status == OCT_OK)
        *key = made;
    else
        oct_ed25519_key_free(made);
    return status;
}

int oct_ed25519_key_new(struct oct_ed25519_key **key, const uint8_t seed[OCT_ED25519_SEED_BYTES])
{
    if (!key || !seed)
        return OCT_ERR_ARGUMENT;
    return oct_op_is_on(OCT_OP_ED25519_SIGN) ? oct_ed25519_key_new_on(oct_ops_selected(), key, seed)
                                             : OCT_ERR_UNSUPPORTED;
}

void oct_ed25519_key_free(struct oct_ed25519_key *key)
{
    oct_guarded_free(key, sizeof *key);
}

const uint8_t *oct_ed25519_key_public(const struct oct_ed25519_key *key)
{
    return key ? key->public_key : NULL;
}

static int sign_check(const struct oct_operation *operation, const void *vlane)
{
    const struct oct_ed25519_sign_lane *lane = vlane;
    (void)operation;
    if (!lane->key || !lane->signature || (!lane->message && lane->message_len > 0))
        return OCT_ERR_ARGUMENT;
    return lane->message_len < OCT_ED25519_MESSAGE_LIMIT ? OCT_OK : OCT_ERR_LENGTH;
}

/* scalar = r, point = R, head = R and A: the lanes that are good. */
static unsigned make_nonces(struct oct_ed25519_batch *b, const struct oct_ed25519_sign_lane lane[])
{
    struct oct_hash_message message[OCT_LANES];
    for (unsigned i = 0; i < b->lanes; i++)
        message[i] = (struct oct_hash_message){lane[i].key->prefix, lane[i].message, sizeof lane[i].key->prefix,
                                               lane[i].message_len};
    oct_ed25519_batch_hash(b, message);
    const unsigned good = run_base(b);
    for (unsigned i = 0; i < b->lanes; i++) {
        write_point(b->head[i], b->point, i);
        memcpy(b->head[i] + 32, lane[i].key->public_key, 32);
    }
    return good;
}

/* sum = S. */
static void make_sums(struct oct_ed25519_batch *b, const struct oct_ed25519_sign_lane lane[])
{
    struct oct_hash_message message[OCT_LANES];
    for (unsigned i = 0; i < b->lanes; i++)
        message[i] = (struct oct_hash_message){b->head[i], lane[i].message, sizeof b->head[i], lane[i].message_len};
    oct_ed25519_batch_hash(b, message);
    for (unsigned i = 0; i < OCT_LANES; i++)
        oct_spread52(b->a, i, lane[i < b->lanes ? i : 0].key->scalar);
    const struct oct_ed25519_scalar_args args = {.wide = b->wide, .r = b->scalar, .a = b->a, .s = b->sum};
    b->ops->ed25519_scalar.run(&args);
}

static void write_signature(const struct oct_ed25519_batch *b, uint8_t *signature, unsigned lane, int good)
{
    uint64_t word[WORDS];
    if (!good) {
        memset(signature, 0, OCT_ED25519_SIGNATURE_BYTES);
        return;
    }
    memcpy(signature, b->head[lane], 32);
    oct_gather52(word, b->sum, lane);
    write_words(signature + 32, word);
}

/* One round, with the signatures written to where they belong. */
static int sign_once(const struct oct_ops *ops, const struct oct_ed25519_sign_lane lane[], unsigned lanes,
                     unsigned *good)
{
    struct oct_ed25519_batch b = {.ops = ops, .lanes = lanes};
    if (oct_ed25519_batch_open(&b, *ops->ed25519_base[0].workspace) != OCT_OK)
        return OCT_ERR_MEMORY;
    *good = make_nonces(&b, lane);
    make_sums(&b, lane);
    for (unsigned i = 0; i < lanes; i++)
        write_signature(&b, lane[i].signature, i, *good >> i & 1);
    oct_ed25519_batch_close(&b);
    return OCT_OK;
}

/* A lane with a fault is run once more, alone. */
static int sign_x8(const struct oct_operation *operation, const struct oct_ops *ops, const void *vlane, unsigned lanes,
                   struct oct_lanes *result)
{
    const struct oct_ed25519_sign_lane *lane = vlane;
    unsigned good = 0;
    const int status = sign_once(ops, lane, lanes, &good);
    (void)operation;
    for (unsigned i = 0; status == OCT_OK && i < lanes; i++) {
        unsigned again = 0;
        if (!(good >> i & 1) && sign_once(ops, &lane[i], 1, &again) == OCT_OK)
            good |= (again & 1) << i;
    }
    if (status == OCT_OK) {
        result->ok = (uint8_t)good;
        result->invalid = 0;
    }
    return status;
}

static void flat_form(const struct oct_operation *operation, struct oct_flat_form *form)
{
    (void)operation;
    form->key = OCT_ED25519_SEED_BYTES;
    form->more = OCT_ED25519_MESSAGE_LIMIT - 1;
    form->out = OCT_ED25519_SIGNATURE_BYTES;
}

static void flat_lay(const struct oct_operation *operation, void *vlane, const struct oct_flat_lane *at)
{
    struct oct_ed25519_sign_lane *lane = vlane;
    (void)operation;
    *lane = (struct oct_ed25519_sign_lane){at->key, at->in, at->in_len, at->out};
}

static int flat_key_new(const struct oct_operation *operation, void **key, const uint8_t *bytes)
{
    struct oct_ed25519_key *made;
    const int status = oct_ed25519_key_new(&made, bytes);
    (void)operation;
    if (status == OCT_OK)
        *key = made;
    return status;
}

static void flat_key_free(void *key)
{
    oct_ed25519_key_free(key);
}

static const struct oct_flat flat = {
    .form = flat_form, .lay = flat_lay, .key_new = flat_key_new, .key_free = flat_key_free};

const struct oct_family oct_family_ed25519_base = {.lane_bytes = sizeof(struct oct_ed25519_sign_lane),
                                                   .whole = true,
                                                   .check = sign_check,
                                                   .run_x8 = sign_x8,
                                                   .flat = &flat};

int oct_ed25519_sign_on(const struct oct_ops *ops, const struct oct_ed25519_sign_lane lane[], unsigned lanes,
                        struct oct_lanes *result)
{
    return oct_operation_on(OCT_OP_ED25519_SIGN, ops, lane, lanes, result);
}

int oct_ed25519_sign_x8(const struct oct_ed25519_sign_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return oct_operation_x8(OCT_OP_ED25519_SIGN, lane, lanes, result);
}
