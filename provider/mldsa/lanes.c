/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-DSA operations as tasks (async/task.h). While a slice or fibre is paused, nothing of an operation may be the
 * application's memory, which may go with the connection. A signature takes a tenth of a fibre's stack, so all of it is
 * on the heap.
 */
#include "mldsa.h"
#include "provider/async/task.h"
#include "provider/core/provider.h"

#include "base/policy.h"

#include <openssl/crypto.h>
#include <string.h>

struct operation {
    struct oct_task task;
    struct oct_prov_mldsa *key;
    const struct oct_mldsa_key *lanes; /* NULL: signing goes to the fallback, verification takes the bytes */
    struct oct_mldsa_text text;        /* of the bytes below */
    uint8_t context[OCT_MLDSA_CONTEXT_MAX];
    uint8_t bytes[]; /* signature, message */
};

static int signing_fill(const struct oct_task *task, struct oct_job *job)
{
    static const uint8_t zeros[OCT_MLDSA_RANDOM_BYTES];
    struct operation *o = (struct operation *)task;

    job->mldsa_sign = (struct oct_mldsa_sign_lane){
        .key = o->lanes,
        .message = o->text.message,
        .message_len = o->text.message_len,
        .context = o->context,
        .context_len = o->text.context_len,
        .random = o->text.deterministic ? zeros : NULL,
        .signature = o->bytes,
    };
    return o->lanes != NULL;
}

static int signing_fallback(const struct oct_task *task)
{
    struct operation *o = (struct operation *)task;
    return oct_mldsa_fallback_sign(o->key, o->bytes, &o->text);
}

static int verification_fill(const struct oct_task *task, struct oct_job *job)
{
    const struct operation *o = (const struct operation *)task;

    job->mldsa_verify = (struct oct_mldsa_verify_lane){
        .key = o->lanes,
        .public_key = o->key->public_key,
        .message = o->text.message,
        .message_len = o->text.message_len,
        .context = o->context,
        .context_len = o->text.context_len,
        .signature = o->bytes,
    };
    return 1;
}

static int verification_fallback(const struct oct_task *task)
{
    const struct operation *o = (const struct operation *)task;
    return oct_mldsa_fallback_verify(o->key, o->bytes, &o->text);
}

static const struct oct_task_type signing_type = {signing_fill, signing_fallback, OCT_REASON_LANE_INPUT, OCT_WORK_SIGN};
static const struct oct_task_type verification_type = {verification_fill, verification_fallback,
                                                       OCT_REASON_BAD_SIGNATURE, OCT_WORK_NONE};

static size_t size_of(const struct oct_prov_mldsa *key, const struct oct_mldsa_text *text)
{
    return sizeof(struct operation) + oct_mldsa_signature_bytes(key->set) + text->message_len;
}

/* With copies of message and context; NULL with an error raised. */
static struct operation *operation_new(struct oct_prov_mldsa *key, const struct oct_mldsa_text *text)
{
    struct operation *o = OPENSSL_malloc(size_of(key, text));
    uint8_t *message;

    if (o == NULL) {
        OCT_RAISE(key->base.prov, OCT_REASON_MEMORY);
        return NULL;
    }
    message = o->bytes + oct_mldsa_signature_bytes(key->set);
    o->key = key;
    o->lanes = oct_prov_mldsa_lanes(key);
    o->text = *text;
    o->text.message = message;
    if (text->message_len > 0)
        memcpy(message, text->message, text->message_len);
    if (text->context_len > 0)
        memcpy(o->context, text->context, text->context_len);
    return o;
}

static void operation_free(struct operation *o)
{
    OPENSSL_clear_free(o, size_of(o->key, &o->text));
}

static int run(struct operation *o, const struct oct_task_type *type, int op)
{
    o->task = (struct oct_task){
        .type = type,
        .prov = o->key->base.prov,
        .op = op,
        .lane_key = 1,
        .may_pay_alone = true,
        .key = {o->key},
    };
    return oct_task_run(&o->task);
}

/* The lanes of a batch all take as long as the longest message. */
static int lanes_take(const struct oct_mldsa_text *text, int op)
{
    return text->message_len <= OCT_POLICY_LONG_MESSAGE && oct_op_is_on(op);
}

int oct_mldsa_sign(struct oct_prov_mldsa *key, uint8_t *signature, const struct oct_mldsa_text *text)
{
    const int op = oct_mldsa_sign_op(key->set);
    struct operation *o;
    int ok;

    if (!lanes_take(text, op))
        return oct_mldsa_fallback_sign(key, signature, text);
    o = operation_new(key, text);
    if (o == NULL)
        return 0;
    ok = run(o, &signing_type, op);
    if (ok)
        memcpy(signature, o->bytes, oct_mldsa_signature_bytes(key->set));
    operation_free(o);
    return ok;
}

int oct_mldsa_verify(struct oct_prov_mldsa *key, const uint8_t *signature, const struct oct_mldsa_text *text)
{
    const int op = oct_mldsa_verify_op(key->set);
    struct operation *o;
    int ok;

    if (!lanes_take(text, op))
        return oct_mldsa_fallback_verify(key, signature, text);
    o = operation_new(key, text);
    if (o == NULL)
        return 0;
    memcpy(o->bytes, signature, oct_mldsa_signature_bytes(key->set));
    ok = run(o, &verification_type, op);
    operation_free(o);
    return ok;
}
