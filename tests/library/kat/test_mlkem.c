/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * All ML-KEM vectors by the kernels, eight cases at a time; each case runs in three different lanes, among different
 * neighbours. Lengths are the callers' of kernels to check: of a case whose lengths are wrong the vector must say
 * that it is invalid.
 *
 * usage: kat_mlkem VECTORS      (OCTUPLE_TABLE says on which table)
 */
#include "depth.h"
#include "base/sha512.h"
#include "mlkem_batch.h"
#include "records.h"

#include <stdio.h>
#include <string.h>

struct run {
    const struct oct_mlkem_ops *ops;
    struct rec_file file;
    void *workspace;
    int set;
    const struct rec_case *c[BATCH_LANES];
    struct mlkem_lane memory[BATCH_LANES], *lane[BATCH_LANES];
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

static void judge(const struct run *r, unsigned i, unsigned bad)
{
    rec_check(&r->file, r->c[i], rec_is(r->c[i], bad >> i & 1 ? "invalid" : "valid"), "result");
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
static int load_both(struct mlkem_lane *l, const struct rec_case *c, const struct oct_mlkem_size *size)
{
    return load_seed(l, c) && take(l->ct, size->ct, c, "ct");
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

static int load_keygen(struct mlkem_lane *l, const struct rec_case *c, const struct oct_mlkem_size *size)
{
    (void)size;
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

static int load_encaps(struct mlkem_lane *l, const struct rec_case *c, const struct oct_mlkem_size *size)
{
    return take(l->ek, size->ek, c, "ek") && take(l->m, SEED_BYTES, c, "m");
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

static int load_decaps(struct mlkem_lane *l, const struct rec_case *c, const struct oct_mlkem_size *size)
{
    return take(l->dk, size->dk, c, "dk") && take(l->ct, size->ct, c, "ct");
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
static int load_dk(struct mlkem_lane *l, const struct rec_case *c, const struct oct_mlkem_size *size)
{
    return take(l->dk, size->dk, c, "dk");
}
static void run_check_dk(struct run *r)
{
    const unsigned bad = mlkem_check(r->ops, r->set, r->workspace, r->lane, r->lanes);
    for (unsigned i = 0; i < r->lanes; i++)
        judge(r, i, bad);
}
static int load_ek(struct mlkem_lane *l, const struct rec_case *c, const struct oct_mlkem_size *size)
{
    memset(l->m, 0, sizeof l->m);
    return take(l->ek, size->ek, c, "ek");
}
static void run_check_ek(struct run *r)
{
    const unsigned bad = mlkem_encaps(r->ops, r->set, r->workspace, r->lane, r->lanes);
    for (unsigned i = 0; i < r->lanes; i++)
        judge(r, i, bad);
}

static const struct kind {
    const char *name;
    int (*load)(struct mlkem_lane *l, const struct rec_case *c, const struct oct_mlkem_size *size);
    void (*run)(struct run *r);
} kinds[] = {{"mlkem", load_both, run_both},
             {"mlkem-keygen", load_keygen, run_keygen},
             {"mlkem-encaps", load_encaps, run_encaps},
             {"mlkem-check-dk", load_dk, run_check_dk},
             {"mlkem-check-ek", load_ek, run_check_ek},
             {"mlkem-decaps", load_decaps, run_decaps}};

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
        const int set = rec_says(c, "set", "ML-KEM-1024") ? OCT_MLKEM_1024 : OCT_MLKEM_768;
        REC_REQUIRE(set == OCT_MLKEM_1024 || rec_says(c, "set", "ML-KEM-768"));
        if (set != r->set)
            flush(r, kind);
        r->set = set;
        r->c[r->lanes] = c;
        if (!kind->load(&r->memory[r->lanes], c, &oct_mlkem_size[r->set]))
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
    r.ops = oct_mlkem_selected(&reason);
    if (!r.ops) {
        printf("SKIP: %s\n", reason);
        return 77;
    }
    rec_load(&r.file, argv[1]);
    for (size_t i = 0; i < OCT_ARRAY_LEN(kinds); i++)
        kind = strcmp(kinds[i].name, r.file.kind) == 0 ? &kinds[i] : kind;
    REC_REQUIRE(kind);
    r.workspace = mlkem_workspace(r.ops, OCT_MLKEM_1024);
    for (unsigned i = 0; i < BATCH_LANES; i++)
        r.lane[i] = &r.memory[i];
    for (unsigned round = 0; round < amount_of_lanes(r.ops->name); round++)
        run_round(&r, kind, round);
    free(r.workspace);
    rec_unload(&r.file);
    return rec_end();
}
