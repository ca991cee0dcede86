/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * One operation. It waits where a handshake in a slice would, and libssl is told so at most once: whoever asks again
 * before it is done gets what AWS-LC itself computes of the same input. So does whoever has nobody to wait for, where
 * lanes decline, and where it is not known yet what AWS-LC takes. It checks its result, as lanes do.
 */
#include "method/method.h"

#include "base/clock.h"

#include <string.h>

#define NO_PADDING 3 /* RSA_NO_PADDING, in AWS-LC too */

void oct_operation_end(struct oct_operation *o)
{
    if (o->state == OCT_OPERATION_WAITS)
        (void)oct_queue_cancel(o->queue, &o->job);
    oct_awslc()->OPENSSL_cleanse(o->in, sizeof o->in);
    oct_awslc()->OPENSSL_cleanse(o->out, sizeof o->out);
}

static enum oct_method_result end(struct oct_conn *conn, bool ok)
{
    oct_method_withdraw(conn);
    return ok ? OCT_METHOD_SUCCESS : OCT_METHOD_FAILURE;
}

/* What it takes tells the queue from how many operations on lanes pay. */
static enum oct_method_result compute(struct oct_conn *conn, uint8_t *out, size_t *out_len, size_t room)
{
    const struct oct_awslc *awslc = oct_awslc();
    const struct oct_operation *o = conn->operation;
    struct oct_queue *queue = oct_queue_thread();
    const uint64_t start = oct_clock_nanoseconds();
    const int ok = o->signs ? awslc->RSA_sign_raw(o->rsa, out_len, out, room, o->in, o->size, NO_PADDING)
                            : awslc->RSA_decrypt(o->rsa, out_len, out, room, o->in, o->size, NO_PADDING);
    if (ok && queue != NULL)
        oct_queue_note_fallback(queue, oct_rsa_private_op(o->lanes), oct_clock_nanoseconds() - start);
    return end(conn, ok);
}

static void done(struct oct_job *job)
{
    struct oct_conn *conn = job->arg;
    oct_operation_is(conn->operation, OCT_OPERATION_DONE);
    oct_handshake_told(conn);
}

static bool waits(struct oct_conn *conn)
{
    struct oct_operation *o = conn->operation;
    const int op = oct_rsa_private_op(o->lanes);
    o->queue = oct_queue_thread();
    if (o->queue == NULL || !oct_handshake_may_pause(conn, o->signs ? OCT_WORK_SIGN : OCT_WORK_DECRYPT))
        return false;
    o->job = (struct oct_job){.op = op,
                              .flags = OCT_JOB_MAY_FALL_BACK,
                              .rsa = {.key = o->lanes, .in = o->in, .out = o->out},
                              .done = done,
                              .arg = conn};
    return oct_queue_submit(o->queue, &o->job) == OCT_OK;
}

static enum oct_method_result begin(struct oct_conn *conn, uint8_t *out, size_t *out_len, size_t room)
{
    if (!waits(conn))
        return compute(conn, out, out_len, room);
    oct_operation_is(conn->operation, OCT_OPERATION_WAITS);
    return OCT_METHOD_RETRY;
}

/* That the method was offered for; NULL: for none. */
static struct oct_conn *conn_of(const SSL *s)
{
    struct oct_conn *conn = oct_conn_find(s);
    return conn != NULL && conn->operation != NULL ? conn : NULL;
}

static enum oct_method_result sign(SSL *s, uint8_t *out, size_t *out_len, size_t room, uint16_t algorithm,
                                   const uint8_t *in, size_t in_len)
{
    struct oct_conn *conn = conn_of(s);
    if (conn == NULL)
        return OCT_METHOD_FAILURE;
    struct oct_operation *o = conn->operation;
    o->signs = true;
    if (!oct_method_pad(o->rsa, o->in, o->size, algorithm, in, in_len))
        return end(conn, false);
    return begin(conn, out, out_len, room);
}

static enum oct_method_result decrypt(SSL *s, uint8_t *out, size_t *out_len, size_t room, const uint8_t *in,
                                      size_t in_len)
{
    struct oct_conn *conn = conn_of(s);
    if (conn == NULL)
        return OCT_METHOD_FAILURE;
    struct oct_operation *o = conn->operation;
    o->signs = false;
    if (in_len != o->size)
        return end(conn, oct_awslc()->RSA_decrypt(o->rsa, out_len, out, room, in, in_len, NO_PADDING));
    memcpy(o->in, in, in_len);
    return begin(conn, out, out_len, room);
}

static enum oct_method_result complete(SSL *s, uint8_t *out, size_t *out_len, size_t room)
{
    struct oct_conn *conn = conn_of(s);
    if (conn == NULL || conn->operation->key == NULL)
        return OCT_METHOD_FAILURE;
    const struct oct_operation *o = conn->operation;
    const bool is_there = o->state == OCT_OPERATION_DONE && o->job.status == OCT_OK && room >= o->size;
    if (!is_there || oct_queue_fallback_cost(oct_queue_thread_peek(), o->job.op) == 0)
        return compute(conn, out, out_len, room);
    memcpy(out, o->out, o->size);
    *out_len = o->size;
    return end(conn, true);
}

const struct oct_method oct_operation_method = {.sign = sign, .decrypt = decrypt, .complete = complete};
