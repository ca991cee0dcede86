/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See modes.h. */
#include "modes.h"

#include "provider/core/param.h"
#include "pad.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
    int number;
    const char *text;
};

/* "oeap" is a spelling that old configurations have. */
static const struct word pad_words[] = {
    {RSA_PKCS1_PADDING, OSSL_PKEY_RSA_PAD_MODE_PKCSV15},
    {RSA_NO_PADDING, OSSL_PKEY_RSA_PAD_MODE_NONE},
    {RSA_PKCS1_OAEP_PADDING, OSSL_PKEY_RSA_PAD_MODE_OAEP},
    {RSA_PKCS1_OAEP_PADDING, "oeap"},
    {RSA_X931_PADDING, OSSL_PKEY_RSA_PAD_MODE_X931},
    {RSA_PKCS1_PSS_PADDING, OSSL_PKEY_RSA_PAD_MODE_PSS},
    {RSA_PKCS1_WITH_TLS_PADDING, "tls"},
    {0, NULL},
};

static const struct word salt_words[] = {
    {RSA_PSS_SALTLEN_DIGEST, OSSL_PKEY_RSA_PSS_SALT_LEN_DIGEST},
    {RSA_PSS_SALTLEN_MAX, OSSL_PKEY_RSA_PSS_SALT_LEN_MAX},
    {RSA_PSS_SALTLEN_AUTO, OSSL_PKEY_RSA_PSS_SALT_LEN_AUTO},
    {OCT_SALT_AUTO_DIGEST_MAX, "auto-digestmax"},
    {0, NULL},
};

static const char *word_of(const struct word *words, int number)
{
    while (words->text != NULL && words->number != number)
        words++;
    return words->text;
}

static int number_of(const struct word *words, const char *text, int *number)
{
    for (; words->text != NULL; words++) {
        if (strcmp(words->text, text) == 0) {
            *number = words->number;
            return 1;
        }
    }
    return 0;
}

int oct_pad_mode_get(const OSSL_PARAM *p, int *mode)
{
    char copy[OCT_TEXT_MAX], *text = copy;

    if (p->data_type != OSSL_PARAM_UTF8_STRING)
        return OSSL_PARAM_get_int(p, mode);
    return OSSL_PARAM_get_utf8_string(p, &text, sizeof copy) && number_of(pad_words, copy, mode);
}

int oct_pad_mode_set(OSSL_PARAM *p, int mode)
{
    const char *word = word_of(pad_words, mode);

    if (p->data_type != OSSL_PARAM_UTF8_STRING)
        return OSSL_PARAM_set_int(p, mode);
    return word != NULL && OSSL_PARAM_set_utf8_string(p, word);
}

int oct_salt_len_get(const OSSL_PARAM *p, int *len)
{
    char copy[OCT_TEXT_MAX], *text = copy;
    long value;

    if (p->data_type != OSSL_PARAM_UTF8_STRING)
        return OSSL_PARAM_get_int(p, len);
    if (!OSSL_PARAM_get_utf8_string(p, &text, sizeof copy))
        return 0;
    if (number_of(salt_words, copy, len))
        return 1;
    /* As OpenSSL's own: what is no number is 0, and what follows one is passed over. */
    value = strtol(copy, NULL, 10);
    if (value < -1000000 || value > 1000000)
        return 0;
    *len = (int)value;
    return 1;
}

int oct_salt_len_set(OSSL_PARAM *p, int len)
{
    const char *word = word_of(salt_words, len);
    char number[16];

    if (p->data_type != OSSL_PARAM_UTF8_STRING)
        return OSSL_PARAM_set_int(p, len);
    if (word == NULL) {
        snprintf(number, sizeof number, "%d", len);
        word = number;
    }
    return OSSL_PARAM_set_utf8_string(p, word);
}
