/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The sponge's logic on words in records (vec_proof.h): only what the permutation takes. */
#ifndef OCT_VEC_SPONGE_PROOF_H
#define OCT_VEC_SPONGE_PROOF_H

VEC_2(w8, w8_xor, PROOF_WORD("xor", a, b, a, 0))
VEC_3(w8, w8_chi, PROOF_WORD("xor", a, PROOF_WORD("andnot", b, c, a, 0), a, 0))

#endif
