/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * All X25519 vectors through the OpenSSL provider: plainly, and inside async jobs, eight in flight, where the counters
 * must show that the lanes did the work. A result of zero is an error (RFC 8446, section 7.4.2), everything else the
 * vector's. Private keys are imported alone, so that their public keys are computed, for every fifth case.
 *
 * usage: kat_provider_x25519 MODULES_FOLDER VECTORS
 */
#include "fibres.h"
#include "records.h"

#include <octuple/octuple.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES OCT_X25519_BYTES

struct call {
    OSSL_LIB_CTX *ctx;
    EVP_PKEY *own, *peer;
    uint8_t out[BYTES];
    int done;
};

static OSSL_LIB_CTX *ours, *stock;
static struct fibres_seen seen;
static uint64_t lanes_in_fibres;

static EVP_PKEY *import(OSSL_LIB_CTX *ctx, const char *name, struct rec_bytes bytes, const uint8_t *point)
{
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_name(ctx, "X25519", ctx == ours ? "provider=octuple" : NULL);
    OSSL_PARAM params[3], *p = params;
    EVP_PKEY *key = NULL;
    *p++ = OSSL_PARAM_construct_octet_string(name, bytes.data, bytes.len);
    if (point)
        *p++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, BYTES);
    *p = OSSL_PARAM_construct_end();
    REC_REQUIRE(pctx && EVP_PKEY_fromdata_init(pctx) > 0);
    REC_REQUIRE(EVP_PKEY_fromdata(pctx, &key, EVP_PKEY_KEYPAIR, params) > 0);
    EVP_PKEY_CTX_free(pctx);
    return key;
}

static struct call call_of(const struct rec_case *c, OSSL_LIB_CTX *ctx)
{
    static const uint8_t any_point[BYTES] = {9};
    struct rec_bytes scalar = rec_field(c, "scalar"), peer = rec_field(c, "peer");
    struct call call = {.ctx = ctx};
    call.own = import(ctx, OSSL_PKEY_PARAM_PRIV_KEY, scalar, c->id % 5 == 0 ? NULL : any_point);
    call.peer = import(ctx, OSSL_PKEY_PARAM_PUB_KEY, peer, NULL);
    free(scalar.data);
    free(peer.data);
    return call;
}

static void run(void *arg)
{
    struct call *call = arg;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(call->ctx, call->own, call->ctx == ours ? "provider=octuple" : NULL);
    size_t len = BYTES;
    memset(call->out, 0, BYTES);
    call->done = ctx && EVP_PKEY_derive_init(ctx) > 0 && EVP_PKEY_derive_set_peer(ctx, call->peer) > 0 &&
                 EVP_PKEY_derive(ctx, call->out, &len) > 0 && len == BYTES;
    EVP_PKEY_CTX_free(ctx);
}

static void judge(const struct rec_file *file, const struct rec_case *c, const struct call *call, const char *how)
{
    static const uint8_t zero[BYTES];
    struct rec_bytes want = rec_field(c, "shared");
    REC_REQUIRE(want.len == BYTES);
    const int is_zero = memcmp(want.data, zero, BYTES) == 0;
    rec_check(file, c, call->done == !is_zero, how);
    rec_check(file, c, memcmp(call->out, want.data, BYTES) == 0, how);
    free(want.data);
}

static void judge_public(const struct rec_file *file, const struct rec_case *c, const struct call *a,
                         const struct call *b)
{
    rec_check(file, c, EVP_PKEY_eq(a->own, b->own) == 1, "public key");
}

/* Plain OpenSSL is made to look slow, so that the queue finds every fill of a vector worth it, on the c table too. */
static void prefer_lanes(void)
{
    for (int i = 0; i < 64; i++)
        oct_queue_note_fallback(oct_queue_thread(), OCT_OP_X25519_DERIVE, 10000000000u);
}

static uint64_t in_lanes(void)
{
    struct oct_counters counters;
    oct_counters_read(&counters);
    return counters.op[OCT_OP_X25519_DERIVE].done + counters.op[OCT_OP_X25519_DERIVE].failed;
}

static void run_batch(const struct rec_file *file, size_t at, unsigned count)
{
    struct call plain[FIBRES], fibre[FIBRES], theirs[FIBRES];
    void *arg[FIBRES];
    for (unsigned i = 0; i < count; i++) {
        plain[i] = call_of(&file->cases[at + i], ours);
        theirs[i] = call_of(&file->cases[at + i], stock);
        fibre[i] = plain[i];
        run(&plain[i]);
        run(&theirs[i]);
        arg[i] = &fibre[i];
    }
    prefer_lanes();
    const uint64_t before = in_lanes();
    fibres_run(run, arg, count, &seen);
    lanes_in_fibres += in_lanes() - before;
    for (unsigned i = 0; i < count; i++) {
        judge(file, &file->cases[at + i], &plain[i], "outside of a fibre");
        judge(file, &file->cases[at + i], &fibre[i], "in a fibre");
        judge(file, &file->cases[at + i], &theirs[i], "OpenSSL alone");
        judge_public(file, &file->cases[at + i], &plain[i], &theirs[i]);
        EVP_PKEY_free(plain[i].own);
        EVP_PKEY_free(plain[i].peer);
        EVP_PKEY_free(theirs[i].own);
        EVP_PKEY_free(theirs[i].peer);
    }
}

int main(int argc, char **argv)
{
    struct rec_file file;
    struct oct_cpu_info info;
    REC_REQUIRE(argc == 3);
    oct_cpu_info_get(&info);
    if (!oct_op_is_on(OCT_OP_X25519_DERIVE)) {
        printf("SKIP: %s\n", oct_op_reason(OCT_OP_X25519_DERIVE));
        return 77;
    }
    ours = OSSL_LIB_CTX_new();
    stock = OSSL_LIB_CTX_new();
    REC_REQUIRE(ours && stock && OSSL_PROVIDER_set_default_search_path(ours, argv[1]));
    REC_REQUIRE(OSSL_PROVIDER_load(ours, "default") && OSSL_PROVIDER_load(stock, "default"));
    REC_REQUIRE(OSSL_PROVIDER_load(ours, "octuple"));
    rec_load(&file, argv[2]);
    REC_REQUIRE(strcmp(file.kind, "x25519-derive") == 0);
    for (size_t at = 0; at < file.count; at += FIBRES)
        run_batch(&file, at, file.count - at < FIBRES ? (unsigned)(file.count - at) : FIBRES);
    /* All but the few by which the queue measures the fallback anew; the eighth of eight does not pause. */
    printf("table %s: %zu cases, %llu in lanes in fibres\n", info.table, file.count,
           (unsigned long long)lanes_in_fibres);
    rec_check(&file, &file.cases[0], lanes_in_fibres >= file.count - file.count / 64, "fewer in lanes than cases");
    rec_check(&file, &file.cases[0], seen.fds_missing == 0 && seen.fds_unready == 0, "a pause that nobody would end");
    rec_check(&file, &file.cases[0], seen.pauses >= file.count / 8 * 7 - file.count / 64, "too few pauses");
    rec_unload(&file);
    return rec_end();
}
