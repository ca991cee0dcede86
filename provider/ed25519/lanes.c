/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Ed25519 operations as tasks (async/task.h). Whether a signature is good must not depend on what is verified beside
 * it: public keys about which lanes and OpenSSL disagree never go to lanes.
 *
 * While a slice or fibre is paused its message must not be the application's memory, which may go with the connection:
 * it is copied. The lanes of a batch all take as long as the longest message, so that long ones, which no handshake
 * has, run by the fallback.
 */
#include "ed25519.h"
#include "provider/core/provider.h"
#include "provider/async/task.h"

#include "base/slice.h"
#include "base/policy.h"

#include <openssl/async.h>
#include <openssl/crypto.h>
#include <string.h>

struct operation {
    struct oct_task task;
    struct oct_prov_ed25519 *key;
    const struct oct_ed25519_key *lanes; /* to sign with; NULL: by the fallback */
    const uint8_t *message;
    size_t message_len;
    uint8_t signature[OCT_ED25519_SIGNATURE_BYTES];
};

static int signing_fill(const struct oct_task *task, struct oct_job *job)
{
    struct operation *o = (struct operation *)task;

    job->ed25519_sign = (struct oct_ed25519_sign_lane){o->lanes, o->message, o->message_len, o->signature};
    return o->lanes != NULL;
}

static int signing_fallback(const struct oct_task *task)
{
    struct operation *o = (struct operation *)task;
    return oct_ed25519_fallback_sign(o->key, o->signature, o->message, o->message_len);
}

static int verification_fill(const struct oct_task *task, struct oct_job *job)
{
    const struct operation *o = (const struct operation *)task;

    job->ed25519_verify =
        (struct oct_ed25519_verify_lane){o->key->public_key, o->message, o->message_len, o->signature};
    return 1;
}

static int verification_fallback(const struct oct_task *task)
{
    const struct operation *o = (const struct operation *)task;
    return oct_ed25519_fallback_verify(o->key, o->signature, o->message, o->message_len);
}

static const struct oct_task_type signing_type = {signing_fill, signing_fallback, OCT_REASON_LANE_INPUT, OCT_WORK_SIGN};
static const struct oct_task_type verification_type = {verification_fill, verification_fallback,
                                                       OCT_REASON_BAD_SIGNATURE, OCT_WORK_NONE};

/* In a slice or fibre with a copy of the message, which is its own. */
static int run(struct operation *o)
{
    uint8_t *copy = NULL;
    int ok;

    if (o->message_len != 0 && (ASYNC_get_current_job() != NULL || oct_slice_current() != NULL)) {
        copy = OPENSSL_memdup(o->message, o->message_len);
        if (copy == NULL)
            return OCT_RAISE(o->key->base.prov, OCT_REASON_MEMORY);
        o->message = copy;
    }
    ok = oct_task_run(&o->task);
    OPENSSL_clear_free(copy, o->message_len);
    return ok;
}

int oct_ed25519_sign(struct oct_prov_ed25519 *key, uint8_t signature[OCT_ED25519_SIGNATURE_BYTES],
                     const uint8_t *message, size_t message_len)
{
    struct operation o = {
        .task = {.type = &signing_type,
                 .prov = key->base.prov,
                 .op = OCT_OP_ED25519_SIGN,
                 .lane_key = 1,
                 .may_pay_alone = true,
                 .key = {key}},
        .key = key,
        .message = message,
        .message_len = message_len,
    };

    if (message_len > OCT_POLICY_LONG_MESSAGE || !oct_op_is_on(OCT_OP_ED25519_SIGN))
        return oct_ed25519_fallback_sign(key, signature, message, message_len);
    o.lanes = oct_prov_ed25519_lanes(key);
    if (!run(&o))
        return 0;
    memcpy(signature, o.signature, sizeof o.signature);
    return 1;
}

int oct_ed25519_verify(struct oct_prov_ed25519 *key, const uint8_t signature[OCT_ED25519_SIGNATURE_BYTES],
                       const uint8_t *message, size_t message_len)
{
    struct operation o = {
        .task = {.type = &verification_type,
                 .prov = key->base.prov,
                 .op = OCT_OP_ED25519_VERIFY,
                 .lane_key = 1,
                 .may_pay_alone = true,
                 .key = {key}},
        .key = key,
        .message = message,
        .message_len = message_len,
    };

    if (message_len > OCT_POLICY_LONG_MESSAGE || !key->is_canonical || !oct_op_is_on(OCT_OP_ED25519_VERIFY))
        return oct_ed25519_fallback_verify(key, signature, message, message_len);
    memcpy(o.signature, signature, sizeof o.signature);
    return run(&o);
}
