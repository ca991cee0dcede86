/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Errors go to OpenSSL's queue through the core. Each bears a reason and a library number of OpenSSL's own, because
 * programs compare them; the words here are its data.
 *
 * There are no reasons of this provider's: libcrypto takes such out of its table when the provider is freed. A program
 * may do that after OPENSSL_cleanup(), by an SSL_CTX in a static object, and then the table's lock is gone.
 *
 * Nothing is ever raised whose presence would tell whether the padding of a PKCS#1 v1.5 ciphertext was good.
 */
#ifndef OCT_PROVIDER_ERROR_H
#define OCT_PROVIDER_ERROR_H

#include <openssl/core_dispatch.h>
#include <openssl/err.h>
#include <stdint.h>

enum oct_reason {
    OCT_REASON_MEMORY = 1,
    OCT_REASON_INTERNAL,
    OCT_REASON_NO_KEY,
    OCT_REASON_NOT_PRIVATE,
    OCT_REASON_NOT_PRIVATE_RSA,
    OCT_REASON_NOT_PRIVATE_EC,
    OCT_REASON_MISSING_KEY,
    OCT_REASON_KEY_IMPORT,
    OCT_REASON_BUFFER_TOO_SMALL,
    OCT_REASON_SIGNATURE_SIZE,
    OCT_REASON_BAD_LENGTH,
    OCT_REASON_INPUT_LENGTH,
    OCT_REASON_DIGEST_LENGTH,
    OCT_REASON_INPUT_RANGE,
    OCT_REASON_KEY_TOO_SMALL,
    OCT_REASON_DIGEST_UNKNOWN,
    OCT_REASON_DIGEST_NOT_ALLOWED,
    OCT_REASON_DIGEST_INVALID,
    OCT_REASON_XOF,
    OCT_REASON_PAD_MODE,
    OCT_REASON_PAD_MODE_NOW,
    OCT_REASON_X931_DIGEST,
    OCT_REASON_RSA,
    OCT_REASON_DECRYPTION,
    OCT_REASON_NOT_PSS,
    OCT_REASON_SALT_LENGTH,
    OCT_REASON_MGF1,
    OCT_REASON_TLS_VERSION,
    OCT_REASON_BAD_SIGNATURE, /* a verdict: raises nothing, as with OpenSSL's own */
    OCT_REASON_OAEP_DECODING,
    OCT_REASON_OPERATION,
    OCT_REASON_OUT_OF_ORDER,
    OCT_REASON_CANCELLED,
    OCT_REASON_FALLBACK_CONTEXT,
    OCT_REASON_ZERO_SECRET,
    OCT_REASON_GROUP,
    OCT_REASON_POINT,
    OCT_REASON_LANE_INPUT,
    OCT_REASON_KEY_LENGTH,
    OCT_REASON_IV_LENGTH,
    OCT_REASON_NO_IV,
    OCT_REASON_NONCES,
    OCT_REASON_TAG,
    OCT_REASON_TAG_LENGTH,
    OCT_REASON_TAG_NOT_SET,
    OCT_REASON_TAG_NOT_NEEDED,
    OCT_REASON_TLS_RECORD,
    OCT_REASON_AAD_AFTER_TEXT,
    OCT_REASON_PARAMETER_GET,
    OCT_REASON_PARAMETER_SET,
    OCT_REASON_COUNT
};

struct oct_prov;

struct oct_core_errors {
    OSSL_FUNC_core_new_error_fn *new_error;
    OSSL_FUNC_core_set_error_debug_fn *set_debug;
    OSSL_FUNC_core_vset_error_fn *vset;
};

/* Takes the core's error functions out of its dispatch table. */
void oct_errors_init(struct oct_core_errors *errors, const OSSL_DISPATCH *core);

/* `reason` is an enum oct_reason, or an error code of another library (ERR_PACK). Returns 0 always, so that a function
 * can end with `return OCT_RAISE(...)`. The format may be NULL. */
int oct_errors_raise(const struct oct_prov *prov, uint32_t reason, const char *file, int line, const char *function,
                     const char *format, ...) __attribute__((format(printf, 6, 7)));

#define OCT_RAISE(prov, reason) oct_errors_raise((prov), (reason), __FILE_NAME__, __LINE__, __func__, NULL)
#define OCT_RAISE_DATA(prov, reason, ...)                                                                              \
    oct_errors_raise((prov), (reason), __FILE_NAME__, __LINE__, __func__, __VA_ARGS__)

/* What goes wrong inside RSA has a reason of that library (RSA_R_...), and a second error says so. */
#define OCT_RAISE_RSA(prov, reason)                                                                                    \
    (OCT_RAISE((prov), ERR_PACK(ERR_LIB_RSA, 0, (reason))), OCT_RAISE((prov), OCT_REASON_RSA))

#endif
