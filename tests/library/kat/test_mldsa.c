/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * All ML-DSA vectors by the kernels, eight cases at a time; each case runs in three different lanes, among different
 * neighbours. Lengths are the callers' of kernels to check: of a case whose lengths are wrong the vector must say
 * that it is invalid.
 *
 * usage: kat_mldsa VECTORS      (OCTUPLE_TABLE says on which table)
 */
#include "depth.h"
#include "base/sha512.h"
#include "mldsa_batch.h"
#include "records.h"

#include <stdio.h>

#define CONTEXT_MAX 255

struct run {
    const struct oct_mldsa_ops *ops;
    struct rec_file file;
    void *workspace;
    int set;
    const struct rec_case *c[BATCH_LANES];
    struct mldsa_lane memory[BATCH_LANES], *lane[BATCH_LANES];
    unsigned lanes;
};

/* A field into a lane; 0 if its length is another. */
static int take(uint8_t *to, size_t len, const struct rec_case *c, const char *name)
{
    const struct rec_bytes field = rec_field(c, name);
    const int fits = field.len == len;
    if (fits)
        memcpy(to, field.data, len);
    free(field.data);
    return fits;
}

static void same_digest(const struct run *r, unsigned i, const uint8_t *got, size_t len, const char *name)
{
    uint8_t digest[OCT_SHA512_BYTES], want[OCT_SHA512_BYTES];
    oct_sha512(digest, got, len);
    rec_check(&r->file, r->c[i], take(want, sizeof want, r->c[i], name) && memcmp(digest, want, sizeof digest) == 0,
              name);
}

/* ... of a key, which not every vector states. */
static void same_public(const struct run *r, unsigned i)
{
    const struct rec_bytes want = rec_field(r->c[i], "pk-sha512");
    if (want.len > 0)
        same_digest(r, i, r->memory[i].pk, oct_mldsa_size[r->set].pk, "pk-sha512");
    free(want.data);
}

static void judge(const struct run *r, unsigned i, unsigned bad)
{
    rec_check(&r->file, r->c[i], rec_is(r->c[i], bad >> i & 1 ? "invalid" : "valid"), "result");
}

/* mu of a message and its context, which the vector may know too; of all that stands in the message (Whole); or the
 * vector's own. 0 if the context is too long. */
static int make_mu(const struct run *r, struct mldsa_lane *l, const struct rec_case *c, const uint8_t *tr)
{
    uint8_t head[OCT_MLDSA_MU_BYTES + 2 + CONTEXT_MAX] = {0};
    const struct rec_bytes message = rec_field(c, "msg"), context = rec_field(c, "ctx");
    const int fits = context.len <= CONTEXT_MAX;
    if (fits) {
        memcpy(head, tr, OCT_MLDSA_MU_BYTES);
        head[OCT_MLDSA_MU_BYTES + 1] = (uint8_t)context.len;
        memcpy(head + OCT_MLDSA_MU_BYTES + 2, context.data, context.len);
        const size_t more = rec_has_flag(c, "Whole") ? 0 : 2 + context.len;
        mldsa_shake256(r->ops, r->workspace, l->mu, head, OCT_MLDSA_MU_BYTES + more, message.data, message.len);
    }
    free(message.data);
    free(context.data);
    return fits;
}

/* What both kinds of signing have, once the private key stands in the lane. */
static int load_sign(struct run *r, struct mldsa_lane *l, const struct rec_case *c)
{
    uint8_t mu[OCT_MLDSA_MU_BYTES];
    if (!take(l->rnd, sizeof l->rnd, c, "rnd"))
        memset(l->rnd, 0, sizeof l->rnd);
    if (!make_mu(r, l, c, l->sk + OCT_MLDSA_SK_TR_AT))
        return 0;
    const int stated = take(mu, sizeof mu, c, "mu");
    if (rec_has_flag(c, "Internal"))
        memcpy(l->mu, mu, sizeof mu);
    else if (stated)
        rec_check(&r->file, c, memcmp(l->mu, mu, sizeof mu) == 0, "mu");
    return 1;
}
static int load_private(struct run *r, struct mldsa_lane *l, const struct rec_case *c)
{
    return take(l->sk, oct_mldsa_size[r->set].sk, c, "sk") && load_sign(r, l, c);
}
static int load_seed(struct run *r, struct mldsa_lane *l, const struct rec_case *c)
{
    if (!take(l->seed, SEED_BYTES, c, "seed"))
        return 0;
    mldsa_keygen(r->ops, r->set, r->workspace, &l, 1);
    return load_sign(r, l, c);
}
static void run_sign(struct run *r)
{
    const unsigned bad = mldsa_expand(r->ops, r->set, r->workspace, r->lane, r->lanes);
    const unsigned failed = mldsa_sign(r->ops, r->set, r->workspace, r->lane, r->lanes);
    for (unsigned i = 0; i < r->lanes; i++) {
        judge(r, i, bad);
        if (bad >> i & 1)
            continue;
        rec_check(&r->file, r->c[i], !(failed >> i & 1), "attempts");
        same_public(r, i);
        same_digest(r, i, r->memory[i].signature, oct_mldsa_size[r->set].signature, "sig-sha512");
    }
}

static int load_keygen(struct run *r, struct mldsa_lane *l, const struct rec_case *c)
{
    (void)r;
    return take(l->seed, SEED_BYTES, c, "seed");
}
static void run_keygen(struct run *r)
{
    mldsa_keygen(r->ops, r->set, r->workspace, r->lane, r->lanes);
    for (unsigned i = 0; i < r->lanes; i++) {
        same_public(r, i);
        same_digest(r, i, r->memory[i].sk, oct_mldsa_size[r->set].sk, "sk-sha512");
    }
}

static int load_verify(struct run *r, struct mldsa_lane *l, const struct rec_case *c)
{
    const struct oct_mldsa_size *size = &oct_mldsa_size[r->set];
    uint8_t tr[OCT_MLDSA_MU_BYTES];
    if (!take(l->pk, size->pk, c, "pk") || !take(l->signature, size->signature, c, "sig"))
        return 0;
    mldsa_shake256(r->ops, r->workspace, tr, NULL, 0, l->pk, size->pk);
    return (rec_has_flag(c, "Internal") && take(l->mu, sizeof l->mu, c, "mu")) || make_mu(r, l, c, tr);
}
static void run_verify(struct run *r)
{
    const unsigned bad = mldsa_verify(r->ops, r->set, r->workspace, r->lane, r->lanes, 0);
    mldsa_expand_public(r->ops, r->set, r->workspace, r->lane, r->lanes);
    const unsigned again = mldsa_verify(r->ops, r->set, r->workspace, r->lane, r->lanes, 1);
    for (unsigned i = 0; i < r->lanes; i++) {
        judge(r, i, bad);
        judge(r, i, again);
    }
}

static const struct kind {
    const char *name;
    int (*load)(struct run *r, struct mldsa_lane *l, const struct rec_case *c);
    void (*run)(struct run *r);
} kinds[] = {{"mldsa-keygen", load_keygen, run_keygen},
             {"mldsa-sign", load_private, run_sign},
             {"mldsa-sign-seed", load_seed, run_sign},
             {"mldsa-verify", load_verify, run_verify}};

static void flush(struct run *r, const struct kind *kind)
{
    if (r->lanes > 0)
        kind->run(r);
    r->lanes = 0;
}

/* Every case once; the first batch is a short one, so that each round has other lanes. */
static void run_round(struct run *r, const struct kind *kind, unsigned round)
{
    for (size_t i = 0; i < r->file.count; i++) {
        const struct rec_case *c = &r->file.cases[i];
        const int set = rec_says(c, "set", "ML-DSA-65") ? OCT_MLDSA_65 : OCT_MLDSA_44;
        REC_REQUIRE(set == OCT_MLDSA_65 || rec_says(c, "set", "ML-DSA-44"));
        if (set != r->set)
            flush(r, kind);
        r->set = set;
        r->c[r->lanes] = c;
        if (!kind->load(r, &r->memory[r->lanes], c))
            rec_check(&r->file, c, rec_is(c, "invalid"), "length");
        else if (++r->lanes == BATCH_LANES || i == 2 * round)
            flush(r, kind);
    }
    flush(r, kind);
}

int main(int argc, char **argv)
{
    static struct run r;
    const struct kind *kind = NULL;
    const char *reason;
    REC_REQUIRE(argc == 2);
    r.ops = oct_mldsa_selected(&reason);
    if (!r.ops) {
        printf("SKIP: %s\n", reason);
        return 77;
    }
    rec_load(&r.file, argv[1]);
    for (size_t i = 0; i < OCT_ARRAY_LEN(kinds); i++)
        kind = strcmp(kinds[i].name, r.file.kind) == 0 ? &kinds[i] : kind;
    REC_REQUIRE(kind);
    r.workspace = mldsa_workspace(r.ops);
    for (unsigned i = 0; i < BATCH_LANES; i++)
        r.lane[i] = &r.memory[i];
    for (unsigned round = 0; round < amount_of_lanes(r.ops->name); round++)
        run_round(&r, kind, round);
    free(r.workspace);
    rec_unload(&r.file);
    return rec_end();
}
