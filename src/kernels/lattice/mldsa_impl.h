/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-DSA (FIPS 204), for a parameter set with MLDSA_K, MLDSA_L and so on, whose name is MLDSA_SET. Hashing has an
 * operation, or a polynomial of one key, in each lane of 64 bits; polynomials have sixteen numbers of one operation in
 * a vector.
 */
#ifndef OCT_KERNELS_MLDSA_IMPL_H
#define OCT_KERNELS_MLDSA_IMPL_H

#define NAME_(set, verb) OCT_NAME(mldsa##set##_##verb)
#define NAME(set, verb)  NAME_(set, verb)

#include "kernels/lattice/mldsa_keys_impl.h"
#include "kernels/lattice/mldsa_sign_impl.h"
#include "kernels/lattice/mldsa_verify_impl.h"

const size_t NAME(MLDSA_SET, workspace) = sizeof(struct mldsa_workspace);

#endif
