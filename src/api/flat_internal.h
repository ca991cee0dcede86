/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Flat bytes (octuple/flat.h): what a family says of its own, and how a lane gets there. */
#ifndef OCT_API_FLAT_INTERNAL_H
#define OCT_API_FLAT_INTERNAL_H

#include "api/operation.h"

#include <octuple/flat.h>

/* One lane in flat bytes, whose lengths are those of the form. */
struct oct_flat_lane {
    const void *key; /* the family's own */
    const uint8_t *in;
    size_t in_len;
    uint8_t *out;
};

struct oct_flat {
    /* The sizes at this variant; form->lanes is there already. */
    void (*form)(const struct oct_operation *operation, struct oct_flat_form *form);
    /* Points the family's lane to its bytes. */
    void (*lay)(const struct oct_operation *operation, void *lane, const struct oct_flat_lane *at);
    /* Where lanes draw what they write first, as key pairs do: OCT_OK, or nothing was run. NULL: run as they are. */
    int (*draw_x8)(const struct oct_operation *operation, void *lane, unsigned lanes, struct oct_lanes *result);
    /* Of families with keys. */
    int (*key_new)(const struct oct_operation *operation, void **key, const uint8_t *bytes);
    void (*key_free)(void *key);
};

/* Points one lane, of the family's lane_bytes, to its bytes. Errors: those of oct_flat_run() for its arguments. */
int oct_flat_lay(int op, void *lane, const struct oct_flat_key *key, const struct oct_flat_lane *at);

#endif
