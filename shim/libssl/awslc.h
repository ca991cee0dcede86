/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * AWS-LC: a libssl whose calls have OpenSSL's names. It has no providers, and an official way to wait for an operation
 * with a private key (method/). What it does not have, or has otherwise, is filled in (awslc.c), so that the rest of
 * the shim need not tell.
 */
#ifndef OCT_SHIM_AWSLC_H
#define OCT_SHIM_AWSLC_H

#include "libssl/resolve.h"

/* Its SSL_PRIVATE_KEY_METHOD. */
enum oct_method_result { OCT_METHOD_SUCCESS, OCT_METHOD_RETRY, OCT_METHOD_FAILURE };
struct oct_method {
    enum oct_method_result (*sign)(SSL *s, uint8_t *out, size_t *out_len, size_t room, uint16_t algorithm,
                                   const uint8_t *in, size_t in_len);
    enum oct_method_result (*decrypt)(SSL *s, uint8_t *out, size_t *out_len, size_t room, const uint8_t *in,
                                      size_t in_len);
    enum oct_method_result (*complete)(SSL *s, uint8_t *out, size_t *out_len, size_t room);
};

/* clang-format off */
/* Functions that OpenSSL does not have, or that the shim calls in no OpenSSL: result, name, arguments. */
#define OCT_AWSLC_FUNCTIONS(X)                                                                                         \
    X(void, SSL_set_private_key_method, (SSL *, const struct oct_method *))                                            \
    X(EVP_PKEY *, SSL_get_privatekey, (const SSL *))                                                                   \
    X(int, SSL_use_PrivateKey, (SSL *, EVP_PKEY *))                                                                    \
    X(const char *, SSL_state_string_long, (const SSL *))                                                              \
    X(const SSL_CIPHER *, SSL_get_pending_cipher, (const SSL *))                                                       \
    X(const char *, SSL_CIPHER_get_kx_name, (const SSL_CIPHER *))                                                      \
    X(const EVP_MD *, SSL_get_signature_algorithm_digest, (uint16_t))                                                  \
    X(int, SSL_is_signature_algorithm_rsa_pss, (uint16_t))                                                             \
    X(int, EVP_PKEY_id, (const EVP_PKEY *))                                                                            \
    X(int, EVP_PKEY_up_ref, (EVP_PKEY *))                                                                              \
    X(void, EVP_PKEY_free, (EVP_PKEY *))                                                                               \
    X(RSA *, EVP_PKEY_get0_RSA, (const EVP_PKEY *))                                                                    \
    X(int, EVP_Digest, (const void *, size_t, uint8_t *, unsigned *, const EVP_MD *, ENGINE *))                        \
    X(int, EVP_MD_type, (const EVP_MD *))                                                                              \
    X(unsigned, RSA_bits, (const RSA *))                                                                               \
    X(const void *, RSA_get_method, (const RSA *))                                                                     \
    X(const void *, RSA_get_default_method, (void))                                                                    \
    X(int, RSA_is_opaque, (const RSA *))                                                                               \
    X(void, RSA_get0_key, (const RSA *, const BIGNUM **, const BIGNUM **, const BIGNUM **))                            \
    X(void, RSA_get0_factors, (const RSA *, const BIGNUM **, const BIGNUM **))                                         \
    X(void, RSA_get0_crt_params, (const RSA *, const BIGNUM **, const BIGNUM **, const BIGNUM **))                     \
    X(int, RSA_get_ex_new_index, (long, void *, void *, void *, void (*)(void *, void *, void *, int, long, void *)))  \
    X(int, RSA_set_ex_data, (RSA *, int, void *))                                                                      \
    X(void *, RSA_get_ex_data, (const RSA *, int))                                                                     \
    X(int, RSA_add_pkcs1_prefix, (uint8_t **, size_t *, int *, int, const uint8_t *, size_t))                          \
    X(int, RSA_padding_add_PKCS1_PSS_mgf1, (const RSA *, uint8_t *, const uint8_t *, const EVP_MD *, const EVP_MD *,   \
                                            int))                                                                      \
    X(int, RSA_sign_raw, (RSA *, size_t *, uint8_t *, size_t, const uint8_t *, size_t, int))                           \
    X(int, RSA_decrypt, (RSA *, size_t *, uint8_t *, size_t, const uint8_t *, size_t, int))                            \
    X(int, BN_bn2binpad, (const BIGNUM *, uint8_t *, int))                                                             \
    X(void, OPENSSL_free, (void *)) X(void, OPENSSL_cleanse, (void *, size_t))                                         \
    X(int, RAND_bytes, (uint8_t *, size_t))                                                                            \
    X(int, FIPS_mode, (void)) X(unsigned long, awslc_api_version_num, (void))                                          \
    X(void, ERR_put_error, (int, int, int, const char *, unsigned))                                                    \
    X(void *, ERR_save_state, (void)) X(void, ERR_restore_state, (const void *)) X(void, ERR_SAVE_STATE_free, (void *))
/* clang-format on */

struct oct_awslc {
#define OCT_FUNCTION(result, name, arguments) result(*name) arguments;
    OCT_AWSLC_FUNCTIONS(OCT_FUNCTION)
#undef OCT_FUNCTION
};

/* Reads its option of OCTUPLE_LOOPS: without it AWS-LC is left alone. */
void oct_awslc_start(const char *setting);
/* True if the program was started with it, and with no OpenSSL. */
bool oct_awslc_present(void);
/* Completes what oct_ssl_fill() has found. False if it is not AWS-LC, or one that is not served: its FIPS module does
 * all of its work itself. */
bool oct_awslc_fill(struct oct_ssl_functions *ssl);
/* That of the copy that is served; NULL: it is OpenSSL's. */
static inline const struct oct_awslc *oct_awslc(void)
{
    return oct_ssl()->awslc;
}
/* What SSL_want() says there. */
static inline int oct_want_read(void)
{
    return oct_awslc() != NULL ? SSL_ERROR_WANT_READ : SSL_READING;
}
static inline int oct_want_nothing(void)
{
    return oct_awslc() != NULL ? SSL_ERROR_NONE : SSL_NOTHING;
}

#endif
