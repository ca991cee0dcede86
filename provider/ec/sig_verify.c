/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Verifying: in lanes where the curve has them and others wait, or where a vector is cheaper even for one.
 * What is not two numbers in DER, and digests of unusual lengths, OpenSSL's own code judges; nothing here is secret.
 */
#include "api/verdict.h"
#include "ec.h"
#include "sig.h"
#include "provider/core/provider.h"
#include "provider/async/task.h"

#include <string.h>

/* The buffers are on the stack of the calling slice or fibre: while it is paused they must not be the application's
 * memory. */
struct verification {
    struct oct_task task;
    uint8_t digest[OCT_EC_MAX_DIGEST];
    size_t digest_len;
    uint8_t der[OCT_ECDSA_MAX_DER];
    size_t der_len;
    uint8_t numbers[2 * OCT_EC_MAX_BYTES];
};

static int verification_fill(const struct oct_task *task, struct oct_job *job)
{
    const struct verification *v = (const struct verification *)task;
    const struct oct_prov_ec *key = task->key[0];

    job->ecdsa_verify = (struct oct_ecdsa_verify_lane){key->public_key, v->digest, v->digest_len, v->numbers};
    return 1;
}

static int verification_fallback(const struct oct_task *task)
{
    const struct verification *v = (const struct verification *)task;
    return oct_prov_ec_verify_fallback(task->key[0], v->der, v->der_len, v->digest, v->digest_len) > 0;
}

static const struct oct_task_type verification_type = {verification_fill, verification_fallback,
                                                       OCT_REASON_BAD_SIGNATURE, OCT_WORK_NONE};

static int runs_in_lanes(const struct oct_prov_ec *key, size_t tbs_len)
{
    return key->curve >= 0 && key->base.has_public && oct_op_may_be_on(oct_ecdsa_verify_op(key->curve)) &&
           tbs_len >= 1 && tbs_len <= OCT_EC_MAX_DIGEST;
}

int oct_ec_sig_verify(void *vsig, const unsigned char *in, size_t in_len, const unsigned char *tbs, size_t tbs_len)
{
    const struct oct_sig *sig = vsig;
    const struct oct_prov_ec *key = sig == NULL ? NULL : sig->key;
    const size_t digest_size = key == NULL ? 0 : oct_sig_digest_size(sig);
    struct verification v;

    if (key == NULL)
        return 0;
    if (digest_size != 0 && tbs_len != digest_size)
        return 0;
    if (!runs_in_lanes(key, tbs_len) || !oct_ec_der_read(v.numbers, oct_ec_bytes(key->curve), in, in_len))
        return oct_prov_ec_verify_fallback(key, in, in_len, tbs, tbs_len);
    v.task = (struct oct_task){.type = &verification_type,
                               .may_pay_alone = oct_prov_curves[key->curve].may_pay_alone,
                               .prov = sig->prov,
                               .op = oct_ecdsa_verify_op(key->curve),
                               .lane_key = 1,
                               .key = {sig->key}};
    memcpy(v.der, in, in_len);
    v.der_len = in_len;
    memcpy(v.digest, tbs, tbs_len);
    v.digest_len = tbs_len;
    return oct_task_run(&v.task);
}
