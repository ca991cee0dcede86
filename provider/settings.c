/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Reading the switches: see settings.h for what they mean. */
#include "settings.h"

#include "base/base.h"

#include <openssl/params.h>
#include <strings.h>

static const char *const setting_name[OCT_SETTING_COUNT] = {
    [OCT_SETTING_RSA_KEYMGMT] = "rsa-keymgmt",
    [OCT_SETTING_RSA_SIGNATURE] = "rsa-signature",
    [OCT_SETTING_RSA_DECRYPTION] = "rsa-decryption",
    [OCT_SETTING_X25519_KEYMGMT] = "x25519-keymgmt",
    [OCT_SETTING_X25519_EXCHANGE] = "x25519-exchange",
    [OCT_SETTING_X25519_POOL] = "x25519-pool",
    [OCT_SETTING_EC_KEYMGMT] = "ec-keymgmt",
    [OCT_SETTING_EC_EXCHANGE] = "ec-exchange",
    [OCT_SETTING_EC_SIGNATURE] = "ec-signature",
    [OCT_SETTING_EC_POOL] = "ec-pool",
    [OCT_SETTING_ED25519_KEYMGMT] = "ed25519-keymgmt",
    [OCT_SETTING_ED25519_SIGNATURE] = "ed25519-signature",
};

static int is_off(const char *value)
{
    static const char *const words[] = {"off", "no", "false", "0"};
    for (size_t i = 0; value != NULL && i < OCT_ARRAY_LEN(words); i++)
        if (strcasecmp(value, words[i]) == 0)
            return 1;
    return 0;
}

void oct_settings_read(struct oct_settings *settings, const OSSL_CORE_HANDLE *handle,
                       OSSL_FUNC_core_get_params_fn *get_params)
{
    char *value[OCT_SETTING_COUNT] = {NULL};
    OSSL_PARAM params[OCT_SETTING_COUNT + 1];

    settings->on = (1u << OCT_SETTING_COUNT) - 1;
    for (int i = 0; i < OCT_SETTING_COUNT; i++)
        params[i] = OSSL_PARAM_construct_utf8_ptr(setting_name[i], &value[i], 0);
    params[OCT_SETTING_COUNT] = OSSL_PARAM_construct_end();
    if (get_params == NULL || !get_params(handle, params))
        return;
    for (int i = 0; i < OCT_SETTING_COUNT; i++)
        if (is_off(value[i]))
            settings->on &= ~(1u << i);
}
