/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Settings that OpenSSL passes as a name or as a number, for signatures and encryption alike. */
#ifndef OCT_PROVIDER_RSA_MODES_H
#define OCT_PROVIDER_RSA_MODES_H

#include <openssl/core.h>

/* Reads a padding mode ("pkcs1", "pss", ... or RSA_PKCS1_PADDING, ...); 0 if it is neither. Any number passes. */
int oct_pad_mode_get(const OSSL_PARAM *p, int *mode);

/* Answers with one, in the form asked for. */
int oct_pad_mode_set(OSSL_PARAM *p, int mode);

/* The same for a salt length: "digest", "max", "auto", "auto-digestmax", a decimal number, or an integer. */
int oct_salt_len_get(const OSSL_PARAM *p, int *len);
int oct_salt_len_set(OSSL_PARAM *p, int len);

#endif
