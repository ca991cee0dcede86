/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The public keys of the ECDH vectors. The API takes coordinates; whatever wraps them (SEC 1, RFC 5480) is read here,
 * which says what a case asks of the API.
 */
#ifndef OCT_TESTS_KAT_EC_PEER_H
#define OCT_TESTS_KAT_EC_PEER_H

#include "records.h"

enum ec_peer_form {
    EC_PEER_NONE,   /* no uncompressed point of the curve's size: nothing for the API */
    EC_PEER_BROKEN, /* a point at the end of a wrapping that is not DER, or that names another curve or parameters */
    EC_PEER_STRICT, /* the uncompressed point itself, or in DER with the name of the curve */
};

/* Finds the coordinates, 2 * oct_ec_bytes(curve) bytes within `encoded`. */
enum ec_peer_form ec_peer_point(const uint8_t **point, int curve, struct rec_bytes encoded);
enum ec_peer_form ec_peer_spki(const uint8_t **point, int curve, struct rec_bytes encoded);

/* The number of a case as the curve's bytes, whatever its leading zeros; it must fit. */
void ec_peer_number(uint8_t *out, int curve, struct rec_bytes number);

/* The curve of a case. */
int ec_peer_curve(const struct rec_case *c);

#endif
