/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SM4 beyond what AEADs have (ops/aead.h): modes without authentication, and CCM with its lengths. A tier's functions
 * hang on the tables of its AEADs, so one choice and one known-answer test serve both. */
#ifndef OCT_OPS_SM4_H
#define OCT_OPS_SM4_H

#include "kernels/sm4.h"

struct oct_sm4_ops {
    oct_sm4_expand_fn *expand;
    oct_sm4_text_fn *ctr, *cbc_open;
    oct_sm4_chain_fn *chain;
    oct_sm4_ccm_fn *ccm_seal, *ccm_open;
};

/* 0 if counter mode, chains and CCM pass their known-answer test. */
int oct_sm4_known_answer(const struct oct_sm4_ops *ops);

#endif
