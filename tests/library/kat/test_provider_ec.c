/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * All ECDH and ECDSA vectors through the OpenSSL provider: once plainly, and once inside async jobs, eight in flight,
 * where the counters must show that the lanes did the work. Every answer is held against the vector and against
 * OpenSSL's default provider; where the two disagree (the wrapping of a key is decoded by OpenSSL either way) OpenSSL's
 * is asked for.
 *
 * usage: kat_provider_ec MODULES_FOLDER VECTORS...
 */
#include "fibres.h"
#include "records.h"

#include <octuple/octuple.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX 64

struct call {
    OSSL_LIB_CTX *ctx;
    const struct rec_file *file;
    const struct rec_case *c;
    EVP_PKEY *own, *peer;
    int done;
    uint8_t out[MAX];
    size_t len;
};

static OSSL_LIB_CTX *ours, *stock;
static struct fibres_seen seen;

static const char *curve_of(const struct rec_case *c)
{
    return rec_says(c, "curve", "secp384r1") ? "P-384" : "P-256";
}

static EVP_PKEY *from_params(OSSL_LIB_CTX *libctx, const char *curve, struct rec_bytes point, const BIGNUM *d)
{
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(libctx, "EC", NULL);
    OSSL_PARAM *params;
    EVP_PKEY *key = NULL;

    REC_REQUIRE(build && ctx && OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, curve, 0));
    if (d != NULL)
        REC_REQUIRE(OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_PRIV_KEY, d));
    else
        REC_REQUIRE(OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point.data, point.len));
    params = OSSL_PARAM_BLD_to_param(build);
    REC_REQUIRE(params && EVP_PKEY_fromdata_init(ctx) > 0);
    if (EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_KEYPAIR, params) <= 0)
        key = NULL;
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static EVP_PKEY *from_spki(OSSL_LIB_CTX *libctx, struct rec_bytes der)
{
    const uint8_t *at = der.data;
    return d2i_PUBKEY_ex(NULL, &at, (long)der.len, libctx, NULL);
}

static void derive(struct call *call)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(call->ctx, call->own, NULL);

    call->len = MAX;
    call->done = call->peer != NULL && ctx != NULL && EVP_PKEY_derive_init(ctx) > 0 &&
                 EVP_PKEY_derive_set_peer(ctx, call->peer) > 0 && EVP_PKEY_derive(ctx, call->out, &call->len) > 0;
    EVP_PKEY_CTX_free(ctx);
}

static void verify(struct call *call)
{
    struct rec_bytes msg = rec_field(call->c, "msg"), sig = rec_field(call->c, "sig");
    const char *digest = rec_says(call->c, "sha", "sha-384") ? "SHA384" : "SHA256";
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();

    call->len = 0;
    call->done = call->own != NULL &&
                 EVP_DigestVerifyInit_ex(ctx, NULL, digest, call->ctx, NULL, call->own, NULL) > 0 &&
                 EVP_DigestVerify(ctx, sig.data, sig.len, msg.data, msg.len) == 1;
    EVP_MD_CTX_free(ctx);
    free(msg.data);
    free(sig.data);
}

static int is_ecdsa(const struct rec_file *file)
{
    return strcmp(file->kind, "ecdsa-verify") == 0;
}

static void run(void *arg)
{
    struct call *call = arg;
    if (is_ecdsa(call->file))
        verify(call);
    else
        derive(call);
}

static void open_ecdsa(struct call *call)
{
    struct rec_bytes point = rec_field(call->c, "point");
    call->own = from_params(call->ctx, point.len == 65 ? "P-256" : "P-384", point, NULL);
    REC_REQUIRE(call->own != NULL);
    free(point.data);
}

static void open_ecdh(struct call *call)
{
    struct rec_bytes scalar = rec_field(call->c, "scalar"), peer = rec_field(call->c, "peer");
    BIGNUM *d = BN_bin2bn(scalar.data, (int)scalar.len, NULL);

    call->own = from_params(call->ctx, curve_of(call->c), peer, d);
    if (strcmp(call->file->kind, "ecdh-spki") == 0)
        call->peer = from_spki(call->ctx, peer);
    else
        call->peer = from_params(call->ctx, curve_of(call->c), peer, NULL);
    REC_REQUIRE(call->own != NULL);
    BN_free(d);
    free(scalar.data);
    free(peer.data);
}

static struct call *open_calls(const struct rec_file *file, OSSL_LIB_CTX *libctx)
{
    struct call *call = calloc(file->count, sizeof *call);

    REC_REQUIRE(call != NULL);
    for (size_t i = 0; i < file->count; i++) {
        call[i].ctx = libctx;
        call[i].file = file;
        call[i].c = &file->cases[i];
        if (is_ecdsa(file))
            open_ecdsa(&call[i]);
        else
            open_ecdh(&call[i]);
    }
    return call;
}

static void close_calls(struct call *call, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        EVP_PKEY_free(call[i].own);
        EVP_PKEY_free(call[i].peer);
    }
    free(call);
}

/* Plain OpenSSL is made to look slow, so that the queue finds every fill of a vector worth it, on the c table too. */
static void prefer_lanes(void)
{
    for (int op = 0; op < OCT_OP_COUNT; op++)
        for (int i = 0; i < 64; i++)
            oct_queue_note_fallback(oct_queue_thread(), op, 10000000000u);
}

static void run_in_fibres(struct call *call, size_t count)
{
    for (size_t at = 0; at < count; at += FIBRES) {
        void *arg[FIBRES];
        const unsigned n = count - at < FIBRES ? (unsigned)(count - at) : FIBRES;
        for (unsigned i = 0; i < n; i++)
            arg[i] = &call[at + i];
        prefer_lanes();
        fibres_run(run, arg, n, &seen);
    }
}

static int same(const struct call *a, const struct call *b)
{
    return a->done == b->done && (!a->done || (a->len == b->len && memcmp(a->out, b->out, a->len) == 0));
}

static unsigned judge(const struct call *got, const struct call *want)
{
    const struct rec_case *c = got->c;

    rec_check(got->file, c, same(got, want), "what OpenSSL says");
    if (rec_is(c, "valid"))
        rec_check(got->file, c, got->done, "accepted");
    if (rec_is(c, "valid") && !is_ecdsa(got->file)) {
        struct rec_bytes shared = rec_field(c, "shared");
        rec_check(got->file, c, got->len == shared.len && memcmp(got->out, shared.data, shared.len) == 0, "secret");
        free(shared.data);
    }
    return rec_is(c, "invalid") && got->done;
}

static uint64_t derived(void)
{
    struct oct_counters counters;
    oct_counters_read(&counters);
    return counters.op[OCT_OP_P256_DERIVE].done + counters.op[OCT_OP_P384_DERIVE].done;
}

static void run_file(const char *path)
{
    struct rec_file file;
    unsigned lenient = 0, accepted = 0;
    uint64_t before;

    rec_load(&file, path);
    struct call *plain = open_calls(&file, ours), *fibre = open_calls(&file, ours), *other = open_calls(&file, stock);
    for (size_t i = 0; i < file.count; i++) {
        run(&plain[i]);
        run(&other[i]);
    }
    before = derived();
    run_in_fibres(fibre, file.count);
    for (size_t i = 0; i < file.count; i++) {
        lenient += judge(&plain[i], &other[i]);
        judge(&fibre[i], &other[i]);
        accepted += (unsigned)fibre[i].done;
    }
    printf("%s: %zu cases, %u accepted, %llu in lanes, %u of them invalid ones that OpenSSL takes too\n", path,
           file.count, accepted, (unsigned long long)(derived() - before), lenient);
    /* On the c table a job that is alone, its neighbours' keys being refused before they get that far, falls back. */
    REC_REQUIRE(accepted > 0 && (is_ecdsa(&file) || derived() - before >= accepted - accepted / 20));
    close_calls(plain, file.count);
    close_calls(fibre, file.count);
    close_calls(other, file.count);
    rec_unload(&file);
}

int main(int argc, char **argv)
{
    REC_REQUIRE(argc >= 3);
    for (int curve = 0; curve < OCT_EC_CURVES; curve++)
        if (!oct_op_is_on(oct_ec_derive_op(curve))) {
            printf("SKIP: %s\n", oct_op_reason(oct_ec_derive_op(curve)));
            return 77;
        }
    ours = OSSL_LIB_CTX_new();
    stock = OSSL_LIB_CTX_new();
    REC_REQUIRE(ours && stock && OSSL_PROVIDER_set_default_search_path(ours, argv[1]));
    OSSL_PROVIDER *loaded[] = {OSSL_PROVIDER_load(ours, "default"), OSSL_PROVIDER_load(ours, "octuple"),
                               OSSL_PROVIDER_load(stock, "default")};
    REC_REQUIRE(loaded[0] && loaded[1] && loaded[2]);
    REC_REQUIRE(EVP_set_default_properties(ours, "?octuple.serves=yes"));
    for (int i = 2; i < argc; i++)
        run_file(argv[i]);
    REC_REQUIRE(seen.fds_missing == 0 && seen.fds_unready == 0);
    for (int i = 0; i < 3; i++)
        OSSL_PROVIDER_unload(loaded[i]);
    OSSL_LIB_CTX_free(ours);
    OSSL_LIB_CTX_free(stock);
    return rec_end();
}
