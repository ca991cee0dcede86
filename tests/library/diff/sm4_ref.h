/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SM4-GCM and SM4-CCM from the blocks that every libcrypto has, as the standards write them and no faster. */
#ifndef OCT_TESTS_DIFF_SM4_REF_H
#define OCT_TESTS_DIFF_SM4_REF_H

#include <stddef.h>
#include <stdint.h>

/* A record to be sealed; `out` is not `in`. */
struct ref_sm4 {
    const uint8_t *key, *nonce;
    size_t nonce_len;
    const uint8_t *aad;
    size_t aad_len;
    const uint8_t *in;
    size_t len;
    uint8_t *out, *tag;
    size_t tag_len;
};

void ref_sm4_gcm(const struct ref_sm4 *r);
void ref_sm4_ccm(const struct ref_sm4 *r);

/* What libcrypto's cipher makes of whole blocks or, in counter mode, of any bytes: "SM4-ECB", "SM4-CBC", "SM4-CTR". */
void ref_sm4_mode(const char *name, int encrypt, const uint8_t *key, const uint8_t *iv, const uint8_t *in, size_t len,
                  uint8_t *out);

#endif
