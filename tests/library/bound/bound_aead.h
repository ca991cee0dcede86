/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The part of the bound proof that is about AEADs. */
#ifndef OCT_TESTS_BOUND_AEAD_H
#define OCT_TESTS_BOUND_AEAD_H

void prove_chacha20poly1305(void);

#endif
