/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * All Ed25519 vectors through the OpenSSL provider: plainly, and inside async jobs, eight in flight, where the counters
 * must show that the lanes did the work. Every answer is the vector's, and OpenSSL's own.
 *
 * usage: kat_provider_ed25519 MODULES_FOLDER VECTORS
 */
#include "fibres.h"
#include "records.h"

#include <octuple/octuple.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct call {
    OSSL_LIB_CTX *ctx;
    EVP_PKEY *key;
    struct rec_bytes message, signature;
    int good;
};

static OSSL_LIB_CTX *ours, *stock;
static struct fibres_seen seen;
static uint64_t lanes_in_fibres;

static const char *properties(OSSL_LIB_CTX *ctx)
{
    return ctx == ours ? "provider=octuple" : NULL;
}

static struct call call_of(const struct rec_case *c, OSSL_LIB_CTX *ctx)
{
    struct rec_bytes point = rec_field(c, "pk");
    struct call call = {.ctx = ctx, .message = rec_field(c, "msg"), .signature = rec_field(c, "sig")};

    call.key = EVP_PKEY_new_raw_public_key_ex(ctx, "ED25519", properties(ctx), point.data, point.len);
    REC_REQUIRE(call.key != NULL);
    free(point.data);
    return call;
}

static void call_end(struct call *call)
{
    EVP_PKEY_free(call->key);
    free(call->message.data);
    free(call->signature.data);
}

static void run(void *arg)
{
    struct call *call = arg;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();

    call->good =
        ctx != NULL &&
        EVP_DigestVerifyInit_ex(ctx, NULL, NULL, call->ctx, properties(call->ctx), call->key, NULL) > 0 &&
        EVP_DigestVerify(ctx, call->signature.data, call->signature.len, call->message.data, call->message.len) == 1;
    EVP_MD_CTX_free(ctx);
}

static void judge(const struct rec_file *file, const struct rec_case *c, const struct call *call, const char *how)
{
    REC_REQUIRE(rec_is(c, "valid") || rec_is(c, "invalid"));
    rec_check(file, c, call->good == rec_is(c, "valid"), how);
}

/* Plain OpenSSL is made to look slow, so that the queue finds every fill of a vector worth it, on the c table too. */
static void prefer_lanes(void)
{
    for (int i = 0; i < 64; i++)
        oct_queue_note_fallback(oct_queue_thread(), OCT_OP_ED25519_VERIFY, 10000000000u);
}

static uint64_t in_lanes(void)
{
    struct oct_counters counters;
    oct_counters_read(&counters);
    return counters.op[OCT_OP_ED25519_VERIFY].done + counters.op[OCT_OP_ED25519_VERIFY].failed;
}

/* A signature of another length than 64 bytes never gets as far as the lanes. */
static size_t right_lengths(const struct rec_file *file)
{
    size_t count = 0;

    for (size_t i = 0; i < file->count; i++) {
        struct rec_bytes signature = rec_field(&file->cases[i], "sig");
        count += signature.len == OCT_ED25519_SIGNATURE_BYTES;
        free(signature.data);
    }
    return count;
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
        call_end(&plain[i]);
        call_end(&theirs[i]);
    }
}

static void open_providers(const char *modules)
{
    ours = OSSL_LIB_CTX_new();
    stock = OSSL_LIB_CTX_new();
    REC_REQUIRE(ours && stock && OSSL_PROVIDER_set_default_search_path(ours, modules));
    REC_REQUIRE(OSSL_PROVIDER_load(ours, "default") && OSSL_PROVIDER_load(stock, "default"));
    REC_REQUIRE(OSSL_PROVIDER_load(ours, "octuple"));
}

int main(int argc, char **argv)
{
    struct rec_file file;
    struct oct_cpu_info info;

    REC_REQUIRE(argc == 3);
    oct_cpu_info_get(&info);
    if (!oct_op_is_on(OCT_OP_ED25519_VERIFY)) {
        printf("SKIP: %s\n", oct_op_reason(OCT_OP_ED25519_VERIFY));
        return 77;
    }
    open_providers(argv[1]);
    rec_load(&file, argv[2]);
    REC_REQUIRE(strcmp(file.kind, "ed25519-verify") == 0);
    for (size_t at = 0; at < file.count; at += FIBRES)
        run_batch(&file, at, file.count - at < FIBRES ? (unsigned)(file.count - at) : FIBRES);
    const size_t able = right_lengths(&file);
    printf("table %s: %zu cases, %zu with 64 bytes, %llu in lanes in fibres\n", info.table, file.count, able,
           (unsigned long long)lanes_in_fibres);
    /* All but the few by which the queue measures the fallback anew, and those that are left alone. */
    rec_check(&file, &file.cases[0], lanes_in_fibres >= able - able / 8, "fewer in lanes than cases");
    rec_check(&file, &file.cases[0], seen.fds_missing == 0 && seen.fds_unready == 0, "a pause that nobody would end");
    rec_check(&file, &file.cases[0], seen.pauses >= able / 8 * 6, "too few pauses");
    rec_unload(&file);
    return rec_end();
}
