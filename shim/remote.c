/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * libssl's calls with a private key. One whose key is a device's leaves its arguments where they lie, on the fibre and
 * in what the fibre owns, and the fibre does not go on before the helper has let go of them. So nothing is copied, and
 * nothing is freed under a helper's hands.
 */
#include "remote.h"

#include "events.h"
#include "fibre.h"
#include "thread.h"

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

/* Directly inside the handshake call of a connection that may be paused, and in no callback's own. */
static bool may_pause(const struct oct_thread *t, struct oct_conn *conn)
{
    return conn != NULL && t != NULL && t->busy == 1 && conn->thread == t && conn->remote == NULL && conn->veiled &&
           oct_ssl()->ASYNC_get_current_job() == NULL && oct_handshake_may_pause(conn);
}

static bool is_of_this_process(const struct oct_remote *op)
{
    return op->generation == oct_helpers_generation();
}

/* What a fork has left behind: what no helper had begun is done here. */
static void finish_in_child(struct oct_remote *op)
{
    if (atomic_load(&op->state) == OCT_REMOTE_QUEUED)
        op->result = op->run(op);
    else if (atomic_load(&op->state) == OCT_REMOTE_RUNNING)
        op->failed = true;
}

/* A connection that is drained has no use for a signature: the fibre ends soonest by an error. */
static int answer(struct oct_remote *op)
{
    const bool failed = op->failed || oct_thread_is_draining();

    if (failed)
        raise_error(ERR_R_OPERATION_FAIL);
    oct_errors_give_back(op->errors); /* as the device's provider has raised them, on another thread */
    op->errors = NULL;
    if (!failed)
        errno = op->saved_errno;
    return failed ? 0 : op->result;
}

/* The fibre will never go on. The operation stays as it is: its memory is that of the fibre. */
static void lost(void *arg)
{
    struct oct_remote *op = arg;
    op->conn = NULL;
    op->fibre = NULL;
    if (op->pausing != NULL) {
        oct_pausing_lose(oct_thread_peek(), op);
        oct_watch_remove(op);
    } else {
        (void)oct_helpers_cancel(op);
    }
}

/* A resumption that is none is that of a program that has blocked pausing: then it waits as it would have anyway. */
static int wait_for(struct oct_remote *op, struct oct_conn *conn, struct oct_key_owner *owner)
{
    (void)oct_fibre_pause(op->fibre, lost, op);
    if (!is_of_this_process(op)) {
        finish_in_child(op);
    } else {
        oct_watch_wait(op);
        oct_watch_remove(op);
    }
    conn->remote = NULL;
    if (op->took != 0)
        oct_keys_note(owner, op->took, false);
    return answer(op);
}

static int run_here(struct oct_remote *op, struct oct_key_owner *owner, bool in_job)
{
    const int64_t begun = oct_events_now();
    const int result = op->run(op);
    oct_keys_note(owner, (uint64_t)(oct_events_now() - begun), in_job);
    return result;
}

static void begin(struct oct_remote *op, struct oct_conn *conn)
{
    op->conn = conn;
    op->fibre = oct_fibre_current();
    op->library = oct_ssl()->OSSL_LIB_CTX_set0_default(NULL);
    op->generation = oct_helpers_generation();
    op->begun = oct_events_now();
    op->deadline = op->begun + oct_keys_settings.timeout;
}

static int run_away(struct oct_remote *op, struct oct_conn *conn, struct oct_key_owner *owner)
{
    conn->remote = op;
    if (oct_helpers_submit(op))
        return wait_for(op, conn, owner);
    conn->remote = NULL;
    oct_watch_remove(op);
    return run_here(op, owner, false);
}

static int run_in_job(struct oct_remote *op, struct oct_conn *conn, struct oct_key_owner *owner)
{
    const enum oct_pausing_state said = oct_pausing_start(conn->thread, op);

    if (said == OCT_PAUSING_PAUSED) {
        oct_keys_note_pause(owner);
        conn->remote = op;
        return wait_for(op, conn, owner);
    }
    oct_watch_remove(op);
    if (said == OCT_PAUSING_IMPOSSIBLE)
        return run_here(op, owner, true);
    oct_keys_note(owner, (uint64_t)(oct_events_now() - op->begun), true);
    return op->result;
}

static int run_with(struct oct_remote *op, struct oct_conn *conn, struct oct_key_owner *owner)
{
    begin(op, conn);
    if (!oct_watch_add(conn->thread, op))
        return run_here(op, owner, false);
    return oct_keys_way(owner) == OCT_KEY_AWAY ? run_away(op, conn, owner) : run_in_job(op, conn, owner);
}

static int run(struct oct_remote *call, struct oct_key_owner *owner)
{
    struct oct_conn *conn = oct_fibre_conn();
    struct oct_remote *op;
    int result;

    if (conn != NULL && oct_thread_is_draining()) {
        raise_error(ERR_R_OPERATION_FAIL);
        return 0;
    }
    op = may_pause(oct_thread_peek(), conn) ? calloc(1, sizeof *op) : NULL;
    if (op == NULL)
        return run_here(call, owner, false);
    *op = *call;
    result = run_with(op, conn, owner);
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

/* Without a buffer both tell a length only. */
static int sign(EVP_MD_CTX *context, unsigned char *out, size_t *out_length, const unsigned char *in, size_t in_length)
{
    const struct oct_keys_functions *f = &oct_keys_functions;
    EVP_PKEY_CTX *inner = out != NULL ? f->EVP_MD_CTX_get_pkey_ctx(context) : NULL;
    struct oct_key_owner *owner = oct_keys_owner(inner);
    struct oct_remote call = {
        .run = run_sign, .context = context, .out = out, .out_length = out_length, .in = in, .in_length = in_length};
    return owner != NULL ? run(&call, owner) : f->EVP_DigestSign(context, out, out_length, in, in_length);
}

static int decrypt(EVP_PKEY_CTX *context, unsigned char *out, size_t *out_length, const unsigned char *in,
                   size_t in_length)
{
    const struct oct_keys_functions *f = &oct_keys_functions;
    struct oct_key_owner *owner = out != NULL ? oct_keys_owner(context) : NULL;
    struct oct_remote call = {
        .run = run_decrypt, .context = context, .out = out, .out_length = out_length, .in = in, .in_length = in_length};
    return owner != NULL ? run(&call, owner) : f->EVP_PKEY_decrypt(context, out, out_length, in, in_length);
}

/* From 3.0 to 3.5 libssl makes its signatures by the one, and decrypts what a client has encrypted by the other. */
void oct_remote_setup(void)
{
    (void)oct_slot_set("EVP_DigestSign", (void *)sign);
    (void)oct_slot_set("EVP_PKEY_decrypt", (void *)decrypt);
}
