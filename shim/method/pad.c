/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What a signature of TLS is made of (RFC 8017): PSS with a salt as long as the digest, or PKCS #1 v1.5. The salt is
 * AWS-LC's. */
#include "method/method.h"

#include <string.h>

static bool pad_pkcs1(uint8_t *to, size_t size, const EVP_MD *hash, const uint8_t *digest, unsigned digest_len)
{
    const struct oct_awslc *awslc = oct_awslc();
    uint8_t *info = NULL;
    size_t info_len = 0;
    int allocated = 0;
    if (!awslc->RSA_add_pkcs1_prefix(&info, &info_len, &allocated, awslc->EVP_MD_type(hash), digest, digest_len))
        return false;
    const bool fits = info_len + 11 <= size;
    if (fits) {
        const size_t ones = size - info_len - 3;
        to[0] = 0;
        to[1] = 1;
        memset(to + 2, 0xff, ones);
        to[2 + ones] = 0;
        memcpy(to + 3 + ones, info, info_len);
    }
    if (allocated)
        (awslc->OPENSSL_free)(info);
    return fits;
}

bool oct_method_pad(const RSA *rsa, uint8_t *to, size_t size, uint16_t algorithm, const uint8_t *in, size_t in_len)
{
    const struct oct_awslc *awslc = oct_awslc();
    const EVP_MD *hash = awslc->SSL_get_signature_algorithm_digest(algorithm);
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned digest_len = 0;
    if (hash == NULL || !awslc->EVP_Digest(in, in_len, digest, &digest_len, hash, NULL))
        return false;
    if (awslc->SSL_is_signature_algorithm_rsa_pss(algorithm))
        return awslc->RSA_padding_add_PKCS1_PSS_mgf1(rsa, to, digest, hash, hash, -1) != 0;
    return pad_pkcs1(to, size, hash, digest, digest_len);
}
