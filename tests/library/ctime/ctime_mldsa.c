/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-DSA on the c table with seeds, private keys, randomness and hashed messages marked secret: key pairs, expanded
 * keys, good ones and such that are none, and signatures, whose attempts are rejected in all ways. A public key is
 * declassified here, as callers publish it; a signature has to come out without marks, expanded secrets with them. All
 * has to be right: the same run without marks says what right is.
 */
#include "secret.h"

#include "mldsa_batch.h"

/* Each round is another message, whose attempts are rejected in other places. Valgrind takes a hundred times as long.
 */
#ifdef OCT_CHECKMEM_VALGRIND
#define ROUNDS 2
#else
#define ROUNDS 6
#endif

struct side {
    struct mldsa_lane memory[BATCH_LANES], *lane[BATCH_LANES];
    uint8_t signature[ROUNDS][BATCH_LANES][OCT_MLDSA_MAX_SIGNATURE_BYTES];
    uint8_t hash[BATCH_LANES][OCT_MLDSA_MU_BYTES];
};

static void fill(struct side *s)
{
    for (unsigned i = 0; i < BATCH_LANES; i++) {
        s->lane[i] = &s->memory[i];
        memset(s->memory[i].seed, (int)(3 * i + 1), SEED_BYTES);
        memset(s->memory[i].rnd, (int)(5 * i + 2), SEED_BYTES);
        memset(s->memory[i].mu, (int)(7 * i + 3), OCT_MLDSA_MU_BYTES);
    }
}

static void make_keys(struct side *s, int set, void *workspace, unsigned lanes, int marked)
{
    const struct oct_mldsa_size *size = &oct_mldsa_size[set];
    const struct oct_mldsa_ops *ops = oct_mldsa_selected(NULL);
    mldsa_keygen(ops, set, workspace, s->lane, lanes);
    for (unsigned i = 0; i < lanes; i++) {
        struct mldsa_lane *l = &s->memory[i];
        REQUIRE(is_secret(l->sk + OCT_MLDSA_SK_K_AT, SEED_BYTES) == marked && !is_secret(l->pk, SEED_BYTES));
        REQUIRE(is_secret(l->sk + 128, 384) == marked && is_secret(l->sk + size->sk - 416, 416) == marked);
        OCT_DECLASSIFY(l->pk, size->pk);
        if (marked) /* as of a server whose keys came from elsewhere */
            OCT_SECRET(l->sk, size->sk);
    }
    REQUIRE(mldsa_expand(ops, set, workspace, s->lane, lanes) == 0);
    for (unsigned i = 0; i < lanes; i++) {
        const struct mldsa_lane *l = &s->memory[i];
        REQUIRE(!is_secret(l->matrix, 4096) && !is_secret(l->t1, 4096) && !is_secret(l->pk, size->pk));
        REQUIRE(is_secret(l->secrets, 4096) == marked);
    }
}

/* A private key with a byte changed is found, in s1, t0 and tr. */
static void spoil_keys(struct side *s, int set, void *workspace)
{
    const size_t places[] = {OCT_MLDSA_SK_TR_AT, 200, oct_mldsa_size[set].sk - 1};
    const struct oct_mldsa_ops *ops = oct_mldsa_selected(NULL);
    for (size_t i = 0; i < OCT_ARRAY_LEN(places); i++) {
        s->memory[0].sk[places[i]] ^= 4;
        REQUIRE(mldsa_expand(ops, set, workspace, s->lane, 1) == 1);
        s->memory[0].sk[places[i]] ^= 4;
    }
    REQUIRE(mldsa_expand(ops, set, workspace, s->lane, 1) == 0);
}

static void sign(struct side *s, int set, void *workspace, unsigned lanes, int marked)
{
    const struct oct_mldsa_ops *ops = oct_mldsa_selected(NULL);
    for (unsigned round = 0; round < ROUNDS; round++) {
        REQUIRE(mldsa_sign(ops, set, workspace, s->lane, lanes) == 0);
        for (unsigned i = 0; i < lanes; i++) {
            struct mldsa_lane *l = &s->memory[i];
            REQUIRE(!is_secret(l->signature, oct_mldsa_size[set].signature) && is_secret(l->mu, 1) == marked);
            memcpy(s->signature[round][i], l->signature, sizeof l->signature);
            l->mu[round] ^= 0x55;
        }
    }
}

static void run(struct side *s, int set, void *workspace, unsigned lanes, int marked)
{
    const struct oct_mldsa_ops *ops = oct_mldsa_selected(NULL);
    make_keys(s, set, workspace, lanes, marked);
    spoil_keys(s, set, workspace);
    sign(s, set, workspace, lanes, marked);
    for (unsigned i = 0; i < lanes; i++) {
        const struct mldsa_lane *l = &s->memory[i];
        mldsa_shake256(ops, workspace, s->hash[i], l->seed, SEED_BYTES, l->mu, 7 * i);
        REQUIRE(is_secret(s->hash[i], OCT_MLDSA_MU_BYTES) == marked);
    }
}

static void mark(struct side *s, int secret)
{
    for (unsigned i = 0; i < BATCH_LANES; i++) {
        struct mldsa_lane *l = &s->memory[i];
        if (secret) {
            OCT_SECRET(l->seed, sizeof l->seed);
            OCT_SECRET(l->rnd, sizeof l->rnd);
            OCT_SECRET(l->mu, sizeof l->mu);
        } else {
            OCT_DECLASSIFY(l, sizeof *l);
            OCT_DECLASSIFY(s->hash[i], sizeof s->hash[i]);
        }
    }
}

static void compare(int set, unsigned lanes)
{
    static struct side plain, marked;
    void *workspace = mldsa_workspace(oct_mldsa_selected(NULL));
    memset(&plain, 0, sizeof plain);
    memset(&marked, 0, sizeof marked);
    fill(&plain);
    fill(&marked);
    run(&plain, set, workspace, lanes, 0);
    mark(&marked, 1);
    run(&marked, set, workspace, lanes, 1);
    mark(&marked, 0);
    REQUIRE(memcmp(plain.memory, marked.memory, sizeof plain.memory) == 0);
    REQUIRE(memcmp(plain.signature, marked.signature, sizeof plain.signature) == 0);
    REQUIRE(memcmp(plain.hash, marked.hash, sizeof plain.hash) == 0);
    free(workspace);
}

int main(void)
{
    REQUIRE(OCT_CHECKMEM_ON());
    setenv("OCTUPLE_TABLE", "c", 1);
    for (int set = 0; set < OCT_MLDSA_SETS; set++)
        for (unsigned lanes = 1; lanes <= BATCH_LANES; lanes += 7)
            compare(set, lanes);
    printf("mldsa: clean\n");
    return 0;
}
