/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The raw RSA operation as a task (async/task.h). */
#include "provider/core/provider.h"
#include "rsa.h"
#include "provider/async/task.h"

struct raw {
    struct oct_task task;
    struct oct_prov_rsa *key;
    enum oct_raw_kind kind;
    uint8_t *out;
    const uint8_t *in;
};

static int raw_fill(const struct oct_task *task, struct oct_job *job)
{
    const struct raw *raw = (const struct raw *)task;
    const struct oct_rsa_key *lanes = oct_prov_rsa_lanes(raw->key);

    if (lanes == NULL || (raw->kind != OCT_RAW_PUBLIC && !oct_rsa_key_is_private(lanes)))
        return 0;
    job->rsa = (struct oct_rsa_lane){.key = lanes, .in = raw->in, .out = raw->out};
    return 1;
}

static int raw_fallback(const struct oct_task *task)
{
    const struct raw *raw = (const struct raw *)task;
    struct oct_prov_rsa *key = raw->key;
    return oct_fallback_raw(key->base.prov, key->fallback, &key->spares, raw->kind, raw->out, raw->in, key->size);
}

static const struct oct_task_type raw_types[OCT_RAW_KINDS] = {
    [OCT_RAW_SIGN] = {raw_fill, raw_fallback, OCT_REASON_INPUT_RANGE, OCT_WORK_SIGN},
    [OCT_RAW_DECRYPT] = {raw_fill, raw_fallback, OCT_REASON_INPUT_RANGE, OCT_WORK_DECRYPT},
    [OCT_RAW_PUBLIC] = {raw_fill, raw_fallback, OCT_REASON_INPUT_RANGE, OCT_WORK_NONE},
};

/* OpenSSL 3.0 is slow with large private keys: there a vector for one operation takes half the time of its own code. */
int oct_rsa_raw(struct oct_prov_rsa *key, enum oct_raw_kind kind, uint8_t *out, const uint8_t *in)
{
    const struct raw raw = {
        .task = {.type = &raw_types[kind],
                 .prov = key->base.prov,
                 .op = oct_rsa_op(key->bits, kind),
                 .lane_key = oct_prov_rsa_has_lanes(key),
                 .may_pay_alone = kind != OCT_RAW_PUBLIC && key->bits > 2048,
                 .key = {key}},
        .key = key,
        .kind = kind,
        .out = out,
        .in = in,
    };

    if (kind != OCT_RAW_PUBLIC && !key->base.has_private)
        return OCT_RAISE(key->base.prov, OCT_REASON_NOT_PRIVATE_RSA);
    return oct_task_run(&raw.task);
}
