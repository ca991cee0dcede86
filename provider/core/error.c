/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See error.h. */
#include "provider.h"

#include <openssl/ecerr.h>
#include <openssl/evperr.h>
#include <openssl/proverr.h>
#include <openssl/rsaerr.h>
#include <stdarg.h>
#include <stdio.h>

#define PROV(reason) ERR_PACK(ERR_LIB_PROV, 0, (reason))
#define RSA(reason)  ERR_PACK(ERR_LIB_RSA, 0, (reason))
#define EC(reason)   ERR_PACK(ERR_LIB_EC, 0, (reason))
#define EVP(reason)  ERR_PACK(ERR_LIB_EVP, 0, (reason))

/* What OpenSSL's own code raises for it, and our words. */
static const struct {
    const char *text;
    uint32_t code;
} openssl_reasons[OCT_REASON_COUNT] = {
    [OCT_REASON_MEMORY] = {"out of memory", PROV(ERR_R_MALLOC_FAILURE)},
    [OCT_REASON_INTERNAL] = {"internal error", PROV(ERR_R_INTERNAL_ERROR)},
    [OCT_REASON_NO_KEY] = {"no key set", PROV(PROV_R_NO_KEY_SET)},
    [OCT_REASON_NOT_PRIVATE] = {"the key has no private part", PROV(PROV_R_NOT_A_PRIVATE_KEY)},
    [OCT_REASON_NOT_PRIVATE_RSA] = {"the key has no private part", RSA(RSA_R_MISSING_PRIVATE_KEY)},
    [OCT_REASON_NOT_PRIVATE_EC] = {"the key has no private part", EC(EC_R_MISSING_PRIVATE_KEY)},
    [OCT_REASON_MISSING_KEY] = {"one of the two keys is missing", PROV(PROV_R_MISSING_KEY)},
    [OCT_REASON_BUFFER_TOO_SMALL] = {"output buffer too small", PROV(PROV_R_OUTPUT_BUFFER_TOO_SMALL)},
    [OCT_REASON_SIGNATURE_SIZE] = {"output buffer too small", PROV(PROV_R_INVALID_SIGNATURE_SIZE)},
    [OCT_REASON_BAD_LENGTH] = {"output buffer too small", PROV(PROV_R_BAD_LENGTH)},
    [OCT_REASON_INPUT_LENGTH] = {"wrong input length", PROV(PROV_R_INVALID_INPUT_LENGTH)},
    [OCT_REASON_DIGEST_LENGTH] = {"input is not as long as the digest", PROV(PROV_R_INVALID_DIGEST_LENGTH)},
    [OCT_REASON_INPUT_RANGE] = {"input is not below the modulus", RSA(RSA_R_DATA_TOO_LARGE_FOR_MODULUS)},
    [OCT_REASON_KEY_TOO_SMALL] = {"key too small for this padding and digest", RSA(RSA_R_KEY_SIZE_TOO_SMALL)},
    [OCT_REASON_DIGEST_UNKNOWN] = {"digest could not be fetched", PROV(PROV_R_INVALID_DIGEST)},
    [OCT_REASON_DIGEST_INVALID] = {"digest cannot serve here", PROV(PROV_R_INVALID_DIGEST)},
    [OCT_REASON_DIGEST_NOT_ALLOWED] = {"digest not allowed here", PROV(PROV_R_DIGEST_NOT_ALLOWED)},
    [OCT_REASON_XOF] = {"digest without a size of its own", PROV(PROV_R_XOF_DIGESTS_NOT_ALLOWED)},
    [OCT_REASON_PAD_MODE] = {"unknown padding mode", PROV(PROV_R_ILLEGAL_OR_UNSUPPORTED_PADDING_MODE)},
    [OCT_REASON_PAD_MODE_NOW] = {"unsuitable padding mode", PROV(PROV_R_INVALID_PADDING_MODE)},
    [OCT_REASON_X931_DIGEST] = {"X9.31 has no number for this digest", PROV(PROV_R_INVALID_X931_DIGEST)},
    [OCT_REASON_RSA] = {"RSA failed", PROV(ERR_R_RSA_LIB)},
    [OCT_REASON_DECRYPTION] = {"decryption failed", PROV(PROV_R_FAILED_TO_DECRYPT)},
    [OCT_REASON_NOT_PSS] = {"salt length without a padding that uses it", PROV(PROV_R_NOT_SUPPORTED)},
    [OCT_REASON_SALT_LENGTH] = {"invalid salt length", PROV(PROV_R_INVALID_SALT_LENGTH)},
    [OCT_REASON_MGF1] = {"MGF1 digest without a padding that uses it", PROV(PROV_R_INVALID_MGF1_MD)},
    [OCT_REASON_TLS_VERSION] = {"TLS client version is not set", PROV(PROV_R_BAD_TLS_CLIENT_VERSION)},
    [OCT_REASON_OAEP_DECODING] = {"OAEP decoding error", RSA(RSA_R_OAEP_DECODING_ERROR)},
    [OCT_REASON_ZERO_SECRET] = {"the peer's public key makes the shared secret zero",
                                PROV(PROV_R_FAILED_DURING_DERIVATION)},
    [OCT_REASON_GROUP] = {"another group than this kind of key has", PROV(PROV_R_MISMATCHING_DOMAIN_PARAMETERS)},
    [OCT_REASON_POINT] = {"the public key is not a point of the curve", EC(EC_R_POINT_IS_NOT_ON_CURVE)},
    [OCT_REASON_KEY_LENGTH] = {"wrong key length", PROV(PROV_R_INVALID_KEY_LENGTH)},
    [OCT_REASON_IV_LENGTH] = {"wrong IV length", PROV(PROV_R_INVALID_IV_LENGTH)},
    [OCT_REASON_NONCES] = {"all nonces have been used with this key", PROV(PROV_R_TOO_MANY_RECORDS)},
    [OCT_REASON_TAG] = {"no tag is set or made, or its length is wrong", PROV(PROV_R_INVALID_TAG)},
    [OCT_REASON_TAG_LENGTH] = {"wrong tag length", PROV(PROV_R_INVALID_TAG_LENGTH)},
    [OCT_REASON_TAG_NOT_SET] = {"no tag is made where text is opened", PROV(PROV_R_TAG_NOT_SET)},
    [OCT_REASON_TAG_NOT_NEEDED] = {"no tag is set where text is sealed", PROV(PROV_R_TAG_NOT_NEEDED)},
    [OCT_REASON_PARAMETER_GET] = {"a parameter is of the wrong type", PROV(PROV_R_FAILED_TO_GET_PARAMETER)},
    [OCT_REASON_PARAMETER_SET] = {"a parameter is of the wrong type or has no room",
                                  PROV(PROV_R_FAILED_TO_SET_PARAMETER)},
    [OCT_REASON_KEY_IMPORT] = {"the key cannot be imported", PROV(PROV_R_INVALID_KEY)},
    [OCT_REASON_LANE_INPUT] = {"private or public key out of range", PROV(PROV_R_INVALID_KEY)},
    [OCT_REASON_OPERATION] = {"context is not initialised for this operation", EVP(EVP_R_OPERATION_NOT_INITIALIZED)},
    [OCT_REASON_OUT_OF_ORDER] = {"call out of order: the digest is already final", EVP(EVP_R_FINAL_ERROR)},
    [OCT_REASON_CANCELLED] = {"operation cancelled: its connection is being freed",
                              PROV(ERR_R_INTERRUPTED_OR_CANCELLED)},
    [OCT_REASON_FALLBACK_CONTEXT] = {"OpenSSL's default provider could not be loaded", PROV(ERR_R_INIT_FAIL)},
    [OCT_REASON_NO_IV] = {"no IV is set, or it has been used", PROV(PROV_R_CIPHER_OPERATION_FAILED)},
    [OCT_REASON_TLS_RECORD] = {"not a TLS record that fits its additional data", PROV(PROV_R_CIPHER_OPERATION_FAILED)},
    [OCT_REASON_AAD_AFTER_TEXT] = {"additional data after text", PROV(PROV_R_CIPHER_OPERATION_FAILED)},
};

void oct_errors_init(struct oct_core_errors *errors, const OSSL_DISPATCH *core)
{
    for (; core->function_id != 0; core++)
        if (core->function_id == OSSL_FUNC_CORE_NEW_ERROR)
            errors->new_error = OSSL_FUNC_core_new_error(core);
        else if (core->function_id == OSSL_FUNC_CORE_SET_ERROR_DEBUG)
            errors->set_debug = OSSL_FUNC_core_set_error_debug(core);
        else if (core->function_id == OSSL_FUNC_CORE_VSET_ERROR)
            errors->vset = OSSL_FUNC_core_vset_error(core);
}

static void raise(const struct oct_prov *prov, uint32_t code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    prov->errors.vset(prov->handle, code, format, args);
    va_end(args);
}

int oct_errors_raise(const struct oct_prov *prov, uint32_t reason, const char *file, int line, const char *function,
                     const char *format, ...)
{
    const struct oct_core_errors *e = &prov->errors;
    const char *text = reason < OCT_REASON_COUNT ? openssl_reasons[reason].text : NULL;
    char data[256] = "";
    va_list args;

    if (e->new_error == NULL || e->vset == NULL || reason == OCT_REASON_BAD_SIGNATURE)
        return 0;
    if (format != NULL) {
        va_start(args, format);
        vsnprintf(data, sizeof data, format, args);
        va_end(args);
    }
    e->new_error(prov->handle);
    if (e->set_debug != NULL)
        e->set_debug(prov->handle, file, line, function);
    if (text != NULL)
        raise(prov, openssl_reasons[reason].code, format == NULL ? "%s" : "%s: %s", text, data);
    else
        raise(prov, reason, format == NULL ? NULL : "%s", data); /* of another library */
    return 0;
}
