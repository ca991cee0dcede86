/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What `octuple speed` asks OpenSSL for on a curve. */
#ifndef OCT_CLI_SPEED_EC_H
#define OCT_CLI_SPEED_EC_H

#include <octuple/ec.h>
#include <openssl/evp.h>

struct speed_curve {
    const char *group;
    const char *digest; /* as long as a coordinate, or nearly */
    int nid;
    const char *signer; /* the algorithm of keys that sign; those that derive are "EC" */
};
extern const struct speed_curve speed_curves[OCT_EC_CURVES]; /* by enum oct_ec_curve */

/* A new key of an algorithm on the curve; NULL on failure. */
EVP_PKEY *speed_curve_key(const char *algorithm, int curve);

#endif
