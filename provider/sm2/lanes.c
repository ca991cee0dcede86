/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Signing and verifying a digest, in lanes where they serve. A vector is cheaper here even for one. What is not two
 * numbers in DER, OpenSSL's own code judges.
 */
#include "api/verdict.h"
#include "sm2.h"
#include "provider/async/task.h"
#include "provider/contexts/ec_forms.h"
#include "provider/core/provider.h"

#include <openssl/err.h>
#include <string.h>

/* The buffers are on the stack of the calling slice or fibre: while it is paused they must not be the application's
 * memory. */
struct work {
    struct oct_task task;
    uint8_t digest[OCT_SM2_BYTES];
    uint8_t der[OCT_SM2_MAX_SIGNATURE];
    size_t der_len; /* of a new signature 0 while it is in `numbers` */
    uint8_t numbers[2 * OCT_SM2_BYTES];
};

static int signing_fill(const struct oct_task *task, struct oct_job *job)
{
    struct work *w = (struct work *)task;
    const struct oct_prov_sm2 *key = task->key[0];

    job->ecdsa_sign = (struct oct_ecdsa_sign_lane){key->private_key, w->digest, sizeof w->digest, w->numbers};
    return 1;
}

static int signing_fallback(const struct oct_task *task)
{
    struct work *w = (struct work *)task;
    w->der_len = sizeof w->der;
    return oct_sm2_fallback_sign(task->key[0], w->der, &w->der_len, w->digest);
}

static int verification_fill(const struct oct_task *task, struct oct_job *job)
{
    const struct work *w = (const struct work *)task;
    const struct oct_prov_sm2 *key = task->key[0];

    job->ecdsa_verify = (struct oct_ecdsa_verify_lane){key->public_key, w->digest, sizeof w->digest, w->numbers};
    return 1;
}

static int verification_fallback(const struct oct_task *task)
{
    const struct work *w = (const struct work *)task;
    return oct_sm2_fallback_verify(task->key[0], w->der, w->der_len, w->digest) > 0;
}

static const struct oct_task_type signing_type = {signing_fill, signing_fallback, OCT_REASON_LANE_INPUT, OCT_WORK_SIGN};
static const struct oct_task_type verification_type = {verification_fill, verification_fallback,
                                                       OCT_REASON_BAD_SIGNATURE, OCT_WORK_NONE};

static struct oct_task task_of(struct oct_prov_sm2 *key, const struct oct_task_type *type, int op)
{
    return (struct oct_task){.type = type,
                             .prov = key->base.prov,
                             .op = op,
                             .lane_key = oct_op_may_be_on(op),
                             .may_pay_alone = true,
                             .key = {key}};
}

int oct_sm2_sign(struct oct_prov_sm2 *key, uint8_t *der, size_t *der_len, const uint8_t digest[OCT_SM2_BYTES])
{
    uint8_t written[OCT_ECDSA_MAX_DER];
    struct work w = {.der_len = 0};

    if (!key->has_numbers)
        return oct_sm2_fallback_sign(key, der, der_len, digest);
    w.task = task_of(key, &signing_type, OCT_OP_SM2_SIGN);
    memcpy(w.digest, digest, sizeof w.digest);
    if (!oct_task_run(&w.task))
        return 0;
    if (w.der_len == 0) {
        w.der_len = oct_ec_der_write(written, w.numbers, OCT_SM2_BYTES);
        memcpy(w.der, written, w.der_len);
    }
    memcpy(der, w.der, w.der_len);
    *der_len = w.der_len;
    return 1;
}

int oct_sm2_verify(struct oct_prov_sm2 *key, const uint8_t *der, size_t der_len, const uint8_t digest[OCT_SM2_BYTES])
{
    struct work w = {.der_len = der_len};

    if (!key->has_numbers || !key->base.has_public || !oct_op_may_be_on(OCT_OP_SM2_VERIFY) || der_len > sizeof w.der ||
        !oct_ec_der_read(w.numbers, OCT_SM2_BYTES, der, der_len))
        return oct_sm2_fallback_verify(key, der, der_len, digest);
    w.task = task_of(key, &verification_type, OCT_OP_SM2_VERIFY);
    memcpy(w.der, der, der_len);
    memcpy(w.digest, digest, sizeof w.digest);
    return oct_task_run(&w.task);
}
