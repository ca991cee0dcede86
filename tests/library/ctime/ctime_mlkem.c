/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-KEM on the c table with seeds, messages and decapsulation keys marked secret: key pairs, encapsulations,
 * decapsulations of good and of changed ciphertexts, checks of keys. What goes to the peer is declassified here, as
 * callers send it; everything else has to be marked still when it comes out, and right: the same run without marks
 * says what right is.
 */
#include "secret.h"

#include "mlkem_batch.h"

#include <string.h>

struct side {
    struct mlkem_lane memory[BATCH_LANES], *lane[BATCH_LANES];
    uint8_t rejected[BATCH_LANES][SEED_BYTES];
    unsigned bad_keys, bad_hashes;
};

static void fill(struct side *s)
{
    for (unsigned i = 0; i < BATCH_LANES; i++) {
        s->lane[i] = &s->memory[i];
        memset(s->memory[i].d, (int)(3 * i + 1), SEED_BYTES);
        memset(s->memory[i].z, (int)(5 * i + 2), SEED_BYTES);
        memset(s->memory[i].m, (int)(7 * i + 3), SEED_BYTES);
    }
}

/* Marks what is secret, or tells that it is none any more. */
static void mark(struct side *s, int secret)
{
    for (unsigned i = 0; i < BATCH_LANES; i++) {
        struct mlkem_lane *l = &s->memory[i];
        if (secret) {
            OCT_SECRET(l->d, sizeof l->d);
            OCT_SECRET(l->z, sizeof l->z);
            OCT_SECRET(l->m, sizeof l->m);
        } else {
            OCT_DECLASSIFY(l, sizeof *l);
            OCT_DECLASSIFY(s->rejected[i], SEED_BYTES);
        }
    }
}

/* All there is; of marked inputs, outputs are looked at. */
static void run(struct side *s, int set, void *workspace, unsigned lanes, int marked)
{
    const struct oct_mlkem_size *size = &oct_mlkem_size[set];
    const struct oct_mlkem_ops *ops = oct_mlkem_selected(NULL);
    (lanes == 1 ? mlkem_keygen : mlkem_keygen_kept)(ops, set, workspace, s->lane, lanes);
    for (unsigned i = 0; i < lanes; i++) {
        REQUIRE(is_secret(s->memory[i].dk, size->ek - 32) == marked);
        REQUIRE(is_secret(s->memory[i].dk + size->dk - 32, 32) == marked);
        OCT_DECLASSIFY(s->memory[i].ek, size->ek);
    }
    s->bad_hashes = mlkem_check(ops, set, workspace, s->lane, lanes);
    s->memory[0].ek[1] |= 0x0f;
    s->memory[0].ek[0] = 0xff;
    s->bad_keys = mlkem_encaps(ops, set, workspace, s->lane, lanes);
    REQUIRE(!is_secret(&s->bad_keys, sizeof s->bad_keys) && !is_secret(&s->bad_hashes, sizeof s->bad_hashes));
    for (unsigned i = 0; i < lanes; i++) {
        REQUIRE(is_secret(s->memory[i].secret, SEED_BYTES) == (marked && i > 0));
        OCT_DECLASSIFY(s->memory[i].ct, size->ct);
        if (marked) /* of a server whose keys came from elsewhere, all of them is */
            OCT_SECRET(s->memory[i].dk, size->dk);
    }
    mlkem_decaps(ops, set, workspace, s->lane, lanes);
    for (unsigned i = 0; i < lanes; i++) {
        REQUIRE(is_secret(s->memory[i].secret, SEED_BYTES) == marked);
        memcpy(s->rejected[i], s->memory[i].secret, SEED_BYTES);
        s->memory[i].ct[size->ct - 1 - i] ^= 1;
    }
    s->bad_hashes |= mlkem_check(ops, set, workspace, s->lane, lanes);
    (lanes == 1 ? mlkem_decaps : mlkem_decaps_kept)(ops, set, workspace, s->lane, lanes);
}

int main(void)
{
    static struct side plain, marked;
    REQUIRE(OCT_CHECKMEM_ON());
    setenv("OCTUPLE_TABLE", "c", 1);
    for (int set = 0; set < OCT_MLKEM_SETS; set++)
        for (unsigned lanes = 1; lanes <= BATCH_LANES; lanes += 7) {
            void *workspace = mlkem_workspace(oct_mlkem_selected(NULL), set);
            memset(&plain, 0, sizeof plain);
            memset(&marked, 0, sizeof marked);
            fill(&plain);
            fill(&marked);
            run(&plain, set, workspace, lanes, 0);
            mark(&marked, 1);
            run(&marked, set, workspace, lanes, 1);
            mark(&marked, 0);
            REQUIRE(memcmp(plain.memory, marked.memory, sizeof plain.memory) == 0);
            REQUIRE(memcmp(plain.rejected, marked.rejected, sizeof plain.rejected) == 0);
            REQUIRE(plain.bad_keys == 1 && marked.bad_keys == 1 && plain.bad_hashes == 0 && marked.bad_hashes == 0);
            REQUIRE(lanes == 1 || memcmp(marked.rejected[1], marked.memory[1].secret, SEED_BYTES) != 0);
            free(workspace);
        }
    printf("mlkem: clean\n");
    return 0;
}
