/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The bound proof's part for ML-KEM and its hashing. */
#ifndef OCT_TESTS_BOUND_MLKEM_H
#define OCT_TESTS_BOUND_MLKEM_H

void prove_mlkem(void);

#endif
