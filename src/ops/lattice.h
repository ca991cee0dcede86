/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Which backend serves the families on lattices, ML-KEM and ML-DSA. Their kernels need more instructions than others,
 * so they have tables of their own: one for each backend, in the order of enum oct_lattice_backend.
 */
#ifndef OCT_OPS_LATTICE_H
#define OCT_OPS_LATTICE_H

enum oct_lattice_backend {
    OCT_LATTICE_NONE = -1,
    OCT_LATTICE_C,
    OCT_LATTICE_AVX2,
    OCT_LATTICE_AVX512,
    OCT_LATTICE_BACKENDS
};

/* The backend that goes with oct_ops_selected(): that of 256 bits also where the CPU lacks what these kernels need
 * besides with 512. None where there is no table; `reason` (may be NULL) gets the words for it; static. */
int oct_lattice_selected(const char **reason);

/* The backends that this CPU can run, the portable one first, or that alone by OCTUPLE_TABLE=c: for tests. Returns how
 * many. */
unsigned oct_lattice_runnable(int backend[OCT_LATTICE_BACKENDS]);

#endif
