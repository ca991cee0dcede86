/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * All RSA vectors through the C API: the raw operation in lanes, eight cases at a time, whichever keys of one size they
 * have; the padding is the test's own (padding.c). Each case runs in three different lanes, among different neighbours;
 * on the portable table, which is slow and whose lanes are rounds of a loop, in one (with OCT_TEST_DEPTH=exhaustive in
 * three too).
 *
 * usage: kat_api_rsa VECTORS...      (OCTUPLE_TABLE says on which table)
 */
#include "padding.h"
#include "vectors.h"

#include "depth.h"

#include <octuple/octuple.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES 512

struct task {
    const struct kat_file *file;
    const struct kat_case *c;
    struct oct_rsa_key *key;
    uint8_t in[MAX_BYTES], out[MAX_BYTES];
};

static struct kat_score score;
static unsigned declined, lane_runs;

static int is_private(const struct kat_file *file)
{
    return file->kind != KAT_PKCS1_VERIFY && file->kind != KAT_PSS_VERIFY;
}

/* Whether the header says that such a key is served; told from the vector alone. */
static unsigned bits_of(struct kat_bytes b)
{
    unsigned bits = (unsigned)b.len * 8;
    for (unsigned mask = 0x80; b.len && mask && !(b.data[0] & mask); mask >>= 1)
        bits--;
    return bits;
}

static int should_be_served(const struct kat_key *k, int private)
{
    const unsigned bits = bits_of(k->n);
    if (bits != 2048 && bits != 3072 && bits != 4096)
        return 0;
    return !private || (bits_of(k->p) == bits / 2 && bits_of(k->q) == bits / 2);
}

static struct oct_bytes of(struct kat_bytes b)
{
    return (struct oct_bytes){b.data, b.len};
}

static void make_keys(struct kat_file *file)
{
    for (size_t i = 0; i < file->key_count; i++) {
        struct kat_key *k = &file->keys[i];
        struct oct_rsa_numbers numbers = {.n = of(k->n), .e = of(k->e)};
        struct oct_rsa_key *key = NULL;
        if (is_private(file)) {
            numbers.p = of(k->p);
            numbers.q = of(k->q);
            numbers.dp = of(k->dp);
            numbers.dq = of(k->dq);
            numbers.qinv = of(k->qinv);
        }
        const int status = oct_rsa_key_new(&key, &numbers);
        const int served = should_be_served(k, is_private(file));
        if ((status == OCT_OK) != served) {
            printf("FAIL %s key %u: %s, but it %s\n", file->path, k->id, oct_status_text(status),
                   served ? "is one to serve" : "is none to serve");
            score.failed++;
        }
        k->user = key;
    }
}

/* The number that goes into the lane, or no lane is needed: the length alone settles it. */
static int prepare(struct task *t)
{
    const size_t k = oct_rsa_key_bits(t->key) / 8;
    const struct kat_bytes from = is_private(t->file) ? t->c->ct : t->c->sig;
    if (t->file->kind == KAT_PKCS1_SIGN) {
        kat_emsa_pkcs1(t->in, k, t->c->sha, t->c->msg);
        return 1;
    }
    if (from.len != k)
        return 0;
    memcpy(t->in, from.data, k);
    return 1;
}

/* Whether the lane's number, once unpadded, says "valid" for this case. Spoils out. */
static int says_valid(struct task *t)
{
    const size_t k = oct_rsa_key_bits(t->key) / 8;
    const struct kat_case *c = t->c;
    struct kat_bytes msg = {0};
    uint8_t em[MAX_BYTES];
    switch (t->file->kind) {
    case KAT_PKCS1_SIGN:
        return c->sig.len == k && memcmp(t->out, c->sig.data, k) == 0;
    case KAT_PKCS1_VERIFY:
        kat_emsa_pkcs1(em, k, c->sha, c->msg);
        return memcmp(t->out, em, k) == 0;
    case KAT_PSS_VERIFY:
        return kat_emsa_pss_verify(t->out, k, c->sha, c->mgf, (size_t)c->salt, c->msg);
    case KAT_PKCS1_DECRYPT:
        return kat_eme_pkcs1(&msg, t->out, k) && msg.len == c->msg.len && memcmp(msg.data, c->msg.data, msg.len) == 0;
    case KAT_OAEP_DECRYPT:
        return kat_eme_oaep(&msg, t->out, k, c->sha, c->mgf, c->label) && msg.len == c->msg.len &&
               memcmp(msg.data, c->msg.data, msg.len) == 0;
    }
    return 0;
}

/* "acceptable" leaves a case open, but the strict reading of the padding that we compare with decides all but one kind:
 * a missing NULL in the algorithm identifier is not what EMSA-PKCS1-v1_5 makes. */
static int expected(const struct kat_case *c)
{
    return c->result == KAT_VALID || (c->result == KAT_ACCEPTABLE && !kat_has_flag(c, "MissingNull"));
}

static void judge(struct task *t, unsigned lane, const struct oct_lanes *result)
{
    const unsigned bit = 1u << lane;
    const size_t k = oct_rsa_key_bits(t->key) / 8;
    static const uint8_t zero[MAX_BYTES];
    if (result->invalid & bit) {
        kat_check(&score, t->file, t->c, t->c->result == KAT_INVALID, "the input was called out of range");
        kat_check(&score, t->file, t->c, memcmp(t->in, t->c->key->n.data, k) >= 0,
                  "an input below n was called out of range");
        kat_check(&score, t->file, t->c, memcmp(t->out, zero, k) == 0, "output of an invalid lane");
        return;
    }
    if (!kat_check(&score, t->file, t->c, (result->ok & bit) != 0, "the lane failed its check"))
        return;
    const int valid = says_valid(t);
    kat_check(&score, t->file, t->c, valid == expected(t->c), valid ? "accepted" : "refused");
}

static void run_batch(struct task *task[], unsigned count)
{
    struct oct_rsa_lane lane[OCT_LANES];
    struct oct_lanes result = {0};
    const int private = is_private(task[0]->file);
    for (unsigned i = 0; i < count; i++)
        lane[i] = (struct oct_rsa_lane){task[i]->key, task[i]->in, task[i]->out};
    const int status = private ? oct_rsa_private_x8(lane, count, &result) : oct_rsa_public_x8(lane, count, &result);
    KAT_REQUIRE(status == OCT_OK);
    for (unsigned i = 0; i < count; i++)
        judge(task[i], i, &result);
    lane_runs += count;
}

/* All tasks of one size and one operation, in batches of eight; each round begins at another place. */
static void run_all(struct task *all, size_t count, unsigned bits, int private, unsigned rounds)
{
    struct task **chosen = calloc(count + 1, sizeof *chosen), *batch[OCT_LANES];
    size_t n = 0;
    KAT_REQUIRE(chosen);
    for (size_t i = 0; i < count; i++)
        if (oct_rsa_key_bits(all[i].key) == bits && is_private(all[i].file) == private)
            chosen[n++] = &all[i];
    for (unsigned round = 0; round < rounds && n > 0; round++) {
        for (size_t at = 0; at < n; at += OCT_LANES) {
            const unsigned lanes = n - at < OCT_LANES ? (unsigned)(n - at) : OCT_LANES;
            for (unsigned i = 0; i < lanes; i++)
                batch[i] = chosen[(at + i + round * 37) % n];
            run_batch(batch, lanes);
        }
    }
    free(chosen);
}

/* One task for each case that needs a lane; the others are judged at once. */
static size_t add_tasks(struct task *all, struct kat_file *file)
{
    size_t count = 0;
    for (size_t i = 0; i < file->case_count; i++) {
        const struct kat_case *c = &file->cases[i];
        struct task *t = &all[count];
        *t = (struct task){.file = file, .c = c, .key = c->key->user};
        if (!t->key)
            declined++;
        else if (prepare(t))
            count++;
        else
            kat_check(&score, file, c, c->result == KAT_INVALID, "refused by its length");
    }
    return count;
}

int main(int argc, char **argv)
{
    struct kat_file *files = calloc((size_t)argc, sizeof *files);
    struct oct_cpu_info info;
    size_t count = 0, cases = 0;
    KAT_REQUIRE(files && argc > 1);
    oct_cpu_info_get(&info);
    if (!oct_op_is_on(OCT_OP_RSA2048_PRIVATE)) {
        printf("SKIP: %s\n", oct_op_reason(OCT_OP_RSA2048_PRIVATE));
        return 77;
    }
    for (int i = 1; i < argc; i++) {
        kat_load(&files[i], argv[i]);
        make_keys(&files[i]);
        cases += files[i].case_count;
    }
    struct task *all = calloc(cases, sizeof *all);
    KAT_REQUIRE(all);
    for (int i = 1; i < argc; i++)
        count += add_tasks(all + count, &files[i]);
    for (unsigned bits = 2048; bits <= 4096; bits += 1024)
        for (int private = 0; private < 2; private ++)
            run_all(all, count, bits, private, amount_of_lanes(info.table));
    printf("table %s: %zu cases, %zu of them in lanes (%u lane runs), %u with keys that lanes decline\n", info.table,
           cases, count, lane_runs, declined);
    for (int i = 1; i < argc; i++) {
        for (size_t j = 0; j < files[i].key_count; j++)
            oct_rsa_key_free(files[i].keys[j].user);
        kat_unload(&files[i]);
    }
    free(all);
    free(files);
    return kat_end(&score);
}
