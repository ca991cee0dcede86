/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Reading the switches: see settings.h for what they mean. */
#include "settings.h"

#include "base/base.h"
#include "base/settings.h"
#include "caller.h"

#include <openssl/params.h>
#include <stdatomic.h>
#include <stdio.h>
#include <strings.h>

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

struct row {
    const char *name;
    enum oct_setting setting;
};
static const struct row rows[OCT_PROV_SWITCHES] = {
#define OCT_PROV_SWITCH(id, name, setting, what) {name, setting},
#include "switches.def"
};

static const struct former {
    const char *name;
    enum oct_prov_switch now;
} formers[] = {
#define OCT_PROV_SWITCH_FORMER(name, id) {name, OCT_PROV_SWITCH_##id},
#include "switches.def"
};

static void set(struct oct_settings *settings, enum oct_prov_switch which, const char *value)
{
    const int on = meaning(value);

    if (on >= 0) {
        settings->on[which] = on == 1;
        settings->asked[which] = on == 1;
    }
}

/* What the core says of each switch; NULL where it says nothing. */
struct answers {
    char *now[OCT_PROV_SWITCHES], *before[OCT_ARRAY_LEN(formers)];
};

static bool ask(struct answers *answers, const OSSL_CORE_HANDLE *handle, OSSL_FUNC_core_get_params_fn *get_params)
{
    OSSL_PARAM params[OCT_PROV_SWITCHES + OCT_ARRAY_LEN(formers) + 1], *p = params;

    for (int i = 0; i < OCT_PROV_SWITCHES; i++)
        *p++ = OSSL_PARAM_construct_utf8_ptr(rows[i].name, &answers->now[i], 0);
    for (size_t i = 0; i < OCT_ARRAY_LEN(formers); i++)
        *p++ = OSSL_PARAM_construct_utf8_ptr(formers[i].name, &answers->before[i], 0);
    *p = OSSL_PARAM_construct_end();
    return get_params != NULL && get_params(handle, params);
}

/* Of names that switched a part only off counts: on was the default, and for a cipher a wish for this one alone. Who
 * the caller is costs a walk over all of libcrypto's symbols, so it is asked only where there is something to tell. */
static void set_former(struct oct_settings *settings, size_t number, const char *value,
                       OSSL_FUNC_core_get_params_fn *caller)
{
    static atomic_bool told[OCT_ARRAY_LEN(formers)];
    const struct former *former = &formers[number];
    const char *now = rows[former->now].name;

    if (meaning(value) == 0)
        set(settings, former->now, value);
    if (value != NULL && oct_caller_is_shared(caller) && !atomic_exchange(&told[number], true))
        fprintf(stderr,
                "octuple: the switch %s of openssl.cnf is now %s; its 'off' counts for all of %s, for the last time in "
                "this release\n",
                former->name, now, now);
}

void oct_settings_read(struct oct_settings *settings, const OSSL_CORE_HANDLE *handle,
                       OSSL_FUNC_core_get_params_fn *get_params)
{
    struct answers answers = {0};
    const bool answered = ask(&answers, handle, get_params);

    for (int i = 0; i < OCT_PROV_SWITCHES; i++) {
        settings->on[i] = true;
        settings->asked[i] = false;
        if (rows[i].setting != OCT_SETTING_COUNT)
            set(settings, i, oct_setting(rows[i].setting));
        if (answered)
            set(settings, i, answers.now[i]);
    }
    for (size_t i = 0; answered && i < OCT_ARRAY_LEN(formers); i++)
        set_former(settings, i, answers.before[i], get_params);
}
