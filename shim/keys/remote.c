/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * libssl's calls with a private key. One whose key is a device's gets copies of its arguments on the heap, since what
 * lies on the stack goes away with a slice. The handshake does not go on before the helper has let go of the rest. So
 * nothing is freed under a helper's hands.
 */
#include "events/events.h"
#include "libssl/errors.h"
#include "libssl/slots.h"
#include "handshake/slice.h"
#include "keys/tally.h"
#include "handshake/thread.h"

#include "base/thread_mode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void raise_error(int reason)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    ssl->ERR_new();
    ssl->ERR_set_debug(__FILE__, __LINE__, __func__);
    ssl->ERR_set_error(ERR_LIB_SSL, reason, NULL);
}

/* Directly inside the handshake call of a connection that may be paused, and in no callback's own. Else says why not.
 */
static bool may_pause(const struct oct_thread *t, struct oct_conn *conn, enum oct_key_call kind,
                      enum oct_keys_inside *why)
{
    static const enum oct_slice_work work[OCT_KEY_CALLS] = {
        [OCT_KEY_SIGN] = OCT_WORK_SIGN, [OCT_KEY_DECRYPT] = OCT_WORK_DECRYPT, [OCT_KEY_DERIVE] = OCT_WORK_EXCHANGE};

    if (conn != NULL && t != NULL && t->innermost == conn && conn->thread == t && conn->remote == NULL &&
        conn->veiled && oct_ssl()->ASYNC_get_current_job() == NULL && oct_handshake_may_pause(conn, work[kind]))
        return true;
    if (t == NULL || !t->waits)
        *why = OCT_KEYS_INSIDE_NO_LOOP;
    else if ((conn != NULL && t->innermost != conn) || oct_ssl()->ASYNC_get_current_job() != NULL)
        *why = OCT_KEYS_INSIDE_NESTED;
    else if (conn == NULL)
        *why = OCT_KEYS_INSIDE_NO_FIBRE;
    else
        *why = conn->thread != t || conn->remote != NULL ? OCT_KEYS_INSIDE_NESTED : OCT_KEYS_INSIDE_NO_WAKING;
    return false;
}

/* The handshake will never go on. The operation stays as it is: a helper may have it. */
static void lost(void *arg)
{
    struct oct_remote *op = arg;
    oct_tally_end(op, OCT_TALLY_CALLED_OFF);
    op->conn = NULL;
    op->slice = NULL;
    if (op->pausing != NULL) {
        oct_pausing_lose(oct_thread_peek(), op);
        oct_watch_remove(op);
    } else {
        (void)oct_tally_cancel(op);
    }
}

static const struct oct_slice_wait waiting = {NULL, lost};

/* A resumption that is none is that of a program that has blocked pausing: then it waits as it would have anyway. */
static int wait_for(struct oct_remote *op, struct oct_conn *conn)
{
    (void)oct_slice_pause(op->slice, &waiting, op);
    if (op->generation != oct_helpers_generation()) {
        /* What a fork has left behind: what no helper had begun is done here. */
        if (atomic_load(&op->state) == OCT_REMOTE_QUEUED)
            op->result = op->call(op);
        else if (atomic_load(&op->state) == OCT_REMOTE_RUNNING)
            op->failed = true;
        oct_tally_inside(op, OCT_KEYS_INSIDE_FORKED, 0, op->failed ? 0 : op->result);
    } else {
        oct_watch_wait(op);
        oct_watch_remove(op);
        const enum oct_tally_end end = op->failed || op->result <= 0 ? OCT_TALLY_FAILED : OCT_TALLY_DONE;
        oct_tally_end(op, oct_thread_is_draining() ? OCT_TALLY_CALLED_OFF : end);
    }
    conn->remote = NULL;
    if (op->took != 0)
        oct_keys_note(op, op->took, false);
    /* A connection that is drained has no use for a signature: its slice ends soonest by an error. */
    const bool failed = op->failed || oct_thread_is_draining();
    if (failed)
        raise_error(ERR_R_OPERATION_FAIL);
    oct_errors_give_back(op->errors); /* as the device's provider has raised them, on another thread */
    op->errors = NULL;
    if (!failed)
        errno = op->saved_errno;
    return failed ? 0 : op->result;
}

static int run_here(struct oct_remote *op, enum oct_keys_inside why)
{
    op->begun = oct_events_now();
    const int result = op->call(op);
    const uint64_t took = (uint64_t)(oct_events_now() - op->begun);
    oct_keys_note(op, took, why == OCT_KEYS_INSIDE_NO_JOB); /* then it cannot pause */
    oct_tally_inside(op, why, took, result);
    return result;
}

static int run_away(struct oct_remote *op, struct oct_conn *conn)
{
    conn->remote = op;
    op->run = oct_tally_run;
    oct_tally_submit(op);
    if (oct_helpers_submit(op)) {
        oct_tally_begin(op, OCT_KEYS_WAY_THREADS);
        return wait_for(op, conn);
    }
    oct_tally_refused(op);
    conn->remote = NULL;
    oct_watch_remove(op);
    return run_here(op, OCT_KEYS_INSIDE_NO_THREAD);
}

static int run_in_job(struct oct_remote *op, struct oct_conn *conn)
{
    const enum oct_keys_inside why = oct_keys_why_inside(op);
    const enum oct_pausing_state said = oct_pausing_start(conn->thread, op);

    if (said == OCT_PAUSING_PAUSED) {
        oct_keys_note_pause(op);
        conn->remote = op;
        oct_tally_begin(op, OCT_KEYS_WAY_PAUSES);
        return wait_for(op, conn);
    }
    oct_watch_remove(op);
    if (said == OCT_PAUSING_IMPOSSIBLE)
        return run_here(op, OCT_KEYS_INSIDE_NO_JOB);
    const uint64_t took = (uint64_t)(oct_events_now() - op->begun);
    oct_keys_note(op, took, true);
    oct_tally_inside(op, why, took, op->result);
    return op->result;
}

static int run_with(struct oct_remote *op, struct oct_conn *conn)
{
    op->conn = conn;
    op->slice = oct_slice_current();
    op->library = oct_ssl()->OSSL_LIB_CTX_set0_default(NULL);
    op->generation = oct_helpers_generation();
    op->begun = oct_events_now();
    op->deadline = op->begun + oct_keys_settings.timeout;
    if (!oct_watch_add(conn->thread, op))
        return run_here(op, OCT_KEYS_INSIDE_NO_MEMORY);
    return oct_keys_way(op) == OCT_KEY_AWAY ? run_away(op, conn) : run_in_job(op, conn);
}

/* The buffers of a call may lie on the stack, where other calls run while this one is away. */
static bool lodge(struct oct_remote *op)
{
    op->capacity = op->length = *op->out_length;
    op->lodging = malloc(op->capacity + op->in_length + 1);
    if (op->lodging == NULL)
        return false;
    memcpy(op->lodging, op->out, op->capacity);
    if (op->in_length != 0)
        memcpy(op->lodging + op->capacity, op->in, op->in_length);
    op->out = op->lodging;
    op->in = op->in != NULL ? op->lodging + op->capacity : NULL;
    op->out_length = &op->length;
    return true;
}

static int run(struct oct_remote *call)
{
    struct oct_conn *conn = oct_slice_conn();
    const struct oct_thread *t = oct_thread_peek();
    enum oct_keys_inside why;
    struct oct_remote *op;
    int result;

    if (oct_keys_left(call->owner, &why)) {
        result = call->call(call);
        oct_tally_inside(call, why, 0, result);
        return result;
    }
    if (conn != NULL && oct_thread_is_draining()) {
        raise_error(ERR_R_OPERATION_FAIL);
        return 0;
    }
    if (!may_pause(t, conn, call->kind, &why))
        return run_here(call, why);
    op = calloc(1, sizeof *op);
    if (op == NULL)
        return run_here(call, OCT_KEYS_INSIDE_NO_MEMORY);
    *op = *call;
    op->run = op->call;
    if (lodge(op)) {
        result = run_with(op, conn);
        /* All of the buffer, whatever the result: how long a decrypted message is says something of it. */
        memcpy(call->out, op->lodging, op->capacity);
        *call->out_length = op->length;
        explicit_bzero(op->lodging, op->capacity + op->in_length);
        free(op->lodging);
    } else {
        result = run_here(call, OCT_KEYS_INSIDE_NO_MEMORY);
    }
    free(op);
    return result;
}

static int run_sign(struct oct_remote *op)
{
    return oct_keys_functions.EVP_DigestSign(op->context, op->out, op->out_length, op->in, op->in_length);
}

static int run_decrypt(struct oct_remote *op)
{
    return oct_keys_functions.EVP_PKEY_decrypt(op->context, op->out, op->out_length, op->in, op->in_length);
}

static int run_derive(struct oct_remote *op)
{
    return oct_keys_functions.EVP_PKEY_derive(op->context, op->out, op->out_length);
}

/* Without a buffer all of them tell a length only. */
static int sign(EVP_MD_CTX *context, unsigned char *out, size_t *out_length, const unsigned char *in, size_t in_length)
{
    EVP_PKEY_CTX *inner = out != NULL ? oct_keys_functions.EVP_MD_CTX_get_pkey_ctx(context) : NULL;
    struct oct_remote call = {.owner = oct_keys_owner(inner),
                              .kind = OCT_KEY_SIGN,
                              .call = run_sign,
                              .context = context,
                              .out = out,
                              .out_length = out_length,
                              .in = in,
                              .in_length = in_length};
    return call.owner != NULL ? run(&call) : run_sign(&call);
}

static int decrypt(EVP_PKEY_CTX *context, unsigned char *out, size_t *out_length, const unsigned char *in,
                   size_t in_length)
{
    struct oct_remote call = {.owner = out != NULL ? oct_keys_owner(context) : NULL,
                              .kind = OCT_KEY_DECRYPT,
                              .call = run_decrypt,
                              .context = context,
                              .out = out,
                              .out_length = out_length,
                              .in = in,
                              .in_length = in_length};
    return call.owner != NULL ? run(&call) : run_decrypt(&call);
}

static int derive(EVP_PKEY_CTX *context, unsigned char *out, size_t *out_length)
{
    struct oct_remote call = {.owner = out != NULL ? oct_keys_owner(context) : NULL,
                              .kind = OCT_KEY_DERIVE,
                              .call = run_derive,
                              .context = context,
                              .out = out,
                              .out_length = out_length};
    return call.owner != NULL ? run(&call) : run_derive(&call);
}

/* From 3.0 to 3.5 libssl makes its signatures by the first and decrypts what a client has encrypted by the second. The
 * third is its key exchange, for which a provider may have keys in a device too. */
bool oct_remote_setup(void)
{
    const bool signs = oct_slot_set(oct_slot_libssl(), "EVP_DigestSign", (void *)sign);
    (void)oct_slot_set(oct_slot_libssl(), "EVP_PKEY_decrypt", (void *)decrypt);
    (void)oct_slot_set(oct_slot_libssl(), "EVP_PKEY_derive", (void *)derive);
    return signs;
}
