/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What families over elliptic curves share: the DER of their signatures, the lists of what their keys are made of, and
 * how their numbers are read. */
#ifndef OCT_PROVIDER_EC_FORMS_H
#define OCT_PROVIDER_EC_FORMS_H

#include <octuple/ec.h>
#include <openssl/core_dispatch.h>
#include <openssl/evp.h>
#include <stdbool.h>

/* DER: SEQUENCE, and two INTEGERs that may each need a leading zero. */
#define OCT_ECDSA_MAX_DER (2 + 2 * (2 + 1 + OCT_EC_MAX_BYTES))

/* The DER of r and s, `size` bytes each, big-endian, one after the other; returns its length. */
size_t oct_ec_der_write(uint8_t out[OCT_ECDSA_MAX_DER], const uint8_t *numbers, size_t size);

/* The reverse: 1 if `der` is, to the byte, what the above makes of two numbers; else 0, with numbers overwritten. */
int oct_ec_der_read(uint8_t *numbers, size_t size, const uint8_t *der, size_t len);

/* A number of a key of the private context, big-endian, `size` bytes; only whether there is one if `to` is NULL. 1, 0
 * if the key has none, or -1 if that cannot be said. A number that is longer makes *fits false. */
int oct_ec_take_number(EVP_PKEY *fallback, const char *name, uint8_t *to, size_t size, bool *fits);

/* The same for both coordinates of its public key, 2 * size bytes; the point at infinity does not fit. */
int oct_ec_take_point(EVP_PKEY *fallback, uint8_t *to, size_t size, bool *fits);

/* Parameters of keys, for import and export. */
OSSL_FUNC_keymgmt_import_types_fn oct_ec_types;

#endif
