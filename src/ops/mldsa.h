/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The tables of ML-DSA: one for each backend, constant function pointers. */
#ifndef OCT_OPS_MLDSA_H
#define OCT_OPS_MLDSA_H

#include "kernels/lattice/mldsa.h"
#include "ops/select.h"

#include <octuple/mldsa.h>

/* The sizes of a set: of keys and signatures in bytes, of an expanded key in numbers. */
struct oct_mldsa_size {
    size_t pk, sk, signature, matrix, t1, secrets;
};
extern const struct oct_mldsa_size oct_mldsa_size[OCT_MLDSA_SETS];

struct oct_mldsa_ops {
    const char *name;
    struct {
        oct_mldsa_keygen_fn *keygen;
        oct_mldsa_expand_fn *expand;
        oct_mldsa_sign_fn *sign;
        oct_mldsa_verify_fn *verify;
        const size_t *workspace;
    } set[OCT_MLDSA_SETS];
    oct_shake256_fn *shake256;
    const size_t *shake256_workspace;
};

/* The table that serves this process, or NULL, as select.h says. */
const struct oct_mldsa_ops *oct_mldsa_selected(const char **reason);

/* Every table that this CPU can run, or the portable one alone by OCTUPLE_TABLE=c: for tests. Returns how many were
 * written. */
unsigned oct_mldsa_runnable(const struct oct_mldsa_ops *table[OCT_LATTICE_BACKENDS]);

/* Runs the known-answer test of a set on a table: 0 if it passed. */
int oct_mldsa_known_answer(const struct oct_mldsa_ops *ops, enum oct_mldsa_set set);

#endif
