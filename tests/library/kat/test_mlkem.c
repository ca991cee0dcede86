/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * All ML-KEM vectors by the kernels, eight cases at a time; each case runs in three different lanes, among different
 * neighbours. Lengths are the callers' of kernels to check: of a case whose lengths are wrong the vector must say
 * that it is invalid.
 *
 * usage: kat_mlkem VECTORS      (OCTUPLE_TABLE says on which table)
 */
#include "base/sha512.h"
#include "mlkem_batch.h"

typedef struct oct_mlkem_ops lattice_ops;
typedef struct mlkem_lane lattice_lane;
#include "lattice_run.h"

static void same(const struct run *r, unsigned i, const uint8_t *got, size_t len, const char *name)
{
    const struct rec_bytes want = rec_field(r->c[i], name);
    uint8_t digest[OCT_SHA512_BYTES];
    if (strstr(name, "-sha512")) {
        oct_sha512(digest, got, len);
        got = digest;
        len = sizeof digest;
    }
    rec_check(&r->file, r->c[i], want.len == len && memcmp(got, want.data, len) == 0, name);
    free(want.data);
}

static int load_seed(struct mlkem_lane *l, const struct rec_case *c)
{
    uint8_t seed[2 * SEED_BYTES];
    if (!take(seed, sizeof seed, c, "seed"))
        return 0;
    memcpy(l->d, seed, SEED_BYTES);
    memcpy(l->z, seed + SEED_BYTES, SEED_BYTES);
    return 1;
}
static int load_both(struct run *r, struct mlkem_lane *l, const struct rec_case *c)
{
    return load_seed(l, c) && take(l->ct, oct_mlkem_size[r->set].ct, c, "ct");
}
static void run_both(struct run *r)
{
    mlkem_keygen(r->ops, r->set, r->workspace, r->lane, r->lanes);
    mlkem_decaps(r->ops, r->set, r->workspace, r->lane, r->lanes);
    for (unsigned i = 0; i < r->lanes; i++) {
        judge(r, i, 0);
        same(r, i, r->memory[i].ek, oct_mlkem_size[r->set].ek, "ek-sha512");
        same(r, i, r->memory[i].secret, SEED_BYTES, "shared");
    }
}

static int load_keygen(struct run *r, struct mlkem_lane *l, const struct rec_case *c)
{
    (void)r;
    return load_seed(l, c);
}
static void run_keygen(struct run *r)
{
    mlkem_keygen(r->ops, r->set, r->workspace, r->lane, r->lanes);
    for (unsigned i = 0; i < r->lanes; i++) {
        judge(r, i, 0);
        same(r, i, r->memory[i].ek, oct_mlkem_size[r->set].ek, "ek-sha512");
        same(r, i, r->memory[i].dk, oct_mlkem_size[r->set].dk, "dk-sha512");
    }
}

static int load_encaps(struct run *r, struct mlkem_lane *l, const struct rec_case *c)
{
    return take(l->ek, oct_mlkem_size[r->set].ek, c, "ek") && take(l->m, SEED_BYTES, c, "m");
}
static void run_encaps(struct run *r)
{
    const unsigned bad = mlkem_encaps(r->ops, r->set, r->workspace, r->lane, r->lanes);
    for (unsigned i = 0; i < r->lanes; i++) {
        judge(r, i, bad);
        if (bad >> i & 1)
            continue;
        same(r, i, r->memory[i].ct, oct_mlkem_size[r->set].ct, "ct-sha512");
        same(r, i, r->memory[i].secret, SEED_BYTES, "shared");
    }
}

static int load_decaps(struct run *r, struct mlkem_lane *l, const struct rec_case *c)
{
    return take(l->dk, oct_mlkem_size[r->set].dk, c, "dk") && take(l->ct, oct_mlkem_size[r->set].ct, c, "ct");
}
static void run_decaps(struct run *r)
{
    const unsigned bad = mlkem_check(r->ops, r->set, r->workspace, r->lane, r->lanes);
    mlkem_decaps(r->ops, r->set, r->workspace, r->lane, r->lanes);
    for (unsigned i = 0; i < r->lanes; i++) {
        judge(r, i, bad);
        if (!(bad >> i & 1))
            same(r, i, r->memory[i].secret, SEED_BYTES, "shared");
    }
}

/* Keys that are to be told from none: the hash in a private key, the numbers in a public one. */
static int load_dk(struct run *r, struct mlkem_lane *l, const struct rec_case *c)
{
    return take(l->dk, oct_mlkem_size[r->set].dk, c, "dk");
}
static void run_check_dk(struct run *r)
{
    const unsigned bad = mlkem_check(r->ops, r->set, r->workspace, r->lane, r->lanes);
    for (unsigned i = 0; i < r->lanes; i++)
        judge(r, i, bad);
}
static int load_ek(struct run *r, struct mlkem_lane *l, const struct rec_case *c)
{
    memset(l->m, 0, sizeof l->m);
    return take(l->ek, oct_mlkem_size[r->set].ek, c, "ek");
}
static void run_check_ek(struct run *r)
{
    const unsigned bad = mlkem_encaps(r->ops, r->set, r->workspace, r->lane, r->lanes);
    for (unsigned i = 0; i < r->lanes; i++)
        judge(r, i, bad);
}

static const struct kind kinds[] = {{"mlkem", load_both, run_both},
                                    {"mlkem-keygen", load_keygen, run_keygen},
                                    {"mlkem-encaps", load_encaps, run_encaps},
                                    {"mlkem-check-dk", load_dk, run_check_dk},
                                    {"mlkem-check-ek", load_ek, run_check_ek},
                                    {"mlkem-decaps", load_decaps, run_decaps}};

int main(int argc, char **argv)
{
    static const char *const sets[2] = {"ML-KEM-768", "ML-KEM-1024"};
    static struct run r;
    const char *reason;
    REC_REQUIRE(argc == 2);
    r.ops = oct_mlkem_selected(&reason);
    if (!r.ops) {
        printf("SKIP: %s\n", reason);
        return 77;
    }
    r.workspace = mlkem_workspace(r.ops, OCT_MLKEM_1024);
    return run_file(&r, argv[1], kinds, OCT_ARRAY_LEN(kinds), sets);
}
