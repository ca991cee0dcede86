/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SM4 beyond what AEADs have (ops/aead.h): modes without authentication, and CCM with its lengths. A tier's functions
 * hang on the tables of its AEADs, so one choice and one known-answer test serve both. */
#ifndef OCT_OPS_SM4_H
#define OCT_OPS_SM4_H

#include "kernels/sm4/sm4.h"

/* Records under SM4-CCM, up to OCT_SM4_CHAINS: nonces of 7 to 13 bytes, tags of 4, 6, ... 16, texts shorter than 256 to
 * the power of (15 - nonce_len) and than 2^36 - 16 bytes. No output overlaps any other record. Opening does not read
 * tags, but writes what they have to be to `wanted`, 16 bytes each. */
struct oct_sm4_ccm_args {
    const void *const *key; /* each record's */
    size_t nonce_len, tag_len, count;
    const struct oct_aead_record *record;
    uint8_t *wanted;
};

struct oct_sm4_ops {
    oct_aead_expand_fn *expand;
    oct_sm4_text_fn *ctr, *cbc_open;
    oct_sm4_chain_fn *chain;
    oct_sm4_many_fn *ctr_many, *cbc_open_many;
    oct_sm4_many_fn *gcm_seal_many, *gcm_open_many;
};

/* Records of SM4-GCM, up to OCT_SM4_CHAINS, under expanded keys of that. */
struct oct_sm4_gcm_args {
    size_t count;
    const void *key[OCT_SM4_CHAINS];
    struct oct_aead_record record[OCT_SM4_CHAINS];
};

/* Texts as the kernels for many take them, but without those beyond the last one: side by side or alone, whatever is
 * sooner done. */
void oct_sm4_ctr_texts(const struct oct_sm4_ops *ops, const struct oct_sm4_many_args *args);
void oct_sm4_cbc_open_texts(const struct oct_sm4_ops *ops, const struct oct_sm4_many_args *args);
/* Records likewise, of any lengths: by the tier's function for one and for many, which write the same to the tags. */
void oct_sm4_gcm_records(oct_aead_seal_fn *one, oct_sm4_many_fn *many, const struct oct_sm4_gcm_args *args);

/* CCM on a tier. */
void oct_sm4_ccm_seal_records(const struct oct_sm4_ops *ops, const struct oct_sm4_ccm_args *args);
void oct_sm4_ccm_open_records(const struct oct_sm4_ops *ops, const struct oct_sm4_ccm_args *args);

/* 0 if counter mode and chains pass their known-answer test. */
int oct_sm4_known_answer(const struct oct_sm4_ops *ops);

#endif
