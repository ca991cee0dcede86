/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The bound proof's part for ML-DSA and its hashing. */
#ifndef OCT_TESTS_BOUND_MLDSA_H
#define OCT_TESTS_BOUND_MLDSA_H

void prove_mldsa(void);

#endif
