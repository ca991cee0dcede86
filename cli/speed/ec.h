/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What `octuple speed` asks OpenSSL for on a curve. */
#ifndef OCT_CLI_SPEED_EC_H
#define OCT_CLI_SPEED_EC_H

#include <octuple/ec.h>

struct speed_curve {
    const char *group;
    const char *digest; /* as long as a coordinate, or nearly */
    int nid;
};
extern const struct speed_curve speed_curves[OCT_EC_CURVES]; /* by enum oct_ec_curve */

#endif
