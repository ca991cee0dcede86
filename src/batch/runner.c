/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* How each operation is checked and run on the eight-lane calls of the API: the only place where the queue knows one
 * family from another. */
#include "batch/queue_internal.h"

#include "base/base.h"

#include <stddef.h>
#include <string.h>

static int rsa_check(const struct oct_job *job, int (*op_of)(const struct oct_rsa_key *))
{
    if (job->rsa.key == NULL || job->rsa.in == NULL || job->rsa.out == NULL || op_of(job->rsa.key) != job->op)
        return OCT_ERR_ARGUMENT;
    return oct_op_is_on(job->op) ? OCT_OK : OCT_ERR_UNSUPPORTED;
}

static int rsa_private_check(const struct oct_job *job)
{
    if (job->rsa.key != NULL && !oct_rsa_key_is_private(job->rsa.key))
        return OCT_ERR_ARGUMENT;
    return rsa_check(job, oct_rsa_private_op);
}

static int rsa_public_check(const struct oct_job *job)
{
    return rsa_check(job, oct_rsa_public_op);
}

/* What a batch call said becomes the status of each job. A call that was refused as a whole (memory) wrote nothing:
 * whoever can run plainly does. */
static void judge(struct oct_job *const job[], unsigned jobs, int status, const struct oct_lanes *result)
{
    for (unsigned i = 0; i < jobs; i++) {
        if (status != OCT_OK)
            job[i]->status = job[i]->flags & OCT_JOB_MAY_RUN_PLAIN ? OCT_ERR_PLAIN : status;
        else if (result->ok >> i & 1)
            job[i]->status = OCT_OK;
        else
            job[i]->status = result->invalid >> i & 1 ? OCT_ERR_RANGE : OCT_ERR_FAULT;
    }
}

/* The jobs' lanes, of `size` bytes each, side by side as a batch call takes them. */
static void gather(void *lane, size_t size, struct oct_job *const job[], unsigned jobs)
{
    OCT_ASSERT(jobs >= 1 && jobs <= OCT_LANES);
    for (unsigned i = 0; i < jobs; i++)
        memcpy((uint8_t *)lane + i * size, (const uint8_t *)job[i] + offsetof(struct oct_job, rsa), size);
}

static void rsa_private_run(struct oct_job *const job[], unsigned jobs)
{
    struct oct_rsa_lane lane[OCT_LANES];
    struct oct_lanes result = {0, 0};

    gather(lane, sizeof lane[0], job, jobs);
    judge(job, jobs, oct_rsa_private_x8(lane, jobs, &result), &result);
}

static void rsa_public_run(struct oct_job *const job[], unsigned jobs)
{
    struct oct_rsa_lane lane[OCT_LANES];
    struct oct_lanes result = {0, 0};

    gather(lane, sizeof lane[0], job, jobs);
    judge(job, jobs, oct_rsa_public_x8(lane, jobs, &result), &result);
}

static int x25519_check(const struct oct_job *job)
{
    if (job->x25519.scalar == NULL || job->x25519.out == NULL)
        return OCT_ERR_ARGUMENT;
    if (job->op == OCT_OP_X25519_DERIVE && job->x25519.peer == NULL)
        return OCT_ERR_ARGUMENT;
    return oct_op_is_on(job->op) ? OCT_OK : OCT_ERR_UNSUPPORTED;
}

static int curve_of(int op)
{
    const int p384 = op == OCT_OP_P384_SIGN || op == OCT_OP_P384_KEYGEN || op == OCT_OP_P384_DERIVE ||
                     op == OCT_OP_P384_VERIFY;
    return p384 ? OCT_EC_P384 : OCT_EC_P256;
}

static int ecdsa_sign_check(const struct oct_job *job)
{
    const struct oct_ecdsa_sign_lane *lane = &job->ecdsa_sign;

    if (lane->private_key == NULL || lane->digest == NULL || lane->signature == NULL)
        return OCT_ERR_ARGUMENT;
    /* Here and not in the batch call, which would refuse the other jobs with it. */
    if (lane->digest_len < 1 || lane->digest_len > OCT_EC_MAX_DIGEST)
        return OCT_ERR_LENGTH;
    return oct_op_is_on(job->op) ? OCT_OK : OCT_ERR_UNSUPPORTED;
}

static int ecdsa_verify_check(const struct oct_job *job)
{
    const struct oct_ecdsa_verify_lane *lane = &job->ecdsa_verify;

    if (lane->public_key == NULL || lane->digest == NULL || lane->signature == NULL)
        return OCT_ERR_ARGUMENT;
    if (lane->digest_len < 1 || lane->digest_len > OCT_EC_MAX_DIGEST)
        return OCT_ERR_LENGTH;
    return oct_op_is_on(job->op) ? OCT_OK : OCT_ERR_UNSUPPORTED;
}

static int ec_public_check(const struct oct_job *job)
{
    if (job->ec_public.private_key == NULL || job->ec_public.public_key == NULL)
        return OCT_ERR_ARGUMENT;
    return oct_op_is_on(job->op) ? OCT_OK : OCT_ERR_UNSUPPORTED;
}

static int ec_derive_check(const struct oct_job *job)
{
    if (job->ec_derive.private_key == NULL || job->ec_derive.peer == NULL || job->ec_derive.secret == NULL)
        return OCT_ERR_ARGUMENT;
    return oct_op_is_on(job->op) ? OCT_OK : OCT_ERR_UNSUPPORTED;
}

static void x25519_derive_run(struct oct_job *const job[], unsigned jobs)
{
    struct oct_x25519_lane lane[OCT_LANES];
    struct oct_lanes result = {0, 0};

    gather(lane, sizeof lane[0], job, jobs);
    judge(job, jobs, oct_x25519_derive_x8(lane, jobs, &result), &result);
}

static void x25519_keygen_run(struct oct_job *const job[], unsigned jobs)
{
    struct oct_x25519_lane lane[OCT_LANES];
    struct oct_lanes result = {0, 0};

    gather(lane, sizeof lane[0], job, jobs);
    judge(job, jobs, oct_x25519_public_x8(lane, jobs, &result), &result);
}

static void ecdsa_sign_run(struct oct_job *const job[], unsigned jobs)
{
    struct oct_ecdsa_sign_lane lane[OCT_LANES];
    struct oct_lanes result = {0, 0};

    gather(lane, sizeof lane[0], job, jobs);
    judge(job, jobs, oct_ecdsa_sign_x8(curve_of(job[0]->op), lane, jobs, &result), &result);
}

static void ecdsa_verify_run(struct oct_job *const job[], unsigned jobs)
{
    struct oct_ecdsa_verify_lane lane[OCT_LANES];
    struct oct_lanes result = {0, 0};

    gather(lane, sizeof lane[0], job, jobs);
    judge(job, jobs, oct_ecdsa_verify_x8(curve_of(job[0]->op), lane, jobs, &result), &result);
}

static void ec_public_run(struct oct_job *const job[], unsigned jobs)
{
    struct oct_ec_public_lane lane[OCT_LANES];
    struct oct_lanes result = {0, 0};

    gather(lane, sizeof lane[0], job, jobs);
    judge(job, jobs, oct_ec_public_x8(curve_of(job[0]->op), lane, jobs, &result), &result);
}

static void ec_derive_run(struct oct_job *const job[], unsigned jobs)
{
    struct oct_ec_derive_lane lane[OCT_LANES];
    struct oct_lanes result = {0, 0};

    gather(lane, sizeof lane[0], job, jobs);
    judge(job, jobs, oct_ec_derive_x8(curve_of(job[0]->op), lane, jobs, &result), &result);
}

static int ed25519_sign_check(const struct oct_job *job)
{
    const struct oct_ed25519_sign_lane *lane = &job->ed25519_sign;

    if (lane->key == NULL || lane->signature == NULL || (lane->message == NULL && lane->message_len > 0))
        return OCT_ERR_ARGUMENT;
    if (lane->message_len >= OCT_ED25519_MESSAGE_LIMIT)
        return OCT_ERR_LENGTH;
    return oct_op_is_on(job->op) ? OCT_OK : OCT_ERR_UNSUPPORTED;
}

static int ed25519_verify_check(const struct oct_job *job)
{
    const struct oct_ed25519_verify_lane *lane = &job->ed25519_verify;

    if (lane->public_key == NULL || lane->signature == NULL || (lane->message == NULL && lane->message_len > 0))
        return OCT_ERR_ARGUMENT;
    if (lane->message_len >= OCT_ED25519_MESSAGE_LIMIT)
        return OCT_ERR_LENGTH;
    return oct_op_is_on(job->op) ? OCT_OK : OCT_ERR_UNSUPPORTED;
}

static void ed25519_sign_run(struct oct_job *const job[], unsigned jobs)
{
    struct oct_ed25519_sign_lane lane[OCT_LANES];
    struct oct_lanes result = {0, 0};

    gather(lane, sizeof lane[0], job, jobs);
    judge(job, jobs, oct_ed25519_sign_x8(lane, jobs, &result), &result);
}

static void ed25519_verify_run(struct oct_job *const job[], unsigned jobs)
{
    struct oct_ed25519_verify_lane lane[OCT_LANES];
    struct oct_lanes result = {0, 0};

    gather(lane, sizeof lane[0], job, jobs);
    judge(job, jobs, oct_ed25519_verify_x8(lane, jobs, &result), &result);
}

const struct oct_runner oct_runners[OCT_OP_COUNT] = {
    [OCT_OP_RSA2048_PRIVATE] = {rsa_private_check, rsa_private_run, false},
    [OCT_OP_RSA3072_PRIVATE] = {rsa_private_check, rsa_private_run, false},
    [OCT_OP_RSA4096_PRIVATE] = {rsa_private_check, rsa_private_run, false},
    [OCT_OP_RSA2048_PUBLIC] = {rsa_public_check, rsa_public_run, true},
    [OCT_OP_RSA3072_PUBLIC] = {rsa_public_check, rsa_public_run, true},
    [OCT_OP_RSA4096_PUBLIC] = {rsa_public_check, rsa_public_run, true},
    [OCT_OP_X25519_DERIVE] = {x25519_check, x25519_derive_run, true},
    [OCT_OP_X25519_KEYGEN] = {x25519_check, x25519_keygen_run, true},
    [OCT_OP_P256_SIGN] = {ecdsa_sign_check, ecdsa_sign_run, true},
    [OCT_OP_P256_KEYGEN] = {ec_public_check, ec_public_run, true},
    [OCT_OP_P256_DERIVE] = {ec_derive_check, ec_derive_run, true},
    [OCT_OP_P384_SIGN] = {ecdsa_sign_check, ecdsa_sign_run, true},
    [OCT_OP_P384_KEYGEN] = {ec_public_check, ec_public_run, true},
    [OCT_OP_P384_DERIVE] = {ec_derive_check, ec_derive_run, true},
    [OCT_OP_ED25519_SIGN] = {ed25519_sign_check, ed25519_sign_run, true},
    [OCT_OP_ED25519_VERIFY] = {ed25519_verify_check, ed25519_verify_run, true},
    [OCT_OP_P256_VERIFY] = {ecdsa_verify_check, ecdsa_verify_run, true},
    [OCT_OP_P384_VERIFY] = {ecdsa_verify_check, ecdsa_verify_run, true},
};
