/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See error.h. */
#include "provider.h"

#include <stdarg.h>

const OSSL_ITEM oct_reason_strings[] = {
    {OCT_REASON_MEMORY, (void *)"out of memory"},
    {OCT_REASON_INTERNAL, (void *)"internal error"},
    {OCT_REASON_NO_KEY, (void *)"no key set"},
    {OCT_REASON_NOT_PRIVATE, (void *)"the key has no private part"},
    {OCT_REASON_KEY_IMPORT, (void *)"the key cannot be imported"},
    {OCT_REASON_BUFFER_TOO_SMALL, (void *)"output buffer too small"},
    {OCT_REASON_INPUT_LENGTH, (void *)"wrong input length"},
    {OCT_REASON_DIGEST_LENGTH, (void *)"input is not as long as the digest"},
    {OCT_REASON_INPUT_RANGE, (void *)"input is not below the modulus"},
    {OCT_REASON_KEY_TOO_SMALL, (void *)"key too small for this padding and digest"},
    {OCT_REASON_DIGEST_UNKNOWN, (void *)"digest could not be fetched"},
    {OCT_REASON_DIGEST_NOT_ALLOWED, (void *)"digest not allowed here"},
    {OCT_REASON_PAD_MODE, (void *)"unknown or unsuitable padding mode"},
    {OCT_REASON_SALT_LENGTH, (void *)"invalid salt length"},
    {OCT_REASON_MGF1, (void *)"MGF1 digest without a padding that uses it"},
    {OCT_REASON_TLS_VERSION, (void *)"TLS client version is not set"},
    {OCT_REASON_BAD_SIGNATURE, (void *)"bad signature"},
    {OCT_REASON_OAEP_DECODING, (void *)"OAEP decoding error"},
    {OCT_REASON_OPERATION, (void *)"context is not initialised for this operation"},
    {OCT_REASON_OUT_OF_ORDER, (void *)"call out of order: the digest is already final"},
    {OCT_REASON_CANCELLED, (void *)"operation cancelled: its connection is being freed"},
    {OCT_REASON_PLAIN_CONTEXT, (void *)"OpenSSL's default provider could not be loaded"},
    {OCT_REASON_ZERO_SECRET, (void *)"the peer's public key makes the shared secret zero"},
    {OCT_REASON_GROUP, (void *)"another group than this kind of key has"},
    {OCT_REASON_POINT, (void *)"the public key is not a point of the curve"},
    {OCT_REASON_LANE_INPUT, (void *)"private or public key out of range"},
    {OCT_REASON_KEY_LENGTH, (void *)"wrong key length"},
    {OCT_REASON_IV_LENGTH, (void *)"wrong IV length"},
    {OCT_REASON_NO_IV, (void *)"no IV is set, or it has been used"},
    {OCT_REASON_NONCES, (void *)"all nonces have been used with this key"},
    {OCT_REASON_TAG, (void *)"no tag is set or made, or its length is wrong"},
    {OCT_REASON_TLS_RECORD, (void *)"not a TLS record that fits its additional data"},
    {OCT_REASON_AAD_AFTER_TEXT, (void *)"additional data after text"},
    {OCT_REASON_PARAMETER, (void *)"a parameter is of the wrong type or has no room"},
    {0, NULL},
};

void oct_errors_init(struct oct_core_errors *errors, const OSSL_DISPATCH *core)
{
    for (; core->function_id != 0; core++) {
        if (core->function_id == OSSL_FUNC_CORE_NEW_ERROR)
            errors->new_error = OSSL_FUNC_core_new_error(core);
        else if (core->function_id == OSSL_FUNC_CORE_SET_ERROR_DEBUG)
            errors->set_debug = OSSL_FUNC_core_set_error_debug(core);
        else if (core->function_id == OSSL_FUNC_CORE_VSET_ERROR)
            errors->vset = OSSL_FUNC_core_vset_error(core);
    }
}

int oct_errors_raise(const struct oct_prov *prov, int reason, const char *file, int line, const char *function,
                     const char *format, ...)
{
    const struct oct_core_errors *e = &prov->errors;
    va_list args;

    if (e->new_error == NULL || e->vset == NULL)
        return 0;
    e->new_error(prov->handle);
    if (e->set_debug != NULL)
        e->set_debug(prov->handle, file, line, function);
    va_start(args, format);
    e->vset(prov->handle, (uint32_t)reason, format, args);
    va_end(args);
    return 0;
}
