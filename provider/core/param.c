/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See param.h. */
#include "param.h"

#include <openssl/params.h>

static int get_text(const OSSL_PARAM params[], const char *key, char copy[OCT_TEXT_MAX], const char **text)
{
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, key);

    *text = p == NULL ? NULL : copy;
    return p == NULL || OSSL_PARAM_get_utf8_string(p, &copy, OCT_TEXT_MAX);
}

int oct_param_choice_get(struct oct_param_choice *choice, const OSSL_PARAM params[], const char *name_key,
                         const char *props_key)
{
    return get_text(params, name_key, choice->name_copy, &choice->name) &&
           get_text(params, props_key, choice->props_copy, &choice->props);
}

int oct_param_get_uint(const OSSL_PARAM params[], const char *key, unsigned *number)
{
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, key);
    return p == NULL || OSSL_PARAM_get_uint(p, number);
}

int oct_param_give_int(OSSL_PARAM params[], const char *key, int number)
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, key);
    return p == NULL || OSSL_PARAM_set_int(p, number);
}

int oct_param_give_uint(OSSL_PARAM params[], const char *key, unsigned number)
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, key);
    return p == NULL || OSSL_PARAM_set_uint(p, number);
}

int oct_param_give_size(OSSL_PARAM params[], const char *key, size_t number)
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, key);
    return p == NULL || OSSL_PARAM_set_size_t(p, number);
}

int oct_param_give_text(OSSL_PARAM params[], const char *key, const char *text)
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, key);
    return p == NULL || OSSL_PARAM_set_utf8_string(p, text);
}
