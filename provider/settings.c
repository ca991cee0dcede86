/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Reading the switches: see settings.h for what they mean. */
#include "settings.h"

#include "base/base.h"

#include <openssl/params.h>
#include <stdlib.h>
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
    [OCT_SETTING_AES_GCM] = "aes-gcm",
    [OCT_SETTING_CHACHA20_POLY1305] = "chacha20-poly1305",
    [OCT_SETTING_TLS_KDF] = "tls-kdf",
    [OCT_SETTING_COMBINING] = "combining",
};

#define CIPHERS (1u << OCT_SETTING_AES_GCM | 1u << OCT_SETTING_CHACHA20_POLY1305)

static int is_one_of(const char *value, const char *const words[4])
{
    for (int i = 0; value != NULL && i < 4; i++)
        if (strcasecmp(value, words[i]) == 0)
            return 1;
    return 0;
}

static int is_off(const char *value)
{
    static const char *const words[] = {"off", "no", "false", "0"};
    return is_one_of(value, words);
}

static int is_on(const char *value)
{
    static const char *const words[] = {"on", "yes", "true", "1"};
    return is_one_of(value, words);
}

static void read_one(struct oct_settings *settings, const char *value, unsigned bits)
{
    if (is_off(value))
        settings->on &= ~bits;
    if (is_on(value)) {
        settings->on |= bits;
        settings->asked |= bits;
    }
}

void oct_settings_read(struct oct_settings *settings, const OSSL_CORE_HANDLE *handle,
                       OSSL_FUNC_core_get_params_fn *get_params)
{
    char *value[OCT_SETTING_COUNT] = {NULL};
    OSSL_PARAM params[OCT_SETTING_COUNT + 1];

    settings->on = (1u << OCT_SETTING_COUNT) - 1;
    settings->asked = 0;
    read_one(settings, secure_getenv("OCTUPLE_CIPHERS"), CIPHERS);
    read_one(settings, secure_getenv("OCTUPLE_COMBINE"), 1u << OCT_SETTING_COMBINING);
    for (int i = 0; i < OCT_SETTING_COUNT; i++)
        params[i] = OSSL_PARAM_construct_utf8_ptr(setting_name[i], &value[i], 0);
    params[OCT_SETTING_COUNT] = OSSL_PARAM_construct_end();
    if (get_params == NULL || !get_params(handle, params))
        return;
    for (int i = 0; i < OCT_SETTING_COUNT; i++)
        read_one(settings, value[i], 1u << i);
}
