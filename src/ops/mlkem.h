/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The tables of ML-KEM and of the hashing under it: one for each backend, constant function pointers. */
#ifndef OCT_OPS_MLKEM_H
#define OCT_OPS_MLKEM_H

#include "kernels/lattice/keccak.h"
#include "kernels/lattice/mlkem.h"
#include "ops/select.h"

#include <octuple/mlkem.h>

/* The size of a set's keys and ciphertexts. */
struct oct_mlkem_size {
    size_t ek, dk, ct;
};
extern const struct oct_mlkem_size oct_mlkem_size[OCT_MLKEM_SETS];

struct oct_mlkem_ops {
    const char *name;
    struct {
        oct_mlkem_keygen_fn *keygen;
        oct_mlkem_encaps_fn *encaps;
        oct_mlkem_decaps_fn *decaps;
        oct_mlkem_check_fn *check;
        const size_t *workspace;
    } set[OCT_MLKEM_SETS];
    oct_keccak_fn *keccak;
    const size_t *keccak_workspace;
};

/* The table that serves this process, or NULL, as select.h says. */
const struct oct_mlkem_ops *oct_mlkem_selected(const char **reason);

/* The same, or the portable table where there is none; NULL if that one fails its known-answer test. */
const struct oct_mlkem_ops *oct_mlkem_anywhere(enum oct_mlkem_set set);

/* Every table that this CPU can run, or the portable one alone by OCTUPLE_TABLE=c: for tests. Returns how many were
 * written. */
unsigned oct_mlkem_runnable(const struct oct_mlkem_ops *table[OCT_LATTICE_BACKENDS]);

/* Runs the known-answer test of a set on a table: 0 if it passed. */
int oct_mlkem_known_answer(const struct oct_mlkem_ops *ops, enum oct_mlkem_set set);
/* Its first part, of making key pairs. */
int oct_mlkem_known_pairs(const struct oct_mlkem_ops *ops, enum oct_mlkem_set set);

#endif
