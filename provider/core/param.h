/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Reading and answering OpenSSL's parameter lists. Where a list has no parameter of the name there is nothing to do,
 * which is success. */
#ifndef OCT_PROVIDER_PARAM_H
#define OCT_PROVIDER_PARAM_H

#include <openssl/core.h>
#include <stddef.h>

/* Long enough for the name of a digest, a mode, or a property query. */
#define OCT_TEXT_MAX 256

/* An algorithm that is chosen by name, and the properties to fetch it by; NULL for what is not in the list. */
struct oct_param_choice {
    const char *name, *props;
    char name_copy[OCT_TEXT_MAX], props_copy[OCT_TEXT_MAX];
};

/* Reads one; it is not to be moved from then on. 0 if one of the two is no string or too long. */
int oct_param_choice_get(struct oct_param_choice *choice, const OSSL_PARAM params[], const char *name_key,
                         const char *props_key);

/* Reads a number; 0 if it is none. */
int oct_param_get_uint(const OSSL_PARAM params[], const char *key, unsigned *number);

/* Answers; 0 if the place for the answer does not suit. */
int oct_param_give_int(OSSL_PARAM params[], const char *key, int number);
int oct_param_give_uint(OSSL_PARAM params[], const char *key, unsigned number);
int oct_param_give_size(OSSL_PARAM params[], const char *key, size_t number);
int oct_param_give_text(OSSL_PARAM params[], const char *key, const char *text);

#endif
