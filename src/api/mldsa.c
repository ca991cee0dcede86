/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-DSA batch calls: randomness for all lanes at once, messages hashed together, and the kernels. */
#include "api/mldsa_internal.h"
#include "api/op_internal.h"
#include "api/operation.h"
#include "api/random.h"

#include <string.h>

/* What is hashed before a message: tr, 0 for pure signatures, and the context behind its length (FIPS 204, 5.2). */
#define HEAD_BYTES   (OCT_MLDSA_MU_BYTES + 2 + OCT_MLDSA_CONTEXT_MAX)
#define RANDOM_BYTES (OCT_LANES * 32)

/* The bytes of the lanes of a batch. */
struct lane_bytes {
    uint8_t random[OCT_LANES][32], mu[OCT_LANES][OCT_MLDSA_MU_BYTES];
    uint8_t tr[OCT_LANES][OCT_MLDSA_MU_BYTES], head[OCT_LANES][HEAD_BYTES];
};

size_t oct_mldsa_pk_bytes(int set)
{
    return oct_mldsa_is_set(set) ? oct_mldsa_size[set].pk : 0;
}

size_t oct_mldsa_sk_bytes(int set)
{
    return oct_mldsa_is_set(set) ? oct_mldsa_size[set].sk : 0;
}

size_t oct_mldsa_signature_bytes(int set)
{
    return oct_mldsa_is_set(set) ? oct_mldsa_size[set].signature : 0;
}

int oct_mldsa_keygen_op(int set)
{
    return oct_mldsa_is_set(set) ? OCT_OP_MLDSA44_KEYGEN + 3 * set : -1;
}

int oct_mldsa_sign_op(int set)
{
    return oct_mldsa_is_set(set) ? OCT_OP_MLDSA44_SIGN + 3 * set : -1;
}

int oct_mldsa_verify_op(int set)
{
    return oct_mldsa_is_set(set) ? OCT_OP_MLDSA44_VERIFY + 3 * set : -1;
}

/* A batch with its bytes, and `drawn` fresh random ones among these, by one call of the system. */
static int open_batch(struct oct_mldsa_batch *b, struct lane_bytes **bytes, const struct oct_operation *operation,
                      size_t drawn)
{
    int status = oct_mldsa_batch_open(b, (int)operation->variant, sizeof **bytes);
    if (status != OCT_OK)
        return status;
    *bytes = oct_workspace_take(b->workspace, sizeof **bytes);
    status = drawn == 0 ? OCT_OK : oct_random((*bytes)->random, drawn);
    if (status != OCT_OK)
        oct_mldsa_batch_close(b);
    return status;
}

static int keygen_check(const struct oct_operation *operation, const void *vlane)
{
    const struct oct_mldsa_keygen_lane *lane = vlane;
    (void)operation;
    return lane->pk && lane->sk ? OCT_OK : OCT_ERR_ARGUMENT;
}

static int keygen_x8(const struct oct_operation *operation, const struct oct_ops *ops, const void *vlane,
                     unsigned lanes, struct oct_lanes *result)
{
    const struct oct_mldsa_keygen_lane *lane = vlane;
    struct oct_mldsa_keygen_args args = {.lanes = lanes};
    struct oct_mldsa_batch b;
    struct lane_bytes *bytes;
    (void)ops;
    const int status = open_batch(&b, &bytes, operation, RANDOM_BYTES);
    if (status != OCT_OK)
        return status;
    for (unsigned i = 0; i < lanes; i++) {
        args.seed[i] = lane[i].seed ? lane[i].seed : bytes->random[i];
        args.pk[i] = lane[i].pk;
        args.sk[i] = lane[i].sk;
    }
    args.workspace = b.kernel;
    b.ops->set[b.set].keygen(&args);
    oct_lanes_report(result, lanes, 0xff);
    oct_mldsa_batch_close(&b);
    return OCT_OK;
}

/* What signing and verification are both given. */
struct text {
    const uint8_t *message, *context, *tr;
    size_t message_len, context_len;
};

static int text_check(const struct text *t)
{
    if ((!t->message && t->message_len > 0) || (!t->context && t->context_len > 0))
        return OCT_ERR_ARGUMENT;
    return t->message_len < OCT_MLDSA_MESSAGE_LIMIT && t->context_len <= OCT_MLDSA_CONTEXT_MAX ? OCT_OK
                                                                                               : OCT_ERR_LENGTH;
}

/* mu of all lanes. */
static void hash_texts(const struct oct_mldsa_batch *b, struct lane_bytes *bytes, const struct text text[],
                       unsigned lanes)
{
    struct oct_shake256_args args = {.workspace = b->kernel, .lanes = lanes};
    for (unsigned i = 0; i < lanes; i++) {
        uint8_t *head = bytes->head[i];
        memcpy(head, text[i].tr, OCT_MLDSA_MU_BYTES);
        head[OCT_MLDSA_MU_BYTES] = 0;
        head[OCT_MLDSA_MU_BYTES + 1] = (uint8_t)text[i].context_len;
        if (text[i].context_len > 0)
            memcpy(head + OCT_MLDSA_MU_BYTES + 2, text[i].context, text[i].context_len);
        args.head[i] = head;
        args.head_len[i] = OCT_MLDSA_MU_BYTES + 2 + text[i].context_len;
        args.body[i] = text[i].message;
        args.body_len[i] = text[i].message_len;
        args.out[i] = bytes->mu[i];
    }
    b->ops->shake256(&args);
}

static int sign_check(const struct oct_operation *operation, const void *vlane)
{
    const struct oct_mldsa_sign_lane *lane = vlane;
    if (!lane->key || !lane->key->secret || lane->key->set != (int)operation->variant || !lane->signature)
        return OCT_ERR_ARGUMENT;
    return text_check(&(struct text){lane->message, lane->context, NULL, lane->message_len, lane->context_len});
}

/* Verifies what was made, and zeroes what is no signature; returns these lanes. */
static unsigned check_signatures(const struct oct_mldsa_batch *b, const struct oct_mldsa_sign_args *made,
                                 const struct oct_mldsa_sign_lane lane[])
{
    struct oct_mldsa_verify_args args = {.workspace = b->kernel, .lanes = made->lanes};
    for (unsigned i = 0; i < made->lanes; i++) {
        args.matrix[i] = lane[i].key->matrix;
        args.t1[i] = lane[i].key->t1;
        args.mu[i] = made->mu[i];
        args.signature[i] = made->signature[i];
    }
    const unsigned bad = b->ops->set[b->set].verify(&args);
    for (unsigned i = 0; i < made->lanes; i++)
        if (bad >> i & 1)
            memset(made->signature[i], 0, oct_mldsa_size[b->set].signature);
    return bad;
}

int oct_mldsa_sign_on(const struct oct_mldsa_ops *ops, const struct oct_operation *operation,
                      const struct oct_mldsa_sign_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    struct oct_mldsa_sign_args args = {.lanes = lanes};
    struct text text[OCT_LANES];
    struct oct_mldsa_batch b;
    struct lane_bytes *bytes;
    const int status = open_batch(&b, &bytes, operation, RANDOM_BYTES);
    if (status != OCT_OK)
        return status;
    b.ops = ops ? ops : b.ops;
    for (unsigned i = 0; i < lanes; i++) {
        const struct oct_mldsa_key *key = lane[i].key;
        text[i] = (struct text){lane[i].message, lane[i].context, key->tr, lane[i].message_len, lane[i].context_len};
        args.matrix[i] = key->matrix;
        args.secrets[i] = key->secret->numbers;
        args.key_seed[i] = key->secret->seed;
        args.rnd[i] = lane[i].random ? lane[i].random : bytes->random[i];
        args.mu[i] = bytes->mu[i];
        args.signature[i] = lane[i].signature;
    }
    hash_texts(&b, bytes, text, lanes);
    args.workspace = b.kernel;
    unsigned failed = b.ops->set[b.set].sign(&args);
    failed |= check_signatures(&b, &args, lane);
    result->ok = (uint8_t)(((1u << lanes) - 1) & ~failed);
    result->invalid = 0;
    oct_mldsa_batch_close(&b);
    return OCT_OK;
}

static int sign_x8(const struct oct_operation *operation, const struct oct_ops *ops, const void *vlane, unsigned lanes,
                   struct oct_lanes *result)
{
    (void)ops;
    return oct_mldsa_sign_on(NULL, operation, vlane, lanes, result);
}

static int verify_check(const struct oct_operation *operation, const void *vlane)
{
    const struct oct_mldsa_verify_lane *lane = vlane;
    if (!(lane->key || lane->public_key) || !lane->signature)
        return OCT_ERR_ARGUMENT;
    if (lane->key && lane->key->set != (int)operation->variant)
        return OCT_ERR_ARGUMENT;
    return text_check(&(struct text){lane->message, lane->context, NULL, lane->message_len, lane->context_len});
}

/* tr of the lanes whose public key is not expanded, if there are any. */
static void hash_publics(const struct oct_mldsa_batch *b, struct lane_bytes *bytes,
                         const struct oct_mldsa_verify_lane lane[], unsigned lanes)
{
    struct oct_shake256_args args = {.workspace = b->kernel};
    for (unsigned i = 0; i < lanes; i++) {
        if (lane[i].key)
            continue;
        args.body[args.lanes] = lane[i].public_key;
        args.body_len[args.lanes] = oct_mldsa_size[b->set].pk;
        args.out[args.lanes++] = bytes->tr[i];
    }
    if (args.lanes > 0)
        b->ops->shake256(&args);
}

static int verify_x8(const struct oct_operation *operation, const struct oct_ops *ops, const void *vlane,
                     unsigned lanes, struct oct_lanes *result)
{
    const struct oct_mldsa_verify_lane *lane = vlane;
    struct oct_mldsa_verify_args args = {.lanes = lanes};
    struct text text[OCT_LANES];
    struct oct_mldsa_batch b;
    struct lane_bytes *bytes;
    (void)ops;
    const int status = open_batch(&b, &bytes, operation, 0);
    if (status != OCT_OK)
        return status;
    hash_publics(&b, bytes, lane, lanes);
    for (unsigned i = 0; i < lanes; i++) {
        const struct oct_mldsa_key *key = lane[i].key;
        text[i] = (struct text){lane[i].message, lane[i].context, key ? key->tr : bytes->tr[i], lane[i].message_len,
                                lane[i].context_len};
        args.pk[i] = lane[i].public_key;
        args.matrix[i] = key ? key->matrix : NULL;
        args.t1[i] = key ? key->t1 : NULL;
        args.mu[i] = bytes->mu[i];
        args.signature[i] = lane[i].signature;
    }
    hash_texts(&b, bytes, text, lanes);
    args.workspace = b.kernel;
    oct_lanes_report(result, lanes, ~b.ops->set[b.set].verify(&args));
    oct_mldsa_batch_close(&b);
    return OCT_OK;
}

/* These kernels need more instructions than the rest of the table. */
static bool is_possible(const char **reason)
{
    return oct_mldsa_selected(reason) != NULL;
}

static int known_answer(const struct oct_operation *operation)
{
    return oct_mldsa_known_answer(oct_mldsa_selected(NULL), (enum oct_mldsa_set)operation->variant);
}

#define FAMILY(verb)                                                                                                   \
    {                                                                                                                  \
        .lane_bytes = sizeof(struct oct_mldsa_##verb##_lane), .whole = true, .check = verb##_check,                    \
        .run_x8 = verb##_x8, .is_possible = is_possible, .known_answer = known_answer                                  \
    }
const struct oct_family oct_family_mldsa_keygen = FAMILY(keygen);
const struct oct_family oct_family_mldsa_sign = FAMILY(sign);
const struct oct_family oct_family_mldsa_verify = FAMILY(verify);

int oct_mldsa_keygen_x8(int set, const struct oct_mldsa_keygen_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return oct_operation_x8(oct_mldsa_keygen_op(set), lane, lanes, result);
}

int oct_mldsa_sign_x8(int set, const struct oct_mldsa_sign_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return oct_operation_x8(oct_mldsa_sign_op(set), lane, lanes, result);
}

int oct_mldsa_verify_x8(int set, const struct oct_mldsa_verify_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return oct_operation_x8(oct_mldsa_verify_op(set), lane, lanes, result);
}
