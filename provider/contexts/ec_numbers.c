/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The numbers of EC and SM2 keys, out of keys of OpenSSL's own. What cannot be read for want of memory is an error, and
 * not the same as what the key has not. */
#include "ec_forms.h"

#include "provider/core/fallback.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <string.h>

#define NUMBER_MAX 2048 /* bytes, as EVP_PKEY_get_bn_param() has room for */
#define POINT_MAX  256  /* OpenSSL takes fields of up to 661 bits */

static int get_number(EVP_PKEY *fallback, const char *name, BIGNUM **bn)
{
    uint8_t bytes[NUMBER_MAX] = {0};
    OSSL_PARAM p = OSSL_PARAM_construct_BN(name, bytes, sizeof bytes);
    int has = oct_fallback_ask(fallback, &p);

    if (has > 0 && !OSSL_PARAM_get_BN(&p, bn))
        has = -1;
    OPENSSL_cleanse(bytes, sizeof bytes);
    return has;
}

int oct_ec_take_number(EVP_PKEY *fallback, const char *name, uint8_t *to, size_t size, bool *fits)
{
    BIGNUM *bn = NULL;
    const int has = get_number(fallback, name, &bn);

    if (has > 0 && to != NULL && BN_bn2binpad(bn, to, (int)size) < 0)
        *fits = false;
    BN_clear_free(bn);
    return has;
}

/* Compressed points are as their key was set to write them. */
static int take_coordinates(EVP_PKEY *fallback, uint8_t *to, size_t size, bool *fits)
{
    const bool ok = oct_ec_take_number(fallback, OSSL_PKEY_PARAM_EC_PUB_X, to, size, fits) > 0 &&
                    oct_ec_take_number(fallback, OSSL_PKEY_PARAM_EC_PUB_Y, to + size, size, fits) > 0;
    return ok ? 1 : -1;
}

/* A peer may have sent the point at infinity. OpenSSL takes it, with a form that it then cannot write: no such key. */
static int ask_for_point(EVP_PKEY *fallback, OSSL_PARAM *p)
{
    ERR_set_mark();
    int has = oct_fallback_ask(fallback, p);
    const unsigned long error = ERR_peek_last_error();

    if (has < 0 && ERR_GET_LIB(error) == ERR_LIB_EC && ERR_GET_REASON(error) == EC_R_INVALID_FORM)
        has = 0;
    if (has < 0)
        ERR_clear_last_mark();
    else
        ERR_pop_to_mark();
    return has;
}

int oct_ec_take_point(EVP_PKEY *fallback, uint8_t *to, size_t size, bool *fits)
{
    uint8_t point[POINT_MAX];
    OSSL_PARAM p = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point);
    const int has = ask_for_point(fallback, &p);

    if (has <= 0 || to == NULL)
        return has;
    if (p.return_size == 1 + size)
        return take_coordinates(fallback, to, size, fits);
    if (p.return_size == 1 + 2 * size)
        memcpy(to, point + 1, 2 * size);
    else
        *fits = false; /* infinity */
    return 1;
}
