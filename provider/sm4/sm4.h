/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM4 as OpenSSL's symmetric ciphers, on octuple/sm4.h: modes.c (counter mode and CBC, their text), mode_context.c
 * (their contexts and settings), ccm.c (SM4-CCM), family.c (what is offered). SM4-GCM is with the other AEADs.
 *
 * Nothing is asynchronous here. Behaviour is that of OpenSSL's own ciphers of these names.
 */
#ifndef OCT_PROVIDER_SM4_H
#define OCT_PROVIDER_SM4_H

#include "provider/core/dispatch.h"
#include "provider/core/facts.h"

#include <octuple/sm4.h>
#include <openssl/core.h>

struct oct_prov;

/* Key stream that is made ahead, for text in small pieces: what one set of blocks gives. */
#define OCT_SM4_AHEAD 256

/* A context of counter mode or CBC. */
struct oct_sm4_mode {
    struct oct_sm4_key key;
    struct oct_prov *prov;
    int cbc, encrypt, has_key, has_iv, pads;
    uint8_t first[OCT_SM4_BLOCK_BYTES]; /* the vector that was set */
    uint8_t iv[OCT_SM4_BLOCK_BYTES];    /* CBC: of the next block; counter mode: behind what is ahead */
    uint8_t base[OCT_SM4_BLOCK_BYTES];  /* counter mode: where the text began */
    uint64_t done;                      /* counter mode: bytes of text since then */
    size_t ready;                       /* counter mode: bytes of key stream at the end of `ahead` */
    size_t held;                        /* CBC: bytes of a block that is not whole, or not sure to be the last one */
    uint8_t ahead[OCT_SM4_AHEAD];       /* or the block that is held */
};

/* modes.c */
OSSL_FUNC_cipher_update_fn oct_sm4_ctr_update, oct_sm4_cbc_update;
OSSL_FUNC_cipher_final_fn oct_sm4_ctr_final, oct_sm4_cbc_final;
OSSL_FUNC_cipher_cipher_fn oct_sm4_ctr_call, oct_sm4_cbc_call;

/* mode_context.c */
extern const OSSL_DISPATCH oct_sm4_ctr_table[], oct_sm4_cbc_table[];

/* ccm.c */
extern const OSSL_DISPATCH oct_sm4_ccm_table[];

/* A context that is aligned as keys have to be; NULL with an error raised. Free it by free(). */
void *oct_sm4_context_new(void *provctx, size_t size);

#endif
