/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Raw RSA on OpenSSL's own code, of the private context. */
#ifndef OCT_PROVIDER_RSA_FALLBACK_H
#define OCT_PROVIDER_RSA_FALLBACK_H

#include <openssl/evp.h>
#include <stdatomic.h>
#include <stdint.h>

struct oct_prov;

/* What a raw RSA operation is for. The numbers are the same for SIGN and DECRYPT, but the default provider treats the
 * result of the second as secret. */
enum oct_raw_kind { OCT_RAW_SIGN = 0, OCT_RAW_DECRYPT = 1, OCT_RAW_PUBLIC = 2, OCT_RAW_KINDS = 3 };

/*
 * Contexts that are ready to run a raw (unpadded) operation of one key, kept because making one costs a fetch, an
 * allocation and three parameter round trips. One of each kind is kept: a thread that finds none makes another.
 */
struct oct_fallback_spares {
    _Atomic(EVP_PKEY_CTX *) ctx[OCT_RAW_KINDS];
};

void oct_fallback_spares_free(struct oct_fallback_spares *spares);

/* out = in^d or in^e mod n; in and out are `size` bytes, the key's. Returns 1, or 0 with OpenSSL's error raised. */
int oct_fallback_raw(struct oct_prov *prov, EVP_PKEY *key, struct oct_fallback_spares *spares, enum oct_raw_kind kind,
                     uint8_t *out, const uint8_t *in, size_t size);

#endif
