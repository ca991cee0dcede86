/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Signing a digest, in lanes where the curve has them. */
#include "api/verdict.h"
#include "ec.h"
#include "sig.h"
#include "provider/core/provider.h"
#include "provider/async/task.h"

#include <string.h>

/* The buffers are on the stack of the calling slice or fibre: while it is paused they must not be the application's
 * memory. */
struct signing {
    struct oct_task task;
    const struct oct_sig *sig;
    uint8_t digest[OCT_EC_MAX_DIGEST];
    size_t digest_len;
    uint8_t der[OCT_ECDSA_MAX_DER];
    size_t der_len; /* 0 while the signature is in `numbers` */
    uint8_t numbers[2 * OCT_EC_MAX_BYTES];
};

static int signing_fill(const struct oct_task *task, struct oct_job *job)
{
    struct signing *s = (struct signing *)task;
    const struct oct_prov_ec *key = task->key[0];

    job->ecdsa_sign = (struct oct_ecdsa_sign_lane){key->private_key, s->digest, s->digest_len, s->numbers};
    return 1;
}

static int signing_fallback(const struct oct_task *task)
{
    struct signing *s = (struct signing *)task;
    s->der_len = sizeof s->der;
    return oct_sig_sign_fallback(s->sig, s->der, &s->der_len, s->digest, s->digest_len);
}

static const struct oct_task_type signing_type = {signing_fill, signing_fallback, OCT_REASON_LANE_INPUT, OCT_WORK_SIGN};

static int sign_task(const struct oct_sig *sig, uint8_t *out, size_t *len, const uint8_t *tbs, size_t tbs_len)
{
    const struct oct_prov_ec *key = sig->key;
    struct signing s = {
        .task = {.type = &signing_type,
                 .prov = sig->prov,
                 .op = oct_ecdsa_sign_op(key->curve),
                 .lane_key = oct_op_may_be_on(oct_ecdsa_sign_op(key->curve)),
                 .may_pay_alone = true,
                 .key = {sig->key}},
        .sig = sig,
        .digest_len = tbs_len,
    };

    memcpy(s.digest, tbs, tbs_len);
    if (!oct_task_run(&s.task))
        return 0;
    if (s.der_len == 0)
        s.der_len = oct_ec_der_write(s.der, s.numbers, oct_ec_bytes(key->curve));
    memcpy(out, s.der, s.der_len);
    *len = s.der_len;
    return 1;
}

static int runs_in_lanes(const struct oct_ec_sig *sig, size_t tbs_len)
{
    return oct_prov_ec_signs_in_lanes(sig->base.key) && sig->nonce_type == 0 && tbs_len >= 1 &&
           tbs_len <= OCT_EC_MAX_DIGEST;
}

int oct_ec_sig_sign(void *vsig, unsigned char *out, size_t *len, size_t out_size, const unsigned char *tbs,
                    size_t tbs_len)
{
    const struct oct_sig *sig = vsig;
    const struct oct_prov_ec *key = sig == NULL ? NULL : sig->key;
    const size_t size = key == NULL ? 0 : sig->family->signature_size(sig);
    const size_t digest_size = size == 0 ? 0 : oct_sig_digest_size(sig);

    if (size == 0)
        return 0;
    if (out == NULL) {
        *len = size;
        return 1;
    }
    /* OpenSSL's own says no more of it either. */
    if (out_size < size || (digest_size != 0 && tbs_len != digest_size))
        return 0;
    if (!key->base.has_private)
        return OCT_RAISE(sig->prov, OCT_REASON_NOT_PRIVATE_EC);
    if (runs_in_lanes(vsig, tbs_len))
        return sign_task(sig, out, len, tbs, tbs_len);
    *len = out_size;
    return oct_sig_sign_fallback(sig, out, len, tbs, tbs_len);
}
