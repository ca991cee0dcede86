/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * All RSA vectors through the OpenSSL provider: once plainly, and once inside async jobs, eight in flight, where the
 * counters must show that the lanes did the work. Every answer is held against the vector, against the other way, and
 * against OpenSSL's default provider.
 *
 * usage: kat_provider_rsa MODULES_FOLDER VECTORS...
 */
#include "evp_rsa.h"
#include "fibres.h"

#include <octuple/octuple.h>
#include <openssl/provider.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct kat_score score;
static struct evp_side ours = {NULL, "provider=octuple"}, stock = {NULL, "provider=default"};
static struct fibres_seen seen;

struct keys {
    EVP_PKEY *ours, *stock;
};

/* What one case gave, in its three ways. */
struct answers {
    struct evp_call plain, fibre, stock;
};

static OSSL_PROVIDER *loaded[3];

static void load_providers(const char *modules)
{
    ours.ctx = OSSL_LIB_CTX_new();
    stock.ctx = OSSL_LIB_CTX_new();
    KAT_REQUIRE(ours.ctx && stock.ctx && OSSL_PROVIDER_set_default_search_path(ours.ctx, modules));
    loaded[0] = OSSL_PROVIDER_load(ours.ctx, "default");
    loaded[1] = OSSL_PROVIDER_load(stock.ctx, "default");
    loaded[2] = OSSL_PROVIDER_load(ours.ctx, "octuple");
    KAT_REQUIRE(loaded[0] && loaded[1] && loaded[2]);
}

static void make_keys(struct kat_file *file, struct keys *keys)
{
    for (size_t i = 0; i < file->key_count; i++) {
        keys[i].ours = evp_key(&ours, &file->keys[i], evp_is_private(file->kind));
        keys[i].stock = evp_key(&stock, &file->keys[i], evp_is_private(file->kind));
        file->keys[i].user = &keys[i];
    }
}

static struct evp_call call_of(const struct kat_file *file, const struct kat_case *c, const struct evp_side *side)
{
    const struct keys *keys = c->key->user;
    return (struct evp_call){.side = side, .file = file, .c = c, .key = side == &ours ? keys->ours : keys->stock};
}

static void run_one(void *call)
{
    evp_run(call);
}

/* Plain OpenSSL is made to look slow, so that the queue finds every fill of a vector worth it, on the c table too. */
static void prefer_lanes(void)
{
    for (int op = 0; op < OCT_OP_COUNT; op++)
        for (int i = 0; i < 64; i++)
            oct_queue_note_fallback(oct_queue_thread(), op, 10000000000u);
}

static void run_in_fibres(struct answers *all, size_t count)
{
    for (size_t at = 0; at < count; at += FIBRES) {
        void *arg[FIBRES];
        const unsigned n = count - at < FIBRES ? (unsigned)(count - at) : FIBRES;
        for (unsigned i = 0; i < n; i++)
            arg[i] = &all[at + i].fibre;
        prefer_lanes();
        fibres_run(run_one, arg, n, &seen);
    }
}

static int same(const struct evp_call *a, const struct evp_call *b)
{
    return a->done == b->done && a->len == b->len && memcmp(a->out, b->out, a->len) == 0;
}

/* What an unpadding without any check would give for a PKCS #1 v1.5 ciphertext: a forged message must not come out. */
static int is_forged(const struct kat_file *file, const struct kat_case *c, const struct evp_call *got)
{
    struct evp_call em = call_of(file, c, &stock);
    size_t at = 2;
    em.raw = 1;
    evp_run(&em);
    if (!em.done)
        return 0;
    while (at < em.len && em.out[at] != 0)
        at++;
    at++;
    return at < em.len && got->len == em.len - at && memcmp(got->out, em.out + at, got->len) == 0;
}

/* PKCS #1 v1.5 decryption: OpenSSL before 3.2 reports bad padding, and so do we. With implicit rejection it is no
 * error, but a message that nobody sent, the same each time. Only a ciphertext of the wrong length (or not below n) is
 * an error. */
static void judge_rejected(const struct kat_file *file, const struct kat_case *c, const struct answers *a)
{
    const int bad_form = c->ct.len != c->key->n.len || memcmp(c->ct.data, c->key->n.data, c->ct.len) >= 0;
    struct evp_call again = call_of(file, c, &ours);
    evp_run(&again);
    kat_check(&score, file, c, same(&again, &a->plain), "a second time something else");
    kat_check(&score, file, c, same(&a->plain, &a->fibre), "in lanes something else");
    kat_check(&score, file, c, bad_form || a->plain.done, "bad padding was reported");
    kat_check(&score, file, c, !a->plain.done || !is_forged(file, c, &a->plain), "the forged message came out");
    kat_check(&score, file, c, !a->plain.done || a->plain.len + 11 <= c->key->n.len, "longer than any message");
}

static bool rejects_implicitly(void)
{
    EVP_ASYM_CIPHER *rsa = EVP_ASYM_CIPHER_fetch(NULL, "RSA", "provider=default");
    const OSSL_PARAM *settable = rsa != NULL ? EVP_ASYM_CIPHER_settable_ctx_params(rsa) : NULL;
    const bool rejects = settable != NULL && OSSL_PARAM_locate_const(settable, "implicit-rejection") != NULL;
    EVP_ASYM_CIPHER_free(rsa);
    return rejects;
}

static void judge_valid(const struct kat_file *file, const struct kat_case *c, const struct evp_call *got)
{
    const struct kat_bytes want = file->kind == KAT_PKCS1_SIGN ? c->sig : c->msg;
    kat_check(&score, file, c, got->done, "refused");
    if (evp_is_private(file->kind))
        kat_check(&score, file, c, got->len == want.len && memcmp(got->out, want.data, want.len) == 0,
                  "another result");
}

static void judge(const struct kat_file *file, const struct kat_case *c, const struct answers *a)
{
    if (file->kind == KAT_PKCS1_DECRYPT && c->result == KAT_INVALID && rejects_implicitly()) {
        judge_rejected(file, c, a);
        return;
    }
    kat_check(&score, file, c, same(&a->plain, &a->stock), "plainly not what OpenSSL says");
    kat_check(&score, file, c, same(&a->fibre, &a->stock), "in an async job not what OpenSSL says");
    /* A signature is what it is, however weak its hash or exponent. */
    if (c->result == KAT_VALID || (c->result == KAT_ACCEPTABLE && file->kind == KAT_PKCS1_SIGN)) {
        judge_valid(file, c, &a->plain);
        judge_valid(file, c, &a->fibre);
    } else if (c->result == KAT_INVALID) {
        kat_check(&score, file, c, !a->plain.done, "accepted plainly");
        kat_check(&score, file, c, !a->fibre.done, "accepted in an async job");
    }
}

static uint64_t done_in_lanes(void)
{
    struct oct_counters counters;
    uint64_t sum = 0;
    oct_counters_read(&counters);
    for (int op = 0; op < OCT_OP_COUNT; op++)
        sum += counters.op[op].done;
    return sum;
}

/* How many cases of a file lanes must have served: those whose number is below n, and whose key lanes serve. Not in
 * lanes are the first request of each public key, before it gets its lane key, and the few by which the queue measures
 * the fallback anew. */
static uint64_t lanes_due(const struct kat_file *file)
{
    uint64_t due = 0;
    for (size_t i = 0; i < file->case_count; i++) {
        const struct kat_case *c = &file->cases[i];
        const struct kat_key *k = c->key;
        const struct kat_bytes in = file->kind == KAT_PKCS1_SIGN ? c->sig : evp_is_private(file->kind) ? c->ct : c->sig;
        const int served = !evp_is_private(file->kind) || (k->p.len == k->n.len / 2 && k->q.len == k->n.len / 2);
        due += served && in.len == k->n.len && memcmp(in.data, k->n.data, in.len) < 0;
    }
    const uint64_t plain = (evp_is_private(file->kind) ? 0 : file->key_count) + due / 64;
    return due > plain ? due - plain : 0;
}

static void run_file(const char *path)
{
    struct kat_file file;
    kat_load(&file, path);
    struct keys *keys = calloc(file.key_count, sizeof *keys);
    struct answers *all = calloc(file.case_count, sizeof *all);
    KAT_REQUIRE(keys && all);
    make_keys(&file, keys);
    for (size_t i = 0; i < file.case_count; i++) {
        const struct kat_case *c = &file.cases[i];
        all[i] = (struct answers){call_of(&file, c, &ours), call_of(&file, c, &ours), call_of(&file, c, &stock)};
        evp_run(&all[i].plain);
        evp_run(&all[i].stock);
    }
    const uint64_t before = done_in_lanes(), due = lanes_due(&file);
    run_in_fibres(all, file.case_count);
    const uint64_t done = done_in_lanes() - before;
    for (size_t i = 0; i < file.case_count; i++)
        judge(&file, &file.cases[i], &all[i]);
    printf("%s: %zu cases, %llu in lanes (at least %llu due)\n", path, file.case_count, (unsigned long long)done,
           (unsigned long long)due);
    kat_check(&score, &file, &file.cases[0], done >= due,
              "fewer operations in lanes than are due (all cases together)");
    for (size_t i = 0; i < file.key_count; i++) {
        EVP_PKEY_free(keys[i].ours);
        EVP_PKEY_free(keys[i].stock);
    }
    free(keys);
    free(all);
    kat_unload(&file);
}

int main(int argc, char **argv)
{
    struct oct_cpu_info info;
    KAT_REQUIRE(argc > 2);
    oct_cpu_info_get(&info);
    if (!oct_op_is_on(OCT_OP_RSA2048_PRIVATE)) {
        printf("SKIP: %s\n", oct_op_reason(OCT_OP_RSA2048_PRIVATE));
        return 77;
    }
    load_providers(argv[1]);
    for (int i = 2; i < argc; i++)
        run_file(argv[i]);
    printf("table %s: %u jobs paused, %u without a wait fd, %u whose wait fd was not readable\n", info.table,
           seen.pauses, seen.fds_missing, seen.fds_unready);
    score.failed += seen.fds_missing + seen.fds_unready + (seen.pauses == 0);
    for (int i = 0; i < 3; i++)
        OSSL_PROVIDER_unload(loaded[i]);
    OSSL_LIB_CTX_free(ours.ctx);
    OSSL_LIB_CTX_free(stock.ctx);
    return kat_end(&score);
}
