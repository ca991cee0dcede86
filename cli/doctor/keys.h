/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Private keys of a target that may be in devices. */
#ifndef OCT_CLI_DOCTOR_KEYS_H
#define OCT_CLI_DOCTOR_KEYS_H

#include "doctor.h"

struct doctor_keys {
    char found[512]; /* "engine pkcs11, ..."; "" if there are none */
};

/* What configurations say. */
void doctor_keys_find(struct doctor_keys *keys, const struct doctor_target *target);

#endif
