/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * All ML-DSA vectors by the kernels, eight cases at a time; each case runs in three different lanes, among different
 * neighbours. Lengths are the callers' of kernels to check: of a case whose lengths are wrong the vector must say
 * that it is invalid.
 *
 * usage: kat_mldsa VECTORS      (OCTUPLE_TABLE says on which table)
 */
#include "base/sha512.h"
#include "mldsa_batch.h"

typedef struct oct_mldsa_ops lattice_ops;
typedef struct mldsa_lane lattice_lane;
#include "lattice_run.h"

#define CONTEXT_MAX 255

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

static const struct kind kinds[] = {{"mldsa-keygen", load_keygen, run_keygen},
                                    {"mldsa-sign", load_private, run_sign},
                                    {"mldsa-sign-seed", load_seed, run_sign},
                                    {"mldsa-verify", load_verify, run_verify}};

int main(int argc, char **argv)
{
    static const char *const sets[2] = {"ML-DSA-44", "ML-DSA-65"};
    static struct run r;
    const char *reason;
    REC_REQUIRE(argc == 2);
    r.ops = oct_mldsa_selected(&reason);
    if (!r.ops) {
        printf("SKIP: %s\n", reason);
        return 77;
    }
    r.workspace = mldsa_workspace(r.ops);
    return run_file(&r, argv[1], kinds, OCT_ARRAY_LEN(kinds), sets);
}
