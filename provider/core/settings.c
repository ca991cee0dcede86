/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Reading the switches: see settings.h for what they mean. */
#include "settings.h"

#include "base/base.h"
#include "base/settings.h"

#include <openssl/params.h>
#include <stdlib.h>
#include <strings.h>

#define ALL_SWITCHES ((1u << OCT_SWITCHES_MAX) - 1)

static bool is_one_of(const char *value, const char *const words[4])
{
    for (int i = 0; value != NULL && i < 4; i++)
        if (strcasecmp(value, words[i]) == 0)
            return true;
    return false;
}

/* 1 on, 0 off, -1 neither. */
static int meaning(const char *value)
{
    static const char *const on[] = {"on", "yes", "true", "1"}, *const off[] = {"off", "no", "false", "0"};

    if (is_one_of(value, on))
        return 1;
    return is_one_of(value, off) ? 0 : -1;
}

static void set(struct oct_settings *settings, int family, unsigned switches, const char *value)
{
    const int on = meaning(value);

    if (on == 0)
        settings->on[family] &= ~switches;
    if (on == 1) {
        settings->on[family] |= switches;
        settings->asked[family] |= switches;
    }
}

static void set_combining(struct oct_settings *settings, const char *value)
{
    if (meaning(value) >= 0)
        settings->combining = meaning(value) == 1;
}

/* What the core says of each switch; NULL where it says nothing. */
struct answers {
    char *of[OCT_FAMILIES][OCT_SWITCHES_MAX], *combining;
};

static bool ask(struct answers *answers, const OSSL_CORE_HANDLE *handle, OSSL_FUNC_core_get_params_fn *get_params)
{
    OSSL_PARAM params[OCT_FAMILIES * OCT_SWITCHES_MAX + 2], *p = params;

    for (int f = 0; f < OCT_FAMILIES; f++)
        for (int i = 0; i < OCT_SWITCHES_MAX && oct_prov_families[f]->switches[i].name != NULL; i++)
            *p++ = OSSL_PARAM_construct_utf8_ptr(oct_prov_families[f]->switches[i].name, &answers->of[f][i], 0);
    *p++ = OSSL_PARAM_construct_utf8_ptr("combining", &answers->combining, 0);
    *p = OSSL_PARAM_construct_end();
    return get_params != NULL && get_params(handle, params);
}

void oct_settings_read(struct oct_settings *settings, const OSSL_CORE_HANDLE *handle,
                       OSSL_FUNC_core_get_params_fn *get_params)
{
    struct answers answers = {0};
    const bool answered = ask(&answers, handle, get_params);

    settings->combining = true;
    set_combining(settings, oct_setting(OCT_SETTING_COMBINE));
    for (int f = 0; f < OCT_FAMILIES; f++) {
        settings->on[f] = ALL_SWITCHES;
        settings->asked[f] = 0;
        if (oct_prov_families[f]->has_ciphers)
            set(settings, f, ALL_SWITCHES, oct_setting(OCT_SETTING_CIPHERS));
        for (int i = 0; answered && i < OCT_SWITCHES_MAX; i++)
            set(settings, f, 1u << i, answers.of[f][i]);
    }
    if (answered)
        set_combining(settings, answers.combining);
}
