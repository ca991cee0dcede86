/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * DER of a flat struct by a plan that is made once of OpenSSL's template. OpenSSL walks the template anew each time,
 * and each field some four times.
 */
#ifndef OCT_SHIM_DER_H
#define OCT_SHIM_DER_H

#include <openssl/asn1t.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OCT_DER_FIELDS 40

struct oct_der_plan {
    __typeof__(ASN1_STRING_length) *length; /* libcrypto's */
    __typeof__(ASN1_STRING_get0_data) *data;
    size_t n;
    struct oct_der_field {
        enum oct_der_kind { OCT_DER_OCTETS, OCT_DER_32, OCT_DER_64, OCT_DER_OTHER } kind;
        bool is_signed, drops_zero, is_optional;
        uint8_t outer, tag; /* outer: of an explicit tag; 0: it has none */
        size_t offset;
    } field[OCT_DER_FIELDS];
};

/* With its functions set. False if the struct has what a plan cannot say. A field of another type is a pointer that has
 * to be NULL. */
bool oct_der_make(struct oct_der_plan *plan, const ASN1_ITEM *item);

/* Bytes of the encoding, which go to `out` unless that is NULL; 0 if OpenSSL has to do it. */
size_t oct_der_write(const struct oct_der_plan *plan, const void *value, uint8_t *out);

#endif
